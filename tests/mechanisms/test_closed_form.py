"""Closed forms of the Laplace family: ratios of polynomials, their order, and the largest of them as text."""

from fractions import Fraction

import pytest
from flint import fmpq_poly
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

import dpaudit
from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.closed_form import ClosedForm, Ratio, at_most, largest, positive_on_unit_interval
from dpaudit.numbers import balls
from dpaudit.posterior.model import make_model
from dpaudit.reference import definitions as ref


@pytest.mark.parametrize(
    ("name", "n", "k", "text", "symbolic"),
    [
        ("LSHist", 10**9, 2, "1/2", "eps"),
        ("LSDim", 7, 2, "1/4", "1/2 eps"),
        ("LSDim", 7, 3, "1/3", "2/3 eps"),
        ("LSDim", 1, 3, "1/6 + ln(2 - e^(-1/6))", "1/3 eps + ln(2 - e^(-1/3 eps))"),
        ("LSZhang", 2, 2, "1/2", "eps"),
        ("LSZhang", 1, 2, "1/4 + ln(2 - e^(-1/4))", "1/2 eps + ln(2 - e^(-1/2 eps))"),
    ],
)
def test_closed_forms_as_text(name, n, k, text, symbolic):
    form = make_mechanism(name, make_model(n, k), "1/2", {}).algebra().worst()
    assert form.text() == text
    assert form.symbolic() == symbolic


@pytest.mark.parametrize(
    ("unit", "ratio", "text", "symbolic", "rational"),
    [
        (2, (-2, 2), "3 + 2 ln(2 - e^(-3/2))", "eps + 2 ln(2 - e^(-1/2 eps))", None),
        (2, (0, 1), "ln(2 - e^(-3/2))", "ln(2 - e^(-1/2 eps))", None),
        (1, (-1, 1), "3 + ln(2 - e^(-3))", "eps + ln(2 - e^(-eps))", None),
        (3, (-2, 0), "2", "2/3 eps", 2),
        (1, (0, 0), "0", "0", 0),
    ],
)
def test_any_closed_form(unit, ratio, text, symbolic, rational):
    form = ClosedForm((1,), (0,), (0,), Fraction(3), unit, Ratio(*ratio))
    assert (form.text(), form.symbolic(), form.rational()) == (text, symbolic, rational)
    with mp.workdps(40), balls.precision(150):
        step = ref.to_mpf(Fraction(3, unit))
        expected = ref.exact_value(-ratio[0] * step + ratio[1] * mp.log(2 - mp.exp(-step)))
        found = balls.enclosure(form.ball(), 30)
        assert found.lower <= expected + Fraction(1, 10**35)
        assert expected - Fraction(1, 10**35) <= found.upper


def test_ratios_of_polynomials():
    q, corner = fmpq_poly([0, 1]), fmpq_poly([2, -1])
    assert Ratio.of(q**3 * corner, corner**2, 5) == Ratio(8, -1)
    assert Ratio.of(corner**2, q**2 * corner, -1) == Ratio(-3, 1)
    assert Ratio.of(fmpq_poly([1, 1]) * q, fmpq_poly([1, 1]), 0) == Ratio(1, 0)
    for numerator, denominator in (([1, 1], [1]), ([1], [1, 1]), ([2], [1]), ([1], [2])):
        with pytest.raises(ArithmeticError):
            Ratio.of(fmpq_poly(numerator), fmpq_poly(denominator), 0)


@given(st.tuples(st.integers(-2, 2), st.integers(-2, 2)), st.tuples(st.integers(-2, 2), st.integers(-2, 2)))
def test_the_order_of_ratios_is_found_where_it_is_plain(a, b):
    """q^a (2-q)^b falls with a and rises with b; so of two ratios with a and b so ordered the order is found."""
    if a[0] >= b[0] and a[1] <= b[1]:
        assert at_most(Ratio(*a), Ratio(*b))
        assert at_most(Ratio(*b), Ratio(*a)) == (a == b)


def test_the_least_of_three():
    assert at_most(Ratio(0, 1), Ratio(-1, 0))  # (2 - q) q <= 1
    assert at_most(Ratio(0, 2), Ratio(-2, 0))
    assert not at_most(Ratio(-1, 0), Ratio(0, 1))
    assert not at_most(Ratio(0, 3), Ratio(-1, 0))
    assert not at_most(Ratio(-1, 0), Ratio(0, 3))
    assert largest([(Ratio(-1, 0), 1), (Ratio(-1, 0), 2), (Ratio(0, 1), 3)]) == (Ratio(-1, 0), 1)


def test_closed_form_as_a_sympy_expression():
    sympy = pytest.importorskip("sympy")
    form = make_mechanism("LSDim", make_model(1, 3), 1, {}).algebra().worst()
    epsilon = sympy.Symbol("epsilon", positive=True)
    assert sympy.simplify(form.sympy() - (epsilon / 3 + sympy.log(2 - sympy.exp(-epsilon / 3)))) == 0


@pytest.mark.parametrize(
    ("coefficients", "degree"),
    [([2, -6, 5], 6), ([10, -31, 25], 16), ([0, 2, -6, 5], 6), ([2, -8, 11, -5], 6), ([3], 0)],
)
def test_the_degree_that_proves_positivity(coefficients, degree):
    """Positive on the unit interval, shown by Bernstein coefficients of this degree and of none below."""
    assert positive_on_unit_interval(fmpq_poly(coefficients), degree)
    assert not positive_on_unit_interval(fmpq_poly(coefficients), degree - 1)


def test_polynomials_on_the_unit_interval():
    assert not positive_on_unit_interval(fmpq_poly([1, -4, 4]))  # 0 at 1/2
    assert not positive_on_unit_interval(fmpq_poly([100, -300, 226]))  # positive, but not by degree 64
    assert not positive_on_unit_interval(fmpq_poly([-3]))
    assert positive_on_unit_interval(fmpq_poly([0, 1, -1]))
    assert positive_on_unit_interval(fmpq_poly([1, -2, 1]))
    assert positive_on_unit_interval(fmpq_poly([5, -9, 5]))
    assert not positive_on_unit_interval(fmpq_poly([1, -3, 1]))
    assert not positive_on_unit_interval(fmpq_poly([0]))
    assert not positive_on_unit_interval(fmpq_poly([-1, 1]))


@given(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_the_order_of_ratios_holds_at_sampled_points(a, b):
    if at_most(Ratio(*a), Ratio(*b)):
        for i in range(1, 40):
            q = Fraction(i, 40)
            assert q ** a[0] * (2 - q) ** a[1] <= q ** b[0] * (2 - q) ** b[1]


def test_largest_needs_a_largest():
    assert largest([(Ratio(0, 1), "corner"), (Ratio(-1, 0), "inner")]) == (Ratio(-1, 0), "inner")
    with pytest.raises(ArithmeticError):
        largest([(Ratio(-1, 0), "a"), (Ratio(0, 3), "b")])


def test_a_closed_form_needs_no_memory():
    result = dpaudit.epsilon("LSHist", n=10**9)
    assert result.closed_form_text == "1"
    assert result.counts.datasets == 10**9 + 1
