"""Certified upper bounds of loss and delta, pair by pair, in floats: what lies below a certified lower bound is out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpaudit.numbers import balls
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.band import BandRows
from dpaudit.privacy.fast.exponential_table import UNIT, Floats, Scratch
from dpaudit.privacy.fast.law import HellingerLaw
from dpaudit.privacy.fast.rows import FloatRows, FullRows
from dpaudit.privacy.pairs import cut, pairs
from dpaudit.privacy.protocols import Audited, Dataset

Pair = tuple[Dataset, Dataset]
TINY = 2.0**-1000
"""Added to every term of a delta, so that a product that underflows stays an upper bound."""


@dataclass(frozen=True)
class Uppers:
    """``values[i, 0]`` bounds pair i = (x, y) from above, ``values[i, 1]`` the pair (y, x)."""

    pairs: Sequence[Pair]
    values: Floats


@dataclass(frozen=True)
class Side:
    """One data set of each pair, row by row: exponents A, ln Z (gentle rows: ln Z - ln |R|) and rates."""

    exponents: Floats
    log_z: Floats
    rate: Floats


@dataclass(frozen=True)
class PairBatch:
    """Pairs (x, y) row by row; ``far`` outputs lie outside the columns."""

    rows: FloatRows
    x: Side
    y: Side
    far: int

    def margin(self) -> Floats:
        """A bound of the error of every computed loss, pair by pair."""
        return self.rows.margin(self.x.rate, self.y.rate, self.x.exponents.shape[1])

    def losses(self) -> Floats:
        """Upper bounds of max_r ln P_x/P_y and of max_r ln P_y/P_x, row by row."""
        difference = self.y.exponents - self.x.exponents
        gap, margin = self.y.log_z - self.x.log_z, self.margin()
        most, least = difference.max(axis=1), difference.min(axis=1)
        if self.far:
            flat = self.y.rate - self.x.rate
            most, least = np.maximum(most, flat), np.minimum(least, flat)
        return np.stack([most + gap + margin, -least - gap + margin], axis=1)

    def deltas(self, points: Sequence[float]) -> list[Floats]:
        """Returns, for each point e, upper bounds of sum_r max(0, P_x - exp(e) P_y) and of the reverse.

        Every term is P_x(r) (1 - exp(-(loss - e))) where the loss exceeds e, and 0 elsewhere; ``points`` are lower
        bounds of the true e.
        """
        margin = self.margin()
        ways = [(p, q, q.exponents - p.exponents) for p, q in ((self.x, self.y), (self.y, self.x))]
        return [
            np.stack([self._delta(p, q, difference, margin, point) for p, q, difference in ways], axis=1)
            for point in points
        ]

    def _delta(self, p: Side, q: Side, difference: Floats, margin: Floats, point: float) -> Floats:
        shift = q.log_z - p.log_z + margin - point
        excess = difference + shift[:, np.newaxis]
        row, column = np.nonzero(excess > 0)
        log_z = p.log_z + self.rows.log_outputs
        terms = self._terms(p.exponents[row, column] + log_z[row], excess[row, column])
        sums = np.bincount(row, terms, len(shift)).astype(np.float64)
        if self.far:
            beyond = q.rate - p.rate + shift
            here = np.nonzero(beyond > 0)[0]
            sums[here] += self.far * self._terms(p.rate[here] + log_z[here], beyond[here])
        units = 32 + difference.shape[1] + 4 * self.rows.log_size
        return np.asarray(sums * (1 + 2 * margin + units * UNIT))

    def _terms(self, minus_log_p: Floats, excess: Floats) -> Floats:
        """p (1 - exp(-excess)) for p = exp(-minus_log_p), up to the factor that ``_delta`` adds."""
        scratch, table = Scratch(excess.shape), self.rows.exponentials
        p, share = np.empty_like(excess), np.empty_like(excess)
        table.exp_minus(np.maximum(minus_log_p, 0.0), p, scratch)
        table.one_minus_exp(excess, share, scratch)
        return np.asarray(p * share + TINY)


def pair_batches(rows: BandRows, first: int, last: int, effort: Effort) -> Iterator[PairBatch]:
    """Yields the pairs (c, n - c), (c + 1, n - c - 1) for first <= c < last in order, in blocks."""
    for block in rows.blocks(first, last):
        effort.tell(block.first - first, last - first)
        a, log_z, rate = block.exponents, block.log_z, block.rates
        x, y = (Side(a[part], log_z[part], rate[part]) for part in (slice(None, -1), slice(1, None)))
        yield PairBatch(rows, x, y, block.far)
    effort.tell(last - first, last - first)


class BandScreen:
    """k = 2: the pairs (c, n - c), (c + 1, n - c - 1) in blocks of consecutive c."""

    def __init__(self, law: HellingerLaw, effort: Effort) -> None:
        n, self._effort = law.model.n, effort
        last = (n + 1) // 2 if len(law.model.groups) == 1 else n
        self.first, self.last = cut(last, effort.part)
        self.rows = BandRows(law, self.last)
        self.pairs = [((c, n - c), (c + 1, n - c - 1)) for c in range(self.first, self.last)]

    def batches(self) -> Iterator[PairBatch]:
        """The pairs in order."""
        return pair_batches(self.rows, self.first, self.last, self._effort)


class FullScreen:
    """Any k: every pair over all outputs."""

    def __init__(self, law: HellingerLaw, mechanism: Audited, effort: Effort) -> None:
        self.rows = FullRows(law, effort.spare(mechanism))
        self.pairs: list[Pair] = []
        self._mechanism, self._effort = mechanism, effort

    def batches(self) -> Iterator[PairBatch]:
        """Yields the pairs one by one, and remembers them."""
        self.pairs.clear()
        for x, y in pairs(self._mechanism, self._effort):
            self.pairs.append((x, y))
            yield PairBatch(self.rows, self._side(x), self._side(y), 0)

    def _side(self, x: Dataset) -> Side:
        exponents, log_z = self.rows.row(x)
        return Side(exponents, np.array([log_z]), np.array([self.rows.rate(x)]))


FloatScreen = BandScreen | FullScreen


def make_screen(law: HellingerLaw, mechanism: Audited, effort: Effort) -> FloatScreen:
    """The screen for this number of cells."""
    return BandScreen(law, effort) if law.model.k == 2 else FullScreen(law, mechanism, effort)


def loss_uppers(screen: FloatScreen) -> Uppers:
    """Upper bounds of the privacy loss of every pair."""
    values = np.concatenate([batch.losses() for batch in screen.batches()])
    return Uppers(screen.pairs, values)


def delta_uppers(screen: FloatScreen, points: Sequence[Fraction]) -> list[Uppers]:
    """Upper bounds of delta(point) of every pair, for each point."""
    lower = [balls.float_below(balls.ball(point)) for point in points]
    found = [batch.deltas(lower) for batch in screen.batches()]
    return [Uppers(screen.pairs, np.concatenate([batch[i] for batch in found])) for i in range(len(points))]
