"""Questions to monotone functions of draws, each against plain counting."""

import math
import operator
import random
from fractions import Fraction
from itertools import groupby, product

import pytest

from dpaudit.code import lazy, monotone
from dpaudit.code.run import Refused, Run
from tests.code.snippets import drawn

LOG = frozenset(["math.log"])


def stepped(rnd, low, high):
    """A rising function of low .. high - 1, at random, and its values."""
    values = sorted(rnd.choices(range(6), k=high - low))
    return lambda a: values[a - low], values


def test_stretches_are_where_a_function_is_constant():
    rnd = random.Random(1)
    for _ in range(300):
        low = rnd.randrange(5)
        draw = drawn(60, low, low + rnd.randint(1, 50))
        at, values = stepped(rnd, draw.lo, draw.hi)
        wanted, a = [], draw.lo
        for _, group in groupby(values):
            wanted.append((a, a := a + len(list(group))))
        assert monotone.stretches(draw, at, len(wanted)) == wanted
        assert monotone.stretches(draw, at, len(wanted) - 1) is None
        counted = monotone.count(lambda env, draw=draw, at=at: at(env[draw]), {draw: 1}, len(wanted))
        assert counted == len(wanted)


def corners(directions, rnd):
    """A condition on the draws that goes from false to true in these directions, at random."""
    weights = {draw: rnd.randrange(4) * up for draw, up in directions.items()}
    bound = rnd.randrange(-20, 20)
    return lambda env: sum(weights[draw] * a for draw, a in env.items()) >= bound


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_condition_is_decided_on_every_box_by_itself(count):
    """All ways together: the boxes are a partition of the draws, and the condition is constant on each."""
    rnd = random.Random(count)
    for _ in range(15):
        sizes = [rnd.randint(1, 6) for _ in range(count)]
        ups, seed = [rnd.choice((1, -1)) for _ in range(count)], rnd.random()
        seen, total, todo = {}, Fraction(0), [((), Fraction(1))]
        while todo:
            script, share = todo.pop()
            run = Run(script)
            draws = [run.draw(size) for size in sizes]
            directions = dict(zip(draws, ups, strict=True))
            condition = corners(directions, random.Random(seed))
            truth = monotone.decide(condition, directions, "asked")
            for place, found in run.alternatives:
                shares = math.prod((piece.share for piece in run.taken[len(script) : place]), start=share)
                todo += [((*run.taken[:place], piece), shares * piece.share) for piece in found]
            total += math.prod((piece.share for piece in run.taken[len(script) :]), start=share)
            for point in product(*(range(draw.lo, draw.hi) for draw in draws)):
                assert point not in seen
                seen[point] = truth
                assert condition(dict(zip(draws, point, strict=True))) == truth
        assert len(seen) == math.prod(sizes)
        assert total == 1


def test_a_step_that_is_not_monotone_is_noticed():
    falling = drawn(8)
    with pytest.raises(Refused, match=r"math\.log is not monotone here"):
        monotone.decide(lambda env: env[falling] < 4, {falling: 1}, "s", frozenset(["math.log"]))
    for wrong in (9, 10, 13, 14):  # the condition changes at 12, and is wrong near to it
        dented = drawn(32)
        with pytest.raises(Refused, match=r"math\.log is not monotone near a point where the code branches"):
            monotone.decide(lambda env, d=dented, w=wrong: (env[d] >= 12) != (env[d] == w), {dented: 1}, "s", LOG)
    dented = drawn(32)
    monotone.decide(lambda env: (env[dented] >= 12) != (env[dented] == 8), {dented: 1}, "s", LOG)  # too far to be seen
    for up in (1, -1):
        dented = drawn(32)
        at = {11: 1, 12: 2, 13: 1}
        with pytest.raises(Refused, match=r"math\.log is not monotone near a point where the result changes"):
            monotone.force(
                lambda env, d=dented, up=up, at=at: up * at.get(env[d], 3 * (env[d] > 12)), {dented: up}, "s", LOG
            )


def test_a_number_of_too_many_values_is_not_listed():
    draw = drawn(8)
    with pytest.raises(Refused, match="a thing takes more than 7 values"):
        monotone.force(lambda env: env[draw], {draw: 1}, "s", frozenset(), 7, "a thing")
    draw = drawn(8)
    assert monotone.force(lambda env: env[draw], {draw: 1}, "s", frozenset(), 8) == draw.lo
    assert draw.width == 1


def test_zeros_of_two_signs_are_two_values():
    assert monotone.same(math.nan, math.nan)
    assert monotone.same((1, 2), (1, 2))
    assert not any(monotone.same(*pair) for pair in ((0.0, -0.0), (1, 1.0), (1, True), (1, 2)))


def test_comparisons_know_what_is_not_a_number():
    run = Run(())
    u = lazy.uniform(run)
    for relation in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq):
        assert relation(u, math.nan) is False
        assert relation(math.nan, u) is False
    assert (u != math.nan) is True
    assert not run.taken
