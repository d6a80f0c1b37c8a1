"""How far a long job is, on stderr: a bar on a terminal, else a line now and then, so that a log shows that it lives.

The work of a command has several phases, each counted from 0. A phase that is over is no end: the bar shows that the
work goes on until the answer is there.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import monotonic
from typing import Any

from dpaudit.code.watch import heard_by
from dpaudit.numbers.digits import duration
from dpaudit.numbers.errors import visible

FIRST = 5.0
"""Seconds until the first line."""
SOON = 1.0
"""Seconds until the first line of what is known to take long."""
EVERY = 15.0
"""Seconds between two lines."""
STANDS = 15.0
"""If a count has not moved for this many seconds, no remaining time is printed."""
TELLING, SURE = 0.1, 3.0
"""The remaining time is estimated from the share of the time only after this share and this many seconds."""
TICK = 0.5
"""Seconds between two looks at the clock."""
SWITCH = "DPAUDIT_PROGRESS"
"""Set to "off" in the environment, nothing is said."""

Tell = Callable[[int, int], None]


def budget(total: int, seconds: float) -> str:
    """What following the code of a mechanism may cost, and what a shorter run would.

    >>> budget(3, 60.0)
    'following code on 3 data sets, up to 60 s of processor time each; budget = {"seconds": 6} makes it 6 s each'
    >>> budget(1, 5.0)
    'following code on 1 data set, up to 5 s of processor time each'
    """
    sets = "1 data set" if total == 1 else f"{total} data sets"
    shorter = int(seconds / 10)
    less = f'; budget = {{"seconds": {shorter}}} makes it {shorter} s each' if shorter else ""
    return f"following code on {sets}, up to {seconds:.0f} s of processor time each{less}"


class Meter:
    """Where the work stands, and when the next line about it is due."""

    def __init__(self, label: str, clock: Callable[[], float] = monotonic, first: float | None = None) -> None:
        self.label, self._clock = visible(label), clock
        self._start = self._phase = self._moved = clock()
        self._next = self._start + (FIRST if first is None else first)
        self._done, self._total, self._words = 0, 0, ""
        self._share: float | None = None
        self._notice: str | None = None

    def tell(self, done: int, total: int) -> None:
        """Notes how much of this phase is done; fewer than before is a new phase, and so is another total."""
        if (done, total) != (self._done, self._total):
            self._moved = self._clock()
        if done < self._done or total != self._total:
            self._phase = self._moved
        self._done, self._total = done, total

    def say(self, words: str, share: float | None = None) -> None:
        """Notes in words what is being done, and, where it is known, the share of the time that is over."""
        self._words, self._share = visible(words), share

    def announce(self, words: str) -> None:
        """Notes the budget about to be spent, for a separate line within a second; only once for the whole work."""
        if self._notice is None:
            self._notice = visible(words)
            self._next = min(self._next, self._clock() + SOON)

    def due(self) -> str | None:
        """The line that is to be printed now, else None."""
        now = self._clock()
        if now < self._next:
            return None
        if self._notice:
            line, self._notice = f"dpaudit: {self.label}: {self._notice}", ""
            self._next = max(now + TICK, self._start + FIRST)
            return line
        self._next = now + EVERY
        spent = f"{duration(now - self._start)} so far"
        return f"dpaudit: {self.label}: {', '.join(filter(None, [self._words, *self._counted(now), spent]))}"

    def _counted(self, now: float) -> list[str]:
        """Returns count, share and time left of a phase that is under way; no time left of a count that stands.

        It stands when it has not moved for STANDS seconds, and for three times as long as a step took before.
        """
        if self._share is not None:
            return [*([f"{100 * self._share:.0f} %"] if self._share else []), *filter(None, [self.left()])]
        if not 0 < self._done < self._total:
            return []
        parts = [f"{self._done} of {self._total}", f"{self._done * 100 // self._total} %"]
        if now - self._moved >= max(STANDS, 3 * (self._moved - self._phase) / self._done):
            return parts
        left = (now - self._phase) * (self._total - self._done) / self._done
        return [*parts, f"about {duration(left)} left"]

    def left(self) -> str:
        """Returns "about 12 s left" by the share of the time that is over; "" until it can be told."""
        share, now = self._share or 0.0, self._clock()
        seconds = now - self._phase
        if share < TELLING or seconds < SURE or (seconds * (1 - share) / share) < 1:
            return ""
        return f"about {duration(seconds * (1 - share) / share)} left"


@contextmanager
def watched(label: str) -> Iterator[Tell]:
    """Yields the function that takes (done, total) in every phase."""
    if not sys.stderr.isatty():
        with lines(label) as meter:

            def hear(done: int, total: int, seconds: float) -> None:
                meter.announce(budget(total, seconds))
                meter.tell(done, total)

            with heard_by(hear):
                yield meter.tell
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TimeElapsedColumn, TimeRemainingColumn

    with bar(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TimeRemainingColumn()) as drawn:
        drawn.add_task(visible(label), total=None)

        def tell(done: int, total: int) -> None:
            over = done >= total  # this phase is over, the work is not: the bar moves, and shows no share
            drawn.tasks[0].total, drawn.tasks[0].completed = (None, 0) if over else (total, done)

        def follow(done: int, total: int, seconds: float) -> None:
            each = f"{visible(label)}: following code, up to {seconds:.0f} s for each data set"
            drawn.update(drawn.tasks[0].id, description=each)
            tell(done, total)

        with heard_by(follow):
            yield tell


@contextmanager
def counted(label: str) -> Iterator[Callable[[str, float], None]]:
    """Yields the function that takes the words of the current step, and the share of the time that is over.

    The first line comes within two seconds, as the work is known to take long.
    """
    meter = Meter(label, first=min(FIRST, SOON))
    if not sys.stderr.isatty():
        with lines(label, meter):
            yield meter.say
        return
    from rich.progress import BarColumn, ProgressColumn, TimeElapsedColumn

    class Left(ProgressColumn):
        """The remaining time, as printed without a terminal."""

        def render(self, task: Any) -> Any:
            """The words."""
            from rich.text import Text

            return Text(meter.left())

    with bar(BarColumn(), TimeElapsedColumn(), Left()) as drawn:
        task = drawn.add_task(visible(label), total=None)

        def show(words: str, share: float) -> None:
            meter.say(words, share)
            drawn.update(task, description=visible(words), completed=share, total=1.0)

        yield show


def bar(*columns: Any) -> Any:
    """A bar on stderr that vanishes at the end, its description as plain text before the columns."""
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    words = TextColumn("{task.description}", markup=False)
    return Progress(words, *columns, console=Console(stderr=True, emoji=False), transient=True)


@contextmanager
def lines(label: str, meter: Meter | None = None) -> Iterator[Meter]:
    """Yields a meter whose lines are printed on stderr when they are due, even without an update."""
    found, over = meter or Meter(label), Event()

    def watch() -> None:
        while not over.wait(TICK):
            line = found.due()
            if line is not None:
                with suppress(OSError, ValueError):  # stderr may be gone
                    print(line, file=sys.stderr, flush=True)

    if os.environ.get(SWITCH) == "off":
        yield found
        return
    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()
