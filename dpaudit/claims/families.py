"""Claims that are theorems about a mechanism's guarantee at every n: what an audit may rest on beyond what it saw."""

from __future__ import annotations

from dpaudit.claims.catalogue import installed
from dpaudit.claims.claim import Claim
from dpaudit.claims.expectations import expected_of
from dpaudit.claims.outcome import BY_ALGEBRA
from dpaudit.mechanisms import PosteriorMechanism
from dpaudit.numbers.verdict import Verdict


def proved_for_all(mechanism: PosteriorMechanism) -> Claim | None:
    """Returns a claim "it has its guarantee" about this very setting that is PROVED for all n, by algebra; or None.

    Nothing is computed: it is the last known verdict; ``dpaudit check`` with its id decides it again.
    """
    for catalogue in installed():
        last, known = expected_of(catalogue), {claim.id: claim for claim in catalogue.claims}
        for identifier, family in catalogue.guarantees.items():
            found = last.get(identifier, {})
            proved = found.get("verdict") == Verdict.PROVED and found.get("establishes") == BY_ALGEBRA
            if proved and family.includes(mechanism):
                return known[identifier]
    return None
