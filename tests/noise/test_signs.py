"""The sign of a function of the closed class: by algebra and balls, never by a guess."""

from fractions import Fraction as F
from itertools import pairwise

import pytest
from flint import fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import diff, exp, factorial, mpf, workdps

from dpaudit.noise import signs
from dpaudit.noise.pieces import Grid, times
from dpaudit.noise.signs import Smooth, Wronskian, cells
from dpaudit.numbers import balls, exponentials
from dpaudit.numbers.balls import PrecisionExhausted, ball

GRID = Grid(2, 3)
keys = st.tuples(st.integers(0, 3), st.integers(-3, 3), st.integers(-4, 4))
terms = st.dictionaries(keys, st.integers(-5, 5).filter(bool).map(fmpq), min_size=1, max_size=4)
ends = st.integers(-9, 9).map(lambda n: F(n, 3))
INTERVALS = st.one_of(
    st.tuples(ends, ends).map(lambda pair: tuple(sorted(pair))).filter(lambda pair: pair[0] < pair[1]),
    st.tuples(ends, st.none()),
    st.tuples(st.none(), ends),
    st.just((None, None)),
)


def real(value):
    return mpf(F(value).numerator) / F(value).denominator


def value(f, t):
    return sum(mpf(int(c.p)) / int(c.q) * t**m * exp(mpf(i) / 2 * t + mpf(j) / 6) for (m, i, j), c in f.items())


def contains(found, exact, room=1e-25):
    low, high = map(real, balls.ends(found))
    return low - room * (1 + abs(exact)) <= exact <= high + room * (1 + abs(exact))


def root(n):
    """t - n/3."""
    return {key: c for key, c in {(1, 0, 0): fmpq(1), (0, 0, 0): fmpq(-n, 3)}.items() if c}


def inside(low, high):
    """A few points of an interval."""
    if low is None:
        return [high - x for x in (F(1, 1000), F(1, 2), F(5), F(7), F(60))]
    if high is None:
        return [low + x for x in (F(1, 1000), F(1, 2), F(5), F(7), F(60))]
    return [low + (high - low) * x for x in (F(1, 1000), F(1, 3), F(1, 2), F(999, 1000))]


def check(f, low, high):
    """The cells cover the interval, their signs are right, and few and narrow ones have none."""
    with balls.precision(96), workdps(60):
        found = cells(Smooth(GRID, f), low, high)
        assert (found[0].low, found[-1].high) == (low, high)
        assert all(a.high == b.low for a, b in pairwise(found))
        for cell in found:
            if cell.sign:
                for t in inside(cell.low, cell.high):
                    assert value(f, real(t)) * cell.sign > 0
            else:
                assert cell.high - cell.low <= F(1, 1 << 40)
        assert sum(not cell.sign for cell in found) <= 40


@settings(max_examples=80, deadline=None)
@given(terms, INTERVALS)
def test_every_cell_has_the_sign_of_the_function(f, interval):
    check(f, *interval)


@settings(max_examples=30, deadline=None)
@given(terms, st.lists(st.integers(-6, 6), min_size=1, max_size=3), INTERVALS)
def test_roots_inside_and_at_the_ends_of_the_interval(f, roots, interval):
    """Of several orders: there no enclosure has a sign."""
    f = dict(f)
    for n in roots:
        f = times(f, root(n))
    if f:
        check(f, *interval)


@pytest.mark.parametrize("interval", [(F(0), None), (None, F(0)), (None, None)])
def test_the_leading_term_is_not_trusted_too_early(interval):
    """5 e^t - t^3 e^(t/2) is positive at 1, negative at 6 and positive far out; and its mirror image."""
    for f in ({(0, 2, 0): fmpq(5), (3, 1, 0): fmpq(-1)}, {(0, -2, 0): fmpq(5), (3, -1, 0): fmpq(1)}):
        check(f, *interval)


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("turned", [1, -1])
def test_signs_next_to_a_root_at_either_end(n, turned):
    """(t - 1/3)^n e^t or minus that, on both sides of its root."""
    f = {(0, 2, 0): fmpq(turned)}
    for _ in range(n):
        f = times(f, root(1))
    with balls.precision(64):
        right, left = (cells(Smooth(GRID, f), *ends) for ends in ((F(1, 3), F(2)), (F(-2), F(1, 3))))
    assert {cell.sign for cell in right} == {turned}
    assert {cell.sign for cell in left} == {turned * (-1) ** n}
    check(f, F(0), F(1))


def test_the_only_root_of_a_monotone_function_lies_in_a_narrow_cell():
    with balls.precision(64):
        found = cells(Smooth(GRID, {(0, 2, 0): fmpq(1), (0, 0, 0): fmpq(-2)}), F(0), F(1))
        (narrow,) = [cell for cell in found if not cell.sign]
        assert narrow.low < F("0.69314718055994530942") < narrow.high
        assert [cell.sign for cell in found] == sorted(cell.sign for cell in found)
        exact = cells(Smooth(GRID, root(1)), F(0), F(2, 3))
    assert all(cell.sign == (-1 if cell.high <= F(1, 3) else 1) for cell in exact), "a root that is met is no cell"


@settings(max_examples=40, deadline=None)
@given(terms, terms, ends, st.integers(1, 40))
def test_enclosures_contain_the_function_and_its_derivatives(f, g, low, width):
    with balls.precision(128), workdps(50):
        high = low + F(width, 20)
        change = Wronskian(Smooth(GRID, f), Smooth(GRID, g))
        for smooth in (Smooth(GRID, f), change):
            for t in (low, low + F(width, 47), high):
                x, at = real(t), ball(t)
                near = smooth.series(at, 3)
                for order in range(3):
                    exact = diff(lambda u, s=smooth: value(s.terms, u), x, order)
                    assert contains(smooth.over(low, high, order), exact, 1e-15)
                    assert contains(near[order], exact / factorial(order), 1e-15)
                assert contains(smooth.at(at), value(smooth.terms, x))
        x = real(high)
        slope = diff(lambda u: value(f, u), x) * value(g, x) - value(f, x) * diff(lambda u: value(g, u), x)
        assert contains(change.at(ball(high)), slope, 1e-15)


def test_a_narrow_interval_has_a_narrow_enclosure():
    with balls.precision(128):
        found = Smooth(GRID, {(2, 1, 0): fmpq(1), (0, -1, 3): fmpq(-2)}).over(F(1), F(1) + F(1, 1000))
        low, high = balls.ends(found)
    assert high - low < F(1, 100)


def test_the_sign_at_a_point_is_0_only_for_an_exact_0():
    zero = Smooth(GRID, {(0, 2, 0): fmpq(1), (0, 0, 2): fmpq(-1)})  # e^t - e^(1/3)
    with balls.precision(64):
        assert [zero.sign_at(t) for t in (F(1, 3), F(1, 3) + F(1, 10**30), F(1, 3) - F(1, 10**30))] == [0, 1, -1]
    order, derivative = Smooth(GRID, times(root(1), root(1))).order_at(F(1, 3))
    assert (order, derivative.exact(F(1, 3))) == (2, {F(0): F(2)})


def test_a_sign_that_no_precision_tells_is_not_guessed(monkeypatch):
    tiny = {F(1, 10**60): F(1), F(0): F(-1)}  # e^(10^-60) - 1 > 0
    assert signs.sign_of(tiny) == 1
    assert signs.sign_of({e: -c for e, c in tiny.items()}) == -1
    monkeypatch.setattr(exponentials, "SIGN_BITS", 128)
    with pytest.raises(PrecisionExhausted):
        signs.sign_of(tiny)
