"""A pair (P, Q) cut into cells of privacy loss, c + k h to c + (k+1) h, each by two numbers >= 0 with certified bounds.

Of a cell with masses P, Q let u = P - e^(c+kh) Q and v = e^(c+(k+1)h) Q - P. Both are >= 0, and they say all:
P = (e^h u + v) / (e^h - 1), e^(c+kh) Q = (u + v) / (e^h - 1). Nothing that is computed from them cancels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from dpaudit.accounting.floats import EXPONENTIAL, TINY, Floats, U, down, exponentials, up
from dpaudit.accounting.pairs import Atom, Pair, Piece
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, NeedsMoreBits, ball

BITS = 128
"""Precision of the cells: rounding and cancellation cost about 2 log2(1/h) of them."""


MOST = 1 << 22
"""The most cells of a pair."""


class TooFine(Exception):
    """The grid would need too many cells or points."""

    def __init__(self, needed: int = 0) -> None:
        super().__init__(f"{needed} are needed")
        self.needed = needed


@dataclass(frozen=True)
class Lattice:
    """The losses offset + k step, k whole."""

    step: Fraction
    offset: Fraction = Fraction(0)

    def loss(self, k: int) -> Fraction:
        """The loss number k."""
        return self.offset + k * self.step


@dataclass(frozen=True)
class Range:
    """Losses beyond the cells: P above them is at most ``top``, P and Q below them are at most ``bottom``."""

    top: Fraction
    bottom: Fraction


@dataclass(frozen=True)
class Cells:
    """u and v of the cells first, first + 1, ... from below and above, and an upper bound of P above them all.

    In upper bounds, losses below the cells of a piece count as the lower end of its first cell.

    ``points[i]`` is a lower bound of the mass with loss number first + i, or between that and the next.
    """

    lattice: Lattice
    first: int
    u_lower: Floats
    u_upper: Floats
    v_lower: Floats
    v_upper: Floats
    points: Floats
    p_above: float

    def __len__(self) -> int:
        return len(self.u_lower)


def cells(pair: Pair, lattice: Lattice, beyond: Range) -> Cells:
    """The cells of the pair; the lattice belongs to its losses as they are after a swap."""
    offset = -lattice.offset if pair.swapped else lattice.offset
    parts = [_piece_cells(piece, pair.rate, Lattice(lattice.step, offset), beyond) for piece in pair.pieces]
    if pair.swapped:
        parts = [_swapped(part) for part in parts]
    with balls.precision(BITS):
        return _joined(parts, pair, lattice)


@dataclass(frozen=True)
class Raw:
    """Cells of a piece; ``above`` and ``below`` are upper bounds of P and of Q there."""

    first: int
    u: tuple[Floats, Floats]
    v: tuple[Floats, Floats]
    above: tuple[float, float]
    below: tuple[float, float]
    lattice: Lattice


class _Mixed:
    """A piece after subsampling at the rate, as a function of the new loss."""

    def __init__(self, piece: Piece, rate: Fraction, lattice: Lattice) -> None:
        self.piece, self.whole = piece, rate == 1
        self.rate, self.rest = ball(rate), ball(1 - rate)
        self.step, self.offset = ball(lattice.step), ball(lattice.offset)

    def edge(self, k: int) -> tuple[Ball, Any]:
        """e^l for the loss l number k, and what the piece says of the old loss that belongs to it."""
        loss = self.offset + self.step * k
        factor = loss.exp()
        if self.whole:
            return factor, self.piece.edge(loss)
        inside = (factor - self.rest) / self.rate
        if not balls.decides_zero(inside):
            raise NeedsMoreBits(balls.working_bits())
        return factor, self.piece.edge(inside.log() if balls.certainly_less(balls.zero(), inside) else None)

    def mix(self, masses: tuple[Ball, Ball]) -> tuple[Ball, Ball]:
        """P and Q after subsampling."""
        p, q = masses
        return (p, q) if self.whole else (self.rest * q + self.rate * p, q)

    def above(self, k: int) -> tuple[Ball, Ball]:
        """P and Q of the losses above that number k."""
        return self.mix(self.piece.above(self.edge(k)[1]))

    def below(self, k: int) -> tuple[Ball, Ball]:
        """P and Q of the losses below that number k."""
        return self.mix(self.piece.below(self.edge(k)[1]))


@lru_cache(maxsize=16)
def _piece_cells(piece: Piece, rate: Fraction, lattice: Lattice, beyond: Range) -> Raw:
    with balls.precision(BITS):
        mixed = _Mixed(piece, rate, lattice)
        last = _least(lambda k: up(mixed.above(k)[0]) <= beyond.top)
        first = -_least(lambda k: up(mixed.below(-k)[1]) <= beyond.bottom)
        if last - first > MOST:
            raise TooFine(last - first)
        mids, rads = list[float](), list[float]()
        factor, low = mixed.edge(first)
        for k in range(first + 1, last + 1):
            following, high = mixed.edge(k)
            p, q = mixed.mix(piece.between(low, high))
            u, v = p - factor * q, following * q - p
            mids += [float(u), float(v)]
            rads += [float(u.rad()), float(v.rad())]
            factor, low = following, high
        ends = [tuple(up(mass) for mass in masses) for masses in (mixed.above(last), mixed.below(first))]
    middle, radius = np.array(mids), np.array(rads)
    room = 2.0**-50 * np.abs(middle) + radius * (1 + 2.0**-20) + TINY
    lower, upper = np.maximum(middle - room, 0.0), np.maximum(middle + room, 0.0)
    us, vs = (lower[0::2], upper[0::2]), (lower[1::2], upper[1::2])
    return Raw(first, us, vs, (ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]), lattice)


def _least(enough: Any) -> int:
    """The least whole number k for which ``enough(k)``, which stays true once it is."""
    low, size = 0, 1
    if enough(0):
        while enough(low - size):
            low, size = low - size, 2 * size
        low, high = low - size, low
    else:
        while not enough(low + size):
            low, size = low + size, 2 * size
        high = low + size
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _swapped(part: Raw) -> Raw:
    """The cells of (Q, P): cell k becomes -k-1, u' = e^-(c+(k+1)h) v, v' = e^-(c+kh) u."""
    count, lattice = len(part.u[0]), part.lattice
    with balls.precision(BITS):
        weights = exponentials(ball(-lattice.step), part.first, count + 1)
        shift = (-ball(lattice.offset)).exp()
        low, high = down(shift), up(shift)
    less, more = 1 - 2 * EXPONENTIAL, 1 + 2 * EXPONENTIAL

    def scaled(bounds: tuple[Floats, Floats], factors: Floats) -> tuple[Floats, Floats]:
        lower = np.maximum(bounds[0] * factors * (low * less) - TINY, 0.0)
        return lower[::-1], (bounds[1] * factors * (high * more) + TINY)[::-1]

    flipped = Lattice(lattice.step, -lattice.offset)
    u, v = scaled(part.v, weights[1:]), scaled(part.u, weights[:-1])
    return Raw(-(part.first + count), u, v, part.below[::-1], part.above[::-1], flipped)


def _joined(parts: list[Raw], pair: Pair, lattice: Lattice) -> Cells:
    """The cells of all pieces and atoms together."""
    placed = [_placed(atom, lattice) for atom in pair.all_atoms()]
    starts = [part.first for part in parts] + [k for _, low, high in placed for k in (low, high)]
    ends = [part.first + len(part.u[0]) for part in parts] + [high + 1 for *_, high in placed]
    first, last = min(starts, default=0), max(ends, default=1)
    bounds = [np.zeros(last - first) for _ in range(4)]
    for part in parts:
        at = slice(part.first - first, part.first - first + len(part.u[0]))
        for total, values in zip(bounds, (*part.u, *part.v), strict=True):
            total[at] += values
        bounds[3][at.start] += part.below[0] * up(ball(lattice.step).expm1())
    points = np.zeros(last - first + 1)
    gathered: dict[tuple[int, int], Ball] = {}
    for atom, low, high in placed:
        for place, value in _masses(atom, low, high, lattice):
            gathered[place] = gathered.get(place, balls.zero()) + value
    for (kind, k), value in gathered.items():
        if kind == POINT:
            points[k - first] += max(0.0, down(value))
        else:
            bounds[kind][k - first] += max(0.0, (down if kind % 2 == 0 else up)(value))
    slack = (2 * len(parts) + 4) * U
    u_lower, u_upper, v_lower, v_upper = (b * (1 + slack if i % 2 else 1 - slack) for i, b in enumerate(bounds))
    above = math.fsum(part.above[0] for part in parts) * (1 + 2 * U)
    return Cells(lattice, first, u_lower, u_upper, v_lower, v_upper, points, above)


POINT = 4
"""Places in ``gathered``: 0 to 3 are the bounds of u and v from below and above, 4 the points."""


def _placed(atom: Atom, lattice: Lattice) -> tuple[Atom, int, int]:
    """The atom with the least and the largest number of the cell that its loss may lie in."""
    if atom.loss is not None:
        k = math.floor((atom.loss - lattice.offset) / lattice.step)
        return atom, k, k
    low, high = balls.ends(atom.log_ratio())
    first, last = (math.floor((end - lattice.offset) / lattice.step) for end in (low, high))
    return atom, first, last


def _masses(atom: Atom, low: int, high: int, lattice: Lattice) -> Iterable[tuple[tuple[int, int], Ball]]:
    """Where the atom goes. From above: cell ``high``, where a u that may be < 0 counts as 0, which only adds.

    From below: an atom on the lattice, or in one of two cells, is the point below it; else its u and v.
    """
    factor, grow = ball(lattice.loss(high)).exp(), ball(lattice.step).exp()
    if atom.loss == lattice.loss(high):
        yield (3, high), (grow - 1) * atom.p
        yield (POINT, high), atom.p
        return
    u, v = atom.p - factor * atom.q, factor * grow * atom.q - atom.p
    yield (1, high), balls.positive_part(u)
    yield (3, high), v
    if low == high:
        yield (0, high), u
        yield (2, high), v
    else:
        yield (POINT, low), ball(lattice.loss(low)).exp() * atom.q
