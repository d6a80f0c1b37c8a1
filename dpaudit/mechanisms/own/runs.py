"""Plain runs of a user's own code, to be counted: draw(x), or sample(x, rng) with a real generator."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from dpaudit.mechanisms.own.user_code import guarded
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.protocols import Dataset, Output


def is_plain(target: Any) -> bool:
    """Whether its ``sample`` takes a random generator, not ideal noise, whose law is known."""
    from dpaudit.noise.law import takes_noise

    return not takes_noise(target)


def of(target: Any, reference: str, x: Dataset, only_code: bool) -> Callable[[], Output] | None:
    """A function that returns one output of the code at each call; None if there is no code to run."""
    function = getattr(target, "draw", None)
    if callable(function):
        return partial(_output, reference, function, x)
    if not only_code:
        return None
    from dpaudit.code.source import Source, real, source_for  # brings numpy

    source = real(source_for(target.sample))
    return partial(_output, reference, target.sample, x, Unfollowed() if type(source) is Source else source)


class Unfollowed(random.SystemRandom):
    """Python's generator for plain runs, with numpy's additional methods such as laplace: drawn, not followed."""

    def __getattr__(self, name: str) -> Any:
        """The method of numpy's generator."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(_numpy(), name)


@cache
def _numpy() -> Any:
    from numpy.random import default_rng

    return default_rng()


def _output(reference: str, function: Callable[..., Any], *given: Any) -> Output:
    found = guarded(reference, function, *given)
    try:
        hash(found)
    except TypeError:
        kind = type(found).__name__
        raise InputError("mech", reference, f"draws a {kind}: return numbers, text or tuples") from None
    return found
