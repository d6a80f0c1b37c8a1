"""The discrete Laplace and Gaussian samplers of Tumult Core as it is installed: whole numbers and fractions only."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np

# Without the library's checks of types, which are compiled into its functions: then their source is not what runs.
with patch("typeguard.typechecked", lambda function: function):
    from tmlt.core.random import discrete_gaussian as core

core.prng = np.random.default_rng


class DiscreteLaplace:
    """A count plus noise of scale 1/ε."""

    budget: ClassVar[dict[str, Any]] = {"residual": "1e-18", "seconds": 900}

    def __init__(self, epsilon: Fraction) -> None:
        self.epsilon = epsilon

    def datasets(self) -> list[int]:
        """Returns two counts."""
        return [0, 1]

    def claimed(self) -> tuple[Fraction, Fraction]:
        """Returns the nominal ε, with a δ for what is not followed: an endless tail is never proved to be ε-DP."""
        return self.epsilon, Fraction(1, 10**15)

    def sample(self, x: int, rng: np.random.Generator) -> int:
        """Returns the noisy count."""
        return x + core._sample_dlaplace(1 / self.epsilon)


class DiscreteGaussian(DiscreteLaplace):
    """A count plus discrete Gaussian noise. Its variance has ρ-zCDP with ρ + 2 √(ρ ln 1/δ) ≤ ε, δ = 10^-6."""

    budget: ClassVar[dict[str, Any]] = {"residual": "1e-12", "seconds": 3600}
    variances: ClassVar[dict[Fraction, int]] = {Fraction(1): 30, Fraction(1, 10): 2800}

    def claimed(self) -> tuple[Fraction, Fraction]:
        """Returns the nominal ε and δ."""
        return self.epsilon, Fraction(1, 10**6)

    def sample(self, x: int, rng: np.random.Generator) -> int:
        """Returns the noisy count."""
        return x + core.sample_dgauss(self.variances[self.epsilon])
