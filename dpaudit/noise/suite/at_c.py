"""The largest ln P(S)/Q(S) over events with P(S), Q(S) >= c: one point of the trade-off curve.

A test with level Q(S) = c has the power power(c) = min over epsilon of delta(epsilon) + e^epsilon c, and power(c)/c
falls as c grows, so the answer for one ordered pair is ln(power(c)/c). Every epsilon gives an upper bound. The tests
"P > e^epsilon Q" for two epsilons, one with level >= c and one with level <= c, mixed to the level c, give a lower
one. Tests may be randomized, as everywhere on the trade-off curve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from dpaudit.noise.supremum import Region
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.enclosure import Enclosure, outward

C = Fraction(1, 100)
TOP = Fraction(5)
"""ln(1/C) is below this: a larger loss plays no part."""
STEPS = 34
BITS = 64
NEAR = 1 + Fraction(1, 10**10)
"""A pair whose bound exceeds the best by less than this factor is dropped."""


@dataclass
class Bracket:
    """Bounds of power(c) for one ordered pair, narrowed by bisection on epsilon, which may be negative."""

    test: Callable[[Fraction], Region]
    low: Fraction = -TOP
    high: Fraction = TOP
    below: Region | None = None
    """The test at ``low``, of level >= c."""
    above: Region | None = None
    """The test at ``high``, of level <= c."""
    upper: Ball = field(default_factory=lambda: arb(1))

    def step(self) -> None:
        """Tries one more epsilon."""
        middle = (self.low + self.high) / 2
        found = self.test(middle)
        factor = ball(middle).exp()
        self.upper = balls.minimum([self.upper, found.excess(factor) + factor * ball(C)])
        if balls.certainly_at_most(ball(C), found.q):
            self.low, self.below = middle, found
        else:
            self.high, self.above = middle, found

    def power(self) -> Ball:
        """A lower bound of power(c)."""
        least = ball(C)
        if self.above is not None and balls.certainly_at_most(self.above.q, ball(C)):
            least = balls.maximum([least, self.above.p])
            if self.below is not None:
                share = (ball(C) - self.above.q) / (self.below.q - self.above.q)
                least = balls.maximum([least, self.above.p + share * (self.below.p - self.above.p)])
        elif self.below is not None:
            least = balls.maximum([least, ball(C) * self.below.p / self.below.q])
        return least


def exact_at_c(tests: Sequence[Callable[[Fraction], Region]]) -> tuple[Enclosure, int]:
    """The largest value over all ordered pairs, each given by its tests, to about nine digits; and the pair."""
    with balls.precision(BITS):
        brackets = [Bracket(test) for test in tests]
        alive = list(range(len(brackets)))
        for _ in range(STEPS):
            for number in alive:
                brackets[number].step()
            best = max(balls.ends(bracket.power())[0] for bracket in brackets)
            alive = [n for n in alive if not balls.certainly_less(brackets[n].upper, ball(best * NEAR))]
        powers = [bracket.power() for bracket in brackets]
        winner, upper = balls.largest(powers), balls.maximum([bracket.upper for bracket in brackets])
        low, high = balls.cut((powers[winner] / ball(C)).log(), (upper / ball(C)).log(), 0)
    return outward(low, high, 9), winner
