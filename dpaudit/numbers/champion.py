"""The maximum of a stream of balls, with a witness."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from dpaudit.numbers.balls import Ball, maximum

W = TypeVar("W")

WIDE = 2.0**-16
"""If the radius is a larger share of the maximum, its witness is chosen by the ends."""


@dataclass
class Champion(Generic[W]):
    """Keeps everything that may still be the maximum of a stream of balls, each with its tag."""

    best: Ball | None = None
    alive: list[tuple[Ball, W]] = field(default_factory=list)

    def offer(self, values: Sequence[Ball], tag: Callable[[int], W]) -> None:
        """Takes a batch; ``tag(i)`` names entry i if it may be the maximum of all seen so far."""
        if not values:
            return
        top = max(values)
        if self.best is None or top > self.best:
            self.best = top
        bar = self.best
        self.alive += [(v, tag(i)) for i, v in enumerate(values) if not v < bar]
        if len(self.alive) > 4096:
            self.prune()

    def top(self) -> Ball:
        """The best single entry so far: the maximum is at least its lower end."""
        if self.best is None:
            raise ValueError("nothing was offered")
        return self.best

    def sort(self, key: Callable[[W], Any]) -> None:
        """Puts the entries into the order of their tags, which settles the choice of the witness."""
        self.alive.sort(key=lambda entry: key(entry[1]))

    def prune(self) -> None:
        """Forgets whatever is certainly below the best."""
        bar = self.best
        if bar is not None:
            self.alive = [(v, tag) for v, tag in self.alive if not v < bar]

    def result(self) -> tuple[Ball, W]:
        """A ball that contains the maximum, and the tag of an entry that may attain it.

        The lower end of the ball is at most that entry's true value, so the entry is a witness of the lower bound.
        Among entries that this precision cannot separate it is the first one. Among wide balls it is the one with
        about the largest lower end, which the maximum is no less than; among several of those, the one with the
        largest upper end.
        """
        self.prune()
        peak = maximum([value for value, _ in self.alive])
        value, witness = next((v, tag) for v, tag in self.alive if v.overlaps(peak))
        near = peak.rad() * WIDE
        for other, tag in self.alive if peak.rad() > abs(peak.mid()) * WIDE else ():
            low, high = other.lower() - value.lower(), other.upper() - value.upper()
            if low > near or (abs(low) <= near and high > near):
                value, witness = other, tag
        return value.union(peak), witness
