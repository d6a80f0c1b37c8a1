"""The pairs that floats leave to the balls, for the divergences and the curves of all pairs; see CURVES.md.

The quantity is computed in balls for the most promising pairs: the maximum is no less. A pair whose upper bound in
floats is no larger than that is discarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.privacy.curve import curves_of, envelope
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.exponential_table import Floats
from dpaudit.privacy.fast.orders import above_rate, divergence_uppers
from dpaudit.privacy.fast.sticks import points, stick_uppers
from dpaudit.privacy.fast.ways import BallPairs, FloatPairs, Way
from dpaudit.privacy.left import Left, Pair, Sieve, both_ways
from dpaudit.privacy.moments import TOLERANCE, Concentration, Moments
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Audited, Dataset, Mass

BITS = 128
"""The precision of the rows that are rounded, and of the pairs that set the bar."""
PROMISING = tuple(map(Fraction, (1, 2, 4, 8, 16)))
"""Orders whose worst pairs set the bar of sup D / order."""
FEW, MANY = 16, 64
"""Epsilons whose worst pairs are promising for the whole curve."""
CURVE_MASSES = 1 << 17
"""The most pairs times outputs for an exact curve; with more it is known up to a bound."""


class Screened(Sieve):
    """Floats discard pairs."""

    discards = True

    def __init__(self, mechanism: Audited, effort: Effort, option: str) -> None:
        super().__init__(mechanism, effort)
        self._option = option
        self._screen = mechanism.screen()
        self._floats = self._make(effort)
        self._width = 0

    def _make(self, effort: Effort) -> FloatPairs:
        if self._screen is not None:
            return self._screen.float_pairs(effort)
        with balls.precision(BITS):
            return BallPairs(self.mechanism, effort)

    def masses(self, x: Dataset, y: Dataset) -> Sequence[Mass]:
        """P_x and P_y on a partition of the outputs, at the precision in force."""
        return super().masses(x, y) if self._screen is None else self._screen.masses(x, y)

    def every(self) -> Left:
        """All pairs, if the balls can compute them."""
        self.effort.check_whole(self.mechanism, self._option)
        return super().every()

    def divergence(self, *orders: Fraction) -> Left:
        """The pairs that may have the largest D_order, of each order."""
        uppers = self._divergences(orders)
        tops = uppers.argmax(axis=0).tolist()
        with balls.precision(BITS):
            promising = list(self._moments(tops))
            bars = [balls.float_below(balls.maximum([m.divergence(order) for m in promising])) for order in orders]
        return self._left(np.any(uppers > bars, axis=1), tops)

    def curve(self) -> Left:
        """The pairs that rise above the curve of promising ones; where that are many, promising ones alone."""
        top = self.largest_loss()
        if top == inf:
            return self.every()
        promising, rises = self._rises(top, FEW)
        if np.count_nonzero(rises > 0) * self._width <= CURVE_MASSES:
            left = self._left(rises > 0, self._places(promising))
            return replace(left, ways=frozenset(self._ways(rises > 0)) | both_ways(promising.pairs))
        promising, rises = self._rises(top, MANY)
        return Left(promising.pairs, max(0.0, float(rises.max())))

    def _rises(self, top: float, places: int) -> tuple[Left, Floats]:
        """Pairs promising at these epsilons, and how far each of all pairs may rise above their curve.

        That is the largest of finitely many lines in e^epsilon; delta of a pair is convex in that, so it is looked at
        where two of these lines cross.
        """
        with balls.precision(BITS):
            promising = self.promising([balls.dyadic(top) * i / places for i in range(places)])
            known = envelope(curves_of(promising.pairs, self.masses))
            epsilons = [*known.breakpoints, balls.zero()]
            lines = [v.power - e.exp() * v.alpha for e, v in zip(epsilons, known.vertices, strict=True)]
            return promising, self._over(epsilons[::-1], lines[::-1])

    def _ways(self, may: np.ndarray) -> Iterator[Pair]:
        """The ordered pairs at these places."""
        for place in np.nonzero(may)[0].tolist():
            x, y = self._floats.pairs[place // 2]
            yield (y, x) if place % 2 else (x, y)

    def _places(self, left: Left) -> list[int]:
        return [2 * self._floats.pairs.index(pair) for pair in left.pairs]

    def _over(self, epsilons: Sequence[Ball], limits: Sequence[Ball]) -> Floats:
        """Upper bounds of the most by which delta of each pair exceeds its limit; more than 0 where it may."""
        at, table = points(epsilons), self._floats.table
        bars = np.array([balls.float_below(limit) for limit in limits])

        def excess(way: Way) -> Floats:
            found = (stick_uppers(way, at, table) - bars).max(axis=1)
            return np.asarray(np.where(found > 0, np.nextafter(found, inf), found))

        return self._over_all(excess)

    def concentration(self, rho: Fraction | None = None) -> Left:
        """The pairs whose sup D_order / order may exceed that of a promising one by a small share."""
        table, uppers = self._floats.table, self._divergences(PROMISING)
        tops = sorted(set(uppers.argmax(axis=0).tolist()))
        with balls.precision(BITS):
            found = Concentration(list(self._moments(tops)))
            found.refine()
            best = balls.float_below(found.best)
        if best <= 0:
            return self._left(np.ones(len(uppers), dtype=bool), tops)
        bar = best * (1 + float(TOLERANCE) / 2)
        if rho is not None and best < rho < bar:
            bar = balls.float_below(balls.ball(rho))
        return self._left(self._over_all(lambda way: above_rate(way, bar, table)), tops, bar)

    def promising(self, epsilons: Sequence[Ball]) -> Left:
        """Of each epsilon the pair with the largest upper bound of delta there."""
        uppers = self._deltas(epsilons)
        return self._left(np.zeros(len(uppers), dtype=bool), uppers.argmax(axis=0).tolist())

    def above(self, epsilons: Sequence[Ball], limits: Sequence[Ball], always: Left) -> Left:
        """The pairs whose delta may exceed its limit at one of these epsilons, and those that are there always."""
        return self._left(self._over(epsilons, limits) > 0, self._places(always))

    def largest_loss(self) -> float:
        """No loss is larger."""
        return float(self._over_all(lambda way: way.loss.max(axis=1)).max())

    def _divergences(self, orders: Sequence[Fraction]) -> Floats:
        """Upper bounds of D, for every pair and order."""
        table = self._floats.table
        return self._over_all(lambda way: np.stack([divergence_uppers(way, a, table) for a in orders], axis=1))

    def _deltas(self, epsilons: Sequence[Ball]) -> Floats:
        at, table = points(epsilons), self._floats.table
        return self._over_all(lambda way: stick_uppers(way, at, table))

    def _over_all(self, measure: Callable[[Way], np.ndarray]) -> np.ndarray:
        """The measure of every pair: of x against y at 2 i, of y against x at 2 i + 1."""
        found = []
        with balls.precision(BITS):
            for ways in self._floats.ways():
                found.append(np.stack([measure(way) for way in ways], axis=1))
                self._width = max(self._width, ways[0].p.shape[1])
        both = np.concatenate(found)
        return np.asarray(both.reshape(2 * len(both), *both.shape[2:]))

    def _moments(self, places: Iterable[int]) -> Iterable[Moments]:
        """Both ways of the pairs at these places, in balls."""
        for place in sorted({place // 2 for place in places}):
            x, y = self._floats.pairs[place]
            masses = self.masses(x, y)
            yield Moments(masses, Witness(x, y, None))
            yield Moments([mass.swapped() for mass in masses], Witness(y, x, None))

    def _left(self, may: np.ndarray, always: Iterable[int], others: float | None = None) -> Left:
        """The pairs of which either way is left; refused where the balls would have too much to do."""
        places = sorted({place // 2 for place in (*np.nonzero(may)[0].tolist(), *always)})
        self.effort.check_left(self.mechanism, 2 * len(places) * self._width, self._option)
        return Left([self._floats.pairs[place] for place in places], others)
