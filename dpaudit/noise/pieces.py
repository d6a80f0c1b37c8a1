"""The closed class: piecewise functions with rational breakpoints whose pieces are sums of c t^m e^(at).

a is rational and c a finite sum of rational e^rational. Densities of Laplace, exponential and uniform noise are in it;
sums, products, shifts, primitives and integrals stay in it. On a grid (A, B) every rate is i/A and every breakpoint
n/B with i and n whole, so e^(rate x breakpoint) is a whole power of e^(1/AB): a term is a triple of whole numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import comb

from flint import fmpq

from dpaudit.numbers.exponentials import Exponentials

Terms = dict[tuple[int, int, int], fmpq]
"""{(m, i, j): c} stands for the sum of c t^m e^(it/A) e^(j/(AB)); no c is 0."""

POWERS = 1 << 12
"""Above every power of epsilon that occurs in a symbolic constant."""


@dataclass(frozen=True)
class Grid:
    """Rates are multiples of 1/A, breakpoints of 1/B.

    With ``symbolic`` the breakpoints are multiples of epsilon/B, for every epsilon at once: the third index of a term
    is then j POWERS + p and stands for e^(j epsilon/(AB)) epsilon^p.
    """

    a: int
    b: int
    symbolic: bool = False

    def constant_index(self, i: int, n: int, m: int) -> int:
        """The third index of e^(i n/(AB)) (n/B)^m without its rational factor."""
        return i * n * POWERS + m if self.symbolic else i * n

    def point(self, value: Fraction) -> int:
        """The n with value = n/B; the grid contains every number that occurs."""
        scaled = value * self.b
        if scaled.denominator != 1:
            raise ValueError(f"{value} does not lie on the grid 1/{self.b}")
        return scaled.numerator

    def rate(self, value: Fraction) -> int:
        """The i with value = i/A."""
        scaled = value * self.a
        if scaled.denominator != 1:
            raise ValueError(f"{value} is not a rate of the grid 1/{self.a}")
        return scaled.numerator

    def number(self, terms: Terms) -> Exponentials:
        """The terms, which depend neither on t nor on epsilon, as a sum of exponentials."""
        found: Exponentials = {}
        if self.symbolic:
            raise ValueError("the constant depends on epsilon")
        for (m, i, j), c in terms.items():
            if m or i:
                raise ValueError("the function is not constant")
            found[Fraction(j, self.a * self.b)] = Fraction(int(c.p), int(c.q))
        return found


def plus(f: Terms, g: Terms, factor: int = 1) -> Terms:
    """f + factor g."""
    if not f and factor == 1:
        return g
    found = dict(f)
    for key, c in g.items():
        value = found.get(key, 0) + factor * c
        if value:
            found[key] = value
        else:
            del found[key]
    return found


def times(f: Terms, g: Terms) -> Terms:
    """f g."""
    if not f or not g:
        return {}
    found: Terms = {}
    for (m, i, j), c in f.items():
        for (n, k, r), d in g.items():
            key = (m + n, i + k, j + r)
            known = found.get(key)
            found[key] = c * d if known is None else known + c * d
    return {key: c for key, c in found.items() if c}


def scaled(f: Terms, factor: fmpq) -> Terms:
    """factor f, for a factor that is not 0."""
    return {key: c * factor for key, c in f.items()}


def derivative(grid: Grid, f: Terms) -> Terms:
    """f'."""
    found: Terms = {}
    for (m, i, j), c in f.items():
        if i:
            found = plus(found, {(m, i, j): c * fmpq(i, grid.a)})
        if m:
            found = plus(found, {(m - 1, i, j): c * m})
    return found


def antiderivative(grid: Grid, f: Terms) -> Terms:
    """A primitive of f without a constant term: by parts, t^m e^(at) = (t^m e^(at)/a)' - (m/a) t^(m-1) e^(at)."""
    found: Terms = {}
    for (m, i, j), c in f.items():
        if not i:
            found = plus(found, {(m + 1, 0, j): c / (m + 1)})
            continue
        inverse = fmpq(grid.a, i)
        part = c * inverse
        for power in range(m, -1, -1):
            found = plus(found, {(power, i, j): part})
            part = part * (-power) * inverse
    return found


def at_point(grid: Grid, f: Terms, n: int) -> Terms:
    """f(n/B) as a constant."""
    found: Terms = {}
    for (m, i, j), c in f.items():
        value = c * fmpq(n, grid.b) ** m if m else c
        if value:
            key = (0, 0, j + grid.constant_index(i, n, m))
            total = found.get(key, 0) + value
            if total:
                found[key] = total
            else:
                del found[key]
    return found


def moved(grid: Grid, f: Terms, n: int) -> Terms:
    """t -> f(t + n/B)."""
    if not n:
        return f
    step, found = fmpq(n, grid.b), Terms()
    for (m, i, j), c in f.items():
        for power in range(m + 1):
            key = (power, i, j + grid.constant_index(i, n, m - power))
            found = plus(found, {key: c * comb(m, power) * step ** (m - power)})
    return found


@dataclass(frozen=True)
class Piecewise:
    """parts[k] applies between cuts[k-1] and cuts[k] (in units of 1/B), the first and the last part out to infinity."""

    grid: Grid
    cuts: tuple[int, ...]
    parts: tuple[Terms, ...]

    def _on(self, cuts: tuple[int, ...]) -> list[Terms]:
        """The parts on a finer partition, which has all of its cuts."""
        found, k = [], 0
        for n in (*cuts, None):
            found.append(self.parts[k])
            if n is not None and k < len(self.cuts) and self.cuts[k] == n:
                k += 1
        return found

    def _with(self, other: Piecewise, parts: list[Terms], cuts: tuple[int, ...]) -> Piecewise:
        return Piecewise(self.grid, cuts, tuple(parts)).joined()

    def joined(self) -> Piecewise:
        """The same function without cuts between equal parts."""
        cuts, parts = list[int](), [self.parts[0]]
        for n, part in zip(self.cuts, self.parts[1:], strict=True):
            if part != parts[-1]:
                cuts.append(n)
                parts.append(part)
        return self if len(cuts) == len(self.cuts) else Piecewise(self.grid, tuple(cuts), tuple(parts))

    def plus(self, other: Piecewise, factor: int = 1) -> Piecewise:
        """self + factor other."""
        cuts = tuple(sorted({*self.cuts, *other.cuts}))
        pairs = zip(self._on(cuts), other._on(cuts), strict=True)
        return self._with(other, [plus(f, g, factor) for f, g in pairs], cuts)

    def times(self, other: Piecewise) -> Piecewise:
        """The product."""
        cuts = tuple(sorted({*self.cuts, *other.cuts}))
        pairs = zip(self._on(cuts), other._on(cuts), strict=True)
        return self._with(other, [times(f, g) for f, g in pairs], cuts)

    def shifted(self, n: int) -> Piecewise:
        """t -> self(t + n/B)."""
        return Piecewise(self.grid, tuple(c - n for c in self.cuts), tuple(moved(self.grid, p, n) for p in self.parts))

    def within(self, low: int | None, high: int | None) -> Piecewise:
        """The function, set to 0 below ``low`` and above ``high``."""
        cuts = tuple(sorted({*self.cuts, *(n for n in (low, high) if n is not None)}))
        parts = self._on(cuts)
        for k in range(len(parts)):
            left = cuts[k - 1] if k else None
            right = cuts[k] if k < len(cuts) else None
            outside_left = low is not None and right is not None and right <= low
            outside_right = high is not None and left is not None and left >= high
            if outside_left or outside_right:
                parts[k] = {}
        return Piecewise(self.grid, cuts, tuple(parts)).joined()

    def cumulative(self) -> Piecewise:
        """t -> the integral from minus infinity to t; the function vanishes there exponentially."""
        grid, below = self.grid, Terms()
        parts = [antiderivative(grid, self.parts[0])]
        if any(i <= 0 for _, i, _ in parts[0]):
            raise ValueError("the function is not integrable at minus infinity")
        for n, part, before in zip(self.cuts, self.parts[1:], self.parts, strict=False):
            del before
            below = at_point(grid, parts[-1], n)
            primitive = antiderivative(grid, part)
            parts.append(plus(primitive, plus(below, at_point(grid, primitive, n), -1)))
        return Piecewise(grid, self.cuts, tuple(parts))

    def integral(self) -> Terms:
        """The integral over all reals, a constant."""
        last = self.cumulative().parts[-1]
        if any(i > 0 or (i == 0 and m > 0) for m, i, _ in last):
            raise ValueError("the function is not integrable at infinity")
        return {key: c for key, c in last.items() if not key[1]}

    def mirrored(self) -> Piecewise:
        """t -> self(-t)."""
        parts = ({(m, -i, j): -c if m % 2 else c for (m, i, j), c in part.items()} for part in reversed(self.parts))
        return Piecewise(self.grid, tuple(-n for n in reversed(self.cuts)), tuple(parts))

    def growing(self, i: int) -> Piecewise:
        """t -> e^(it/A) self(t)."""
        return Piecewise(
            self.grid, self.cuts, tuple({(m, k + i, j): c for (m, k, j), c in p.items()} for p in self.parts)
        )

    def with_laplace(self, i: int) -> Piecewise:
        """d -> the integral of self(t) e^(-|t - d| i/A) i/(2A) over t: noise of the scale A/i is added."""
        left = self.growing(i).cumulative().growing(-i)
        right = self.mirrored().growing(i).cumulative().growing(-i).mirrored()
        whole, half = left.plus(right), fmpq(i, 2 * self.grid.a)
        return Piecewise(self.grid, whole.cuts, tuple(scaled(part, half) for part in whole.parts))

    def regridded(self, a: int, b: int) -> Piecewise:
        """The same function on a finer grid: a and b are multiples of the old A and B."""
        up, fine = a // self.grid.a, b // self.grid.b
        parts = tuple({(m, i * up, j * up * fine): c for (m, i, j), c in part.items()} for part in self.parts)
        return Piecewise(Grid(a, b), tuple(n * fine for n in self.cuts), parts)


def constant(grid: Grid, value: Terms) -> Piecewise:
    """The function with this value everywhere."""
    return Piecewise(grid, (), (value,))
