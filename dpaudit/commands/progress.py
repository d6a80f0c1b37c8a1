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
        return f"dpaudit: {self.label}: {self.words()}"

    def words(self) -> str:
        """What is being done, how much of it is over, and the time that is left and that was spent."""
        now = self._clock()
        return ", ".join(filter(None, [self._words, *self._counted(now), f"{duration(now - self._start)} so far"]))

    def share(self) -> float | None:
        """The share of this phase that is over; None where it is not known, and of a phase that is over."""
        counted = self._done / self._total if 0 < self._done < self._total else None
        return counted if self._share is None else self._share

    def _counted(self, now: float) -> list[str]:
        """Count, share and time left of a phase that is under way; no time left of a count that stands.

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
        """The text "about 12 s left" by the share of the time that is over; "" until it can be told."""
        share, now = self._share or 0.0, self._clock()
        seconds = now - self._phase
        if share < TELLING or seconds < SURE or (seconds * (1 - share) / share) < 1:
            return ""
        return f"about {duration(seconds * (1 - share) / share)} left"

    def __rich__(self) -> Any:
        """The line on a terminal, with a bar."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        share, line = self.share(), Table.grid(padding=(0, 1))
        line.add_row(
            Text(self.label), ProgressBar(1.0, share or 0.0, width=40, pulse=share is None), Text(self.words())
        )
        return Group(Text(self._notice, "dim"), line) if self._notice else line


@contextmanager
def watched(label: str) -> Iterator[Callable[[int, int], None]]:
    """Yields the function that takes (done, total) in every phase."""
    with shown(label) as meter:

        def hear(done: int, total: int, seconds: float) -> None:
            meter.announce(budget(total, seconds))
            meter.tell(done, total)

        with heard_by(hear):
            yield meter.tell


@contextmanager
def shown(label: str, soon: bool = False) -> Iterator[Meter]:
    """Yields a meter that is shown while the block runs; ``soon``: it is known to take long."""
    meter = Meter(label, first=min(FIRST, SOON) if soon else None)
    if os.environ.get(SWITCH) == "off":
        yield meter
        return
    with bar(meter) if sys.stderr.isatty() else lines(meter):
        yield meter


def bar(meter: Meter) -> Any:
    """The meter on a terminal; it vanishes at the end."""
    from rich.console import Console
    from rich.live import Live

    return Live(meter, console=Console(stderr=True, emoji=False), transient=True)


@contextmanager
def lines(meter: Meter) -> Iterator[None]:
    """Prints the meter's lines when they are due, even without an update."""
    over = Event()

    def watch() -> None:
        while not over.wait(TICK):
            line = meter.due()
            if line is not None:
                with suppress(OSError, ValueError):  # stderr may be gone
                    print(line, file=sys.stderr, flush=True)

    thread = Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
