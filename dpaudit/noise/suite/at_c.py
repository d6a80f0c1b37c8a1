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
from functools import lru_cache

from flint import arb, arb_poly

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
"""A pair whose bound is not above the best by more than this factor is not looked at any longer."""


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
        """Asks for one more epsilon."""
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
    """The largest over all ordered pairs, each given by its tests, and which pair; about nine digits."""
    with balls.precision(BITS):
        brackets = [Bracket(test) for test in tests]
        alive = list(range(len(brackets)))
        for _ in range(STEPS):
            for number in alive:
                brackets[number].step()
            best = max(balls.ends(bracket.power())[0] for bracket in brackets)
            alive = [n for n in alive if not balls.certainly_less(brackets[n].upper, ball(best * NEAR))]
        winner = max(range(len(brackets)), key=lambda n: balls.ends(brackets[n].power())[0])
        low = balls.ends((brackets[winner].power() / ball(C)).log())[0]
        high = balls.ends((balls.maximum([bracket.upper for bracket in brackets]) / ball(C)).log())[1]
    return outward(max(Fraction(0), low), max(Fraction(0), high), 9), winner


# ------------------------------------------------------------------ several Laplace real parts


@dataclass(frozen=True)
class Shape:
    """Outputs of one shape: chances under P and Q, and (shift/scale) of each Laplace real part that differs."""

    p: Ball
    q: Ball
    shifts: tuple[Fraction, ...]


CELLS = 1 << 8


def composed_at_c(cases: Sequence[Sequence[Shape]]) -> tuple[Enclosure, int]:
    """The same for shapes with several Laplace parts: the loss is rounded down to a grid, its error is bounded.

    A loss on a cell [kh, (k+1)h) of each of the parts and of the weight sums to one in [Kh, (K+parts+2)h]: one more
    for the rounding of the weight.
    """
    with balls.precision(BITS):
        bounds: dict[object, tuple[Fraction, Fraction]] = {}
        keys = [_alike(case) for case in cases]
        for key, case in zip(keys, cases, strict=True):
            if key not in bounds:
                bounds[key] = _bounds(case)
        winner = max(range(len(cases)), key=lambda i: bounds[keys[i]][0])
        low, high = (max(bound[side] for bound in bounds.values()) for side in (0, 1))
    return outward(max(Fraction(0), low), max(Fraction(0), high), 6), winner


def _alike(case: Sequence[Shape]) -> object:
    """A key: cases with the same chances and sizes of shifts have the same answer."""
    return tuple((str(shape.p), str(shape.q), tuple(sorted(map(abs, shape.shifts)))) for shape in case)


def _bounds(case: Sequence[Shape]) -> tuple[Fraction, Fraction]:
    widest = max((abs(a) for shape in case for a in shape.shifts), default=Fraction(0))
    if not widest:
        return Fraction(0), TOP
    step = widest / CELLS
    starts = [int(balls.ends((shape.p / shape.q).log())[0] // step) for shape in case]
    lows = [start - CELLS * len(shape.shifts) for start, shape in zip(starts, case, strict=True)]
    bottom, total = min(lows), arb_poly([0])
    for shape, low in zip(case, lows, strict=True):
        cells = _laplace_cells(tuple(sorted(map(abs, shape.shifts))), step, balls.working_bits())
        total += cells * shape.p * arb_poly([0, 1]) ** (low - bottom)
    mass = {bottom + k: total[k] for k in range(total.length())}
    return _power(mass, step, max(len(shape.shifts) for shape in case) + 2)


@lru_cache(maxsize=256)
def _laplace_cells(shifts: tuple[Fraction, ...], step: Fraction, bits: int) -> arb_poly:
    """P(kh <= loss < (k+1)h) of the sum of the parts, k from -CELLS times their number on.

    For one part P(loss >= l) = 1 - e^((l - a)/2)/2 between -a and a.
    """
    if not shifts:
        return arb_poly([1])
    *rest, a = shifts

    def above(k: int) -> Ball:
        at = k * step
        if at <= -a:
            return arb(1)
        return arb(0) if at > a else 1 - ball((at - a) / 2).exp() / 2

    one = arb_poly([above(k) - above(k + 1) for k in range(-CELLS, CELLS + 1)])
    return one * _laplace_cells(tuple(rest), step, bits)


def _power(mass: dict[int, Ball], step: Fraction, slack: int) -> tuple[Fraction, Fraction]:
    """Bounds of ln(power(c)/c); the loss on the cell K lies between Kh and (K + slack)h."""
    power, level, filled = arb(0), arb(0), False
    tail_p, tail_q, best = arb(0), arb(0), arb(1)
    for k in sorted(mass, reverse=True):
        factor = ball((k + slack) * step).exp()  # at this epsilon the cells from k down have no excess
        best = balls.minimum([best, tail_p - factor * tail_q + factor * ball(C)])
        if filled and balls.certainly_less(2 * ball(C), tail_q):
            break
        if not filled:
            more = mass[k] * ball(-k * step).exp()
            if balls.certainly_at_most(level + more, ball(C)):
                power, level = power + mass[k], level + more
            else:
                power, filled = power + (ball(C) - level) / more * mass[k], True
        tail_p += mass[k]
        tail_q += mass[k] / factor
    return balls.ends((power / ball(C)).log())[0], balls.ends((best / ball(C)).log())[1]
