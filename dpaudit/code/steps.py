"""Arithmetic on numbers that are not known yet. A step is the very function that the code calls, applied at concrete
numbers; this module only says in which direction it is monotone.

+ - * / and the square root are correctly rounded and so monotone; floor, ceil, round and comparisons are too. The
logarithm, the exponential and powers of the C library and of numpy are assumed to be; the answer names them.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dpaudit.code import lazy, monotone
from dpaudit.code.lazy import Lazy, is_lazy, merged, word
from dpaudit.code.monotone import Env
from dpaudit.code.run import current, refuse

EXACT_RISING = "floor ceil rint trunc round around fix sqrt positive pos int float64 degrees radians deg2rad rad2deg"
ASSUMED_RISING = "exp exp2 expm1 log log2 log10 log1p cbrt tanh sinh arctan atan arcsinh asinh erf"
FALLING = {"negative": True, "neg": True, "erfc": False}
"""Decreasing steps, and whether that is certain."""
RISING = {**dict.fromkeys(EXACT_RISING.split(), True), **dict.fromkeys(ASSUMED_RISING.split(), False)}
_PAIRS = """add add sub subtract mul multiply truediv true_divide floordiv floor_divide mod remainder pow power
lshift left_shift rshift right_shift and_ bitwise_and or_ bitwise_or xor bitwise_xor
lt less le less_equal gt greater ge greater_equal eq equal ne not_equal"""
OPERATORS = dict(zip(_PAIRS.split()[::2], _PAIRS.split()[1::2], strict=True))
"""Python's operators with numpy's names for them."""
BINARY = {
    **{name: name for name in (*OPERATORS, "maximum", "minimum", "ldexp")},
    **{name: plain for plain, name in OPERATORS.items()},
    **{"divide": "truediv", "float_power": "pow"},
}
_ORDER = ("lt", "le", "gt", "ge", "eq", "ne")
COMPARISONS = {name: getattr(operator, plain) for plain in _ORDER for name in (plain, OPERATORS[plain])}


def is_number(value: Any) -> bool:
    """Whether the value is a number that the steps can take."""
    return is_lazy(value) or isinstance(value, int | float | Fraction | np.number | np.bool_)


def apply(function: Callable[..., Any], *inputs: Any) -> Any:
    """function(*inputs), where at least one input is open."""
    name = function.__name__
    if name in COMPARISONS and len(inputs) == 2:
        return compare(COMPARISONS[name], *inputs)
    if len(inputs) == 1 or (name in ("round", "around", "log") and not any(map(is_lazy, inputs[1:]))):
        return _unary(name, function, *inputs)
    if len(inputs) == 2 and name in BINARY:
        return _binary(BINARY[name], function, *inputs)
    return listed(function, inputs)


def _unary(name: str, function: Callable[..., Any], x: Lazy, *more: Any) -> Any:
    if name in RISING:
        rising = not (name == "log" and more and more[0] < 1)
        return monotone_value(function, (x, *more), merged((x.directions, 1 if rising else -1)), RISING[name])
    if name in FALLING:
        return monotone_value(function, (x,), merged((x.directions, -1)), FALLING[name])
    if name in ("absolute", "abs", "fabs", "square"):
        return monotone_value(function, (x,), merged((x.directions, -1 if compare(operator.lt, x, 0) else 1)), True)
    if name in ("sign", "isfinite", "isinf", "isnan", "signbit", "logical_not"):
        for cut in (-math.inf, 0, math.inf):
            compare(operator.lt, x, cut)
            compare(operator.gt, x, cut)
        return function(x.least())
    return listed(function, (x, *more))


def _binary(kind: str, function: Callable[..., Any], a: Any, b: Any) -> Any:
    a, b = _fewer(a, b)
    if not is_lazy(a) and not is_lazy(b):
        return function(a, b)
    certain = True
    if kind in ("add", "maximum", "minimum"):
        directions = merged(*_parts(a, 1, b, 1))
    elif kind == "sub":
        directions = merged(*_parts(a, 1, b, -1))
    elif kind == "mul":
        directions = merged(*_parts(a, _sign(b, a), b, _sign(a, b)))
    elif kind in ("truediv", "floordiv"):
        below = sign(b)
        if below == 0:
            return function(a.least() if is_lazy(a) else a, b.least() if is_lazy(b) else b)
        directions = merged(*_parts(a, below, b, -_sign(a, b)))
        certain = kind == "truediv" or _whole(a, b)
    elif kind in ("lshift", "rshift", "ldexp") and not is_lazy(b):
        directions = merged((a.directions, 1))
    elif kind == "pow":
        directions, certain = _power(a, b), _whole(a, b) and function is operator.pow
    elif kind == "mod":
        return _remainder(function, a, b)
    else:
        directions = None
    return listed(function, (a, b)) if directions is None else monotone_value(function, (a, b), directions, certain)


def _fewer(a: Any, b: Any) -> tuple[Any, Any]:
    """The two; where both are open, in different draws, a whole number of few values is made known."""
    if is_lazy(a) and is_lazy(b) and a.directions.keys() != b.directions.keys():
        spans = [abs(x.most() - x.least()) if _whole(x) else lazy.FEW for x in (a, b)]
        if min(spans) < lazy.FEW:
            return (a.force(), b) if spans[0] <= spans[1] else (a, b.force())
    return a, b


def _parts(a: Any, up: int, b: Any, up_too: int) -> list[tuple[Any, int]]:
    return [(x.directions, s) for x, s in ((a, up), (b, up_too)) if is_lazy(x)]


def sign(x: Any) -> int:
    """-1, 0 or 1; an open number is cut at 0."""
    return -1 if compare(operator.lt, x, 0) else 1 if compare(operator.gt, x, 0) else 0


def _sign(x: Any, other: Any) -> int:
    """The sign of a factor, if the other is open; 1 for 0, which is monotone either way."""
    return (-1 if compare(operator.lt, x, 0) else 1) if is_lazy(other) else 1


def _whole(*values: Any) -> bool:
    return all(isinstance(v.least() if is_lazy(v) else v, int | np.integer | Fraction) for v in values)


def _power(a: Any, b: Any) -> dict[Any, int] | None:
    """The directions of a ** b, None where it is not known to be monotone."""
    if is_lazy(a) and is_lazy(b):
        return None
    if is_lazy(b):
        return merged((b.directions, 1 if a >= 1 else -1)) if a > 0 else None
    if not compare(operator.lt, a, 0):
        return merged((a.directions, 1 if b >= 0 else -1))
    if b != int(b):
        return None
    return merged((a.directions, (1 if int(b) % 2 else -1) * (1 if b >= 0 else -1)))


def _remainder(function: Callable[..., Any], a: Any, b: Any) -> Any:
    """A % b: by classes of the draw, or by pieces on which it rises."""
    if not is_lazy(a) or is_lazy(b) or b <= 0:
        return listed(function, (a, b))
    (draw, *others), known = list(a.directions), a.affine is not None and _whole(b)
    if known and not others and b <= lazy.FEW and draw.width > b:
        start, step = a.affine
        m = int(b) // math.gcd(int(b), step * draw.stride)
        draw.cut_residues(("classes", m, a.key), m)
        return function(type(a.least())(start + step * draw.m(draw.lo)), b)
    pieces = apply(operator.floordiv, a, b)
    if is_lazy(pieces):
        pieces.force(what="a remainder")
    return monotone_value(function, (a, b), dict(a.directions), True)


def listed(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    """The function with its inputs listed value by value; the code cannot be followed if they have too many."""
    known = list(inputs)
    order = sorted((i for i, x in enumerate(inputs) if is_lazy(x)), key=lambda i: -len(inputs[i].directions))
    for i in order:
        if known[i].few():
            known[i] = known[i].force(limit=lazy.FEW)
            return apply(function, *known) if any(map(is_lazy, known)) else function(*known)
    return refuse(f"{function.__name__} of a random number cannot be followed here")


def monotone_value(
    function: Callable[..., Any], inputs: tuple[Any, ...], directions: dict[Any, int] | None, certain: bool
) -> Any:
    """The function of open numbers, monotone in these directions; its value if it has only one."""
    if directions is None:
        return listed(function, inputs)
    value = _composed(function, inputs)
    assumed = frozenset[str]().union(*(x.assumed for x in inputs if is_lazy(x)))
    name = f"{getattr(function, '__module__', None) or 'numpy'}.{function.__name__}"
    if not certain:
        assumed |= {name.removeprefix("_").removeprefix("builtins.")}
        run = current()
        if run is not None:
            run.assumptions |= assumed
    key = (name, *map(word, inputs))
    bad = _bad(value)
    first, last = bad(monotone.low(directions)), bad(monotone.high(directions))
    if first != last:
        turned = directions if last else {draw: -up for draw, up in directions.items()}
        first = monotone.decide(bad, turned, ("fails", key), assumed)
    if first:
        return value(monotone.low(directions))
    result = Lazy(value, directions, key, assumed, _affine(function, inputs))
    least, most = result.least(), result.most()
    if most < least:
        refuse(f"{name} is not monotone here: a number wraps around")
    return least if monotone.same(least, most) else result


def _composed(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Callable[[Env], Any]:
    """The function of the draws that the function of these inputs is."""
    if len(inputs) == 1:
        only = inputs[0].value
        return lambda env: function(only(env))
    if len(inputs) == 2 and not is_lazy(inputs[1]):
        first, c = inputs[0].value, inputs[1]
        return lambda env: function(first(env), c)
    if len(inputs) == 2 and not is_lazy(inputs[0]):
        c, second = inputs[0], inputs[1].value
        return lambda env: function(c, second(env))
    parts = [x.value if is_lazy(x) else (lambda env, x=x: x) for x in inputs]
    return lambda env: function(*(part(env) for part in parts))


def _bad(value: Callable[[Env], Any]) -> Callable[[Env], bool]:
    """A function that tells whether the value is an exception or not a number."""

    def bad(env: Env) -> bool:
        try:
            found = value(env)
        except Exception:
            return True
        return bool(found != found) or isinstance(found, complex)

    return bad


def _affine(function: Callable[..., Any], inputs: tuple[Any, ...]) -> tuple[int, int] | None:
    """(start, step) of start + step m for plain whole numbers."""
    if len(inputs) != 2 or not all(is_lazy(x) or isinstance(x, int | np.integer) for x in inputs):
        return None
    a, b = inputs
    if function is operator.sub and not is_lazy(b):
        function, b = operator.add, -int(b)
    if function is operator.add and is_lazy(a) != is_lazy(b):
        x, c = (a, b) if is_lazy(a) else (b, a)
        return None if x.affine is None else (x.affine[0] + int(c), x.affine[1])
    return None


def compare(relation: Callable[[Any, Any], Any], a: Any, b: Any) -> bool:
    """Whether the relation holds; open numbers are cut where it changes."""
    open_a, open_b = is_lazy(a), is_lazy(b)
    if not open_a and not open_b:
        return bool(relation(a, b))
    if (not open_a and a != a) or (not open_b and b != b):
        return relation is operator.ne
    if open_a and open_b and a.key == b.key:  # one number, which is not nan: that part is cut off where it is made
        return bool(relation(0, 0))
    if relation in (operator.eq, operator.ne):
        equal = not compare(operator.lt, a, b) and not compare(operator.gt, a, b)
        return equal if relation is operator.eq else not equal
    rises = relation in (operator.gt, operator.ge)
    sign_ = (relation.__name__, word(a), word(b))
    if open_a and open_b:
        directions = merged((a.directions, 1 if rises else -1), (b.directions, -1 if rises else 1))
        if directions is None:
            return bool(listed(relation, (a, b)))

        def holds(env: Env) -> bool:
            return bool(relation(a.value(env), b.value(env)))

        if holds(monotone.low(directions)) != holds(monotone.high(directions)):
            known = _fewer(a, b)
            if known[0] is not a or known[1] is not b:
                return compare(relation, *known)
        return monotone.decide(holds, directions, sign_, a.assumed | b.assumed)
    x, c = (a, b) if open_a else (b, a)
    value, directions = x.value, x.directions if rises == open_a else {d: -up for d, up in x.directions.items()}
    if open_a:
        return monotone.decide(lambda env: bool(relation(value(env), c)), directions, sign_, x.assumed)
    return monotone.decide(lambda env: bool(relation(c, value(env))), directions, sign_, x.assumed)
