"""Hooks for values: operands, attributes, stores and iteration; see SOUND.md.

A hook consults the closed list, notes what is not on it, and then does what the code would have done.
"""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Iterator
from types import FunctionType, MethodType, ModuleType
from typing import Any

from dpaudit.code import closed
from dpaudit.code.keys import ABSENT, ATOMS, ITERATORS, MRO, SEQUENCES, SPACE, addresses, in_class
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
SETS = addresses(set, frozenset)
ONE_OF_A_KIND = (None, True, False, Ellipsis, NotImplemented)
SHOWN = frozenset(("__name__", "__qualname__", "__doc__", "__module__"))
"""Attributes of a function or class that a rewritten one has as well."""
_OF_SUPER = [vars(super)[name].__get__ for name in ("__self_class__", "__thisclass__", "__self__")]


class Values:
    """The hooks, by the short names that rewritten code uses."""

    called: Callable[[FunctionType, tuple[Any, ...], dict[str, Any]], Any]

    def outside(self, what: str) -> None:
        """Notes something that is not on the list."""
        if RUNS:
            RUNS[-1].leave_the_list(what)

    def new(self, value: Any) -> Any:
        """A value that the run has just created: if it is a list or an iterator, the run may change it."""
        if RUNS and (type(value) is list or id(type(value)) in ITERATORS):
            RUNS[-1].fresh[id(value)] = value
        return value

    def is_own(self, value: Any) -> bool:
        """Whether the run in progress has created the object."""
        return bool(RUNS) and id(value) in RUNS[-1].fresh

    # -------------------------------------------------------------- operands

    def c(self, value: Any) -> Any:
        """An operand."""
        if id(type(value)) not in ATOMS and type(value) is not Lazy and not closed.is_closed(value):
            self.outside(f"an operator on a {type(value).__name__}")
        return value

    def t(self, value: Any) -> Any:
        """A value whose truth value is needed."""
        if id(type(value)) not in closed.TRUTHS:
            self.outside(f"the truth of a {type(value).__name__}")
        return value

    def s(self, value: Any) -> Any:
        """A value that is indexed or unpacked."""
        if id(type(value)) not in SEQUENCES and not (type(value) is dict and all(map(closed.is_closed, value))):
            self.outside(f"the entries of a {type(value).__name__}")
        return value

    def part(self, value: Any) -> Any:
        """A value of which a slice is taken, which makes a new one; in a dict the slice would be a key."""
        if id(type(value)) not in SEQUENCES:
            self.outside(f"a slice of a {type(value).__name__}")
        return value

    def same(self, a: Any, b: Any) -> bool:
        """``a is b``; the identity of equal values does not belong to a state."""
        if not any(one is x for x in (a, b) for one in ONE_OF_A_KIND):
            self.outside("'is' between values")
        return a is b

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
            if kind is Lazy and not hasattr(value.__class__, name):
                value = value.least()  # what a number has not, it has not either
        elif kind is ModuleType:
            listed = name in vars(value)
        elif closed.is_class(value):
            found_too = in_class(value, name)
            plain = found_too is not ABSENT and closed.reads_plainly(found_too)
            listed = id(kind) in closed.METACLASSES and (plain or (name in SHOWN and name != "__doc__"))
        elif kind is FunctionType or (kind is MethodType and type(value.__func__) is FunctionType):
            listed = name in SHOWN
            self._keeps_secret(value, name)
        elif name in closed.READS.get(id(kind), ()) or (kind is list and name in closed.CHANGES):
            listed = True
        else:
            found = in_class(kind, name)
            usual = closed.is_of_object(kind, "__getattribute__") and in_class(kind, "__getattr__") is ABSENT
            listed = usual and closed.reads_plainly(found)
        if type(found) is property and type(found.fget) is FunctionType:
            return self.called(found.fget, (_OF_SUPER[2](value) if kind is super else value,), {})
        if not listed:
            self.outside(f"the attribute {name} of a {kind.__name__}")
        return getattr(value, name)

    def zero(self, function: Any) -> Any:
        """The value of ``super`` for a call without arguments, which inspects the first argument of the function."""
        frame = sys._getframe(1)
        first = frame.f_locals.get(frame.f_code.co_varnames[0])
        if function is not super or not (closed.shows_its_class(type(first)) or id(type(first)) in closed.METACLASSES):
            self.outside("super() of its own, or of something else")
        return function

    @staticmethod
    def _behind(value: Any, name: str) -> Any:
        """What super() finds: in the classes behind the one that asks."""
        kind, asks, _ = (part(value) for part in _OF_SUPER)
        line = MRO(kind)
        behind = map(SPACE, line[[one is asks for one in line].index(True) + 1 :])
        return next((space[name] for space in behind if name in space), ABSENT)

    @staticmethod
    def _keeps_secret(function: Any, name: str) -> None:
        """Refuses what shows that a function was rewritten."""
        public = SHOWN | {"__defaults__", "__dict__"}
        if type(function) is FunctionType and is_rewritten(function.__code__) and name.startswith("__"):
            _ = name in public or refuse(f"{name} of a function cannot be followed")

    def set_a(self, new: Any, value: Any, name: str) -> None:
        """Stores an attribute."""
        self._keeps_secret(value, name)
        kind: Any = type(value)
        if not (self.is_own(value) and closed.is_plain_class(kind) and closed.stores_plainly(kind, name)):
            self.outside(f"an attribute {name} is stored")
        setattr(value, name, new)

    def set_s(self, new: Any, value: Any, place: Any) -> None:
        """Stores an entry."""
        if not (self.is_own(value) and type(value) is list and closed.is_closed(place) and type(place) is not slice):
            self.outside(f"an entry of a {type(value).__name__} is stored")
        value[place] = new

    def aug(self, name: str, value: Any, other: Any) -> Any:
        """``value op= other``."""
        plain, inplace = OPERATORS[name]
        if id(type(value)) in ATOMS or type(value) is Lazy:
            return plain(value, self.c(other))
        may = type(value) is tuple or (self.is_own(value) and type(value) is list)
        if not (may and closed.is_closed(other)):
            self.outside(f"an operator on a {type(value).__name__}")
        return inplace(value, other)

    # -------------------------------------------------------------- going over

    def it(self, value: Any) -> Any:
        """A value that is iterated over."""
        kind = type(value)
        if id(kind) in SETS:
            self.order(value)
        if id(kind) not in SEQUENCES and not (id(kind) in ITERATORS and self.is_own(value)):
            self.outside(f"the entries of a {kind.__name__}")
        return value

    def over(self, value: Any) -> Iterator[Any]:
        """The iterator of a ``for`` loop."""
        return self.new(iter(self.it(value)))  # type: ignore[no-any-return]

    def rows(self, value: Any) -> Iterator[Any]:
        """The same, where every entry is unpacked."""
        return map(self.s, self.it(value))

    def order(self, entries: Any) -> None:
        """Notes a dependence on hashes; those of text differ at every start of Python."""
        text = any(type(entry) is str or type(entry) is bytes for entry in entries)
        if RUNS and text and not os.environ.get("PYTHONHASHSEED", "random").isdigit():
            RUNS[-1].assumptions.add(f"{where()}{HASHES}")
