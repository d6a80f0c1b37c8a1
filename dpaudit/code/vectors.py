"""Arrays of open numbers, and how operators and numpy's functions act on them and on a single one.

Elementwise functions are applied entry by entry. Any other function gets fixed values, if the numbers have few.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from dpaudit.code.lazy import METHODS, Lazy, is_lazy
from dpaudit.code.run import refuse
from dpaudit.code.steps import COMPARISONS, OPERATORS, apply, is_number

_WORDS = """copy fill flatten item ravel repeat reshape sort squeeze swapaxes take tolist transpose view;

all any argmax argmin argsort astype clip cumprod cumsum dot max mean min nonzero prod round searchsorted std sum
tobytes trace var __str__ __repr__ __format__;

append array_split atleast_1d concatenate hstack ndim ravel reshape shape size sort split stack tile transpose vstack
where
"""
MOVES, KNOWING, PASSING = (frozenset(words.split()) for words in _WORDS.split(";"))
"""Methods of an array that only pass its entries on, or compare them; those that get fixed values (others are refused);
functions of numpy that only pass entries on."""
OF_ONE = frozenset(("round", "around", "clip", "real"))
"""Functions of numpy that call the method of that name on a single number."""


class Draws(np.ndarray[Any, Any]):
    """An array of open numbers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return on_numpy(ufunc, method, inputs, named)

    def __array_function__(self, function: Any, types: Any, given: Any, named: Any) -> Any:
        return on_function(function, given, named)


def _of_array(name: str) -> Callable[..., Any]:
    def method(self: Draws, *given: Any, **named: Any) -> Any:
        if name not in KNOWING:
            return refuse(f"{name} of an array of draws cannot be followed")
        return getattr(known(self, f"{name} of an array"), name)(*given, **named)

    return method


for _name in (*KNOWING, *(name for name in dir(np.ndarray) if name[0] != "_" and callable(getattr(np.ndarray, name)))):
    if _name not in MOVES:
        setattr(Draws, _name, _of_array(_name))


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


def on_numpy(ufunc: Any, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The result of the ufunc: entry by entry, or of fixed values."""
    named = {key: value for key, value in named.items() if value is not None}
    out = named.pop("out", None)
    if method != "__call__" or named or ufunc.signature is not None:
        if out is not None:
            refuse(f"numpy.{ufunc.__name__} with {method} into an array cannot be followed")
        return _of_known(ufunc if method == "__call__" else getattr(ufunc, method), inputs, named)
    if not any(isinstance(x, np.ndarray) for x in inputs):
        return apply(ufunc, *inputs)
    step = np.frompyfunc(lambda *row: apply(ufunc, *row) if any(map(is_lazy, row)) else ufunc(*row), len(inputs), 1)
    results = objects(step(*map(objects, inputs)))
    if out is not None:
        out[0][...] = results
        return out[0]
    return array(list(results.reshape(-1)), results.shape)


def on_function(function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """The result of a function of numpy."""
    if function is np.searchsorted:
        return _searchsorted(*given, **named)
    if function.__name__ in PASSING or (function.__name__ in OF_ONE and given and is_lazy(given[0])):
        return function._implementation(*given, **named)
    return _of_known(function, given, named)


def _of_known(function: Any, given: tuple[Any, ...], named: dict[str, Any]) -> Any:
    what = f"numpy.{function.__name__}"
    return function(*(known(x, what) for x in given), **{key: known(x, what) for key, x in named.items()})


def _few(value: Any) -> bool:
    """Whether all open numbers in the value have few values."""
    if is_lazy(value):
        return bool(value.few())
    inside = isinstance(value, Draws) or type(value) in (list, tuple)
    return all(map(_few, value.reshape(-1) if isinstance(value, Draws) else value)) if inside else True


def known(value: Any, what: str) -> Any:
    """The value with every open number in it fixed."""
    if not _few(value):
        refuse(f"{what} of random numbers cannot be followed: they have too many values")
    if is_lazy(value):
        return value.force(what=what)
    if isinstance(value, Draws):
        return np.array([known(entry, what) for entry in value.reshape(-1)]).reshape(value.shape)
    return type(value)(known(entry, what) for entry in value) if type(value) in (list, tuple) else value


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """How many of the sorted numbers are less than v (left), or at most v (right)."""
    if sorter is not None or isinstance(a, Draws) or any(map(is_lazy, a)):
        return refuse("searchsorted among random numbers, or with a sorter, cannot be followed")
    places = np.asarray(a)
    np.searchsorted(places, 0, cast(Any, side))  # which raises what is to be raised
    found = np.frompyfunc(lambda u: position(places, u, side), 1, 1)(objects(v))
    return np.int64(found) if np.ndim(found) == 0 else found.astype(np.int64)


def position(sums: Any, u: Any, side: str = "right") -> int:
    """The position of u among sorted numbers, by the comparisons of numpy's search."""
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
    """The power; modulo a number it is not monotone, and is taken of every value."""
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
