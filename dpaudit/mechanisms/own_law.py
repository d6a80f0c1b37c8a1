"""The distributions of somebody's own mechanism: exact entries as given, and their balls at any precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted, ball
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.expressions import Expression, as_ball, exponential_form, log_of_quotient, product, to_json
from dpaudit.numbers.rationals import rational
from dpaudit.privacy.protocols import Dataset, Law, Mass

MAX_FIXED_BITS = 1024
"""Fixed enclosures do not become narrower: a law beyond this precision is refused."""

SUM_BITS = 512
"""A row that is not rational sums to 1 as far as this precision tells; the verifier asks for the same."""

Error = Callable[[int | None, str], InputError]


@dataclass(frozen=True)
class Between:
    """Some number in [lower, upper]."""

    lower: Fraction
    upper: Fraction

    def ball(self) -> Ball:
        """Returns a ball that contains the interval."""
        return balls.from_ends(ball(self.lower), ball(self.upper))


Entry = Fraction | Expression | Between | None
"""None: a log-weight of minus infinity, an impossible output."""


@dataclass(frozen=True)
class Row:
    """One data set's distribution as given: probabilities, or unnormalised log-weights."""

    entries: tuple[Entry, ...]
    logarithmic: bool

    @staticmethod
    def read(method: str, values: Sequence[Any], error: Error) -> Row:
        """Returns the checked row; ``error(i, rule)`` names the place."""
        logarithmic = method == "log_weight"
        entries = tuple(_entry(value, logarithmic, lambda rule, i=i: error(i, rule)) for i, value in enumerate(values))  # type: ignore[misc]
        row = Row(entries, logarithmic)
        row._check(error)
        return row

    def _check(self, error: Error) -> None:
        if self.logarithmic:
            if not any(self.possible):
                raise error(None, "makes every output impossible")
            return
        exact = [entry for entry in self.entries if isinstance(entry, Fraction)]
        if len(exact) == len(self.entries):
            if sum(exact) != 1:
                raise error(None, f"sums to {_short(sum(exact, Fraction(0)))}, not to 1")
            return
        with balls.precision(SUM_BITS):
            found = self._balls()
            for i, value in enumerate(found):
                if not value.is_finite():
                    raise error(i, "is no finite number")
                if balls.certainly_less(value, balls.zero()):
                    raise error(i, "is negative")
            if not balls.overlap(balls.total(found), ball(1)):
                raise error(None, f"sums to {balls.total(found).str(8)}, not to 1")

    @cached_property
    def possible(self) -> tuple[bool, ...]:
        """Returns for every output whether it is possible; only an exact 0 (or None) is impossible."""
        return tuple(entry is not None and (self.logarithmic or entry != 0) for entry in self.entries)

    @property
    def refinable(self) -> bool:
        """Returns whether the entries can be had to any precision."""
        return not any(isinstance(entry, Between) for entry in self.entries)

    def _balls(self) -> list[Ball]:
        return [_entry_ball(entry) for entry in self.entries]

    def log_probabilities(self) -> list[Ball]:
        """Returns balls that contain ln P(r), and 0 for an impossible output."""
        if not self.logarithmic:
            logs = zip(self._balls(), self.possible, strict=True)
            return [p.log() if possible else balls.zero() for p, possible in logs]
        weights = [_entry_ball(entry) for entry in self.entries]
        shift = balls.maximum([w for w, possible in zip(weights, self.possible, strict=True) if possible])
        parts = [(w - shift).exp() for w, possible in zip(weights, self.possible, strict=True) if possible]
        normaliser = balls.total(parts).log() + shift
        return [w - normaliser if p else balls.zero() for w, p in zip(weights, self.possible, strict=True)]

    def probabilities(self) -> list[Ball]:
        """Returns balls that contain P(r), exactly 0 for an impossible output."""
        if not self.logarithmic:
            return self._balls()
        logs = zip(self.log_probabilities(), self.possible, strict=True)
        return [w.exp() if possible else balls.zero() for w, possible in logs]

    @cached_property
    def _forms(self) -> list[Any]:
        """The canonical forms of the probabilities, None where there is none."""
        return [None if isinstance(e, Between) or e is None else exponential_form(e) for e in self.entries]

    @cached_property
    def _coarse_logs(self) -> list[Ball]:
        """The logarithms to 128 bits, enough to see which losses cannot be a given rational number."""
        with balls.precision(128):
            return self.log_probabilities()

    def exact_losses(self, other: Row) -> list[Fraction | None]:
        """Returns output by output ln P(r) - ln P'(r) where algebra knows it to be rational, else None."""
        if not self.logarithmic:
            logs = zip(self._coarse_logs, other._coarse_logs, strict=True)
            return [_log_ratio(a, b, u, v) for a, b, (u, v) in zip(self._forms, other._forms, logs, strict=True)]
        shift = self._normaliser_shift(other)
        if shift is None:
            return [None] * len(self.entries)
        both = zip(self.entries, other.entries, strict=True)
        return [a - b - shift if isinstance(a, Fraction) and isinstance(b, Fraction) else None for a, b in both]

    def _normaliser_shift(self, other: Row) -> Fraction | None:
        """Returns ln Z - ln Z' if the rational log-weights of one row are those of the other, all shifted alike."""
        mine, theirs = self._sorted_weights, other._sorted_weights
        if mine is None or theirs is None or len(mine) != len(theirs):
            return None
        shift = mine[0] - theirs[0]
        return shift if all(a - b == shift for a, b in zip(mine, theirs, strict=True)) else None

    @cached_property
    def _sorted_weights(self) -> list[Fraction] | None:
        possible = [entry for entry in self.entries if entry is not None]
        rationals = [entry for entry in possible if isinstance(entry, Fraction)]
        return sorted(rationals) if len(rationals) == len(possible) else None

    def to_json(self) -> list[Any]:
        """Returns the entries as exact text, expressions and intervals as nested lists, None for impossible."""
        return [_entry_json(entry) for entry in self.entries]


class OwnLaw(Law):
    """The distributions of somebody's own mechanism at one precision; every row is evaluated once."""

    def __init__(self, row: Callable[[Dataset], Row], refinable: bool) -> None:
        if balls.working_bits() > MAX_FIXED_BITS and not refinable:
            raise PrecisionExhausted(balls.working_bits())
        self._row = row
        self._logs: dict[Dataset, list[Ball]] = {}
        self._probabilities: dict[Dataset, list[Ball]] = {}

    def log_probabilities(self, x: Dataset) -> list[Ball]:
        """Returns balls that contain ln P_x(r); 0 for an impossible output (see Algebra.infinite)."""
        if x not in self._logs:
            self._logs[x] = self._row(x).log_probabilities()
        return self._logs[x]

    def probabilities(self, x: Dataset) -> list[Ball]:
        """Returns balls that contain P_x(r)."""
        if x not in self._probabilities:
            self._probabilities[x] = self._row(x).probabilities()
        return self._probabilities[x]

    def masses(self, x: Dataset, y: Dataset) -> list[Mass]:
        """Returns P_x and P_y output by output, with the loss where algebra knows it."""
        losses = self._row(x).exact_losses(self._row(y))
        return list(map(Mass, self.probabilities(x), self.probabilities(y), losses))


def _entry(value: Any, logarithmic: bool, error: Callable[[str], InputError]) -> Entry:
    if isinstance(value, Expression) or (value is None and logarithmic):
        return value
    if isinstance(value, tuple | list) and len(value) == 2 and not logarithmic:
        lower, upper = (_entry(end, False, error) for end in value)
        if not isinstance(lower, Fraction) or not isinstance(upper, Fraction) or lower > upper:
            raise error("must be an enclosure (lower, upper) of exact numbers, lower <= upper")
        return lower if lower == upper else Between(lower, upper)
    try:
        number = rational("value", value, digits=1000)
    except InputError as problem:
        raise error(f"is {_short(value)}: {problem.rule}") from None
    if number < 0 and not logarithmic:
        raise error(f"is {_short(number)}: negative")
    return number


def _entry_ball(entry: Entry) -> Ball:
    if entry is None:
        return balls.zero()
    return entry.ball() if isinstance(entry, Between) else as_ball(entry)


def _entry_json(entry: Entry) -> Any:
    if isinstance(entry, Between):
        return ["between", str(entry.lower), str(entry.upper)]
    return None if entry is None else to_json(entry)


def _log_ratio(a: Any, b: Any, log_a: Ball, log_b: Ball) -> Fraction | None:
    """Returns ln of the quotient of two canonical forms if it is rational; both 0 counts as loss 0.

    The only candidate comes from the largest exponents; the logarithms of the two rule most of them out.
    """
    if a is None or b is None:
        return None
    if not a[0] or not b[0]:
        return Fraction(0) if a[0] == b[0] else None
    candidate = max(a[0]) - max(a[1]) - max(b[0]) + max(b[1])
    with balls.precision(128):
        if not balls.overlap(log_a - log_b, ball(candidate)):
            return None
    return log_of_quotient(product(a[0], b[1]), product(b[0], a[1]))


def _short(value: Any) -> str:
    try:
        shown = str(value) if isinstance(value, Fraction | str) else repr(value)
    except Exception:  # a number of thousands of digits, or an object that cannot be shown
        return f"a {type(value).__name__}"
    return shown if len(shown) <= 40 else shown[:37] + "..."
