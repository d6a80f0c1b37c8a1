"""Casting the net: settings are drawn by hypothesis, all laws are checked, what happened is counted."""

from __future__ import annotations

import gc
import itertools
import os
import re
import shlex
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

import dpaudit
from dpaudit.reference import definitions as reference

from .laws import LAWS, Law
from .settings import Case, Family, random_case, to_json
from .view import Disagreement, NotApplicable, Undecided, View

BATCH = 20
PATIENCE = 60
"""Seconds for one agreement of one setting."""
SHOWN = 3
"""Findings of one kind that are printed; all are counted."""


@dataclass(frozen=True)
class Finding:
    """A disagreement: the law, the setting and what the two sides say."""

    law: str
    case: Case
    sides: tuple[tuple[str, str], ...]

    @property
    def kind(self) -> str:
        """What it has in common with others of which a few are enough."""
        name, value = self.sides[0]
        return value if name == "crash" else self.law

    def text(self) -> str:
        """The finding with the commands to see it."""
        lines = [f"  {self.law}", *(f"      {name}: {value[:300]}" for name, value in self.sides)]
        if isinstance(self.case, Family):
            spoken = " ".join(name for name, _ in self.sides)
            at = re.search(r"(?:at |δ\()(\d[\d/]*)", spoken)
            for name in ("profile", "delta") if at else ("profile", "epsilon"):
                more = ("--at", at[1]) if at else ()
                lines.append(f"      dpaudit {shlex.join(self.case.command(name, *more))}")
        lines.append(f"      python -m tests.net --case {shlex.quote(to_json(self.case))}")
        return "\n".join(lines)


@dataclass
class Tally:
    """How often each law was checked, what was refused, what was found."""

    settings: int = 0
    agreed: Counter[str] = field(default_factory=Counter)
    unsaid: Counter[str] = field(default_factory=Counter)
    """Refusals, law by law."""
    owed: Counter[str] = field(default_factory=Counter)
    """Checks, law by law, of settings that should be answered."""
    unanswered: Counter[str] = field(default_factory=Counter)
    """Refusals, law by law, of settings that should be answered."""
    messages: Counter[str] = field(default_factory=Counter)
    """What the refusals say; the refusal of one call is counted once, however many laws make the call."""
    found: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Takes in the counts of another tally; of the findings the shortest settings are kept."""
        self.settings += other.settings
        for name in ("agreed", "unsaid", "owed", "unanswered", "messages", "found"):
            getattr(self, name).update(getattr(other, name))
        kept: list[Finding] = []
        for finding in sorted(self.findings + other.findings, key=lambda f: len(to_json(f.case))):
            if sum(finding.kind == one.kind for one in kept) < SHOWN:
                kept.append(finding)
        self.findings = kept

    def line(self) -> str:
        """The counts in one line."""
        agreed, refused, found = (sum(c.values()) for c in (self.agreed, self.unsaid, self.found))
        return f"{self.settings} settings: {agreed} agreements, {refused} refusals, {found} disagreements"

    def report(self) -> Iterator[str]:
        """The lines of the summary."""
        yield self.line()
        yield f"{'agreement':48}{'agreed':>9}{'refused':>9}{'(owed)':>9}{'found':>9}"
        for law in LAWS:
            counters = (self.agreed, self.unsaid, self.unanswered, self.found)
            yield f"{law.name:48}{''.join(f'{c[law.name]:9}' for c in counters)}"
        if self.messages:
            yield "refusals, numbers left out:"
        for message, count in self.messages.most_common(40):
            yield f"{count:8}  {message}"
        for finding in self.findings:
            yield finding.text()
        if not self.findings:
            yield "nothing found: no two paths disagree"


# ------------------------------------------------------------------ one setting


class TooSlow(Exception):
    """The law took longer than PATIENCE."""


@contextmanager
def _patience() -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooSlow

    old = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, PATIENCE)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def examine(case: Case, tally: Tally, only: Callable[[Law], bool] = lambda law: True) -> None:
    """Checks all laws for one setting. An exception that is no refusal is a finding too."""
    view = View(case)
    tally.settings += 1
    for law in LAWS:
        if law.applies(case) and only(law):
            _check(law, view, tally)


def _check(law: Law, view: View, tally: Tally) -> None:
    try:
        with _patience():
            law.check(view)
    except NotApplicable:
        return
    except Disagreement as found:
        tally.found[law.name] += 1
        tally.findings.append(Finding(law.name, view.case, found.sides))
    except Exception as error:
        message, first = refusal(error), not hasattr(error, "seen_by_the_net")
        error.seen_by_the_net = True  # type: ignore[attr-defined]
        if message is None:
            tally.found[law.name] += first
            crash = (("crash", f"{type(error).__name__}: {error}"),)
            tally.findings += [Finding(law.name, view.case, crash)] if first else []
        else:
            tally.unsaid[law.name] += 1
            tally.unanswered[law.name] += view.case.ordinary
            tally.messages[message] += first
    else:
        tally.agreed[law.name] += 1
    tally.owed[law.name] += view.case.ordinary


def refusal(error: Exception) -> str | None:
    """The message of a documented refusal, numbers left out, or None if the exception is none."""
    if isinstance(error, TooSlow):
        return f"more than {PATIENCE} s"
    if isinstance(error, dpaudit.InputError):
        text = f"{error.option}: {error.rule}"
    elif isinstance(error, Undecided) or "PrecisionExhausted" in [kind.__name__ for kind in type(error).__mro__]:
        text = str(error)
    else:
        return None
    return re.sub(r"\d[\d./e+-]*", "…", text)[:110]


# ------------------------------------------------------------------ many settings


def batch(seed: int, numbers: range, until: float = float("inf")) -> Tally:
    """Examines the settings of these numbers until the time is over."""
    tally = Tally()
    for number in numbers:
        if time.time() < until:
            examine(random_case(f"{seed} {number}"), tally)
    _forget()
    return tally


def _forget() -> None:
    """Empties the caches of the slow reference, which would grow without end."""
    for function in vars(reference).values():
        if hasattr(function, "cache_clear"):
            function.cache_clear()
    gc.collect()


def cast(seed: int, minutes: float | None, count: int | None, workers: int | None, say: Callable[[str], None]) -> Tally:
    """Casts the net until the time is over or so many settings are examined, on all cores; says how it goes."""
    workers, start = workers or os.cpu_count() or 1, time.time()
    until = float("inf") if minutes is None else start + 60 * minutes
    numbers = (range(i, i + BATCH if count is None else min(i + BATCH, count)) for i in itertools.count(0, BATCH))
    total, spoken = Tally(), start
    with ProcessPoolExecutor(workers) as pool:
        running: set[Future[Tally]] = set()
        while True:
            while len(running) < workers and time.time() < until and (chosen := next(numbers)):
                running.add(pool.submit(batch, seed, chosen, until))
            if not running:
                return total
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                total.add(future.result())
            if time.time() - spoken > 20:
                spoken = time.time()
                say(f"{spoken - start:6.0f} s: {total.line()}")
