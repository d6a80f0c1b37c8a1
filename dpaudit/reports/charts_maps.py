"""Charts of cells: the losses of all pairs, and true over nominal epsilon by prior and n."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from dpaudit.numbers.digits import short
from dpaudit.pictures.maps import SMALL, CellMap, Shades, key
from dpaudit.pictures.names import shortened
from dpaudit.pictures.picture import NARROW, WIDE, Figure, Picture
from dpaudit.pictures.svg import headed
from dpaudit.reports.charts_lines import Near, figure, middle, prior_lines
from dpaudit.reports.document import Section, named
from dpaudit.reports.findings import at_most, listed, ringed, sign, signed, tied
from dpaudit.reports.tables import cell, cells_of, worst_cells

Row = dict[str, Any]
Cell = tuple[int, int]
STRUCK = " Struck through: known to an enclosure that is wider than a colour."


def loss_maps(section: Section, near: Near) -> list[Figure]:
    """Returns the loss of every pair (x, x+1) at every output, a small map for each mechanism, on one scale."""
    rows = [{"mechanism": section.get("mechanism", ""), **row} for row in cells_of(section)]
    shades = _shades(row["loss"] for row in rows)
    drawn, words = [], []
    for name, own in named(rows).items():
        worst = max(own, key=lambda row: abs(middle(row["loss"])))
        drawn.append(_map(name, own, worst, shades, max(row["x"] for row in own) + 1))
        words.append(f"{name} at the pair ({worst['x']}, {worst['x'] + 1}), output {worst['output']}{tied(own, worst)}")
    drawn.append(key(shades, "loss ln(P_x / P_x′)"))
    said = ringed(words) + _unsure(shades, (row["loss"] for row in rows))
    return [Figure(drawn, f"{said} All maps are on one scale." if len(words) > 1 else said)]


def _shades(losses: Iterable[dict[str, str]]) -> Shades:
    """Returns the colours of losses, as far as the largest of their finite ends."""
    ends = [abs(float(end)) for loss in losses for end in loss.values() if math.isfinite(float(end))]
    return Shades.around(max(ends, default=1.0) or 1.0)


def _struck(shades: Shades, values: Mapping[Cell, dict[str, str]]) -> frozenset[Cell]:
    """Returns the cells that are not known to a colour."""
    return frozenset(at for at, value in values.items() if shades.unsure(*(float(end) for end in value.values())))


def _unsure(shades: Shades, values: Iterable[dict[str, str]]) -> str:
    """Returns what it means that cells are struck through, where some are."""
    return STRUCK if any(shades.unsure(*(float(end) for end in value.values())) for value in values) else ""


def data_maps(section: Section, near: Near) -> list[Figure]:
    """Returns the largest loss of every data set at every output, a map for each mechanism, on one scale."""
    names = named(section["rows"])
    known = [loss for row in section["rows"] for loss in row["losses"] if loss]
    shades = _shades(known)
    worst = {row["mechanism"]: row for row in worst_cells(section)}
    drawn = [_named(section, name, own, worst[name], shades) for name, own in names.items()]
    drawn.append(key(shades, "largest loss ln(P_x / P_x′)"))
    words = [
        f"{name} at x = {cell(row['x'])}, output {cell(row['output'])}{_as_large(section, name, row)}"
        for name, row in worst.items()
    ]
    said = ringed(words, "where the loss is largest") + _unsure(shades, known)
    never = any(loss is None for row in section["rows"] for loss in row["losses"])
    said += " –: the data set never gives this output." if never else ""
    said += " ∞: it does, and a neighbour never." if any(loss["lower"] == "inf" for loss in known) else ""
    return [Figure(drawn, f"{said} All on one scale." if len(names) > 1 else said)]


def _as_large(section: Section, name: str, worst: Row) -> str:
    """Returns how many of the cells drawn are as large as the worst one, or may be the largest; "" of one alone.

    Other than in ``tied`` a loss below 0 is not as large as its opposite: of every cell only the largest one is known.
    """
    rivals = [loss for row in named(section["rows"])[name] for loss in row["losses"] if _reaches(loss, worst)]
    if len(rivals) < 2:
        return ""
    ends = [[Decimal(loss[end]) for loss in rivals] for end in ("lower", "upper")]
    whole = short({"lower": str(min(ends[0])), "upper": str(max(ends[1]))})
    of = f"one of {len(rivals)}" + " drawn that are" * any(section["left"][name])
    if whole[0] in "[≤≥|":
        return f" ({of.removesuffix(' that are')} that may be the largest)"
    return f" ({of} as large)"


def _reaches(loss: dict[str, str] | None, worst: Row) -> bool:
    """Returns whether a loss may be as large as the worst one."""
    return loss is not None and Decimal(loss["upper"]) >= Decimal(worst["loss"]["lower"])


def _full(section: Section, name: str, worst: Row) -> bool:
    """Returns whether all lines drawn have a cell that may be as large as the worst, so that one left out may too."""
    found = [[_reaches(loss, worst) for loss in row["losses"]] for row in named(section["rows"])[name]]
    data, outputs = section["left"][name]
    lines = [found] * bool(data) + [[*zip(*found, strict=True)]] * bool(outputs)
    return any(all(map(any, line)) for line in lines)


def _named(section: Section, name: str, own: list[Row], worst: Row, shades: Shades) -> Picture:
    """Returns the map of one mechanism; the first data set is at the top."""
    outputs, rows = section["outputs"][name], own[::-1]
    losses = {(i, j): loss for j, row in enumerate(rows) for i, loss in enumerate(row["losses"]) if loss is not None}
    values = {at: middle(loss) for at, loss in losses.items()}
    columns, lines = (shortened([str(cell(v)) for v in every]) for every in (outputs, [row["x"] for row in rows]))
    at = outputs.index(worst["output"]), [row["x"] for row in rows].index(worst["x"])
    left = section["left"][name]
    more = [f"{i} more {what}{'s' * (i != 1)}" for i, what in zip(left, ("data set", "output"), strict=True) if i]
    others = ", maybe as large" if _full(section, name, worst) else ""
    note = f"Those of largest loss; {listed(more)}{others}." if more else ""
    size = signed(worst["loss"], worst.get("shown"))
    where = f"x = {cell(worst['x'])} against {cell(worst['x_prime'])}, output {cell(worst['output'])}"
    where += _as_large(section, name, worst)
    alt = f"Map of the losses of {name} by data set and output: the largest, {size}, at {where}. {note}".strip()
    titles = headed(name, f"loss {size}", NARROW), values, columns, lines, shades, "output", "data set x"
    return CellMap(*titles, ring=at, struck=_struck(shades, losses), named=True, note=note, width=NARROW).draw(alt)


def _map(name: str, own: list[Row], worst: Row, shades: Shades, n: int) -> Picture:
    losses = {(row["output"], row["x"]): row["loss"] for row in own}
    values = {at: middle(loss) for at, loss in losses.items()}
    size = {"lower": worst["loss"]["lower"], "upper": worst["loss"]["upper"]}
    positive = not size["lower"].startswith("-")
    head = headed(name, sign(size) if positive else sign(_turned(size)), SMALL)
    where = f"the pair ({worst['x']}, {worst['x'] + 1}), output {worst['output']}"
    alt = f"Map of the losses of {name}: the largest at {where}."
    columns, rows = [str(i) for i in range(n + 1)], [str(i) for i in range(n)]
    titles = ("output (first cell)", "pair (x, x+1)")
    more: dict[str, Any] = {"ring": (worst["output"], worst["x"]), "struck": _struck(shades, losses)}
    return CellMap(head, values, columns, rows, shades, *titles, **more).draw(alt)


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


def _around_one(rows: Iterable[Row]) -> Shades:
    """Returns the colours of ratios: from the least to 1, and from 1 to the largest, if it is larger."""
    ends = [float(end) for row in rows for end in row["ratio"].values()]
    low, high = min(1.0, *ends), max(1.0, *ends)
    return Shades(low, high, 1.0) if low < high else Shades(0.0, 1.0, 1.0)


def _by_prior(section: Section, ns: list[int], priors: list[str]) -> Figure:
    rows = section["rows"]
    shades, place = _around_one(rows), {(ns.index(row["n"]), priors.index(row["mechanism"])): row for row in rows}
    over = [at for at, row in place.items() if row["verdict"] == "REFUTED"]
    worst = max(rows, key=lambda row: float(row["ratio"]["lower"]))
    said = f"True ε exceeds the nominal one in {len(over)} of {len(place)} cells, those inside the contour."
    if not over:
        said = (
            "True ε stays at or below the nominal one in every cell."
            if {row["verdict"] for row in rows} == {"PROVED"}
            else "Undecided in some cells."
        )
    where = f"n = {worst['n']}, prior {worst['mechanism']}{tied(rows, worst, 'ratio')}"
    said += f" Ringed, the largest ratio, {at_most(worst['ratio'])}: {where}."
    left = min(120.0, 16 + 6.6 * max(map(len, priors)))
    pictures = []
    for width in (WIDE, NARROW):
        more: dict[str, Any] = {"width": width, "left": left, "over": frozenset(over)}
        more |= {"ring": (ns.index(worst["n"]), priors.index(worst["mechanism"]))}
        more |= {"struck": _struck(shades, {at: row["ratio"] for at, row in place.items()})}
        values = {at: middle(row["ratio"]) for at, row in place.items()}
        titles = [str(n) for n in ns], priors, shades, "n (records)", "prior"
        shown = CellMap("true ε / nominal ε", values, *titles, **more)
        pictures.append([shown.draw(f"{section['title']}. {said}"), key(shades, "true ε / nominal ε")])
    return Figure(pictures[0], said + _unsure(shades, (row["ratio"] for row in rows)), pictures[1])


def prior_map(section: Section, near: Near) -> list[Figure]:
    """Returns true over nominal epsilon by n and prior, a small map for each mechanism, with the contour at 1."""
    rows = section["rows"]
    ns, priors = ([*dict.fromkeys(row[key_] for row in rows)] for key_ in ("n", "prior"))
    shades, drawn, broken, worsts = _around_one(rows), [], [], []
    for name, own in named(rows).items():
        place = {(ns.index(row["n"]), priors.index(row["prior"])): row for row in own}
        over = frozenset(at for at, row in place.items() if row["outcome"] == "REFUTED")
        worst = max(own, key=lambda row: float(row["ratio"]["lower"]))
        said = (
            f"exceeds the nominal ε in {len(over)} of {len(place)} cells"
            if over
            else "nowhere shown to exceed the nominal ε"
        )
        where = f"n = {worst['n']}, a = {worst['prior']}{tied(own, worst, 'ratio')}"
        size = sign(worst["ratio"])
        alt = f"Map of true ε over nominal ε of {name} by n and prior: {said}; the largest, {size}, at {where}."
        more: dict[str, Any] = {"over": over, "left": 44.0}
        more |= {"ring": (ns.index(worst["n"]), priors.index(worst["prior"]))}
        more |= {"struck": _struck(shades, {at: row["ratio"] for at, row in place.items()})}
        titles = [str(n) for n in ns], priors, shades, "n (records)", "a of the prior (a, a)"
        values = {at: middle(row["ratio"]) for at, row in place.items()}
        drawn.append(CellMap(headed(name, size, SMALL), values, *titles, **more).draw(alt))
        broken += [f"{name} in {len(over)} of {len(place)} cells"] if over else []
        worsts.append(f"{name} at {where}")
    drawn.append(key(shades, "true ε / nominal ε"))
    open_ = sorted({row["mechanism"] for row in rows if row["outcome"] == "UNDECIDED"})
    said = f"True ε exceeds the nominal one, inside the contour: {listed(broken)}." if broken else _nowhere(open_)
    said += f" {ringed(worsts, 'the largest ratio')}{_unsure(shades, (row['ratio'] for row in rows))}"
    return [Figure(drawn, said)]


def _nowhere(open_: list[str]) -> str:
    return (
        f"Undecided somewhere: {listed(open_)}."
        if open_
        else "True ε stays at or below the nominal one in every cell drawn."
    )
