"""A number that is still open: a monotone function of draws whose value the code has not needed yet.

``vectors`` adds its operators, and how numpy acts on it, to the class.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from dpaudit.code import monotone
from dpaudit.code.monotone import Directions, Env
from dpaudit.code.run import Draw, Run, refuse

FEW = 4096
"""A number with at most this many values is listed where nothing else can be done with it."""


class Lazy:
    """A monotone function of draws. isinstance takes it for the float or int that it will become."""

    __slots__ = ("affine", "assumed", "directions", "key", "value")

    def __init__(
        self,
        value: Callable[[Env], Any],
        directions: Directions,
        key: tuple[Any, ...],
        assumed: frozenset[str] = frozenset(),
        affine: tuple[int, int] | None = None,
    ) -> None:
        self.value, self.directions, self.key, self.assumed, self.affine = value, directions, key, assumed, affine

    # -------------------------------------------------------------- what it is

    def least(self) -> Any:
        """The smallest possible value."""
        return self.value(monotone.low(self.directions))

    def most(self) -> Any:
        """The largest possible value."""
        return self.value(monotone.high(self.directions))

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        return type(self.least())

    def force(self, limit: int | None = None, what: str = "this") -> Any:
        """Its value; the draws are cut so that no other one is possible."""
        most = monotone.MAX_VALUES if limit is None else limit
        return monotone.force(self.value, self.directions, ("value", self.key), self.assumed, most, what)

    def few(self) -> bool:
        """Whether it has few enough values to be listed."""
        return monotone.count(self.value, self.directions, FEW) is not None

    def _known(self, what: str) -> Any:
        """The value where it has few; else the code cannot be followed."""
        if not self.few():
            refuse(f"{what} needs the value itself, and the draw has too many of them")
        return self.force(limit=FEW)

    # -------------------------------------------------------------- where the number itself is needed

    def __bool__(self) -> bool:
        return bool(operator.ne(self, 0))

    def __index__(self) -> int:
        return operator.index(self.force(what="an index"))

    def __float__(self) -> float:
        return float(self._known("float(), or a function that wants a plain float,"))

    def __array__(self, *given: Any, **_: Any) -> Any:
        """The number where it has few values: numpy adds plain arrays in an order of its own."""
        return np.asarray(self._known("an array that the random source did not make"), *given)

    def __complex__(self) -> complex:
        return complex(self._known("complex()"))

    def __hash__(self) -> int:
        return hash(self._known("a look-up (hash)"))

    def __str__(self) -> str:
        return str(self._known("str()"))

    def __repr__(self) -> str:
        return repr(self._known("repr()"))

    def __format__(self, spec: str) -> str:
        return format(self._known("a format"), spec)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return refuse("copying or storing a draw cannot be followed")

    def __copy__(self) -> Lazy:
        return self

    def __deepcopy__(self, memo: Any) -> Lazy:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in METHODS:
            return METHODS[name](self)
        return getattr(self._known(f"the attribute {name}"), name)


METHODS: dict[str, Callable[[Lazy], Any]] = {}
"""The methods that numpy looks up on an object by name: log(), floor(), round(), ..."""


def is_lazy(value: Any) -> bool:
    """Whether the value is one of these; isinstance cannot tell, as they pose as numbers."""
    return type(value) is Lazy


def word(value: Any) -> Any:
    """A key for an operand."""
    return value.key if is_lazy(value) else (type(value).__name__, repr(value))


def merged(*parts: tuple[Directions, int]) -> dict[Draw, int] | None:
    """The directions of a function that rises (+1) or falls (-1) in each part; None where they contradict."""
    found: dict[Draw, int] = {}
    for directions, sign in parts:
        for draw, up in directions.items():
            if found.setdefault(draw, up * sign) != up * sign:
                return None
    return found


# ------------------------------------------------------------------ fresh draws


def uniform(run: Run) -> Any:
    """m / 2^bits with m uniform on 0 .. 2^bits - 1."""
    size, unit = 1 << run.bits, 2.0**-run.bits
    if run.plain:
        return run.next_plain(size) * unit
    draw = run.draw(size)
    return Lazy(lambda env: draw.m(env[draw]) * unit, {draw: 1}, ("draw", draw.number, "float"))


def below(run: Run, size: int, start: int = 0, kind: Callable[[int], Any] = int) -> Any:
    """A whole number, uniform on start .. start + size - 1."""
    if size == 1:
        return kind(start)
    if run.plain:
        return kind(start + run.next_plain(size))
    draw = run.draw(size)
    key = ("draw", draw.number, kind.__name__, start)
    return Lazy(lambda env: kind(start + draw.m(env[draw])), {draw: 1}, key, affine=(start, 1))


def settle(value: Any) -> Any:
    """An output without open numbers: tuples instead of lists and arrays, plain numbers instead of numpy's."""
    if is_lazy(value):
        value = value.force(what="the output")
    if isinstance(value, np.ndarray):
        value = value.tolist() if value.dtype != object else list(value)
    if isinstance(value, np.generic):
        value = value.item()
    if type(value) in (list, tuple):
        return tuple(settle(entry) for entry in value)
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(map(settle, value))
    if isinstance(value, Mapping):
        return tuple((settle(k), settle(v)) for k, v in value.items())
    if isinstance(value, set | frozenset):
        return frozenset(sorted((settle(entry) for entry in value), key=repr))  # equal sets in one order
    return value
