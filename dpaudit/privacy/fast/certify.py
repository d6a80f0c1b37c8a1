"""The fast tier: floats with a proven error bound discard, balls decide. The answer is that of the exact tier."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

import numpy as np

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted, ball
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.law import HellingerLaw
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.fast.survivors import Cell, band_cells, full_cells
from dpaudit.privacy.fast.uppers import BandScreen, FloatScreen, Pair, Uppers, delta_uppers, loss_uppers, make_screen
from dpaudit.privacy.fast.ways import TablePairs
from dpaudit.privacy.pairs import Witness, Worst
from dpaudit.privacy.protocols import Audited, Dataset, Mass, Output

T = TypeVar("T")
MOST_TABLE_BITS = 4096
"""If the tables are still too coarse beyond this precision, the exact tier takes over."""
Tag = tuple[int, int, Output | None]
"""Pair, direction (0: x against y), output."""
Entries = list[tuple[Ball, Output | None]]
Scored = tuple[Entries, Entries]
"""For each direction of a pair the balls whose maximum is wanted, with their outputs."""
PairScore = Callable[[list[Cell]], Scored]
Narrow = Callable[[Ball], Enclosure | None]


def first_bits(digits: int, outputs: int, numerator: Fraction) -> tuple[int, int]:
    """A first precision and a cap, for losses in proportion to the numerator of the rates.

    Without as many bits more for a small numerator, the balls would be coarser than the floats.
    """
    bits, most = balls.bits_for(digits, outputs)
    bits += max(0, numerator.denominator.bit_length() - numerator.numerator.bit_length()) // 64 * 64
    return bits, max(bits, most)


class Certifier(ABC):
    """Upper bounds in floats discard pairs; what is left is computed in balls."""

    @abstractmethod
    def cells(self, pair: Pair) -> list[Cell]:
        """The outputs of a pair in balls, at the precision in force."""

    def scored(self, pair: Pair, score: PairScore) -> Scored:
        """The scores of a pair in balls, at the precision in force."""
        return score(self.cells(pair))

    def _certify(self, uppers: Uppers, score: PairScore, bits: tuple[int, int], narrow: Narrow, tier: str) -> Worst:
        """The maximum of the score over all pairs, narrow enough; at more bits only the pairs left are redone.

        What was discarded has an upper bound that is at most a certified lower bound of the maximum.
        """
        left: list[int] = []
        bar = 0.0

        def attempt() -> tuple[Enclosure, Tag] | None:
            nonlocal bar
            champion: Champion[Tag] = Champion()
            if left:
                for place in left:
                    self._offer(champion, uppers.pairs[place], place, score)
            else:
                left.extend(self._best_first(champion, uppers, score))
                bar = balls.float_below(champion.top())
            champion.sort(lambda tag: (tag[0], tag[1], tag[2] or ()))
            value, tag = champion.result()
            found = narrow(value)
            return None if found is None else (found, tag)

        (value, (place, way, output)), used = balls.refine(attempt, *bits)
        x, y = uppers.pairs[place]
        witness = Witness(y, x, output) if way else Witness(x, y, output)
        return Worst(value, witness, used, tier, int(np.count_nonzero(uppers.values > bar)))

    def _best_first(self, champion: Champion[Tag], uppers: Uppers, score: PairScore) -> list[int]:
        """Offers pairs, the most promising first, until no upper bound exceeds the best; returns those offered."""
        tops = uppers.values.max(axis=1)
        order: list[int] = np.argsort(-tops, kind="stable").tolist()
        for done, place in enumerate(order):
            if done and tops[place] <= balls.float_below(champion.top()):
                return order[:done]
            self._offer(champion, uppers.pairs[place], place, score)
        return order

    def _offer(self, champion: Champion[Tag], pair: Pair, place: int, score: PairScore) -> None:
        for way, scored in enumerate(self.scored(pair, score)):
            champion.offer([v for v, _ in scored], lambda i, way=way, s=scored: (place, way, s[i][1]))  # type: ignore[misc]


@dataclass
class FastTier(Certifier):
    """One mechanism: its laws by precision, made once each."""

    mechanism: Audited
    make_law: Callable[[], HellingerLaw]
    numerator: Fraction
    """e of the rates e / (2 Delta(x)), exactly."""
    _laws: dict[int, HellingerLaw] = field(default_factory=dict)

    def law(self) -> HellingerLaw:
        """The law at the precision in force."""
        bits = balls.working_bits()
        if bits not in self._laws:
            self._laws = {bits: self.make_law()}
        return self._laws[bits]

    def _screened(self, effort: Effort, bound: Callable[[FloatScreen], T]) -> tuple[T, tuple[int, int]]:
        """The float bounds, and the precisions for the rest; a larger precision helps against a large prior."""
        bits, most = first_bits(effort.digits, self.mechanism.counts().outputs, self.numerator)
        while True:
            try:
                with balls.precision(bits):
                    return bound(make_screen(self.law(), self.mechanism, effort)), (bits, most)
            except (TooCoarse, PrecisionExhausted) as reason:
                if 2 * bits > MOST_TABLE_BITS:
                    raise TooCoarse(str(reason)) from None
                bits *= 2

    def cells(self, pair: Pair) -> list[Cell]:
        """The outputs of a pair in balls, at the precision in force."""
        return (band_cells if self.law().model.k == 2 else full_cells)(self.law(), *pair)

    def scored(self, pair: Pair, score: PairScore) -> Scored:
        """The scores of a pair; of the losses of an exchange the largest alone, without a row (ERROR_BOUND.md, 7)."""
        x, y = pair
        if score is not losses or not is_exchange(x, y, self.law().model.prior):
            return super().scored(pair, score)
        loss = self.law().rate(x) * self.law().h.between(x, y)
        return [(loss, x)], [(loss, y)]

    def worst_loss(self, effort: Effort) -> Worst:
        """The true epsilon: the maximum of ln P_x(r) - ln P_x'(r) over all ordered pairs and outputs."""
        effort.check_memory(self.mechanism)
        uppers, bits = self._screened(effort, self._loss_uppers(effort))
        return self._certify(uppers, losses, bits, lambda v: balls.enclosure(v, effort.digits, least=0), "fast")

    def _loss_uppers(self, effort: Effort) -> Callable[[FloatScreen], Uppers]:
        """How the losses are bounded: by this process, or by several where it is long and k >= 3."""
        from dpaudit.privacy.fast.cores import cores, loss_uppers_by

        def bound(screen: FloatScreen) -> Uppers:
            number = 1 if isinstance(screen, BandScreen) else cores(self.mechanism, effort)
            found = None if number == 1 else loss_uppers_by(number, self.mechanism, effort)
            return loss_uppers(screen) if found is None else found

        return bound

    def worst_deltas(self, points: Sequence[Fraction], effort: Effort) -> list[Worst]:
        """delta at each point; the float rows are computed once for all points."""
        effort.check_memory(self.mechanism)
        found, bits = self._screened(effort, lambda screen: delta_uppers(screen, points))

        def narrow(value: Ball) -> Enclosure | None:
            return balls.enclosure(value, effort.digits, least=0, most=1)

        both = zip(points, found, strict=True)
        return [self._certify(uppers, _hockey_stick(point), bits, narrow, "fast") for point, uppers in both]

    def float_pairs(self, effort: Effort) -> TablePairs:
        """All pairs in floats, with bounds of their errors."""
        effort.check_memory(self.mechanism)
        return TablePairs(self._screened(effort, lambda screen: screen)[0])

    def masses(self, x: Dataset, y: Dataset) -> list[Mass]:
        """P_x and P_y at every output, the far ones together."""
        cells = self.cells((x, y))
        return [Mass(c.number * c.log_p.exp(), c.number * c.log_q.exp()) for c in cells]


def is_exchange(x: Histogram, y: Histogram, prior: Sequence[Fraction]) -> bool:
    """Whether y is x with the entries of two cells exchanged that have the same prior."""
    cells = [i for i, (a, b) in enumerate(zip(x, y, strict=True)) if a != b]
    if len(cells) != 2:
        return False
    i, j = cells
    return x[i] == y[j] and x[j] == y[i] and prior[i] == prior[j]


def losses(cells: list[Cell]) -> Scored:
    """ln P_x - ln P_y and ln P_y - ln P_x at every output; each far output represents its whole class."""
    there: Entries = [(cell.log_p - cell.log_q, cell.output) for cell in cells]
    return there, [(-loss, output) for loss, output in there]


def _hockey_stick(point: Fraction) -> PairScore:
    """The score of delta(point): sum over r of max(0, P_x - e^point P_y), and the reverse."""

    def score(cells: list[Cell]) -> Scored:
        factor = ball(point).exp()
        p, q = [cell.log_p.exp() for cell in cells], [cell.log_q.exp() for cell in cells]
        return [(_positive(cells, p, q, factor), None)], [(_positive(cells, q, p, factor), None)]

    return score


def _positive(cells: list[Cell], p: list[Ball], q: list[Ball], factor: Ball) -> Ball:
    parts = [c.number * balls.positive_part(a - factor * b) for c, a, b in zip(cells, p, q, strict=True)]
    return balls.total(parts)
