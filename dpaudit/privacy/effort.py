"""The effort of an audit: one value, from the caller to the innermost loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from math import log10
from typing import TypeVar

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError, TooLargeError, approximately
from dpaudit.numbers.rationals import whole
from dpaudit.privacy.columns import cliques_of
from dpaudit.privacy.protocols import Audited, Counts, Law

T = TypeVar("T")
MEMORY_BOUND = 2 << 30
"""Bytes: an audit that needs more is refused, unless the caller raises the bound."""
MAX_DIGITS = 2000
WORK = 3 * 10**7
"""Steps, of one or two microseconds each, about a minute: a table from a file that needs more is refused."""
PAIR = 20
"""The cost of a pair of a table besides its outputs, in outputs."""
MAX_MASSES = 10**6
"""The most ordered pairs times outputs for a whole curve, or the moments of all pairs, in balls."""
MAX_FLOATS = 10**9
"""The most ordered pairs times outputs from which floats choose those masses."""
MASS_BYTES = 700
"""The bytes that such a curve keeps for one pair and output; measured, see tests/system/test_memory.py."""
KEPT = 8
"""The additional digits of the ends of a wide enclosure beyond its width: a ball's radius has about nine."""

Progress = Callable[[int, int], None]
"""Called with (done, total) data sets."""
Part = tuple[int, int]
"""(i, m): the i-th of m parts of the data sets, 0 <= i < m; the maximum over all parts is the whole."""


@dataclass(frozen=True)
class Effort:
    """Enclosures of width <= 10^-digits, within this many bytes, by this tier (fast.TIERS), on one part or on all."""

    digits: int = 15
    memory: int = MEMORY_BOUND
    tier: str = "auto"
    progress: Progress | None = None
    part: Part | None = None
    rounding: int | None = None
    """Digits of the ends, where the width is not what decides them: an enclosure of fixed width keeps its digits."""

    @staticmethod
    def read(digits: int | str, memory: int, progress: Progress | None, tier: str = "auto", least: int = 1) -> Effort:
        """The effort with checked digits, at least ``least``."""
        return Effort(whole("digits", digits, least, MAX_DIGITS), memory, tier, progress)

    def to(self, digits: int) -> Effort:
        """The same effort for this many digits."""
        return replace(self, digits=digits)

    def whole(self) -> Effort:
        """The same effort on all data sets, not on one part of them."""
        return replace(self, part=None)

    def enclosure(self, value: Ball, least: int | None = None, most: int | None = None) -> Enclosure | None:
        """The enclosure of a number between these bounds, or None if the ball is too wide."""
        return balls.enclosure(value, self.digits, least, most, self.rounding)

    def enclosed(self, value: Ball, least: int | None = None, most: int | None = None) -> Enclosure:
        """The same, or NeedsMoreBits."""
        return balls.enclosed(value, self.digits, least, most, self.rounding)

    def tell(self, done: int, total: int) -> None:
        """Reports progress."""
        if self.progress:
            self.progress(done, total)

    def teller(self, total: int) -> Callable[[], None]:
        """A function that reports one more data set out of this many."""
        done = count(1)
        return lambda: self.tell(min(next(done), total), total)

    def stretched(self, low: float, high: float) -> Effort:
        """The same effort, whose progress covers only this part of the whole, in thousandths."""
        progress = self.progress
        if progress is None:
            return self
        return replace(
            self, progress=lambda done, total: progress(int(1000 * (low + (high - low) * done / total)), 1000)
        )

    def tell_gap(self, gap: float | Fraction) -> None:
        """Reports progress of a search whose bounds differ by this much: the known digits out of those requested."""
        if self.progress:
            known = self.digits if gap <= 0 else -log10(gap)
            self.progress(int(min(max(known, 0), self.digits)), self.digits)

    def widest(self, mechanism: Audited, compute: Callable[[Effort], T]) -> T:
        """compute(effort); for a mechanism known to fixed width, as narrow as possible, with the digits to show it."""
        if mechanism.refinable:
            return compute(self)
        for fewer in range(self.digits, -1, -1):
            try:
                return compute(replace(self, digits=fewer, rounding=min(self.digits, fewer + KEPT)))
            except PrecisionExhausted as problem:
                if problem.hopeless:
                    raise
        raise InputError("mech", mechanism.name, "its enclosures are too wide for an answer with one digit")

    def law(self, mechanism: Audited) -> Law:
        """The mechanism's law at the precision in force; it keeps no more for reuse than the memory allows."""
        law = mechanism.law()
        law.keep(self.spare(mechanism))
        return law

    def spare(self, mechanism: Audited) -> int:
        """The memory that the mechanism itself leaves, in bytes."""
        return max(0, self.memory - mechanism.memory())

    def check_memory(self, mechanism: Audited) -> None:
        """Refuses a job that does not fit into the memory, with the numbers."""
        need, counts = mechanism.memory(), mechanism.counts()
        if need > self.memory:
            datasets, pairs, outputs = map(approximately, (counts.datasets, counts.pairs, counts.outputs))
            what = f"{mechanism.name} with {datasets} data sets, {pairs} ordered pairs, {outputs} outputs"
            raise TooLargeError(need, self.memory, what)

    def check_work(self, mechanism: Audited, questions: int, most: int | None, pairwise: bool = True) -> None:
        """Refuses a table that needs more than ``most`` steps, by its rows, outputs, questions and digits.

        A question that is not ``pairwise`` visits each data set of a clique once.
        """
        if most is None:
            return
        counts, cliques = mechanism.counts(), None if pairwise else cliques_of(mechanism)
        self.check_steps(counts, counts.pairs if cliques is None else sum(map(len, cliques)), questions, most)

    def check_steps(self, counts: Counts, rows: int, questions: int, most: int) -> None:
        """Refuses a table where the rows visited for each question are more than ``most``."""
        need = rows * (counts.outputs + PAIR) * questions * (1 + self.digits // 250)
        if need > most:
            what = f"{counts.pairs} ordered pairs, {counts.outputs} outputs"
            rule = f"{what} need about {need} steps; list fewer pairs with --adjacency, or raise the bound"
            raise InputError("work", most, f"{rule} (dpaudit table --work)")

    def check_floats(self, mechanism: Audited, option: str) -> None:
        """Refuses an audit that is too large even for floats, or for the memory."""
        self.check_memory(mechanism)
        count = mechanism.count_masses()
        if count + PAIR * mechanism.counts().pairs > MAX_FLOATS:
            shown = f"{approximately(mechanism.counts().pairs)} pairs and {approximately(count)} pairs times outputs"
            rule = f"at most {approximately(MAX_FLOATS)} are supported, a pair counts {PAIR}; use a smaller n or k"
            raise InputError(option, shown, rule)

    def check_left(self, mechanism: Audited, count: int, option: str) -> None:
        """Refuses an audit where floats leave too many masses to the balls, or too many for the memory."""
        need = mechanism.memory() + count * MASS_BYTES
        if need > self.memory:
            raise TooLargeError(need, self.memory, f"{approximately(count)} masses that floats leave open")
        if count > MAX_MASSES:
            shown = f"{approximately(count)} pairs times outputs that floats leave open"
            raise InputError(option, shown, f"at most {MAX_MASSES} are supported; use a smaller n or k")

    def check_whole(self, mechanism: Audited, option: str) -> None:
        """Refuses an audit that needs all masses at once, if there are too many, also for the memory."""
        self.check_memory(mechanism)
        count = mechanism.count_masses()
        need = mechanism.memory() + count * MASS_BYTES
        if need > self.memory:
            raise TooLargeError(need, self.memory, f"the masses of {approximately(count)} pairs times outputs")
        if count > MAX_MASSES:
            shown = f"{approximately(count)} pairs times outputs"
            raise InputError(option, shown, f"at most {MAX_MASSES} are supported; use a smaller n or k")


USUAL = Effort()
