"""Every n, section 3 of EVERY_N.md: the pairs at the ends, on blocks of n."""

import random
from fractions import Fraction

import numpy as np
import pytest

from dpaudit.forall import every_n_pairs
from dpaudit.forall.every_n_distances import LIMIT, Block, Distances
from dpaudit.forall.every_n_pairs import Pairs, over_every_epsilon, reach_for
from dpaudit.forall.every_n_slopes import SlopedPairs, Slopes
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from tests.forall.brute_force import MECHS, PRIORS, distances, family, inverses, losses


@pytest.mark.parametrize(("mech", "more"), MECHS)
def test_the_bounds_of_a_block_hold_for_every_n_of_it(mech, more):
    source, gamma = random.Random(mech), float(Fraction(more.get("gamma", "1")))
    for prior in PRIORS[:4]:
        eps = source.choice(["1/10", "1", "7"])
        found = family(mech, prior, eps=eps, **more)
        first = max(found.least_n(24), 72)
        a, b = map(Fraction, prior)
        for block in (Block(first, 2 * first), Block(first, None), Block(first + 5, first + 5)):
            with balls.precision(128):
                rows = Pairs(found, (a, b), block, 50, 10)
                uppers = [rows.upper(x) for x in range(8)]
                evers = [rows.upper_every_epsilon(x) for x in range(8)]
            for n in (block.first, block.first + (block.last != block.first), block.last or 5 * first):
                real = losses(n, prior, mech, float(Fraction(eps)), gamma)
                for x in range(8):
                    assert abs(real[x]).max() <= uppers[x] + 1e-7
                    assert abs(real[x]).max() <= evers[x] + 1e-7
                    if block.first == block.last:
                        assert abs(real[x]).max() >= uppers[x] - Fraction(1, 100)


@pytest.mark.parametrize(("mech", "more"), MECHS)
def test_the_slopes_on_a_short_block(mech, more):
    """The bound by centre and slope holds at every n of the block, to some digits."""
    gamma, prior = float(Fraction(more.get("gamma", "1"))), (Fraction(1, 2), Fraction(3))
    found = family(mech, prior, eps="3", **more)
    for block in (Block(300, 340), Block(110, 112)):
        with balls.precision(128):
            sloped = SlopedPairs(found, prior, block, 90, 8)
            uppers = [sloped.upper(x) for x in range(6)]
        for n in (block.first, block.first + 1, block.last):
            real = losses(n, prior, mech, 3.0, gamma)
            assert all(abs(real[x]).max() <= uppers[x] + 1e-7 for x in range(6))


def test_the_slopes_are_sharper_where_the_far_outputs_matter_little():
    found, block, side = family("EHD/exact", (1, 1), eps="16"), Block(240000, 250000), (Fraction(1), Fraction(1))
    with balls.precision(128):
        plain, sloped = (kind(found, side, block, 90, 4).upper(0) for kind in (Pairs, SlopedPairs))
        centre = Pairs(found, side, Block(245000, 245000), 90, 4).upper(0)
    assert abs(sloped - centre) < (plain - centre) / 4


@pytest.mark.parametrize(("mech", "more"), MECHS)
def test_the_slopes_are_those_of_the_distances_and_the_rates(mech, more):
    gamma, prior = float(Fraction(more.get("gamma", "1"))), (Fraction(1, 2), Fraction(3))
    with balls.precision(128):
        slopes = Slopes(family(mech, prior, eps="3", **more), prior, Block(110, 121), 20, 8)
        scale = 1.5 / (1 + gamma if mech == "EHDS" else 1)
        for n in (111, 115, 120):
            before, after = (distances(m, *prior) for m in (n - 1, n + 1))
            for x, r in ((0, 1), (2, 9), (7, 3)):
                low, high = map(float, balls.ends(slopes.distance(x, r)))
                assert low - 1e-8 <= (after[x, r] - before[x, r]) / 2 <= high + 1e-8
            change = (inverses(after, mech, gamma)[:6] - inverses(before, mech, gamma)[:6]) / 2
            for x in range(6):
                low, high = map(float, balls.ends(slopes.rates[x][1]))
                assert low - 1e-7 <= scale * change[x] <= high + 1e-7


def test_the_reach_leaves_little():
    with balls.precision(128):
        reach = reach_for((Fraction(2), Fraction(1)), 5, Fraction(1, 10**9), 10**6)
        h = Distances(Fraction(2), Fraction(1), LIMIT, reach).between(5, reach)
        assert balls.certainly_less(1 - h, ball(Fraction(1, 10**8)))


def test_rows_matched_in_order_bound_the_loss_at_every_epsilon():
    source = np.random.default_rng(3)
    for _ in range(200):
        p, q = source.uniform(0, 3, 6), source.uniform(0, 3, 6)
        with balls.precision(64):
            bound = float(
                balls.ends(over_every_epsilon(*[[balls.dyadic(v) for v in row] for row in (p, q)], far=False))[1]
            )
        assert bound <= np.ptp(q - p) + 1e-12, "never worse than the oscillation"
        for t in (1e-6, 0.1, 1, 10, 200):
            logs = [-t * row - np.log(np.exp(-t * (row - row.min())).sum()) + t * row.min() for row in (p, q)]
            assert abs(logs[0] - logs[1]).max() <= t * bound + 1e-9


def test_far_outputs_that_are_forgotten_are_noticed(monkeypatch):
    """Without the outputs beyond the reach the bound of a block is exceeded."""
    monkeypatch.setattr(every_n_pairs.Sums, "total", lambda sums, others: sums.near)
    found = family("EHDL", (1, 1), eps="1/10")
    with balls.precision(128):
        upper = Pairs(found, (Fraction(1), Fraction(1)), Block(200, 200), 20, 4).upper(1)
    assert abs(losses(200, (1, 1), "EHDL", 0.1)[1]).max() > upper + Fraction(1, 1000)
