"""What the fast tier needs of a mechanism: Hellinger distances and rates, as balls at one precision."""

from __future__ import annotations

from dataclasses import dataclass

from dpaudit.mechanisms.base import Dataset
from dpaudit.mechanisms.exponential import Exponential, ExponentialLaw
from dpaudit.numbers.balls import Ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Model
from dpaudit.privacy.fast.refusal import TooCoarse


@dataclass(frozen=True)
class HellingerLaw:
    """P_x(r) proportional to exp(-rate(x) H(x,r)): the law of a mechanism, its distances known to be Hellinger's."""

    law: ExponentialLaw
    h: Hellinger

    @property
    def model(self) -> Model:
        """Returns the model."""
        return self.h.model

    def rate(self, x: Dataset) -> Ball:
        """Returns a ball that contains rate(x)."""
        return self.law.rate(x)


def hellinger_law(mechanism: Exponential) -> HellingerLaw:
    """Returns the law of the mechanism at the precision in force; any other kind of law is refused."""
    law = mechanism.law()
    if type(law) is not ExponentialLaw or not isinstance(law.h, Hellinger):
        raise TooCoarse("the fast tier knows the plain exponential law with the Hellinger score only")
    return HellingerLaw(law, law.h)
