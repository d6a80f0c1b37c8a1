"""The exact structure: BC^2 as a rational times known constants, closed forms as polynomials."""

from fractions import Fraction
from math import prod

import pytest
from agreement import agrees
from flint import fmpq, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.closed_form import ClosedForm, Ratio, at_most, largest, positive_on_unit_interval
from dpaudit.mechanisms.laplace import cell_law
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.distances import Algebraic, Hellinger, bc_squared
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import worst_loss, worst_loss_by_search
from dpaudit.reference import definitions as ref

ALPHAS = st.sampled_from(
    [Fraction(t) for t in ("1", "1/2", "3/2", "2", "1/3", "2/3", "5/6", "1/6", "7/3", "1/4", "1/5")]
)


def reference_square(prior, c, d):
    """BC^2 of the posteriors by the reference: (1 - H^2)^2."""
    with mp.workdps(80):
        return (1 - ref.distance(prior, c, d, 70) ** 2) ** 2


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


def test_exact_squares_as_text_and_as_keys():
    half, fifth = Fraction(1, 2), Fraction(1, 5)
    shown = {
        Algebraic(fmpq(1), ()): "1",
        Algebraic(fmpq(3, 4), ()): "3/4",
        Algebraic(fmpq(1), ((half, -1),)): "pi",
        Algebraic(fmpq(1), ((half, 2),)): "pi^-2",
        Algebraic(fmpq(2), ((fifth, 1), (half, -2))): "2 g(1/5) pi^2",
        Algebraic(fmpq(4, 3), ()): "4/3",
    }
    assert [str(square) for square in shown] == list(shown.values())
    assert shown[Algebraic(fmpq(6, 8), ())] == "3/4"
    assert len({hash(square) for square in shown}) == len(shown)


def test_constants_of_thirds_cancel():
    """g(1/3) = 3 g(1/6) and g(2/3) = (1/6)^2 / g(1/6), so g(1/3) g(2/3) = 1/12."""
    square = bc_squared(make_model(1, prior="1/3,2/3"), (0, 1), (1, 0))
    assert square == Algebraic(fmpq(3, 8), ())  # (1/12) / (1/3 * 2/3)
    assert square == bc_squared(make_model(1, prior="2/3,1/3"), (0, 1), (1, 0))


def test_a_large_prior_is_exact_too():
    model = make_model(3, prior="3001,8000/3")
    with balls.precision(300):
        square = Hellinger(model).bc((1, 2), (2, 1)) ** 2
        assert balls.overlap(bc_squared(model, (1, 2), (2, 1)).ball(), square)


def test_a_huge_prior_is_reduced_in_a_moment_and_stays_exact():
    model = make_model(3, prior="10000000000000000,1/3")
    with balls.precision(400):
        square = Hellinger(model).bc((1, 2), (2, 1)) ** 2
        assert balls.overlap(bc_squared(model, (1, 2), (2, 1)).ball(), square)
    near = [bc_squared(make_model(1, prior=f"{alpha},1"), (0, 1), (1, 0)) for alpha in ("900001/3", "1800005/6")]
    assert len({base for square in near for base, _ in square.constants if base > 1}) == 1


@pytest.mark.parametrize(
    "alpha", ["1/2", "1", "3/2", "2", "1/3", "2/3", "5/6", "1/6", "4/3", "7/3", "1/4", "1/5", "9/2"]
)
def test_constants_by_the_gamma_function(alpha):
    """g(alpha) = (Gamma(alpha + 1/2) / Gamma(alpha))^2, read off one record against none of this cell."""
    model = make_model(1, prior=(alpha, "1/7"))
    with balls.precision(300):
        found = balls.enclosure(bc_squared(model, (1, 0), (0, 1)).ball(), 50)
    assert agrees(found, reference_square(model.prior, (1, 0), (0, 1)), 50)


@pytest.mark.parametrize(("c", "d"), [((1, 0), (2, 1)), ((0, 0), (3, 1)), ((2, 2), (1, 4)), ((5, 0), (0, 2))])
@pytest.mark.parametrize("prior", ["1,1", "1/3,2", "1/2,5/4"])
def test_totals_may_differ(prior, c, d):
    model = make_model(5, prior=prior)
    with balls.precision(300):
        found = balls.enclosure(bc_squared(model, c, d).ball(), 50)
    assert agrees(found, reference_square(model.prior, c, d), 50)


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
def test_the_representatives_have_every_ratio_that_there_is(name, n, k):
    """What the closed form rests on: the ratios of all pairs and outputs are those of the representatives."""
    mechanism = make_mechanism(name, make_model(n, k), 1, {})
    chosen = list(mechanism.representatives())
    outputs = set(mechanism.outputs())
    assert all(x in mechanism.model.index and y in mechanism.neighbors(x) and o in outputs for x, y, o in chosen)
    assert {mechanism.ratio(*witness) for witness in chosen} == {
        mechanism.ratio(x, y, output)
        for x in mechanism.model.histograms
        for y in mechanism.neighbors(x)
        for output in mechanism.outputs()
    }


@pytest.mark.parametrize(("n", "k"), SMALL)
@pytest.mark.parametrize("name", ["LSZhang", "LSDim", "LSHist"])
def test_closed_form_is_the_maximum_over_everything(name, n, k):
    mechanism = make_mechanism(name, make_model(n, k), "5/7", {})
    form = mechanism.algebra().worst()
    search = worst_loss_by_search(mechanism, Effort(25))
    assert worst_loss(mechanism, Effort(25)).value.lower <= search.value.upper
    assert search.value.lower <= worst_loss(mechanism, Effort(25)).value.upper
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
    with pytest.raises(ArithmeticError):
        Ratio.of(fmpq_poly([1, 1]), fmpq_poly([1]), 0)


@pytest.mark.parametrize(("name", "x"), [("LSZhang", (2, 1)), ("LSDim", (0, 3)), ("LSHist", (1, 1, 1))])
def test_exact_probabilities_are_polynomials_in_q(name, x):
    mechanism = make_mechanism(name, make_model(3, len(x)), "5/7", {})
    with balls.precision(200):
        q = (-balls.ball(mechanism.epsilon / mechanism.unit())).exp()
        for output, p in zip(mechanism.outputs(), mechanism.law().probabilities(x), strict=True):
            terms = mechanism.exact_probability(x, output)
            assert balls.overlap(balls.total([balls.ball(c) * q**e for e, c in terms.items()]), p)
            assert balls.overlap(mechanism.point(x, output), p)
            assert all(terms.values())


@pytest.mark.parametrize("eps", ["1", "1/2"])
def test_a_box_of_outputs_leaves_out_little(eps):
    """Beyond ``most`` outputs the row is a box around x; what it leaves out is enclosed and at most the tail."""
    mechanism = make_mechanism("LSZhang", make_model(60), eps, {})
    x, tail = (10, 50), Fraction(1, 100)
    with balls.precision(200):
        whole = dict(zip(mechanism.outputs(), mechanism.law().probabilities(x), strict=True))
        every = mechanism.row(x, tail, mechanism.count_outputs())
        assert list(every.outputs) == list(whole)
        assert balls.is_zero(every.omitted)
        box = mechanism.row(x, tail, mechanism.count_outputs() - 1)
        assert all(balls.overlap(whole[output], p) for output, p in zip(box.outputs, box.probabilities, strict=True))
        left = balls.total([p for output, p in whole.items() if output not in set(box.outputs)])
        assert balls.overlap(left, box.omitted)
        assert balls.certainly_at_most(box.omitted, balls.ball(tail))
        assert balls.certainly_less(balls.ball(tail / 9), box.omitted)
        first, last = box.outputs[0], box.outputs[-1]
        assert len(box.outputs) == prod(b - a + 1 for a, b in zip(first, last, strict=True)) < len(whole)


def test_a_box_too_large_is_refused(monkeypatch):
    mechanism = make_mechanism("LSZhang", make_model(60), 1, {})
    size = len(mechanism.row((30, 30), Fraction(1, 100), 1).outputs)
    monkeypatch.setattr("dpaudit.mechanisms.laplace.MOST_OUTPUTS", size)
    mechanism.row((30, 30), Fraction(1, 100), 1)
    monkeypatch.setattr("dpaudit.mechanisms.laplace.MOST_OUTPUTS", size - 1)
    with pytest.raises(InputError, match=f"{size} outputs"):
        mechanism.row((30, 30), Fraction(1, 100), 1)


def test_the_last_cell_is_what_is_left():
    mechanism = make_mechanism("LSDim", make_model(3, 3), 1, {})
    for output, last in (((0, 0), 3), ((1, 1), 1), ((3, 0), 0), ((3, 3), 0)):
        assert mechanism.released(output) == (*output, last)
    assert make_mechanism("LSZhang", make_model(3), 1, {}).released([3, 3]) == (3, 3)
