"""Maps of cells by colour, small and on one scale, with a ring at the worst cell and a key to the colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from dpaudit.pictures.picture import Picture
from dpaudit.pictures.svg import ENTRY, at, element, fit, line, ring, text, width_of

SIGNED = tuple(f"q{i}" for i in range(17))
AMOUNT = tuple(f"h{i}" for i in range(13))
SMALL = 241
LEFT, TOP, BELOW = 34.0, 24.0, 36.0
TILTED = 0.64
"""How far a name that is tilted goes to the left, for each pixel of its length."""
LISTS = "␞"
"""What stands between lists of names: no name has it."""


def shades(signed: bool) -> tuple[str, ...]:
    """Returns the colours by name: from below zero to above, or from nothing to much."""
    return SIGNED if signed else AMOUNT


def shade(value: float, reach: float, kinds: Sequence[str]) -> str:
    """Returns the colour of a value; ``reach`` is the largest size on the scale."""
    share = (value + reach) / (2 * reach) if kinds[0] == "q0" else value / reach
    return (
        kinds[min(len(kinds) - 1, max(0, math.floor(share * len(kinds))))]
        if math.isfinite(share)
        else kinds[-1 if value > 0 else 0]
    )


@dataclass(frozen=True)
class CellMap:
    """Values by (column, row), both from 0 on; row 0 is at the bottom. ``contour`` are cells that lie over a line."""

    head: str
    values: Mapping[tuple[int, int], float]
    columns: Sequence[str]
    rows: Sequence[str]
    reach: float
    x_title: str
    y_title: str
    signed: bool = True
    ring: tuple[int, int] | None = None
    over: frozenset[tuple[int, int]] = frozenset()
    width: float = SMALL
    left: float = LEFT
    centre: float = 0.0
    named: bool = False
    """Whether columns and rows are called by words: then every one of them is labelled."""
    note: str = ""

    def draw(self, alt: str) -> Picture:
        """Returns the map; cells of one colour are one path, and their values go along for who points at them."""
        side, tall = self._sizes()
        inner = "".join(self._colour(class_) for class_ in shades(self.signed))
        scale = f"translate({at(self._start)} {at(TOP)}) scale({side:.4f} {tall:.4f})"
        told = {"data_v": self._values(), "data_n": self._names()}
        parts = [
            text(0, 13, fit(self.head, self.width, 14), "head"),
            element("g", inner, transform=scale, shape_rendering="crispEdges", class_="cells", **told),
            self._contour(side, tall),
            self._endless(side, tall),
            self._ring(side, tall),
            self._axes(side, tall),
        ]
        bottom = TOP + tall * len(self.rows) + BELOW + self._tilted
        parts += [text(0, bottom + 8, self.note, "dim small")] if self.note else []
        return Picture(self.width, bottom + 14 * bool(self.note), "".join(parts), alt)

    @property
    def _start(self) -> float:
        """Returns where the first column starts: after the names of the rows, and what hangs over of its own."""
        if not self.named:
            return self.left
        over = TILTED * width_of(self.columns[0], 11) - 8
        return max(self.left, over, 9 + max(width_of(name, 11) for name in self.rows))

    @property
    def _tilted(self) -> float:
        """Returns the height of the names of the columns where these are tilted."""
        return 0.77 * max(width_of(name, 11) for name in self.columns) if self.named else 0.0

    def _sizes(self) -> tuple[float, float]:
        """Returns width and height of a cell."""
        wide, high = len(self.columns), len(self.rows)
        side = (self.width - self._start - 4) / wide
        if self.named:
            return min(44.0, side), max(12.0, min(22.0, 300 / high))
        return side, min(side, 190 / high) if high > wide else side if side * high < 230 else 230 / high

    def _colour(self, class_: str) -> str:
        """Returns all cells of a colour as one path, runs of them as one box."""
        way, high, kinds = [], len(self.rows), shades(self.signed)
        for row in range(high):
            here = [column for column in range(len(self.columns)) if (column, row) in self.values]
            mine = [c for c in here if shade(self.values[c, row] - self.centre, self.reach, kinds) == class_]
            for _, run in groupby(enumerate(mine), lambda pair: pair[1] - pair[0]):
                cells = [column for _, column in run]
                way.append(f"M{cells[0]} {high - 1 - row}h{len(cells)}v1h-{len(cells)}z")
        return element("path", d="".join(way), class_=class_) if way else ""

    def _values(self) -> str:
        """Returns the values row by row from the top, three digits each, for who points at a cell."""
        lines = []
        for row in reversed(range(len(self.rows))):
            shown = (self.values.get((column, row)) for column in range(len(self.columns)))
            lines.append(" ".join("" if v is None else f"{v:.3g}".replace("inf", "∞") for v in shown))
        return ";".join(lines)

    def _names(self) -> str:
        """Returns what columns and rows are called, each with its names."""
        return LISTS.join([self.x_title, ENTRY.join(self.columns), self.y_title, ENTRY.join(self.rows)])

    def _contour(self, side: float, tall: float) -> str:
        """Returns the line around the cells that lie over."""
        way, high = [], len(self.rows)
        for column, row in sorted(self.over):
            x, y = self._start + column * side, TOP + (high - 1 - row) * tall
            edges = {
                (column - 1, row): f"M{at(x)} {at(y)}v{at(tall)}",
                (column + 1, row): f"M{at(x + side)} {at(y)}v{at(tall)}",
                (column, row + 1): f"M{at(x)} {at(y)}h{at(side)}",
                (column, row - 1): f"M{at(x)} {at(y + tall)}h{at(side)}",
            }
            way += [edge for cell, edge in edges.items() if cell in self.values and cell not in self.over]
        return "".join(element("path", d="".join(way), class_=class_) for class_ in ("under", "ring")) if way else ""

    def _ring(self, side: float, tall: float) -> str:
        if self.ring is None:
            return ""
        size = min(9.0, max(5.0, 0.8 * min(side, tall)))
        return ring(*self._middle(self.ring, side, tall), size)

    def _middle(self, cell: tuple[int, int], side: float, tall: float) -> tuple[float, float]:
        return self._start + (cell[0] + 0.5) * side, TOP + (len(self.rows) - 0.5 - cell[1]) * tall

    def _endless(self, side: float, tall: float) -> str:
        """Returns the sign of infinity on the cells that are infinite, and a dash on the impossible ones, if wide."""
        if min(side, tall) < 9:
            return ""
        endless = {cell: "∞" if value > 0 else "−∞" for cell, value in self.values.items() if math.isinf(value)}
        every = ((i, j) for i in range(len(self.columns)) for j in range(len(self.rows)))
        never = [cell for cell in every if self.named and cell not in self.values]
        signs = [(cell, sign, "m onto") for cell, sign in endless.items()] + [(cell, "–", "m dim") for cell in never]
        places = [(*self._middle(cell, side, tall), sign, class_) for cell, sign, class_ in signs]
        return "".join(text(x, y + 4, sign, class_) for x, y, sign, class_ in places)

    def _axes(self, side: float, tall: float) -> str:
        """Returns the names of columns and rows, or ticks at some of them, and titles."""
        bottom, high, right = TOP + tall * len(self.rows), len(self.rows), self._start + side * len(self.columns)
        parts = [line(self._start, bottom, right, bottom, "axis")]
        parts += [self._column(i, self._start + (i + 0.5) * side, bottom) for i in self._labelled()]
        parts += [
            text(
                self._start - 5,
                TOP + (high - 0.5 - i) * tall + 4,
                fit(self.rows[i], self._start - 5, 11),
                "e dim small",
            )
            for i in (range(high) if self.named else some(high, tall * high / 22))
        ]
        below = bottom + 30 + self._tilted
        if self.named:
            return "".join([*parts, text(0, below, f"rows: {self.y_title}; columns: {self.x_title}", "dim small")])
        parts.append(text(self.width - 4, below, self.x_title, "e dim small"))
        parts.append(text(0, below, f"↑ {self.y_title}", "dim small"))
        return "".join(parts)

    def _labelled(self) -> Sequence[int]:
        """Returns which columns have their name below them."""
        room = (self.width - self.left) / (12 + 6 * max(map(len, self.columns)))
        return range(len(self.columns)) if self.named else some(len(self.columns), room)

    def _column(self, i: int, x: float, bottom: float) -> str:
        if not self.named:
            return text(x, bottom + 14, self.columns[i], "m dim small")
        turn = f"rotate(-50 {x:.0f} {bottom + 10:.0f})"
        return text(x + 4, bottom + 10, self.columns[i], "e dim small", transform=turn)


def some(count: int, room: float) -> list[int]:
    """Returns the places of at most about so many ticks, at round distances.

    >>> some(41, 5)
    [0, 10, 20, 30, 40]
    """
    if count <= room:
        return list(range(count))
    step = next(s for s in (1, 2, 5, 10, 20, 25, 50, 100, 1000, 10**6) if count / s <= max(1.0, room + 0.5))
    return list(range(0, count, step))


def key(reach: float, title: str, signed: bool = True, width: float = SMALL, centre: float = 0.0) -> Picture:
    """Returns the bar of colours with its numbers."""
    kinds = shades(signed)
    side = (min(width, SMALL) - 20) / len(kinds)
    parts = [text(10, 13, title, "small")]
    parts += [
        element("rect", x=10 + i * side, y=20, width=side, height=12, class_=class_) for i, class_ in enumerate(kinds)
    ]
    ends = [(10.0, centre - reach if signed else 0.0, ""), (10 + side * len(kinds), centre + reach, "e")]
    ends += [(10 + side * len(kinds) / 2, centre, "m")] if signed else []
    parts += [text(x, 46, f"{value:.3g}".replace("-", "−"), f"{class_} dim small".strip()) for x, value, class_ in ends]
    return Picture(width, 54, "".join(parts), f"The colours: {title}, from {ends[0][1]:.3g} to {centre + reach:.3g}.")
