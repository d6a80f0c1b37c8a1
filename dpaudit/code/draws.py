"""Draws from the run in progress, computed as the libraries compute them, so that the law is that of the library.

The library decides what a call accepts, which exception it raises, and the shape and type of its result: the same
call is made on a real generator, and only the values are replaced. 53 bits for a float, uniform whole numbers, the
cumulative sums of numpy's choice.
"""

from __future__ import annotations

import copy
import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit.code import lazy
from dpaudit.code.run import Run, current, refuse
from dpaudit.code.vectors import array, known, position


def running() -> Run:
    """The run in progress; outside an audit there is none."""
    run: Run = current() or refuse("the random source of an audit is used outside that audit")
    return run


# ------------------------------------------------------------------ what the library says


def standing_in(title: str, draw: Callable[..., Any], judge: Callable[..., Any]) -> Callable[..., Any]:
    """A method that replaces one of a library; ``judge`` is the real one, and an error of ours is a refusal.

    Open arguments are given values; the entries of a shuffled list stay open.
    """

    def method(_: Any, *given: Any, **named: Any) -> Any:
        if draw is not shuffle:
            given = tuple([known(one, title) for one in given])
            named = {name: known(one, title) for name, one in named.items()}
        sample = judge(*map(_copied, given), **{name: _copied(one) for name, one in named.items()})
        is_array = isinstance(sample, np.ndarray)
        if is_array and not sample.size:
            return sample  # nothing in it is random
        try:
            found = draw(*given, **named)
        except Exception as error:
            return refuse(f"{title} with these arguments cannot be followed ({type(error).__name__}: {error})")
        if is_array and np.shape(found) != sample.shape:
            return refuse(f"{title} with these arguments cannot be followed: numpy gives an array of another shape")
        return found.astype(sample.dtype) if is_array and found.dtype != object else found

    method.__name__ = judge.__name__
    return method


def _copied(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray).copy()
    return value if isinstance(value, int | float | str | type | None) else copy.copy(value)


# ------------------------------------------------------------------ draws


def uniform(*_: Any) -> Any:
    """m / 2^53, m uniform."""
    return lazy.uniform(running())


def below(size: Any, start: int = 0, kind: Callable[[int], Any] = int) -> Any:
    """A whole number, uniform on start .. start + size - 1."""
    count = int(size)
    if count <= 0:
        raise ValueError("empty range for a random whole number")
    return lazy.below(running(), count, start, kind)


def getrandbits(_: Any, k: Any) -> Any:
    """k random bits."""
    count = operator.index(k)
    if count < 0:
        raise ValueError("number of bits must be non-negative")
    return below(1 << count)


def seed(_: Any, a: Any = None, *__: Any, **___: Any) -> None:
    """Refuses a seed: its draws are not random."""
    if a is not None:
        refuse("a generator with a seed is no source of randomness")


def unfollowed(name: str) -> Callable[..., Any]:
    """A function that refuses, as its draws cannot be followed."""
    return lambda *_, **__: refuse(f"{name} cannot be followed: take uniform floats or whole numbers")


# ------------------------------------------------------------------ as numpy does it


def sized(draw: Callable[[], Any], size: Any) -> Any:
    """One draw, or an array of them."""
    if size is None:
        return draw()
    shape = _shape(size)
    return array([draw() for _ in range(math.prod(shape))], shape)


def spread(draw: Callable[..., Any], given: tuple[Any, ...], size: Any) -> Any:
    """One draw with these arguments, or an array of them; numpy broadcasts arguments that are arrays."""
    if all(map(np.isscalar, given)):
        return sized(lambda: draw(*given), size)
    shape = np.broadcast(*given).shape if size is None else _shape(size)
    entries = zip(*(np.broadcast_to(np.asarray(x), shape).reshape(-1).tolist() for x in given), strict=True)
    return array([draw(*row) for row in entries], shape)


def _shape(size: Any) -> tuple[int, ...]:
    return tuple(int(s) for s in size) if isinstance(size, Sequence | np.ndarray) else (int(size),)


def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False) -> Any:
    """Whole numbers from low .. high - 1, or from 0 .. low - 1."""
    low, high = (0, low) if high is None else (low, high)
    alone = size is None and dtype in (int, bool) and np.isscalar(low) and np.isscalar(high)
    kind = dtype if alone else np.dtype(dtype).type
    return spread(lambda a, b: _integer(a, b, endpoint, kind), (low, high), size)


def _integer(low: Any, high: Any, endpoint: bool, kind: Any) -> Any:
    """A whole number of the type; a short one, which wraps around, is known at once."""
    found = below(int(high) - int(low) + (1 if endpoint else 0), int(low), kind)
    return found if kind in (int, np.int64) or not lazy.is_lazy(found) else found.force(what="a short whole number")


def binomial(n: Any, p: Any, size: Any = None) -> Any:
    """A trial by numpy's inversion: 1 if a uniform exceeds exp(log1p(-p)), including its corner cases."""
    return spread(lambda n, p: _binomial(n, p, lambda p: math.exp(math.log1p(-p))), (n, p), size)


def legacy_binomial(n: Any, p: Any, size: Any = None) -> Any:
    """The same for a RandomState: with exp(log(1 - p)), which for some p is a neighboring float."""
    return spread(lambda n, p: _binomial(n, p, lambda p: math.exp(math.log(1.0 - p))), (n, p), size)


def _binomial(n: Any, p: Any, none: Callable[[float], float]) -> Any:
    """A trial; ``none`` is the probability of 0 that numpy computes."""
    if n != 1:
        refuse("binomial with other than one trial cannot be followed: draw one trial at a time")
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
    """Entries of a, or of 0 .. a - 1, with probabilities p by cumulative sums."""
    if axis != 0 or not shuffle:
        refuse("choice along another axis, or without shuffling, cannot be followed")
    entries = _entries(a, size)
    if not replace and size is not None:
        if p is not None:
            refuse("choice without replacement and with probabilities cannot be followed")
        count = math.prod(_shape(size))
        return np.array(permutation(entries)[:count]).reshape(_shape(size))
    if p is None:
        return sized(lambda: entries[int(below(len(entries)))], size)
    sums = np.asarray(p, dtype=float).cumsum()
    sums /= sums[-1]
    return sized(lambda: entries[position(sums, uniform())], size)


def _entries(a: Any, size: Any) -> list[Any]:
    """The entries of numpy's array of these, or its rows."""
    if isinstance(a, int | np.integer):
        return list(range(int(a)))
    found = np.array(a)
    if found.ndim != 1 and size is not None:
        refuse("several choices among rows of an array cannot be followed: draw the numbers of the rows")
    return list(found)


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
    """The entries, or 0 .. x - 1, in random order."""
    if axis != 0:
        refuse("permutation along another axis cannot be followed")
    entries = list(range(int(x))) if isinstance(x, int | np.integer) else list(x)
    shuffle(entries)
    return array(entries)


def floats(size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
    """Uniform floats as numpy's ``random`` does."""
    if out is not None:
        refuse("uniform floats written into an array (out=) cannot be followed: take the array that is returned")
    if dtype not in (np.float64, float, "float64", "d"):
        refuse("uniform floats of another dtype than float64 cannot be followed")
    return sized(uniform, size)


def uniforms(low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
    """a + (b - a) u."""
    running().assumptions.add("numpy's uniform(a, b) is a + (b - a) u, two roundings")
    return spread(lambda a, b: float(a) + (float(b) - float(a)) * uniform(), (low, high), size)


def randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    """Whole numbers as numpy's RandomState does."""
    return integers(low, high, size, dtype)
