"""Charts of cells: the losses of all pairs, and true over nominal epsilon by prior and n."""

from __future__ import annotations

import math
from typing import Any

from dpaudit.pictures.maps import SMALL, CellMap, key
from dpaudit.pictures.names import shortened
from dpaudit.pictures.picture import NARROW, WIDE, Figure, Picture
from dpaudit.pictures.svg import headed
from dpaudit.reports.charts_lines import Near, figure, middle, prior_lines
from dpaudit.reports.document import Section, named
from dpaudit.reports.findings import listed, ringed, sign, signed, tied
from dpaudit.reports.tables import cell, cells_of, worst_cells

Row = dict[str, Any]


def loss_maps(section: Section, near: Near) -> list[Figure]:
    """Returns the loss of every pair (x, x+1) at every output, a small map for each mechanism, on one scale."""
    rows = [{"mechanism": section.get("mechanism", ""), **row} for row in cells_of(section)]
    reach = max((abs(loss) for row in rows if math.isfinite(loss := middle(row["loss"]))), default=1.0) or 1.0
    drawn, words = [], []
    for name, own in named(rows).items():
        worst = max(own, key=lambda row: abs(middle(row["loss"])))
        drawn.append(_map(name, own, worst, reach, max(row["x"] for row in own) + 1))
        words.append(f"{name} at the pair ({worst['x']}, {worst['x'] + 1}), output {worst['output']}{tied(own, worst)}")
    drawn.append(key(reach, "loss ln(P_x / P_x′)"))
    said = ringed(words)
    return [Figure(drawn, f"{said} All maps are on one scale." if len(words) > 1 else said)]


def data_maps(section: Section, near: Near) -> list[Figure]:
    """Returns the largest loss of every data set at every output, a map for each mechanism, on one scale."""
    names = named(section["rows"])
    known = [abs(middle(loss)) for row in section["rows"] for loss in row["losses"] if loss]
    reach = max(filter(math.isfinite, known), default=1.0) or 1.0
    worst = {row["mechanism"]: row for row in worst_cells(section)}
    drawn = [_named(section, name, own, worst[name], reach) for name, own in names.items()]
    drawn.append(key(reach, "largest loss ln(P_x / P_x′)"))
    words = [f"{name} at x = {cell(row['x'])}, output {cell(row['output'])}" for name, row in worst.items()]
    said = f"Ringed, where the loss is largest: {listed(words)}."
    never = any(loss is None for row in section["rows"] for loss in row["losses"])
    said += " –: the data set never gives this output." if never else ""
    said += " ∞: it does, and a neighbour never." if math.inf in known else ""
    return [Figure(drawn, f"{said} All on one scale." if len(names) > 1 else said)]


def _named(section: Section, name: str, own: list[Row], worst: Row, reach: float) -> Picture:
    """Returns the map of one mechanism; the first data set is at the top."""
    outputs, rows = section["outputs"][name], own[::-1]
    values = {
        (i, j): middle(loss) for j, row in enumerate(rows) for i, loss in enumerate(row["losses"]) if loss is not None
    }
    columns, lines = (shortened([str(cell(v)) for v in every]) for every in (outputs, [row["x"] for row in rows]))
    at = outputs.index(worst["output"]), [row["x"] for row in rows].index(worst["x"])
    left = section["left"][name]
    more = [f"{i} more {what}{'s' * (i != 1)}" for i, what in zip(left, ("data set", "output"), strict=True) if i]
    note = f"Those of largest loss; {listed(more)}." if more else ""
    size = signed(worst["loss"], worst.get("shown"))
    where = f"x = {cell(worst['x'])} against {cell(worst['x_prime'])}, output {cell(worst['output'])}"
    alt = f"Map of the losses of {name} by data set and output: the largest, {size}, at {where}. {note}".strip()
    titles = headed(name, f"loss {size}", NARROW), values, columns, lines, reach, "output", "data set x"
    return CellMap(*titles, ring=at, named=True, note=note, width=NARROW).draw(alt)


def _map(name: str, own: list[Row], worst: Row, reach: float, n: int) -> Picture:
    values = {(row["output"], row["x"]): middle(row["loss"]) for row in own}
    size = {"lower": worst["loss"]["lower"], "upper": worst["loss"]["upper"]}
    positive = not size["lower"].startswith("-")
    head = headed(name, sign(size) if positive else sign(_turned(size)), SMALL)
    where = f"the pair ({worst['x']}, {worst['x'] + 1}), output {worst['output']}"
    alt = f"Map of the losses of {name}: the largest at {where}."
    columns, rows = [str(i) for i in range(n + 1)], [str(i) for i in range(n)]
    titles = ("output (first cell)", "pair (x, x+1)")
    return CellMap(head, values, columns, rows, reach, *titles, ring=(worst["output"], worst["x"])).draw(alt)


def _turned(enclosure: dict[str, str]) -> dict[str, str]:
    """Returns the enclosure of the negative: the loss of the pair in the other order."""
    return {"lower": enclosure["upper"].removeprefix("-"), "upper": enclosure["lower"].removeprefix("-")}


def prior_study(section: Section, near: Near) -> list[Figure]:
    """Returns true over nominal epsilon by n and prior, with the contour true epsilon = epsilon; then the lines."""
    rows = section["rows"]
    ns, priors = list(dict.fromkeys(row["n"] for row in rows)), list(named(rows))
    title = section["title"]
    found = [figure(prior_lines(section), section.get("finding", ""), title)]
    if len(ns) > 1 and len(priors) > 1:
        found.insert(0, _by_prior(section, ns, priors))
    return found


def _by_prior(section: Section, ns: list[int], priors: list[str]) -> Figure:
    place = {(row["n"], row["mechanism"]): row for row in section["rows"]}
    values = {
        (i, j): middle(place[n, p]["ratio"]) for i, n in enumerate(ns) for j, p in enumerate(priors) if (n, p) in place
    }
    over = frozenset(at for at in values if place[ns[at[0]], priors[at[1]]]["verdict"] == "REFUTED")
    worst = max(values, key=lambda at: values[at])
    reach = max(abs(value - 1) for value in values.values()) or 1.0
    left = min(120.0, 16 + 6.6 * max(map(len, priors)))
    outcomes = {row["verdict"] for row in section["rows"]}
    said = f"True ε exceeds the nominal one in {len(over)} of {len(values)} cells, those inside the contour."
    if not over:
        said = (
            "True ε stays at or below the nominal one in every cell."
            if outcomes == {"PROVED"}
            else "Undecided in some cells."
        )
    where = f"n = {ns[worst[0]]}, prior {priors[worst[1]]}"
    alt = f"{section['title']}. {said} The largest ratio, about {values[worst]:.4g}, is ringed: {where}."
    names = [str(n) for n in ns]
    pictures = []
    for width in (WIDE, NARROW):
        more: dict[str, Any] = {"ring": worst, "over": over, "width": width, "left": left, "centre": 1.0}
        shown = CellMap("true ε / nominal ε", values, names, priors, reach, "n (records)", "prior", **more)
        pictures.append([shown.draw(alt), key(reach, "true ε / nominal ε", centre=1.0)])
    return Figure(pictures[0], said, pictures[1])


def prior_map(section: Section, near: Near) -> list[Figure]:
    """Returns true over nominal epsilon by n and prior, a small map for each mechanism, with the contour at 1."""
    rows = section["rows"]
    ns, priors = ([*dict.fromkeys(row[key_] for row in rows)] for key_ in ("n", "prior"))
    reach = max(abs(middle(row["ratio"]) - 1) for row in rows) or 1.0
    drawn, broken = [], []
    for name, own in named(rows).items():
        values = {(ns.index(row["n"]), priors.index(row["prior"])): middle(row["ratio"]) for row in own}
        over = frozenset((ns.index(row["n"]), priors.index(row["prior"])) for row in own if row["outcome"] == "REFUTED")
        worst = max(values, key=lambda at: values[at])
        said = (
            f"exceeds the nominal ε in {len(over)} of {len(values)} cells"
            if over
            else "nowhere shown to exceed the nominal ε"
        )
        alt = f"Map of true ε over nominal ε of {name} by n and prior: {said}."
        more: dict[str, Any] = {"ring": worst, "over": over, "left": 44.0, "centre": 1.0}
        titles = [str(n) for n in ns], priors, reach, "n (records)", "a of the prior (a, a)"
        drawn.append(CellMap(name, values, *titles, **more).draw(alt))
        broken += [f"{name} in {len(over)} of {len(values)} cells"] if over else []
    drawn.append(key(reach, "true ε / nominal ε", centre=1.0))
    open_ = sorted({row["mechanism"] for row in rows if row["outcome"] == "UNDECIDED"})
    said = f"True ε exceeds the nominal one, inside the contour: {listed(broken)}." if broken else _nowhere(open_)
    return [Figure(drawn, f"{said} The largest ratio of each is ringed.")]


def _nowhere(open_: list[str]) -> str:
    return (
        f"Undecided somewhere: {listed(open_)}."
        if open_
        else "True ε stays at or below the nominal one in every cell drawn."
    )
