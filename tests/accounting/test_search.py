"""Bisection on a certified curve: the exact epsilon lies inside the bounds, whatever the guess."""

import math
from fractions import Fraction as F

import pytest
from mpmath import log, mpf, workdps

from dpaudit.accounting.search import LARGEST, delta_at, epsilon_at
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball


def falling(width=F(0)):
    """delta(epsilon) = e^-epsilon / 2, known up to the width."""

    def curve(epsilon):
        wide = (-ball(epsilon)).exp() / 2 + balls.around_zero(ball(width))
        return wide, wide

    return curve


@pytest.mark.parametrize("guess", [0.0, 1e-9, 0.3, 5.0, 11.5, 400.0])
@pytest.mark.parametrize("delta", ["1/4", "1/100000", "1/1000000000000000"])
@pytest.mark.parametrize("share", [1e-1, 1e-3, 1e-12])
def test_epsilon_lies_between_close_bounds(guess, delta, share):
    with balls.precision(128):
        bounds = epsilon_at(falling(), F(delta), guess, share)
    with workdps(40):
        exact = log(mpf(F(delta).denominator) / F(delta).numerator / 2)
        low, high = (mpf(end.numerator) / end.denominator for end in (bounds.lower, bounds.upper))
        assert low <= exact <= high
        assert high - exact <= share * high
        assert exact - low <= share * exact


def test_what_a_wide_curve_leaves_open_is_inside():
    with balls.precision(128):
        bounds = epsilon_at(falling(F(1, 1000)), F(1, 10), 1.0, 1e-6)
    assert math.log(1 / 0.202) * (1 - 1e-5) < bounds.lower <= math.log(1 / 0.202)
    assert math.log(1 / 0.198) <= bounds.upper < math.log(1 / 0.198) * (1 + 1e-5)


def test_an_epsilon_of_0_or_infinity():
    with balls.precision(128):
        enough = epsilon_at(falling(), F(1, 2) + F(1, 10**9), 1.0, 1e-3)
        assert enough.upper == 0 <= enough.lower <= F(1, 1 << 30)
        never = epsilon_at(lambda epsilon: (ball(F(1, 2)), ball(1)), F(1, 4), 1.0, 1e-3)
    assert never.upper == math.inf
    assert LARGEST < never.lower < 4 * LARGEST


def test_a_delta_is_between_0_and_1():
    with balls.precision(64):
        inside = delta_at(falling(F(1, 100)), F(1))
        wide = delta_at(falling(F(1)), F(1))
        two = (balls.from_ends(ball(F(a, 8)), ball(F(a + 1, 8))) for a in (2, 4))
        apart = delta_at(lambda epsilon, found=tuple(two): found, F(1))
    assert abs(apart.lower - F(1, 4)) < F(1, 10**9)
    assert abs(apart.upper - F(5, 8)) < F(1, 10**9)
    assert (wide.lower, wide.upper) == (0, 1)
    assert F("0.1739") < inside.lower < F("0.174")
    assert F("0.1939") < inside.upper < F("0.194")
