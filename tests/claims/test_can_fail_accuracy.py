"""Every check of the accuracy claims can fail: a formula, a relation or a lemma is changed, and the outcome changes."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dpaudit.numbers import balls
from proofs_checks import (
    accuracy_corollaries,
    accuracy_ehd,
    accuracy_error,
    accuracy_laws,
    accuracy_lshist,
    accuracy_lszhang,
    accuracy_proofs,
    accuracy_tails,
    accuracy_theorem42,
    accuracy_utility,
    core,
    expectations,
    registry,
    runner,
)
from proofs_checks.accuracy_rows import HALF, ONE, Q
from proofs_checks.outcome import by_algebra

EXPECTED = expectations.read()
FLIPPED = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "!=", "!=": "="}


def flipped(comparison):
    return replace(comparison, relation=FLIPPED[comparison.relation])


def distinct(comparison):
    return replace(comparison, relation="!=")


VERDICT = [
    ("acc.floor-law", accuracy_laws, "printed_floor_law", accuracy_laws.floor_law),
    ("acc.abs-floor-law", accuracy_laws, "printed_abs_law", lambda q, k: k - k * q * q),
    ("acc.interval-law", accuracy_laws, "printed_interval_law", lambda q, _: 1 - HALF * q),
    ("acc.em-tail", accuracy_tails, "CORRECTED", 2),
    ("acc.mh-tight.corrected", accuracy_tails, "CORRECTED", 2),
    ("acc.mh-second.corrected", accuracy_tails, "CORRECTED", 2),
    ("acc.mh-loose", accuracy_tails, "CORRECTED", 2),
    ("acc.mh-second.stated", accuracy_tails, "PRINTED", 1),
    ("acc.4.2.strict", accuracy_theorem42, "STRICT", accuracy_theorem42.CLOSED),
    ("acc.4.2.closed", accuracy_theorem42, "promised", lambda q, k: 1 - HALF * q),
    ("acc.4.5.lszhang-eq.balanced", accuracy_lszhang, "EQUALITY", accuracy_lszhang.AT_LEAST),
    ("acc.4.5.lszhang-lb.balanced", accuracy_lszhang, "printed_bound", lambda p, k: 1 - k),
    ("acc.4.5.lshist-eq.balanced", accuracy_lshist, "printed_equality", lambda q, k: 1 - k),
    ("acc.4.5.lshist-lb.balanced", accuracy_lshist, "printed_bound", lambda q, k: 1 - q * k),
    (
        "acc.4.5.lshist-eq.all",
        accuracy_lshist,
        "EQ_EVERY",
        replace(accuracy_lshist.EQ_EVERY, right=accuracy_lshist.LSHIST),
    ),
    ("acc.4.5.lshist-lb.all", accuracy_lshist, "printed_bound", lambda q, k: 0 * q),
    ("acc.4.5.ehd-lower.balanced", accuracy_ehd, "EHD_LOWER", accuracy_ehd.EHD_LOWER_REPAIRED),
    ("acc.4.5.ehd-lower.all", accuracy_ehd, "EHD_LOWER_EVERY", distinct(accuracy_ehd.EHD_LOWER_EVERY)),
    ("acc.4.5.ehd-upper.balanced", accuracy_ehd, "FAR", 700),
    ("acc.4.5.ehd-upper.all", accuracy_ehd, "EHD_UPPER_EVERY", distinct(accuracy_ehd.EHD_UPPER_EVERY)),
    ("acc.4.5.ehd-lower.repaired", accuracy_ehd, "EHD_LOWER_REPAIRED", accuracy_ehd.EHD_LOWER),
    ("acc.4.5.ehd-upper.repaired", accuracy_ehd, "EHD_UPPER_REPAIRED", flipped(accuracy_ehd.EHD_UPPER_REPAIRED)),
    ("acc.4.5.ehdl-lower.balanced", accuracy_ehd, "EHDL_LOWER", accuracy_ehd.EHDL_LOWER_REPAIRED),
    ("acc.4.5.ehdl-lower.all", accuracy_ehd, "EHDL_LOWER_EVERY", distinct(accuracy_ehd.EHDL_LOWER_EVERY)),
    ("acc.4.5.ehdl-upper.balanced", accuracy_ehd, "EHDL_UPPER", flipped(accuracy_ehd.EHDL_UPPER)),
    ("acc.4.5.ehdl-upper.all", accuracy_ehd, "EHDL_UPPER_EVERY", distinct(accuracy_ehd.EHDL_UPPER_EVERY)),
    ("acc.4.5.1", accuracy_corollaries, "FIRST", distinct(accuracy_corollaries.FIRST)),
    ("acc.4.5.2", accuracy_corollaries, "SECOND", distinct(accuracy_corollaries.SECOND)),
    ("acc.4.5.3", accuracy_corollaries, "THIRD", replace(accuracy_corollaries.THIRD, relation=">=")),
]

FINDING = [
    ("acc.4.3", accuracy_error, "enough", lambda n, a, span, eps, gamma: span[1] - span[0] >= min(2, n)),
    (
        "acc.table-utility",
        accuracy_utility,
        "printed_distance",
        lambda n, steps, exponent: balls.ball(Fraction(1, 2)),
    ),
    ("acc.mh-tight.stated", accuracy_tails, "PRINTED", 3),
]


@pytest.mark.parametrize(("claim", "module", "name", "value"), VERDICT, ids=[row[0] for row in VERDICT])
def test_a_perturbed_check_changes_its_verdict(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    result = runner.run_one(claim)
    assert not result.error
    assert result.outcome.verdict.value != EXPECTED[claim]["verdict"]


@pytest.mark.parametrize(("claim", "module", "name", "value"), FINDING, ids=[row[0] for row in FINDING])
def test_a_perturbed_measurement_changes_its_finding(claim, module, name, value, monkeypatch):
    monkeypatch.setattr(module, name, value)
    result = runner.run_one(claim)
    assert not result.error
    assert expectations.entry(result)["line"] != EXPECTED[claim]["line"]


BY_ALGEBRA = [
    key for key, row in EXPECTED.items() if key.startswith("acc.") and row["establishes"] == "for all n, by algebra"
]
PROOFS = [
    ("acc.abs-floor-law", accuracy_laws, "printed_abs_law", lambda q, k: k - k * q * q),
    ("acc.abs-floor-law", accuracy_laws, "RELATION", "!="),
    ("acc.interval-law", accuracy_laws, "printed_interval_law", lambda q, _: 1 - HALF * q),
    ("acc.interval-law", accuracy_laws, "RELATION", "!="),
    ("acc.em-tail", accuracy_tails, "CORRECTED", 2),
    ("acc.em-tail", accuracy_tails, "TAIL", flipped(accuracy_tails.TAIL)),
    ("acc.mh-tight.corrected", accuracy_tails, "CORRECTED", 2),
    ("acc.mh-tight.corrected", accuracy_tails, "TIGHT", flipped(accuracy_tails.TIGHT)),
    ("acc.mh-second.corrected", accuracy_tails, "CORRECTED", 2),
    ("acc.mh-second.corrected", accuracy_tails, "SECOND", flipped(accuracy_tails.SECOND)),
    ("acc.mh-loose", accuracy_tails, "CORRECTED", 2),
    ("acc.mh-loose", accuracy_tails, "LOOSE", flipped(accuracy_tails.LOOSE)),
    ("acc.4.2.closed", accuracy_theorem42, "promised", lambda q, k: 1 - HALF * q),
    ("acc.4.2.closed", accuracy_theorem42, "CLOSED", accuracy_theorem42.STRICT),
    ("acc.4.2.closed", accuracy_theorem42, "CLOSED", flipped(accuracy_theorem42.CLOSED)),
    ("acc.4.5.lszhang-lb.balanced", accuracy_lszhang, "printed_bound", lambda p, k: 1 - k),
    ("acc.4.5.lszhang-lb.balanced", accuracy_lszhang, "BOUND", flipped(accuracy_lszhang.BOUND)),
    ("acc.4.5.lshist-eq.balanced", accuracy_lshist, "printed_equality", lambda q, k: 1 - HALF * k),
    ("acc.4.5.lshist-eq.balanced", accuracy_lshist, "EQ_BALANCED", accuracy_lshist.EQ_EVERY),
    ("acc.4.5.lshist-eq.balanced", accuracy_lshist, "EQ_BALANCED", flipped(accuracy_lshist.EQ_BALANCED)),
    (
        "acc.4.5.lshist-eq.balanced",
        accuracy_lshist,
        "EQ_BALANCED",
        replace(accuracy_lshist.EQ_BALANCED, left=accuracy_ehd.EHD),
    ),
    ("acc.4.5.lshist-lb.balanced", accuracy_lshist, "printed_bound", lambda q, k: 1 - q * k),
    ("acc.4.5.lshist-lb.balanced", accuracy_lshist, "LB_BALANCED", accuracy_lshist.LB_EVERY),
    ("acc.4.5.lshist-lb.balanced", accuracy_lshist, "LB_BALANCED", flipped(accuracy_lshist.LB_BALANCED)),
    ("acc.4.5.ehd-lower.repaired", accuracy_ehd, "EHD_LOWER_REPAIRED", accuracy_ehd.EHD_LOWER),
    ("acc.4.5.ehd-lower.repaired", accuracy_ehd, "EHD_LOWER_REPAIRED", accuracy_ehd.EHDL_LOWER),
    ("acc.4.5.ehd-lower.repaired", accuracy_ehd, "EHD_LOWER_REPAIRED", flipped(accuracy_ehd.EHD_LOWER_REPAIRED)),
    ("acc.4.5.ehd-upper.repaired", accuracy_ehd, "EHD_UPPER_REPAIRED", accuracy_ehd.EHD_UPPER),
    (
        "acc.4.5.ehd-upper.repaired",
        accuracy_ehd,
        "EHD_UPPER_REPAIRED",
        replace(accuracy_ehd.EHD_UPPER_REPAIRED, right=accuracy_ehd.upper(*accuracy_ehd.GLOBAL, 2)),
    ),
    ("acc.4.5.ehd-upper.repaired", accuracy_ehd, "EHD_UPPER_REPAIRED", flipped(accuracy_ehd.EHD_UPPER_REPAIRED)),
    (
        "acc.4.5.ehdl-upper.balanced",
        accuracy_ehd,
        "EHDL_UPPER",
        replace(accuracy_ehd.EHDL_UPPER, right=accuracy_ehd.EHD_UPPER.right),
    ),
    ("acc.4.5.ehdl-upper.balanced", accuracy_ehd, "EHDL_UPPER", flipped(accuracy_ehd.EHDL_UPPER)),
]


@pytest.mark.parametrize(
    ("claim", "module", "name", "value"), PROOFS, ids=[f"{row[0]}-{number}" for number, row in enumerate(PROOFS)]
)
def test_the_proof_itself_fails_if_its_statement_is_changed(claim, module, name, value, monkeypatch):
    settled = []

    def settle(proof, scanned, far=None):
        settled.append(proof)
        return by_algebra(proof.lines)

    monkeypatch.setattr(accuracy_proofs.Proof, "settle", settle)
    assert not runner.run_one(claim).error
    assert [proof.failed for proof in settled] == [[]]
    settled.clear()
    monkeypatch.setattr(module, name, value)
    assert not runner.run_one(claim).error
    assert len(settled) == 1
    assert settled[0].failed


def other(name, relation):
    """The comparison with another relation, and with the other hypothesis."""
    given = getattr(accuracy_corollaries, name)
    wrong = replace(given, hypothesis=accuracy_corollaries.PRINTED_3)
    swapped = replace(given, left=given.right, right=given.left)
    return [replace(given, relation=relation), wrong, swapped]


PARTS = [
    (name, proof, value)
    for name, proof, relation in (
        ("FIRST", "first_proof", "<"),
        ("SECOND", "second_proof", ">"),
        ("THIRD", "third_proof", "<"),
    )
    for value in other(name, relation)
]


@pytest.mark.parametrize(("name", "proof", "value"), PARTS)
def test_the_proofs_of_the_corollaries_fail_if_their_statement_is_changed(name, proof, value, monkeypatch):
    assert getattr(accuracy_corollaries, proof)().holds
    monkeypatch.setattr(accuracy_corollaries, name, value)
    assert not getattr(accuracy_corollaries, proof)().holds


def test_a_bound_that_is_not_its_formula_is_seen(monkeypatch):
    honest = accuracy_ehd.EHD_UPPER_REPAIRED
    far = replace(honest.right, value=lambda case: honest.right.value(case) / (1 if case.n < 300 else 2))
    assert accuracy_ehd.bound_proof(honest, "f").holds
    assert not accuracy_ehd.bound_proof(replace(honest, right=far), "f").holds


def test_every_proof_is_seen_to_fail():
    assert {row[0] for row in PROOFS} == set(BY_ALGEBRA)


def test_rows_far_out_see_a_statement_that_is_false_only_there(monkeypatch):
    honest = accuracy_lshist.EQ_BALANCED
    wrong = replace(honest.right, value=lambda case: balls.ball(1) if case.n > 30 else honest.right.value(case))
    monkeypatch.setattr(accuracy_lshist, "EQ_BALANCED", replace(honest, right=wrong))
    outcome = runner.run_one("acc.4.5.lshist-eq.balanced").outcome
    assert outcome.verdict.value == "REFUTED"
    assert int(outcome.counterexample.parameters["n"]) > 30
    monkeypatch.setattr(accuracy_ehd, "EHD_UPPER_REPAIRED", accuracy_ehd.EHD_UPPER)
    assert runner.run_one("acc.4.5.ehd-upper.repaired").outcome.verdict.value == "REFUTED"


def test_every_accuracy_check_is_perturbed():
    perturbed = {row[0] for row in (*VERDICT, *FINDING)}
    assert perturbed == {key for key in registry.load() if key.startswith("acc.")}


@pytest.mark.parametrize(
    "claim", [key for key, row in EXPECTED.items() if key.startswith("acc.") and row["verdict"] == "PROVED"]
)
def test_the_flipped_core_refutes_what_was_proved(claim, monkeypatch):
    compare, compare_tie = core.compare, core.compare_tie
    monkeypatch.setattr(core, "compare", lambda relation, *sides: compare(FLIPPED[relation], *sides))
    monkeypatch.setattr(core, "compare_tie", lambda relation, tie: compare_tie(FLIPPED[relation], tie))
    assert runner.run_one(claim).outcome.verdict.value == "REFUTED"


@pytest.mark.parametrize(
    ("claim", "module", "name"),
    [
        ("acc.4.5.lshist-eq.balanced", accuracy_proofs, "_step_formula_agrees"),
        ("acc.4.2.closed", accuracy_proofs, "_step_formula_agrees"),
        ("acc.4.5.ehd-upper.repaired", accuracy_proofs, "_step_formula_agrees"),
    ],
)
def test_a_lemma_that_fails_leaves_only_the_grid(claim, module, name, monkeypatch):
    monkeypatch.setattr(module, name, lambda: False)
    outcome = runner.run_one(claim).outcome
    assert outcome.establishes == "exhaustive on the grid"
    assert outcome.finding


def test_a_wrong_line_of_a_proof_is_seen():
    assert not accuracy_proofs.Proof().equal("", "", ONE, Q).holds
    assert not accuracy_proofs.Proof().positive("", "", ONE - 2 * Q).holds
    assert not accuracy_proofs.Proof().nonnegative("", "", Q - ONE).holds
    assert not accuracy_proofs.Proof().certified("", "", balls.ball(2), balls.ball(1)).holds
    lemma = accuracy_proofs.Proof().checks("the lemma", "", False)
    assert accuracy_proofs.Proof().using(lemma).failed == ["the lemma"]
