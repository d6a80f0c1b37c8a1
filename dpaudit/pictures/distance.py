"""The distribution function of a distance, with bounds on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpaudit.pictures.alike import coincident, equal
from dpaudit.pictures.lines import diamond
from dpaudit.pictures.picture import HALF, Picture
from dpaudit.pictures.plot import Ground, margin
from dpaudit.pictures.scales import Scale
from dpaudit.pictures.svg import at, element, fit, line, path, text, told

DASHES = ("5 3", "2 3", "9 3", "7 3 2 3", "12 3", "3 2 8 2", "1 2")
HEIGHT, KEY = 190.0, 15.0
MOST_TIPS = 24
"""So many points of a curve tell their values."""
Point = tuple[float, float, str]


def within(points: Sequence[tuple[float, float]]) -> list[list[tuple[float, float]]]:
    """Returns the parts of the line through the points that lie between 0 and 1.

    >>> within([(0, -1), (1, 0.5), (2, 2.5), (3, 3)])
    [[(0.6666666666666666, 0.0), (1, 0.5), (1.25, 1.0)]]
    """
    found: list[list[tuple[float, float]]] = [[]]
    for i, (x, y) in enumerate(points):
        before = points[i - 1] if i else (x, y)
        crossed = sorted(
            (before[0] + (edge - before[1]) / (y - before[1]) * (x - before[0]), edge)
            for edge in (0.0, 1.0)
            if (before[1] - edge) * (y - edge) < 0
        )
        found[-1] += crossed
        if 0 <= y <= 1:
            found[-1].append((x, y))
        elif found[-1]:
            found.append([])
    return [run for run in found if len(run) > 1]


@dataclass(frozen=True)
class Distances:
    """``curves`` by name, "" being the distribution itself; ``top`` is the largest distance of all pictures.

    ``fails`` has where a bound fails first, as a point of its curve.
    """

    head: str
    curves: Mapping[str, Sequence[Point]]
    fails: Mapping[str, tuple[float, float]]
    top: float
    steps: frozenset[str] = frozenset()
    """The bounds that change only where the distribution does: steps too."""

    def draw(self, alt: str) -> Picture:
        """Returns the curves; below them which dashes are which bound, and whether it fails."""
        up = Scale(0.0, 1.02, HEIGHT, 40)
        ground = Ground(Scale(0.0, self.top, margin(up), HALF - 8), up)
        parts = [text(0, 13, fit(self.head, HALF, 14), "head"), ground.axes("t", "Pr[H < t]")]
        bounds = [name for name in self.curves if name]
        for i, name in enumerate(bounds):
            parts.append(self._bound(ground, name, i))
            y = HEIGHT + 46 + KEY * i
            parts.append(line(0, y, 30, y, "line sb", stroke_dasharray=DASHES[i % len(DASHES)]))
            words = name + self._failing(name) + self._same(name)
            seen = bool(within([(t, value) for t, value, _ in self.curves[name]]))
            parts.append(text(38, y + 4, fit(words if seen else f"{words}, outside [0, 1]", HALF - 40, 11), "small"))
        parts.append(self._exact(ground))
        marks = [(ground.x(t), ground.y(value)) for t, value in self.fails.values()]
        parts += [diamond(x, y, "frefuted", size=4.5) for x, y in marks]
        return Picture(HALF, HEIGHT + 44 + KEY * len(bounds), "".join(parts), alt)

    def _failing(self, name: str) -> str:
        """Returns in words where a bound fails first, or nothing."""
        return f": first fails at {self.fails[name][0]:.3g} ◆" if name in self.fails else ""

    def _same(self, name: str) -> str:
        """Returns in words with which curve before it a bound coincides, two that would look like one, or nothing."""
        curves = {other: {t: (value, value) for t, value, _ in own} for other, own in self.curves.items()}
        groups = [group.names for group in coincident(curves, equal) if group.whole and name in group.names[1:]]
        return "".join(f", same as {first or 'the exact one'}" for first, *_ in groups[:1])

    def _exact(self, ground: Ground) -> str:
        """Returns the steps: below t only what is nearer counts."""
        places: list[tuple[float, float]] = [(ground.x(0), ground.y(0))]
        places += [(ground.x(t), ground.y(value)) for t, value in self._stairs("")]
        places += [(places[-1][0], ground.y(1)), (ground.right, ground.y(1))]
        return path(places, "line sa") + self._tips(ground, "")

    def _bound(self, ground: Ground, name: str, number: int) -> str:
        dashes = DASHES[number % len(DASHES)]
        points = [(t, value) for t, value, _ in self.curves[name]]
        runs = within(self._stairs(name) if name in self.steps else points)
        drawn = [path([(ground.x(t), ground.y(v)) for t, v in run], "line sb", stroke_dasharray=dashes) for run in runs]
        return "".join(drawn) + self._tips(ground, name)

    def _stairs(self, name: str) -> list[tuple[float, float]]:
        """Returns the corners: the value at a distance is that of all t down to the distance before."""
        found: list[tuple[float, float]] = []
        for t, value, _ in self.curves.get(name, ()):
            found += [(found[-1][0] if found else 0.0, value), (t, value)]
        return found

    def _tips(self, ground: Ground, name: str) -> str:
        points = [point for point in self.curves.get(name, ()) if 0 <= point[1] <= 1]
        some = points[:: 1 + len(points) // MOST_TIPS]
        way = "".join(f"M{at(ground.x(t))} {at(ground.y(value))}" for t, value, _ in some)
        words = {"data_w": f"{name or 'exact'}: t, value about: ", "data_t": told(words for *_, words in some)}
        return element("path", d=way, class_="hit", **words) if some else ""
