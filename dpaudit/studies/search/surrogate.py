"""True epsilon of the exponential family in floating point: it finds places worth certifying and decides nothing."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import gammaln, logsumexp

from dpaudit.posterior.model import Model, make_model, neighbors

Array = Any
LARGE_PRIOR = 50.0
"""Beyond this the asymptotic series of Gamma(a + 1/2) / Gamma(a) is exact to double precision."""


class Surrogate:
    """Ratios true epsilon / claimed epsilon at one n and k, for any prior and several epsilons at once."""

    def __init__(self, mechanism: Any, n: int, k: int) -> None:
        model: Model = make_model(n, k)
        self.mechanism, self.n, self.k = replace(mechanism, model=model), n, k
        self._cells = np.array(model.histograms, dtype=np.int64)
        pairs = [(i, model.index[d]) for i, c in enumerate(model.histograms) for d in neighbors(c)]
        self._from, self._to = (np.array(side) for side in zip(*pairs, strict=True))

    @cached_property
    def _chain(self) -> bool:
        return self.k == 2

    def distances(self, prior: Array) -> Array:
        """The matrix of Hellinger distances."""
        total: Any = 0.0
        for i, alpha in enumerate(prior):
            table = log_gamma_steps(float(alpha), self.n)
            c = self._cells[:, i]
            own = table[2 * c]
            total = total + table[c[:, None] + c[None, :]] - (own[:, None] + own[None, :]) / 2
        return np.sqrt(-np.expm1(np.minimum(total, 0.0)))

    def ratios(self, prior: Array, epsilons: Array) -> Array:
        """True epsilon / claimed epsilon for every epsilon."""
        with np.errstate(all="ignore"):
            h = self.distances(prior)
            ls = np.zeros(len(h))
            np.maximum.at(ls, self._from, h[self._from, self._to])
            losses = [self._loss(h, ls, eps) for eps in epsilons]
        return np.nan_to_num(np.array(losses), nan=0.0, posinf=0.0)

    def _loss(self, h: Array, ls: Array, eps: float) -> float:
        """The true epsilon over the claimed one (the nominal one where nothing is claimed)."""
        mechanism = replace(self.mechanism, epsilon=Fraction(eps))
        claimed = mechanism.claimed()
        bound = eps if claimed is None else float(claimed.epsilon)
        rate = float(mechanism.numerator()) / (2 * mechanism.float_sensitivity(ls, self._closure))
        logs = -rate[:, None] * h
        logs -= logsumexp(logs, axis=1, keepdims=True)
        if self._chain:
            return float(np.abs(np.diff(logs, axis=0)).max()) / bound
        pairs = zip(self._from, self._to, strict=True)
        return float(max(np.abs(logs[i] - logs[j]).max() for i, j in pairs if i < j)) / bound

    def _closure(self, start: Array, gamma: float) -> Array:
        """min over x'' of start(x'') + gamma d(x, x''), by relaxation."""
        value = start.copy()
        for _ in range(self.n):
            better = value.copy()
            np.minimum.at(better, self._from, value[self._to] + gamma)
            if np.array_equal(better, value):
                break
            value = better
        return value


def log_gamma_steps(alpha: float, n: int) -> Array:
    """ln Gamma(alpha + m/2) - ln Gamma(alpha) - (m/2) ln alpha for m = 0..2n, accurate for large alpha too."""
    table = np.zeros(2 * n + 1)
    if n:
        steps = np.log1p(np.arange(n) / alpha)
        table[2::2] = np.cumsum(steps)
        table[1::2] = half_step(alpha) + np.concatenate(([0.0], np.cumsum(np.log1p((np.arange(n - 1) + 0.5) / alpha))))
    return table


def half_step(alpha: float) -> float:
    """ln Gamma(alpha + 1/2) - ln Gamma(alpha) - ln(alpha)/2."""
    if alpha > LARGE_PRIOR:
        return -1 / (8 * alpha) + 1 / (192 * alpha**3) - 1 / (640 * alpha**5)
    return float(gammaln(alpha + 0.5) - gammaln(alpha) - np.log(alpha) / 2)
