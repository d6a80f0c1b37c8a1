"""The exact structure: BC^2 as a rational times known constants, closed forms as polynomials."""

from fractions import Fraction

import pytest
import reference as ref
from flint import fmpq, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from dpaudit import balls
from dpaudit.distances import Algebraic, Hellinger, bc_squared
from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.closed_form import Ratio, at_most, largest, positive_on_unit_interval
from dpaudit.mechanisms.laplace import cell_law
from dpaudit.model import make_model
from dpaudit.privacy_loss import worst_loss, worst_loss_by_search

ALPHAS = st.sampled_from(
    [Fraction(t) for t in ("1", "1/2", "3/2", "2", "1/3", "2/3", "5/6", "1/6", "7/3", "1/4", "1/5")]
)


@given(st.lists(ALPHAS, min_size=2, max_size=3), st.integers(1, 5), st.data())
def test_bc_squared_is_the_square_of_bc(prior, n, data):
    model = make_model(n, prior=prior)
    c, d = (data.draw(st.sampled_from(model.histograms)) for _ in range(2))
    with balls.precision(300):
        value = bc_squared(model, c, d).ball()
        assert balls.overlap(value, Hellinger(model).bc(c, d) ** 2)
        assert balls.enclosure(value, 70) is not None


def test_one_record_uniform_prior_is_pi_over_four():
    square = bc_squared(make_model(1), (0, 1), (1, 0))
    assert square == Algebraic(fmpq(1, 16), ((Fraction(1, 2), -2),))
    assert str(square) == "1/16 pi^2"


def test_constants_of_thirds_cancel():
    """g(1/3) = 3 g(1/6) and g(2/3) = (1/6)^2 / g(1/6), so g(1/3) g(2/3) = 1/12."""
    square = bc_squared(make_model(1, prior="1/3,2/3"), (0, 1), (1, 0))
    assert square.constants == ()
    assert square == bc_squared(make_model(1, prior="2/3,1/3"), (0, 1), (1, 0))


def test_a_large_prior_is_exact_too():
    model = make_model(3, prior="3001,8000/3")
    with balls.precision(300):
        square = Hellinger(model).bc((1, 2), (2, 1)) ** 2
        assert balls.overlap(bc_squared(model, (1, 2), (2, 1)).ball(), square)


@given(st.lists(ALPHAS, min_size=2, max_size=2), st.integers(1, 7))
def test_equal_objects_are_exactly_the_equal_distances(prior, n):
    model = make_model(n, prior=prior)
    x = model.histograms[n // 2]
    squares = [bc_squared(model, x, r) for r in model.histograms]
    with balls.precision(400):
        values = [s.ball() for s in squares]
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                assert balls.overlap(a, b) == (squares[i] == squares[j])


def test_the_diagonal_is_exactly_zero():
    model = make_model(5, prior="1/3,2")
    with balls.precision(64):
        h = Hellinger(model)
        for x in model.histograms:
            assert h.between(x, x).is_zero()
            assert h.row(x)[model.index[x]].is_zero()
            assert all(map(balls.overlap, h.row(x), [h.between(x, r) for r in model.histograms]))


@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_cell_laws_are_the_laplace_law(n):
    scale = Fraction(3, 2)
    with balls.precision(300):
        q = (-balls.ball(1 / scale)).exp()
        for c in range(n + 1):
            expected = ref.laplace_cell(n, c, scale, 60)
            for o in range(n + 1):
                term = cell_law(n, c, o)
                value = q**term.exponent * sum(balls.ball(Fraction(str(a))) * q**i for i, a in enumerate(term.poly))
                lower, upper = balls.ends(value)
                assert lower - Fraction(1, 10**55) <= ref.exact_value(expected[o]) <= upper + Fraction(1, 10**55)


SMALL = [(n, k) for k in (2, 3, 4) for n in range(1, 9) if (n + 1) ** k <= 1000]


@pytest.mark.parametrize(("n", "k"), SMALL)
@pytest.mark.parametrize("name", ["LSZhang", "LSDim", "LSHist"])
def test_closed_form_is_the_maximum_over_everything(name, n, k):
    mechanism = make_mechanism(name, make_model(n, k), "5/7", {})
    form = mechanism.loss_by_algebra()
    search = worst_loss_by_search(mechanism, 25)
    assert worst_loss(mechanism, 25).value.lower <= search.value.upper
    assert search.value.lower <= worst_loss(mechanism, 25).value.upper
    ratio = mechanism.polynomial(form.x, form.output).over(mechanism.polynomial(form.x_prime, form.output))
    assert ratio == form.ratio == mechanism.ratio(form.x, form.x_prime, form.output)
    assert sum(map(abs, (a - b for a, b in zip(form.x, form.x_prime, strict=True)))) == 2
    assert sum(form.x) == sum(form.x_prime) == n
    if form.rational() is not None:
        assert search.value.contains(form.rational())


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
    form = make_mechanism(name, make_model(n, k), "1/2", {}).loss_by_algebra()
    assert form.text() == text
    assert form.symbolic() == symbolic


def test_closed_form_as_a_sympy_expression():
    sympy = pytest.importorskip("sympy")
    form = make_mechanism("LSDim", make_model(1, 3), 1, {}).loss_by_algebra()
    epsilon = sympy.Symbol("epsilon", positive=True)
    assert sympy.simplify(form.sympy() - (epsilon / 3 + sympy.log(2 - sympy.exp(-epsilon / 3)))) == 0


def test_polynomials_on_the_unit_interval():
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
    with pytest.raises(ArithmeticError):
        Ratio.of(fmpq_poly([1, 1]), fmpq_poly([1]), 0)
