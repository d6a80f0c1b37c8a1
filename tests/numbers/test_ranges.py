"""One way to write a range, wherever numbers may be given as one."""

from fractions import Fraction

import pytest

from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import Range, parse_range, range_text, whole_numbers, whole_range
from dpaudit.sweeps.plan import _list


def test_a_range_of_exact_numbers():
    assert parse_range("eps", "1/100..16") == Range(Fraction(1, 100), Fraction(16))
    assert parse_range("eps", " 0.5 .. 1.5 .. 1/4 ").points("eps") == [Fraction(i, 4) for i in range(2, 7)]
    assert parse_range("eps", 2) == parse_range("eps", "2") == Range(Fraction(2), Fraction(2))


@pytest.mark.parametrize("text", ["1/100..16", "1..2..1/3", "7", "-1..1"])
def test_a_range_prints_what_gives_it_again(text):
    assert str(parse_range("eps", text)) == text


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("2..1", "must not decrease"),
        ("1..2..0", "step must be > 0"),
        ("1..2..-1", "step must be > 0"),
        ("1..2..3..4", "such as 1/10..2"),
        ("..2", "at both ends of a range such as 1/10..2"),
        ("1..", "at both ends of a range such as 1/10..2"),
        ("x", "or a range such as 1/10..2"),
        (0.5, "a float is not exact"),
    ],
)
def test_what_is_no_range_is_refused(text, rule):
    with pytest.raises(InputError, match=rule):
        parse_range("eps", text)


def test_whole_numbers():
    assert list(whole_range("n", "10..20", step=5)) == list(whole_range("n", "10..20..5")) == [10, 15, 20]
    assert whole_numbers("n", "1..4") == (1, 2, 3, 4)
    assert whole_numbers("n", "10..30..10") == (10, 20, 30)
    assert whole_numbers("n", "7, 5, 5") == (5, 7)
    assert whole_numbers("n", 3) == (3,)
    for text in ("1..9", "1..3,5,7..9"):
        with pytest.raises(InputError, match="at most 5 are allowed"):
            whole_numbers("n", text, most=5)
    for numbers in ((1, 2, 3), (10, 20, 30), (5, 7, 20), (4,)):
        assert whole_numbers("n", range_text(numbers)) == numbers


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("1/2..3", "whole number >= 1"),
        ("0..3", "whole number >= 1"),
        ("1..1000000", "at most 100000"),
        ("1..99..3", "contradicts the step 2"),
    ],
)
def test_what_is_no_range_of_whole_numbers_is_refused(text, rule):
    with pytest.raises(InputError, match=rule):
        whole_range("n", text, step=2 if rule.endswith("2") else 1)


def test_a_plan_takes_the_same_text():
    assert _list("n", "10..30..10") == _list("n", {"from": 10, "to": 30, "step": 10}) == ["10", "20", "30"]
    assert _list("eps", ["1/2..1..1/4", 4]) == ["1/2", "3/4", "1", 4]
    assert _list("mech", "../mine.py:X") == ["../mine.py:X"]


def test_points_without_a_step_are_one_apart():
    assert Range(Fraction(1, 2), Fraction(4)).points("eps") == [Fraction(2 * i + 1, 2) for i in range(4)]
    assert list(whole_range("n", "4..7")) == [4, 5, 6, 7]
    assert Range(Fraction(1), Fraction(5)).count("eps", most=5) == 5
    assert whole_numbers("n", "1,2,3", most=3) == (1, 2, 3)
    assert [range_text(numbers) for numbers in ((1, 3), (1, 2), (1, 2, 4, 5))] == ["1,3", "1..2", "1..2,4..5"]


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (lambda: Range(Fraction(1), Fraction(6)).count("eps", most=5), "eps = 1..6: has 6 points"),
        (lambda: Range(Fraction(1), Fraction(6)).count("eps", 5, "1..6.0"), "eps = 1..6.0: has 6 points"),
        (lambda: parse_range("eps", "1..x"), "eps = 1..x: "),
        (lambda: parse_range("eps", "1..2..0"), "eps = 1..2..0: the step"),
        (lambda: parse_range("eps", "1..2..3..4"), "eps = 1..2..3..4: must be"),
        (lambda: parse_range("eps", "2..1"), "eps = 2..1: the range"),
        (lambda: whole_range("n", "1..9..3", step=2), "n = 1..9..3: contradicts"),
        (lambda: whole_numbers("n", "1..3,5,7..9", most=5), "n = 1..3,5,7..9: has 7 points"),
    ],
)
def test_a_refusal_names_the_option_and_the_text(read, text):
    with pytest.raises(InputError) as caught:
        read()
    assert str(caught.value).startswith(text)
