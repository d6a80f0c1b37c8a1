"""Is there a counterexample? The largest certified ratio true epsilon / claimed epsilon in a region of settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.audit import questions as audit
from dpaudit.audit.display import as_json
from dpaudit.audit.judgement import Extent, Judgement
from dpaudit.audit.page import Page
from dpaudit.audit.results import Answer, EpsilonResult
from dpaudit.audit.setting import Setting
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.enclosure import Enclosure, at_least, exact, infinite, largest, outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.guarantee import Guarantee, parse_guarantee
from dpaudit.studies.pages import search_page
from dpaudit.studies.search.region import Region, make_region

if TYPE_CHECKING:
    from dpaudit.studies.search.optimize import Guess, Optimizer

DIGITS = 12
NEAR = 1e-3
"""A simpler witness may have a ratio smaller by this much than the best float ratio."""
FEW = 12
"""Beyond a violation at most this many further n are certified, spread over the range."""


@dataclass(frozen=True)
class Place:
    """One certified setting: ``ratio`` contains true epsilon / claimed epsilon (nominal where nothing is claimed)."""

    n: int | None
    result: EpsilonResult
    ratio: Enclosure
    violated: bool
    claim: Guarantee | None = None
    """The user's, in place of what the mechanism claims."""

    def to_dict(self) -> dict[str, Any]:
        """The setting, the witness, the ratio, what decided the claim and the command that audits it again."""
        subject = self.result.subject
        place = {"prior": None, **subject.describe(), "n": self.n, "eps": str(subject.epsilon)}
        return {
            **place,
            **self.result.witness.to_dict(),
            "ratio": self.ratio.to_dict(),
            **self.result.claim.to_dict(),
            "verdict": as_json(self.result.judgement),
            "command": subject.command_line("epsilon", claim=self.claim and self.claim.option()),
        }


@dataclass(frozen=True, kw_only=True)
class SearchResult(Answer):
    """``minimal`` is the violation of the smallest n, ``largest`` the largest ratio; all ``places`` were certified."""

    subject: Setting
    region: Region
    minimal: Place | None
    largest: Place
    places: int
    exhaustive: str | None
    screened: str
    undecided: int
    """Places at which the claim was neither proved nor refuted."""

    @property
    def found(self) -> bool:
        """Whether a violation is certified."""
        return self.minimal is not None

    @property
    def judgement(self) -> Judgement | None:
        """The verdict at the violation of the smallest n; None where none was found.

        It is the first n of all where every n from 1 on was certified.
        """
        if self.minimal is None:
            return None
        found, ns = self.minimal.result.judgement, self.region.ns
        if found is None or ns is None or not self.exhaustive or len(ns) == 1 or (ns.start, ns.step) != (1, 1):
            return found
        return replace(found, extent=Extent(tuple(ns)), first_n=self.minimal.n)

    @property
    def minimal_n(self) -> int | None:
        """The smallest violating n."""
        return self.minimal.n if self.minimal else None

    def about(self) -> dict[str, Any]:
        """The mechanism and its own parameters."""
        return {"mechanism": self.subject.mechanism.name, "parameters": self.subject.mechanism.settings()}

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit search --json``."""
        return {
            "found": self.found,
            "minimal_n": self.minimal_n,
            "witness": as_json(self.minimal),
            "largest_ratio": self.largest.ratio.to_dict(),
            "largest": self.largest.to_dict(),
            "region": {**self.region.to_dict(), "exhaustive": self.exhaustive, "screened": self.screened},
            "certified_places": self.places,
        }

    def page(self) -> Page:
        """The finding for people."""
        return search_page(self)


class Search:
    """A search in one region; every violation that it reports is certified."""

    def __init__(self, setting: Setting, region: Region, effort: Effort, claim: Guarantee | None = None) -> None:
        self.setting, self.region, self.effort, self.claim = setting, region, effort, claim
        self.places: list[Place] = []

    def certify(self, n: int | None, eps: Fraction, prior: Sequence[Fraction] | None = None) -> Place:
        """The certified ratio, and whether the claim (or, where there is none, true <= nominal) is refuted."""
        place, asked = self.setting.at(eps=eps, n=n, prior=prior), self.claim
        result = audit.epsilon(place, digits=DIGITS + 4, memory=self.effort.memory, claim=asked)
        claim, true = result.claim, result.epsilon
        bound = eps if claim.epsilon is None else claim.epsilon
        if true.is_infinite or not bound:
            ratio = infinite() if true.is_infinite or true.above(0) else exact(Fraction(1), DIGITS)
        elif true.is_open:
            ratio = at_least(true.lower / bound, DIGITS)
        else:
            ratio = outward(true.lower / bound, true.upper / bound, DIGITS)
        violated = true.above(eps) if claim.verdict is None else claim.verdict is Verdict.REFUTED
        self.places.append(Place(n, result, ratio, violated, asked))
        return self.places[-1]

    @property
    def largest(self) -> Place:
        """The first certified place of the largest ratio."""
        return _largest(self.places)

    # -------------------------------------------------------------- every setting listed

    def exhaust(self, prior: Sequence[Fraction] | None) -> Place | None:
        """Certifies n by n, at every listed epsilon, up to the first violation: that n is truly minimal.

        Beyond it a few n more are certified, for the largest ratio.
        """
        minimal: Place | None = None
        ns: list[int] | list[None] = [None] if self.region.ns is None else list(self.region.ns)
        for done, n in enumerate(ns):
            self.effort.tell(done, len(ns))
            places = list(self._each(n, prior))
            violated = [place for place in places if place.violated]
            if violated:
                minimal = _largest(violated)
                break
        for n in self._further(minimal):
            list(self._each(n, prior))
        return minimal

    def _each(self, n: int | None, prior: Sequence[Fraction] | None) -> Iterator[Place]:
        """Yields the certified places at one n; where the closed form is a multiple of epsilon, one stands for all."""
        for eps in self.region.epsilons:
            place = self.certify(n, eps, prior)
            yield place
            form = place.result.subject.mechanism.algebra().worst()
            if self.claim is None and form is not None and form.rational() is not None:
                return

    def _further(self, minimal: Place | None) -> list[int]:
        """The n beyond the violation to examine: all if they are few, else some spread over the range."""
        if minimal is None or minimal.n is None or self.region.ns is None:
            return []
        rest = [n for n in self.region.ns if n > minimal.n]
        return rest if len(rest) <= FEW else [n for n in self.region.coarse() if n > minimal.n]

    def covered(self, minimal: Place | None) -> str:
        """Which part of the region is certified without a gap."""
        region = self.region
        listed = ", ".join(str(e) for e in region.epsilons)
        if region.ns is None:
            return f"this setting, at eps = {listed}"
        last = region.ns[-1] if minimal is None else minimal.n
        if self.claim is None and self.setting.mechanism.algebra().worst() is not None:
            return f"n = {region.ns[0]}..{last}, in closed form for every epsilon; the prior plays no part"
        prior = " with this prior" if region.prior is not None else ""
        return f"n = {region.ns[0]}..{last}, every n certified at eps = {listed}{prior}"

    def certified_at(self, above: int = 0) -> str:
        """The n > ``above`` at which something was certified, as text."""
        return ", ".join(str(n) for n in sorted({p.n for p in self.places if p.n is not None and p.n > above}))

    def beyond(self, minimal: Place | None) -> str:
        """The n examined outside the gapless range: none, or a few after a violation."""
        further = self.certified_at(minimal.n) if minimal and minimal.n is not None else ""
        return "nothing: no float was used" + (
            f"; beyond the violation only n = {further} certified" if further else ""
        )

    # -------------------------------------------------------------- a free prior

    def optimize(self, engine: Optimizer) -> Place | None:
        """Screens in floating point, polishes the best places and certifies them; then looks for the least n."""
        coarse = self.region.coarse()
        guesses: list[Guess] = []
        for done, n in enumerate(coarse):
            self.effort.tell(done, len(coarse))
            guesses += engine.screen(n)[:3]
        guesses.sort(key=lambda guess: -guess.ratio)
        polished = [engine.polish(guess) for guess in guesses[:5]]
        best = max(polished, key=lambda guess: guess.ratio)
        largest = self._certify_near(engine, best, best.ratio * (1 - NEAR))
        return self._descend(engine, largest, best) if largest.violated else None

    def _certify_near(self, engine: Optimizer, guess: Guess, enough: float) -> Place:
        """The simplest certified place near the guess that is violated if the guess's ratio says so."""
        place = None
        for prior, eps in engine.simple(guess, enough):
            place = self.certify(guess.n, eps, prior)
            if place.violated or guess.ratio <= 1:
                return place
        assert place is not None
        return place

    def _descend(self, engine: Optimizer, witness: Place, best: Guess) -> Place:
        """The violation of least n that screening and local search find, n by n from below."""
        first, last = self.region.first(), witness.n or 0
        warm: list[tuple[float, ...]] = [best.logs]
        for n in range(first, last):
            self.effort.tell(n - first, last - first + 1)
            guess = engine.best_at(n, warm)
            warm = [best.logs, guess.logs]
            if guess.ratio > 1:
                place = self._certify_near(engine, guess, 1 + (guess.ratio - 1) / 2)
                if place.violated:
                    return place
        return witness


def search(
    mech: Any,
    n: str | int | None = None,
    eps: str | Sequence[Exact] | Exact | None = None,
    *,
    k: str | int | None = None,
    prior: str | Sequence[Exact] | None = None,
    prior_box: str | None = None,
    claim: Guarantee | Any = None,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    **parameters: Any,
) -> SearchResult:
    """The largest certified ratio true epsilon / claimed epsilon and the smallest violating n in a region.

    ``mech`` may be a setting, whose values are then fixed unless given here. ``claim`` is judged instead of the
    mechanism's own claim; it needs a prior, because a free prior is optimized against the mechanism's own claim.

    >>> search("EHD", n="1..2", prior="1/100,1/100", eps=1).minimal_n
    1
    >>> search("dpaudit.examples.geometric:WrongSensitivity", n="1..3", eps="1").minimal_n
    2
    """
    start = perf_counter()
    if isinstance(mech, Setting) and not isinstance(mech.mech, Mechanism):
        given = {"n": n, "k": k, "eps": eps, "prior": prior}
        fixed = mech.keywords(parameters, **{name: value for name, value in given.items() if value is not None})
        return search(**fixed, prior_box=prior_box, claim=claim, progress=progress, memory=memory)
    region = make_region(mech, n, k, eps, prior, prior_box)
    shape = {"k": k, "prior": prior} if region.prior is None else {"prior": region.prior}
    setting = Setting.read(
        mech, n=None if region.ns is None else region.ns[0], eps=region.epsilons[0], **shape, **parameters
    )
    stated = None if claim is None else parse_guarantee("claim", claim)
    task = Search(setting, region, Effort(memory=memory, progress=progress), stated)
    engine = None if region.prior is not None or setting.model is None else _optimizer(setting, region)
    if engine is not None and stated is not None:
        raise InputError(
            "claim", stated.option(), "needs --prior: a free prior is optimized for the mechanism's own claim"
        )
    if engine is None:
        minimal = task.exhaust(region.prior)
        exhaustive, screened = task.covered(minimal), task.beyond(minimal)
        if region.free_prior and setting.mechanism.algebra().worst() is None:
            screened += f"; {setting.label} offers no float screening, so only the prior (1, …, 1) was searched"
    else:
        minimal, exhaustive = task.optimize(engine), None
        screened = (
            f"{engine.evaluations} float evaluations at n = {', '.join(map(str, region.coarse()))} and, below a "
            f"violation, at every n; {len(task.places)} certified, at n = {task.certified_at()}. "
            "That an optimizer found nothing larger proves nothing"
        )
    found = task.largest if minimal is None else _largest([task.largest, minimal])
    without = ("n", "eps") if setting.model is None else ("n", "k", "prior", "eps")
    return SearchResult(
        subject=setting,
        region=region,
        minimal=minimal,
        largest=found,
        places=len(task.places),
        exhaustive=exhaustive,
        screened=screened,
        undecided=sum(place.result.claim.verdict is Verdict.UNDECIDED for place in task.places),
        seconds=perf_counter() - start,
        command=setting.command_line("search", without, **region.options(), claim=stated and stated.option()),
    )


def _largest(places: Sequence[Place]) -> Place:
    """The first place of the largest ratio."""
    return places[largest([place.ratio for place in places])]


def _optimizer(setting: Setting, region: Region) -> Optimizer | None:
    """The optimizer for a mechanism that offers float screening and has no closed form, else None."""
    mechanism = setting.mechanism
    if mechanism.algebra().worst() is not None or not mechanism.can_screen_priors():
        return None
    from dpaudit.studies.search.optimize import Optimizer

    return Optimizer(mechanism, region)
