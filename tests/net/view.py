"""One setting as the laws see it: every call of the public API is made once, and what it returned is kept."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from mpmath import mp, mpf

import dpaudit
from dpaudit.reference import definitions as reference

from .settings import Family, Own
from .truth import NOTHING, number

ORDERS = ["1", "2", "64", "1000000"]
ENOUGH = [30, 400, 2000]
"""Digits that are tried until every probability of a row is known not to be 0, or known to be."""


class Disagreement(AssertionError):
    """Two paths contradict each other: what the one says, what the other says."""

    def __init__(self, one: str, value: Any, other: str, another: Any) -> None:
        self.sides = ((one, show(value)), (other, show(another)))
        super().__init__(f"{one}: {show(value)}; {other}: {show(another)}")


class Undecided(Exception):
    """An honest "I do not know", where the API says it by a value."""


class NotApplicable(Exception):
    """The agreement says nothing about this setting."""


def show(value: Any) -> str:
    """A value as short text."""
    if isinstance(value, mpf):
        return mp.nstr(value, 20)
    return str(value)


def agree(one: str, a: Any, other: str, b: Any) -> None:
    """Two enclosures of the same number have a point in common."""
    if a.lower > b.upper or b.lower > a.upper:
        raise Disagreement(one, a, other, b)


def contains(one: str, found: Any, other: str, low: mpf, high: mpf | None = None, error: mpf | None = None) -> None:
    """The enclosure meets [low, high], as far as the rounding of mpmath tells: ``error`` is relative."""
    high = low if high is None else high
    slack = mpf(10) ** (20 - mp.dps) if error is None else error
    below, above = number(found.lower), number(found.upper)
    if below > high + slack * abs(high) + NOTHING or above < low - slack * abs(low) - NOTHING:
        raise Disagreement(one, found, other, low if low == high else f"[{show(low)}, {show(high)}]")


def least(one: str, value: Any, other: str, bound: Any) -> None:
    """``value`` may be at most ``bound``."""
    if value.lower > bound.upper:
        raise Disagreement(one, value, f"at most: {other}", bound)


class View:
    """The setting and what the API says about it."""

    def __init__(self, case: Family | Own) -> None:
        self.case = case
        self._kept: dict[Any, Any] = {}

    @cached_property
    def folder(self) -> Path:
        """A place for files, which lives as long as this view."""
        self._folder = tempfile.TemporaryDirectory(prefix="net-")
        return Path(self._folder.name)

    @cached_property
    def written(self) -> str:
        """The own mechanism as a file, as --mech takes it."""
        case = self.case
        assert isinstance(case, Own)
        path = self.folder / ("table.csv" if case.style == "table" else "mine.py")
        path.write_text(case.table() if case.style == "table" else case.source())
        return str(path) if case.style == "table" else f"{path}:Own"

    @cached_property
    def mech(self) -> Any:
        """The mechanism as the API takes it: a name, a path, or an object."""
        if isinstance(self.case, Family):
            return self.case.mech
        if self.case.style == "table":
            return self.written
        names: dict[str, Any] = {"__name__": "net_own"}
        exec(self.case.source(), names)
        return names["Own"]()

    def call(self, name: str, **options: Any) -> Any:
        """What dpaudit.NAME returns for this setting; the same call is made once."""
        key = (name, repr(sorted(options.items())))
        if key not in self._kept:
            more = self.case.options if isinstance(self.case, Family) else {}
            try:
                self._kept[key] = getattr(dpaudit, name)(self.mech, **{**more, **options})
            except Exception as error:
                self._kept[key] = error
        if isinstance(self._kept[key], Exception):
            raise self._kept[key]
        return self._kept[key]

    @property
    def epsilon(self) -> Any:
        """The result of ``epsilon``."""
        return self.call("epsilon")

    @cached_property
    def points(self) -> list[Fraction]:
        """Where delta is asked for: shares of the true epsilon, of 50 if that is infinite, of 1 if it is 0."""
        found = self.epsilon.epsilon
        top = Fraction(50) if found.is_infinite else found.upper or Fraction(1)
        return [*(Fraction(share) * top for share in self.case.shares), self.below]

    @cached_property
    def below(self) -> Fraction:
        """A point a little below the true epsilon, where delta is not 0 yet."""
        found = self.epsilon.epsilon
        return Fraction(1000) if found.is_infinite else found.lower * Fraction(999, 1000)

    @property
    def profile(self) -> Any:
        """The result of ``profile`` at these points."""
        return self.call("profile", at=self.points, orders=ORDERS)

    def delta(self, at: Fraction) -> Any:
        """delta(at), an enclosure."""
        return self.call("delta", at=at).delta

    @property
    def narrow(self) -> bool:
        """Whether the engine owes every digit that was asked for: not where entries are fixed enclosures."""
        return isinstance(self.case, Family) or self.case.actual is None

    # -------------------------------------------------------------- data sets and distributions

    @cached_property
    def datasets(self) -> list[Any]:
        """The data sets: histograms, or labels."""
        if isinstance(self.case, Family):
            return list(reference.histograms(int(self.case.options["n"]), len(self.case.prior)))
        return [eval(label, {}) for label in self.case.labels]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """The ordered adjacent pairs, by position."""
        if isinstance(self.case, Own):
            return self.case.pairs
        place = {x: i for i, x in enumerate(self.datasets)}
        return [(place[x], place[y]) for x in self.datasets for y in reference.adjacent(x)]

    def row(self, x: Any, digits: int = 30) -> Any:
        """The result of ``pmf``."""
        return self.call("pmf", x=x, digits=digits)

    @cached_property
    def rows(self) -> list[list[tuple[mpf, mpf]]]:
        """Row by row the ends of the probabilities, with as many digits as it takes to tell them from 0."""
        found = []
        for x in self.datasets:
            for digits in ENOUGH if self.narrow else ENOUGH[:1]:
                row = self.row(x, digits).probabilities
                if all(p.lower > 0 or p.upper == 0 for p in row):
                    break
            with mp.workdps(80):
                found.append([(number(p.lower), number(p.upper)) for p in row])
        return found
