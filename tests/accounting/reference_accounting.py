"""delta of small compositions in mpmath, from the definitions alone: no grid, no transform, nothing of the room."""

from __future__ import annotations

import itertools

from mpmath import exp, log, mp, mpf, ncdf, npdf, quad, sqrt

mp.dps = 22


def gaussian(mu, epsilon):
    """N(mu, 1) against N(0, 1), any real epsilon."""
    return ncdf(mu / 2 - epsilon / mu) - exp(epsilon) * ncdf(-mu / 2 - epsilon / mu)


def sampled_gaussian(sigma, q, epsilon, add=False):
    """delta of one Poisson-sampled Gaussian mechanism: P - e^eps Q = q (P0 - t Q0) with t = (e^eps - 1 + q) / q."""
    mu, factor = 1 / mpf(sigma), exp(mpf(epsilon))
    if add:  # (Q, mix): Q - e^eps ((1-q) Q + q P) = (1 - e^eps (1-q)) Q - e^eps q P
        rest = 1 - factor * (1 - q)
        if rest <= 0:
            return mpf(0)
        return rest * gaussian(mu, log(factor * q / rest))
    t = (factor - 1 + q) / q
    return 1 - factor if t <= 0 else q * gaussian(mu, log(t))


def two_sampled_gaussians(sigma, q, epsilon, add=False):
    """delta of two of them: the integral over the first output of P(x) delta(epsilon - loss(x))."""
    s = mpf(sigma)

    def inner(x):
        mixed = (1 - q) * npdf(x, 0, s) + q * npdf(x, 1, s)
        base = npdf(x, 0, s)
        p, loss = (base, log(base / mixed)) if add else (mixed, log(mixed / base))
        return p * sampled_gaussian(s, q, epsilon - loss, add)

    return quad(inner, [-11 * s, 0, 1, 1 + 11 * s])


def laplace(e, epsilon):
    """delta of one Laplace mechanism, any real epsilon."""
    if epsilon >= e:
        return mpf(0)
    return 1 - exp((epsilon - e) / 2) if epsilon > -e else 1 - exp(epsilon)


def two_laplaces(e, epsilon):
    """The atoms at -e and e, and the density of P between them, e^((l-e)/2)/4."""
    e = mpf(e)
    ends = exp(-e) / 2 * laplace(e, epsilon + e) + laplace(e, epsilon - e) / 2
    middle = [-e, *sorted(x for x in (epsilon - e, epsilon + e) if -e < x < e), e]
    return ends + quad(lambda loss: exp((loss - e) / 2) / 4 * laplace(e, epsilon - loss), middle)


def enumerated(pairs, epsilon):
    """delta of a product of finite pairs, by all outcomes; each pair is a list of (P, Q)."""
    factor, total = exp(mpf(epsilon)), mpf(0)
    for outcome in itertools.product(*pairs):
        p = q = mpf(1)
        for a, b in outcome:
            p, q = p * a, q * b
        total += max(mpf(0), p - factor * q)
    return total


def randomized_response(e, k=2):
    total = exp(mpf(e)) + k - 1
    return [(exp(mpf(e)) / total, 1 / total), (1 / total, exp(mpf(e)) / total)] + [(1 / total, 1 / total)] * (k - 2)


def discrete_gaussian(sigma, reach=12):
    s = mpf(sigma)
    weights = {z: exp(-(mpf(z) ** 2) / (2 * s * s)) for z in range(-reach - 2, reach + 3)}
    total = sum(weights.values())
    return [(weights[z - 1] / total, weights[z] / total) for z in range(-reach, reach + 2)]


def sampled(pair, q):
    return [((1 - q) * b + q * a, b) for a, b in pair]


__all__ = ["mp", "sqrt"]
