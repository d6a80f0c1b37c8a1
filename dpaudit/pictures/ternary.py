"""Maps over histograms of three cells: a triangle of hexagons, one for each histogram."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from dpaudit.pictures.maps import Shades
from dpaudit.pictures.picture import Picture
from dpaudit.pictures.svg import at, element, fit, ring, text, told

SIDE = 241
EDGE, TOP = 18.0, 40.0
Cells = tuple[int, int, int]


@dataclass(frozen=True)
class Ternary:
    """Values over the histograms of n records in three cells. ``marks`` are (histogram, letter); ``ring`` the worst."""

    head: str
    values: Mapping[Cells, float]
    tips: Mapping[Cells, str]
    shades: Shades
    ring: Cells | None = None
    marks: Sequence[tuple[Cells, str]] = ()
    told: str = ""
    """What stands before every tip."""
    corners: Sequence[str] = field(default=("all in cell 1", "all in cell 2", "all in cell 3"))

    def draw(self, alt: str) -> Picture:
        """Returns the triangle: a corner for each cell that has all records."""
        n = sum(next(iter(self.values)))
        step = (SIDE - 2 * EDGE) / (n + 1)
        parts = [text(0, 13, fit(self.head, SIDE, 14), "head")]
        across, up = step / 2, step / math.sqrt(12)
        turned = f"translate({at(EDGE)} {at(TOP + step * 0.6)}) scale({across:.4f} {up:.4f})"
        hexagons = []
        for class_ in self.shades.kinds:
            own = [cells for cells, value in self.values.items() if self.shades(value) == class_]
            way = "".join(_hexagon(2 * cells[2] + cells[0] + 1, 3 * (n - cells[0])) for cells in own)
            words = {"data_w": self.told, "data_t": told(self.tips.get(cells, "") for cells in own)}
            hexagons += [element("path", d=way, class_=class_, **words)] if own else []
        parts.append(element("g", "".join(hexagons), transform=turned))
        size = max(5.0, step * 0.5)
        parts += [self._letter(cells, letter, n, step, size) for cells, letter in self.marks]
        if self.ring is not None:
            parts.append(ring(*self._place(self.ring, n, step), size))
        height = TOP + step * math.sqrt(3) / 2 * n + step
        parts.append(text(SIDE / 2, TOP - 14, self.corners[0], "m dim small"))
        parts.append(
            text(0, height + 13, self.corners[1], "dim small") + text(SIDE, height + 13, self.corners[2], "e dim small")
        )
        return Picture(SIDE, height + 20, "".join(parts), alt)

    def _letter(self, cells: Cells, letter: str, n: int, step: float, size: float) -> str:
        """Returns a letter in its hexagon, or if the ring is there too, just outside the ring."""
        x, y = self._place(cells, n, step)
        if self.ring is not None and cells != self.ring:
            cx, cy = self._place(self.ring, n, step)
            away = math.hypot(x - cx, y - cy)
            if away < size + 9:
                x, y = cx + (x - cx) / away * (size + 9), cy + (y - cy) / away * (size + 9)
        return text(x, y + 4, letter, "m halo")

    @staticmethod
    def _place(cells: Cells, n: int, step: float) -> tuple[float, float]:
        across = EDGE + step * (cells[2] + cells[0] / 2 + 0.5)
        return across, TOP + step * 0.6 + (n - cells[0]) * step * math.sqrt(3) / 2


def _hexagon(x: int, y: int) -> str:
    """Returns a hexagon that stands on a corner, begun in its middle, in halves of a step and thirds of a row."""
    return f"M{x} {y}m0-2l1 1v2l-1 1-1-1v-2z"
