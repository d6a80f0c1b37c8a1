"""State that code could keep from one run to the next: attributes, globals and closures, compared by contents."""

from __future__ import annotations

from collections.abc import Mapping, Set
from fractions import Fraction
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_PLAIN = (type(None), bool, int, float, complex, str, bytes, Fraction)
_SKIPPED = (ModuleType, FunctionType, BuiltinFunctionType, type, property, classmethod, staticmethod)
DEPTH = 6
"""Contents are compared to this depth."""


def kept(target: Any, function: Any) -> Any:
    """The contents of everything that the target and its function reach by name; equal while nothing has changed."""
    code = function.__func__ if isinstance(function, MethodType) else function
    cells = [cell.cell_contents for cell in getattr(code, "__closure__", None) or () if _is_filled(cell)]
    own = {name: value for name, value in getattr(code, "__globals__", {}).items() if not name.startswith("__")}
    places = [getattr(target, "__dict__", {}), vars(type(target)), own, getattr(code, "__defaults__", None), cells]
    return [_contents(place, DEPTH) for place in places]


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # a name that has no value yet
        return False


def _contents(value: Any, depth: int) -> Any:
    if isinstance(value, _PLAIN):
        return type(value), value if value == value else None
    if isinstance(value, _SKIPPED) or not depth:
        return id(value)
    if isinstance(value, np.ndarray):
        return id(value), value.shape, value.tobytes()
    if isinstance(value, Mapping):
        return type(value), [(_contents(k, depth - 1), _contents(v, depth - 1)) for k, v in value.items()]
    if isinstance(value, list | tuple):
        return type(value), [_contents(entry, depth - 1) for entry in value]
    if isinstance(value, Set):
        return type(value), len(value), sorted(map(repr, value))
    return id(value), _contents(getattr(value, "__dict__", None), depth - 1)
