"""Decimal enclosures: outward, exact text, narrow."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.numbers.enclosure import Enclosure, exact, infinite, outward

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
