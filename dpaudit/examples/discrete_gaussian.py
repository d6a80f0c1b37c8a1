"""A count with discrete Gaussian noise, given by its code."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from dpaudit.examples.exact_noise import discrete_gaussian


class DiscreteGaussian:
    """Adds z with P(z) ∝ e^(−z²/(2σ²)), σ² = variance, to a count; drawn from random whole numbers only."""

    name = "discrete Gaussian, by its code"

    def __init__(self, variance: Fraction = Fraction(1), n: int = 2) -> None:
        self.variance, self.n = Fraction(variance), n

    def datasets(self) -> list[int]:
        """The true counts."""
        return list(range(self.n + 1))

    def neighbors(self, x: int) -> list[int]:
        """The counts that one record more or less leads to."""
        return [y for y in (x - 1, x + 1) if 0 <= y <= self.n]

    def sample(self, x: int, rng: Random) -> int:
        """The noised count."""
        return x + discrete_gaussian(self.variance.numerator, self.variance.denominator, rng)
