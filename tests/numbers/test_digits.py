"""Bounds are printed by one pair of functions, rounded outward; nothing beside a bound's words rounds to nearest."""

import ast
import decimal
import math
import re
from fractions import Fraction as F
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dpaudit
from dpaudit.audit.explanation import above
from dpaudit.numbers.digits import at_least, at_most, beside, percent, powers, rough, short, written
from dpaudit.numbers.enclosure import decimals
from dpaudit.numbers.errors import TooLargeError, gib
from dpaudit.numbers.verdict import Verdict
from dpaudit.studies.samples.samples import samples

NUMBERS = st.one_of(
    st.fractions(), st.builds(lambda a, b: F(a, 1) + F(1, 10**b), st.integers(-9, 9), st.integers(1, 300))
)


SHORT = {
    ("inf", "inf"): "∞",
    ("0.333333333333", "inf"): "≥ 0.333333",
    ("-0.0011", "0.000342"): "|…| ≤ 0.0011",
    ("-0.00034201", "0.00001"): "|…| ≤ 0.000343",
    ("-0.000342", "0.0011"): "|…| ≤ 0.0011",
    ("0", "0.00012341"): "≤ 0.000124",
    ("-0.0001234", "0"): "[-0.000124, 0]",
    ("0", "0"): "0",
    ("1", "2"): "[1, 2]",
    ("-1", "2"): "|…| ≤ 2",
    ("-0.5", "0.5"): "|…| ≤ 0.5",
    ("0.4165312", "0.4165348"): "0.41653",
    ("0.4165312", "0.4165448"): "0.4165",
    ("0.416531", "0.416931"): "[0.416, 0.417]",
    ("0.1234567", "0.1234567"): "0.1234567",
    ("0.12345678", "0.12345678"): "0.123457",
}
"""The common digits of two ends: an end above zero, around it, at it; infinite ends; exact numbers up to nine signs."""


@pytest.mark.parametrize("ends", SHORT)
def test_the_digits_that_both_ends_have(ends):
    assert short(decimals(*ends)) == SHORT[ends]


BESIDE = [
    ("0.1", "0.9", None, "PROVED", "[0.1, 0.9]"),
    ("0.1", "0.9", "1", None, "[0.1, 0.9]"),
    ("-0.001", "0.000342", "1", "PROVED", "|…| ≤ 0.001"),
    ("0", "0.00012341", "1", "PROVED", "≤ 0.000124"),
    ("inf", "inf", "1", "REFUTED", "∞"),
    ("0.5", "inf", "1", "UNDECIDED", "≥ 0.5"),
    ("0.4999991", "0.5000018", "1/2", "UNDECIDED", "[0.499999, 0.500002]"),
    ("0.50003", "0.50007", "10001/20000", "UNDECIDED", "[0.50003, 0.50007]"),
    ("0.5", "0.6", "1/2", "REFUTED", "(1/2, 0.6]"),
    ("1.00000121", "1.00000122", "1", "REFUTED", "1.000001"),
    ("1.00000001", "1.00000002", "1", "REFUTED", "[1.00000001, 1.00000002]"),
    ("1.0001", "2.5", "1", "REFUTED", "[1.0001, 2.5]"),
    ("1", "1", "1", "PROVED", "1"),
    ("0.99999999", "0.99999999", "1", "PROVED", "0.99999999"),
    ("0.66666666", "0.66666667", "2/3", "PROVED", "0.666666"),
    ("0.6666", "0.6667", "2/3", "PROVED", "[0.666, 2/3]"),
    ("0.4165312", "0.4165348", "1", "PROVED", "0.41653"),
    ("0.416531", "0.416931", "1", "PROVED", "[0.416, 0.417]"),
    ("0.4165", "0.99999999", "99999999/100000000", "PROVED", "[0.4165, 0.99999999]"),
]
"""A number, the bound it is compared with and the verdict: as many digits as show the verdict."""


@pytest.mark.parametrize(("lower", "upper", "bound", "outcome", "text"), BESIDE)
def test_a_number_beside_its_bound_shows_the_verdict(lower, upper, bound, outcome, text):
    assert beside(decimals(lower, upper), bound and F(bound), outcome and Verdict(outcome)) == text


PERCENT = {
    ("inf", "inf"): "∞",
    ("0.5", "inf"): "at least 50 %",
    ("1.00000001234", "inf"): "at least 100.000001 %",
    ("999.99", "999.99"): "99999 %",
    ("1000", "1000"): "at least 100000 %",
    ("0", "0"): "0 %",
    ("0", "0.00001"): "at most 0.01 %",
    ("0", "0.999999"): "at most 99.9999 %",
    ("0", "1"): "at most 100 %",
    ("0", "1.5"): "at most 150 %",
    ("0.123456", "0.123456"): "12.3 %",
    ("0.12345", "0.12346"): "12.3 %",
    ("0.12345678", "0.33333333"): "between 12.34 % and 33.34 %",
    ("0.99999", "1"): "100 %",
    ("0.999999", "0.9999999"): "between 99.99 % and 99.99999 %",
    ("0.994", "0.9945"): "99.4 %",
    ("1.005", "1.005"): "100.5 %",
    ("2.3456", "2.3456"): "235 %",
    ("1.49", "1.5"): "between 149 % and 150 %",
}
"""Shares in per cent: no bound on the wrong side, nothing on 100 % that is not there."""


@pytest.mark.parametrize("ends", PERCENT)
def test_a_share_in_per_cent(ends):
    assert percent(decimals(*ends)) == PERCENT[ends]


@pytest.mark.parametrize(
    ("number", "text"),
    [("1000000", "1000000"), ("10000000", "1e7"), ("12345678", "12345678"), ("12345680", "1.234568e7"), ("0.0", "0")],
)
def test_powers_of_ten_only_where_zeros_are_idle(number, text):
    assert written(decimal.Decimal(number)) == text


def test_a_fraction_becomes_a_decimal_of_its_length():
    assert powers("123/5000, 1001/320, 1001/128, 1/0") == "0.0246, 3.128125, 1001/128, 1/0"


@given(NUMBERS, st.integers(1, 40))
def test_a_bound_is_on_its_side_and_as_near_as_its_digits_allow(value, digits):
    low, high = F(at_least(value, digits)), F(at_most(value, digits))
    assert low <= value <= high
    size = max(abs(low), abs(high))
    assert high - low <= size * F(10) ** (1 - digits) * 2
    for text in (at_least(value, digits), at_most(value, digits)):
        assert len(re.sub(r"e.*|\D", "", text).strip("0")) <= digits


@pytest.mark.parametrize(
    ("value", "digits", "low", "high"),
    [
        (F("0.100004"), 4, "0.1", "0.1001"),
        (1 - F(1, 10**11), 10, "0.9999999999", "1"),
        (F(1, 10) + F(1, 10**500), 6, "0.1", "0.100001"),
        (F(-2, 3), 3, "-0.667", "-0.666"),
        (F(5), 1, "5", "5"),
        (F(0), 3, "0", "0"),
        (F(1, 3 * 10**9), 2, "3.3e-10", "3.4e-10"),
    ],
)
def test_bounds_by_hand(value, digits, low, high):
    assert (at_least(value, digits), at_most(value, digits)) == (low, high)


def test_minus_infinity():
    assert at_most(-math.inf) == rough(-math.inf, 3) == "−∞"


def sheet(path, rows):
    path.write_text(",no,yes\n" + "".join(f"{x},{','.join(map(str, row))}\n" for x, row in rows.items()))
    return str(path)


def test_samples_round_outward(tmp_path):
    counts = sheet(tmp_path / "counts.csv", {"a": (5, 10**6), "b": (10**6, 10**6)})
    sure = samples(counts, confidence=f"{10**11 - 1}/{10**11}")
    assert "with confidence 0.99999999999 " in str(sure)
    law = sheet(tmp_path / "law.csv", {"a": ("0.100004", "0.899996"), "b": ("0.899996", "0.100004")})
    found = samples(counts, law=dpaudit.Setting.read(law))
    assert [fit.why for fit in found.fit] == [
        "too rarely: at least 0.1 by the law",
        "too rarely: at least 0.8999 by the law",
    ]
    often = sheet(tmp_path / "often.csv", {"a": (10**6, 5), "b": (10**6, 10**6)})
    assert samples(often, law=dpaudit.Setting.read(law)).fit[0].why == "too often: at most 0.1001 by the law"


def test_a_need_is_at_least_and_seen_to_be_more():
    assert "needs at least 2.0000000009 GiB" in str(TooLargeError((2 << 30) + 1, 2 << 30, "it"))
    assert (gib(1 << 30), gib((1 << 30) + (1 << 29) + (1 << 20))) == ("1 GiB", "1.5 GiB")


# ------------------------------------------------------------------ the source

ROOT = Path(dpaudit.__file__).parents[1]
BOUND = re.compile(r"at most|at least|no more than|≤|≥|confidence|only known")
NEAREST = {"rough", "round", "short", "format"}
"""Functions that round to nearest."""


DIRECTIVE = re.compile(r"(%[-+ #0]*\d*(?:\.\d+)?[a-zA-Z])")
FIELD = re.compile(r"(\{[^{}]*\})")


def beside_a_bound(source):
    """The lines of texts in which a bound's word is followed at once by a number that is rounded to nearest.

    However the text is put together: f-strings, +, %, format and join.
    """
    for node in ast.walk(ast.parse(source)):
        found = list(pieces(node)) if is_template(node) else []
        for words, nearest in pairwise(found):
            ends = [match.end() for match in BOUND.finditer(words)] if isinstance(words, str) else []
            if nearest is True and ends and len(words) - ends[-1] <= 12:
                yield node.lineno


def is_template(node):
    """Whether several pieces may be put together here."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr in ("format", "join")
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Mod))


def pieces(node):
    """What a text is made of, in its order: texts, and for each value whether it is rounded to nearest."""
    if isinstance(node, ast.Constant):
        yield node.value if isinstance(node.value, str) else False
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield from pieces(part)
    elif isinstance(node, ast.FormattedValue):
        yield rounds(node.value, "" if node.format_spec is None else ast.unparse(node.format_spec))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from pieces(node.left)
        yield from pieces(node.right)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
        yield from fields(DIRECTIVE.split(str(node.left.value)), node.right)
    elif isinstance(node, ast.Call) and is_template(node):
        if node.func.attr == "format" and isinstance(node.func.value, ast.Constant):
            yield from fields(FIELD.split(str(node.func.value.value)), node)
        elif node.args and isinstance(node.args[0], ast.List | ast.Tuple):
            for part in node.args[0].elts:
                yield from pieces(part)
    elif isinstance(node, ast.expr):
        yield rounds(node)


def fields(texts, given):
    """The pieces of a template: every other text is a field, and any of the values may be the one that it takes."""
    for i, text in enumerate(texts):
        yield rounds(given, text) if i % 2 else text


def rounds(value, form=""):
    calls = {getattr(node.func, "id", None) for node in ast.walk(value) if isinstance(node, ast.Call)}
    return bool(calls & NEAREST) or bool(re.search(r"\.\d+[efgEFG%]", form))


def test_nothing_rounds_to_nearest_beside_the_words_of_a_bound():
    files = [path for room in ("dpaudit", "proofs_checks") for path in (ROOT / room).rglob("*.py")]
    assert len(files) > 200
    found = {f"{path.relative_to(ROOT)}:{line}" for path in files for line in beside_a_bound(path.read_text())}
    assert found == set()


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ('f"at most {rough(x, 4)} by the law"', True),
        ('f"ε ≤ {x:.3g}"', True),
        ('f"with confidence {rough(c, 10)}"', True),
        ('f"by at most {named(short(d))}"', True),
        ('f"at most {at_most(x, 4)}"', False),
        ('f"about {rough(x, 4)}, at most {y}"', False),
        ('f"{x:.3f} s"', False),
        ('f"at least {count} of them took {x:.1f} s"', False),
        ('"at most " + rough(x, 4)', True),
        ('"ε ≤ " + str(round(x, 3)) + "."', True),
        ('"at most " + at_most(x, 4)', False),
        ('"at least %.3g" % x', True),
        ('"at least %s of them" % rough(x, 4)', True),
        ('"at least %d" % count', False),
        ('"took %.1f s, at least %d" % (x, count)', False),
        ('"≥ {:.2f}".format(x)', True),
        ('"≥ {}".format(at_least(x, 4))', False),
        ('" ".join(["at most", rough(x, 4)])', True),
        ('" ".join(["at most", at_most(x, 4)])', False),
    ],
)
def test_the_reader_of_the_source_sees_what_it_should(line, wrong):
    assert bool(list(beside_a_bound(line))) is wrong


@pytest.mark.parametrize("rounding", ["ROUND_DOWN", "ROUND_UP"])
def test_what_is_printed_does_not_depend_on_the_decimal_context(rounding):
    """Somebody's code may leave any context behind: bounds stay outward."""

    def shown():
        value = decimals("-0." + 40 * "1", "0." + 40 * "2" + "1")
        share = decimals("0.123456789", "0.123456789")
        third = F(1, 3)
        return [short(value), short(share), percent(share), at_most(third, 5), at_least(third, 5), above(third)]

    usual = shown()
    with decimal.localcontext(decimal.Context(prec=2, rounding=rounding)):
        assert shown() == usual
    assert usual[-1] == "0.8334"
