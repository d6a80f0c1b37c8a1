"""The fast tier: floats with a proven error bound (ERROR_BOUND.md) discard pairs, balls decide what is left.

The tier is chosen by size; numpy is imported only when it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.exponential import Exponential
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.distances import Hellinger
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.pairs import Part

if TYPE_CHECKING:
    from dpaudit.privacy.fast.certify import FastTier

TIERS = ("auto", "exact", "fast")
WORTH_IT = 1 << 17
"""From this many (data set, output) cells on, "auto" takes the fast tier: importing numpy has paid for itself."""


def fast_tier(mechanism: Mechanism, tier: str = "auto", part: Part | None = None) -> FastTier | None:
    """Returns the fast tier for this mechanism, or None where the exact tier is to do it.

    "auto" takes it for large audits of a mechanism that has one; "fast" insists.
    """
    if tier not in TIERS:
        raise InputError("tier", tier, f"must be one of {', '.join(TIERS)}")
    if tier == "exact":
        return None
    if tier == "auto":
        counts = mechanism.counts()
        if not _known(mechanism) or counts.datasets * counts.outputs < WORTH_IT:
            return None
    if not isinstance(mechanism, Exponential) or not _known(mechanism):
        raise InputError(
            "tier", tier, f"is for exponential mechanisms with the Hellinger score; {mechanism.name}: exact"
        )
    from dpaudit.privacy.fast.certify import FastTier

    return FastTier(mechanism, part)


def _known(mechanism: Mechanism) -> bool:
    return isinstance(mechanism, Exponential) and mechanism.score == Hellinger.name


__all__ = ["TIERS", "WORTH_IT", "TooCoarse", "fast_tier"]
