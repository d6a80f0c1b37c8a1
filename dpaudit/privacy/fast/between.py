"""One upper bound for every pair far from both ends, k = 2: adjacent rows there are nearly shifts of each other.

The inequalities are derived in LARGE_N.md; the names are those of that page.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.ends import Fixed, Following
from dpaudit.posterior.model import Model

GROWTH = Fraction(5, 4)
"""The last data set of a block over its first."""
CUTS = (Fraction(1, 2), Fraction(3, 4), Fraction(7, 8))
"""Where "near" may begin, as a share of the distance from the end; the best of them is taken."""


@dataclass(frozen=True)
class Middle:
    """The pairs of a model with two cells, seen from its first end: rate(x) = numerator / (2 Delta(x))."""

    model: Model
    kind: Fixed | Following
    numerator: Fraction

    def bound(self, first: int, last: int) -> Ball:
        """A ball whose upper end bounds the losses of all pairs (x, x+1), first <= x < last, both ways."""
        worst = balls.zero()
        while first < last:
            end = min(last, max(first + 1, int(first * GROWTH)))
            worst = balls.maximum([worst, balls.upper(self.block(first, end))])
            first = end
        return worst

    def block(self, x1: int, x2: int) -> Ball:
        """Returns U(x1, x2) of section 4: at least every loss of the pairs (x, x+1), x1 <= x < x2."""
        rate, change = self._rate(x1, x2), self._change(x1, x2)
        return self._distance(x1, x2) + 2 * change + rate * balls.minimum([self._shift(x1, x2, cut) for cut in CUTS])

    def _ell(self, cell: int, s: int, j: int) -> Ball:
        """A ball that contains ell_c(s, j) = (ln G(c+s) + ln G(c+s+j))/2 - ln G(c+s+j/2)."""
        low = self.model.prior[cell] + s
        ends = ball(low).lgamma() + ball(low + j).lgamma()
        return ends / 2 - ball(low + Fraction(j, 2)).lgamma()

    def _step(self, x1: int, x2: int, *, least: bool) -> Ball:
        """A bound of H(x, x+1) over x1 <= x <= x2: from below (least), or from above for x < x2."""
        n = self.model.n
        a, b = (x2, n - x1) if least else (x1, n - x2)
        return (-(-self._ell(0, a, 1) - self._ell(1, b, 1)).expm1()).sqrt()

    def _kappa(self, a: int, b: int) -> Ball:
        """Returns max of kappa(alpha_1 + a), kappa(alpha_2 + b), kappa(z) = (1 + 1/z)/z (section 2)."""
        found = []
        for alpha, s in zip(self.model.prior, (a, b), strict=True):
            inverse = 1 / ball(alpha + s)
            found.append(inverse * (1 + inverse))
        return balls.maximum(found)

    def _distance(self, x1: int, x2: int) -> Ball:
        """A bound of rate(y) H(x, y): half the numerator where Delta(y) >= LS(y) >= H(x, y)."""
        half = ball(self.numerator / 2)
        return half * self._step(x1, x2, least=False) / self.kind.value if isinstance(self.kind, Fixed) else half

    def _rate(self, x1: int, x2: int) -> Ball:
        """A bound of rate(x) over the block, from above."""
        delta = self.kind.value if isinstance(self.kind, Fixed) else self._step(x1, x2, least=True)
        return ball(self.numerator / 2) / delta

    def _change(self, x1: int, x2: int) -> Ball:
        """A bound of |rate(x+1) - rate(x)| (section 3)."""
        if isinstance(self.kind, Fixed):
            return balls.zero()
        half, gamma = ball(self.numerator / 2), self.kind.gamma
        inverse = 1 / self._step(x1, x2, least=True)
        reach = 0
        if gamma is not None:
            start = inverse.log() if self.kind.logarithmic else inverse
            reach = ceil(balls.float_above(start / gamma)) + 1
        lo, hi = x1 - reach - 1, x2 + reach + 1
        inside = lo >= 1 and hi + 1 <= self.model.n
        steps = self._kappa(lo - 1, self.model.n - hi - 1) / 2 if inside else None
        if self.kind.logarithmic:
            assert gamma is not None
            rise = gamma if steps is None else balls.minimum([gamma, steps])
            return half * inverse * rise.expm1()
        if steps is None:
            return half * (gamma if gamma is not None else inverse)
        by_steps = steps.expm1() / self._step(lo, hi, least=True)
        return half * (by_steps if gamma is None else balls.minimum([gamma, by_steps]))

    def _shift(self, x1: int, x2: int, cut: Fraction) -> Ball:
        """A bound of |H(x+1, r+1) - H(x, r)| over the block and all r, cyclically (section 2)."""
        n = self.model.n
        a, b = ceil(cut * x1), ceil(cut * (n - x2))
        near = self._kappa(a, b) / 4
        far = balls.minimum([self._ell(0, a, x1 - a), self._ell(1, b, n - x2 - b)])
        return balls.maximum([near, (-far).exp()])
