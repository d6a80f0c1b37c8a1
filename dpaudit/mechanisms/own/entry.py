"""One entry of a user's own table: its exact number, and whether its output is possible.

Possible means certified: p > 0 by algebra (a canonical form) or by balls. An exact 0, however it is written, is
impossible. Where neither decides, it is UNDECIDED.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from operator import is_
from typing import Any, cast

from dpaudit.mechanisms.own.items import short
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted, ball
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.exponentials import UNDEFINED, Form, is_positive, key
from dpaudit.numbers.expressions import Expression, as_ball, exponential_form, to_json, undisguised
from dpaudit.numbers.rationals import rational
from dpaudit.numbers.verdict import Verdict

TELL_BITS = 4096
"""A number without a canonical form that this precision does not separate from 0 is undecided."""

LONGEST_ENTRY = 1000
"""Numerator and denominator of an entry have at most this many decimal digits."""
_TOO_LONG: int = 10**LONGEST_ENTRY


@dataclass(frozen=True)
class Between:
    """Some number in [lower, upper]."""

    lower: Fraction
    upper: Fraction

    def ball(self) -> Ball:
        """A ball that contains the interval."""
        return balls.from_ends(ball(self.lower), ball(self.upper))


Entry = Fraction | Expression | Between | None
"""None: a log-weight of minus infinity, an impossible output."""


class PossibleUndecided(PrecisionExhausted):
    """Whether an output is possible is unknown, so the true epsilon may be infinite; the message says why."""

    hopeless = True

    def __init__(self, x: str, output: str, entry: Entry, logarithmic: bool) -> None:
        super().__init__(TELL_BITS)
        if isinstance(entry, Between):
            why = f"the enclosure ({short(entry.lower)}, {short(entry.upper)}) of its probability contains 0"
        elif logarithmic:
            why = (
                f"{short(entry)} cannot be separated from minus infinity at {TELL_BITS} bits; if it is that, write None"
            )
        else:
            why = f"{short(entry)} cannot be separated from 0, by algebra or at {TELL_BITS} bits; if it is 0, write 0"
        self.args = (f"undecided: the output {output} may or may not be possible for {x}: {why}",)


class _Fault(Exception):
    """The number can be no entry; the message says why."""


def read_entry(value: Any, logarithmic: bool, error: Callable[[str], InputError]) -> tuple[Entry, Verdict]:
    """The checked entry, and the verdict on "its output is possible"; ``error(rule)`` names the place."""
    if value is None and logarithmic:
        return None, Verdict.REFUTED
    if isinstance(value, tuple | list) and len(value) == 2 and not logarithmic:
        return _enclosure([read_entry(end, False, error)[0] for end in value], error)
    try:
        entry = undisguised(value) if isinstance(value, Expression) else rational("value", value, digits=LONGEST_ENTRY)
        possible = _possible(entry, logarithmic)
    except InputError as problem:
        raise error(f"is {short(value)}: {problem.rule}") from None
    except _Fault as problem:
        raise error(str(problem)) from None
    return (Fraction(0) if possible is Verdict.REFUTED else entry), possible


def is_plain(value: Fraction) -> bool:
    """Whether this is a probability that needs no further check: not negative, and not too long."""
    return bool(0 <= value.numerator < _TOO_LONG > value.denominator)


def _none(value: Any) -> None:
    """No key: the value is read each time."""
    del value


KEYS: dict[type, Callable[[Any], Hashable]]
KEYS = {int: int.as_integer_ratio, Fraction: Fraction.as_integer_ratio, str: str, Expression: lambda value: value}
"""The form of a value, by its type; a Fraction by its two whole numbers, as its hash is slow."""


def keys(values: Sequence[Any]) -> Sequence[Hashable]:
    """A key for each value, equal for values written alike; None for a value of another type."""
    kinds = set(map(type, values))
    if kinds <= {Expression, str}:
        return values
    if kinds <= {Fraction, int}:
        return [value.as_integer_ratio() for value in values]
    return [KEYS.get(type(value), _none)(value) for value in values]


class Entries:
    """The entries of one mechanism: entries that are written alike are read once, and share a place in these lists.

    Entries with one canonical form have one number. Two equal enclosures may hold different numbers: each has its own.
    """

    def __init__(self, logarithmic: bool) -> None:
        self.logarithmic = logarithmic
        self.sums: set[Hashable] = set()
        """The rows, by their numbers in ascending order, that are known to be distributions."""
        self.whole: frozenset[tuple[int, int]] = frozenset()
        """The last of these that algebra proved to sum to 1."""
        self.values: list[Entry] = []
        """An entry for each number."""
        self.entries: list[Entry] = []
        self.possible: list[Verdict] = []
        """The verdict on "its output is possible"."""
        self.numbers: list[int] = []
        """Equal numbers, equal entries."""
        self.enclosures = False
        """Whether any of the entries is an enclosure."""
        self._patterns: dict[Hashable, tuple[Verdict, ...]] = {}
        self._places: dict[Hashable, int] = {}
        self._numbers: dict[Hashable, int] = {}

    def read(self, values: Sequence[Any], error: Callable[[int, str], InputError]) -> list[int]:
        """The places of the checked entries; ``error(i, rule)`` names the value."""
        written = keys(values)
        found = list(map(self._places.get, written))
        for i, place in enumerate(found) if None in found else ():
            if place is None:
                found[i] = self._read(written[i], values[i], partial(error, i))
        return cast(list[int], found)

    def _read(self, written: Hashable, value: Any, error: Callable[[str], InputError]) -> int:
        place = None if written is None else self._places.get(written)
        if place is not None:
            return place  # it occurred before, in this row
        entry, possible = read_entry(value, self.logarithmic, error)
        self.enclosures = self.enclosures or isinstance(entry, Between)
        place = len(self.entries)
        self.entries.append(entry)
        self.possible.append(possible)
        self.numbers.append(self.number(entry))
        if written is not None:
            self._places[written] = place
        return place

    def number(self, entry: Entry) -> int:
        """The number of the entry."""
        found = self._numbers.setdefault(_kind(entry), len(self._numbers))
        if found == len(self.values):
            self.values.append(entry)
        return found

    def pattern(self, possible: Sequence[Verdict]) -> tuple[Verdict, ...]:
        """Which outputs of a row are possible; rows with the same pattern share one tuple."""
        certain = all(map(partial(is_, Verdict.PROVED), possible))
        return self._patterns.setdefault(len(possible) if certain else tuple(possible), tuple(possible))


def _kind(entry: Entry) -> Hashable:
    """A key; the same key stands for the same number."""
    if isinstance(entry, Between):
        return object()
    form = exponential_form(entry) if isinstance(entry, Expression) else None
    return entry if form is None else tuple(frozenset(key(terms)) for terms in form)


def _enclosure(ends: list[Entry], error: Callable[[str], InputError]) -> tuple[Entry, Verdict]:
    lower, upper = ends
    if not isinstance(lower, Fraction) or not isinstance(upper, Fraction) or lower > upper:
        raise error("must be an enclosure (lower, upper) of exact numbers, lower <= upper")
    if lower == upper:
        return lower, _possible(lower, False)
    return Between(lower, upper), Verdict.PROVED if lower > 0 else Verdict.UNDECIDED


def _possible(value: Fraction | Expression, logarithmic: bool) -> Verdict:
    """The verdict on "p > 0"; REFUTED says that p is exactly 0, and a negative p is a fault."""
    if isinstance(value, Expression):
        return _is_number(value) if logarithmic else _is_positive(value)
    if value < 0 and not logarithmic:
        raise _Fault(f"is {short(value)}: negative")
    return Verdict.PROVED if value or logarithmic else Verdict.REFUTED


@lru_cache(maxsize=1 << 14)
def _is_positive(value: Expression) -> Verdict:
    """The verdict by algebra, else by balls; an exact form is not that of 0, which is out of its disguise."""
    form = exponential_form(value)
    if form is None:
        return balls.decide(lambda: _ball_is_positive(value.ball()), max_bits=TELL_BITS)[0]
    if form == UNDEFINED:
        raise _Fault("divides by zero")
    top, bottom = (is_positive(terms) for terms in form)
    if Verdict.UNDECIDED in (top, bottom):
        return Verdict.UNDECIDED
    if top is not bottom:
        raise _Fault("is negative")
    return Verdict.PROVED


def _ball_is_positive(found: Ball) -> Verdict:
    if not found.is_finite() and balls.working_bits() >= TELL_BITS:
        raise _Fault("is not a finite number")
    if balls.certainly_less(found, balls.zero()):
        raise _Fault("is negative")
    if balls.is_zero(found):
        return Verdict.REFUTED
    return Verdict.PROVED if balls.certainly_less(balls.zero(), found) else Verdict.UNDECIDED


@lru_cache(maxsize=1 << 14)
def _is_number(value: Expression) -> Verdict:
    """The verdict on "the log-weight is finite"; one that no precision shows to be finite may be minus infinity."""
    form = exponential_form(value)
    if form == UNDEFINED:
        raise _Fault("divides by zero")
    if form is not None:
        return Verdict.PROVED
    finite = balls.decide(lambda: Verdict.PROVED if value.ball().is_finite() else Verdict.UNDECIDED, max_bits=TELL_BITS)
    return finite[0]


def entry_ball(entry: Entry) -> Ball:
    """A ball that contains the entry; 0 for None."""
    if entry is None:
        return balls.zero()
    return entry.ball() if isinstance(entry, Between) else as_ball(entry)


def entry_form(entry: Entry) -> Form | None:
    """The canonical form of the entry, None where there is none."""
    return None if entry is None or isinstance(entry, Between) else exponential_form(entry)


def entry_json(entry: Entry) -> Any:
    """The entry as exact text, an expression or interval as nested lists, None for impossible."""
    if isinstance(entry, Between):
        return ["between", str(entry.lower), str(entry.upper)]
    return None if entry is None else to_json(entry)
