"""Decimal enclosures: outward, exact text, narrow."""

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit.enclosure import Enclosure, exact, outward

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
        ("0.4999", "0.5000", 4, "[0.4999, 0.5000]"),
        ("0.00000123456", "0.00000123459", 11, "1.2345[6, 9]e-6"),
        ("12.3401", "12.3405", 4, "12.340[1, 5]"),
        ("-0.41658", "-0.41653", 5, "-0.4165[8, 3]"),
    ],
)
def test_text_for_people(lower, upper, places, text):
    assert str(Enclosure(Fraction(lower), Fraction(upper), places)) == text


def test_repr_and_wrong_places():
    assert repr(exact(Fraction(1, 2), 3)) == "Enclosure(0.5, 0.5)"
    with pytest.raises(ValueError, match="places"):
        Enclosure(Fraction(1, 3), Fraction(1, 2), 3).to_dict()
