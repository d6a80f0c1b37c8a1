"""One upper bound for every pair far from both ends, k = 2: adjacent rows there are nearly shifts of each other.

The inequalities are derived in LARGE_N.md; the names are those of that page.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.ends import Fixed, Following
from dpaudit.posterior.model import Model

GROWTHS = (Fraction(9, 8), Fraction(5, 4), Fraction(2), Fraction(8))
"""The last data set of a block over its first: a longer block is tried after one that was settled."""
CUTS = (Fraction(1, 2), Fraction(3, 4), Fraction(7, 8))
"""Where "near" may begin, as a share of the distance from the end; the best of them is taken."""
SHARES = (Fraction(3, 8), Fraction(1, 4), Fraction(1, 2), Fraction(1, 8))
"""How far from the data set "near" may reach (section 5), as a share of its distance from the end."""


def ell(low: Ball, j: int) -> Ball:
    """A ball that contains ell_c(s, j) = (ln G(c+s) + ln G(c+s+j))/2 - ln G(c+s+j/2), for low = c + s."""
    return (low.lgamma() + (low + j).lgamma()) / 2 - (low + ball(j) / 2).lgamma()


@dataclass(frozen=True)
class Middle:
    """The pairs of a model with two cells, seen from its first end: rate(x) = numerator / (2 Delta(x))."""

    model: Model
    kind: Fixed | Following
    numerator: Fraction

    def is_below(self, first: int, last: int, bar: Ball) -> bool:
        """Whether no loss of the pairs (x, x+1), first <= x < last, either way, exceeds the bar for certain."""
        length = 0
        while first < last:
            end = min(last, max(first + 1, int(first * GROWTHS[length])))
            if balls.certainly_at_most(self.block(first, end, bar), bar):
                first, length = end, min(length + 1, len(GROWTHS) - 1)
            elif length == 0:
                return False
            else:
                length -= 1
        return True

    def block(self, x1: int, x2: int, enough: Ball | None = None) -> Ball:
        """U(x1, x2): at least every loss of the pairs (x, x+1), x1 <= x < x2, both ways.

        The inequality of section 4 comes first, those of section 5 where it is not ``enough``.
        """
        block = Block(self, x1, x2)
        exponents, normalizers = block.exponents(), block.normalizers()
        for share in SHARES:
            found = exponents + normalizers
            reach = int(share * min(x1, self.model.n - x2))
            if reach and not (enough is not None and balls.certainly_at_most(found, enough)):
                exponents = balls.minimum([exponents, block.near_exponents(reach)])
                normalizers = balls.minimum([normalizers, *block.near_normalizers(reach)])
        return balls.upper(exponents + normalizers)

    @cached_property
    def priors(self) -> list[Ball]:
        """Both as balls."""
        return [ball(alpha) for alpha in self.model.prior]

    @cached_property
    def half(self) -> Ball:
        """Half the numerator."""
        return ball(self.numerator / 2)

    def ell(self, cell: int, s: int, j: int) -> Ball:
        """A ball that contains ell_c(s, j) of one of the cells."""
        return ell(self.priors[cell] + s, j)

    def step(self, x1: int, x2: int, *, least: bool) -> Ball:
        """A bound of H(x, x+1) over x1 <= x <= x2: from below (least), or from above for x < x2."""
        n = self.model.n
        a, b = (x2, n - x1) if least else (x1, n - x2)
        return (-(-self.ell(0, a, 1) - self.ell(1, b, 1)).expm1()).sqrt()

    def kappa(self, a: int, b: int) -> Ball:
        """max of kappa(alpha_1 + a), kappa(alpha_2 + b), kappa(z) = (1 + 1/z)/z (section 2)."""
        inverse = [1 / (alpha + s) for alpha, s in zip(self.priors, (a, b), strict=True)]
        return balls.maximum([z * (1 + z) for z in inverse])


@dataclass(frozen=True)
class Block:
    """The pairs (x, x+1) for x1 <= x < x2, and what bounds them."""

    middle: Middle
    x1: int
    x2: int

    def exponents(self) -> Ball:
        """A bound of |A(y, r) - A(x, r)| (section 4)."""
        return self._distance + self._changes[0]

    def normalizers(self) -> Ball:
        """A bound of |ln Z(y) - ln Z(x)| (section 4)."""
        return self._changes[0] + self._rate * balls.minimum([self._shift(cut) for cut in CUTS])

    def near_exponents(self, reach: int) -> Ball:
        """A bound of |A(y, r) - A(x, r)|, sharper for r up to ``reach`` from x (section 5)."""
        (first, second), change = self.middle.priors, self._changes[0]
        kappa = self._kappa(reach)
        widest = kappa * (reach + 1)
        slope = (widest / 2).expm1() / widest
        step = self.middle.ell(0, self.x1, 1) + self.middle.ell(1, self._n - self.x2, 1)
        half = self._distance * (step / 4).exp()
        curvature = 1 / (first + self.x2) + 1 / (second + self._n - self.x1)
        top = half * (1 + slope * kappa)
        rise = change + slope * half * kappa * (8 * widest.exp() / curvature).sqrt()
        return balls.maximum([top + rise * rise / (3 * top), self._beyond(reach) + change])

    def near_normalizers(self, reach: int) -> list[Ball]:
        """A bound of |ln Z(y) - ln Z(x)| by the mean of A, none where rates have no relative bound (section 5)."""
        relative = self._changes[1]
        if relative is None:
            return []
        return [(self._kappa(reach) / 2 + relative).expm1() * ball(self._n + 1).log() + self._beyond(reach)]

    def _kappa(self, reach: int) -> Ball:
        """K for everything up to ``reach`` away from the block."""
        return self.middle.kappa(self.x1 - reach, self._n - self.x2 - reach)

    def _beyond(self, reach: int) -> Ball:
        """A bound of rate e^-L where the output is at least ``reach`` away."""
        far = self.middle.ell(0, self.x2, reach) + self.middle.ell(1, self._n - self.x1, reach)
        return self._rate * (-far).exp()

    @property
    def _n(self) -> int:
        return self.middle.model.n

    @cached_property
    def _distance(self) -> Ball:
        """A bound of rate(x) H(x, y) and rate(y) H(x, y): half the numerator where Delta >= LS >= H(x, y)."""
        middle = self.middle
        if isinstance(middle.kind, Fixed):
            return middle.half * middle.step(self.x1, self.x2, least=False) / middle.kind.value
        return middle.half

    @cached_property
    def _rate(self) -> Ball:
        """A bound of rate(x) over the block, from above."""
        kind = self.middle.kind
        delta = kind.value if isinstance(kind, Fixed) else self.middle.step(self.x1, self.x2, least=True)
        return self.middle.half / delta

    @cached_property
    def _changes(self) -> tuple[Ball, Ball | None]:
        """Bounds of |rate(x+1) - rate(x)| and, where there is one, of |ln rate(x+1) - ln rate(x)| (section 3)."""
        middle, kind = self.middle, self.middle.kind
        if isinstance(kind, Fixed):
            return balls.zero(), balls.zero()
        gamma, inverse = kind.gamma, 1 / middle.step(self.x1, self.x2, least=True)
        reach = 0
        if gamma is not None:
            start = inverse.log() if kind.logarithmic else inverse
            reach = ceil(balls.ends(start / gamma)[1]) + 1
        lo, hi = self.x1 - reach - 1, self.x2 + reach + 1
        inside = lo >= 1 and hi + 1 <= self._n
        steps = middle.kappa(lo - 1, self._n - hi - 1) / 2 if inside else None
        if kind.logarithmic:
            assert gamma is not None
            rise = gamma if steps is None else balls.minimum([gamma, steps])
            return middle.half * inverse * rise.expm1(), rise
        if steps is None:
            return middle.half * (gamma if gamma is not None else inverse), None
        by_steps = steps.expm1() / middle.step(lo, hi, least=True)
        if gamma is None:
            return middle.half * by_steps, steps
        change = middle.half * balls.minimum([gamma, by_steps])
        return change, (change * middle.step(lo - 1, hi + 1, least=False) / middle.half).log1p()

    def _shift(self, cut: Fraction) -> Ball:
        """A bound of |H(x+1, r+1) - H(x, r)| over the block and all r, cyclically (section 2)."""
        a, b = ceil(cut * self.x1), ceil(cut * (self._n - self.x2))
        near = self.middle.kappa(a, b) / 4
        far = balls.minimum([self.middle.ell(0, a, self.x1 - a), self.middle.ell(1, b, self._n - self.x2 - b)])
        return balls.maximum([near, (-far).exp()])
