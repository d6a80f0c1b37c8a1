"""Other notions of privacy, re-derived: Renyi divergence, zCDP, Gaussian and general trade-off functions.

Each has a value of an ordered pair that is larger where privacy is worse: D_alpha; sup D_alpha / alpha; mu; and for
f the largest f(alpha) - beta of a test, which is 0 at least. A certificate states bounds of the largest value over
all pairs, a witness that reaches the lower one, and a verdict on a claimed bound.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dpaudit.evidence.verifier.interval import Interval, Undecided, rational
from dpaudit.evidence.verifier.laws import Probability, compare
from dpaudit.evidence.verifier.tables import Malformed, number

Rows = tuple[list[Probability], list[Probability]]


def is_infinite(rows: Rows) -> bool:
    """Returns whether an output is possible for x and impossible for x'."""
    return any(p.log is not None and q.log is None for p, q in zip(*rows, strict=True))


def same(rows: Rows, bits: int) -> bool:
    """Returns True only if both distributions are equal, by algebra."""
    for p, q in zip(*rows, strict=True):
        if (p.log is None) != (q.log is None):
            return False
        try:
            if p.log is not None and compare(p, q, Fraction(0), bits):
                return False
        except Undecided:
            return False
    return True


def sign_against(value: Interval, bound: Fraction) -> int:
    """Returns the sign of value - bound, or raises Undecided."""
    found = (value - rational(bound, value.bits)).sign()
    if found is None:
        raise Undecided
    return found


class Notion(ABC):
    """One notion with its claimed bound; ``spend`` takes the cost of an evaluation off the budget."""

    place: tuple[str, ...]
    """The members that say where the witness reaches the value."""
    claimed: Fraction

    def __init__(self, guarantee: dict[str, Any], witness: dict[str, Any], spend: Callable[[int], None]) -> None:
        self.spend = spend
        self.read(guarantee, witness)

    @abstractmethod
    def read(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        """Reads the claimed guarantee and the place."""

    @abstractmethod
    def reached(self, rows: Rows, bound: Fraction, bits: int) -> int:
        """Returns the sign of the value at the witness's place minus the bound."""

    @abstractmethod
    def exceeded(self, rows: Rows, bound: Fraction, bits: int) -> bool:
        """Returns whether the value of the pair, at any place, exceeds the bound."""


def read_bound(document: dict[str, Any], name: str) -> Fraction:
    """Returns the claimed bound, which is not negative."""
    value = number(document.get(name), name, 1000)
    if value < 0:
        raise Malformed(f"{name} is negative")
    return value
