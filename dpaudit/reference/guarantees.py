"""Divergences, rho, mu and trade-off margins of a table of rationals, in mpmath at its own precision; slow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

from mpmath import erfinv, exp, log, mpf, sqrt

Mpf = Any
Row = Sequence[Fraction]
Points = Sequence[tuple[Fraction, Fraction]]


def number(value: Fraction) -> Mpf:
    """The rational, rounded."""
    return mpf(value.numerator) / value.denominator


def divergence(p: Row, q: Row, order: Any) -> Mpf:
    """D_order; order 1 is Kullback-Leibler."""
    pairs = [(number(a), number(b)) for a, b in zip(p, q, strict=True) if a]
    if order == 1:
        return sum(a * log(a / b) for a, b in pairs)
    power = number(Fraction(order))
    return log(sum(a**power * b ** (1 - power) for a, b in pairs)) / (power - 1)


def rho(p: Row, q: Row, last: int = 400, steps: int = 4000) -> Mpf:
    """The largest D_a / a met on a grid of orders that is fine near 1: a lower bound, close to the supremum."""
    pairs = [(log(number(a)), log(number(a) / number(b))) for a, b in zip(p, q, strict=True) if a]
    best = divergence(p, q, 1)
    ratio = mpf(last * 1000) ** (mpf(1) / steps)
    step = mpf(1) / 1000
    for _ in range(steps):
        value = log(sum(exp(u + step * loss) for u, loss in pairs)) / (step * (1 + step))
        best, step = max(best, value), step * ratio
    return best


def quantile(p: Mpf) -> Mpf:
    """Phi^-1(p)."""
    return sqrt(mpf(2)) * erfinv(2 * p - 1)


def all_tests(p: Row, q: Row) -> Iterator[tuple[Fraction, Fraction]]:
    """alpha and beta of every set of outputs, all 2^m of them: no sorting, no Neyman-Pearson."""
    for chosen in product((0, 1), repeat=len(p)):
        alpha = sum((b for b, c in zip(q, chosen, strict=True) if c), Fraction(0))
        beta = 1 - sum((a for a, c in zip(p, chosen, strict=True) if c), Fraction(0))
        yield alpha, beta


def mu(p: Row, q: Row) -> Mpf:
    """The smallest mu with beta >= Phi(Phi^-1(1 - alpha) - mu) for every test."""
    inside = [(a, b) for a, b in all_tests(p, q) if 0 < a < 1 and 0 < b < 1]
    return max([mpf(0), *(quantile(1 - number(a)) - quantile(number(b)) for a, b in inside)])


def piecewise(points: Points, alpha: Fraction) -> Fraction:
    """f(alpha)."""
    for (a, b), (c, d) in pairwise(points):
        if a <= alpha <= c:
            return b + (d - b) * (alpha - a) / (c - a)
    raise ValueError(alpha)


def holds(p: Row, q: Row, points: Points) -> bool:
    """Whether every test lies on or above f."""
    return all(beta >= piecewise(points, alpha) for alpha, beta in all_tests(p, q))


def worst(rows: Sequence[Row], measure: Callable[[Row, Row], Any]) -> Any:
    """The largest over all ordered pairs of rows."""
    return max(measure(p, q) for p, q in permutations(rows, 2))
