"""Estimates in floating point of the best tilt for an epsilon or a delta. They decide nothing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from dpaudit.accounting.compose import Term

STEEPEST = 1e6


class Saddle:
    """The cumulant function K(theta) = sum over the terms of times ln(sum of p(k) e^(theta loss)), in floats."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.parts = []
        for term in terms:
            values, lattice = term.upper.values, term.upper.lattice
            losses = float(lattice.offset) + float(lattice.step) * (np.arange(len(values)) + term.upper.first)
            used = values > 1e-290
            self.parts.append((term.times, losses[used], np.log(values[used])))
        self.steepest = min(STEEPEST, *(500 / (float(np.ptp(losses)) + 1e-9) for _, losses, _ in self.parts))

    def cumulants(self, theta: float) -> tuple[float, float, float]:
        """K, its derivative and its second derivative."""
        total = slope = curvature = 0.0
        for times, losses, logs in self.parts:
            exponents = logs + theta * losses
            top = float(np.max(exponents))
            weights = np.exp(exponents - top)
            mass = float(np.sum(weights))
            mean = float(np.dot(weights, losses)) / mass
            variance = float(np.dot(weights, (losses - mean) ** 2)) / mass
            total += times * (top + math.log(mass))
            slope += times * mean
            curvature += times * variance
        return total, slope, curvature

    def tilt(self, epsilon: float) -> Fraction:
        """Approximately the theta >= 0 at which the tilted loss has the mean epsilon."""
        return self._rounded(self._where(lambda theta: self.cumulants(theta)[1] >= epsilon))

    def tilt_for(self, delta: float) -> Fraction:
        """Approximately the best theta for the epsilon with delta(epsilon) = delta."""
        return self._rounded(self._where(lambda theta: self.log_delta(theta) <= math.log(delta)))

    def log_delta(self, theta: float) -> float:
        """Approximately ln delta at the epsilon with this tilt."""
        total, slope, curvature = self.cumulants(theta)
        spread = math.sqrt(max(curvature, 1e-18))
        return total - theta * slope - math.log(2 + theta * (1 + theta) * spread * 2.5066)

    def _where(self, reached: object) -> float:
        """About the least theta for which ``reached`` holds, which it does from some theta on."""
        assert callable(reached)
        if reached(0.0):
            return 0.0
        low, high = 0.0, 1.0
        while high < self.steepest and not reached(high):
            low, high = high, 2 * high
        high = min(high, self.steepest)
        for _ in range(12):
            middle = (low + high) / 2
            low, high = (low, middle) if reached(middle) else (middle, high)
        return (low + high) / 2

    @staticmethod
    def _rounded(theta: float) -> Fraction:
        scale = 2 ** max(0, 10 - int(math.log2(max(theta, 1e-3))))
        return Fraction(round(theta * scale), scale)
