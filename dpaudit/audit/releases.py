"""The releases of a pipeline, read once at the door: events, texts, mechanisms, events of dp-accounting."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.accounting import dp_events
from dpaudit.accounting.dp_events import from_dp_event, is_dp_event
from dpaudit.accounting.event import MOST_TIMES, Event
from dpaudit.accounting.events import RandomizedResponse
from dpaudit.accounting.finite import Released
from dpaudit.accounting.reading import STEPS, in_times, read, repeated
from dpaudit.audit.setting import Setting
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole

ADD_REMOVE, REPLACE = "add-remove-one", "replace-one"
OWN = ", and each mechanism's own"
MECHANISM = "mech:"


def read_events(given: Any) -> list[Event]:
    """The events, whatever form they have."""
    entries = [given] if isinstance(given, str | Event) or is_dp_event(given) else given
    if not isinstance(entries, Iterable):
        raise InputError("event", given, "must be events, such as [Gaussian(sigma=4) * 100]")
    found: list[Event] = []
    for entry in entries:
        if isinstance(entry, Event):
            found.append(entry)
        elif isinstance(entry, str):
            found.append(_mechanism(entry) if entry.strip().lower().startswith(MECHANISM) else read(entry))
        elif is_dp_event(entry):
            found += from_dp_event(entry)
        else:
            found.append(_released(Setting.read(entry).mechanism, 1, ""))
    if not found:
        raise InputError("event", "(none)", "give at least one event, such as gaussian:sigma=4 x 100")
    return found


def _mechanism(text: str) -> Event:
    """The event "mech:NAME,n=10 x 3", a mechanism of the registry or one's own; a value may contain commas."""
    event, times = repeated(text)
    name, *words = (part.strip() for part in event[len(MECHANISM) :].split(","))
    parameters: dict[str, Any] = {}
    key = ""
    for word in words:
        before, equals, value = word.partition("=")
        if not equals and not key:
            raise InputError("event", text, f"{word} is no parameter: write mech:NAME,n=10")
        if equals and before in parameters:
            raise InputError("event", text, f"{before} is given twice")
        key = before if equals else key
        parameters[key] = value if equals else f"{parameters[key]},{word}"
    try:
        mechanism = Setting.read(name, **parameters).mechanism
        count = whole("times", times, 1, MOST_TIMES)
    except InputError as error:
        rule, steps = f"{error.option}: {error.rule}", parameters.get(error.option)
        if error.option in STEPS and steps is not None:
            rule = f"{rule}; for {steps} releases write {in_times(event, error.option, steps)}"
        raise InputError("event", text, rule) from None
    return _released(mechanism, count, ",".join((name, *words)))


def _released(mechanism: Mechanism, times: int, text: str) -> Event:
    """The mechanism as an event: the one it names, else its table of probabilities."""
    named = getattr(mechanism, "event", None)
    if named is not None:
        return read(f"{named} x {times}")
    if not mechanism.tabular:
        rule = "it has no table of probabilities; noise has an event: gaussian:sigma=2,sensitivity=1 or laplace:eps=1"
        raise InputError("event", f"{MECHANISM}{text or mechanism.name}", rule)
    return Released(mechanism=mechanism, times=times, text=text)


def event_words(events: Iterable[Event | str]) -> list[str]:
    """The options of a command that give these events."""
    return [word for event in events for word in ("--event", str(event))]


def read_adjacency(given: str | None, events: Sequence[Event]) -> str:
    """The adjacency under which the bounds hold; sampling needs add/remove."""
    if given not in (None, ADD_REMOVE, REPLACE):
        raise InputError("adjacency", given, f"must be {ADD_REMOVE} or {REPLACE}")
    if given == REPLACE and any(event.sampled for event in events):
        rule = f"no dominating pair of subsampling under {REPLACE} is proved: take {ADD_REMOVE}, or leave out rate"
        raise InputError("adjacency", given, rule)
    own = (Released,) if given is not None else (Released, RandomizedResponse)
    return f"{given or ADD_REMOVE}{OWN if any(isinstance(event, own) for event in events) else ''}"


def to_pld(release: Any, step: Fraction = Fraction(1, 1 << 13)) -> Any:
    """One release as dp-accounting's PrivacyLossDistribution, pessimistic for certain.

    It is an event, its text, or a mechanism with finitely many outputs. ``step`` is the grid, a power of 1/2.
    """
    events = read_events([release])
    if len(events) != 1:
        raise InputError("event", release, "give one release; compose what dp-accounting has of it")
    return dp_events.to_pld(events[0], step)
