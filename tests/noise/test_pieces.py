"""The closed class: algebra that must hold exactly, on random functions."""

from fractions import Fraction as F

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, mpf, quad

from dpaudit.noise.pieces import Grid, Piecewise, antiderivative, at_point, derivative, moved

GRID = Grid(2, 3)
keys = st.tuples(st.integers(0, 3), st.integers(-3, 3), st.integers(-4, 4))
terms = st.dictionaries(keys, st.integers(-5, 5).filter(bool).map(fmpq), min_size=1, max_size=4)


def value(f, t):
    return sum(mpf(int(c.p)) / int(c.q) * t**m * exp(mpf(i) / 2 * t + mpf(j) / 6) for (m, i, j), c in f.items())


@settings(max_examples=60, deadline=None)
@given(terms)
def test_a_primitive_has_the_function_as_its_derivative(f):
    assert derivative(GRID, antiderivative(GRID, f)) == f


@settings(max_examples=40, deadline=None)
@given(terms, st.integers(-5, 5), st.integers(-5, 5))
def test_a_moved_function_has_the_value_at_the_moved_point(f, n, k):
    assert at_point(GRID, moved(GRID, f, n), k) == at_point(GRID, f, n + k)
    assert abs(value(at_point(GRID, f, n), mpf(0)) - value(f, mpf(n) / 3)) < 1e-9 * (1 + abs(value(f, mpf(n) / 3)))


def test_adding_laplace_noise_is_a_convolution():
    box = Piecewise(GRID, (0, 3), ({}, {(0, 0, 0): fmpq(1)}, {}))
    found = box.with_laplace(1)  # scale 2
    for d in (F(-2), F(1, 3), F(2, 3), F(5)):
        at = mpf(d.numerator) / d.denominator
        expected = quad(lambda t, at=at: exp(-abs(t - at) / 2) / 4, [0, max(0, min(at, 1)), 1])
        part = found.parts[sum(1 for n in found.cuts if F(n, 3) <= d)]
        assert abs(value(part, at) - expected) < 1e-12
    assert GRID.number(found.integral()) == {F(0): F(1)}


def test_a_number_off_the_grid_is_no_place_on_it():
    assert (GRID.point(F(-2, 3)), GRID.rate(F(-3, 2))) == (-2, -3)
    for ask in (GRID.point, GRID.rate):
        with pytest.raises(ValueError, match="1/7"):
            ask(F(1, 7))
