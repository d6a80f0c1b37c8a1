"""Charts of pairs of data sets: the distributions and the loss of the worst pair, and the map of all pairs."""

from __future__ import annotations

from dpaudit.reports.document import Section
from dpaudit.reports.drawing import Spec, base, lines, middle, names_in, span

SHOWN_OUTPUTS = 16
"""So many outputs of a worst pair are shown where they do not lie on a line (k >= 3)."""


def worst_pairs(section: Section) -> Spec:
    """Returns the two distributions of the worst pair and the loss, one small chart a mechanism."""
    flat = section["setting"]["k"] == 2
    values = []
    for name in names_in(section["rows"]):
        own = [row for row in section["rows"] if row["mechanism"] == name]
        if not flat:
            own = sorted(own, key=lambda row: -abs(middle(row["loss"])))[:SHOWN_OUTPUTS]
        for row in own:
            for data, key in (("P_x", "p"), ("P_x′", "p_prime")):
                values.append(
                    {
                        "mechanism": name,
                        "data": data,
                        "output": row["output"][0] if flat else "(" + ", ".join(map(str, row["output"])) + ")",
                        "probability": middle(row[key]),
                        "enclosure": span(row[key]),
                        "loss": span(row["loss"]),
                    }
                )
    spec = base(f"{section['title']}. {section['question']}", values)
    del spec["width"], spec["height"], spec["autosize"]
    spec["facet"] = {"field": "mechanism", "type": "nominal", "title": None, "sort": names_in(section["rows"])}
    spec["columns"] = 2
    spec["resolve"] = {"scale": {"y": "independent", "x": "independent"}}
    spec["spec"] = _pair_chart(flat)
    return spec


def _pair_chart(flat: bool) -> Spec:
    two: Spec = {"domain": ["P_x", "P_x′"], "range": ["#0072B2", "#D55E00"]}
    tooltip = [
        {"field": "data"},
        {"field": "output"},
        {"field": "enclosure", "title": "probability"},
        {"field": "loss"},
    ]
    y: Spec = {"field": "probability", "type": "quantitative", "title": "probability"}
    colour_: Spec = {"field": "data", "title": None, "scale": two}
    if flat:
        dash = {"field": "data", "scale": {"domain": two["domain"], "range": [[1, 0], [5, 3]]}}
        x: Spec = {"field": "output", "type": "quantitative", "title": "output (first cell)"}
        mark: Spec = {"type": "line", "interpolate": "step", "strokeWidth": 1.8}
        more: Spec = {"strokeDash": dash}
    else:
        x = {
            "field": "output",
            "type": "nominal",
            "title": "outputs of largest |loss|",
            "sort": None,
            "axis": {"labelAngle": -60},
        }
        shapes = {"field": "data", "title": None, "scale": {"domain": two["domain"], "range": ["circle", "diamond"]}}
        mark, more = {"type": "point", "filled": True, "size": 60}, {"shape": shapes}
    return {
        "width": 330,
        "height": 160,
        "mark": mark,
        "encoding": {"x": x, "y": y, "color": colour_, "tooltip": tooltip, **more},
    }


def worst_loss(section: Section) -> Spec:
    """Returns the loss of the worst pair at every output, by mechanism (k = 2)."""
    flat = {**section, "rows": [{**row, "first": row["output"][0]} for row in section["rows"]]}
    spec = lines(flat, "first", "loss_value", "output (first cell)", "loss of the worst pair", "loss")
    spec["mark"] = {"type": "line", "strokeWidth": 1.8, "interpolate": "step"}
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
