"""What a sub-sampler gives back: the very value or exception of its function, a fresh object for every call."""

from __future__ import annotations

import sys
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import GetSetDescriptorType, MemberDescriptorType
from typing import Any

import numpy as np

from dpaudit.code.layout import layout
from dpaudit.code.lazy import is_lazy
from dpaudit.code.vectors import Draws

ATOMS = frozenset(
    (
        *(type(None), bool, int, float, complex, str, bytes, Fraction, Decimal, range, type(Ellipsis)),
        *(date, datetime, time, timedelta, timezone),
    )
)
"""Values that never change: one object is as good as another."""
NUMBERS = "numbers, text, or lists, tuples, dicts, sets and arrays of them"


WHAT = "what an exception of a sub-sampler holds"


class NotReturned(Exception):
    """A value of which no second one can be made; the words say why."""


def fresh(value: Any, what: str = "", met: dict[int, Any] | None = None) -> Any:
    """Returns an equal value made of new objects, without open numbers; ``met`` gets what each part has become."""
    if type(value) in ATOMS:
        return value
    if is_lazy(value):
        return value.force(what=what)
    if isinstance(value, np.generic | Enum):
        return value
    met = {} if met is None else met
    if id(value) not in met:
        met[id(value)] = _made(type(value), value, what, met)
    return met[id(value)]


def _made(kind: Any, value: Any, what: str, met: dict[int, Any]) -> Any:
    if kind is list:
        found = met[id(value)] = []
        found += [fresh(entry, what, met) for entry in value]
        return found
    if kind is dict:
        table = met[id(value)] = {}
        table.update((fresh(k, what, met), fresh(v, what, met)) for k, v in value.items())
        return table
    if kind is tuple or (hasattr(kind, "_make") and isinstance(value, tuple) and not hasattr(value, "__dict__")):
        return tuple.__new__(kind, [fresh(entry, what, met) for entry in value])
    if kind in (set, frozenset):
        return _set(value)
    if kind in (np.ndarray, Draws):
        return _array(value, what, met)
    raise NotReturned(f"a {kind.__name__}")


def _set(value: Any) -> Any:
    """Returns a copy of the set; its entries must be plain, and lie in its table as they did."""
    found = value.copy()
    if any(type(entry) not in ATOMS for entry in value) or layout(found) is None or layout(found) != layout(value):
        raise NotReturned("a set whose order no copy has (return a sorted list)")
    return found


def _array(value: Any, what: str, met: dict[int, Any]) -> Any:
    """Returns a copy of the array; one of open numbers as numpy makes it of plain ones."""
    if value.dtype == object:
        entries = [fresh(entry, what, met) for entry in value.flat]
        was_open = any(map(is_lazy, value.flat))
        return np.array(entries, dtype=None if was_open else object).reshape(value.shape).copy()
    owner = value
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    flags = value.flags
    if id(owner) in met and owner is not value:
        raise NotReturned("arrays that share their memory (return copies)")
    if not flags.writeable or not (flags.c_contiguous or flags.f_contiguous) or value.dtype.hasobject:
        raise NotReturned("a view of an array (return a copy)")
    met[id(owner)] = None
    return value.copy(order="K")


# ------------------------------------------------------------------ exceptions


def twin(error: BaseException, met: dict[int, Any] | None = None) -> BaseException:
    """Returns a new exception of the same class with the same arguments and attributes; none of their code runs."""
    met = {} if met is None else met
    if id(error) not in met:
        kind: Any = type(error)
        known = _builtin(kind)
        given = fresh(error.args, WHAT)
        try:
            found = known.__new__(kind, *given)
            known.__init__(found, *given)
            vars(found).update(fresh(vars(error), WHAT))
        except TypeError:
            raise NotReturned(f"a {kind.__name__}, an exception of which no second one can be made") from None
        for name, part in _fields(error).items():
            if part != getattr(found, name, None):
                setattr(found, name, part)
        found.args, met[id(error)] = given, found
        found.__cause__ = None if error.__cause__ is None else twin(error.__cause__, met)
        found.__context__ = None if error.__context__ is None else twin(error.__context__, met)
        found.__suppress_context__ = error.__suppress_context__
    return met[id(error)]  # type: ignore[no-any-return]


def _builtin(kind: type) -> Any:
    """Returns the builtin class that the exception is one of."""
    known = next(base for base in kind.__mro__ if base.__module__ == "builtins")
    if any("__slots__" in vars(base) for base in kind.__mro__[: kind.__mro__.index(known)]):
        raise NotReturned(f"a {kind.__name__}, an exception with __slots__")
    return known


def _fields(error: BaseException) -> dict[str, Any]:
    """Returns the fields that the arguments of an exception need not show: the name of an ImportError."""
    members = [item for base in _builtin(type(error)).__mro__ for item in vars(base).items()]
    named = [name for name, part in members if isinstance(part, MemberDescriptorType | GetSetDescriptorType)]
    found = {name: getattr(error, name, None) for name in named if not name.startswith("_") and name != "args"}
    return {name: part for name, part in found.items() if type(part) in ATOMS}


def parts(error: BaseException | None) -> Any:
    """Returns what tells one exception from another, as values."""
    if error is None:
        return None
    causes = parts(error.__cause__), parts(error.__context__), error.__suppress_context__
    return class_name(type(error)), id(lasting(type(error))), error.args, vars(error), _fields(error), causes


def class_name(kind: type) -> str:
    """Returns the full name of a class."""
    return f"{kind.__module__}.{kind.__qualname__}"


def lasting(kind: type) -> type | None:
    """Returns the class, if its module holds it; one that a function makes at every call is known by its name."""
    found: Any = sys.modules.get(kind.__module__)
    for name in kind.__qualname__.split("."):
        found = getattr(found, name, None)
    return kind if found is kind else None
