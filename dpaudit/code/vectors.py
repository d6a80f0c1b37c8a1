"""Arrays of open numbers, and how operators and numpy's functions act on them and on a single one."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.code.lazy import METHODS, Lazy, is_lazy
from dpaudit.code.run import refuse
from dpaudit.code.steps import COMPARISONS, OPERATORS, apply, is_number

SEQUENTIAL = 8
"""numpy adds fewer floats than this one after the other; more of them in another order."""
LARGEST = 1 << 53
"""Whole numbers up to this are floats too."""
STRUCTURE = """concatenate stack vstack hstack column_stack append reshape ravel transpose moveaxis flip roll repeat
tile copy where sum prod max min amax amin mean any all cumsum cumprod argmax argmin sort argsort clip round around real
shape ndim size split array_split atleast_1d atleast_2d squeeze expand_dims take diff outer"""
KEPT = frozenset(STRUCTURE.split())
"""Functions of numpy that open numbers go through unasked, or by comparisons; others get numbers that are known."""
NEEDED = frozenset(("var", "std", "median", "average", "quantile", "percentile", "bincount", "dot", "histogram"))
"""Functions that compute in C, or in an order of their own."""


class Draws(np.ndarray[Any, Any]):
    """An array of open numbers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return on_numpy(ufunc, method, inputs, named)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        return on_function(function, given, named)

    def tobytes(self, order: Any = "C") -> bytes:
        """Returns the bytes of the plain array that it will be."""
        return bytes(_plain(self).tobytes(order))

    def __str__(self) -> str:
        return str(_plain(self))

    def __repr__(self) -> str:
        return repr(_plain(self))

    def __format__(self, spec: str) -> str:
        return format(_plain(self), spec)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, **named: Any) -> Any:
        """Returns the sum over the number of entries, as numpy does."""
        if dtype is not None or out is not None or named:
            refuse("mean with a type, a place or a selection cannot be followed")
        return _mean(self, axis)

    def any(self, axis: Any = None, out: Any = None, **named: Any) -> Any:  # type: ignore[override]
        """Returns whether an entry is not 0."""
        return (self != 0).any(axis, out, **named)

    def all(self, axis: Any = None, out: Any = None, **named: Any) -> Any:  # type: ignore[override]
        """Returns whether no entry is 0."""
        return (self != 0).all(axis, out, **named)

    def var(self, *given: Any, **named: Any) -> Any:
        """Returns the variance, of numbers that are known."""
        return np.var(self, *given, **named)

    def std(self, *given: Any, **named: Any) -> Any:
        """Returns its root."""
        return np.std(self, *given, **named)

    def dot(self, other: Any, out: Any = None) -> Any:
        """Returns the product of matrices or vectors, of numbers that are known."""
        return np.dot(self, other, out) if out is not None else np.dot(self, other)


def array(entries: list[Any], shape: tuple[int, ...] | None = None) -> Any:
    """Returns the entries as an array: of open numbers, or a plain one if none is open."""
    if not any(map(is_lazy, entries)):
        plain = np.array(entries)
        return plain if shape is None else plain.reshape(shape)
    found = np.empty(len(entries), dtype=object)
    for i, entry in enumerate(entries):
        found[i] = entry
    return (found if shape is None else found.reshape(shape)).view(Draws)


# ------------------------------------------------------------------ ufuncs


def on_numpy(ufunc: Any, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Returns what the ufunc gives, entry by entry where an input is an array."""
    given = {name: value for name, value in named.items() if not _usual(name, value)}
    out, axis = given.pop("out", None), given.pop("axis", None)
    if method == "reduce" and not given and out is None:
        axis = 0 if "axis" not in named and np.ndim(inputs[0]) == 1 else axis
        return _reduced(ufunc, inputs[0], axis)
    if method == "accumulate" and not given and out is None:
        return array(_folded(ufunc, inputs[0]))
    if ufunc is np.matmul and method == "__call__" and not given and out is None:
        return ufunc(*(known(x, "a product of matrices") for x in inputs))
    if method != "__call__" or given or axis is not None:
        return refuse(f"numpy.{ufunc.__name__} with {method}, {', '.join(given)} cannot be followed")
    arrays = [x for x in inputs if isinstance(x, np.ndarray)]
    if not arrays:
        return apply(ufunc, *inputs)
    wide = np.broadcast(*(np.asarray(x, dtype=object) if is_lazy(x) else np.asarray(x) for x in inputs))
    results = [apply(ufunc, *row) if any(map(is_lazy, row)) else ufunc(*row) for row in _rows(wide)]
    if out is not None:
        for place, result in zip(np.ndindex(wide.shape), results, strict=True):
            out[0][place] = result
        return out[0]
    return array(results, wide.shape)


def _usual(name: str, value: Any) -> bool:
    """Returns whether an argument of a ufunc says nothing: it is as if it were not given."""
    return value is None or value is np._NoValue or (name, value is True, value is False) in USUAL


USUAL = {("where", True, False), ("keepdims", False, True)}


def _rows(wide: Any) -> list[tuple[Any, ...]]:
    return [tuple(x.item() if isinstance(x, np.ndarray) else x for x in row) for row in wide]


def _reduced(ufunc: Any, values: Any, axis: Any) -> Any:
    """Returns the sum, product or maximum of all entries, or along one axis."""
    whole = np.asarray(values, dtype=object)
    if axis is None or whole.ndim == 1:
        return _folded(ufunc, whole)[-1]
    lanes = np.moveaxis(whole, axis, -1)
    shape = lanes.shape[:-1]
    return array([_folded(ufunc, lanes[place], alone=False)[-1] for place in np.ndindex(shape)], shape)


def _folded(ufunc: Any, values: Any, alone: bool = True) -> list[Any]:
    """Returns the partial results of a sum, product or maximum, where numpy's order is this one or does not matter."""
    entries = list(np.asarray(values, dtype=object).reshape(-1))
    if not entries or ufunc.__name__ not in ("add", "multiply", "maximum", "minimum"):
        refuse(f"numpy.{ufunc.__name__} of an array of this shape cannot be followed")
    few = alone and np.ndim(values) == 1 and len(entries) < SEQUENTIAL
    if ufunc.__name__ in ("add", "multiply") and not few and not all(map(_is_whole, entries)):
        refuse(f"numpy adds and multiplies {len(entries)} floats in an order of its own; do it one by one")
    found = [entries[0]]
    for entry in entries[1:]:
        both = (found[-1], entry)
        found.append(apply(ufunc, *both) if any(map(is_lazy, both)) else ufunc(*both))
    return found


def _is_whole(value: Any) -> bool:
    return isinstance(value.least() if is_lazy(value) else value, int | np.integer | np.bool_)


def _mean(values: Any, axis: Any) -> Any:
    total = _reduced(np.add, values, axis)
    count = values.size if axis is None else values.shape[axis]
    for entry in np.asarray(total, dtype=object).reshape(-1):
        least, most = (entry.least(), entry.most()) if is_lazy(entry) else (entry, entry)
        if _is_whole(entry) and max(-least, most) > LARGEST:
            refuse("the mean of whole numbers beyond 2^53 cannot be followed")
    return total / count if isinstance(total, np.ndarray) else operator.truediv(total, count)


# ------------------------------------------------------------------ other functions


def on_function(function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Returns what a function of numpy gives: with numbers that are known, where they have few values."""
    real: Callable[..., Any] = function._implementation
    name = function.__name__
    if name == "searchsorted":
        return _searchsorted(*given, **named)
    if name == "digitize":
        return _digitize(*given, **named)
    if name in KEPT:
        return real(*given, **named)
    parts = [*given, *named.values()]
    if not all(_few(x) for x in parts):
        return refuse(f"numpy.{name} of random numbers cannot be followed") if name in NEEDED else real(*given, **named)
    what = f"numpy.{name}"
    return function(*(known(x, what) for x in given), **{key: known(x, what) for key, x in named.items()})


def _few(value: Any) -> bool:
    """Returns whether all open numbers in the value have few values."""
    if is_lazy(value):
        return bool(value.few())
    inside = isinstance(value, Draws) or type(value) in (list, tuple)
    return all(map(_few, value.reshape(-1) if isinstance(value, Draws) else value)) if inside else True


def known(value: Any, what: str) -> Any:
    """Returns the value with every open number in it made known."""
    if is_lazy(value):
        return value.force(what=what)
    if isinstance(value, Draws):
        return np.array([known(entry, what) for entry in value.reshape(-1)]).reshape(value.shape)
    if type(value) is dict:
        return {known(name, what): known(entry, what) for name, entry in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(known(entry, what) for entry in value)
    return type(value)(known(entry, what) for entry in value) if type(value) in (list, tuple) else value


def _plain(values: Draws) -> Any:
    """Returns the array with numbers that are known, to be written as text."""
    if not _few(values):
        refuse("the text of an array needs the numbers themselves, and a draw has too many values")
    return known(values, "the text of an array")


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """Returns how many of the sorted numbers are less than v (left), or at most v (right)."""
    if sorter is not None or isinstance(a, Draws) or any(map(is_lazy, a)):
        return refuse("searchsorted among random numbers, or with a sorter, cannot be followed")
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got {side!r})")
    places = np.asarray(a)
    if isinstance(v, np.ndarray) or type(v) in (list, tuple):
        entries = np.asarray(v, dtype=object)
        return np.array([position(places, entry, side) for entry in entries.reshape(-1)]).reshape(entries.shape)
    return np.int64(position(places, v, side))


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    """Returns in which of the bins, which rise or fall, x lies."""
    if isinstance(bins, Draws) or any(map(is_lazy, bins)) or np.ndim(bins) != 1:
        return refuse("digitize with random bins cannot be followed")
    steps, side = np.diff(np.asarray(bins)), "left" if right else "right"
    if not (steps >= 0).all() and not (steps <= 0).all():
        raise ValueError("bins must be monotonically increasing or decreasing")
    if (steps >= 0).all():
        return _searchsorted(bins, x, side)
    return len(bins) - _searchsorted(np.asarray(bins)[::-1], x, side)


def position(sums: Any, u: Any, side: str = "right") -> int:
    """Returns the place of u among sorted numbers, by the comparisons of numpy's search."""
    first, last = 0, len(sums)
    while first < last:
        middle = (first + last) // 2
        below = u < sums[middle] if side == "right" else not sums[middle] < u
        first, last = (first, middle) if below else (middle + 1, last)
    return first


# ------------------------------------------------------------------ operators and methods of an open number


def _operator(function: Callable[[Any, Any], Any], swapped: bool) -> Callable[[Any, Any], Any]:
    def act(self: Any, other: Any) -> Any:
        if isinstance(other, np.ndarray) and not is_lazy(other):
            pair = (other, self) if swapped else (self, other)
            return on_numpy(getattr(np, OPERATORS[function.__name__]), "__call__", pair, {})
        if not is_number(other):
            return NotImplemented
        return apply(function, other, self) if swapped else apply(function, self, other)

    return act


def _power(self: Any, other: Any, modulus: Any = None) -> Any:
    """Returns the power; modulo a number it is not monotone, and is taken of every value."""
    if modulus is None:
        return _operator(operator.pow, False)(self, other)
    base, exponent, modulus = (
        part.force(what="pow() of a draw with a modulus") if is_lazy(part) else part for part in (self, other, modulus)
    )
    return pow(base, exponent, modulus)


def _round(self: Any, digits: int | None = None) -> Any:
    return apply(round, self) if digits is None else apply(round, self, digits)


def _int(self: Any) -> int:
    found = apply(int, self)
    return int(found.force(what="int() of a draw") if is_lazy(found) else found)


def _clip(self: Any, least: Any = None, most: Any = None, **_: Any) -> Any:
    found = self if least is None else apply(np.maximum, self, least)
    return found if most is None else np.minimum(found, most)


for _name in OPERATORS:
    _stem = _name.removesuffix("_")
    setattr(Lazy, f"__{_stem}__", _operator(getattr(operator, _name), False))
    if _name not in COMPARISONS:
        setattr(Lazy, f"__r{_stem}__", _operator(getattr(operator, _name), True))
for _name, _unary in {
    **{"neg": operator.neg, "pos": operator.pos, "abs": abs, "invert": operator.invert},
    **{"floor": math.floor, "ceil": math.ceil, "trunc": math.trunc},
}.items():
    setattr(Lazy, f"__{_name}__", lambda self, unary=_unary: apply(unary, self))
for _name, _method in {
    **{"pow": _power, "round": _round, "int": _int, "divmod": lambda self, other: (self // other, self % other)},
    "array_ufunc": lambda _, ufunc, method, *inputs, **named: on_numpy(ufunc, method, inputs, named),
    "array_function": lambda _, function, types, given, named: on_function(function, given, named),
}.items():
    setattr(Lazy, f"__{_name}__", _method)
for _name in ("log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "sqrt", "floor", "ceil", "rint", "trunc"):
    METHODS[_name] = lambda self, name=_name: lambda: apply(getattr(np, name), self)  # type: ignore[misc]
METHODS["round"] = lambda self: lambda decimals=0, out=None: apply(np.round, self, decimals)
METHODS["clip"] = lambda self: lambda *ends, **named: _clip(self, *ends, **named)
METHODS["item"] = lambda self: lambda: self
METHODS["real"] = lambda self: self
