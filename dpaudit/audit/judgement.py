"""A judged statement: what is stated and by whom, the verdict, how far it reaches, and by how much it holds or fails.

Every verdict that dpaudit shows (terminal, JSON, notebook, report, pytest) is one of these values; its words are made
here: "1-DP: PROVED for every n", "1-DP: REFUTED, true ε = 2", "exceeds by 70 %", "uses 64 % of the claim". The numbers
in a margin are rounded to the side that never overstates privacy where it holds, nor a violation where it fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any

from dpaudit.numbers.digits import at_least, at_most, beside, equated, percent, powers
from dpaudit.numbers.enclosure import Enclosure, infinite, outward
from dpaudit.numbers.ranges import range_text
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim, Evidence
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee

CLOSE = Fraction(1, 10**4)
"""An excess below this share of the bound is printed as a number, not in per cent."""
MANIFOLD = 10
"""From this multiple of the bound on, the factor is printed instead of the per cent."""
SLACK, MOST_DIGITS = Fraction(21, 20), 60
"""A number of a margin is rounded by at most this factor; digits at which rounding stops."""
MARKS = {Verdict.PROVED: "✓", Verdict.REFUTED: "✗", Verdict.UNDECIDED: "?"}
"""What a verdict begins with on a terminal."""
ORDER = (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.PROVED)
"""The worst verdict first."""


class Whose(StrEnum):
    """Who makes the statement."""

    ASKED = "asked"
    """The user, with ``claim``."""
    CLAIMED = "claimed"
    """The mechanism: its documents, or the method ``claimed()`` of a user's own."""
    NOMINAL = "nominal"
    """Nobody: true ε ≤ nominal ε, of a mechanism whose documents claim nothing."""


NOBODY = "its nominal ε; its documents do not claim it"
"""What a line says of a statement that nobody makes."""


@dataclass(frozen=True)
class Extent:
    """The n that a verdict covers: every n, or those of ``ns``; of a fixed mechanism there is no extent."""

    ns: tuple[int, ...] = ()
    every: bool = False

    def text(self) -> str:
        """The extent after a verdict.

        >>> Extent(every=True).text(), Extent((5,)).text(), Extent((1, 2, 3)).text()
        ('for every n', 'at n = 5', 'for n = 1…3')
        >>> Extent((10, 20, 30, 40)).text(), Extent((1, 2, 3, 20)).text()
        ('for n = 10, 20, …, 40', 'for n = 1…3, 20')
        """
        if self.every:
            return "for every n"
        return f"{'at' if len(self.ns) == 1 else 'for'} {self.values()}"

    def values(self) -> str:
        """The n themselves: "n = 1…3, 20"."""
        written = range_text(self.ns)
        if written.count("..") == 2 and "," not in written:  # with a step
            written = f"{self.ns[0]},{self.ns[1]},…,{self.ns[-1]}"
        return f"n = {written.replace('..', '…').replace(',', ', ')}"


EVERY_N = Extent(every=True)


@dataclass(frozen=True)
class Margin:
    """By how much a statement holds or fails: the quantity that decides, against the number of the statement.

    ``excess`` contains value − bound, ``share`` value / bound (None where the bound is 0), ``repairing_delta`` the
    smallest δ with which the statement would be true (None where it is not known).
    """

    excess: Enclosure
    share: Enclosure | None
    repairing_delta: Enclosure | None = None
    of: str = "the claim"
    """What the share is a share of."""

    @staticmethod
    def between(
        value: Enclosure, bound: Fraction, repairing_delta: Enclosure | None = None, of: str = "the claim"
    ) -> Margin:
        """The margin of "value <= bound"."""
        if value.is_infinite:
            return Margin(infinite(), infinite(), repairing_delta, of)
        share = _quotient(value, bound) if bound else None
        return Margin(_mapped(value, lambda end: end - bound), share, repairing_delta, of)

    def text(self, verdict: Verdict, n: int | None = None) -> str:
        """The margin in words, and at which ``n`` it was seen; "" where there is nothing to say.

        >>> def margin(value, bound, verdict, delta=None):
        ...     found = [None if v is None else outward(Fraction(v), Fraction(v), 25) for v in (value, delta)]
        ...     return Margin.between(found[0], Fraction(bound), found[1]).text(verdict)
        >>> margin("0.6321", 1, Verdict.PROVED), margin("1.7", 1, Verdict.REFUTED), margin("1", 1, Verdict.PROVED)
        ('uses 64 % of the claim', 'exceeds by 70 %', 'uses 100 % of the claim')
        >>> margin("1.00000000000000065", 1, Verdict.REFUTED, "2.83e-15")
        'exceeds by 6.5e-16 (δ = 2.9e-15 would repair it)'
        >>> Margin.between(Enclosure(Fraction(2), Fraction(2), 0), Fraction(1)).text(Verdict.REFUTED, n=140)
        'exceeds by 100 % at n = 140'
        """
        words = {Verdict.PROVED: self._uses, Verdict.REFUTED: self._exceeds, Verdict.UNDECIDED: self._open}[verdict]()
        repaired = self.repairing_delta if verdict is not Verdict.PROVED else None
        there = "" if n is None or not words else f" at n = {n}"
        if repaired is None or not words or not repaired.within(-1, 1):
            return f"{words}{there}"
        would = f"would {'repair' if verdict is Verdict.REFUTED else 'prove'} it"
        return f"{words}{there} ({'where ' if there else ''}δ = {_up(repaired.upper)} {would})"

    def _uses(self) -> str:
        if self.share is None:
            return ""
        used = min(self.share.upper, Fraction(1)) * 100  # at most 100 %: it is proved, perhaps by algebra
        return f"uses {_up(used, 100 if used < 100 else None)} % of {self.of}"

    def _exceeds(self) -> str:
        if self.excess.is_infinite:
            return f"exceeds {self.of} without bound"
        if not self.excess.above(0):  # refuted by algebra, to no digit
            return f"exceeds by at most {_up(self.excess.upper)}" if not self.excess.is_open else ""
        if self.share is None or not self.share.reaches(1 + CLOSE):
            return f"exceeds by {_down(self.excess.lower)}"
        if self.share.reaches(MANIFOLD):
            return f"is {_down(self.share.lower)} times {self.of}"
        return f"exceeds by {_down((self.share.lower - 1) * 100)} %"

    def _open(self) -> str:
        return "" if self.share is None else f"uses {percent(self.share)} of {self.of}"

    def to_dict(self, text: str) -> dict[str, Any]:
        """The values and the words, for JSON."""
        values = {"excess": self.excess, "share": self.share, "repairing_delta": self.repairing_delta}
        return {name: value and value.to_dict() for name, value in values.items()} | {"text": text}


def _up(value: Fraction, below: int | None = None) -> str:
    """The number rounded up, by at most 5 %: two digits, or as many as that takes, and as keep it ``below``."""
    digits = 2
    while digits < MOST_DIGITS and (
        Fraction(at_most(value, digits)) > SLACK * value
        or (below is not None and Fraction(at_most(value, digits)) >= below)
    ):
        digits += 1
    return at_most(value, digits)


def _down(value: Fraction) -> str:
    """The number rounded down, by at most 5 %."""
    digits = 2 if Fraction(at_least(value, 2)) * SLACK >= value else 3
    return at_least(value, digits)


def _mapped(value: Enclosure, function: Any) -> Enclosure:
    """The enclosure of a rising function of the value; an end that is infinite stays so."""
    lower = function(value.lower)
    upper = lower if value.is_open else function(value.upper)
    image = outward(lower, upper, value.places)
    return Enclosure(image.lower, infinite().upper, image.places) if value.is_open else image


def _quotient(value: Enclosure, bound: Fraction) -> Enclosure:
    return _mapped(value, lambda end: end / bound)


@dataclass(frozen=True)
class Judgement:
    """A statement about a mechanism, whose it is, and the verdict on it."""

    guarantee: Guarantee
    verdict: Verdict
    whose: Whose = Whose.CLAIMED
    subject: str = ""
    """The name of the mechanism."""
    extent: Extent | None = None
    """The n that the verdict covers; None of a mechanism without n."""
    first_n: int | None = None
    """The smallest n at which the statement is false, where it is known."""
    quantity: str = "true ε"
    """What decided: "true ε", "δ(1)", "zCDP ρ"."""
    value: Enclosure | None = None
    """The quantity lies in it; None where nothing could be computed."""
    bound: Fraction | None = None
    """The number of the statement that the quantity is compared with."""
    margin: Margin | None = None
    margin_n: int | None = None
    """Of several n, the one at which the margin was seen: that of the largest share."""

    @property
    def statement(self) -> str:
        """The statement without its subject: "1-DP", "(1, 1e-5)-DP", "1/2-zCDP"."""
        return self.guarantee.text()

    @property
    def mark(self) -> str:
        """The sign of the verdict: ✓, ✗ or ?."""
        return MARKS[self.verdict]

    def full_statement(self) -> str:
        """The statement with its subject: "EHDL is 1-DP"."""
        return f"{self.subject} is {self.statement}" if self.subject else self.statement

    def sentence(self) -> str:
        """The verdict in a line: the statement, with a note if nobody claims it, the verdict and its extent.

        A refutation says where it fails first, or what the quantity is; an open verdict has both ends of the quantity.
        """
        whose = f" ({NOBODY})" if self.whose is Whose.NOMINAL else ""
        return f"{self.statement}{whose}: {self.finding()}"

    def finding(self) -> str:
        """The sentence without its statement: "PROVED for every n", "REFUTED, true ε = 2"."""
        several = self.extent is not None and (self.extent.every or len(self.extent.ns) > 1)
        if self.verdict is Verdict.REFUTED and several:
            where = "" if self.first_n is None else f", first at n = {self.first_n}"
            return f"{self.verdict.value}{where}" + ("" if where else self._value_suffix())
        where = "" if self.extent is None else f" {self.extent.text()}"
        return f"{self.verdict.value}{where}" + ("" if self.verdict is Verdict.PROVED else self._value_suffix())

    def _value_suffix(self) -> str:
        value = self.value_text()
        return f", {value}" if value else ""

    def value_text(self) -> str:
        """The quantity that decided with its value, in six digits or as many as show the verdict; "" of none."""
        if self.value is None:
            return ""
        return equated(self.quantity, beside(self.value, self.bound, self.verdict))

    def margin_text(self) -> str:
        """By how much it holds or fails: "exceeds by 70 %", "uses 64 % of the claim"; "" where that is unknown.

        It names the n of the margin, unless the sentence has just named it: a δ repairs the claim there only.
        """
        named = () if self.extent is None else self.extent.ns
        without_n = self.margin_n == self.first_n or named == (self.margin_n,)
        return "" if self.margin is None else self.margin.text(self.verdict, None if without_n else self.margin_n)

    def text(self) -> str:
        """The sentence and the margin: "1-DP: REFUTED, true ε = 2; exceeds by 100 %"."""
        return "; ".join(filter(None, (self.sentence(), self.margin_text())))

    def to_dict(self) -> dict[str, Any]:
        """Word, statement, whose, extent, first_n, margin and the sentence, for JSON."""
        return {
            "word": self.verdict.value,
            "statement": self.full_statement(),
            "whose": self.whose.value,
            "extent": None if self.extent is None else self.extent.text(),
            "first_n": self.first_n,
            "margin": None if self.margin is None else self.margin.to_dict(self.margin_text()),
            "text": self.text(),
        }


# ------------------------------------------------------------------ from a claim that was judged

QUANTITIES = {
    "epsilon": "true ε",
    "delta": "δ({epsilon})",
    "renyi": "D at order {alpha}",
    "zcdp_rho": "zCDP ρ",
    "gdp_mu": "GDP μ",
    "trade-off": "least margin over the trade-off function",
}
"""Quantity of an evidence -> its name for people."""


def quantity_text(quantity: str, at: Mapping[str, str] | None) -> str:
    """The name of a quantity for people: "true ε", "δ(1)"."""
    return powers(QUANTITIES.get(quantity, quantity).format_map({"epsilon": "", "alpha": "", **(at or {})}))


def judged(
    claim: Claim,
    subject: str,
    whose: Whose = Whose.CLAIMED,
    extent: Extent | None = None,
    repairing_delta: Enclosure | None = None,
) -> Judgement | None:
    """The judgement of a claim with its evidence; None where nothing is stated or the verdict is silent."""
    if claim.guarantee is None or claim.verdict is None:
        return None
    judgement = Judgement(claim.guarantee, claim.verdict, whose, subject, extent)
    if claim.evidence is None:
        return judgement
    value = _proved(claim, claim.evidence)
    judgement = replace(judgement, quantity=quantity_text(claim.evidence.quantity, claim.evidence.at), value=value)
    if claim.bound is None:
        return judgement
    by_delta = claim.evidence.quantity == "delta"
    there = by_delta and claim.evidence.at.get("epsilon") == str(claim.epsilon)  # δ at a larger ε would not repair it
    repairing = repairing_delta or (value if there else None)
    of = "the claimed δ" if by_delta else "the claim" if whose is not Whose.NOMINAL else "the nominal ε"
    return replace(judgement, bound=claim.bound, margin=Margin.between(value, claim.bound, repairing, of))


def _proved(claim: Claim, evidence: Evidence) -> Enclosure:
    """The value that decided; cut at the bound where algebra proved that it is not above, to no digit."""
    value, bound = evidence.value, claim.bound
    return value if bound is None or claim.verdict is not Verdict.PROVED else value.up_to(bound)


def nominal(
    value: Enclosure, epsilon: Fraction, subject: str, extent: Extent | None = None, verdict: Verdict | None = None
) -> Judgement:
    """The judgement of a mechanism that claims nothing, against its nominal ε; the value is its true ε.

    ``verdict`` is given where algebra or more digits than those of the value decided.
    """
    margin = Margin.between(value, epsilon, of="the nominal ε")
    seen = value.at_most(epsilon) if verdict is None else verdict
    judgement = Judgement(EpsilonDelta(epsilon), seen, Whose.NOMINAL, subject, extent)
    return replace(judgement, value=value, bound=epsilon, margin=margin)


# ------------------------------------------------------------------ several of them


def badness(found: Judgement) -> tuple[int, Fraction]:
    """The key that sorts the worst first: by the verdict, then by the share of the claim, the largest first."""
    share = None if found.margin is None else found.margin.share
    return ORDER.index(found.verdict), -share.upper if share is not None else Fraction(0)


def worst(judgements: Iterable[Judgement]) -> Judgement:
    """The judgement with the largest share of its claim; what fails is beyond its claim, so it comes first."""
    return min(judgements, key=badness)


def over_n(each: Mapping[int, Judgement], theorem: Judgement | None = None) -> Judgement:
    """The judgement on several n together: one that fails decides, then one that is open.

    ``theorem`` is the verdict on the same statement for every n. It decides where it proves, unless a failure was
    seen: that is never outvoted. The margin is the largest share that was seen; ``first_n`` the least of the n given.
    """
    if not each:
        raise ValueError("nothing was judged")
    lead = worst(each.values())
    failing = [n for n, found in each.items() if found.verdict is Verdict.REFUTED]
    if theorem is not None and theorem.verdict is Verdict.PROVED and not failing:
        return replace(theorem, extent=EVERY_N)
    open_ = [n for n, found in each.items() if found.verdict is Verdict.UNDECIDED]
    covered = open_ if lead.verdict is Verdict.UNDECIDED else each
    several = len(each) > 1 and lead.extent is not None and len(lead.extent.ns) == 1
    return replace(
        lead,
        extent=Extent(tuple(sorted(covered))),
        first_n=min(failing, default=None),
        margin_n=lead.extent.ns[0] if several and lead.extent is not None else None,
    )
