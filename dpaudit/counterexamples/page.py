"""What a search found, as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.audit.page import Fields, Headline, Line, Page, Words
from dpaudit.audit.words import again, evidence_rows, pair_text
from dpaudit.privacy.protocols import text

if TYPE_CHECKING:
    from dpaudit.counterexamples.search import Place, SearchResult


def page(result: SearchResult) -> Page:
    """Returns the region, the finding and its places."""
    region, subject = result.to_dict()["region"], result.subject.mechanism
    shown = {"n": region["n"], "k": region["k"], "ε": region["eps_between"] or region["eps"], "prior": region["prior"]}
    where = [f"{name} = {value}" for name, value in shown.items() if value is not None]
    where += [f"prior entries in {region['prior_box']}"] if region["prior_box"] else []
    judged = result.judgement
    first = Headline.neutral("no violation found") if judged is None else Headline.of(judged)
    parameters = "".join(f", {name} = {value}" for name, value in subject.settings().items() if name != "n")
    rows: list[Line] = [("mechanism", subject.name + parameters), ("region", "; ".join(where))]
    if result.minimal and (result.minimal.n is not None or result.minimal.result is not result.largest.result):
        least = "smallest n" if result.exhaustive else "least n found"
        rows += _place("violated" if result.minimal.n is None else least, result.minimal)
    rows += _place("largest ratio", result.largest)
    if not result.exhaustive:
        rows.append(("", "a free optimum: where the optimiser stopped; certified there, larger ones may exist"))
    if result.exhaustive:
        rows.append(("certified", f"{result.places} settings: {result.exhaustive}"))
    rows += [("screened", result.screened), ("effort", f"{result.seconds:.1f} s")]
    return [first, Fields(again(rows, result.command))]


def _place(title: str, found: Place) -> list[Line]:
    """Returns one certified place as rows: the ratio, the setting with its witness, what else decided the claim."""
    result, witness = found.result, found.result.witness
    bound = "nominal" if result.claim.epsilon is None else "claimed"
    pair = f"{pair_text(witness)}, output {text(witness.output)}"
    place = "; ".join(part for part in (result.subject.mechanism.setting_text(), pair) if part)
    rows: list[Line] = [
        (title, Words(f"true ε / {bound} ε {'' if found.ratio.is_open else '= '}", found.ratio)),
        ("", place),
    ]
    if result.claim.guarantee is None or (result.claim.epsilon is not None and not result.claim.delta):
        return rows
    judged = result.judgement
    said = "" if judged is None else judged.sentence()
    return [*rows, ("", Words(said, *(part for _, value in evidence_rows(result.claim) for part in ("; ", value))))]
