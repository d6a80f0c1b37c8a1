"""What the fast tier needs of a mechanism: Hellinger distances and rates, as balls at one precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dpaudit.numbers.balls import Ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.ends import EndHellinger
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
        """The model."""
        return self.h.model

    @property
    def reach(self) -> int:
        """The largest c of the outputs (c, n - c) that are examined one by one."""
        return self.model.n

    def column(self) -> list[Ball]:
        """Returns, for k = 2, balls that contain ln Gamma(a + m/2) + ln Gamma(b + n - m/2) + a constant, m = 0..2n."""
        first, second = self.h.log_ratios()
        return [u + v for u, v in zip(first, reversed(second), strict=True)]


@dataclass(frozen=True)
class EndLaw:
    """The same for k = 2 and the data sets (c, n - c) near one end: c < len(rates); no table of length n."""

    h: EndHellinger
    rates: Sequence[Ball]
    """Balls that contain rate(x), at most ``reach`` of them."""

    @property
    def model(self) -> Model:
        """The model."""
        return self.h.model

    @property
    def reach(self) -> int:
        """The largest c of the outputs (c, n - c) that are examined one by one."""
        return self.h.reach

    def rate(self, x: Dataset) -> Ball:
        """A ball that contains rate(x)."""
        rate: Ball = self.rates[x[0]]
        return rate

    def column(self) -> list[Ball]:
        """Balls that contain ln Gamma(a + m/2) + ln Gamma(b + n - m/2) + a constant, m = 0..2 reach."""
        return self.h.log_column()
