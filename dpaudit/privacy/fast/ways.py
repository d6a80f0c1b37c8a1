"""A pair (P, Q) in floats, one way: p >= P and loss >= ln P/Q at every output; so what grows with both is bounded.

delta(epsilon) and every Rényi divergence do (CURVES.md). Rows of the exponential family come from the tables of this
room; the rows of any other law are balls, rounded up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.exponential_table import UNIT, ExponentialTable, Floats, Scratch, exponential_table
from dpaudit.privacy.fast.uppers import TINY, FloatScreen, Pair, PairBatch, Side
from dpaudit.privacy.pairs import pairs
from dpaudit.privacy.protocols import Audited, Dataset, Law

LEAST = 2.0**-900
"""More than what underflow can do to a probability."""
BLOCK = 1 << 15
"""Floats in one block of pairs."""
CLOSE = 2.0**-40
"""A row that is known less closely is rounded entry by entry."""


@dataclass(frozen=True)
class Way:
    """Ordered pairs row by row. An impossible output has p = 0 and the loss -inf, one impossible under Q the loss inf.

    ``p (1 - share) - LEAST`` is at most P, where ``share`` is one number for each row.
    """

    p: Floats
    loss: Floats
    share: Floats

    def lower(self) -> Floats:
        """At most P, at every output."""
        return np.maximum(self.p * (1 - self.share[:, np.newaxis]) - LEAST, 0.0)

    def rows(self, which: np.ndarray) -> Way:
        """Some of the rows."""
        return Way(self.p[which], self.loss[which], self.share[which])


class FloatPairs(Protocol):
    """All pairs of a mechanism in floats, batch by batch."""

    table: ExponentialTable

    @property
    def pairs(self) -> Sequence[Pair]:
        """The pairs, in the order of the batches; complete when these were."""

    def ways(self) -> Iterator[tuple[Way, Way]]:
        """Yields batches of pairs, x against y and y against x."""


class TablePairs:
    """The pairs of the exponential family."""

    def __init__(self, screen: FloatScreen) -> None:
        self._screen = screen
        self.table = screen.rows.exponentials

    @property
    def pairs(self) -> Sequence[Pair]:
        """The pairs."""
        return self._screen.pairs

    def ways(self) -> Iterator[tuple[Way, Way]]:
        """Yields the batches of the screen."""
        for batch in self._screen.batches():
            yield _way(batch, batch.x, batch.y), _way(batch, batch.y, batch.x)


def _way(batch: PairBatch, p: Side, q: Side) -> Way:
    """The outputs one by one, and those far away as one more column; CURVES.md, section 1."""
    rows, margin = batch.rows, batch.margin()
    shift = (q.log_z - p.log_z) + margin
    log_z = p.log_z + rows.log_outputs
    loss = (q.exponents - p.exponents) + shift[:, np.newaxis]
    chances = _chances(rows.exponentials, p.exponents + log_z[:, np.newaxis])
    if batch.far:
        loss = np.column_stack([loss, (q.rate - p.rate) + shift])
        chances = np.column_stack([chances, batch.far * _chances(rows.exponentials, p.rate + log_z)])
    share = 2 * margin + (40 + 4 * rows.log_size) * UNIT
    return Way(chances * (1 + share)[:, np.newaxis] + TINY, loss, 3 * share)


def _chances(table: ExponentialTable, minus_logs: Floats) -> Floats:
    found = np.maximum(minus_logs, 0.0)
    table.exp_minus(found, found, Scratch(found.shape))
    return found


class BallPairs:
    """The pairs of any law, from its rows: balls at the precision in force, each rounded once."""

    def __init__(self, mechanism: Audited, effort: Effort) -> None:
        self._mechanism, self._effort, self._law = mechanism, effort, effort.law(mechanism)
        self._rows: dict[Dataset, _Row] = {}
        self.pairs: list[Pair] = []
        self.table = exponential_table(256)

    def ways(self) -> Iterator[tuple[Way, Way]]:
        """Yields blocks of pairs; every row is rounded once and kept."""
        self.pairs.clear()
        most = max(1, BLOCK // max(1, self._mechanism.counts().outputs))
        block: list[tuple[_Row, _Row]] = []
        for x, y in pairs(self._mechanism, self._effort):
            self.pairs.append((x, y))
            block.append((self._row(x), self._row(y)))
            if len(block) == most:
                yield _both(block)
                block = []
        if block:
            yield _both(block)

    def _row(self, x: Dataset) -> _Row:
        if x not in self._rows:
            self._rows[x] = _rounded(self._law, x)
        return self._rows[x]


@dataclass(frozen=True)
class _Row:
    """Of one data set, output by output: p >= P, and floats on both sides of ln P; both are -inf where P is 0."""

    p: Floats
    low: Floats
    high: Floats
    share: float


def _rounded(law: Law, x: Dataset) -> _Row:
    chances = law.probabilities(x)
    possible = [i for i, p in enumerate(chances) if not balls.is_zero(p)]
    p, low, high = np.zeros(len(chances)), np.full(len(chances), -np.inf), np.full(len(chances), -np.inf)
    found = _closely([chances[i] for i in possible]) or _one_by_one([chances[i] for i in possible])
    p[possible], low[possible], high[possible], share = found
    return _Row(p, low, high, min(1.0, share))


def _closely(chances: Sequence[Ball]) -> tuple[Floats, Floats, Floats, float] | None:
    """Upper bounds of the balls, bounds of their logarithms, and the share; None where they are not known closely."""
    logs, near = [p.log() for p in chances], [float(p) for p in chances]
    if not all(log.is_finite() for log in logs) or min(near) < LEAST:
        return None
    centers = [float(log) for log in logs]
    coarse, error = balls.largest_error(chances, near, relative=True), balls.largest_error(logs, centers)
    if not max(coarse, error) <= CLOSE:
        return None
    middle, p = np.array(centers), np.array(near) * (1 + 2 * coarse + 4 * UNIT)
    return p, _down(middle - error), -_down(-middle - error), 4 * coarse + 16 * UNIT


def _one_by_one(chances: Sequence[Ball]) -> tuple[Floats, Floats, Floats, float]:
    """The same for balls that may be wide, may contain 0, or are smaller than any float."""
    tops = [max(balls.float_above(p), TINY) for p in chances]
    logs = [p.log() for p in chances]
    lows = [balls.float_below(log) if log.is_finite() else -np.inf for log in logs]
    both = zip(logs, tops, strict=True)
    highs = [balls.float_above(log if log.is_finite() else balls.dyadic(top).log()) for log, top in both]
    p, low, high = np.array(tops), np.array(lows), np.array(highs)
    widest = (high - low)[p > LEAST].max(initial=0.0)
    return p, low, high, float(widest) * (1 + 8 * UNIT) + 8 * UNIT


def _down(values: Floats) -> Floats:
    return np.asarray(np.nextafter(values, -np.inf))


def _both(block: Sequence[tuple[_Row, _Row]]) -> tuple[Way, Way]:
    return _against([(x, y) for x, y in block]), _against([(y, x) for x, y in block])


def _against(block: Sequence[tuple[_Row, _Row]]) -> Way:
    """Every loss is rounded up: ln P from above less ln Q from below, and an ulp."""
    p = np.array([x.p for x, _ in block])
    high, low = np.array([x.high for x, _ in block]), np.array([y.low for _, y in block])
    with np.errstate(invalid="ignore"):
        loss = np.where(p > 0, np.nextafter(high - low, np.inf), -np.inf)
    return Way(p, loss, np.array([x.share for x, _ in block]))
