"""Every check of the accuracy claims can fail: a formula, a relation or a lemma is changed, and the outcome changes."""

from dataclasses import replace
from fractions import Fraction

import pytest

from dpaudit.claims import Proof, expectations, scans
from dpaudit.claims.outcome import EVERYWHERE
from dpaudit.numbers import balls
from dpaudit.studies.accuracy import bounds
from dpaudit.studies.accuracy.bounds import HALF, InPowers
from proofs_checks import CATALOGUE
from proofs_checks.accuracy import corollaries as accuracy_corollaries
from proofs_checks.accuracy import ehd as accuracy_ehd
from proofs_checks.accuracy import error as accuracy_error
from proofs_checks.accuracy import laws as accuracy_laws
from proofs_checks.accuracy import lszhang as accuracy_lszhang
from proofs_checks.accuracy import orders as accuracy_orders
from proofs_checks.accuracy import printed as accuracy_printed
from proofs_checks.accuracy import tails as accuracy_tails
from proofs_checks.accuracy import utility as accuracy_utility
from proofs_checks.accuracy.rows import ONE, Q
from proofs_checks.accuracy.sides import EHD, LSHIST, from_form
from proofs_checks.accuracy.stated import STATED
from proofs_checks.setting import lemmas as setting_lemmas
from tests.proofs_checks.documents import EXPECTED, FLIPPED, expected_verdict, run_one, verdict_of

TAILS = accuracy_tails.STATED
MULTIPLES = {"em-tail": bounds.loose, "mh-loose": bounds.loose, "mh-tight": bounds.tight, "mh-second": bounds.second}


def weighed(claim, multiple):
    """The bound of the tail with another multiple in its exponent."""
    return replace(TAILS[claim], form=MULTIPLES[claim.split(".")[1]](multiple))


def flipped_bound(claim):
    return replace(TAILS[claim], relation={"≤": ">", "=": "!="}[TAILS[claim].relation])


def changed(monkeypatch, claim, module, name, value):
    """Changes the comparison of the claim, or an attribute of a module."""
    if name is None:
        monkeypatch.setitem(module, claim, value)
    else:
        monkeypatch.setattr(module, name, value)


def flipped(comparison):
    return replace(comparison, relation=FLIPPED[comparison.relation])


def bounded(comparison, law):
    """The comparison with another bound."""
    return replace(comparison, right=from_form(comparison.right.meaning, InPowers(law)))


def distinct(comparison):
    return replace(comparison, relation="!=")


def no_noise_is_zero(q, low):
    """The law of |Y| with the mass of [0, 1) at −1 as well."""
    return accuracy_laws.abs_floor_law(q, q ** max(low, 0))


_run = accuracy_lszhang.run


def at_least_on_balanced_data(statement, bound, points, *_):
    """The weaker statement, with ≥ for =, on balanced data and equal priors alone."""
    return _run(accuracy_lszhang.AT_LEAST, bound, points)


THIRD = accuracy_printed.THIRD
N4_LOWER, N4_UPPER = accuracy_printed.N4_LOWER, accuracy_printed.N4_UPPER
VERDICT = [
    ("acc.signed-law", accuracy_laws, "size_law", no_noise_is_zero),
    ("acc.4.2.error", accuracy_printed, "EQUALS_LS", accuracy_printed.AT_MOST_LS),
    ("acc.4.4.1.distance", accuracy_printed, "hellinger", lambda p, q: balls.zero()),
    (N4_LOWER, THIRD, None, distinct(THIRD[N4_LOWER])),
    (N4_UPPER, THIRD, None, flipped(THIRD[N4_UPPER])),
    ("acc.floor-law", accuracy_laws, "printed_floor_law", accuracy_laws.floor_law),
    ("acc.abs-floor-law", accuracy_laws, "printed_abs_law", lambda q, k: k - k * q * q),
    ("acc.interval-law", accuracy_laws, "printed_interval_law", lambda q, _: 1 - HALF * q),
    ("acc.em-tail", TAILS, None, weighed("acc.em-tail", 2)),
    ("acc.em-tail.model", TAILS, None, weighed("acc.em-tail.model", 2)),
    ("acc.improved-laplace-law", accuracy_laws, "printed_floor_law", lambda p, k: HALF * k * k * (1 - p * p)),
    ("acc.4.2.order", accuracy_orders, "smallest_eps", lambda constant: Fraction(constant + 1)),
    ("acc.4.4.1.ratio", accuracy_orders, "RATIO", replace(accuracy_orders.RATIO, relation=">=")),
    ("acc.4.5.n4-step", accuracy_orders, "N4_STEP", replace(accuracy_orders.N4_STEP, relation="<")),
    ("acc.4.5.lszhang-eq.all", accuracy_lszhang, "run", at_least_on_balanced_data),
    ("acc.4.5.lszhang-lb.all", accuracy_lszhang, "every_x", accuracy_lszhang.balanced_x),
    ("acc.mh-tight.corrected", TAILS, None, weighed("acc.mh-tight.corrected", 2)),
    ("acc.mh-second.corrected", TAILS, None, weighed("acc.mh-second.corrected", 2)),
    ("acc.mh-loose", TAILS, None, weighed("acc.mh-loose", 2)),
    ("acc.mh-second.stated", TAILS, None, weighed("acc.mh-second.stated", 1)),
    ("acc.4.2.strict", STATED, None, STATED["acc.4.2.closed"]),
    ("acc.4.2.closed", STATED, None, bounded(STATED["acc.4.2.closed"], lambda q, k: 1 - HALF * q)),
    ("acc.4.5.lszhang-eq.balanced", accuracy_lszhang, "EQUALITY", accuracy_lszhang.AT_LEAST),
    ("acc.4.5.lszhang-lb.balanced", accuracy_lszhang, "printed_bound", lambda p, k: 1 - k),
    (
        "acc.4.5.lshist-eq.balanced",
        STATED,
        None,
        bounded(STATED["acc.4.5.lshist-eq.balanced"], lambda q, k: 1 - k),
    ),
    (
        "acc.4.5.lshist-lb.balanced",
        STATED,
        None,
        bounded(STATED["acc.4.5.lshist-lb.balanced"], lambda q, k: 1 - q * k),
    ),
    (
        "acc.4.5.lshist-eq.all",
        STATED,
        None,
        replace(STATED["acc.4.5.lshist-eq.all"], right=LSHIST),
    ),
    ("acc.4.5.lshist-lb.all", STATED, None, bounded(STATED["acc.4.5.lshist-lb.all"], lambda q, k: 0 * q)),
    ("acc.4.5.ehd-lower.balanced", STATED, None, STATED["acc.4.5.ehd-lower.repaired"]),
    ("acc.4.5.ehd-lower.all", STATED, None, distinct(STATED["acc.4.5.ehd-lower.all"])),
    ("acc.4.5.ehd-upper.balanced", accuracy_ehd, "FAR", 700),
    ("acc.4.5.ehd-upper.all", STATED, None, distinct(STATED["acc.4.5.ehd-upper.all"])),
    ("acc.4.5.ehd-lower.repaired", STATED, None, STATED["acc.4.5.ehd-lower.balanced"]),
    ("acc.4.5.ehd-upper.repaired", STATED, None, flipped(STATED["acc.4.5.ehd-upper.repaired"])),
    (
        "acc.4.5.ehdl-lower.balanced",
        STATED,
        None,
        replace(STATED["acc.4.5.ehdl-lower.balanced"], right=accuracy_ehd.LOWER_REPAIRED),
    ),
    ("acc.4.5.ehdl-lower.all", STATED, None, distinct(STATED["acc.4.5.ehdl-lower.all"])),
    ("acc.4.5.ehdl-upper.balanced", STATED, None, flipped(STATED["acc.4.5.ehdl-upper.balanced"])),
    ("acc.4.5.ehdl-upper.all", STATED, None, distinct(STATED["acc.4.5.ehdl-upper.all"])),
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
    ("acc.mh-tight.stated", TAILS, None, weighed("acc.mh-tight.stated", 3)),
]


@pytest.mark.parametrize(("claim", "module", "name", "value"), VERDICT, ids=[row[0] for row in VERDICT])
@pytest.mark.thin(2)
def test_a_perturbed_check_changes_its_verdict(claim, module, name, value, monkeypatch):
    changed(monkeypatch, claim, module, name, value)
    result = run_one(claim)
    assert not result.error
    assert verdict_of(result.outcome) != expected_verdict(claim)


@pytest.mark.parametrize(("claim", "module", "name", "value"), FINDING, ids=[row[0] for row in FINDING])
def test_a_perturbed_measurement_changes_its_finding(claim, module, name, value, monkeypatch):
    changed(monkeypatch, claim, module, name, value)
    result = run_one(claim)
    assert not result.error
    assert expectations.entry(result)["line"] != EXPECTED[claim]["line"]


FOR_ALL_N = [key for key, row in EXPECTED.items() if key.startswith("acc.") and row["establishes"] in EVERYWHERE]
PROOFS = [
    ("acc.abs-floor-law", accuracy_laws, "printed_abs_law", lambda q, k: k - k * q * q),
    ("acc.abs-floor-law", accuracy_laws, "RELATION", "!="),
    ("acc.interval-law", accuracy_laws, "printed_interval_law", lambda q, _: 1 - HALF * q),
    ("acc.interval-law", accuracy_laws, "RELATION", "!="),
    ("acc.em-tail", TAILS, None, weighed("acc.em-tail", 2)),
    ("acc.em-tail", TAILS, None, flipped_bound("acc.em-tail")),
    ("acc.em-tail.model", TAILS, None, weighed("acc.em-tail.model", 2)),
    ("acc.em-tail.model", TAILS, None, flipped_bound("acc.em-tail.model")),
    ("acc.4.4.1.ratio", accuracy_orders, "RATIO", replace(accuracy_orders.RATIO, relation=">=")),
    ("acc.mh-tight.corrected", TAILS, None, weighed("acc.mh-tight.corrected", 2)),
    ("acc.mh-tight.corrected", TAILS, None, flipped_bound("acc.mh-tight.corrected")),
    ("acc.mh-second.corrected", TAILS, None, weighed("acc.mh-second.corrected", 2)),
    ("acc.mh-second.corrected", TAILS, None, flipped_bound("acc.mh-second.corrected")),
    ("acc.mh-loose", TAILS, None, weighed("acc.mh-loose", 2)),
    ("acc.mh-loose", TAILS, None, flipped_bound("acc.mh-loose")),
    ("acc.4.2.closed", STATED, None, bounded(STATED["acc.4.2.closed"], lambda q, k: 1 - HALF * q)),
    ("acc.4.2.closed", STATED, None, STATED["acc.4.2.strict"]),
    ("acc.4.2.closed", STATED, None, flipped(STATED["acc.4.2.closed"])),
    ("acc.4.5.lszhang-lb.balanced", accuracy_lszhang, "printed_bound", lambda p, k: 1 - k),
    ("acc.4.5.lszhang-lb.balanced", accuracy_lszhang, "BOUND", flipped(accuracy_lszhang.BOUND)),
    (
        "acc.4.5.lshist-eq.balanced",
        STATED,
        None,
        bounded(STATED["acc.4.5.lshist-eq.balanced"], lambda q, k: 1 - HALF * k),
    ),
    ("acc.4.5.lshist-eq.balanced", STATED, None, STATED["acc.4.5.lshist-eq.all"]),
    ("acc.4.5.lshist-eq.balanced", STATED, None, flipped(STATED["acc.4.5.lshist-eq.balanced"])),
    (
        "acc.4.5.lshist-eq.balanced",
        STATED,
        None,
        replace(STATED["acc.4.5.lshist-eq.balanced"], left=EHD),
    ),
    (
        "acc.4.5.lshist-lb.balanced",
        STATED,
        None,
        bounded(STATED["acc.4.5.lshist-lb.balanced"], lambda q, k: 1 - q * k),
    ),
    ("acc.4.5.lshist-lb.balanced", STATED, None, STATED["acc.4.5.lshist-lb.all"]),
    ("acc.4.5.lshist-lb.balanced", STATED, None, flipped(STATED["acc.4.5.lshist-lb.balanced"])),
    ("acc.4.5.ehd-lower.repaired", STATED, None, STATED["acc.4.5.ehd-lower.balanced"]),
    ("acc.4.5.ehd-lower.repaired", STATED, None, STATED["acc.4.5.ehdl-lower.balanced"]),
    ("acc.4.5.ehd-lower.repaired", STATED, None, flipped(STATED["acc.4.5.ehd-lower.repaired"])),
    ("acc.4.5.ehd-upper.repaired", STATED, None, STATED["acc.4.5.ehd-upper.balanced"]),
    (
        "acc.4.5.ehd-upper.repaired",
        STATED,
        None,
        replace(STATED["acc.4.5.ehd-upper.repaired"], right=from_form("", bounds.upper(bounds.e_global, 2))),
    ),
    ("acc.4.5.ehd-upper.repaired", STATED, None, flipped(STATED["acc.4.5.ehd-upper.repaired"])),
    (
        "acc.4.5.ehdl-upper.balanced",
        STATED,
        None,
        replace(STATED["acc.4.5.ehdl-upper.balanced"], right=STATED["acc.4.5.ehd-upper.balanced"].right),
    ),
    ("acc.4.5.ehdl-upper.balanced", STATED, None, flipped(STATED["acc.4.5.ehdl-upper.balanced"])),
    (N4_UPPER, THIRD, None, flipped(THIRD[N4_UPPER])),
    (N4_UPPER, THIRD, None, replace(THIRD[N4_UPPER], right=from_form("", bounds.upper(bounds.e_local, 1)))),
    (N4_UPPER, THIRD, None, replace(THIRD[N4_UPPER], data=lambda n: range(n + 1))),
]


@pytest.mark.parametrize(
    ("claim", "module", "name", "value"), PROOFS, ids=[f"{row[0]}-{number}" for number, row in enumerate(PROOFS)]
)
@pytest.mark.thin(2)
def test_the_proof_itself_fails_if_its_statement_is_changed(claim, module, name, value, monkeypatch):
    settled = []

    def settle(proof, *grids):
        settled.append(proof)
        return proof.outcome()

    monkeypatch.setattr(Proof, "settle", settle)
    assert not run_one(claim).error
    assert settled
    assert not any(proof.failed for proof in settled)
    settled.clear()
    changed(monkeypatch, claim, module, name, value)
    assert not run_one(claim).error
    assert settled[-1].failed


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
    assert not getattr(accuracy_corollaries, proof)().obstacle
    monkeypatch.setattr(accuracy_corollaries, name, value)
    assert getattr(accuracy_corollaries, proof)().obstacle


def test_a_bound_that_is_not_its_formula_is_seen(monkeypatch):
    honest = STATED["acc.4.5.ehd-upper.repaired"]
    far = replace(honest.right, value=lambda case: honest.right.value(case) / (1 if case.n < 300 else 2))
    assert not accuracy_ehd.bound_proof(honest).obstacle
    assert accuracy_ehd.bound_proof(replace(honest, right=far)).obstacle


def test_every_proof_is_seen_to_fail():
    assert {row[0] for row in PROOFS} == set(FOR_ALL_N)


def test_rows_far_out_see_a_statement_that_is_false_only_there(monkeypatch):
    honest = STATED["acc.4.5.lshist-eq.balanced"]
    wrong = replace(honest.right, value=lambda case: balls.ball(1) if case.n > 30 else honest.right.value(case))
    monkeypatch.setitem(STATED, "acc.4.5.lshist-eq.balanced", replace(honest, right=wrong))
    outcome = run_one("acc.4.5.lshist-eq.balanced").outcome
    assert outcome.verdict.value == "REFUTED"
    assert int(outcome.counterexample.parameters["n"]) > 30
    monkeypatch.setitem(STATED, "acc.4.5.ehd-upper.repaired", STATED["acc.4.5.ehd-upper.balanced"])
    assert run_one("acc.4.5.ehd-upper.repaired").outcome.verdict.value == "REFUTED"


def test_every_accuracy_check_is_perturbed():
    perturbed = {row[0] for row in (*VERDICT, *FINDING)}
    assert perturbed == {claim.id for claim in CATALOGUE.claims if claim.id.startswith("acc.")}


@pytest.mark.parametrize(
    "claim", [key for key, row in EXPECTED.items() if key.startswith("acc.") and row["verdict"] == "PROVED"]
)
def test_the_flipped_core_refutes_what_was_proved(claim, monkeypatch):
    compare, compare_tie = scans.compare, scans.compare_tie
    monkeypatch.setattr(scans, "compare", lambda relation, *sides: compare(FLIPPED[relation], *sides))
    monkeypatch.setattr(scans, "compare_tie", lambda relation, tie: compare_tie(FLIPPED[relation], tie))
    assert run_one(claim).outcome.verdict.value == "REFUTED"


@pytest.mark.parametrize(
    ("claim", "module", "name"),
    [
        ("acc.4.5.lshist-eq.balanced", setting_lemmas, "step_factors_agree"),
        ("acc.4.2.closed", setting_lemmas, "step_factors_agree"),
        ("acc.4.5.ehd-upper.repaired", setting_lemmas, "step_factors_agree"),
    ],
)
def test_a_lemma_that_fails_leaves_only_the_grid(claim, module, name, monkeypatch):
    monkeypatch.setattr(module, name, lambda: False)
    outcome = run_one(claim).outcome
    assert outcome.establishes == "exhaustive on the grid"
    assert outcome.finding


def test_a_wrong_line_of_a_proof_is_seen():
    assert Proof().equal("", "", ONE, Q).obstacle
    assert Proof().positive("", "", ONE - 2 * Q).obstacle
    assert Proof().nonnegative("", "", Q - ONE).obstacle
    assert Proof().less("", "", lambda: balls.ball(2), lambda: balls.ball(1)).obstacle
    lemma = Proof().holds("the lemma", "", False)
    assert Proof().using(lemma).failed == ["the lemma"]
