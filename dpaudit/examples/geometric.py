"""The truncated geometric mechanism (Ghosh, Roughgarden, Sundararajan 2009): a noised count, clipped into 0..n."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.numbers.expressions import Value, exp


class TruncatedGeometric:
    """Adds noise P(z) ∝ q^|z|, q = e^(−ε), to a count and clips the sum into 0…n."""

    name = "truncated geometric"
    change = 1
    """By how much one record can change the count."""
    scale = 1
    """The noise is calibrated to this sensitivity: q = e^(−ε/scale)."""

    def __init__(self, epsilon: Fraction, n: int = 10) -> None:
        self.epsilon, self.n = epsilon, n
        self.q = exp(-epsilon / self.scale)

    def datasets(self) -> list[int]:
        """The true counts."""
        return list(range(self.n + 1))

    def neighbors(self, x: int) -> list[int]:
        """The counts that one record more, less or other leads to."""
        return [y for y in self.datasets() if 0 < abs(x - y) <= self.change]

    def outputs(self) -> list[int]:
        """The counts."""
        return list(range(self.n + 1))

    def probability(self, x: int, r: int) -> Value:
        """q^|x−r| / (1 + q) at the ends, where the tails are gathered, and (1 − q) times that inside."""
        at_end = r in (0, self.n)
        return self.q ** abs(x - r) * (1 if at_end else 1 - self.q) / (1 + self.q)

    def claimed(self) -> Fraction:
        """ε."""
        return self.epsilon


class WrongSensitivity(TruncatedGeometric):
    """Buggy: one record can change the count by 2 (both directions of an edge), the noise is for a change of 1."""

    name = "truncated geometric, noise for the wrong sensitivity"
    change = 2
