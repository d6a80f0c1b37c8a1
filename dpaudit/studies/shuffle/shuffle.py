"""The epsilon of shuffled randomized response at a delta, certified on both sides, next to the published bounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, sinh, sqrt
from time import perf_counter
from typing import Any

from dpaudit.audit.page import Fields, Headline, Line, Page, Table, Words
from dpaudit.audit.results import SettingAnswer
from dpaudit.audit.setting import Setting, command_line
from dpaudit.audit.words import answer_fields
from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.digits import powers, rough
from dpaudit.numbers.enclosure import Enclosure, infinite, outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, probability
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import Effort, Progress
from dpaudit.privacy.loss import worst_delta
from dpaudit.studies.shuffle.published import PUBLISHED

NAME = "shuffled-randomized-response"
NARROW = Fraction(1, 1000)
"""How far apart the bounds of epsilon may stay, relative to the upper one."""
EXPECTED = 9
"""About so many values of delta are needed."""
DIGITS = 40
"""Of every delta on the way: far below any delta that is asked for."""


@dataclass(frozen=True)
class Compared:
    """A published bound: its epsilon (None where it does not apply), whether it is valid, how loose it is."""

    name: str
    condition: str
    epsilon: Enclosure | None
    verdict: Verdict | None
    factor: Fraction | None
    """A number that its epsilon is certainly at most times the certified one, and close to that."""

    def to_dict(self) -> dict[str, Any]:
        """The member of the JSON."""
        return {
            "name": self.name,
            "condition": self.condition,
            "epsilon": None if self.epsilon is None else self.epsilon.to_dict(),
            "verdict": None if self.verdict is None else self.verdict.value,
            "loose_by": None if self.factor is None else rough(self.factor, 3),
        }

    def row(self) -> list[Any]:
        """The line of the table."""
        if self.epsilon is None:
            return [self.name, "–", f"does not apply: needs {self.condition}"]
        if self.verdict is Verdict.PROVED and self.factor is not None:
            return [self.name, self.epsilon, f"valid, loose by a factor of {rough(self.factor, 3)}"]
        return [self.name, self.epsilon, "too small" if self.verdict is Verdict.REFUTED else "undecided"]


@dataclass(frozen=True, kw_only=True)
class ShuffleResult(SettingAnswer):
    """The smallest epsilon for which the shuffled reports are (epsilon, delta)-DP lies in ``epsilon``."""

    delta: Fraction
    """The δ that was asked for."""
    epsilon: Enclosure
    """The smallest ε at this δ."""
    published: tuple[Compared, ...]
    """The closed forms of papers beside it."""

    def page(self) -> Page:
        """The bounds, and the published ones beside them."""
        name = powers(f"ε at δ = {self.delta}")
        rows: list[Line] = [(name, Words(self.epsilon, f"; one report alone: {self.subject.epsilon}"))]
        table = Table(["published bound", "its ε", "beside ours"], [entry.row() for entry in self.published])
        shown = Headline.neutral(f"{name}: {self.epsilon}")
        effort: list[Line] = [("effort", f"{self.seconds:.2f} s")]
        parts: list[Fields | Table] = [answer_fields(self.subject, rows, self.command, effort), table]
        return [shown, *parts]


@dataclass(frozen=True)
class _Curve:
    """delta at every epsilon that was asked for."""

    setting: Setting
    effort: Effort
    progress: Progress | None

    @cached_property
    def known(self) -> dict[Fraction, Enclosure]:
        return {}

    def at(self, epsilon: Fraction) -> Enclosure:
        if epsilon not in self.known:
            self.known[epsilon] = worst_delta(self.setting.mechanism, epsilon, self.effort).value
            if self.progress is not None:
                self.progress(len(self.known), max(EXPECTED, len(self.known) + 1))
        return self.known[epsilon]


def shuffle(
    delta: Exact,
    *,
    n: Any = 1000,
    k: Any = 2,
    eps: Any = 1,
    progress: Progress | None = None,
) -> ShuffleResult:
    """Certified bounds of the epsilon of n shuffled reports at this delta, and the published bounds beside them.

    ``eps`` is that of one report: k-ary randomized response.

    >>> shuffle("1e-4", n=100, eps=1).published[0].epsilon is None
    True
    """
    start, bar = perf_counter(), probability("delta", delta)
    chosen = Setting.read(NAME, n=n, k=k, eps=eps)
    found = _between(_Curve(chosen, Effort.read(DIGITS, 1 << 31, None), progress), bar)
    size = {p: int(str(value)) for p, value in chosen.mechanism.settings().items()}
    compared = tuple(_compared(entry, chosen.epsilon, size["n"], size["k"], bar, found) for entry in PUBLISHED)
    return ShuffleResult(
        subject=chosen,
        delta=bar,
        epsilon=found,
        published=compared,
        seconds=perf_counter() - start,
        command=command_line("shuffle", eps=chosen.epsilon, **size, delta=powers(str(bar))),
    )


def _between(curve: _Curve, bar: Fraction) -> Enclosure:
    """low with delta(low) > bar, and high with delta(high) <= bar: epsilon(bar) lies between; delta falls.

    Where the bounds of delta leave a point open, the search for each end leaves it out.
    """
    if curve.at(Fraction(0)).at_most(bar) is Verdict.PROVED:
        return outward(Fraction(0), Fraction(0), 6)
    return outward(_end(curve, bar, Verdict.REFUTED), _end(curve, bar, Verdict.PROVED), 6)


def _end(curve: _Curve, bar: Fraction, wanted: Verdict) -> Fraction:
    """The largest epsilon found with delta(epsilon) > bar, or the smallest with delta(epsilon) <= bar."""
    low, high, moved = Fraction(0), curve.setting.epsilon, 0
    while high - low > NARROW * high:
        middle = _guess(curve, low, high, bar)
        if moved:  # a little beyond the guess, so that the other end moves too
            middle = min(max(middle + moved * NARROW * high / 3, low + NARROW * high / 4), high - NARROW * high / 4)
        answered_so = curve.at(middle).at_most(bar) is wanted
        if answered_so is (wanted is Verdict.REFUTED):
            low, moved = middle, 1
        else:
            high, moved = middle, -1
    return low if wanted is Verdict.REFUTED else high


def _guess(curve: _Curve, low: Fraction, high: Fraction, bar: Fraction) -> Fraction:
    """A number of few digits where the line through ln delta at both ends meets the bar; at first that of a normal law.

    delta far beyond it is tiny, and takes long: the first steps go up slowly.
    """
    eps, n = float(curve.setting.epsilon), int(str(curve.setting.mechanism.settings()["n"]))
    ends = [e for e in (low, high) if e in curve.known and curve.known[e].above(0)]
    if len(ends) == 2 and low > 0:
        a, b = (log(float(curve.known[e].upper)) for e in ends)
        share = (a - log(float(bar))) / (a - b) if a != b else 0.5
        guess = low + (high - low) * Fraction(min(max(share, 0.02), 0.98))
    elif low > 0:
        guess = low * Fraction(6, 5)
    elif high < curve.setting.epsilon:
        guess = high * Fraction(5, 6)
    else:
        guess = Fraction(2 * sinh(eps / 2) * sqrt(log(1 / float(bar)) / n))
    guess = guess.limit_denominator(10**6)
    return guess if low < guess < high else (low + high) / 2


def _compared(entry: Any, eps: Fraction, n: int, k: int, delta: Fraction, ours: Enclosure) -> Compared:
    def attempt() -> Enclosure | None:
        bound = entry.bound(eps, n, k, delta)
        return infinite() if bound is None else balls.enclosure(bound, 9, least=0)

    try:
        value, _ = balls.refine(attempt, 128, 1024)
    except PrecisionExhausted:
        raise InputError("delta", str(delta), "a published bound cannot be computed here") from None
    if value.is_infinite:
        return Compared(entry.name, entry.condition, None, None, None)
    verdict = ours.at_most(value.lower)
    factor = value.upper / ours.lower if ours.above(0) else None
    return Compared(entry.name, entry.condition, value, verdict, factor)
