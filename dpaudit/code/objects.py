"""The parts of a class, an object, a function, a module that code can change: together they are its state."""

from __future__ import annotations

import gc
import logging
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterator
from enum import Enum, EnumMeta
from functools import cached_property
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, NamedTuple, NoReturn

from dpaudit.code.layout import layout
from dpaudit.code.run import is_theirs
from dpaudit.code.watch import CACHED, Watch, data_in, is_fixed, is_their_class

BASES = (int, float, str, bytes, tuple, frozenset, list, dict, deque)
"""Builtin types whose subclasses are read as such a value with attributes."""
HEAP = 1 << 9
"""The flag of types that are made while Python runs, as by a class statement."""
WORD = object.__basicsize__ // 2
"""The bytes of one reference."""
NOT_SET = "not set"


class _Field(NamedTuple):
    one: int


DESCRIPTORS = (GetSetDescriptorType, MemberDescriptorType, type(vars(_Field)["one"]))
"""Attributes of a class that have no state of their own."""
BOOKKEEPING = {
    *("__dict__", "__weakref__", "__slots__", "__annotations__", "__annotations_cache__", "__annotate_func__"),
    *("__dataclass_fields__", "__dataclass_params__", "__orig_bases__", "__parameters__", "__abstractmethods__"),
    *("__static_attributes__", "__protocol_attrs__", "__non_callable_proto_members__", "_abc_impl"),
}
"""What Python itself keeps in a class."""


class NoKey(Exception):
    """The state cannot be read off."""


def no_key() -> NoReturn:
    """Raises NoKey."""
    raise NoKey


def instance(kind: type, value: Any) -> tuple[Any, ...]:
    """Returns the parts of an object of a class that is written in Python; NoKey if there may be others."""
    base = next((base for base in BASES if isinstance(value, base)), object)
    if _hides(kind, base):
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
    return kind.__basicsize__ > base.__basicsize__ + WORD * (len(list(_slots(kind))) + 2)  # attributes, weak references


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


def ordered(value: Any) -> list[Any]:
    """Returns the entries of an ordered dict, whose order is not that of the dict inside."""
    return list(OrderedDict.items(value))


def members(kind: type) -> list[Any]:
    """Returns the attributes of a class of theirs, those of its bases and of its metaclass too."""
    if isinstance(kind, EnumMeta):
        names = set(kind.__members__)
        others = [pair for pair in vars(kind).items() if pair[0][0] != "_" and pair[0] not in names]
        return [*kind.__members__.values(), *(part for pair in others for part in _member(*pair))]
    found = [part for base in kind.__mro__ if is_their_class(base) for part in _members_of(base)]
    return [*found, type(kind)] if is_their_class(type(kind)) else found


def _members_of(kind: type) -> list[Any]:
    return [part for name, value in vars(kind).items() for part in _member(name, value)]


def _member(name: str, value: Any) -> list[Any]:
    """Returns what an attribute of a class adds to its state."""
    if name in BOOKKEEPING:
        return []
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    if isinstance(value, DESCRIPTORS):
        return []
    if isinstance(value, property):
        value = value.fget, value.fset, value.fdel
    elif isinstance(value, cached_property):
        value = value.func
    return [(name, value)]


def function(value: FunctionType) -> tuple[Any, ...]:
    """Returns what code can change of a function, but for the contents of its closure."""
    names = value.__name__, value.__qualname__, value.__doc__
    return names, value.__defaults__, value.__kwdefaults__, value.__dict__


def module(value: ModuleType, watch: Watch | None) -> list[Any]:
    """Returns what lies under the names in a module that code of theirs has, and that can change."""
    if watch is None:
        raise NoKey
    found = vars(value)
    if watch.by_name and is_theirs(getattr(value, "__file__", None) or ""):
        return data_in(found)
    names = sorted(watch.named & found.keys())
    return [(name, found[name]) for name in names if name in watch.stored or not is_fixed(found[name])]


def known_by_identity(value: Any) -> Any:
    """Returns what can change of a value that is known by what it is otherwise."""
    if isinstance(value, logging.Logger):
        return value.level, value.disabled, value.propagate, len(value.handlers)
    if isinstance(value, Enum):
        return {name: part for name, part in vars(value).items() if name != "__objclass__"}
    if isinstance(value, CACHED):
        return cached(value)
    return ()


def cached(value: Any) -> Any:
    """Returns what a cache of functools holds; NoKey for one of limited size, whose order cannot be read."""
    held = [
        part for part in gc.get_referents(value) if type(part) is dict and part is not getattr(value, "__dict__", 0)
    ]
    count = value.cache_info().currsize
    if not count:
        return ()
    if value.cache_info().maxsize is not None or sum(map(len, held)) != count:
        raise NoKey
    return held


def iterator(value: Any) -> tuple[Any, ...]:
    """Returns what an iterator goes over, and where it stands."""
    reduced = value.__reduce__()
    return reduced[1:], [part for part in gc.get_referents(value) if type(part) in (dict, set, frozenset)]
