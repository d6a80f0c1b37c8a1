"""Distances between two posteriors Dir(prior + c) and Dir(prior + d), whose totals may differ: as balls.

With a = prior + c, b = prior + d, a0 and b0 their totals, and B(a) = prod Gamma(a_i) / Gamma(a0):
    hellinger  sqrt(1 - BC), BC = B((a+b)/2) / sqrt(B(a) B(b))          (definitions, "The model")
    tv         sup over events of P_a - P_b; k = 2 only
    kl         KL(a || b) = ln B(b) - ln B(a) + sum (a_i - b_i) (psi(a_i) - psi(a0)); always finite
    chi2       int p_a^2 / p_b - 1 = B(2a - b) B(b) / B(a)^2 - 1; infinite unless 2 a_i > b_i for every i
    l1         sum |a_i - b_i|
The first argument is the true posterior. hellinger and tv are at most 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import ClassVar

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.errors import InputError
from dpaudit.posterior.crossing import total_variation
from dpaudit.posterior.distances import Hellinger, gamma_ratios
from dpaudit.posterior.model import Histogram, Model


class Divergence(ABC):
    """A distance between posteriors of one model, at the precision in force when it was made."""

    name: ClassVar[str]
    at_most_one: ClassVar[bool] = False
    costly: ClassVar[bool] = False
    symmetric: ClassVar[bool] = False
    """Whether D(a, b) = D(b, a)."""
    free_of_prior: ClassVar[bool] = False
    """Whether the distance depends on the counts alone, and on no order of the cells."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._kept: dict[Histogram, list[Ball]] = {}

    @abstractmethod
    def between(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains D(prior + c, prior + d), which must be finite."""

    def finite(self, c: Histogram, d: Histogram) -> bool:
        """Whether the distance is finite, decided exactly."""
        return True

    def largest(self, c: Histogram) -> Ball:
        """A ball whose upper end is at least D(c, d) for every d with cells in 0..n."""
        return ball(1)

    def row(self, c: Histogram) -> list[Ball]:
        """Balls that contain D(c, r) for every histogram r, in the model's order; a few rows are kept."""
        if c not in self._kept:
            if len(self._kept) >= max(16, 4 * 10**6 // self.model.size):
                self._kept.pop(next(iter(self._kept)))
            self._kept[c] = [self.between(c, r) for r in self.model.histograms]
        return self._kept[c]


class HellingerDistance(Divergence):
    """H(a, b) = sqrt(1 - BC)."""

    name, at_most_one, symmetric = "hellinger", True, True

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._table = Hellinger(model)

    @cached_property
    def _totals(self) -> list[Ball]:
        """Gamma(alpha0 + m/2) / Gamma(alpha0) up to the largest total that an output can have."""
        return gamma_ratios(sum(self.model.prior, Fraction(0)), 2 * self.model.k * self.model.n)

    def bc(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains BC; the totals' Gamma terms cancel if they agree."""
        value = self._table.bc(c, d)
        m, j = sum(c), sum(d)
        if m == j:
            return value
        table = self._totals
        return value * (table[2 * m] * table[2 * j]).sqrt() / table[m + j]

    def between(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains H; exactly 0 if c = d."""
        return balls.zero() if c == d else (1 - self.bc(c, d)).sqrt()


class TotalVariation(Divergence):
    """TV(a, b) for k = 2."""

    name, at_most_one, costly, symmetric = "tv", True, True, True

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._hellinger = HellingerDistance(model)
        self._far = ball(Fraction(1, 2 ** (balls.working_bits() - 24)))
        self._known: dict[tuple[Histogram, Histogram], Ball] = {}

    def between(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains TV; exactly 0 if c = d. Far apart, 1 - BC <= TV <= 1 is all that is needed."""
        if c == d:
            return balls.zero()
        bc = self._hellinger.bc(c, d)
        if balls.certainly_less(bc, self._far):
            return balls.from_ends(1 - bc, ball(1))
        key = min((c, d), (d, c))
        if key not in self._known:
            a, b = ([alpha + i for alpha, i in zip(self.model.prior, cells, strict=True)] for cells in key)
            self._known[key] = total_variation((a[0], a[1]), (b[0], b[1]))
        return self._known[key]


class KullbackLeibler(Divergence):
    """KL(a || b), the true posterior first."""

    name = "kl"

    @cached_property
    def _logs(self) -> list[list[Ball]]:
        """ln Gamma(alpha + j) - ln Gamma(alpha) for j = 0..n, cell by cell; the last list is for the total."""
        n, k = self.model.n, self.model.k
        reach = [(alpha, n) for alpha in self.model.prior] + [(sum(self.model.prior, Fraction(0)), k * n)]
        return [[g.log() for g in gamma_ratios(alpha, 2 * most)[::2]] for alpha, most in reach]

    def _log_beta(self, c: Histogram) -> Ball:
        """ln B(prior + c) up to a constant that depends on the prior alone."""
        parts = [table[i] for table, i in zip(self._logs, c, strict=False)]
        return balls.total(parts) - self._logs[-1][sum(c)]

    def between(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains KL; exactly 0 if c = d."""
        if c == d:
            return balls.zero()
        slopes, start = self._at(c)
        parts = [slope * (i - j) for slope, i, j in zip(slopes, c, d, strict=True) if i != j]
        return self._log_beta(d) - start + balls.total(parts)

    def _at(self, c: Histogram) -> tuple[list[Ball], Ball]:
        """psi(a_i) - psi(a0) for every cell, and ln B(a)."""
        if c not in self._slopes:
            a = [alpha + i for alpha, i in zip(self.model.prior, c, strict=True)]
            top = ball(sum(a, Fraction(0))).digamma()
            self._slopes[c] = [ball(v).digamma() - top for v in a], self._log_beta(c)
        return self._slopes[c]

    @cached_property
    def _slopes(self) -> dict[Histogram, tuple[list[Ball], Ball]]:
        return {}

    def largest(self, c: Histogram) -> Ball:
        """The maximum over the corners of [0, n]^k: KL(a || b) is convex in b."""
        corners = product((0, self.model.n), repeat=self.model.k)
        return balls.maximum([self.between(c, corner) for corner in corners])


class ChiSquared(Divergence):
    """chi2(a || b), the true posterior first; it may be infinite."""

    name = "chi2"

    def finite(self, c: Histogram, d: Histogram) -> bool:
        """Whether 2 a_i > b_i for every i."""
        return all(alpha + 2 * i - j > 0 for alpha, i, j in zip(self.model.prior, c, d, strict=True))

    def between(self, c: Histogram, d: Histogram) -> Ball:
        """A ball that contains chi2, where it is finite; exactly 0 if c = d."""
        if c == d:
            return balls.zero()
        beyond = tuple(2 * i - j for i, j in zip(c, d, strict=True))
        return (self._log_beta(beyond) + self._log_beta(d) - 2 * self._log_beta(c)).exp() - 1

    def largest(self, c: Histogram) -> Ball:
        """The maximum over the corners of [0, n]^k (chi2 is convex in b), infinite if it is so at one."""
        corners = list(product((0, self.model.n), repeat=self.model.k))
        if not all(self.finite(c, corner) for corner in corners):
            return balls.infinity()
        return balls.maximum([self.between(c, corner) for corner in corners])

    def _log_beta(self, c: Histogram) -> Ball:
        a = [alpha + i for alpha, i in zip(self.model.prior, c, strict=True)]
        return balls.total([self._lgamma(v) for v in a]) - self._lgamma(sum(a, Fraction(0)))

    def _lgamma(self, value: Fraction) -> Ball:
        if value not in self._gammas:
            self._gammas[value] = ball(value).lgamma()
        return self._gammas[value]

    @cached_property
    def _gammas(self) -> dict[Fraction, Ball]:
        return {}


class L1(Divergence):
    """The l1 distance of the parameters, a whole number."""

    name, symmetric, free_of_prior = "l1", True, True

    def between(self, c: Histogram, d: Histogram) -> Ball:
        """Exactly sum |c_i - d_i|."""
        return ball(sum(abs(i - j) for i, j in zip(c, d, strict=True)))

    def largest(self, c: Histogram) -> Ball:
        """k n."""
        return ball(self.model.k * self.model.n)


DIVERGENCES: dict[str, type[Divergence]] = {
    kind.name: kind for kind in (HellingerDistance, TotalVariation, KullbackLeibler, ChiSquared, L1)
}


def choice(option: str, value: object) -> str:
    """The name of a distance, in lower case."""
    name = str(value).strip().lower()
    if name not in DIVERGENCES:
        raise InputError(option, value, f"must be one of {', '.join(DIVERGENCES)}")
    return name


def check_offered(option: str, name: str, model: Model) -> None:
    """Refuses a distance that is not offered for this model: total variation is for Beta posteriors, k = 2."""
    if name == TotalVariation.name and model.k != 2:
        raise InputError(option, name, f"is available for k = 2 only; here k = {model.k}")
