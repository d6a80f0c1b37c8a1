"""Data sets and outputs of a user's own code: hashable values that may compare equal and yet differ."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.privacy.protocols import text


def alike(a: Any, b: Any) -> bool:
    """Whether two values that compare equal also have the same type or text: 1 and True do not."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(alike(*entries) for entries in zip(a, b, strict=False))
    return type(a) is type(b) or text(a) == text(b)


def hashable(value: Any) -> bool:
    """Whether the value can be a data set or an output."""
    try:
        hash(value)
    except Exception:  # a foreign object: its hash may do anything
        return False
    return isinstance(value, Hashable)


def short(value: Any) -> str:
    """The value as text of at most 40 characters."""
    try:
        shown = str(value) if isinstance(value, Fraction | str) else repr(value)
    except Exception:  # a number of thousands of digits, or an object that cannot be shown
        return f"a {type(value).__name__}"
    return shown if len(shown) <= 40 else shown[:37] + "..."


def twins_among(items: Sequence[Any]) -> str:
    """The first two items that compare equal or have the same text, in words; "" if there are none.

    They would be confused.
    """
    values: dict[Any, int] = {}
    names: dict[str, int] = {}
    for i, item in enumerate(items):
        name = text(item)
        first = min(values.setdefault(item, i), names.setdefault(name, i))
        if first < i:
            twin = items[first]
            if text(twin) != name:
                found = f"{short(twin)} and {short(item)}, which compare equal"
            else:
                found = f"{name} twice" + ("" if twin == item else ", as different values")
            return f"{found} (numbers {first + 1} and {i + 1})"
    return ""
