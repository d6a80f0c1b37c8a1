"""δ(ε) beside the trade-off curve, with what is claimed marked in both."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpaudit.numbers.digits import equated, powers
from dpaudit.pictures.lines import Chart, together
from dpaudit.pictures.picture import HALF, NARROW, Figure
from dpaudit.pictures.tradeoff import Tradeoff, mirrored
from dpaudit.reports.charts_lines import Near, curves, middle, missing
from dpaudit.reports.document import Section, named, number_of
from dpaudit.reports.findings import at_most, largest, listed, rounded

Row = dict[str, Any]
NEAR = 0.01
"""A claimed delta is drawn where it is at the least this share of the smallest one of the curves."""
SEEN = 0.01
"""What goes below a line by less, in an error of the second kind, is not seen to."""


def delta_curves(section: Section, near: Near) -> list[Figure]:
    """Returns delta against epsilon on a logarithmic axis, and where the whole curve is known the best tests."""
    claims = _claims(section, near)
    lines = [replace(curve, note="") for curve in curves(section, "at", "delta", "δ", log=True)]
    if not lines:
        return []
    far = 1.4 * max(number_of(row["at"]) for row in section["rows"])
    shown = {words: both for words, both in claims.items() if both[0] <= far}
    foot = _foot(section)
    marks = [(e, d if d >= foot else 0.0, f"claimed {words}") for words, (e, d) in _merged(shown).items()]
    scaled: dict[str, Any] = {"log_y": True, "axis": "ε", "inside": True, "slots": near.slots}
    chart = Chart(lines, "ε", "δ(ε), logarithmic", marks=marks, **scaled)
    parts, said = near("breakpoints"), f"{_at_zero(section)} {_ends(section, near)}"
    both = bool(parts and parts["rows"])
    said += _marked(claims, shown, both, foot) + together(chart)
    alt = f"{section['title']}: the curves fall from ε = 0 on. {said}"
    wide, narrow = [chart.draw(HALF, alt)], [chart.draw(NARROW, alt)]
    if parts and both:
        trade = _tradeoff(parts, claims, near)
        words = f"Trade-off curves: the nearer to the diagonal, the harder the data sets are to tell apart. {said}"
        wide.append(trade.draw(HALF, words))
        narrow.append(trade.draw(NARROW, words))
        said += missing(named(section["rows"]), trade.curves, "at the right") + _unseen(trade, near)
    return [Figure(wide, said, narrow)]


def _unseen(trade: Tradeoff, near: Near) -> str:
    """Returns whose curve goes below its claim by too little to be seen: by delta, less what of it is claimed."""
    by_n, found = near("epsilon-by-n"), []
    for name, own in named(by_n["rows"] if by_n else []).items():
        row, judged = own[-1], own[-1].get("evidence")
        if name not in trade.curves or row["verdict"] != "REFUTED" or not judged or judged["quantity"] != "delta":
            continue
        delta, at = judged["enclosure"], powers(row["claimed"])
        if Fraction(delta["upper"]) - Fraction(row.get("claimed_delta") or "0") < SEEN:
            found.append(f"{name}, by at most {equated(f'δ({at})', rounded(delta['upper'], True))}")
    return f" At the right, below what is claimed, but by too little to be seen: {listed(found)}." if found else ""


def _foot(section: Section) -> float:
    """Returns the least delta that a claim is drawn at: a smaller one would press the curves together."""
    known = [low for row in section["rows"] if (low := float(row["delta"]["lower"])) > 0]
    return min(known, default=0.0) * NEAR


def _marked(claims: dict[str, Any], shown: dict[str, Any], both: bool, lowest: float) -> str:
    """Returns in words how the claims are marked, and which lie outside."""
    beyond = [words for words in claims if words not in shown]
    marks = [*["ringed at the left" if both else "ringed"] * bool(shown), *["dashed at the right"] * both]
    if not claims or not marks:
        return f" Outside the picture: what is claimed, {listed(beyond)}." if beyond else ""
    deltas = [delta for _, delta in shown.values()]
    kinds = [*["δ = 0"] * (0.0 in deltas), *["a δ below the picture"] * any(0 < delta < lowest for delta in deltas)]
    foot = f", with {' or '.join(kinds)} at the foot" if kinds else ""
    outside = f"; {listed(beyond)} {'lies' if len(beyond) == 1 else 'lie'} outside the left picture" if beyond else ""
    return f" What is claimed is {' and '.join(marks)}{foot}{outside}."


def _ends(section: Section, near: Near) -> str:
    """Returns where the curves end."""
    by_n = near("epsilon-by-n")
    last = {name: own[-1]["epsilon"] for name, own in named(by_n["rows"]).items()} if by_n else {}
    endless = [name for name in named(section["rows"]) if last.get(name, {}).get("lower") == "inf"]
    open_ = [
        name for name in named(section["rows"]) if last.get(name, {}).get("upper") == "inf" and name not in endless
    ]
    if open_:
        return f"Where the curve of {listed(open_)} gets to 0 is not known: the true ε has no upper bound here."
    if not endless:
        return "Every curve is 0 from its true ε on."
    other = " The others are 0 from their true ε on." if len(named(section["rows"])) > len(endless) else ""
    return f"{listed(endless)} never {'gets' if len(endless) == 1 else 'get'} to δ = 0: the true ε is infinite.{other}"


def _at_zero(section: Section) -> str:
    """Returns who is told apart best: delta(0) is the advantage of the best test."""
    zero = [row for row in section["rows"] if row["at"] == "0"] or section["rows"]
    row, value = largest({**section, "rows": zero}, "delta")
    most = (
        "the largest δ(0), the advantage of the best test,"
        if len(zero) > 1
        else "δ(0), the advantage of the best test,"
    )
    return f"{row['mechanism']} has {most} {at_most(value)}."


def _claims(section: Section, near: Near) -> dict[str, tuple[float, float]]:
    """Returns what the mechanisms drawn claim at the n that is drawn, their last, by its words."""
    by_n, found = near("epsilon-by-n"), {}
    here = named(section["rows"])
    for name, own in named(by_n["rows"] if by_n else []).items():
        row = own[-1]
        if name in here and row["claimed"]:
            delta = row.get("claimed_delta") or "0"
            words = powers(row["claimed"] if delta == "0" else f"({row['claimed']}, {delta})")
            found[f"{words}-DP"] = (float(Fraction(row["claimed"])), float(Fraction(delta)))
    return found


def _tradeoff(section: Section, claims: dict[str, tuple[float, float]], near: Near) -> Tradeoff:
    """Returns the curves through the errors of the best tests; mirrored, as both data sets of a pair may be first."""
    whole = {}
    for name, own in named(section["rows"]).items():
        points = [(middle(row["alpha"]), 1 - middle(row["power"])) for row in own]
        whole[name] = mirrored([(0.0, points[-1][1]), *points])
    shown = {words: words.removesuffix("-DP").strip("(").split(",")[0] for words in claims}
    epsilons = {both[0]: (f"ε = {shown[words]}", *both) for words, both in claims.items()}
    return Tradeoff(whole, list(epsilons.values()), slots=near.slots)


def _merged(claims: dict[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """Returns the claims, those together that cannot be told apart on paper."""
    found: dict[tuple[float, float], list[str]] = {}
    for words, (epsilon, delta) in claims.items():
        found.setdefault((epsilon, float(f"{delta:.1e}")), []).append(words)
    return {", ".join(words): where for where, words in found.items()}
