"""One row of the model at a time: distances, sensitivities and mean errors at one data set, for large n.

Everything is a ball at the precision in force when ``Row`` was made; nothing here decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from operator import mul

from dpaudit.mechanisms.exponential import MHdelta
from dpaudit.mechanisms.laplace import Laplace, LaplaceLaw
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.divergences import HellingerDistance
from dpaudit.posterior.model import Histogram, Model, hamming
from dpaudit.posterior.sensitivity import global_, gs_constant, local, local_all


class Row:
    """Data set x of a model: H(x, r) for every histogram r, LS everywhere, smooth sensitivities at x."""

    def __init__(self, model: Model, x: Histogram) -> None:
        self.model, self.x = model, x
        self.h = Hellinger(model)

    @cached_property
    def distances(self) -> list[Ball]:
        """Returns balls that contain H(x, r), in the model's order."""
        return self.h.row(self.x)

    @cached_property
    def ls(self) -> Ball:
        """Returns a ball that contains LS(x)."""
        return local(self.h, self.x)

    @cached_property
    def _everywhere(self) -> list[tuple[int, Ball]]:
        """Returns, for every distance d, a ball that contains the largest LS at that Hamming distance from x."""
        by_distance: dict[int, list[Ball]] = {}
        for c, value in zip(self.model.histograms, local_all(self.h), strict=True):
            by_distance.setdefault(hamming(self.x, c), []).append(value)
        return [(d, balls.maximum(values)) for d, values in sorted(by_distance.items())]

    def smooth(self, gamma: Fraction) -> Ball:
        """Returns a ball that contains S(x) = max 1/(1/LS(x″) + γ·d(x,x″))  (A3 Definition 5)."""
        return 1 / balls.minimum([1 / value + ball(gamma * d) for d, value in self._everywhere])

    def smooth_exp(self, gamma: Ball, most: int | None = None) -> Ball:
        """Returns a ball that contains S_exp(x) = max LS(x″)·e^(−γ·d(x,x″)), over d(x,x″) ≤ ``most`` (P1 §4.2)."""
        chosen = [(d, value) for d, value in self._everywhere if most is None or d <= most]
        return balls.maximum([value * (-gamma * d).exp() for d, value in chosen])

    def gamma_p1(self, eps: Fraction, delta: Fraction) -> Ball:
        """Returns a ball that contains γ = ln(1 − ε/(2 ln(δ/(2(n+1)))))  (P1 §4.2)."""
        return MHdelta(self.model, eps, delta).gamma()

    def gs_constant(self) -> Ball:
        """Returns a ball that contains GS₀ = √(1−π/4)."""
        return gs_constant()

    def gs_exact(self) -> Ball:
        """Returns a ball that contains GS(n, α)."""
        return global_(self.h)

    def exponential(self, rate: Ball) -> list[Ball]:
        """Returns balls that contain P(r) ∝ exp(−rate·H(x,r))."""
        weights = [(-rate * h).exp() for h in self.distances]
        normaliser = 1 / balls.total(weights)
        return [w * normaliser for w in weights]

    def exponential_mean(self, rate: Ball) -> Ball:
        """Returns a ball that contains E[H] under P(r) ∝ exp(−rate·H(x,r))."""
        weights = [(-rate * h).exp() for h in self.distances]
        return balls.total(list(map(mul, weights, self.distances))) / balls.total(weights)

    def laplace_mean(self, mechanism: Laplace) -> Ball:
        """Returns a ball that contains E[H(posterior, released)], over all outputs of the mechanism at x."""
        law = LaplaceLaw(mechanism)
        if mechanism.noised() == 1:
            return mean(law.cell(self.x[0]), self.distances)
        h = HellingerDistance(self.model)
        released = (h.between(self.x, mechanism.released(output)) for output in mechanism.outputs())
        return mean(law.probabilities(self.x), list(released))


def mean(weights: Sequence[Ball], values: Sequence[Ball]) -> Ball:
    """Returns a ball that contains Σ wᵢ·vᵢ."""
    return balls.total(list(map(mul, weights, values)))
