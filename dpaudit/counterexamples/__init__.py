"""Is there a counterexample? The largest certified ratio true epsilon / claimed epsilon in a region."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.audit.display import Shown
from dpaudit.audit.judge import judge_epsilon
from dpaudit.counterexamples.region import Region, make_region
from dpaudit.mechanisms import PosteriorMechanism, lookup, make_mechanism
from dpaudit.numbers.enclosure import Enclosure, exact, outward
from dpaudit.numbers.rationals import Exact
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Model
from dpaudit.privacy.loss import MEMORY_BOUND, Progress, Witness, worst_loss

if TYPE_CHECKING:
    from dpaudit.counterexamples.optimise import Guess, Optimiser

DIGITS = 12
NEAR = 1e-3
"""A simpler witness may have a ratio smaller by this much than the best float ratio."""


@dataclass(frozen=True)
class Certified:
    """One mechanism: ``ratio`` contains true epsilon / claimed epsilon (nominal where nothing is claimed)."""

    mechanism: PosteriorMechanism
    ratio: Enclosure
    witness: Witness
    violated: bool

    def to_dict(self) -> dict[str, Any]:
        """Returns the witness as JSON."""
        model = self.mechanism.model
        return {
            "n": model.n,
            "prior": [str(alpha) for alpha in model.prior],
            "eps": str(self.mechanism.epsilon),
            **self.witness.to_dict(),
            "ratio": self.ratio.to_dict(),
        }


@dataclass(frozen=True)
class SearchResult(Shown):
    """``minimal`` is the witness of the smallest violating n, ``largest`` that of the largest ratio certified."""

    name: str
    parameters: dict[str, str]
    region: Region
    minimal: Certified | None
    largest: Certified
    exhaustive: str | None
    screened: str
    seconds: float

    @property
    def found(self) -> bool:
        """Returns whether a violation is certified."""
        return self.minimal is not None

    @property
    def minimal_n(self) -> int | None:
        """Returns the smallest violating n."""
        return self.minimal.mechanism.model.n if self.minimal else None

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit search --json``."""
        return {
            "mechanism": self.name,
            "parameters": self.parameters,
            "found": self.found,
            "minimal_n": self.minimal_n,
            "witness": self.minimal.to_dict() if self.minimal else None,
            "largest_ratio": self.largest.ratio.to_dict(),
            "largest": self.largest.to_dict(),
            "region": {**self.region.to_dict(), "exhaustive": self.exhaustive, "screened": self.screened},
            "seconds": round(self.seconds, 6),
        }


class Search:
    """A search in one region; every violation that it reports is certified."""

    def __init__(
        self, mech: str, region: Region, parameters: dict[str, Any], progress: Progress | None, memory: int
    ) -> None:
        self.mech, self.region, self.parameters = mech, region, parameters
        self._progress, self._memory = progress, memory
        self.certified = 0
        self.places: set[int] = set()

    def build(self, n: int, prior: Sequence[Fraction], eps: Fraction) -> PosteriorMechanism:
        """Returns the mechanism."""
        return make_mechanism(self.mech, Model(n, tuple(prior)), eps, self.parameters)

    def certify(self, n: int, prior: Sequence[Fraction], eps: Fraction) -> Certified:
        """Returns the certified ratio, and whether the claim (or, where there is none, true <= nominal) is refuted."""
        self.certified += 1
        self.places.add(n)
        mechanism = self.build(n, prior, eps)
        worst = worst_loss(mechanism, DIGITS + 4, memory=self._memory)
        claimed = mechanism.claimed()
        bound = claimed.epsilon if claimed else eps
        form = mechanism.loss_by_algebra()
        known = form.rational() if form else None
        if known is not None:
            return Certified(mechanism, exact(known / bound, DIGITS), worst.witness, known > bound)
        ratio = outward(worst.value.lower / bound, worst.value.upper / bound, DIGITS)
        violated = worst.value.lower > bound
        if violated and claimed:
            judged = judge_epsilon(mechanism, worst.value, None, DIGITS, self._memory)
            violated = judged.verdict is Verdict.REFUTED
        return Certified(mechanism, ratio, worst.witness, violated)

    def tell(self, done: int, total: int) -> None:
        """Reports progress."""
        if self._progress:
            self._progress(done, total)

    def exhaust(self, prior: tuple[Fraction, ...]) -> tuple[Certified | None, Certified]:
        """Certifies n by n, at every listed epsilon, up to the first violation: that n is truly minimal.

        Where the closed form is a multiple of epsilon, one epsilon stands for all.
        """
        ns = self.region.ns
        largest = self.certify(ns[0], prior, self.region.epsilons[0])
        for done, n in enumerate(ns):
            self.tell(done, len(ns))
            minimal: Certified | None = None
            for eps in self.region.epsilons:
                found = self.certify(n, prior, eps)
                largest = _larger(largest, found)
                if found.violated:
                    minimal = _larger(minimal, found)
                if self._linear(found.mechanism):
                    break
            if minimal is not None:
                return minimal, self._beyond(prior, largest, n)
        return None, largest

    def _linear(self, mechanism: PosteriorMechanism) -> bool:
        form = mechanism.loss_by_algebra()
        return form is not None and form.rational() is not None

    def certified_at(self, above: int = 0) -> str:
        """Returns the n > ``above`` at which something was certified, as text."""
        return ", ".join(str(n) for n in sorted(self.places) if n > above)

    def beyond(self, minimal: Certified | None) -> str:
        """Returns what was looked at outside of the gapless range: nothing, or a few n after a violation."""
        further = self.certified_at(minimal.mechanism.model.n) if minimal else ""
        return "nothing: no float was used" + (
            f"; beyond the violation only n = {further} certified" if further else ""
        )

    def _beyond(self, prior: tuple[Fraction, ...], largest: Certified, n: int) -> Certified:
        """Returns the largest ratio at a few n beyond the minimal one, too."""
        for further in (m for m in self.region.coarse() if m > n):
            for eps in self.region.epsilons:
                largest = _larger(largest, self.certify(further, prior, eps))
        return largest

    def optimise(self, engine: Optimiser) -> tuple[Certified | None, Certified]:
        """Finds a large ratio by screening and local search, then the smallest violating n that the search can find."""
        region = self.region
        places = region.coarse()
        guesses: list[Guess] = []
        for done, n in enumerate(places):
            self.tell(done, 2 * len(places))
            guesses += engine.screen(n)[:2]
        guesses.sort(key=lambda guess: -guess.ratio)
        polished = [engine.polish(guess) for guess in guesses[:5]]
        best = max(polished, key=lambda guess: guess.ratio)
        largest = self._certify_near(engine, best, best.ratio * (1 - NEAR))
        if not largest.violated:
            return None, largest
        minimal = self._descend(engine, largest, best)
        return minimal, _larger(largest, minimal)

    def _certify_near(self, engine: Optimiser, guess: Guess, enough: float) -> Certified:
        """Returns the simplest certified place near the guess that is violated if the guess's ratio says so."""
        found = None
        for prior, eps in engine.simple(guess, enough):
            found = self.certify(guess.n, prior, eps)
            if found.violated or guess.ratio <= 1:
                return found
        assert found is not None
        return found

    def _descend(self, engine: Optimiser, witness: Certified, best: Guess) -> Certified:
        """Returns the violation of least n that screening and local search find, n by n from below."""
        last = witness.mechanism.model.n
        warm: list[tuple[float, ...]] = [best.logs]
        for n in self.region.ns:
            self.tell(n - self.region.ns[0], last - self.region.ns[0] + 1)
            if n >= last:
                break
            guess = engine.best_at(n, warm)
            warm = [best.logs, guess.logs]
            if guess.ratio > 1:
                found = self._certify_near(engine, guess, 1 + (guess.ratio - 1) / 2)
                if found.violated:
                    return found
        return witness


def _larger(best: Certified | None, other: Certified) -> Certified:
    return other if best is None or other.ratio.lower > best.ratio.lower else best


def search(
    mech: str,
    n: str | int | None = None,
    k: str | int | None = None,
    eps: str | Sequence[Exact] | Exact | None = None,
    prior: str | Sequence[Exact] | None = None,
    prior_box: str | None = None,
    gamma: Exact | None = None,
    delta_param: Exact | None = None,
    gs: str | None = None,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
) -> SearchResult:
    """Returns the largest certified ratio true epsilon / claimed epsilon, and the smallest violating n, in a region.

    >>> search("EHD", n="1..2", prior="1/100,1/100", eps=1).minimal_n
    1
    """
    start, kind = perf_counter(), lookup(mech)
    region = make_region(n, k, eps, prior, prior_box)
    given = {"gamma": gamma, "delta": delta_param, "gs": gs}
    task = Search(kind.name, region, given, progress, memory)
    sample = task.build(region.ns[0], region.prior or (Fraction(1),) * region.k, region.epsilons[0])
    if region.prior is not None or sample.loss_by_algebra() is not None:
        minimal, largest = task.exhaust(region.prior or sample.model.prior)
        exhaustive, screened = covered(sample, region, minimal), task.beyond(minimal)
    else:
        engine = _optimiser(sample, region)
        minimal, largest = task.optimise(engine)
        exhaustive = None
        screened = (
            f"{engine.evaluations} float evaluations at n = {', '.join(map(str, region.coarse()))} and, below a "
            f"violation, at every n; {task.certified} certified, at n = {task.certified_at()}. "
            "That an optimiser finds no more is no proof"
        )
    return SearchResult(
        kind.name, sample.settings(), region, minimal, largest, exhaustive, screened, perf_counter() - start
    )


def covered(sample: PosteriorMechanism, region: Region, minimal: Certified | None) -> str:
    """Returns which part of the region is certified without a gap."""
    last = minimal.mechanism.model.n if minimal else region.ns[-1]
    if sample.loss_by_algebra() is not None:
        return f"n = {region.ns[0]}..{last}, in closed form for every epsilon; the prior plays no part"
    shown = ", ".join(str(e) for e in region.epsilons)
    return f"n = {region.ns[0]}..{last}, every n certified at eps = {shown} with this prior"


def _optimiser(sample: PosteriorMechanism, region: Region) -> Optimiser:
    """Returns the optimiser for the mechanism; numpy and scipy are imported here."""
    from dpaudit.counterexamples.optimise import Optimiser
    from dpaudit.counterexamples.surrogate import Family

    settings = sample.settings()
    family = Family(
        sample.name,
        float(Fraction(settings.get("gamma", "1"))),
        float(Fraction(settings.get("delta", "1/100000000"))),
        settings.get("gs") == "exact",
    )
    return Optimiser(family, region)
