"""One record in two categories: the true ε of the exponential family is e/2, by algebra and by balls."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.one_record import OneRecord
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.loss import worst_loss
from dpaudit.studies.calibrate.dispatch import calibrate

HALVES = [
    ("EHDL", "1,1", {}, 2),
    ("EHDL", "1/3,5", {}, 2),
    ("EHD", "1,1", {}, 2),
    ("EHD", "1/3,5", {"gs": "exact"}, 2),
    ("EHDS", "1/3,5", {"gamma": "3"}, 8),
    ("MH", "7,1/2", {"gamma": "1/2"}, 2),
    ("MHdelta", "1/3,5", {"delta": "1/10"}, 2),
    ("MHdelta", "1/3,5", {"delta": "1/10", "over": "adjacent"}, 2),
]


@pytest.mark.parametrize(("mech", "prior", "options", "share"), HALVES)
@pytest.mark.parametrize("eps", ["1", "1/100", "7"])
def test_the_true_epsilon_is_known_exactly(mech, prior, options, share, eps):
    found = dpaudit.epsilon(mech, n=1, prior=prior, eps=eps, **options)
    assert found.closed_form_text == str(Fraction(eps) / share)
    assert found.epsilon.lower <= Fraction(eps) / share <= found.epsilon.upper
    plain = worst_loss(make_mechanism(mech, make_model(1, prior=prior.split(",")), eps, options), Effort(20))
    assert plain.value.lower <= Fraction(eps) / share <= plain.value.upper


@pytest.mark.parametrize(
    ("mech", "n", "prior", "options"),
    [
        ("EHD", 1, "1/2,1", {}),
        ("EHDL", 2, "1,1", {}),
        ("EHDL", 1, "1,1,1", {}),
        ("EHDL", 1, "1,1", {"score": "l1"}),
    ],
)
def test_elsewhere_algebra_knows_nothing(mech, n, prior, options):
    mechanism = make_mechanism(mech, make_model(n, prior=prior.split(",")), 1, options)
    assert not isinstance(mechanism.algebra(), OneRecord)


def test_the_tie_is_decided():
    assert dpaudit.epsilon("EHD", n=1, eps=2, claim="1").claim.verdict.value == "PROVED"
    assert dpaudit.epsilon("EHD", n=1, eps="2000001/1000000", claim="1").claim.verdict.value == "REFUTED"


def test_calibrating_at_one_record_reaches_the_tie():
    assert calibrate("EHDL", 1, n=1, prior="1/3,5").nominal == 2
