"""How far a report is: steps done of all, and about which share of the time that is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Progress = Callable[[str], None]
"""Called in words at the beginning of every step."""
Tell = Callable[[str, int, int, float], None]
"""Called with the words, the steps that are done, the number of all, and about the share of the time that is spent."""
SMALLER = "the smallest n that fails"
"""A step below the range that was asked for begins with these words."""
COSTS = {
    SMALLER: 0.4,
    "what is known for every n": 40.0,
    "the curve δ(ε)": 20.0,
    "accuracy at": 20.0,
    "claim checked": 10.0,
}
"""What some steps cost, one true ε being 1."""


@dataclass(frozen=True)
class Job:
    """A part of a plan: what it is, about how many steps it has and what these cost, and what yields its parts."""

    name: str
    steps: int
    weight: float
    run: Callable[[Progress], Iterator[Any]]


class Steps:
    """Counts the steps of a report; the count never falls, and ends at the total."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._done, self._total, self._weight, self._all = tell, 0, 1, 0.0, 1.0
        self._current = ""

    @staticmethod
    def of(progress: Progress | Steps | None) -> Steps:
        """What counts the steps; a function that takes words alone is called with these."""
        if isinstance(progress, Steps):
            return progress
        return Steps(lambda words, done, total, share: progress(words) if progress else None)

    def begin(self, total: int, weight: float) -> None:
        """Notes about how many steps there are, and their weight together; none of them is done."""
        self._done, self._total, self._weight, self._all, self._current = 0, max(1, total), 0.0, max(1.0, weight), ""

    def expect(self, count: int, words: str) -> None:
        """Notes more steps, which nobody could foresee, and what they cost by their words."""
        self._total += count
        self._all += count * cost(words)

    def __call__(self, words: str) -> None:
        """Says what is being done; the step before it is over."""
        if self._current:
            self._done = min(self._done + 1, self._total - 1)
            self._weight += cost(self._current)
        self._current = words
        self._tell(words, self._done, self._total, min(self._weight / self._all, 0.99 if self._weight else 0.0))


def cost(words: str) -> float:
    """What a step costs, one true ε being 1."""
    return next((value for part, value in COSTS.items() if part in words), 1.0)
