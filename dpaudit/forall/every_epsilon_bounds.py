"""Upper bounds of G(epsilon) = (ln Z_y - ln Z_x) / epsilon on an interval (EVERY_EPSILON.md, section 3)."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.forall.every_epsilon_rows import Row
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball

Interval = tuple[Fraction, Fraction | None]
"""From the first number to the second, None being infinity; 0 stands for the limit."""


def at(x: Row, y: Row, epsilon: Fraction | None) -> Ball:
    """A ball that contains G at this epsilon: at 0 and at infinity the limit."""
    if epsilon is None:
        return balls.zero()
    if not epsilon:
        return x.mean - y.mean
    return (y.value(epsilon).log - x.value(epsilon).log) / ball(epsilon)


Place = tuple[Fraction | None]
"""One epsilon in brackets: 0 and None are the limits."""


def above(x: Row, y: Row, interval: Interval) -> Ball:
    """A ball whose upper end is >= G on the whole interval."""
    low, high = interval
    if high is None:
        return _tail(x, y, low)
    if not low and _falls(x, y, high):
        return at(x, y, low)
    return balls.maximum([*_between(x, y, low, high), at(x, y, high)])


def peak(x: Row, y: Row, interval: Interval) -> Place | None:
    """The end of the interval that G nowhere exceeds, where the bounds prove that there is one."""
    low, high = interval
    if high is None:
        return (None,) if _dominated(x, y, low) else None
    if not low:
        return (low,) if _falls(x, y, high) else None
    start, *inner, last = *_between(x, y, low, high), at(x, y, high)
    for end, value, other in ((low, start, last), (high, last, start)):
        if all(balls.certainly_at_most(v, value) for v in (*inner, other)):
            return (end,)
    return None


def _between(x: Row, y: Row, low: Fraction, high: Fraction) -> list[Ball]:
    """Bounds of G at ``low`` and in the middle; with G(high) their maximum is above G on the interval.

    ln Z is convex: ln Z_y lies below its chord and ln Z_x above its tangents at both ends, each taken to the middle.
    Between two such points the quotient by epsilon is monotone. At low = 0 the first entry bounds all of (0, middle].
    """
    middle, half = (low + high) / 2, ball((high - low) / 2)
    end_x, end_y = x.value(high), y.value(high)
    if low:
        start_x, start_y, slope = x.value(low).log, y.value(low).log, x.value(low).slope
    else:
        start_x = start_y = ball(len(x.exponents)).log()
        slope = -x.mean
    chord = (start_y + end_y.log) / 2
    tangents = start_x + slope * half, end_x.log - end_x.slope * half
    first = at(x, y, low) if low else (end_y.log - start_y) / ball(high) - slope
    return [first, *((chord - line) / ball(middle) for line in tangents)]


def _falls(x: Row, y: Row, high: Fraction) -> bool:
    """True only if the variance of A(y, .) is nowhere above that of A(x, .) on (0, high]: then G falls."""
    spread = (ball(high) * (x.most + y.most)).exp()
    return balls.certainly_at_most(spread * y.variance, x.variance)


def _tail(x: Row, y: Row, low: Fraction) -> Ball:
    """ln Z >= 0 falls, so G <= ln Z_y(low) / low; and G <= 0 where Z_x dominates."""
    return balls.zero() if _dominated(x, y, low) else y.value(low).log / ball(low)


def _dominated(x: Row, y: Row, low: Fraction) -> bool:
    """True only if Z_y <= Z_x from ``low`` on."""
    slowest = (-ball(low) * x.least).exp()
    return balls.certainly_at_most(x.least, y.least) and balls.certainly_at_most(y.value(low).excess, slowest)
