"""The words that several answers share: what was audited, what decided, what it rests on, how hard was looked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpaudit.audit.judgement import QUANTITIES, Extent, Judgement, quantity_text
from dpaudit.audit.page import Command, Fields, Headline, Line, Words
from dpaudit.audit.setting import Setting
from dpaudit.numbers.digits import powers
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import approximately
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Counts, text


def precision_words(bits: int) -> str:
    """The working precision for people; without bits nothing was rounded."""
    return f"{bits} bits" if bits else "exact, by algebra"


def subject_rows(setting: Setting) -> list[Line]:
    """What was audited."""
    mechanism = setting.mechanism
    rows: list[Line] = [("mechanism", f"{mechanism.name}: {mechanism.formula_here()}")]
    place, origin = mechanism.setting_text(), mechanism.describe()
    rows += [("setting", place)] if place else []
    sha256 = origin.get("source_sha256")
    rows += [("source", f"{origin['source']}, SHA-256 {sha256[:12]}…")] if sha256 else []
    return rows


def caveat_rows(setting: Setting) -> list[Line]:
    """What the answer rests on where a mechanism's code was followed."""
    caveats = setting.mechanism.caveats()
    rows: list[Line] = [("assumes", said) for said in caveats.get("assumptions", ())]
    words = residual_words(caveats)
    rows += [("residual", words)] if words else []
    return [*rows, *(("of note", said) for said in caveats.get("notes", ()))]


def residual_words(caveats: Mapping[str, Any]) -> str:
    """How much of the code was not followed, and whether another run finds as much; "" of all of it."""
    residual = caveats.get("residual") or "0"
    timed = "; the seconds of its budget were over, so that another run finds another residual"
    words = f"at most {residual} of the probability was not followed; it is in every bound"
    return "" if residual == "0" else words + timed * bool(caveats.get("timed"))


def open_rows(value: Enclosure) -> list[Line]:
    """What a lower bound alone means, in words."""
    if not value.is_open:
        return []
    return [
        ("", "no upper bound: the unexplored paths may end in outputs that are impossible for a neighbor."),
        ("", "ε-DP can be refuted, not proved; (ε, δ) can be: dpaudit delta, or a claim with δ above the residual"),
    ]


def pair_text(witness: Witness) -> str:
    """The two data sets."""
    return f"x = {text(witness.x)}, x′ = {text(witness.x_prime)}"


def extent_of(setting: Setting) -> Extent | None:
    """The n that an audit of this setting is about; None of a mechanism without n."""
    if setting.model is not None:
        return Extent((setting.model.n,))
    given = str(dict(setting.parameters).get("n", ""))
    return Extent((int(given),)) if given.isdecimal() else None


def headline(found: Judgement | None, claim: Claim, value: str) -> Headline:
    """The verdict in a line; without one, the value, and that nothing is claimed or that it says nothing of it."""
    if found is not None:
        return Headline.of(found)
    silent = (
        "nothing is claimed" if claim.guarantee is None else f"it neither proves nor refutes {claim.guarantee.text()}"
    )
    return Headline.neutral(f"{value}; {silent}" if value else silent)


def evidence_rows(claim: Claim, known: str | None = None) -> list[Line]:
    """What decided a claim, with its pair, unless that is ``known`` from a row of its own."""
    found = claim.evidence
    if claim.verdict is None or found is None or found.quantity == known:
        return []
    form = QUANTITIES.get(found.quantity, found.quantity)
    where = {"x": text(found.witness.x), "x′": text(found.witness.x_prime)}
    where |= {key: value for key, value in found.at.items() if f"{{{key}}}" not in form}
    place = powers(", ".join(f"{key} = {value}" for key, value in where.items()))
    name = quantity_text(found.quantity, found.at) + ("" if found.value.is_open else " =")
    label = "compared" if claim.verdict is Verdict.UNDECIDED else "decided by"
    return [(label, Words(f"{name} ", found.value, f", at {place}"))]


def effort_rows(setting: Setting, counts: Counts, bits: int, seconds: float, tier: str = "") -> list[Line]:
    """The pairs and outputs that were examined, and how precisely."""
    covered = covered_words(counts, noted=bool(setting.mechanism.covered()))
    precision = f"{tier if bits else ''}{precision_words(bits)}"
    return [("covers", covered), ("effort", f"{precision}, {seconds:.3f} s")]


def covered_words(counts: Counts, noted: bool = False) -> str:
    """The data sets, pairs and outputs that were covered; where a note says which data sets, they are not called all.

    >>> covered_words(Counts(27, 316, 1)), covered_words(Counts(2, 2, 3)), covered_words(Counts(2, 2, 3), noted=True)
    ('all 27 data sets, 316 ordered pairs, 1 output', 'both data sets, 2 ordered pairs, 3 outputs', \
'2 data sets, 2 ordered pairs, 3 outputs')
    """
    followed = counts.followed()
    every, both, outputs = (approximately(followed[key]) for key in ("datasets", "pairs", "outputs"))
    sets = f"{every} data sets" if noted else "both data sets" if counts.datasets == 2 else f"all {every} data sets"
    rest = ", and the unexplored paths as one more" if followed["rest"] else ""
    return f"{sets}, {both} ordered pairs, {outputs} output{'s' * (followed['outputs'] != 1)}{rest}"


def tier_text(tier: str, left: int | None) -> str:
    """The tier that found the worst case, and how many pairs the floats left."""
    shown = tier if tier == "closed form" else f"{tier} tier"
    plural = "s" * (left != 1)
    return f"{shown}, " if left is None else f"{shown} (the float filter left {left} ordered pair{plural}), "


def answer_fields(setting: Setting, found: Sequence[Line], command: str | None, effort: Sequence[Line] = ()) -> Fields:
    """What was audited and found, then what that rests on, how hard was looked, and how to ask again."""
    return Fields(again([*subject_rows(setting), *found, *caveat_rows(setting), *effort], command))


def again(rows: Sequence[Line], command: str | None) -> list[Line]:
    """The rows, and last the command that asks the same again, where there is one."""
    asked: list[Any] = [("again", Command(command))] if command else []
    return [*rows, *asked]
