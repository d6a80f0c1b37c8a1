"""Upper bounds of delta at many epsilons, from p >= P and loss >= ln P/Q; CURVES.md, section 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.privacy.fast.exponential_table import UNIT, ExponentialTable, Floats, Scratch
from dpaudit.privacy.fast.ways import Way

SMALLEST, LARGEST = 2.0**-1000, 2.0**1000
"""A smaller q counts as 0, and a larger factor as this: both make the bound larger."""


@dataclass(frozen=True)
class Points:
    """Epsilons >= 0 in ascending order: floats that are no larger, and no larger than the powers of e at those."""

    epsilons: Floats
    factors: Floats


def points(epsilons: Sequence[Ball]) -> Points:
    """Points no larger than these epsilons, which are in ascending order."""
    below = np.maximum.accumulate([max(0.0, balls.float_below(epsilon)) for epsilon in epsilons])
    powers = [balls.dyadic(epsilon).exp() for epsilon in below.tolist()]
    most = balls.dyadic(LARGEST)
    factors = [balls.float_below(p) if balls.certainly_less(p, most) else LARGEST for p in powers]
    return Points(below, np.array(factors))


def stick_uppers(way: Way, at: Points, table: ExponentialTable) -> Floats:
    """Upper bounds of the sum of max(0, P - e^epsilon Q), pair by pair and point by point.

    Where loss > epsilon a term is at most p - e^epsilon p e^-loss, and 0 elsewhere. Outputs are sorted into the
    intervals between the points, and sums over the outputs beyond a point are sums of intervals.
    """
    rows, width = way.p.shape
    columns = len(at.epsilons) + 1
    place = np.searchsorted(at.epsilons, way.loss) + columns * np.arange(rows)[:, np.newaxis]
    p = _beyond(place, way.p, columns)
    q = _beyond(place, _q(way, table), columns)
    depth = 2 * (width + columns) + 32
    return np.asarray((p - at.factors * q) + 1.01 * depth * UNIT * p)


def _q(way: Way, table: ExponentialTable) -> Floats:
    """At most p e^-loss where the loss is positive and not too large, else 0."""
    used = (way.loss > 0) & (way.loss <= table.end)
    losses = np.where(used, way.loss, 0.0)
    table.exp_minus(losses, losses, Scratch(losses.shape))
    found = way.p * losses
    found[~used | (found < SMALLEST)] = 0.0
    return np.asarray(found)


def _beyond(place: np.ndarray, terms: Floats, columns: int) -> Floats:
    """Row by row the sums of the terms in the intervals 1.., 2.., ..., the last one alone."""
    rows = len(place)
    sums = np.bincount(place.ravel(), terms.ravel(), rows * columns).reshape(rows, columns)
    return np.asarray(sums[:, :0:-1].cumsum(axis=1)[:, ::-1])
