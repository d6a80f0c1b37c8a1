"""k = 2: rows near the diagonal only. Beyond a few times sqrt(n) steps H is 1 up to 2^-60, and outputs are counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import as_strided

from dpaudit.privacy.fast.exponential_table import Floats, Scratch
from dpaudit.privacy.fast.law import EndLaw, HellingerLaw
from dpaudit.privacy.fast.log_table import LogTable
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.fast.rows import FAR, FloatRows, rounded_rates

BLOCK = 1 << 15
"""Floats in one block of rows: a few such arrays fit into the cache of one core."""


@dataclass(frozen=True)
class BandBlock:
    """Consecutive data sets (first, n - first), ... over the outputs [start, stop); ``far`` outputs lie outside."""

    first: int
    exponents: Floats
    log_z: Floats
    rates: Floats
    far: int


class BandRows(FloatRows):
    """The rows of the data sets (c, n - c) for c = 0..last, in blocks of consecutive c."""

    def __init__(self, law: HellingerLaw | EndLaw, last: int) -> None:
        n = law.model.n
        self.rates = np.array(rounded_rates(law, [(c, n - c) for c in range(last + 1)]))
        table = LogTable([law.column()])
        super().__init__(law, table, self.rates.tolist())
        self._high, self._low = table.high[0], table.low[0]
        self._half_high, self._half_low = self._high[::2] / 2, self._low[::2] / 2
        self.start, self.stop = self._windows(np.arange(last + 1))

    def logs(self, x: np.ndarray, r: np.ndarray) -> Floats:
        """L(x, r) entry by entry, relative error <= table.relative."""
        high = self._half_high[x] + self._half_high[r] - self._high[x + r]
        return np.asarray(high + (self._half_low[x] + self._half_low[r] - self._low[x + r]))

    def _windows(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Start and stop such that L(x, r) >= 42 for every r outside start <= r < stop.

        L(x, .) grows away from x because ln Gamma is convex, so the nearest output outside decides; bisection.
        """
        reach, bar = self.law.reach, FAR * (1 + 2 * self.table.relative)
        inside, outside = x.copy(), np.full_like(x, reach + 1)
        while np.any(outside - inside > 1):
            middle = (inside + outside) // 2
            far = self.logs(x, np.minimum(middle, reach)) >= bar
            outside, inside = np.where(far, middle, outside), np.where(far, inside, middle)
        stop = outside
        if reach < self.model.n and np.any(stop > reach):
            raise TooCoarse("the tables of the end are too short")
        inside, outside = x.copy(), np.full_like(x, -1)
        while np.any(inside - outside > 1):
            middle = -((-inside - outside) // 2)
            far = self.logs(x, np.maximum(middle, 0)) >= bar
            outside, inside = np.where(far, middle, outside), np.where(far, inside, middle)
        return inside, stop

    def blocks(self, first: int, last: int) -> Iterator[BandBlock]:
        """Yields blocks that cover the data sets first..last; the last row of a block is the first of the next."""
        while first < last:
            width = int(self.stop[first] - self.start[first])
            end = min(last, first + max(1, BLOCK // width))
            yield self._block(first, end)
            first = end

    def _block(self, first: int, last: int) -> BandBlock:
        start, stop = int(self.start[first : last + 1].min()), int(self.stop[first : last + 1].max())
        shape = last + 1 - first, stop - start
        rates = self.rates[first : last + 1]
        high = self._half_high[start:stop] + self._half_high[first : last + 1, np.newaxis]
        high -= _sums(self._high[first + start :], shape)
        low = self._half_low[start:stop] + self._half_low[first : last + 1, np.newaxis]
        low -= _sums(self._low[first + start :], shape)
        high += low
        scratch = Scratch(shape)
        self._exponents(high, rates[:, np.newaxis], scratch)
        far = self.model.n + 1 - shape[1]
        return BandBlock(first, high, self._log_normalizers(high, far, rates, scratch), rates, far)


def _sums(table: Floats, shape: tuple[int, int]) -> Floats:
    """The view T[i + j] of a table T."""
    step = table.strides[0]
    return as_strided(table, shape, (step, step), writeable=False)
