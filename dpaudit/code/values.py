"""Hooks for values: operands, attributes, stores, and what is gone over; see SOUND.md.

A hook asks the closed list, notes what is not on it, and then does what the code would have done.
"""

from __future__ import annotations

import abc
import operator
import os
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from dpaudit.code import closed
from dpaudit.code.keys import ABSENT, ATOMS, DICT_VIEWS, MRO, SPACE, Once, View, in_class
from dpaudit.code.lazy import Lazy
from dpaudit.code.rewrite import is_rewritten
from dpaudit.code.run import RUNS, refuse, where

_NAMES = """Add add Sub sub Mult mul Div truediv FloorDiv floordiv Mod mod Pow pow LShift lshift RShift rshift
BitAnd and_ BitOr or_ BitXor xor MatMult matmul"""
OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    name: (getattr(operator, plain), getattr(operator, f"i{plain.rstrip('_')}"))
    for name, plain in zip(_NAMES.split()[::2], _NAMES.split()[1::2], strict=True)
}
HASHES = (
    "the order of a set, or hash(), of text does not matter there: Python changes it at every start "
    "(PYTHONHASHSEED=0 fixes it)"
)
ONE_OF_A_KIND = (None, True, False, Ellipsis, NotImplemented)
SHOWN = frozenset(("__name__", "__qualname__", "__doc__", "__module__"))
"""What a function or class shows of itself, and shows of a rewritten one too."""
_OF_SUPER = [vars(super)[name].__get__ for name in ("__self_class__", "__thisclass__", "__self__")]


class Values:
    """The hooks, by the short names that rewritten code has for them."""

    f: Callable[[Any], Callable[..., Any]]
    called: Callable[[FunctionType, tuple[Any, ...], dict[str, Any]], Any]

    def outside(self, what: str) -> None:
        """Notes something that is not on the list."""
        if RUNS:
            RUNS[-1].leave_the_list(what)

    # -------------------------------------------------------------- operands

    def c(self, value: Any) -> Any:
        """An operand."""
        if type(value) not in ATOMS and type(value) is not Lazy and not closed.is_closed(value):
            self.outside(f"an operator on a {type(value).__name__}")
        return value

    def m(self, value: Any) -> Any:
        """Where ``in`` looks for an entry."""
        return value if type(value) in (set, frozenset) and closed.has_closed_keys(value) else self.c(value)

    def t(self, value: Any) -> Any:
        """A value whose truth is asked."""
        if type(value) not in closed.TRUTHS and not closed.is_true(type(value)):
            self.outside(f"the truth of a {type(value).__name__}")
        return value

    def s(self, value: Any) -> Any:
        """A value of which an entry is taken."""
        keyed = type(value) is dict and (self.is_own(value) or closed.has_closed_keys(value))
        return value if keyed else self.u(value)

    def u(self, value: Any) -> Any:
        """A value that is unpacked, or whose entries are taken by number."""
        if type(value) not in closed.SEQUENCES:
            self.outside(f"the entries of a {type(value).__name__}")
        return value

    def same(self, a: Any, b: Any) -> bool:
        """``a is b``; which of equal values is which is no part of a state."""
        if not any(one is x for x in (a, b) for one in ONE_OF_A_KIND):
            self.outside("'is' between values")
        return a is b

    def new(self, value: Any) -> Any:
        """What the run has just made: a list, an array, an iterator, or a dict whose keys are closed."""
        kind = type(value)
        is_array = kind is np.ndarray and value.flags.owndata and not value.dtype.hasobject
        if RUNS and (
            is_array or kind is list or kind in closed.ITERATORS or (kind is dict and closed.has_closed_keys(value))
        ):
            RUNS[-1].fresh[id(value)] = value
        return value

    def is_own(self, value: Any) -> bool:
        """Whether the run under way has made the object."""
        return bool(RUNS) and id(value) in RUNS[-1].fresh

    # -------------------------------------------------------------- attributes and stores

    def a(self, value: Any, name: str) -> Any:
        """An attribute."""
        kind: Any = type(value)
        found = ABSENT
        if kind is super:
            found = self._behind(value, name)
            listed = found is not ABSENT and closed.reads_plainly(found)
        elif closed.is_source(value) or kind is Lazy:
            listed = True
        elif kind is ModuleType:
            listed = type(name) is str and name in vars(value)
        elif closed.is_class(value):
            listed = kind in (type, abc.ABCMeta) and (name in SHOWN or self._has_plainly(value, name))
        elif kind is FunctionType or kind is MethodType:
            listed = name in SHOWN or (kind is FunctionType and type(name) is str and name in vars(value))
            if not listed and kind is FunctionType:
                self._keeps_secret(value, name)
        elif name in closed.READS.get(kind, ()) or name in closed.CHANGES.get(kind, ()):
            listed = True
        else:
            found = in_class(kind, name)
            usual = closed.is_of_object(kind, "__getattribute__") and in_class(kind, "__getattr__") is ABSENT
            listed = usual and type(name) is str and closed.reads_plainly(found)
        if type(found) is property and type(found.fget) is FunctionType:
            return self.called(found.fget, (_OF_SUPER[2](value) if kind is super else value,), {})
        if not listed:
            self.outside(f"the attribute {name} of a {kind.__name__}")
        return getattr(value, name)

    @staticmethod
    def _has_plainly(value: Any, name: str) -> bool:
        found = in_class(value, name)
        return type(name) is str and found is not ABSENT and closed.reads_plainly(found)

    @staticmethod
    def _behind(value: Any, name: str) -> Any:
        """What super() finds: in the classes behind the one that asks."""
        kind, asks, _ = (part(value) for part in _OF_SUPER)
        line = MRO(kind)
        behind = map(SPACE, line[[one is asks for one in line].index(True) + 1 :])
        return next((space[name] for space in behind if name in space), ABSENT)

    @staticmethod
    def _keeps_secret(function: FunctionType, name: str) -> None:
        """Refuses what shows that a function was rewritten."""
        public = SHOWN | {"__defaults__", "__kwdefaults__", "__dict__"}
        if is_rewritten(function.__code__) and name.startswith("__") and name not in public:
            refuse(f"{name} of a function cannot be followed")

    def set_a(self, new: Any, value: Any, name: str) -> None:
        """Stores an attribute."""
        kind: Any = type(value)
        if kind is FunctionType:
            self._keeps_secret(value, name)
        plain = closed.is_plain_class(kind) and type(name) is str and closed.stores_plainly(kind, name)
        if not (self.is_own(value) and plain):
            self.outside(f"an attribute {name} is stored")
        setattr(value, name, new)

    def set_s(self, new: Any, value: Any, place: Any) -> None:
        """Stores an entry."""
        by_one = type(value) is not np.ndarray and type(place) is not slice
        fits = closed.is_closed(place) and (by_one or closed.is_closed(new))
        if not (self.is_own(value) and type(value) in closed.CHANGES and fits):
            self.outside(f"an entry of a {type(value).__name__} is stored")
        value[place] = new

    def del_s(self, value: Any, place: Any) -> None:
        """Deletes an entry."""
        if not (self.is_own(value) and type(value) in (list, dict) and closed.is_closed(place)):
            self.outside(f"an entry of a {type(value).__name__} is deleted")
        del value[place]

    def aug(self, name: str, value: Any, other: Any) -> Any:
        """``value op= other``."""
        plain, inplace = OPERATORS[name]
        if type(value) in ATOMS or type(value) is Lazy:
            return plain(value, self.c(other))
        may = type(value) is tuple or (self.is_own(value) and type(value) in closed.CHANGES)
        if not (may and closed.is_closed(other)):
            self.outside(f"an operator on a {type(value).__name__}")
        return inplace(value, other)

    # -------------------------------------------------------------- going over

    def it(self, value: Any) -> Any:
        """What is gone over."""
        kind = type(value)
        if kind in (set, frozenset):
            self.order(value)
        listed = kind in closed.CONTAINERS or kind in DICT_VIEWS
        if not listed and not (kind in closed.ITERATORS and self.is_own(value)):
            self.outside(f"the entries of a {kind.__name__}")
        return value

    def order(self, entries: Any) -> None:
        """Notes that something depends on hashes; those of text differ at every start of Python."""
        text = any(type(entry) in (str, bytes) for entry in entries)
        if RUNS and text and not os.environ.get("PYTHONHASHSEED", "random").isdigit():
            RUNS[-1].assumptions.add(f"{where()}{HASHES}")

    def rows(self, value: Any) -> Iterator[Any]:
        """The same, where every entry is unpacked."""
        return map(self.u, self.it(value))

    def cs(self, value: Any) -> Iterator[Any]:
        """Entries that are hashed or compared."""
        return map(self.c, self.it(value))

    def named(self, value: Any) -> Any:
        """A dict whose entries are put into another, or handed over as named arguments."""
        if type(value) is not dict or not closed.has_closed_keys(value):
            self.outside(f"the entries of a {type(value).__name__}")
        return value

    def over(self, value: Any) -> Any:
        """What a ``for`` goes over."""
        return View((value,), True) if type(value) in closed.SEQUENCES else Once(iter(self.it(value)))

    def over_call(self, function: Any, *given: Any) -> Any:
        """The same, of what a call gives; enumerate and zip of sequences are gone over by numbers."""
        if given and all(type(one) in closed.SEQUENCES for one in given):
            if function is zip:
                return View(given)
            if function is enumerate and len(given) == 1:
                return View((range(sys.maxsize), *given))
        return self.over(self.f(function)(*given))

    def more(self, view: View | Once, place: int) -> bool:
        """Whether there is another entry."""
        return view.has(place)

    def entry(self, view: View | Once, place: int) -> Any:
        """The entry."""
        return view.entry(place)
