"""Two rational bounds of a value, before they are rounded to an ``Enclosure``; compared here alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from dpaudit.numbers.enclosure import Enclosure, at_least, infinite, outward
from dpaudit.numbers.verdict import Verdict

INFINITE = cast(Fraction, math.inf)


@dataclass(frozen=True)
class Bounds:
    """The value lies in [lower, upper]; both are rational, or the upper one, or both, infinity."""

    lower: Fraction
    upper: Fraction

    def gap(self) -> float:
        """(upper - lower) / lower; 0 if they are equal, infinity if the lower one is 0 or the upper one infinite."""
        if self.upper == self.lower:
            return 0.0
        if self.lower <= 0 or self.upper == INFINITE:
            return math.inf
        return float((self.upper - self.lower) / self.lower)

    def meet(self, other: Bounds) -> Bounds:
        """Their intersection."""
        return Bounds(max(self.lower, other.lower), min(self.upper, other.upper))

    def worst(self, other: Bounds) -> Bounds:
        """The larger one of two values."""
        return Bounds(max(self.lower, other.lower), max(self.upper, other.upper))

    def fell(self, before: Bounds, share: Fraction) -> bool:
        """Whether the lower end is still 0, and the upper end is less than this share of what it was."""
        return self.lower == 0 and self.upper < before.upper * share

    def at_most(self, bound: Fraction) -> Verdict:
        """The verdict on "the value is at most the bound"."""
        if self.upper <= bound:
            return Verdict.PROVED
        return Verdict.REFUTED if self.lower > bound else Verdict.UNDECIDED

    def below(self, other: Bounds) -> bool:
        """Whether the value is certainly less than the other one."""
        return self.upper < other.lower

    def side(self, value: float) -> int:
        """-1 if the number is certainly below the value, 1 if it is certainly above, else 0."""
        return -1 if value < self.lower else int(value > self.upper)

    def enclosure(self, digits: int) -> Enclosure:
        """The decimal enclosure, rounded outward."""
        if self.lower == INFINITE:
            return infinite()
        if self.upper == INFINITE:
            return at_least(self.lower, digits)
        return outward(self.lower, self.upper, digits)
