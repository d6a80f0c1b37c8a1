"""Draws from the run under way, computed as the libraries compute them, so that the law is that of the library.

53 bits for a float, uniform whole numbers, the cumulative sums of numpy's choice.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar, cast

import numpy as np

from dpaudit.code import lazy
from dpaudit.code.run import Run, current, is_ours, refuse
from dpaudit.code.vectors import array, position

F = TypeVar("F", bound=Callable[..., Any])


def running() -> Run:
    """Returns the run under way; there is none outside an audit."""
    run = current()
    if run is None:
        raise RuntimeError("a random source of an audit is used outside of it")
    return run


def as_library(error: Exception) -> Exception:
    """Returns the error, marked as one that the library raises too."""
    error.__dict__["as_library"] = True
    return error


def standing_in(name: str, function: F) -> F:
    """Returns a function that stands in for one of a library; an error of its own, not the library's, is a refusal."""

    @wraps(function)
    def method(*given: Any, **named: Any) -> Any:
        try:
            return function(*given, **named)
        except Exception as error:
            trace = error.__traceback__
            while trace is not None and trace.tb_next is not None:
                trace = trace.tb_next
            if hasattr(error, "as_library") or (trace is not None and not is_ours(trace.tb_frame.f_code.co_filename)):
                raise
            message = f"{name} with these arguments cannot be followed ({type(error).__name__}: {error})"
        return refuse(message)

    return cast(F, method)


def uniform(*_: Any) -> Any:
    """Returns m / 2^53, m uniform."""
    return lazy.uniform(running())


def below(size: Any, start: int = 0, kind: Callable[[int], Any] = int) -> Any:
    """Returns a whole number, uniform on start .. start + size - 1."""
    count = int(size)
    if count <= 0:
        raise as_library(ValueError("empty range for a random whole number"))
    return lazy.below(running(), count, start, kind)


def getrandbits(_: Any, k: Any) -> Any:
    """Returns k random bits."""
    if int(k) < 0:
        raise as_library(ValueError("number of bits must be non-negative"))
    return below(1 << int(k))


def seed(_: Any, a: Any = None, *__: Any, **___: Any) -> None:
    """Refuses a seed: what follows from it is not random."""
    if a is not None:
        refuse("a generator with a seed is no source of randomness")


def unfollowed(name: str) -> Callable[..., Any]:
    """Returns a function that says that its draws cannot be followed."""
    return lambda *_, **__: refuse(f"{name} cannot be followed: take uniform floats or whole numbers")


# ------------------------------------------------------------------ as numpy does it


def sized(draw: Callable[[], Any], size: Any) -> Any:
    """Returns one draw, or an array of them."""
    if size is None:
        return draw()
    shape = _shape(size)
    return array([draw() for _ in range(math.prod(shape))], shape)


def spread(draw: Callable[..., Any], given: tuple[Any, ...], size: Any) -> Any:
    """Returns one draw with these arguments, or an array of them; arguments that are arrays are spread by numpy."""
    if all(map(np.isscalar, given)) or any(map(lazy.is_lazy, given)):
        return sized(lambda: draw(*given), size)
    wide = np.broadcast(*given)
    shape = wide.shape if size is None else np.broadcast_shapes(wide.shape, _shape(size))
    if size is not None and shape != _shape(size):
        raise as_library(ValueError("Output size is not compatible with broadcast dimensions of inputs."))
    entries = zip(*(np.broadcast_to(np.asarray(x), shape).reshape(-1).tolist() for x in given), strict=True)
    return array([draw(*row) for row in entries], shape)


def _shape(size: Any) -> tuple[int, ...]:
    return tuple(int(s) for s in size) if isinstance(size, Sequence) else (int(size),)


def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False) -> Any:
    """Returns whole numbers of low .. high - 1, or of 0 .. low - 1."""
    low, high = (0, low) if high is None else (low, high)
    alone = size is None and dtype in (int, bool) and np.isscalar(low) and np.isscalar(high)
    kind = dtype if alone else _kind(dtype)
    return spread(lambda a, b: _integer(a, b, endpoint, kind), (low, high), size)


def _kind(dtype: Any) -> Any:
    """Returns the type of a whole number of this dtype; one number of the dtype int or bool is a plain one."""
    kind = np.dtype(dtype).type
    if not issubclass(kind, np.integer | np.bool_):
        raise as_library(TypeError(f"Unsupported dtype {np.dtype(dtype)!r} for integers"))
    return kind


def _integer(low: Any, high: Any, endpoint: bool, kind: Any) -> Any:
    """Returns a whole number of the type; a short one, which wraps around, is known at once."""
    count = int(high) - int(low) + (1 if endpoint else 0)
    limits = (0, 1) if kind in (bool, np.bool_) else (-(1 << 63), (1 << 63) - 1)
    if kind not in (bool, int, np.bool_):
        limits = int(np.iinfo(kind).min), int(np.iinfo(kind).max)
    if int(low) < limits[0]:
        raise as_library(ValueError(f"low is out of bounds for {kind.__name__}"))
    if int(low) + count - 1 > limits[1]:
        raise as_library(ValueError(f"high is out of bounds for {kind.__name__}"))
    found = below(count, int(low), kind)
    return found if kind in (int, np.int64) or not lazy.is_lazy(found) else found.force(what="a short whole number")


def binomial(n: Any, p: Any, size: Any = None) -> Any:
    """Returns a trial by numpy's inversion: 1 if a uniform exceeds exp(log1p(-p)), with what it does in the corner."""
    return spread(lambda n, p: _binomial(n, p, lambda p: math.exp(math.log1p(-p))), (n, p), size)


def legacy_binomial(n: Any, p: Any, size: Any = None) -> Any:
    """Returns the same as a RandomState does it: with exp(log(1 - p)), for some p the float beside it."""
    return spread(lambda n, p: _binomial(n, p, lambda p: math.exp(math.log(1.0 - p))), (n, p), size)


def _binomial(n: Any, p: Any, none: Callable[[float], float]) -> Any:
    """Returns a trial; ``none`` is the probability of 0 that numpy computes."""
    if n != 1:
        refuse("binomial with other than one trial cannot be followed: draw one trial at a time")
    if not 0 <= p <= 1:
        raise as_library(ValueError("p < 0, p > 1 or p is NaN"))
    return _trial(float(p), none) if p <= 0.5 else 1 - _trial(1.0 - float(p), none)


def _trial(p: float, none: Callable[[float], float]) -> int:
    q, start = 1.0 - p, none(p)
    running().assumptions.add("numpy's binomial with one trial is its inversion algorithm")
    while p:
        u = uniform()
        if not u > start:
            return 0
        if not u - start > (p * start) / q:
            return 1
    return 0


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True) -> Any:
    """Returns entries of a, or of 0 .. a - 1, with probabilities p by cumulative sums."""
    if axis != 0 or not shuffle:
        refuse("choice along another axis, or without shuffling, cannot be followed")
    entries = _entries(a, size)
    if not len(entries):
        raise as_library(ValueError("a cannot be empty unless no samples are taken"))
    if not replace and size is not None:
        if p is not None:
            refuse("choice without replacement and with probabilities cannot be followed")
        return _without(entries, _shape(size))
    if p is None:
        return sized(lambda: entries[int(below(len(entries)))], size)
    sums = _sums(p, len(entries))
    return sized(lambda: entries[position(sums, uniform())], size)


def _entries(a: Any, size: Any) -> list[Any]:
    """Returns the entries of numpy's array of these, or its rows."""
    if isinstance(a, int | np.integer):
        return list(range(int(a)))
    if any(map(lazy.is_lazy, a)):
        return list(a)
    found = np.array(a)
    if found.ndim != 1 and size is not None:
        refuse("several choices among rows of an array cannot be followed: draw the numbers of the rows")
    return list(found)


def _without(entries: list[Any], shape: tuple[int, ...]) -> Any:
    count = math.prod(shape)
    if count > len(entries):
        raise as_library(ValueError("Cannot take a larger sample than population when replace is False"))
    return np.array(permutation(entries)[:count]).reshape(shape)


TOLERANCE = 2.0**-26
"""numpy takes probabilities whose sum is so near to 1."""


def _sums(p: Any, size: int) -> Any:
    """Returns the cumulative sums of the probabilities; what numpy refuses raises its error here too."""
    if any(map(lazy.is_lazy, p)):
        refuse("probabilities that are random cannot be followed")
    given = np.asarray(p, dtype=float)
    if given.ndim != 1 or len(given) != size:
        raise as_library(ValueError("a and p must have same size"))
    if np.isnan(given).any() or (given < 0).any():
        raise as_library(ValueError("Probabilities are not non-negative"))
    short = isinstance(p, np.ndarray) and p.dtype in (np.float16, np.float32)
    if abs(math.fsum(given) - 1) > (float(np.finfo(p.dtype).eps) ** 0.5 if short else TOLERANCE):
        raise as_library(ValueError("Probabilities do not sum to 1"))
    sums = given.cumsum()
    sums /= sums[-1]
    return sums


def shuffle(x: Any, axis: int = 0) -> None:
    """Puts the entries in random order."""
    if axis != 0:
        refuse("shuffle along another axis cannot be followed")
    for i in reversed(range(1, len(x))):
        j = int(below(i + 1))
        if isinstance(x, np.ndarray) and x.ndim > 1:
            x[[i, j]] = x[[j, i]]
        else:
            x[i], x[j] = x[j], x[i]


def permutation(x: Any, axis: int = 0) -> Any:
    """Returns the entries, or 0 .. x - 1, in random order."""
    if axis != 0:
        refuse("permutation along another axis cannot be followed")
    entries = list(range(int(x))) if isinstance(x, int | np.integer) else list(x)
    shuffle(entries)
    return array(entries)


def permuted(x: Any, axis: int | None = None, out: Any = None) -> Any:
    """Returns the entries in random order: all of them, or those of every line along an axis by itself."""
    if out is not None or np.ndim(x) == 0:
        refuse("permuted with out=, or of a single number, cannot be followed")
    found = x.copy() if isinstance(x, np.ndarray) else array(list(x))
    lines = found.reshape(1, -1) if axis is None else np.moveaxis(found, axis, -1)
    for place in np.ndindex(lines.shape[:-1]):
        line = list(lines[place])
        shuffle(line)
        lines[place] = line
    return found


def floats(_: Any, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
    """Returns uniform floats as numpy's ``random`` does."""
    if out is not None:
        refuse("uniform floats written into an array (out=) cannot be followed: take the array that is returned")
    if dtype not in (np.float64, float, "float64", "d"):
        refuse("uniform floats of another dtype than float64 cannot be followed")
    return sized(uniform, size)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    """Returns whole numbers as numpy's RandomState does."""
    low, high = (0, low) if high is None else (low, high)
    if dtype is not int:
        return integers(low, high, size, dtype)
    return sized(lambda: below(int(high) - int(low), int(low)), size)
