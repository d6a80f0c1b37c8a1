"""How much noise does a pipeline need? One parameter of its releases, at which an (ε, δ) is certified to be kept."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor, log10
from time import perf_counter
from typing import Any

from dpaudit.accounting.event import MOST_TIMES, Event
from dpaudit.accounting.events import DiscreteGaussian
from dpaudit.accounting.grid import Question
from dpaudit.accounting.reading import NAMED
from dpaudit.accounting.solve import solve
from dpaudit.audit.display import Members
from dpaudit.audit.page import Page
from dpaudit.audit.releases import event_words, read_adjacency, read_events
from dpaudit.audit.results import Answer
from dpaudit.audit.setting import command_line
from dpaudit.numbers.bounds import Bounds
from dpaudit.numbers.digits import decimal, powers
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import Progress
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee, parse_guarantee
from dpaudit.studies.pages import releases_page

PLACES = 4
"""The parameter has this many significant digits."""
GAP, DIGITS = 1e-3, 15
FURTHEST = 10**6
"""No parameter beyond this, or below its inverse, is tried."""
PLACE = re.compile(r"(?:(?P<name>\w+)\s*=|(?<=\s)[x×*])\s*\?")
TIMES = "times"
SAFER_IF_LARGER = {"sigma": True, "scale": True, "eps": False, "rate": False, TIMES: False}
"""The parameters that can be found, and whether a larger one is more private."""
MOST = {"rate": Fraction(1), TIMES: Fraction(MOST_TIMES)}
WHY = {
    "sigma": "more Gaussian noise is post-processing of less",
    "scale": "more Laplace noise is post-processing of less",
    "eps": "a release with a smaller ε is dominated by the same with a larger one",
    "rate": "a lower rate mixes the pair of distributions with one that reveals nothing",
    TIMES: "fewer releases are post-processing of more",
}
"""Why privacy is monotone in the parameter."""


@dataclass(frozen=True)
class Blank:
    """The events as texts, in one of which a question mark is in the place of a parameter."""

    texts: tuple[str, ...]
    place: int
    start: int
    name: str

    @staticmethod
    def read(events: str | Sequence[str]) -> Blank:
        """The place of the only question mark."""
        texts = (events,) if isinstance(events, str) else tuple(map(str, events))
        places = [(i, match) for i, text in enumerate(texts) for match in PLACE.finditer(text)]
        if len(places) != 1 or sum(text.count("?") for text in texts) != 1:
            rule = "write ? for one parameter, as in gaussian:sigma=?,rate=1/100 x 1000"
            raise InputError("event", "; ".join(texts) or "(none)", rule)
        ((place, match),) = places
        kind, name = texts[place].partition(":")[0].strip().lower(), match["name"] or TIMES
        if name not in SAFER_IF_LARGER or (kind not in NAMED and name != TIMES):
            rule = f"? may be sigma, scale, eps or rate of {', '.join(NAMED)}, or the number of times: x ?"
            raise InputError("event", texts[place], rule)
        return Blank(texts, place, match.end() - 1, name)

    def filled(self, value: Fraction) -> list[str]:
        """The events with this value in the place of the question mark."""
        text = self.texts[self.place]
        whole = f"{text[: self.start]}{decimal(str(value))}{text[self.start + 1 :]}"
        return [*self.texts[: self.place], whole, *self.texts[self.place + 1 :]]

    @property
    def larger_is_safer(self) -> bool:
        """Whether a larger parameter is more private."""
        return SAFER_IF_LARGER[self.name]


@dataclass(frozen=True)
class Tried(Members):
    """δ at the ε of the target, at one value of the parameter, and the verdict on "it is at most the target's"."""

    value: Fraction
    delta: Enclosure
    verdict: Verdict


@dataclass
class Trials:
    """value -> δ, certified; nothing is computed twice."""

    blank: Blank
    target: EpsilonDelta
    progress: Progress | None
    tried: dict[Fraction, Tried] = field(default_factory=dict)

    def check_possible(self) -> None:
        """Refuses a target that the other releases exceed, however private this one is made."""
        rest = [text for i, text in enumerate(self.blank.texts) if i != self.blank.place]
        if rest and self._bounds(read_events(rest)).at_most(self.target.delta) is not Verdict.PROVED:
            rule = f"the other releases alone exceed it, whatever {self.blank.name} is"
            raise InputError("target", self.target.option(), rule)

    def at(self, value: Fraction) -> Tried:
        """The trial at this value."""
        if value not in self.tried:
            bounds = self._bounds(self._events(value))
            self.tried[value] = Tried(value, bounds.enclosure(DIGITS), bounds.at_most(self.target.delta))
            if self.progress is not None:
                self.progress(len(self.tried), max(EXPECTED, len(self.tried) + 1))
        return self.tried[value]

    def _bounds(self, events: Sequence[Event]) -> Bounds:
        question = Question(epsilon=self.target.epsilon, bound=self.target.delta)
        return solve(events, [question], GAP).known[question]

    def _events(self, value: Fraction) -> list[Event]:
        events = read_events(self.blank.filled(value))
        if self.target.delta == 0:
            for event in events:
                if event.pure_epsilon is None:
                    rule = f"{event.name} is (ε, 0)-private for no ε: give a δ too, as in eps=1,delta=1e-5"
                    raise InputError("target", self.target.option(), rule)
        return events

    def kept(self, value: Fraction) -> bool:
        """Whether the target is certified to be kept."""
        return self.at(value).verdict is Verdict.PROVED


EXPECTED = 16
"""About so many trials are needed."""


@dataclass(frozen=True, kw_only=True)
class CalibrateReleasesResult(Answer):
    """The target is proved with ``value`` for the parameter; ``beyond`` is the trial at the next value of 4 digits."""

    asked: tuple[str, ...]
    """The events, with the question mark."""
    events: tuple[str, ...]
    """The events with the value found."""
    parameter: str
    """What the question mark stood for: sigma, scale, eps, rate or times."""
    value: Fraction
    """The value with which the target is proved."""
    target: EpsilonDelta
    """The guarantee that is to be kept."""
    delta: Enclosure
    """δ of the whole composition at the ε of the target."""
    beyond: Tried | None
    """The trial at the next value; None where ``value`` is the end of the parameter's range."""
    larger_is_safer: bool
    """Whether a larger parameter is more private."""
    adjacency: str
    """The neighboring datasets for which the guarantee holds."""
    assumption: str
    """The theorem that makes the value the smallest, or the largest, of all."""
    trials: int
    """The number of values tried."""

    @property
    def superlative(self) -> str:
        """Which of all values it is: if the next one is undecided, another proof might go further."""
        most = "smallest" if self.larger_is_safer else "largest"
        sharp = self.beyond is None or self.beyond.verdict is Verdict.REFUTED
        return f"the {most} of {PLACES} significant digits" if sharp else f"the {most} for which this is proved"

    @property
    def check(self) -> str:
        """The command that judges the target at the value found."""
        return command_line("account", *event_words(self.events), claim=powers(self.target.option()))

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit calibrate --event … --json``."""
        return {
            "target": powers(self.target.option()),
            "parameter": self.parameter,
            "value": str(self.value),
            "events": list(self.events),
            "delta": self.delta.to_dict(),
            "beyond": None if self.beyond is None else self.beyond.to_dict(),
            "adjacency": self.adjacency,
            "assumption": self.assumption,
            "trials": self.trials,
            "check": self.check,
        }

    def page(self) -> Page:
        """The value found, and what it rests on."""
        return releases_page(self)


def calibrate_releases(
    events: str | Sequence[str], target: Any, *, progress: Progress | None = None
) -> CalibrateReleasesResult:
    """The least noise (or the largest rate, ε or number of times) with which a composition keeps (ε, δ).

    >>> calibrate_releases("gaussian:sigma=?", "eps=1,delta=1e-5").value
    Fraction(3731, 1000)
    """
    start, blank, guarantee = perf_counter(), Blank.read(events), read_target(target)
    trials = Trials(blank, guarantee, progress)
    trials.check_possible()
    value, beyond = crossing(trials)
    parts = read_events(blank.filled(value))
    return CalibrateReleasesResult(
        asked=blank.texts,
        events=tuple(blank.filled(value)),
        parameter=blank.name,
        value=value,
        target=guarantee,
        delta=trials.at(value).delta,
        beyond=None if beyond is None else trials.at(beyond),
        larger_is_safer=blank.larger_is_safer,
        adjacency=read_adjacency(None, parts),
        assumption=assumption(blank, trials),
        trials=len(trials.tried),
        seconds=perf_counter() - start,
        command=command_line("calibrate", *event_words(blank.texts), target=powers(guarantee.option())),
    )


def read_target(target: Any) -> EpsilonDelta:
    """The guarantee that is to be kept."""
    found: Guarantee = parse_guarantee("target", target)
    if not isinstance(found, EpsilonDelta):
        raise InputError("target", target, "must be ε or (ε, δ), as in eps=1,delta=1e-5")
    return found


def assumption(blank: Blank, trials: Trials) -> str:
    """What "least" or "largest" rests on."""
    if blank.name == "sigma" and blank.texts[blank.place].strip().lower().startswith(DiscreteGaussian.name):
        return f"δ falls as sigma rises; checked by certified bounds at {len(trials.tried)} values, not proved"
    return f"nothing: {WHY[blank.name]}"


def crossing(trials: Trials) -> tuple[Fraction, Fraction | None]:
    """A value at which the target is kept, and the next one of so many digits at which it is not, if there is one."""
    kept, beyond = bracket(trials)
    if beyond is None:
        return kept, None
    unit = unit_of(min(kept, beyond), trials.blank.name)
    while abs(kept - beyond) > unit:
        middle = round((kept + beyond) / 2 / unit) * unit
        kept, beyond = (middle, beyond) if trials.kept(middle) else (kept, middle)
    return kept, beyond


def bracket(trials: Trials) -> tuple[Fraction, Fraction | None]:
    """Two numbers of one digit, about a factor of two apart: the target is kept at the first one alone."""
    name, larger_is_safer = trials.blank.name, trials.blank.larger_is_safer
    value = Fraction(1)
    first = trials.kept(value)
    up = larger_is_safer != first
    while True:
        before, value = value, next_round(value, up)
        if value > MOST.get(name, FURTHEST) or value < (1 if name == TIMES else Fraction(1, FURTHEST)):
            break
        if trials.kept(value) != first:
            return (before, value) if first else (value, before)
    if first and name in MOST:
        return before, None
    words = "kept at every" if first else "exceeded at every"
    rule = f"is {words} {name} tried, from 1 to {powers(str(before))}"
    once = "is exceeded by a single release"
    raise InputError("target", trials.target.option(), once if name == TIMES else rule)


def next_round(value: Fraction, up: bool) -> Fraction:
    """The next number in …, 1/2, 1, 2, 5, 10, …

    >>> next_round(Fraction(2), True), next_round(Fraction(1), False)
    (Fraction(5, 1), Fraction(1, 2))
    """
    first = value.numerator // 10 ** floor(log10(value)) if value >= 1 else int(value * 10 ** -floor(log10(value)))
    if up:
        return value * (Fraction(5, 2) if first == 2 else 2)
    return value / (Fraction(5, 2) if first == 5 else 2)


def unit_of(value: Fraction, name: str) -> Fraction:
    """The last place of a number of this size with PLACES significant digits; a number of times is whole."""
    unit = Fraction(10) ** (floor(log10(value)) - PLACES + 1)
    return max(unit, Fraction(1)) if name == TIMES else unit
