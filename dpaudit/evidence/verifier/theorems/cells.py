"""A cell of a cover: the losses of all mechanisms between two, for a box of priors or a block of n.

All distances H and all divisors (LS, S, GS are maxima that grow with H) fall from one to the other, so those of every
mechanism in between lie between theirs. When a method here returns, its intervals contain the value for every
mechanism of the cell. A(x,r) = epsilon H(x,r) / divisor(x), P_x(r) = e^-A(x,r) / Z_x; the loss of x against y at r is
A(y,r) - A(x,r) + ln Z_y - ln Z_x.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

from ..arithmetic import Interval, Undecided, hull, rational, total
from ..special import largest, smallest


class Row:
    """The exponents of one data set: ``near`` for the listed outputs, including x; and those of all others."""

    def __init__(self, near: list[Interval], far: list[Interval], bits: int) -> None:
        self.near, self.far, self.all, self.bits = near, far, near + far, bits
        self._sums: dict[Fraction, tuple[list[Interval], Interval]] = {}

    @cached_property
    def others(self) -> list[Interval]:
        """Those of the listed outputs except x itself, which alone has 0."""
        found = [a.positive() for a in self.near if a.sign() != 0]
        if len(found) != len(self.near) - 1:
            raise Undecided
        return found

    @cached_property
    def most(self) -> Interval:
        """The largest exponent."""
        return largest(self.others)

    @cached_property
    def least(self) -> Interval:
        """The smallest exponent but 0."""
        return smallest(self.others)

    @cached_property
    def mean(self) -> Interval:
        """The unweighted mean."""
        return total(self.others, self.bits) / len(self.near)

    @cached_property
    def variance(self) -> Interval:
        """The unweighted variance."""
        return total(((a - self.mean) * (a - self.mean) for a in self.near), self.bits) / len(self.near)

    def weights(self, epsilon: Fraction) -> tuple[list[Interval], Interval]:
        """e^(-epsilon A) for the listed outputs except x itself, which has 1; and their sum."""
        if epsilon not in self._sums:
            found = [(a * -epsilon).exp() for a in self.others]
            self._sums[epsilon] = found, total(found, self.bits)
        return self._sums[epsilon]

    def rest(self, epsilon: Fraction) -> Interval:
        """The sum of e^(-epsilon A) over the listed outputs except x itself."""
        return self.weights(epsilon)[1]

    def log(self, epsilon: Fraction) -> Interval:
        """ln of the sum over the listed outputs."""
        return (self.rest(epsilon) + 1).log()

    def slope(self, epsilon: Fraction) -> Interval:
        """Its derivative."""
        weights, rest = self.weights(epsilon)
        return -(total((w * a for w, a in zip(weights, self.others, strict=True)), self.bits) / (rest + 1))


class Cell:
    """The mechanisms between ``laws``: one, or the two at the ends.

    Outputs from ``beyond`` on are not listed: their H is at least that of the first of them and at most 1. ``counts``:
    their number in the mechanism at either end; None is infinitely many.
    """

    def __init__(
        self, laws: Sequence[Any], outputs: Sequence[Any], beyond: Any = None, counts: Sequence[int | None] = (0,)
    ) -> None:
        self.laws, self.outputs, self.beyond, self.counts = laws, outputs, beyond, counts
        self.bits, self._rows = laws[0].bits, dict[Any, Row]()

    def distance(self, x: Any, r: Any) -> Interval:
        """H(x, r)."""
        found: Interval = reduce(hull, (law.hellinger(x, r) for law in self.laws))
        return found

    def row(self, x: Any) -> Row:
        """The exponents of x."""
        if x not in self._rows:
            rate = self.laws[0].epsilon / reduce(hull, (law.divisor(x) for law in self.laws))
            near = [rate * self.distance(x, r) for r in self.outputs]
            far = [] if self.beyond is None else [rate * hull(self.distance(x, self.beyond), rational(1, self.bits))]
            self._rows[x] = Row(near, far, self.bits)
        return self._rows[x]

    def differences(self, x: Any, y: Any) -> list[Interval]:
        """A(y, r) - A(x, r) for the listed outputs, and for the others."""
        return [b - a for a, b in zip(self.row(x).all, self.row(y).all, strict=True)]

    def gap(self, x: Any, y: Any) -> Interval:
        """ln Z_y - ln Z_x.

        Z_y / Z_x is a Moebius function of the number of the outputs that are not listed: both ends bound it.
        """
        p, q = self.row(x), self.row(y)
        one, other = (row.rest(Fraction(1)) + 1 for row in (p, q))
        found = []
        for n in self.counts:
            if n is None:
                found.append(p.far[0] - q.far[0])
            elif n:
                found.append(((other + (-q.far[0]).exp() * n) / (one + (-p.far[0]).exp() * n)).log())
            else:
                found.append((other / one).log())
        return reduce(hull, found)

    def loss(self, x: Any, y: Any, output: int) -> Interval:
        """The loss of x against y at the output of this place."""
        return self.row(y).all[output] - self.row(x).all[output] + self.gap(x, y)

    def largest_loss(self, x: Any, y: Any) -> Interval:
        """The largest loss of x against y."""
        return largest(self.differences(x, y)) + self.gap(x, y)
