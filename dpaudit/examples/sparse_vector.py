"""A sparse vector technique that is known to be broken: the threshold is noised, the queries are not.

Lyu, Su, Li (2017), "Understanding the sparse vector technique for differential privacy", Algorithm 5 (Stoddard and
others, 2014): not differentially private for any finite epsilon.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from dpaudit.numbers.expressions import Value, exp

Answers = tuple[int, ...]


class BrokenSparseVector:
    """Says for every query whether its answer reaches a noised threshold; the same threshold, no noise on answers."""

    name = "sparse vector without noise on the queries"

    def __init__(self, epsilon: Fraction, n: int = 2, k: int = 2) -> None:
        self.epsilon, self.n, self.k = epsilon, n, k

    def datasets(self) -> list[Answers]:
        """The true answers of k counting queries, each in 0…n."""
        return list(product(range(self.n + 1), repeat=self.k))

    def neighbors(self, x: Answers) -> list[Answers]:
        """The answers that one record leads to: every one may change by 1."""
        return [y for y in self.datasets() if max(abs(a - b) for a, b in zip(x, y, strict=True)) == 1]

    def outputs(self) -> list[str]:
        """All patterns of "above" (+) and "below" (-)."""
        return ["".join(signs) for signs in product("+-", repeat=self.k)]

    def threshold(self, t: int) -> Value:
        """The probability of threshold t in 0…n: geometric noise, q = e^(−ε/2), on the middle, clipped."""
        q, middle = exp(-self.epsilon / 2), self.n // 2
        at_end = t in (0, self.n)
        return q ** abs(t - middle) * (1 if at_end else 1 - q) / (1 + q)

    def probabilities(self, x: Answers) -> dict[str, Value]:
        """The law of the pattern: the sum over all thresholds."""
        law: dict[str, Value] = {}
        for t in range(self.n + 1):
            pattern = "".join("+" if answer >= t else "-" for answer in x)
            law[pattern] = law.get(pattern, Fraction(0)) + self.threshold(t)
        return law

    def claimed(self) -> Fraction:
        """ε, as published."""
        return self.epsilon
