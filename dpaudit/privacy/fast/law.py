"""What the fast tier needs of a mechanism: Hellinger distances and rates, as balls at one precision."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpaudit.numbers.balls import Ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Model
from dpaudit.privacy.protocols import Dataset, Law


@dataclass(frozen=True)
class HellingerLaw:
    """P_x(r) proportional to exp(-rate(x) H(x,r)): the law of a mechanism, its distances known to be Hellinger's."""

    law: Law
    h: Hellinger
    rate: Callable[[Dataset], Ball]
    """x -> a ball that contains rate(x)."""

    @property
    def model(self) -> Model:
        """Returns the model."""
        return self.h.model
