"""How far a report is: about which share of its time is over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Progress = Callable[[str], None]
"""Called in words at the beginning of every step."""
EVERY_N, SMALLER = "what is known for every n", "the smallest n that fails"
ACCURACY, CLAIM = "accuracy at", "claim checked"
COSTS = {EVERY_N: 40.0, SMALLER: 0.4, ACCURACY: 20.0, CLAIM: 10.0}
"""What steps whose words have these in them cost; another one costs as much as a true ε, 1."""


@dataclass(frozen=True)
class Job:
    """A part of a plan: what it is, about what its steps cost together, and what yields its parts."""

    name: str
    cost: float
    run: Callable[[Progress], Iterator[Any]]


class Steps:
    """Adds up the costs of the steps that are over; tells the words of each step with the share that is over."""

    def __init__(self, tell: Callable[[str, float], None]) -> None:
        self._tell, self._spent, self._current, self._all = tell, 0.0, 0.0, 1.0

    @staticmethod
    def of(progress: Progress | Steps | None) -> Steps:
        """What adds up the steps; a function that takes words alone is called with these."""
        if isinstance(progress, Steps):
            return progress
        return Steps(lambda words, share: progress(words) if progress else None)

    def expect(self, cost: float) -> None:
        """Notes steps to come, and what they cost together."""
        self._all += cost

    def __call__(self, words: str) -> None:
        """Says what is being done; the step before it is over."""
        self._spent += self._current
        self._current = next((cost for part, cost in COSTS.items() if part in words), 1.0)
        self._tell(words, min(self._spent / self._all, 0.99))
