"""The largest ln P(S)/Q(S) over events with P(S), Q(S) >= c: one point of the trade-off curve.

A test with level Q(S) = c has the power power(c) = min over epsilon of delta(epsilon) + e^epsilon c, and power(c)/c
falls as c grows, so the answer for one ordered pair is ln(power(c)/c). Every epsilon gives an upper bound. The tests
"P > e^epsilon Q" for two epsilons, one with level >= c and one with level <= c, mixed to the level c, give a lower
one. Tests may be randomized, as everywhere on the trade-off curve.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, arb_poly

from dpaudit.noise.supremum import Region
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.enclosure import Enclosure, outward

C = Fraction(1, 100)
TOP = Fraction(5)
"""ln(1/C) is below this: a larger loss plays no part."""
STEPS = 36
BITS = 96


@dataclass
class Bracket:
    """Bounds of power(c) for one ordered pair, narrowed by bisection on epsilon."""

    test: Callable[[Fraction], Region]
    low: Fraction = Fraction(0)
    high: Fraction = TOP
    below: Region | None = None
    """The test at ``low``, of level >= c."""
    above: Region | None = None
    """The test at ``high``, of level <= c."""
    upper: Ball | None = None

    def step(self) -> None:
        """Asks for one more epsilon."""
        middle = Fraction(0) if self.upper is None else (self.low + self.high) / 2
        found = self.test(middle)
        factor = ball(middle).exp()
        bound = found.excess(factor) + factor * ball(C)
        self.upper = bound if self.upper is None else balls.minimum([self.upper, bound])
        if balls.certainly_at_most(ball(C), found.q):
            self.low, self.below = middle, found
        else:
            self.high, self.above = middle, found

    def power(self) -> tuple[Ball, Ball]:
        """(lower, upper) bounds of power(c)."""
        least = ball(C)
        if self.above is not None and self.below is not None:
            share = (ball(C) - self.above.q) / (self.below.q - self.above.q)
            mixed = self.above.p + share * (self.below.p - self.above.p)
            least = balls.maximum([least, mixed]) if balls.certainly_less(arb(0), share) else least
        elif self.below is not None:
            least = balls.maximum([least, ball(C) * self.below.p / self.below.q])
        return least, self.upper if self.upper is not None else arb(1)


def exact_at_c(tests: Sequence[Callable[[Fraction], Region]]) -> tuple[Enclosure, int]:
    """The largest over all ordered pairs, each given by its tests, and which pair; about ten digits."""
    with balls.precision(BITS):
        brackets = [Bracket(test) for test in tests]
        alive = list(range(len(brackets)))
        for step in range(STEPS):
            for number in alive:
                brackets[number].step()
            if step >= 3:
                best = balls.maximum([brackets[number].power()[0] for number in alive])
                floor = balls.ends(best)[0] * (1 + Fraction(1, 10**12))
                kept = [n for n in alive if not balls.certainly_less(brackets[n].power()[1], ball(floor))]
                alive = kept or alive
        powers = {number: brackets[number].power() for number in alive}
        winner = max(powers, key=lambda number: balls.ends(powers[number][0])[0])
        low = balls.ends((balls.maximum([p[0] for p in powers.values()]) / ball(C)).log())[0]
        high = balls.ends((balls.maximum([p[1] for p in powers.values()]) / ball(C)).log())[1]
    return outward(max(Fraction(0), low), max(Fraction(0), high), 10), winner


# ------------------------------------------------------------------ several Laplace real parts


@dataclass(frozen=True)
class Shape:
    """Outputs of one shape: chances under P and Q, and (shift/scale) of each Laplace real part that differs."""

    p: Ball
    q: Ball
    shifts: tuple[Fraction, ...]


CELLS = 1 << 11


def composed_at_c(cases: Sequence[Sequence[Shape]]) -> tuple[Enclosure, int]:
    """The same for shapes with several Laplace parts: the loss is rounded down to a grid, its error is bounded.

    A loss on a cell [kh, (k+1)h) of each of the parts and of the weight sums to one in [Kh, (K+parts+2)h]: one more for the rounding of the weight.
    """
    with balls.precision(BITS):
        bounds = [_bounds(case) for case in cases]
        winner = max(range(len(bounds)), key=lambda i: bounds[i][0])
        low, high = max(b[0] for b in bounds), max(b[1] for b in bounds)
    return outward(max(Fraction(0), low), max(Fraction(0), high), 6), winner


def _bounds(case: Sequence[Shape]) -> tuple[Fraction, Fraction]:
    widest = max((abs(a) for shape in case for a in shape.shifts), default=Fraction(1))
    step = widest / CELLS
    parts = max(len(shape.shifts) for shape in case)
    mass: dict[int, Ball] = {}
    for shape in case:
        start = int((balls.ends((shape.p / shape.q).log())[0] // step)) if not balls.is_zero(shape.q) else 0
        cells = arb_poly([1])
        for a in shape.shifts:
            cells = cells * _laplace_cells(abs(a), step)
        offset = start - sum(int(-(-abs(a) // step)) for a in shape.shifts)
        for k in range(cells.length()):
            mass[k + offset] = mass.get(k + offset, arb(0)) + shape.p * cells[k]
    return _power(mass, step, parts + 2)


def _laplace_cells(a: Fraction, step: Fraction) -> arb_poly:
    """P(kh <= loss < (k+1)h), from the lowest cell on: P(loss >= l) = 1 - e^((l - a)/2)/2 between -a and a."""
    lowest = -int(-(-a // step))
    highest = int(a // step)

    def above(k: int) -> Ball:
        at = k * step
        if at <= -a:
            return arb(1)
        return arb(0) if at > a else 1 - ball((at - a) / 2).exp() / 2

    return arb_poly([above(k) - above(k + 1) for k in range(lowest, highest + 1)])


def _power(mass: dict[int, Ball], step: Fraction, slack: int) -> tuple[Fraction, Fraction]:
    """Bounds of ln(power(c)/c); the loss on the cell K lies between Kh and (K + slack)h."""
    power, level, low = arb(0), arb(0), Fraction(0)
    best = arb(1)
    tail_p, tail_q = arb(0), arb(0)
    for k in sorted(mass, reverse=True):
        power_next = power + mass[k]
        level_next = level + mass[k] * ball(-k * step).exp()
        if balls.certainly_at_most(level_next, ball(C)):
            power, level = power_next, level_next
            low = max(low, balls.ends((power / ball(C)).log())[0])
        tail_p += mass[k]
        tail_q += mass[k] * ball(-(k + slack) * step).exp()
        if k * step < TOP and balls.certainly_less(ball(C) / 3, tail_q) and k % 16 == 0:
            factor = ball((k + slack - 1) * step).exp()  # cells below k have no excess at this epsilon
            bound = tail_p - factor * tail_q + factor * ball(C)
            best = balls.minimum([best, bound])
        if balls.certainly_less(4 * ball(C), tail_q):
            break
    return low, balls.ends((best / ball(C)).log())[1]
