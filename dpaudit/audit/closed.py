"""The true epsilon as the logarithm of a rational number, where it is one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.numbers.expressions import log
from dpaudit.numbers.symbolic import as_sympy
from dpaudit.privacy.pairs import Worst
from dpaudit.privacy.protocols import Audited

LONGEST = 60


@dataclass(frozen=True)
class LogOfOdds:
    """The natural logarithm of a rational number."""

    odds: Fraction

    def text(self) -> str:
        """The value as one writes it.

        >>> LogOfOdds(Fraction(3)).text(), LogOfOdds(Fraction(4, 3)).text()
        ('ln 3', 'ln(4/3)')
        """
        return f"ln {self.odds}" if self.odds.denominator == 1 else f"ln({self.odds})"

    def sympy(self) -> Any:
        """The same as a sympy expression."""
        return as_sympy(log(self.odds))


def log_of_odds(subject: Audited, worst: Worst) -> LogOfOdds | None:
    """The true epsilon where it is the logarithm of a rational number that people can read."""
    witness = worst.witness
    if worst.value.is_infinite or worst.value.is_open:
        return None
    odds = subject.algebra().odds(witness.x, witness.x_prime, witness.output)
    found = None if odds is None else LogOfOdds(odds)
    return found if found is not None and len(found.text()) <= LONGEST else None
