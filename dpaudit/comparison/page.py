"""Comparisons as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dpaudit.audit.page import Fields, Note, Page, Part, Table, Words, decimal, strong
from dpaudit.audit.words import again
from dpaudit.privacy.protocols import text

if TYPE_CHECKING:
    from dpaudit.comparison.on_data import CompareResult, Performance
    from dpaudit.comparison.ranges import RangeResult

SORTED = {
    "calibrated": "mean error at equal true ε",
    "mean": "mean error at equal nominal ε",
    "true": "true ε at equal nominal ε",
}
SHOWN = 12
"""About so many points of a range are in the text; JSON has all."""
BRIEF = 6
"""Significant digits in the table of a range."""


def page(result: CompareResult, most: int) -> Page:
    """Returns the data, the winner, and the table of mechanisms; quantiles are computed up to ``most`` outputs."""
    model = result.model
    others = f" (equal to 6 digits: {', '.join(result.tied)})" if len(result.tied) > 1 else ""
    rows = [
        ("data x", result.x),
        ("model", f"n = {model.n}, k = {model.k}, prior {text(model.prior)}"),
        ("distance", result.metric),
        ("sorted by", SORTED[result.sort]),
        ("winner", Words(strong(result.winner), others)),
    ]
    nominal, calibrated = [], []
    for row in result.entries:
        nominal.append([row.label, row.guarantee.text() if row.guarantee else "nothing", *_performance(row.nominal)])
        there = row.calibrated
        found = ["too large a job", "", ""] if there is None else [decimal(there.nominal), *_performance(there)[1:]]
        calibrated.append([row.label, *found])
    last = ["mean error", "90 % within"]
    at_true = Table(["mechanism", "nominal ε", *last], calibrated, title=f"At equal true ε = {result.target}")
    at_nominal = ["mechanism", "claimed", "true ε", *last]
    parts: list[Part] = [Fields(again(rows, result.command)), at_true]
    parts.append(Table(at_nominal, nominal, title=f"At equal nominal ε = {result.target}"))
    if not all(row.nominal.quantiles for row in result.entries):
        parts.append(Note(f"Quantiles are computed up to {most} outputs; dpaudit accuracy has them beyond that."))
    return parts


def _performance(found: Performance) -> list[Any]:
    """Returns true epsilon, mean and 9/10 quantile."""
    tail: Any = next((value for level, value in found.quantiles if level * 10 == 9), "not computed")
    return [found.true or "too large a job", found.mean, tail]


def range_page(result: RangeResult) -> Page:
    """Returns a few points, and the crossovers."""
    kind = "true" if result.calibrated else "nominal"
    size = f"{len(result.points)} of {result.over}"
    stride, rows = max(1, len(result.points) // SHOWN), []
    for point in result.points[::stride]:
        means = (value.shortened(BRIEF) for value in point.means.values())
        rows.append([point.at, point.x, *means, point.winner])
    about = [("compared at", f"{kind} ε = {result.epsilon}"), ("points", size)]
    parts: list[Part] = [Fields(again(about, result.command))]
    parts.append(Table([result.over, "data x", *result.points[0].means, "least"], rows))
    if stride > 1:
        parts.append(Note("Every point, with certified enclosures: --json or --csv."))
    if not result.crossovers:
        parts.append(Note(f"No two mechanisms change their order on these {len(result.points)} points."))
    for crossover in result.crossovers:
        parts.append(Note(f"from {result.over} = {crossover.at} on, {crossover.better} beats {crossover.worse}"))
    return parts
