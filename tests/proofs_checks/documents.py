"""What the tests of the five documents share: their catalogue, what is expected of it, how a statement is turned."""

from dataclasses import replace

from dpaudit.claims.catalogue import load
from dpaudit.claims.expectations import expected_of
from dpaudit.claims.outcome import EVERYWHERE
from dpaudit.claims.proof import NOT_THROUGH
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


def changes_its_verdict(claim):
    """Whether a perturbed check ends with another verdict than the expected one, and not with an error."""
    result = run_one(claim)
    return not result.error and verdict_of(result.outcome) != expected_verdict(claim)


def breaks(claim):
    """Whether a line of the proof for all n of a perturbed check does not go through."""
    result = run_one(claim)
    return not result.error and result.outcome.establishes not in EVERYWHERE and NOT_THROUGH in result.outcome.finding


def proved_everywhere(claims):
    """The claims that are expected to be proved for all n."""
    return {claim.id for claim in claims if EXPECTED[claim.id]["establishes"] in EVERYWHERE}


KNOWN = (
    *("checked]", "checked: ", "certified by balls", "by hand]", "textbook]", "checked on cases: ", "cited: "),
    *("Coq: ", "by hand: Coq theorem "),
)


def unknown_lines(claim):
    """The lines of its proof that do not say how they are known."""
    lines = [line.value for line in run_one(claim).outcome.steps]
    return [line for line in lines if not line.rpartition("  [")[2].startswith(KNOWN)]
