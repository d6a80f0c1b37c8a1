"""Answers about all pairs with the float filter and without it: the same verdicts; enclosures overlap, as narrow."""

from fractions import Fraction
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from random_laws import models, table, tables

import dpaudit
from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import make_model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import parse_guarantee
from dpaudit.privacy.judge_tests import _below_gaussian
from dpaudit.privacy.sieve import make_sieve

np = pytest.importorskip("numpy", reason="the fast tier needs numpy")

from dpaudit.privacy.fast.screened import Screened  # noqa: E402

CLAIMS = ["alpha=1,eps=1/10", "alpha=3/2,eps=1", "alpha=8,eps=1/5", "rho=1/50", "rho=3"]
CLAIMS += ["mu=1/2", "mu=2", "f=0:1;1/4:1/2;1:0", "f=0:1/2;1/2:1/10;1:0", "f=0:1;1:0"]


def both(mechanism, claim):
    """The claim as judged by the exact tier, and with the float filter however small the audit is."""
    guarantee = parse_guarantee("claim", claim)
    exact = guarantee.judge(mechanism, Effort(tier="exact"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpaudit.privacy.sieve.WORTH_IT", 0)
        return exact, guarantee.judge(mechanism, Effort())


def agree(mechanism, claim):
    exact, fast = both(mechanism, claim)
    assert exact.verdict is fast.verdict, claim
    a, b = exact.evidence.value, fast.evidence.value
    assert a.is_infinite == b.is_infinite
    if not a.is_infinite:
        assert a.lower <= b.upper and b.lower <= a.upper, claim  # noqa: PT018
        assert b.width <= 2 * a.width + Fraction(1, 10**14) + (a.upper / 5000 if "rho" in claim else 0)


@settings(max_examples=25)
@given(models(), st.sampled_from(CLAIMS))
def test_models(mechanism, claim):
    agree(mechanism, claim)


@settings(max_examples=40)
@given(tables(), st.sampled_from(CLAIMS))
def test_tables(mechanism, claim):
    agree(mechanism, claim)


@pytest.mark.parametrize("claim", CLAIMS)
@pytest.mark.parametrize("mech", ["EHDS", "EHDL", "LSHist"])
def test_larger_ones(mech, claim):
    agree(make_mechanism(mech, make_model(60, None, "1,3/2"), "2", {}), claim)


@pytest.mark.parametrize("claim", [*CLAIMS, "f=0:0;1:0"])
def test_an_entry_that_takes_more_bits_than_the_sieve_has(claim):
    """e^(10^-60) - 1 is not apart from 0 at 128 bits; and f = 0 limits nothing."""
    tiny = dpaudit.exp(Fraction(1, 10**60)) - 1
    rows = [[p, Fraction(1, q), 1 - p - Fraction(1, q)] for p, q in ((tiny, 2), (Fraction(1, 10**60), 4), (tiny, 3))]
    agree(table(rows), claim)


def test_a_claim_closer_to_the_truth_than_floats_tell():
    """The largest loss is 100, and sup D / order just below it."""
    rare = 1 / (1 + dpaudit.exp(100))
    rows = [[rare, 1 - rare], [1 - rare, rare], [Fraction(3, 5), Fraction(2, 5)]]
    agree(table(rows), "rho=100")


def test_few_pairs_are_left():
    """Of n pairs the floats leave one or two to the balls, and those near the maximum for rho."""
    sieve = make_sieve(make_mechanism("EHDS", make_model(700), "1", {}), Effort(), "claim")
    assert len(sieve.every().pairs) == 350
    for order in (1, 2, 8, 64):
        assert len(sieve.divergence(Fraction(order)).pairs) == 1
    left = sieve.concentration()
    assert len(left.pairs) <= 5
    assert left.others is not None


def test_a_claim_just_above_the_truth_is_decided():
    """Claims closer to rho than the tolerance of its enclosure, on both sides."""
    mechanism = make_mechanism("EHDS", make_model(400), "1", {})
    found = parse_guarantee("claim", "rho=1").judge(mechanism, Effort()).evidence.value
    for share, verdict in ((1 - Fraction(1, 10**6), "REFUTED"), (1 + Fraction(1, 10**3), "PROVED")):
        claim = f"rho={found.lower * share}"
        assert str(parse_guarantee("claim", claim).judge(mechanism, Effort()).verdict.value) == verdict


def test_ten_thousand_records_are_answered():
    """With the divergence of the pair that is named, from its two rows."""
    evidence = dpaudit.judge("EHDS", "alpha=2,eps=1/2", n=10_000).claim.evidence
    law = make_mechanism("EHDS", make_model(10_000), "1", {}).law()
    with balls.precision(128):
        rows = zip(*map(law.probabilities, (evidence.witness.x, evidence.witness.x_prime)), strict=True)
        direct = balls.ends(balls.total([p * p / q for p, q in rows]).log())
    assert evidence.value.lower <= direct[1]
    assert direct[0] <= evidence.value.upper


def test_what_is_too_large_for_floats_is_refused():
    with pytest.raises(InputError, match="pairs times outputs"):
        dpaudit.judge("EHDS", "rho=1", n=100_000)


@pytest.mark.parametrize("mu", ["1/100", "3/10", "2", "6"])
def test_the_limits_lie_below_delta_of_the_gaussian_and_close_to_it(mu):
    """At the nodes and between them, in t = e^epsilon; by mpmath."""
    top = float(Fraction(mu)) * 3
    with balls.precision(128):
        epsilons, limits = _below_gaussian(balls.ball(Fraction(mu)), SimpleNamespace(largest_loss=lambda: top))
        texts = [[end.mid().str(40, radius=False) for end in ends] for ends in (epsilons, limits)]
    with mp.workdps(40):
        nodes = list(zip(*([mpf(text) for text in column] for column in texts), strict=True))
    assert nodes[0][0] == 0
    assert nodes[-1][1] == 0
    assert nodes[-1][0] >= top
    with mp.workdps(40):
        m = mpf(Fraction(mu).numerator) / Fraction(mu).denominator

        def delta(t):
            return mp.ncdf(m / 2 - mp.log(t) / m) - t * mp.ncdf(-m / 2 - mp.log(t) / m)

        for (e, low), (f, high) in list(pairwise(nodes))[::40]:
            middle = (mp.exp(e) + mp.exp(f)) / 2
            assert low <= delta(mp.exp(e)) + mpf("1e-30")
            assert delta(middle) * (1 - mpf("1e-4")) <= (low + high) / 2 <= delta(middle) + mpf("1e-30")


@pytest.mark.parametrize("wrong", ["above", "concentration", "divergence"])
def test_a_sieve_that_discards_too_much_would_be_seen(wrong, monkeypatch):
    """Twins that leave the least promising pair alone."""

    def broken(self, *arguments):
        uppers = self._deltas([balls.zero()])[:, 0]
        return self._left(np.zeros(len(uppers), dtype=bool), [int(uppers.argmin())], 0.0)

    monkeypatch.setattr(Screened, wrong, broken)
    monkeypatch.setattr(Screened, "promising", lambda self, epsilons: broken(self))
    mechanism = make_mechanism("EHDL", make_model(40, None, "1,3/2"), "2", {})
    claim = {"above": "mu=2", "concentration": "rho=3", "divergence": "alpha=8,eps=1/5"}[wrong]
    with pytest.raises(AssertionError):
        agree(mechanism, claim)
