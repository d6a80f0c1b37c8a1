"""Renyi divergences and zero-concentrated differential privacy, pair by pair, from the exact distributions.

For one ordered pair, K(a) = (a - 1) D_a(P, Q) = ln sum P^a Q^(1-a) is convex in a with K(1) = 0, and D_a rises with a
from the Kullback-Leibler divergence D_1 to the largest loss. A mechanism is rho-zCDP with rho = sup D_a / a, a > 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heappop, heappush

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted, ball
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Mass

TOLERANCE = Fraction(1, 10**4)
"""rho is enclosed up to this relative width, and further if that is needed to decide."""
SPLITS = 400
"""Intervals of orders that are halved, and 40 for each pair."""


class InfiniteLoss(Exception):
    """An output is possible for x and impossible for x'."""

    def __init__(self, witness: Witness) -> None:
        self.witness = witness
        super().__init__("an output is possible for one data set alone")


class Moments:
    """The divergences D_a of one ordered pair; raises InfiniteLoss where they are infinite."""

    def __init__(self, masses: Sequence[Mass], where: Witness) -> None:
        self.where = where
        lost = balls.total([m.p for m in masses if balls.is_zero(m.p_prime)])
        if balls.certainly_less(balls.zero(), lost):
            raise InfiniteLoss(where)
        if not balls.is_zero(lost):
            raise PrecisionExhausted(balls.working_bits())
        finite = [m for m in masses if not balls.is_zero(m.p) and not balls.is_zero(m.p_prime)]
        self.losses = [ball(m.loss) if m.loss is not None else m.p.log() - m.p_prime.log() for m in finite]
        self._p = [m.p for m in finite]
        self._logs = [p.log() for p in self._p]
        self.same = all(m.loss == 0 for m in finite)
        """Whether P = Q, by algebra."""
        self._cumulants: dict[Fraction, Ball] = {}

    def cumulant(self, order: Fraction) -> Ball:
        """A ball that contains K(order), order >= 1."""
        if self.same or order == 1:
            return balls.zero()
        if order not in self._cumulants:
            step = ball(order - 1)
            parts = [(p + step * loss).exp() for p, loss in zip(self._logs, self.losses, strict=True)]
            self._cumulants[order] = balls.positive_part(balls.total(parts).log())
        return self._cumulants[order]

    def divergence(self, order: Fraction) -> Ball:
        """A ball that contains D_order, order >= 1."""
        if self.same:
            return balls.zero()
        if order == 1:
            return balls.positive_part(balls.total([p * loss for p, loss in zip(self._p, self.losses, strict=True)]))
        return self.cumulant(order) / ball(order - 1)

    def most(self, low: Fraction, high: Fraction | None) -> Ball:
        """A ball whose upper end bounds D_a / a for all low <= a <= high; for all a >= low if high is None.

        By D_high / low, as D rises; beyond the last order by the largest loss; where it can be had by the chord
        s a + c of K: its quotient with a (a - 1) rises up to t = (-c + sqrt(c (c + s))) / s, where it is s / (2t - 1),
        and falls from there.
        """
        if self.same:
            return balls.zero()
        if high is None:
            return balls.positive_part(balls.maximum(self.losses)) / ball(low)
        rough = self.divergence(high) / ball(low)
        if low == 1:
            return rough
        left, right = self.cumulant(low), self.cumulant(high)
        s = (right - left) / ball(high - low)
        c = left - s * ball(low)
        ends = balls.maximum([left / ball(low * (low - 1)), right / ball(high * (high - 1))])
        t = (-c + balls.positive_part(c * (c + s)).sqrt()) / s
        if balls.certainly_less(t, ball(low)) or balls.certainly_less(ball(high), t):
            return ends
        peak = balls.maximum([ends, s / (2 * t - 1)])
        return peak if peak.is_finite() else rough


@dataclass
class Concentration:
    """sup of D_a / a over all pairs and orders a > 1: the interval of orders with the largest bound is halved first."""

    pairs: Sequence[Moments]
    best: Ball = field(default_factory=balls.zero)
    """A ball of the largest value met; a = 1 stands for the limit D_1."""
    place: int = 0
    order: Fraction = Fraction(1)

    def __post_init__(self) -> None:
        self._heap: list[tuple[int, int, Fraction, Fraction | None, Ball]] = []
        for i in range(len(self.pairs)):
            for order in (1, 2, 4):
                self._meet(i, Fraction(order))
            for low, high in ((1, 2), (2, 4), (4, None)):
                self._push(i, Fraction(low), None if high is None else Fraction(high))

    def _meet(self, i: int, order: Fraction) -> None:
        value = self.pairs[i].divergence(order) / ball(order)
        if balls.certainly_less(self.best, value):
            self.best, self.place, self.order = value, i, order

    def _push(self, i: int, low: Fraction, high: Fraction | None) -> None:
        bound = self.pairs[i].most(low, high)
        if not bound.is_finite():
            raise PrecisionExhausted(balls.working_bits())
        heappush(self._heap, (-balls.midpoint(bound, balls.working_bits()), i, low, high, bound))

    def refine(self, rho: Ball | None = None, times: int = 1) -> None:
        """Halves intervals until the value is enclosed closely, and compared with rho if there is one, or enough."""
        for _ in range((SPLITS + 40 * len(self.pairs)) * times):
            _, i, low, high, bound = self._heap[0]
            close = balls.certainly_at_most(bound, self.best * ball(1 + TOLERANCE))
            decided = rho is None or balls.certainly_less(rho, self.best) or balls.certainly_at_most(bound, rho)
            if (close and decided) or not balls.certainly_less(self.best, bound):
                return
            heappop(self._heap)
            middle = 2 * low if high is None else (low + high) / 2
            self._meet(i, middle)
            self._push(i, low, middle)
            self._push(i, middle, high)

    def upper(self) -> Ball:
        """A ball whose upper end bounds D_a / a for all pairs and orders."""
        return balls.maximum([self.best, *(bound for *_, bound in self._heap)])
