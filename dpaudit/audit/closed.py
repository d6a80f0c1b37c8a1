"""Closed forms of a result: for people as text, for those who go on calculating as a sympy expression."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.numbers.symbolic import as_sympy
from dpaudit.privacy.protocols import ClosedLoss


@dataclass(frozen=True, kw_only=True)
class Closed:
    """A result whose value may be known in closed form."""

    closed: ClosedLoss | Fraction | None = None
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
