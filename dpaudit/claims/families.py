"""Claims that are theorems about a mechanism's guarantee at every n, which an audit may use beyond its own n."""

from __future__ import annotations

from functools import lru_cache

from dpaudit.claims.catalogue import installed, load
from dpaudit.claims.claim import Claim
from dpaudit.claims.formal import without_coq
from dpaudit.claims.outcome import EVERYWHERE
from dpaudit.claims.runner import run_many
from dpaudit.mechanisms import PosteriorMechanism
from dpaudit.numbers.verdict import Verdict


def proved_for_all(mechanism: PosteriorMechanism) -> Claim | None:
    """A claim "it has its guarantee" about this very setting that is PROVED for all n; or None.

    The claim is decided on the spot, with everything it cites, as by ``dpaudit check`` but without Coq.
    """
    for catalogue in installed():
        known = {claim.id: claim for claim in catalogue.claims}
        for identifier, family in catalogue.guarantees.items():
            if family.includes(mechanism) and _stands(identifier):
                return known[identifier]
    return None


@lru_cache(maxsize=64)
def _stands(identifier: str) -> bool:
    """Whether the claim is PROVED for all n."""
    with without_coq():
        (found,) = run_many(load(), [identifier], jobs=1)
    return found.outcome.verdict is Verdict.PROVED and found.outcome.establishes in EVERYWHERE
