"""What samples show, as people read it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dpaudit.audit.page import Fields, Headline, Line, Page, Table, Words, badge, strong
from dpaudit.audit.words import again
from dpaudit.numbers.digits import rough
from dpaudit.numbers.verdict import Verdict

if TYPE_CHECKING:
    from dpaudit.sampling.samples import SamplesResult


def page(result: SamplesResult, lower: str, ceiling: str) -> Page:
    """Returns what is shown, of which claim, by which event, and what cannot be shown; both bounds as decimals."""
    how = "the event named in advance" if result.registered else f"{result.tests} tests, the error shared among them"
    off = f", δ = {result.delta}" if result.delta else ""
    sure = f"with confidence {rough(result.confidence, 10)}"
    rows: list[Line] = [("shown", Words(strong(f"ε ≥ {lower}"), f"{off} {sure} ({how})"))]
    judged, first = result.judgement, []
    if judged is not None:
        unproved = "" if judged.verdict is Verdict.REFUTED else "; sampling cannot prove it"
        first = [replace(Headline.of(judged), more=f"{judged.margin_text()}, {sure}{unproved}")]
    seen = result.shown
    if seen is not None:
        rows.append(("pair", f"x = {seen.x}, x′ = {seen.x_prime}"))
        rows.append(("event", ", ".join(seen.event)))
        rows.append(("counts", f"{seen.count} of {seen.of} for x, {seen.count_prime} of {seen.of_prime} for x′"))
    rows.append(("at best", f"ε = {ceiling}: so many samples show no more than that, whatever the code does"))
    for reach in result.reach:
        rows.append((f"at {reach.at}", Words("ε = ", reach.epsilon, ": events this likely show no more")))
    fits = [(fit.x, badge(fit.verdict.value), fit.output or "", fit.why) for fit in result.fit]
    table = [Table(["data x", "is it this law?", "output", "why"], fits, prose=["why"])] if fits else []
    return [*first, Fields(again(rows, result.command)), *table]
