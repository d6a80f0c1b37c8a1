"""The pairs of which the profile is computed in balls: all of them, or those that floats leave (CURVES.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.left import Left, Sieve
from dpaudit.privacy.sieve import make_sieve


@dataclass(frozen=True)
class ProfilePairs:
    """The pairs that make the curve, and those that may have a largest divergence."""

    curve: Left
    divergences: Left


def sieve_of(subject: Mechanism, effort: Effort, composed: bool) -> Sieve:
    """Chooses among the pairs; for a composition all of them: its worst pair need not be that of a single release."""
    if not composed:
        return make_sieve(subject, effort, "profile")
    effort.check_whole(subject, "profile")
    return Sieve(subject, effort)


def pairs_left(sieve: Sieve, true: Enclosure, orders: Sequence[Fraction]) -> ProfilePairs:
    """The pairs from which the answer is to be computed; divergences are all infinite where a loss is."""
    curve = sieve.settle(sieve.curve)
    if true.is_infinite or not sieve.discards:
        return ProfilePairs(curve, curve)
    by_order = [sieve.settle(lambda: sieve.divergence(*orders))] if orders else []
    return ProfilePairs(curve, sieve.settle(sieve.concentration).joined(*by_order))
