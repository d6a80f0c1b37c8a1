"""Lines with their names at their ends, their bars, and where there is one their limit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dpaudit.pictures.alike import Alike, coincident, equal, near
from dpaudit.pictures.colours import dashes_of, slots
from dpaudit.pictures.labels import LINE, Label, Sign, beside, signs
from dpaudit.pictures.picture import HALF, NARROW, Picture
from dpaudit.pictures.plot import Ground, margin, spread
from dpaudit.pictures.scales import fitted
from dpaudit.pictures.strokes import Stroke, dots, drawn
from dpaudit.pictures.svg import Place, at, element, fit_name, line, path, text, tip, width_of

STRIP, GAP = 66, 14
"""Pixels of the strip for the limits, and before it."""
BEYOND = 11.0
"""Half the pixels of the band for what is infinite."""


@dataclass(frozen=True)
class Curve:
    """A line; ``tips`` has what pointing at a point shows, ``limit`` is where it goes, ``note`` stands by its name.

    A note begins with a number, that of the end or the limit; ``more`` is what stands after it, what is claimed say.

    ``spans`` are the ends of the enclosures: one that is seen is drawn as a band. A value may be infinite.
    """

    name: str
    points: Sequence[tuple[float, float]]
    tips: Sequence[str] = ()
    limit: float | None = None
    note: str = ""
    more: str = ""
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
        marks = [((ground.x(x), ground.y(y)), words) for x, y, words in self.marks]
        rings = signs(marks, ((ground.left, width - 2), (ground.roof, ground.bottom)), met)
        labels = self._labels(ground, strip, width, strokes, rings)
        covered = _covered(strokes)
        parts += [_underlaid(curve, strokes[curve.name], known[curve.name], covered) for curve in self.curves]
        for curve in self.curves:
            if curve.points:
                parts.append(self._curve(curve, strokes[curve.name], ground, known[curve.name], small, labels))
        parts += [self._named(curve, strokes[curve.name], known[curve.name], labels) for curve in self.curves]
        parts += [sign.draw() for sign in rings]
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
        """Returns what stands at the end of each curve; a name is cut before its note.

        "= " stands before what coincides with one above it, where also the numbers and the limits are the same.
        """
        small, most = width <= HALF, 0.42 * width
        notes = {curve.name: "" if small else f" {curve.note}{curve.more}".rstrip() for curve in self.curves}
        ends = {curve.name: (curve.note, curve.limit) for curve in self.curves}
        whole = [group.names for group in self.alike() if group.whole and not self.inside]
        same = {name: "= " for first, *rest in whole for name in rest if ends[name] == ends[first]}
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
        rings: Sequence[Sign],
    ) -> dict[str, Label]:
        """Returns for every curve that has one the place and the words of its label."""
        texts = self._texts(width)
        ended = [curve for curve in self.curves if curve.points]
        lasts = [strokes[curve.name][-1].place for curve in ended]
        ends = [y if curve.limit is None else ground.y(curve.limit) for curve, (_, y) in zip(ended, lasts, strict=True)]
        if self.inside:
            met = [place for own in strokes.values() for place in _dense([stroke.place for stroke in own])]
            widths = [width_of(texts[curve.name]) for curve in ended]
            taken = [box for sign in rings for box in (sign.box, (sign.centre[0] - 9, sign.centre[1], 18.0))]
            boxes = beside(lasts, widths, ((ground.left, width), (ground.roof, ground.bottom)), met, taken)
            return {
                curve.name: Label(texts[curve.name], box, box[2] > wide)
                for curve, box, wide in zip(ended, boxes, widths, strict=True)
            }
        places = spread(ends, ground.roof + 4, ground.bottom - 2, LINE)
        x = ground.right + (GAP + STRIP if strip else 0) + 12
        return {curve.name: Label(texts[curve.name], (x, y, 0.0)) for curve, y in zip(ended, places, strict=True)}

    def _curve(
        self,
        curve: Curve,
        strokes: Sequence[Stroke],
        ground: Ground,
        slot: int,
        small: bool,
        labels: dict[str, Label],
    ) -> str:
        """Returns line, points and limit of one curve, and its label where all are at the right, as one group."""
        colour, dashes = dashes_of(slot)
        parts = [drawn(strokes, colour, dashes, () if small else curve.tips)]
        end = strokes[-1].place
        if curve.limit is not None:
            goal = (ground.right + GAP + STRIP / 2, ground.y(curve.limit))
            parts.append(line(*end, *goal, f"line thin s{colour}", stroke_dasharray="2 3"))
            parts.append(diamond(*goal, f"f{colour}", tip(f"limit {curve.limit:.6g}")))
            end = goal
        parts.append(dots(strokes, curve.tips, colour, small))
        if not self.inside:
            label = labels[curve.name]
            parts.append(line(end[0] + 5, end[1], label.box[0] - 3, label.box[1], "lead"))
            parts.append(label.draw(end, colour, dashes))
        return element("g", "".join(parts), class_="series", data_s=curve.name)

    def _named(self, curve: Curve, strokes: Sequence[Stroke], slot: int, labels: dict[str, Label]) -> str:
        """Returns the label of a curve among the others, as a group of its own, which no curve is drawn over."""
        if not self.inside or not curve.points:
            return ""
        shown = labels[curve.name].draw(strokes[-1].place, *dashes_of(slot))
        return element("g", shown, class_="series", data_s=curve.name)


def _strokes(curve: Curve, ground: Ground) -> list[Stroke]:
    """Returns the values on paper."""
    return [
        Stroke(ground.x(x), ground.y(y), ground.y(high), ground.y(low), math.isinf(low))
        for (x, y), (low, high) in zip(curve.points, curve.ends(), strict=True)
    ]


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


def together(chart: Chart) -> str:
    """Returns in words which curves coincide in the picture, or nothing."""
    return "".join(f" {alike.text(chart.axis)}" for alike in chart.alike())
