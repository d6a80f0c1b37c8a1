"""Maps of cells by colour, small and on one scale, with a ring at the worst cell and a key to the colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from dpaudit.pictures.picture import Picture
from dpaudit.pictures.svg import at, element, fit, line, ring, text

SIGNED = tuple(f"q{i}" for i in range(17))
AMOUNT = tuple(f"h{i}" for i in range(13))
SMALL = 241
LEFT, TOP, BELOW = 34.0, 24.0, 36.0


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

    def draw(self, alt: str) -> Picture:
        """Returns the map; cells of one colour are one path, and their values go along for who points at them."""
        wide, high = len(self.columns), len(self.rows)
        side = (self.width - self.left - 4) / wide
        tall = min(side, 190 / high) if high > wide else side if side * high < 230 else 230 / high
        parts = [text(0, 13, fit(self.head, self.width, 14), "head")]
        inner = "".join(self._colour(class_) for class_ in shades(self.signed))
        scale = f"translate({at(self.left)} {at(TOP)}) scale({side:.4f} {tall:.4f})"
        parts.append(
            element(
                "g",
                inner,
                transform=scale,
                shape_rendering="crispEdges",
                class_="cells",
                data_v=self._values(),
                data_n=self._names(),
            )
        )
        parts += [self._contour(side, tall), self._ring(side, tall), self._axes(side, tall)]
        return Picture(self.width, TOP + tall * high + BELOW, "".join(parts), alt)

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
        return "|".join([self.x_title, ";".join(self.columns), self.y_title, ";".join(self.rows)])

    def _contour(self, side: float, tall: float) -> str:
        """Returns the line around the cells that lie over."""
        way, high = [], len(self.rows)
        for column, row in sorted(self.over):
            x, y = self.left + column * side, TOP + (high - 1 - row) * tall
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
        x, y = self.left + (self.ring[0] + 0.5) * side, TOP + (len(self.rows) - 0.5 - self.ring[1]) * tall
        size = min(9.0, max(5.0, 0.8 * min(side, tall)))
        return ring(x, y, size)

    def _axes(self, side: float, tall: float) -> str:
        """Returns ticks at some columns and rows, and titles."""
        bottom, high = TOP + tall * len(self.rows), len(self.rows)
        parts = [line(self.left, bottom, self.left + side * len(self.columns), bottom, "axis")]
        parts += [
            text(self.left + (i + 0.5) * side, bottom + 14, self.columns[i], "m dim small")
            for i in some(len(self.columns), (self.width - self.left) / (12 + 6 * max(map(len, self.columns))))
        ]
        parts += [
            text(self.left - 5, TOP + (high - 0.5 - i) * tall + 4, fit(self.rows[i], self.left - 5), "e dim small")
            for i in some(high, tall * high / 22)
        ]
        parts.append(text(self.width - 4, bottom + 30, self.x_title, "e dim small"))
        parts.append(text(0, bottom + 30, f"↑ {self.y_title}", "dim small"))
        return "".join(parts)


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
