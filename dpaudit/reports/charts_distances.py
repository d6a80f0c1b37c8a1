"""The distribution of the distance, with every accuracy bound on it."""

from __future__ import annotations

from typing import Any

from dpaudit.pictures.distance import Distances
from dpaudit.pictures.picture import Figure
from dpaudit.reports.charts_lines import Near, middle
from dpaudit.reports.document import Section, named
from dpaudit.reports.findings import listed, told

Row = dict[str, Any]


def distances(section: Section, near: Near) -> list[Figure]:
    """Returns for every mechanism the exact distribution and its bounds, a small picture each, on one scale."""
    top = max(middle(row["t"]) for row in section["rows"])
    drawn, broken, open_ = [], [], []
    for name, own in named(section["rows"]).items():
        lines = named(own, "bound")
        fails = {
            bound: _point(failing[0])[:2]
            for bound, rows in lines.items()
            if (failing := [row for row in rows if row.get("outcome") == "REFUTED"])
        }
        open_ += [f"{name}: {b}" for b, rows in lines.items() if any(row.get("outcome") == "UNDECIDED" for row in rows)]
        broken += [f"{bound} for {name}" for bound in fails]
        curves = {bound: [_point(row) for row in rows] for bound, rows in lines.items()}
        words = (
            f"fails, where it is marked first: {', '.join(fails)}"
            if fails
            else "no bound drawn fails"
            if len(lines) > 1
            else "no bound"
        )
        alt = f"{name}: distribution function of the distance from the truth; {words}."
        drawn.append(Distances(name, curves, fails, top, frozenset(section.get("steps", ()))).draw(alt))
    said = f"Bounds that fail, first at the mark: {listed(broken)}." if broken else "No bound drawn here fails."
    said += f" Undecided somewhere: {listed(open_)}." if open_ else ""
    return [
        Figure(
            drawn, f"Exact probability of a release within t (solid), and the documents' bounds on it (dashed). {said}"
        )
    ]


def _point(row: Row) -> tuple[float, float, str]:
    t, value = middle(row["t"]), middle(row["value"])
    return t, value, f"{told(row['t'])}, {told(row['value'])}"
