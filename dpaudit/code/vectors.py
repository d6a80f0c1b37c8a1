"""Arrays of open numbers, and how operators and numpy's functions act on them and on a single one."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, cast

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


class Draws(np.ndarray[Any, Any]):
    """An array of open numbers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return on_numpy(ufunc, method, inputs, named)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        return on_function(function, given, named)

    def mean(self, axis: Any = None, dtype: Any = None, out: Any = None, **named: Any) -> Any:
        """The sum over the number of entries, as numpy does it."""
        if dtype is not None or out is not None or named:
            refuse("mean with a type, a place or a selection cannot be followed")
        total = _reduced(np.add, self, axis)
        for entry in objects(total).reshape(-1):
            least, most = (entry.least(), entry.most()) if is_lazy(entry) else (entry, entry)
            if _is_whole(entry) and max(-least, most) > LARGEST:
                refuse("the mean of whole numbers beyond 2^53 cannot be followed")
        return total / (self.size if axis is None else self.shape[axis])


for _name in ("__str__", "__repr__", "__format__", "tobytes"):
    setattr(Draws, _name, lambda self, *given, name=_name: getattr(_plain(self), name)(*given))
for _name in ("any", "all"):
    setattr(Draws, _name, lambda self, *given, name=_name, **named: getattr(self != 0, name)(*given, **named))
for _name in ("var", "std", "dot"):
    setattr(Draws, _name, lambda self, *given, name=_name, **named: getattr(np, name)(self, *given, **named))


def array(entries: list[Any], shape: tuple[int, ...] | None = None) -> Any:
    """The entries as an array: of open numbers, or a plain one if none is open."""
    is_open = any(map(is_lazy, entries))
    found = np.empty(len(entries), dtype=object) if is_open else np.array(entries)
    for i, entry in enumerate(entries if is_open else ()):
        found[i] = entry
    found = found if shape is None else found.reshape(shape)
    return found.view(Draws) if is_open else found


def objects(value: Any) -> Any:
    """A number or an array as a plain array of objects."""
    return array([value], ()).view(np.ndarray) if is_lazy(value) else np.asarray(value, dtype=object)


# ------------------------------------------------------------------ ufuncs


def on_numpy(ufunc: Any, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What the ufunc gives, entry by entry where an input is an array."""
    usual = {"where": True, "keepdims": False}
    given = {key: x for key, x in named.items() if x is not None and x is not np._NoValue and x is not usual.get(key)}
    out, axis = given.pop("out", None), given.pop("axis", None)
    if given or (out is not None and method != "__call__"):
        return refuse(f"numpy.{ufunc.__name__} with {method}, {', '.join(given)} cannot be followed")
    if method == "reduce":
        return _reduced(ufunc, inputs[0], 0 if "axis" not in named and np.ndim(inputs[0]) == 1 else axis)
    if method == "accumulate":
        return array(_folded(ufunc, inputs[0]))
    if ufunc is np.matmul and method == "__call__" and out is None:
        return ufunc(*(known(x, "a product of matrices") for x in inputs))
    if method != "__call__" or axis is not None:
        return refuse(f"numpy.{ufunc.__name__} with {method} cannot be followed")
    if not any(isinstance(x, np.ndarray) for x in inputs):
        return apply(ufunc, *inputs)
    step = np.frompyfunc(lambda *row: (apply if any(map(is_lazy, row)) else _act)(ufunc, *row), len(inputs), 1)
    results = objects(step(*map(objects, inputs)))
    if out is not None:
        out[0][...] = results
        return out[0]
    return array(list(results.reshape(-1)), results.shape)


def _act(function: Callable[..., Any], *given: Any) -> Any:
    return function(*given)


def _reduced(ufunc: Any, values: Any, axis: Any) -> Any:
    """The sum, product or maximum of all entries, or along one axis."""
    whole = objects(values)
    if axis is None or whole.ndim == 1:
        return _folded(ufunc, whole)[-1]
    lanes = np.moveaxis(whole, axis, -1)
    shape = lanes.shape[:-1]
    return array([_folded(ufunc, lanes[place], alone=False)[-1] for place in np.ndindex(shape)], shape)


def _folded(ufunc: Any, values: Any, alone: bool = True) -> list[Any]:
    """The partial results of a sum, product or maximum, where numpy's order is this one or does not matter."""
    entries = list(objects(values).reshape(-1))
    if not entries or ufunc.__name__ not in ("add", "multiply", "maximum", "minimum"):
        refuse(f"numpy.{ufunc.__name__} of an array of this shape cannot be followed")
    few = alone and np.ndim(values) == 1 and len(entries) < SEQUENTIAL
    if ufunc.__name__ in ("add", "multiply") and not few and not all(map(_is_whole, entries)):
        refuse(f"numpy adds and multiplies {len(entries)} floats in an order of its own; do it one by one")
    found = entries[:1]
    for entry in entries[1:]:
        found.append(on_numpy(ufunc, "__call__", (found[-1], entry), {}))
    return found


def _is_whole(value: Any) -> bool:
    return isinstance(value.least() if is_lazy(value) else value, int | np.integer | np.bool_)


# ------------------------------------------------------------------ other functions


def on_function(function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What a function of numpy gives: with numbers that are known, where they have few values."""
    name = function.__name__
    if name == "searchsorted":
        return _searchsorted(*given, **named)
    if name in KEPT:
        return function._implementation(*given, **named)
    if not all(map(_few, (*given, *named.values()))):
        return refuse(f"numpy.{name} of random numbers cannot be followed")
    what = f"numpy.{name}"
    return function(*(known(x, what) for x in given), **{key: known(x, what) for key, x in named.items()})


def _few(value: Any) -> bool:
    """Whether all open numbers in the value have few values."""
    if is_lazy(value):
        return bool(value.few())
    inside = isinstance(value, Draws) or type(value) in (list, tuple)
    return all(map(_few, value.reshape(-1) if isinstance(value, Draws) else value)) if inside else True


def known(value: Any, what: str) -> Any:
    """The value with every open number in it made known."""
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
    """The array with numbers that are known, to be written as text."""
    if not _few(values):
        refuse("the text of an array needs the numbers themselves, and a draw has too many values")
    return known(values, "the text of an array")


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """How many of the sorted numbers are less than v (left), or at most v (right)."""
    if sorter is not None or isinstance(a, Draws) or any(map(is_lazy, a)):
        return refuse("searchsorted among random numbers, or with a sorter, cannot be followed")
    places = np.asarray(a)
    np.searchsorted(places, 0, cast(Any, side))  # which raises what is to be raised
    found = np.frompyfunc(lambda u: position(places, u, side), 1, 1)(objects(v))
    return np.int64(found) if np.ndim(found) == 0 else found.astype(np.int64)


def position(sums: Any, u: Any, side: str = "right") -> int:
    """The place of u among sorted numbers, by the comparisons of numpy's search."""
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
