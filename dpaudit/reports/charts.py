"""Charts as Vega-Lite specifications, one for each kind of section, drawn from the document alone."""

from __future__ import annotations

from dpaudit.reports.charts_pairs import loss_map, worst_loss, worst_pairs
from dpaudit.reports.document import Section, named, number_of
from dpaudit.reports.drawing import Spec, bound, describe, field, layered, lines, middle, rule, scale, span, tooltip


def epsilon_by_n(section: Section) -> Spec:
    """Returns true epsilon against n with the nominal epsilon as a dashed line."""
    spec, nominal = lines(section, "n", "n (records)", "epsilon", "true ε"), section["setting"]["eps"]
    return layered(spec, bound(number_of(nominal), f"nominal ε = {nominal}") if nominal else [])


def delta_curves(section: Section) -> Spec:
    """Returns delta against epsilon on a logarithmic axis."""
    return lines(section, "at", "ε", "delta", "δ(ε), logarithmic", log=True)


def sensitivity(section: Section) -> Spec:
    """Returns LS and S over the first cell (k = 2) or over the data sets in order, with GS as a line."""
    flat = section["setting"]["k"] == 2
    rows = [
        {"mechanism": which, "position": row["x"][0] if flat else index, "value": row[key]}
        for index, row in enumerate(section["rows"])
        for which, key in (("LS(x)", "ls"), ("S(x)", "s"))
    ]
    title = "first cell of x" if flat else "data set, in order"
    spec = lines({**section, "rows": rows}, "position", title, "value", "sensitivity")
    spec["encoding"]["y"]["scale"] = {"zero": True}
    if not flat:
        spec["mark"] = {"type": "point", "size": 18, "filled": True}
        del spec["encoding"]["strokeDash"]
    return layered(spec, [rule("y", middle(section["gs"]), f"GS = {span(section['gs'])}")])


def error_by_n(section: Section) -> Spec:
    """Returns the exact mean error against n with the crossovers as vertical lines."""
    spec = _errors(section, "n", "n (records)")
    ns = [row["n"] for row in section["rows"]]
    if max(ns) > 20 * min(ns):
        spec["layer"][0]["encoding"]["x"]["scale"] = {"type": "log"}
    return spec


def error_by_prior(section: Section) -> Spec:
    """Returns the exact mean error against the prior's entry, with the crossovers as vertical lines."""
    return _errors(section, "a", "a, the prior being (a, …, a)")


def _errors(section: Section, axis: str, title: str) -> Spec:
    spec = lines(section, axis, title, "mean", "exact mean error E[H]", log=True)
    return layered(spec, [rule("x", crossing["n"], crossing["text"]) for crossing in section.get("crossovers", [])])


def prior_study(section: Section) -> Spec:
    """Returns true epsilon / nominal epsilon against n, a line a prior, with the bound 1."""
    spec = lines(section, "n", "n (records)", "ratio", "true ε / nominal ε")
    spec["encoding"]["x"]["scale"] = {"type": "log"}
    del spec["encoding"]["strokeDash"]
    colours = {"name": "viridis", "extent": [0.15, 0.85]}
    spec["encoding"]["color"]["scale"] = {"domain": list(named(section["rows"])), "scheme": colours}
    return layered(spec, bound(1, "true ε = nominal ε"))


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
    spec = describe(section, values, max(120, 16 * len(values)))
    title = "|right − left|, logarithmic; 1e-10 stands for anything smaller"
    colours = scale(MARGIN_VERDICTS, ["#0072B2", "#D55E00", "#009E73", "#CC79A7"])
    shapes = scale(MARGIN_VERDICTS, ["circle", "diamond", "square", "cross"])
    spec["mark"] = {"type": "point", "filled": True, "size": 70}
    spec["encoding"] = {
        "y": field("claim", kind="nominal", sort="x", axis={"labelLimit": 260}),
        "x": field("margin", title, scale={"type": "log"}),
        "color": field("verdict", kind="nominal", scale=colours),
        "shape": field("verdict", kind="nominal", scale=shapes),
        "tooltip": tooltip("claim", "verdict", enclosure="margin"),
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


def has_chart(section: Section) -> bool:
    """Returns whether there is something to draw: the true epsilon is drawn against n only where there is an n."""
    drawn = section["kind"] in CHARTS and bool(section["rows"])
    return drawn and not (section["kind"] == "epsilon-by-n" and all(row["n"] is None for row in section["rows"]))


def chart(section: Section) -> Spec | None:
    """Returns the section's chart, or None if it has none."""
    return CHARTS[section["kind"]](section) if has_chart(section) else None
