"""Noise added to a number, with finitely many losses: outputs with the same loss are one, so the law is a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.mechanisms.named.base import SENSITIVITY, WHOLE_SENSITIVITY, Named, count, optional
from dpaudit.numbers.expressions import Value, exp
from dpaudit.numbers.rationals import probability

N = count("n", "10", 1, 10_000, "the number of records: counts and outputs are 0…n", ("1", "2", "5"))


@dataclass(frozen=True)
class DiscreteLaplace(Named):
    """A count plus a whole number z with probability proportional to q^|z|, q = e^(-epsilon/sensitivity).

    *One pair stands for all.* For counts at distance d the losses lie between -d ln(1/q) and d ln(1/q), and delta at t
    is sum over z of (q^|z| - e^t q^|z-d|)+ times a constant. The noise is log-concave, so q^|z|/q^|z-d| falls with z
    and the sum runs over all z <= m: delta = max over m of F(m) - e^t F(m - d), which does not fall as d grows.

    *Classes.* With d the sensitivity, all z <= 0 have the loss epsilon, all z >= d have -epsilon.
    """

    epsilon: Fraction = Fraction(1)
    sensitivity: int = 1
    name: ClassVar[str] = "discrete-laplace"
    summary: ClassVar[str] = "a count plus geometric noise"
    formula: ClassVar[str] = "x + z, P(z) ∝ e^(−ε|z|/Δ) for whole z"
    source: ClassVar[str] = "Ghosh, Roughgarden, Sundararajan 2012"
    covers: ClassVar[str] = "the two counts are Δ apart, which stands for every smaller distance"
    closed: ClassVar[str] = "true ε = ε; for Δ = 1, δ(t) = (1 − e^(t−ε))/(1 + e^(−ε))"
    parameters: ClassVar[tuple[Parameter, ...]] = (WHOLE_SENSITIVITY,)
    event: ClassVar[str | None] = "discrete-laplace:eps={epsilon},sensitivity={sensitivity}"

    def datasets(self) -> Sequence[int]:
        """Two counts."""
        return [0, self.sensitivity]

    def outputs(self) -> Sequence[str]:
        """The whole numbers by their loss."""
        return ["≤ 0", *map(str, range(1, self.sensitivity)), f"≥ {self.sensitivity}"]

    def probabilities(self, x: int) -> list[Value]:
        """The probability of each class: a geometric sum at both ends."""
        d = self.sensitivity
        q = exp(-self.epsilon / d)
        return [
            exp(-self.epsilon * x / d) / (1 + q),
            *((1 - q) / (1 + q) * exp(-self.epsilon * abs(z - x) / d) for z in range(1, d)),
            exp(-self.epsilon * (d - x) / d) / (1 + q),
        ]

    def claimed(self) -> Fraction:
        """epsilon."""
        return self.epsilon

    def closed_epsilon(self) -> Value:
        """epsilon."""
        return self.epsilon

    def closed_delta(self, at: Fraction) -> Value | None:
        """(1 - e^(at - epsilon)) / (1 + e^-epsilon) for sensitivity 1."""
        if self.sensitivity > 1:
            return None
        return (1 - exp(at - self.epsilon)) / (1 + exp(-self.epsilon))


@dataclass(frozen=True)
class TruncatedGeometric(Named):
    """The discrete Laplace mechanism on counts 0 … n, its output clamped to 0 … n. All pairs are audited."""

    epsilon: Fraction = Fraction(1)
    n: int = 10
    name: ClassVar[str] = "truncated-geometric"
    summary: ClassVar[str] = "clamped geometric noise"
    formula: ClassVar[str] = "min(n, max(0, x + z)), P(z) ∝ e^(−ε|z|) for whole z"
    source: ClassVar[str] = "Ghosh, Roughgarden, Sundararajan 2012"
    covers: ClassVar[str] = "all counts 0…n; neighbors differ by 1"
    closed: ClassVar[str] = "true ε = ε; δ(t) = (1 − e^(t−ε))/(1 + e^(−ε))"
    parameters: ClassVar[tuple[Parameter, ...]] = (N,)

    def datasets(self) -> Sequence[int]:
        """The counts."""
        return range(self.n + 1)

    def outputs(self) -> Sequence[int]:
        """The counts."""
        return range(self.n + 1)

    def neighbors(self, x: int) -> Sequence[int]:
        """The counts next to x."""
        return [y for y in (x - 1, x + 1) if 0 <= y <= self.n]

    def probabilities(self, x: int) -> list[Value]:
        """Both ends collect the probability beyond them."""
        q = exp(-self.epsilon)
        ends = {0: exp(-self.epsilon * x) / (1 + q), self.n: exp(-self.epsilon * (self.n - x)) / (1 + q)}
        middle = (1 - q) / (1 + q)
        return [ends.get(r, middle * exp(-self.epsilon * abs(r - x))) for r in range(self.n + 1)]

    def claimed(self) -> Fraction:
        """epsilon."""
        return self.epsilon

    def closed_epsilon(self) -> Value:
        """epsilon."""
        return self.epsilon

    def closed_delta(self, at: Fraction) -> Value:
        """As for the noise before clamping: the output still shows on which side of x it lies."""
        return (1 - exp(at - self.epsilon)) / (1 + exp(-self.epsilon))


@dataclass(frozen=True)
class Staircase(Named):
    """Noise whose density is a staircase: a on |v| < g s, then e^-epsilon times as much on each further stair.

    The stairs are s = sensitivity wide, and g (gamma) is where the first falls; a = (1 - q)/(2 s (g + q (1 - g))) with
    q = e^-epsilon makes it a density.

    *One pair stands for all.* Let neighbors be t <= s apart. |v| and |v - t| lie on the same stair or on adjacent ones,
    so f(v)/f(v - t) is e^epsilon, 1 or e^-epsilon. With p the probability of the first, delta(at) = p (1 - e^(at -
    epsilon)), and p = delta(0)/(1 - q). f is symmetric and falls with |v|, so f(v) >= f(v - t) exactly for v <= t/2,
    and delta(0) = F(t/2) - F(-t/2), which grows with t.

    *Classes* at t = s, with m = min(g, 1 - g): below 0 and on [0, m s) the loss is epsilon; on [m s, (1 - m) s) it is
    0; above it is -epsilon. P of the first is 1/2 + a m s.
    """

    epsilon: Fraction = Fraction(1)
    sensitivity: Fraction = Fraction(1)
    gamma: Fraction | None = None
    name: ClassVar[str] = "staircase"
    summary: ClassVar[str] = "staircase noise"
    formula: ClassVar[str] = "x + v, density of v: a on |v| < γΔ, falling by e^(−ε) at |v| = (γ + j)Δ, j = 0, 1, …"
    source: ClassVar[str] = "Geng, Viswanath 2016"
    covers: ClassVar[str] = "the two numbers are Δ apart, which stands for every smaller distance"
    closed: ClassVar[str] = "true ε = ε"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        SENSITIVITY,
        optional(
            "gamma", "where the first stair ends, > 0 and < 1; auto: 1/(1 + e^(ε/2))", ("1/3", "3/4"), probability
        ),
    )

    def datasets(self) -> Sequence[Fraction]:
        """Two numbers."""
        return [Fraction(0), self.sensitivity]

    def outputs(self) -> Sequence[str]:
        """The real numbers by their loss."""
        return ["loss ε", "loss 0", "loss −ε"]

    def probabilities(self, x: Fraction) -> list[Value]:
        """The three classes; for the larger number in the other order."""
        q = exp(-self.epsilon)
        g: Value = 1 / (1 + exp(self.epsilon / 2)) if self.gamma is None else self.gamma
        m: Value = min(self.gamma, 1 - self.gamma) if self.gamma is not None else g
        height = (1 - q) / (2 * (g + q * (1 - g)))
        middle = height * (q if self.gamma is None or 2 * self.gamma <= 1 else 1) * (1 - 2 * m)
        high: Value = Fraction(1, 2) + height * m
        row = [high, middle, q * high]
        return row if not x else row[::-1]

    def claimed(self) -> Fraction:
        """epsilon."""
        return self.epsilon

    def closed_epsilon(self) -> Value:
        """epsilon."""
        return self.epsilon
