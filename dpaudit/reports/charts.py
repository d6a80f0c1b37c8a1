"""Charts as Vega-Lite specifications, one for each kind of section, drawn from the document alone."""

from __future__ import annotations

from dpaudit.reports.charts_pairs import loss_map, worst_loss, worst_pairs
from dpaudit.reports.document import Section
from dpaudit.reports.drawing import (
    FADE,
    Spec,
    base,
    label_line,
    layered,
    lines,
    middle,
    names_in,
    number_of,
    rule,
    span,
    toggle,
)


def epsilon_by_n(section: Section) -> Spec:
    """Returns true epsilon against n with the nominal epsilon as a dashed line."""
    spec = lines(section, "n", "true", "n (records)", "true ε", "epsilon")
    nominal = number_of(section["setting"]["eps"])
    label = f"nominal ε = {section['setting']['eps']}"
    return layered(spec, [rule("y", nominal, label), label_line(nominal, label)])


def delta_curves(section: Section) -> Spec:
    """Returns delta against epsilon on a logarithmic axis."""
    return lines(section, "at", "delta_value", "ε", "δ(ε), logarithmic", "delta", log=True)


def sensitivity(section: Section) -> Spec:
    """Returns LS and S over the first cell (k = 2) or over the data sets in order, with GS as a line."""
    flat = section["setting"]["k"] == 2
    values = [
        {
            "position": row["x"][0] if flat else index,
            "data": "(" + ", ".join(map(str, row["x"])) + ")",
            "which": which,
            "value": middle(row[key]),
            "enclosure": span(row[key]),
        }
        for index, row in enumerate(section["rows"])
        for which, key in (("LS(x)", "ls"), ("S(x)", "s"))
    ]
    spec = base(f"{section['title']}. {section['question']}", values)
    spec["params"] = toggle("which")
    spec["mark"] = {"type": "line", "point": {"size": 24}} if flat else {"type": "point", "size": 18, "filled": True}
    spec["encoding"] = {
        "x": {
            "field": "position",
            "type": "quantitative",
            "title": "first cell of x" if flat else "data set, in order",
        },
        "y": {"field": "value", "type": "quantitative", "title": "sensitivity"},
        "color": {
            "field": "which",
            "title": None,
            "scale": {"domain": ["LS(x)", "S(x)"], "range": ["#D55E00", "#0072B2"]},
        },
        "opacity": FADE,
        "tooltip": [{"field": "data"}, {"field": "which"}, {"field": "enclosure", "title": "value"}],
    }
    return layered(spec, [rule("y", middle(section["gs"]), f"GS = {span(section['gs'])}")])


def error_by_n(section: Section) -> Spec:
    """Returns the exact mean error against n with the crossovers as vertical lines."""
    spec = lines(section, "n", "mean_value", "n (records)", "exact mean error E[H]", "mean", log=True)
    ns = [row["n"] for row in section["rows"]]
    if max(ns) > 20 * min(ns):
        spec["encoding"]["x"]["scale"] = {"type": "log"}
    rules = [rule("x", crossing["n"], crossing["text"]) for crossing in section.get("crossovers", [])]
    return layered(spec, rules) if rules else spec


def error_by_prior(section: Section) -> Spec:
    """Returns the exact mean error against the prior's entry, with the crossovers as vertical lines."""
    spec = lines(section, "a", "mean_value", "a, the prior being (a, …, a)", "exact mean error E[H]", "mean", log=True)
    rules = [rule("x", crossing["n"], crossing["text"]) for crossing in section["crossovers"]]
    return layered(spec, rules) if rules else spec


def prior_study(section: Section) -> Spec:
    """Returns true epsilon / nominal epsilon against n, a line a prior, with the bound 1."""
    spec = lines(section, "n", "ratio_value", "n (records)", "true ε / nominal ε", "ratio")
    spec["encoding"]["x"]["scale"] = {"type": "log"}
    del spec["encoding"]["strokeDash"]
    spec["encoding"]["color"]["scale"] = {
        "domain": names_in(section["rows"]),
        "scheme": {"name": "viridis", "extent": [0.15, 0.85]},
    }
    return layered(spec, [rule("y", 1, "true ε = nominal ε"), label_line(1, "true ε = nominal ε")])


MARGIN_VERDICTS = ["PROVED", "REFUTED", "UNWITNESSED", "IMPOSSIBLE"]
LEAST_MARGIN = 1e-10
"""Smaller margins are drawn here; the tooltip has the true one."""


def margins(section: Section) -> Spec:
    """Returns how close each claim came to failing, on a logarithmic axis."""
    values = [
        {
            "claim": row["id"],
            "margin": max(abs(middle(row["margin"])), LEAST_MARGIN),
            "verdict": row["verdict_of"],
            "enclosure": span(row["margin"]),
        }
        for row in section["rows"]
    ]
    spec = base(f"{section['title']}. {section['question']}", values, max(120, 16 * len(values)))
    spec["mark"] = {"type": "point", "filled": True, "size": 70}
    spec["encoding"] = {
        "y": {"field": "claim", "type": "nominal", "title": None, "sort": "x", "axis": {"labelLimit": 260}},
        "x": {
            "field": "margin",
            "type": "quantitative",
            "title": "|right − left|, logarithmic; 1e-10 stands for anything smaller",
            "scale": {"type": "log"},
        },
        "color": {
            "field": "verdict",
            "title": None,
            "scale": {"domain": MARGIN_VERDICTS, "range": ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]},
        },
        "shape": {
            "field": "verdict",
            "scale": {"domain": MARGIN_VERDICTS, "range": ["circle", "diamond", "square", "cross"]},
            "title": None,
        },
        "tooltip": [{"field": "claim"}, {"field": "verdict"}, {"field": "enclosure", "title": "margin"}],
    }
    return spec


CHARTS = {
    "epsilon-by-n": epsilon_by_n,
    "delta-curves": delta_curves,
    "worst-pairs": worst_pairs,
    "worst-loss": worst_loss,
    "loss-map": loss_map,
    "sensitivity": sensitivity,
    "error-by-n": error_by_n,
    "error-by-prior": error_by_prior,
    "prior-study": prior_study,
    "margins": margins,
}
"""Kind of section -> its chart. A kind without a line here is shown as a table only."""


def chart(section: Section) -> Spec | None:
    """Returns the section's chart, or None if its kind has none or it has no rows."""
    draw = CHARTS.get(section["kind"])
    return draw(section) if draw and section["rows"] else None
