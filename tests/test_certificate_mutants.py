"""Mutants of certificates are accepted only where they state something true; mutate_certificates.py runs for long."""

import random
from contextlib import suppress

import mutate_certificates as mutants
import pytest
from certificates import changed, make

COUNT = 150


@pytest.mark.parametrize("seed", [1, 2])
def test_no_mutant_that_lies_is_accepted(seed, long):
    tally = mutants.run(20 * COUNT if long else COUNT, seed)
    assert not tally.lies
    assert tally.accepted > tally.mutants // 20


def test_a_lie_would_be_seen(monkeypatch):
    """With a verifier that accepts everything, most mutants of a number are found to lie."""
    monkeypatch.setattr(mutants, "verify", lambda *_: None)
    monkeypatch.setattr(mutants, "CHANGES", [mutants.change_bounds])
    tally = mutants.Tally()
    rng = random.Random(3)
    for _ in range(40):
        with suppress(ValueError, ZeroDivisionError):
            mutants.look(rng, tally)
    assert len(tally.lies) > 10


def test_what_is_true_of_the_bases():
    for document in mutants.bases():
        assert mutants.lie(document, True) is None
    wrong = changed(make(("EHDS", {"n": 3})), ("statement", "verdict"), "REFUTED")
    assert mutants.lie(wrong, True) == "the verdict is PROVED"
