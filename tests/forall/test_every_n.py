"""Every n: each inequality of EVERY_N.md at random and at the edges, the suprema against brute force, broken twins."""

import json
import random
import re
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import e
from pathlib import Path

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import digamma, gammaln, polygamma

import dpaudit
from dpaudit.cli import main
from dpaudit.forall import every_n_distances, every_n_middle, every_n_pairs
from dpaudit.forall.every_n import family_of
from dpaudit.forall.every_n_distances import LIMIT, Block, Distances
from dpaudit.forall.every_n_pairs import Pairs, over_every_epsilon, reach_for
from dpaudit.forall.every_n_slopes import SlopedPairs, Slopes
from dpaudit.forall.ranged import read
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.enclosure import outward

PRIORS = [(1, 1), (Fraction(1, 10), Fraction(1, 10)), (Fraction(1, 2), 3), (10, 10), (Fraction(1, 1000), 20), (24, 1)]
MECHS = [("EHD", {}), ("EHD/exact", {}), ("EHDL", {}), ("EHDS", {}), ("MH", {"gamma": "1/3"})]


# ------------------------------------------------------------------ brute force, in floats


def distances(n, a, b, rows=None):
    """All H(x, r) of one n, or those of some x."""
    r = np.arange(n + 1)
    x = r if rows is None else np.array(rows)

    def cell(alpha, xs, rs):
        return np.add.outer(gammaln(alpha + xs), gammaln(alpha + rs)) / 2 - gammaln(alpha + np.add.outer(xs, rs) / 2)

    found = cell(float(a), x, r) + cell(float(b), n - x, n - r)
    return np.sqrt(-np.expm1(-np.maximum(found, 0)))


def inverses(h, mech, gamma=1.0):
    """1 / Delta(x) of every x."""
    x, steps = np.arange(len(h)), np.diag(h, 1)
    ls = np.maximum(np.append(steps, 0), np.append(0, steps))
    if mech == "EHD":
        return np.full(len(h), 1 / np.sqrt(1 - np.pi / 4))
    if mech == "EHD/exact":
        return np.full(len(h), 1 / ls.max())
    return 1 / ls if mech == "EHDL" else (1 / ls + gamma * abs(np.subtract.outer(x, x))).min(axis=1)


def losses(n, prior, mech, eps, gamma=1.0):
    """losses[x, r] = ln P_x(r) - ln P_(x+1)(r) of one n."""
    h = distances(n, *prior)
    rates = eps / (1 + gamma if mech == "EHDS" else 1) / 2 * inverses(h, mech, gamma)
    exponents = rates[:, None] * h
    logs = -exponents - np.log(np.exp(-exponents).sum(axis=1))[:, None]
    return logs[:-1] - logs[1:]


def family(mech, prior, **more):
    return family_of(read(mech, n="all", prior=",".join(map(str, prior)), **more))


# ------------------------------------------------------------------ sections 1 and 2


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
            limit = 1 / np.sqrt(-np.expm1([_f(float(a) + i) for i in range(n)]))
            up = [x for x in range(1, n) if 2 * x <= n + b - a]
            assert all(1 / steps[x] - 1 / steps[x - 1] <= limit[x] - limit[x - 1] + 1e-9 for x in up)


def _f(z):
    return gammaln(z + 0.5) - (gammaln(z) + gammaln(z + 1)) / 2


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


# ------------------------------------------------------------------ section 3


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


# ------------------------------------------------------------------ section 4


def second_difference(z):
    return gammaln(z + 0.5) - 2 * gammaln(z) + gammaln(z - 0.5)


def test_the_lines_of_the_middle():
    """G >= 1/(4z), G(z+1) = G(z) + ln(1 - 1/(4z^2)), the share theta, the slope of H and the bound of 1/(2c)."""
    for z in [0.6, 0.75, 1, 2.5, 10, 77.25, 1000]:
        assert second_difference(z) >= polygamma(1, z) / 4 - 1e-12 >= 1 / (4 * z) - 2e-12
        assert second_difference(z + 1) == pytest.approx(second_difference(z) + np.log1p(-1 / (4 * z * z)), abs=1e-9)
        share = float(balls.ends(every_n_middle.turned(Fraction(z)))[1])
        assert second_difference(z) - second_difference(z + 1) <= share * second_difference(z + 1) + 1e-9
        c = np.sqrt(-np.expm1(_f(z)))
        assert 1 / (2 * c) <= float(balls.ends(every_n_middle.widest(Fraction(z)))[1]) * (1 + 1e-9)
        assert digamma(z) <= np.log(z)
    for level in np.linspace(0.001, 30, 400):
        true = max(v * e**-v / (2 * np.sqrt(-np.expm1(-v))) for v in np.linspace(level, level + 5, 40))
        assert true <= float(balls.ends(every_n_middle.steep(Fraction(level)))[1]) + 1e-12


def shift_exceeds(n, prior, m):
    """Whether the bound of the distortion by a shift is exceeded by a pair of the middle of this n."""
    bound = max(float(balls.ends(every_n_middle.distortion(Fraction(alpha), m))[1]) for alpha in prior)
    shifted, worst = np.roll(np.arange(n + 1), -1), 0.0
    for x in (m, m + 1, n // 4, n // 2, n - m - 2, n - m - 1):
        here, there = distances(n, *prior, rows=[x, x + 1])
        worst = max(worst, abs(there[shifted] - here).max() / (2 * here[x + 1]))
    return worst > bound


def middle_exceeds(mech, prior, n, m, eps, gamma=1.0):
    """Whether the bound of the middle is exceeded by a loss there."""
    found = family(mech, prior, eps=str(eps), **({"gamma": str(Fraction(gamma))} if mech in ("MH", "EHDS") else {}))
    bound = float(balls.ends(found.middle(m, max(found.least_n(m), m)))[1])
    return abs(losses(n, prior, mech, float(Fraction(eps)), gamma)[m : n - m]).max() > bound


@pytest.mark.parametrize("prior", PRIORS)
def test_no_loss_in_the_middle_exceeds_its_bound(prior):
    for mech in ("EHD", "EHD/exact", "EHDL", "EHDS", "MH"):
        for n, m, eps in ((90, 24, "1/50"), (90, 24, "30"), (260, 64, "1"), (300, 32, "3")):
            assert not middle_exceeds(mech, prior, n, m, eps)
    for n, m in ((60, 24), (150, 24), (5000, 24), (5000, 64), (10**5, 1024)):
        assert not shift_exceeds(n, prior, m)


def test_the_parts_of_the_middle_fall_as_x_grows():
    for alpha in (Fraction(1, 1000), Fraction(1), Fraction(24)):
        values = [balls.ends(every_n_middle.distortion(alpha, x))[1] for x in (24, 25, 30, 64, 65, 200, 1000)]
        assert values == sorted(values, reverse=True)
        rises = [balls.ends(every_n_middle.rise(alpha + x))[1] for x in (1, 2, 24, 100)]
        assert rises == sorted(rises, reverse=True)


def test_a_step_of_the_inverse_sensitivity_is_below_its_bound():
    for a, b in PRIORS:
        steps = 1 / np.diag(distances(400, a, b), 1)
        for x in range(1, 190):
            assert steps[x] - steps[x - 1] <= float(balls.ends(every_n_middle.rise(Fraction(a) + x - 1))[1]) + 1e-9


# ------------------------------------------------------------------ section 5: the answers

ANSWERS = [
    ("EHDL", {}),
    ("EHDL", {"prior": "1/10,1/10"}),
    ("EHDS", {"prior": "1/2,3", "eps": "2"}),
    ("EHD", {}),
    ("EHD/exact", {"prior": "2,2", "eps": "4"}),
    ("MH", {"gamma": "1/2"}),
]


@cache
def answer(mech, **setting):
    return dpaudit.epsilon(mech, n="all", digits=10, **setting)


@pytest.mark.parametrize(("mech", "setting"), ANSWERS)
@pytest.mark.thin(2)
def test_the_supremum_against_brute_force(mech, setting):
    result = answer(mech, **setting)
    assert result.open is None
    assert result.epsilon.width <= Fraction(2, 10**10)
    assert result.limit.upper <= result.epsilon.upper
    prior = tuple(map(Fraction, setting.get("prior", "1,1").split(",")))
    eps, gamma = float(Fraction(setting.get("eps", "1"))), float(Fraction(setting.get("gamma", "1")))
    seen = {n: abs(losses(n, prior, mech, eps, gamma)).max() for n in (*range(1, 120), 150, 200, 250, 300)}
    assert max(seen.values()) <= float(result.epsilon.upper) + 1e-7
    if result.attained == "inf":
        assert result.epsilon.lower <= result.limit.upper
        assert max(seen.values()) < float(result.limit.lower)
    else:
        n = int(result.attained)
        assert seen[n] == pytest.approx(float(result.epsilon.lower), abs=1e-7)
        own = dpaudit.epsilon(mech, n=n, digits=10, **setting)
        assert own.epsilon.lower <= result.epsilon.upper
        assert result.epsilon.lower <= own.epsilon.upper
        assert own.witness.to_dict() == result.witness.to_dict()


def test_single_n_by_the_auditor():
    result = answer("EHDL")
    for n in (1, 2, 3, 5, 6, 50, 143, 144, 299, 300):
        assert dpaudit.epsilon("EHDL", n=n, digits=10).epsilon.upper < result.epsilon.lower


def test_ehdl_with_the_uniform_prior_is_private_for_every_n_and_every_epsilon():
    result = dpaudit.epsilon("EHDL", n="all", eps="all", digits=10)
    assert result.claim.verdict.value == "PROVED"
    with balls.precision(128):
        first, second = ((1 - bc).sqrt() for bc in (balls.pi().sqrt() / 2, (2 * balls.pi()).sqrt() * 3 / 8))
        limit = (second / first + 1 / second - 1 / first) / 2
        lower, upper = balls.ends(limit)
    assert result.ratio.lower <= upper
    assert lower <= result.ratio.upper < 1
    assert result.limit.lower <= lower <= upper <= result.limit.upper
    for n in (2, 20, 140):
        for eps in ("1/1000", "3", "200"):
            own = dpaudit.epsilon("EHDL", n=n, eps=eps, digits=10).epsilon
            assert own.upper <= result.ratio.lower * Fraction(eps)


def test_calibrated_where_one_n_is_the_worst():
    """At n = 1 and prior (1, 1) the loss of EHD is exactly eps / 2, and no other n exceeds that at eps = 2."""
    result = dpaudit.calibrate("EHD", n="all", target=1, digits=10)
    assert result.nominal == 2
    assert result.true_epsilon.lower == result.true_epsilon.upper == 1
    assert result.attained == "1"
    assert result.beyond.nominal == Fraction(20000001, 10**7)


def test_calibrated_for_every_n():
    result = dpaudit.calibrate("EHDS", n="all", target="1/2", digits=10)
    assert result.true_epsilon.upper <= Fraction(1, 2) < result.beyond.true.lower
    assert result.beyond.nominal - result.nominal <= Fraction(1, 10**7)
    again = dpaudit.epsilon("EHDS", n=300, eps=str(result.nominal), digits=10)
    assert again.epsilon.upper < Fraction(1, 2)


# ------------------------------------------------------------------ broken twins


def test_a_wrong_constant_in_the_middle_is_noticed(monkeypatch):
    """The share by which a shift changes L, half of what it is."""
    assert not shift_exceeds(4000, (1, 1), 128)
    whole = every_n_middle.turned
    monkeypatch.setattr(every_n_middle, "turned", lambda z: whole(z) / 2)
    assert shift_exceeds(4000, (1, 1), 128)


def test_a_block_that_forgets_its_first_n_is_noticed(monkeypatch):
    """Distances at the last n alone do not contain those of the first."""
    monkeypatch.setattr(Block, "ends", property(lambda block: (block.last,)))
    with balls.precision(128):
        wrong = Distances(Fraction(1), Fraction(1), Block(40, 90), 30).between(1, 9)
        right = Distances(Fraction(1), Fraction(1), Block(40, 40), 30).between(1, 9)
    assert not wrong.contains(right)


def test_far_outputs_that_are_forgotten_are_noticed(monkeypatch):
    """Without the outputs beyond the reach the bound of a block is exceeded."""
    monkeypatch.setattr(every_n_pairs.Sums, "total", lambda sums, others: sums.near)
    found = family("EHDL", (1, 1), eps="1/10")
    with balls.precision(128):
        upper = Pairs(found, (Fraction(1), Fraction(1)), Block(200, 200), 20, 4).upper(1)
    assert abs(losses(200, (1, 1), "EHDL", 0.1)[1]).max() > upper + Fraction(1, 1000)


def test_the_falling_table_is_that_of_gamma():
    with balls.precision(128):
        table = every_n_distances._falling(Fraction(1, 3), 50, 12)
    for m, value in enumerate(table):
        expected = np.exp(gammaln(1 / 3 + 50 - m / 2) - gammaln(1 / 3 + 50))
        assert float(balls.ends(value)[0]) == pytest.approx(expected, rel=1e-9)


# ------------------------------------------------------------------ the command line


def asked(capsys, *words):
    code = main([*words])
    return code, *capsys.readouterr()


def test_the_answer_in_json(capsys):
    code, out, _ = asked(capsys, "epsilon", "--mech", "EHD", "--n", "all", "--digits", "10", "--json")
    found = json.loads(out)
    assert code == 0
    assert found["n"] == "all"
    assert found["attained"] == "3"
    assert found["epsilon"]["lower"].startswith("0.5244")
    assert found["limit"]["lower"].startswith("0.3640")
    assert found["verdict"]["word"] == "PROVED"
    assert found["command"] == "dpaudit epsilon --mech EHD --n all --digits 10"


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["epsilon", "--mech", "MHdelta", "--delta", "1e-8"], "no theorem here is about that"),
        (["epsilon", "--mech", "LSHist"], "no theorem for every n about LSHist"),
        (["epsilon", "--mech", "EHDL", "--k", "3"], "k = 2, not 3"),
        (["epsilon", "--mech", "EHDL", "--score", "kl"], "Hellinger score"),
        (["epsilon", "--mech", "EHDL", "--adjacency", "all"], "one record replaced"),
        (["epsilon", "--mech", "EHDL", "--eps", "1..2"], "one number, or all"),
        (["epsilon", "--mech", "EHD", "--prior", "300,300"], "beyond n = 800: the prior is too large; give one n"),
        (["epsilon", "--mech", "EHDS", "--prior", "300,300"], "beyond n = 800: the prior is too large; give one n"),
        (["epsilon", "--mech", "EHDS", "--gamma", "1/50"], "beyond n = 800: γ = 1/50 is too small; give one n"),
        (["epsilon", "--mech", "EHDL", "--digits", "50"], "40"),
        (["epsilon", "--mech", "EHDL", "--prior", "1..2,1"], "no theorem"),
        (["calibrate", "--mech", "LSHist"], "no theorem for every n about LSHist"),
        (["delta", "--mech", "EHDL", "--at", "1"], "one value is needed here"),
    ],
)
def test_what_has_no_theorem_is_refused_in_one_line(capsys, words, rule):
    code, out, err = asked(capsys, *words, "--n", "all")
    assert code == 2
    assert not out
    assert err.count("\n") == 1
    assert rule in err


# ------------------------------------------------------------------ the claim


def test_the_proof_that_ehdl_is_private_fails_with_any_of_its_parts():
    from proofs_checks.privacy.ehdl import private_for_every_n, theory

    found = theory()
    assert not private_for_every_n(found).obstacle
    wide = replace(found.cover[0], most=Fraction(1))
    high = replace(found.below[5], value=outward(Fraction(0), Fraction(1), 10))
    for broken, label in (
        (replace(found, middle=Fraction(1)), "the middle"),
        (replace(found, cover=(wide, *found.cover[1:])), "the ends"),
        (replace(found, below=(*found.below[:5], high, *found.below[6:])), f"n < {found.first}"),
        (replace(found, below=found.below[1:]), f"n < {found.first}"),
    ):
        assert label in private_for_every_n(broken).obstacle


def test_the_slow_convergence_of_the_docs():
    """docs/forall.md: the limit of EHDS with gamma = 1/3 at epsilon = 4 is far off at n = 10^9."""
    text = (Path(__file__).parents[2] / "docs" / "forall.md").read_text(encoding="utf-8")
    found = dpaudit.epsilon("EHDS", n=10**9, gamma="1/3", eps=4, digits=6).epsilon
    assert f"at n = 10⁹ an audit still gives {float(found.lower):.7f}"[:-2] in text


def test_the_limit_with_the_exact_sensitivity_is_half_of_epsilon_by_algebra(monkeypatch, capsys):
    words = ["epsilon", "--mech", "EHD", "--gs", "exact", "--n", "all", "--digits", "8"]
    assert main([*words, "--eps", "4"]) == 0
    assert re.search(r"limit n → ∞ +2, by algebra", capsys.readouterr().out)
    known = dpaudit.epsilon("EHD/exact", n="all", eps="1/3", prior="1,3", digits=8)
    assert known.theory.limit_known == Fraction(1, 6)
    monkeypatch.setattr("dpaudit.forall.every_n_rates.Family.limit_form", lambda _: None)
    found = dpaudit.epsilon("EHD/exact", n="all", eps="1/3", prior="1,3", digits=8)
    assert found.theory.limit_known is None
    assert found.limit.contains(Fraction(1, 6))
