"""The state of somebody's code as a value: two runs with equal states go on alike.

The key of a variable is its whole value, however deep, with what refers to what: lists that are one object, open
numbers that come from one draw. What has a state that cannot be read (an iterator of a stranger, a file) has no key.
"""

from __future__ import annotations

import random
from array import array
from collections import deque
from collections.abc import Hashable
from contextvars import ContextVar
from datetime import date, time, timedelta, timezone
from decimal import Decimal
from functools import cached_property, partial
from threading import local
from types import (
    BuiltinFunctionType,
    FrameType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    SimpleNamespace,
)
from typing import Any, NamedTuple

import numpy as np

from dpaudit.code.layout import layout
from dpaudit.code.lazy import Lazy, is_lazy
from dpaudit.code.run import Draw
from dpaudit.code.vectors import Draws
from dpaudit.code.watch import KNOWN_BY_IDENTITY, PLAIN, Watch, is_their_class

SOURCES = (random.Random, np.random.Generator, np.random.RandomState)
MADE: tuple[Any, ...] = ((), [], "", range(0), range(1 << 70), enumerate(()), zip(), reversed([]))
ITERATORS = tuple(type(iter(made)) for made in MADE)
TIMES = (date, time, timedelta, timezone)
TYPE_CHECKERS = ("typeguard",)
"""What they put among the variables holds the variables and globals themselves, which are read anyhow."""
BASES = (int, float, str, bytes, tuple, frozenset, list, dict, deque)
"""Builtin types whose subclasses are read as such a value with attributes."""


class _Field(NamedTuple):
    one: int


DESCRIPTORS = (property, cached_property, GetSetDescriptorType, MemberDescriptorType, type(vars(_Field)["one"]))
"""Attributes of a class that have no state of their own."""
MAX_PARTS = 20_000
"""A state of more parts than this is not looked for again."""


class NoKey(Exception):
    """The state cannot be read off."""


class Reader:
    """Reads one state; what is met twice is named by the number of its first place."""

    def __init__(self, keep: dict[int, Any], is_output: bool = False) -> None:
        self._is_output = is_output  # then a set is known by its entries alone
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
        if kind is object or isinstance(value, KNOWN_BY_IDENTITY):
            return self._identity(value)
        if isinstance(value, type) and not is_their_class(value):
            return self._identity(value)
        if kind.__module__.partition(".")[0] in TYPE_CHECKERS:
            return "checks of types"
        if isinstance(value, TIMES):
            return kind.__name__, repr(value)
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
            return self._set(kind, value)
        if kind is bytearray:
            return "bytearray", bytes(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, BuiltinFunctionType):
            return self._builtin(value)
        if isinstance(value, np.ndarray):
            return self._array(value)
        if kind in ITERATORS:
            return kind.__name__, tuple(self.key(part) for part in value.__reduce__()[1:])
        if kind is MethodType:
            return "method", self.key(value.__self__), self.key(value.__func__)
        if kind is FunctionType:
            return self._function(value)
        if kind is partial:
            return "partial", self.key((value.func, value.args, value.keywords, vars(value)))
        if kind is array:
            return "array", value.typecode, value.tobytes()
        if kind in (ContextVar, local, SimpleNamespace):
            return kind.__name__, self.key(value.get(None) if kind is ContextVar else value.__dict__)
        return self._instance(kind, value)

    def _set(self, kind: type, value: Any) -> Hashable:
        """Returns the key of a set: its entries and their places, since these decide the order in which it is read."""
        if self._is_output:
            return "set", frozenset(Reader(self._keep, True).key(entry) for entry in value)
        places = layout(value)
        if places is None:
            raise NoKey
        return kind.__name__, places, tuple(map(self.key, value))

    def _array(self, value: Any) -> Hashable:
        """Returns the key of a numpy array: its entries, and how it lies in the memory that other arrays may share."""
        if type(value) not in (np.ndarray, Draws):
            raise NoKey  # another subclass may keep more than its entries
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if owner.base is not None or type(owner) not in (np.ndarray, Draws):
            raise NoKey  # the memory belongs to something else
        form = type(value).__name__, value.shape, str(value.dtype), value.strides, value.flags.writeable
        if owner is not value:
            return "view", form, value.ctypes.data - owner.ctypes.data, self.key(owner)
        if value.dtype.hasobject and value.dtype != object:
            raise NoKey
        return "array", form, tuple(map(self.key, value.flat)) if value.dtype == object else value.tobytes()

    def _function(self, value: FunctionType) -> Hashable:
        code = self._identity(value.__code__), self._identity(value.__globals__), value.__name__, value.__qualname__
        if not (value.__closure__ or value.__defaults__ or value.__kwdefaults__ or value.__dict__):
            return "function", code
        cells = tuple(self._cell(cell) for cell in value.__closure__ or ())
        given = self.key(value.__defaults__), self.key(value.__kwdefaults__)
        return "function", code, cells, given, self.key(value.__dict__)

    def _builtin(self, value: Any) -> Hashable:
        """Returns the key of a function in C; one that is bound to a list, say, is known by the list."""
        owner = value.__self__
        if owner is None or isinstance(owner, ModuleType | type):
            return self._identity(value)
        return "bound", value.__name__, self.key(owner)

    def _class(self, kind: type) -> Hashable:
        """Returns the key of a class of theirs: its attributes, those of its bases too, and what its functions hold."""
        found: list[Hashable] = [self._identity(kind)]
        for base in kind.__mro__:
            if is_their_class(base):
                found += [part for name, value in vars(base).items() for part in self._member(name, value)]
        return "class", tuple(found)

    def _member(self, name: str, value: Any) -> list[Hashable]:
        """Returns what an attribute of a class adds to its key."""
        if name.startswith(("__", "_abc_")) and not isinstance(value, FunctionType):
            return []
        if isinstance(value, staticmethod | classmethod):
            value = value.__func__
        if isinstance(value, DESCRIPTORS):
            return []
        return [(name, self.key(value))]

    def _cell(self, cell: Any) -> Hashable:
        try:
            value = cell.cell_contents
        except ValueError:
            return "no value yet"
        return "cell", self.key(value)

    def _instance(self, kind: type, value: Any) -> Hashable:
        """Returns the key of an object of a class that is written in Python: its attributes."""
        base = next((base for base in BASES if isinstance(value, base)), object)
        maker: Any = kind.__new__
        if maker not in (object.__new__, base.__new__) and not isinstance(maker, FunctionType):
            raise NoKey
        slots = [name for base in kind.__mro__ for name in _names(vars(base).get("__slots__", ()))]
        if not hasattr(value, "__dict__") and not slots and base is object:
            raise NoKey
        parts = [
            (name, self.key(getattr(value, name, None))) for name in slots if name not in ("__dict__", "__weakref__")
        ]
        content = () if base is object else self.key((_content(base, value), getattr(value, "default_factory", None)))
        return "instance", self.key(kind), content, self.key(getattr(value, "__dict__", None)), tuple(parts)

    def frame(self, frame: FrameType, live: frozenset[str], watch: Watch) -> Hashable:
        """Returns the key of the variables that are still read, and of what lies at the places that are watched.

        Whatever somebody's object does when it is read, it does not happen to the code that runs: there is no key then.
        """
        try:
            here = dict(frame.f_locals)
            found = tuple((name, self.key(here[name])) for name in sorted(live & here.keys()))
            return found, tuple(map(self.key, watch.values()))
        except Exception as error:
            raise NoKey from error

    def others(self, draws: list[Draw]) -> Hashable:
        """Returns what is known of these draws."""
        return tuple(draw.state() for draw in draws)


def _content(base: Any, value: Any) -> Any:
    """Returns an object of a subclass as the value of the builtin type that it is."""
    if base is dict:
        return list(dict.items(value))
    if base is frozenset:
        places = layout(value)
        if places is None:
            raise NoKey
        return places, *base.__iter__(value)
    if base in (list, tuple, deque):
        return [base.maxlen.__get__(value) if base is deque else None, *base.__iter__(value)]
    if base is int:
        return int.__int__(value)
    return base.__float__(value) if base is float else base.__getitem__(value, slice(None))


def _renamed(key: Any, draws: dict[int, int]) -> Any:
    """Returns the key of an open number with its draws by their numbers in the state."""
    if not isinstance(key, tuple):
        return key
    if key[:1] == ("draw",):
        return "draw", draws.get(key[1]), *key[2:]
    return tuple(_renamed(part, draws) for part in key)


def _names(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)
