"""Closed forms of a result: for people as text, for those who go on calculating as a sympy expression."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.numbers.expressions import log
from dpaudit.numbers.symbolic import as_sympy
from dpaudit.privacy.pairs import Worst
from dpaudit.privacy.protocols import Audited, ClosedLoss

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


@dataclass(frozen=True, kw_only=True)
class Closed:
    """A result whose value may be known in closed form."""

    closed: ClosedLoss | LogOfOdds | Fraction | None = None
    """The true epsilon where it is known exactly: for every nominal epsilon, or at this one."""

    @property
    def closed_form(self) -> Any:
        """The true epsilon as a sympy expression, in the symbol epsilon where it is known for all; None if unknown."""
        if self.closed is None:
            return None
        return as_sympy(self.closed) if isinstance(self.closed, Fraction) else self.closed.sympy()

    @property
    def closed_form_text(self) -> str | None:
        """The true epsilon in closed form, as one writes it: "1/2 + ln(2 - e^(-1/2))"."""
        if self.closed is None:
            return None
        return str(self.closed) if isinstance(self.closed, Fraction) else self.closed.text()

    @property
    def closed_form_symbolic(self) -> str | None:
        """The same for every nominal epsilon, where that is known."""
        known = self.closed if isinstance(self.closed, ClosedLoss) else None
        return (known.symbolic() or None) if known else None
