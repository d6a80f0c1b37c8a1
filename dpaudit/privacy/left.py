"""Which pairs a maximum over all pairs is to be computed from in balls: all of them, or those that floats leave.

The exact tier looks at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import pairs
from dpaudit.privacy.protocols import Audited, Dataset, Law, Mass

Pair = tuple[Dataset, Dataset]


@dataclass(frozen=True)
class Left:
    """The unordered pairs that are left; the quantity of every other one is at most ``others``, either way.

    Where ``others`` is None no other one exceeds the largest of those that are left.
    """

    pairs: Sequence[Pair]
    others: float | None = None
    ways: frozenset[Pair] | None = None
    """The ordered pairs that are left, where of some pairs one way alone is."""

    def joined(self, *others: Left) -> Left:
        """The pairs of them all, each once; the bound is the only one there is, if any."""
        every = [self, *others]
        bounds = [left.others for left in every if left.others is not None]
        return Left(list(dict.fromkeys(pair for left in every for pair in left.pairs)), max(bounds, default=None))


def both_ways(pairs: Iterable[Pair]) -> frozenset[Pair]:
    """The ordered pairs."""
    return frozenset(way for x, y in pairs for way in ((x, y), (y, x)))


class Sieve:
    """The exact tier: every pair is left."""

    discards = False
    """Whether there may be fewer pairs left than there are."""

    def __init__(self, mechanism: Audited, effort: Effort) -> None:
        self.mechanism, self.effort = mechanism, effort
        self._laws: dict[int, Law] = {}

    def masses(self, x: Dataset, y: Dataset) -> Sequence[Mass]:
        """P_x and P_y on a partition of the outputs, at the precision in force."""
        bits = balls.working_bits()
        if bits not in self._laws:
            self._laws = {bits: self.effort.law(self.mechanism)}
        return self._laws[bits].masses(x, y)

    def settle(self, choose: Callable[[], Left]) -> Left:
        """What ``choose`` leaves; every pair where that takes balls narrower than those of promising pairs are."""
        try:
            return choose()
        except PrecisionExhausted:
            return self.every()

    def every(self) -> Left:
        """All pairs, up to symmetry."""
        return Left(list(pairs(self.mechanism, self.effort)))

    def divergence(self, *orders: Fraction) -> Left:
        """The pairs that may have the largest D_order, of each order."""
        del orders
        return self.every()

    def curve(self) -> Left:
        """The pairs whose deltas make the privacy curve; those of every other one rise at most ``others`` above it.

        Where ``others`` is None the other ones do not rise above it.
        """
        return self.every()

    def promising(self, epsilons: Sequence[Ball]) -> Left:
        """Of each epsilon a pair that may have the largest delta there; or all pairs."""
        del epsilons
        return self.every()

    def above(self, epsilons: Sequence[Ball], limits: Sequence[Ball], always: Left) -> Left:
        """The pairs whose delta may exceed its limit at one of these epsilons, and those that are there always.

        The epsilons are >= 0 and in ascending order.
        """
        del epsilons, limits, always
        return self.every()

    def largest_loss(self) -> float:
        """No loss is larger, as far as that is known."""
        return inf

    def concentration(self, rho: Fraction | None = None) -> Left:
        """The pairs that may have the largest sup D_order / order, closely enough to compare it with rho."""
        del rho
        return self.every()
