"""Numbers that depend on what a theorem ranges over: their values on a box of it, and their slopes.

When an operation here returns, the value contains the number at every point of the box, and each slope its derivative
along that axis wherever there is one: the numbers are Lipschitz. The mean value theorem then cuts the values to those
at the centre +- sum |slope_i| (half of side i). ``losses`` is what a box of priors and a block of n have in common.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import reduce
from operator import add

from ..arithmetic import Interval, common, enclose, hull, larger, rational, total

Halves = list[Fraction]
"""Half of each side of the box."""


class Spread:
    """An interval of the values of a number on the box, and of each of its slopes."""

    def __init__(self, value: Interval, slopes: list[Interval]) -> None:
        self.value, self.slopes = value, slopes

    def __add__(self, other: Spread) -> Spread:
        return Spread(self.value + other.value, list(map(add, self.slopes, other.slopes)))

    def __sub__(self, other: Spread) -> Spread:
        return self + other.through(-other.value, rational(-1, other.value.bits))

    def __mul__(self, other: Spread) -> Spread:
        pairs = zip(self.slopes, other.slopes, strict=True)
        return Spread(self.value * other.value, [a * other.value + b * self.value for a, b in pairs])

    def through(self, value: Interval, slope: Interval) -> Spread:
        """A function of the number, of this value and this derivative."""
        return Spread(value, [slope * a for a in self.slopes])

    def inverse(self) -> Spread:
        """1 over the number."""
        return self.through(1 / self.value, -1 / (self.value * self.value))

    def times(self, factor: Fraction) -> Spread:
        """The number times a constant."""
        return self.through(self.value * factor, rational(factor, self.value.bits))

    def plus(self, other: Interval | Fraction) -> Spread:
        """The number plus a constant."""
        return Spread(self.value + other, self.slopes)

    def cut(self, centre: Interval, halves: Halves) -> Spread:
        """The number with the values that the mean value theorem leaves: |f - centre| <= sum |slope| half."""
        reach = total((larger(a, -a) * half for a, half in zip(self.slopes, halves, strict=True)), centre.bits)
        near, old = hull(centre - reach, centre + reach), self.value
        e = common(near, old)
        (a, b), (c, d) = near.units(e), old.units(e)
        return Spread(enclose(max(a, c), min(b, d), e, centre.bits), self.slopes)


def least(spreads: Iterable[Spread]) -> Spread:
    """The minimum: its slope is, almost everywhere on a segment, that of a member which is not above it throughout."""
    spreads = list(spreads)
    e = common(*(s.value for s in spreads))
    ends = [s.value.units(e) for s in spreads]
    top = min(high for _, high in ends)
    active = [s for s, (low, _) in zip(spreads, ends, strict=True) if low <= top]
    value = enclose(min(low for low, _ in ends), top, e, active[0].value.bits)
    return Spread(value, [reduce(hull, parts) for parts in zip(*(s.slopes for s in active), strict=True)])


Centred = tuple[Interval, Spread]
"""A number at the centre, and over the box."""


class Row:
    """The exponents A(x, r) of one data set, and ln Z_x, Z_x the sum of e^-A; the last one may count ``many`` times."""

    def __init__(self, exponents: Iterable[Centred], halves: Halves, many: Centred | None = None) -> None:
        self.exponents = [(middle, over.cut(middle, halves)) for middle, over in exponents]
        middles = [(-a).exp() for a, _ in self.exponents]
        weights = [a.through(w := (-a.value).exp(), -w) for _, a in self.exponents]
        if many is not None:
            middles[-1], weights[-1] = middles[-1] * many[0], weights[-1] * many[1]
        middle, mass = total(middles, middles[0].bits).log(), reduce(add, weights)
        self.log = middle, mass.through(mass.value.log(), 1 / mass.value).cut(middle, halves)

    def losses(self, other: Row, halves: Halves) -> list[Interval]:
        """A(x', r) - A(x, r) + ln Z_x' - ln Z_x for every r."""
        (z, over_z), (y, over_y) = self.log, other.log
        return [
            (over_b - over_a + over_y - over_z).cut(b - a + y - z, halves).value
            for (a, over_a), (b, over_b) in zip(self.exponents, other.exponents, strict=True)
        ]
