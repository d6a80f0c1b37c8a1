"""The state of somebody's code as a value: two runs with equal states go on alike.

The key of a variable is its whole value, however deep, with what refers to what: lists that are one object, open
numbers that come from one draw. What has a state that cannot be read (an iterator of a stranger, a file) has no key.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Hashable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from types import BuiltinFunctionType, BuiltinMethodType, CodeType, FrameType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from dpaudit.code.lazy import Lazy, is_lazy
from dpaudit.code.run import Draw

PLAIN = (type(None), bool, int, str, bytes, Fraction, type(Ellipsis))
FIXED = (ModuleType, type, BuiltinFunctionType, BuiltinMethodType, CodeType, Enum, np.ufunc, np.dtype)
SOURCES = (random.Random, np.random.Generator, np.random.RandomState)
MADE: tuple[Any, ...] = ((), [], "", range(0), range(1 << 70), enumerate(()), zip(), reversed([]))
ITERATORS = tuple(type(iter(made)) for made in MADE)
BOXES = (list, dict, set, deque, bytearray, np.ndarray)
MAX_PARTS = 20_000
"""A state of more parts than this is not looked for again."""


class NoKey(Exception):
    """The state cannot be read off."""


class Reader:
    """Reads one state; what is met twice is named by the number of its first place."""

    def __init__(self, keep: dict[int, Any]) -> None:
        self._keep = keep  # what is known by its identity must live as long as the keys
        self._alive: list[Any] = []  # and what is met in this state as long as it is read
        self._places: dict[int, int] = {}
        self._draws: dict[Draw, int] = {}
        self._parts = 0

    def key(self, value: Any) -> Hashable:
        """Returns a key of the value; NoKey where there is none."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise NoKey
        if is_lazy(value):
            return self._lazy(value)
        kind = type(value)
        if kind is float or isinstance(value, np.generic):
            return kind.__name__, repr(value)
        if kind in PLAIN:
            return kind.__name__, value
        if kind is complex:
            return "complex", repr(value.real), repr(value.imag)
        if kind is Decimal:
            return "Decimal", value.as_tuple()
        if kind is range:
            return "range", value.start, value.stop, value.step
        if isinstance(value, SOURCES):
            return "random source"
        if isinstance(value, FIXED):
            return self._identity(value)
        known = self._places.get(id(value))
        if known is not None:
            return "again", known
        self._places[id(value)] = len(self._places)
        self._alive.append(value)
        return self._compound(kind, value)

    def _identity(self, value: Any) -> Hashable:
        self._keep[id(value)] = value
        return "object", id(value)

    def _lazy(self, value: Lazy) -> Hashable:
        draws = {draw.number: self._draws.setdefault(draw, len(self._draws)) for draw in value.directions}
        known = tuple((draws[draw.number], draw.state()) for draw in value.directions)
        return "open", _renamed(value.key, draws), known

    def _compound(self, kind: type, value: Any) -> Hashable:
        if kind is deque:
            return "deque", value.maxlen, tuple(self.key(entry) for entry in value)
        if kind in (list, tuple):
            return kind.__name__, tuple(self.key(entry) for entry in value)
        if kind is dict:
            return "dict", tuple((self.key(k), self.key(v)) for k, v in value.items())
        if kind in (set, frozenset):
            if kind is set and len(value) > 1:
                raise NoKey  # the order of its entries depends on how it came about
            return kind.__name__, tuple(self.key(entry) for entry in value)
        if kind is bytearray:
            return "bytearray", bytes(value)
        if isinstance(value, np.ndarray):
            entries = tuple(map(self.key, value.reshape(-1))) if value.dtype == object else value.tobytes()
            return "array", value.shape, str(value.dtype), entries
        if kind in ITERATORS:
            return kind.__name__, tuple(self.key(part) for part in value.__reduce__()[1:])
        if kind is MethodType:
            return "method", self.key(value.__self__), self.key(value.__func__)
        if kind is FunctionType:
            return self._function(value)
        return self._instance(kind, value)

    def _function(self, value: FunctionType) -> Hashable:
        cells = tuple(self._cell(cell) for cell in value.__closure__ or ())
        return "function", self._identity(value.__code__), cells, self.key(value.__defaults__), self.key(value.__dict__)

    def _cell(self, cell: Any) -> Hashable:
        try:
            value = cell.cell_contents
        except ValueError:
            return "no value yet"
        return "cell", self.key(value)

    def _instance(self, kind: type, value: Any) -> Hashable:
        """Returns the key of an object of a class that is written in Python: its attributes."""
        maker: Any = kind.__new__
        if maker is not object.__new__ and not isinstance(maker, FunctionType):
            raise NoKey
        slots = [name for base in kind.__mro__ for name in _names(vars(base).get("__slots__", ()))]
        if not hasattr(value, "__dict__") and not slots:
            raise NoKey
        parts = [
            (name, self.key(getattr(value, name, None))) for name in slots if name not in ("__dict__", "__weakref__")
        ]
        return "instance", self._identity(kind), self.key(getattr(value, "__dict__", None)), tuple(parts)

    def frame(self, frame: FrameType, live: frozenset[str]) -> Hashable:
        """Returns the key of the variables that are still read, and of what the module's functions can change.

        Whatever somebody's object does when it is read, it does not happen to the code that runs: there is no key then.
        """
        try:
            return self._frame(frame, live)
        except Exception as error:
            raise NoKey from error

    def _frame(self, frame: FrameType, live: frozenset[str]) -> Hashable:
        names = sorted(live & frame.f_locals.keys())
        found = tuple((name, self.key(frame.f_locals[name])) for name in names)
        return found, tuple((name, self.key(frame.f_globals.get(name))) for name in changing(frame.f_globals))

    def others(self, draws: list[Draw]) -> Hashable:
        """Returns what is known of these draws."""
        return tuple(draw.state() for draw in draws)


def _renamed(key: Any, draws: dict[int, int]) -> Any:
    """Returns the key of an open number with its draws by their numbers in the state."""
    if not isinstance(key, tuple):
        return key
    if key[:1] == ("draw",):
        return "draw", draws.get(key[1]), *key[2:]
    return tuple(_renamed(part, draws) for part in key)


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


_CHANGING: dict[int, tuple[dict[str, Any], int, tuple[str, ...]]] = {}


def changing(names: dict[str, Any]) -> tuple[str, ...]:
    """Returns the global names of a module that its own code assigns or whose values have a state of their own."""
    known = _CHANGING.get(id(names))
    if known is None or known[0] is not names or known[1] != len(names):
        assigned: set[str] = set()
        for value in list(names.values()):
            _assigned(value, names, assigned)
        boxes = {name for name, value in names.items() if _has_state(value, names)}
        found = tuple(sorted(name for name in assigned | boxes if not name.startswith("__")))
        _CHANGING[id(names)] = known = names, len(names), found
    return known[2]


def _has_state(value: Any, names: dict[str, Any]) -> bool:
    """Returns whether a global is a list, dict or set, an object of a class of the module, or a function with cells."""
    if isinstance(value, FunctionType):
        return bool(value.__closure__) and value.__globals__ is names
    return type(value) in BOXES or type(value).__module__ == names.get("__name__")


def _assigned(value: Any, names: dict[str, Any], found: set[str]) -> None:
    """Notes the global names that the functions of the value assign."""
    if isinstance(value, type) and value.__module__ == names.get("__name__"):
        for member in vars(value).values():
            _assigned(getattr(member, "__func__", member), names, found)
    elif isinstance(value, FunctionType) and value.__globals__ is names:
        _stored(value.__code__, found)


def _stored(code: CodeType, found: set[str]) -> None:
    import dis

    found |= {step.argval for step in dis.get_instructions(code) if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")}
    for part in code.co_consts:
        if isinstance(part, CodeType):
            _stored(part, found)
