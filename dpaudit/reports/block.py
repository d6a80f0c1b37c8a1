"""Blocks: what a group of sections is about. Mechanisms of any kind, one setting, a range of n if there is an n."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, TypeVar

from dpaudit.audit import questions as audit
from dpaudit.audit.profile import ProfileResult, profile
from dpaudit.audit.results import EpsilonResult
from dpaudit.audit.setting import Setting, command_line, refuse_all
from dpaudit.mechanisms import REGISTRY, Mechanism, in_family, lookup
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.digits import beside
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.ranges import range_text, whole_numbers
from dpaudit.numbers.rationals import positive, split
from dpaudit.posterior.model import Model
from dpaudit.privacy.adjacency import Adjacency
from dpaudit.privacy.guarantee import Guarantee, parse_guarantee
from dpaudit.reports.document import Section
from dpaudit.reports.steps import Progress as Progress

T = TypeVar("T")
Job = Callable[[Progress], Iterator[Section]]
"""What yields sections; one with many steps is ``Sized``."""
DIGITS = 12
MOST_REFUSED = 50
"""So many n at the end of a range may be refused by a mechanism's constructor."""
MOST_POINTS = 10_000
"""Numbers of records in one audit of a report."""
LARGEST_CURVE = 200_000
"""Masses of all ordered pairs together up to which the whole curve δ(ε) is computed."""


@dataclass(frozen=True)
class Case:
    """One mechanism at the largest n; what several sections ask of it is computed once."""

    label: str
    setting: Setting
    guarantee: Guarantee | None = None
    """What is judged instead of what the mechanism claims."""
    failures: list[Exception] = field(default_factory=list, compare=False)
    """Why its true epsilon at the largest n could not be computed, if so: then nothing else is asked of it."""
    absent: dict[int, str] = field(default_factory=dict, compare=False)
    """The n that were asked for at which the constructor refuses to make one, and its words."""

    @property
    def mechanism(self) -> Mechanism:
        """Returns the mechanism."""
        return self.setting.mechanism

    def called(self, label: str) -> Case:
        """Returns the same under another name, with what was computed of it."""
        found = replace(self, label=label)
        vars(found).update({name: value for name, value in vars(self).items() if name in ("found", "curve")})
        return found

    @property
    def model(self) -> Model | None:
        """Returns the model, where it has one."""
        return self.setting.model

    @cached_property
    def found(self) -> EpsilonResult:
        """Returns the true epsilon, with the verdict on the claim."""
        return self.result(None)

    def told(self, value: Enclosure, by: str = "epsilon") -> str:
        """Returns a number as a table shows it: beside the verdict on it, where it is what decided, in its digits."""
        claim = self.found.claim
        if claim.guarantee is None and by == "epsilon":
            outcome, bound = self.found.nominal_claim.verdict, self.mechanism.epsilon
        else:
            decided = claim.evidence is not None and claim.evidence.quantity == by
            outcome, bound = claim.verdict if decided else None, claim.bound
        return beside(value.to_dict(), bound, outcome)

    @property
    def again(self) -> str | None:
        """Returns the command that gives the true epsilon again."""
        return self.setting.command_line("epsilon", digits=DIGITS)

    @property
    def claimed(self) -> Guarantee | None:
        """Returns what is judged: what was asked for, else what the mechanism claims."""
        return self.mechanism.claimed_here() if self.guarantee is None else self.guarantee

    def at(self, n: int | None) -> Setting:
        """Returns the setting at another n; None: at the largest."""
        return self.setting if n is None else self.setting.at(n=n)

    def result(self, n: int | None) -> EpsilonResult:
        """Returns the true epsilon at that n, with the verdict on the claim."""
        return audit.epsilon(self.at(n), digits=DIGITS, claim=self.guarantee)

    def refuses(self, n: int | None) -> bool:
        """Returns whether there is no such mechanism at that n: anybody's own constructor refuses it."""
        try:
            _ = self.at(n).mechanism
        except InputError:
            return self.model is None
        return False

    def judging(self, n: int | None) -> str | None:
        """Returns the command that decides the claim at that n again."""
        if self.guarantee is None:
            return self.at(n).command_line("epsilon", digits=DIGITS)
        return self.at(n).command_line("judge", claim=self.guarantee.option(), digits=DIGITS)

    @cached_property
    def curve(self) -> ProfileResult | None:
        """Returns the whole curve with the Renyi divergences, or None where it is too large or not all known."""
        if self.mechanism.count_masses() > LARGEST_CURVE or self.found.epsilon.is_open:
            return None
        return self.narrow(lambda: profile(self.setting, digits=DIGITS))

    def narrow(self, compute: Callable[[], T]) -> T | None:
        """Returns what is computed; None where the mechanism is known to fixed width, too wide for an answer."""
        try:
            return compute()
        except PrecisionExhausted:
            return None
        except InputError:
            if self.mechanism.refinable:
                raise
            return None

    def over(self, ns: Sequence[int], progress: Progress) -> Iterator[tuple[int | None, Callable[[], EpsilonResult]]]:
        """Yields every n with what computes the true epsilon there; one without an n of its own is looked at once."""
        if not ns or not self.setting.has_n:
            progress(f"{self.label}: true ε")
            yield None if self.model is None else self.model.n, lambda: self.found
            return
        for n in ns:
            progress(f"{self.label}: true ε, n = {n}")
            yield n, (lambda: self.found) if n == ns[-1] else partial(self.result, n)


Each = Callable[[Case], str | None]
"""The command that gives a case's numbers again, or None."""


@dataclass(frozen=True)
class Block:
    """Mechanisms of the registry or anybody's own, at the largest n; no ``ns`` where none is given."""

    settings: tuple[Setting, ...]
    ns: tuple[int, ...] = ()
    guarantee: Guarantee | None = None
    """What is judged instead of what the mechanisms claim."""
    refused: Mapping[int, str] = field(default_factory=dict, compare=False)
    """The n behind the others at which the constructor of the one mechanism refuses to make one, and its words."""
    told: str = ""
    """What tells it from other blocks of a plan, where one of them has mechanisms of the same names."""

    @staticmethod
    def read(mechs: Any, *, n: Any = None, settings: Any = None, claim: Any = None, **given: Any) -> Block:
        """Returns the checked block; what is given goes to the mechanisms that take it; ``claim`` is judged of all."""
        listed = isinstance(mechs, str | list | tuple)
        names = split("mech", mechs) if isinstance(mechs, str) else list(mechs) if listed else [mechs]
        _check_names(names)
        guarantee = None if claim is None else parse_guarantee("claim", claim)
        family = [name for name in names if in_family(name) and str(name).strip().lower() != "all"]
        for name in family:
            lookup(str(name).split("/")[0])
        if n is None and any(map(in_family, names)):
            raise InputError("n", "(missing)", "must be a range such as 1..60")
        refuse_all(n=n)
        ns = () if n is None else whole_numbers("n", n, most=MOST_POINTS)
        shape = {name: given.pop(name, None) for name in ("k", "prior", "eps", "epsilon", "adjacency")}
        shared = {**given, **(settings or {})}
        refused: dict[int, str] = {}
        while True:
            try:
                found = Setting.read_each(names, shared=shared, n=ns[-1] if ns else None, **shape)
                block = Block(tuple(found), ns, guarantee, refused=refused)
                _ = block.cases  # every mechanism is made, so that whatever is wrong is said before the first audit
                return block
            except InputError as error:
                if len(names) > 1 or len(ns) < 2 or len(refused) == MOST_REFUSED or error.option != "mech":
                    raise
                refused[ns[-1]], ns = visible(str(error)), ns[:-1]

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Returns the mechanisms by labels that tell them apart: EHD, EHD/exact; those of one name say whence."""
        found: dict[str, Case] = {}
        names = [setting.label for setting in self.settings]
        for setting in self.settings:
            label = setting.label
            if names.count(label) > 1:
                label = f"{label} ({setting.reference() or len(found) + 1})"
            found[label] = Case(label, setting, self.guarantee, absent=dict(self.refused))
        return tuple(found.values())

    def known(self) -> Block:
        """Returns the block without the mechanisms that could not be audited."""
        cases = [case for case in self.cases if not case.failures]
        found = replace(self, settings=tuple(case.setting for case in cases))
        vars(found)["cases"] = tuple(cases)
        return found

    @property
    def labels(self) -> list[str]:
        """Returns the names of the mechanisms."""
        return [case.label for case in self.cases]

    @property
    def title(self) -> str:
        """Returns the names for a title."""
        if self.labels == list(REGISTRY):
            return "all mechanisms"
        return ("; " if any(", " in label for label in self.labels) else ", ").join(self.labels)

    @property
    def model(self) -> Model | None:
        """Returns the model at the largest n, where a mechanism has one."""
        return next((case.model for case in self.cases if case.model is not None), None)

    @property
    def eps(self) -> Fraction | None:
        """Returns the nominal epsilon, where a mechanism has one."""
        return next((s.epsilon for s in self.settings if s.mechanism.epsilon is not None), None)

    @property
    def where(self) -> str:
        """Returns ", n = 60" for titles, or "" where there is no n."""
        return f", n = {self.ns[-1]}" if self.ns else ""

    def parameters(self) -> dict[str, str]:
        """Returns the parameters in force, by name."""
        found = {name: value for s in self.settings for name, value in s.mechanism.settings().items()}
        return {name: value for name, value in found.items() if name != "n"}

    def to_dict(self) -> dict[str, Any]:
        """Returns the block as exact text; gamma and delta_param are older members beside ``parameters``."""
        model, parameters, relation = self.model, self.parameters(), self.settings[0].adjacency
        older = {"gamma": parameters.get("gamma"), "delta_param": parameters.get("delta")}
        return {
            "mechanisms": self.labels,
            "n": range_text(self.ns) if self.ns else None,
            **({} if model is None else {"k": model.k, "prior": [str(alpha) for alpha in model.prior]}),
            "eps": None if self.eps is None else str(self.eps),
            "parameters": parameters,
            **{name: value for name, value in older.items() if value is not None},
            **({} if relation is None else {"adjacency": str(relation)}),
            **({} if self.guarantee is None else {"claim": self.guarantee.text()}),
        }

    def command(self, **options: Any) -> str:
        """Returns the command that reports on the block, or "" where only Python can."""
        made_already = any(isinstance(s.mech, Mechanism) for s in self.settings) and (self.ns or len(self.settings) > 1)
        if made_already or any(s.reference() is None or isinstance(s.adjacency, Adjacency) for s in self.settings):
            return ""
        names = [s.label if s.model is not None else str(s.reference()) for s in self.settings]
        words = ["--mech", "all" if names == list(REGISTRY) else ",".join(names)]
        words += ["--n", range_text(self.ns)] if self.ns else []
        chosen = {word for name in names for word in name.split("/")[1:]}
        given = [pair for s in self.settings for pair in zip(s.options()[::2], s.options()[1::2], strict=True)]
        for option, value in dict.fromkeys(given):
            if option != "--mech" and value not in chosen and not (self.ns and option == "--n"):
                words += [option, value]
        claim = None if self.guarantee is None else self.guarantee.option()
        return command_line("report", *words, claim=claim, **options)

    def smaller(self, n: int | None) -> dict[str, str]:
        """Returns the text of a section that looks at a smaller n than was asked for; nothing of one that does not."""
        if n is None or not self.ns or n >= self.ns[-1]:
            return {}
        return {"text": f"This is at n = {n}, not at n = {self.ns[-1]}, for its cost: it says nothing of larger n."}

    def section(self, kind: str, title: str, question: str, how: str | Each, rows: list[Any], **more: Any) -> Section:
        """Returns a section; ``how`` is its command, or gives one for a case beside that of the whole block."""
        commands = [how] if isinstance(how, str) else [self.command(), *map(how, self.cases)]
        shown = {"kind": kind, "title": title, "question": question, "command": "\n".join(filter(None, commands))}
        return {**shown, "setting": self.to_dict(), "rows": rows, **more}


def _check_names(names: Sequence[Any]) -> None:
    """Refuses a list without a mechanism, and one that names a mechanism twice."""
    if not names:
        raise InputError("mechs", "[]", "must name one mechanism at the least, or be left out for all")
    given = [name.strip() for name in names if isinstance(name, str)]
    words = [name.lower() if in_family(name) else name for name in given]
    twice = next((given[i] for i, name in enumerate(words) if name in words[:i]), None)
    if twice is not None:
        raise InputError("mech", twice, "is named twice")


# ------------------------------------------------------------------ lists and keys of a plan


def exact_list(option: str, values: Any) -> list[Fraction]:
    """Returns the positive rationals of a list in a plan."""
    if not isinstance(values, list) or not values:
        raise InputError(option, str(values), "must be a list of exact numbers")
    return [positive(option, value) for value in values]


def check_keys(table: str, entry: dict[str, Any], *known: str) -> None:
    """Refuses a key of a plan that is neither known nor, where mechanisms are named, a parameter of the registry."""
    declared = [p for kind in REGISTRY.values() for p in kind.parameters] if "mechs" in known else []
    every = {*known, *(name for p in declared for name in (p.name, *p.old_names))}
    unknown = sorted(set(entry) - every)
    if unknown:
        raise InputError(table, unknown[0], f"unknown key; known: {', '.join(sorted(every))}")
