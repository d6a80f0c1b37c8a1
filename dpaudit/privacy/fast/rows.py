"""Rows of the exponential family in floats with proven errors: exponents A(x,r) = rate(x) H(x,r) and ln Z(x).

Where all rates are at most 1 ("gentle" rows), ln Z - ln |R| stands for ln Z: its error is in proportion to the rate.
Everything here is derived in ERROR_BOUND.md; the names of the bounds are those of that page.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from math import comb, sqrt

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.posterior.model import Model
from dpaudit.privacy.fast.exponential_table import (
    COMPLEMENT_ERROR,
    EXP_ERROR,
    UNIT,
    Floats,
    Scratch,
    exponential_table,
    tree_sum,
)
from dpaudit.privacy.fast.law import EndLaw, HellingerLaw
from dpaudit.privacy.fast.log_table import LogTable
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.protocols import Dataset

FAR = 42.0
"""Beyond -ln BC = 42, that is BC < 2^-60, a candidate is counted and not visited."""
MOST_ERROR = 2.0**-10
"""The largest exponent may have this absolute error at most; the bounds below take it for small."""
LEAST_EXPONENT = 2.0**-900
"""Gentle rows have no positive exponent below this: nothing in them underflows."""
LN2_ABOVE = 0.6932
"""More than ln 2: times the bit length of a number it is more than its logarithm."""
ROWS_BYTES = 1 << 28
"""Float rows are kept for reuse up to this many bytes."""


class FloatRows:
    """What the two kinds of rows share: tables, rates, and the errors that follow from them."""

    def __init__(self, law: HellingerLaw | EndLaw, table: LogTable, rates: Sequence[float]) -> None:
        self.law = law
        self.model = law.model
        self.table = table
        self.most_rate = max(rates)
        self.log_size = LN2_ABOVE * self.model.size.bit_length() + 1
        self.exponentials = exponential_table(max(FAR + 4, self.most_rate + self.log_size + 1))
        root = 1.001 * (table.relative + COMPLEMENT_ERROR * UNIT) / 2 + UNIT
        self.exponent_error = 1.001 * (root + 2.02 * UNIT)
        if not self.most_rate * self.exponent_error <= MOST_ERROR:
            raise TooCoarse("the rates are too large for floats")
        least = min(rates) * sqrt(min(table.least, 1.0) / 2)
        self.gentle = self.most_rate <= 1 and least >= LEAST_EXPONENT
        self.log_outputs = self._rounded_logs([balls.ball(self.model.size).log()])[0] if self.gentle else 0.0

    def row_error(self, rate: Floats, width: int) -> Floats:
        """Upper bounds of |computed - true| ln Z, gentle: of ln Z - ln |R|, for rows with these rates."""
        if self.gentle:
            units = COMPLEMENT_ERROR + width.bit_length() + 6
            return np.asarray(1.8 * rate * (self.exponent_error + units * UNIT))
        units = EXP_ERROR + width.bit_length() + 2 + 2 * self.log_size
        return np.asarray(1.01 * (rate * (self.exponent_error + UNIT) + units * UNIT))

    def margin(self, rate_x: Floats, rate_y: Floats, width: int) -> Floats:
        """Upper bounds of |computed loss - loss| at every output, for pairs with these rates."""
        own = (rate_x + rate_y) * (self.exponent_error + 10 * UNIT) + (0 if self.gentle else 16 * self.log_size * UNIT)
        return np.asarray(1.01 * (own + self.row_error(rate_x, width) + self.row_error(rate_y, width)))

    def _exponents(self, logs: Floats, rates: Floats, scratch: Scratch) -> None:
        """Replaces L by A = rate sqrt(1 - exp(-L)), relative error <= exponent_error."""
        self.exponentials.one_minus_exp(logs, logs, scratch)
        np.sqrt(logs, out=logs)
        logs *= rates

    def _log_normalizers(self, exponents: Floats, far: int, rates: Floats, scratch: Scratch) -> Floats:
        """ln Z, gentle: ln Z - ln |R|, for Z = sum of exp(-A) + far exp(-rate), error <= row_error.

        Gentle rows sum up 1 - exp(-A) instead, which is |R| - Z and loses nothing.
        """
        table, terms = self.exponentials, scratch.whole
        function = table.one_minus_exp if self.gentle else table.exp_minus
        function(exponents, terms, scratch)
        sums = tree_sum(terms)
        if far:
            tail = np.empty_like(rates)
            function(rates, tail, Scratch(rates.shape))
            sums += far * tail
        if self.gentle:
            return np.array(_nearest([(-balls.dyadic(d) / self.model.size).log1p() for d in sums.tolist()]))
        return np.array(self._rounded_logs([balls.dyadic(z).log() for z in sums.tolist()]))

    def _rounded_logs(self, logs: Sequence[Ball]) -> list[float]:
        """The logarithms as floats of certified error <= log_size u."""
        floats = [float(v) for v in logs]
        if balls.largest_error(logs, floats) > self.log_size * UNIT:
            raise TooCoarse("a logarithm was not rounded to nearest")
        return floats


def _nearest(values: Sequence[Ball]) -> list[float]:
    """The values as floats of certified relative error <= 1.01 u."""
    near = [float(v) for v in values]
    if balls.largest_error(values, near, relative=True) > 1.01 * UNIT:
        raise TooCoarse("a rate or a normalizer is known too coarsely")
    return near


def rounded_rates(law: HellingerLaw | EndLaw, datasets: Sequence[Dataset]) -> list[float]:
    """The rates as floats of certified relative error <= 1.01 u."""
    return _nearest([law.rate(x) for x in datasets])


def slab(model: Model) -> int:
    """How many histograms have the same first count, at most; the rows of two such are what a walk comes back to."""
    return comb(model.n + model.k - 2, model.k - 2)


class FullRows(FloatRows):
    """Rows over all outputs, any k; some are kept for reuse."""

    def __init__(self, law: HellingerLaw, most: int = ROWS_BYTES) -> None:
        datasets = law.model.histograms
        self._rates = dict(zip(datasets, rounded_rates(law, datasets), strict=True))
        super().__init__(law, LogTable(law.h.log_ratios()), list(self._rates.values()))
        model = self.model
        counts = np.array(model.histograms, dtype=np.intp)
        self._counts = [np.ascontiguousarray(column) for column in counts.T]
        doubled = [2 * column for column in self._counts]
        self._half_high = sum(t[m] for t, m in zip(self.table.high, doubled, strict=True)) / 2
        self._half_low = sum(t[m] for t, m in zip(self.table.low, doubled, strict=True)) / 2
        self._scratch = Scratch((1, model.size))
        self._kept: OrderedDict[Dataset, tuple[Floats, float]] = OrderedDict()
        self._keep = max(8, min(min(most, ROWS_BYTES) // (8 * model.size), 2 * slab(model) + 8))

    def rate(self, x: Dataset) -> float:
        """rate(x) as a float."""
        return self._rates[x]

    def row(self, x: Dataset) -> tuple[Floats, float]:
        """A(x, .) as an array of shape (1, |R|), and ln Z(x)."""
        if x in self._kept:
            self._kept.move_to_end(x)
            return self._kept[x]
        rate = np.array([[self.rate(x)]])
        exponents = self._logs(x)
        self._exponents(exponents, rate, self._scratch)
        log_z = self._log_normalizers(exponents, 0, rate[0], self._scratch)
        self._kept[x] = exponents, float(log_z[0])
        if len(self._kept) > self._keep:
            self._kept.popitem(last=False)
        return self._kept[x]

    def _logs(self, x: Dataset) -> Floats:
        """L(x, .), relative error <= table.relative; exactly 0 at r = x."""
        place = self.model.index[x]
        high = self._half_high + self._half_high[place]
        low = self._half_low + self._half_low[place]
        for table, count, cells in zip(self.table.high, x, self._counts, strict=True):
            high -= table[count:].take(cells)
        for table, count, cells in zip(self.table.low, x, self._counts, strict=True):
            low -= table[count:].take(cells)
        high += low
        high[place] = 0.0
        return np.asarray(high[np.newaxis])
