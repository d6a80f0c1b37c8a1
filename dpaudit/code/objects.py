"""The parts of a class, an object, a function, a module that code can change: together they are its state."""

from __future__ import annotations

import gc
import logging
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator
from enum import Enum, EnumMeta, Flag
from functools import WRAPPER_ASSIGNMENTS, cached_property
from types import (
    ClassMethodDescriptorType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any, NamedTuple, NoReturn

import numpy as np

from dpaudit.code.layout import layout
from dpaudit.code.run import is_theirs
from dpaudit.code.watch import (
    CACHED,
    Watch,
    data_in,
    has_metadata,
    is_fixed,
    is_made_of_python,
    is_of_theirs,
    is_open_class,
    is_their_class,
)

BASES = (int, float, str, bytes, tuple, frozenset, list, dict, deque)
"""Builtin types whose subclasses are read as such a value with attributes."""
HEAP = 1 << 9
"""The flag of types that are made while Python runs, as by a class statement."""
MANAGED_DICT = 1 << 4
"""The flag of types whose objects keep their attributes before their own memory."""
WORD = object.__basicsize__ // 2
"""The bytes of one reference."""
NOT_SET = "not set"


class _Field(NamedTuple):
    one: int


DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType, type(vars(_Field)["one"]))
"""Attributes of a class that have no state of their own."""
IN_C = (*DESCRIPTORS, MethodDescriptorType, ClassMethodDescriptorType, WrapperDescriptorType)
BOOKKEEPING = {
    *("__dict__", "__weakref__", "__slots__", "__annotations__", "__annotations_cache__", "__annotate_func__"),
    *("__dataclass_fields__", "__dataclass_params__", "__orig_bases__", "__parameters__", "__abstractmethods__"),
    *("__static_attributes__", "__protocol_attrs__", "__non_callable_proto_members__", "_abc_impl"),
}
"""What Python itself keeps in a class."""
OF_AN_ENUM = {name for name in vars(Flag("_Plain", "A")) if name.strip("_") + "_" == name[1:]} | {"_hashable_values_"}
OF_A_LOGGER = set(vars(logging.Logger("plain"))) | {"_cache", "root"}
KNOWN_CALLS = (logging.Handler, logging.Filter, logging.Formatter, logging.Logger)
RECORDERS = ("_pytest",)
"""Handlers that a test runner adds to the root of all loggers."""


class NoKey(Exception):
    """The state cannot be read off."""


def no_key() -> NoReturn:
    """Raises NoKey."""
    raise NoKey


def instance(kind: type, value: Any) -> tuple[Any, ...]:
    """Returns the parts of an object of a class that is written in Python; NoKey if there may be others."""
    base = next((base for base in BASES if isinstance(value, base)), object)
    if _hides(kind, base) or _disguises(kind):
        raise NoKey
    attributes: Any = getattr(value, "__dict__", None)
    slots = [(name, _slot(slot, value)) for name, slot in _slots(kind)]
    if attributes is None and not slots and base is object:
        raise NoKey
    return kind, () if base is object else _content(base, value), attributes, slots


def _hides(kind: type, base: type) -> bool:
    """Returns whether its objects hold more than a value of the base, attributes and slots: state inside C."""
    known = (object, base, defaultdict)
    empty = object.__basicsize__
    if any(part not in known and part.__basicsize__ != empty and not part.__flags__ & HEAP for part in kind.__mro__):
        return True
    has_dict = kind.__dictoffset__ != base.__dictoffset__ and not kind.__flags__ & MANAGED_DICT
    known_words = len(list(_slots(kind))) + has_dict + (kind.__weakrefoffset__ > 0)
    return kind.__basicsize__ > base.__basicsize__ + WORD * known_words


def _disguises(kind: type) -> bool:
    """Returns whether its objects may show other attributes than they have."""
    found = [(vars(part).get("__getattribute__"), vars(part).get("__dict__")) for part in kind.__mro__]
    return any(not isinstance(part, type(None) | IN_C[0] | WrapperDescriptorType) for pair in found for part in pair)


def _slots(kind: type) -> Iterator[tuple[str, Any]]:
    for part in kind.__mro__:
        if part not in BASES:
            yield from ((name, slot) for name, slot in vars(part).items() if isinstance(slot, MemberDescriptorType))


def _slot(slot: Any, value: Any) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:
        return NOT_SET


def _content(base: Any, value: Any) -> Any:
    """Returns an object of a subclass as the value of the builtin type that it is."""
    if base is dict:
        return list(dict.items(value))
    if base is frozenset:
        return layout(value) or no_key(), *base.__iter__(value)
    if base in (list, tuple, deque):
        return [base.maxlen.__get__(value) if base is deque else None, *base.__iter__(value)]
    if base is int:
        return int.__int__(value)
    return base.__float__(value) if base is float else base.__getitem__(value, slice(None))


def ordered(value: Any) -> tuple[Any, ...]:
    """Returns the entries of an ordered dict, whose order is not that of the dict inside, and its attributes."""
    return list(OrderedDict.items(value)), value.__dict__


def source(kind: type, value: Any) -> tuple[Any, ...]:
    """Returns what code can change of a random source: its draws are not its state."""
    attributes: Any = getattr(value, "__dict__", None)
    return kind, attributes, [(name, _slot(slot, value)) for name, slot in _slots(kind)]


def members(kind: type, annotated: bool) -> list[Any]:
    """Returns the name of a class of theirs, its attributes, its bases and its metaclass."""
    own = OF_AN_ENUM if isinstance(kind, EnumMeta) else set()
    found = [part for name, value in vars(kind).items() if name not in own for part in _member(name, value)]
    members: list[Any] = list(kind.__members__.values()) if isinstance(kind, EnumMeta) else []
    annotations = vars(kind).get("__annotations__") if annotated else None
    return [kind.__name__, kind.__qualname__, annotations, members, found, kind.__bases__, type(kind)]


def stored(kind: type, watch: Watch | None) -> list[Any]:
    """Returns what code of theirs may have put into a class that is not theirs."""
    if watch is None or not is_open_class(kind):
        return []
    return [part for name in sorted(watch.stored & vars(kind).keys()) for part in _member(name, vars(kind)[name])]


def _member(name: str, value: Any) -> list[Any]:
    """Returns what an attribute of a class adds to its state."""
    if name in BOOKKEEPING or isinstance(value, DESCRIPTORS):
        return []
    if type(value) in (staticmethod, classmethod):
        wrapped = (*WRAPPER_ASSIGNMENTS, "__wrapped__")
        value = value.__func__, [pair for pair in vars(value).items() if pair[0] not in wrapped]
    elif type(value) is property:
        value = value.fget, value.fset, value.fdel, value.__doc__
    elif type(value) is cached_property:
        value = [pair for pair in vars(value).items() if pair[0] != "lock"]
    return [(name, value)]


def function(value: FunctionType, annotated: bool) -> tuple[tuple[Any, ...], list[Any]]:
    """Returns what code can change of a function, but for the contents of its closure: its names, and what it holds."""
    names = value.__name__, value.__qualname__, value.__module__, value.__doc__
    annotations = value.__annotations__ if annotated else None
    return names, [value.__defaults__, value.__kwdefaults__, value.__dict__, annotations]


def module(value: ModuleType, watch: Watch | None) -> list[Any]:
    """Returns what lies under the names in a module that code of theirs has, and that can change."""
    if watch is None:
        raise NoKey
    found = vars(value)
    if watch.by_name and is_theirs(getattr(value, "__file__", None) or ""):
        return data_in(found)
    names = sorted(watch.named & found.keys())
    return [(name, found[name]) for name in names if name in watch.stored or not is_fixed(found[name])]


def known_by_identity(value: Any, watch: Watch | None) -> Any:
    """Returns what can change of a value that is known by what it is otherwise."""
    if isinstance(value, logging.Logger):
        return logger(value)
    if isinstance(value, Enum):
        return type(value), {name: part for name, part in vars(value).items() if name != "__objclass__"}
    if isinstance(value, CACHED):
        return cached(value, watch)
    if isinstance(value, np.ufunc) and is_made_of_python(value):
        return [part for part in gc.get_referents(value) if callable(part)] or no_key()
    if isinstance(value, np.dtype):
        return no_key() if has_metadata(value) else value.names
    return ()


def logger(value: logging.Logger | None) -> list[Any]:
    """Returns what decides what a logger does, and those above it; NoKey if it calls code of theirs."""
    found: list[Any] = [logging.root.manager.disable]
    while value is not None:
        handlers = [part for part in value.handlers if type(part).__module__.partition(".")[0] not in RECORDERS]
        calls = [*handlers, *value.filters, *(part.formatter for part in handlers if part.formatter is not None)]
        if any(is_of_theirs(part) or not isinstance(part, KNOWN_CALLS) for part in (value, *calls)):
            raise NoKey
        if any(part.filters for part in handlers):
            raise NoKey
        state = value.level, value.disabled, value.propagate, [(id(part), part.level) for part in handlers]
        found += [state, len(calls), [pair for pair in vars(value).items() if pair[0] not in OF_A_LOGGER]]
        value = value.parent
    return found


def cached(value: Any, watch: Watch | None) -> Any:
    """Returns what a cache of functools holds; NoKey for one of limited size, whose order cannot be read."""
    attributes = getattr(value, "__dict__", {})
    parts = gc.get_referents(value)
    held = [part for part in parts if type(part) is dict and part is not attributes]
    wrapped = [part for part in parts if callable(part) and not isinstance(part, type)]
    info = value.cache_info()
    if info.currsize and (info.maxsize is not None or sum(map(len, held)) != info.currsize):
        raise NoKey
    counts = (info.hits, info.misses) if watch is not None and "cache_info" in watch.named else None
    return held, wrapped, [pair for pair in attributes.items() if pair[0] not in WRAPPER_ASSIGNMENTS], counts


def iterator(value: Any) -> tuple[Any, ...]:
    """Returns what an iterator goes over, and where it stands."""
    reduced = value.__reduce__()
    return reduced[1:], [part for part in gc.get_referents(value) if type(part) in (dict, set, frozenset)]


def has_steady_hash(value: Any) -> bool:
    """Returns whether the hash of a key of a dict can never have been another one."""
    kind: Any = type(value)
    if kind in (tuple, frozenset):
        return all(map(has_steady_hash, value))
    if kind.__hash__ is object.__hash__ or not is_their_class(kind):
        return True
    parameters = getattr(kind, "__dataclass_params__", None)
    return issubclass(kind, Enum) or (parameters is not None and parameters.frozen and parameters.eq)


def exception(value: BaseException, under_way: frozenset[int]) -> tuple[Any, ...]:
    """Returns what an exception holds, the lines that it came through, and the variables of functions that it ended."""
    kind = type(value)
    if _disguises(kind):
        raise NoKey
    fields = [part for base in kind.__mro__ if not base.__flags__ & HEAP for part in vars(base).items()]
    kept = [name for name, part in fields if isinstance(part, MemberDescriptorType | GetSetDescriptorType)]
    held = [(name, getattr(value, name, NOT_SET)) for name in kept if name not in OF_AN_EXCEPTION]
    slots = [(name, _slot(slot, value)) for name, slot in _slots(kind)]
    lines: list[Any] = []
    trace = value.__traceback__
    while trace is not None:
        frame = trace.tb_frame
        lines.append((frame.f_code, trace.tb_lasti, None if id(frame) in under_way else dict(frame.f_locals)))
        trace = trace.tb_next
    return kind, held, slots, vars(value), lines


OF_AN_EXCEPTION = {"__traceback__", "__dict__", "__class__"}
