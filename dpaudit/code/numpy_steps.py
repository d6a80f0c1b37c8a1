"""The operators of an open number, and its methods that numpy asks for by name."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.code import lazy
from dpaudit.code.lazy import METHODS, Lazy, is_lazy
from dpaudit.code.steps import COMPARISONS, apply, is_number
from dpaudit.code.vectors import on_function, on_numpy


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


def install() -> None:
    """Gives open numbers their operators and methods; done once, where the context is made."""
    for name, function in ((name, getattr(operator, name)) for name in NUMPY):
        stem = name.removesuffix("_")
        setattr(Lazy, f"__{stem}__", _operator(function, False))
        if name not in COMPARISONS:
            setattr(Lazy, f"__r{stem}__", _operator(function, True))
    for stem, unary in (("neg", operator.neg), ("pos", operator.pos), ("abs", abs), ("invert", operator.invert)):
        setattr(Lazy, f"__{stem}__", lambda self, unary=unary: apply(unary, self))
    for stem, rounding in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc)):
        setattr(Lazy, f"__{stem}__", lambda self, rounding=rounding: apply(rounding, self))
    setattr(Lazy, "__pow__", _power)  # noqa: B010
    setattr(Lazy, "__round__", _round)  # noqa: B010
    setattr(Lazy, "__int__", _int)  # noqa: B010
    setattr(Lazy, "__divmod__", lambda self, other: (self // other, self % other))  # noqa: B010
    lazy.on_numpy, lazy.on_function = on_numpy, on_function
    for name in ("log", "log2", "log10", "log1p", "exp", "exp2", "expm1", "sqrt", "floor", "ceil", "rint", "trunc"):
        METHODS[name] = lambda self, name=name: lambda: apply(getattr(np, name), self)  # type: ignore[misc]
    METHODS["round"] = lambda self: lambda decimals=0, out=None: apply(np.round, self, decimals)
    METHODS["clip"] = lambda self: lambda *ends, **named: _clip(self, *ends, **named)
    METHODS["item"] = lambda self: lambda: self
    METHODS["real"] = lambda self: self
