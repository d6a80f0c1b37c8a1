"""The random source: it passes as random.Random, as secrets.SystemRandom and as a generator of numpy."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from dpaudit.code import draws
from dpaudit.code.draws import getrandbits, running, seed, spread, standing_in, unfollowed, uniform
from dpaudit.code.run import refuse


class Source(random.SystemRandom):
    """What ``sample(x, rng)`` gets: a SystemRandom that also has the usual methods of a numpy generator."""

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Returns uniform floats."""
        return draws.floats(self, size, dtype, out)

    def getrandbits(self, k: int) -> Any:
        """Returns k random bits."""
        return getrandbits(self, k)

    def _randbelow(self, n: int) -> Any:
        return draws.below(n)

    def uniform(self, a: Any = 0.0, b: Any = 1.0, size: Any = None) -> Any:
        """Returns a + (b - a) u."""
        return spread(lambda low, high: low + (high - low) * uniform(), (a, b), size)

    def choice(self, seq: Any, *given: Any, **named: Any) -> Any:
        """Returns an entry; with p or a size as numpy does it."""
        numpy_like = isinstance(seq, int) or any(value is not None for value in (*given, *named.values()))
        return draws.choice(seq, *given, **named) if numpy_like else super().choice(seq)

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Returns whole numbers as numpy's Generator does."""
        return draws.integers(low, high, size, dtype, endpoint)

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Returns trials as numpy does."""
        return draws.binomial(n, p, size)

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Returns the entries in random order."""
        return draws.permutation(x, axis)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Puts the entries in random order."""
        return super().shuffle(x) if axis == 0 else draws.shuffle(x, axis)

    def randint(self, *given: Any, **named: Any) -> Any:
        """Returns a whole number as Python's ``random`` does."""
        return super().randint(*given, **named)

    def __getattr__(self, name: str) -> Any:
        """Refuses what a generator of numpy has and this source has not; no such name ends as an AttributeError."""
        if not name.startswith("_") and (hasattr(np.random.Generator, name) or hasattr(np.random.RandomState, name)):
            return refuse(f"{name} cannot be followed: take uniform floats or whole numbers")
        raise AttributeError(name)

    seed = seed
    randbytes = unfollowed("randbytes")
    getstate = unfollowed("getstate, the state of a generator,")
    setstate = unfollowed("setstate, the state of a generator,")


for _name in [name for name in vars(Source) if not name.startswith("_")]:
    _what = f"{_name} (of a random.Random, as long as no annotation says np.random.Generator or RandomState)"
    setattr(Source, _name, standing_in(_what, getattr(Source, _name)))


def _covered(kind: type, own: dict[str, Any]) -> dict[str, Any]:
    """Returns the methods of a stand-in for the class: these, and for every other public one a refusal."""
    names = [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))]
    found = {name: unfollowed(f"{kind.__name__}.{name}") for name in names}
    found |= {name: standing_in(f"{kind.__name__}.{name}", method) for name, method in own.items()}
    return {**found, "_bit_generator": property(unfollowed("the bits of a generator")), **_uncopied(kind)}


def _uncopied(kind: type) -> dict[str, Any]:
    """Returns refusals of what copies or stores a generator: the copy would draw the same numbers again."""
    refused = unfollowed(f"a copy of a {kind.__name__}, which draws the same numbers,")
    return dict.fromkeys(("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__"), refused)


def _shared() -> dict[str, Any]:
    def uniforms(_: Any, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        running().assumptions.add("numpy's uniform(a, b) is a + (b - a) u, two roundings")
        return spread(lambda a, b: a + (b - a) * uniform(), (low, high), size)

    return {
        "uniform": uniforms,
        "choice": lambda _, *given, **named: draws.choice(*given, **named),
        "binomial": lambda _, *given, **named: draws.binomial(*given, **named),
        "shuffle": lambda _, *given, **named: draws.shuffle(*given, **named),
        "permutation": lambda _, *given, **named: draws.permutation(*given, **named),
    }


GENERATOR: dict[str, Any] = {
    **_shared(),
    "random": draws.floats,
    "integers": lambda _, *given, **named: draws.integers(*given, **named),
    "permuted": lambda _, *given, **named: draws.permuted(*given, **named),
}
STATE: dict[str, Any] = {
    **_shared(),
    "binomial": lambda _, *given, **named: draws.legacy_binomial(*given, **named),
    "random": draws.floats,
    "random_sample": draws.floats,
    "rand": lambda _, *shape: draws.sized(uniform, shape or None),
    "randint": lambda _, *given, **named: draws.randint(*given, **named),
    "seed": seed,
}
REAL_STATE, REAL_GENERATOR = np.random.RandomState, np.random.Generator
BITS = np.random.MT19937(0)
"""Given to the stand-ins, which never use it; else they would ask the system for entropy."""


class StandIn(type):
    """The class of a stand-in, which takes the place of its base: every instance of that is an instance of it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])


NUMPY_GENERATOR: Any = StandIn(
    "Generator",
    (np.random.Generator,),
    {
        **_covered(np.random.Generator, GENERATOR),
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
    {
        **_covered(np.random.RandomState, STATE),
        "__init__": _unseeded,
    },
)


def numpy_generator() -> Any:
    """Returns a stand-in that is a numpy Generator."""
    return NUMPY_GENERATOR()


def bit_generator(kind: Any) -> Any:
    """Returns a stand-in for a class of bit generators: made without a seed it stands for perfect bits."""

    def unseeded(self: Any, seed: Any = None) -> None:
        draws.seed(self, seed)
        kind.__init__(self, 0)

    names = [name for name in dir(kind) if not name.startswith("_")]
    names = [*(name for name in names if name != "lock"), "_seed_seq"]
    own = {name: property(unfollowed(f"{kind.__name__}.{name}")) for name in names}
    return StandIn(kind.__name__, (kind,), {**own, **_uncopied(kind), "__init__": unseeded})
