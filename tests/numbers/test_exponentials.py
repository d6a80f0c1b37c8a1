"""Sums of exponentials by quick ways: powers, products by key, rows added up as whole numbers; and the operators."""

import pickle
import subprocess
import sys
from fractions import Fraction as Fr
from functools import reduce

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpaudit import PI, InputError, exp, log, sqrt
from dpaudit.numbers import exponentials
from dpaudit.numbers.exponentials import (
    add_up_to,
    combine,
    excess_at_most,
    form_is_positive,
    is_positive,
    log_of_quotient,
    of_rational,
    product,
    rational_value,
    to_power,
)
from dpaudit.numbers.expressions import Expression, exponential_form
from dpaudit.numbers.verdict import Verdict

PARTS = st.fractions(-3, 3, max_denominator=4)
SUMS = st.dictionaries(PARTS, PARTS.filter(bool), max_size=4)
FORMS = st.tuples(SUMS, SUMS.filter(bool))


def times(a, b):
    """The product, term by term."""
    found = {}
    for s, c in a.items():
        for t, d in b.items():
            found[s + t] = found.get(s + t, 0) + c * d
    return {e: c for e, c in found.items() if c}


@given(SUMS, SUMS)
def test_products_are_those_of_their_terms(a, b):
    assert product(a, b) == times(a, b)
    assert product(a, b) == times(a, b)  # also where it was worked out before


@given(FORMS, st.integers(1, 9))
def test_a_power_is_a_product(form, exponent):
    top, bottom = to_power(form, exponent)
    power = [reduce(times, [part] * exponent) for part in form]
    assert times(top, power[1]) == times(power[0], bottom)
    assert bottom[max(bottom)] == 1
    assert max(bottom) == 0


def test_powers_of_expressions_have_their_form():
    a = exp(Fr(-1, 3))
    assert exponential_form((1 + a) ** 3) == exponential_form((1 + a) * (1 + a) * (1 + a))
    assert exponential_form((1 - a) ** -2) == exponential_form(1 / ((1 - a) * (1 - a)))
    assert exponential_form((a - a) ** 2) == ({}, {Fr(0): 1})
    assert exponential_form((a - a) ** -1) == ({}, {})  # undefined
    assert exponential_form((1 + a) ** 10**6) is None
    assert exponential_form((3 * exp(Fr(1, 2))) ** 3) == ({Fr(3, 2): Fr(27)}, {Fr(0): 1})
    assert to_power((E, exponentials.ONE), 3) == ({Fr(3): Fr(1)}, {Fr(0): 1})
    assert exponential_form(a) == ({Fr(-1, 3): 1}, {Fr(0): 1})


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 4)), min_size=1, max_size=5))
def test_a_row_sums_to_one_however_often_each_entry_occurs(weights):
    whole = sum(weight * count for weight, count in weights)
    half = exp(Fr(1, 2))
    shares = [exponential_form(weight * (1 + half) / (whole * (1 + half))) for weight, _ in weights]
    row = [(form, count) for form, (_, count) in zip(shares, weights, strict=True)]
    assert add_up_to(row, 1)
    assert add_up_to([(shares[0], weights[0][1] + 1), *row[1:]], 1) is False


def test_a_sum_whose_exponentials_cancel_is_one():
    e = exp(1)
    row = [1 / (1 + e), e / (1 + e)]
    assert add_up_to(((exponential_form(entry), 1) for entry in row), 1)
    assert add_up_to([(exponential_form(row[0]), 2)], 1) is False
    assert add_up_to([(exponential_form(e - 1), 1), (exponential_form(2 - e), 1)], 1)
    assert add_up_to([(of_rational(Fr(1)), 1), (None, 1)], 1) is None
    u = {Fr(0): Fr(1), Fr(-1): Fr(1)}
    assert add_up_to([(({Fr(-1): Fr(1)}, u), 1), ((u, product(u, u)), 1)], 1)  # a numerator is the other denominator


def test_a_counted_row_goes_wrong_without_its_counts(monkeypatch):
    """The broken twin: entries added up once, however often they occur."""
    right = exponentials._added_up
    monkeypatch.setattr(exponentials, "_added_up", lambda sums: right((terms, 1) for terms, _ in sums))
    assert add_up_to([(of_rational(Fr(1, 3)), 3)], 1) is False


def test_equal_products_are_one_object():
    a = {Fr(0): Fr(1), Fr(-1): Fr(1)}
    assert product(a, a) is product(dict(a), a)
    assert combine([(a, a), (a, a)], add_up=False)[0] is product(a, a)


def test_what_is_written_alike_is_one_object():
    assert exp(1) / (1 + exp(1)) is exp("1") / (1 + exp(Fr(1)))
    assert sqrt(log(3) * PI) is sqrt(log(Fr(3)) * PI)
    assert exp(1) * exp(1) is not exp(2)
    assert Expression("exp", Fr(1)) is exp(1)
    assert exp(1) != 1
    assert len({exp(1), exp(1) + 0, exp(2)}) == 2


def test_an_expression_that_went_through_a_file_is_the_same_object():
    value = sqrt(2) * exp(Fr(1, 3)) ** 2 - PI
    assert pickle.loads(pickle.dumps(value)) is value
    code = "import pickle, sys; v = pickle.load(sys.stdin.buffer); print(v); print(v is eval(repr(v)))"
    code = "from dpaudit import exp, sqrt, PI as pi; " + code
    shown = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(exp(1) * 3), capture_output=True, check=True
    ).stdout.decode()
    assert shown.split() == [repr(exp(1) * 3), "True"]


@pytest.mark.parametrize("operand", [True, 1.0, None, 1 + 0j], ids=str)
def test_an_operand_that_equals_a_known_one_and_is_no_exact_number_is_refused(operand):
    e = exp(1)
    for exact in (e + 1, 1 + e, e - 1, 1 - e, e * 1, 1 * e, e / 1, 1 / e):
        assert exact is not None
    operations = [lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b]
    for operation in operations:
        for pair in ((e, operand), (operand, e)):
            with pytest.raises(InputError):
                operation(*pair)
    with pytest.raises(InputError):
        _ = e**True
    with pytest.raises(InputError):
        exp(operand)


def test_long_sums_are_what_short_ones_are():
    whole = reduce(lambda total, i: exp(i) + total, range(2, 100), exp(1))
    assert len(whole.arguments) == 99
    assert len((whole - exp(7)).arguments) == 100
    assert len((1 + whole).arguments) == 100
    assert len((1 - whole).arguments) == 2
    assert exponential_form(whole - whole)[0] == {}


ONE, E = {Fr(0): Fr(1)}, {Fr(1): Fr(1)}
SIGNS = [
    ({}, Verdict.REFUTED),
    ({Fr(0): Fr(1, 10**9)}, Verdict.PROVED),
    ({Fr(0): Fr(-1), Fr(1): Fr(-1, 10**9)}, Verdict.REFUTED),
    ({Fr(1): Fr(1), Fr(0): Fr(-2718281828, 10**9)}, Verdict.PROVED),
    ({Fr(1): Fr(1), Fr(0): Fr(-2718281829, 10**9)}, Verdict.REFUTED),
    ({Fr(-1000): Fr(1), Fr(-1001): Fr(-2)}, Verdict.PROVED),
    ({Fr(-1000): Fr(1), Fr(-1001): Fr(-3)}, Verdict.REFUTED),
]


@pytest.mark.parametrize(("terms", "verdict"), SIGNS)
def test_the_sign_of_a_sum_and_of_a_quotient(terms, verdict):
    assert is_positive(terms) is verdict
    assert form_is_positive((terms, ONE)) is verdict
    turned = {e: -c for e, c in terms.items()}
    assert form_is_positive((turned, {Fr(0): Fr(-1)})) is verdict
    other = Verdict.PROVED if terms and verdict is Verdict.REFUTED else Verdict.REFUTED
    assert form_is_positive((turned, ONE)) is other


def test_a_sign_that_is_not_found_is_undecided(monkeypatch):
    monkeypatch.setattr(exponentials, "SIGN_BITS", 64)
    near = {Fr(1): Fr(1), Fr(0): -Fr("2.71828182845904523536028747135266249775724709369995")}
    assert is_positive(near) is Verdict.UNDECIDED
    assert form_is_positive((near, ONE)) is Verdict.UNDECIDED
    assert form_is_positive((ONE, near)) is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("form", "value"),
    [
        (None, None),
        (({}, {}), None),
        (({}, E), Fr(0)),
        (({Fr(1): Fr(3), Fr(0): Fr(3, 2)}, {Fr(1): Fr(2), Fr(0): Fr(1)}), Fr(3, 2)),
        (({Fr(1): Fr(3), Fr(0): Fr(2)}, {Fr(1): Fr(2), Fr(0): Fr(1)}), None),
        (({Fr(2): Fr(1), Fr(0): Fr(1)}, {Fr(1): Fr(1), Fr(0): Fr(1)}), None),
        ((E, ONE), None),
        (({Fr(1): Fr(2), Fr(0): Fr(2)}, ONE), None),
    ],
)
def test_a_rational_number_in_disguise(form, value):
    assert rational_value(form) == value


@pytest.mark.parametrize(
    ("a", "b", "t"),
    [
        ({}, {}, None),
        ({}, ONE, None),
        (E, {}, None),
        (ONE, ONE, 0),
        ({Fr(1): Fr(2), Fr(3): Fr(5)}, {Fr(0): Fr(2), Fr(2): Fr(5)}, 1),
        ({Fr(1): Fr(2), Fr(3): Fr(5)}, {Fr(0): Fr(2), Fr(2): Fr(4)}, None),
        ({Fr(1): Fr(2)}, {Fr(1): Fr(2), Fr(0): Fr(1)}, None),
    ],
)
def test_the_logarithm_of_a_quotient(a, b, t):
    assert log_of_quotient(a, b) == t


@pytest.mark.parametrize(
    ("bound", "verdict"),
    [
        (Fr(1, 2), Verdict.PROVED),
        (Fr(1, 2) - Fr(1, 10**40), Verdict.REFUTED),
        (Fr(1, 2) + Fr(1, 10**40), Verdict.PROVED),
    ],
)
def test_an_excess_counts_what_is_positive_as_often_as_it_occurs(bound, verdict):
    """(1/4 - 0) twice; 1/4 against e^1/2 is negative and adds nothing."""
    quarter, half, none = of_rational(Fr(1, 4)), of_rational(Fr(1, 2)), of_rational(Fr(0))
    assert excess_at_most([(quarter, none, 2), (quarter, half, 9)], Fr(1), bound) is verdict


def test_an_excess_is_of_both_sides_and_undecided_where_a_sign_is(monkeypatch):
    """e^0 times 1/4 is taken from 1/2, twice; a difference from e^1 that no sign is found for adds an unknown."""
    half, quarter, none = (of_rational(Fr(1, n)) if n else of_rational(Fr(0)) for n in (2, 4, 0))
    for bound, verdict in ((Fr(1, 2), Verdict.PROVED), (Fr(1, 2) - Fr(1, 10**40), Verdict.REFUTED)):
        assert excess_at_most([(half, quarter, 2)], Fr(0), bound) is verdict
    monkeypatch.setattr(exponentials, "SIGN_BITS", 64)
    near = of_rational(Fr("2.71828182845904523536028747135266249775724709369995"))
    assert excess_at_most([(near, of_rational(Fr(1)), 1), (half, none, 1)], Fr(1), Fr(1)) is Verdict.UNDECIDED


def test_a_form_that_gets_too_long_is_none(monkeypatch):
    monkeypatch.setattr(exponentials, "MAX_TERMS", 3)
    two = {Fr(0): Fr(1), Fr(1): Fr(1)}
    three, four = times(two, two), times(times(two, two), two)
    assert combine([(three, ONE)] * 1, add_up=False) is not None
    assert combine([(two, ONE), (two, ONE)], add_up=False)[0] == three
    assert combine([(three, ONE), (two, ONE)], add_up=False) is None
    assert combine([(ONE, three), (ONE, two)], add_up=True) is None
    assert combine([(four, ONE), (three, ONE)], add_up=False) is None


def test_long_products_are_not_kept():
    """Of 400 terms each a product has 160000; the memory of thousands of those has no bound."""
    long = {Fr(i, 7): Fr(1, i) for i in range(1, 101)}
    short = {Fr(i, 7): Fr(1, i) for i in range(1, 5)}
    before = exponentials._kept_product.cache_info().currsize
    assert len(exponentials.product(long, long)) == 199
    assert exponentials._kept_product.cache_info().currsize == before
    assert exponentials.product(short, dict(short)) is exponentials.product(dict(short), short)
