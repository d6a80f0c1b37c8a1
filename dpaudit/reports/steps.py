"""The progress of a report: approximately the elapsed share of its time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

Progress = Callable[[str], None]
"""Called with words at the beginning of every step."""
EVERY_N, SMALLER = "what is known for every n", "the smallest n that fails"
ACCURACY, CLAIM = "accuracy at", "claim checked"
COSTS = {EVERY_N: 40.0, SMALLER: 0.4, ACCURACY: 20.0, CLAIM: 10.0}
"""The costs of steps by a part of their words; any other costs as much as a true ε, 1."""


@dataclass(frozen=True)
class Job:
    """A part of a plan: its name, the approximate cost of its steps, and the function that yields its parts."""

    name: str
    cost: float
    run: Callable[[Progress], Iterator[Any]]


class Steps:
    """Adds up the costs of the finished steps; reports the words of each step with the finished share."""

    def __init__(self, tell: Callable[[str, float], None]) -> None:
        self._tell, self._spent, self._current, self._all = tell, 0.0, 0.0, 1.0

    @staticmethod
    def of(progress: Progress | Steps | None) -> Steps:
        """The sum of the steps; a function of the words alone is called with these."""
        if isinstance(progress, Steps):
            return progress
        return Steps(lambda words, share: progress(words) if progress else None)

    def expect(self, cost: float) -> None:
        """Adds future steps with their total cost."""
        self._all += cost

    def __call__(self, words: str) -> None:
        """Says what is being done; the step before it is over."""
        self._spent += self._current
        self._current = next((cost for part, cost in COSTS.items() if part in words), 1.0)
        self._tell(words, min(self._spent / self._all, 0.99))
