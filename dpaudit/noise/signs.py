"""Where a function of the closed class is positive on one piece: cells with a proven sign, and tiny ones without.

A cell has a sign if an enclosure over it has one; or if the function vanishes at the piece's end to order k (decided
by algebra) and its k-th derivative has a sign; or if it is monotone there and its signs at both ends agree. Towards
infinity the leading term outweighs all others from some point on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb, arb_poly, fmpq

from dpaudit.noise.pieces import Grid, Terms, at_point, derivative, plus, times
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.exponentials import SIGN_BITS, Exponentials, is_positive
from dpaudit.numbers.verdict import Verdict

ORDER = 8
"""The order of Taylor's formula: for alternating sums more terms are worth more than wider cells."""
MAX_ORDER = 60
"""A function that is not 0 vanishes at a point to a lower order than its number of terms."""


@dataclass(frozen=True)
class Cell:
    """An interval; ``sign`` is that of the function inside, 0 where it is not known. None is an infinite end."""

    low: Fraction | None
    high: Fraction | None
    sign: int


class Smooth:
    """A sum of c t^m e^(at), with its derivatives and enclosures at the precision in force."""

    def __init__(self, grid: Grid, terms: Terms) -> None:
        self.grid, self.terms = grid, terms
        self._known: dict[int, list[tuple[int, fmpq, Ball]]] = {}
        self._rates: dict[int, list[tuple[fmpq, arb_poly]]] = {}

    @cached_property
    def slope(self) -> Smooth:
        """The derivative."""
        return Smooth(self.grid, derivative(self.grid, self.terms))

    def _grouped(self) -> list[tuple[int, fmpq, Ball]]:
        """(m, rate, ball around the coefficient), at the precision in force."""
        bits = balls.working_bits()
        if bits not in self._known:
            sums: dict[tuple[int, int], Ball] = {}
            for (m, i, j), c in self.terms.items():
                sums[m, i] = sums.get((m, i), arb(0)) + arb(c) * arb(fmpq(j, self.grid.a * self.grid.b)).exp()
            self._known[bits] = [(m, fmpq(i, self.grid.a), c) for (m, i), c in sums.items()]
        return self._known[bits]

    def at(self, t: Ball) -> Ball:
        """A ball around the value at t, or around all values on a ball t."""
        found = arb(0)
        for m, rate, c in self._grouped():
            found += c * (t * rate).exp() * t**m
        return found

    def over(self, low: Fraction, high: Fraction, order: int = 0) -> Ball:
        """A ball around all values of the function, or of a derivative, on the interval, by Taylor's formula."""
        middle, reach = ball((low + high) / 2), balls.around_zero(ball((high - low) / 2))
        size = ORDER + order
        series = self.series(middle, size)
        whole = [series[k] for k in range(size)] + [self.series(middle + reach, size + 1)[size]]
        for _ in range(order):
            whole = [k * c for k, c in enumerate(whole)][1:]
        found = arb(0)
        for c in reversed(whole):
            found = found * reach + c
        return found

    def series(self, t: Ball, size: int) -> arb_poly:
        """The Taylor coefficients below ``size`` at t, or around those at all points of a ball t."""
        total = arb_poly([0])
        for rate, plain in self._by_rate():
            growth, step = list[Ball](), (t * rate).exp()
            for k in range(size):
                growth.append(step)
                step = step * rate / (k + 1)
            total += arb_poly(growth) * (plain(arb_poly([t, 1])) if plain.length() > 1 else plain)
        return total

    def _by_rate(self) -> list[tuple[fmpq, arb_poly]]:
        """(rate, polynomial in t), at the precision in force."""
        bits = balls.working_bits()
        if bits not in self._rates:
            powers: dict[fmpq, dict[int, Ball]] = {}
            for m, rate, c in self._grouped():
                powers.setdefault(rate, {})[m] = c
            self._rates[bits] = [
                (rate, arb_poly([found.get(m, arb(0)) for m in range(max(found) + 1)]))
                for rate, found in powers.items()
            ]
        return self._rates[bits]

    def exact(self, t: Fraction) -> Exponentials:
        """The value at a rational point, as a sum of exponentials."""
        fine = Grid(self.grid.a, self.grid.b * t.denominator)
        terms = {(m, i, j * t.denominator): c for (m, i, j), c in self.terms.items()}
        return fine.number(at_point(fine, terms, fine.point(t)))

    def sign_at(self, t: Fraction) -> int:
        """The sign at a rational point, by algebra and balls; 0 only for an exact 0."""
        value = self.at(ball(t))
        if balls.certainly_less(arb(0), value):
            return 1
        if balls.certainly_less(value, arb(0)):
            return -1
        exact = self.exact(t)
        return sign_of(exact) if exact else 0

    def order_at(self, t: Fraction) -> tuple[int, Smooth]:
        """(k, k-th derivative): the first derivative that does not vanish at t."""
        found: Smooth = self
        for order in range(MAX_ORDER):
            if found.exact(t):
                return order, found
            found = found.slope
        raise ArithmeticError("a function vanishes to every order")

    def leading(self) -> tuple[int, int, Exponentials]:
        """(m, i, c): the term c t^m e^(it/A) that outweighs all others at infinity."""
        i = max(i for _, i, _ in self.terms)
        m = max(m for m, k, _ in self.terms if k == i)
        constant = {(0, 0, j): c for (n, k, j), c in self.terms.items() if (n, k) == (m, i)}
        return m, i, self.grid.number(constant)

    def turned(self) -> Smooth:
        """t -> f(-t)."""
        return Smooth(self.grid, {(m, -i, j): c * (-1) ** m for (m, i, j), c in self.terms.items()})


class Wronskian(Smooth):
    """f'g - fg', whose sign is that of (f/g)'; enclosed by the series of f and g, multiplied out only on demand."""

    def __init__(self, f: Smooth, g: Smooth) -> None:
        self.grid, self.f, self.g = f.grid, f, g
        self._known, self._rates = {}, {}

    @cached_property
    def terms(self) -> Terms:  # type: ignore[override]
        """The function multiplied out."""
        f, g = self.f, self.g
        return plus(times(f.slope.terms, g.terms), times(f.terms, g.slope.terms), -1)

    def at(self, t: Ball) -> Ball:
        """A ball around the value at t."""
        return self.series(t, 1)[0]

    def series(self, t: Ball, size: int) -> arb_poly:
        """The Taylor coefficients below ``size``."""
        f, g = self.f.series(t, size + 1), self.g.series(t, size + 1)
        return f.derivative() * g - f * g.derivative()


def sign_of(value: Exponentials) -> int:
    """The sign of a number that is not 0; PrecisionExhausted where no precision separates it from 0."""
    positive = is_positive(value)
    if positive is Verdict.UNDECIDED:
        raise balls.PrecisionExhausted(SIGN_BITS)
    return 1 if positive is Verdict.PROVED else -1


def cells(f: Smooth, low: Fraction | None, high: Fraction | None) -> list[Cell]:
    """The interval, cut into cells; f is not the function 0. Unknown signs are on cells narrower than 2^-bits/2."""
    if low is None and high is None:
        return [*cells(f, None, Fraction(0)), *cells(f, Fraction(0), None)]
    if low is None and high is not None:
        found = cells(f.turned(), -high, None)
        return [Cell(_negative(c.high), _negative(c.low), c.sign) for c in reversed(found)]
    if low is None:
        raise ValueError("unreachable")
    if high is None:
        start, sign = _tail(f, low)
        inner = cells(f, low, start) if start > low else []
        return [*inner, Cell(start, None, sign)]
    return list(_bounded(f, low, high))


def _negative(end: Fraction | None) -> Fraction | None:
    return None if end is None else -end


def _tail(f: Smooth, low: Fraction) -> tuple[Fraction, int]:
    """(T, s): f has the sign s from T on."""
    m, i, c = f.leading()
    lead = balls.total([ball(v) * ball(e).exp() for e, v in c.items()])
    others = [(n, rate, c) for n, rate, c in f._grouped() if (n, rate) != (m, fmpq(i, f.grid.a))]
    start = max(low, Fraction(1))
    for n, rate, _ in others:
        gap = fmpq(i, f.grid.a) - rate
        if gap and n > m:
            start = max(start, Fraction(int(gap.q) * (n - m), int(gap.p)))
    step = Fraction(f.grid.a)
    while True:
        t = ball(start)
        rest = arb(0)
        for n, rate, c_other in others:
            rest += abs(c_other) * (t * (rate - fmpq(i, f.grid.a))).exp() * t ** (n - m)
        if balls.certainly_less(rest, abs(lead)):
            return start, sign_of(c)
        start, step = start + step, step * 2


def _bounded(f: Smooth, low: Fraction, high: Fraction) -> Iterator[Cell]:
    left, right = f.order_at(low), f.order_at(high)
    tiny = Fraction(1, 1 << (balls.working_bits() // 2)) * max(Fraction(1), high - low)
    waiting = [(low, high)]
    while waiting:
        a, b = waiting.pop()
        sign = _sign(f, a, b, left if a == low else None, right if b == high else None)
        if sign is None and b - a > tiny:
            root = _single_root(f, a, b, tiny)
            if root is not None:
                yield from root
                continue
            middle = (a + b) / 2
            waiting += [(middle, b), (a, middle)]
            continue
        yield Cell(a, b, sign or 0)


def _sign(
    f: Smooth, a: Fraction, b: Fraction, left: tuple[int, Smooth] | None, right: tuple[int, Smooth] | None
) -> int | None:
    """The sign of f inside (a, b), or None; ``left`` and ``right`` tell how f starts at a, and ends at b."""
    for order, top, mirrored in ((0, f, False), *((*end, side) for end, side in ((left, False), (right, True)) if end)):
        value = top.over(a, b)
        turn = -1 if mirrored and order % 2 else 1
        if balls.certainly_less(arb(0), value):
            return turn
        if balls.certainly_less(value, arb(0)):
            return -turn
    return None


def _single_root(f: Smooth, a: Fraction, b: Fraction, tiny: Fraction) -> list[Cell] | None:
    """Where f is monotone on the cell: its sign, or three cells, the one in the middle with the only root."""
    slope = f.over(a, b, order=1)
    if not (balls.certainly_less(arb(0), slope) or balls.certainly_less(slope, arb(0))):
        return None
    first, last = f.sign_at(a), f.sign_at(b)
    if first * last >= 0:
        return [Cell(a, b, first or last)]
    low, high = a, b
    while high - low > tiny:
        middle = (low + high) / 2
        found = f.sign_at(middle)
        if found == 0:
            return [Cell(a, middle, first), Cell(middle, b, last)]
        low, high = (middle, high) if found == first else (low, middle)
    return [Cell(a, low, first), Cell(low, high, 0), Cell(high, b, last)]
