"""A setting in which n, epsilon or the prior is not a single value: all of them, or a range."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpaudit.audit.setting import ALL, Setting, command_line, is_all, is_ranged
from dpaudit.mechanisms import PosteriorMechanism, in_family, posterior
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import parse_range
from dpaudit.numbers.rationals import positive, sequence
from dpaudit.posterior.model import make_model, show
from dpaudit.privacy.adjacency import REPLACE_ONE, Adjacency


@dataclass(frozen=True)
class Span:
    """Every number from ``low`` to ``high``, or every allowed one where there are no ends."""

    low: Fraction | None = None
    high: Fraction | None = None

    @staticmethod
    def read(option: str, value: Any, all_of_them: bool = True) -> Span:
        """The span that "all" or "1/100..16" denotes; its ends are > 0 and apart."""
        text = str(value).strip()
        if is_all(text) and all_of_them:
            return Span()
        found = parse_range(option, text, positive)
        if found.step is not None:
            raise InputError(option, value, "every number in the range is covered: leave the step out")
        if found.low == found.high:
            raise InputError(option, value, f"has no width: write {found.low} for a single number")
        return Span(found.low, found.high)

    @property
    def width(self) -> Fraction:
        """high - low of a span with ends."""
        assert self.low is not None
        assert self.high is not None
        return self.high - self.low

    def __str__(self) -> str:
        return ALL if self.low is None else f"{self.low}..{self.high}"


@dataclass(frozen=True)
class Ranged:
    """A mechanism of the registry where n, epsilon or entries of the prior are spans; see ``Setting``."""

    mech: str
    n: int | Span
    prior: tuple[Fraction | Span, ...]
    epsilon: Fraction | Span
    parameters: tuple[tuple[str, Any], ...] = ()
    adjacency: str | Adjacency | None = None

    @property
    def ranging(self) -> tuple[str, ...]:
        """Which of n, prior and eps are not a single value."""
        places = {"n": (self.n,), "prior": self.prior, "eps": (self.epsilon,)}
        return tuple(name for name, values in places.items() if any(isinstance(v, Span) for v in values))

    @property
    def drawable(self) -> bool:
        """Whether this is a box of priors with two sides."""
        return self.ranging == ("prior",) and [type(alpha) for alpha in self.prior] == [Span, Span]

    def option_text(self, name: str) -> str:
        """n, prior or eps as the text of its option."""
        return show({"n": self.n, "prior": self.prior, "eps": self.epsilon}[name])

    def at(self, n: int | None = None, prior: Any = None, eps: Any = None) -> Setting:
        """The setting at one point, with values for what is a span here."""
        given: tuple[tuple[Any, Any], ...] = ((n, self.n), (prior, self.prior), (eps, self.epsilon))
        size, cells, nominal = (own if value is None else value for value, own in given)
        model, epsilon = make_model(size, None, cells), positive("eps", nominal)
        return Setting(self.mech, model, epsilon, self.parameters, self.adjacency)

    def moved(self, n: int | None = None, prior: Any = None, eps: Any = None) -> PosteriorMechanism:
        """The mechanism at one point."""
        mechanism = posterior(self.at(n, prior, eps).mechanism)
        assert mechanism is not None
        return mechanism

    @cached_property
    def mechanism(self) -> PosteriorMechanism:
        """The mechanism at one of the points: it has the name, the formula and the parameters."""
        prior = tuple(_first(alpha) for alpha in self.prior)
        return self.moved(1 if isinstance(self.n, Span) else self.n, prior, _first(self.epsilon))

    def describe(self) -> dict[str, Any]:
        """The same members as a mechanism's own description, spans as text."""
        lines = self.mechanism.describe()
        lines["n"] = self.n if isinstance(self.n, int) else str(self.n)
        return lines | {"prior": [str(alpha) for alpha in self.prior], "nominal_epsilon": str(self.epsilon)}

    def to_dict(self) -> dict[str, Any]:
        """The setting as exact text that ``from_dict`` reads; see ``Setting.to_dict``."""
        relation = self.adjacency.option() if isinstance(self.adjacency, Adjacency) else self.adjacency
        place = {"n": self.n if isinstance(self.n, int) else str(self.n), "prior": show(self.prior)}
        shown = {"mech": self.mech, **place, "eps": str(self.epsilon), "parameters": self.mechanism.settings()}
        return shown if relation is None else {**shown, "adjacency": relation}

    def setting_text(self) -> str:
        """The setting in one line, for people."""
        texts = {"n": str(self.n), "ε": str(self.epsilon), **self.mechanism.settings()}
        words = {"n": "every n ≥ 1", "ε": "every ε > 0"}
        parts = [words.get(name, "") if value == ALL else f"{name} = {value}" for name, value in texts.items()]
        shape = [f"k = {len(self.prior)}", f"prior ({', '.join(map(str, self.prior))})"]
        relation = [] if self.mechanism.adjacency == REPLACE_ONE else [self.mechanism.adjacency.text()]
        return ", ".join([parts[0], *shape, *parts[1:], *relation])

    def command_line(self, command: str, **options: Any) -> str:
        """The command for the same question; options at their defaults are left out."""
        uniform = self.prior == (Fraction(1),) * len(self.prior)
        words: dict[str, Any] = {"mech": self.mech, "n": self.n, "prior": None if uniform else self.prior}
        words["k"] = len(self.prior) if uniform and len(self.prior) > 2 else None
        words["eps"] = None if self.epsilon == 1 else self.epsilon
        relation = self.adjacency.option() if isinstance(self.adjacency, Adjacency) else self.adjacency
        words |= {"adjacency": relation, **dict(self.parameters)}
        parts = [part for name, value in words.items() if value is not None for part in (f"--{name}", show(value))]
        return command_line(command, *parts, **options)


def _first(value: Fraction | Span) -> Fraction:
    """A value of the span."""
    if not isinstance(value, Span):
        return value
    return Fraction(1) if value.low is None else value.low


_NO_THEOREM = {
    "n": "every n at once works for EHD, EHDL, EHDS and MH; here, "
    "`dpaudit search{mech} --n 1..20` certifies each n of a range",
    "eps": "every ε at once works for the documents' mechanisms (LSDim, EHDS, …); here, `dpaudit search --eps "
    "1/10,1,4` certifies each ε of a list, and `dpaudit mechanisms NAME` gives the closed form of a named one",
    "prior": "a box of priors works for the documents' mechanisms (EHD, EHDS, …); here, give one prior",
}
"""The alternative where a mechanism has no theorem, for each of the three that may range."""


def read(
    mech: Any,
    *,
    n: Any = None,
    k: Any = None,
    prior: Any = None,
    eps: Any = None,
    epsilon: Any = None,
    adjacency: str | Adjacency | None = None,
    settings: Mapping[str, Any] | None = None,
    **parameters: Any,
) -> Setting | Ranged:
    """The setting (``Setting.read``), or a ranged one where n, prior or eps is "all" or a range.

    >>> read("EHDL", n=100, eps="all").command_line("epsilon")
    'dpaudit epsilon --mech EHDL --n 100 --eps all'
    """
    rest = {"adjacency": adjacency, "settings": {**(settings or {}), **parameters}}
    nominal = epsilon if eps is None else eps
    axes = {"n": n, "prior": prior, "eps": nominal}
    spans = [name for name, value in axes.items() if is_ranged(value)]
    if not spans or isinstance(mech, Setting):
        return Setting.read(mech, n=n, k=k, prior=prior, eps=eps, epsilon=epsilon, **rest)  # type: ignore[arg-type]
    if not in_family(mech):
        named = f" --mech {mech}" if isinstance(mech, str) else ""
        raise InputError(spans[0], show(axes[spans[0]]), _NO_THEOREM[spans[0]].replace("{mech}", named))
    entries = sequence("prior", prior) if "prior" in spans else prior
    if "prior" in spans and len(entries) == 1 and not is_all(prior):
        raise InputError("prior", show(prior), f"a box needs one side per cell: {show(prior)},{show(prior)}")
    sides = [Span.read("prior", v, all_of_them=False) if is_ranged(v) else None for v in entries or ()]
    point = Setting.read(
        mech,
        n=1 if "n" in spans else n,
        k=k,
        prior=[side.low if side else v for side, v in zip(sides, entries, strict=True)] if "prior" in spans else prior,
        eps=1 if "eps" in spans else nominal,
        **rest,  # type: ignore[arg-type]
    )
    assert point.model is not None
    return Ranged(
        point.mech,
        _every("n", n) if "n" in spans else point.model.n,
        tuple(s or v for s, v in zip(sides, point.model.prior, strict=True)) if "prior" in spans else point.model.prior,
        Span.read("eps", nominal) if "eps" in spans else point.epsilon,
        point.parameters,
        adjacency,
    )


def settled(mech: Any, **given: Any) -> Setting | Ranged:
    """``mech`` itself if it is a setting or a ranged one and nothing else is given; else what is read, here only."""
    if not isinstance(mech, Ranged):
        return mech if isinstance(mech, Setting) and not given else read(mech, **given)
    for name, value in given.items():
        raise InputError(name, show(value), "the mechanism already has its setting: leave this out")
    return mech


def from_dict(entry: Mapping[str, Any]) -> Setting | Ranged:
    """The setting that ``to_dict`` wrote."""
    if "own" in entry or not any(is_ranged(entry[name]) for name in ("n", "prior", "eps")):
        return Setting.from_dict(entry)
    place = {name: entry[name] for name in ("n", "prior", "eps")}
    return read(entry["mech"], **place, adjacency=entry.get("adjacency"), settings=entry["parameters"])


def _every(option: str, value: Any) -> Span:
    """The span of all n; a range of n is no theorem but a list of audits."""
    if not is_all(value):
        raise InputError(
            option, value, "must be a whole number >= 1 or all; compare, search, report and sweep take ranges of n"
        )
    return Span()
