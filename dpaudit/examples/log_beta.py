"""A slip from life: ln B(a) = Σ ln Γ(a_i) − ln Γ(Σ a_i), coded as Σ ln Γ(a_i) divided by ln Σ a_i.

Both mechanisms release a Beta posterior for n binary records by P(r) ∝ exp(−ε·H(x, r) / (2·GS)), H the Hellinger
distance of the posteriors. In the buggy one the sensitivity GS comes from the wrong ln B: it is too small, and so is
the noise.
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit.numbers.expressions import Value, exp, log, log_gamma, sqrt

Pair = tuple[Fraction, Fraction]


def log_beta(a: Pair) -> Value:
    """ln B(a)."""
    return log_gamma(a[0]) + log_gamma(a[1]) - log_gamma(a[0] + a[1])


def slipped_log_beta(a: Pair) -> Value:
    """What the slip makes of it."""
    return (log_gamma(a[0]) + log_gamma(a[1])) / log(a[0] + a[1])


class PosteriorRelease:
    """Releases Beta(1 + r, 1 + n − r) with P(r) ∝ exp(−ε·H(x, r) / (2·GS))."""

    name = "Beta posterior, by the exponential mechanism"
    log_beta_for_sensitivity = staticmethod(log_beta)

    def __init__(self, epsilon: Fraction, n: int = 20) -> None:
        self.epsilon, self.n = epsilon, n
        # No two neighbors are farther apart than (0, n) and (1, n − 1).
        self.gs = self.distance(0, 1, self.log_beta_for_sensitivity)

    def datasets(self) -> list[int]:
        """The number of ones among the records."""
        return list(range(self.n + 1))

    def neighbors(self, x: int) -> list[int]:
        """One more and one less."""
        return [y for y in (x - 1, x + 1) if 0 <= y <= self.n]

    def outputs(self) -> list[int]:
        """The numbers of ones that a release can stand for."""
        return list(range(self.n + 1))

    def distance(self, x: int, r: int, log_b=log_beta) -> Value:  # type: ignore[no-untyped-def]
        """H = √(1 − B((a+b)/2) / √(B(a)·B(b)))."""
        if x == r:
            return Fraction(0)
        a, b = ((Fraction(1 + c), Fraction(1 + self.n - c)) for c in (x, r))
        middle = ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2)
        return sqrt(1 - exp(log_b(middle) - (log_b(a) + log_b(b)) / 2))

    def log_weight(self, x: int, r: int) -> Value:
        """−ε·H(x, r) / (2·GS)."""
        return -self.epsilon * self.distance(x, r) / (2 * self.gs)

    def claimed(self) -> Fraction:
        """ε."""
        return self.epsilon


class LogBetaSlip(PosteriorRelease):
    """Buggy: the sensitivity is computed with the slipped ln B."""

    name = "Beta posterior, sensitivity from a slipped log-Beta"
    log_beta_for_sensitivity = staticmethod(slipped_log_beta)
