"""The fast tier: floats with a proven error bound (ERROR_BOUND.md) discard pairs, balls decide what is left.

The tier is chosen by size; numpy is imported only when it is used.
"""

from __future__ import annotations

from dpaudit.numbers.errors import InputError
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.protocols import Audited, Screen

TIERS = ("auto", "exact", "fast")
WORTH_IT = 1 << 17
"""From this many (data set, output) cells on, "auto" takes the fast tier: importing numpy has paid for itself."""


def fast_tier(mechanism: Audited, tier: str = "auto") -> Screen | None:
    """The fast tier of this mechanism, or None where the exact tier is to do it.

    "auto" takes it for large audits of a mechanism that has one; "fast" insists.
    """
    if tier not in TIERS:
        raise InputError("tier", tier, f"must be one of {', '.join(TIERS)}")
    if tier == "exact":
        return None
    if tier == "auto":
        counts = mechanism.counts()
        return mechanism.screen() if counts.datasets * counts.outputs >= WORTH_IT else None
    screen = mechanism.screen()
    if screen is None:
        rule = f"is for exponential mechanisms with the Hellinger score; {mechanism.name}: exact"
        raise InputError("tier", tier, rule)
    return screen


def screens_columns(mechanism: Audited, tier: str) -> bool:
    """Whether floats screen the columns of a table before balls: by default those of a large one."""
    counts = mechanism.counts()
    return tier != "exact" and counts.datasets * counts.outputs >= WORTH_IT


def refuse_if_forced(tier: str, reason: TooCoarse) -> None:
    """Says why the fast tier cannot do it, if the caller insisted; else the exact tier takes over."""
    if tier == "fast":
        raise InputError("tier", tier, f"cannot be used here: {reason}; use exact")
