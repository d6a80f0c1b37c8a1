"""A guarantee that was judged: the verdict, and the evidence that decides it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Audited

if TYPE_CHECKING:
    from dpaudit.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class Evidence:
    """The quantity that decides, largest over all ordered adjacent pairs, lies in ``value``; the witness attains it.

    ``at`` says where for that pair: the order of a divergence, the epsilon of a delta, the threshold of a test (which
    says "x" where the loss exceeds it). The quantity of a trade-off function is the smallest margin by which the
    error of the second kind exceeds it, over all tests, 0 at most.
    """

    quantity: str
    value: Enclosure
    witness: Witness
    at: dict[str, str] = field(default_factory=dict)
    bits: int = 0

    def to_dict(self) -> dict[str, Any]:
        """quantity, at, enclosure and pair, for JSON."""
        value, pair = self.value.to_dict(), self.witness.to_dict()
        return {"quantity": self.quantity, "at": self.at or None, "enclosure": value, "pair": pair}


BOUNDS = {"epsilon": "epsilon", "delta": "delta", "renyi": "epsilon", "zcdp_rho": "rho", "gdp_mu": "mu"}
"""Quantity that decided -> the number of the guarantee that bounds it."""


@dataclass(frozen=True)
class Claim:
    """A guarantee, the verdict on it and what decides it; all None where nothing is claimed."""

    guarantee: Guarantee | None = None
    verdict: Verdict | None = None
    evidence: Evidence | None = None

    @property
    def epsilon(self) -> Fraction | None:
        """The epsilon of an (epsilon, delta)-guarantee, else None."""
        both = None if self.guarantee is None else self.guarantee.epsilon_delta()
        return None if both is None else both[0]

    @property
    def delta(self) -> Fraction | None:
        """The delta of an (epsilon, delta)-guarantee, else None."""
        both = None if self.guarantee is None else self.guarantee.epsilon_delta()
        return None if both is None else both[1]

    @property
    def bound(self) -> Fraction | None:
        """The number of the guarantee that what decided was compared with; None where that is no number."""
        if self.guarantee is None or self.evidence is None:
            return None
        found: Fraction | None = vars(self.guarantee).get(BOUNDS.get(self.evidence.quantity, ""))
        return found

    def to_dict(self) -> dict[str, Any]:
        """claimed, claimed_delta, verdict, guarantee and evidence: exact text or None."""
        return {
            "claimed": None if self.epsilon is None else str(self.epsilon),
            "claimed_delta": None if self.delta is None else str(self.delta),
            "verdict": None if self.verdict is None else self.verdict.value,
            "guarantee": None if self.guarantee is None else self.guarantee.to_dict(),
            "evidence": None if self.evidence is None else self.evidence.to_dict(),
        }


def narrowed(mechanism: Audited, value: Ball, digits: int, least: int | None = None) -> Enclosure | None:
    """An enclosure of width <= 10^-digits, or None; of a mechanism known to fixed width, as narrow as it is."""
    if mechanism.refinable:
        return balls.enclosure(value, digits, least)
    return outward(*balls.cut(value, value, least), digits)
