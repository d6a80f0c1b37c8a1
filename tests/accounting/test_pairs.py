"""Pairs of distributions: what sampling and the other direction make of their masses."""

from fractions import Fraction as F

import pytest
from mpmath import exp, mpf, ncdf, workdps

from dpaudit.accounting.pairs import Atom, Bell, Pair, Ramp, _difference
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball

BOTH = Pair(
    atoms=lambda: [Atom(ball(F(5, 8)), ball(F(1, 4)), F(9, 10)), Atom(ball(F(1, 8)), ball(F(1, 2)))],
    p_only=lambda: ball(F(1, 4)),
    q_only=lambda: ball(F(1, 4)),
    symmetric=False,
)
ATOMS = [(F(5, 8), F(1, 4)), (F(1, 8), F(1, 2))]
MIXED = [(F(3, 4) * q + F(1, 4) * p, q) for p, q in ATOMS] + [(F(3, 16), F(1, 4))]
"""After sampling at 1/4, what only Q had is an atom."""


@pytest.mark.parametrize(
    ("pair", "atoms", "infinite", "rest"),
    [
        (BOTH, ATOMS, F(1, 4), F(1, 4)),
        (BOTH.sampled(F(1)), ATOMS, F(1, 4), F(1, 4)),
        (BOTH.sampled(F(1, 2)).sampled(F(1, 2)), MIXED, F(1, 16), F(0)),
        (BOTH.other_direction(), [(q, p) for p, q in ATOMS], F(1, 4), F(1, 4)),
        (BOTH.sampled(F(1, 4)).other_direction(), [(q, p) for p, q in MIXED], F(0), F(1, 16)),
        (BOTH.sampled(F(1, 4)).other_direction().other_direction(), MIXED, F(1, 16), F(0)),
    ],
)
def test_nothing_of_p_and_q_is_lost(pair, atoms, infinite, rest):
    """``rest`` is Q of what is impossible under P."""
    with balls.precision(64):
        found = pair.all_atoms()
        assert [(balls.ends(atom.p)[0], balls.ends(atom.q)[0]) for atom in found] == atoms
        assert balls.ends(pair.infinite())[0] == infinite
    assert sum(p for p, _ in atoms) + infinite == sum(q for _, q in atoms) + rest == 1


def test_a_loss_that_is_known_changes_its_sign_with_the_direction_and_is_forgotten_by_sampling():
    losses = [
        [atom.loss for atom in pair.all_atoms()] for pair in (BOTH, BOTH.other_direction(), BOTH.sampled(F(1, 4)))
    ]
    assert losses == [[F(9, 10), None], [F(-9, 10), None], [None] * 3]


def test_sampling_ends_the_symmetry():
    pair = Pair(pieces=(Bell(F(1)),))
    assert pair.sampled(F(1)).symmetric
    assert not pair.sampled(F(1, 2)).symmetric
    assert not BOTH.sampled(F(1)).symmetric
    assert pair.sampled(F(1, 2)).other_direction().swapped


def half():
    return ball(F(1, 2))


@pytest.mark.parametrize("low", [None, F(-3), F(-1, 3), F(0), F(1, 3), F(2)])
@pytest.mark.parametrize("high", [F(-2), F(-1, 3), F(0), F(1, 3), F(3)])
def test_the_masses_of_a_piece_above_below_and_between(low, high):
    """Of N(1, 1) against N(0, 1), and of the middle of the Laplace mechanism with eps = 1/3."""
    with balls.precision(128), workdps(30):
        for piece, exact in ((Bell(F(1)), bell_above), (Ramp(F(1, 3), half), ramp_above)):
            first, last = piece.edge(None if low is None else ball(low)), piece.edge(ball(high))
            start, end = (
                exact(-99 if loss is None else mpf(loss.numerator) / loss.denominator) for loss in (low, high)
            )
            masses = {"above": end, "below": [x - y for x, y in zip(exact(-99), end, strict=True)]}
            for name, values in masses.items():
                for found, value in zip(getattr(piece, name)(last), values, strict=True):
                    assert abs(mpf(float(found)) - value) < 1e-15
            for found, x, y in zip(piece.between(first, last), start, end, strict=True):
                assert abs(mpf(float(found)) - (x - y)) < 1e-15


def bell_above(loss):
    return ncdf(mpf(1) / 2 - loss), ncdf(-mpf(1) / 2 - loss)


def ramp_above(loss):
    eps = mpf(1) / 3
    inside = max(-eps, min(eps, loss))
    return (1 - exp((inside - eps) / 2)) / 2, (exp(-(inside + eps) / 2) - exp(-eps)) / 2


@pytest.mark.parametrize("ends", [(None, F(-1)), (F(-3), F(-2)), (F(1, 2), F(4))])
def test_there_is_exactly_nothing_beside_a_ramp(ends):
    ramp = Ramp(F(1, 3), half)
    with balls.precision(64):
        low, high = (ramp.edge(None if end is None else ball(end)) for end in ends)
        outer = ramp.between(low, high) + (ramp.above(high) if ends[0] == F(1, 2) else ramp.below(low))
        assert all(map(balls.is_zero, outer))


def test_a_difference_of_tails_on_either_side():
    """Tails of 1/8 and 1/4: the places in between, by which of them is an upper tail."""
    near, far, most = ball(F(1, 4)), ball(F(1, 8)), ball(F(7, 8))
    sides = [(True, near, True, far), (False, far, False, near), (False, near, True, far), (True, near, False, most)]
    with balls.precision(64):
        assert [float(_difference(*one)) for one in sides] == [1 / 8, 1 / 8, 5 / 8, 1 / 8]
