"""Exact samplers from random whole numbers only (Canonne, Kamath, Steinke 2020, "The discrete Gaussian for differential
privacy", Algorithms 1 to 3). No floating point: what is drawn has exactly the law that the paper gives.
"""

from __future__ import annotations

from math import isqrt
from random import Random


def bernoulli_exp_small(a: int, b: int, rng: Random) -> bool:
    """True with probability e^(−a/b), for 0 ≤ a ≤ b."""
    k = 1
    while rng.randrange(b * k) < a:
        k += 1
    return k % 2 == 1


def bernoulli_exp(a: int, b: int, rng: Random) -> bool:
    """True with probability e^(−a/b), for 0 ≤ a."""
    while a > b:
        if not bernoulli_exp_small(1, 1, rng):
            return False
        a -= b
    return bernoulli_exp_small(a, b, rng)


def discrete_laplace(a: int, b: int, rng: Random) -> int:
    """z with probability proportional to e^(−|z| a/b)."""
    while True:
        u = rng.randrange(b)
        if not bernoulli_exp(u, b, rng):
            continue
        v = 0
        while bernoulli_exp(1, 1, rng):
            v += 1
        size = (u + b * v) // a
        if rng.randrange(2):
            if size:
                return -size
        else:
            return size


def discrete_gaussian(variance: int, part: int, rng: Random) -> int:
    """z with probability proportional to e^(−z²/(2σ²)), σ² = variance/part."""
    t = isqrt(variance // part) + 1
    while True:
        z = discrete_laplace(1, t, rng)
        distance = (abs(z) * t * part - variance) ** 2
        if bernoulli_exp(distance, 2 * variance * part * t * t, rng):
            return z
