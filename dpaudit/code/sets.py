"""The table of a set. In which order its entries come, now and after whatever is added, follows from it alone.

Two sets of equal entries may differ in that: one that has grown and shrunk has another table than a fresh one.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from typing import Any

HEAD, FIELDS, ENTRY = object.__basicsize__, "nnnPnn", "Pn"
"""Of Python's own C code: what every object starts with; fill, used, mask, table, hash, finger; and one entry."""
SMALLEST = 8
READABLE = sys.implementation.name == "cpython" and set.__basicsize__ == HEAD + struct.calcsize(
    FIELDS + SMALLEST * ENTRY + "P"
)
"""Whether the sets of this Python are laid out like that."""


def table(value: set[Any] | frozenset[Any]) -> tuple[tuple[int, int], list[int]] | None:
    """Returns (size, where pop() looks next) and the places that are taken; None where it cannot be read.

    The places of the entries come first, in the order of the entries; then those of entries that are gone.
    """
    if not READABLE:
        return None
    _, used, mask, start, _, finger = _read(id(value) + HEAD, FIELDS)
    if used != len(value) or mask & (mask + 1) or not used <= mask:
        return None
    found = [_read(start + place * struct.calcsize(ENTRY), ENTRY) for place in range(mask + 1)]
    entries = {id(entry): None for entry in value}
    held = [place for place, (entry, _) in enumerate(found) if entry in entries]
    gone = [place for place, (entry, _) in enumerate(found) if entry and entry not in entries]
    if [found[place][0] for place in held] != list(entries):
        return None
    return (mask, finger), held + gone


def _read(address: int, fields: str) -> tuple[int, ...]:
    """Returns the numbers that lie there."""
    return struct.unpack(fields, ctypes.string_at(address, struct.calcsize(fields)))
