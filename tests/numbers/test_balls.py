"""The one module that compares and sets precision."""

import math
import sys
from fractions import Fraction

import pytest
from flint import arb, ctx
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.numbers import balls
from dpaudit.numbers.balls import NeedsMoreBits, PrecisionExhausted, ball
from dpaudit.numbers.verdict import Verdict

RATIONALS = st.fractions(-50, 50, max_denominator=10**6)


def third() -> arb:
    return ball(Fraction(1, 3))


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_verdict_is_no_bool(verdict):
    with pytest.raises(TypeError):
        bool(verdict)


def failing_block():
    with balls.precision(333):
        assert balls.working_bits() == 333
        raise KeyError


def test_precision_is_scoped_and_restored_after_an_error():
    before = ctx.prec
    with pytest.raises(KeyError):
        failing_block()
    assert ctx.prec == before


@given(RATIONALS, RATIONALS)
def test_comparisons_are_right_or_silent(a, b):
    with balls.precision(64):
        x, y = ball(a), ball(b)
        if balls.certainly_less(x, y):
            assert a < b
        if balls.certainly_at_most(x, y):
            assert a <= b
        if not balls.overlap(x, y):
            assert a != b
        truth = {Verdict.PROVED: True, Verdict.REFUTED: False}
        for verdict, fact in ((balls.at_most(x, y), a <= b), (balls.less(x, y), a < b)):
            assert verdict is Verdict.UNDECIDED or truth[verdict] == fact


def test_equal_inexact_balls_stay_undecided():
    with balls.precision(64):
        assert balls.at_most(third(), third()) is Verdict.UNDECIDED
        assert balls.less(third(), third()) is Verdict.UNDECIDED
        assert balls.at_most(ball(2), ball(2)) is Verdict.PROVED
        assert balls.less(ball(2), ball(2)) is Verdict.REFUTED


@given(st.lists(RATIONALS, min_size=1, max_size=12))
def test_extremes_contain_the_true_ones(values):
    with balls.precision(30):
        inexact = [ball(v) for v in values]
        for found, true in ((balls.maximum(inexact), max(values)), (balls.minimum(inexact), min(values))):
            lower, upper = balls.ends(found)
            assert lower <= true <= upper


def test_the_maximum_covers_wide_balls_that_are_not_the_largest_midpoint():
    wide, narrow = arb(1, 5), arb(2, 0.25)
    for values in ([wide, narrow], [narrow, wide], [arb(-9), narrow, wide, arb(-9)]):
        assert balls.maximum(values).contains(arb(5.5))
        assert not balls.maximum(values).contains(arb(1.5))
    for values in ([wide, narrow], [narrow, wide], [arb(9), narrow, wide, arb(9)]):
        assert balls.minimum(values).contains(arb(-3.5))
        assert not balls.minimum(values).contains(arb(2.5))


def test_balls_that_touch():
    """x = [lower, upper] and its own ends: <= is certain on one side, and nothing is refuted that may be equal."""
    with balls.precision(4):
        x = third()
    lower, upper = (ball(end) for end in balls.ends(x))
    assert lower < upper
    assert balls.certainly_at_most(lower, x)
    assert balls.certainly_at_most(x, upper)
    assert not balls.certainly_less(lower, x)
    assert not balls.certainly_less(x, upper)
    assert balls.at_most(lower, x) is balls.at_most(x, upper) is Verdict.PROVED
    assert balls.at_most(upper, x) is balls.at_most(x, lower) is Verdict.UNDECIDED
    assert balls.less(upper, x) is balls.less(x, lower) is Verdict.REFUTED
    assert balls.less(lower, x) is balls.less(x, upper) is Verdict.UNDECIDED


@given(RATIONALS)
def test_positive_part(value):
    with balls.precision(40):
        found = balls.positive_part(ball(value))
        lower, upper = balls.ends(found)
        assert lower <= max(value, 0) <= upper
    assert balls.positive_part(ball(-3)).is_zero()
    assert balls.ends(balls.positive_part(arb(0, 1)))[1] >= 1
    for radius in (0.5, 1):
        assert -0.01 < balls.ends(balls.positive_part(arb(0, radius)))[0] <= 0
    assert balls.positive_part(arb(-1, 0.5)).is_zero()


def test_refinement_doubles_and_stops():
    tried = []

    def never():
        tried.append(balls.working_bits())

    with pytest.raises(PrecisionExhausted) as caught:
        balls.refine(never, 100, 500)
    assert tried == [100, 200, 400, 500]
    assert caught.value.bits == 500
    assert str(caught.value) == "undecided after 500 bits"
    assert balls.refine(lambda: balls.working_bits() if balls.working_bits() > 150 else None, 100) == (200, 200)


def test_refinement_goes_on_where_more_bits_may_help_and_only_there():
    tried = []

    def wanting(error, enough):
        tried.append(balls.working_bits())
        if balls.working_bits() < enough:
            raise error(balls.working_bits())
        return "found"

    assert balls.refine(lambda: wanting(NeedsMoreBits, 300), 100, 500) == ("found", 400)
    with pytest.raises(PrecisionExhausted, match="undecided after 500 bits"):
        balls.refine(lambda: wanting(NeedsMoreBits, 600), 100, 500)
    tried.clear()
    with pytest.raises(PrecisionExhausted, match="undecided after 100 bits"):
        balls.refine(lambda: wanting(PrecisionExhausted, 300), 100, 500)
    assert tried == [100]


def test_what_is_not_finite_yet_asks_for_more_bits():
    for take in (balls.ends, lambda value: balls.midpoint(value, 10)):
        with pytest.raises(NeedsMoreBits):
            take(1 / arb(0, 1))


def test_decide_ends_in_undecided_never_in_a_guess():
    assert balls.decide(lambda: balls.at_most(third(), third()), 64, 256) == (Verdict.UNDECIDED, 256)
    close = Fraction(1, 3) + Fraction(1, 10**60)
    assert balls.decide(lambda: balls.less(third(), ball(close)), 64)[0] is Verdict.PROVED
    assert balls.decide(lambda: balls.less(ball(close), third()), 64)[0] is Verdict.REFUTED


@given(RATIONALS, st.integers(1, 40))
def test_an_enclosure_contains_and_is_narrow(value, digits):
    with balls.precision(200):
        found = balls.enclosure(ball(value), digits)
        assert found is not None
        assert found.contains(value)
        assert found.width <= Fraction(1, 10**digits)


@given(RATIONALS, st.integers(1, 12), st.fractions(0, 4, max_denominator=1000))
def test_an_enclosure_is_narrow_or_there_is_none(value, digits, share):
    """From radius 1/4 of the allowed width on there is none; below 1/5 there is always one."""
    with balls.precision(200):
        wide = ball(value) + arb(0, float(share / 10**digits))
        found = balls.enclosure(wide, digits)
    if found is not None:
        lower, upper = balls.ends(wide)
        assert found.lower <= lower
        assert upper <= found.upper
        assert found.width <= Fraction(1, 10**digits)
    assert (found is not None) >= (share <= Fraction(1, 5))


@pytest.mark.parametrize("digits", [1, 12])
@pytest.mark.parametrize(("share", "narrow"), [(0.2, True), (0.249, True), (0.251, False), (0.5, False), (2, False)])
def test_a_radius_of_a_quarter_is_the_limit(digits, share, narrow):
    assert (balls.enclosure(1 + arb(0, share * 10.0**-digits), digits) is not None) == narrow


def test_a_wide_or_infinite_ball_has_no_enclosure():
    assert balls.enclosure(arb(1, 0.1), 3) is None
    assert balls.enclosure(arb.pos_inf(), 3) is None
    with pytest.raises(PrecisionExhausted):
        balls.ends(arb.pos_inf())


def test_enclosures_are_cut_at_known_bounds():
    small = arb(0, 1e-20)
    assert balls.enclosure(small, 10, least=0).lower == 0
    assert balls.enclosure(1 + small, 10, most=1).upper == 1
    assert balls.enclosure(small, 10).lower < 0


def test_a_ball_from_two_ends_contains_both():
    found = balls.from_ends(ball(1), ball(2))
    assert found.contains(ball(1))
    assert found.contains(ball(2))


@pytest.mark.parametrize(
    ("digits", "size", "first"),
    [
        (1, 1, 128),
        (15, 1, 128),
        (15, 10**4, 128),  # everyday audits stay at two limbs
        (23, 3, 128),  # 76 + 48 + 2 * 2 bits
        (23, 4, 192),  # 76 + 48 + 2 * 3 bits
        (24, 1, 192),  # 79 + 48 + 2 * 1 bits
        (24, 0, 128),
        (76, 1000, 320),  # 252 + 48 + 2 * 10 bits
        (57, 1000, 320),  # 189 + 48 + 2 * 10 bits
        (255, 1, 960),  # 847 + 48 + 2 * 1 bits, one more than 14 limbs
        (332, 1, 1152),  # 1102 + 48 + 2 * 1 bits, exactly 18 limbs
        (2000, 1, 6720),
    ],
)
def test_first_precision(digits, size, first):
    assert balls.bits_for(digits, size) == (first, max(32768, 8 * first))
    assert balls.bits_for(24) == balls.bits_for(43) == (192, 32768)  # one term unless said otherwise


def test_first_precision_covers_the_digits():
    for digits in (1, 15, 50, 2000):
        first, last = balls.bits_for(digits, 1000)
        assert 2**first > 10**digits * 1000
        assert last >= 8 * first


@given(RATIONALS)
def test_floats_on_either_side(value):
    with balls.precision(100):
        inexact = ball(value)
        lower, upper = balls.ends(inexact)
        below, above = balls.float_below(inexact), balls.float_above(inexact)
    assert Fraction(below) <= lower < Fraction(math.nextafter(below, math.inf))
    assert Fraction(math.nextafter(above, -math.inf)) < upper <= Fraction(above)
    assert balls.float_below(arb(2, 1)) <= 1
    assert balls.float_above(arb(2, 1)) >= 3
    assert balls.float_below(arb(0.75)) == balls.float_above(arb(0.75)) == 0.75


def test_the_largest_error_by_hand():
    values = [ball(1), ball(-4), ball(0)]
    assert balls.largest_error(values, [1.5, -4.25, 0.0]) == 0.5
    assert balls.largest_error(values, [1.25, -4.5, 0.0]) == 0.5
    assert 0.25 <= balls.largest_error(values, [1.25, -4.5, 0.0], relative=True) < 0.2500001
    assert balls.largest_error(values, [1.0, -4.0, 0.0], relative=True) == balls.largest_error([], []) == 0
    assert 0.125 <= balls.largest_error(values, [1.0, -4.5, 0.0], relative=True) < 0.1250001
    assert 2 <= balls.largest_error([arb(0, 1)], [1.0]) < 2.00001


def test_an_error_without_a_bound_is_infinite_wherever_it_stands():
    good, around_zero, unknown = ball(1), arb(0.5, 1), arb.nan()
    for values in ([unknown, good], [good, unknown], [unknown]):
        assert balls.largest_error(values, [1.0] * len(values)) == math.inf
    for values in ([around_zero, good], [good, around_zero]):
        assert balls.largest_error(values, [1.0, 1.0], relative=True) == math.inf


def test_a_number_beyond_all_floats_lies_between_the_largest_and_infinity():
    most, value = sys.float_info.max, ball(10**400)
    assert (balls.float_below(value), balls.float_above(value)) == (most, math.inf)
    assert (balls.float_below(-value), balls.float_above(-value)) == (-math.inf, -most)


def test_infinity_and_exactness():
    assert balls.is_infinity(balls.infinity())
    for other in (arb.neg_inf(), arb.nan(), ball(1), arb(0, float("inf")), arb(1, float("inf"))):
        assert not balls.is_infinity(other)
    assert balls.is_zero(balls.zero())
    assert not balls.is_zero(arb(0, 1))
    assert balls.exactly_equal(ball(2), ball(2))
    assert not balls.exactly_equal(ball(2), ball(3))
    with balls.precision(64):
        assert not balls.exactly_equal(third(), third())
        assert not balls.exactly_equal(arb(2, 1), ball(2))
        assert not balls.exactly_equal(ball(2), arb(2, 1))


def test_midpoints_and_upper_ends():
    assert balls.ends(balls.middle(arb(2, 1))) == (2, 2)
    lower, upper = balls.ends(balls.upper(arb(2, 1)))
    assert 3 <= lower == upper < 3.001
    assert balls.ends(balls.dyadic(0.1)) == (Fraction(0.1), Fraction(0.1))
    assert [round(end, 6) for end in balls.ends(arb(2, 1))] == [1, 3]
    assert balls.ends(arb(2) ** 100) == (2**100, 2**100)
    assert balls.argsort([arb(3), arb(-1, 9), arb(2)]) == [1, 2, 0]


def test_enclosures_to_a_share_of_the_size():
    wide = balls.from_ends(ball(2000), ball(2002))
    assert balls.proportional(wide, 2, Fraction(1, 1100)) is None
    found = balls.proportional(wide, 2, Fraction(1, 900))
    assert (found.lower <= 2000, found.upper >= 2002, found.width < 3) == (True, True, True)
    for hopeless in (balls.from_ends(ball(0), ball(1)), balls.infinity(), 1 / ball(0), -ball(1)):
        assert balls.proportional(hopeless, 2, Fraction(1)) is None


def test_a_capped_ball():
    assert balls.ends(balls.capped(ball(3), ball(2))) == (3, 3)
    assert balls.ends(balls.capped(ball(2), ball(2))) == (2, 2)
    found = balls.capped(ball(1), ball(2))
    assert found.contains(ball(0))
    assert found.contains(ball(2))
    assert balls.ends(found)[0] > -0.01


def test_ends_are_cut_at_known_bounds():
    wide = balls.from_ends(ball(-1), ball(2))
    assert balls.cut(wide, wide) == balls.ends(wide)
    assert balls.cut(wide, wide, 0) == (0, balls.ends(wide)[1])
    assert balls.cut(wide, wide, 0, 1) == (0, 1)
    assert balls.cut(ball(Fraction(1, 4)), ball(Fraction(1, 2)), 0, 1) == (Fraction(1, 4), Fraction(1, 2))


@pytest.mark.parametrize(("low", "high", "whole"), [("3/2", "7/4", 1), ("-1/4", "-1/8", -1), ("1", "1", 1)])
def test_a_whole_part_is_certain_or_unknown(low, high, whole):
    value = balls.from_ends(ball(Fraction(low)), ball(Fraction(high)))
    assert balls.whole_part(value) == whole
    assert balls.whole_part(balls.from_ends(value, ball(whole + 1))) is None


def test_the_largest_ball_is_the_first_with_the_largest_lower_end():
    wide = balls.from_ends(ball(0), ball(10))
    assert balls.largest([wide, ball(1), ball(2), ball(2)]) == 2
