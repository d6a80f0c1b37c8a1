"""The Laplace family: floored, clipped Laplace noise on cells. Every probability is a polynomial in q = e^(-epsilon/s).

With noise of scale s/epsilon on a count c, F the Laplace distribution function and q = e^(-epsilon/s), the noised
cell floor(c + Lap) clipped into [0, n] has (c, o in 0..n)
    o = n:          1 - F(n - c)          = q^(n-c) / 2
    o = 0:          F(1 - c)              = q^(c-1) / 2   for c >= 1,      1 - q/2   for c = 0
    0 < o < c:      F(o+1-c) - F(o-c)     = q^(c-o-1) (1 - q) / 2
    c <= o < n:                             q^(o-c) (1 - q) / 2.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, log, prod
from typing import ClassVar

from flint import arb_poly, fmpq, fmpq_poly

from dpaudit.mechanisms.base import HISTOGRAM_BYTES, HeavyRow, PosteriorMechanism, Sparse
from dpaudit.mechanisms.closed_form import ClosedForm, Ratio, largest
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.privacy.protocols import Algebra, Law, Mass, Output, Symmetry

MOST_OUTPUTS = 2_000_000
"""The most outputs of a box; a larger one is refused."""
HALF = fmpq_poly([fmpq(1, 2)])
INNER = fmpq_poly([fmpq(1, 2), fmpq(-1, 2)])
CORNER = fmpq_poly([fmpq(1), fmpq(-1, 2)])


@dataclass(frozen=True)
class Monomial:
    """q^exponent * poly(q) exactly, poly one of 1/2, (1-q)/2, 1-q/2 or a product of them."""

    exponent: int
    poly: fmpq_poly

    def __mul__(self, other: Monomial) -> Monomial:
        return Monomial(self.exponent + other.exponent, self.poly * other.poly)

    def over(self, other: Monomial) -> Ratio:
        """self / other as q^a (2-q)^b, exactly."""
        return Ratio.of(self.poly, other.poly, self.exponent - other.exponent)


def cell_law(n: int, c: int, o: int) -> Monomial:
    """Pr[floor(c + Lap(s/epsilon)) clipped into [0, n] equals o], exactly, in q = e^(-epsilon/s)."""
    if o == n:
        return Monomial(n - c, HALF)
    if o == 0:
        return Monomial(c - 1, HALF) if c else Monomial(0, CORNER)
    return Monomial(c - o - 1 if o < c else o - c, INNER)


def _key(poly: fmpq_poly) -> Hashable:
    """The coefficients: equal for equal polynomials, which are not hashable themselves."""
    return tuple(poly.coeffs())


RatioClass = tuple[Ratio, Ball, Ball]


class LaplaceLaw(Law):
    """Rows of the Laplace family: products of cell laws."""

    def __init__(self, mechanism: Laplace) -> None:
        self._mechanism = mechanism
        self._step = mechanism.epsilon / mechanism.unit()
        q = (-ball(self._step)).exp()
        self._powers = [ball(1)]
        for _ in range(mechanism.model.n):
            self._powers.append(self._powers[-1] * q)
        self._values = {_key(poly): arb_poly(poly)(q) for poly in (HALF, INNER, CORNER)}
        self._ratios: dict[tuple[Hashable, Hashable], Ratio] = {}
        self._merged: dict[tuple[int, int], list[RatioClass]] = {}

    def cell(self, c: int) -> list[Ball]:
        """Balls that contain the law of one noised cell with count c."""
        n = self._mechanism.model.n
        return [self._value(cell_law(n, c, o)) for o in range(n + 1)]

    def _value(self, term: Monomial) -> Ball:
        return self._powers[term.exponent] * self._values[_key(term.poly)]

    def probabilities(self, x: Histogram) -> list[Ball]:
        """Balls that contain P_x(o), the product over the noised cells."""
        rows = [self.cell(c) for c in x[: self._mechanism.noised()]]
        return [prod(factors[1:], start=factors[0]) for factors in product(*rows)]

    def masses(self, x: Histogram, y: Histogram) -> list[Mass]:
        """P_x and P_y by classes of equal likelihood ratio: unchanged cells sum out, few classes remain."""
        parts: list[RatioClass] = [(Ratio(0, 0), ball(1), ball(1))]
        for c, d in self._mechanism.changed(x, y):
            joint = [(s * t, p * u, r * v) for s, p, r in parts for t, u, v in self._atoms(c, d)]
            parts = _merge(joint)
        return [Mass(p, r, None if t.corner else -t.q * self._step) for t, p, r in parts]

    def _atoms(self, c: int, d: int) -> list[RatioClass]:
        """The classes of equal ratio of one cell, counts c and d."""
        if (c, d) not in self._merged:
            n = self._mechanism.model.n
            self._merged[c, d] = _merge([self._atom(cell_law(n, c, o), cell_law(n, d, o)) for o in range(n + 1)])
        return self._merged[c, d]

    def _atom(self, u: Monomial, v: Monomial) -> RatioClass:
        key = _key(u.poly), _key(v.poly)
        if key not in self._ratios:
            self._ratios[key] = Ratio.of(u.poly, v.poly, 0)
        base = self._ratios[key]
        return Ratio(base.q + u.exponent - v.exponent, base.corner), self._value(u), self._value(v)


def _heavy(law: list[Ball], tail: Ball) -> tuple[int, list[Ball]]:
    """(start, law[start:stop]) that leaves out at most ``tail``: half of it at either end."""
    cuts = []
    for part in (law, law[::-1]):
        mass, count = part[0], 0
        while count < len(law) - 1 and balls.certainly_at_most(2 * mass, tail):
            count += 1
            mass = mass + part[count]
        cuts.append(count)
    return cuts[0], law[cuts[0] : len(law) - cuts[1]]


def _merge(atoms: list[RatioClass]) -> list[RatioClass]:
    """The atoms with those of the same ratio added up."""
    merged: dict[Ratio, tuple[Ball, Ball]] = {}
    for ratio, p, r in atoms:
        old = merged.get(ratio)
        merged[ratio] = (old[0] + p, old[1] + r) if old else (p, r)
    return [(ratio, p, r) for ratio, (p, r) in merged.items()]


@dataclass(frozen=True)
class Laplace(PosteriorMechanism):
    """Independent noise Lap(unit/epsilon), floored and clipped, on the first cells; a subclass says how much."""

    last_is_derived: ClassVar[bool] = True
    """Whether the last cell is derived from the others instead of noised."""

    @abstractmethod
    def unit(self) -> int:
        """s: the scale of the noise is s/epsilon."""

    def noised(self) -> int:
        """The number of noised cells."""
        return self.model.k - self.last_is_derived

    def law(self) -> LaplaceLaw:
        """The law at the precision in force."""
        return LaplaceLaw(self)

    def outputs(self) -> Sequence[Output]:
        """All vectors of noised cells, in lexicographic order."""
        return list(product(range(self.model.n + 1), repeat=self.noised()))

    def count_outputs(self) -> int:
        """(n+1)^(number of noised cells)."""
        return int((self.model.n + 1) ** self.noised())

    def memory(self) -> int:
        """The bytes for the histograms and the merged cell laws: an audit keeps no rows of outputs."""
        return 2000 * (self.model.n + 1) + HISTOGRAM_BYTES * self.model.size

    def released(self, output: Output) -> Histogram:
        """The output, with the last cell n - sum clipped into [0, n] where it is derived."""
        if not self.last_is_derived:
            return tuple(output)
        return (*output, min(max(self.model.n - sum(output), 0), self.model.n))

    def changed(self, x: Histogram, y: Histogram) -> list[tuple[int, int]]:
        """(x_i, y_i) for the noised cells in which the data sets differ, sorted."""
        m = self.noised()
        return sorted((c, d) for c, d in zip(x[:m], y[:m], strict=True) if c != d)

    def symmetry(self) -> Symmetry:
        """The pairs with the same changed noised cells: the others have the same law and cancel.

        Every data set represents only itself: the last cell may be special, and the prior does not matter.
        """
        return Symmetry(self.datasets, lambda x, y: tuple(self.changed(x, y)))

    def polynomial(self, x: Histogram, output: Output) -> Monomial:
        """P_x(output) exactly, as a polynomial in q."""
        terms = [cell_law(self.model.n, c, o) for c, o in zip(x, output, strict=False)]
        return prod(terms[1:], start=terms[0])

    def exact_probability(self, x: Histogram, output: Output) -> Sparse:
        """P_x(output) as a polynomial in q = e^(-epsilon/s)."""
        term = self.polynomial(x, output)
        pairs = ((term.exponent + i, Fraction(int(c.p), int(c.q))) for i, c in enumerate(term.poly.coeffs()))
        return {exponent: c for exponent, c in pairs if c}

    def row(self, x: Histogram, tail: Fraction, most: int) -> HeavyRow:
        """All outputs, or beyond ``most`` those in a box around x that leaves out at most ``tail``."""
        if self.count_outputs() <= most:
            return super().row(x, tail, most)
        law = self.law()
        cells = [_heavy(law.cell(c), ball(tail / self.noised())) for c in x[: self.noised()]]
        size = prod(len(part) for _, part in cells)
        if size > MOST_OUTPUTS:
            rule = (
                f"{size} outputs carry all but {at_most(tail, 1)} of the probability; take a larger eps or fewer digits"
            )
            raise InputError("digits", "(too many)", rule)
        kept = prod((balls.total(part) for _, part in cells), start=ball(1))
        outputs = list(product(*(range(start, start + len(part)) for start, part in cells)))
        return HeavyRow(outputs, [prod(p[1:], start=p[0]) for p in product(*(part for _, part in cells))], 1 - kept)

    def row_size(self, tail: Fraction, most: int) -> int:
        """All outputs, or beyond ``most`` about the box: noise beyond m s has probability e^(-epsilon m)."""
        if self.count_outputs() <= most:
            return self.count_outputs()
        reach = ceil(self.unit() / self.epsilon * ceil(log(self.noised() / tail)))
        return int(min(self.model.n + 1, 2 * reach + 1) ** self.noised())

    def row_memory(self, tail: Fraction, most: int) -> int:
        """The memory for the laws of the cells and the listed outputs, at most the row's limit, in bytes."""
        return 2000 * (self.model.n + 1) + HISTOGRAM_BYTES * min(self.row_size(tail, most), MOST_OUTPUTS)

    def count_masses(self) -> int:
        """A bound: outputs with the same likelihood ratio are merged, a few remain for each changed cell."""
        return self.counts().pairs * 36

    def point(self, x: Histogram, output: Output) -> Ball:
        """A ball that contains P_x(output), without listing the others."""
        term, q = self.polynomial(x, output), (-ball(self.epsilon / self.unit())).exp()
        return q**term.exponent * arb_poly(term.poly)(q)

    def algebra(self) -> LaplaceAlgebra:
        """The algebra of the losses, from polynomials in q."""
        return LaplaceAlgebra(self)

    def representatives(self) -> Iterator[tuple[Histogram, Histogram, Output]]:
        """Yields adjacent (x, y) and outputs that have all the likelihood ratios there are.

        The ratio of the laws of c and d = c +- 1 at o depends only on where o lies (0, below, at, above, n) and on
        whether c or d is 0, so a few representatives stand for all pairs and outputs.
        """
        for x, y in self._pairs():
            for output in product(*self._spots(x, y)):
                yield x, y, output
                yield y, x, output

    def _pairs(self) -> Iterator[tuple[Histogram, Histogram]]:
        """Yields data sets that differ by one unit moved: between the first two cells, and from the first to the last.

        The rest lies in the last cell. With k = 2 the two kinds are one.
        """
        n, k = self.model.n, self.model.k
        few = sorted({1, min(2, n), n})
        for down, up in product(few, sorted({0, min(1, n - 1), n - 1})):
            rest = n - down - up
            if k > 2 and rest >= 0:
                empty = (0,) * (k - 3)
                yield (down, up, *empty, rest), (down - 1, up + 1, *empty, rest)
            elif rest == 0:
                yield (down, up), (down - 1, up + 1)
        if k > 2:
            empty = (0,) * (k - 2)
            for down in few:
                yield (down, *empty, n - down), (down - 1, *empty, n - down + 1)

    def _spots(self, x: Histogram, y: Histogram) -> list[list[int]]:
        """For every noised cell, outputs that represent all: the ends and around the count; one if unchanged."""
        n = self.model.n
        around = ({0, 1, c - 1, c, c + 1, n - 1, n} if c != d else {0} for c, d in zip(x, y, strict=True))
        return [sorted(o for o in spots if 0 <= o <= n) for spots in around][: self.noised()]

    def ratio(self, x: Histogram, y: Histogram, output: Output) -> Ratio:
        """P_x(output) / P_y(output) exactly; cells with the same count cancel."""
        n, result = self.model.n, Ratio(0, 0)
        for c, d, o in zip(x, y, output, strict=False):
            if c != d:
                result = result * cell_law(n, c, o).over(cell_law(n, d, o))
        return result


@dataclass(frozen=True)
class LaplaceAlgebra(Algebra):
    """The losses of the Laplace family, from likelihood ratios q^a (2-q)^b."""

    mechanism: Laplace

    @property
    def exact_losses(self) -> bool:  # type: ignore[override]
        """Whether ties are left to the masses: where there is no closed form."""
        return self.mechanism.adjacency != REPLACE_ONE

    def worst(self) -> ClosedForm | None:
        """The worst-case loss for every epsilon > 0, proved by polynomial identities in q.

        The candidates are those of ``representatives``, which replace one record.
        """
        m = self.mechanism
        if m.adjacency != REPLACE_ONE:
            return None
        ratio, witness = largest([(m.ratio(*witness), witness) for witness in m.representatives()])
        return ClosedForm(*witness, m.epsilon, m.unit(), ratio)

    def loss(self, x: Histogram, y: Histogram, output: Output) -> Fraction | None:
        """The loss where the ratio is a power of q."""
        ratio = self.mechanism.ratio(x, y, output)
        return None if ratio.corner else -ratio.q * self.mechanism.epsilon / self.mechanism.unit()


@dataclass(frozen=True)
class LSZhang(Laplace):
    """Noise Lap(2/epsilon) on every cell (N0 Algorithm 1)."""

    name: ClassVar[str] = "LSZhang"
    summary: ClassVar[str] = "noisy counts, each clamped"
    formula: ClassVar[str] = "cells 1…k: ⌊cᵢ + Lap(2/ε)⌋ clipped into [0,n]"
    source: ClassVar[str] = "N0 Algorithm 1"
    last_is_derived: ClassVar[bool] = False

    def unit(self) -> int:
        """2."""
        return 2


@dataclass(frozen=True)
class LSDim(Laplace):
    """Noise Lap(k/epsilon) on all cells but the last (N4 Algorithm 1)."""

    name: ClassVar[str] = "LSDim"
    summary: ClassVar[str] = "noisy counts, scale k/ε"
    formula: ClassVar[str] = "cells 1…k−1: ⌊cᵢ + Lap(k/ε)⌋ clipped into [0,n]; last cell n − Σ, clipped"
    source: ClassVar[str] = "N4 Algorithm 1"

    def unit(self) -> int:
        """k."""
        return self.model.k


@dataclass(frozen=True)
class LSHist(Laplace):
    """Noise Lap(1/epsilon) if k = 2, else Lap(2/epsilon), on all cells but the last (N4 Algorithm 2)."""

    name: ClassVar[str] = "LSHist"
    summary: ClassVar[str] = "noisy counts, scale 2/ε"
    formula: ClassVar[str] = (
        "cells 1…k−1: ⌊cᵢ + Lap(s/ε)⌋ clipped into [0,n], s = 1 if k = 2 else 2; last n − Σ, clipped"
    )
    source: ClassVar[str] = "N4 Algorithm 2"

    def unit(self) -> int:
        """1 for k = 2, else 2."""
        return 1 if self.model.k == 2 else 2
