"""The structure of outputs: two that differ only in it would pass for one, and some values are not outputs."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import ModuleType
from typing import Any

import numpy as np

from dpaudit.code.lazy import is_lazy

PLAIN = frozenset(
    (int, float, bool, str, bytes, complex, type(None), Fraction, Decimal, range, date, datetime, time, timedelta)
)
KINDS = {list: "a list", tuple: "a tuple"}


Form = tuple[str, tuple[Any, ...]] | None
"""The outermost container, and the forms of its entries; None for anything else."""


def form(value: Any) -> Form:
    """The containers of a value, to any depth."""
    kind: Any = type(value)
    if kind in KINDS:
        return KINDS[kind], tuple(map(form, value))
    if is_lazy(value):
        return None
    if isinstance(value, np.ndarray):
        return "an array", tuple(map(form, value)) if value.dtype == object else ()
    if isinstance(value, Mapping):
        return "a dict", tuple(form(part) for item in value.items() for part in item)
    return ("a set", ()) if isinstance(value, set | frozenset) else None


def output_key(value: Any) -> Hashable:
    """A key of an output; 1, 1.0 and True have three. None for a value that is not an output."""
    kind: Any = type(value)
    if kind in PLAIN or (isinstance(value, tuple) and kind is not tuple and not hasattr(kind, "_make")):
        return (kind, repr(value)) if kind in PLAIN else None
    if isinstance(value, tuple):
        parts = tuple(map(output_key, value))
        return None if None in parts else (kind, parts)
    if kind is frozenset:
        entries = frozenset(map(output_key, value))
        return None if None in entries else (kind, entries)
    if isinstance(value, Enum):
        return kind, value.name
    return None


def nameless(value: Any) -> str | None:
    """The type of a part of an output that is not a value: a function, a source, an object without a text."""
    if isinstance(value, tuple | frozenset):
        return next((found for found in map(nameless, value) if found), None)
    kind: Any = type(value)
    without = kind.__repr__ is object.__repr__ and kind.__str__ is object.__str__
    sources = (random.Random, np.random.Generator, np.random.RandomState, ModuleType)
    return kind.__name__ if without or callable(value) or isinstance(value, sources) else None
