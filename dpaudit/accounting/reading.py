"""The door of the events: from Python's words, and from text such as "gaussian:sigma=4/5,rate=1/100 x 1000"."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from functools import update_wrapper
from typing import Any, TypeVar

from dpaudit.accounting import events
from dpaudit.accounting.event import Event
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, rational, whole

E = TypeVar("E", bound=Event)

NAMED: dict[str, type[Event]] = {
    kind.name: kind
    for kind in (
        events.Gaussian,
        events.Laplace,
        events.DiscreteGaussian,
        events.DiscreteLaplace,
        events.RandomizedResponse,
        events.Exponential,
        events.Pure,
    )
}
"""The events that the command line knows by name."""


def make(kind: type[E], words: Mapping[str, Exact | None]) -> E:
    """The event with these parameters, each read as an exact number."""
    values: dict[str, Any] = dict(words)
    for parameter in fields(kind):
        name = parameter.name
        if values.get(name) is not None:
            values[name] = whole(name, values[name], 1) if parameter.type == "int" else rational(name, values[name])
        elif parameter.default is MISSING:
            raise InputError(name, "(missing)", "must be given")
    return kind(**values)


def _door(kind: type[E]) -> Callable[..., E]:
    """The event as a user makes it: by whatever denotes exact numbers."""

    def read_words(**words: Any) -> E:
        return make(kind, words)

    read_words.__annotations__ = {}  # those of the event, whose signature it has
    return update_wrapper(read_words, kind, ("__doc__", "__name__", "__qualname__"), ())


Gaussian = _door(events.Gaussian)
Laplace = _door(events.Laplace)
DiscreteGaussian = _door(events.DiscreteGaussian)
DiscreteLaplace = _door(events.DiscreteLaplace)
RandomizedResponse = _door(events.RandomizedResponse)
Exponential = _door(events.Exponential)
Pure = _door(events.Pure)


REPEATED = re.compile(r"^(?P<event>.*?)(?:\s+[x×*]\s*(?P<times>\S+))?$", re.DOTALL)


STEPS = ("steps", "times", "count", "iterations", "rounds", "compositions", "n_steps", "num_steps")
"""Other names for the number of releases."""
OTHERS = {
    **dict.fromkeys(("noise_multiplier", "std", "stddev", "sd"), "sigma"),
    **dict.fromkeys(("q", "sample_rate", "sampling_rate", "sampling_probability", "p"), "rate"),
    **dict.fromkeys(("epsilon", "ε"), "eps"),
    **dict.fromkeys(("b",), "scale"),
}
"""Other names for a parameter."""
BATCHES = ("shuffle", "shuffled", "batch", "batches", "batch_size", "without_replacement", "epochs")


def repeated(text: str) -> tuple[str, str]:
    """The event and the number of releases, both as text."""
    match = REPEATED.match(text.strip())
    assert match is not None
    return match["event"], match["times"] or "1"


def in_times(event: str, key: str, value: str) -> str:
    """The event with its number of releases in the right place.

    >>> in_times("gaussian:sigma=2,steps=10", "steps", "10")
    '"gaussian:sigma=2 x 10"'
    """
    name, _, parameters = event.partition(":")
    rest = ",".join(part for part in parameters.split(",") if part.partition("=")[0].strip() != key)
    return f'"{name}:{rest} x {value}"'


def _hint(key: str, value: str, known: list[str], event: str) -> str:
    """Our spelling of a parameter that has this name elsewhere; "" for an unknown one."""
    if key.lower() in STEPS:
        return in_times(event, key, value)
    ours = OTHERS.get(key.lower())
    return f"{ours}={value}" if ours in known else ""


def read(text: str) -> Event:
    """The event that "gaussian:sigma=4/5,rate=1/100 x 1000" describes."""
    event, times = repeated(text)
    if "?" in text:
        raise InputError("event", text, "? asks for the parameter itself: `dpaudit calibrate --event … --target …`")
    name, _, parameters = event.partition(":")
    kind = NAMED.get(name.strip().lower())
    if kind is None:
        raise InputError(
            "event", text, f"must be one of {', '.join(NAMED)}, mech, as in gaussian:sigma=4,rate=1/100 x 1000"
        )
    known = [f.name for f in fields(kind) if f.name != "times"]
    given: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in parameters.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if key in BATCHES:
            rule = (
                f"{key}: only Poisson sampling (rate=…) has a theorem here; shuffled data and fixed batches have none"
            )
            raise InputError("event", text, rule)
        if key not in known and (meant := _hint(key, value, known, event)):
            raise InputError("event", text, f"{name} takes no {key}: write {meant}")
        if key not in known or not equals or key in given:
            raise InputError("event", text, f"{name} takes {', '.join(f'{key}=…' for key in known)}, each once")
        given[key] = value
    try:
        return make(kind, {**given, "times": times})
    except InputError as error:
        raise InputError("event", text, f"{error.option}: {error.rule}") from None
