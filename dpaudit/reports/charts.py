"""Charts, one function for each kind of section, drawn from the document alone: static SVG that needs no script."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from dpaudit.pictures.picture import Figure
from dpaudit.reports import (
    charts_claims,
    charts_curves,
    charts_decided,
    charts_distances,
    charts_lines,
    charts_maps,
    charts_pairs,
    charts_ternary,
    charts_verdict,
)
from dpaudit.reports.charts_lines import Near, missing
from dpaudit.reports.document import Section

Draw = Callable[[Section, Near], list[Figure]]


def epsilon_by_n(section: Section, near: Near) -> list[Figure]:
    """Returns the true epsilon against n, then what decided claims that are about more than epsilon."""
    return [*charts_lines.epsilon_by_n(section, near), *charts_decided.decided(section, near)]


def sensitivity(section: Section, near: Near) -> list[Figure]:
    """Returns LS and S along the first cell, or over the triangle of three cells; more cells have a table."""
    cells = len(section["rows"][0]["x"])
    draw = {2: charts_lines.sensitivity, 3: charts_ternary.sensitivity}.get(cells)
    return draw(section, near) if draw else []


CHARTS: dict[str, Draw] = {
    "matrix": charts_verdict.matrix,
    "chain": charts_verdict.chain,
    "epsilon-by-n": epsilon_by_n,
    "true-nominal": charts_lines.true_nominal,
    "delta-curves": charts_curves.delta_curves,
    "worst-pairs": charts_pairs.worst_pairs,
    "loss-map": charts_maps.loss_maps,
    "loss-ternary": charts_ternary.losses,
    "loss-data": charts_maps.data_maps,
    "renyi": charts_lines.renyi,
    "sensitivity": sensitivity,
    "error-by-n": charts_lines.errors("n", "n (records)"),
    "error-by-prior": charts_lines.errors("a", "a, the prior being (a, …, a)"),
    "distances": charts_distances.distances,
    "prior-study": charts_maps.prior_study,
    "claims": charts_claims.claims,
    "prior-map": charts_maps.prior_map,
    "margins": charts_claims.margins,
}
"""Kind of section -> its charts. A kind without a line here is shown as a table only."""


MAPS = frozenset({"loss-map", "loss-ternary", "loss-data"})


def figures(section: Section, sections: Sequence[Section] = ()) -> list[Figure]:
    """Returns the section's charts; ``sections`` are all of the document, as a chart may take from a neighbour.

    The true epsilon is drawn against n only where there is an n.
    """
    draw = CHARTS.get(section["kind"])
    if draw is None or not section["rows"] or _nowhere(section):
        return []

    drawn = draw(section, Near(sections or [section], section["setting"]))
    absent = _absent(section, sections) if drawn else ""
    return [*drawn[:-1], replace(drawn[-1], caption=drawn[-1].caption + absent)] if absent else drawn


def _absent(section: Section, sections: Sequence[Section]) -> str:
    """Returns in words which mechanisms of the setting have no rows here; a text of the section may have said it.

    A mechanism has one of the kinds of loss maps.
    """
    wanted = section["setting"].get("mechanisms", ())
    said = section.get("text") and section["kind"] in ("worst-pairs", "epsilon-by-n")
    if said or not all("mechanism" in row for row in section["rows"]):
        return ""
    alike = [
        s for s in sections if s["kind"] in MAPS and section["kind"] in MAPS and s["setting"] == section["setting"]
    ]
    here = {row["mechanism"] for each in alike or [section] for row in each["rows"] if "mechanism" in row}
    return missing(wanted, here) if here & set(wanted) else ""


def _nowhere(section: Section) -> bool:
    return section["kind"] == "epsilon-by-n" and all(row["n"] is None for row in section["rows"])
