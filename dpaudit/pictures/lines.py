"""Lines with their names at their ends, their bars, and where there is one their limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dpaudit.pictures.alike import Alike, coincident, equal, near
from dpaudit.pictures.colours import dashes_of, slots
from dpaudit.pictures.picture import HALF, NARROW, Picture
from dpaudit.pictures.plot import LINE, Ground, beside, margin, spread
from dpaudit.pictures.scales import fitted
from dpaudit.pictures.strokes import Stroke, dots, drawn
from dpaudit.pictures.svg import Place, at, element, fit_name, line, path, ring, text, tip, width_of

STRIP, GAP = 66, 14
"""Pixels of the strip for the limits, and before it."""
BEYOND = 11.0
"""Half the pixels of the band for what is infinite."""
Label = tuple[float, float, str]


@dataclass(frozen=True)
class Curve:
    """A line; ``tips`` has what pointing at a point shows, ``limit`` is where it goes, ``note`` stands by its name.

    ``spans`` are the ends of the enclosures: one that is seen is drawn as a band. A value may be infinite.
    """

    name: str
    points: Sequence[tuple[float, float]]
    tips: Sequence[str] = ()
    limit: float | None = None
    note: str = ""
    spans: Sequence[tuple[float, float]] = ()

    def ends(self) -> list[tuple[float, float]]:
        """Returns the ends of every value."""
        return list(self.spans) or [(y, y) for _, y in self.points]


@dataclass(frozen=True)
class Chart:
    """Curves with two axes. ``bars`` and ``posts`` are (value, words); ``marks`` are (x, y, words).

    ``steps`` are (points, words): what goes on at a level around each of its points, a claim for every n say.
    """

    curves: Sequence[Curve]
    x_title: str
    y_title: str
    log_x: bool = False
    log_y: bool = False
    zero: bool = False
    whole: bool = False
    bars: Sequence[tuple[float, str]] = ()
    posts: Sequence[tuple[float, str]] = ()
    marks: Sequence[tuple[float, float, str]] = ()
    steps: Sequence[tuple[Sequence[Place], str]] = ()
    limit_title: str = "n → ∞"
    axis: str = "n"
    tinted: bool = False
    head: str = ""
    height: float = 330
    inside: bool = False
    """Whether labels stand where the curves end, which is not all at the right."""
    slots: Mapping[str, int] = field(default_factory=dict)
    """The colours by name; a name has the same one in every picture."""

    def draw(self, width: float, alt: str) -> Picture:
        """Returns the picture of this width."""
        small = width <= NARROW
        ground, strip = self.ground(width)
        known = {**slots(curve.name for curve in self.curves), **self.slots}
        strokes = {curve.name: _strokes(curve, ground) for curve in self.curves}
        parts = [ground.axes(self.x_title, self.y_title)]
        parts += [text(0, 13, self.head, "head")] if self.head else []
        met = [place for own in strokes.values() for place in _dense([stroke.place for stroke in own])]
        parts += [ground.bar(value, words, self.tinted and i == 0, met) for i, (value, words) in enumerate(self.bars)]
        parts += [ground.steps(points, words, met) for points, words in self.steps]
        posts = [(value, words.split(" = ")[-1] if small else words) for value, words in dict(self.posts).items()]
        parts.append(ground.posts(posts, met))
        if strip:
            parts.append(text(ground.right + GAP + STRIP / 2, ground.bottom + 17, self.limit_title, "m dim"))
            parts.append(
                line(ground.right + GAP + STRIP, ground.roof, ground.right + GAP + STRIP, ground.bottom, "grid")
            )
        labels = self._labels(ground, strip, width, strokes)
        covered = _covered(strokes)
        parts += [_underlaid(curve, strokes[curve.name], known[curve.name], covered) for curve in self.curves]
        for curve in self.curves:
            if curve.points:
                parts.append(self._curve(curve, strokes[curve.name], ground, known[curve.name], small, labels))
        for (x, y, words), (place, level, wide) in zip(self.marks, _signs(ground, self.marks), strict=True):
            parts.append(_mark((ground.x(x), ground.y(y)), place, level, wide, words))
        return Picture(width, self.height, "".join(parts), alt)

    def ground(self, width: float) -> tuple[Ground, bool]:
        """Returns the axes, and whether there is a strip for limits at their right."""
        points = [point for curve in self.curves for point in curve.points]
        limits = [curve.limit for curve in self.curves if curve.limit is not None]
        ends = [end for curve in self.curves for both in curve.ends() for end in both]
        beyond = BEYOND if any(math.isinf(end) for end in ends) else 0.0
        top, bottom = 30.0 + 18 * bool(self.head) + 2 * beyond, self.height - 40
        heights = [y for _, y in points] + ends + limits + [v for v, _ in self.bars] + [y for _, y, _ in self.marks]
        heights += [y for steps, _ in self.steps for _, y in steps]
        y = fitted(heights, bottom, top, log=self.log_y, zero=self.zero, beyond=beyond)
        left = margin(y)
        room = max((width_of(words) for words in self._texts(width).values()), default=0) + 16
        right = width - room - (STRIP + GAP) * bool(limits)
        across = [x for x, _ in points] + [v for v, _ in self.posts] + [x for x, _, _ in self.marks]
        return Ground(fitted(across, left, right, log=self.log_x, whole=self.whole), y), bool(limits)

    def alike(self) -> list[Alike]:
        """Returns which curves have the same values."""
        return coincident(
            {
                curve.name: {x: ends for (x, _), ends in zip(curve.points, curve.ends(), strict=True)}
                for curve in self.curves
            },
            equal,
        )

    def _texts(self, width: float) -> dict[str, str]:
        """Returns what stands at the end of each curve, "= " before what coincides; a name is cut before its note."""
        small, most = width <= HALF, 0.42 * width
        notes = {curve.name: "" if small else f" {curve.note}".rstrip() for curve in self.curves}
        same = {name: "= " for group in self.alike() if group.whole for name in group.names[1:]}
        same = {} if self.inside else same
        return {
            name: same.get(name, "") + fit_name(name, max(60.0, most - width_of(note))) + note
            for name, note in notes.items()
        }

    def _labels(
        self,
        ground: Ground,
        strip: bool,
        width: float,
        strokes: Mapping[str, Sequence[Stroke]],
    ) -> dict[str, Label]:
        """Returns for every curve that has one the place and the words of its label."""
        texts = self._texts(width)
        ended = [curve for curve in self.curves if curve.points]
        lasts = [strokes[curve.name][-1].place for curve in ended]
        ends = [y if curve.limit is None else ground.y(curve.limit) for curve, (_, y) in zip(ended, lasts, strict=True)]
        if self.inside:
            met = [place for own in strokes.values() for place in _dense([stroke.place for stroke in own])]
            widths = [width_of(texts[curve.name]) for curve in ended]
            taken = [(place, level - 4, wide) for place, level, wide in _signs(ground, self.marks)]
            taken += [(ground.x(x) - 9, ground.y(y), 18.0) for x, y, _ in self.marks]
            free = beside(lasts, widths, (ground.left, width), (ground.roof, ground.bottom - 4), met, taken)
            return {curve.name: (*place, texts[curve.name]) for curve, place in zip(ended, free, strict=True)}
        places = spread(ends, ground.roof + 4, ground.bottom - 2, LINE)
        x = ground.right + (GAP + STRIP if strip else 0) + 12
        return {curve.name: (x, place, texts[curve.name]) for curve, place in zip(ended, places, strict=True)}

    def _curve(
        self,
        curve: Curve,
        strokes: Sequence[Stroke],
        ground: Ground,
        slot: int,
        small: bool,
        labels: dict[str, Label],
    ) -> str:
        """Returns line, points, limit and label of one curve, as one group that a reader can single out."""
        colour, dashes = dashes_of(slot)
        parts = [drawn(strokes, colour, dashes, () if small else curve.tips)]
        end = strokes[-1].place
        if curve.limit is not None:
            goal = (ground.right + GAP + STRIP / 2, ground.y(curve.limit))
            parts.append(line(*end, *goal, f"line thin s{colour}", stroke_dasharray="2 3"))
            parts.append(diamond(*goal, f"f{colour}", tip(f"limit {curve.limit:.6g}")))
            end = goal
        parts.append(dots(strokes, curve.tips, colour, small))
        x, y, words = labels[curve.name]
        parts.append(_lead(end, x, y, words))
        parts.append(text(x, y + 4, words, "halo"))
        return element("g", "".join(parts), class_="series", data_s=curve.name)


def _strokes(curve: Curve, ground: Ground) -> list[Stroke]:
    """Returns the values on paper."""
    return [
        Stroke(ground.x(x), ground.y(y), ground.y(high), ground.y(low), math.isinf(low))
        for (x, y), (low, high) in zip(curve.points, curve.ends(), strict=True)
    ]


def _lead(end: Place, x: float, y: float, words: str) -> str:
    """Returns the thin line from the end of a curve to its label, which may stand at its left."""
    if x > end[0]:
        return line(end[0] + 5, end[1], x - 3, y, "lead")
    edge = x + width_of(words)
    return line(end[0] - 5, end[1], edge + 3, y, "lead") if edge < end[0] - 9 else ""


def _covered(strokes: Mapping[str, Sequence[Stroke]]) -> list[Alike]:
    """Returns which curves cannot be told apart on paper."""
    return coincident({name: {s.x: (s.low, s.high) for s in own} for name, own in strokes.items()}, near)


def _underlaid(curve: Curve, strokes: Sequence[Stroke], slot: int, covered: Sequence[Alike]) -> str:
    """Returns a wide line below the parts where later curves cover this one, so that both are seen."""
    parts = []
    for group in covered:
        for run in group.runs if curve.name in group.names[:-1] else ():
            places = [stroke.place for stroke in strokes if run[0] <= stroke.x <= run[-1]]
            parts.append(path(places, f"line s{dashes_of(slot)[0]} wider"))
    return element("g", "".join(parts), class_="series", data_s=curve.name) if parts else ""


def _dense(points: Sequence[Place]) -> list[Place]:
    """Returns the points with more between each two, about every six pixels."""
    found = list(points[-1:])
    for (a, b), (c, d) in pairwise(points):
        count = max(1, round(math.hypot(c - a, d - b) / 6))
        found += [(a + i / count * (c - a), b + i / count * (d - b)) for i in range(count)]
    return found


def diamond(x: float, y: float, class_: str, inside: str = "", size: float = 5) -> str:
    """Returns a small diamond."""
    s = at(size)
    return element("path", inside, d=f"M{at(x)} {at(y - size)}l{s} {s}l-{s} {s}l-{s}-{s}z", class_=class_)


def _mark(centre: Place, place: float, level: float, wide: float, words: str) -> str:
    """Returns a ring around a point, with words beside it, and a line to them where they stand higher."""
    right = place > centre[0]
    start = place if right else place + wide
    lead = line(centre[0], centre[1] - 7, start - 2 if right else start + 2, level - 4, "lead")
    shown = text(start, level, words, "halo" if right else "e halo")
    return ring(*centre) + (lead if level < centre[1] - 8 else "") + shown


def _signs(ground: Ground, marks: Sequence[tuple[float, float, str]]) -> list[tuple[float, float, float]]:
    """Returns place and width of the words of every mark: beside its ring, higher where words or rings stand."""
    found: list[tuple[float, float, float]] = []
    rings, order = [(ground.x(x), ground.y(y)) for x, y, _ in marks], sorted(marks)
    for x, y, words in reversed(order):
        centre, width = ground.x(x), width_of(words)
        place = centre - 11 - width if centre > (ground.left + ground.right) / 2 else centre + 11
        met = [(a - 4, a + wide + 4, up, LINE) for a, up, wide in found] + [(a - 9, a + 9, b + 4, 12) for a, b in rings]
        level = ground.y(y) - 8
        while any(abs(level - up) < high and place < end and start < place + width for start, end, up, high in met):
            level -= 1
        found.append((place, level, width))
    return [found[-1 - order.index(mark)] for mark in marks]


def together(chart: Chart) -> str:
    """Returns in words which curves coincide in the picture, or nothing."""
    return "".join(f" {alike.text(chart.axis)}" for alike in chart.alike())
