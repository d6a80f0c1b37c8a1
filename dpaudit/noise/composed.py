"""The loss of several independent real parts at once, in closed form: entrywise noise and its linear images.

Where f/g is a constant e^a the loss of one part has an atom. Where it is e^(st + r) and f and g grow at opposite rates
(Laplace noise of one scale) the measure M with dP = e^(l/2) dM and dQ = e^(-l/2) dM has a constant density in the loss
l. Losses add, so M of all parts is a convolution of atoms and boxes: atoms, and a piecewise polynomial.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from flint import arb, fmpq

from dpaudit.noise.pieces import Grid, Piecewise, Terms, constant
from dpaudit.noise.signs import Smooth
from dpaudit.noise.supremum import Region, aligned, number_ball, pieces
from dpaudit.noise.trees import TooComplex
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.exponentials import ONE, Exponentials, log_of_quotient, product

BITS = 256
"""The least precision, in bits, for polynomials whose terms cancel."""
MOST_PARTS = 64
"""The largest number of parts that are composed."""


@dataclass(frozen=True)
class Box:
    """The constant ``height`` of M between two losses."""

    low: Fraction
    high: Fraction
    height: Exponentials


@dataclass(frozen=True)
class PartLoss:
    """The loss of one part: atoms and boxes of M, and the P-mass where the loss is infinite."""

    atoms: dict[Fraction, Exponentials]
    boxes: tuple[Box, ...]
    infinite: Exponentials


def part_loss(f: Piecewise, g: Piecewise) -> PartLoss:
    """The law of ln f/g; TooComplex where it does not have this shape."""
    f, g = aligned(f, g)
    atoms: dict[Fraction, Exponentials] = {}
    boxes, infinite = list[Box](), Exponentials()
    for low, high, over, under in pieces(f, g):
        if not over:
            continue
        inside = f.within(*(None if end is None else f.grid.point(end) for end in (low, high)))
        mass = f.grid.number(inside.integral())
        level = _level(f.grid, over, under) if under else None
        if not under:
            infinite = _plus(infinite, mass)
        elif level is not None:
            atoms[level] = _plus(atoms.get(level, {}), product(mass, {-level / 2: Fraction(1)}))
        else:
            boxes.append(_box(f.grid, over, under, low, high))
    return PartLoss(atoms, tuple(boxes), infinite)


def _plus(a: Exponentials, b: Exponentials) -> Exponentials:
    found = {e: a.get(e, Fraction(0)) + b.get(e, Fraction(0)) for e in {*a, *b}}
    return {e: c for e, c in found.items() if c}


def _level(grid: Grid, over: Terms, under: Terms) -> Fraction | None:
    """The r with over = e^r under, if there is one."""
    shift = max(over)[2] - max(under)[2]
    same = len(over) == len(under) and all(over.get((m, i, j + shift)) == c for (m, i, j), c in under.items())
    return Fraction(shift, grid.a * grid.b) if same else None


def _box(grid: Grid, over: Terms, under: Terms, low: Fraction | None, high: Fraction | None) -> Box:
    (((m, i, j), c), *more), (((n, k, r), d), *others) = over.items(), under.items()
    if more or others or m or n or c != d or i != -k or not i or low is None or high is None:
        raise TooComplex("several real parts differ, not all by a shift of Laplace noise: delta is not computed here")
    slope, start = Fraction(2 * i, grid.a), Fraction(j - r, grid.a * grid.b)
    ends = sorted((slope * low + start, slope * high + start))
    height = {Fraction(j + r, 2 * grid.a * grid.b): Fraction(int(c.p), int(c.q)) / abs(slope)}
    return Box(ends[0], ends[1], height)


class Losses:
    """The sum of the losses of independent parts."""

    def __init__(self, pairs: Sequence[tuple[Piecewise, Piecewise]]) -> None:
        if len(pairs) > MOST_PARTS:
            raise TooComplex(f"more than {MOST_PARTS} real parts differ: delta is not computed here")
        parts = [part_loss(f, g) for f, g in pairs]
        self.finite, everything = arb(1), arb(1)
        with balls.precision(max(BITS, balls.working_bits())):
            for part, (f, _) in zip(parts, pairs, strict=True):
                whole = number_ball(f.grid.number(f.integral()))
                self.finite, everything = self.finite * (whole - number_ball(part.infinite)), everything * whole
            self.infinite = everything - self.finite
        self.grid = _grid(parts)
        atoms: dict[Fraction, Exponentials] = {Fraction(0): ONE}
        density = constant(self.grid, {})
        for part in parts:
            density = self._convolved(atoms, density, part)
            atoms = _added(atoms, part.atoms)
        self.atoms = atoms
        half = self.grid.rate(Fraction(1, 2))
        self._sides = [(sign, density.growing(sign * half).cumulative()) for sign in (1, -1)]

    def _convolved(self, atoms: dict[Fraction, Exponentials], density: Piecewise, part: PartLoss) -> Piecewise:
        below, total = density.cumulative(), constant(self.grid, {})
        for level, mass in part.atoms.items():
            total = total.plus(density.shifted(-self.grid.point(level)).times(constant(self.grid, self._terms(mass))))
        for box in part.boxes:
            height = constant(self.grid, self._terms(box.height))
            low, high = self.grid.point(box.low), self.grid.point(box.high)
            total = total.plus(below.shifted(-low).plus(below.shifted(-high), -1).times(height))
            for level, mass in atoms.items():
                at = self.grid.point(level)
                flat = constant(self.grid, self._terms(product(box.height, mass)))
                total = total.plus(flat.within(low + at, high + at))
        return total

    def _terms(self, value: Exponentials) -> Terms:
        unit = self.grid.a * self.grid.b
        return {(0, 0, int(e * unit)): fmpq(c.numerator, c.denominator) for e, c in value.items()}

    def region(self, at: Fraction) -> Region:
        """The masses of P and Q where the loss exceeds ``at``."""
        with balls.precision(max(BITS, balls.working_bits())):
            masses = [self._above(sign, below, at) for sign, below in self._sides]
        return Region(masses[0] + self.infinite, masses[1], arb(0))

    def _above(self, sign: int, below: Piecewise, at: Fraction) -> Ball:
        place = sum(1 for n in below.cuts if Fraction(n, self.grid.b) <= at)
        whole = Smooth(self.grid, below.parts[-1]).at(arb(0))
        found: Ball = whole - Smooth(self.grid, below.parts[place]).at(ball(at))
        for level, mass in self.atoms.items():
            if level > at:
                found += number_ball(mass) * ball(sign * level / 2).exp()
        return found


def _added(a: dict[Fraction, Exponentials], b: dict[Fraction, Exponentials]) -> dict[Fraction, Exponentials]:
    found: dict[Fraction, Exponentials] = {}
    for s, p in a.items():
        for t, q in b.items():
            found[s + t] = _plus(found.get(s + t, {}), product(p, q))
    return found


def _grid(parts: Sequence[PartLoss]) -> Grid:
    """A grid with every loss, every exponent of a mass, and the rate 1/2."""
    losses = [loss for part in parts for loss in (*part.atoms, *(end for b in part.boxes for end in (b.low, b.high)))]
    masses = [m for part in parts for m in (*part.atoms.values(), *(box.height for box in part.boxes))]
    fine = lcm(1, *(loss.denominator for loss in losses), *(e.denominator for mass in masses for e in mass))
    return Grid(2, fine)


def shifted(at: Fraction, p: Exponentials, q: Exponentials) -> tuple[Fraction, Ball]:
    """(t, s): at - ln(p/q) lies between t - s and t; s is 0 where the logarithm is rational."""
    known = log_of_quotient(p, q)
    if known is not None:
        return at - known, arb(0)
    low, high = balls.ends(ball(at) - (number_ball(p) / number_ball(q)).log())
    return high, ball(high - low)
