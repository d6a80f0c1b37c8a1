"""Charts of cells: the losses of all pairs, and true over nominal epsilon by prior and n."""

from __future__ import annotations

from typing import Any

from dpaudit.pictures.maps import CellMap, key
from dpaudit.pictures.picture import NARROW, WIDE, Figure, Picture
from dpaudit.reports.charts_lines import Near, figure, middle, prior_lines
from dpaudit.reports.document import Section, named
from dpaudit.reports.findings import listed, sign

Row = dict[str, Any]


def loss_maps(section: Section, near: Near) -> list[Figure]:
    """Returns the loss of every pair (x, x+1) at every output, a small map for each mechanism, on one scale."""
    rows = [{"mechanism": section.get("mechanism", ""), **row} for row in section["rows"]]
    reach = max(abs(middle(row["loss"])) for row in rows) or 1.0
    drawn, words = [], []
    for name, own in named(rows).items():
        worst = max(own, key=lambda row: abs(middle(row["loss"])))
        drawn.append(_map(name, own, worst, reach, section["n"]))
        words.append(f"{name} at the pair ({worst['x']}, {worst['x'] + 1}), output {worst['output']}")
    drawn.append(key(reach, "loss ln(P_x / P_x′)"))
    said = f"Ringed, where the loss is largest to its six digits: {listed(words)}. All maps are on one scale."
    return [Figure(drawn, said)]


def _map(name: str, own: list[Row], worst: Row, reach: float, n: int) -> Picture:
    values = {(row["output"], row["x"]): middle(row["loss"]) for row in own}
    size = {"lower": worst["loss"]["lower"], "upper": worst["loss"]["upper"]}
    positive = not size["lower"].startswith("-")
    head = f"{name}: {sign(size) if positive else sign(_turned(size))}"
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
    reach = max(values.values())
    said = (
        f"True ε exceeds the nominal one in {len(over)} of {len(values)} cells, those above the contour."
        if over
        else "True ε stays at or below the nominal one in every cell."
    )
    left = min(120, 16 + 6.6 * max(map(len, priors)))
    pictures = []
    for width in (WIDE, NARROW):
        shown = CellMap(
            "true ε / nominal ε",
            values,
            [str(n) for n in ns],
            priors,
            reach,
            "n (records)",
            "prior",
            False,
            worst,
            over,
            width,
            left,
        )
        where = f"n = {ns[worst[0]]}, prior {priors[worst[1]]}"
        alt = f"{section['title']}. {said} The largest ratio, about {values[worst]:.4g}, is ringed: {where}."
        pictures.append([shown.draw(alt), key(reach, "true ε / nominal ε", signed=False)])
    return Figure(pictures[0], said, pictures[1])
