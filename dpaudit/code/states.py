"""The state of somebody's code as a value: two runs with equal states go on alike.

The key of a variable is its whole value, however deep, with what refers to what: lists that are one object, open
numbers that come from one draw. What has a state that cannot be read (an iterator of a stranger, a file) has no key.
"""

from __future__ import annotations

import builtins
import ctypes
import gc
import itertools
import random
import sys
from array import array
from collections import OrderedDict, deque
from collections.abc import Hashable, Iterable
from contextvars import ContextVar
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from functools import partial
from threading import Lock, local
from types import BuiltinFunctionType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from dpaudit.code import objects
from dpaudit.code.layout import layout
from dpaudit.code.lazy import Lazy
from dpaudit.code.objects import NoKey
from dpaudit.code.run import Draw
from dpaudit.code.stack import GENERATOR, is_clearing, stack
from dpaudit.code.vectors import Draws
from dpaudit.code.watch import KNOWN_BY_IDENTITY, PLAIN, Watch, has_metadata, is_by_name, is_of_theirs, is_their_class

LOCK: Any = type(Lock())
SIMPLE = frozenset(PLAIN)
KNOWN_KINDS = frozenset((FunctionType, list, tuple, dict))
SOURCES = (random.Random, np.random.Generator, np.random.RandomState)


class _Entries:
    def __getitem__(self, index: int) -> int: ...  # type: ignore[empty-body]


MADE: tuple[Any, ...] = (
    *((), [], "", "é", b"", bytearray(), range(0), range(1 << 70), enumerate(()), zip(), reversed([]), map(int, ())),
    *(filter(None, ()), _Entries(), iter(int, 0), deque()),
    *(itertools.count(), itertools.repeat(0), itertools.chain(), itertools.product(), itertools.permutations(())),
)
OF_TABLES: tuple[Any, ...] = ({}, {}.keys(), {}.values(), {}.items(), set())
DEQUE_ITERATOR: Any = type(iter(deque[int]()))
CHANGES_OF_DEQUES = set(dir(deque)) - {"copy", "count", "index", "maxlen", *dir(object)}
"""Each of these is counted, and an iterator that is asked after it raises an exception."""
TABLE_ITERATORS = (*(type(iter(made)) for made in OF_TABLES), DEQUE_ITERATOR)
"""Iterators that go on otherwise where entries were taken out."""
SET_ITERATOR: Any = type(iter(set[int]()))
ITERATORS = (*(type(iter(made)) for made in MADE), *TABLE_ITERATORS)
TIMES = (date, datetime, time, timedelta, timezone)
TYPE_CHECKERS = ("typeguard",)
"""What they put among the variables holds the variables and globals themselves, which are read anyhow."""
NOT_SET = object()
"""What lies in a variable of a context that has no value."""
AGES = (0, 1, 2)
"""The generations of the collector, youngest first."""
LASTING: dict[int, Any] = {id(value): value for value in (*vars(builtins).values(), *range(-5, 257))}
"""Objects that are never gone, by their address."""
MAX_PARTS = 20_000
"""A state of more parts than this is not looked for again."""


class Reader:
    """Reads one state; what is met twice is named by the number of its first place."""

    def __init__(
        self, keep: dict[int, Any], watch: Watch | None = None, is_output: bool = False, outside: Any = None
    ) -> None:
        self._watch, self._outside = watch, outside
        """``outside`` is the exception that was being handled when the run began."""
        self._is_output = is_output  # then a set is known by its entries alone
        self._keep = keep  # what is known by its identity must live as long as the keys
        self._met: dict[int, Any] = {}  # and what is met in this state, by its address, as long as it is read
        self._places: dict[int, int] = {}
        self.draws: dict[Draw, int] = {}
        self._frames: frozenset[int] = frozenset()
        self._parts = 0

    def key(self, value: Any) -> Hashable:
        """Returns a key of the value; NoKey where there is none."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise NoKey
        self._met[id(value)] = value
        kind: Any = type(value)
        if kind in SIMPLE:
            return kind.__name__, value
        if kind in KNOWN_KINDS:
            return self._compound_once(kind, value)
        if kind is Lazy:
            return self._lazy(value)
        if kind is float or (issubclass(kind, np.generic) and not is_their_class(kind)):
            return self._number(kind, value)
        if kind is complex:
            return "complex", repr(value.real), repr(value.imag)
        if kind is Decimal:
            return "Decimal", value.as_tuple()
        if kind is range:
            return "range", value.start, value.stop, value.step
        if kind is object or issubclass(kind, objects.IN_C) or kind.__module__ == "typing":
            return self._identity(value)
        if kind.__module__.partition(".")[0] in TYPE_CHECKERS:
            return "checks of types"
        if kind in TIMES:
            return self._time(kind, value)
        return self._compound_once(kind, value)

    def _compound_once(self, kind: type, value: Any) -> Hashable:
        """Returns the key of a value that others may refer to, or the number of its first place."""
        known = self._places.get(id(value))
        if known is not None:
            return "again", known
        self._places[id(value)] = len(self._places)
        return self._compound(kind, value)

    def _number(self, kind: type, value: Any) -> Hashable:
        if isinstance(value, np.void):
            raise NoKey  # it may be a part of an array
        return kind.__name__, repr(value), self._identity(value) if value != value else ()

    def _time(self, kind: type, value: Any) -> Hashable:
        zone: Any = getattr(value, "tzinfo", None)
        if zone is None or type(zone) is timezone:
            return kind.__name__, repr(value)
        known = type(zone).__module__ == "zoneinfo" and not is_of_theirs(zone)
        return kind.__name__, repr(value.replace(tzinfo=None)), self._identity(zone) if known else self.key(zone)

    def _identity(self, value: Any) -> Hashable:
        self._keep[id(value)] = value
        return "object", id(value)

    def _lazy(self, value: Lazy) -> Hashable:
        draws = {draw.number: self.draws.setdefault(draw, len(self.draws)) for draw in value.directions}
        known = tuple((draws[draw.number], draw.state()) for draw in value.directions)
        return "open", _renamed(value.key, draws), known

    def _compound(self, kind: type, value: Any) -> Hashable:
        if kind is FunctionType:
            return self._function(value)
        if kind in (list, tuple):
            return kind.__name__, tuple(map(self.key, value))
        if kind is deque:
            return "deque", value.maxlen, tuple(map(self.key, value))
        if kind is dict:
            if not all(map(objects.has_steady_hash, value)):
                raise NoKey  # it lies in the table where its hash has put it, which is not shown
            return "dict", tuple((self.key(k), self.key(v)) for k, v in value.items())
        if kind is slice:
            return "slice", self.key((value.start, value.stop, value.step))
        if kind is LOCK:
            return "lock", value.locked()
        if kind is OrderedDict:
            return "OrderedDict", self.key(objects.ordered(value))
        if kind in (set, frozenset):
            return self._set(kind, value)
        if kind is bytearray:
            return "bytearray", bytes(value)
        if issubclass(kind, type):
            theirs = is_their_class(value)
            parts = (
                objects.members(value, self._names("__annotations__")) if theirs else objects.stored(value, self._watch)
            )
            return "class", () if is_made_there(value) else self._identity(value), self._all(parts)
        if issubclass(kind, KNOWN_BY_IDENTITY):
            return "known", self._identity(value), self.key(objects.known_by_identity(value, self._watch))
        if issubclass(kind, ModuleType):
            return "module", self._identity(value), self._all(objects.module(value, self._watch))
        if kind is BuiltinFunctionType:
            return self._builtin(value)
        if issubclass(kind, np.ndarray):
            return self._array(value)
        if kind in ITERATORS:
            if kind in TABLE_ITERATORS and self._deletes(kind):
                raise NoKey  # an entry that goes and comes again has another place
            return kind.__name__, self.key(objects.iterator(value))
        if kind is MethodType:
            return "method", self.key(value.__self__), self.key(value.__func__)
        if kind is partial:
            return "partial", self.key((value.func, value.args, value.keywords, vars(value)))
        if kind is array:
            return "array", value.typecode, value.tobytes()
        if kind is ContextVar:
            return "ContextVar", self._identity(value), self.key(value.get(NOT_SET))
        if kind in (local, SimpleNamespace):
            return kind.__name__, self.key(value.__dict__)
        if kind is GeneratorType:
            return self._generator(value)
        if issubclass(kind, BaseException):
            return "exception", "of others" if value is self._outside else self._exception(value)
        bases = kind.__mro__
        if any(base in SOURCES for base in bases) and (random.Random in bases or not is_of_theirs(value)):
            return "random source", self.key(objects.source(kind, value))
        return "instance", self.key(objects.instance(kind, value))

    def _deletes(self, kind: type) -> bool:
        """Returns whether code that has run may have taken entries out of what such an iterator goes over."""
        watch = self._watch
        if watch is None or kind is DEQUE_ITERATOR:
            return watch is None or bool(watch.named & CHANGES_OF_DEQUES)
        return watch.deletes or (watch.subtracts and kind is SET_ITERATOR)

    def _names(self, name: str) -> bool:
        """Returns whether code that has run has this name."""
        return self._watch is not None and name in self._watch.named

    def _all(self, values: Iterable[Any]) -> Hashable:
        return tuple(map(self.key, values))

    def _set(self, kind: type, value: Any) -> Hashable:
        """Returns the key of a set: its entries and their places, since these decide the order in which it is read."""
        if self._is_output:
            return "set", frozenset(Reader(self._keep, is_output=True).key(entry) for entry in value)
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
        if has_metadata(value.dtype):
            raise NoKey
        form = type(value).__name__, value.shape, str(value.dtype), value.strides, value.flags.writeable
        if owner is not value:
            return "view", form, value.ctypes.data - owner.ctypes.data, self.key(owner)
        if value.dtype.hasobject and value.dtype != object:
            raise NoKey
        return "array", form, tuple(map(self.key, value.flat)) if value.dtype == object else value.tobytes()

    def _function(self, value: FunctionType) -> Hashable:
        code = self._identity(value.__code__), self._identity(value.__globals__)
        if self._watch is not None:
            self._watch.note_made(value)
        cells = tuple([self._cell(cell) for cell in value.__closure__ or ()])
        texts, held = objects.function(value, self._names("__annotations__"))
        names = texts if SIMPLE.issuperset(map(type, texts)) else self.key(texts)
        return "function", code, cells, names, self.key(held) if any(held) else ()

    def _builtin(self, value: Any) -> Hashable:
        """Returns the key of a function in C; one that is bound to a list, say, is known by the list."""
        owner = value.__self__
        if self._watch is not None and is_by_name(value):
            self._watch.by_name = True
        if owner is None or isinstance(owner, ModuleType | type):
            return self._identity(value)
        return "bound", value.__name__, self.key(owner)

    def _cell(self, cell: Any) -> Hashable:
        known = self._places.get(id(cell))
        if known is not None:
            return "again", known
        self._places[id(cell)] = len(self._places)
        self._met[id(cell)] = cell
        try:
            value = cell.cell_contents
        except ValueError:
            return "no value yet"
        return "cell", self.key(value)

    def _generator(self, value: GeneratorType[Any, Any, Any]) -> Hashable:
        """Returns the key of a generator: where it waits, with its variables and what lies on its stack."""
        if value.gi_running:
            return "running"  # it is one of the functions under way, and read as such
        frame = value.gi_frame
        if frame is None:
            return "generator", "ended", value.__name__, value.__qualname__
        if self._watch is None:
            raise NoKey
        self._watch.note(frame.f_code, frame.f_globals)
        names = value.__name__, value.__qualname__
        return "generator", self._identity(frame.f_code), frame.f_lasti, names, self._under_way(frame)

    def _exception(self, value: BaseException) -> Hashable:
        """Returns the key of an exception; of the way that it took the lines."""
        return self.key(objects.exception(value, self._frames))

    def _under_way(self, frame: FrameType) -> Hashable:
        """Returns the key of all variables of a function that waits, and of what lies on its stack."""
        return self.key(dict(frame.f_locals)), self._all(stack(frame, self._find))

    def _find(self, address: int) -> Any:
        """Returns the object at this address, if there is one for certain.

        There is where no code of theirs runs because an object goes; else where it was met, or the collector knows it.
        """
        if address in self._met:
            return self._met[address]
        if self._watch is not None and not self._watch.clears:
            return ctypes.cast(address, ctypes.py_object).value
        if address not in LASTING:
            found = next((part for age in AGES for part in gc.get_objects(age) if id(part) == address), None)
            if found is None:
                raise NoKey
            if not _lasts(found):
                return found
            LASTING[address] = found
        return LASTING[address]

    def frame(self, frame: FrameType, live: frozenset[str], outer: list[FrameType], watch: Watch) -> Hashable:
        """Returns the key of the variables that are still read, of all of the functions further out, of what lies on
        the stacks and at the places that are watched, and of the exception that is being handled.

        Whatever somebody's object does when it is read, it does not happen to the code that runs: there is no key then.
        """
        try:
            frames, handled = [frame, *outer], sys.exc_info()[1]
            self._frames = frozenset(map(id, frames))
            if any(map(is_clearing, frames)):
                raise NoKey
            if handled is not self._outside and any(out.f_code.co_flags & GENERATOR for out in outer):
                raise NoKey  # what was being handled before the generator went on is not seen
            here = dict(frame.f_locals)
            self._met |= {id(value): value for value in (*here.values(), *frame.f_code.co_consts)}
            found = tuple((name, self.key(here[name])) for name in sorted(live & here.keys()))
            around = [self.key(dict(out.f_locals)) for out in outer]
            watched = self._all(watch.values())
            self._met |= {id(value): value for out in outer for value in out.f_code.co_consts}
            values = [stack(one, self._find) for one in frames]
            return found, tuple(around), watched, self._all(values), self.key(handled)
        except Exception as error:
            raise NoKey from error

    def others(self, draws: list[Draw]) -> Hashable:
        """Returns what is known of these draws."""
        return tuple(draw.state() for draw in draws)


def _lasts(value: Any) -> bool:
    """Returns whether it is part of a module or type in C: nothing of theirs is kept alive with it."""
    kind: Any = type(value)
    return kind in objects.IN_C or (kind is BuiltinFunctionType and isinstance(value.__self__, ModuleType))


def is_made_there(kind: type) -> bool:
    """Returns whether a class statement inside a function has made the class: another run makes another one like it."""
    return "<locals>" in kind.__qualname__ and is_their_class(kind)


def is_type_checker(names: dict[str, Any]) -> bool:
    """Returns whether these are the globals of a type checker, which is not watched."""
    return str(names.get("__name__")).partition(".")[0] in TYPE_CHECKERS


def _renamed(key: Any, draws: dict[int, int]) -> Any:
    """Returns the key of an open number with its draws by their numbers in the state."""
    if not isinstance(key, tuple):
        return key
    if key[:1] == ("draw",):
        return "draw", draws.get(key[1]), *key[2:]
    return tuple(_renamed(part, draws) for part in key)
