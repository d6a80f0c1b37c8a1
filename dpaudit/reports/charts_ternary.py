"""Charts over histograms of three cells: the losses of the worst pairs, and the sensitivities."""

from __future__ import annotations

from typing import Any

from dpaudit.pictures.maps import Shades, key
from dpaudit.pictures.picture import Figure
from dpaudit.pictures.svg import headed
from dpaudit.pictures.ternary import SIDE, Ternary
from dpaudit.reports.charts_lines import Near, middle
from dpaudit.reports.document import Section, named
from dpaudit.reports.findings import at_most, largest, listed, ringed, sign, tied, told
from dpaudit.reports.tables import cell

Row = dict[str, Any]


def ternary_pairs(section: Section, names: dict[str, list[Row]], reach: float) -> Figure:
    """Returns for every mechanism the loss of its worst pair over all outputs."""
    drawn, words, shades = [], [], Shades.around(reach)
    for name, own in names.items():
        pair = section["pairs"][name]
        values = {_cells(row["output"]): middle(row["loss"]) for row in own}
        tips = {_cells(row["output"]): f"{cell(row['output'])}; {told(row['loss'])}" for row in own}
        worst = next(row for row in own if row["output"] == pair["output"])
        said = f"{name} at output {cell(pair['output'])} of x = {cell(pair['x'])}, x′ = {cell(pair['x_prime'])}"
        marks = [(_cells(pair["x"]), "x"), (_cells(pair["x_prime"]), "x′")]
        head = headed(name, f"loss {sign(worst['loss'])}", SIDE)
        alt = f"Map of the losses of the worst pair over all outputs. The largest: {said}, {at_most(worst['loss'])}."
        drawn.append(
            Ternary(head, values, tips, shades, _cells(pair["output"]), marks, "output; loss about: ").draw(alt)
        )
        words.append(said)
    drawn.append(key(shades, "loss ln(P_x / P_x′)"))
    return Figure(
        drawn, f"Every hexagon is an output; the loss is largest, and ringed, for {listed(words)}. All on one scale."
    )


def _cells(value: Any) -> tuple[int, int, int]:
    first, second, third = value
    return int(first), int(second), int(third)


def sensitivity(section: Section, near: Near) -> list[Figure]:
    """Returns LS and S over all data sets of three cells."""
    shades, drawn = Shades.amount(middle(section["gs"])), []
    for which, name in (("ls", "LS(x)"), ("s", "S(x)")):
        values = {_cells(row["x"]): middle(row[which]) for row in section["rows"]}
        tips = {_cells(row["x"]): f"{cell(row['x'])}; {told(row[which])}" for row in section["rows"]}
        row, top = largest(section, which)
        alt = f"Map of {name} over all data sets; the largest is {at_most(top)} at x = {cell(row['x'])}."
        drawn.append(
            Ternary(f"{name} {sign(top)}", values, tips, shades, _cells(row["x"]), (), f"x; {name} about: ").draw(alt)
        )
    row, top = largest(section, "ls")
    drawn.append(key(shades, "sensitivity, up to GS"))
    size, gs = at_most(top), at_most(section["gs"])
    caption = f"One record moves the posterior most at x = {cell(row['x'])}: LS is {size} there; GS, for all, is {gs}."
    return [Figure(drawn, caption)]


def losses(section: Section, near: Near) -> list[Figure]:
    """Returns for every mechanism the largest loss of every data set, on one scale."""
    shades = Shades.amount(max(float(row["loss"]["upper"]) for row in section["rows"]) or 1.0)
    drawn, words = [], []
    for name, own in named(section["rows"]).items():
        values = {_cells(row["x"]): middle(row["loss"]) for row in own}
        tips = {_cells(row["x"]): f"{cell(row['x'])}; {told(row['loss'])}" for row in own}
        worst = max(own, key=lambda row: float(row["loss"]["lower"]))
        most = f"x = {cell(worst['x'])}, {at_most(worst['loss'])}"
        alt = f"{name}: map of the largest loss of every data set; most at {most}."
        head = headed(name, sign(worst["loss"]), SIDE)
        drawn.append(Ternary(head, values, tips, shades, _cells(worst["x"]), (), "x; largest loss about: ").draw(alt))
        words.append(f"{name} at x = {cell(worst['x'])}{tied(own, worst)}")
    drawn.append(key(shades, "largest loss of the data set"))
    said = f"Every hexagon is a data set. {ringed(words)}"
    return [Figure(drawn, f"{said} All maps are on one scale.")]
