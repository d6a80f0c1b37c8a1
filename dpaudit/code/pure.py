"""The closed list: functions, methods and types that a clean run may use. Whatever is not here is outside of it."""

from __future__ import annotations

import bisect
import builtins
import fractions
import functools
import math
import operator
from fractions import Fraction
from types import BuiltinFunctionType, GeneratorType, NoneType
from typing import Any

import numpy as np

from dpaudit.code.keys import ATOMS, NUMPY_NUMBERS
from dpaudit.code.lazy import Lazy
from dpaudit.code.rewrite import is_rewritten
from dpaudit.code.vectors import Draws

SEQUENCES: frozenset[Any] = frozenset((list, tuple, str, range, bytes, np.ndarray, Draws))
"""What can be gone over by the numbers of its entries."""
CONTAINERS: frozenset[Any] = SEQUENCES | {dict, set, frozenset}
TRUTHS: frozenset[Any] = ATOMS | CONTAINERS | {Lazy}
"""Types that decide by themselves whether a value is true."""
ITERATORS: frozenset[Any] = frozenset(
    (zip, map, filter, enumerate, reversed, type(iter([])), type(iter(range(0))), type({}.keys()), type({}.values()))
) | {type({}.items())}
"""Made by functions of this list, of what they were given: going over them runs no other code."""

BUILTINS = """abs all any ascii bin bool bytes chr complex divmod float format frozenset hex int max min oct ord pow
repr round set sorted str sum slice map filter dict"""
SHALLOW = "len list tuple enumerate zip reversed range"
"""Of these only the outermost container matters: the entries are handed on as they are."""
NUMPY = """zeros ones full zeros_like ones_like arange linspace array asarray concatenate stack where sum prod max min
amax amin mean argmax argmin argsort sort cumsum cumprod clip round around isclose allclose searchsorted digitize dot
outer unique nonzero flatnonzero bincount all any append delete insert tile repeat flip reshape ravel count_nonzero
array_equal isin setdiff1d eye identity diff take copy size shape ndim var std median ceil floor"""


def _found(module: Any, names: str) -> dict[int, Any]:
    found = (getattr(module, name, None) for name in names.split())
    return {id(one): one for one in found if one is not None}


PURE: dict[int, Any] = {
    **_found(builtins, BUILTINS),
    **{id(f): f for f in (*vars(math).values(), *vars(operator).values()) if isinstance(f, BuiltinFunctionType)},
    **_found(np, NUMPY),
    **{id(f): f for f in vars(np).values() if isinstance(f, np.ufunc)},
    **{id(kind): kind for kind in NUMPY_NUMBERS},
    **{id(f): f for f in (Fraction, functools.reduce, bisect.bisect, bisect.bisect_left, bisect.bisect_right)},
}
"""By address: functions whose value depends on the values of their arguments alone, and that change nothing."""
for _function in (operator.setitem, operator.delitem, operator.call, operator.is_, operator.is_not):
    PURE.pop(id(_function), None)
for _name in [name for name in vars(operator) if name.startswith("i") and hasattr(operator, f"__{name}__")]:
    PURE.pop(id(getattr(operator, _name)), None)
PASSES_ON: dict[int, Any] = _found(builtins, SHALLOW)
ORDERLESS: dict[int, Any] = _found(builtins, "len sorted min max any all set frozenset")
"""Functions whose value does not depend on the order of a set, as long as they are given no key."""
MAKES: dict[int, Any] = {**_found(builtins, "list dict sorted set"), **_found(np, NUMPY)}
"""Those of them that may give back a new list, dict, set or array."""
READS = {
    list: frozenset(["index", "count", "copy"]),
    dict: frozenset(["get", "items", "keys", "values", "copy"]),
    set: frozenset(
        ["union", "intersection", "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint", "copy"]
    ),
    np.ndarray: frozenset(
        [
            "sum",
            "prod",
            "max",
            "min",
            "mean",
            "argmax",
            "argmin",
            "cumsum",
            "cumprod",
            "any",
            "all",
            "item",
            "tolist",
            "copy",
            "astype",
            "reshape",
            "ravel",
            "flatten",
            "nonzero",
            "round",
            "clip",
            "dot",
            "searchsorted",
            "transpose",
        ]
    ),
}
"""The methods that change nothing; all of these types' other methods are only for what the run itself has made."""
CHANGES = {
    list: frozenset(["append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"]),
    dict: frozenset(["setdefault", "update", "pop", "popitem", "clear"]),
    set: frozenset(["add", "discard", "remove", "update", "clear"]),
    np.ndarray: frozenset(["fill", "sort"]),
}
IMMUTABLE = ATOMS | {tuple, frozenset, NoneType}
"""Every method of these is pure."""
FRACTIONS = fractions.__file__


def writes(function: Any, given: tuple[Any, ...], named: Any) -> bool:
    """Whether a function of numpy may be given an array to write to: by name, or behind its usual arguments."""
    usual = {np.where: 3, np.clip: 3}.get(function, 2)
    if isinstance(function, np.ufunc):
        usual = function.nin
    return "out" in named or any(isinstance(one, np.ndarray) for one in given[usual:])


def is_closed_set(value: Any) -> bool:
    """Whether the value is a set of closed values: of it an entry may be looked for, but its order is no value."""
    return type(value) in (set, frozenset) and all(map(is_closed, value))


def is_closed(value: Any) -> bool:
    """Whether the value, with all entries, is of closed types: operators and pure functions on it run no other code."""
    kind = type(value)
    if kind in ATOMS or kind is Lazy or kind is Draws:
        return True
    if kind in (list, tuple):
        return all(map(is_closed, value))
    if kind is dict:
        return all(map(is_closed, value)) and all(map(is_closed, value.values()))
    if kind is np.ndarray:
        return bool(value.dtype != object)
    if kind is slice:
        return is_closed((value.start, value.stop, value.step))
    if kind is GeneratorType:
        return is_rewritten(value.gi_code)
    return kind in ITERATORS or value is Ellipsis or isinstance(value, np.dtype) or value in NUMPY_TYPES


class _Types:
    """The types by which numpy's functions name the type of an array."""

    def __contains__(self, value: Any) -> bool:
        return isinstance(value, type) and (value in NUMPY_NUMBERS or value in (int, float, bool, complex, object))


NUMPY_TYPES = _Types()
