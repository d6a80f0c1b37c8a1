"""A count with discrete Laplace noise, given by its code: ``sample``, no table of probabilities."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from dpaudit.examples.exact_noise import discrete_laplace


class DiscreteLaplace:
    """Adds z with P(z) ∝ e^(−ε|z|) to a count; drawn from random whole numbers only."""

    name = "discrete Laplace, by its code"

    def __init__(self, epsilon: Fraction, n: int = 2) -> None:
        self.epsilon, self.n = epsilon, n

    def datasets(self) -> list[int]:
        """The true counts."""
        return list(range(self.n + 1))

    def neighbors(self, x: int) -> list[int]:
        """The counts that one record more or less leads to."""
        return [y for y in (x - 1, x + 1) if 0 <= y <= self.n]

    def sample(self, x: int, rng: Random) -> int:
        """The noised count."""
        return x + discrete_laplace(self.epsilon.numerator, self.epsilon.denominator, rng)

    def claimed(self) -> tuple[Fraction, str]:
        """(ε, 10⁻¹⁵): the tails are endless, so that no finite audit of the code sees all of them."""
        return self.epsilon, "1e-15"


class ClippedDiscreteLaplace(DiscreteLaplace):
    """The same, clipped into 0…n."""

    name = "clipped discrete Laplace, by its code"

    def sample(self, x: int, rng: Random) -> int:
        """The noised count, clipped."""
        return min(self.n, max(0, super().sample(x, rng)))

    def outputs(self) -> list[int]:
        """The counts."""
        return self.datasets()
