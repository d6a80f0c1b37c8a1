"""The operators of an open number, and how numpy's functions and arrays act on it."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.code import lazy
from dpaudit.code.lazy import METHODS, Lazy, is_lazy
from dpaudit.code.run import refuse
from dpaudit.code.steps import BINARY, COMPARISONS, apply, is_number

SEQUENTIAL = 8
"""numpy adds up to so many numbers one after the other; more of them in another order."""


class Draws(np.ndarray[Any, Any]):
    """An array of open numbers."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return on_numpy(ufunc, method, inputs, named)


def array(entries: list[Any], shape: tuple[int, ...] | None = None) -> Any:
    """Returns the entries as an array: of open numbers, or a plain one if none is open."""
    if not any(map(is_lazy, entries)):
        plain = np.array(entries)
        return plain if shape is None else plain.reshape(shape)
    found = np.empty(len(entries), dtype=object)
    for i, entry in enumerate(entries):
        found[i] = entry
    return (found if shape is None else found.reshape(shape)).view(Draws)


def on_numpy(ufunc: Any, method: str, inputs: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Returns what the ufunc gives, entry by entry where an input is an array."""
    given = {name: value for name, value in named.items() if value is not None and name not in ("axis", "keepdims")}
    out = given.pop("out", None)
    if method == "reduce" and not given and out is None:
        return _folded(ufunc, inputs[0], accumulate=False)[-1]
    if method == "accumulate" and not given and out is None:
        return array(_folded(ufunc, inputs[0], accumulate=True))
    if method != "__call__" or given:
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


def _rows(wide: Any) -> list[tuple[Any, ...]]:
    return [tuple(x.item() if isinstance(x, np.ndarray) else x for x in row) for row in wide]


def _folded(ufunc: Any, values: Any, accumulate: bool) -> list[Any]:
    """Returns the partial results of a sum, product or maximum of a vector, in numpy's order."""
    entries = list(np.asarray(values, dtype=object).reshape(-1))
    if np.ndim(values) != 1 or not entries or ufunc.__name__ not in ("add", "multiply", "maximum", "minimum"):
        refuse(f"numpy.{ufunc.__name__} of an array of this shape cannot be followed")
    if ufunc.__name__ == "add" and not accumulate and len(entries) >= SEQUENTIAL:
        refuse(f"numpy adds {len(entries)} numbers in an order of its own; add them one by one")
    found = [entries[0]]
    for entry in entries[1:]:
        both = (found[-1], entry)
        found.append(apply(ufunc, *both) if any(map(is_lazy, both)) else ufunc(*both))
    return found


# ------------------------------------------------------------------ the operators


def _operator(function: Callable[[Any, Any], Any], swapped: bool) -> Callable[[Any, Any], Any]:
    def act(self: Any, other: Any) -> Any:
        if isinstance(other, np.ndarray) and not is_lazy(other):
            pair = (other, self) if swapped else (self, other)
            return on_numpy(NUMPY[function.__name__], "__call__", pair, {})
        if not is_number(other):
            return NotImplemented
        return apply(function, other, self) if swapped else apply(function, self, other)

    return act


NUMPY = {
    **{"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.true_divide, "floordiv": np.floor_divide},
    **{
        "mod": np.remainder,
        "pow": np.power,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
    },
    **{"eq": np.equal, "ne": np.not_equal, "and_": np.bitwise_and, "lshift": np.left_shift, "rshift": np.right_shift},
    **{"or_": np.bitwise_or, "xor": np.bitwise_xor},
}


def _round(self: Any, digits: int | None = None) -> Any:
    return apply(round, self) if digits is None else apply(round, self, digits)


def _int(self: Any) -> int:
    found = apply(int, self)
    return int(found.force(what="int() of a draw") if is_lazy(found) else found)


def _clip(self: Any, least: Any = None, most: Any = None, **_: Any) -> Any:
    found = self if least is None else apply(np.maximum, self, least)
    return found if most is None else np.minimum(found, most)


def _install() -> None:
    for name, function in ((name, getattr(operator, name)) for name in NUMPY):
        stem = name.removesuffix("_")
        setattr(Lazy, f"__{stem}__", _operator(function, False))
        if name not in COMPARISONS:
            setattr(Lazy, f"__r{stem}__", _operator(function, True))
    for stem, unary in (("neg", operator.neg), ("pos", operator.pos), ("abs", abs), ("invert", operator.invert)):
        setattr(Lazy, f"__{stem}__", lambda self, unary=unary: apply(unary, self))
    for stem, rounding in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc)):
        setattr(Lazy, f"__{stem}__", lambda self, rounding=rounding: apply(rounding, self))
    setattr(Lazy, "__round__", _round)  # noqa: B010
    setattr(Lazy, "__int__", _int)  # noqa: B010
    setattr(Lazy, "__divmod__", lambda self, other: (self // other, self % other))  # noqa: B010
    lazy.on_numpy = on_numpy
    for name in ("log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "sqrt", "floor", "ceil", "rint", "trunc"):
        METHODS[name] = lambda self, name=name: lambda: apply(getattr(np, name), self)  # type: ignore[misc]
    METHODS["round"] = lambda self: lambda decimals=0, out=None: apply(np.round, self, decimals)
    METHODS["clip"] = lambda self: lambda *ends, **named: _clip(self, *ends, **named)
    METHODS["item"] = lambda self: lambda: self
    METHODS["real"] = lambda self: self


_install()
assert set(BINARY) >= {"add", "mul"}
