"""The rows of an exponential mechanism over a box of priors (PRIOR_BOXES.md, sections 1 and 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpaudit.mechanisms.base import Exponent
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model, hamming, neighbors
from dpaudit.posterior.sensitivity import gs_constant

Sides = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class Box:
    """Priors whose entries lie between the ends of the sides; a side may be a point."""

    sides: Sides

    @property
    def axes(self) -> tuple[int, ...]:
        """The cells whose side is not a point."""
        return tuple(i for i, (low, high) in enumerate(self.sides) if low < high)

    @property
    def area(self) -> Fraction:
        """The product of the sides that are not points."""
        product = Fraction(1)
        for i in self.axes:
            product *= self.sides[i][1] - self.sides[i][0]
        return product

    def corner(self, which: int) -> tuple[Fraction, ...]:
        """The lowest prior (0) or the highest (1)."""
        return tuple(side[which] for side in self.sides)

    @property
    def centre(self) -> tuple[Fraction, ...]:
        """The prior in the middle."""
        return tuple((low + high) / 2 for low, high in self.sides)

    def split(self, axis: int) -> tuple[Box, Box]:
        """Both halves."""
        low, high = self.sides[axis]
        middle = (low + high) / 2
        cut = [(low, middle), (middle, high)]
        one, other = (Box((*self.sides[:axis], part, *self.sides[axis + 1 :])) for part in cut)
        return one, other

    def mirrored(self) -> Box:
        """The box with the order of the cells reversed."""
        return Box(self.sides[::-1])


class Distances:
    """Hellinger distances over a box: H falls in every entry of the prior."""

    def __init__(self, n: int, box: Box) -> None:
        self._laws = [Hellinger(Model(n, box.corner(which))) for which in (0, 1)]

    def between(self, c: Histogram, d: Histogram) -> Ball:
        """H(c, d) over the box."""
        low, high = (law.between(c, d) for law in self._laws)
        return balls.from_ends(low, high)

    def row(self, c: Histogram) -> list[Ball]:
        """H(c, r) for every histogram r, in the model's order."""
        low, high = (law.row(c) for law in self._laws)
        return [balls.from_ends(a, b) for a, b in zip(low, high, strict=True)]


@dataclass(frozen=True)
class Row:
    """The exponents A(x, r) = rate(x) H(x, r), output by output, and Z_x."""

    exponents: list[Ball]
    mass: Ball


class BoxRows:
    """The rows of one mechanism over one box, computed on demand."""

    def __init__(self, form: Exponent, model: Model, box: Box) -> None:
        self.box = box
        self.h = Distances(model.n, box)
        self.histograms = model.histograms
        self._half_numerator = ball(form.e / 2)
        self._inverse = inverse_sensitivity(form, self)
        self._local: dict[Histogram, Ball] = {}
        self._rows: dict[Histogram, Row] = {}

    def local(self, x: Histogram) -> Ball:
        """LS(x), the largest distance to a neighbor."""
        if x not in self._local:
            self._local[x] = balls.maximum([self.h.between(x, y) for y in neighbors(x)])
        return self._local[x]

    @cached_property
    def everywhere(self) -> Ball:
        """GS(n, prior)."""
        return balls.maximum([self.local(x) for x in self.histograms])

    def __getitem__(self, x: Histogram) -> Row:
        """The row of x."""
        if x not in self._rows:
            rate = self._inverse(x) * self._half_numerator
            exponents = [rate * h for h in self.h.row(x)]
            self._rows[x] = Row(exponents, balls.total([(-a).exp() for a in exponents]))
        return self._rows[x]

    def losses(self, x: Histogram, y: Histogram) -> list[Ball]:
        """ln P_x(r) - ln P_y(r) over the box, output by output."""
        one, other = self[x], self[y]
        gap = (other.mass / one.mass).log()
        return [b - a + gap for a, b in zip(one.exponents, other.exponents, strict=True)]


def inverse_sensitivity(form: Exponent, rows: BoxRows) -> Callable[[Histogram], Ball]:
    """x -> 1 / Delta(x), where the rate of x is e / (2 Delta(x))."""
    gamma = form.gamma or Fraction(0)
    fixed = 1 / gs_constant()
    known: dict[str, Callable[[Histogram], Ball]] = {
        "constant": lambda _: fixed,
        "exact": lambda _: 1 / rows.everywhere,
        "local": lambda x: 1 / rows.local(x),
        "smooth": lambda x: _smooth(rows, x, gamma),
    }
    return known[form.kind]


def _smooth(rows: BoxRows, x: Histogram, gamma: Fraction) -> Ball:
    """1 / S(x) = min over x'' of 1/LS(x'') + gamma d(x, x''); LS <= 1, so far ones are certainly larger."""
    own = 1 / rows.local(x)
    limit = balls.upper(own)
    near = [own]
    for other in rows.histograms:
        apart = ball(gamma * hamming(x, other))
        if other != x and not balls.certainly_less(limit, 1 + apart):
            near.append(1 / rows.local(other) + apart)
    return balls.minimum(near)
