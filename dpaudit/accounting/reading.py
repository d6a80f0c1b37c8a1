"""Events from text: "gaussian:sigma=4/5,rate=1/100 x 1000"."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from dpaudit.accounting.event import MOST_TIMES, Event
from dpaudit.accounting.events import (
    DiscreteGaussian,
    DiscreteLaplace,
    Exponential,
    Gaussian,
    Laplace,
    Pure,
    RandomizedResponse,
)
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole

NAMED: dict[str, type[Event]] = {
    kind.name: kind
    for kind in (Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, RandomizedResponse, Exponential, Pure)
}
"""The events that the command line knows by name."""
REPEATED = re.compile(r"^(?P<event>.*?)(?:\s+[x×*]\s*(?P<times>\S+))?$", re.DOTALL)


STEPS = ("steps", "times", "count", "iterations", "rounds", "compositions", "n_steps", "num_steps")
"""How others call the number of times."""
OTHERS = {
    **dict.fromkeys(("noise_multiplier", "std", "stddev", "sd"), "sigma"),
    **dict.fromkeys(("q", "sample_rate", "sampling_rate", "sampling_probability", "p"), "rate"),
    **dict.fromkeys(("epsilon", "ε"), "eps"),
    **dict.fromkeys(("b",), "scale"),
}
"""How others call a parameter."""
BATCHES = ("shuffle", "shuffled", "batch", "batches", "batch_size", "without_replacement", "epochs")


def repeated(text: str) -> tuple[str, str]:
    """The event and the number of times, both as text."""
    match = REPEATED.match(text.strip())
    assert match is not None
    return match["event"], match["times"] or "1"


def in_times(event: str, key: str, value: str) -> str:
    """The event with its number of times where that belongs.

    >>> in_times("gaussian:sigma=2,steps=10", "steps", "10")
    '"gaussian:sigma=2 x 10"'
    """
    name, _, parameters = event.partition(":")
    rest = ",".join(part for part in parameters.split(",") if part.partition("=")[0].strip() != key)
    return f'"{name}:{rest} x {value}"'


def _hint(key: str, value: str, known: list[str], event: str) -> str:
    """What is written for a parameter that others call so; "" of an unknown one."""
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
    given: dict[str, Any] = {}
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
        given[key] = whole(key, value, 1) if key == "k" else value
    try:
        return kind(**given, times=whole("times", times, 1, MOST_TIMES))
    except InputError as error:
        raise InputError("event", text, f"{error.option}: {error.rule}") from None
