"""The distributions of somebody's own mechanism: exact entries as given, and their balls at any precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

from dpaudit.mechanisms.own_entry import Between, Entry, entry_ball, entry_form, entry_json, read_entry, short
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted, ball
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.exponentials import Form, log_of_quotient, product, sum_to_one
from dpaudit.numbers.rationals import LONGEST_COMMON, total
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.protocols import Dataset, Law, Mass

MAX_FIXED_BITS = 1024
"""Fixed enclosures do not become narrower: a law beyond this precision is refused."""

SUM_BITS = 512
"""A row that algebra does not add up sums to 1 as far as this precision tells; the verifier asks for the same."""

Error = Callable[[int | None, str], InputError]


@dataclass(frozen=True)
class Row:
    """One data set's distribution as given: probabilities, or unnormalised log-weights."""

    entries: tuple[Entry, ...]
    logarithmic: bool
    possible: tuple[Verdict, ...]
    """For every output the verdict on "its probability is > 0"."""

    @staticmethod
    def read(method: str, values: Sequence[Any], error: Error) -> Row:
        """Returns the checked row; ``error(i, rule)`` names the place."""
        logarithmic = method == "log_weight"
        found = [read_entry(value, logarithmic, partial(error, i)) for i, value in enumerate(values)]
        row = Row(tuple(entry for entry, _ in found), logarithmic, tuple(possible for _, possible in found))
        row._check(error)
        return row

    def _check(self, error: Error) -> None:
        """Refuses a row that is no distribution: by algebra where every entry has a form, else at SUM_BITS."""
        if self.logarithmic:
            if set(self.possible) == {Verdict.REFUTED}:
                raise error(None, "makes every output impossible")
            return
        plain = [entry for entry in self.entries if isinstance(entry, Fraction | Between)]
        if len(plain) == len(self.entries):
            least = total(e if isinstance(e, Fraction) else e.lower for e in plain)
            most = total(e if isinstance(e, Fraction) else e.upper for e in plain)
            if least is None or most is None:
                raise error(None, f"has a common denominator of more than {LONGEST_COMMON} digits")
            if not least <= 1 <= most:
                raise error(None, f"sums to {short(least if least > 1 else most)}, not to 1")
            return
        one = sum_to_one(entry_form(entry) for entry in self.entries)
        if one:
            return
        with balls.precision(SUM_BITS):
            found = balls.total(self._balls())
            if not balls.overlap(found, ball(1)):
                raise error(None, f"sums to {found.str(8)}, not to 1")
        if one is False:
            raise error(None, f"sums to 1 at {SUM_BITS} bits, but not to exactly 1, by algebra")

    @property
    def _impossible(self) -> list[bool]:
        return [possible is Verdict.REFUTED for possible in self.possible]

    @property
    def refinable(self) -> bool:
        """Returns whether the entries can be had to any precision."""
        return not any(isinstance(entry, Between) for entry in self.entries)

    def _balls(self) -> list[Ball]:
        return [entry_ball(entry) for entry in self.entries]

    def log_probabilities(self) -> list[Ball]:
        """Returns balls that contain ln P(r), and 0 for an impossible output."""
        if not self.logarithmic:
            pairs = zip(self._balls(), self._impossible, strict=True)
            return [balls.zero() if impossible else p.log() for p, impossible in pairs]
        weights, impossible = self._balls(), self._impossible
        shift = balls.maximum([w for w, never in zip(weights, impossible, strict=True) if not never])
        parts = [(w - shift).exp() for w, never in zip(weights, impossible, strict=True) if not never]
        normaliser = balls.total(parts).log() + shift
        return [balls.zero() if never else w - normaliser for w, never in zip(weights, impossible, strict=True)]

    def probabilities(self) -> list[Ball]:
        """Returns balls that contain P(r), exactly 0 for an impossible output."""
        if not self.logarithmic:
            return self._balls()
        logs = zip(self.log_probabilities(), self._impossible, strict=True)
        return [balls.zero() if impossible else w.exp() for w, impossible in logs]

    @cached_property
    def _rationals(self) -> list[Fraction] | None:
        """The entries where all of them are rational numbers."""
        found = [entry for entry in self.entries if isinstance(entry, Fraction)]
        return found if len(found) == len(self.entries) else None

    @cached_property
    def _forms(self) -> list[Form | None]:
        """The canonical forms of the probabilities, None where there is none."""
        return [entry_form(entry) for entry in self.entries]

    @cached_property
    def _coarse_logs(self) -> list[Ball]:
        """The logarithms to 128 bits, enough to see which losses cannot be a given rational number."""
        with balls.precision(128):
            return self.log_probabilities()

    def exact_losses(self, other: Row) -> list[Fraction | None]:
        """Returns output by output ln P(r) - ln P'(r) where algebra knows it to be rational, else None."""
        if not self.logarithmic and self._rationals is not None and other._rationals is not None:
            same = zip(self._rationals, other._rationals, strict=True)
            return [Fraction(0) if a == b else None for a, b in same]  # the logarithm of no other rational is one
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
        return [entry_json(entry) for entry in self.entries]


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

    def possible(self, x: Dataset) -> list[int] | None:
        """Returns the positions of the outputs that may be possible for x, or None if all are."""
        found = self._row(x).possible
        if Verdict.REFUTED not in found:
            return None
        return [i for i, possible in enumerate(found) if possible is not Verdict.REFUTED]

    def masses(self, x: Dataset, y: Dataset) -> list[Mass]:
        """Returns P_x and P_y output by output, with the loss where algebra knows it."""
        losses = self._row(x).exact_losses(self._row(y))
        return list(map(Mass, self.probabilities(x), self.probabilities(y), losses))


def _log_ratio(a: Form | None, b: Form | None, log_a: Ball, log_b: Ball) -> Fraction | None:
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
