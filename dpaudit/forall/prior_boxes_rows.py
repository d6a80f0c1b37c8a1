"""The rows of an exponential mechanism over a box of priors, as jets (PRIOR_BOXES.md, sections 1 and 3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import fmpq

from dpaudit.forall.prior_boxes_jets import Jet, constant, largest, smallest, total
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
        """Returns the cells whose side is not a point."""
        return tuple(i for i, (low, high) in enumerate(self.sides) if low < high)

    @property
    def area(self) -> Fraction:
        """Returns the product of the sides that are no points."""
        found = Fraction(1)
        for i in self.axes:
            found *= self.sides[i][1] - self.sides[i][0]
        return found

    def corner(self, which: int) -> tuple[Fraction, ...]:
        """Returns the lowest prior (0) or the highest (1)."""
        return tuple(side[which] for side in self.sides)

    @property
    def centre(self) -> tuple[Fraction, ...]:
        """Returns the prior in the middle."""
        return tuple((low + high) / 2 for low, high in self.sides)

    def split(self, axis: int) -> tuple[Box, Box]:
        """Returns both halves."""
        low, high = self.sides[axis]
        middle = (low + high) / 2
        cut = [(low, middle), (middle, high)]
        one, other = (Box((*self.sides[:axis], part, *self.sides[axis + 1 :])) for part in cut)
        return one, other

    def mirrored(self) -> Box:
        """Returns the box with the order of the cells reversed."""
        return Box(self.sides[::-1])


def digammas(alpha: Fraction, steps: int) -> list[Ball]:
    """Returns balls that contain psi(alpha + m/2) for m = 0..steps."""
    values = [ball(alpha).digamma(), ball(alpha + Fraction(1, 2)).digamma()]
    twice, by = 2 * alpha.numerator, alpha.denominator
    for m in range(2, steps + 1):
        values.append(values[m - 2] + Ball(fmpq(2 * by, twice + (m - 2) * by)))
    return values


class Distances:
    """Hellinger distances over a box as jets: H falls in every entry of the prior."""

    def __init__(self, n: int, box: Box) -> None:
        self.axes = box.axes
        self._laws = [Hellinger(Model(n, prior)) for prior in (box.corner(0), box.corner(1), box.centre)]
        self._psi = [[digammas(box.sides[i][end], 2 * n) for end in (0, 1)] for i in self.axes]
        self._zero = constant(balls.zero(), len(self.axes))

    def between(self, c: Histogram, d: Histogram) -> Jet:
        """Returns H(c, d) over the box."""
        return self._jet(c, d, *(law.between(c, d) for law in self._laws))

    def row(self, c: Histogram) -> list[Jet]:
        """Returns H(c, r) for every histogram r, in the model's order."""
        places = self._laws[0].model.histograms
        return [self._jet(c, *known) for known in zip(places, *(law.row(c) for law in self._laws), strict=True)]

    def _jet(self, c: Histogram, d: Histogram, low: Ball, high: Ball, middle: Ball) -> Jet:
        """dH/d alpha_i = -q_i BC / (2 H), BC = 1 - H^2; q_i >= 0 falls in alpha_i, H falls in every alpha."""
        if c == d:
            return self._zero
        factors = [(1 - end * end) / (2 * end) for end in (low, high)]
        slopes = []
        for i, (below, above) in zip(self.axes, self._psi, strict=True):
            m, one, other = c[i] + d[i], 2 * c[i], 2 * d[i]
            most, least = (psi[m] - (psi[one] + psi[other]) / 2 for psi in (below, above))
            slopes.append(-balls.from_ends(factors[0] * least, factors[1] * most))
        return Jet(middle, balls.from_ends(low, high), tuple(slopes))


@dataclass(frozen=True)
class Row:
    """The exponents A(x, r) = rate(x) H(x, r), output by output, and ln Z_x."""

    exponents: list[Jet]
    log: Jet


class BoxRows:
    """The rows of one mechanism over one box, made when asked for."""

    def __init__(self, form: Exponent, model: Model, box: Box) -> None:
        self.box = box
        self.h = Distances(model.n, box)
        self.histograms = model.histograms
        self.halves = [ball((high - low) / 2) for low, high in (box.sides[i] for i in box.axes)]
        self._half_numerator = ball(form.e / 2)
        self._inverse = inverse_sensitivity(form, self)
        self._local: dict[Histogram, Jet] = {}
        self._rows: dict[Histogram, Row] = {}

    def local(self, x: Histogram) -> Jet:
        """Returns LS(x), the largest distance to a neighbor."""
        if x not in self._local:
            self._local[x] = largest([self.h.between(x, y) for y in neighbors(x)])
        return self._local[x]

    @cached_property
    def everywhere(self) -> Jet:
        """Returns GS(n, prior)."""
        return largest([self.local(x) for x in self.histograms])

    def __getitem__(self, x: Histogram) -> Row:
        """Returns the row of x."""
        if x not in self._rows:
            rate = self._inverse(x).scaled(self._half_numerator)
            logs = [rate.times(h).tight(self.halves) for h in self.h.row(x)]
            self._rows[x] = Row(logs, total([a.decay() for a in logs]).log().tight(self.halves))
        return self._rows[x]


def inverse_sensitivity(form: Exponent, rows: BoxRows) -> Callable[[Histogram], Jet]:
    """Returns x -> 1 / Delta(x), where the rate of x is e / (2 Delta(x))."""
    gamma = form.gamma or Fraction(0)
    fixed = constant(1 / gs_constant(), len(rows.h.axes))
    known: dict[str, Callable[[Histogram], Jet]] = {
        "constant": lambda _: fixed,
        "exact": lambda _: rows.everywhere.inverse(),
        "local": lambda x: rows.local(x).inverse(),
        "smooth": lambda x: _smooth(rows, x, gamma),
    }
    return known[form.kind]


def _smooth(rows: BoxRows, x: Histogram, gamma: Fraction) -> Jet:
    """Returns 1 / S(x) = min over x'' of 1/LS(x'') + gamma d(x, x''); LS <= 1, so far ones are certainly larger."""
    own = rows.local(x).inverse()
    limit = balls.upper(own.span)
    near = [own]
    for other in rows.histograms:
        apart = ball(gamma * hamming(x, other))
        if other != x and not balls.certainly_less(limit, 1 + apart):
            near.append(rows.local(other).inverse().shifted(apart))
    return smallest(near)
