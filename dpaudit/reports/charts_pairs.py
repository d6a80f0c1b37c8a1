"""Charts of pairs of data sets: the distributions and the loss of the worst pair, and the map of all pairs."""

from __future__ import annotations

from dpaudit.reports.document import Section, named
from dpaudit.reports.drawing import Spec, describe, field, lines, middle, scale, span, tooltip
from dpaudit.reports.tables import cell

SHOWN_OUTPUTS = 16
"""So many outputs of a worst pair are shown where they do not lie on a line (k >= 3, or anybody's own)."""


def worst_pairs(section: Section) -> Spec:
    """Returns the two distributions of the worst pair and the loss, one small chart a mechanism."""
    flat = section.get("flat", section["setting"].get("k") == 2)
    names = named(section["rows"])
    values = [
        {
            "mechanism": name,
            "data": data,
            "output": row["output"][0] if flat else cell(row["output"]),
            "probability": middle(row[key]),
            "enclosure": span(row[key]),
            "loss": span(row["loss"]),
        }
        for name, own in names.items()
        for row in (own if flat else sorted(own, key=lambda r: -abs(middle(r["loss"])))[:SHOWN_OUTPUTS])
        for data, key in (("P_x", "p"), ("P_x′", "p_prime"))
    ]
    spec = describe(section, values)
    del spec["width"], spec["height"], spec["autosize"]
    spec["facet"] = field("mechanism", kind="nominal", sort=list(names))
    spec["columns"] = 2
    spec["resolve"] = {"scale": {"y": "independent", "x": "independent"}}
    spec["spec"] = _pair_chart(flat)
    return spec


def _pair_chart(flat: bool) -> Spec:
    two = ["P_x", "P_x′"]
    spec: Spec = {"width": 330, "height": 160, "mark": {"type": "point", "filled": True, "size": 60}}
    spec["encoding"] = {
        "x": field("output", "outputs of largest |loss|", "nominal", sort=None, axis={"labelAngle": -60}),
        "y": field("probability", "probability"),
        "color": field("data", kind="nominal", scale=scale(two, ["#0072B2", "#D55E00"])),
        "shape": field("data", kind="nominal", scale=scale(two, ["circle", "diamond"])),
        "tooltip": tooltip("data", "output", "loss", enclosure="probability"),
    }
    if flat:
        del spec["encoding"]["shape"]
        spec["mark"] = {"type": "line", "interpolate": "step", "strokeWidth": 1.8}
        spec["encoding"]["x"] = field("output", "output (first cell)")
        spec["encoding"]["strokeDash"] = field("data", kind="nominal", scale=scale(two, [[1, 0], [5, 3]]))
    return spec


def worst_loss(section: Section) -> Spec:
    """Returns the loss of the worst pair at every output, by mechanism (k = 2)."""
    flat = {**section, "rows": [{**row, "first": row["output"][0]} for row in section["rows"]]}
    spec = lines(flat, "first", "output (first cell)", "loss", "loss of the worst pair")
    spec["mark"] = {"type": "line", "strokeWidth": 1.8, "interpolate": "step"}
    return spec


def loss_map(section: Section) -> Spec:
    """Returns the map of losses: pairs by outputs, blue negative, orange positive."""
    rows, step = section["rows"], max(1, -(-section["n"] // 12))
    values = [
        {"x": r["x"], "output": r["output"], "loss": middle(r["loss"]), "enclosure": span(r["loss"])} for r in rows
    ]
    spec = describe(section, values, 420)
    top = max(abs(value["loss"]) for value in values)
    sparse = {"values": list(range(0, section["n"] + 1, step)), "labelAngle": 0}
    colours = {"scheme": "blueorange", "domain": [-top, top]}
    legend = {"gradientLength": 240, "orient": "bottom"}
    spec["mark"] = {"type": "rect"}
    spec["encoding"] = {
        "x": field("output", "output (first cell)", "ordinal", axis=sparse),
        "y": field("x", "pair (x, x+1): first cell x", "ordinal", axis=sparse, sort="descending"),
        "color": field("loss", "loss ln P_x/P_x′", scale=colours, legend=legend),
        "tooltip": tooltip("x", "output", enclosure="loss"),
    }
    return spec
