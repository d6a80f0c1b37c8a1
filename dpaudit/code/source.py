"""The random sources: they pass as random.Random, secrets.SystemRandom and the generators of numpy.

Which of them a sampler gets is said by the annotation of its second parameter.
"""

from __future__ import annotations

import inspect
import random
import typing
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from dpaudit.code import draws
from dpaudit.code.draws import getrandbits, seed, standing_in, unfollowed, uniform
from dpaudit.code.run import Refused, refuse

REAL_STATE, REAL_GENERATOR = np.random.RandomState, np.random.Generator
BITS = np.random.MT19937(0)
"""Given to the stand-ins, which never use it; else they would ask the system for entropy."""
_STATE, _GENERATOR = REAL_STATE(0), REAL_GENERATOR(np.random.PCG64(0))
JUDGES = (_STATE._bit_generator, _GENERATOR.bit_generator, BITS)
"""The bits of the real generators that are asked what a call gives."""

# ------------------------------------------------------------------ numpy's


def _covered(kind: type, own: dict[str, Any], real: Any) -> dict[str, Any]:
    """The methods of a stand-in for the class: these, judged by a real one, and for every other one a refusal."""
    names = [name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))]
    found = {name: unfollowed(f"{kind.__name__}.{name}") for name in names}
    found |= {name: _method(kind, name, draw, real) for name, draw in own.items()}
    return {**found, "_bit_generator": property(unfollowed("the bits of a generator")), **_uncopied(kind)}


def _method(kind: type, name: str, draw: Any, real: Any) -> Any:
    def method(self: Any, *given: Any, **named: Any) -> Any:
        return draw(*given, **named)

    method.__name__ = name
    return standing_in(f"{kind.__name__}.{name}", method, getattr(real, name))


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
    """The class of a stand-in, which takes the place of its base: every instance of that is an instance of it."""

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
    """A stand-in for a class of bit generators: made without a seed it stands for perfect bits."""

    def unseeded(self: Any, seed: Any = None) -> None:
        draws.seed(self, seed)
        kind.__init__(self, 0)

    names = [name for name in dir(kind) if not name.startswith("_")]
    names = [*(name for name in names if name != "lock"), "_seed_seq"]
    own = {name: property(unfollowed(f"{kind.__name__}.{name}")) for name in names}
    return StandIn(kind.__name__, (kind,), {**own, **_uncopied(kind), "__init__": unseeded})


# ------------------------------------------------------------------ Python's

ARGUMENTS: dict[str, Any] = {"random": (), "uniform": ("a", "b"), "choice": ("seq",), "shuffle": ("x",)}
"""What Python's own methods take that numpy has too, with other arguments."""


def _either(name: str, own: Callable[..., Any]) -> Any:
    """A method that is Python's own where that takes the call, else numpy's."""

    def method(self: Any, *given: Any, **named: Any) -> Any:
        fits = len(given) + len(named) == len(ARGUMENTS[name]) and set(named) <= set(ARGUMENTS[name])
        if fits and not (name == "choice" and isinstance((*given, *named.values())[0], int)):
            return own(self, *given, **named)
        return getattr(self.numpy, name)(*given, **named)

    method.__name__ = name
    return method


IDEAL = ("gaussian", "discrete_laplace", "discrete_gaussian", "bernoulli", "argmax")
"""The methods of dpaudit.Noise that no generator has."""


class Source(random.SystemRandom):
    """What ``sample(x, rng)`` gets: a SystemRandom that also has the usual methods of a numpy generator."""

    numpy = NUMPY_GENERATOR()
    integers, binomial, permutation = numpy.integers, numpy.binomial, numpy.permutation
    getrandbits, seed = getrandbits, seed
    randbytes = unfollowed("randbytes")
    getstate = unfollowed("getstate, the state of a generator,")
    setstate = unfollowed("setstate, the state of a generator,")

    def _randbelow(self, n: int) -> Any:
        return draws.below(n)

    def __getattr__(self, name: str) -> Any:
        """Refuses what a generator of numpy has and this source has not; no such name ends as an AttributeError."""
        if not name.startswith("_") and (hasattr(np.random.Generator, name) or hasattr(np.random.RandomState, name)):
            return refuse(f"{name} cannot be followed: take uniform floats or whole numbers")
        if name in IDEAL:
            return refuse(f"{name} is ideal noise: annotate the parameter, sample(self, x, noise: dpaudit.Noise)")
        raise AttributeError(name)


class Real(random.SystemRandom):
    """The same as Source with real draws, for trials."""

    numpy = REAL_GENERATOR(np.random.PCG64())
    integers, binomial, permutation = numpy.integers, numpy.binomial, numpy.permutation

    def __getattr__(self, name: str) -> Any:
        """What numpy's generator has besides, such as laplace: it can be drawn, though not followed."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.numpy, name)


for _name in ARGUMENTS:
    _own = uniform if _name == "random" else getattr(random.SystemRandom, _name)
    _what = f"{_name} (of a random.Random, as long as no annotation says np.random.Generator or RandomState)"
    setattr(Real, _name, _either(_name, getattr(random.SystemRandom, _name)))
    setattr(Source, _name, _either(_name, standing_in(_what, _own)))


def real(value: Any) -> Any:
    """The real generator that a stand-in stands for; any other value as it is."""
    if type(value) is Source:
        return Real()
    if type(value) is NUMPY_GENERATOR:
        return np.random.default_rng()
    return np.random.RandomState() if type(value) is NUMPY_STATE else value


# ------------------------------------------------------------------ which one a sampler asks for

BY_NAME: dict[str, Any] = {"RandomState": NUMPY_STATE, "Generator": NUMPY_GENERATOR, "Random": Source}
"""The sources by a part of the text of an annotation that cannot be evaluated."""
PARTS = ("__value__", "__supertype__", "__bound__", "__origin__")
"""Where an alias, a new type, a type variable and Annotated hold what they stand for."""


def source_for(sampler: Any) -> Any:
    """The source for sampler(x, rng): of the kind that is annotated, or of the default; else one for most."""
    try:
        parameter = list(inspect.signature(sampler).parameters.values())[1]
    except (TypeError, ValueError, IndexError):  # a signature that cannot be told, or with one parameter
        return Source()
    function = inspect.unwrap(sampler.func if isinstance(sampler, partial) else sampler)
    function = function if hasattr(function, "__globals__") else type(function).__call__
    annotation = parameter.annotation
    for _ in range(2):  # text, which may be that of a text
        if isinstance(annotation, str):
            with suppress(Exception):
                annotation = eval(annotation, getattr(function, "__globals__", {}))
    made = _named(annotation)
    if made is None and isinstance(annotation, str):
        raise Refused(
            f'the annotation "{annotation}" of {parameter.name} names nothing that can be looked up: '
            "write np.random.Generator, np.random.RandomState or random.Random"
        )
    return (made or _named(type(parameter.default)) or Source)()


def _named(annotation: Any) -> Any:
    """The class of the source that an annotation names, the first if it names several; None if none."""
    if isinstance(annotation, typing.ForwardRef):
        annotation = annotation.__forward_arg__
    if isinstance(annotation, str):
        return next((kind for name, kind in BY_NAME.items() if name in annotation), None)
    if isinstance(annotation, type):
        known = (kind for kind in (NUMPY_STATE, NUMPY_GENERATOR) if issubclass(annotation, kind.__mro__[1]))
        return next(known, None)
    parts = [*typing.get_args(annotation), *(getattr(annotation, part, None) for part in PARTS)]
    return next(filter(None, map(_named, parts)), None) if annotation is not None else None
