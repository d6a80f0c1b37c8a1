"""Distances as they are: BC^2 as a rational times known constants, equal exactly where the distances are."""

from fractions import Fraction

import pytest
from agreement import agrees
from flint import fmpq
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp

from dpaudit.numbers import balls
from dpaudit.posterior.distances import Algebraic, Hellinger, bc_squared
from dpaudit.posterior.model import make_model
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
