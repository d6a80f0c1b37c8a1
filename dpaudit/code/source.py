"""The random source: it passes as random.Random, as secrets.SystemRandom and as a generator of numpy."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from dpaudit.code import draws
from dpaudit.code.draws import getrandbits, seed, standing_in, unfollowed, uniform
from dpaudit.code.run import refuse

REAL_STATE, REAL_GENERATOR = np.random.RandomState, np.random.Generator
BITS = np.random.MT19937(0)
"""Given to the stand-ins, which never use it; else they would ask the system for entropy."""
_STATE, _GENERATOR = REAL_STATE(0), REAL_GENERATOR(np.random.PCG64(0))
JUDGES = (_STATE._bit_generator, _GENERATOR.bit_generator, BITS)
"""The bits of the real generators that are asked what a call gives."""


def _by_generator(name: str, given: Any, named: Any) -> Any:
    return getattr(_GENERATOR, name)(*given, **named)


def _by_state(name: str, given: Any, named: Any) -> Any:
    return getattr(_STATE, name)(*given, **named)


def _by_both(name: str, given: Any, named: Any) -> Any:
    """Python's own call where it has one; numpy's where it is given what only numpy takes."""
    if name in ("random", "uniform", "choice", "shuffle") and _is_python(name, given, named):
        return None
    return _by_generator(name, given, named)


def _is_python(name: str, given: Any, named: Any) -> bool:
    """Whether Python's own method takes the call."""
    usual = {"random": "", "uniform": "ab", "choice": ("seq",), "shuffle": "x"}[name]
    fits = len(given) + len(named) == len(usual) and set(named) <= set(usual)
    return fits and not (name == "choice" and isinstance((*given, *named.values())[0], int))


class Source(random.SystemRandom):
    """What ``sample(x, rng)`` gets: a SystemRandom that also has the usual methods of a numpy generator."""

    def random(self, *given: Any, **named: Any) -> Any:
        """Uniform floats."""
        return draws.floats(*given, **named)

    def getrandbits(self, k: int) -> Any:
        """k random bits."""
        return getrandbits(self, k)

    def _randbelow(self, n: int) -> Any:
        return draws.below(n)

    def uniform(self, *given: Any, **named: Any) -> Any:
        """a + (b - a) u; as numpy does it where Python has no such call."""
        if not _is_python("uniform", given, named):
            return draws.uniforms(*given, **named)
        ends = {**dict(zip("ab", given, strict=False)), **named}
        return ends["a"] + (ends["b"] - ends["a"]) * uniform()

    def choice(self, seq: Any, *given: Any, **named: Any) -> Any:
        """An entry; with p or a size as numpy does it."""
        numpy_like = isinstance(seq, int) or any(value is not None for value in (*given, *named.values()))
        return draws.choice(seq, *given, **named) if numpy_like else super().choice(seq)

    def integers(self, *given: Any, **named: Any) -> Any:
        """Whole numbers as numpy's Generator does."""
        return draws.integers(*given, **named)

    def binomial(self, *given: Any, **named: Any) -> Any:
        """Trials as numpy does."""
        return draws.binomial(*given, **named)

    def permutation(self, *given: Any, **named: Any) -> Any:
        """The entries in random order."""
        return draws.permutation(*given, **named)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Puts the entries in random order."""
        return super().shuffle(x) if axis == 0 else draws.shuffle(x, axis)

    def __getattr__(self, name: str) -> Any:
        """Refuses what a generator of numpy has and this source has not; no such name ends as an AttributeError."""
        if not name.startswith("_") and (hasattr(np.random.Generator, name) or hasattr(np.random.RandomState, name)):
            return refuse(f"{name} cannot be followed: take uniform floats or whole numbers")
        raise AttributeError(name)

    seed = seed
    randbytes = unfollowed("randbytes")
    getstate = unfollowed("getstate, the state of a generator,")
    setstate = unfollowed("setstate, the state of a generator,")


for _name in ("random", "uniform", "choice", "integers", "binomial", "permutation", "shuffle"):
    _what = f"{_name} (of a random.Random, as long as no annotation says np.random.Generator or RandomState)"
    setattr(Source, _name, standing_in(_what, getattr(Source, _name), _by_both))


def _covered(kind: type, own: dict[str, Any], judge: Callable[[str, Any, Any], Any]) -> dict[str, Any]:
    """The methods of a stand-in for the class: these, and for every other public one a refusal."""
    names = [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))]
    found = {name: unfollowed(f"{kind.__name__}.{name}") for name in names}
    found |= {name: _method(kind, name, draw, judge) for name, draw in own.items()}
    return {**found, "_bit_generator": property(unfollowed("the bits of a generator")), **_uncopied(kind)}


def _method(kind: type, name: str, draw: Any, judge: Callable[[str, Any, Any], Any]) -> Any:
    def method(self: Any, *given: Any, **named: Any) -> Any:
        return draw(*given, **named)

    method.__name__ = name
    return standing_in(f"{kind.__name__}.{name}", method, judge)


def _uncopied(kind: type) -> dict[str, Any]:
    """Refusals of what copies or stores a generator: the copy would draw the same numbers again."""
    refused = unfollowed(f"a copy of a {kind.__name__}, which draws the same numbers,")
    return dict.fromkeys(("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"), refused)


SHARED: dict[str, Any] = {
    "uniform": draws.uniforms,
    "choice": draws.choice,
    "binomial": draws.binomial,
    "shuffle": draws.shuffle,
    "permutation": draws.permutation,
    "random": draws.floats,
}
GENERATOR: dict[str, Any] = {**SHARED, "integers": draws.integers, "permuted": draws.permuted}
STATE: dict[str, Any] = {
    **SHARED,
    "binomial": draws.legacy_binomial,
    "random_sample": draws.floats,
    "rand": lambda *shape: draws.sized(uniform, shape or None),
    "randint": draws.randint,
}


class StandIn(type):
    """The class of a stand-in, which takes the place of its base: every instance of that is an instance of it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])


NUMPY_GENERATOR: Any = StandIn(
    "Generator",
    (np.random.Generator,),
    {
        **_covered(np.random.Generator, GENERATOR, _by_generator),
        "bit_generator": property(unfollowed("the bits of a generator")),
        "__init__": lambda self, bit_generator=None: REAL_GENERATOR.__init__(self, BITS),
        "__new__": lambda kind, bit_generator=None: REAL_GENERATOR.__new__(kind, BITS),  # type: ignore[call-arg]
    },
)


def _unseeded(self: Any, seed: Any = None) -> None:
    draws.seed(self, seed)
    REAL_STATE.__init__(self, BITS)


NUMPY_STATE: Any = StandIn(
    "RandomState",
    (np.random.RandomState,),
    {**_covered(np.random.RandomState, STATE, _by_state), "seed": seed, "__init__": _unseeded},
)


def numpy_generator() -> Any:
    """A stand-in that is a numpy Generator."""
    return NUMPY_GENERATOR()


def bit_generator(kind: Any) -> Any:
    """A stand-in for a class of bit generators: made without a seed it stands for perfect bits."""

    def unseeded(self: Any, seed: Any = None) -> None:
        draws.seed(self, seed)
        kind.__init__(self, 0)

    names = [name for name in dir(kind) if not name.startswith("_")]
    names = [*(name for name in names if name != "lock"), "_seed_seq"]
    own = {name: property(unfollowed(f"{kind.__name__}.{name}")) for name in names}
    return StandIn(kind.__name__, (kind,), {**own, **_uncopied(kind), "__init__": unseeded})


class Real(random.SystemRandom):
    """The same as Source with real draws, for trials."""

    numpy = REAL_GENERATOR(np.random.PCG64())

    def __getattr__(self, name: str) -> Any:
        if name in ("integers", "binomial", "permutation"):
            return getattr(self.numpy, name)
        raise AttributeError(name)

    def random(self, *given: Any, **named: Any) -> Any:
        """Uniform floats."""
        return self.numpy.random(*given, **named) if given or named else super().random()

    def uniform(self, *given: Any, **named: Any) -> Any:
        """Uniform floats."""
        python = _is_python("uniform", given, named)
        return super().uniform(*given, **named) if python else self.numpy.uniform(*given, **named)

    def choice(self, seq: Any, *given: Any, **named: Any) -> Any:
        """An entry; with p or a size as numpy does it."""
        numpy_like = isinstance(seq, int) or any(value is not None for value in (*given, *named.values()))
        return self.numpy.choice(seq, *given, **named) if numpy_like else super().choice(seq)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Puts the entries in random order."""
        return super().shuffle(x) if axis == 0 else self.numpy.shuffle(x, axis)


def real(value: Any) -> Any:
    """The real generator that a stand-in stands for; any other value as it is."""
    if type(value) is Source:
        return Real()
    if type(value) is NUMPY_GENERATOR:
        return np.random.default_rng()
    return np.random.RandomState() if type(value) is NUMPY_STATE else value
