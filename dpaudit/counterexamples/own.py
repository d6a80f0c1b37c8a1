"""The search for a counterexample among the settings of somebody's own mechanism: every one is certified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.results import EpsilonResult
from dpaudit.comparison.ranges import parse_range
from dpaudit.counterexamples.region import EPSILONS
from dpaudit.numbers.enclosure import Enclosure, exact, infinite, outward
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive, sequence
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.loss import MEMORY_BOUND, Progress

DIGITS = 12


@dataclass(frozen=True)
class Place:
    """One setting: ``ratio`` contains true epsilon / claimed epsilon (nominal where nothing is claimed)."""

    n: int | None
    result: EpsilonResult
    ratio: Enclosure
    violated: bool

    def to_dict(self) -> dict[str, Any]:
        """Returns the setting, the witness and the ratio."""
        epsilon = self.result.subject.mechanism.epsilon
        place = {"n": self.n, "prior": None, "eps": None if epsilon is None else str(epsilon)}
        return {
            **place,
            **self.result.subject.to_dict(),
            **self.result.witness.to_dict(),
            "ratio": self.ratio.to_dict(),
        }


@dataclass(frozen=True)
class OwnSearchResult:
    """``minimal`` is the violation with the smallest n, ``largest`` the largest ratio; ``places`` were certified."""

    name: str
    minimal: Place | None
    largest: Place
    places: int
    region: dict[str, Any]
    seconds: float

    @property
    def found(self) -> bool:
        """Returns whether a violation is certified."""
        return self.minimal is not None

    def region_text(self) -> str:
        """Returns the region in one line, for people."""
        given = {name: self.region[name] for name in ("n", "k", "eps", "prior")} | self.region["settings"]
        return "; ".join(f"{name} = {value}" for name, value in given.items() if value is not None)

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit search --json``."""
        return {
            "mechanism": self.name,
            "found": self.found,
            "minimal_n": self.minimal.n if self.minimal else None,
            "witness": self.minimal.to_dict() if self.minimal else None,
            "largest_ratio": self.largest.ratio.to_dict(),
            "largest": self.largest.to_dict(),
            "region": self.region,
            "certified_places": self.places,
            "seconds": round(self.seconds, 6),
        }


def search_own(
    mech: Any,
    n: str | int | None = None,
    eps: str | Sequence[Exact] | None = None,
    given: dict[str, Any] | None = None,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
) -> OwnSearchResult:
    """Returns the largest certified ratio over the listed n and epsilons, and the smallest n with a violation.

    >>> search_own("dpaudit.examples.geometric:WrongSensitivity", n="1..3", eps="1").minimal.n
    2
    """
    start = perf_counter()
    ns = [None] if n is None else list(parse_range("n", str(n)))
    epsilons = EPSILONS if eps is None else tuple(positive("eps", e) for e in sequence("eps", eps))
    best: Place | None = None
    minimal: Place | None = None
    for done, count in enumerate(ns):
        if progress:
            progress(done, len(ns))
        for value in epsilons:
            place = _certify(mech, count, value, given or {}, memory)
            best = place if best is None or place.ratio.lower > best.ratio.lower else best
            if place.violated and (minimal is None or (minimal.n == count and place.ratio.lower > minimal.ratio.lower)):
                minimal = place
    if best is None:
        raise InputError("n", n, "leaves nothing to look at")
    name = best.result.subject.mechanism.name
    region = _region(ns, epsilons, given or {})
    return OwnSearchResult(name, minimal, best, len(ns) * len(epsilons), region, perf_counter() - start)


def _region(ns: Sequence[int | None], epsilons: Sequence[Fraction], given: dict[str, Any]) -> dict[str, Any]:
    """Returns the region with the keys that the family's search has, and the mechanism's own settings."""
    named = {name: str(given[name]) for name in ("gamma", "delta_param", "gs") if given.get(name) is not None}
    return {
        "n": None if ns[0] is None else f"{ns[0]}..{ns[-1]}",
        "k": given.get("k"),
        "eps": ",".join(str(e) for e in epsilons),
        "eps_between": None,
        "prior": given.get("prior"),
        "prior_box": None,
        "settings": {**named, **(given.get("settings") or {})},
        "exhaustive": "every n and eps of the region is certified",
        "screened": None,
    }


def _certify(mech: Any, n: int | None, eps: Fraction, given: dict[str, Any], memory: int) -> Place:
    result = audit.epsilon(audit.mechanism(mech, n, eps=str(eps), **given), digits=DIGITS + 4, memory=memory)
    bound = eps if result.claim.epsilon is None else result.claim.epsilon
    if result.epsilon.is_infinite or not bound:
        ratio = infinite() if result.epsilon.is_infinite or result.epsilon.lower > 0 else exact(Fraction(1), DIGITS)
    else:
        ratio = outward(result.epsilon.lower / bound, result.epsilon.upper / bound, DIGITS)
    refuted = result.claim.verdict is Verdict.REFUTED
    return Place(n, result, ratio, refuted if result.claim.epsilon is not None else result.epsilon.lower > eps)
