"""The random source: it passes as random.Random, as secrets.SystemRandom and as a generator of numpy.

Every method draws from the run under way. What a method computes from the draws follows the library that it stands
for, so that the law is that of the library: 53 bits for a float, uniform whole numbers, the cumulative sums of choice.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpaudit.code import lazy
from dpaudit.code.numpy_steps import array
from dpaudit.code.run import Run, current, refuse


def running() -> Run:
    """Returns the run under way; there is none outside an audit."""
    run = current()
    if run is None:
        raise RuntimeError("a random source of an audit is used outside of it")
    return run


def uniform(*_: Any) -> Any:
    """Returns m / 2^53, m uniform."""
    return lazy.uniform(running())


def below(size: Any, start: int = 0, kind: Callable[[int], Any] = int) -> Any:
    """Returns a whole number, uniform on start .. start + size - 1."""
    count = int(size)
    if count <= 0:
        raise ValueError("empty range for a random whole number")
    return lazy.below(running(), count, start, kind)


def getrandbits(_: Any, k: Any) -> Any:
    """Returns k random bits."""
    if int(k) < 0:
        raise ValueError("number of bits must be non-negative")
    return below(1 << int(k))


def seed(_: Any, a: Any = None, *__: Any, **___: Any) -> None:
    """Refuses a seed: what follows from it is not random."""
    if a is not None:
        refuse("a generator with a seed is no source of randomness")


def unfollowed(name: str) -> Callable[..., Any]:
    """Returns a function that says that its draws cannot be followed."""
    return lambda *_, **__: refuse(f"{name} cannot be followed: take uniform floats or whole numbers")


class Source(random.SystemRandom):
    """What ``sample(x, rng)`` gets: a SystemRandom that also has the usual methods of a numpy generator."""

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Returns uniform floats."""
        return _floats(self, size, dtype, out)

    def getrandbits(self, k: int) -> Any:
        """Returns k random bits."""
        return getrandbits(self, k)

    def _randbelow(self, n: int) -> Any:
        return below(n)

    def uniform(self, a: Any = 0.0, b: Any = 1.0, size: Any = None) -> Any:
        """Returns a + (b - a) u."""
        return sized(lambda: a + (b - a) * uniform(), size)

    def choice(self, seq: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
        """Returns an entry; with p or a size as numpy does it."""
        numpy_like = size is not None or p is not None or isinstance(seq, int)
        return choice(seq, size, replace, p) if numpy_like else super().choice(seq)

    def integers(self, low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
        """Returns whole numbers as numpy's Generator does."""
        return integers(low, high, size, dtype, endpoint)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Returns trials as numpy does."""
        return binomial(n, p, size)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Returns the entries in random order."""
        return permutation(x) if axis == 0 else refuse("permutation along another axis cannot be followed")

    def __getattr__(self, name: str) -> Any:
        """Refuses what a generator of numpy has and this source has not; no such name ends as an AttributeError."""
        if not name.startswith("_") and (hasattr(np.random.Generator, name) or hasattr(np.random.RandomState, name)):
            return refuse(f"{name} cannot be followed: take uniform floats or whole numbers")
        raise AttributeError(name)

    seed = seed
    randbytes = unfollowed("randbytes")
    getstate = setstate = unfollowed("the state of a generator")


# ------------------------------------------------------------------ as numpy does it


def sized(draw: Callable[[], Any], size: Any) -> Any:
    """Returns one draw, or an array of them."""
    if size is None:
        return draw()
    shape = tuple(int(s) for s in size) if isinstance(size, Sequence) else (int(size),)
    return array([draw() for _ in range(math.prod(shape))], shape)


def integers(low: Any, high: Any = None, size: Any = None, dtype: Any = None, endpoint: bool = False) -> Any:
    """Returns whole numbers of low .. high - 1, or of 0 .. low - 1."""
    if dtype not in (None, int, np.int64, "int64", "int"):
        refuse("integers of another dtype than int64 cannot be followed")
    low, high = (0, low) if high is None else (low, high)
    count = int(high) - int(low) + (1 if endpoint else 0)
    return sized(lambda: below(count, int(low), np.int64), size)


def binomial(n: Any, p: Any, size: Any = None) -> Any:
    """Returns a trial by numpy's inversion: 1 if a uniform exceeds exp(log(1 - p)), with what it does in the corner."""
    if n != 1 or not np.isscalar(p):
        refuse("binomial with more than one trial cannot be followed: draw one trial at a time")
    if not 0 <= p <= 1:
        raise ValueError("p < 0, p > 1 or p is NaN")
    return sized(lambda: _trial(float(p)) if p <= 0.5 else 1 - _trial(1.0 - float(p)), size)


def _trial(p: float) -> int:
    q = 1.0 - p
    start = math.exp(math.log(q))
    running().assumptions.add("numpy's binomial with one trial is its inversion algorithm")
    while p:
        u = uniform()
        if not u > start:
            return 0
        if not u - start > (p * start) / q:
            return 1
    return 0


def choice(a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:
    """Returns entries of a, or of 0 .. a - 1, with probabilities p by cumulative sums."""
    entries = list(range(int(a))) if isinstance(a, int | np.integer) else list(a)
    if not replace and size is not None:
        if p is not None:
            refuse("choice without replacement and with probabilities cannot be followed")
        return np.array(permutation(entries)[: int(size)])
    if p is None:
        return sized(lambda: entries[int(below(len(entries)))], size)
    sums = np.asarray(p, dtype=float).cumsum()
    sums /= sums[-1]
    return sized(lambda: entries[_position(sums, uniform())], size)


def _position(sums: Any, u: Any) -> int:
    """Returns how many of the sums are at most u, as searchsorted(side="right") does."""
    first, last = 0, len(sums)
    while first < last:
        middle = (first + last) // 2
        first, last = (first, middle) if u < sums[middle] else (middle + 1, last)
    return first


def shuffle(x: Any) -> None:
    """Puts the entries in random order."""
    for i in reversed(range(1, len(x))):
        j = int(below(i + 1))
        x[i], x[j] = x[j], x[i]


def permutation(x: Any) -> Any:
    """Returns the entries, or 0 .. x - 1, in random order."""
    entries = list(range(int(x))) if isinstance(x, int | np.integer) else list(x)
    shuffle(entries)
    return array(entries)


def _covered(kind: type, own: dict[str, Any]) -> dict[str, Any]:
    """Returns the methods of a stand-in for the class: these, and for every other public one a refusal."""
    names = [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))]
    return {**{name: unfollowed(f"{kind.__name__}.{name}") for name in names}, **own}


def _shared() -> dict[str, Any]:
    def uniforms(_: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        running().assumptions.add("numpy's uniform(a, b) is a + (b - a) u, two roundings")
        return sized(lambda: low + (high - low) * uniform(), size)

    return {
        "uniform": uniforms,
        "choice": lambda _, *given, **named: choice(*given, **named),
        "binomial": lambda _, *given, **named: binomial(*given, **named),
        "shuffle": lambda _, x: shuffle(x),
        "permutation": lambda _, x: permutation(x),
    }


def _floats(_: Any, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
    if dtype not in (np.float64, float, "float64", "d") or out is not None:
        refuse("uniform floats of another dtype than float64 cannot be followed")
    return sized(uniform, size)


NUMPY_GENERATOR: Any = type(
    "Generator",
    (np.random.Generator,),
    {
        **_covered(np.random.Generator, _shared()),
        "random": _floats,
        "integers": lambda _, *given, **named: integers(*given, **named),
    },
)


def _randint(low: Any, high: Any = None, size: Any = None, dtype: Any = int) -> Any:
    if dtype is not int:
        refuse("randint of another dtype than int cannot be followed")
    low, high = (0, low) if high is None else (low, high)
    return sized(lambda: below(int(high) - int(low), int(low)), size)


REAL_STATE = np.random.RandomState
BITS = np.random.MT19937(0)
"""Given to the stand-ins, which never use it; else they would ask the system for entropy."""


class _AnyState(type):
    """The class of the stand-in, which takes the place of RandomState: every RandomState is an instance of it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, REAL_STATE)


def _unseeded(self: Any, given: Any = None) -> None:
    seed(self, given)
    REAL_STATE.__init__(self, BITS)


NUMPY_STATE: Any = _AnyState(
    "RandomState",
    (np.random.RandomState,),
    {
        **_covered(np.random.RandomState, _shared()),
        "random": _floats,
        "random_sample": _floats,
        "rand": lambda _, *shape: sized(uniform, shape or None),
        "randint": lambda _, *given, **named: _randint(*given, **named),
        "seed": seed,
        "__init__": _unseeded,
    },
)


def numpy_generator() -> Any:
    """Returns a stand-in that is a numpy Generator."""
    return NUMPY_GENERATOR(np.random.PCG64(0))
