"""k = 2, the data sets near one end: distances and sensitivities without any table of length n.

The data sets are (c, n - c), the near ones c = 0..reach. The distances are those of ``distances.Hellinger``; the
sensitivities use that LS is quasi-convex in c (privacy/fast/LARGE_N.md, section 1).
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import gamma_ratios
from dpaudit.posterior.model import Histogram, Model


class EndHellinger:
    """Distances between (c, n - c) and (d, n - d) for c, d <= ``reach``, at the precision in force when it was made."""

    def __init__(self, model: Model, reach: int) -> None:
        if model.k != 2:
            raise ValueError("two cells only")
        self.model = model
        self.reach = min(reach, model.n)
        first, second = model.prior
        self._ratios = [
            up * down
            for up, down in zip(
                gamma_ratios(first, 2 * self.reach), falling_ratios(second + model.n, 2 * self.reach), strict=True
            )
        ]
        self._roots = [g.rsqrt() for g in self._ratios[::2]]
        self._zero = balls.zero()

    def bc(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains BC(c, d)."""
        i, j = c[0], d[0]
        return self._roots[i] * self._roots[j] * self._ratios[i + j]

    def log_column(self) -> list[Ball]:
        """Balls that contain ln Gamma(a + m/2) + ln Gamma(b + n - m/2) + a constant, m = 0..2 reach."""
        return [ratio.log() for ratio in self._ratios]

    def between(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains H(c, d); exactly 0 if c = d."""
        return self._zero if c == d else (1 - self.bc(c, d)).sqrt()

    def locals(self, count: int | None = None) -> list[Ball]:
        """Balls that contain LS at c = 0..count-1, by default all below ``reach``: the larger step to left or right."""
        n = self.model.n
        steps = [self.between((c, n - c), (c + 1, n - c - 1)) for c in range(self.reach if count is None else count)]
        return [steps[0], *(balls.maximum([a, b]) for a, b in itertools.pairwise(steps))]


def falling_ratios(top: Fraction, steps: int) -> list[Ball]:
    """Balls that contain Gamma(top - m/2) / Gamma(top) for m = 0..steps, top > steps/2."""
    half = ball(top - Fraction(1, 2))
    ratios = [ball(1), (half.lgamma() - ball(top).lgamma()).exp()]
    twice, by = 2 * top.numerator, top.denominator
    for m in range(2, steps + 1):
        ratios.append(ratios[m - 2] / Ball(fmpq(twice - m * by, 2 * by)))
    return ratios[: steps + 1]


def end_closure(near: Sequence[Ball], other: Sequence[Ball], n: int, gamma: Ball) -> list[Ball]:
    """Balls that contain v(c) = min over c'' = 0..n of s(c'') + gamma |c - c''| for c = 0..len(near)-1.

    ``near[c]`` contains s(c), ``other[t]`` contains s(n - t); s is quasi-concave, so what lies between the two lists
    is at least the smaller of their last entries, and at least the distance to the first list away.
    """
    reach = len(near) - 1
    beyond = balls.minimum([v - gamma * t for t, v in enumerate(other)]) + gamma * n
    values = list(near)
    for c in range(1, reach + 1):
        values[c] = balls.minimum([values[c], values[c - 1] + gamma])
    for c in range(reach - 1, -1, -1):
        values[c] = balls.minimum([values[c], values[c + 1] + gamma])
    values = [balls.minimum([v, beyond - gamma * c]) for c, v in enumerate(values)]
    if balls.certainly_at_most(near[-1], other[-1]) or other is near:
        return values
    between = balls.minimum([near[-1], other[-1]])
    return [v.union(balls.minimum([v, between + gamma * (reach - c)])) for c, v in enumerate(values)]


@dataclass(frozen=True)
class Fixed:
    """The same sensitivity for every data set."""

    value: Ball


@dataclass(frozen=True)
class Following:
    """A sensitivity Delta(x) >= LS(x) with f(Delta(x)) = min over x'' of f(LS(x'')) + gamma d(x, x'').

    f(v) = 1/v, or -ln v where ``logarithmic``; without a gamma Delta is LS.
    """

    gamma: Ball | None = None
    logarithmic: bool = False


def end_sensitivities(kind: Fixed | Following, near: EndHellinger, other: EndHellinger, least: int) -> list[Ball]:
    """Balls that contain Delta(c, n - c) for c = 0..least-1 and perhaps more, least <= reach.

    ``other`` is the other end. Where it is the same one, the LS at c < least suffice; else more of them keep the balls
    narrow (``end_closure``).
    """
    count = least if near is other else near.reach
    if isinstance(kind, Fixed):
        return [kind.value] * count
    if kind.gamma is None:
        return near.locals(count)
    start = [-v.log() if kind.logarithmic else 1 / v for v in near.locals(count)]
    beyond = start if near is other else [-v.log() if kind.logarithmic else 1 / v for v in other.locals()]
    values = end_closure(start, beyond, near.model.n, kind.gamma)
    return [(-v).exp() if kind.logarithmic else 1 / v for v in values]
