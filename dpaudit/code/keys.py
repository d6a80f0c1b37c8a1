"""Values as keys: two clean runs at the same place with equal keys have the same future; see SOUND.md.

Numbers and text are compared by value; lists, iterators and objects that a run in progress has created by their
contents and references; open numbers by how they are computed, with their intervals. Everything else existed before
the run, or never changes: it is compared by identity.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from types import BuiltinMethodType, CellType, FunctionType, GeneratorType, MethodType, NoneType
from typing import Any

import numpy as np

from dpaudit.code.lazy import Lazy
from dpaudit.code.rewrite import is_rewritten
from dpaudit.code.run import RUNS, Draw
from dpaudit.code.source import StandIn

ABSENT = object()
MRO, SPACE = vars(type)["__mro__"].__get__, vars(type)["__dict__"].__get__


def in_class(kind: Any, name: str) -> Any:
    """The attribute of this name in the class or its bases."""
    return next((space[name] for space in map(SPACE, MRO(kind)) if name in space), ABSENT)


NUMPY_NUMBERS: frozenset[type] = frozenset(
    np.dtype(code).type for code in ("?", *np.typecodes["AllInteger"], *np.typecodes["Float"])
)


def addresses(*kinds: Any) -> frozenset[int]:
    """The types by address, as comparing or hashing them may run code of their metaclasses."""
    return frozenset(map(id, kinds))


ATOMS = addresses(int, float, bool, str, bytes, complex, NoneType, Fraction, range, *NUMPY_NUMBERS)
"""Immutable types whose operators run no foreign code."""
BY_VALUE = addresses(int, bool, str, bytes, NoneType, Fraction)
"""Those whose equal values are indistinguishable."""
SEQUENCES = addresses(list, tuple, str, range, bytes)
"""Their entries can be indexed."""
_SOME: tuple[Any, ...] = ([], (), "a", "ä", b"", range(1), range(1 << 70))
ITERATORS = addresses(
    zip, enumerate, reversed, type(reversed([])), type(reversed(range(1))), GeneratorType, *map(type, map(iter, _SOME))
)
"""The iterators over them, which can be used once."""


class NoKey(Exception):
    """A value that cannot be compared; the message says which."""


class Keys:
    """Makes keys of the values at one moment."""

    def __init__(self, keep: dict[int, Any], changing: frozenset[int] = frozenset()) -> None:
        self._keep = keep  # what is known by its identity must live as long as the keys
        self._changing = changing
        """The cells, by address, of the function that continues: no others change any more."""
        self._places: dict[int, int] = {}
        self.draws: dict[Draw, int] = {}

    def key(self, value: Any) -> Hashable:
        """The key of the value; NoKey where there is none."""
        kind: Any = type(value)
        if id(kind) in BY_VALUE:
            return kind, value
        if id(kind) in ATOMS:
            if value != value:
                raise NoKey("a NaN, of which there are many")
            return kind, repr(value)
        if kind is Lazy:
            return self._open(value)
        if kind is tuple:
            return tuple, self._all(value)
        if kind is slice:
            return slice, self._all((value.start, value.stop, value.step))
        if type(kind) is StandIn:
            if any(part is not None for part in vars(value).values()):
                raise NoKey("a random source with attributes")
            return "source", kind
        if kind is MethodType:
            return "method", self.key(value.__func__), self.key(value.__self__)
        if kind is BuiltinMethodType and type(value.__self__) is list:
            return "method", value.__name__, self.key(value.__self__)
        return self._compound(kind, value)

    def _compound(self, kind: Any, value: Any) -> Hashable:
        """The key of an object, or the number of its first place where it is met again."""
        if id(value) in self._places:
            return "again", self._places[id(value)]
        is_function = kind is FunctionType and is_rewritten(value.__code__)
        if not is_function and id(kind) not in ITERATORS and not is_fresh(value):
            self._keep[id(value)] = value  # it was there before, or nothing changes it
            return "object", id(value)
        self._places[id(value)] = len(self._places)
        return self._function(value) if is_function else self._made(kind, value)

    def _made(self, kind: Any, value: Any) -> Hashable:
        """The key of a list, an iterator or an object that a run under way has made."""
        if kind is list:
            return list, self._all(value)
        if kind is GeneratorType or issubclass(kind, BaseException):
            raise NoKey(f"what has no key ({kind.__name__})")
        if id(kind) in ITERATORS:
            return kind, self._all(value.__reduce__())
        self._keep[id(kind)] = kind
        return "made", id(kind), tuple((name, self.key(part)) for name, part in vars(value).items())

    def _function(self, value: FunctionType) -> Hashable:
        """The key of a function that a rewritten function has made: by its code, and by the values that it holds."""
        if value.__dict__:
            raise NoKey("a function with attributes")
        self._keep[id(value.__code__)] = value.__code__
        given = self.key(value.__defaults__), self.key(tuple((value.__kwdefaults__ or {}).items()))
        return FunctionType, id(value.__code__), given, tuple(map(self._cell, value.__closure__ or ()))

    def _cell(self, cell: CellType) -> Hashable:
        """The key of what a function holds of the function around it."""
        if id(cell) in self._places:
            return "again", self._places[id(cell)]
        self._places[id(cell)] = len(self._places)
        try:
            return id(cell) in self._changing, self.key(cell.cell_contents)
        except ValueError:
            return "empty", id(cell) in self._changing

    def _all(self, values: Iterable[Any]) -> Hashable:
        return tuple([self.key(entry) for entry in values])

    def _open(self, value: Lazy) -> Hashable:
        draws = {draw.number: self.draws.setdefault(draw, len(self.draws)) for draw in value.directions}
        known = tuple((draws[draw.number], draw.state()) for draw in value.directions)
        return "open", _renamed(value.key, draws), known


def is_fresh(value: Any) -> bool:
    """Whether a run in progress has created the object, and may still change it."""
    return any(id(value) in run.fresh for run in RUNS)


def _renamed(key: Any, draws: dict[int, int]) -> Any:
    """The key of an open number with its draws by their numbers among these."""
    if not isinstance(key, tuple):
        return key
    if key[:1] == ("draw",):
        return "draw", draws.get(key[1]), *key[2:]
    return tuple(_renamed(part, draws) for part in key)
