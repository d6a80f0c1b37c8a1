"""The privacy curve against the single audits, against enumeration of all tests, against mpmath and dp-accounting."""

import json
import math
import random
from fractions import Fraction as Fr
from itertools import pairwise, product
from statistics import NormalDist

import numpy
import pytest
from mpmath import mp, mpf
from segments import by_segments, number, overlap

import dpaudit
from dpaudit.audit.profile import profile
from dpaudit.charts.style import new_axes
from dpaudit.cli import main
from dpaudit.mechanisms.own.table import GivenTable
from dpaudit.numbers import balls
from dpaudit.privacy.loss import hockey_stick
from dpaudit.reference import definitions as reference

CASES = [
    ("EHDS", {"n": 4}),
    ("EHDL", {"n": 3, "k": 3, "eps": "4/5"}),
    ("EHD", {"n": 5, "prior": "1/3,2"}),
    ("LSHist", {"n": 4}),
    ("LSDim", {"n": 2, "k": 3}),
    ("LSZhang", {"n": 2}),
    ("MHdelta", {"n": 4, "delta": "1/20"}),
    ("dpaudit.examples.permute_and_flip:PermuteAndFlip", {}),
    ("dpaudit.examples.sparse_vector:BrokenSparseVector", {}),
]


class Pair(GivenTable):
    """Two rows of probabilities."""

    def __init__(self, p, q):
        names = tuple(f"o{i}" for i in range(len(p)))
        super().__init__("pair", names, {"x": tuple(p), "y": tuple(q)}, None)


@pytest.mark.parametrize(("mech", "options"), CASES, ids=lambda v: v.rpartition(":")[2] if isinstance(v, str) else "")
def test_the_curve_is_delta(mech, options):
    points = [Fr(i, 13) for i in range(14)]
    result = profile(mech, **options, at=points, orders="2")
    assert result.slack.upper < Fr(1, 10**60)
    assert overlap(result.total_variation, dpaudit.delta(mech, 0, **options).delta)
    with mp.workdps(40):
        for at, value in result.deltas:
            single = dpaudit.delta(mech, at, **options).delta
            assert overlap(value, single)
            low, high = by_segments(result, at)
            assert low <= number(single.upper)
            assert number(single.lower) <= high
            assert high - low < mpf("1e-14")


@pytest.mark.parametrize(("mech", "options"), CASES[:3], ids=lambda v: v if isinstance(v, str) else "")
def test_the_segments_join_at_the_breakpoints(mech, options):
    result = profile(mech, **options, at="0", orders="2")
    assert result.segments[0].start.upper == 0
    assert result.segments[-1].end is None
    assert result.segments[-1].power.upper == 0
    assert overlap(result.segments[-1].start, result.epsilon)
    for left, right in zip(result.segments, result.segments[1:], strict=False):
        assert left.end == right.start
        assert left.alpha.lower > right.alpha.upper
        with mp.workdps(40):
            here = mp.exp(number(left.end.lower))
            gap = [number(s.power.lower) - here * number(s.alpha.lower) for s in (left, right)]
            assert abs(gap[0] - gap[1]) < mpf("1e-14")


def test_exact_breakpoints_of_randomized_response():
    result = profile(Pair(["3/4", "1/4"], ["1/4", "3/4"]), at="0,1")
    assert [s.alpha.contains(a) for s, a in zip(result.segments, (Fr(1, 4), 0), strict=True)] == [True, True]
    assert [s.power.contains(a) for s, a in zip(result.segments, (Fr(3, 4), 0), strict=True)] == [True, True]
    with mp.workdps(40):
        assert abs(number(result.segments[0].end.lower) - mp.log(3)) < mpf("1e-15")


def random_row(rng, size):
    weights = [rng.choice([0, 1, 2, 3, 5, 8]) for _ in range(size)]
    weights[rng.randrange(size)] += 1
    return [Fr(w, sum(weights)) for w in weights]


def test_no_test_beats_the_trade_off_function():
    """All 2^5 deterministic tests of both directions, exactly: none rises above the hull; every vertex is one."""
    rng = random.Random(5)
    for _ in range(12):
        p, q = random_row(rng, 5), random_row(rng, 5)
        if p == q:
            continue
        result = profile(Pair(p, q), at="0", orders="2")
        tests = [
            (sum(b for b, s in zip(v, chosen, strict=True) if s), sum(a for a, s in zip(u, chosen, strict=True) if s))
            for u, v in ((p, q), (q, p))
            for chosen in product((0, 1), repeat=5)
        ]
        hull = [(s.alpha, s.power) for s in result.segments]
        for alpha, power in hull:
            assert any(alpha.contains(a) and power.contains(b) for a, b in tests)
        slopes = [s.end for s in result.segments[:-1]]
        with mp.workdps(30):
            for end, (alpha, power) in zip(slopes, hull, strict=False):
                factor = mp.exp(number(end.lower))
                line = number(power.upper) - factor * number(alpha.lower)
                assert all(number(b) - factor * number(a) <= line + mpf("1e-14") for a, b in tests)
            top = max(b - a for a, b in tests)
            assert result.total_variation.contains(top)


@pytest.mark.parametrize(("mech", "options"), [CASES[0], CASES[3]])
def test_renyi_and_zcdp_against_mpmath(mech, options):
    result = profile(mech, **options, orders="1,3/2,2,10", at="0")
    with mp.workdps(40):
        n, prior = options["n"], (Fr(1), Fr(1))
        rows = {x: reference.pmf(mech, n, prior, x, 1) for x in reference.histograms(n, 2)}
        pairs = [(rows[x], rows[y]) for x in rows for y in reference.adjacent(x)]

        def divergence(a):
            if a == 1:
                return max(mp.fsum(p[r] * mp.log(p[r] / q[r]) for r in p) for p, q in pairs)
            return max(mp.log(mp.fsum(p[r] ** a * q[r] ** (1 - a) for r in p)) / (a - 1) for p, q in pairs)

        for order, value in result.renyi:
            exact = divergence(number(order))
            assert number(value.lower) <= exact <= number(value.upper)
        grid = [divergence(1 + mpf(i) / 10) / (1 + mpf(i) / 10) for i in range(0, 120)]
        assert max(grid) <= number(result.rho.upper)
        assert max(grid) >= number(result.rho.lower) * mpf("0.999")
        assert result.rho.width < result.rho.upper / 400


def test_infinite_loss():
    result = profile("dpaudit.examples.sparse_vector:BrokenSparseVector", at="0,5")
    assert result.epsilon.is_infinite
    assert result.rho.is_infinite
    assert all(value.is_infinite for _, value in result.renyi)
    assert result.segments[-1].power.lower > 0
    text = json.loads(json.dumps(result.to_dict()))
    assert text["zcdp_rho"] == {"lower": "inf", "upper": "inf"}


# ------------------------------------------------------------------ large losses

LARGE = [
    ("EHD", {"n": 2, "k": 3, "eps": 700}, ["320", "349", "3499/10"]),
    ("MH", {"n": 3, "k": 3, "eps": 500}, ["249", "200", "0"]),
    ("LSHist", {"n": 5, "eps": 3000}, ["2999", "2999.9", "100"]),
]


@pytest.mark.parametrize(("mech", "options", "at"), LARGE, ids=lambda v: v if isinstance(v, str) else "")
def test_large_losses(mech, options, at):
    """delta far out, by the sum over all outputs in mpmath; the last segment has alpha = 0 and starts at epsilon."""
    result = profile(mech, **options, at=at)
    n, k = options["n"], options.get("k", 2)
    with mp.workdps(60):
        rows = {x: reference.pmf(mech, n, (Fr(1),) * k, x, options["eps"]) for x in reference.histograms(n, k)}
        for point, value in result.deltas:
            factor = mp.exp(number(point))
            real = max(
                mp.fsum(max(0, rows[x][r] - factor * rows[y][r]) for r in rows[x])
                for x in rows
                for y in reference.adjacent(x)
            )
            assert number(value.lower) - mpf("1e-40") <= real <= number(value.upper) + mpf("1e-40")
            assert value.width < Fr(1, 10**14)
    last = result.segments[-1]
    assert last.end is None
    assert (last.alpha.lower, last.alpha.upper, last.power.upper) == (0, 0, 0)
    assert overlap(last.start, result.epsilon)


def test_large_and_infinite_losses_together():
    """delta(infinity) = 1/100 beyond a finite loss of about 700."""
    tiny = dpaudit.exp(-700)
    pair = Pair([Fr(1, 100), Fr(98, 100), Fr(1, 100)], [Fr(0), tiny, 1 - tiny])
    result = profile(pair, at="699,700,800")
    with mp.workdps(40):
        assert abs(number(result.deltas[0][1].lower) - (mpf("0.99") - mp.exp(-1))) < mpf("1e-14")
        assert abs(number(result.segments[-1].start.lower) - (700 + mp.log(mpf("0.98")))) < mpf("1e-14")
    assert all(value.contains(Fr(1, 100)) for _, value in result.deltas[1:])
    assert result.segments[-1].alpha.upper == 0
    assert result.segments[-1].power.contains(Fr(1, 100))


def random_losses(rng):
    """A row of four: two entries of any size down to e^-2500, an entry that may be 0, the rest; shuffled."""
    row = [dpaudit.exp(-rng.choice([1, 50, 239, 500, 1000, 2500])) / 4 for _ in range(2)]
    row.append(rng.choice([Fr(0), Fr(1, 100), dpaudit.exp(-900) / 2]))
    row.append(1 - row[0] - row[1] - row[2])
    rng.shuffle(row)
    return row


def test_random_large_losses_between_and_beyond_the_breakpoints():
    rng = random.Random(13)
    for _ in range(40):
        pair = Pair(random_losses(rng), random_losses(rng))
        points = [Fr(rng.randint(0, 2600)) for _ in range(4)] + [Fr(10**4)]
        result = profile(pair, at=points, orders="2")
        assert result.segments[-1].alpha.upper == 0
        for at, value in result.deltas:
            assert overlap(value, dpaudit.delta(pair, at).delta)
            assert value.width < Fr(1, 10**14)
        starts = [segment.start for segment in result.segments]
        assert all(a.upper < b.lower for a, b in pairwise(starts))


@pytest.mark.parametrize(
    ("mech", "options"),
    [("LSHist", {"n": 5, "eps": 15}), ("LSHist", {"n": 5, "eps": 3000}), ("EHD", {"n": 5, "eps": 15})],
)
def test_zcdp_of_large_losses(mech, options):
    """rho to a share of its size, against a grid of orders in mpmath, dense at 1, which knows it from below."""
    result = profile(mech, **options, at="0", orders="1")
    with mp.workdps(60):
        rows = {x: reference.pmf(mech, 5, (Fr(1), Fr(1)), x, options["eps"]) for x in reference.histograms(5, 2)}
        pairs = [(rows[x], rows[y]) for x in rows for y in reference.adjacent(x)]
        best = max(
            mp.log(mp.fsum(p[r] ** a * q[r] ** (1 - a) for r in p)) / (a - 1) / a
            for p, q in pairs
            for a in (1 + (mpf(i) / 100) ** 3 for i in range(1, 100))
        )
        assert number(result.rho.lower) * mpf("0.999") <= best <= number(result.rho.upper)
    assert result.rho.width <= result.rho.upper / 100


def test_the_command(capsys):
    assert main(["profile", "--mech", "EHDS", "--n", "12", "--at", "0,0.1"]) == 0
    text = capsys.readouterr().out
    for part in ("total variation", "zCDP", "Rényi"):
        assert part in text
    assert main(["profile", "--mech", "EHDS", "--n", "3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["curve"][0]["from"] == {"lower": "0", "upper": "0"}
    for wrong in (["--orders", "1/2"], ["--at", "-1"], ["--at", "1,,2"]):
        assert main(["profile", "--mech", "EHDS", "--n", "3", *wrong]) == 2
        assert capsys.readouterr().err.count("\n") == 1


# ------------------------------------------------------------------ dp-accounting


def accounting(pld, upper, lower, pessimistic):
    """dp-accounting's distribution of the privacy loss of one direction."""
    logs = [{i: float(mp.log(number(v))) for i, v in enumerate(row) if v} for row in (lower, upper)]
    return pld.from_two_probability_mass_functions(*logs, pessimistic, 1e-4, symmetric=True)


def test_delta_agrees_with_dp_accounting_on_random_pairs():
    """120 random pairs, both directions: between its optimistic and its pessimistic estimate, up to float rounding."""
    pld = pytest.importorskip("dp_accounting.pld.privacy_loss_distribution", reason="extra accounting not installed")
    rng = random.Random(11)
    for _ in range(120):
        size = rng.randint(2, 8)
        p, q = ([Fr(rng.randint(1, 99)) for _ in range(size)] for _ in range(2))
        p, q = ([v / sum(row) for v in row] for row in (p, q))
        if rng.random() < 0.3:
            p, q = [Fr(0), *p], [Fr(1, 10), *(v * Fr(9, 10) for v in q)]
        theirs = [[accounting(pld, *rows, kind) for kind in (False, True)] for rows in ((p, q), (q, p))]
        mechanism = dpaudit.mechanism(Pair(p, q))
        for at in (Fr(0), Fr(1, 4), Fr(1)):
            bounds = [[found.get_delta_for_epsilon(float(at)) for found in both] for both in theirs]
            assert all(high - low < 1e-3 for low, high in bounds)
            with balls.precision(128):
                masses = mechanism.law().masses("x", "y")
                for (low, high), rows in zip(bounds, (masses, [m.swapped() for m in masses]), strict=True):
                    ours = balls.ends(hockey_stick(rows, at, balls.ball(at).exp()))
                    assert low - 1e-9 <= ours[1]
                    assert ours[0] <= high + 1e-9
            real = dpaudit.delta(mechanism, at).delta
            assert max(low for low, _ in bounds) - 1e-9 <= real.upper
            assert real.lower <= max(high for _, high in bounds) + 1e-9


@pytest.mark.parametrize(("mech", "eps", "at"), [("EHDS", 2000, "500,510"), ("MH", 300, "150")])
def test_a_tiny_delta_has_all_its_digits_and_is_that_of_delta(mech, eps, at):
    found = dict(profile(mech, n=5 + (mech == "MH"), eps=eps, at=at, orders="2").deltas)
    for point, value in found.items():
        alone = dpaudit.delta(mech, point, n=5 + (mech == "MH"), eps=eps).delta
        assert 0 < value.upper < Fr(1, 10**17)
        for enclosure in (value, alone):
            assert enclosure.width <= enclosure.lower / 10**12
        assert max(value.lower, alone.lower) <= min(value.upper, alone.upper)


@pytest.mark.parametrize("at", [None, "0", "0,3/4"])
def test_the_picture_of_gaussian_noise_is_its_curve(at):
    """The closed form in floats, at places between the few ε of the answer, which a straight line would miss."""
    axes = profile("gaussian", sigma=4, at=at).plot(new_axes())
    (line,) = axes.get_lines()
    top, phi = {"0,3/4": 0.75}.get(at, 1.0), NormalDist().cdf
    for t in (0.1, 0.3, 0.6):
        true = phi(1 / 8 - 4 * t) - math.exp(t) * phi(-1 / 8 - 4 * t)
        assert abs(numpy.interp(t, line.get_xdata(), line.get_ydata()) - true) < 1e-4
    assert (line.get_xdata()[0], line.get_xdata()[-1]) == (0, top)
