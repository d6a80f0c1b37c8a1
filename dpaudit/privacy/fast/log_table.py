"""-ln BC from per-cell tables: balls, rounded once, kept as two floats on a fixed grid so that nothing cancels.

With V_i(m) = ln Gamma(alpha_i + m/2) + any linear function of m, and W(c) = 1/2 sum_i V_i(2 c_i):
    L(x,r) = -ln BC(x,r) = W(x) + W(r) - sum_i V_i(x_i + r_i),
because the linear functions drop out. The errors are derived in ERROR_BOUND.md, section 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import frexp

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.privacy.fast.exponential_table import UNIT, Floats
from dpaudit.privacy.fast.refusal import TooCoarse

MOST_RELATIVE = 2.0**-40
"""A model whose -ln BC has a larger relative error is not screened at all."""
LEAST_LOW = 2.0**-1000
"""A smaller low part counts as 0: half of it need not be a float, and L(x, x) would not be 0."""


class LogTable:
    """Two-float tables V_i = high_i + low_i; every high is a multiple of one power of 2, so that sums are exact.

    ``relative`` bounds the relative error of L for all x != r (x = r gives exactly 0), ``least`` is a lower bound of L.
    """

    def __init__(self, columns: Sequence[Sequence[Ball]]) -> None:
        tilted = [_without_slope(column) for column in columns]
        cells = len(tilted)
        floats = [np.array([float(v) for v in column]) for column in tilted]
        size = max(2.0**-900, 1.01 * max(float(np.abs(column).max()) for column in floats))
        grid = 2.0 ** (frexp(2 * cells * size)[1] - 52)
        self.high: list[Floats] = []
        self.low: list[Floats] = []
        truncation = 0.0
        for column, near in zip(tilted, floats, strict=True):
            high = np.rint(near / grid) * grid
            rest = [v - h for v, h in zip(column, high.tolist(), strict=True)]
            low = np.array([float(v) for v in rest])
            low[np.abs(low) < LEAST_LOW] = 0.0
            if np.abs(high).max() > size or np.abs(low).max() > grid:
                raise TooCoarse("a table of log-gamma values was not rounded to nearest")
            truncation = max(truncation, balls.largest_error(rest, low.tolist()))
            self.high.append(high)
            self.low.append(low)
        absolute = 2.001 * cells * (truncation + 2 * cells * UNIT * grid)
        self.least = self._least(absolute)
        self.relative = 1.001 * (UNIT + absolute / self.least)
        if not self.relative <= MOST_RELATIVE:
            raise TooCoarse("the prior is too large for the tables")

    def _least(self, absolute: float) -> float:
        """A lower bound of L(x, r) over all x != r.

        L is a sum over the cells of terms >= 0 that grow with |x_i - r_i| (Gamma is log-convex); with several cells
        at least two of them differ, with the one table of k = 2 the one term is all.
        """
        steps = []
        for high, low in zip(self.high, self.low, strict=True):
            ends_high, ends_low = high[::2], low[::2]
            step = (ends_high[1:] + ends_high[:-1]) / 2 - high[1::2]
            steps.append(float(np.min(step + ((ends_low[1:] + ends_low[:-1]) / 2 - low[1::2]))))
        least = sum(sorted(steps)[:2])
        return max(least * 0.999 - absolute, 2.0**-900 * absolute)


def _without_slope(column: Sequence[Ball]) -> list[Ball]:
    """The column minus the line through its ends (up to rounding of the slope): smaller, same L."""
    first = column[0]
    slope = balls.dyadic(float((column[-1] - first) / (len(column) - 1)))
    return [v - first - slope * m for m, v in enumerate(column)]
