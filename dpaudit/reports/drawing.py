"""What the charts share: colours, scales, lines by mechanism. Floats serve here for positions on paper only."""

from __future__ import annotations

from typing import Any

from dpaudit.reports.document import Section

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
    """Returns a float near the enclosure, for drawing: nine digits are more than paper shows."""
    return float(f"{(float(enclosure['lower']) + float(enclosure['upper'])) / 2:.9g}")


def span(enclosure: dict[str, str]) -> str:
    """Returns "[lower, upper]", for tooltips."""
    return f"[{enclosure['lower']}, {enclosure['upper']}]"


def colour(names: list[str]) -> Spec:
    """Returns a colour scale that gives a mechanism the same colour in every chart."""
    spare = iter(SPARE * (1 + len(names) // len(SPARE)))
    return {"domain": names, "range": [MECHANISM_COLOURS.get(name) or next(spare) for name in names]}


DASHES = {"LSZhang": [2, 2], "LSDim": [8, 3], "LSHist": [12, 3, 2, 3], "EHDL": [4, 3], "MHdelta": [6, 2, 2, 2]}


def dashes(names: list[str]) -> Spec:
    """Returns a dash pattern for each mechanism, so that colour is not the only code."""
    return {"domain": names, "range": [DASHES.get(name, [1, 0]) for name in names]}


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
        {"mechanism": row["mechanism"], x: number_of(row[x]), y: middle(row[number]), "enclosure": span(row[number])}
        for row in section["rows"]
        if not log or float(row[number]["lower"]) > 0
    ]
    spec = base(f"{section['title']}. {section['question']}", values, 340)
    scale: Spec = {"type": "log"} if log else {"zero": False}
    spec["params"] = toggle("mechanism")
    spec["mark"] = {"type": "line", "point": {"size": 28}, "strokeWidth": 2}
    spec["encoding"] = {
        "x": {"field": x, "type": "quantitative", "title": x_title, "scale": {"zero": False}, "axis": {"tickCount": 8}},
        "y": {"field": y, "type": "quantitative", "title": y_title, "scale": scale},
        "color": {"field": "mechanism", "title": None, "scale": colour(names_in(section["rows"]))},
        "strokeDash": {"field": "mechanism", "title": None, "scale": dashes(names_in(section["rows"]))},
        "opacity": FADE,
        "tooltip": [
            {"field": "mechanism"},
            {"field": x, "title": x_title},
            {"field": "enclosure", "title": y_title},
        ],
    }
    return spec


def number_of(value: Any) -> float | int:
    """Returns a number for drawing from a whole number or from text such as "3/4"."""
    if isinstance(value, int):
        return value
    top, _, bottom = str(value).partition("/")
    return float(top) / float(bottom or 1)


def layered(spec: Spec, extra: list[Spec]) -> Spec:
    """Returns the chart with further layers; the parameters move into the first one."""
    inner = {key: spec.pop(key) for key in ("mark", "encoding", "params") if key in spec}
    return {**spec, "layer": [inner, *extra]}


def rule(axis: str, at: float, label: str) -> Spec:
    """Returns a dashed line across the chart, with its meaning as a tooltip."""
    return {
        "data": {"values": [{"at": at, "label": label}]},
        "mark": {"type": "rule", "strokeDash": [6, 4], "strokeWidth": 1.5, "color": "#888"},
        "encoding": {axis: {"field": "at", "type": "quantitative"}, "tooltip": [{"field": "label", "title": " "}]},
    }


def label_line(at: float, label: str) -> Spec:
    """Returns the text of a horizontal line, at its left end."""
    return {
        "data": {"values": [{"at": at, "label": label}]},
        "mark": {"type": "text", "align": "left", "dy": -7, "x": 4, "fontSize": 12},
        "encoding": {"y": {"field": "at", "type": "quantitative"}, "text": {"field": "label"}},
    }
