"""Maps of cells by colour, small and on one scale, with a ring at the worst cell and a key to the colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from dpaudit.pictures.names import below, turns
from dpaudit.pictures.picture import Picture
from dpaudit.pictures.svg import ENTRY, at, element, fit, line, ring, text, width_of

SIGNED = tuple(f"q{i}" for i in range(17))
AMOUNT = tuple(f"h{i}" for i in range(13))
SMALL = 241
LEFT, TOP, BELOW = 34.0, 24.0, 36.0
TILTED = 0.64
"""How far a name that is tilted goes to the left, for each pixel of its length."""
WIDEST = 44.0
"""The widest column of a map by name."""
LISTS = "␞"
"""What stands between lists of names: no name has it."""


@dataclass(frozen=True)
class Shades:
    """From numbers to colours: from ``low`` over ``centre`` to ``high``, or without a centre from nothing to much.

    Each side of the centre has its half of the colours, however long it is.
    """

    low: float
    high: float
    centre: float | None = 0.0

    @staticmethod
    def around(reach: float) -> Shades:
        """Returns the colours of what goes as far below zero as above."""
        return Shades(-reach, reach)

    @staticmethod
    def amount(reach: float) -> Shades:
        """Returns the colours from nothing to so much."""
        return Shades(0.0, reach, None)

    @property
    def kinds(self) -> tuple[str, ...]:
        """Returns the colours by name, the lowest first; those of a side on which nothing lies are left out."""
        if self.centre is None:
            return AMOUNT
        half = len(SIGNED) // 2
        first, last = half * (self.low == self.centre < self.high), half * (self.high == self.centre > self.low)
        return SIGNED[first : len(SIGNED) - last]

    def __call__(self, value: float) -> str:
        """Returns the colour of a number."""
        return self.kinds[self.place(value)]

    def place(self, value: float) -> int:
        """Returns the place of its colour among them: what lies outside has the first or the last.

        >>> [Shades(0.0, 1.1, 1.0).place(value) for value in (0.0, 0.5, 1.0, 1.05, 1.1)]
        [0, 4, 8, 12, 16]
        """
        kinds = AMOUNT if self.centre is None else SIGNED
        share = 0.5 * (1 + self._side(value)) if self.centre is not None else value / self.high
        if math.isfinite(share):
            found = min(len(kinds) - 1, max(0, math.floor(share * len(kinds))))
        else:
            found = len(kinds) - 1 if value > 0 else 0
        return min(len(self.kinds) - 1, max(0, found - kinds.index(self.kinds[0])))

    def _side(self, value: float) -> float:
        """Returns how far from the centre it is, from -1 to 1 at the ends."""
        centre = self.centre or 0.0
        room = self.high - centre if value >= centre else centre - self.low
        return (value - centre) / room if room else 0.0

    def unsure(self, low: float, high: float) -> bool:
        """Returns whether what lies between may have colours that are told apart."""
        return self.place(high) > self.place(low) and (high - low) > self._step()

    def _step(self) -> float:
        """Returns how much a colour spans, on the side where it is less."""
        sides = [side for side in (self.high - (self.centre or 0.0), (self.centre or 0.0) - self.low) if side > 0]
        return min(sides, default=1.0) / (len(AMOUNT) if self.centre is None else len(SIGNED) / 2)


@dataclass(frozen=True)
class CellMap:
    """Values by (column, row), both from 0 on; row 0 is at the bottom. ``over`` are cells that lie over a line.

    Cells that are ``struck`` through have values that are not known to a colour.
    """

    head: str
    values: Mapping[tuple[int, int], float]
    columns: Sequence[str]
    rows: Sequence[str]
    shades: Shades
    x_title: str
    y_title: str
    ring: tuple[int, int] | None = None
    over: frozenset[tuple[int, int]] = frozenset()
    width: float = SMALL
    left: float = LEFT
    struck: frozenset[tuple[int, int]] = frozenset()
    named: bool = False
    """Whether columns and rows are called by words: then every one of them is labelled."""
    note: str = ""

    def draw(self, alt: str) -> Picture:
        """Returns the map; cells of one colour are one path, and their values go along for who points at them."""
        side, tall = self._sizes()
        inner = "".join(self._colour(class_) for class_ in self.shades.kinds)
        scale = f"translate({at(self._start)} {at(TOP)}) scale({side:.4f} {tall:.4f})"
        told = {"data_v": self._values(), "data_n": self._names()}
        parts = [
            text(0, 13, fit(self.head, self.width, 14), "head"),
            element("g", inner, transform=scale, shape_rendering="crispEdges", class_="cells", **told),
            self._rim(side, tall),
            self._struck(side, tall),
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
        over = TILTED * width_of(self.columns[0], 11) - 8 if self._turned else 0.0
        return max(over, self._aside)

    @property
    def _aside(self) -> float:
        """Returns the room for the names of the rows."""
        return max(self.left, 9 + max(width_of(name, 11) for name in self.rows))

    @property
    def _turned(self) -> bool:
        """Returns whether the names of the columns are tilted, as they do not fit side by side."""
        return self.named and turns(self.columns, min(WIDEST, (self.width - self._aside - 4) / len(self.columns)))

    @property
    def _tilted(self) -> float:
        """Returns the height of the names of the columns where these are tilted."""
        return 0.77 * max(width_of(name, 11) for name in self.columns) if self._turned else 0.0

    def _sizes(self) -> tuple[float, float]:
        """Returns width and height of a cell."""
        wide, high = len(self.columns), len(self.rows)
        side = (self.width - self._start - 4) / wide
        if self.named:
            return min(WIDEST, side), max(12.0, min(22.0, 300 / high))
        return side, min(side, 190 / high) if high > wide else side if side * high < 230 else 230 / high

    def _colour(self, class_: str) -> str:
        """Returns all cells of a colour as one path, runs of them as one box."""
        way, high = [], len(self.rows)
        for row in range(high):
            here = [column for column in range(len(self.columns)) if (column, row) in self.values]
            mine = [c for c in here if self.shades(self.values[c, row]) == class_]
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

    def _rim(self, side: float, tall: float) -> str:
        """Returns the line around all cells: they are seen though all of them have the colour of the ground."""
        wide, high = side * len(self.columns), tall * len(self.rows)
        return element("rect", x=self._start, y=TOP, width=wide, height=high, class_="axis")

    def _struck(self, side: float, tall: float) -> str:
        """Returns a stroke through every cell that is not known to a colour."""
        places = [self._middle(cell, side, tall) for cell in sorted(self.struck)]
        way = "".join(
            f"M{at(x - side / 2)} {at(y + tall / 2)}L{at(x + side / 2)} {at(y - tall / 2)}" for x, y in places
        )
        return element("path", d=way, class_="struck") if way else ""

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
        foot = bottom + 30 + self._tilted
        if self.named:
            return "".join([*parts, text(0, foot, f"rows: {self.y_title}; columns: {self.x_title}", "dim small")])
        parts.append(text(self.width - 4, foot, self.x_title, "e dim small"))
        parts.append(text(0, foot, f"↑ {self.y_title}", "dim small"))
        return "".join(parts)

    def _labelled(self) -> Sequence[int]:
        """Returns which columns have their name below them."""
        room = (self.width - self.left) / (12 + 6 * max(map(len, self.columns)))
        return range(len(self.columns)) if self.named else some(len(self.columns), room)

    def _column(self, i: int, x: float, bottom: float) -> str:
        return below(x, bottom, self.columns[i], self._turned)


def some(count: int, room: float) -> list[int]:
    """Returns the places of at most about so many ticks, at round distances.

    >>> some(41, 5)
    [0, 10, 20, 30, 40]
    """
    if count <= room:
        return list(range(count))
    step = next(s for s in (1, 2, 5, 10, 20, 25, 50, 100, 1000, 10**6) if count / s <= max(1.0, room + 0.5))
    return list(range(0, count, step))


def key(shades: Shades, title: str, width: float = SMALL) -> Picture:
    """Returns the bar of colours with its numbers."""
    kinds = shades.kinds
    side = (min(width, SMALL) - 20) / len(kinds)
    right = 10 + side * len(kinds)
    parts = [text(10, 13, title, "small")]
    parts += [
        element("rect", x=10 + i * side, y=20, width=side, height=12, class_=class_) for i, class_ in enumerate(kinds)
    ]
    parts.append(element("rect", x=10, y=20, width=right - 10, height=12, class_="axis"))
    ends = [(10.0, shades.low, ""), (right, shades.high, "e")]
    inside = shades.centre is not None and shades.low < shades.centre < shades.high
    ends += [(10 + (right - 10) / 2, shades.centre or 0.0, "m")] if inside else []
    parts += [text(x, 46, f"{value:.3g}".replace("-", "−"), f"{class_} dim small".strip()) for x, value, class_ in ends]
    return Picture(width, 54, "".join(parts), f"The colours: {title}, from {shades.low:.3g} to {shades.high:.3g}.")
