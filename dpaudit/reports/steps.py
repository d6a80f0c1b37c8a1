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
"""A step outside the range that was asked for begins with these words."""
COSTS = {
    SMALLER: 0.4,
    "what is known for every n": 40.0,
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
        self._begun, self._current = False, 0.0

    @staticmethod
    def of(progress: Progress | Steps | None) -> Steps:
        """What counts the steps; a function that takes words alone is called with these."""
        if isinstance(progress, Steps):
            return progress
        return Steps(lambda words, done, total, share: progress(words) if progress else None)

    def begin(self, total: int, weight: float) -> None:
        """Notes about how many steps there are, and their weight together; none of them is done."""
        self._done, self._total, self._weight, self._all = 0, max(1, total), 0.0, max(1.0, weight)
        self._begun = False

    def expect(self, count: int, each: float) -> None:
        """Notes more steps, which nobody could foresee, and what each of them costs."""
        self._total += count
        self._all += count * each

    def __call__(self, words: str, weight: float | None = None) -> None:
        """Says what is being done, at its cost or at one by its words; the step before it is over."""
        if self._begun:
            self._done = min(self._done + 1, self._total - 1)
            self._weight += self._current
        self._begun, self._current = True, cost(words) if weight is None else weight
        self._tell(words, self._done, self._total, min(self._weight / self._all, 0.99 if self._weight else 0.0))


def cost(words: str) -> float:
    """What a step costs, one true ε being 1."""
    return next((value for part, value in COSTS.items() if part in words), 1.0)
