"""The exponential mechanism (McSherry, Talwar 2007) with any integer score."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

Records = tuple[int, ...]


class MostCommon:
    """Chooses a value with P(r) ∝ exp(ε·score(x, r) / (2Δ)); here the score is how often r occurs, and Δ = 1.

    For another choice problem, change records, choices and score; ``sensitivity`` is the most that one record can
    change any score.
    """

    name = "most common value, by the exponential mechanism"
    sensitivity = 1

    def __init__(self, epsilon: Fraction, n: int = 3, k: int = 3) -> None:
        self.epsilon, self.n, self.k = epsilon, n, k

    def datasets(self) -> list[Records]:
        """All sorted vectors of n records with values 1…k."""
        return [x for x in product(range(1, self.k + 1), repeat=self.n) if list(x) == sorted(x)]

    def neighbors(self, x: Records) -> list[Records]:
        """The data sets in which one record is replaced."""
        swaps = {tuple(sorted((*x[:i], v, *x[i + 1 :]))) for i in range(self.n) for v in range(1, self.k + 1)}
        return sorted(swaps - {x})

    def outputs(self) -> list[int]:
        """The values 1…k."""
        return list(range(1, self.k + 1))

    def score(self, x: Records, r: int) -> int:
        """A whole number; the larger, the better r for x."""
        return x.count(r)

    def log_weight(self, x: Records, r: int) -> Fraction:
        """ε·score / (2Δ)."""
        return self.epsilon * self.score(x, r) / (2 * self.sensitivity)

    def claimed(self) -> Fraction:
        """ε."""
        return self.epsilon


class Median(MostCommon):
    """Chooses a value near the median: the score is minus the distance in rank from the middle, doubled; Δ = 2."""

    name = "median, by the exponential mechanism"
    sensitivity = 2

    def score(self, x: Records, r: int) -> int:
        """−|number below r − number above r|, which one record changes by at most 2."""
        return -abs(sum(v < r for v in x) - sum(v > r for v in x))
