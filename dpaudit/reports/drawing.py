"""What the charts share: colours, scales, lines by mechanism. Floats serve here for positions on paper only."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.reports.document import Section, named, number_of

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
    "LS(x)": "#D55E00",
    "S(x)": "#0072B2",
}
"""Okabe and Ito's palette, safe for colour-blind readers; black and yellow are replaced, as they vanish on a theme."""
SPARE = ("#44AA99", "#882255", "#DDCC77", "#332288", "#117733", "#AA4499")


def middle(enclosure: dict[str, str]) -> float:
    """Returns a float near the enclosure, for drawing: nine digits are more than paper shows."""
    return float(f"{(float(enclosure['lower']) + float(enclosure['upper'])) / 2:.9g}")


def span(enclosure: dict[str, str]) -> str:
    """Returns "[lower, upper]", for tooltips."""
    return f"[{enclosure['lower']}, {enclosure['upper']}]"


def colour(names: list[str]) -> Spec:
    """Returns a colour scale that gives a mechanism the same colour in every chart."""
    spare = iter(SPARE * (1 + len(names) // len(SPARE)))
    return scale(names, [MECHANISM_COLOURS.get(name) or next(spare) for name in names])


DASHES: dict[str, list[int]] = {
    "LSZhang": [2, 2],
    "LSDim": [8, 3],
    "LSHist": [12, 3, 2, 3],
    "EHDL": [4, 3],
    "MHdelta": [6, 2, 2, 2],
}
"""Dash patterns, so that colour is not the only code."""


def describe(section: Section, values: list[Any], height: int = 300) -> Spec:
    """Returns what all charts share."""
    return {
        "description": f"{section['title']}. {section['question']}",
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


FADE: Spec = {"condition": {"param": "pick", "value": 1}, "value": 0.08}
"""What is not picked in the legend fades."""


def field(name: str, title: str | None = None, kind: str = "quantitative", **more: Any) -> Spec:
    """Returns how a field is drawn along an axis, or as colour, shape or dashes."""
    return {"field": name, "type": kind, "title": title, **more}


def scale(domain: list[str], values: list[Any]) -> Spec:
    """Returns a scale that gives every name its value."""
    return {"domain": domain, "range": values}


def tooltip(*names: str, **titled: str) -> list[Spec]:
    """Returns what is shown on hover: fields by their own names, then fields with a title."""
    return [{"field": name} for name in names] + [{"field": name, "title": title} for name, title in titled.items()]


def lines(section: Section, x: str, x_title: str, y: str, y_title: str, log: bool = False) -> Spec:
    """Returns lines by mechanism with points, hover and a legend that toggles: the enclosures of the rows under ``y``.

    What is infinite or has no x is left out.
    """
    values = [
        {"mechanism": row["mechanism"], x: number_of(row[x]), "value": middle(row[y]), "enclosure": span(row[y])}
        for row in section["rows"]
        if row[x] is not None and math.isfinite(float(row[y]["lower"])) and not (log and float(row[y]["lower"]) <= 0)
    ]
    names = list(named(section["rows"]))
    spec = describe(section, values, 340)
    spec["params"] = [{"name": "pick", "select": {"type": "point", "fields": ["mechanism"]}, "bind": "legend"}]
    spec["mark"] = {"type": "line", "point": {"size": 28}, "strokeWidth": 2}
    spec["encoding"] = {
        "x": field(x, x_title, scale={"zero": False}, axis={"tickCount": 8}),
        "y": field("value", y_title, scale={"type": "log"} if log else {"zero": False}),
        "color": field("mechanism", kind="nominal", scale=colour(names)),
        "strokeDash": field("mechanism", kind="nominal", scale=scale(names, [DASHES.get(n, [1, 0]) for n in names])),
        "opacity": FADE,
        "tooltip": tooltip("mechanism", **{x: x_title, "enclosure": y_title}),
    }
    return spec


def layered(spec: Spec, extra: list[Spec]) -> Spec:
    """Returns the chart with further layers; the parameters move into the first one."""
    inner = {key: spec.pop(key) for key in ("mark", "encoding", "params") if key in spec}
    return {**spec, "layer": [inner, *extra]}


def rule(axis: str, at: float, label: str) -> Spec:
    """Returns a dashed line across the chart, with its meaning as a tooltip."""
    return {
        "data": {"values": [{"at": at, "label": label}]},
        "mark": {"type": "rule", "strokeDash": [6, 4], "strokeWidth": 1.5, "color": "#888"},
        "encoding": {axis: {"field": "at", "type": "quantitative"}, "tooltip": tooltip(label=" ")},
    }


def bound(at: float, label: str) -> list[Spec]:
    """Returns a horizontal dashed line with its text at the left end."""
    text = {
        "data": {"values": [{"at": at, "label": label}]},
        "mark": {"type": "text", "align": "left", "dy": -7, "x": 4, "fontSize": 12},
        "encoding": {"y": {"field": "at", "type": "quantitative"}, "text": {"field": "label"}},
    }
    return [rule("y", at, label), text]
