"""How far a report is: steps done of all, and about which share of the time that is, for whoever is told.

Steps differ in what they cost by a factor of a thousand: a theorem on every n takes seconds, one true epsilon a few
milliseconds. So a job says ahead about how long each kind of its steps takes, and the share of the whole is of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

Progress = Callable[[str], None]
"""Called in words at the beginning of every step."""
Tell = Callable[[str, int, int, float], None]
"""Called with the words, the steps that are done, the number of all, and about the share of the time that is spent."""
USUAL = 0.05
"""About the seconds of a step of which nothing is known."""


@dataclass(frozen=True)
class Sized:
    """A job with about the number of its steps, and the seconds of all of them together.

    ``costs`` has about the seconds of one step by a part of its words; what is not there costs nothing.
    """

    run: Callable[[Progress], Iterator[dict[str, Any]]]
    steps: int
    seconds: float = 0.0
    costs: Mapping[str, float] = field(default_factory=dict)

    def __call__(self, progress: Progress) -> Iterator[dict[str, Any]]:
        """Yields its sections."""
        return self.run(progress)

    def cost(self, words: str) -> float:
        """Returns about the seconds of the step of these words."""
        if not self.costs:
            return self.seconds / self.steps
        return max((cost for part, cost in self.costs.items() if part in words), default=0.0)


def sized(job: Callable[[Progress], Iterator[dict[str, Any]]], steps: int) -> Sized:
    """Returns the job; one that does not say how many steps it has, has about so many of the usual cost."""
    found = job if isinstance(job, Sized) else Sized(job, steps)
    return found if found.seconds else Sized(found.run, found.steps, found.steps * USUAL)


class Steps:
    """The steps of a document, in parts. The count never falls, and passes the end of a part only when it is over."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._done, self._total = tell, 0, 1
        self._spent, self._whole = 0.0, 1.0

    @staticmethod
    def of(progress: Progress | Steps | None) -> Steps:
        """Returns what counts the steps; a function that takes words alone is told these."""
        if isinstance(progress, Steps):
            return progress
        return Steps(lambda words, done, total, share: progress(words) if progress else None)

    def begin(self, total: int, seconds: float) -> None:
        """Notes how many steps there are in all, and about how long they take; none of them is done."""
        self._done, self._total = 0, total
        self._spent, self._whole = 0.0, seconds

    def __call__(self, words: str) -> None:
        """Tells what is being done."""
        self._tell(words, self._done, self._total, min(self._spent / self._whole, 1.0))

    @contextmanager
    def part(self, job: Sized) -> Iterator[Progress]:
        """Yields what one job tells its steps; when it is over all of them are done, however many it told."""
        end, last = self._done + job.steps, self._spent + job.seconds
        current: list[str] = []

        def progress(words: str) -> None:
            if current:
                self._done = min(self._done + 1, end - 1)
                self._spent = min(self._spent + job.cost(current.pop()), last)
            current.append(words)
            self(words)

        yield progress
        self._done, self._spent = end, last
