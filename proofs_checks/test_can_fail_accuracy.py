"""Every check of the accuracy claims can fail: a formula, a relation or a lemma is changed, and the outcome changes."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dpaudit import balls
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
    ("acc.4.2.closed", accuracy_theorem42, "promised", lambda case=None: ONE - HALF * Q),
    ("acc.4.5.lszhang-eq.balanced", accuracy_lszhang, "Statement", lambda *words: core.Statement(words[0], ">=", "")),
    ("acc.4.5.lszhang-lb.balanced", accuracy_lszhang, "printed_bound", lambda p, k: 1 - k),
    ("acc.4.5.lshist-eq.balanced", accuracy_lshist, "printed_equality", lambda case: ONE - Q**case.kappa),
    ("acc.4.5.lshist-lb.balanced", accuracy_lshist, "printed_bound", lambda case: ONE - Q ** (case.kappa + 1)),
    (
        "acc.4.5.lshist-eq.all",
        accuracy_lshist,
        "EQ_EVERY",
        replace(accuracy_lshist.EQ_EVERY, right=accuracy_lshist.LSHIST),
    ),
    ("acc.4.5.lshist-lb.all", accuracy_lshist, "printed_bound", lambda case: 0 * ONE),
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
