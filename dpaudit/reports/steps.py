"""How far a report is: steps done of all steps, for whoever is told; about how many there are is known ahead."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

Progress = Callable[[str], None]
"""Called in words at the beginning of every step."""
Tell = Callable[[str, int, int], None]
"""Called with the words, the steps that are done, and the number of all."""


@dataclass(frozen=True)
class Sized:
    """A job with about the number of its steps."""

    run: Callable[[Progress], Iterator[dict[str, Any]]]
    steps: int

    def __call__(self, progress: Progress) -> Iterator[dict[str, Any]]:
        """Yields its sections."""
        return self.run(progress)


class Steps:
    """The steps of a document, in parts. The count never falls, and passes the end of a part only when it is over."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._done, self._total = tell, 0, 1

    @staticmethod
    def of(progress: Progress | Steps | None) -> Steps:
        """Returns what counts the steps; a function that takes words alone is told these."""
        if isinstance(progress, Steps):
            return progress
        return Steps(lambda words, done, total: progress(words) if progress else None)

    def begin(self, total: int) -> None:
        """Notes how many steps there are in all; none of them is done."""
        self._done, self._total = 0, total

    def __call__(self, words: str) -> None:
        """Tells what is being done."""
        self._tell(words, self._done, self._total)

    @contextmanager
    def part(self, steps: int) -> Iterator[Progress]:
        """Yields what one part tells its steps; when it is over all of them are done, however many it told."""
        end, begun = self._done + steps, False

        def progress(words: str) -> None:
            nonlocal begun
            self._done = min(self._done + begun, end - 1)
            begun = True
            self(words)

        yield progress
        self._done = end
