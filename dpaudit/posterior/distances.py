"""Hellinger distances between the posteriors of one model: as balls, and exactly.

H(a,b) = sqrt(1 - BC), BC = B((a+b)/2) / sqrt(B(a) B(b)), B(a) = prod Gamma(a_i) / Gamma(sum a_i).
Two posteriors of one model have the same total, so BC is a product over the cells (definitions, "The model"):
    BC(c,d) = prod_i  Gamma(alpha_i + (c_i+d_i)/2) / sqrt(Gamma(alpha_i + c_i) Gamma(alpha_i + d_i)).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from operator import mul
from typing import ClassVar

from flint import fmpq

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Histogram, Model, neighbors


class Hellinger:
    """The distances of one model at the precision in force when it was made; row by row, nothing quadratic kept."""

    name: ClassVar[str] = "hellinger"

    def __init__(self, model: Model) -> None:
        self.model = model
        tables = {alpha: gamma_ratios(alpha, 2 * model.n) for alpha in set(model.prior)}
        self._ratios = [tables[alpha] for alpha in model.prior]
        roots = {alpha: [g.rsqrt() for g in table[::2]] for alpha, table in tables.items()}
        self._roots = [roots[alpha] for alpha in model.prior]
        self._zero = balls.zero()

    def _root(self, c: Histogram) -> Ball:
        product = self._roots[0][c[0]]
        for table, count in zip(self._roots[1:], c[1:], strict=True):
            product = product * table[count]
        return product

    def bc(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains BC(c, d)."""
        product = self._root(c) * self._root(d)
        for table, i, j in zip(self._ratios, c, d, strict=True):
            product = product * table[i + j]
        return product

    def log_ratios(self) -> list[list[Ball]]:
        """Returns, cell by cell, balls that contain ln Gamma(alpha_i + m/2) - ln Gamma(alpha_i) for m = 0..2n."""
        logs = {id(table): [ratio.log() for ratio in table] for table in self._ratios}
        return [logs[id(table)] for table in self._ratios]

    def between(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains H(c, d); exactly 0 if c = d."""
        return self._zero if c == d else (1 - self.bc(c, d)).sqrt()

    def row(self, c: Histogram) -> list[Ball]:
        """Balls that contain H(c, r) for every histogram r, in the model's order."""
        products = self._all_roots
        for table, count, cells in zip(self._ratios, c, self._counts, strict=True):
            products = list(map(mul, products, [table[count + cell] for cell in cells]))
        root = self._root(c)
        row = [(1 - root * p).sqrt() for p in products]
        row[self.model.index[c]] = self._zero
        return row

    def local(self, c: Histogram) -> Ball:
        """A ball that contains LS(c) = max over adjacent c' of H(c, c').

        By the triangle inequality this is the maximum of |H(c,r) - H(c',r)| over r too, attained at r = c.
        """
        return balls.maximum([self.between(c, d) for d in neighbors(c)])

    @cached_property
    def _counts(self) -> list[list[int]]:
        """Cell by cell the counts of all histograms."""
        return [[c[i] for c in self.model.histograms] for i in range(self.model.k)]

    @cached_property
    def _all_roots(self) -> list[Ball]:
        return [self._root(c) for c in self.model.histograms]


def gamma_ratios(alpha: Fraction, steps: int) -> list[Ball]:
    """Balls that contain Gamma(alpha + m/2) / Gamma(alpha) for m = 0..steps."""
    a, half = ball(alpha), ball(alpha + Fraction(1, 2))
    ratios = [ball(1), half.gamma() / a.gamma()]
    twice, by = 2 * alpha.numerator, alpha.denominator
    for m in range(2, steps + 1):
        ratios.append(ratios[m - 2] * Ball(fmpq(twice + (m - 2) * by, 2 * by)))
    return ratios


# ------------------------------------------------------------------ exactly


@dataclass(frozen=True)
class Algebraic:
    """BC^2 exactly: rational * prod over (alpha, e) of g(alpha)^e, g(alpha) = (Gamma(alpha + 1/2) / Gamma(alpha))^2.

    Equal objects are equal numbers. The constants are reduced to canonical bases (see ``_constant``), g(1/2) = 1/pi
    among them; between different objects a certified comparison of ``ball()`` decides.
    """

    rational: fmpq
    constants: tuple[tuple[Fraction, int], ...]

    def ball(self) -> Ball:
        """A ball that contains the number."""
        value = Ball(self.rational)
        for alpha, exponent in self.constants:
            g = ball(alpha + Fraction(1, 2)).gamma() / ball(alpha).gamma()
            value = value * g ** (2 * exponent)
        return value

    def __hash__(self) -> int:
        return hash((int(self.rational.p), int(self.rational.q), self.constants))

    def __str__(self) -> str:
        """For instance "1/4 pi" or "9/64 g(1/3)^2"; pi stands for 1/g(1/2)."""
        parts = [] if self.rational == 1 and self.constants else [str(self.rational)]
        for alpha, exponent in self.constants:
            name, power = ("pi", -exponent) if alpha == Fraction(1, 2) else (f"g({alpha})", exponent)
            parts.append(name if power == 1 else f"{name}^{power}")
        return " ".join(parts)


def bc_squared(model: Model, c: Histogram, d: Histogram) -> Algebraic:
    """BC(c, d)^2 exactly (definitions, "What exact means", fact 1); the totals of c and d may differ.

    It is the product over the cells of the square of Gamma(alpha+(i+j)/2) / sqrt(Gamma(alpha+i) Gamma(alpha+j)),
    divided by the same for the totals: a factor of 1 if they agree.
    """
    number = fmpq(1)
    exponents: dict[Fraction, int] = {}
    cells = [(alpha, i, j, 1) for alpha, i, j in zip(model.prior, c, d, strict=True)]
    if sum(c) != sum(d):
        cells.append((sum(model.prior, Fraction(0)), sum(c), sum(d), -1))
    for alpha, i, j, side in cells:
        factor, base, sign = _cell_squared(alpha, i, j)
        number *= factor**side
        if sign:
            exponents[base] = exponents.get(base, 0) + side * sign
    kept = sorted((base, exponent) for base, exponent in exponents.items() if exponent)
    return Algebraic(number, tuple(kept))


def _cell_squared(alpha: Fraction, i: int, j: int) -> tuple[fmpq, Fraction, int]:
    """(f, base, sign): one cell's factor is f * g(base)^sign, sign 0 if i + j is even.

    With m = floor((i+j)/2): (alpha)_m^2 / ((alpha)_i (alpha)_j) if i+j is even, and
    g(alpha) (alpha+1/2)_m^2 / ((alpha)_i (alpha)_j) if it is odd; (a)_m is the rising factorial.
    """
    m, odd = divmod(i + j, 2)
    below = _rising(alpha, i) * _rising(alpha, j)
    if not odd:
        return _rising(alpha, m) ** 2 / below, alpha, 0
    factor, base, sign = _constant(alpha)
    return factor * _rising(alpha + Fraction(1, 2), m) ** 2 / below, base, sign


MOST_STEPS = 2000
"""A constant g(alpha) is reduced by at most this many steps of 1/2."""


@cache
def _constant(alpha: Fraction) -> tuple[fmpq, Fraction, int]:
    """(f, base, sign) with g(alpha) = f * g(base)^sign, f rational.

    g(a + 1/2) = a^2 / g(a); and where tan^2(pi a) is rational, g(a) = tan^2(pi a) g(1/2 - a): g(1/3) = 3 g(1/6).
    The base lies in (0, 1/2], or a multiple of MOST_STEPS such steps above it: f would grow without end.
    """
    steps = max(0, -(-2 * alpha.numerator // alpha.denominator) - 1) % MOST_STEPS
    base, sign = alpha - Fraction(steps, 2), 1
    third = base == Fraction(1, 3)
    factor = fmpq(3 if third else 1)
    for i in range(steps):
        lower = base + Fraction(i, 2)
        factor, sign = fmpq(lower.numerator, lower.denominator) ** 2 / factor, -sign
    return factor, Fraction(1, 6) if third else base, sign


_RISING: dict[Fraction, list[fmpq]] = {}


def _rising(alpha: Fraction, m: int) -> fmpq:
    """(alpha)_m = alpha (alpha+1) ... (alpha+m-1), from a table that grows as needed."""
    table = _RISING.setdefault(alpha, [fmpq(1)])
    while len(table) <= m:
        last = alpha + len(table) - 1
        table.append(table[-1] * fmpq(last.numerator, last.denominator))
    return table[m]
