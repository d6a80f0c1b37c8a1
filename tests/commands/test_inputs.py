"""One table of bad inputs: each is one line that names the option, the value and the rule, with exit code 2."""

import decimal
from fractions import Fraction

import numpy
import pytest

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms import lookup, make_mechanism
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import nonnegative, positive, probability, rational, sequence, whole
from dpaudit.posterior.model import make_model, parse_data

BASE = ["epsilon", "--mech", "EHDS", "--n", "4"]
BAD = [
    (["epsilon", "--mech", "EHDS", "--n", "0"], "--n = 0", ">= 1"),
    (["epsilon", "--mech", "EHDS", "--n", "-3"], "--n = -3", ">= 1"),
    (["epsilon", "--mech", "EHDS", "--n", "2.5"], "--n = 2.5", "whole number"),
    (["epsilon", "--mech", "EHDS", "--n", "nan"], "--n = nan", "whole number"),
    (["epsilon", "--mech", "EHDS", "--n", ""], "--n = (empty)", "whole number"),
    (["epsilon", "--mech", "EHDS", "--n", "1e3"], "--n = 1e3", "whole number"),
    (["epsilon", "--mech", "EHDS"], "--n = (missing)", "whole number"),
    (["epsilon", "--n", "4"], "--mech", "Missing"),
    (["epsilon", "--mech", "EHSD", "--n", "4"], "--mech = EHSD", "did you mean"),
    (["epsilon", "--mech", "zzzzzz", "--n", "4"], "--mech = zzzzzz", "`dpaudit mechanisms` lists all"),
    (["epsilon", "--mech", "", "--n", "4"], "--mech = (empty)", "unknown mechanism"),
    ([*BASE, "--eps", "0"], "--eps = 0", "> 0"),
    ([*BASE, "--eps", "-1"], "--eps = -1", "> 0"),
    ([*BASE, "--eps", "nan"], "--eps = nan", "exact number"),
    ([*BASE, "--eps", "inf"], "--eps = inf", "exact number"),
    ([*BASE, "--eps", "1e400"], "--eps = 1e400", "at most 100 digits"),
    ([*BASE, "--eps", "1e-400"], "--eps = 1e-400", "at most 100 digits"),
    ([*BASE, "--eps", "9" * 300], "--eps = 999", "at most 100 digits"),
    ([*BASE, "--eps", "1/0"], "--eps = 1/0", "denominator"),
    ([*BASE, "--eps", ""], "--eps = (empty)", "exact number"),
    ([*BASE, "--eps", "1 2"], "--eps = 1 2", "exact number"),
    ([*BASE, "--eps", "١"], "--eps", "exact number"),
    ([*BASE, "--gamma", "0"], "--gamma = 0", "> 0"),
    ([*BASE, "--gs", "exact"], "--gs = exact", "EHDS has no such parameter"),
    ([*BASE, "--prior", "1,2,,3"], "--prior = 1,2,,3", "without empty entries"),
    ([*BASE, "--prior", ""], "--prior = (empty)", "without empty entries"),
    ([*BASE, "--prior", "1"], "--prior = 1", "at least 2"),
    ([*BASE, "--prior", "1,0"], "--prior = 0", "> 0"),
    ([*BASE, "--prior", "1,x"], "--prior = x", "exact number"),
    ([*BASE, "--prior", "1,1", "--k", "3"], "--k = 3", "contradicts the prior"),
    ([*BASE, "--k", "1"], "--k = 1", ">= 2"),
    ([*BASE, "--digits", "0"], "--digits = 0", ">= 1"),
    ([*BASE, "--digits", "99999"], "--digits = 99999", "<= 2000"),
    ([*BASE, "--memory", "0"], "--memory = 0", "> 0"),
    ([*BASE, "--memory", "1/1000000"], "--memory = 9.99e-7 GiB", "5 data sets, 8 ordered pairs, 5 outputs: needs"),
    (["epsilon", "--mech", "EHDS", "--n", "100000", "--k", "6"], "--memory = 2 GiB", "data sets"),
    ([*BASE, "--bogus"], "--bogus", "No such option"),
    (["epsilon", "--mech", "EHD", "--n", "4", "--gs", "best"], "--gs = best", "constant or exact"),
    (["epsilon", "--mech", "MHdelta", "--n", "4"], "--delta = (missing)", "MHdelta needs it"),
    (["epsilon", "--mech", "MHdelta", "--n", "4", "--delta", "1"], "--delta = 1", "< 1"),
    (["delta", "--mech", "EHDS", "--n", "4", "--at", "-1"], "--at = -1", ">= 0"),
    (["pmf", "--mech", "EHDS", "--n", "4", "--x", "1,2"], "--x = 1,2", "must sum to n = 4, sums to 3"),
    (["pmf", "--mech", "EHDS", "--n", "4", "--k", "2", "--x", "1,2,1"], "--x = 1,2,1", "must have k = 2 cells"),
    (["pmf", "--mech", "EHDS", "--n", "4", "--x", "5,-1"], "--x = -1", ">= 0"),
    (["pmf", "--mech", "EHDS", "--n", "4", "--x", "2,,2"], "--x = 2,,2", "without empty entries"),
    (["pmf", "--mech", "LSZhang", "--x", "500,500,500"], "--memory = 2 GiB", "outputs: needs"),
    (["epsilon", "--mech", "EHDS", "--n", "1000000000", "--k", "1000"], "--memory = 2 GiB", "about 1e"),
    (["sensitivity", "--n", "1000000000", "--k", "1000"], "--memory = 2 GiB", "about 1e"),
    (["epsilon", "--mech", "EHDS", "--n", "4", "--k", "1001"], "--k = 1001", "<= 1000"),
    (
        ["epsilon", "--mech", "EHDS", "--n", "4", "--prior", ",".join("1" * 1001)],
        "--prior = 1001 entries",
        "at most 1000",
    ),
    (["epsilon", "--mech", "\x1b[31mx", "--n", "4"], r"--mech = \x1b[31mx", "unknown mechanism"),
    (["pmf", "--mech", "EHDS", "--x", "9" * 5000], "--x = 999", "18 digits"),
    (["sensitivity"], "--n = (missing)", "whole number"),
    (["sensitivity", "--n", "4", "--gamma", "-1"], "--gamma = -1", "> 0"),
    (["sensitivity", "--n", "1000", "--k", "5"], "--memory = 2 GiB", "data sets: needs"),
    (["frobnicate"], "frobnicate", "No such command"),
]


@pytest.mark.parametrize(
    ("arguments", "named", "rule"), BAD, ids=lambda part: " ".join(part)[:60] if isinstance(part, list) else ""
)
def test_bad_input_is_one_line_and_exit_code_two(arguments, named, rule, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert captured.err.startswith("dpaudit: ")
    assert named in captured.err
    assert rule in captured.err


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


def test_floats_are_refused_with_advice():
    for call in (
        lambda: dpaudit.epsilon("EHDS", n=4, eps=0.1),
        lambda: dpaudit.epsilon("EHDS", n=4, prior=[1, 0.5]),
        lambda: dpaudit.delta("EHDS", at=0.1, n=4),
        lambda: dpaudit.epsilon("EHDS", n=4, eps=True),
    ):
        with pytest.raises(dpaudit.InputError, match="not exact; write it exactly"):
            call()
    with pytest.raises(dpaudit.InputError, match="whole number"):
        dpaudit.epsilon("EHDS", n=4.0)
    with pytest.raises(dpaudit.InputError, match="whole number"):
        dpaudit.pmf("EHDS", x=[2.0, 2])
    with pytest.raises(dpaudit.InputError, match="list"):
        dpaudit.epsilon("EHDS", n=4, prior=7)


@pytest.mark.parametrize(
    ("value", "advised"),
    [
        (0.1, '"1/10" or "0.1"'),
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


def test_a_mechanism_that_is_given_keeps_its_setting():
    made = dpaudit.mechanism("EHDS", n=5)
    assert dpaudit.epsilon(made).subject.mechanism is made
    with pytest.raises(dpaudit.InputError, match="leave this out"):
        dpaudit.epsilon(made, n=7)


def test_a_huge_number_has_a_short_error():
    with pytest.raises(dpaudit.InputError) as caught:
        dpaudit.epsilon("EHDS", n=10**5000)
    assert "about 1e" in str(caught.value)


def test_a_closed_form_needs_no_memory():
    result = dpaudit.epsilon("LSHist", n=10**9)
    assert result.closed_form_text == "1"
    assert result.counts.datasets == 10**9 + 1


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
    for value, rule in ((2, ">= 3 and <= 5$"), (6, ">= 3 and <= 5$"), ("1" * 18, "<= 5$"), ("1" * 19, "18 digits$")):
        with pytest.raises(dpaudit.InputError, match=rule):
            whole("n", value, 3, 5)
    with pytest.raises(dpaudit.InputError, match=r">= 3$"):
        whole("n", 2, 3)


def test_the_largest_models():
    assert make_model(10**9, 1000).k == 1000
    assert make_model(1, prior="1,1").size == 2
    for arguments, option in (((10**9 + 1,), "n"), ((1, 1001), "k"), ((1, None, [1] * 1001), "prior")):
        with pytest.raises(dpaudit.InputError) as caught:
            make_model(*arguments)
        assert caught.value.option == option
    assert make_model(1, prior=[1] * 1000).k == 1000
    with pytest.raises(dpaudit.InputError, match=r"^x = .*: cell counts must be whole numbers >= 0"):
        make_model(3).check("x", [Fraction(3), 0])


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("EHSD", "EHD or EHDS"),
        ("MHdleta", "MHdelta or EHDL"),
        ("lszang", "LSZhang"),
        ("zzzzzz", None),
        ("laplce", "laplace or discrete-laplace"),
    ],
)
def test_the_nearest_mechanisms_are_suggested(name, suggested):
    with pytest.raises(dpaudit.InputError) as caught:
        lookup(name)
    assert caught.value.option == "mech"
    assert (f"did you mean {suggested}? `dpaudit" in str(caught.value)) == (suggested is not None)
    assert lookup(" ehds ").name == "EHDS"


def test_a_parameter_that_is_not_there():
    with pytest.raises(dpaudit.InputError, match="it has: gamma"):
        make_mechanism("EHDS", make_model(3), 1, {"delta": "1/2"})
    with pytest.raises(dpaudit.InputError, match="it has: none"):
        make_mechanism("LSHist", make_model(3), 1, {"delta": "1/2"})


def test_a_data_set_has_two_cells_and_a_record():
    assert parse_data("1,2") == parse_data([1, 2]) == parse_data(iter([1, 2])) == (1, 2)
    assert parse_data("0,1") == (0, 1)
    for bad in ("3", "0,0", [3], []):
        with pytest.raises(dpaudit.InputError, match="at least 2 cells and 1 record"):
            parse_data(bad)


def test_what_is_exact_and_no_rational_number_is_not_called_inexact():
    with pytest.raises(InputError, match="must be a rational number here, and is of type Expression"):
        rational("claimed", dpaudit.exp(1))


@pytest.mark.parametrize(
    ("setting", "rule"),
    [
        ({"eps": numpy.float64(0.5)}, 'a float64 is not exact; write it exactly, as text or Fraction: "1/2" or "0.5"'),
        ({"eps": numpy.float64(1) / 3}, "a computed float keeps its rounding error"),
        ({"eps": numpy.int64(2)}, "take int(…) of it: 2"),
        ({"n": numpy.int64(5)}, "take int(…) of it: 5"),
    ],
)
def test_numbers_of_numpy_are_refused_with_what_to_write(setting, rule):
    with pytest.raises(InputError) as caught:
        dpaudit.epsilon("EHDS", **{"n": 4} | setting)
    assert rule in str(caught.value)
