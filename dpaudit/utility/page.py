"""How accurate a mechanism is, as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.audit.page import Line, Note, Page, Part, Table, Words, badge, strong
from dpaudit.audit.words import answered

if TYPE_CHECKING:
    from dpaudit.utility.accuracy import AccuracyResult

SHOWN = 12
"""Steps in the table; JSON has all."""


def page(result: AccuracyResult) -> Page:
    """Returns the numbers, the first steps of the law, and the documents' bounds."""
    rows: list[Line] = [("data x", result.x), ("distance", result.metric)]
    rows += [("mean", strong(result.mean)), ("median", result.median)]
    rows += [(f"quantile {level}", value) for level, value in result.quantiles]
    if result.probability is not None:
        rows.append((f"Pr[< {result.t}]", strong(result.probability)))
    steps = [result.step(i) for i in range(min(SHOWN, len(result.law)))]
    shown = [(step.distance, step.outputs, step.probability, step.cumulative) for step in steps]
    more = len(result.law) - SHOWN
    return [
        answered(result.subject, rows, result.command),
        Table(["distance", "outputs", "probability", "Pr[≤ distance]"], shown),
        *([Note(f"… and {more} more steps: --json has them all")] if more > 0 else []),
        *_bounds(result),
    ]


def _bounds(result: AccuracyResult) -> list[Part]:
    """Returns the documents' bounds with their verdicts."""
    if not result.bounds:
        return [Note("The documents state no bound for this mechanism, distance and k.")]
    rows = []
    for bound in result.bounds:
        verdict = badge(bound.verdict.value)
        if bound.thresholds > 1:
            verdict = Words(verdict, f" at {bound.failing or bound.thresholds} of {bound.thresholds} t")
        numbers = [bound.t, bound.kappa, bound.probability, bound.value, bound.margin]
        rows.append([bound.claim, bound.statement, *numbers, verdict])
    columns = ["claim", "statement", "at t", "κ", "here", "bound", "margin", "verdict"]
    all_t = "Each bound at every t that separates two distances; the row shows the worst. --t asks for one."
    return [Table(columns, rows, prose=["statement"]), *([Note(all_t)] if result.t is None else [])]
