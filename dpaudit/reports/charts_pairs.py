"""Charts of the worst pairs: both distributions above the loss, and the distribution of the loss."""

from __future__ import annotations

import math
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpaudit.pictures.pair import SMALL, Losses, Mass, Pair, Span, Stem
from dpaudit.pictures.picture import Figure, Picture
from dpaudit.pictures.svg import headed
from dpaudit.reports.charts_lines import Near, middle, span
from dpaudit.reports.charts_ternary import ternary_pairs
from dpaudit.reports.document import Section, named
from dpaudit.reports.findings import about, against, at_most, listed, rounded, sign, told
from dpaudit.reports.tables import cell

SHOWN_OUTPUTS = 16
"""So many outputs of a worst pair are shown where they do not lie on a line (k >= 3, or anybody's own)."""
LIKELY = 8
"""So many of them are the most likely ones, as far as they are not those of largest loss."""
LEAST = 1e-300
"""A probability that is smaller, and not 0, is drawn at this one."""
ALIVE = 1e-6
"""Outputs beyond the last one of this probability, for either data set, are cropped."""
Row = dict[str, Any]


def worst_pairs(section: Section, near: Near) -> list[Figure]:
    """Returns the two distributions of each worst pair above its losses, then the distributions of the loss."""
    flat = section.get("flat", section["setting"].get("k") == 2)
    names = named(section["rows"])
    reach = _reach(section["rows"])
    ends = _ends(section["rows"])
    if not flat and section["setting"].get("k") == 3 and _histograms(section):
        first = ternary_pairs(section, names, reach)
    else:
        drawn = [_pair(section, name, own, flat, ends, near) for name, own in names.items()]
        first = Figure(drawn, _caption(section, names, near))
    return [first, _distributions(section, names, reach, near)]


def _histograms(section: Section) -> bool:
    return all(isinstance(row["output"], list) and len(row["output"]) == 3 for row in section["rows"])


def _reach(rows: list[Row]) -> float:
    """Returns the largest finite loss, for one scale over all."""
    return max(map(abs, _finite(rows)), default=1.0) or 1.0


def _ends(rows: list[Row]) -> Span:
    known = _finite(rows)
    low, high = min([0.0, *known]), max([0.0, *known])
    return (low, high) if high > low else (-1.0, 1.0)


def _finite(rows: list[Row]) -> list[float]:
    """Returns the ends of all losses that are finite."""
    return [end for row in rows for end in _span(row["loss"]) if math.isfinite(end)]


def _span(enclosure: dict[str, str]) -> Span:
    return float(enclosure["lower"]), float(enclosure["upper"])


def _is_worst(section: Section, name: str, row: Row) -> bool:
    return bool(row["output"] == section["pairs"][name]["output"])


def _stem(row: Row, place: float) -> Stem:
    name = str(cell(row["output"]))
    said = f"{name}; {', '.join(told(row[key]) for key in ('p', 'p_prime', 'loss'))}"
    return Stem(place, name, _drawn(row["p"]), _drawn(row["p_prime"]), _span(row["loss"]), said)


def _drawn(p: dict[str, str]) -> Span:
    """Returns floats near the ends of a probability: 0 above only for 0, however small it is."""
    return _span(p)[0], max(_span(p)[1], LEAST) if Decimal(p["upper"]) else 0.0


def _lost(name: str, loss: dict[str, str], near: Near) -> str:
    """Returns the largest loss with its sign; where it is known to few digits, the true epsilon bounds it too."""
    shown, by_n = sign(loss), near("epsilon-by-n")
    last = named(by_n["rows"]).get(name) if by_n else None
    if not last or not shown.startswith("≤"):
        return shown
    least = min((loss["upper"], last[-1]["epsilon"]["upper"]), key=float)
    return against({**last[-1], "epsilon": {"lower": loss["lower"], "upper": least}})


def _pair(section: Section, name: str, own: list[Row], flat: bool, reach: tuple[float, float], near: Near) -> Picture:
    pair = section["pairs"][name]
    shown, note = _alive(own, section, name) if flat else _chosen(own, section, name)
    stems = [_stem(row, float(row["output"][0]) if flat else float(i)) for i, row in enumerate(shown)]
    worst = next((i for i, row in enumerate(shown) if _is_worst(section, name, row)), 0)
    size = _lost(name, shown[worst]["loss"], near)
    head = headed(name, f"loss {size}", SMALL)
    x, y = str(cell(pair["x"])), str(cell(pair["x_prime"]))
    alt = f"{name}: distributions of x = {x} and x′ = {y}; the loss is largest at {stems[worst].name}: {size}. {note}"
    return Pair(head, x, y, stems, worst, note, flat, reach).draw(alt.strip())


def _alive(own: list[Row], section: Section, name: str) -> tuple[list[Row], str]:
    """Returns the outputs from the first to the last that are alive, with the worst one, and what is left out."""
    kept = [
        i
        for i, row in enumerate(own)
        if max(float(row["p"]["upper"]), float(row["p_prime"]["upper"])) >= ALIVE or _is_worst(section, name, row)
    ]
    first, last = min(kept), max(kept) + 1
    shown, rest = own[first:last], [*own[:first], *own[last:]]
    if not rest:
        return shown, ""
    mass = max(sum((Fraction(row[key]["upper"]) for row in rest), Fraction(0)) for key in ("p", "p_prime"))
    bound = rounded(f"{float(mass) * 1.0000001:.6e}", True, 2)
    return shown, f"Cropped: {len(rest)} further outputs, together at most {bound}."


def _chosen(own: list[Row], section: Section, name: str) -> tuple[list[Row], str]:
    """Returns the outputs, in their order, or where there are many the worst and the most likely ones."""
    left = len(own) - SHOWN_OUTPUTS
    if left <= 0:
        return own, ""
    lost = sorted(range(len(own)), key=lambda i: (not _is_worst(section, name, own[i]), -abs(middle(own[i]["loss"]))))
    often = sorted(range(len(own)), key=lambda i: -max(middle(own[i]["p"]), middle(own[i]["p_prime"])))
    kept = dict.fromkeys([*lost[: SHOWN_OUTPUTS - LIKELY], *often])
    shown = [own[i] for i in sorted([*kept][:SHOWN_OUTPUTS])]
    return shown, f"The {SHOWN_OUTPUTS - LIKELY} outputs of largest |loss| and the {LIKELY} likeliest; {left} more."


def _caption(section: Section, names: dict[str, list[Row]], near: Near) -> str:
    """Returns where the loss is largest of all, and what is on which scale."""
    worst = {name: row for name, own in names.items() for row in own if _is_worst(section, name, row)}
    name = max(worst, key=lambda name: float(worst[name]["loss"]["lower"]))
    loss, pair = worst[name]["loss"], section["pairs"][name]
    size = _lost(name, loss, near)
    said = size.replace("≤", "at most") if size.startswith("≤") else at_most(loss)
    where = f"at output {cell(pair['output'])}, x = {cell(pair['x'])} against x′ = {cell(pair['x_prime'])}"
    most = f"{name} has a loss of {said} {where}" + (
        "; of the mechanisms here none has more." if len(worst) > 1 else "."
    )
    return f"{most} Rings mark the worst outputs. Probabilities are on logarithmic axes, losses on one scale."


def _distributions(section: Section, names: dict[str, list[Row]], reach: float, near: Near) -> Figure:
    """Returns how likely each loss is under x, on one scale."""
    claimed = _claims(near)
    masses = {name: _masses(own) for name, own in names.items()}
    high = max(mass.p[1] for own in masses.values() for mass in own)
    drawn = []
    for name, own in masses.items():
        alt = f"{name}: distribution of the privacy loss under x; {_beyond(names[name])}."
        drawn.append(Losses(name, own, reach, high, claimed.get(name)).draw(alt))
    said = listed(_most_beyond(names))
    return Figure(drawn, f"The privacy-loss distributions of the pairs above, under x. {said}.")


def _most_beyond(names: dict[str, list[Row]]) -> list[str]:
    """Returns who has an infinite loss, and how likely; else who is likeliest to lose more than half of its largest."""
    endless = [name for name, own in names.items() if _largest(own) == math.inf]
    if endless:
        return [f"{name} {_beyond(names[name])}" for name in endless]
    shares = {name: _mass_beyond(own) for name, own in names.items()}
    most = max(shares.values())
    tied = [name for name, share in shares.items() if share == most]
    return [f"{listed(tied)} {_beyond(names[tied[0]], len(tied) > 1)}"]


def _claims(near: Near) -> dict[str, float]:
    by_n = near("epsilon-by-n")
    rows = by_n["rows"] if by_n else []
    return {row["mechanism"]: float(Fraction(row["claimed"])) for row in rows if row["claimed"]}


def _masses(own: list[Row]) -> list[Mass]:
    """Returns the probability of every loss, equal enclosures taken together."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in own:
        if float(row["p"]["upper"]) > 0:
            found[span(row["loss"])].append(row)
    return [_mass(rows) for rows in found.values()]


def _mass(rows: list[Row]) -> Mass:
    """Returns the probability of one loss together."""
    low, high = (sum(float(row["p"][end]) for row in rows) for end in ("lower", "upper"))
    about = f"about {(low + high) / 2:.4g}" if high - low < 1e-3 * high else f"from {low:.3g} to {high:.3g}"
    loss = rows[0]["loss"]
    return Mass(_span(loss), (low, min(high, 1.0)), f"loss {sign(loss)}: probability {about}")


def _largest(own: list[Row]) -> float:
    return max((float(row["loss"]["upper"]) for row in own), default=0.0)


def _mass_beyond(own: list[Row], end: str = "lower") -> Fraction:
    """Returns an end of the probability of a loss of more than half the largest one, or of an infinite one."""
    top = _largest(own)
    return sum((Fraction(row["p"][end]) for row in own if _large(float(row["loss"]["lower"]), top)), Fraction(0))


def _large(loss: float, top: float) -> bool:
    return loss == top if math.isinf(top) else loss > top / 2


def _beyond(own: list[Row], several: bool = False) -> str:
    """Returns how likely a large loss is; nothing of the sort where there is none, or it is not known so well."""
    top, mass = _largest(own), _mass_beyond(own)
    if top <= 0:
        return "lose nothing: every loss is 0" if several else "loses nothing: every loss is 0"
    if not mass:
        return f"{'are' if several else 'is'} not known well enough to say how likely a large loss is"
    lose, its = ("lose", "their") if several else ("loses", "its")
    what = "has an infinite loss" if math.isinf(top) else f"{lose} more than half of {its} largest loss"
    ends = {"lower": f"{float(mass):.9e}", "upper": f"{float(_mass_beyond(own, 'upper')):.9e}"}
    least = rounded(ends["lower"], False, 2)
    return f"{what} with probability {f'about {near}' if (near := about(ends, 2)) else f'at least {least}'}"
