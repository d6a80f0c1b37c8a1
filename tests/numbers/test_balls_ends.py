"""What balls are as rational numbers: their ends, enclosures of them, and functions that cut at 0."""

import math
from fractions import Fraction

import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.numbers import balls
from dpaudit.numbers.balls import NeedsMoreBits, PrecisionExhausted, ball

HALVES = st.tuples(st.integers(-40, 40), st.integers(0, 12), st.integers(-8, 8))
"""A midpoint and a radius in units of 2^e."""


def between(drawn):
    """A ball, and its ends by hand: an arb has its radius from a float, a little rounded up."""
    middle, radius, e = drawn
    unit = Fraction(2) ** e
    value = arb(float(middle * unit), float(radius * unit))
    rad = Fraction(float(value.rad()))
    assert radius * unit <= rad <= radius * unit * (1 + Fraction(1, 10**6))
    return value, middle * unit - rad, middle * unit + rad


@given(HALVES)
def test_the_ends_are_those_of_the_ball(drawn):
    value, low, high = between(drawn)
    assert balls.ends(value) == (low, high)
    lo, hi, e = balls.dyadic_ends(value)
    assert (lo * Fraction(2) ** e, hi * Fraction(2) ** e) == (low, high)
    assert balls.midpoint(value, 10) == (low + high) / 2 * 2**10
    assert balls.midpoint(value, -3) == (low + high) / 2 // 8
    around = balls.ends(balls.around_zero(balls.upper(value.abs_upper())))
    assert around[0] <= -max(abs(low), abs(high)) <= max(abs(low), abs(high)) <= around[1]


def test_the_ends_of_a_midpoint_that_is_finer_than_the_radius():
    with balls.precision(200):
        value = 1 + arb(2) ** -100 + arb(0, 1)
    lo, hi, e = balls.dyadic_ends(value)
    assert (lo * Fraction(2) ** e, hi * Fraction(2) ** e) == balls.ends(value)
    assert hi * Fraction(2) ** e >= 2 + Fraction(2) ** -100


def test_sizes_beyond_what_is_written_out():
    """Small ones are bounded outward, large ones refused; as whole numbers times a power of two both are exact."""
    limit, two = balls.MAX_SHIFT, arb(2)
    tiny = Fraction(1, 1 << limit)
    small, large = two ** (-limit - 5), two ** (limit + 5)
    assert balls.ends(small) == (0, tiny)
    assert balls.ends(-small) == (-tiny, 0)
    assert balls.ends(two ** (-limit)) == (tiny, tiny)
    with pytest.raises(PrecisionExhausted):
        balls.ends(large)
    assert balls.dyadic_ends(large) == (1, 1, limit + 5)
    assert balls.dyadic_ends(small) == (1, 1, -limit - 5)
    assert balls.dyadic_ends(arb(0)) == (0, 0, 0)
    with pytest.raises(PrecisionExhausted):
        balls.dyadic_ends(large + arb(0, 1))
    for unknown in (arb("nan"), arb("inf")):
        with pytest.raises(NeedsMoreBits):
            balls.dyadic_ends(unknown)


@given(HALVES, HALVES, st.integers(0, 8))
def test_an_excess_contains_the_true_one_and_little_more(first, second, factor):
    (p, p_low, p_high), (q, q_low, q_high) = between(first), between(second)
    if q_low < 0:
        q, q_low, q_high = ball(1), Fraction(1), Fraction(1)
    found = balls.ends(balls.excess(p, q, ball(factor)))
    low, high = p_low - factor * q_high, p_high - factor * q_low
    assert found[0] <= max(0, low) <= max(0, high) <= found[1] + Fraction(1, 10**12) * abs(found[1])
    if high <= 0:
        assert found == (0, 0)
    elif low > 0:
        assert found[0] > 0
    else:
        assert found[0] <= 0
        assert found[1] <= max(p_high, 0) * (1 + Fraction(1, 10**6))


def test_an_enclosure_of_what_is_not_negative():
    """To no digit any finite ball does; what may be 0 waits for more bits, unless they are many."""
    wide = arb(3, 5)
    assert balls.enclosure(wide, 0, least=0).to_dict() == {"lower": "0", "upper": "8.01"}
    assert balls.enclosure(wide, 0, least=0, most=1).to_dict() == {"lower": "0", "upper": "1"}
    assert balls.enclosure(arb(7, 5), 0, least=0, most=1).to_dict() == {"lower": "1", "upper": "1"}
    assert balls.enclosure(wide, 0) is None
    assert balls.enclosure(arb("inf"), 0, least=0) is None
    assert balls.enclosure(wide, 1, least=0) is None
    hair = arb(0, 1e-30)
    with balls.precision(64):
        assert balls.nonnegative_enclosure(hair, 5) is None
        assert balls.nonnegative_enclosure(arb(0), 5).is_exact
        assert balls.nonnegative_enclosure(ball(1), 5).contains(1)
    with balls.precision(balls.ZERO_BITS):
        assert balls.nonnegative_enclosure(hair, 5, most=1).lower == 0


def test_questions_that_have_one_answer():
    assert balls.certainly_less(ball(1), ball(2)) is True
    assert balls.certainly_less(ball(1), ball(1)) is False
    assert balls.certainly_at_most(ball(1), ball(1)) is True
    assert balls.certainly_at_most(arb(1, 1), ball(1)) is False
    assert [balls.decides_zero(v) for v in (arb(0), arb(1), arb(0, 1), arb(1, 2), arb(-3, 1))] == [1, 1, 0, 0, 1]
    assert balls.is_infinity(arb("inf"))
    assert not any(map(balls.is_infinity, (arb("-inf"), arb("nan"), arb(0), arb(1), arb(0, math.inf))))
    assert balls.pi().overlaps(arb.pi())
    assert balls.ends(balls.total([])) == (0, 0)
    assert balls.ends(balls.total([ball(1), ball(2), ball(4)])) == (7, 7)
    assert balls.ends(balls.minimum([ball(2), ball(1), ball(3)])) == (1, 1)
    low = balls.minimum([arb(2, 0.25), arb(3, 5), arb(4, 0)])
    assert balls.ends(low)[0] <= -2
    rows = [[ball(1), ball(5)], [ball(3), ball(4)], [ball(2), ball(6)]]
    assert [balls.ends(v)[0] for v in balls.columnwise(arb.max, rows)] == [3, 6]
    assert [balls.ends(v)[0] for v in balls.columnwise(arb.min, rows)] == [1, 4]


def test_an_excess_is_cut_at_p_and_no_lower():
    for p in (Fraction(1, 2), Fraction(1, 1024), Fraction(3)):
        assert balls.ends(balls.excess(ball(p), ball(0), ball(1))) == (p, p)
        assert balls.excess(ball(0), ball(p), ball(1)).is_zero()
        assert balls.excess(ball(p), ball(p), ball(1)).is_zero()
    for radius in (0.125, 1):
        unsure = balls.ends(balls.excess(arb(0.5, 0.5), arb(0, radius), ball(4)))
        assert unsure[0] <= 0
        assert 1 <= unsure[1] < Fraction(11, 10)


def test_what_lies_in_both_balls():
    both = balls.ends(balls.common(arb(2, 1), arb(3.5, 1)))
    assert both[0] <= Fraction(5, 2) <= 3 <= both[1]
    assert both[1] - both[0] < Fraction(51, 100)
    assert balls.float_above(ball(Fraction(1, 2) ** 1100)) > 0


def test_ends_of_numbers_beyond_any_size_are_outward():
    tiny = balls.ball(-(10**30)).exp()
    low, high = balls.ends(tiny)
    assert low <= 0 < high
    assert balls.ends(-tiny)[0] < 0 <= balls.ends(-tiny)[1]
    with pytest.raises(balls.PrecisionExhausted):
        balls.ends(balls.ball(10**30).exp())
