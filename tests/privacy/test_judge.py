"""Verdicts on claims: at the edge, at low digits, and what a delta elsewhere says."""

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb

import dpaudit
from dpaudit.cli import main
from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers.balls import PrecisionExhausted, ball
from dpaudit.numbers.enclosure import Enclosure, exact
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import make_model
from dpaudit.privacy import judge
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.pairs import Witness, Worst
from dpaudit.privacy.protocols import Mass

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED


@pytest.mark.parametrize("prior", ["1/18", "1/19", "7/136", "1/20", "1/22"])
def test_one_digit_is_enough_for_a_verdict(prior):
    """One record, EHD with the constant: the true epsilon is H / (2 GS_0), which crosses 1 among these priors."""
    rough, fine = (dpaudit.epsilon("EHD", n=1, prior=f"{prior},{prior}", digits=d) for d in (1, 30))
    assert rough.claim.verdict is fine.claim.verdict
    expected = PROVED if fine.epsilon.upper <= 1 else REFUTED
    assert fine.claim.verdict is expected
    rough, fine = (dpaudit.delta("EHD", at=1, n=1, prior=f"{prior},{prior}", digits=d) for d in (1, 30))
    assert rough.claim.verdict is fine.claim.verdict is expected


def test_the_crossing_lies_among_them():
    first, last = (dpaudit.epsilon("EHD", n=1, prior=f"{p},{p}").claim.verdict for p in ("1/18", "1/22"))
    assert (first, last) == (PROVED, REFUTED)


def worst(lower, upper):
    return Worst(Enclosure(Fraction(lower), Fraction(upper), 3), Witness((1, 0), (0, 1), None), 128)


def test_an_open_verdict_ends_undecided(monkeypatch):
    """The enclosure never leaves the bound: more digits are tried up to 200, then the verdict stays open."""
    asked = []

    def stubborn(mechanism, *arguments, **_):
        asked.append(arguments[0].digits)
        return worst("0.999", "1.001")

    monkeypatch.setattr(judge, "worst_loss", stubborn)
    mechanism = make_mechanism("EHD", make_model(2), 1, {})
    limit, open_ = EpsilonDelta(Fraction(1)), worst("0.999", "1.001")
    claim = limit.judge(mechanism, Effort(15), open_)
    assert (claim.guarantee, claim.verdict, claim.evidence.value) == (limit, UNDECIDED, open_.value)
    assert asked == [45, 135, 405]
    asked.clear()
    monkeypatch.setattr(
        judge, "worst_delta", lambda m, at, effort: asked.append(effort.digits) or worst("-0.001", "0.001")
    )
    claim = judge.judge_delta(mechanism, limit, Fraction(1), worst("-0.001", "0.001"), Effort(15))
    assert (claim.guarantee, claim.verdict) == (limit, UNDECIDED)
    assert asked == [45, 135, 405]
    asked.clear()
    assert judge.judge_delta(mechanism, limit, Fraction(1), None, Effort(200)).verdict is UNDECIDED
    assert asked == [200]


@pytest.mark.parametrize(
    ("known", "verdict"), [("999/1000", PROVED), ("1", PROVED), ("1001/1000", REFUTED), ("3", REFUTED)]
)
def test_a_known_epsilon_decides(known, verdict):
    mechanism = make_mechanism("EHD", make_model(1), 1, {})
    found = replace(worst("0.9", "4"), known=Fraction(known), value=exact(Fraction(known), 15))
    claim = EpsilonDelta(Fraction(1)).judge(mechanism, Effort(15), found)
    assert (claim.epsilon, claim.delta, claim.verdict) == (1, 0, verdict)
    assert claim.evidence.value.contains(Fraction(known))


@pytest.mark.parametrize(
    ("at", "eps", "verdict"),
    [
        ("1", "1", PROVED),  # delta(1) = 0: the claim itself
        ("3/2", "1", None),  # delta beyond the claimed epsilon is 0 too, and proves nothing
        ("1/2", "1", None),  # delta(1/2) > 0 refutes nothing
    ],
)
def test_what_delta_elsewhere_says(at, eps, verdict):
    assert dpaudit.delta("LSHist", at=at, n=4, eps=eps).claim.verdict is verdict


def test_a_delta_below_the_claimed_epsilon_can_prove_and_one_above_refute():
    mild = {"n": 4, "delta": "1/20"}
    assert dpaudit.delta("MHdelta", at="9/10", **mild).claim.verdict is PROVED
    assert dpaudit.delta("MHdelta", at="0", **mild).claim.verdict is None
    sharp = {"n": 1, "prior": "1/100,1/100"}
    assert dpaudit.delta("EHD", at="26/25", **sharp).claim.verdict is REFUTED
    assert dpaudit.delta("EHD", at="1", **sharp).claim.verdict is REFUTED
    assert dpaudit.delta("EHD", at="3", **sharp).claim.verdict is None


def test_a_mechanism_of_fixed_width_gets_the_digits_it_allows():
    class Fixed:
        name, refinable = "fixed", False

    def compute(effort, more=0):
        if effort.digits + more > 7:
            raise PrecisionExhausted(64)
        return effort.digits + more

    assert Effort(15).widest(Fixed(), compute) == Effort(14).widest(Fixed(), compute) == 7
    with pytest.raises(dpaudit.InputError, match="too wide"):
        Effort(15).widest(Fixed(), lambda effort: compute(effort, 8))
    assert Effort(15).widest(Fixed(), lambda effort: compute(effort, 6)) == 7
    with pytest.raises(PrecisionExhausted):
        Effort(8).widest(make_mechanism("EHD", make_model(1), 1, {}), compute)


@pytest.mark.parametrize(
    ("p", "p_prime", "loss", "verdict"),
    [
        (1, 2, "1/2", PROVED),
        (1, 2, "51/100", REFUTED),  # algebra has the last word
        (0, 1, None, PROVED),
        (0, 0, None, PROVED),
        (1, 0, None, REFUTED),
        (None, 0, None, UNDECIDED),
        (3, 2, None, PROVED),  # ln 3/2 < 1/2
        (2, 3, None, PROVED),
        (2, 1, None, REFUTED),  # ln 2 > 1/2
        (None, 1, None, UNDECIDED),
    ],
)
def test_the_verdict_on_one_output(p, p_prime, loss, verdict):
    """ln p/p' <= 1/2; None is a ball around 0 of which nothing is known."""
    masses = [arb(0, 1) if value is None else ball(value) for value in (p, p_prime)]
    mass = Mass(*masses, None if loss is None else Fraction(loss))
    assert judge._one_at_most(mass, Fraction(1, 2), ball(Fraction(1, 2))) is verdict


def test_a_claim_is_judged_by_an_enclosure_however_wide(tmp_path, capsys):
    path = tmp_path / "wide.py"
    path.write_text(
        "class Half:\n"
        "    def datasets(self): return [0, 1]\n"
        "    def outputs(self): return ['a', 'b']\n"
        "    def probabilities(self, x): return [('0.7', '0.8'), ('0.2', '0.3')][:: 1 - 2 * x]\n"
        "    def claimed(self): return self.bound\n"
        "class Two(Half): bound = 2\n"
        "class Low(Half): bound = '1/2'\n"
        "class Open(Half): bound = '1.2'\n"
    )
    for name, code, verdict in (("Two", 0, "PROVED"), ("Low", 1, "REFUTED"), ("Open", 3, "UNDECIDED")):
        assert main(["epsilon", "--mech", f"{path}:{name}", "--require"]) == code
        shown = capsys.readouterr().out
        assert "[0.847297, 1.386295]" in shown
        assert verdict in shown
    for claim, verdict in (("2", "PROVED"), ("1/2", "REFUTED"), ("1.2", "UNDECIDED"), ("eps=0,delta=1/10", "REFUTED")):
        assert dpaudit.judge(f"{path}:Two", claim).verdict.value == verdict
