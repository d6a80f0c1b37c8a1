"""The settings that a claim "this mechanism has its guarantee" covers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from dpaudit.mechanisms import REGISTRY, PosteriorMechanism
from dpaudit.privacy.adjacency import REPLACE_ONE


@dataclass(frozen=True)
class Family:
    """A mechanism of the registry for every n, k and ε, one record replaced; with these parameters, and such priors.

    Other parameters may have any value; ``least`` is the least entry of the prior.
    """

    mechanism: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    least: Fraction = Fraction(0)

    def includes(self, mechanism: PosteriorMechanism) -> bool:
        """Whether the claim covers this setting."""
        same = REGISTRY.get(self.mechanism) is type(mechanism) and mechanism.adjacency == REPLACE_ONE
        fits = same and all(str(getattr(mechanism, name)) == value for name, value in self.parameters.items())
        return fits and min(mechanism.model.prior) >= self.least
