"""The answer of a row: true epsilon over the suite's pairs, where it is attained, and the exact value at c."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from time import perf_counter
from typing import Any

from dpaudit.noise import losses
from dpaudit.noise.law import expression
from dpaudit.noise.losses import Peak
from dpaudit.noise.suite import programs, special
from dpaudit.noise.suite.at_c import C, exact_at_c
from dpaudit.noise.suite.inputs import NOMINAL, Vector, laws_of, ordered, suite_pairs
from dpaudit.noise.suite.rows import Labeled, Row
from dpaudit.numbers import balls
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.enclosure import Enclosure, exact, infinite
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.protocols import plain

DEPENDENT = (
    "two real outputs of SVT3 depend on each other: their joint density is not in the closed class of one number"
)
DIGITS = 15
BITS = 160


@dataclass(frozen=True)
class Answer:
    """The results for a row."""

    row: Row
    epsilon: Enclosure
    closed_form: str | None
    x: object
    x_prime: object
    output: str
    infinite_mass: Enclosure | None
    """delta(infinity), where epsilon is infinite."""
    at_c: Enclosure | None
    at_c_pair: tuple[object, object] | None
    seconds: float

    @property
    def verdict(self) -> Verdict:
        """Whether epsilon <= the claim, over the suite's pairs."""
        return self.epsilon.at_most(self.row.claimed)

    def to_dict(self) -> dict[str, Any]:
        """The row for JSON."""
        mass = self.infinite_mass
        pair = self.at_c_pair
        return {
            "name": self.row.name,
            "epsilon": self.epsilon.to_dict(),
            "closed_form": self.closed_form,
            "claimed": str(self.row.claimed),
            "verdict": self.verdict.value,
            "worst": {"x": plain(self.x), "x_prime": plain(self.x_prime), "output": self.output},
            "delta_at_infinity": None if mass is None else mass.to_dict(),
            "at_c": {
                "c": str(C),
                "epsilon": None if self.at_c is None else self.at_c.to_dict(),
                "x": None if pair is None else plain(pair[0]),
                "x_prime": None if pair is None else plain(pair[1]),
                "missing_because": DEPENDENT if self.at_c is None else None,
            },
            "published": {"StatDP": self.row.statdp, "DP-Sniper": self.row.sniper},
            "definition": self.row.definition,
            "note": self.row.note,
            "seconds": round(self.seconds, 3),
        }


def solve(row: Row) -> Answer:
    """The answer of the row."""
    start = perf_counter()
    if row.name == "SVT34Parallel":
        return _parallel(row, start)
    cases = [order for x, y, p, q in row.cases() for order in ((x, y, p, q), (y, x, q, p))]
    with balls.precision(BITS):
        x, y, peak, mass = _worst(cases)
        value, form = _value_and_form(peak)
    found, pair = _at_c(cases)
    found = Enclosure(min(found.lower, value.upper), min(found.upper, _rounded_up(value, found.places)), found.places)
    return Answer(row, value, form, x, y, peak.where, mass, found, pair, perf_counter() - start)


def _worst(cases: Sequence[Labeled]) -> tuple[object, object, Peak, Enclosure | None]:
    """The pair and place of the largest loss; of infinite ones that with the largest delta(infinity)."""
    bounded: list[tuple[tuple[object, object], Peak]] = []
    unbounded: list[tuple[Fraction, Enclosure, object, object, Peak]] = []
    for x, y, p, q in cases:
        found = losses.peaks(p, q)
        first = next((peak for peak in found if peak.infinite), None)
        if first is not None:
            mass = balls.enclosure(losses.infinite_mass(p, q), DIGITS, 0, 1)
            if mass is not None:
                unbounded.append((mass.upper, mass, x, y, first))
        elif not unbounded:
            bounded += [((x, y), peak) for peak in found]
    if unbounded:
        _, mass, x, y, peak = max(unbounded, key=lambda entry: entry[0])
        return x, y, peak, mass
    (x, y), peak = losses.largest(bounded)
    return x, y, peak, None


def _value_and_form(peak: Peak) -> tuple[Enclosure, str | None]:
    if peak.infinite:
        return infinite(), None
    if peak.known is not None:
        return exact(peak.known, DIGITS), str(peak.known)
    found = balls.enclosure(peak.loss, DIGITS, least=0)
    if found is None:
        raise ArithmeticError("too few bits for a row of the suite")
    short = peak.ratio is not None and max(len(side) for side in peak.ratio) <= 12
    return found, f"ln({expression(peak.ratio)})" if short and peak.ratio is not None else None


def _rounded_up(value: Enclosure, places: int) -> Fraction:
    """The upper end as a decimal of this many places: no event shows more than the true epsilon."""
    if value.is_infinite:
        return value.upper
    return Fraction(ceil(value.upper * 10**places), 10**places)


def _at_c(cases: Sequence[Labeled]) -> tuple[Enclosure, tuple[object, object]]:
    with balls.precision(BITS):
        tests = [losses.tests(p, q) for _, _, p, q in cases]
    found, number = exact_at_c(tests)
    return found, (cases[number][0], cases[number][1])


def _parallel(row: Row, start: float) -> Answer:
    """SVT3 and SVT4 side by side: for every pair the suprema add."""
    laws = laws_of(programs.svt_4_twice, row.pairs, NOMINAL)
    champion: Champion[tuple[Vector, Vector, str]] = Champion()
    with balls.precision(BITS):
        pairs = ordered(suite_pairs(10, True))
        fourth = [losses.largest([((x, y), peak) for peak in losses.peaks(laws[x], laws[y])]) for x, y in pairs]
        for i in balls.argsort([-peak.loss for _, peak in fourth]):
            (x, y), peak = fourth[i]
            so_far = balls.ends(champion.top())[0] if champion.alive else Fraction(0)
            third = special.svt_3_twice_peak(x, y, NOMINAL, max(Fraction(0), so_far - balls.ends(peak.loss)[1]))
            if third is not None:
                words = f"{third.where}; SVT4 above at {peak.where}"
                champion.offer([peak.loss + third.loss], lambda _, tag=(x, y, words): tag)  # type: ignore[misc]
        value, (x, y, words) = champion.result()
        shown = balls.enclosure(value, DIGITS, least=0)
    if shown is None:
        raise ArithmeticError("too few bits for a row of the suite")
    return Answer(row, shown, None, x, y, words, None, None, None, perf_counter() - start)
