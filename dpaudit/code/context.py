"""While a sampler runs, every random source it can look up is a stand-in, and math accepts open numbers.

Afterwards everything is restored.
"""

from __future__ import annotations

import _random
import gc
import math
import os
import pickle
import random
import secrets
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from inspect import iscoroutine
from itertools import compress
from types import MethodType
from typing import Any

import numpy as np

from dpaudit.code import draws, source
from dpaudit.code.closed import PURE
from dpaudit.code.hooks import STAND_INS
from dpaudit.code.lazy import is_lazy
from dpaudit.code.run import RUNS, Refused, end, interrupted, refuse
from dpaudit.code.steps import RISING, apply

MATH = [
    name
    for name in (*RISING, "pow", "fabs", "fmod", "modf", "copysign", "ldexp", "erfc", "isnan", "isinf", "isfinite")
    if hasattr(math, name)
]
DEPTH = 3
"""How deep the attributes of a mechanism are searched for numpy generators."""
NUMPY_STOPS = (
    "np.seterr makes numpy raise or call something at floating-point errors, which is not followed; leave it out"
)
_ABSENT = object()


States = list[tuple[Any, Any]]
"""Generators, each with its state."""


@contextmanager
def in_place(target: Any = None, before: States | None = None) -> Iterator[None]:
    """Replaces random, secrets, numpy.random and math by stand-ins, also where a module imported them by name."""
    if not {*np.geterr().values()} <= {"ignore", "warn"}:
        end(NUMPY_STOPS)
    with ExitStack() as stack, warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        others = {id(old): (old, new) for old, new in (*_functions(), *_no_threads(), *_no_opendp())}
        for module in list(sys.modules.values()):
            names, title = getattr(module, "__dict__", None), str(getattr(module, "__name__", ""))
            if isinstance(names, dict) and not title.startswith("dpaudit.code") and _may_have(names, others):
                for name, value in list(names.items()):
                    if id(value) in others and others[id(value)][0] is value:
                        _put(stack, names, name, others[id(value)][1])
                    elif type(value) in KINDS and not title.startswith("numpy"):
                        _put(stack, names, name, KINDS[type(value)]())
        for kind in (random.Random, random.SystemRandom):
            for name, method in _METHODS.items():
                _set(stack, kind, name, method)
        if "asyncio" in sys.modules:
            _set(stack, sys.modules["asyncio"].BaseEventLoop, "run_until_complete", _no_loop)
        _set(stack, threading.Thread, "start", draws_elsewhere("a thread"))
        _stand_ins(stack, target, DEPTH)
        if gc.isenabled():  # what the collector calls would come in between, at no certain place
            stack.callback(gc.enable)
            gc.disable()
        with _none_drawn(generators() if before is None else before):
            yield


def _may_have(names: dict[str, Any], others: dict[int, Any]) -> bool:
    """Whether a value has one of these addresses, or is a generator; most modules have neither."""
    values = list(names.values())
    return not (others.keys().isdisjoint(map(id, values)) and KINDS.keys().isdisjoint(map(type, values)))


def draws_elsewhere(what: str) -> Callable[..., Any]:
    """Refuses what would run concurrently."""
    return lambda *_, **__: refuse(f"{what} cannot be followed: it acts at unpredictable times")


def _no_threads() -> list[tuple[Any, Any]]:
    names = [name for name in ("fork", "forkpty", "posix_spawn") if hasattr(os, name)]
    return [(getattr(os, name), draws_elsewhere(f"os.{name}")) for name in names]


def _no_opendp() -> list[tuple[Any, Any]]:
    """The calls through which OpenDP draws: in Rust, from a source in whose place nothing can be put."""
    core = sys.modules.get("opendp.core")
    names = [name for name in OPENDP if hasattr(core, name)]
    return [(getattr(core, name), lambda *_, **__: end(IN_RUST)) for name in names]


OPENDP = ("measurement_invoke", "odometer_invoke", "odometer_queryable_invoke", "queryable_eval")
IN_RUST = (
    "OpenDP draws its own randomness, in Rust, where it cannot be followed; write the law that it documents as "
    "probability(x, r), and this call as draw(x)"
)
GENERATORS: tuple[Any, Any] = (np.random.BitGenerator, _random.Random)
KINDS: dict[type, Callable[[], Any]] = {
    source.REAL_GENERATOR: source.NUMPY_GENERATOR,
    source.REAL_STATE: source.NUMPY_STATE,
}
HELD = (
    "it draws from a generator stored where dpaudit cannot replace it (in a list, a closure, a default value or a "
    "bound method): store it in a global name or an attribute, or take rng"
)


@contextmanager
def _none_drawn(before: States) -> Iterator[None]:
    """While this holds, a generator that was there before must not draw by itself: that would not be followed."""
    try:
        yield
    except Refused:
        if any(_bits(bits) != state for bits, state in before):
            raise Refused(HELD) from None
        raise
    if any(_bits(bits) != state for bits, state in before):
        raise Refused(HELD)


@contextmanager
def unmoved(before: States) -> Iterator[None]:
    """Restores these generators, and numpy's settings."""
    try:
        with np.errstate():
            yield
    finally:
        for bits, state in before:
            if isinstance(bits, np.random.BitGenerator):
                bits.state = pickle.loads(state)
            else:
                GENERATORS[1].setstate(bits, state)


def generators() -> States:
    """All generators with their states."""
    kinds, objects = {kind for top in GENERATORS for kind in _kinds(top)}, gc.get_objects()
    found = compress(objects, map(kinds.__contains__, map(type, objects)))
    return [(bits, _bits(bits)) for bits in found if not any(bits is judge for judge in source.JUDGES)]


def _kinds(kind: type) -> Iterator[type]:
    """The class and all classes below it whose generators have a state of their own; ours have none."""
    if not isinstance(kind, source.StandIn):
        yield kind
    below: type
    for below in type.__subclasses__(kind):
        yield from _kinds(below)


def _bits(generator: Any) -> Any:
    """The state of the generator."""
    is_numpy = isinstance(generator, np.random.BitGenerator)
    return pickle.dumps(generator.state) if is_numpy else GENERATORS[1].getstate(generator)


_METHODS: dict[str, Any] = {
    "random": draws.uniform,
    "getrandbits": draws.getrandbits,
    "_randbelow": lambda _, n: draws.below(n),
    "randbytes": draws.unfollowed("randbytes"),
    "seed": draws.seed,
    "getstate": draws.unfollowed("getstate, the state of a generator,"),
    "setstate": draws.unfollowed("setstate, the state of a generator,"),
}


def _functions() -> list[tuple[Any, Any]]:
    """Pairs: a function that a module may have imported, and what stands in for it."""
    found = _replacements()
    STAND_INS.update((id(new), new) for _, new in found)
    return found


@lru_cache(maxsize=1)
def _replacements() -> list[tuple[Any, Any]]:
    rng, state = random.SystemRandom(), source.NUMPY_STATE()
    pairs: list[tuple[Any, Any]] = [(getattr(math, name), _opened(getattr(math, name))) for name in MATH]
    pairs += [(getattr(random, name), MethodType(_METHODS[name], rng)) for name in _METHODS if hasattr(random, name)]
    pairs += [
        (secrets.randbits, MethodType(draws.getrandbits, rng)),
        (_random.Random, draws.unfollowed("_random.Random")),
    ]
    pairs += [
        (getattr(os, name), draws.unfollowed(f"os.{name}")) for name in ("urandom", "getrandom") if hasattr(os, name)
    ]
    pairs += [(np.random.default_rng, _default_rng), (source.REAL_STATE, source.NUMPY_STATE)]
    for name in dir(np.random):
        value = getattr(np.random, name)
        if isinstance(value, type):
            if issubclass(value, np.random.BitGenerator) and value is not np.random.BitGenerator:
                pairs.append((value, source.bit_generator(value)))
        elif callable(value) and name != "default_rng" and not name.startswith("_"):
            known = {"ranf": "random_sample", "sample": "random_sample"}.get(name, name)
            pairs.append((value, getattr(state, known, draws.unfollowed(f"numpy.random.{name}"))))
    pairs += [(np.random.SeedSequence, draws.unfollowed("numpy.random.SeedSequence"))]
    pairs += [(np.random.Generator, source.NUMPY_GENERATOR)]
    return pairs


def _no_loop(*given: Any, **_: Any) -> Any:
    for coroutine in filter(iscoroutine, given):
        coroutine.close()
    return refuse("asyncio cannot be followed: an event loop decides what runs next; call the steps one by one")


def _opened(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function of math, for open numbers too."""

    def either(*given: Any) -> Any:
        return apply(function, *given) if any(map(is_lazy, given)) else function(*given)

    either.__name__ = function.__name__
    PURE[id(either)] = either
    return either


def _default_rng(seed: Any = None) -> Any:
    if isinstance(seed, np.random.Generator):
        return seed if type(seed) is source.NUMPY_GENERATOR else source.NUMPY_GENERATOR()
    if seed is not None and not isinstance(seed, np.random.BitGenerator):
        refuse("a generator with a seed is no source of randomness")
    return source.NUMPY_GENERATOR()


def _put(stack: ExitStack, names: dict[str, Any], name: str, value: Any) -> None:
    stack.callback(names.__setitem__, name, names[name])
    names[name] = value


def _set(stack: ExitStack, kind: type, name: str, value: Any) -> None:
    before = vars(kind).get(name, _ABSENT)
    stack.callback(*((delattr, kind, name) if before is _ABSENT else (setattr, kind, name, before)))
    setattr(kind, name, value)


def _stand_ins(stack: ExitStack, target: Any, depth: int) -> None:
    """Puts stand-ins in the place of the numpy generators among the attributes of the target."""
    names = getattr(target, "__dict__", None)
    if not isinstance(names, dict) or isinstance(target, type):
        return
    for name, value in list(names.items()):
        if isinstance(value, np.random.Generator):
            _put(stack, names, name, source.NUMPY_GENERATOR())
        elif isinstance(value, source.REAL_STATE):
            _put(stack, names, name, source.NUMPY_STATE())
        elif depth and not isinstance(value, np.ndarray):
            _stand_ins(stack, value, depth - 1)


@contextmanager
def heeding_interrupts(seconds: float) -> Iterator[None]:
    """Ends the run at an interrupt from the keyboard or after these seconds, whatever the code does or catches.

    Where signals are not available (in a thread) only rewritten code is ended in time.
    """

    def late(*_: Any) -> None:
        run = RUNS[-1] if RUNS else None
        if run is not None and run.owner is not None and run.owner.is_late and not run.plain:
            run.out_of_time()

    def interrupt(*_: Any) -> None:
        raise interrupted(KeyboardInterrupt())

    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    heeds = usual and threading.current_thread() is threading.main_thread()
    free = heeds and hasattr(signal, "SIGALRM") and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    if heeds:
        signal.signal(signal.SIGINT, interrupt)
    if free:
        signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, seconds, 1)
    try:
        yield
    finally:
        if free:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
        if heeds:
            signal.signal(signal.SIGINT, signal.default_int_handler)
