"""What the tests of the five documents share: their catalogue, what is expected of it, how a statement is turned."""

from dataclasses import replace

from dpaudit.claims.catalogue import load
from dpaudit.claims.expectations import expected_of
from dpaudit.claims.runner import run_many
from proofs_checks import CATALOGUE

CLAIMS = CATALOGUE.claims
EXPECTED = expected_of(CATALOGUE)
FLIPPED = {"<=": ">", "<": ">=", ">=": "<", ">": "<=", "=": "!=", "!=": "="}


def run_one(claim, library=None):
    """The result of one check on its default grid, in this process; what it cites is decided first."""
    (result,) = run_many(library or load(), [claim], jobs=1)
    return result


def turned(module, name, relation):
    """The statement of that name with another relation."""
    return module, name, replace(getattr(module, name), relation=relation)


def verdict_of(outcome):
    """What a reader is told: the verdict and how far it reaches."""
    return outcome.verdict.value, outcome.establishes


def expected_verdict(claim):
    return EXPECTED[claim]["verdict"], EXPECTED[claim]["establishes"]
