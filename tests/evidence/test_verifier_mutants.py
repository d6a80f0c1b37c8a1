"""Mutants of certificates are accepted only where they state something true; mutate_certificates.py runs for long."""

import random
from contextlib import suppress

import mutate_certificates as mutants
import pytest
from certificates import make

from dpaudit.evidence.verifier import core, guarantees
from dpaudit.evidence.verifier.arithmetic import Interval
from dpaudit.evidence.verifier.subject import Subject
from dpaudit.evidence.verifier.theorems.cells import Cell

COUNT = 100


@pytest.mark.parametrize("seed", [1, 2])
def test_no_mutant_that_lies_is_accepted(seed, long):
    tally = mutants.run(20 * COUNT if long else COUNT, seed)
    assert not tally.lies
    assert tally.accepted > tally.mutants // 20


def test_a_lie_would_be_seen(monkeypatch):
    """With a verifier that accepts everything, most mutants of a number are found to lie."""
    monkeypatch.setattr(mutants, "verify", lambda *_: ([], None))
    monkeypatch.setattr(mutants, "CHANGES", [mutants.change_bounds])
    tally = mutants.Tally()
    rng = random.Random(3)
    for _ in range(40):
        with suppress(ValueError, ZeroDivisionError):
            mutants.look(rng, tally)
    assert len(tally.lies) > 10


def wrong_root(interval):
    """The fault of the first verifier: a power that cannot be halved is rounded."""
    found = TRUE_ROOT(interval)
    return found * 3 if interval.e % 2 and abs(interval.e) > 1000 else found


TRUE_ROOT = Interval.sqrt
FAULTS = [
    (Interval, "sqrt", wrong_root, ["change_nested"], "law"),
    (Interval, "within", lambda *_: True, ["change_enclosures"], "law"),
    (Subject, "_confirmed", lambda self, x, row, bits: row, ["change_rows"], "law"),
    (core.Loss, "reached", lambda *_: 0, ["change_bounds"], "epsilon"),
    (core.Loss, "exceeded", lambda *_: False, ["change_bounds", "change_witness"], "epsilon"),
    (core.Pair, "excess", lambda *_: 0, ["change_bounds", "change_claim"], "delta"),
    (core.Bounds, "_beyond", lambda *_: None, ["change_claim", "change_bounds"], "law"),
    (core.Bounds, "_judge", lambda *_: ("PROVED", ""), ["change_claim"], "law"),
    (guarantees.Moments, "above", lambda *_: False, ["change_bounds", "change_claim"], "zcdp_rho"),
    (guarantees, "above_gaussian", lambda *_: -1, ["change_bounds", "change_claim"], "gdp_mu"),
    (Subject, "neighbors", lambda *_: [], ["change_bounds"], "law"),
    (Cell, "loss", lambda *given: TRUE_LOSS(*given) * 2, ["change_bounds"], "every-n"),
]
TRUE_LOSS = Cell.loss


@pytest.mark.parametrize(("place", "name", "fault", "changes", "kind"), FAULTS, ids=[fault[1] for fault in FAULTS])
def test_a_fault_of_the_verifier_is_found(monkeypatch, place, name, fault, changes, kind):
    """With a fault planted in the verifier, a mutant that lies is accepted, and seen to lie."""
    documents = [d for d in mutants.bases() if "parts" not in d and kind in (d["kind"], d["statement"].get("quantity"))]
    monkeypatch.setattr(place, name, fault)
    monkeypatch.setattr(mutants, "CHANGES", [getattr(mutants, change) for change in changes])
    monkeypatch.setattr(mutants, "bases", lambda: documents)
    rng, tally = random.Random(7), mutants.Tally()
    while not tally.lies and tally.mutants < 400:
        mutants.look(rng, tally)
    assert tally.lies


def test_mutants_nest_functions_at_huge_exponents_and_change_theorems():
    rng, seen = random.Random(5), set()
    for _ in range(400):
        document, names = mutants.mutant(rng)
        text = str(document)
        seen |= set(names) | {str(document.get("kind"))} | ({"nested"} if "'sqrt', ['sqrt'" in text else set())
        seen |= {"huge"} if "100000000000000000" in text and "'exp'" in text else set()
    assert {"nested", "huge", "every-n", "law", *(change.__name__ for change in mutants.CHANGES)} <= seen


def test_nested_functions_are_accepted_where_they_are_one():
    """The fault of the first verifier took such a number for 0.316; here most are accepted, and none lies."""
    rng, accepted = random.Random(6), 0
    document = next(d for d in mutants.bases() if d["subject"].get("datasets") and not d["subject"]["logarithmic"])
    for _ in range(30):
        mutant = mutants.copy.deepcopy(document)
        row = rng.choice(mutant["subject"]["rows"])
        i = rng.randrange(len(row))
        row[i] = ["*", row[i], mutants.nested(rng)]
        mutants.fit_enclosures(mutant)
        mutant["sha256"] = mutants.digest(mutant)
        with suppress(mutants.Rejected):
            mutants.verify(mutant, True)
            accepted += 1
            assert mutants.lie(mutant, True) is None
    assert accepted >= 20


def test_what_is_true_of_the_bases():
    for document in mutants.bases():
        assert mutants.lie(document, True) is None
    assert mutants.lie(make(("EHDS", {"n": 3})), True, {"verdict": "REFUTED"}) == "the verdict is PROVED"
