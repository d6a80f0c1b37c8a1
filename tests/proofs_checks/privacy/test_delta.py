"""MHdelta in the claims: a wrong gamma is noticed, its proof can fail, and its sensitivity is that of the text."""

from fractions import Fraction
from functools import partial

import pytest

from dpaudit.claims import Point, Proof, scan
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.verdict import Verdict
from proofs_checks.privacy import delta, dirichlet


@pytest.mark.parametrize(("multiple", "verdict"), [(1, Verdict.PROVED), *((k, Verdict.REFUTED) for k in delta.WRONG)])
def test_the_extreme_grid_notices_a_wrong_gamma_and_passes_the_right_one(multiple, verdict):
    kind = partial(delta.WrongGamma, multiple=multiple)
    assert scan(delta.DELTA_MOST, delta.delta_batches(delta.EXTREME, kind)).verdict is verdict


def test_the_weaker_guarantee_breaks_with_its_gamma_and_with_what_it_cites(monkeypatch):
    proved = {"smooth.exp": "", "ls.reduction": ""}
    assert not delta.weaker_proof(Proof(proved)).obstacle
    assert "smooth.exp" in delta.weaker_proof(Proof({**proved, "smooth.exp": "REFUTED"})).obstacle
    monkeypatch.setattr(delta, "growth", lambda eps, length: eps / length)
    assert delta.weaker_proof(Proof(proved)).failed == ["the last term", "the engine's γ"]


def test_the_mechanism_as_printed_takes_its_sensitivity_from_the_neighbors_only():
    """S of (0, 0, 3) by hand: LS of itself and of its neighbors, each by H of adjacent data sets."""
    mechanism = dirichlet.exponential_at(
        partial(delta.MHdelta, over="adjacent"),
        Point(n=3, eps=8, delta=Fraction(1, 10**8), prior=(100, 100, Fraction(1, 1000))),
    )
    with balls.precision(128):
        h = dirichlet.Hellinger(mechanism.model)
        gamma = delta.MHdelta(mechanism.model, mechanism.epsilon, mechanism.delta).gamma()
        near = [h.local(c) for c in ((0, 1, 2), (1, 0, 2))]
        by_hand = balls.maximum([h.local((0, 0, 3)), *((-gamma).exp() * value for value in near)])
        assert balls.overlap(ball(mechanism.epsilon / 2) / mechanism.rates(h)((0, 0, 3)), by_hand)
