"""Gaussian noise: epsilon is infinite, delta finite at every epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt
from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.mechanisms.named.base import INFINITE, SENSITIVITY, WHOLE_SENSITIVITY, Named, number
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.guarantee import Guarantee, Zcdp

if TYPE_CHECKING:
    from dpaudit.noise.source import Noise

MOST_SIGMA = 3000
SIGMA = number("sigma", "1", "the standard deviation σ of the noise, > 0", ("1/2", "1", "10"))


@dataclass(frozen=True)
class Gaussian(Named):
    """A number plus normal noise.

    *One pair stands for all.* The losses of numbers at distance d are those of N(mu, 1) against N(0, 1), mu = d/sigma;
    delta(t) = Phi(mu/2 - t/mu) - e^t Phi(-mu/2 - t/mu) grows with mu (Balle, Wang 2018, Lemma 7).
    """

    sigma: Fraction = Fraction(1)
    sensitivity: Fraction = Fraction(1)
    name: ClassVar[str] = "gaussian"
    summary: ClassVar[str] = "a number plus Gaussian noise"
    formula: ClassVar[str] = "x + N(0, σ²)"
    source: ClassVar[str] = "Bun, Steinke 2016, Proposition 1.6; Balle, Wang 2018, Theorem 8; Dong, Roth, Su 2022"
    covers: ClassVar[str] = "the two numbers are Δ apart, which stands for every smaller distance"
    closed: ClassVar[str] = "true ε = ∞; δ(t) = Φ(μ/2 − t/μ) − e^t Φ(−μ/2 − t/μ), μ = Δ/σ; μ-GDP and μ²/2-zCDP exactly"
    claims: ClassVar[str] = "Δ²/(2σ²)-zCDP"
    parameters: ClassVar[tuple[Parameter, ...]] = (SIGMA, SENSITIVITY)
    takes_epsilon: ClassVar[bool] = False
    event: ClassVar[str | None] = "gaussian:sigma={sigma},sensitivity={sensitivity}"

    def datasets(self) -> Sequence[Fraction]:
        """Two numbers."""
        return [Fraction(0), self.sensitivity]

    def sample(self, x: Fraction, noise: Noise) -> Any:
        """The noisy number."""
        return x + noise.gaussian(self.sigma)

    def claimed(self) -> Guarantee:
        """Delta^2/(2 sigma^2)-zCDP."""
        return Zcdp((self.sensitivity / self.sigma) ** 2 / 2)

    def closed_epsilon(self) -> str:
        """Infinite."""
        return INFINITE


@dataclass(frozen=True)
class DiscreteGaussian(Named):
    """A count plus a whole number z with probability proportional to e^(-z^2/(2 sigma^2)).

    *One pair stands for all.* The noise is log-concave, so P(z)/P(z - d) falls with z and delta at t is the maximum
    over m of F(m) - e^t F(m - d), which does not fall as d grows. With d the sensitivity the loss of z is
    d (d - 2z)/(2 sigma^2): it exceeds t for z < d/2 - t sigma^2/d.

    *zCDP.* D_a <= a d^2/(2 sigma^2) for every a (Canonne, Kamath, Steinke 2020, Theorem 4), with equality where a d is
    a whole number: the sum over z of P(z)^a P(z - d)^(1 - a) is e^(a (a - 1) d^2/(2 sigma^2)) times the quotient of
    two sums of e^(-(z - s)^2/(2 sigma^2)), s = (1 - a) d and s = 0, equal for whole s. So rho is d^2/(2 sigma^2)
    exactly, by a = 2.
    """

    sigma: Fraction = Fraction(1)
    sensitivity: int = 1
    name: ClassVar[str] = "discrete-gaussian"
    summary: ClassVar[str] = "discrete Gaussian noise"
    formula: ClassVar[str] = "x + z, P(z) ∝ e^(−z²/(2σ²)) for whole z"
    source: ClassVar[str] = "Canonne, Kamath, Steinke 2020, Definition 1, Theorem 4"
    covers: ClassVar[str] = "the two counts are Δ apart, which stands for every smaller distance"
    closed: ClassVar[str] = "true ε = ∞; δ(t) = P(z < m) − e^t P(z < m − Δ), m = Δ/2 − tσ²/Δ; Δ²/(2σ²)-zCDP exactly"
    claims: ClassVar[str] = "Δ²/(2σ²)-zCDP"
    parameters: ClassVar[tuple[Parameter, ...]] = (SIGMA, WHOLE_SENSITIVITY)
    takes_epsilon: ClassVar[bool] = False
    event: ClassVar[str | None] = "discrete-gaussian:sigma={sigma},sensitivity={sensitivity}"
    tight: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuses noise whose sums would be long."""
        if self.sigma > MOST_SIGMA:
            raise InputError("sigma", self.sigma, f"must be at most {MOST_SIGMA}; gaussian takes more")

    def datasets(self) -> Sequence[int]:
        """Two counts."""
        return [0, self.sensitivity]

    def outputs(self) -> Sequence[str]:
        """All whole numbers."""
        return ["a whole number"]

    def where(self) -> str:
        """Where the loss is unbounded."""
        return "z → −∞"

    def claimed(self) -> Guarantee:
        """Delta^2/(2 sigma^2)-zCDP."""
        return Zcdp((self.sensitivity / self.sigma) ** 2 / 2)

    def closed_epsilon(self) -> str:
        """Infinite."""
        return INFINITE

    def curve(self, at: Fraction) -> tuple[Ball, Ball]:
        """P(z < m) - e^at P(z < m - Delta)."""
        d = self.sensitivity
        last = ceil(Fraction(d, 2) - at * self.sigma**2 / d) - 1
        whole = self._mass(None)
        found = (self._mass(last) - ball(at).exp() * self._mass(last - d)) / whole
        return found, found

    def _mass(self, last: int | None) -> Ball:
        """The sum of e^(-z^2/(2 sigma^2)) over z <= last, or over all z.

        Beyond T the terms fall at least as a geometric series with ratio e^(-(2T + 1)/(2 sigma^2)). T is taken so that
        the first of them is below 2^-bits of the largest term of the sum.
        """
        square = 2 * self.sigma**2
        bits = balls.working_bits()
        nearest = 0 if last is None else min(0, last)
        reach = isqrt(ceil(nearest**2 + square * bits)) + 1
        top = reach if last is None else min(last, reach)
        terms = [(-ball(Fraction(z * z) / square)).exp() for z in range(-reach, top + 1)]
        ratio = (-ball(Fraction(2 * reach + 3) / square)).exp()
        beyond = ((-ball(Fraction((reach + 1) ** 2) / square)).exp() / (1 - ratio)).upper()
        sides = 1 + (last is None or last > reach)
        return balls.total(terms) + balls.from_ends(balls.zero(), beyond * sides)

    def divergence(self, quantity: str, order: Fraction) -> Fraction | None:
        """rho, and D_a where a Delta is a whole number."""
        rho = (self.sensitivity / self.sigma) ** 2 / 2
        if quantity == "zcdp_rho":
            return rho
        return order * rho if quantity == "renyi" and (order * self.sensitivity).denominator == 1 else None
