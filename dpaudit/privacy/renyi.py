"""Renyi divergences of all orders and zero-concentrated differential privacy, from the exact distributions.

D_a(P, Q) = ln(sum P^a Q^(1-a)) / (a - 1), largest over all ordered adjacent pairs; a = 1 is Kullback-Leibler and
a = infinity the true epsilon. The mechanism is rho-zCDP with rho = sup over a > 1 of D_a / a.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.privacy.curve import PairCurve

EVALUATIONS = (60, 200)
"""Orders that rho looks at, at most: more of them for small mechanisms, as many as TERMS allow."""
TERMS = 10**5
RELATIVE_WIDTH = Fraction(1, 1000)
SPLITS = 64


@dataclass
class Renyi:
    """The divergences of one mechanism; there must be no infinite loss."""

    curves: Sequence[PairCurve]

    def __post_init__(self) -> None:
        self._logs = [
            [(m.p.log(), loss) for m, loss in zip(curve.finite, curve.losses, strict=True)] for curve in self.curves
        ]
        self._cumulants: dict[Fraction, Ball] = {}
        self._chords: dict[tuple[Fraction, Fraction], Ball] = {}

    def kullback_leibler(self) -> Ball:
        """Returns a ball that contains the largest sum of P ln(P/Q)."""
        parts = [
            balls.total([m.p * loss for m, loss in zip(curve.finite, curve.losses, strict=True)])
            for curve in self.curves
        ]
        return balls.positive_part(balls.maximum(parts))

    def cumulant(self, order: Fraction) -> Ball:
        """Returns a ball that contains G(a) = (a - 1) D_a = max over pairs of ln sum P^a Q^(1-a), a > 1.

        P^a Q^(1-a) = P e^((a-1) loss). G is convex in a, a maximum of convex functions, and G(1) = 0.
        """
        if order not in self._cumulants:
            step = ball(order - 1)
            sums = [balls.total([(p + step * loss).exp() for p, loss in logs]).log() for logs in self._logs]
            self._cumulants[order] = balls.positive_part(balls.maximum(sums))
        return self._cumulants[order]

    def divergence(self, order: Fraction) -> Ball:
        """Returns a ball that contains D_a, a >= 1."""
        return self.kullback_leibler() if order == 1 else self.cumulant(order) / ball(order - 1)

    def rho(self, epsilon: Ball) -> Ball:
        """Returns a ball that contains rho = sup over a > 1 of D_a / a; ``epsilon`` contains the true epsilon.

        Lower: the largest value met, and D_1, the limit. Upper: between two orders G lies below its chord; beyond the
        last order D_a <= epsilon. The interval with the largest upper bound is halved until the two nearly meet,
        or cannot be told apart.
        """
        orders = [Fraction(1), Fraction(3, 2), Fraction(2), Fraction(4), Fraction(8)]
        lower = self.kullback_leibler()
        few, many = EVALUATIONS
        for _ in range(max(few, min(many, TERMS // sum(map(len, self._logs))))):
            lower = balls.maximum([lower, *(self.divergence(a) / ball(a) for a in orders)])
            bounds = [self._chord(a, b) for a, b in itertools.pairwise(orders)]
            bounds.append(epsilon / ball(orders[-1]))
            upper = balls.maximum(bounds)
            close = balls.certainly_at_most(upper, lower * ball(1 + RELATIVE_WIDTH))
            if close or not balls.certainly_less(lower, upper):
                break
            worst = balls.argsort(bounds)[-1]
            last = worst == len(orders) - 1
            orders.insert(worst + 1, orders[-1] * 2 if last else (orders[worst] + orders[worst + 1]) / 2)
        return lower.union(balls.maximum([lower, upper]))

    def _chord(self, a: Fraction, b: Fraction) -> Ball:
        """Returns a ball whose upper end bounds G(t) / (t (t-1)) for a <= t <= b.

        The chord is s (t - 1) + d with d <= 0 its value at 1, so the bound is s / t + d / (t (t-1)): on a small part
        [l, r] at most s / l + d / (r (r-1)).
        """
        if (a, b) not in self._chords:
            self._chords[a, b] = self._chord_anew(a, b) if a > 1 else self.divergence(b)
        return self._chords[a, b]

    def _chord_anew(self, a: Fraction, b: Fraction) -> Ball:
        low, high = self.cumulant(a), self.cumulant(b)
        slope = (high - low) / ball(b - a)
        offset = -balls.positive_part(slope * ball(a - 1) - low)
        ends = [a + (b - a) * Fraction(i, SPLITS) for i in range(SPLITS + 1)]
        parts = itertools.pairwise(ends)
        return balls.maximum([slope / ball(left) + offset / ball(right * (right - 1)) for left, right in parts])
