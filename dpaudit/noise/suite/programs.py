"""The suite's mechanisms as code with noise: programs (x, noise, epsilon) -> output, as their papers define them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Any

from dpaudit.noise.source import Noise

Queries = Sequence[F]


def laplace(x: Queries, noise: Noise, eps: F) -> Any:
    """x + Lap(1/eps)."""
    return x[0] + noise.laplace(1 / eps)


def laplace_parallel(x: Queries, noise: Noise, eps: F) -> Any:
    """20 releases, each x + Lap(20/eps)."""
    return [x[0] + noise.laplace(20 / eps) for _ in range(20)]


def noisy_hist_1(x: Queries, noise: Noise, eps: F) -> Any:
    """Every entry with Lap(1/eps)."""
    return [q + noise.laplace(1 / eps) for q in x]


def noisy_hist_2(x: Queries, noise: Noise, eps: F) -> Any:
    """Every entry with Lap(eps): the scale is upside down."""
    return [q + noise.laplace(eps) for q in x]


def prefix_sum(x: Queries, noise: Noise, eps: F) -> Any:
    """Running sums of entries with Lap(1/eps)."""
    found, total = [], F(0)
    for q in x:
        total = total + q + noise.laplace(1 / eps)
        found.append(total)
    return found


def smart_sum(x: Queries, noise: Noise, eps: F) -> Any:
    """SmartSum of CheckDP with blocks of M = 3: block sums and running sums inside a block, Lap(1/eps) each."""
    out, block, inside, plain = [], F(0), F(0), F(0)
    for i, q in enumerate(x):
        if (i + 1) % 3 == 0:
            block = block + plain + q + noise.laplace(1 / eps)
            inside, plain = F(0), F(0)
            out.append(block)
        else:
            inside = inside + q + noise.laplace(1 / eps)
            plain += q
            out.append(block + inside)
    return out


def noisy_max_1(x: Queries, noise: Noise, eps: F) -> Any:
    """The position of the largest q + Lap(2/eps)."""
    return noise.argmax([q + noise.laplace(2 / eps) for q in x])


def noisy_max_2(x: Queries, noise: Noise, eps: F) -> Any:
    """The position of the largest q + Exp(2/eps)."""
    return noise.argmax([q + noise.exponential(2 / eps) for q in x])


def noisy_max_3(x: Queries, noise: Noise, eps: F) -> Any:
    """The largest value q + Lap(2/eps)."""
    values = [q + noise.laplace(2 / eps) for q in x]
    return values[noise.argmax(values)]


def noisy_max_4(x: Queries, noise: Noise, eps: F) -> Any:
    """The largest value q + Exp(2/eps)."""
    values = [q + noise.exponential(2 / eps) for q in x]
    return values[noise.argmax(values)]


def _first_above(x: Queries, noise: Noise, threshold: Any, scale: F) -> int | None:
    for i, q in enumerate(x):
        if q + noise.laplace(scale) >= threshold:
            return i
    return None


def svt_1(x: Queries, noise: Noise, eps: F) -> Any:
    """Lyu, Su, Li, Algorithm 1, c = 1, t = 1/2: the first query above the threshold."""
    return _first_above(x, noise, F(1, 2) + noise.laplace(2 / eps), 4 / eps)


def svt_2(x: Queries, noise: Noise, eps: F) -> Any:
    """Algorithm 2, c = 1, t = 1: as Algorithm 1 where it stops at once."""
    return _first_above(x, noise, 1 + noise.laplace(2 / eps), 4 / eps)


def svt_3(x: Queries, noise: Noise, eps: F) -> Any:
    """Algorithm 3, c = 1, t = 1: releases the noisy value that it compared."""
    threshold, below = 1 + noise.laplace(2 / eps), 0
    for q in x:
        value = q + noise.laplace(2 / eps)
        if value >= threshold:
            return below, value
        below += 1
    return below


def svt_4(x: Queries, noise: Noise, eps: F) -> Any:
    """Algorithm 4, c = 1, t = 1: the query noise does not grow with c."""
    return _first_above(x, noise, 1 + noise.laplace(4 / eps), 4 / (3 * eps))


def svt_4_twice(x: Queries, noise: Noise, eps: F) -> Any:
    """Algorithm 4 with c = 2."""
    threshold, found = 1 + noise.laplace(4 / eps), list[int]()
    for i, q in enumerate(x):
        if q + noise.laplace(4 / (3 * eps)) >= threshold:
            found.append(i)
            if len(found) == 2:
                break
    return tuple(found)


def svt_5(x: Queries, noise: Noise, eps: F) -> Any:
    """Algorithm 5, t = 1: no noise on the queries, no stop."""
    threshold = 1 + noise.laplace(2 / eps)
    return tuple(not threshold > q for q in x)


def svt_6(x: Queries, noise: Noise, eps: F) -> Any:
    """Algorithm 6, t = 1: Lap(2/eps) on threshold and queries, no stop."""
    threshold = 1 + noise.laplace(2 / eps)
    return tuple(q + noise.laplace(2 / eps) >= threshold for q in x)


def numerical_svt(x: Queries, noise: Noise, eps: F) -> Any:
    """Wang and others, 2019 (PLDI), c = 2, t = 1: a query above is released with fresh noise; 0 for below."""
    threshold, found, count = 1 + noise.laplace(3 / eps), list[Any](), 0
    for q in x:
        if q + noise.laplace(12 / eps) >= threshold:
            found.append(q + noise.laplace(6 / eps))
            count += 1
            if count == 2:
                break
        else:
            found.append(0)
    return found


def gap_svt(x: Queries, noise: Noise, eps: F) -> Any:
    """Ding and others, 2023, c = 1, t = 1: the first query above, with its gap to the noisy threshold."""
    threshold, below = 1 + noise.laplace(2 / eps), 0
    for q in x:
        gap = q + noise.laplace(4 / eps) - threshold
        if gap >= 0:
            return below, gap
        below += 1
    return below


def adaptive_svt(x: Queries, noise: Noise, eps: F) -> Any:
    """Adaptive sparse vector, one answer: first with Lap(8/eps) against t + sigma, then with Lap(4/eps) against t."""
    threshold, sigma = 1 + noise.laplace(2 / eps), 2
    for i, q in enumerate(x):
        if q + noise.laplace(8 / eps) >= threshold + sigma:
            return i, "top"
        if q + noise.laplace(4 / eps) >= threshold:
            return i, "middle"
    return None


def gaussian_noisy_max(x: Queries, noise: Noise, eps: F) -> Any:
    """The position of the largest q + N(0, (2/eps)^2)."""
    return noise.argmax([q + noise.gaussian(2 / eps) for q in x])


def gaussian_svt(x: Queries, noise: Noise, eps: F) -> Any:
    """The first query above, t = 1: N(0, (2/eps)^2) on the threshold, N(0, (4/eps)^2) on the queries."""
    threshold = 1 + noise.gaussian(2 / eps)
    for i, q in enumerate(x):
        if q + noise.gaussian(4 / eps) >= threshold:
            return i
    return None
