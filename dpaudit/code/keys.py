"""Values as keys: two clean runs that stand at one place with equal keys have the same future; see SOUND.md.

Numbers and text are known by their value; lists, dicts and objects that a run under way has made by what they hold and
what refers to what; open numbers by how they are computed, with their intervals. Everything else was there before, and
no clean run has changed it, or it is never changed: it is known by its identity.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from types import BuiltinMethodType, FunctionType, MethodType, ModuleType, NoneType
from typing import Any

import numpy as np

from dpaudit.code.lazy import Lazy
from dpaudit.code.rewrite import is_rewritten
from dpaudit.code.run import RUNS, Draw
from dpaudit.code.source import Source, StandIn

ABSENT = object()
MRO, SPACE = vars(type)["__mro__"].__get__, vars(type)["__dict__"].__get__


def in_class(kind: Any, name: str) -> Any:
    """What lies under the name in the class or its bases."""
    return next((space[name] for space in map(SPACE, MRO(kind)) if name in space), ABSENT)


NUMPY_NUMBERS: frozenset[type] = frozenset(
    np.dtype(code).type for code in ("?", *np.typecodes["AllInteger"], *np.typecodes["Float"])
)
ATOMS: frozenset[Any] = frozenset((int, float, bool, str, bytes, complex, NoneType, Fraction, range)) | NUMPY_NUMBERS
"""Types whose values never change and whose operators run no code of anybody else."""
BY_VALUE = frozenset((int, bool, str, bytes, NoneType, Fraction))
"""Those of them whose equal values cannot be told apart."""


class View:
    """What a ``for`` goes over by number: the entries of sequences side by side, or of one alone."""

    def __init__(self, parts: tuple[Any, ...], is_alone: bool = False) -> None:
        self.parts, self.is_alone = parts, is_alone

    def has(self, place: int) -> bool:
        """Whether there is an entry with this number."""
        return all(place < len(part) for part in self.parts)

    def entry(self, place: int) -> Any:
        """The entry with this number."""
        found = tuple(part[place] for part in self.parts)
        return found[0] if self.is_alone else found


class Once:
    """Any other thing that a ``for`` goes over, with its own iterator."""

    def __init__(self, iterator: Iterator[Any]) -> None:
        self.iterator, self.next = iterator, ABSENT

    def has(self, place: int) -> bool:
        """Whether there is another entry."""
        self.next = next(self.iterator, ABSENT)
        return self.next is not ABSENT

    def entry(self, place: int) -> Any:
        """The entry."""
        return self.next


DICT_VIEWS: tuple[Any, ...] = (type({}.keys()), type({}.values()), type({}.items()))
MADE = (*DICT_VIEWS, Once, set, frozenset, super)
"""With arrays, iterators, and what has a key below, all that a clean run can make: anything else was there before."""


class NoKey(Exception):
    """A value that cannot be compared; the words say which."""


class Keys:
    """Makes keys of the values of one moment."""

    def __init__(self, keep: dict[int, Any]) -> None:
        self._keep = keep  # what is known by its identity must live as long as the keys
        self._places: dict[int, int] = {}
        self.draws: dict[Draw, int] = {}

    def key(self, value: Any) -> Hashable:
        """The key of the value; NoKey where there is none."""
        kind: Any = type(value)
        if kind in BY_VALUE:
            return kind, value
        if kind in ATOMS:
            if value != value:
                raise NoKey("a NaN, of which there are many")
            return kind, repr(value)
        if kind is Lazy:
            return self._open(value)
        if kind is tuple:
            return tuple, self._all(value)
        if kind is slice:
            return slice, self._all((value.start, value.stop, value.step))
        if kind is View:
            return View, self._all(value.parts), value.is_alone
        if kind is Source or type(kind) is StandIn:
            if any(part is not None for part in vars(value).values()):
                raise NoKey("a random source with attributes")
            return "source", kind
        if kind is MethodType:
            return "method", self.key(value.__func__), self.key(value.__self__)
        if kind is BuiltinMethodType and not isinstance(value.__self__, ModuleType | NoneType):
            return "method", value.__name__, self.key(value.__self__)
        return self._compound(kind, value)

    def _compound(self, kind: Any, value: Any) -> Hashable:
        """The key of an object, or the number of its first place where it is met again."""
        if kind in (set, frozenset) and ATOMS.issuperset(map(type, value)):
            return kind, frozenset(map(self.key, value))
        is_array = kind is np.ndarray and not value.dtype.hasobject and not is_fresh(value.base)
        if kind in MADE or in_class(kind, "__next__") is not ABSENT or (issubclass(kind, np.ndarray) and not is_array):
            what = f"a {kind.__name__}, which shows what others change"
            raise NoKey("what a for loop goes over" if kind is Once else what)
        is_function = kind is FunctionType and is_rewritten(value.__code__)
        if not is_function and not is_array and not is_fresh(value):
            return self._there_before(value)
        if id(value) in self._places:
            return "again", self._places[id(value)]
        self._places[id(value)] = len(self._places)
        if is_function:
            return self._function(value)
        return self._held(kind, value)

    def _there_before(self, value: Any) -> Hashable:
        """The key of an object that no clean run can change."""
        self._keep[id(value)] = value
        return "object", id(value)

    def _held(self, kind: Any, value: Any) -> Hashable:
        """The key of a list, a dict, an array, or an object that a run under way has made."""
        if kind is list:
            return list, self._all(value)
        if kind is dict:
            return dict, tuple((self.key(name), self.key(entry)) for name, entry in value.items())
        if kind is np.ndarray:
            return kind, value.dtype.str, value.shape, value.strides, value.tobytes()
        self._keep[id(kind)] = kind
        return "made", id(kind), tuple((name, self.key(part)) for name, part in vars(value).items())

    def _function(self, value: FunctionType) -> Hashable:
        """The key of a function that a rewritten function has made: by its code, and by the values that it holds."""
        self._keep[id(value.__code__)] = value.__code__
        cells = []
        for cell in value.__closure__ or ():
            again = self._places.get(id(cell))
            if again is None:
                self._places[id(cell)] = len(self._places)
                try:
                    cells.append(self.key(cell.cell_contents))
                except ValueError:  # it is empty
                    cells.append(())
            else:
                cells.append(("again", again))
        given = self.key(value.__defaults__), self.key(tuple((value.__kwdefaults__ or {}).items()))
        if value.__dict__:
            raise NoKey("a function with attributes")
        return FunctionType, id(value.__code__), given, tuple(cells)

    def _all(self, values: Iterable[Any]) -> Hashable:
        return tuple([self.key(entry) for entry in values])

    def _open(self, value: Lazy) -> Hashable:
        draws = {draw.number: self.draws.setdefault(draw, len(self.draws)) for draw in value.directions}
        known = tuple((draws[draw.number], draw.state()) for draw in value.directions)
        return "open", _renamed(value.key, draws), known


def is_fresh(value: Any) -> bool:
    """Whether a run under way has made the object, and may still change it."""
    return any(id(value) in run.fresh for run in RUNS)


def _renamed(key: Any, draws: dict[int, int]) -> Any:
    """The key of an open number with its draws by their numbers among these."""
    if not isinstance(key, tuple):
        return key
    if key[:1] == ("draw",):
        return "draw", draws.get(key[1]), *key[2:]
    return tuple(_renamed(part, draws) for part in key)
