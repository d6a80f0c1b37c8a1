"""Theorem 4.5's upper bound for EHD on balanced data: it holds for all small n and fails far out.

For an equal prior the near weights sum to at most 2 kappa + 1, so the claim Pr[H < t] < (2 kappa + 1)/(n q) holds for
every kappa where D(eps) = e^eps (sum of all weights) - n = sum over r of e^(eps (1 - c H(x,r))) - n is positive,
c = 1/(2 GS_0); and at kappa = 0 it fails where D <= 0. D is a sum of exponentials, hence convex in eps: one certified
value of D and of its slope near the minimum decides D > 0 for every eps > 0 at once.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp, log

from dpaudit.claims import Outcome
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Model
from dpaudit.posterior.sensitivity import gs_constant
from proofs_checks.accuracy.rows import Span
from proofs_checks.accuracy.sides import Comparison, at

BITS = 96


@dataclass(frozen=True)
class Reach:
    """For every even n below ``n`` the claim holds for every eps > 0 and every kappa; at n it fails at ``eps``.

    ``eps`` is None if no failure was met up to n.
    """

    n: int
    eps: Fraction | None


class Rows:
    """The exponents 1 - c H(x, n/2 + j), j = 1..n/2, of balanced data sets with the prior (alpha, alpha)."""

    def __init__(self, alpha: Fraction, most: int) -> None:
        self._h = Hellinger(Model(most, (alpha, alpha)))
        self._c = 1 / (2 * gs_constant())

    def exponents(self, n: int) -> list[Ball]:
        """Balls that contain them; the outputs n/2 - j have the same."""
        m = n // 2
        return [1 - self._c * self._h.between((m, m), (m + j, m - j)) for j in range(1, m + 1)]


def first_failure(alpha: Fraction, most: int) -> Reach:
    """How far the claim holds for the prior (alpha, alpha), searching even n up to ``most``."""
    with balls.precision(BITS):
        rows, guess = Rows(alpha, most), 0.25
        for n in range(2, most + 1, 2):
            exponents = rows.exponents(n)
            floats = [float(e) for e in exponents]
            guess = _minimiser(floats, guess, n)
            if not _positive(n, exponents, Fraction(guess)):
                return Reach(n, _simplest_failure(n, floats, guess))
    return Reach(most, None)


def _minimiser(exponents: list[float], guess: float, n: int) -> float:
    """Approximately the eps >= 0 that minimizes D, by Newton's method; floats only, they decide nothing."""
    if 1 + 2 * sum(exponents) >= 0:
        return 0.0
    guess = max(guess, 1e-3)
    for _ in range(60):
        powers = [(e, exp(guess * e)) for e in exponents]
        slope = exp(guess) + 2 * sum(e * p for e, p in powers)
        step = slope / (exp(guess) + 2 * sum(e * e * p for e, p in powers))
        guess = min(max(guess - step, guess / 4), log(n) + 1)
        if abs(step) < 1e-14:
            break
    return guess


def _positive(n: int, exponents: list[Ball], eps: Fraction) -> bool:
    """True only if D > 0 for every eps > 0.

    D lies above its tangent at ``eps``; that is positive at 0 and at ln n, and beyond ln n the output x alone gives
    e^eps > n.
    """
    at = ball(eps)
    powers = [(at * e).exp() for e in exponents]
    value = at.exp() + 2 * balls.total(powers) - n
    slope = at.exp() + 2 * balls.total([e * p for e, p in zip(exponents, powers, strict=True)])
    ends = value - slope * at, value + slope * (ball(n).log() - at)
    return all(balls.certainly_less(balls.zero(), end) for end in ends)


def _simplest_failure(n: int, exponents: list[float], near: float) -> Fraction:
    """The rational of least denominator near the minimum at which D seems to be negative; a scan decides."""
    for denominator in range(1, 1000):
        eps = Fraction(max(1, round(near * denominator)), denominator)
        if exp(eps) + 2 * sum(exp(float(eps) * e) for e in exponents) < n:
            return eps
    return Fraction(near)


def crossing_holds(n: int, rows: Rows) -> bool:
    """True only if (1-q) (sum of all weights) < 2 for every 0 < q < 1 with n (1-q) < 2; balanced data.

    The sum is at most n+1, so only (n-2)/n < q <= (n-1)/(n+1) is left. The sum rises with q: on a piece from b to a
    the product is below (1-b) times the sum at a. One piece serves from n = 6 on.
    """
    pieces = 8 if n < 6 else 1
    bottom, top = Fraction(n - 2, n), Fraction(n - 1, n + 1)
    exponents = rows.exponents(n)
    for i in range(pieces):
        a, b = (top - (top - bottom) * Fraction(j, pieces) for j in (i, i + 1))
        weights = [((1 - exponent) * ball(a).log()).exp() for exponent in exponents]
        if not balls.certainly_at_most(ball(1 - b) * (1 + 2 * balls.total(weights)), ball(2)):
            return False
    return True


# ------------------------------------------------------------------ single rows far out

FAR_POINTS = [
    at(200, "1 1", "1/100"),
    at(400, "1/100 1/100", "1"),
    at(1000, "1 1", "1/4"),
    at(300, "10 10", "16"),
    at(2000, "1/2 1/2", "1/1000"),
]


def some_even_sets(model: Model, a: int) -> list[Span]:
    """A few of the near sets of balanced data with an equal prior: they lie evenly around x."""
    if 2 * a != model.n:
        return []
    return [(a - kappa, a + kappa) for kappa in sorted({0, 1, a // 8, a - 1})]


def far_rows(comparison: Comparison) -> Outcome:
    """The outcome on single rows far out: balanced data, equal priors, kappa = 0, 1, n/16 and n/2 - 1."""
    return replace(comparison, sets=some_even_sets).run(FAR_POINTS)
