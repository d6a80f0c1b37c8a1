"""Hooks for values: operands, attributes, stores, and what is gone over; see SOUND.md."""

from __future__ import annotations

import abc
import operator
import os
from collections.abc import Callable, Iterator
from types import BuiltinFunctionType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

import numpy as np

from dpaudit.code import pure
from dpaudit.code.classes import check_name, in_class, is_plain
from dpaudit.code.keys import ATOMS
from dpaudit.code.lazy import Lazy
from dpaudit.code.pure import CHANGES, CONTAINERS, IMMUTABLE, ITERATORS, SEQUENCES, TRUTHS
from dpaudit.code.rewrite import is_rewritten
from dpaudit.code.run import RUNS, where
from dpaudit.code.source import Source, StandIn
from dpaudit.code.subs import Sampler
from dpaudit.code.vectors import Draws
from dpaudit.code.views import ABSENT, Strange, View

OPERATORS: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    name: (getattr(operator, plain), getattr(operator, f"i{plain.rstrip('_')}"))
    for name, plain in zip(
        [
            "Add",
            "Sub",
            "Mult",
            "Div",
            "FloorDiv",
            "Mod",
            "Pow",
            "LShift",
            "RShift",
            "BitAnd",
            "BitOr",
            "BitXor",
            "MatMult",
        ],
        ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor", "matmul"],
        strict=True,
    )
}
HASHES = (
    "the order of a set, or hash(), of text does not matter there: Python changes it at every start "
    "(PYTHONHASHSEED=0 fixes it)"
)
ONE_OF_A_KIND = (None, True, False, Ellipsis, NotImplemented)


class Values:
    """Every hook does what the code would have done, and notes what is not on the list."""

    f: Callable[[Any], Callable[..., Any]]
    called: Callable[[FunctionType, tuple[Any, ...], dict[str, Any]], Any]

    # -------------------------------------------------------------- values

    def outside(self, what: str) -> None:
        """Notes something that is not on the list."""
        if RUNS:
            RUNS[-1].leave_the_list(what)

    def c(self, value: Any) -> Any:
        """An operand: of a closed type, or what the operator runs is not known."""
        if type(value) not in ATOMS and type(value) is not Lazy and not pure.is_closed(value):
            self.outside(f"an operator on a {type(value).__name__}")
        return value

    def m(self, value: Any) -> Any:
        """Where ``in`` looks for an entry."""
        return value if pure.is_closed_set(value) else self.c(value)

    def t(self, value: Any) -> Any:
        """A value whose truth is asked."""
        if type(value) not in TRUTHS and not self._has_plain_truth(value):
            self.outside(f"the truth of a {type(value).__name__}")
        return value

    @staticmethod
    def _has_plain_truth(value: Any) -> bool:
        """Whether every value of its type is true."""
        names = [name for kind in type(value).__mro__ for name in vars(kind)]
        return "__bool__" not in names and "__len__" not in names

    def s(self, value: Any) -> Any:
        """A value of which an entry is taken."""
        kind = type(value)
        if kind not in SEQUENCES and not (kind is dict and all(map(pure.is_closed, value))):
            self.outside(f"an entry of a {kind.__name__}")
        return value

    def same(self, a: Any, b: Any) -> bool:
        """``a is b``; which of equal numbers or texts is which is no part of a state."""
        if not any(one is x for x in (a, b) for one in ONE_OF_A_KIND) and not (_is_one(a) and _is_one(b)):
            self.outside("'is' between values")
        return a is b

    def new(self, value: Any) -> Any:
        """A list, dict, set or array that the run has just made."""
        kind = type(value)
        is_new = kind in (list, dict, set, Draws) or (kind is np.ndarray and value.base is None)
        if RUNS and is_new:
            RUNS[-1].fresh[id(value)] = value
        return value

    def is_own(self, value: Any) -> bool:
        """Whether the run under way has made the object."""
        return bool(RUNS) and id(value) in RUNS[-1].fresh

    # -------------------------------------------------------------- attributes and stores

    def a(self, value: Any, name: str) -> Any:
        """An attribute."""
        kind: Any = type(value)
        if kind in IMMUTABLE or kind in CONTAINERS or kind in ITERATORS or kind is Lazy:
            return getattr(value, name)
        if kind is super:
            return self._of_super(value, name)
        if kind is Source or isinstance(kind, StandIn) or kind is Sampler:
            return getattr(value, name)
        if kind is ModuleType:
            if name not in vars(value):
                self.outside(f"the attribute {name} of a module, which it computes")
            return getattr(value, name)
        if kind is FunctionType and is_rewritten(value.__code__) and name.startswith("__"):
            check_name(name)
        if isinstance(value, type):
            found, usual = in_class(value, name), type(kind) is type and kind in (type, abc.ABCMeta)
            if found is ABSENT or not is_plain(found) or not usual:
                self.outside(f"the attribute {name} of the class {value.__name__}")
            return getattr(value, name)
        return self._of_object(value, kind, name)

    def _of_super(self, value: Any, name: str) -> Any:
        """An attribute of super(): that of the classes behind the one that asks."""
        line = value.__self_class__.__mro__
        behind = line[line.index(value.__thisclass__) + 1 :]
        found = next((vars(kind)[name] for kind in behind if name in vars(kind)), ABSENT)
        if type(found) is property and isinstance(found.fget, FunctionType):
            return self.called(found.fget, (value.__self__,), {})
        if found is ABSENT or not is_plain(found):
            self.outside(f"the attribute {name} of super()")
        return getattr(value, name)

    def _of_object(self, value: Any, kind: Any, name: str) -> Any:
        found = in_class(kind, name)
        if type(found) is property and isinstance(found.fget, FunctionType):
            return self.called(found.fget, (value,), {})
        usual = kind.__getattribute__ is object.__getattribute__ and in_class(kind, "__getattr__") is ABSENT
        is_function = kind is FunctionType or kind is MethodType
        if not (usual or is_function) or not (found is ABSENT or is_plain(found)):
            self.outside(f"the attribute {name} of a {kind.__name__}")
        return getattr(value, name)

    def set_a(self, new: Any, value: Any, name: str) -> None:
        """Stores an attribute."""
        kind: Any = type(value)
        if kind is FunctionType and is_rewritten(value.__code__) and name.startswith("__"):
            check_name(name)
        plain = kind.__setattr__ is object.__setattr__ and is_plain(in_class(kind, name))
        if not (self.is_own(value) and plain):
            self.outside(f"an attribute {name} is stored")
        setattr(value, name, new)

    def set_s(self, new: Any, value: Any, place: Any) -> None:
        """Stores an entry."""
        if not (self.is_own(value) and type(value) in CHANGES and self._takes(value, place, new)):
            self.outside(f"an entry of a {type(value).__name__} is stored")
        value[place] = new

    def _takes(self, value: Any, place: Any, new: Any) -> bool:
        if type(place) is slice:
            return type(new) in SEQUENCES
        return type(value) in (list, dict) or pure.is_closed(new)

    def del_s(self, value: Any, place: Any) -> None:
        """Deletes an entry."""
        if not (self.is_own(value) and type(value) in (list, dict)):
            self.outside(f"an entry of a {type(value).__name__} is deleted")
        del value[place]

    def aug(self, name: str, value: Any, other: Any) -> Any:
        """``value op= other``."""
        plain, inplace = OPERATORS[name]
        if type(value) in ATOMS or type(value) is Lazy:
            return plain(value, self.c(other))
        if not pure.is_closed(other) or not (type(value) is tuple or (self.is_own(value) and type(value) in CHANGES)):
            self.outside(f"an operator on a {type(value).__name__}")
        return inplace(value, other)

    # -------------------------------------------------------------- going over

    def it(self, value: Any) -> Any:
        """What is gone over."""
        if type(value) in SEQUENCES or type(value) is dict or type(value) in ITERATORS:
            return value
        if type(value) in (set, frozenset):
            self.order(value)
        if not (type(value) is GeneratorType and is_rewritten(value.gi_code)):
            self.outside(f"the entries of a {type(value).__name__}")
        return value

    def each(self, value: Any) -> Iterator[Any]:
        """What a comprehension goes over; every entry is a turn of a loop."""
        for entry in self.it(value):
            if RUNS:
                RUNS[-1].step()
            yield entry

    def order(self, entries: Any) -> None:
        """Notes that something depends on hashes; those of text differ at every start of Python."""
        text = any(isinstance(entry, str | bytes) for entry in entries)
        if RUNS and text and not os.environ.get("PYTHONHASHSEED", "random").isdigit():
            RUNS[-1].assumptions.add(f"{where()}{HASHES}")

    def rows(self, value: Any) -> Iterator[Any]:
        """The same, where every entry is unpacked."""
        return map(self.u, self.each(value))

    def u(self, value: Any) -> Any:
        """A value that is unpacked."""
        if type(value) not in SEQUENCES:
            self.outside(f"the entries of a {type(value).__name__}")
        return value

    def named(self, value: Any) -> Any:
        """A dict that is handed over as named arguments."""
        if type(value) is not dict:
            self.outside(f"the entries of a {type(value).__name__}")
        return value

    def over(self, value: Any) -> Any:
        """What a ``for`` goes over."""
        kind = type(value)
        if kind in SEQUENCES:
            return View("plain", (value,))
        if kind is dict:
            return View("keys", (value,))
        self.it(value)
        return Strange(iter(value))

    def over_view(self, value: Any, name: str) -> Any:
        """The same, of value.items(), keys() or values()."""
        return View(name, (value,)) if type(value) is dict else self.over(self.f(self.a(value, name))())

    def over_call(self, function: Any, *given: Any) -> Any:
        """The same, of what a call gives; enumerate, zip and reversed of sequences are gone over by numbers."""
        plain = bool(given) and all(type(one) in SEQUENCES for one in given)
        if function is enumerate and type(given[0]) in SEQUENCES and all(type(one) is int for one in given[1:]):
            return View("enumerate", given[:1], *given[1:])
        if function is zip and plain:
            return View("zip", given)
        if function is reversed and plain and len(given) == 1:
            return View("reversed", given)
        return self.over(self.f(function)(*given))

    def more(self, view: Any, place: int) -> bool:
        """Whether there is another entry."""
        if type(view) is View:
            return view.has(place)
        view.next = next(view, ABSENT)
        return view.next is not ABSENT

    def entry(self, view: Any, place: int) -> Any:
        """The entry."""
        return view.entry(place) if type(view) is View else view.next


def _is_one(value: Any) -> bool:
    """Whether the value is an object of its own: which of equal numbers, texts or tuples is which is no value."""
    kind = type(value)
    shared = kind in ATOMS or kind in (tuple, frozenset, slice, Lazy, MethodType, BuiltinFunctionType, Source)
    return not shared and not isinstance(kind, StandIn)
