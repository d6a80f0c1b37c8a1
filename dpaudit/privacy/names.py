"""Which data set or output a name from outside denotes: in a file of counts, of pairs, or on the command line.

A name denotes a value that has this very text. Tuples have more spellings, "(3, 1)", "(3,1)", "3,1", for flat ones of
whole numbers also "3 1". A name that could denote two values is refused, never guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from dpaudit.numbers.errors import InputError
from dpaudit.privacy.protocols import text

AROUND = re.compile(r"\s*([,()])\s*")


class Names:
    """The values by their names; ``find`` returns what a name denotes."""

    def __init__(self, values: Iterable[Any]) -> None:
        self._exact: dict[str, list[Any]] = {}
        self._loose: dict[str, list[Any]] = {}
        for value in values:
            for name in _spellings(value):
                self._exact.setdefault(name, []).append(value)
            if isinstance(value, tuple):
                self._loose.setdefault(_compact(value), []).append(value)

    def find(self, option: str, name: str) -> list[Any]:
        """The value of that name, alone in a list (it may be None); nothing if there is none.

        InputError if there are two.
        """
        wanted = name.strip()
        found = self._exact.get(wanted) or self._without_spaces(wanted)
        if len(found) > 1:
            some = " or ".join(repr(value)[:60] for value in found[:2])
            raise InputError(option, name, f"is ambiguous: it may be {some}")
        return found

    def _without_spaces(self, wanted: str) -> list[Any]:
        squeezed = AROUND.sub(r"\1", wanted)
        return [*self._loose.get(squeezed, ()), *self._loose.get(f"({squeezed})", ())]


def _spellings(value: Any) -> set[str]:
    """The names that are this value's, sign by sign."""
    if not isinstance(value, tuple):
        return {text(value)}
    found = {text(value), _compact(value), repr(value)}
    if all(type(entry) is int for entry in value):
        entries = [str(entry) for entry in value]
        found |= {",".join(entries), ", ".join(entries), " ".join(entries)}
    return found


def _compact(value: Any) -> str:
    """The text of the value without the spaces that ``text`` puts into tuples."""
    return "(" + ",".join(_compact(entry) for entry in value) + ")" if isinstance(value, tuple) else text(value)
