"""Upper bounds of Rényi divergences from p >= P and loss >= ln P/Q; CURVES.md, sections 3 and 4.

With u = order - 1, K(u) = u D = ln sum P e^(u ln P/Q). numpy's logarithm only chooses a point here; every bound is made
with the table of exponentials.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpaudit.privacy.fast.exponential_table import UNIT, ExponentialTable, Floats, Scratch, tree_sum
from dpaudit.privacy.fast.uppers import TINY
from dpaudit.privacy.fast.ways import Way

CLOSEST = 2.0**-17
"""Orders nearer to 1 than this are bounded by the divergence at this distance: it grows with the order."""
FARTHEST = 1 << 40
"""A larger order is bounded by the largest loss."""
MOST_HALVINGS = 64
"""The number of halvings after which a pair with open intervals of orders is left to the balls."""
ITEMS = 1 << 19
"""The most floats in one block."""


def divergence_uppers(way: Way, order: Fraction, table: ExponentialTable) -> Floats:
    """Upper bounds of D_order, order >= 1, pair by pair."""
    if order == 1:
        return _first(way)
    if order > FARTHEST:
        return _tops(way)
    u = np.full(len(way.p), max(CLOSEST, float(order - 1)))
    return _divergences(way, u, _tops(way), table)


def _tops(way: Way) -> Floats:
    return np.asarray(way.loss.max(axis=1))


def _first(way: Way) -> Floats:
    """D_1 = sum P ln P/Q: positive losses weigh p, negative ones the lower bound of P."""
    infinite = np.isinf(_tops(way))
    losses = np.where(np.isinf(way.loss), 0.0, way.loss)
    terms = np.where(losses > 0, way.p, way.lower()) * losses
    width = terms.shape[1]
    error = (width.bit_length() + 4) * UNIT * tree_sum(np.abs(terms)) * 1.01 + width * TINY
    return np.where(infinite, np.inf, tree_sum(terms) + error)


def _divergences(way: Way, u: Floats, tops: Floats, table: ExponentialTable) -> Floats:
    """Upper bounds of D at order 1 + u, one u > 0 for each row; the u of a bound is known up to half an ulp."""
    infinite = np.isinf(tops)
    most = np.where(infinite, 0.0, tops)
    with np.errstate(over="ignore"):
        exponents = (most[:, np.newaxis] - way.loss) * (u * (1 - 8 * UNIT))[:, np.newaxis]
    exponents = np.where(exponents > 0, exponents, 0.0)
    table.exp_minus(exponents, exponents, Scratch(exponents.shape))
    exponents *= way.p
    width = way.p.shape[1]
    sums = tree_sum(exponents) * (1 + (width.bit_length() + 10) * UNIT) + width * TINY
    logs = _log_above(sums, table)
    found = most + logs / u
    error = 16 * UNIT * (np.abs(most) + np.abs(logs) / u)
    return np.where(infinite, np.inf, np.maximum(found + error, 0.0))


def _log_above(values: Floats, table: ExponentialTable) -> Floats:
    """Upper bounds of the logarithms of values > 0: ln S <= S e^v - 1 - v for every v, here one near -ln S."""
    v = np.clip(-np.log(values), 0.0, table.end)
    powers = np.empty_like(v)
    table.exp_minus(v, powers, Scratch(v.shape))
    ratio = values / powers
    return np.asarray((ratio - 1.0) - v + 16 * UNIT * (1.0 + ratio + v))


# ------------------------------------------------------------------ zCDP


def above_rate(way: Way, rho: float, table: ExponentialTable) -> np.ndarray:
    """Which pairs may have D at order 1 + u above rho (1 + u) for some u > 0; the others certainly have not.

    Intervals of u are halved until the chord of K, which is convex, lies below rho u (1 + u), or until K itself does
    not. The first interval is bounded by D at its end, the last one, without end, by the largest loss.
    """
    rows = len(way.p)
    tops, left = _tops(way), np.zeros(rows, dtype=bool)
    every = np.arange(rows)
    one = np.ones(rows)
    at_one = _cumulants(way, every, one, tops, table)
    left |= at_one > rho * 2 * (1 - 8 * UNIT)
    first = _Open(every, np.zeros(rows), one, np.zeros(rows), at_one)
    last = _Open(every, one, np.full(rows, np.inf), at_one, np.full(rows, np.inf))
    open_ = _joined(first, last)
    for _ in range(MOST_HALVINGS):
        open_ = open_.only(~left[open_.row])
        open_ = open_.only(~open_.closed(rho, tops))
        if not len(open_.row):
            return left
        middle = open_.middles()
        values = _cumulants(way, open_.row, middle, tops, table)
        over = values > rho * middle * (1 + middle) * (1 - 8 * UNIT)
        left[open_.row[over | (middle < CLOSEST)]] = True
        open_ = _joined(
            _Open(open_.row, open_.low, middle, open_.at_low, values),
            _Open(open_.row, middle, open_.high, values, open_.at_high),
        )
    left[open_.row] = True
    return left


class _Open:
    """Intervals (low, high] of u, each of one row, and upper bounds of K at their ends."""

    def __init__(self, row: np.ndarray, low: Floats, high: Floats, at_low: Floats, at_high: Floats) -> None:
        self.row, self.low, self.high, self.at_low, self.at_high = row, low, high, at_low, at_high

    def only(self, which: np.ndarray) -> _Open:
        return _Open(*(part[which] for part in (self.row, self.low, self.high, self.at_low, self.at_high)))

    def middles(self) -> Floats:
        return np.where(np.isinf(self.high), 2 * self.low, (self.low + self.high) / 2)

    def closed(self, rho: float, tops: Floats) -> np.ndarray:
        """Where K(u) <= rho u (1 + u) on the whole interval, for certain."""
        unbounded, start = np.isinf(self.high), self.low == 0
        high, at_high = np.where(unbounded, self.low, self.high), np.where(unbounded, self.at_low, self.at_high)
        width = high - self.low
        constant = rho * self.low * (1 + self.low) - self.at_low
        slope = rho * width * (1 + 2 * self.low) - (at_high - self.at_low)
        square = rho * width * width
        inside = (slope < 0) & (-slope < 2.001 * square)
        lowest = np.minimum(constant, constant + slope + square)
        lowest[inside] = constant[inside] - slope[inside] ** 2 / (4 * square[inside])
        error = 64 * UNIT * (rho * high * (1 + high) + np.abs(self.at_low) + np.abs(at_high))
        found = np.where(start, at_high <= rho * high * (1 - 8 * UNIT), lowest >= error)
        return np.where(unbounded, tops[self.row] <= rho * (1 + self.low) * (1 - 8 * UNIT), found)


def _joined(a: _Open, b: _Open) -> _Open:
    both = zip((a.row, a.low, a.high, a.at_low, a.at_high), (b.row, b.low, b.high, b.at_low, b.at_high), strict=True)
    return _Open(*(np.concatenate(parts) for parts in both))


def _cumulants(way: Way, row: np.ndarray, u: Floats, tops: Floats, table: ExponentialTable) -> Floats:
    """Upper bounds of K(u) for these rows, in portions."""
    most = max(1, ITEMS // way.p.shape[1])
    found = []
    for start in range(0, len(row), most):
        part = slice(start, start + most)
        which = row[part]
        found.append(u[part] * _divergences(way.rows(which), u[part], tops[which], table) * (1 + 4 * UNIT))
    return np.concatenate(found) if found else np.zeros(0)
