"""How a curve is drawn: a line where its values are known, a band where they are not, dots where they are infinite."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from dpaudit.pictures.svg import Place, course, element, line, path, tip, told

WIDE = 1.5
"""An enclosure of more pixels is drawn as a band, never as a point."""
MOST_BARS = 12
"""A band of more points does not show each of them."""
MOST_DOTS = 30
"""A line of more points has no dots, as they would make one band; pointing at it still shows the values."""


@dataclass(frozen=True)
class Stroke:
    """A value on paper: its place, and the pixels of the ends of its enclosure, the upper one first."""

    x: float
    y: float
    high: float
    low: float
    infinite: bool = False

    @property
    def wide(self) -> bool:
        """Returns whether the enclosure is seen as more than a point."""
        return self.low - self.high > WIDE

    @property
    def place(self) -> Place:
        """Returns where the value stands."""
        return self.x, self.y


def plain(strokes: Sequence[Stroke]) -> bool:
    """Returns whether it is one line of many points without dots: then the line itself tells the values."""
    return len(strokes) > MOST_DOTS and not any(stroke.wide or stroke.infinite for stroke in strokes)


def drawn(strokes: Sequence[Stroke], slot: int, dashes: str | None, tips: Sequence[str] = ()) -> str:
    """Returns the lines through what is known, broken where a value is infinite, and the bands."""
    said = told(tips) if tips and plain(strokes) else None
    parts = [path(run, f"line s{slot}", stroke_dasharray=dashes, data_t=said) for run in lines(strokes)]
    for group in bands(strokes):
        edges = [[(s.x, s.high) for s in group], [(s.x, s.low) for s in group]]
        parts.append(element("path", d=course([*edges[0], *reversed(edges[1])]) + "Z", class_=f"band f{slot}"))
        parts += [path(edge, f"edge s{slot}") for edge in edges]
    for stroke in strokes if len(strokes) <= MOST_BARS else ():
        if stroke.wide and not stroke.infinite:
            parts.append(line(stroke.x, stroke.high, stroke.x, stroke.low, f"line thin s{slot}"))
    return "".join(parts)


def lines(strokes: Sequence[Stroke]) -> Iterator[list[Place]]:
    """Yields the runs of two and more known values, finite or infinite."""
    for (wide, _), run in groupby(strokes, key=lambda s: (s.wide and not s.infinite, s.infinite)):
        places = [stroke.place for stroke in run]
        if not wide and len(places) > 1:
            yield places


def bands(strokes: Sequence[Stroke]) -> Iterator[list[Stroke]]:
    """Yields the runs of neighbours of which one at the least is not known to a point."""
    group: list[Stroke] = []
    for one, other in pairwise(strokes):
        if (one.wide or other.wide) and not (one.infinite or other.infinite):
            group = [*(group or [one]), other]
        elif group:
            yield group
            group = []
    if group:
        yield group


def dots(strokes: Sequence[Stroke], tips: Sequence[str], slot: int, small: bool) -> str:
    """Returns the points: seen where there are few, or one alone, or infinite ones; the others for who points at them.

    A small picture has only those that are seen, and a plain line tells them itself.
    """
    if plain(strokes):
        return ""
    said = tips or [""] * len(strokes)
    lone = len(strokes) == 1
    many = len(strokes) > MOST_DOTS

    def dot(stroke: Stroke, words: str, size: str) -> str:
        inside = "" if small or not words else tip(words)
        return element("circle", inside, cx=stroke.x, cy=stroke.y, r=size)

    def group(kept: Callable[[Stroke], bool], size: str, hidden: bool) -> str:
        inside = "".join(dot(s, words, size) for s, words in zip(strokes, said, strict=True) if kept(s))
        opacity = "0" if hidden else None
        return element("g", inside, class_=f"f{slot} dots", opacity=opacity) if inside else ""

    shown = group(lambda s: s.infinite or (lone and not s.wide), "4" if lone else "3", False)
    if small:
        return shown
    known = group(lambda s: not s.infinite and not s.wide and not lone, "2.2", many)
    return shown + known + group(lambda s: s.wide and not s.infinite, "2.2", True)
