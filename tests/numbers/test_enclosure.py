"""Decimal enclosures: outward, exact text, narrow."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.numbers.enclosure import (
    Enclosure,
    at_least,
    decimals,
    exact,
    infinite,
    largest,
    maximum,
    or_infinity,
    outward,
    tied,
)
from dpaudit.numbers.verdict import Verdict

SMALL = st.builds(
    lambda a, b, e: Fraction(a, b) / 10**e, st.integers(-999, 999), st.integers(1, 999), st.integers(0, 40)
)


@given(SMALL, st.fractions(0, 1), st.integers(1, 30))
def test_rounding_is_outward_and_little(lower, share, digits):
    upper = lower + share / 10 ** (digits + 1)
    found = outward(lower, upper, digits)
    assert found.lower <= lower <= upper <= found.upper
    assert found.width <= Fraction(1, 10**digits)


@given(SMALL, st.integers(1, 30))
def test_the_text_denotes_the_ends_exactly(value, digits):
    found = exact(value, digits)
    texts = found.to_dict()
    assert Fraction(texts["lower"]) == found.lower == Fraction(Decimal(texts["lower"]))
    assert Fraction(texts["upper"]) == found.upper
    assert float(texts["lower"]) <= float(texts["upper"])


@given(st.fractions(Fraction(1, 10**6), 1), st.integers(20, 40))
def test_small_numbers_keep_significant_digits(value, zeros):
    value = value / 10**zeros
    found = exact(value, 15)
    assert found.width <= abs(value) / 10**14


@pytest.mark.parametrize(
    ("lower", "upper", "places", "text"),
    [
        ("0.41653", "0.41658", 5, "0.4165[3, 8]"),
        ("0.5", "0.5", 3, "0.5"),
        ("0", "0.001", 3, "[0, 0.001]"),
        ("-0.1", "0.1", 1, "[-0.1, 0.1]"),
        ("-0.1", "0", 1, "[-0.1, 0]"),
        ("0.4999", "0.5000", 4, "[0.4999, 0.5000]"),
        ("0.00000123456", "0.00000123459", 11, "1.2345[6, 9]e-6"),
        ("12.3401", "12.3405", 4, "12.340[1, 5]"),
        ("-0.41658", "-0.41653", 5, "[-0.41658, -0.41653]"),
        ("0.41", "0.42", 2, "[0.41, 0.42]"),
        ("0.412", "0.415", 3, "0.41[2, 5]"),
        ("9.99", "10.01", 2, "[9.99, 10.01]"),
        ("100", "100", 2, "100"),
        ("0.10", "0.10", 2, "0.1"),
        ("-3", "-3", 0, "-3"),
        ("0", "0", 5, "0"),
        ("0.00010002", "0.00010003", 8, "0.0001000[2, 3]"),
        ("0.00009992", "0.00009993", 8, "9.99[2, 3]e-5"),
        ("0.0000099", "0.0000101", 7, "[9.9e-6, 1.01e-5]"),
        ("-0.00000124", "-0.00000123", 8, "[-1.24e-6, -1.23e-6]"),
    ],
)
def test_text_for_people(lower, upper, places, text):
    assert str(Enclosure(Fraction(lower), Fraction(upper), places)) == text


def test_repr_and_wrong_places():
    assert repr(exact(Fraction(1, 2), 3)) == "Enclosure(0.5, 0.5)"
    with pytest.raises(ValueError, match="places"):
        Enclosure(Fraction(1, 3), Fraction(1, 2), 3).to_dict()


@pytest.mark.parametrize(
    ("lower", "upper", "digits", "places", "ends"),
    [
        ("1/3", "1/3", 5, 7, ("0.3333333", "0.3333334")),
        ("1/3000", "1/3000", 5, 9, ("0.000333333", "0.000333334")),  # two of the three zeros
        ("1/30000000000", "1/29999999999", 15, 22, ("3.33333333333e-11", "3.33333333345e-11")),  # known to 1e-21
        ("-1/3000000", "-1/3000000", 8, 15, ("-3.33333334e-7", "-3.33333333e-7")),
        ("0", "1/3", 3, 5, ("0", "0.33334")),
        ("-1/3", "1/3", 3, 5, ("-0.33334", "0.33334")),
        ("22/7", "22/7", 2, 4, ("3.1428", "3.1429")),
        ("1000", "1000", 2, 4, ("1000", "1000")),
    ],
)
def test_places_by_hand(lower, upper, digits, places, ends):
    found = outward(Fraction(lower), Fraction(upper), digits)
    assert found.places == places
    assert tuple(found.to_dict().values()) == ends
    assert found.contains(Fraction(lower))
    assert found.contains(Fraction(upper))
    assert found.contains(found.lower)
    assert found.contains(found.upper)
    assert not found.contains(found.upper + Fraction(1, 10**99))
    assert not found.contains(found.lower - Fraction(1, 10**99))


def test_infinity_has_no_width():
    assert infinite().width == 0
    assert str(infinite()) == "∞"
    assert infinite().to_dict() == {"lower": "inf", "upper": "inf"}
    assert infinite().is_infinite
    assert not exact(Fraction(1), 3).is_infinite
    assert [value.is_finite for value in (WIDE, OPEN, NEVER)] == [True, False, False]
    assert (or_infinity(None), or_infinity(Fraction(1, 3))) == ("inf", "1/3")


@pytest.mark.parametrize("zeros", [3000, 5000])
def test_numbers_of_thousands_of_digits(zeros):
    """No text of them is made to count their digits; a few significant digits more or less do not matter."""
    value = Fraction(1, 3 * 10**zeros)
    found = exact(value, 15)
    assert found.contains(value)
    assert zeros + 14 <= found.places <= zeros + 19


def test_an_enclosure_is_no_float():
    with pytest.raises(TypeError, match=r"an enclosure has two ends: take float\(e.upper\)"):
        float(exact(Fraction(1, 2), 5))


WIDE, POINT = Enclosure(Fraction(1), Fraction(2), 1), Enclosure(Fraction(2), Fraction(2), 0)
OPEN, NEVER = at_least(Fraction(1), 3), infinite()
HAIR = Fraction(1, 10**30)
P, R, U = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
SIDES = [
    (WIDE, 1 - HAIR, R, True, True),
    (WIDE, Fraction(1), U, False, True),
    (WIDE, 1 + HAIR, U, False, False),
    (WIDE, 2 - HAIR, U, False, False),
    (WIDE, Fraction(2), P, False, False),
    (WIDE, 2, P, False, False),
    (POINT, 2, P, False, True),
    (POINT, 2 - HAIR, R, True, True),
    (OPEN, 10**9, U, False, False),
    (OPEN, 1 - HAIR, R, True, True),
    (NEVER, 10**9, R, True, True),
]
"""An enclosure, a bound, and the three questions about it: at most, above, at least."""


@pytest.mark.parametrize(("value", "bound", "verdict", "above", "reaches"), SIDES)
def test_a_bound_inside_is_undecided_and_at_an_end_is_not(value, bound, verdict, above, reaches):
    assert value.at_most(bound) is verdict
    assert value.above(bound) is above
    assert value.reaches(bound) is reaches


def test_two_enclosures_are_in_order_only_if_they_do_not_touch():
    above = Enclosure(2 + HAIR, Fraction(3), 30)
    assert WIDE.below(above)
    assert POINT.below(above)
    assert WIDE.below(NEVER)
    for pair in ((WIDE, POINT), (POINT, POINT), (above, WIDE), (OPEN, NEVER), (WIDE, WIDE), (NEVER, NEVER)):
        assert not pair[0].below(pair[1])


def test_an_open_interval_does_not_have_its_ends():
    assert WIDE.within(1 - HAIR, 2 + HAIR)
    assert not WIDE.within(1, 2 + HAIR)
    assert not WIDE.within(1 - HAIR, 2)
    assert not OPEN.within(0, 10**9)


def test_the_part_up_to_a_bound():
    assert WIDE.up_to(Fraction(2)) is WIDE
    part = WIDE.up_to(Fraction(4, 3))
    assert (part.lower, part.places) == (1, 4)
    assert 0 <= part.upper - Fraction(4, 3) <= Fraction(1, 10**4)
    assert WIDE.ends_at(Fraction(2))
    assert not WIDE.ends_at(Fraction(1))
    assert not OPEN.ends_at(Fraction(1))


def test_room_is_added_at_both_ends():
    wider = WIDE.widened(Fraction(1, 2))
    assert (wider.lower, wider.upper, wider.places) == (Fraction(1, 2), Fraction(5, 2), 1)
    assert OPEN.widened(Fraction(1, 2)).is_open
    assert OPEN.widened(Fraction(1, 2)).lower == Fraction(1, 2)
    assert WIDE.times(3) == Enclosure(Fraction(3), Fraction(6), 1)
    assert NEVER.widened(Fraction(1)).is_infinite


def test_the_maximum_and_its_witness():
    values = [WIDE, POINT, Enclosure(Fraction(2), Fraction(9, 4), 2), OPEN]
    assert largest(values) == 1
    assert maximum(values[:3]) == Enclosure(Fraction(2), Fraction(9, 4), 2)
    assert maximum(values).is_open
    assert maximum([*values, NEVER]).is_infinite


def test_ends_that_are_the_wrong_way_round():
    with pytest.raises(ValueError, match="lower is above upper"):
        decimals("0.5", "0.25")


def test_what_is_short_already_stays():
    for value in (Enclosure(Fraction(0), Fraction(0), 5), WIDE, NEVER):
        assert value.shortened(6) is value
    assert outward(Fraction(123456789), Fraction(123456790), 5).shortened(3).places == 1


def test_both_ends_are_shortened_outward():
    assert str(outward(Fraction("0.123456"), Fraction("0.987654"), 10).shortened(2)) == "[0.12, 0.99]"
    assert str(at_least(Fraction(2, 3), 9).shortened(2)) == "≥ 0.66"


@pytest.mark.parametrize(
    ("lower", "upper", "bound", "text"),
    [
        ("1/3", "1/3", None, "0.33[3, 4]"),
        ("1/3", "1/3", "3334/10000", "0.333[3, 4]"),
        ("2", "20001/10000", "2", "2.00[0, 1]"),
        ("20001/10000", "20001/10000", "2", "2.0001"),
        ("19999/10000", "2", "2", "[1.999, 2.000]"),
    ],
)
def test_digits_enough_to_see_the_side(lower, upper, bound, text):
    assert str(outward(Fraction(lower), Fraction(upper), 9).beside(bound and Fraction(bound), 3)) == text


def test_means_that_are_equal_to_six_digits_tie():
    def near(value, radius="1e-9"):
        return Enclosure(Fraction(value) - Fraction(radius), Fraction(value) + Fraction(radius), 12)

    means = {"least": near(1), "equal": near("1.0000009"), "more": near("1.000002"), "twice": near(2)}
    assert tied(means) == ("least", "equal")
    assert tied({"wide": near(2, "1.5"), **means}) == ("wide", "least", "equal")
    assert tied({"twice": near(2), "wide": Enclosure(Fraction(1), Fraction(9), 1)}) == ("twice", "wide")
    assert tied({}) == ()


def test_what_was_written_is_read():
    for value in (WIDE, infinite(), at_least(Fraction(1, 3), 7), exact(Fraction(0), 5)):
        texts = value.to_dict()
        assert decimals(**texts).to_dict() == texts
        assert decimals(**texts).at_most(Fraction(1, 2)) is value.at_most(Fraction(1, 2))
