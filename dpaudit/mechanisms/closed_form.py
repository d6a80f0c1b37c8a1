"""Likelihood ratios of the Laplace family in closed form, compared by exact polynomial algebra on 0 < q < 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any, TypeVar

from flint import fmpq_poly

from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.symbolic import epsilon
from dpaudit.privacy.protocols import ClosedLoss

T = TypeVar("T")
Q = fmpq_poly([0, 1])
CORNER = fmpq_poly([2, -1])
ONE_MINUS_Q = fmpq_poly([1, -1])


@dataclass(frozen=True)
class Ratio:
    """The function q^(self.q) (2 - q)^(self.corner) on 0 < q < 1."""

    q: int
    corner: int

    def __mul__(self, other: Ratio) -> Ratio:
        return Ratio(self.q + other.q, self.corner + other.corner)

    @staticmethod
    def of(numerator: fmpq_poly, denominator: fmpq_poly, exponent: int) -> Ratio:
        """q^exponent numerator/denominator as q^a (2-q)^b; an error if it does not have that form."""
        common = numerator.gcd(denominator)
        top, a, b = _strip(numerator // common)
        bottom, c, d = _strip(denominator // common)
        if top.degree() > 0 or bottom.degree() > 0 or top != bottom:
            raise ArithmeticError("a likelihood ratio is not of the form q^a (2-q)^b")
        return Ratio(exponent + a - c, b - d)


def _strip(poly: fmpq_poly) -> tuple[fmpq_poly, int, int]:
    """(rest, a, b) with poly = rest q^a (2-q)^b and rest divisible by neither."""
    counts = []
    for factor in (Q, CORNER):
        count = 0
        while poly.degree() > 0 and not poly % factor:
            poly, count = poly // factor, count + 1
        counts.append(count)
    return poly, counts[0], counts[1]


def positive_on_unit_interval(poly: fmpq_poly, most: int = 64) -> bool:
    """True only if poly(q) > 0 for every 0 < q < 1: a proof by Bernstein coefficients.

    Factors q and 1-q are divided out first; the rest is written in Bernstein form of rising degree, all of whose
    coefficients must be >= 0 and not all 0.
    """
    for factor in (Q, ONE_MINUS_Q):
        while poly.degree() > 0 and not poly % factor:
            poly = poly // factor
    coefficients = list(poly)
    for degree in range(max(poly.degree(), 0), most + 1):
        bernstein = [
            sum(coefficients[i] * comb(j, i) / comb(degree, i) for i in range(min(j, poly.degree()) + 1))
            for j in range(degree + 1)
        ]
        if all(b >= 0 for b in bernstein):
            return any(b > 0 for b in bernstein)
        if bernstein[0] < 0 or bernstein[-1] < 0:
            return False
    return False


def at_most(a: Ratio, b: Ratio) -> bool:
    """True only if a(q) <= b(q) for every 0 < q < 1, by algebra."""
    if a == b:
        return True
    q, corner = a.q - b.q, a.corner - b.corner
    left = Q ** max(q, 0) * CORNER ** max(corner, 0)
    right = Q ** max(-q, 0) * CORNER ** max(-corner, 0)
    return positive_on_unit_interval(right - left)


def largest(candidates: Sequence[tuple[Ratio, T]]) -> tuple[Ratio, T]:
    """The first candidate whose ratio is >= every other for all 0 < q < 1; there must be one."""
    distinct = {ratio for ratio, _ in candidates}
    for ratio, tag in candidates:
        if all(at_most(other, ratio) for other in distinct):
            return ratio, tag
    raise ArithmeticError("no likelihood ratio is the largest for every q")


@dataclass(frozen=True)
class ClosedForm(ClosedLoss):
    """Worst-case loss = -a epsilon/s + b ln(2 - e^(-epsilon/s)) for the ratio q^a (2-q)^b, q = e^(-epsilon/s).

    It holds for every epsilon > 0.
    """

    epsilon: Fraction
    unit: int
    ratio: Ratio

    def ball(self) -> Ball:
        """A ball that contains the worst-case loss at this epsilon."""
        step = ball(self.epsilon / self.unit)
        return -self.ratio.q * step + self.ratio.corner * (2 - (-step).exp()).log()

    def rational(self) -> Fraction | None:
        """The loss exactly where it is a rational number (no logarithm), else None."""
        return None if self.ratio.corner else -self.ratio.q * self.epsilon / self.unit

    def text(self) -> str:
        """The value at this epsilon: "2/3", or "1/2 + ln(2 - e^(-1/2))"."""
        step = self.epsilon / self.unit
        return self._join(str(-self.ratio.q * step) if self.ratio.q else "", f"e^(-{step})")

    def symbolic(self) -> str:
        """The value for every epsilon: "2/3 eps", or "1/2 eps + ln(2 - e^(-1/2 eps))"."""
        multiple = Fraction(-self.ratio.q, self.unit)
        shown = "" if multiple == 1 else f"{multiple} "
        step = "" if self.unit == 1 else f"{Fraction(1, self.unit)} "
        return self._join(f"{shown}eps" if multiple else "", f"e^(-{step}eps)")

    def _join(self, linear: str, q: str) -> str:
        factor = "" if self.ratio.corner == 1 else f"{self.ratio.corner} "
        parts = [linear] if linear else []
        if self.ratio.corner:
            parts.append(f"{factor}ln(2 - {q})")
        return " + ".join(parts) or "0"

    def sympy(self) -> Any:
        """The worst-case loss as a sympy expression in the positive symbol ``epsilon``."""
        import sympy  # type: ignore[import-untyped]

        step = epsilon() / self.unit
        return -self.ratio.q * step + self.ratio.corner * sympy.log(2 - sympy.exp(-step))
