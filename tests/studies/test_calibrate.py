"""Calibration: the returned nominal epsilon is safe, cannot be raised, and says what it assumes."""

import json
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

import dpaudit
from dpaudit.audit.setting import Setting
from dpaudit.cli import main
from dpaudit.mechanisms.exponential import EHDL
from dpaudit.posterior.model import make_model
from dpaudit.reference import definitions as reference
from dpaudit.studies.accuracy.mean import mean_error
from dpaudit.studies.calibrate.dispatch import calibrate
from dpaudit.studies.calibrate.gammas import balanced, calibrate_gamma
from dpaudit.studies.calibrate.nominal import calibrated

RATIONAL = st.fractions(Fraction(1, 20), Fraction(6), max_denominator=20)


def slow_epsilon(mech, n, prior, eps, gamma, delta, gs):
    value, _ = reference.epsilon(mech, n, prior, eps, gamma=gamma, delta=delta, gs=gs, dps=40)
    return value


@settings(max_examples=25)
@given(
    st.sampled_from(["EHD", "EHDL", "EHDS", "MH", "MHdelta", "LSZhang", "LSDim", "LSHist"]),
    st.integers(1, 4),
    st.sampled_from([("1", "1"), ("1/100", "3"), ("1/2", "1/2")]),
    RATIONAL,
)
def test_the_calibrated_value_is_safe_and_cannot_be_raised(mech, n, prior, target):
    """Safe, and 10^-6 more is not, both by the slow reference."""
    delta = Fraction(1, 10**8) if mech == "MHdelta" else None
    result = calibrate(mech, target, n=n, prior=prior, delta=delta)
    alphas = tuple(Fraction(p) for p in prior)
    with mp.workdps(40):
        bar, one = reference.to_mpf(target), mp.mpf(10) ** -30
        raised = result.nominal * (1 + Fraction(1, 10**6))
        assert slow_epsilon(mech, n, alphas, result.nominal, 1, delta, "constant") <= bar + one
        assert slow_epsilon(mech, n, alphas, raised, 1, delta, "constant") > bar
    if result.closed_form:
        assert result.true_epsilon.contains(target)
    else:
        assert result.true_epsilon.upper <= target < result.beyond.true.lower


def test_ehds_at_100_gets_more_than_twice_the_target():
    result = calibrate("EHDS", n=100, target=1)
    assert result.nominal > 2
    assert result.monotone
    assert dpaudit.epsilon("EHDS", n=100, eps=result.nominal).epsilon.upper <= 1
    assert dpaudit.epsilon("EHDS", n=100, eps=result.nominal * (1 + Fraction(1, 10**7))).epsilon.lower > 1
    better = mean_error(dpaudit.mechanism("EHDS", n=100, eps=result.nominal), (50, 50))
    assert better.upper < mean_error(dpaudit.mechanism("EHDS", n=100, eps=1), (50, 50)).lower / 2


@pytest.mark.parametrize(("mech", "k", "nominal"), [("LSHist", 2, 1), ("LSDim", 2, 2), ("LSDim", 3, Fraction(3, 2))])
def test_closed_forms_are_inverted_exactly(mech, k, nominal):
    result = calibrate(mech, n=7, k=k, target=1)
    assert result.nominal == nominal
    assert result.true_epsilon.lower == result.true_epsilon.upper == 1
    assert result.assumption.startswith("none")


class Bent:
    """A setting whose mechanism does not have the nominal epsilon that it is asked at."""

    def __init__(self, build):
        self.build = build

    def at(self, eps):
        return Setting.read(self.build(eps))


def test_a_dip_beyond_the_first_crossing_is_found():
    """True epsilon that falls again at a larger nominal one: the larger safe value is returned, and it says so."""
    model = make_model(6)

    result = calibrated(Bent(lambda eps: EHDL(model, eps if eps < 4 else eps / 6)), Fraction(1))
    plain = calibrate("EHDL", n=6, target=1)
    assert result.nominal > 6
    assert abs(result.nominal - 6 * plain.nominal) <= Fraction(1, 10**5)
    assert not result.monotone
    assert plain.monotone


def test_a_tiny_target_has_8_digits_too():
    target = Fraction(1, 10**30)
    result = calibrate("EHDS", n=4, target=target)
    assert result.true_epsilon.upper <= target < result.beyond.true.lower
    assert result.monotone
    assert result.beyond.nominal < result.nominal * (1 + Fraction(1, 10**6))


def test_a_target_that_nothing_meets():
    model = make_model(3)
    with pytest.raises(dpaudit.InputError, match="exceeded at every nominal"):
        calibrated(Bent(lambda eps: EHDL(model, eps + 5)), Fraction(1, 10))
    with pytest.raises(dpaudit.InputError, match="not exceeded"):
        calibrated(Bent(lambda eps: EHDL(model, min(eps, Fraction(1, 10)))), Fraction(1))


def test_the_best_gamma_has_the_least_mean():
    result = calibrate_gamma("MH", "1/2", n=12, gammas="1/8,1/2,1,4")
    assert [row.gamma for row in result.tried] == [Fraction(1, 8), Fraction(1, 2), 1, 4]
    with mp.workdps(40):
        means = {
            row.gamma: reference.mean_error(
                "MH", 12, (Fraction(1), Fraction(1)), row.calibrated.nominal, (6, 6), gamma=row.gamma, dps=40
            )
            for row in result.tried
        }
        least = min(means, key=means.get)
        assert abs(means[least] - means[result.best.gamma]) < mp.mpf(10) ** -6 * means[least]
        assert all(row.calibrated.true_epsilon.upper <= Fraction(1, 2) for row in result.tried)
    assert len({row.mean for row in result.tried}) > 1


def test_balanced():
    assert balanced(7, 3) == (3, 2, 2)
    assert balanced(8, 2) == (4, 4)


def test_command_line(capsys):
    assert main(["calibrate", "--mech", "EHDS", "--n", "10", "--target", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"mechanism", "target", "nominal_epsilon", "true_epsilon"} <= set(found)
    assert Fraction(found["nominal_epsilon"]) > 2
    assert Fraction(found["true_epsilon"]["upper"]) <= 1
    assert main(["calibrate", "--mech", "LSDim", "--n", "10"]) == 0
    assert "closed form" in capsys.readouterr().out
    assert main(["calibrate", "--mech", "MH", "--n", "4", "--over", "gamma", "--gammas", "1/2,1", "--json"]) == 0
    assert {"nominal_epsilon", "true_epsilon", "gamma", "rows"} <= set(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mech", "EHDS"], "--n = (missing)"),
        (["--mech", "EHDS", "--n", "5", "--target", "0"], "--target = 0: must be > 0"),
        (["--mech", "EHDS", "--n", "5", "--target", "x"], "--target = x"),
        (["--mech", "EHDS", "--n", "5", "--over", "prior"], "--over = prior: must be eps or gamma"),
        (["--mech", "LSHist", "--n", "5", "--over", "gamma"], "no such parameter"),
        (["--mech", "EHDS", "--n", "5", "--over", "gamma", "--gamma", "2"], "--gamma = 2: cannot be used"),
        (["--mech", "EHDS", "--n", "5", "--x", "2,3"], "--x = 2,3: cannot be used with --over eps"),
        (["--mech", "EHDS", "--n", "5", "--over", "gamma", "--x", "2,2"], "must sum to n"),
        (["--mech", "EHDS", "--n", "5", "--digits", "3"], "--digits = 3"),
    ],
)
def test_bad_input(options, message, capsys):
    assert main(["calibrate", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
