"""Charts as Vega-Lite specifications, drawn from the document alone. Floats serve here for positions on paper only."""

from __future__ import annotations

from typing import Any

from dpaudit.report.document import Section

Spec = dict[str, Any]

MECHANISM_COLOURS = {
    "LSZhang": "#CC79A7",
    "LSDim": "#E69F00",
    "LSHist": "#D55E00",
    "EHD": "#56B4E9",
    "EHDL": "#999999",
    "EHDS": "#0072B2",
    "MH": "#009E73",
    "MHdelta": "#8A6FDF",
}
"""Okabe and Ito's palette, safe for colour-blind readers; black and yellow are replaced, as they vanish on a theme."""
SPARE = ("#44AA99", "#882255", "#DDCC77", "#332288", "#117733", "#AA4499")


def middle(enclosure: dict[str, str]) -> float:
    """Returns a float near the enclosure, for drawing."""
    return (float(enclosure["lower"]) + float(enclosure["upper"])) / 2


def span(enclosure: dict[str, str]) -> str:
    """Returns "[lower, upper]", for tooltips."""
    return f"[{enclosure['lower']}, {enclosure['upper']}]"


def colour(names: list[str]) -> Spec:
    """Returns a colour scale that gives a mechanism the same colour in every chart."""
    spare = iter(SPARE * (1 + len(names) // len(SPARE)))
    return {"domain": names, "range": [MECHANISM_COLOURS.get(name) or next(spare) for name in names]}


def base(description: str, values: list[Any], height: int = 300) -> Spec:
    """Returns what all charts share."""
    return {
        "description": description,
        "width": "container",
        "height": height,
        "background": "transparent",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "data": {"values": values},
        "config": {
            "font": "system-ui, 'DejaVu Sans', sans-serif",
            "axis": {"labelFontSize": 12, "titleFontSize": 12, "gridOpacity": 0.35},
            "legend": {"labelFontSize": 12, "titleFontSize": 12, "symbolSize": 120, "orient": "bottom", "columns": 4},
            "view": {"stroke": None},
        },
    }


def toggle(field: str) -> list[Spec]:
    """Returns a parameter that hides what is not picked in the legend."""
    return [{"name": "pick", "select": {"type": "point", "fields": [field]}, "bind": "legend"}]


FADE: Spec = {"condition": {"param": "pick", "value": 1}, "value": 0.08}


def names_in(rows: list[dict[str, Any]], field: str = "mechanism") -> list[str]:
    """Returns the names in order of first appearance."""
    return list(dict.fromkeys(str(row[field]) for row in rows))


def lines(section: Section, x: str, y: str, x_title: str, y_title: str, number: str, log: bool = False) -> Spec:
    """Returns lines by mechanism with points, hover and a legend that toggles."""
    values = [
        {"mechanism": row["mechanism"], x: _number(row[x]), y: middle(row[number]), "enclosure": span(row[number])}
        for row in section["rows"]
    ]
    if log:
        values = [value for value in values if value[y] > 0]
    spec = base(f"{section['title']}. {section['question']}", values, 340)
    scale: Spec = {"type": "log"} if log else {"zero": False}
    spec["params"] = toggle("mechanism")
    spec["mark"] = {"type": "line", "point": {"size": 28}, "strokeWidth": 2}
    spec["encoding"] = {
        "x": {"field": x, "type": "quantitative", "title": x_title, "scale": {"zero": False}, "axis": {"tickCount": 8}},
        "y": {"field": y, "type": "quantitative", "title": y_title, "scale": scale},
        "color": {"field": "mechanism", "title": None, "scale": colour(names_in(section["rows"]))},
        "opacity": FADE,
        "tooltip": [
            {"field": "mechanism"},
            {"field": x, "title": x_title},
            {"field": "enclosure", "title": y_title},
        ],
    }
    return spec


def _number(value: Any) -> float | int:
    if isinstance(value, int):
        return value
    top, _, bottom = str(value).partition("/")
    return float(top) / float(bottom or 1)


def epsilon_by_n(section: Section) -> Spec:
    """Returns true epsilon against n with the nominal epsilon as a dashed line."""
    spec = lines(section, "n", "true", "n (records)", "true ε", "epsilon")
    nominal = _number(section["setting"]["eps"])
    return _layered(spec, [_rule("y", nominal, f"nominal ε = {section['setting']['eps']}")])


def _layered(spec: Spec, extra: list[Spec]) -> Spec:
    """Returns the chart with further layers; the parameters move into the first one."""
    inner = {key: spec.pop(key) for key in ("mark", "encoding", "params") if key in spec}
    return {**spec, "layer": [inner, *extra]}


def _rule(axis: str, at: float, label: str) -> Spec:
    return {
        "data": {"values": [{"at": at, "label": label}]},
        "mark": {"type": "rule", "strokeDash": [6, 4], "strokeWidth": 1.5, "color": "#888"},
        "encoding": {axis: {"field": "at", "type": "quantitative"}, "tooltip": [{"field": "label", "title": " "}]},
    }


def delta_curves(section: Section) -> Spec:
    """Returns delta against epsilon on a logarithmic axis."""
    return lines(section, "at", "delta_value", "ε", "δ(ε), logarithmic", "delta", log=True)


def worst_pairs(section: Section) -> Spec:
    """Returns the two distributions of the worst pair, one small chart a mechanism."""
    label = {"x": "x", "x_prime": "x′"}
    values = [
        {
            "mechanism": row["mechanism"],
            "data": label[row["data"]],
            "output": row["output"][0],
            "probability": middle(row["probability"]),
            "enclosure": span(row["probability"]),
        }
        for row in section["rows"]
    ]
    spec = base(f"{section['title']}. {section['question']}", values)
    del spec["width"], spec["height"], spec["autosize"]
    spec["facet"] = {"field": "mechanism", "type": "nominal", "title": None, "sort": names_in(section["rows"])}
    spec["columns"] = 2
    spec["resolve"] = {"scale": {"y": "independent"}}
    spec["spec"] = {
        "width": 300,
        "height": 150,
        "mark": {"type": "line", "interpolate": "step", "strokeWidth": 1.8},
        "encoding": {
            "x": {"field": "output", "type": "quantitative", "title": "output (first cell)"},
            "y": {"field": "probability", "type": "quantitative", "title": "probability"},
            "color": {
                "field": "data",
                "title": None,
                "scale": {"domain": ["x", "x′"], "range": ["#0072B2", "#D55E00"]},
            },
            "strokeDash": {"field": "data", "scale": {"domain": ["x", "x′"], "range": [[1, 0], [5, 3]]}},
            "tooltip": [{"field": "data"}, {"field": "output"}, {"field": "enclosure", "title": "probability"}],
        },
    }
    return spec


def loss_map(section: Section) -> Spec:
    """Returns the map of losses: pairs by outputs, blue negative, orange positive."""
    values = [
        {"x": r["x"], "output": r["output"], "loss": middle(r["loss"]), "enclosure": span(r["loss"])}
        for r in section["rows"]
    ]
    spec = base(f"{section['title']}. {section['question']}", values, 420)
    top = max(abs(value["loss"]) for value in values)
    spec["mark"] = {"type": "rect"}
    spec["encoding"] = {
        "x": {"field": "output", "type": "ordinal", "title": "output (first cell)", "axis": _sparse(section["n"])},
        "y": {
            "field": "x",
            "type": "ordinal",
            "title": "pair (x, x+1): first cell x",
            "axis": _sparse(section["n"]),
            "sort": "descending",
        },
        "color": {
            "field": "loss",
            "type": "quantitative",
            "title": "loss ln P_x/P_x′",
            "scale": {"scheme": "blueorange", "domain": [-top, top]},
            "legend": {"gradientLength": 240, "orient": "bottom"},
        },
        "tooltip": [{"field": "x"}, {"field": "output"}, {"field": "enclosure", "title": "loss"}],
    }
    return spec


def _sparse(n: int) -> Spec:
    step = max(1, -(-n // 12))
    return {"values": list(range(0, n + 1, step)), "labelAngle": 0}


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
    return _layered(spec, [_rule("y", middle(section["gs"]), f"GS = {span(section['gs'])}")])


def error_by_n(section: Section) -> Spec:
    """Returns the exact mean error against n with the crossovers as vertical lines."""
    spec = lines(section, "n", "mean_value", "n (records)", "exact mean error E[H]", "mean", log=True)
    ns = [row["n"] for row in section["rows"]]
    if max(ns) > 20 * min(ns):
        spec["encoding"]["x"]["scale"] = {"type": "log"}
    rules = [_rule("x", crossing["n"], crossing["text"]) for crossing in section.get("crossovers", [])]
    return _layered(spec, rules) if rules else spec


def error_by_prior(section: Section) -> Spec:
    """Returns the exact mean error against the prior's entry, with the crossovers as vertical lines."""
    spec = lines(section, "a", "mean_value", "a, the prior being (a, …, a)", "exact mean error E[H]", "mean", log=True)
    rules = [_rule("x", crossing["n"], crossing["text"]) for crossing in section["crossovers"]]
    return _layered(spec, rules) if rules else spec


def prior_study(section: Section) -> Spec:
    """Returns true epsilon / nominal epsilon against n, a line a prior, with the bound 1."""
    spec = lines(section, "n", "ratio_value", "n (records)", "true ε / nominal ε", "ratio")
    spec["encoding"]["x"]["scale"] = {"type": "log"}
    spec["encoding"]["color"]["scale"] = {"domain": names_in(section["rows"]), "scheme": "viridis"}
    return _layered(spec, [_rule("y", 1, "the claim: true ε = nominal ε")])


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
        if middle(row["margin"])
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
            "scale": {"domain": ["PROVED", "REFUTED"], "range": ["#0072B2", "#D55E00"]},
        },
        "shape": {
            "field": "verdict",
            "scale": {"domain": ["PROVED", "REFUTED"], "range": ["circle", "diamond"]},
            "title": None,
        },
        "tooltip": [{"field": "claim"}, {"field": "verdict"}, {"field": "enclosure", "title": "margin"}],
    }
    return spec


CHARTS = {
    "epsilon-by-n": epsilon_by_n,
    "delta-curves": delta_curves,
    "worst-pairs": worst_pairs,
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
