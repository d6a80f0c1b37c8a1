"""Data sets and outputs as somebody's own code gives them: hashable values that may compare equal and differ."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from dpaudit.privacy.protocols import text


def alike(a: Any, b: Any) -> bool:
    """Whether two values that compare equal also are of one type or have one text: 1 and True are not alike."""
    if isinstance(a, tuple) and isinstance(b, tuple):
        return all(alike(*entries) for entries in zip(a, b, strict=False))
    return type(a) is type(b) or text(a) == text(b)


def hashable(value: Any) -> bool:
    """Whether the value can be a data set or an output."""
    try:
        hash(value)
    except Exception:  # somebody else's object: its hash may do anything
        return False
    return isinstance(value, Hashable)
