"""The law of somebody's sampler: certified lower bounds of the probabilities, and the mass that stays open."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from time import monotonic
from types import FrameType
from typing import Any

from dpaudit.code import chain
from dpaudit.code.context import in_place
from dpaudit.code.explore import Budget, Explorer, Raised
from dpaudit.code.outputs import Form
from dpaudit.code.places import places
from dpaudit.code.returned import class_name
from dpaudit.code.run import Again, Changed, Refused, Run, begin_anew, heeding_interrupts, is_theirs
from dpaudit.code.subs import Sampler, Subs, sampler
from dpaudit.code.tracer import watch_steps
from dpaudit.code.watch import Watch, has_fixed_hashes
from dpaudit.numbers.digits import rough

TRIALS = 200
"""So many whole runs with plain pseudo-random numbers are held against the law."""
LEAST_SECONDS = 0.5
"""So long merged ways are run on in any case."""
MOST_OPEN = Fraction(1, 10**7)
"""With a larger residual an output that the law does not have may well be part of it, and nothing is tried."""
MOST_LINES = 300_000
"""A trial that runs through more lines of the code is left: it may have no end."""
OUTSIDE = "the code keeps no state outside its variables, globals, classes and functions (trial runs show none)"
HASHES = (
    "the order of a set, or hash(), of text does not matter there: Python changes it at every start "
    "(PYTHONHASHSEED=0 fixes it)"
)
UNFIT = (
    "the law that was followed does not fit plain runs ({}), so no law is given: the code keeps state that dpaudit "
    "does not see (in compiled code, a file, the time), or this is a fault of dpaudit"
)
CONFIRMED = 200
"""So many ends of the code, and as many that raise, are run again with plain numbers."""


@dataclass(frozen=True)
class CodeLaw:
    """P(outputs[i]) lies in [lower[i], lower[i] + residual], and all other outputs have at most the residual."""

    outputs: tuple[Any, ...]
    lower: tuple[Fraction, ...]
    residual: Fraction
    assumptions: tuple[str, ...]
    runs: int
    states: int
    endless: str | None
    errors: dict[Any, str]
    boxed: str | None
    """The first line at which several draws of many values decide together."""
    raised_at: dict[Any, str]
    """The line of each exception."""
    timed: bool
    """Whether the seconds of the budget ended it: then another run follows more of it, or less."""
    unmerged: str | None = None
    """The line at which states only looked equal; then none were merged, and loops are unrolled."""


class Session:
    """What the runs of one audit share: the bits of a float, the budget, the laws of sub-samplers."""

    def __init__(self, budget: Budget | None = None, bits: int = 53) -> None:
        self.budget, self.bits = budget or Budget(), bits
        self.keep: dict[int, Any] = {}
        self.watch = Watch()
        self.merging = True
        """Whether states that look equal are merged; not any more once two of them were not."""
        self.unmerged: str | None = None
        """The line of these, "file.py line 12: "."""
        self.outside: BaseException | None = None
        """The exception that is being handled as a run begins; it is no state of the code."""
        self.met = False
        """Whether a state has been read."""
        self.all_live = False
        """Whether every variable may still be read: some of the code looks at its callers."""
        self.subs = Subs(self)
        self._titles: dict[str, str] = {}
        self.texts: dict[Hashable, Hashable] = {}
        """The key of the output with each text: two outputs with one text could not be told apart."""
        self._forms: dict[Hashable, Form] = {}
        self.deadline = 0.0
        self.heard = False
        """Whether the code has run once: what it prints is shown once."""

    def law(self, function: Callable[[], Any], target: Any = None, at: str = "") -> CodeLaw:
        """Returns the law of function(), which draws from any random source; ``target`` may hold numpy generators.

        ``at`` says where the sampler stands, "file.py line 12: ".
        """
        self.deadline = monotonic() + self.budget.seconds
        with in_place(target), heeding_interrupts():
            while True:
                try:
                    return self._law(Explorer(function, self, self.budget, self._forms, at=at))
                except Again:  # at most once for each sub-sampler, each thing that is watched, where states differ
                    self.met = False

    def _law(self, explorer: Explorer) -> CodeLaw:
        began = monotonic()
        explorer.explore()
        timed = monotonic() >= self.deadline
        self._confirm(explorer)
        self._try_merges(explorer, monotonic() - began)
        edges = [state.edges for state in explorer.states]
        try:
            found = _gathered(explorer, chain.visits(edges, chain.Exact()), chain.Exact(), 1)
        except chain.TooLong:
            down = chain.Down()
            found = _gathered(explorer, chain.visits(edges, down), down, 1 << down.bits)
        if explorer.inner is not None:  # in one order, however it was come to them
            found = dict(sorted(found.items(), key=lambda one: (repr(one[0]), repr(getattr(one[0], "key", "")))))
        values = tuple(explorer.values[key] for key in found)
        residual = 1 - sum(found.values(), Fraction(0))
        if residual < MOST_OPEN:
            self._try(explorer, found)
        if len(explorer.states) > 1:
            explorer.assumptions.add(OUTSIDE)
        if self.watch.hashes and not has_fixed_hashes():
            explorer.assumptions.add(f"{self.watch.hashes}{HASHES}")
        return CodeLaw(
            values,
            tuple(found.values()),
            residual,
            tuple(sorted(explorer.assumptions)),
            explorer.runs,
            len(explorer.states),
            explorer.endless,
            {value: explorer.errors[value] for value in values if isinstance(value, Raised)},
            explorer.boxed,
            explorer.raised_at,
            timed and residual > 0,
            self.unmerged,
        )

    def _confirm(self, explorer: Explorer) -> None:
        """Runs some ends again with plain numbers, at both ends of every draw; what differs is refused."""
        raising = [leaf for leaf in explorer.leaves if isinstance(leaf.output, Raised)][:CONFIRMED]
        others = [leaf for leaf in explorer.leaves if not isinstance(leaf.output, Raised)]
        for leaf in [*reversed(others[:: len(others) // CONFIRMED + 1]), *raising]:
            for numbers in {leaf.lowest, leaf.highest}:
                run = Run((), self, self.bits, numbers)
                output, _ = explorer.perform(run)
                if explorer.key(output) != explorer.key(leaf.output) or len(run.draws) != len(numbers):
                    raise Changed(_differs(explorer, leaf.output, output))

    def _try_merges(self, explorer: Explorer, seconds: float) -> None:
        """Runs merged ways on to ends of the code, for about half of the time that was taken to follow it.

        Where one ends otherwise than the run that it was merged with, the code keeps something that is not seen: from
        then on nothing is merged, and all is followed anew.
        """
        until, followed = monotonic() + max(LEAST_SECONDS, seconds / 2), explorer.runs
        for state, end in explorer.merges.trials():
            if any(not self._comes_to(explorer, numbers, end.output) for numbers in {end.lowest, end.highest}):
                file, line = explorer.states[state].line
                self._follow_all(f"{Path(file).name} line {line}: ")
            if monotonic() > until:
                break
        explorer.runs = followed

    def _comes_to(self, explorer: Explorer, numbers: tuple[int, ...], expected: Any) -> bool:
        """Returns whether the code gives this output with these numbers, and draws no others."""
        run = Run((), self, self.bits, numbers)
        try:
            output, ended = explorer.perform(run, _limited(run, explorer.budget.lines))
        except Changed:
            return False
        return ended and explorer.key(output) == explorer.key(expected) and len(run.draws) == len(numbers)

    def _follow_all(self, line: str) -> None:
        """Begins anew, and merges no states."""
        self.merging, self.unmerged, self.subs = False, line, Subs(self)
        begin_anew()

    def _try(self, explorer: Explorer, law: dict[Hashable, Fraction]) -> None:
        """Runs the whole code with plain pseudo-random numbers; outputs that hardly fit the law are refused.

        States that were taken for equal and are not (the code keeps something elsewhere) show here.
        """
        seen: dict[Hashable, int] = {}
        followed = explorer.runs
        for trial in range(TRIALS):
            run = Run((), self, self.bits, ())
            run.trial = trial
            output, ended = explorer.perform(run, _limited(run, MOST_LINES))
            if ended:
                key = explorer.key(output)
                seen[key] = seen.get(key, 0) + 1
                explorer.values.setdefault(key, output)
        explorer.runs = followed
        ended_runs = sum(seen.values())
        if ended_runs < TRIALS * 9 // 10:
            self._misfit(explorer, f"{TRIALS - ended_runs} of {TRIALS} have no end, but followed it ends")
        for key, count in seen.items():
            p = float(law.get(key, 0))
            if abs(count - ended_runs * p) > 8 * (ended_runs * p * (1 - p)) ** 0.5 + (4 if p else 0):
                words = (
                    f"{count} of {ended_runs} give {explorer.values[key]}, whose followed probability is {rough(p, 3)}"
                )
                self._misfit(explorer, words)

    def _misfit(self, explorer: Explorer, words: str) -> None:
        """Begins anew without merging where states were merged; else there is no law."""
        if len(explorer.states) > 1:
            self._follow_all(explorer.at)
        raise Changed(f"{explorer.at}{UNFIT.format(words)}")

    def sub_law(self, function: Callable[[], Any], inner: Any) -> CodeLaw:
        """Returns the law of a call of a sub-sampler."""
        budget = replace(self.budget, residual=self.budget.residual / 64)
        return self._law(Explorer(function, self, budget, {}, inner))

    def title(self, kind: type) -> str:
        """Returns the name of an exception; its full name where another class, or a builtin one, has the same."""
        short, full = kind.__qualname__.rpartition("<locals>.")[2], class_name(kind)
        taken = hasattr(builtins, short) and kind.__module__ != "builtins"
        return full if taken or self._titles.setdefault(short, full) != full else short


def _differs(explorer: Explorer, first: Any, second: Any) -> str:
    """Returns what a run with open numbers and one with plain numbers, which give two outputs, say of the code."""
    if isinstance(first, Raised) and not isinstance(second, Raised):
        return (
            f"{explorer.raised_at.get(first, '')}a draw goes where only a plain number is taken ({first.kind}: "
            f"{explorer.errors[first]}); make it known before, with int(...) or by its index"
        )
    if repr(first) == repr(second):
        return f"a second run gives {second} with other draws: it is not a function of its draws (a cache, a counter)"
    both = f"the same draws give {first} in one run and {second} in another, with plain numbers"
    if "type" in explorer.session.watch.named:
        return f"{explorer.at}type() of a draw is not that of its number, isinstance() is; or else: {both}"
    return (
        f"{explorer.at}{both}: it is not a function of its draws (it keeps state that dpaudit does not see, the time, "
        "a file), or a library takes a draw for another object"
    )


def _limited(run: Run, lines: int) -> Callable[..., Any]:
    """Returns a trace that ends the run after so many lines of somebody's own code."""
    left = lines

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if event == "call":
            if not is_theirs(frame.f_code.co_filename):
                return None
            watch_steps(frame, trace, bool(places(frame.f_code).still))
            return trace
        left -= event != "return"
        if left < 0:
            run.halt()
        return trace

    return trace


def _gathered(explorer: Explorer, times: list[Any], numbers: Any, one: int) -> dict[Hashable, Fraction]:
    """Returns the probability of every output: how often each state is met, times what ends from there."""
    found: dict[Hashable, Any] = {}
    for time, state in zip(times, explorer.states, strict=True):
        for key, share in state.outputs.items():
            found[key] = found.get(key, numbers.zero) + numbers.times(time, numbers.of(share))
    return {key: Fraction(value) / one for key, value in found.items()}


__all__ = ["Budget", "CodeLaw", "Refused", "Sampler", "Session", "sampler"]
