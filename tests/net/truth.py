"""The truth about an own mechanism, from its entries as mpmath reads them: no engine, no balls, no shortcut."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

from .settings import Own

DPS = 1000
NOTHING = mpf(10) ** -700
"""Smaller than every entry that is not 0, larger than every rounding error."""


def number(value: Any) -> mpf:
    """An exact number or its text as mpf; infinity stays."""
    if isinstance(value, mpf):
        return value
    if value == float("inf"):
        return mp.inf
    value = Fraction(value)
    return mpf(value.numerator) / value.denominator


NAMES = {
    "F": number,
    "exp": lambda x: mp.exp(number(x)),
    "log": lambda x: mp.log(number(x)),
    "sqrt": lambda x: mp.sqrt(number(x)),
}


def _value(text: str) -> Any:
    found = eval(text, {"__builtins__": {}}, NAMES)
    return None if found is None else number(found)


def rows(case: Own) -> list[list[mpf]]:
    """The probabilities, a certain 0 as 0. Call with mp.workdps(DPS)."""
    found = [[_value(entry) for entry in row] for row in case.actual or case.rows]
    if case.style != "log_weight":
        return [[mpf(0) if abs(p) < NOTHING else p for p in row] for row in found]
    normalised = []
    for row in found:
        top = max(w for w in row if w is not None)
        weights = [mpf(0) if w is None else mp.exp(w - top) for w in row]
        total = mp.fsum(weights)
        normalised.append([w / total for w in weights])
    return normalised


def wrong(found: Sequence[Sequence[mpf]]) -> str | None:
    """What is wrong with the rows, if they are no distributions."""
    for i, row in enumerate(found):
        if min(row) < 0:
            return f"row {i} has a negative entry"
        if abs(mp.fsum(row) - 1) > NOTHING:
            return f"row {i} does not sum to 1"
    return None


def epsilon(found: Sequence[Sequence[mpf]], pairs: Sequence[tuple[int, int]]) -> mpf:
    """The largest loss over pairs and outputs."""
    losses = [mpf(0)]
    for i, j in pairs:
        for p, q in zip(found[i], found[j], strict=True):
            if p:
                losses.append(mp.log(p / q) if q else mp.inf)
    return max(losses)


def delta(found: Sequence[Sequence[mpf]], pairs: Sequence[tuple[int, int]], at: Fraction) -> mpf:
    """The largest sum of max(0, P - e^at P') over pairs."""
    factor = mp.exp(number(at))
    both = [zip(found[i], found[j], strict=True) for i, j in pairs]
    return max(mp.fsum(max(mpf(0), p - factor * q) for p, q in row) for row in both)
