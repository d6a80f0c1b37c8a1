"""The law of a mechanism in dyadic enclosures, as a certificate carries it: entries [lo, width, e]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpaudit.evidence.verifier.subject import ALL, WITNESS
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.own.law import MAX_FIXED_BITS
from dpaudit.numbers import balls
from dpaudit.numbers.precision import PrecisionExhausted
from dpaudit.privacy.protocols import Dataset, Output

MOST = 4
"""How often a row whose balls are too wide is retried with twice the precision; some are always wide."""


def enclosed_law(
    mechanism: Mechanism, held: Sequence[Dataset], outputs: Sequence[Output], bits: int, covers_all: bool
) -> dict[str, Any]:
    """The rows of these data sets, in the order of these outputs, each entry with about ``bits`` bits.

    An entry that is 0 exactly is [0, 0, 0]; any other entry has some room on both sides, so that a verifier with a
    few more bits can confirm it.
    """
    places = {output: i for i, output in enumerate(mechanism.outputs())}
    order = [places[output] for output in outputs]
    rows: list[Any] = []
    for x in held:
        for factor in range(MOST):
            found = _ends(mechanism, x, order, (2 * bits + 64) << factor)
            if found is None:  # entries that are intervals are never narrower
                found = _ends(mechanism, x, order, MAX_FIXED_BITS) or []
                break
            if factor == MOST - 1 or all(_is_narrow(entry, bits) for entry in found):
                break
        rows.append([_rounded(entry, bits) for entry in found or ()])
    return {"covers": ALL if covers_all else WITNESS, "rows": rows}


Ends = tuple[int, int, int]
"""lo, hi, e: the numbers from lo 2^e to hi 2^e."""


def _ends(mechanism: Mechanism, x: Dataset, order: Sequence[int], bits: int) -> list[Ends] | None:
    """The ends of the row at this precision; None where the mechanism has no such precision."""
    try:
        with balls.precision(bits):
            law = mechanism.law().probabilities(x)
            return [balls.dyadic_ends(law[i]) for i in order]
    except PrecisionExhausted:
        return None


def _is_narrow(ends: Ends, bits: int) -> bool:
    lo, hi, _ = ends
    return lo == hi == 0 or (lo > 0 and (hi - lo) << bits <= hi)


def _rounded(ends: Ends, bits: int) -> list[int]:
    """[lo, width, e] with one unit of room on either side; 0 stays 0."""
    lo, hi, e = ends
    if lo == hi == 0:
        return [0, 0, 0]
    shift = hi.bit_length() - bits
    lo, hi = (lo >> shift, -(-hi >> shift)) if shift > 0 else (lo << -shift, hi << -shift)
    lo = max(lo - 1, 0)
    return [lo, hi + 1 - lo, e + shift]
