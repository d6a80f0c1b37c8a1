"""MHdelta over adjacent data sets, P1's mechanism of the Dirichlet system, against the slow reference."""

from fractions import Fraction

import pytest

import dpaudit
from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import make_model
from dpaudit.reference import definitions

DELTA = "1e-8"
SETTINGS = [(3, "1,1,1", "4/5"), (4, "1/2,1,2", "8"), (6, "1/10,5", "2"), (1, "1,1", "1")]


@pytest.mark.parametrize(("n", "prior", "eps"), SETTINGS)
def test_the_sensitivity_is_that_of_the_neighbors(n, prior, eps):
    entries = tuple(map(Fraction, prior.split(",")))
    model = make_model(n, prior=entries)
    found = make_mechanism("MHdelta", model, eps, {"delta": DELTA, "over": "adjacent"})
    gamma = definitions.delta_gamma(n, Fraction(eps), Fraction(1, 10**8))
    with balls.precision(192):
        rates = found.rates(Hellinger(model))
        for x in model.histograms:
            slow = definitions.exp_smooth_sensitivity(n, entries, x, gamma, over="adjacent")
            near = balls.ball(Fraction(eps) / 2) / balls.ball(definitions.exact_value(slow))
            assert abs(float(rates(x) / near) - 1) < 1e-15


@pytest.mark.parametrize(("n", "prior", "eps"), SETTINGS)
def test_it_is_audited_like_the_others(n, prior, eps):
    asked = {"n": n, "prior": prior, "eps": eps, "delta": DELTA, "over": "adjacent"}
    assert dpaudit.epsilon("MHdelta", **asked, cross_check=True).cross_check.agrees
    assert dpaudit.delta("MHdelta", Fraction(eps), **asked, cross_check=True).cross_check.agrees


def test_it_is_another_mechanism_where_the_largest_sensitivity_is_two_steps_away():
    asked = {"n": 3, "prior": "100,100,1/1000", "eps": 8, "delta": DELTA}
    everywhere, near = dpaudit.epsilon("MHdelta", **asked), dpaudit.epsilon("MHdelta/adjacent", **asked)
    assert everywhere.epsilon.lower > near.epsilon.upper or near.epsilon.lower > everywhere.epsilon.upper
    assert "over" not in everywhere.subject.mechanism.settings()
    assert near.subject.mechanism.settings()["over"] == "adjacent"
    assert "adjacent to x" in near.subject.mechanism.formula_here()


def test_large_n_at_k_2_does_not_take_the_tier_that_knows_all_data_sets_only():
    asked = {"n": 400, "prior": "1/10,5", "eps": 2, "delta": DELTA, "digits": 6}
    fast, exact = (dpaudit.epsilon("MHdelta/adjacent", **asked, tier=tier).epsilon for tier in ("auto", "exact"))
    assert fast.lower <= exact.upper
    assert exact.lower <= fast.upper


def test_unknown_words_are_refused():
    with pytest.raises(InputError, match="must be all or adjacent"):
        dpaudit.epsilon("MHdelta", n=3, delta=DELTA, over="some")
