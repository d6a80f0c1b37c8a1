"""Large n for the price of a small one, k = 2: the pairs near the ends one by one, one bound for all the others.

Between the ends every loss is below a bound that falls towards e/2 like 1/x (``between``, LARGE_N.md). Once that is
below the largest loss found near the ends, the rest is done: nothing grows with n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.errors import TooLargeError
from dpaudit.posterior.ends import EndHellinger, Fixed, Following, end_sensitivities
from dpaudit.posterior.model import Histogram, Model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.band import BandRows
from dpaudit.privacy.fast.between import Middle, ell
from dpaudit.privacy.fast.certify import Certifier, FastTier, Tag, first_bits, losses
from dpaudit.privacy.fast.law import EndLaw
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.fast.survivors import Cell, band_cells, negligible
from dpaudit.privacy.fast.uppers import Pair, Uppers, pair_batches
from dpaudit.privacy.fast.ways import TablePairs
from dpaudit.privacy.pairs import Worst
from dpaudit.privacy.protocols import Dataset, Mass

FIRST = 128
"""The number of data sets near each end that are examined first."""
MORE = 8
"""The factor by which more are examined where the largest loss is not among them."""
MOST = 1 << 15
"""With more than this the usual tier is the cheaper one."""
LEAST_N = 3000
"""Below this n the usual tier is fast enough."""


@dataclass
class EndTier(Certifier):
    """The worst loss of P_x(r) proportional to exp(-numerator H(x,r) / (2 Delta(x))) on a model with two cells."""

    model: Model
    kind: Callable[[EndHellinger, EndHellinger], Fixed | Following]
    """The sensitivity, given the distances near both ends, at the precision in force."""
    numerator: Fraction
    _laws: dict[tuple[int, int], tuple[list[EndLaw], Fixed | Following]] = field(default_factory=dict)
    _near: int = FIRST

    def worst_loss(self, effort: Effort) -> Worst:
        """The true epsilon, or refuses where the pairs between the ends cannot be bounded."""
        bits = first_bits(effort.digits, self.model.size, self.numerator)
        self._near = FIRST
        while True:
            with balls.precision(bits[0]):
                uppers = self._uppers(effort)
                champion: Champion[Tag] = Champion()
                self._best_first(champion, uppers, losses)
                bar = balls.float_below(champion.top())
                wanted = self._near_ends(bar)
            if wanted == self._near:
                return self._certify(uppers, losses, bits, lambda v: balls.enclosure(v, effort.digits, least=0), "ends")
            self._near = wanted

    def _near_ends(self, bar: float) -> int:
        """How many data sets near each end to examine so that no pair between exceeds the bar.

        Where no number would do, the largest loss is not among those found yet: some more.
        """
        near = self._near
        while 4 * near < self.model.n and near <= MOST:
            if self._is_below(near, bar):
                return near
            near *= 2
        if MORE * self._near > MOST:
            raise TooCoarse("the losses between the ends are not bounded below those at the ends")
        return MORE * self._near

    def _is_below(self, near: int, bar: float) -> bool:
        """Whether no pair with at least ``near`` records in either cell loses more than the bar."""
        n, kind = self.model.n, self._ends()[1]
        half, prior, mirrored = (n + 1) // 2, self.model.prior, self.model.prior[::-1]
        sides = [(prior, half)] if prior == mirrored else [(prior, half), (mirrored, n - half)]
        return all(
            Middle(Model(n, side), kind, self.numerator).is_below(near, last, balls.dyadic(bar)) for side, last in sides
        )

    def _ends(self) -> tuple[list[EndLaw], Fixed | Following]:
        """The laws near the ends, one if they are alike, at the precision in force; and the sensitivity."""
        key = balls.working_bits(), self._near
        if key not in self._laws:
            priors = dict.fromkeys((self.model.prior, self.model.prior[::-1]))
            h = [_distances(Model(self.model.n, prior), self._near) for prior in priors]
            if 2 * max(near.reach for near in h) > self.model.n:
                raise TooCoarse("the two ends meet")
            kind = self.kind(h[0], h[-1])
            half = balls.ball(self.numerator / 2)
            made = [
                EndLaw(near, [half / v for v in end_sensitivities(kind, near, other, self._near + 1)])
                for near, other in zip(h, reversed(h), strict=True)
            ]
            self._laws = {key: (made, kind)}
        return self._laws[key]

    def _uppers(self, effort: Effort) -> Uppers:
        """Upper bounds of the losses of the pairs near the ends; the other end's pairs in their own order."""
        pairs: list[Pair] = []
        values = []
        n, near = self.model.n, self._near
        for place, law in enumerate(self._ends()[0]):
            rows = BandRows(law, near)
            values += [batch.losses() for batch in pair_batches(rows, 0, near, effort)]
            there = [((c, n - c), (c + 1, n - c - 1)) for c in range(near)]
            pairs += [(x[::-1], y[::-1]) for x, y in there] if place else there
        return Uppers(pairs, np.concatenate(values))

    def cells(self, pair: Pair) -> list[Cell]:
        """The outputs of a pair near an end in balls, at the precision in force."""
        laws = self._ends()[0]
        x, y = pair
        if x[0] <= self._near or len(laws) == 1:
            return band_cells(laws[0], x, y)
        return [cell._replace(output=cell.output[::-1]) for cell in band_cells(laws[1], x[::-1], y[::-1])]


def _distances(model: Model, near: int) -> EndHellinger:
    """The distances of an end, so far that BC(near, .) beyond is negligible and below e^-43."""
    first, second = (balls.ball(alpha) for alpha in model.prior)
    small, steps = negligible() / 4, balls.working_bits()
    while near + steps < model.n:
        far = ell(first + near, steps) + ell(second + (model.n - near - steps), steps)
        if balls.certainly_less((-far).exp(), small):
            break
        steps += steps // 4
    while True:
        h = EndHellinger(model, near + steps)
        edge: Histogram = (h.reach, model.n - h.reach)
        if h.reach == model.n or balls.certainly_less(h.bc((near, model.n - near), edge), 2 * small):
            return h
        steps += steps // 2


@dataclass
class LargeTier:
    """The ends first; the usual fast tier where they do not settle it, and for everything but the worst loss."""

    usual: FastTier
    ends: EndTier

    def worst_loss(self, effort: Effort) -> Worst:
        """The true epsilon."""
        why = ""
        if effort.part is None:
            try:
                return self.ends.worst_loss(effort)
            except (TooCoarse, PrecisionExhausted) as reason:
                why = str(reason)
        try:
            return self.usual.worst_loss(effort)
        except TooLargeError as refused:
            settled = f"a bound for all pairs at once does not settle this setting ({why})"
            raise refused.because(f"{settled}; --n all has a bound for every n (EHD, EHDL, EHDS, MH)") from None

    def worst_deltas(self, points: Sequence[Fraction], effort: Effort) -> list[Worst]:
        """delta at each point."""
        return self.usual.worst_deltas(points, effort)

    def float_pairs(self, effort: Effort) -> TablePairs:
        """All pairs in floats, with bounds of their errors."""
        return self.usual.float_pairs(effort)

    def masses(self, x: Dataset, y: Dataset) -> list[Mass]:
        """P_x and P_y at every output, the far ones together."""
        return self.usual.masses(x, y)
