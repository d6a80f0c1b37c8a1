"""The stand-ins for numpy's generators, and the source that a sampler gets, by its annotation.

Python's own sources need none: while a sampler runs, their methods are replaced.
"""

from __future__ import annotations

import inspect
import random
import re
from contextlib import suppress
from typing import Any

import numpy as np

from dpaudit.code import draws
from dpaudit.code.draws import seed, standing_in, unfollowed, uniform
from dpaudit.code.run import Refused, refuse

REAL_STATE, REAL_GENERATOR = np.random.RandomState, np.random.Generator
BITS = np.random.MT19937(0)
"""A seed for the stand-ins, which never use it; without one they would ask the system for entropy."""
_STATE, _GENERATOR = REAL_STATE(0), REAL_GENERATOR(np.random.PCG64(0))
JUDGES = (_STATE._bit_generator, _GENERATOR.bit_generator, BITS)
"""The bits of the real generators on which calls are tried."""


def _covered(kind: type, own: dict[str, Any], real: Any) -> dict[str, Any]:
    """The methods of a stand-in for the class: these, judged by a real one, and for every other one a refusal."""
    names = [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))]
    found = {name: unfollowed(f"{kind.__name__}.{name}") for name in names}
    found |= {name: standing_in(f"{kind.__name__}.{name}", draw, getattr(real, name)) for name, draw in own.items()}
    return {**found, "_bit_generator": property(unfollowed("the bits of a generator")), **_uncopied(kind)}


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
GENERATOR: dict[str, Any] = {**SHARED, "integers": draws.integers}
STATE: dict[str, Any] = {
    **SHARED,
    "binomial": draws.legacy_binomial,
    "random_sample": draws.floats,
    "rand": lambda *shape: draws.sized(uniform, shape or None),
    "randint": draws.randint,
}


class StandIn(type):
    """The class of a stand-in, which replaces its base: every instance of the base is an instance of it."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.__mro__[1])


NUMPY_GENERATOR: Any = StandIn(
    "Generator",
    (np.random.Generator,),
    {
        **_covered(np.random.Generator, GENERATOR, _GENERATOR),
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
    {**_covered(np.random.RandomState, STATE, _STATE), "seed": seed, "__init__": _unseeded},
)


def bit_generator(kind: Any) -> Any:
    """A stand-in for a class of bit generators: without a seed it represents perfect bits."""

    def unseeded(self: Any, seed: Any = None) -> None:
        draws.seed(self, seed)
        kind.__init__(self, 0)

    names = [name for name in dir(kind) if not name.startswith("_")]
    names = [*(name for name in names if name != "lock"), "_seed_seq"]
    own = {name: property(unfollowed(f"{kind.__name__}.{name}")) for name in names}
    return StandIn(kind.__name__, (kind,), {**own, **_uncopied(kind), "__init__": unseeded})


# ------------------------------------------------------------------ which one a sampler asks for

IDEAL = ("gaussian", "discrete_laplace", "discrete_gaussian", "bernoulli", "argmax")
"""The methods of dpaudit.Noise that no generator has."""


class Source(random.SystemRandom):
    """The source passed to ``sample(x, rng)``: a SystemRandom whose errors name the annotation that is missing."""

    def __getattr__(self, name: str) -> Any:
        """Refuses what a generator of numpy has, or ideal noise; no such name ends as an AttributeError."""
        if name in GENERATOR or name in STATE:
            return refuse(
                f"{name} is numpy's: annotate the parameter, rng: np.random.Generator or np.random.RandomState"
            )
        if not name.startswith("_") and (hasattr(np.random.Generator, name) or hasattr(np.random.RandomState, name)):
            return refuse(f"{name} cannot be followed: take uniform floats or whole numbers")
        if name in IDEAL:
            return refuse(f"{name} is ideal noise: annotate the parameter, sample(self, x, noise: dpaudit.Noise)")
        raise AttributeError(name)


STAND_INS: dict[str, Any] = {"RandomState": NUMPY_STATE, "Generator": NUMPY_GENERATOR}
"""The stand-ins by a part of the annotation, as text."""


def real(value: Any) -> Any:
    """The real generator behind a stand-in; any other value unchanged."""
    if type(value) is NUMPY_GENERATOR:
        return np.random.default_rng()
    return np.random.RandomState() if type(value) is NUMPY_STATE else value


def source_for(sampler: Any) -> Any:
    """The source for sampler(x, rng): numpy's if the annotation or the default says so, else Python's."""
    signature = None
    for asked_as in ({"eval_str": True}, {}):  # a text may name what was imported for the annotation alone
        with suppress(Exception):
            signature = signature or inspect.signature(sampler, **asked_as)  # type: ignore[arg-type]
    for parameter in list(signature.parameters.values())[1:2] if signature else []:
        text = f"{parameter.annotation} {type(parameter.default)}"
        known = next((kind for name, kind in STAND_INS.items() if re.search(rf"\b{name}\b", text)), None)
        if known is not None:
            return known()
        if isinstance(parameter.annotation, str) and "Random" not in text:
            raise Refused(
                f'the annotation "{parameter.annotation}" of {parameter.name} names nothing that can be looked up: '
                "write np.random.Generator, np.random.RandomState or random.Random"
            )
    return Source()
