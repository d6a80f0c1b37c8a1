"""Every check of privacy can fail: a relation or a constant is changed; the verdict changes, or a proof breaks."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dpaudit.claims import Point, scans
from dpaudit.claims.outcome import ON_GRID
from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.closed_form import Ratio
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball, precision
from dpaudit.posterior.model import count_histograms, make_model
from proofs_checks.points import maker
from proofs_checks.privacy import delta as privacy_delta
from proofs_checks.privacy import dilation as privacy_dilation
from proofs_checks.privacy import dirichlet as privacy_dirichlet
from proofs_checks.privacy import ehdl as privacy_ehdl
from proofs_checks.privacy import exponential as privacy_exponential
from proofs_checks.privacy import laplace as privacy_laplace
from proofs_checks.privacy import laplace_dilation as privacy_laplace_dilation
from proofs_checks.privacy import laplace_exchange as privacy_laplace_exchange
from proofs_checks.privacy import lemma_5_5 as privacy_lemma_5_5
from proofs_checks.privacy import premise as privacy_premise
from proofs_checks.privacy import premise_steps as privacy_premise_steps
from proofs_checks.privacy import sliding as privacy_sliding
from proofs_checks.privacy import smooth as privacy_smooth
from proofs_checks.privacy import tools as privacy_tools
from proofs_checks.privacy.catalogue import PRIVACY
from tests.proofs_checks.documents import (
    EXPECTED,
    breaks,
    changes_its_verdict,
    proved_everywhere,
    run_one,
    turned,
    unknown_lines,
    verdict_of,
)


def claims_half(name):
    return {**privacy_exponential.CLAIMED, name: Fraction(1, 4)}


_within = privacy_sliding.within


def only_equal_counts(scores, i, j):
    return scores.levels[i].count <= scores.levels[j].count and _within(scores, i, j)


_near = privacy_dilation.near


def near_and_equal_counts(scores, i, j):
    return scores.levels[i].count <= scores.levels[j].count and _near(scores, i, j)


_exponential_at, _dilated = privacy_delta.exponential_at, privacy_dilation.dilated


def five_times_epsilon_in_gamma(kind, point):
    return _exponential_at(privacy_delta.WrongGamma, point)


def with_a_large_delta(tie, nearer, eps, delta):
    return _dilated(tie, nearer, eps, Fraction(1, 2))


LAPLACE = ("dp.lszhang", "dp.lsdim", "dp.lshist")
PERTURBED = [
    *((claim, privacy_laplace, "ONE_STEP", Ratio(0, 0)) for claim in LAPLACE),
    *((claim, *turned(privacy_laplace, "PRIVATE", ">")) for claim in LAPLACE),
    ("dp.lshist", privacy_laplace, "touched", lambda mechanism: 3),
    ("dp.ehd.exact-gs", privacy_exponential, "CLAIMED", claims_half("EHD")),
    ("dp.ehd.prior-ge-1", privacy_exponential, "CLAIMED", claims_half("EHD")),
    ("dp.ehd.any-prior", privacy_exponential, "CLAIMED", {"EHD": 2}),
    ("dp.ehds", privacy_exponential, "CLAIMED", claims_half("EHDS")),
    ("dp.mh", privacy_exponential, "CLAIMED", claims_half("MH")),
    ("dp.mhdelta", *turned(privacy_delta, "DELTA_MOST", ">=")),
    ("dp.mhdelta", privacy_delta, "exponential_at", five_times_epsilon_in_gamma),
    ("dp.mhdelta.dirichlet", privacy_dirichlet, "OVER", "all"),
    ("dp.mhdelta.normalisers", *turned(privacy_delta, "NORMALISERS", "!=")),
    ("dp.lemma-5.5", *turned(privacy_lemma_5_5, "LEMMA", ">")),
    ("ehdl.not-private.uniform", *turned(privacy_ehdl, "EXCEEDS", "<")),
    ("ehdl.not-private.any-prior", privacy_ehdl, "MAIN", (*privacy_ehdl.MAIN[:2], range(1, 20))),
    ("ehdl.premise.beta", *turned(privacy_premise, "SMALLER", "<=")),
    ("ehdl.premise.dirichlet", *turned(privacy_premise, "SMALLER", ">")),
    ("ehdl.algebra", *turned(privacy_premise, "ABOVE_TWO", "<")),
    ("ehdl.first-step", *turned(privacy_premise_steps, "FIRST", "<")),
    ("smooth.exp.adjacent", privacy_smooth, "OVER", "all"),
    ("smooth.gamma", *turned(privacy_smooth, "SMOOTH", "<")),
    ("smooth.gamma", *turned(privacy_smooth, "AT_LEAST_LOCAL", "<")),
    ("smooth.gamma", privacy_smooth, "hamming", lambda x, y: sum(a != b for a, b in zip(x, y, strict=True)) ** 2),
    ("smooth.exp", *turned(privacy_smooth, "SMOOTH_EXP", "<")),
    ("sliding.stated", privacy_sliding, "stated_right", privacy_sliding.proved_right),
    ("sliding.proved", privacy_sliding, "proved_right", privacy_sliding.stated_right),
    ("sliding.proved", *turned(privacy_sliding, "PROVED", "<")),
    ("sliding.p1", privacy_sliding, "within", only_equal_counts),
    ("dilation.stated.negative", *turned(privacy_dilation, "STATED", ">")),
    ("dilation.stated.positive", privacy_dilation, "half_delta", lambda scores, lam: ball(1)),
    ("dilation.assertion", *turned(privacy_dilation, "SAME_COUNT", ">=")),
    ("dilation.p1.negative", *turned(privacy_dilation, "P1", ">")),
    ("dilation.p1.negative", privacy_dilation, "dilated", with_a_large_delta),
    ("dilation.p1.positive", privacy_dilation, "near", near_and_equal_counts),
    ("dilation.laplace.small", *turned(privacy_laplace_dilation, "DILATION", ">")),
    ("dilation.laplace.small", privacy_laplace_dilation, "EPS_MOST", Fraction(3)),
    ("dilation.laplace.third", privacy_laplace_exchange, "PARTS", 1000),
    ("dilation.laplace.exchange", privacy_laplace_exchange, "log_dilated", lambda size, lam, factor: -factor * size),
    ("dilation.laplace.any", privacy_laplace_dilation, "worst_positive", lambda eps, lam: ball(0)),
    ("dilation.laplace.case-1", privacy_laplace_exchange, "stretched", lambda at: (ball(1), ball(Fraction(1, 1000)))),
    ("dilation.p1.any-lambda", *turned(privacy_dilation, "LITERAL", ">")),
    ("dp.lemma-5.5.zero-case", *turned(privacy_lemma_5_5, "LARGEST_DELTA", ">")),
    ("dp.lszhang.literal", *turned(privacy_laplace, "PRIVATE", ">")),
]


@pytest.mark.parametrize(("claim", "module", "name", "value"), PERTURBED)
@pytest.mark.thin(2)
def test_a_perturbed_check_changes_its_verdict(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    assert changes_its_verdict(claim)


def times(module, mech, factor):
    return module, "CLAIMED", {**module.CLAIMED, mech: factor}


NINE_TENTHS, THREE_QUARTERS = Fraction(9, 10), Fraction(3, 4)
PROOFS = [
    ("ehdl.second-step", *turned(privacy_premise_steps, "SECOND", "<")),
    ("dp.lszhang", *times(privacy_laplace, "LSZhang", NINE_TENTHS)),
    ("dp.lszhang.literal", *turned(privacy_laplace, "PRIVATE", "<")),
    ("dp.lsdim", *times(privacy_laplace, "LSDim", Fraction(3, 5))),
    ("dp.lshist", *times(privacy_laplace, "LSHist", NINE_TENTHS)),
    ("dp.ehd.exact-gs", *times(privacy_exponential, "EHD", NINE_TENTHS)),
    ("dp.ehd.prior-ge-1", *times(privacy_exponential, "EHD", NINE_TENTHS)),
    ("dp.ehds", *times(privacy_exponential, "EHDS", THREE_QUARTERS)),
    ("dp.mh", *times(privacy_exponential, "MH", THREE_QUARTERS)),
    ("ehdl.premise.beta", *turned(privacy_premise, "SMALLER", ">")),
    ("ehdl.not-private.uniform", privacy_ehdl, "MOST_SHARE", NINE_TENTHS),
    ("smooth.gamma", privacy_smooth, "smooth_bound", lambda gamma: gamma * 2),
    ("smooth.exp", privacy_smooth, "penalty", lambda gamma, steps: gamma * (steps + 1)),
    ("sliding.proved", privacy_sliding, "FACTOR", 1),
    ("sliding.proved", privacy_sliding, "proved_exponent", lambda t, a, b: t * (a - b)),
    ("dilation.laplace.small", privacy_laplace_dilation, "EPS_MOST", Fraction(5, 2)),
    ("dilation.laplace.small", privacy_laplace_dilation, "DELTA_MOST", Fraction(9, 10)),
    ("dilation.laplace.small", privacy_laplace_dilation, "claimed", lambda delta: delta / 3),
    ("dilation.laplace.small", privacy_laplace_dilation, "reach", lambda eps, length: eps / length),
]
"""Proofs for all n: their own statement is perturbed, and a line breaks."""


@pytest.mark.parametrize(("claim", "module", "name", "value"), PROOFS)
@pytest.mark.thin(2)
def test_the_proof_breaks_with_its_statement(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    assert breaks(claim)


def test_every_claim_and_every_proof_for_all_n_is_perturbed():
    assert {claim for claim, *_ in (*PERTURBED, *PROOFS)} == {claim.id for claim in PRIVACY}
    assert {claim for claim, *_ in PROOFS} == proved_everywhere(PRIVACY)


def test_every_line_of_a_proof_says_how_it_is_known():
    for claim in sorted(i for i in proved_everywhere(PRIVACY) if not i.startswith(("dp.", "smooth."))):
        assert unknown_lines(claim) == []


def test_a_cell_law_that_is_not_the_mechanisms_own_is_noticed(monkeypatch):
    wrong = list(privacy_laplace.CASES)
    wrong[1] = replace(wrong[1], first=wrong[1].second)
    monkeypatch.setattr(privacy_laplace, "CASES", tuple(wrong))
    outcome = run_one("dp.lshist").outcome
    assert verdict_of(outcome) == ("PROVED", ON_GRID)
    assert "true ε in closed form" in outcome.grid


def test_the_witness_of_ehdl_is_minimal_in_n():
    prior, eps, _ = privacy_ehdl.MAIN
    with precision(128):
        below, above = (privacy_tools.true_epsilon(maker("EHDL")(Point(n=n, prior=prior, eps=eps))) for n in (136, 137))
        assert below < 1 < above
    assert "n = 137" in EXPECTED["ehdl.not-private.any-prior"]["line"]


def test_orbits_agree_with_the_engine_where_it_can_list_everything():
    """The same model small enough to be listed: pair by pair the sum over orbits is the sum over candidates."""
    large = privacy_dirichlet.Large(3, 4, 50, 5, Fraction(8), Fraction(1, 10), 4)
    assert large.complete()
    assert sum(size for size, *_ in large.orbits()) == count_histograms(3, 4)
    mechanism = make_mechanism("MHdelta", make_model(3, prior=(50, 5, 5, 5)), 8, {"delta": "1/10"})
    with precision(256):
        law, factor = mechanism.law(), ball(mechanism.epsilon).exp()
        pairs = zip(law.probabilities((2, 1, 0, 0)), law.probabilities((3, 0, 0, 0)), strict=True)
        differences = [p - factor * q for p, q in pairs]
        listed = sum((d for d in differences if d > 0), ball(0))
        assert all(d > 0 or d < 0 for d in differences)
        found = large.delta_lower()
        assert found.overlaps(listed)
        assert found.rad() < 1e-40
        assert listed.rad() < 1e-40


def test_orbits_that_miss_a_candidate_are_refused(monkeypatch):
    monkeypatch.setattr(privacy_dirichlet, "count_histograms", lambda n, k: 7)
    with pytest.raises(ArithmeticError):
        privacy_dirichlet.dirichlet(privacy_dirichlet.DIRICHLET[0][1])


def test_a_lower_bound_of_delta_with_many_records_is_one(monkeypatch):
    """With few outputs looked at it stays below the true delta of the usual tier, and comes near it."""
    from proofs_checks.privacy import many_records
    from proofs_checks.privacy.tools import true_delta

    monkeypatch.setattr(many_records, "REACH", 90)
    model = make_model(120, prior="1/10000,1000")
    wrong = privacy_delta.WrongGamma(model, Fraction(16), Fraction(1, 10), multiple=Fraction(1))
    with balls.precision(192):
        whole = true_delta(wrong, wrong.epsilon)
        parts = [many_records.delta_near(wrong, *pair) for x in range(6) for pair in ((x, x + 1), (x + 1, x))]
        assert balls.certainly_less(balls.ball(0), whole)
        assert all(balls.certainly_at_most(part, whole) or balls.overlap(part, whole) for part in parts)
        assert balls.certainly_less(whole, 2 * balls.maximum(parts))


def test_the_control_with_many_records_needs_its_multiple():
    """3/2 shows, the γ of the paper does not; and the rest of the data sets must not matter for S."""
    for multiple, refuted in ((Fraction(3, 2), True), (Fraction(1), False)):
        found = scans.scan(privacy_delta.NEAR_MOST, [privacy_delta.huge_batch(multiple)])
        assert (found.verdict.value == "REFUTED") == refuted
