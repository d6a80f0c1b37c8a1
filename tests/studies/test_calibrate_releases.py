"""Calibration of a pipeline's noise: the value found keeps the (ε, δ), and the next one does not."""

import json
from fractions import Fraction as F

import pytest
from mpmath import mp, mpf

import dpaudit
from dpaudit.cli import main
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from tests.accounting import reference_accounting as reference


def gaussian(value, times=1):
    """δ(1) of so many Gaussian mechanisms with this σ, by the reference."""
    return reference.gaussian(mp.sqrt(times) / mpf(value.numerator) * value.denominator, mpf(1))


def sampled(value):
    sigma = mpf(value.numerator) / value.denominator
    return max(reference.sampled_gaussian(sigma, mpf(1) / 10, mpf(1), add) for add in (False, True))


def rated(value):
    rate = mpf(value.numerator) / value.denominator
    return max(reference.sampled_gaussian(mpf(1), rate, mpf(1), add) for add in (False, True))


def laplace(value):
    return reference.laplace(mpf(value.denominator) / value.numerator, mpf(1))


CASES = {
    "gaussian:sigma=?": (gaussian, F(1, 1000)),
    "gaussian:sigma=? x 7": (lambda value: gaussian(value, 7), F(1, 1000)),
    "gaussian:sigma=10 x ?": (lambda value: gaussian(F(10), int(value)), F(-1)),
    "gaussian:sigma=?,rate=1/10": (sampled, F(1, 1000)),
    "gaussian:sigma=1,rate=?": (rated, F(-1, 10**5)),
    "laplace:scale=?": (laplace, F(1, 10_000)),
}
"""Events, δ(1) at a value of what is wanted, and by how much the value found differs from the next one."""


@pytest.mark.parametrize("event", CASES)
def test_the_value_keeps_the_target_and_the_next_one_does_not(event):
    delta, place = CASES[event]
    found = dpaudit.calibrate_releases(event, "eps=1,delta=1e-5")
    with mp.workdps(40):
        assert delta(found.value) <= mpf("1e-5") < delta(found.beyond.value)
    assert found.beyond.verdict is Verdict.REFUTED
    assert found.value - found.beyond.value == place


def test_the_pure_scale_is_exact():
    found = dpaudit.calibrate_releases(["laplace:scale=? x 3", "laplace:eps=1/2"], 1)
    assert found.value == 6
    assert found.delta.upper == 0
    assert found.beyond.delta.lower > 0


def test_the_end_of_a_range_has_nothing_beyond():
    found = dpaudit.calibrate_releases("gaussian:sigma=10,rate=?", "eps=5,delta=1e-6")
    assert (found.value, found.beyond) == (1, None)
    assert "there is none" in str(found)


def test_a_bound_that_is_not_attained_does_not_say_of_all():
    found = dpaudit.calibrate_releases("exponential:eps=? x 2", "eps=1/5,delta=1e-3")
    assert found.beyond.verdict is Verdict.UNDECIDED
    assert "the largest for which this is proved" in str(found)


def test_what_rests_on_an_assumption_says_so():
    found = dpaudit.calibrate_releases("discrete-gaussian:sigma=?", "eps=1,delta=1e-3")
    assert "not proved" in found.assumption
    assert dpaudit.calibrate_releases("gaussian:sigma=?", "eps=1,delta=1e-3").assumption.startswith("nothing")


def test_the_command_prints_one_that_checks_the_answer(capsys):
    words = ["calibrate", "--event", "gaussian:sigma=?,rate=1/100 x 20", "--target", "eps=1,delta=1e-5"]
    assert main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    event = found["events"][0]
    assert main(["account", "--event", event, "--claim", "eps=1,delta=1e-5", "--require"]) == 0
    less = f"gaussian:sigma={found['beyond']['value']},rate=1/100 x 20"
    assert main(["account", "--event", less, "--claim", "eps=1,delta=1e-5", "--require"]) == 1


@pytest.mark.parametrize(
    ("events", "target", "words"),
    [
        (["gaussian:sigma=?", "laplace:eps=?"], "eps=1,delta=1e-5", "write ? for one parameter"),
        (["gaussian:sigma=2"], "eps=1,delta=1e-5", "write ? for one parameter"),
        (["gaussian:sensitivity=?,sigma=1"], "eps=1,delta=1e-5", "sigma, scale, eps or rate"),
        (["mech:EHDS,n=5,eps=?"], "eps=1", "sigma, scale, eps or rate"),
        (["gaussian:sigma=?"], "eps=1", "give a δ too"),
        (["gaussian:sigma=?"], "rho=1", "must be ε or"),
        (["gaussian:sigma=1", "laplace:scale=?"], "eps=1/10,delta=1e-5", "the other releases alone exceed it"),
        (["gaussian:sigma=1 x ?"], "eps=1/10,delta=1e-5", "is exceeded by a single release"),
        (["gaussian:sigma=?"], "eps=1,delta=1", "is kept at every sigma tried"),
    ],
)
def test_what_cannot_be_found_is_refused(events, target, words):
    with pytest.raises(InputError, match=words.replace("?", r"\?")):
        dpaudit.calibrate_releases(events, target)
