"""Report noisy max on a small domain: noise on every count, then the name of the largest is released."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product
from math import prod

from dpaudit.numbers.expressions import Value, exp

Counts = tuple[int, ...]


class ReportNoisyMax:
    """Adds noise z = 0, 1, 2, … with P(z) ∝ e^(−εz/2) to k counts and names the largest, the first one of equals."""

    name = "report noisy max"

    def __init__(self, epsilon: Fraction, n: int = 2, k: int = 3) -> None:
        self.epsilon, self.n, self.k = epsilon, n, k

    def q(self, power: int) -> Value:
        """e^(−ε·power/2): twice the noise of a single count, however many counts there are."""
        return exp(-self.epsilon * power / 2)

    def datasets(self) -> list[Counts]:
        """All vectors of k counts in 0…n."""
        return list(product(range(self.n + 1), repeat=self.k))

    def neighbors(self, x: Counts) -> list[Counts]:
        """The vectors that one record leads to: it can change every count by at most 1."""
        return [y for y in self.datasets() if max(abs(a - b) for a, b in zip(x, y, strict=True)) == 1]

    def outputs(self) -> list[int]:
        """The numbers of the counts, 1…k."""
        return list(range(1, self.k + 1))

    def probability(self, x: Counts, r: int) -> Value:
        """Σ_v P(count r becomes v) ∏ P(the others stay below v, or at most v if they come after r).

        Nothing happens below the largest count; from there on, with the product multiplied out over the subsets of
        the others, every part is a geometric series in v with ratio q^(1 + size of the subset).
        """
        top = max(x)
        gaps = [top - c + int(j > r) for j, c in enumerate(x, start=1) if j != r]
        total: Value = Fraction(0)
        for size in range(self.k):
            for subset in combinations(gaps, size):
                start = (-1) ** size * self.q(top - x[r - 1] + sum(subset))
                total = total + start * (1 - self.q(1)) / (1 - self.q(1 + size))
        return total

    def claimed(self) -> Fraction:
        """ε."""
        return self.epsilon


class ClippedNoisyMax(ReportNoisyMax):
    """Buggy: two-sided noise P(z) ∝ e^(−ε|z|/2), but the noised counts are clipped into 0…n before the comparison.

    Each noised count alone is as private as ever; the proof for the maximum alone needs noise that can always be
    one larger, and the clipping takes that away.
    """

    name = "report noisy max of clipped counts"

    def at_most(self, c: int, v: int) -> Value:
        """The probability that the noised count c, clipped into 0…n, is at most v."""
        if v < 0 or v >= self.n:
            return Fraction(int(v >= 0))
        tail = self.q(c - v if v < c else v + 1 - c) / (1 + self.q(1))
        return tail if v < c else 1 - tail

    def probability(self, x: Counts, r: int) -> Value:
        """The same sum, over v = 0…n."""
        total: Value = Fraction(0)
        for v in range(self.n + 1):
            here = self.at_most(x[r - 1], v) - self.at_most(x[r - 1], v - 1)
            before = [self.at_most(c, v - 1) for c in x[: r - 1]]
            after = [self.at_most(c, v) for c in x[r:]]
            total = total + here * prod(before + after, start=Fraction(1))
        return total
