"""Compositions whose losses lie on a lattice: no grid, polynomials with balls as coefficients.

The losses of randomized response, the discrete Laplace and the discrete Gaussian mechanism are rational numbers on a
lattice, so the distribution of the total loss is a product of powers of polynomials.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from flint import arb_poly

from dpaudit.accounting.event import Event
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball

LONGEST = 120_000
"""Polynomials with more coefficients are left to the transform."""


def common_step(losses: Sequence[Sequence[Fraction]]) -> Fraction:
    """The largest h for which the losses of every event differ by multiples of h; 0 if each has one loss only."""
    differences = [loss - event[0] for event in losses for loss in event if loss != event[0]]
    if not differences:
        return Fraction(0)
    denominator = math.lcm(*(d.denominator for d in differences))
    return Fraction(reduce(math.gcd, (abs(int(d * denominator)) for d in differences)), denominator)


def exact_losses(event: Event) -> list[Fraction]:
    """The rational losses of an event that is exact."""
    with balls.precision(64):
        return [atom.loss for atom in event.dominating().all_atoms() if atom.loss is not None]


def length(events: Sequence[Event]) -> int | None:
    """The number of coefficients that the product needs; None where the losses of some event are not rational."""
    if not all(event.exact for event in events):
        return None
    losses = [exact_losses(event) for event in events]
    step = common_step(losses)
    spans = [(max(found) - min(found)) * event.times for found, event in zip(losses, events, strict=True)]
    return 1 + int(sum(spans) / step) if step else 1


VERIFIED, MOST_VERIFIED = 20_000, 10_000
"""The most losses of the composition, and the most releases, that the independent verifier checks."""


def verifiable(events: Sequence[Event]) -> bool:
    """Whether the independent verifier can recompute the composition."""
    size = length(events)
    return size is not None and size <= VERIFIED and sum(event.times for event in events) <= MOST_VERIFIED


class Product:
    """The distribution of the total loss at the precision in force: its coefficients from the largest loss down."""

    def __init__(self, events: Sequence[Event]) -> None:
        losses = [exact_losses(event) for event in events]
        self.step = common_step(losses) or Fraction(1)
        self.least = Fraction(0)
        product, none_infinite, left_out = arb_poly([1]), ball(1), balls.zero()
        for event, places in zip(events, losses, strict=True):
            pair = event.dominating()
            low = min(places)
            coefficients = [balls.zero()] * (int((max(places) - low) / self.step) + 1)
            for atom in pair.all_atoms():
                assert atom.loss is not None
                coefficients[int((atom.loss - low) / self.step)] += atom.p
            product *= arb_poly(coefficients) ** event.times
            none_infinite *= (1 - pair.infinite()) ** event.times
            left_out += pair.left_out() * event.times
            self.least += low * event.times
        self.infinite = 1 - none_infinite
        self.left_out = left_out
        self._sum([product[k] for k in range(product.degree() + 1)])

    def _sum(self, masses: Sequence[Ball]) -> None:
        """For every k the sums over j >= k of p(j) and of p(j) e^-(loss j)."""
        shrink, factor = (-ball(self.step)).exp(), (-ball(self.least)).exp()
        factors = [factor]
        for _ in masses[1:]:
            factors.append(factors[-1] * shrink)
        p, q = balls.zero(), balls.zero()
        self.p, self.q = [p], [q]
        for mass, weight in zip(reversed(masses), reversed(factors), strict=True):
            p, q = p + mass, q + mass * weight
            self.p.append(p)
            self.q.append(q)

    def delta(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """Balls: delta(epsilon) lies between the lower end of the first and the upper end of the second."""
        skipped = max(0, math.floor((epsilon - self.least) / self.step) + 1)
        k = max(0, len(self.p) - 1 - skipped)
        finite = balls.positive_part(self.p[k] - ball(epsilon).exp() * self.q[k])
        whole = self.infinite + finite
        return whole, (whole + self.left_out).min(ball(1))
