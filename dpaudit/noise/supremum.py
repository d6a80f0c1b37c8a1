"""The supremum of a ratio of two densities, and the mass by which one exceeds a multiple of the other.

On a piece, the ratio f/g is monotone where f'g - fg' has a sign, so its supremum is the largest of the limits at the
ends of the piece, of its values where that sign turns from + to -, and of those on the tiny cells without a known sign.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm

from flint import arb

from dpaudit.noise.pieces import Piecewise, Terms, antiderivative, plus
from dpaudit.noise.signs import Smooth, Wronskian, cells
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.digits import rough
from dpaudit.numbers.exponentials import Exponentials, log_of_quotient


@dataclass(frozen=True)
class Candidate:
    """A value of ln f/g, or a ball around several; where it is attained or approached.

    ``ratio`` is f/g exactly, where it is known: (numerator, denominator). An infinite loss has the denominator {}.
    """

    loss: Ball
    where: str
    ratio: tuple[Exponentials, Exponentials] | None = None

    @property
    def infinite(self) -> bool:
        """Whether f/g is unbounded there."""
        return self.ratio is not None and not self.ratio[1]

    def rational(self) -> Fraction | None:
        """The loss, where it is a rational number by algebra."""
        return None if self.ratio is None or self.infinite else log_of_quotient(*self.ratio)


def number_ball(value: Exponentials) -> Ball:
    """A ball around a sum of exponentials."""
    return balls.total([ball(c) * ball(e).exp() for e, c in value.items()])


def exact_candidate(top: Exponentials, bottom: Exponentials, where: str) -> Candidate | None:
    """The candidate of an exact ratio; None where the numerator is 0, which bounds nothing."""
    if not top:
        return None
    if not bottom:
        return Candidate(balls.infinity(), where, (top, bottom))
    loss = log_of_quotient(top, bottom)
    value = ball(loss) if loss is not None else number_ball(top).log() - number_ball(bottom).log()
    return Candidate(value, where, (top, bottom))


def aligned(f: Piecewise, g: Piecewise) -> tuple[Piecewise, Piecewise]:
    """Both functions on one grid."""
    a, b = lcm(f.grid.a, g.grid.a), lcm(f.grid.b, g.grid.b)
    return f.regridded(a, b), g.regridded(a, b)


def pieces(f: Piecewise, g: Piecewise) -> Iterator[tuple[Fraction | None, Fraction | None, Terms, Terms]]:
    """(low, high, f there, g there) on the common partition; both are on one grid."""
    cuts = tuple(sorted({*f.cuts, *g.cuts}))
    ends = [None, *(Fraction(n, f.grid.b) for n in cuts), None]
    yield from zip(ends, ends[1:], f._on(cuts), g._on(cuts), strict=False)


def suprema(f: Piecewise, g: Piecewise) -> list[Candidate]:
    """Candidates whose largest is sup ln f/g, over all places with f > 0; at the precision in force."""
    f, g = aligned(f, g)
    found: list[Candidate | None] = []
    for low, high, over, under in pieces(f, g):
        if not over:
            continue
        if not under:
            found.append(Candidate(balls.infinity(), f"v {_between(low, high)}", ({Fraction(0): Fraction(1)}, {})))
            continue
        found += _on_piece(Smooth(f.grid, over), Smooth(f.grid, under), low, high)
    return [candidate for candidate in found if candidate is not None]


def _between(low: Fraction | None, high: Fraction | None) -> str:
    if low is None:
        return "anywhere" if high is None else f"≤ {high}"
    return f"≥ {low}" if high is None else f"in [{low}, {high}]"


def _on_piece(f: Smooth, g: Smooth, low: Fraction | None, high: Fraction | None) -> list[Candidate | None]:
    change = Wronskian(f, g)
    inside = _some_point(low, high)
    if not change.terms:
        return [exact_candidate(f.exact(inside), g.exact(inside), f"v {_between(low, high)}")]
    found = [_limit(f, g, low, "v → −∞", turned=True), _limit(f, g, high, "v → ∞", turned=False)]
    parts = cells(change, low, high)
    found += [_limit(f, g, a.high, "", turned=False) for a, b in pairwise(parts) if a.sign > 0 > b.sign]
    for cell in parts:
        if cell.sign == 0 and cell.low is not None and cell.high is not None:
            ratio = f.over(cell.low, cell.high) / g.over(cell.low, cell.high)
            found.append(Candidate(ratio.log(), f"v ≈ {rough(cell.low, 6)}"))
    return found


def _some_point(low: Fraction | None, high: Fraction | None) -> Fraction:
    if low is None:
        return Fraction(0) if high is None else high - 1
    return low + 1 if high is None else (low + high) / 2


def _limit(f: Smooth, g: Smooth, end: Fraction | None, far: str, turned: bool) -> Candidate | None:
    """The limit of f/g at an end of the piece, by the leading terms or the first derivatives that do not vanish."""
    if end is None:
        (m, i, top), (n, k, bottom) = (side.turned().leading() if turned else side.leading() for side in (f, g))
        if (i, m) != (k, n):
            return exact_candidate({Fraction(0): Fraction(1)}, {}, far) if (i, m) > (k, n) else None
        return exact_candidate(top, bottom, far)
    over, under = f, g
    while not over.exact(end) and not under.exact(end):
        over, under = over.slope, under.slope
    return exact_candidate(over.exact(end), under.exact(end), f"v = {end}")


# ------------------------------------------------------------------ delta


@dataclass(frozen=True)
class Region:
    """The masses of f and g where f > e^at g, as far as that is proved; ``open`` bounds f's excess elsewhere."""

    p: Ball
    q: Ball
    open: Ball

    def excess(self, factor: Ball) -> Ball:
        """A ball around the integral of max(0, f - e^at g); ``factor`` contains e^at."""
        return self.p - factor * self.q + self.open


def region(f: Piecewise, g: Piecewise, at: Fraction) -> Region:
    """Where f exceeds e^at g, cell by cell."""
    f, g = aligned(f, g)
    fine = lcm(f.grid.b, at.denominator)
    f, g = f.regridded(f.grid.a, fine), g.regridded(f.grid.a, fine)
    shift = int(at * f.grid.a * fine)
    p, q, rest = arb(0), arb(0), arb(0)
    for low, high, over, under in pieces(f, g):
        moved = {(m, i, j + shift): c for (m, i, j), c in under.items()}
        difference = Smooth(f.grid, plus(over, moved, -1))
        if not difference.terms:
            continue
        sides = [Smooth(f.grid, antiderivative(f.grid, side)) for side in (over, under)]
        for cell in cells(difference, low, high):
            if cell.sign > 0:
                p, q = (
                    so_far + _value(side, cell.high) - _value(side, cell.low)
                    for so_far, side in zip((p, q), sides, strict=True)
                )
            elif cell.sign == 0 and cell.low is not None and cell.high is not None:
                most = balls.positive_part(difference.over(cell.low, cell.high)) * ball(cell.high - cell.low)
                rest += arb(0).union(most.upper())
    return Region(p, q, rest)


def _value(primitive: Smooth, end: Fraction | None) -> Ball:
    """The primitive at an end; at an infinite one it vanishes exponentially."""
    return arb(0) if end is None else primitive.at(ball(end))


def mass_where(f: Piecewise, g: Piecewise) -> Exponentials:
    """The integral of f where g is 0, exactly."""
    f, g = aligned(f, g)
    parts = [Terms() if under else over for _, _, over, under in pieces(f, g)]
    cuts = tuple(sorted({*f.cuts, *g.cuts}))
    return f.grid.number(Piecewise(f.grid, cuts, tuple(parts)).integral())
