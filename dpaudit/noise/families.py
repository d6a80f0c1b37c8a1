"""The distributions of a draw: densities in the closed class, or what replaces them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from dpaudit.noise.pieces import Grid, Piecewise
from dpaudit.numbers.exponentials import Exponentials, Form

Window = tuple[Fraction | None, Fraction | None]
"""The interval from the first to the second number; None is an infinite end."""
EVERYWHERE: Window = (None, None)


@dataclass(frozen=True, order=True)
class Family:
    """A centered distribution: ``kind`` with one scale, mirrored if ``sign`` is -1; uniform noise has two ends."""

    kind: str
    scale: Fraction
    other: Fraction = Fraction(0)
    sign: int = 1

    @property
    def discrete(self) -> bool:
        """Whether every draw is a whole number."""
        return self.kind.startswith("discrete")

    @property
    def closed(self) -> bool:
        """Whether the density lies in the closed class."""
        return self.kind in ("laplace", "exponential", "uniform")

    def support(self) -> Window:
        """The smallest interval with probability 1."""
        if self.kind == "uniform":
            return self.scale, self.other
        if self.kind == "exponential":
            return (Fraction(0), None) if self.sign > 0 else (None, Fraction(0))
        return EVERYWHERE

    def times(self, factor: Fraction) -> Family:
        """The distribution of ``factor`` times a draw; the factor is not 0."""
        if self.kind == "uniform":
            low, high = sorted((self.scale * factor, self.other * factor))
            return Family("uniform", low, high)
        turned = self.sign * (1 if factor > 0 else -1) if self.kind == "exponential" else 1
        return Family(self.kind, self.scale * abs(factor), self.other, turned)

    def rate(self) -> Fraction:
        """The rate of the exponentials in the density; 0 where there are none."""
        return 1 / self.scale if self.kind in ("laplace", "exponential") else Fraction(0)

    def density(self, grid: Grid) -> Piecewise:
        """The density; the family is ``closed`` and the grid has its rate and its ends."""
        if self.kind == "uniform":
            low, high = grid.point(self.scale), grid.point(self.other)
            height = 1 / (self.other - self.scale)
            return Piecewise(grid, (low, high), ({}, {(0, 0, 0): _number(height)}, {}))
        i, height = grid.rate(self.rate()), self.rate()
        if self.kind == "laplace":
            half = _number(height / 2)
            return Piecewise(grid, (0,), ({(0, i, 0): half}, {(0, -i, 0): half}))
        right: tuple[dict[tuple[int, int, int], fmpq], ...] = ({}, {(0, -i, 0): _number(height)})
        left: tuple[dict[tuple[int, int, int], fmpq], ...] = ({(0, i, 0): _number(height)}, {})
        return Piecewise(grid, (0,), right if self.sign > 0 else left)


def _number(value: Fraction) -> fmpq:
    return fmpq(value.numerator, value.denominator)


def discrete_laplace_window(scale: Fraction, low: int | None, high: int | None) -> Form:
    """P(low <= K <= high) for P(K = k) = (1 - q)/(1 + q) q^|k|, q = e^(-1/scale): a quotient of exponentials."""
    whole: Exponentials = {Fraction(0): Fraction(1), -1 / scale: Fraction(1)}

    def from_(n: int | None, infinite: bool) -> Exponentials:
        """(1 + q) P(K >= n); n = None is an infinite end."""
        if n is None:
            return {} if infinite else whole
        if n >= 1:
            return {-n / scale: Fraction(1)}
        return _minus(whole, {-(1 - n) / scale: Fraction(1)})

    return _minus(from_(low, False), from_(None if high is None else high + 1, True)), whole


def _minus(a: Exponentials, b: Exponentials) -> Exponentials:
    found = dict(a)
    for exponent, c in b.items():
        found[exponent] = found.get(exponent, Fraction(0)) - c
    return {exponent: c for exponent, c in found.items() if c}
