"""The pairs that floats leave to the balls, for the divergences and the curves of all pairs; see CURVES.md.

The quantity is computed in balls for the most promising pairs: the maximum is no less. A pair whose upper bound in
floats is no larger than that is discarded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.exponential_table import Floats
from dpaudit.privacy.fast.orders import above_rate, divergence_uppers
from dpaudit.privacy.fast.sticks import points, stick_uppers
from dpaudit.privacy.fast.ways import BallPairs, FloatPairs, Way
from dpaudit.privacy.left import Left, Sieve
from dpaudit.privacy.moments import TOLERANCE, Concentration, Moments
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Audited, Dataset, Mass

BITS = 128
"""The precision of the rows that are rounded, and of the pairs that set the bar."""
PROMISING = tuple(map(Fraction, (1, 2, 4, 8, 16)))
"""Orders whose worst pairs set the bar of sup D / order."""


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
        """Returns P_x and P_y on a partition of the outputs, at the precision in force."""
        return super().masses(x, y) if self._screen is None else self._screen.masses(x, y)

    def every(self) -> Left:
        """All pairs, if the balls can compute them."""
        self.effort.check_whole(self.mechanism, self._option)
        return super().every()

    def divergence(self, order: Fraction) -> Left:
        """The pairs that may have the largest D_order."""
        uppers = self._over_all(lambda way: divergence_uppers(way, order, self._floats.table))
        top = int(uppers.argmax())
        with balls.precision(BITS):
            bar = balls.float_below(balls.maximum([m.divergence(order) for m in self._moments([top])]))
        return self._left(uppers > bar, [top])

    def concentration(self, rho: Fraction | None = None) -> Left:
        """The pairs whose sup D_order / order may exceed that of a promising one by a small share."""
        table = self._floats.table
        uppers = [self._over_all(lambda way, a=a: divergence_uppers(way, a, table)) for a in PROMISING]  # type: ignore[misc]
        tops = sorted({int(bounds.argmax()) for bounds in uppers})
        with balls.precision(BITS):
            found = Concentration(list(self._moments(tops)))
            found.refine()
            best = balls.float_below(found.best)
        if best <= 0:
            return self._left(np.ones(len(uppers[0]), dtype=bool), tops)
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
        at, table = points(epsilons), self._floats.table
        bars = np.array([balls.float_below(limit) for limit in limits])
        may = self._over_all(lambda way: np.any(stick_uppers(way, at, table) > bars, axis=1))
        return self._left(may, [2 * self._floats.pairs.index(pair) for pair in always.pairs])

    def largest_loss(self) -> float:
        """No loss is larger."""
        return float(self._over_all(lambda way: way.loss.max(axis=1)).max())

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
