"""Trade-off curves: the least error of the second kind of any test for each error of the first kind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from dpaudit.pictures.colours import dashes_of, slots
from dpaudit.pictures.labels import LINE
from dpaudit.pictures.picture import Picture
from dpaudit.pictures.plot import Ground, margin
from dpaudit.pictures.scales import Scale
from dpaudit.pictures.svg import element, fit_name, line, path, text, tip, width_of

Point = tuple[float, float]
SAMPLE = 30.0
"""Pixels of a piece of line beside its name."""


def mirrored(points: Sequence[Point]) -> list[Point]:
    """Returns the curve with its mirror image, from alpha = 0 to beta = 0: the two data sets may be exchanged."""
    every = {(round(a, 12), round(b, 12)) for a, b in points} | {(round(b, 12), round(a, 12)) for a, b in points}
    return sorted(every, key=lambda p: (p[0], -p[1]))


def crossing(points: Sequence[Point]) -> Point:
    """Returns where the curve has alpha = beta.

    >>> crossing([(0.0, 1.0), (0.5, 0.5), (1.0, 0.0)])
    (0.5, 0.5)
    """
    for (a, b), (c, d) in pairwise(points):
        if a <= b and c >= d:
            rise = (b - a) / ((b - a) + (c - d)) if (b - a) + (c - d) else 0.0
            return a + rise * (c - a), b + rise * (d - b)
    return points[len(points) // 2]


def guaranteed(epsilon: float, delta: float) -> list[Point]:
    """Returns the curve below which no (epsilon, delta)-private mechanism goes."""
    small = math.exp(-epsilon)
    middle = (1 - delta) * small / (1 + small)
    return [(0.0, 1 - delta), (middle, middle), (1 - delta, 0.0)]


@dataclass(frozen=True)
class Tradeoff:
    """Curves by name, each whole; ``claims`` are (words, epsilon, delta)."""

    curves: Mapping[str, Sequence[Point]]
    claims: Sequence[tuple[str, float, float]]
    height: float = 330
    slots: Mapping[str, int] = field(default_factory=dict)

    def draw(self, width: float, alt: str) -> Picture:
        """Returns the picture; below the dashed lines no mechanism with that claim goes."""
        up = Scale(0.0, 1.0, self.height - 40, 30)
        ground = Ground(Scale(0.0, 1.0, margin(up), width - 10), up)
        parts = [ground.axes("α, error of the first kind", "β, error of the second kind")]
        parts.append(line(ground.left, ground.top, ground.right, ground.bottom, "grid"))
        parts.append(text(ground.left + 20, ground.top + 8, "↓ coin", "small dim"))
        labels = []
        for words, epsilon, delta in self.claims:
            parts.append(path([(ground.x(a), ground.y(b)) for a, b in guaranteed(epsilon, delta)], "rule"))
            middle = guaranteed(epsilon, delta)[1]
            x, y, beside = ground.x(middle[0]), ground.y(middle[1]), width_of(words, 11) + 8
            left = x - ground.left > beside
            labels.append(
                text(
                    x - 5 if left else ground.left + 3,
                    y + (4 if left else 15),
                    words,
                    "e halo small" if left else "halo small",
                )
            )
        return Picture(width, self.height, "".join([*parts, *self._curves(ground), *labels]), alt)

    def _curves(self, ground: Ground) -> list[str]:
        """Returns the curves, and in the free corner their names with pieces of their lines, from the diagonal in."""
        known, found = {**slots(self.curves), **self.slots}, []
        centres = {name: crossing(points) for name, points in self.curves.items()}
        order = sorted(self.curves, key=lambda name: -sum(centres[name]))
        x = ground.right - min(max(width_of(name) for name in order), 130) - 4
        parts = [text(ground.right, ground.top + 6, "from the diagonal in:", "e small dim")] if len(order) > 1 else []
        for i, name in enumerate(order):
            (colour, dashes), centre = dashes_of(known[name]), centres[name]
            places = [(ground.x(a), ground.y(b)) for a, b in self.curves[name]]
            y = ground.top + 6 + LINE * (i + len(parts[:1]))
            words = tip(f"α = β = about {sum(centre) / 2:.4g}")
            inside = [
                path(places, f"line s{colour}", stroke_dasharray=dashes),
                element("circle", words, cx=ground.x(centre[0]), cy=ground.y(centre[1]), r=2.4, class_=f"f{colour}"),
                line(x - SAMPLE - 6, y, x - 6, y, f"line s{colour}", stroke_dasharray=dashes),
                text(x, y + 4, fit_name(name, 130), "halo"),
            ]
            found.append(element("g", "".join(inside), class_="series", data_s=name))
        return [*parts, *found]
