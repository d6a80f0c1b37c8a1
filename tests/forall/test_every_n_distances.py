"""Every n, sections 1 and 2 of EVERY_N.md: steps, distances and sensitivities on blocks of n."""

import random
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import gammaln

from dpaudit.forall import every_n_distances
from dpaudit.forall.every_n_distances import LIMIT, Block, Distances
from dpaudit.numbers import balls
from tests.forall.brute_force import PRIORS, distances, family, inverses, log_step


def f(z):
    return mp.loggamma(z + mpf(1) / 2) - (mp.loggamma(z) + mp.loggamma(z + 1)) / 2


def arguments(count=60):
    source = random.Random(1)
    edges = [mpf(10) ** power for power in (-30, -3, -1, 0, 1, 3, 8)]
    return [*edges, *(mpf(10) ** source.uniform(-4, 4) for _ in range(count))]


def test_a_step_of_one_cell_lies_between_its_two_bounds():
    """1/(8z+2) <= -f(z) <= 1/(8z), and the same for the derivative."""
    with mp.workdps(60):
        for z in arguments():
            slope = mp.psi(0, z + mpf(1) / 2) - (mp.psi(0, z) + mp.psi(0, z + 1)) / 2
            assert 1 / (8 * z + 2) <= -f(z)
            assert z < mpf(10) ** -2 or -f(z) <= 1 / (8 * z)
            assert 1 / (8 * (z + mpf(1) / 4) ** 2) <= slope <= 1 / (8 * z**2)


def test_the_polynomial_behind_the_lower_bound_has_no_root_from_three_quarters_on():
    v = np.roots([48, -28, -3, 4])
    assert not any(abs(root.imag) < 1e-9 and root.real >= 0.75 for root in v)
    assert 48 * 0.75**3 - 28 * 0.75**2 - 3 * 0.75 + 4 > 0


def test_distances_fall_with_n_and_grow_with_the_distance():
    for a, b in PRIORS:
        tables = [distances(n, a, b)[:30, :30] for n in (30, 31, 60, 1000)]
        for more, less in pairwise(tables):
            assert (less <= more + 1e-9).all()
        assert (np.diff(tables[0][3, 3:]) > 0).all()
        assert (np.diff(tables[0][20, :21]) < 0).all()


def test_a_block_of_distances_contains_every_n_of_it():
    with balls.precision(128):
        for a, b in PRIORS:
            block = Block(40, 90)
            found = Distances(Fraction(a), Fraction(b), block, 30)
            endless = Distances(Fraction(a), Fraction(b), Block(40, None), 30)
            for n in (40, 41, 67, 90):
                one, floats = Distances(Fraction(a), Fraction(b), Block(n, n), 30), distances(n, a, b)
                for x, r in ((0, 1), (3, 3), (1, 30), (17, 4)):
                    value = one.between(x, r)
                    assert abs(float(balls.ends(value)[0]) - floats[x, r]) < 1e-7
                    assert found.between(x, r).contains(value)
                    assert endless.between(x, r).contains(value)
            assert endless.between(2, 5).contains(Distances(Fraction(a), Fraction(b), LIMIT, 30).between(2, 5))


@pytest.mark.parametrize(("first", "last"), [(3, 3), (3, 4), (3, 5), (100, 10**40), (7, None), (10**200, None)])
def test_the_halves_of_a_block_cover_it(first, last):
    halves = list(Block(first, last).halves())
    if first == last:
        assert not halves
        return
    low, high = halves
    assert (low.first, high.last) == (first, last)
    assert low.last is not None
    assert high.first == low.last + 1
    assert low.first <= low.last
    assert high.last is None or high.first <= high.last


def test_ls_is_the_step_to_the_left_up_to_the_peak():
    """LS(x) = c_(x-1) exactly as long as 2x <= n + b - a; and no step of 1/c is longer at n than in the limit."""
    for a, b in PRIORS:
        for n in (41, 80):
            steps = np.diag(distances(n, a, b), 1)
            for x in range(1, n):
                if abs(steps[x - 1] - steps[x]) > 1e-10:
                    assert (steps[x - 1] > steps[x]) == (2 * x <= n + b - a)
            limit = 1 / np.sqrt(-np.expm1([log_step(float(a) + i) for i in range(n)]))
            up = [x for x in range(1, n) if 2 * x <= n + b - a]
            assert all(1 / steps[x] - 1 / steps[x - 1] <= limit[x] - limit[x - 1] + 1e-9 for x in up)


def test_the_smooth_sensitivity_from_one_end_is_the_whole_one():
    for prior in PRIORS:
        for gamma in ("1", "1/3", "5"):
            found = family("MH", prior, gamma=gamma)
            m = found.depths()[0]
            n = max(found.least_n(m), 3 * m)
            if n > 900:
                continue
            whole = inverses(distances(n, *prior), "MH", float(Fraction(gamma)))
            with balls.precision(128):
                a, b = map(Fraction, prior)
                for side, expected in (((a, b), whole), ((b, a), whole[::-1])):
                    values = found.inverses(Distances(*side, Block(n, n), m + 2), m + 1)
                    assert np.allclose([float(balls.ends(v)[0]) for v in values], expected[: m + 1], rtol=1e-7)
                if found.touches(m):
                    ls = inverses(distances(n, *prior), "EHDL")
                    assert np.allclose(whole[m : n - m + 1], ls[m : n - m + 1])


def test_the_falling_table_is_that_of_gamma():
    with balls.precision(128):
        table = every_n_distances._falling(Fraction(1, 3), 50, 12)
    for m, value in enumerate(table):
        expected = np.exp(gammaln(1 / 3 + 50 - m / 2) - gammaln(1 / 3 + 50))
        assert float(balls.ends(value)[0]) == pytest.approx(expected, rel=1e-9)


def test_a_block_that_forgets_its_first_n_is_noticed(monkeypatch):
    """Distances at the last n alone do not contain those of the first."""
    monkeypatch.setattr(Block, "ends", property(lambda block: (block.last,)))
    with balls.precision(128):
        wrong = Distances(Fraction(1), Fraction(1), Block(40, 90), 30).between(1, 9)
        right = Distances(Fraction(1), Fraction(1), Block(40, 40), 30).between(1, 9)
    assert not wrong.contains(right)
