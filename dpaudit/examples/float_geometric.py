"""Geometric noise as libraries draw it: one float, a logarithm, a floor. The code is audited, with its 53 bits."""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random


class FloatGeometric:
    """Adds two-sided geometric noise, P(z) ∝ e^(−ε|z|) in theory, by the inverse of the distribution in floats."""

    name = "geometric noise from one float"

    def __init__(self, epsilon: Fraction, n: int = 2) -> None:
        self.epsilon, self.n = epsilon, n

    def datasets(self) -> list[int]:
        """The true counts."""
        return list(range(self.n + 1))

    def neighbors(self, x: int) -> list[int]:
        """The counts that one record more or less leads to."""
        return [y for y in (x - 1, x + 1) if 0 <= y <= self.n]

    def sample(self, x: int, rng: Random) -> int:
        """The noised count; log(0) is an exception, with probability 2⁻⁵³."""
        rate = float(self.epsilon)
        u = (rng.random() - 0.5) * (1 + math.exp(-rate))
        size = math.floor(math.log(abs(u)) / -rate)
        return x + size if u >= 0 else x - size

    def claimed(self) -> Fraction:
        """ε, as the theory has it."""
        return self.epsilon
