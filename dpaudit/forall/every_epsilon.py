"""Every epsilon at once."""

from __future__ import annotations

from dpaudit.forall.ranged import Ranged
from dpaudit.forall.theorem import Theorem, claimed_factor
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.effort import Effort


def every_epsilon(ranged: Ranged, effort: Effort) -> Theorem:
    """Returns an enclosure of the supremum over epsilon of true epsilon / epsilon."""
    claimed_factor(ranged)
    raise InputError("eps", ranged.told("eps"), "not yet")
