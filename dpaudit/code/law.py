"""The law of a user's sampler: certified lower bounds of the probabilities, and the mass that stays open."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpaudit.code import chain
from dpaudit.code.context import generators, heeding_interrupts, in_place, unmoved
from dpaudit.code.explore import Budget, End, Explorer, Raised, silence
from dpaudit.code.lazy import settle
from dpaudit.code.run import Again, Changed, Refused, Run
from dpaudit.code.source import real
from dpaudit.code.subs import Subs
from dpaudit.code.watch import Watch
from dpaudit.numbers.digits import rough

TRIALS = 200
"""The number of runs of the original code with real generators that are compared with the law."""
TRIAL_SECONDS = 2.0
MOST_OPEN = Fraction(1, 10**7)
"""With a larger residual, an output missing from the law may well belong to it, so nothing is compared."""
DOUBLE = 53
"""The bits of a real uniform float."""
CONFIRMED = 200
"""How many ends of the code, and how many exceptions, are run again with plain numbers; a tenth for a sub-sampler."""
UNFIT = (
    "the computed law does not fit plain runs ({}), so no law is given: the code keeps state that dpaudit "
    "does not see (in compiled code, a file, the time), or this is a fault of dpaudit"
)


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
    """The first line at which several draws with many values decide jointly."""
    raised_at: dict[Any, str]
    """The line of each exception."""
    timed: bool
    """Whether the time limit ended it: then another run may explore more, or less."""
    unrolled: tuple[str, str] | None = None
    """The first loop whose runs could not be merged, "file.py line 12", and why."""


class Session:
    """What the runs of one audit share: the bits of a float, the budget, the laws of sub-samplers."""

    def __init__(self, budget: Budget | None = None, bits: int = 53) -> None:
        self.budget, self.bits = budget or Budget(), bits
        self.keep: dict[int, Any] = {}
        self.subs = Subs(self)
        self.unmerged: dict[Hashable, str] = {}
        """Loops and calls at which nothing is merged, since something outside the closed list follows them."""
        self.texts: dict[Hashable, Hashable] = {}
        """The key and the containers of the output with each text: two outputs with the same text count as one."""
        self._titles: dict[str, str] = {}
        self.watch = Watch()
        self.heard = False
        """Whether the code has run once: its output to the terminal is shown once."""

    @property
    def is_late(self) -> bool:
        """Whether the time limit has been reached."""
        return self.watch.seconds >= self.budget.seconds

    def law(
        self,
        function: Callable[..., Any],
        given: tuple[Any, ...] = (),
        named: dict[str, Any] | None = None,
        target: Any = None,
        at: str = "",
    ) -> CodeLaw:
        """The law of function(*given, **named), which draws from any random source.

        ``target`` may hold numpy generators; ``at`` says where the sampler is defined, "file.py line 12: ".
        """
        self.watch = Watch()
        call, warm, before = (function, given, named or {}), False, generators()
        with heeding_interrupts(self.budget.seconds):
            with in_place(target, before):
                while True:
                    explorer = Explorer(call, self, self.budget, at=at)
                    try:
                        law = self._law(explorer)
                        break
                    except Again:  # at most once for each loop of the code
                        continue
                    except Changed:  # the very first run may differ: it loads modules, and fills caches
                        if warm or explorer.is_clean:
                            raise
                        warm = True
            if law.residual < MOST_OPEN and self.bits == DOUBLE:
                with unmoved(before):
                    self._try(explorer, law)
        return law

    def sub_law(self, function: Callable[..., Any], given: tuple[Any, ...], named: dict[str, Any]) -> CodeLaw:
        """The law of a call of a sub-sampler."""
        budget = replace(self.budget, residual=self.budget.residual / 64)
        return self._law(Explorer((function, given, named), self, budget, inner=True))

    def _law(self, explorer: Explorer) -> CodeLaw:
        watch = Watch()
        explorer.explore()
        timed = self.is_late
        self._confirm(explorer, watch.seconds / 2)
        edges = [state.edges for state in explorer.states]
        try:
            found = _gathered(explorer, chain.visits(edges, chain.EXACT), chain.EXACT)
        except chain.TooLong:
            down = chain.rounded_down()
            found = _gathered(explorer, chain.visits(edges, down), down)
        if explorer.inner:  # in one order, however it was come to them
            found = dict(sorted(found.items(), key=lambda one: repr(one[0])))
        values = tuple(explorer.values[key] for key in found)
        residual = 1 - sum(found.values(), Fraction(0))
        errors = {value: explorer.errors[value] for value in values if isinstance(value, Raised)}
        return CodeLaw(
            outputs=values,
            lower=tuple(found.values()),
            residual=residual,
            assumptions=tuple(sorted(explorer.assumptions)),
            runs=explorer.runs,
            states=len(explorer.states),
            endless=explorer.endless,
            errors=errors,
            boxed=explorer.boxed,
            raised_at=explorer.raised_at,
            timed=timed and residual > 0,
            unrolled=explorer.unrolled or (("", explorer.unclean) if explorer.unclean else None) if residual else None,
        )

    def _confirm(self, explorer: Explorer, seconds: float) -> None:
        """Runs ends again with plain numbers, at both ends of every draw; what differs is refused.

        Some of them where all runs were clean, and so have changed nothing; else as many as the seconds allow.
        """
        watch, followed = Watch(), explorer.runs
        most = CONFIRMED // 10 if explorer.inner else CONFIRMED
        raising = [leaf for leaf in explorer.leaves if isinstance(leaf.output, Raised)][:most]
        others = [leaf for leaf in explorer.leaves if not isinstance(leaf.output, Raised)]
        some = [*reversed(others[:: len(others) // most + 1]), *raising]
        for number, leaf in enumerate(some if explorer.is_clean else [*some, *others]):
            if number >= len(some) and watch.seconds > seconds:
                break
            for numbers in {leaf.lowest, leaf.highest}:
                self._run_again(explorer, leaf, numbers)
        explorer.runs = followed

    def _run_again(self, explorer: Explorer, leaf: End, numbers: tuple[int, ...]) -> None:
        run = Run((), self, self.bits, numbers)
        run.plan = leaf.calls
        output, _ = explorer.perform(run)
        if explorer.key(output) != explorer.key(leaf.output) or len(run.draws) != len(numbers):
            raise Changed(_differs(explorer, leaf.output, output))

    def _try(self, explorer: Explorer, law: CodeLaw) -> None:
        """Runs the code as it is, with real generators; where an output hardly fits the law, the law is refused."""
        function, given, named = explorer.call
        seen: dict[Hashable, int] = {}
        watch = Watch()
        for _ in range(TRIALS):
            with silence(True):
                try:
                    output = settle(function(*map(real, given), **{name: real(one) for name, one in named.items()}))
                except Refused:  # it holds a source of ours, which draws in an audit alone
                    return
                except (Exception, SystemExit) as error:
                    output = Raised(self.title(type(error)))
            key = explorer.key(output)
            seen[key] = seen.get(key, 0) + 1
            explorer.values.setdefault(key, output)
            if watch.seconds > TRIAL_SECONDS:
                break
        known = {explorer.key(output): p for output, p in zip(law.outputs, law.lower, strict=True)}
        trials = sum(seen.values())
        for key, count in seen.items():
            p = float(known.get(key, 0))
            if abs(count - trials * p) > 8 * (trials * p * (1 - p)) ** 0.5 + (4 if p else 0):
                said = f"{count} of {trials} give {explorer.values[key]}, whose computed probability is {rough(p, 3)}"
                raise Changed(f"{explorer.at}{UNFIT.format(said)}")

    def title(self, kind: type) -> str:
        """The name of an exception; its full name where another class, or a builtin one, has the same."""
        short, full = kind.__qualname__.rpartition("<locals>.")[2], f"{kind.__module__}.{kind.__qualname__}"
        taken = hasattr(builtins, short) and kind.__module__ != "builtins"
        return full if taken or self._titles.setdefault(short, full) != full else short


def _differs(explorer: Explorer, first: Any, second: Any) -> str:
    """The fault that two outputs show, one of a run with open numbers and one of a run with plain numbers."""
    if isinstance(first, Raised) and not isinstance(second, Raised):
        return (
            f"{explorer.raised_at.get(first, '')}a draw is passed where only a plain number is accepted ({first.kind}: "
            f"{explorer.errors[first]}); fix its value first, with int(...) or by its index"
        )
    if repr(first) == repr(second):
        return f"a second run gives {second} with other draws: it is not a function of its draws (a cache, a counter)"
    return (
        f"{explorer.at}the same draws give {first} in one run and {second} in another, with plain numbers: it is not a "
        "function of its draws (it keeps state that dpaudit does not see, the time, a file), or a library mistakes a "
        "draw for another object"
    )


def _gathered(explorer: Explorer, times: list[Any], numbers: chain.Numbers) -> dict[Hashable, Fraction]:
    """The probability of every output: how often each state is met, times what ends from there."""
    found: dict[Hashable, Any] = {}
    for time, state in zip(times, explorer.states, strict=True):
        for key, share in state.outputs.items():
            found[key] = found.get(key, numbers.zero) + numbers.times(time, numbers.of(share))
    return {key: Fraction(value) / numbers.one for key, value in found.items()}


__all__ = ["Budget", "CodeLaw", "Refused", "Session"]
