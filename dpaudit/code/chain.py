"""How often each state is met, expected, when every state leads to others with given probabilities.

The states are eliminated one by one; a state that leads back to itself gives a geometric series, summed exactly.
Rounded down at every step, the result is a lower bound: only sums, products and 1/(1 - p) of numbers >= 0 occur.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

LONGEST = 8_000
"""Bits of a numerator or denominator beyond which exact fractions are given up for lower bounds."""


class TooLong(Exception):
    """The exact numbers become too long."""


class Numbers(Protocol):
    """Numbers >= 0 with what the elimination needs."""

    zero: Any
    one: Any

    def of(self, value: Fraction) -> Any:
        """Returns the number."""

    def times(self, a: Any, b: Any) -> Any:
        """Returns the product."""

    def series(self, p: Any) -> Any:
        """Returns 1/(1 - p), and 0 for p = 1: what never leaves gives nothing."""


class Floats:
    """Floats, to propose where to look next."""

    zero, one = 0.0, 1.0

    def of(self, value: Fraction) -> float:
        """Returns the nearest float."""
        return float(value)

    def times(self, a: float, b: float) -> float:
        """Returns the product."""
        return a * b

    def series(self, p: float) -> float:
        """Returns 1/(1 - p)."""
        return 1 / (1 - p) if p < 1 else 0.0


class Exact:
    """Fractions, as long as they are short enough."""

    zero, one = Fraction(0), Fraction(1)

    def of(self, value: Fraction) -> Fraction:
        """Returns the same."""
        return value

    def times(self, a: Fraction, b: Fraction) -> Fraction:
        """Returns the product."""
        found = a * b
        if found.denominator.bit_length() > LONGEST:
            raise TooLong
        return found

    def series(self, p: Fraction) -> Fraction:
        """Returns 1/(1 - p)."""
        return 1 / (1 - p) if p < 1 else Fraction(0)


@dataclass(frozen=True)
class Down:
    """Whole multiples of 2^-bits, rounded down: lower bounds."""

    bits: int = 512

    @property
    def zero(self) -> int:
        """Returns 0."""
        return 0

    @property
    def one(self) -> int:
        """Returns 1."""
        return 1 << self.bits

    def of(self, value: Fraction) -> int:
        """Returns the number, rounded down."""
        return (value.numerator << self.bits) // value.denominator

    def times(self, a: int, b: int) -> int:
        """Returns the product, rounded down."""
        return (a * b) >> self.bits

    def series(self, p: int) -> int:
        """Returns 1/(1 - p), rounded down."""
        return (1 << 2 * self.bits) // (self.one - p) if p < self.one else 0


def visits(edges: Sequence[Mapping[int, Fraction]], numbers: Any) -> list[Any]:
    """Returns how often each state is met on average from state 0 on; edges[u][v] is the probability of u -> v."""
    of, times, size = numbers.of, numbers.times, len(edges)
    rows = [{v: of(p) for v, p in row.items()} for row in edges]
    into: list[set[int]] = [set() for _ in range(size)]
    for u, row in enumerate(rows):
        for v in row:
            into[v].add(u)
    arrivals: list[dict[int, Any]] = [{} for _ in range(size)]
    stays: list[Any] = [numbers.one] * size
    for v in range(size - 1, 0, -1):
        row = rows[v]
        stays[v] = stay = numbers.series(row.pop(v, numbers.zero))
        leads = [(t, times(stay, p)) for t, p in row.items() if t < v]
        for u in into[v]:
            if u < v and v in rows[u]:
                arrivals[v][u] = p = rows[u].pop(v)
                for t, q in leads:
                    rows[u][t] = rows[u].get(t, numbers.zero) + times(p, q)
                    into[t].add(u)
    found = [numbers.series(rows[0].get(0, numbers.zero))]
    for v in range(1, size):
        total = sum((times(found[u], p) for u, p in arrivals[v].items()), numbers.zero)
        found.append(times(total, stays[v]))
    return found
