"""How a set of Python lies in its table: what decides the order of its entries, now and after the next change.

Two sets with the same entries may differ in it: the table grows with what was once inside, and what was removed leaves
a mark. Python shows none of this, so it is read from the memory of the object, as CPython lays it out; where that is
not as expected there is no answer.
"""

from __future__ import annotations

import ctypes
import functools
import sys
from typing import Any

REMOVED = -1
"""The hash of an entry that was removed; no object has it."""


def layout(value: set[Any] | frozenset[Any]) -> tuple[int, int, tuple[int, ...]] | None:
    """Returns the size of the table, where ``pop`` looks first, and the hash in each place; None if it is unknown.

    A place that was never used is left out of the hashes: each stands behind the number of its place.
    """
    return _read(value) if _as_expected() else None


def _header(value: Any) -> tuple[int, int, int, int, int]:
    """Returns fill, used, mask, the address of the table and the finger, in CPython's names."""
    fields = (ctypes.c_ssize_t * 6).from_address(id(value) + object.__basicsize__)
    fill, used, mask, table, _, finger = fields
    return fill, used, mask, table, finger


def _read(value: Any) -> tuple[int, int, tuple[int, ...]] | None:
    fill, used, mask, table, finger = _header(value)
    if used != len(value) or not used <= fill <= mask:
        return None
    words = (ctypes.c_ssize_t * (2 * (mask + 1))).from_address(table)
    places = [(i, words[2 * i + 1]) for i in range(mask + 1) if words[2 * i]]
    if [hashed for _, hashed in places if hashed != REMOVED] != [hash(entry) for entry in value]:
        return None
    return mask, finger, tuple(number for place in places for number in place)


@functools.cache
def _as_expected() -> bool:
    """Returns whether sets lie in memory as this file says, seen on sets whose tables are known."""
    if sys.implementation.name != "cpython":
        return False
    grown, emptied = set(range(100)), {1, 2, 3}
    emptied.discard(2)
    known: list[tuple[Any, tuple[int, int]]] = [(set(), (0, 0)), ({5}, (1, 1)), (frozenset((1, 2)), (2, 2))]
    known += [(grown, (100, 100)), (emptied, (3, 2))]
    if any(_header(made)[:2] != counts or _header(made)[2] & (_header(made)[2] + 1) for made, counts in known):
        return False
    return _read(emptied) == (7, 0, (1, 1, 2, REMOVED, 3, 3)) and all(_read(made) is not None for made, _ in known)
