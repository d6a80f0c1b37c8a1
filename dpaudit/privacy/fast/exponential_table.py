"""exp(-v) and 1 - exp(-v) for v >= 0, with proven errors: tables rounded from balls, and + - * alone.

The constants are derived in ERROR_BOUND.md, sections 2 and 3. numpy's own exp and log are not used: nothing bounds
their error. What is used of numpy, add, subtract, multiply, floor, comparison and square root, is exact or
correctly rounded.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball

Floats = np.ndarray[Any, np.dtype[np.float64]]

UNIT = 2.0**-53
"""u, the unit roundoff of binary64."""
STEPS = 256
"""Table entries per unit of v."""
LARGEST = 700
"""No table goes further: e^-700 is still a normal number."""
COMPLEMENT_ERROR = 16.7
"""one_minus_exp: relative error <= 16.7 u (and the argument may be cut at the end of the table)."""
EXP_ERROR = 3.2
"""exp_minus: relative error <= 3.2 u."""
TABLE_ERROR = 1.001
"""Every table entry is certified, when it is made, to have relative error <= 1.001 u."""


class Scratch:
    """Work arrays of one shape, so that no call allocates."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.rest = np.empty(shape)
        self.whole = np.empty(shape)
        self.part = np.empty(shape)
        self.index = np.empty(shape, dtype=np.intp)


class ExponentialTable:
    """Tables of exp(-j/256) and 1 - exp(-j/256) up to ``most``; arguments beyond the end are cut to the end."""

    def __init__(self, most: int) -> None:
        size = most * STEPS + 1
        self.end = (size - 1) / STEPS
        with balls.precision(128):
            values = [balls.dyadic(-j / STEPS) for j in range(size)]
            self._exp = _rounded([v.exp() for v in values])
            self._complement = _rounded([-v.expm1() for v in values])

    def one_minus_exp(self, v: Floats, out: Floats, s: Scratch) -> None:
        """Sets out = 1 - exp(-v), relative error <= COMPLEMENT_ERROR u; a sum of terms >= 0, so nothing cancels."""
        self._reduce(v, s)
        np.take(self._exp, s.index, out=out, mode="clip")
        out *= s.part
        np.take(self._complement, s.index, out=s.part, mode="clip")
        out += s.part

    def exp_minus(self, v: Floats, out: Floats, s: Scratch) -> None:
        """Sets out = exp(-v), relative error <= EXP_ERROR u."""
        self._reduce(v, s)
        np.subtract(1.0, s.part, out=s.part)
        np.take(self._exp, s.index, out=out, mode="clip")
        out *= s.part

    def _reduce(self, v: Floats, s: Scratch) -> None:
        """Sets s.index = j and s.part = 1 - exp(-f) for v = j/256 + f, 0 <= f < 1/256; the split is exact."""
        rest, whole, part = s.rest, s.whole, s.part
        np.minimum(v, self.end, out=rest)
        rest *= STEPS
        np.floor(rest, out=whole)
        np.copyto(s.index, whole, casting="unsafe")
        rest -= whole
        rest *= 1 / STEPS
        np.multiply(rest, 1 / 120, out=part)
        for coefficient in (1 / 24, 1 / 6, 1 / 2, 1.0):
            np.subtract(coefficient, part, out=part)
            part *= rest


@lru_cache(maxsize=4)
def _table(size: int) -> ExponentialTable:
    return ExponentialTable(size)


def exponential_table(most: float) -> ExponentialTable:
    """A table that reaches ``most`` or LARGEST; the few sizes that occur are kept."""
    size = 64
    while size < min(most, LARGEST):
        size *= 2
    return _table(min(size, LARGEST))


def _rounded(values: list[Ball]) -> Floats:
    """The values as floats, each of relative error <= TABLE_ERROR u, certified here."""
    floats = [float(v) for v in values]
    if balls.largest_error(values, floats, relative=True) > TABLE_ERROR * UNIT:
        raise ArithmeticError("a table entry was not rounded to nearest")
    return np.array(floats)


def tree_sum(terms: Floats) -> Floats:
    """The sums of the rows, by halving: ceil(log2 width) additions deep; ``terms`` is overwritten."""
    width = terms.shape[1]
    while width > 1:
        half = width // 2
        terms[:, :half] += terms[:, width - half : width]
        width -= half
    return terms[:, 0].copy()
