"""Numbers that depend on the prior: at the centre of a box, over the box, and their slopes over the box.

PRIOR_BOXES.md, section 2. Every operation keeps the three promises of ``Jet``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball


class Jet(NamedTuple):
    """f: ``centre`` contains f there, ``span`` f on the whole box, ``slopes`` its derivatives on the whole box.

    There is one slope for each side of the box that is not a point. Where f is a maximum of smooth functions the slopes
    contain those of every function that may be the largest somewhere: almost everywhere on any segment that is enough.
    """

    centre: Ball
    span: Ball
    slopes: tuple[Ball, ...]

    def plus(self, other: Jet) -> Jet:
        """Returns f + g."""
        slopes = tuple(a + b for a, b in zip(self.slopes, other.slopes, strict=True))
        return Jet(self.centre + other.centre, self.span + other.span, slopes)

    def minus(self, other: Jet) -> Jet:
        """Returns f - g."""
        slopes = tuple(a - b for a, b in zip(self.slopes, other.slopes, strict=True))
        return Jet(self.centre - other.centre, self.span - other.span, slopes)

    def times(self, other: Jet) -> Jet:
        """Returns f g."""
        slopes = tuple(a * other.span + b * self.span for a, b in zip(self.slopes, other.slopes, strict=True))
        return Jet(self.centre * other.centre, self.span * other.span, slopes)

    def scaled(self, factor: Ball) -> Jet:
        """Returns factor f."""
        return Jet(self.centre * factor, self.span * factor, tuple(factor * a for a in self.slopes))

    def shifted(self, amount: Ball) -> Jet:
        """Returns f + amount."""
        return Jet(self.centre + amount, self.span + amount, self.slopes)

    def inverse(self) -> Jet:
        """Returns 1 / f for f > 0."""
        span = 1 / self.span
        factor = -span * span
        return Jet(1 / self.centre, span, tuple(factor * a for a in self.slopes))

    def decay(self) -> Jet:
        """Returns e^(-f)."""
        span = (-self.span).exp()
        return Jet((-self.centre).exp(), span, tuple(-span * a for a in self.slopes))

    def log(self) -> Jet:
        """Returns ln f for f > 0."""
        return Jet(self.centre.log(), self.span.log(), tuple(a / self.span for a in self.slopes))

    def tight(self, halves: Sequence[Ball]) -> Jet:
        """Returns f with the span cut to what the slopes allow: |f - f(centre)| <= sum of |slope| half the side."""
        reach = balls.total([abs(a) * half for a, half in zip(self.slopes, halves, strict=True)])
        swing = balls.around_zero(balls.upper(reach))
        return self._replace(span=balls.common(self.span, self.centre + swing))


def total(jets: Sequence[Jet]) -> Jet:
    """Returns the sum of at least one."""
    slopes = tuple(balls.total(list(parts)) for parts in zip(*(jet.slopes for jet in jets), strict=True))
    return Jet(balls.total([jet.centre for jet in jets]), balls.total([jet.span for jet in jets]), slopes)


def largest(jets: Sequence[Jet]) -> Jet:
    """Returns the maximum of at least one."""
    return _extreme(jets, balls.maximum, lambda a, b: balls.certainly_less(a, b))


def smallest(jets: Sequence[Jet]) -> Jet:
    """Returns the minimum of at least one."""
    return _extreme(jets, balls.minimum, lambda a, b: balls.certainly_less(b, a))


def _extreme(jets: Sequence[Jet], best: Callable[[list[Ball]], Ball], loses: Callable[[Ball, Ball], bool]) -> Jet:
    """Returns the extreme; a function that loses everywhere against it has no part in the slopes."""
    span = best([jet.span for jet in jets])
    active = [jet for jet in jets if not loses(jet.span, span)]
    slopes = active[0].slopes
    for jet in active[1:]:
        slopes = tuple(balls.from_ends(a, b) for a, b in zip(slopes, jet.slopes, strict=True))
    return Jet(best([jet.centre for jet in active]), span, slopes)


def constant(value: Ball, sides: int) -> Jet:
    """Returns a number that does not depend on the prior."""
    return Jet(value, value, (balls.zero(),) * sides)
