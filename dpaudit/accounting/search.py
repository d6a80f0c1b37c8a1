"""Questions about a certified curve: delta at an epsilon, and by bisection epsilon at a delta."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.bounds import INFINITE, Bounds

Curve = Callable[[Fraction], tuple[Ball, Ball]]
"""delta as a function of epsilon >= 0: between the lower end of the first ball and the upper end of the second."""
LARGEST = 1 << 20
"""No larger epsilon is tried."""


def delta_at(curve: Curve, epsilon: Fraction) -> Bounds:
    """delta(epsilon), between 0 and 1."""
    low, high = curve(epsilon)
    return Bounds(*balls.cut(low, high, 0, 1))


def epsilon_at(curve: Curve, delta: Fraction, guess: float, share: float) -> Bounds:
    """The least epsilon >= 0 with delta(epsilon) <= delta; both ends are found to the ``share`` of their size."""
    target = ball(delta)

    def enough(epsilon: Fraction) -> bool:
        return balls.certainly_at_most(curve(epsilon)[1], target)

    def short(epsilon: Fraction) -> bool:
        return balls.certainly_less(target, curve(epsilon)[0])

    return Bounds(_last(short, guess, share), _first(enough, guess, share))


def _first(enough: Callable[[Fraction], bool], guess: float, share: float) -> Fraction:
    """About the least epsilon that is enough, from above; infinity if none is found."""
    return Fraction(0) if enough(Fraction(0)) else _bisected(enough, guess, share)[1]


def _last(short: Callable[[Fraction], bool], guess: float, share: float) -> Fraction:
    """About the largest epsilon that falls short, from below; 0 if none is found."""
    return _bisected(lambda epsilon: not short(epsilon), guess, share)[0]


def _bisected(enough: Callable[[Fraction], bool], guess: float, share: float) -> tuple[Fraction, Fraction]:
    """Two numbers close to each other: the first is not enough, or 0; the second is enough, or infinity."""
    near = _short(Fraction(max(guess, 2.0**-20)), Fraction(2.0**-30))
    low, high, spread = Fraction(0), INFINITE, Fraction(1, 100)
    if enough(near):
        high = near
        while high > Fraction(1, 1 << 40) and not low:
            lower = high * (1 - spread)
            low, high = (low, lower) if enough(lower) else (lower, high)
            spread = min(2 * spread, Fraction(1, 2))
    else:
        low = near
        while high == INFINITE:
            higher = low * (1 + spread)
            low, high = (low, higher) if enough(higher) else (higher, high)
            spread = min(2 * spread, Fraction(1))
            if low > LARGEST:
                return low, INFINITE
    while high - low > Fraction(share) * high and high > Fraction(1, 1 << 40):
        middle = _short((low + high) / 2, high - low)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return low, high


def _short(value: Fraction, width: Fraction) -> Fraction:
    """A number of few digits within an eighth of the width."""
    scale = 1 << max(0, 4 - math.floor(math.log2(float(width))))
    return Fraction(round(value * scale), scale)
