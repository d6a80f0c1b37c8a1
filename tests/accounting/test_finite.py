"""Releases of mechanisms with finitely many outputs, against the enumerated product of their laws."""

import random
from fractions import Fraction as F
from itertools import product
from math import prod

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.accounting.grid import Question
from dpaudit.accounting.solve import GRID, PRODUCT, solve
from dpaudit.audit.releases import read_events
from dpaudit.mechanisms.own.table import GivenTable

POINTS = [F(0), F(1, 5), F(1)]


def pair(p, q):
    """Two rows of probabilities."""
    return dpaudit.mechanism(
        GivenTable("pair", tuple(f"o{i}" for i in range(len(p))), {"x": tuple(p), "y": tuple(q)}, None)
    )


def released(p, q, times):
    """δ at the points, of so many releases: as account bounds it, and of the one release of all outputs together."""
    many = [[prod(outputs) for outputs in product(row, repeat=times)] for row in (p, q)]
    found = dpaudit.account([pair(p, q)] * times, at=POINTS).deltas
    return [(bounds, dpaudit.delta(pair(*many), at).delta) for at, bounds in found]


@pytest.mark.parametrize(("size", "times"), [(2, 5), (3, 3), (4, 2)])
def test_the_delta_of_the_product_lies_between_the_bounds(size, times):
    rng = random.Random(7)
    weights = [[F(i + 1) for i in range(size)], [F(rng.randint(1, 9)) for _ in range(size)]]
    for bounds, real in released(*([v / sum(row) for v in row] for row in weights), times):
        assert bounds.lower <= real.upper
        assert real.lower <= bounds.upper


@pytest.mark.parametrize("times", [2, 5])
def test_the_bounds_meet_where_one_pair_attains_the_whole_curve(times):
    for bounds, real in released([F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)], times):
        assert bounds.lower <= real.upper
        assert real.lower <= bounds.upper
        assert bounds.width < F(1, 10**14)


def test_a_release_that_may_reveal_everything():
    """δ(∞) = 1/100 of one release is 1 − 0.99² of two."""
    rare = pair([F(1, 100), F(98, 100), F(1, 100)], [F(0), F(1, 3), F(2, 3)])
    ((_, bounds),) = dpaudit.account([rare] * 2, at="50").deltas
    assert bounds.contains(1 - F(99, 100) ** 2)
    assert bounds.width < F(1, 10**14)
    for _, bounds in dpaudit.account([pair([1, 0], [0, 1])] * 2, at="0,5").deltas:
        assert bounds.contains(1)
        assert bounds.width < F(1, 10**14)


def test_of_the_pairs_that_attain_the_curve_one_attains_its_composition():
    for _, bounds in dpaudit.account(["mech:LSHist,n=5 x 3"], at="0,1/2,1").deltas:
        assert bounds.width < F(1, 10**14)


def test_the_bounds_of_several_pairs_lie_apart():
    ((_, bounds),) = dpaudit.account(["mech:EHDS,n=5 x 3"], at="1/5").deltas
    assert F(6, 100) < bounds.lower < bounds.upper < F(9, 100)


@pytest.mark.parametrize("mech", ["LSHist,n=5", "EHD,n=1,prior=1,1/1000", "EHDS,n=5"])
def test_the_grid_agrees_with_all_combinations(mech):
    parts = read_events([f"mech:{mech} x 3"])
    question = Question(epsilon=F(1, 2))
    grid, exact = (solve(parts, [question], 1e-3, method=method).known[question] for method in (GRID, PRODUCT))
    assert grid.lower <= exact.lower <= exact.upper <= grid.upper
    assert grid.upper <= exact.upper * F(1001, 1000)


def test_many_combinations_are_bounded_on_a_grid():
    found = dpaudit.account(["mech:EHDL,n=8 x 50"], at="1")
    assert found.solution.method == GRID
    ((_, bounds),) = found.deltas
    assert bounds.upper < F(83, 100) < bounds.lower * F(11, 10)


def test_large_losses():
    """Two releases of nearly certain tests: δ(ε) of the product is 1 − e^(ε − 700), nearly."""
    with mp.workdps(40):
        for at, bounds in dpaudit.account(["mech:EHD,n=2,k=3,eps=700 x 2"], at="349,690,699,701").deltas:
            assert abs(mpf(float(bounds.lower)) - max(0, 1 - mp.exp(mpf(int(at)) - 700))) < mpf("1e-14")
            assert bounds.width < F(1, 10**14)
