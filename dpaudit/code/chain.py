"""The expected number of visits to each state of a Markov chain.

The states are eliminated one by one; one that leads back to itself gives a geometric series, which is summed exactly.
Rounded down at every step, the result is a lower bound: only sums, products and 1/(1 - p) of numbers >= 0 occur.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

LONGEST = 8_000
"""With a denominator of more bits, exact fractions are replaced by lower bounds."""


class TooLong(Exception):
    """An exact number has become too long."""


class Numbers(NamedTuple):
    """Arithmetic of numbers >= 0: from a fraction, their product, and 1/(1 - p), which is 0 for p = 1."""

    zero: Any
    one: Any
    of: Callable[[Fraction], Any]
    times: Callable[[Any, Any], Any]
    series: Callable[[Any], Any]


def _product(a: Fraction, b: Fraction) -> Fraction:
    found = a * b
    if found.denominator.bit_length() > LONGEST:
        raise TooLong
    return found


def rounded_down(bits: int = 512) -> Numbers:
    """Whole multiples of 2^-bits, rounded down at every step: lower bounds."""
    one = 1 << bits
    return Numbers(
        zero=0,
        one=one,
        of=lambda value: (value.numerator << bits) // value.denominator,
        times=lambda a, b: (a * b) >> bits,
        series=lambda p: (one << bits) // (one - p) if p < one else 0,
    )


FLOATS = Numbers(0.0, 1.0, float, operator.mul, lambda p: 1 / (1 - p) if p < 1 else 0.0)
"""They propose where to continue."""
EXACT = Numbers(Fraction(0), Fraction(1), Fraction, _product, lambda p: 1 / (1 - p) if p < 1 else Fraction(0))
"""Used as long as the fractions are short."""


def visits(edges: Sequence[Mapping[int, Fraction]], numbers: Numbers) -> list[Any]:
    """The expected number of visits to each state from state 0; edges[u][v] is the probability of u -> v."""
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
