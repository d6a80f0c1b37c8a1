"""Divergences, rho, mu and trade-off margins of a table of rationals, in mpmath, by their definitions; slow."""

from fractions import Fraction
from itertools import pairwise, permutations, product

from mpmath import erfinv, exp, log, mp, mpf, sqrt

mp.dps = 40


def number(value):
    return mpf(value.numerator) / value.denominator


def divergence(p, q, order):
    """D_order; order 1 is Kullback-Leibler."""
    pairs = [(number(a), number(b)) for a, b in zip(p, q, strict=True) if a]
    if order == 1:
        return sum(a * log(a / b) for a, b in pairs)
    power = number(Fraction(order))
    return log(sum(a**power * b ** (1 - power) for a, b in pairs)) / (power - 1)


def rho(p, q, last=400, steps=4000):
    """The largest D_a / a met on a grid of orders that is fine near 1: a lower bound, close to the supremum."""
    pairs = [(log(number(a)), log(number(a) / number(b))) for a, b in zip(p, q, strict=True) if a]
    best = divergence(p, q, 1)
    ratio = mpf(last * 1000) ** (mpf(1) / steps)
    step = mpf(1) / 1000
    for _ in range(steps):
        value = log(sum(exp(u + step * loss) for u, loss in pairs)) / (step * (1 + step))
        best, step = max(best, value), step * ratio
    return best


def quantile(p):
    return sqrt(mpf(2)) * erfinv(2 * p - 1)


def all_tests(p, q):
    """alpha and beta of every set of outputs, all 2^m of them: no sorting, no Neyman-Pearson."""
    for chosen in product((0, 1), repeat=len(p)):
        alpha = sum(b for b, c in zip(q, chosen, strict=True) if c)
        beta = 1 - sum(a for a, c in zip(p, chosen, strict=True) if c)
        yield alpha, beta


def mu(p, q):
    """The smallest mu with beta >= Phi(Phi^-1(1 - alpha) - mu) for every test."""
    inside = [(a, b) for a, b in all_tests(p, q) if 0 < a < 1 and 0 < b < 1]
    return max([mpf(0), *(quantile(1 - number(a)) - quantile(number(b)) for a, b in inside)])


def piecewise(points, alpha):
    for (a, b), (c, d) in pairwise(points):
        if a <= alpha <= c:
            return b + (d - b) * (alpha - a) / (c - a)
    raise ValueError(alpha)


def holds(p, q, points):
    """Whether every test lies on or above f."""
    return all(beta >= piecewise(points, alpha) for alpha, beta in all_tests(p, q))


def worst(rows, measure):
    return max(measure(p, q) for p, q in permutations(rows, 2))


__all__ = ["all_tests", "divergence", "holds", "mu", "piecewise", "rho", "worst"]
