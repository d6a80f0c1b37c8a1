"""Blocks: mechanisms of any kind in one setting, over a range of n if there is an n. Each question is computed once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeVar

from dpaudit.audit import questions as audit
from dpaudit.audit.results import EpsilonResult
from dpaudit.audit.setting import Setting, command_line, is_all
from dpaudit.mechanisms import REGISTRY, Mechanism, in_family, lookup
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.ranges import range_text, whole_numbers
from dpaudit.numbers.rationals import split
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Model
from dpaudit.privacy.adjacency import Adjacency
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee, parse_guarantee

T = TypeVar("T")
DIGITS = 12
MOST_POINTS = 10_000
"""Numbers of records in one audit of a report."""
EVERY_N = {2: 60, 3: 12}
"""With --n all, the theorem decides, and the picture shows n up to this, by the number of cells; else up to 6."""


@dataclass(frozen=True)
class Unknown:
    """The reason why something could not be computed at an n; and the claim, if another number decides it."""

    reason: str
    claim: Claim = field(default_factory=Claim)


Answer = EpsilonResult | Unknown


@dataclass(frozen=True)
class Case:
    """One mechanism, set at the largest n; every question about it is computed at most once."""

    label: str
    setting: Setting
    guarantee: Guarantee | None = None
    """The guarantee judged instead of the mechanism's claim."""
    ns: tuple[int, ...] = ()
    answers: dict[int | None, Answer] = field(default_factory=dict, compare=False, repr=False)
    settings: dict[int, Setting] = field(default_factory=dict, compare=False, repr=False)

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism at the largest n."""
        return self.setting.mechanism

    @property
    def model(self) -> Model | None:
        """The model, where it has one."""
        return self.setting.model

    @property
    def claimed(self) -> Guarantee | None:
        """The guarantee judged as a claim: the requested one, else that of the mechanism."""
        return self.mechanism.claimed_here() if self.guarantee is None else self.guarantee

    def places(self) -> tuple[int | None, ...]:
        """The requested n; (None,) for a mechanism without an n."""
        if self.ns and self.setting.has_n:
            return self.ns
        return (None if self.model is None else self.model.n,)

    def at(self, n: int | None) -> Setting:
        """The setting at that n. The last one is kept, so that all questions about one n share its mechanism."""
        if n is None or not self.setting.has_n:
            return self.setting
        if n not in self.settings:
            self.settings.clear()
            self.settings[n] = self.setting.at(n=n)
        return self.settings[n]

    def asked_at(self, n: int | None) -> Guarantee | None:
        """The guarantee judged at that n: the requested one, the claim, or the nominal ε where nothing is claimed."""
        mechanism = self.at(n).mechanism
        own = mechanism.claimed_here() if self.guarantee is None else self.guarantee
        return EpsilonDelta(mechanism.epsilon) if own is None and mechanism.epsilon is not None else own

    def answer(self, n: int | None) -> Answer:
        """The true ε at that n with the verdict, computed once; or the reason why it is unknown."""
        if n not in self.answers:
            self.answers[n] = self._ask(n)
        return self.answers[n]

    def _ask(self, n: int | None) -> Answer:
        try:
            return audit.epsilon(self.at(n), digits=DIGITS, claim=self.asked_at(n))
        except PrecisionExhausted as problem:
            return Unknown(visible(str(problem)).removeprefix("undecided: "), self._judged(n))
        except InputError as problem:
            return Unknown(visible(str(problem)))

    def _judged(self, n: int | None) -> Claim:
        """The verdict where the true ε cannot be computed: δ, say, may decide."""
        asked = self.asked_at(n)
        if asked is not None:
            with suppress(PrecisionExhausted, InputError):
                return asked.judge(self.at(n).mechanism, Effort(DIGITS))
        return Claim(asked, None if asked is None else Verdict.UNDECIDED)

    @property
    def last(self) -> Answer:
        """The answer at the largest n."""
        return self.answer(self.places()[-1])

    def narrow(self, compute: Callable[[], T]) -> T | None:
        """The computed value; None where the mechanism is known to fixed width, too wide for an answer."""
        try:
            return compute()
        except PrecisionExhausted:
            return None
        except InputError:
            if self.mechanism.refinable:
                raise
            return None

    def command(self, n: int | None) -> str:
        """The command for the same question at that n; "" where only Python can."""
        setting, asked = self.at(n), self.asked_at(n)
        if asked is None or (self.guarantee is None and self.claimed is not None) or self.claimed is None:
            return setting.command_line("epsilon", digits=DIGITS) or ""
        return setting.command_line("judge", claim=asked.option(), digits=DIGITS) or ""


@dataclass(frozen=True)
class Block:
    """Mechanisms of the registry or a user's own; no ``ns`` where none is given, ``every_n`` with --n all."""

    settings: tuple[Setting, ...]
    ns: tuple[int, ...] = ()
    guarantee: Guarantee | None = None
    every_n: bool = False
    names: tuple[str, ...] = ()
    """The names of the mechanisms in a report, where their own are not distinct."""

    @staticmethod
    def read(mechs: Any, *, n: Any = None, settings: Any = None, claim: Any = None, **given: Any) -> Block:
        """The checked block; each parameter goes to the mechanisms that have it; ``claim`` is judged for all."""
        listed = isinstance(mechs, str | list | tuple)
        names = split("mech", mechs) if isinstance(mechs, str) else list(mechs) if listed else [mechs]
        _check_names(names)
        guarantee = None if claim is None else parse_guarantee("claim", claim)
        for name in names:
            if in_family(name) and str(name).strip().lower() != "all":
                lookup(str(name).split("/")[0])
        if n is None and any(map(in_family, names)):
            raise InputError("n", "(missing)", "must be a range such as 1..60, or all")
        if is_all(n) and not all(map(in_family, names)):
            raise InputError("n", n, "numbers or a range are needed for your own mechanism: no theorem knows it")
        priors = _several(given.pop("prior", None))
        shape = {name: given.pop(name, None) for name in ("k", "eps", "epsilon", "adjacency")}
        shown = _shown_n(shape["k"], priors[0]) if is_all(n) else ()
        ns = shown if is_all(n) or n is None else whole_numbers("n", n, most=MOST_POINTS)
        shape |= {"n": ns[-1] if ns else None, "shared": {**given, **(settings or {})}}
        found = [one for prior in priors for one in Setting.read_each(names, prior=prior, **shape)]
        block = named([Block(tuple(found), ns, guarantee, is_all(n))])[0]
        _ = [case.mechanism for case in block.cases]  # whatever is wrong is said before the first audit
        return block

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The mechanisms under distinct names; every question about one goes through here."""
        found = zip(self.names, self.settings, strict=True)
        return tuple(Case(name, setting, self.guarantee, self.ns) for name, setting in found)

    @property
    def title(self) -> str:
        """The names of the mechanisms for a title."""
        if list(self.names) == list(REGISTRY):
            return "all mechanisms"
        return ("; " if any(", " in name for name in self.names) else ", ").join(self.names)

    @property
    def model(self) -> Model | None:
        """The model at the largest n, where a mechanism has one."""
        return next((case.model for case in self.cases if case.model is not None), None)

    @property
    def eps(self) -> Fraction | None:
        """The nominal ε, where a mechanism has one."""
        return next((s.epsilon for s in self.settings if s.mechanism.epsilon is not None), None)

    def command(self, **options: Any) -> str:
        """The command that reports on the block, or "" where only Python can."""
        made_already = any(isinstance(s.mech, Mechanism) for s in self.settings) and (self.ns or len(self.settings) > 1)
        if made_already or any(s.reference() is None or isinstance(s.adjacency, Adjacency) for s in self.settings):
            return ""
        names = [s.label if s.model is not None else str(s.reference()) for s in self.settings]
        words = ["--mech", "all" if names == list(REGISTRY) else ",".join(names)]
        words += ["--n", "all" if self.every_n else range_text(self.ns)] if self.ns else []
        chosen = {word for name in names for word in name.split("/")[1:]}
        given = [pair for s in self.settings for pair in zip(s.options()[::2], s.options()[1::2], strict=True)]
        for option, value in dict.fromkeys(given):
            if option != "--mech" and value not in chosen and not (self.ns and option == "--n"):
                words += [option, value]
        claim = None if self.guarantee is None else self.guarantee.option()
        return command_line("report", *words, claim=claim, **options)


def named(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks, in which a mechanism that occurs several times is named with its setting, or with its file."""
    every = [(block, setting) for block in blocks for setting in block.settings]
    names = [setting.label for _, setting in every]
    for longer in (_with_facts, lambda block, setting: f"{setting.label} ({setting.reference()})"):
        names = [longer(*one) if names.count(name) > 1 else name for name, one in zip(names, every, strict=True)]
    found = iter(names)
    return tuple(replace(block, names=tuple(next(found) for _ in block.settings)) for block in blocks)


def _with_facts(block: Block, setting: Setting) -> str:
    """The name of a mechanism with what may tell it from another one of the same name."""
    mechanism, model = setting.mechanism, setting.model
    facts = [setting.label, *([f"ε = {mechanism.epsilon}"] if model is not None else [])]
    facts += [f"prior ({', '.join(map(str, model.prior))})"] if model is not None else []
    facts += [f"{name} = {value}" for name, value in mechanism.settings().items() if name != "n"]
    facts += [str(setting.adjacency)] if setting.adjacency is not None else []
    return ", ".join(facts + ([] if block.guarantee is None else [f"asked {block.guarantee.text()}"]))


def _several(prior: Any) -> list[Any]:
    """The priors: a list of texts such as "1,1" is several of them."""
    many = isinstance(prior, list) and any(isinstance(one, str) and "," in one for one in prior)
    return prior if many else [prior]


def _shown_n(k: Any, prior: Any) -> tuple[int, ...]:
    """The n of the picture with --n all."""
    cells = len(prior.split(",")) if isinstance(prior, str) else len(prior) if prior else int(k or 2)
    return tuple(range(1, EVERY_N.get(cells, 6) + 1))


def _check_names(names: Sequence[Any]) -> None:
    """Refuses a list without a mechanism, and one that names a mechanism twice."""
    if not names:
        raise InputError("mechs", "[]", "must name at least one mechanism; leave it out for all")
    given = [name.strip() for name in names if isinstance(name, str)]
    words = [name.lower() if in_family(name) else name for name in given]
    twice = next((given[i] for i, name in enumerate(words) if name in words[:i]), None)
    if twice is not None:
        raise InputError("mech", twice, "is named twice")
