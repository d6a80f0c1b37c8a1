"""Sharper bounds of the losses on a short block of n: the value at its center and a slope (EVERY_N.md, section 5).

Everything is a smooth function of real n as long as the far outputs keep their place h; so a loss on the block differs
from the one at the center by at most the largest slope times half the length. This is second order in the length.
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit.forall.every_n_distances import Block, Distances
from dpaudit.forall.every_n_rates import Family, Prior
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball


class Slopes:
    """d/dn of distances and rates near one end, as balls that hold for every real n of a block with an end."""

    def __init__(self, family: Family, side: Prior, block: Block, reach: int, count: int) -> None:
        assert block.first is not None
        assert block.last is not None
        self.family, self.side, self.block, self.reach = family, side, block, reach
        self.distances = Distances(*side, block, reach)
        self._digammas: dict[Fraction, list[list[Ball]]] = {}
        self.rates = self._rates(count)

    def _growth(self, side: Prior, x: int, r: int) -> Ball:
        """d ln BC_n(x, r) / dn >= 0: it falls with n, as psi' is convex, so the ends bound it."""
        if side[1] not in self._digammas:
            tops = [ball(side[1] + n) for n in self.block.ends if n is not None]
            self._digammas[side[1]] = [
                [(t - ball(Fraction(m, 2))).digamma() for m in range(2 * self.reach + 1)] for t in tops
            ]
        ends = [psi[x + r] - (psi[2 * x] + psi[2 * r]) / 2 for psi in self._digammas[side[1]]]
        return balls.from_ends(ends[0], ends[-1])

    def distance(self, x: int, r: int, side: Prior | None = None, table: Distances | None = None) -> Ball:
        """dH/dn = -BC growth / (2 H)."""
        if x == r:
            return balls.zero()
        h = (table or self.distances).between(x, r)
        return -(1 - h * h) * self._growth(side or self.side, x, r) / (2 * h)

    def _inverse(self, i: int, side: Prior, table: Distances) -> Ball:
        """d(1/c_i)/dn."""
        c = table.between(i, i + 1)
        return -self.distance(i, i + 1, side, table) / (c * c)

    def _rates(self, count: int) -> list[tuple[Ball, Ball]]:
        """rate(x) and its slope for x < count."""
        half, family = ball(self.family.numerator / 2), self.family
        values = family.rates(self.distances, count)
        if family.kind == "constant":
            return [(v, balls.zero()) for v in values]
        if family.kind == "exact":
            sides = {side: Distances(*side, self.block, 1) for side in family.sides()}
            slopes = [self._inverse(0, side, table) for side, table in sides.items()]
            return [(v, half * balls.from_ends(slopes[0], slopes[-1])) for v in values]
        own = [self._inverse(max(0, x - 1), self.side, self.distances) for x in range(count)]
        rates = [own[0]]
        for x in range(1, count):
            rates.append(own[x] if family.gamma is None else balls.from_ends(own[x], rates[-1]))
        return [(v, half * slope) for v, slope in zip(values, rates, strict=True)]


class SlopedPairs:
    """Upper bounds of the losses of pairs over a block, by the center and the slope."""

    def __init__(self, family: Family, side: Prior, block: Block, reach: int, count: int) -> None:
        assert block.first is not None
        assert block.last is not None
        self.slopes = Slopes(family, side, block, reach + 1, count)
        self.reach, self.centre = reach, (block.first + block.last) // 2
        self.half = max(block.last - self.centre, self.centre - block.first)
        one = Distances(*side, Block(self.centre, self.centre), reach + 1)
        self._one, self._rates = one, family.rates(one, count)
        self._outputs = [ball(n - reach) for n in block.ends if n is not None]

    def _row(self, x: int) -> tuple[list[Ball], Ball, list[Ball], Ball]:
        """At the centre the exponents and ln Z, and over the block the slopes of both."""
        rate, slope = self.slopes.rates[x]
        wide = [self.slopes.distances.between(x, r) for r in range(self.reach + 2)]
        h = balls.from_ends(wide.pop(), ball(1))
        turns = [slope * v + rate * self.slopes.distance(x, r) for r, v in enumerate(wide)]
        many = balls.from_ends(self._outputs[0], self._outputs[-1])
        weights, far = [(-rate * v).exp() for v in wide], (-rate * h).exp()
        down = balls.total([t * w for t, w in zip(turns, weights, strict=True)]) + many * slope * h * far - far
        total = balls.total(weights) + many * far
        exact = self._rates[x]
        exponents = [exact * self._one.between(x, r) for r in range(self.reach + 1)]
        log = (balls.total([(-v).exp() for v in exponents]) + (self.centre - self.reach) * (-exact * h).exp()).log()
        return [*exponents, exact * h], log, [*turns, slope * h], -down / total

    def upper(self, x: int) -> Fraction:
        """A bound of both losses of x and x+1 at every output, for every n of the block."""
        (p, z, dp, dz), (q, y, dq, dy) = self._row(x), self._row(x + 1)
        bounds = []
        for i in range(len(p)):
            loss, slope = q[i] - p[i] + y - z, (dq[i] - dp[i] + dy - dz).abs_upper()
            bounds += [loss + self.half * slope, self.half * slope - loss]
        return balls.ends(balls.maximum(bounds))[1]
