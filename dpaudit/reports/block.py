"""Blocks: mechanisms of any kind in one setting, over a range of n if there is an n. Each question is asked once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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
MOST_REFUSED = 50
"""So many n at the end of a range may be refused by a mechanism's constructor."""
EVERY_N = {2: 60, 3: 12}
"""With --n all, the theorem decides, and the picture shows n up to this, by the number of cells; else up to 6."""


@dataclass(frozen=True)
class Unknown:
    """What could not be computed at an n, and why; ``absent`` where there is no such mechanism at that n."""

    reason: str
    absent: bool = False
    claim: Claim = field(default_factory=Claim)
    """The verdict all the same, where another number than the true ε decides."""
    fault: Exception | None = field(default=None, compare=False)


Answer = EpsilonResult | Unknown


@dataclass(frozen=True)
class Case:
    """One mechanism, set at the largest n; every question about it is asked at most once."""

    label: str
    setting: Setting
    guarantee: Guarantee | None = None
    """What is judged instead of what the mechanism claims."""
    ns: tuple[int, ...] = ()
    answers: dict[int | None, Answer] = field(default_factory=dict, compare=False, repr=False)

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
        """What is judged as a claim: what was asked for, else what the mechanism claims."""
        return self.mechanism.claimed_here() if self.guarantee is None else self.guarantee

    def places(self) -> tuple[int | None, ...]:
        """The n that were asked for; (None,) of a mechanism that has no n of its own."""
        if self.ns and self.setting.has_n:
            return self.ns
        return (None if self.model is None else self.model.n,)

    def at(self, n: int | None) -> Setting:
        """The setting at that n."""
        return self.setting if n is None or not self.setting.has_n else self.setting.at(n=n)

    def asked_at(self, n: int | None) -> Guarantee | None:
        """What is judged at that n: what was asked for, the claim, or the nominal ε where nothing is claimed."""
        mechanism = self.at(n).mechanism
        own = mechanism.claimed_here() if self.guarantee is None else self.guarantee
        return EpsilonDelta(mechanism.epsilon) if own is None and mechanism.epsilon is not None else own

    def answer(self, n: int | None) -> Answer:
        """The true ε at that n with the verdict on what is judged, computed once; or why it is not known."""
        if n not in self.answers:
            self.answers[n] = self._ask(n)
        return self.answers[n]

    def _ask(self, n: int | None) -> Answer:
        try:
            return audit.epsilon(self.at(n), digits=DIGITS, claim=self.asked_at(n))
        except PrecisionExhausted as problem:
            return Unknown(visible(str(problem)).removeprefix("undecided: "), False, self._judged(n), problem)
        except InputError as problem:
            return Unknown(visible(str(problem)), self.refuses(n), fault=problem)

    def _judged(self, n: int | None) -> Claim:
        """The verdict where the true ε cannot be computed: δ, say, may decide."""
        asked = self.asked_at(n)
        if asked is not None:
            with suppress(PrecisionExhausted, InputError):
                return asked.judge(self.at(n).mechanism, Effort(DIGITS))
        return Claim(asked, None if asked is None else Verdict.UNDECIDED)

    def refuses(self, n: int | None) -> bool:
        """Whether there is no such mechanism at that n: a user's own constructor refuses it."""
        try:
            _ = self.at(n).mechanism
        except InputError:
            return self.model is None
        return False

    @property
    def last(self) -> Answer:
        """The answer at the largest n."""
        return self.answer(self.places()[-1])

    def narrow(self, compute: Callable[[], T]) -> T | None:
        """What is computed; None where the mechanism is known to fixed width, too wide for an answer."""
        try:
            return compute()
        except PrecisionExhausted:
            return None
        except InputError:
            if self.mechanism.refinable:
                raise
            return None

    def command(self, n: int | None) -> str:
        """The command that decides at that n again; "" where only Python can."""
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
    """The names of the mechanisms in a report, where their own do not tell them apart."""
    refused: tuple[tuple[int, str], ...] = field(default=(), compare=False)
    """The n behind the others at which the constructor of the one mechanism refuses to make one, and its words."""

    @staticmethod
    def read(mechs: Any, *, n: Any = None, settings: Any = None, claim: Any = None, **given: Any) -> Block:
        """The checked block; what is given goes to the mechanisms that take it; ``claim`` is judged of all."""
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
        shape = {name: given.pop(name, None) for name in ("k", "prior", "eps", "epsilon", "adjacency")}
        ns = _shown_n(shape) if is_all(n) else () if n is None else whole_numbers("n", n, most=MOST_POINTS)
        shared = {**given, **(settings or {})}
        refused: list[tuple[int, str]] = []
        while True:
            try:
                found = Setting.read_each(names, shared=shared, n=ns[-1] if ns else None, **shape)
                block = Block(tuple(found), ns, guarantee, is_all(n), refused=tuple(reversed(refused)))
                _ = [case.mechanism for case in block.cases]  # whatever is wrong is said before the first audit
                return block
            except InputError as error:
                if len(names) > 1 or len(ns) < 2 or len(refused) == MOST_REFUSED or error.option != "mech":
                    raise
                refused.append((ns[-1], visible(str(error))))
                ns = ns[:-1]

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """The mechanisms under names that tell them apart; every question about one is asked here alone."""
        lost: dict[int | None, Answer] = {n: Unknown(reason, absent=True) for n, reason in self.refused}
        named = zip(self.names or self.labels, self.settings, strict=True)
        return tuple(Case(name, setting, self.guarantee, self.ns, dict(lost)) for name, setting in named)

    @staticmethod
    def of(cases: Sequence[Case], ns: Sequence[int]) -> Block:
        """A block of these mechanisms under their names, at other n."""
        return Block(tuple(case.setting for case in cases), tuple(ns), names=tuple(case.label for case in cases))

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the mechanisms: EHD, EHD/exact; those of one name with their reference."""
        own = [setting.label for setting in self.settings]
        told = (f"{s.label} ({s.reference() or i})" for i, s in enumerate(self.settings, 1))
        return tuple(name if own.count(name) == 1 else longer for name, longer in zip(own, told, strict=True))

    @property
    def title(self) -> str:
        """The names of the mechanisms for a title."""
        labels = list(self.labels)
        if labels == list(REGISTRY):
            return "all mechanisms"
        return ("; " if any(", " in label for label in labels) else ", ").join(labels)

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


def _shown_n(shape: dict[str, Any]) -> tuple[int, ...]:
    """The n of the picture with --n all."""
    prior = shape["prior"]
    cells = len(prior.split(",")) if isinstance(prior, str) else len(prior) if prior else int(shape["k"] or 2)
    return tuple(range(1, EVERY_N.get(cells, 6) + 1))


def _check_names(names: Sequence[Any]) -> None:
    """Refuses a list without a mechanism, and one that names a mechanism twice."""
    if not names:
        raise InputError("mechs", "[]", "must name one mechanism at the least, or be left out for all")
    given = [name.strip() for name in names if isinstance(name, str)]
    words = [name.lower() if in_family(name) else name for name in given]
    twice = next((given[i] for i, name in enumerate(words) if name in words[:i]), None)
    if twice is not None:
        raise InputError("mech", twice, "is named twice")
