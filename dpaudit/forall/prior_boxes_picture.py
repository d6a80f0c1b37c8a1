"""The map of a box of priors as a picture: two axes, one colour a verdict, the boundary in black however thin it is."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.forall.prior_boxes import in_percent
from dpaudit.numbers.digits import rough
from dpaudit.numbers.verdict import Verdict
from dpaudit.pictures.picture import Picture, standalone
from dpaudit.pictures.scales import Scale, Tick
from dpaudit.pictures.svg import element, line, text, tip

if TYPE_CHECKING:
    from dpaudit.forall.prior_boxes import PriorMapResult

COLOURS = {Verdict.PROVED: "q5", Verdict.REFUTED: "q13", Verdict.UNDECIDED: "fmark"}
"""Light blue, orange, black, as in the maps of reports: they differ in lightness too. The last is drawn on top."""
SIZE = 480
LEFT, TOP, BELOW, RIGHT = 70, 78, 56, 24


def svg(result: PriorMapResult) -> str:
    """Returns the picture of the map as a file, k = 2."""
    return standalone(picture(result))


def picture(result: PriorMapResult) -> Picture:
    """Returns the picture of the map, k = 2; its words state what was found."""
    first, second = result.box().sides
    across = Scale(float(first[0]), float(first[1]), LEFT, LEFT + SIZE)
    up = Scale(float(second[0]), float(second[1]), TOP + SIZE, TOP)
    parts = [
        text(LEFT, 22, _heading(result), "head"),
        *_legend(result),
        *(_area(result, verdict, across, up) for verdict in COLOURS),
        *_axes(first, second, across, up),
    ]
    alt = "; ".join(f"{name}: {value}" for name, value in result.lines())
    return Picture(LEFT + SIZE + RIGHT, TOP + SIZE + BELOW, "".join(parts), alt)


def _heading(result: PriorMapResult) -> str:
    """Returns mechanism, n and what is asked; the axes say the rest."""
    bound = result.claim.guarantee
    asked = f"{vars(bound)['epsilon']}-DP" if bound is not None else ""
    own = "".join(f", {name} = {value}" for name, value in result.subject.mechanism.settings().items())
    return f"{result.subject.mech}, n = {result.subject.n}, ε = {result.subject.epsilon}{own}: is it {asked}?"


def _shares(result: PriorMapResult) -> dict[Verdict, Fraction]:
    return {Verdict.PROVED: result.proved, Verdict.REFUTED: result.refuted, Verdict.UNDECIDED: result.undecided}


def _legend(result: PriorMapResult) -> list[str]:
    """Returns one mark and share for each verdict."""
    found = []
    for i, (verdict, share) in enumerate(_shares(result).items()):
        x = LEFT + 160 * i
        found.append(element("rect", x=x, y=40, width=14, height=14, class_=COLOURS[verdict]))
        found.append(text(x + 20, 52, f"{verdict.value} {in_percent(verdict, share)}"))
    return found


def _area(result: PriorMapResult, verdict: Verdict, across: Scale, up: Scale) -> str:
    """Returns all boxes of a verdict as one path; what is undecided has an edge, so that it is seen."""
    way = []
    for patch in result.boxes:
        if patch.verdict is verdict:
            (low, high), (bottom, top) = patch.box.sides
            x, y = across(float(low)), up(float(top))
            wide, tall = across(float(high)) - x, up(float(bottom)) - y
            way.append(f"M{x:.2f} {y:.2f}h{wide:.2f}v{tall:.2f}h-{wide:.2f}z")
    edge = {"stroke": "currentColor", "stroke_width": "1"} if verdict is Verdict.UNDECIDED else {}
    words = tip(f"{verdict.value}: {len(way)} boxes")
    path = element("path", words, d="".join(way), class_=COLOURS[verdict], shape_rendering="crispEdges", **edge)
    return path if way else ""


def _axes(first: Iterable[Fraction], second: Iterable[Fraction], across: Scale, up: Scale) -> list[str]:
    """Returns the frame, the ticks and the names of the axes."""
    base = TOP + SIZE
    found = [element("rect", x=LEFT, y=TOP, width=SIZE, height=SIZE, fill="none", class_="axis")]
    for value, shown in _ticks(across, first):
        x = across(value)
        found.append(line(x, base, x, base + 5, "axis") + text(x, base + 20, shown, "m dim"))
    for value, shown in _ticks(up, second):
        y = up(value)
        found.append(line(LEFT - 5, y, LEFT, y, "axis") + text(LEFT - 9, y + 4, shown, "e dim"))
    found.append(text(LEFT + SIZE, base + 42, "prior α₁ →", "e"))
    return [*found, text(4, TOP - 8, "↑ prior α₂")]


def _ticks(scale: Scale, ends: Iterable[Fraction]) -> list[Tick]:
    """Returns both ends of a side, and round numbers that are not too near."""
    edges = [(float(end), rough(end, 4)) for end in ends]
    apart = (scale.high - scale.low) / 12
    inner = [tick for tick in scale.ticks(6) if all(abs(tick[0] - end) > apart for end, _ in edges)]
    return [edges[0], *inner, edges[-1]]
