"""Exact accuracy against the slow reference, the documents' Table 1, and properties."""

import json
from fractions import Fraction

import pytest
from agreement import agrees
from cases import CASES, arguments
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms.laplace import LSZhang
from dpaudit.numbers import balls
from dpaudit.reference import definitions as reference
from dpaudit.studies.accuracy import mean, staircase, threshold
from dpaudit.studies.accuracy.accuracy import accuracy
from tests.posterior.test_scores import slow

DPS = 60
SMALL = [case for case in CASES if case[1] <= 5 and len(case[2]) <= 3][::3]


def slow_steps(case, x, metric):
    """The staircase by plain sorting of the reference's distribution: [(distance, mass)], close distances merged."""
    given_ = arguments(case)
    law = reference.pmf(x=x, dps=DPS, **given_)
    pairs = sorted(
        (slow(metric, given_["prior"], x, reference.released_cells(case[0], case[1], output)), p)
        for output, p in law.items()
    )
    steps = []
    for distance, p in pairs:
        if steps and distance - steps[-1][0] < mpf(10) ** -25:
            steps[-1][1] += p
        else:
            steps.append([distance, p])
    return steps


def run(case, x, **options):
    mech, _, prior, eps, gamma, delta, gs = case
    return accuracy(mech, x, prior=prior, eps=eps, gamma=gamma, delta=delta, gs=gs, digits=30, **options)


@pytest.mark.parametrize("case", SMALL, ids=str)
def test_the_staircase_is_the_reference_s(case):
    n, k = case[1], len(case[2])
    cells = reference.histograms(n, k)
    with mp.workdps(DPS):
        for x in {cells[0], cells[len(cells) // 2], cells[-1]}:
            steps = slow_steps(case, x, "hellinger")
            result = run(case, x)
            assert len(result.steps) == len(steps)
            total = mpf(0)
            for found, (distance, p) in zip(result.steps, steps, strict=True):
                total += p
                assert agrees(found.distance, distance)
                assert agrees(found.probability, p)
                assert agrees(found.cumulative, total)
            mean = mp.fsum(d * p for d, p in steps)
            assert agrees(result.mean, mean)
            assert agrees(result.mean, reference.mean_error(x=x, dps=DPS, **arguments(case)))
            middle = next(
                d
                for i, (d, _) in enumerate(steps)
                if mp.fsum(p for _, p in steps[: i + 1]) >= mpf("0.5") - mpf(10) ** -30
            )
            assert agrees(result.median, middle)


@pytest.mark.parametrize("metric", ["tv", "kl", "l1"])
@pytest.mark.parametrize("mech", ["LSZhang", "LSHist", "EHDS", "EHDL"])
def test_other_distances(metric, mech):
    case = (mech, 4, ("1", "1/2"), "1", "1" if mech == "EHDS" else None, None, None)
    with mp.workdps(DPS):
        steps = slow_steps(case, (3, 1), metric)
        result = run(case, (3, 1), metric=metric, t="1/3")
        assert agrees(result.mean, mp.fsum(d * p for d, p in steps))
        assert agrees(result.probability, mp.fsum(p for d, p in steps if d < mpf(1) / 3))
        assert len(result.steps) == len(steps)
        assert result.bounds == ()


def test_chi2_may_be_infinite():
    result = accuracy("LSHist", "1,7", metric="chi2")
    assert result.mean.is_infinite
    assert result.steps[-1].distance.is_infinite
    assert result.quantiles[-1][1].is_infinite
    assert not result.median.is_infinite
    assert result.steps[-1].cumulative.contains(1)
    assert result.to_dict()["mean"] == {"lower": "inf", "upper": "inf"}
    assert accuracy("LSHist", "4,4", prior="20,20", metric="chi2").mean.upper < 1


TABLE_1 = {  # P1 Table 1: steps -> H, exponential mechanism, Laplace mechanism, as printed
    4: ("0.83737258593", "0.0431193490585", "0.066561234758"),
    3: ("0.662174391701", "0.0785621424847", "0.0992976939175"),
    2: ("0.457635865026", "0.158265808563", "0.148134752205"),
    1: ("0.233629480709", "0.340809715054", "0.220991081918"),
    0: ("0", "0.37924298484", "0.329679953964"),
}


def printed(value, text):
    """Whether the enclosure rounds to the printed number: 12 significant digits."""
    number = Fraction(text)
    if number == 0:
        return value.lower == value.upper == 0
    unit = Fraction(1, 10**12)
    while number < Fraction(1, 10):
        number, unit = number * 10, unit / 10
    return abs(value.lower - Fraction(text)) <= unit / 2 and abs(value.upper - Fraction(text)) <= unit / 2


def test_table_1_of_p1_is_the_local_sensitivity_at_twice_the_nominal_epsilon():
    """Distances and the exponential column: EHDL at 2 * 0.8. The Laplace column is the law of floor|Y|, Y ~ Lap(2/0.8):
    p_t = 2 Pr[o = t] for LSDim's noise on the empty cell, and p_0 = 2 Pr[o = 0] - 1."""
    result = accuracy("EHDL", "4,4", eps="8/5", digits=20)
    noise = dpaudit.pmf("LSDim", "0,8", eps="4/5", digits=20)
    for steps, (distance, exponential, laplace) in TABLE_1.items():
        assert printed(result.steps[steps].distance, distance)
        assert printed(result.steps[steps].probability, exponential)
        p = noise.probabilities[steps]
        ends = [2 * end - (steps == 0) for end in (p.lower, p.upper)]
        assert printed(dpaudit.Enclosure(*ends, p.places), laplace)
    assert not printed(accuracy("MHdelta", "4,4", eps="4/5", delta="1e-8").steps[0].probability, "0.37924298484")


@pytest.mark.parametrize(("mech", "scale"), [("LSHist", 1), ("LSDim", 2)])
def test_mean_at_twenty_thousand(mech, scale):
    """The mean error of the Laplace mechanisms for 10/90 data, n = 20 000, against a plain sum near the truth."""
    result = accuracy(mech, "2000,18000", eps="4/5")
    with mp.workdps(DPS):
        q, prior, mean = mp.exp(-mpf(4) / 5 / scale), (Fraction(1), Fraction(1)), mpf(0)
        for j in range(-50 * scale, 50 * scale):
            p = (1 - q) / 2 * q ** (j if j >= 0 else -1 - j)
            mean += p * slow("hellinger", prior, (2000, 18000), (2000 + j, 18000 - j))
        assert abs(reference.to_mpf(result.mean.lower) - mean) < mpf(10) ** -14
    assert len(result.law) == 20001


@given(
    st.sampled_from(["LSZhang", "LSDim", "LSHist", "EHD", "EHDL", "EHDS", "MH"]),
    st.integers(0, 6),
    st.integers(0, 6),
    st.lists(st.fractions(Fraction(1, 50), Fraction(5, 4), max_denominator=50), min_size=2, max_size=2),
    st.sampled_from(["hellinger", "tv", "kl", "l1"]),
)
def test_probability_is_monotone_in_t(mech, a, b, thresholds, metric):
    if a + b == 0:
        a = 1
    low, high = sorted(thresholds)
    first, second = (accuracy(mech, (a, b), t=t, metric=metric, eps="1/2") for t in (low, high))
    assert first.probability.lower <= second.probability.upper
    assert all(s.cumulative.lower <= t.cumulative.upper for s, t in zip(first.steps, first.steps[1:], strict=False))
    assert first.steps[-1].cumulative.contains(1)
    levels = [value.lower for _, value in first.quantiles]
    assert levels == sorted(levels)


TIES = [
    ("hellinger", "1,1", "2,4", "1/2", ("EHDS", "LSHist", "LSZhang")),
    ("hellinger", "1,1", "7,9", "1/3", ("EHDS", "LSHist")),
    ("hellinger", "1,2", "2,3", "1/2", ("EHDS", "LSHist")),
    ("hellinger", "1,2", "7,8", "1/3", ("EHDS", "LSHist")),
    ("hellinger", "1,2", "14,15", "1/4", ("EHDS", "LSHist")),
    ("chi2", "1,1", "4,4", "9/16", ("EHDS", "LSZhang")),
    ("kl", "1,1", "2,1", "1/2", ("EHDS", "LSHist")),
    ("kl", "1/3,1/3", "2,1", "3/4", ("EHDS",)),
    ("tv", "1,1", "1,0", "1/2", ("EHDS", "LSZhang")),
    ("tv", "1,1", "2,1", "3/8", ("EHDS", "LSHist")),
    ("l1", "1,1", "2,4", "2", ("EHDS", "LSZhang")),
]


@pytest.mark.parametrize(
    ("metric", "prior", "x", "t", "mech"), [(*case[:4], mech) for case in TIES for mech in case[4]]
)
def test_a_tie_with_t_is_decided_exactly(metric, prior, x, t, mech):
    """Some distance equals t. The reference, which merges it with t to 25 digits, has Pr[< t] and Pr[<= t]."""
    alphas, cells = tuple(Fraction(a) for a in prior.split(",")), tuple(map(int, x.split(",")))
    at = Fraction(t)
    law = reference.pmf(mech, sum(cells), alphas, cells, 1, dps=DPS)
    below = equal = mpf(0)
    with mp.workdps(DPS):
        for output, p in law.items():
            d = slow(metric, alphas, cells, reference.released_cells(mech, sum(cells), output))
            gap = d - mpf(at.numerator) / at.denominator
            equal += p if abs(gap) < mpf(10) ** -25 else 0
            below += p if gap < -(mpf(10) ** -25) else 0
        both = below + equal
    assert equal > 0
    assert agrees(accuracy(mech, x, t=t, metric=metric, prior=prior).probability, below, 15)
    beyond = accuracy(mech, x, t=at + Fraction(1, 10**9), metric=metric, prior=prior).probability
    assert agrees(beyond, both, 15)


def test_memory_is_asked_for_the_listed_outputs_alone():
    """36 million outputs, of which a box of some 38 000 is listed."""
    few = accuracy("LSHist", "2000,2000,2000", digits=6, memory=1 << 30)
    assert len(few.law) < 20_000
    with pytest.raises(dpaudit.InputError, match="outputs to list"):
        accuracy("LSHist", "2000,2000,2000", digits=6, memory=1 << 20)


def test_a_tie_that_algebra_does_not_know_names_t_and_the_remedy(monkeypatch, capsys):
    monkeypatch.setattr(threshold, "exact_key", lambda *_: None)
    assert main(["accuracy", "--mech", "EHDS", "--x", "2,4", "--t", "1/2"]) == 3
    said = capsys.readouterr().err
    assert "t = 1/2" in said
    assert "smaller or larger" in said


def test_omitted_mass_is_accounted_for():
    """LSZhang at n = 300 leaves out a tail; the mean must agree with the full sum of a reference of one cell's law."""
    result = accuracy("LSZhang", "150,150", eps=4, digits=8)
    assert 0 < result.omitted.upper < Fraction(1, 10**12)
    with mp.workdps(30):
        q, prior = mp.exp(-2), (Fraction(1), Fraction(1))
        weight = {j: (1 - q) / 2 * q ** (j if j >= 0 else -1 - j) for j in range(-16, 16)}
        mean = mp.fsum(
            p * r * slow("hellinger", prior, (150, 150), (150 + i, 150 + j))
            for i, p in weight.items()
            for j, r in weight.items()
        )
        assert abs(reference.to_mpf(result.mean.lower) - mean) < mpf(10) ** -7


def test_a_large_omitted_tail_is_inside_every_enclosure(monkeypatch):
    """With a tail of 1/20 left out on purpose, probabilities and mean still contain the full ones."""
    mechanism = dpaudit.mechanism("LSZhang", n=12, eps=2)
    monkeypatch.setattr(staircase, "ALL_OUTPUTS", 10**6)
    with balls.precision(128):
        full = staircase.build(mechanism, (6, 6), "hellinger", Fraction(1, 20))
        whole = full.mean()
        monkeypatch.setattr(staircase, "ALL_OUTPUTS", 1)
        cut = staircase.build(mechanism, (6, 6), "hellinger", Fraction(1, 20))
        assert balls.certainly_less(balls.ball(Fraction(1, 1000)), cut.omitted)
        assert balls.overlap(cut.mean(), whole)
        for t in (Fraction(1, 5), Fraction(1, 2), Fraction(9, 10)):
            inside = full.below(threshold.count_below(full, t))
            assert balls.overlap(cut.below(threshold.count_below(cut, t)), inside)
            assert balls.overlap(cut.at_least(threshold.count_below(cut, t)), 1 - inside)
    monkeypatch.setattr(type(mechanism), "row", lambda self, x, tail, most: real(self, x, Fraction(1, 20), most))
    with pytest.raises(dpaudit.numbers.balls.PrecisionExhausted):
        mean.mean_error(mechanism, (6, 6), digits=3)


real = LSZhang.row


def test_negligible_outputs_are_left_out_of_a_costly_distance(monkeypatch):
    full = accuracy("LSHist", "20,30", metric="tv", eps=3)
    monkeypatch.setattr(staircase, "COSTLY_OUTPUTS", 10)
    cut = accuracy("LSHist", "20,30", metric="tv", eps=3)
    assert len(cut.law) < len(full.law)
    assert 0 < cut.omitted.upper < Fraction(1, 10**20)
    assert max(cut.mean.lower, full.mean.lower) <= min(cut.mean.upper, full.mean.upper)
    quick = mean.mean_error(dpaudit.mechanism("LSHist", n=50, eps=3), (20, 30), metric="tv")
    assert max(cut.mean.lower, quick.lower) <= min(cut.mean.upper, quick.upper)


def test_a_whole_number_distance_equal_to_t_is_not_below_it():
    result = accuracy("LSHist", "3,3", metric="l1", t=2)
    assert result.probability == result.steps[0].probability
    assert accuracy("LSHist", "3,3", metric="l1", t="2.5").probability == result.steps[1].cumulative


def test_command_line(capsys):
    assert main(["accuracy", "--mech", "LSHist", "--x", "20,20", "--eps", "1", "--t", "0.2", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"mechanism", "x", "mean", "median", "probability", "steps", "bounds"} <= set(found)
    assert {"distance", "probability", "cumulative"} <= set(found["steps"][0])
    assert {"claim", "value", "verdict"} <= set(found["bounds"][0])
    assert found["probability"]["lower"].startswith("0.7483926377959")
    assert main(["accuracy", "--mech", "EHDL", "--x", "4,4"]) == 0
    assert "acc.4.5.ehdl-upper.balanced" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mech", "LSHist", "--x", "20;20"], "--x"),
        (["--mech", "LSHist", "--x", "0,0"], "at least 2 cells and 1 record"),
        (["--mech", "LSHist", "--x", "3"], "at least 2 cells and 1 record"),
        (["--mech", "LSHist", "--x", "2,2", "--t", "0"], "--t = 0: must be > 0"),
        (["--mech", "LSHist", "--x", "2,2", "--t", "-1"], "--t"),
        (["--mech", "LSHist", "--x", "2,2", "--metric", "cosine"], "--metric = cosine: must be one of"),
        (["--mech", "LSHist", "--x", "2,2,2", "--metric", "tv"], "available for k = 2 only"),
        (["--mech", "LSHist", "--x", "2,2", "--prior", "1,1,1"], "--x"),
        (["--mech", "LSHist", "--x", "2,2", "--quantiles", "1/2,2"], "--quantiles = 2"),
        (["--mech", "LSZhang", "--x", "9000,9000", "--eps", "1/1000"], "--digits"),
        (["--mech", "Nope", "--x", "2,2"], "--mech = Nope: unknown mechanism"),
    ],
)
def test_bad_input(options, message, capsys):
    assert main(["accuracy", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("mech", ["LSZhang", "LSHist", "EHD", "EHDL"])
def test_balanced_data_are_balanced_under_an_equal_prior_only(mech):
    balanced, other = ({found.claim for found in accuracy(mech, "2,2", prior=prior).bounds} for prior in ("2,2", "1,4"))
    assert any(claim.endswith(".balanced") for claim in balanced)
    assert not any(claim.endswith((".balanced", ".repaired")) for claim in other)
    assert {claim for claim in other if claim.startswith("acc.4.5.")} == {
        claim.replace(".balanced", ".all") for claim in balanced if ".5." in claim and claim.endswith(".balanced")
    }
