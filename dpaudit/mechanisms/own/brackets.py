"""Floats that bracket the probabilities of a user's own mechanism: privacy/fast/ERROR_BOUND.md, section 8."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from dpaudit.mechanisms.own.entry import Entry
from dpaudit.mechanisms.own.rows import GivenRow, Rows
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, NeedsMoreBits
from dpaudit.privacy.fast.brackets import Brackets
from dpaudit.privacy.fast.exponential_table import UNIT, Floats, Scratch, exponential_table, tree_sum
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.protocols import Dataset

LEAST = 2.0**-1000
"""A smaller probability is left to balls, as floats are too coarse there."""
RELATIVE = 2.0**-50
"""The relative error of the float of a probability, checked."""
ABSOLUTE = 2.0**-10
"""The largest error of the float of a log-weight that the bound allows."""
FARTHEST = 700
"""No loss between probabilities >= 2^-1000 is larger."""
CUT = 64
"""A weight of at most e^-64 times the largest of its row counts as that."""

Evaluate = Callable[[int | None, Entry], Ball]


class OwnBrackets(Brackets):
    """The entries as floats, each number once."""

    def __init__(self, rows: Rows, evaluate: Evaluate) -> None:
        self._rows, self._evaluate = rows, evaluate
        self._known: dict[int, float] = {}
        self._error = 0.0

    def _floats(self, row: GivenRow) -> Floats:
        """The entries that are possible, as floats."""
        places = row.places
        if row.is_plain:
            return np.array(self._rounded([None] * len(places), [row.entries[i] for i in places]))
        numbers = [row.numbers[i] for i in places]
        fresh = {n: row.entries[i] for n, i in zip(numbers, places, strict=True) if n not in self._known}
        self._known.update(zip(fresh, self._rounded(list(fresh), list(fresh.values())), strict=True))
        return np.array([self._known[number] for number in numbers])

    def _rounded(self, numbers: Sequence[int | None], entries: Sequence[Entry]) -> list[float]:
        """The entries as floats of certified error; a quotient of whole numbers is correctly rounded."""
        found, open_ = [], []
        try:
            for number, entry in zip(numbers, entries, strict=True):
                if isinstance(entry, Fraction):
                    top, bottom = entry.as_integer_ratio()
                    found.append(top / bottom)
                else:
                    value = self._evaluate(number, entry)
                    found.append(float(value))
                    open_.append((value, found[-1]))
            self._check(found, [value for value, _ in open_], [near for _, near in open_])
        except (OverflowError, NeedsMoreBits):
            raise TooCoarse("an entry is too large for a float") from None
        return found

    def _check(self, floats: Sequence[float], values: Sequence[Ball], near: Sequence[float]) -> None:
        """Refuses floats that are too coarse; ``near`` are those that stand for the ``values``."""
        raise NotImplementedError


class Probabilities(OwnBrackets):
    """Levels are probabilities; a loss stands as the quotient of two."""

    def row(self, x: Dataset) -> tuple[Floats, Floats]:
        """The floats, decreased and increased by a relative 2^-49."""
        near = self._floats(self._rows[x])
        return near * (1 - 2 * RELATIVE), near * (1 + 2 * RELATIVE)

    def _check(self, floats: Sequence[float], values: Sequence[Ball], near: Sequence[float]) -> None:
        coarse = min(floats, default=1.0) < LEAST
        if coarse or balls.largest_error(values, near, relative=True) > RELATIVE:
            raise TooCoarse("a probability is known too coarsely for floats")

    def at_most(self, above: Floats, below: Floats) -> Floats:
        """The quotient, rounded up."""
        return np.nextafter(above / below, np.inf)

    def at_least(self, below: Floats, above: Floats) -> Floats:
        """The quotient, rounded down."""
        return np.nextafter(below / above, -np.inf)

    def scaled(self, loss: Ball) -> float:
        """e^loss, rounded down; no quotient of two floats here exceeds e^700."""
        return balls.float_below(loss.min(balls.ball(FARTHEST)).exp())


class LogWeights(OwnBrackets):
    """Levels are ln P, from log-weights; a loss is the difference of two."""

    def row(self, x: Dataset) -> tuple[Floats, Floats]:
        """w - ln Z, decreased and increased by the bound of its error."""
        weights = self._floats(self._rows[x])
        below = weights - weights.max()
        terms, size = np.empty((1, len(weights))), len(weights)
        exponential_table(CUT).exp_minus(-below[np.newaxis], terms, Scratch((1, size)))
        log_z = balls.dyadic(float(tree_sum(terms)[0])).log()
        near, bits = float(log_z), size.bit_length()
        if balls.largest_error([log_z], [near]) > bits * UNIT:
            raise TooCoarse("a logarithm was not rounded to nearest")
        error = 1.01 * (2.1 * self._error + (75 + 4 * bits - 2.1 * float(below.min())) * UNIT)
        levels = below - near
        return np.nextafter(levels - error, -np.inf), np.nextafter(levels + error, np.inf)

    def _check(self, floats: Sequence[float], values: Sequence[Ball], near: Sequence[float]) -> None:
        rounding = 1.01 * UNIT * max(map(abs, floats), default=0.0) + LEAST
        self._error = max(self._error, rounding, balls.largest_error(values, near))
        if not self._error <= ABSOLUTE:
            raise TooCoarse("a log-weight is known too coarsely for floats")

    def at_most(self, above: Floats, below: Floats) -> Floats:
        """The difference, rounded up."""
        return np.nextafter(above - below, np.inf)

    def at_least(self, below: Floats, above: Floats) -> Floats:
        """The difference, rounded down."""
        return np.nextafter(below - above, -np.inf)

    def scaled(self, loss: Ball) -> float:
        """The loss, rounded down."""
        return balls.float_below(loss)
