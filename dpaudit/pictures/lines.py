"""Lines with their names at their ends, their bars, and where there is one their limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

from dpaudit.pictures.colours import DASHES, slots
from dpaudit.pictures.picture import HALF, NARROW, Picture
from dpaudit.pictures.plot import LINE, Ground, beside, margin, spread
from dpaudit.pictures.scales import fitted
from dpaudit.pictures.svg import element, fit, line, path, ring, stairs, text, tip, width_of

STRIP = 66
"""Pixels of the strip for the limits."""
MOST_DOTS = 30
"""A line of more points has no dots, as they would make one band; pointing at it still shows the values."""


@dataclass(frozen=True)
class Curve:
    """A line; ``tips`` has what pointing at a point shows, ``limit`` is where it goes, ``note`` stands by its name."""

    name: str
    points: Sequence[tuple[float, float]]
    tips: Sequence[str] = ()
    limit: float | None = None
    note: str = ""
    steps: bool = False


@dataclass(frozen=True)
class Chart:
    """Curves with two axes. ``bars`` and ``posts`` are (value, words); ``marks`` are (x, y, words)."""

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
    limit_title: str = "n → ∞"
    axis: str = "n"
    tinted: bool = False
    head: str = ""
    height: float = 330
    inside: bool = False
    """Whether labels stand where the curves end, which is not all at the right."""

    def draw(self, width: float, alt: str) -> Picture:
        """Returns the picture of this width."""
        small = width <= NARROW
        ground, strip = self.ground(width)
        known = slots(curve.name for curve in self.curves)
        alike = coincident(self.curves, ground)
        parts = [ground.axes(self.x_title, self.y_title)]
        parts += [text(0, 13, self.head, "head")] if self.head else []
        parts += [ground.bar(value, words, self.tinted and i == 0) for i, (value, words) in enumerate(self.bars)]
        for row, (value, words) in enumerate(dict(self.posts).items()):
            parts.append(ground.post(value, "" if small else words, row % 3))
        if strip:
            parts.append(text(ground.right + STRIP / 2, ground.bottom + 17, self.limit_title, "m dim"))
            parts.append(line(ground.right + STRIP, ground.top, ground.right + STRIP, ground.bottom, "grid"))
        labels = self._labels(ground, strip, width, [group.names for group in alike if group.whole])
        parts += [_underlaid(curve, ground, known[curve.name], alike) for curve in self.curves]
        parts += [self._curve(curve, ground, known[curve.name], small, labels) for curve in self.curves]
        parts += [_mark(ground, *mark) for mark in self.marks]
        return Picture(width, self.height, "".join(parts), alt)

    def ground(self, width: float) -> tuple[Ground, bool]:
        """Returns the axes, and whether there is a strip for limits at their right."""
        points = [point for curve in self.curves for point in curve.points]
        limits = [curve.limit for curve in self.curves if curve.limit is not None]
        top, bottom = 30.0 + 18 * bool(self.head), self.height - 40
        heights = [y for _, y in points] + limits + [v for v, _ in self.bars] + [y for _, y, _ in self.marks]
        y = fitted(heights, bottom, top, log=self.log_y, zero=self.zero)
        left = margin(y.ticks(int((bottom - top) / 44)))
        room = max((width_of(words) for words in self._texts(width).values()), default=0) + 16
        right = width - room - STRIP * bool(limits)
        across = [x for x, _ in points] + [v for v, _ in self.posts] + [x for x, _, _ in self.marks]
        return Ground(fitted(across, left, right, log=self.log_x, whole=self.whole), y), bool(limits)

    def _texts(self, width: float) -> dict[str, str]:
        """Returns what stands at the end of each curve; a long name is cut before its note is."""
        small, most = width <= HALF, 0.42 * width
        notes = {curve.name: "" if small else f" {curve.note}".rstrip() for curve in self.curves}
        return {name: fit(name, max(60.0, most - width_of(note))) + note for name, note in notes.items()}

    def _labels(
        self, ground: Ground, strip: bool, width: float, alike: Sequence[Sequence[str]]
    ) -> dict[str, tuple[float, float, str]]:
        """Returns for every curve that has one the place and the words of its label; what coincides has one each."""
        texts, first = self._texts(width), {name: group[0] for group in alike for name in group[1:]}
        drawn = [curve for curve in self.curves if curve.points]
        ends = [ground.y(curve.limit if curve.limit is not None else curve.points[-1][1]) for curve in drawn]
        if self.inside:
            last = [(ground.x(curve.points[-1][0]), end) for curve, end in zip(drawn, ends, strict=True)]
            points = [(ground.x(x), ground.y(y)) for curve in drawn for x, y in _dense(curve.points)]
            widths = [width_of(texts[curve.name]) for curve in drawn]
            free = beside(last, widths, ground.top, ground.bottom, points, [_taken(ground, *m) for m in self.marks])
            return {curve.name: (*place, texts[curve.name]) for curve, place in zip(drawn, free, strict=True)}
        places = spread(ends, ground.top + 4, ground.bottom - 2, LINE)
        x = ground.right + (STRIP if strip else 0) + 12
        found = {}
        for curve, place in zip(drawn, places, strict=True):
            mark = "= " if curve.name in first else ""
            found[curve.name] = (x, place, mark + texts[curve.name])
        return found

    def _curve(
        self,
        curve: Curve,
        ground: Ground,
        slot: int,
        small: bool,
        labels: dict[str, tuple[float, float, str]],
    ) -> str:
        """Returns line, points, limit and label of one curve, as one group that a reader can single out."""
        if not curve.points:
            return ""
        places = [(ground.x(x), ground.y(y)) for x, y in curve.points]
        dashes = DASHES[slot] or None
        course = stairs(places) if curve.steps else places
        parts = [path(course, f"line s{slot}", stroke_dasharray=dashes)]
        end = places[-1]
        if curve.limit is not None:
            goal = (ground.right + STRIP / 2, ground.y(curve.limit))
            parts.append(line(*end, *goal, f"line thin s{slot}", stroke_dasharray="2 3"))
            parts.append(diamond(*goal, f"f{slot}", tip(f"{curve.name}, limit {curve.limit:.6g}")))
            end = goal
        if not small:
            parts.append(_dots(places, curve.tips, slot, len(places) > MOST_DOTS or curve.steps))
        x, y, words = labels[curve.name]
        parts.append(line(end[0] + 5, end[1], x - 3, y, "lead"))
        parts.append(text(x, y + 4, words, "halo"))
        return element("g", "".join(parts), class_="series", data_s=curve.name)


def _underlaid(curve: Curve, ground: Ground, slot: int, alike: Sequence[Alike]) -> str:
    """Returns a wide line below the parts where later curves coincide with this one, so that both are seen."""
    parts = []
    for group in alike:
        if curve.name in group.names[:-1]:
            places = [(ground.x(x), ground.y(y)) for x, y in curve.points if group.first <= x <= group.last]
            parts.append(path(stairs(places) if curve.steps else places, f"line s{slot} wider"))
    return element("g", "".join(parts), class_="series", data_s=curve.name) if parts else ""


def _dense(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Returns the points with three more between each two."""
    steps = [(i / 4, one, other) for one, other in pairwise(points) for i in range(4)]
    return [(a + s * (c - a), b + s * (d - b)) for s, (a, b), (c, d) in steps]


def _dots(places: Sequence[tuple[float, float]], tips: Sequence[str], slot: int, hidden: bool) -> str:
    """Returns a dot for every point; ``hidden``: only for who points at it."""
    lone = len(places) == 1
    said = tips or [""] * len(places)
    dots = [
        element("circle", tip(words) if words else "", cx=x, cy=y, r="4" if lone else "2.2")
        for (x, y), words in zip(places, said, strict=True)
    ]
    return element("g", "".join(dots), class_=f"f{slot} dots", opacity="0" if hidden and not lone else None)


def diamond(x: float, y: float, class_: str, inside: str = "", size: float = 5) -> str:
    """Returns a small diamond."""
    corners = [(x, y - size), (x + size, y), (x, y + size), (x - size, y)]
    return element("path", inside, d="M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in corners) + "Z", class_=class_)


def _mark(ground: Ground, x: float, y: float, words: str) -> str:
    """Returns a ring around a point, with words beside it."""
    cx, cy = ground.x(x), ground.y(y)
    left = cx > (ground.left + ground.right) / 2
    return ring(cx, cy) + text(cx - 11 if left else cx + 11, cy - 8, words, "e halo" if left else "halo")


@dataclass(frozen=True)
class Alike:
    """Curves that cannot be told apart from ``first`` to ``last``, ``whole`` where that is wherever both are."""

    names: tuple[str, ...]
    first: float
    last: float
    whole: bool

    def text(self, axis: str) -> str:
        """Returns it in words."""
        names = f"{', '.join(self.names[:-1])} and {self.names[-1]}"
        return (
            f"{names} coincide here."
            if self.whole
            else f"{names} coincide from {axis} = {self.first:g} to {self.last:g}."
        )


def _taken(ground: Ground, x: float, y: float, words: str) -> tuple[float, float, float]:
    """Returns the place and the width of the words of a mark."""
    cx, width = ground.x(x), width_of(words)
    return (cx - 11 - width if cx > (ground.left + ground.right) / 2 else cx + 11), ground.y(y) - 12, width


def coincident(curves: Sequence[Curve], ground: Ground) -> list[Alike]:
    """Returns which curves have less than a pixel between them, where for at least a quarter of their points."""
    found: list[tuple[tuple[float, float, bool], list[str]]] = []
    for one, other in combinations(curves, 2):
        mine, theirs = dict(one.points), dict(other.points)
        shared = sorted(mine.keys() & theirs.keys())
        run = _longest([x for x in shared if abs(ground.y(mine[x]) - ground.y(theirs[x])) < 1], shared)
        if len(run) >= max(3, len(shared) / 4) or run == shared != []:
            where = run[0], run[-1], run == shared
            names = next((group for at, group in found if at == where and {one.name, other.name} & {*group}), None)
            if names is None:
                names = []
                found.append((where, names))
            names += [name for name in (one.name, other.name) if name not in names]
    return [Alike(tuple(names), *where) for where, names in found]


def _longest(kept: Sequence[float], every: Sequence[float]) -> list[float]:
    """Returns the longest run of kept places without one between them that is not."""
    best: list[float] = []
    run: list[float] = []
    inside = set(kept)
    for x in every:
        run = [*run, x] if x in inside else []
        best = run if len(run) > len(best) else best
    return best


def together(chart: Chart, width: float) -> str:
    """Returns in words which curves coincide in the picture, or nothing."""
    return "".join(f" {alike.text(chart.axis)}" for alike in coincident(chart.curves, chart.ground(width)[0]))
