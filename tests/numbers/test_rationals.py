"""Exact numbers as they are written: what is taken, within which limits, and what is advised for a float."""

import decimal
from fractions import Fraction

import pytest

import dpaudit
from dpaudit.numbers import rationals
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import bare, nonnegative, positive, probability, rational, sequence, total, whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.8", "4/5"),
        ("4/5", "4/5"),
        ("1e-8", "1/100000000"),
        (" 2 ", "2"),
        (".5", "1/2"),
        ("+3", "3"),
        ("1.50e1", "15"),
    ],
)
def test_exact_numbers(text, value):
    assert rational("eps", text) == Fraction(value)


@pytest.mark.parametrize(
    ("value", "advised"),
    [
        (0.1, '"1/10" or "0.1"'),
        (0.8, '"4/5" or "0.8"'),
        (2.0, '"2.0"'),
        (0.001, '"1/1000" or "0.001"'),
        (0.0001, 'Fraction: "0.0001"'),
        (1e14, 'Fraction: "100000000000000.0"'),
        (1e15, '"0.1"'),
        (1e-9, '"1e-09"'),
        (1e-300, '"1e-300"'),
        (0.12345678, '"0.12345678"'),
        (0.7310585786300049, "write the formula with dpaudit.exp, log, sqrt, or Fraction"),
        (1 / 3, "write the formula with dpaudit.exp, log, sqrt, or Fraction"),
        (float("inf"), '"0.1"'),
        (float("nan"), '"0.1"'),
    ],
)
def test_the_digits_of_a_computed_float_are_not_advised(value, advised):
    """Copied as text, those of e / (1 + e) made a mechanism that is 1-DP one that is not."""
    with decimal.localcontext(decimal.Context(prec=3)), pytest.raises(dpaudit.InputError) as caught:
        rational("eps", value)
    assert advised in caught.value.rule
    assert (repr(value) in caught.value.rule) == advised.endswith(f'"{value!r}"')


@pytest.mark.parametrize("text", ["ln 3", "ln(3)", "log 3", "line", "1/0"])
def test_what_is_no_number(text):
    with pytest.raises(InputError, match="the denominator must not be zero" if "/" in text else "such as 2, 4/5") as e:
        rational("eps", text)
    assert ("a logarithm is not rational" in e.value.rule) == (text[:3] in ("ln ", "ln(", "log"))


def test_the_brackets_of_an_answer_are_left_out():
    texts = ("(3, 7)", " [3,7] ", "3,7", "(3,7]", "()", "(")
    assert [bare(text) for text in texts] == ["3, 7", "3,7", "3,7", "(3,7]", "", "("]
    with pytest.raises(InputError, match="prior = 5: must be a list"):
        sequence("prior", 5)


def test_a_sum_over_a_long_denominator_is_not_made(monkeypatch):
    monkeypatch.setattr(rationals, "LONGEST_COMMON", 5)
    assert total([Fraction(1, 2**19)]) == Fraction(1, 2**19)
    assert total([Fraction(1, 2**19), Fraction(1, 3)]) is None


def test_the_door():
    assert sequence("prior", "1, 2") == ["1", "2"]
    assert whole("n", "7", 1) == whole("n", " 7 ", 1) == 7
    with pytest.raises(dpaudit.InputError) as caught:
        rational("eps", 0.5)
    assert (caught.value.option, caught.value.value) == ("eps", 0.5)
    for bad in (True, 3.0, None):
        with pytest.raises(dpaudit.InputError):
            whole("n", bad, 1)
    with pytest.raises(dpaudit.InputError):
        rational("eps", Fraction(1, 10**101))


LONG = 10**100


@pytest.mark.parametrize(
    "value",
    [
        LONG - 1,
        1 - LONG,
        Fraction(1, LONG - 1),
        "1e99",
        "1e-99",
        "0e100",
        "+" + "9" * 100 + "/" + "7" * 100,
        "0" * 201 + "1",
    ],
)
def test_the_longest_numbers(value):
    assert rational("eps", value) == Fraction(value)


@pytest.mark.parametrize(
    "value", [LONG, -LONG, Fraction(1, LONG), "1e100", "1e-100", "0e101", "0e-101", "0" * 202 + "1", "1/" + "9" * 101]
)
def test_numbers_that_are_too_long(value):
    with pytest.raises(dpaudit.InputError, match="at most 100 digits") as caught:
        rational("eps", value)
    assert caught.value.option == "eps"


def test_the_ends_of_the_ranges():
    for check, good, bad in (
        (positive, ["1e-99", 1], [0, "-1e-99"]),
        (nonnegative, [0, "1e-99"], ["-1e-99", -1]),
        (probability, ["1e-99", Fraction(99, 100)], [0, 1, -1, 2]),
    ):
        for value in good:
            assert check("eps", value) == Fraction(value)
        for value in bad:
            with pytest.raises(dpaudit.InputError) as caught:
                check("eps", value)
            assert (caught.value.option, caught.value.value) == ("eps", value)
    assert whole("n", 3, 3, 5) == whole("n", "+3", 3, 5) == 3
    assert whole("n", 5, 3, 5) == 5
    assert whole("n", "9" * 18, 1) == 10**18 - 1
    for value, rule in (
        (2, ">= 3 and <= 5$"),
        (6, ">= 3 and <= 5$"),
        (f" {18 * '1'} ", "<= 5$"),
        ("1" * 19, "18 digits$"),
    ):
        with pytest.raises(dpaudit.InputError, match=rule):
            whole("n", value, 3, 5)
    with pytest.raises(dpaudit.InputError, match=r">= 3$"):
        whole("n", 2, 3)


def test_what_is_exact_and_no_rational_number_is_not_called_inexact():
    with pytest.raises(InputError, match="must be a rational number, and is of type Expression"):
        rational("claimed", dpaudit.exp(1))
