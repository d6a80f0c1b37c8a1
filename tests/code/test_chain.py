"""Chains of states, against plain elimination."""

import random
from fractions import Fraction

import pytest

from dpaudit.code import chain


def solved(edges):
    """The expected visits from state 0 on, by plain elimination of x = e + x P."""
    size = len(edges)
    rows = [[Fraction(u == v) - edges[u].get(v, 0) for u in range(size)] + [Fraction(v == 0)] for v in range(size)]
    for i in range(size):
        pivot = next(k for k in range(i, size) if rows[k][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for k in range(size):
            if k != i and rows[k][i]:
                rows[k] = [x - rows[k][i] * y for x, y in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def chains():
    rnd = random.Random(3)
    for _ in range(60):
        size = rnd.randint(1, 7)
        yield [
            {v: Fraction(rnd.randint(1, 3), 4 * size) for v in range(size) if rnd.random() < 0.6} for _ in range(size)
        ]


def test_visits_are_those_of_a_plain_elimination():
    for edges in chains():
        wanted = solved(edges)
        assert chain.visits(edges, chain.EXACT) == wanted
        down = chain.rounded_down()
        below = chain.visits(edges, down)
        for found, exact in zip(below, wanted, strict=True):
            assert 0 <= exact - Fraction(found, down.one) < Fraction(1, 2**490)
        assert chain.visits(edges, chain.FLOATS) == pytest.approx([float(x) for x in wanted])


@pytest.mark.parametrize("make", [lambda: chain.EXACT, chain.rounded_down, lambda: chain.FLOATS])
def test_a_state_that_never_leaves_gives_nothing(make):
    kind = make()
    found = chain.visits([{1: Fraction(1, 2), 2: Fraction(1, 2)}, {1: Fraction(1)}, {}], kind)
    assert found == [kind.one, 0, kind.one / 2 if kind.one == 1 else kind.one >> 1]
    assert chain.visits([{0: Fraction(1)}], kind) == [0]


def test_numbers_that_are_rounded_are_never_too_large():
    down, third = chain.rounded_down(8), Fraction(1, 3)
    assert (down.of(third), down.times(down.of(third), down.one - 1), down.series(down.of(third))) == (85, 84, 383)
    with pytest.raises(chain.TooLong):
        chain.EXACT.times(Fraction(1, 2**chain.LONGEST), Fraction(1, 3))
    assert chain.EXACT.times(Fraction(1, 2 ** (chain.LONGEST - 1)), Fraction(1)) > 0
