"""A grid of names by columns, with a tile in its cell for every entry; a letter on it is a code beside its colour."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dpaudit.pictures.picture import NARROW, Picture
from dpaudit.pictures.svg import element, escape, fit, line, text, tip, width_of

TILE, STEP = 16.0, 19.0
ROOM = 10.0
"""Pixels of a cell that its tiles leave free."""
TILT = 72.0
"""Height of the titles of the columns where they are tilted."""


@dataclass(frozen=True)
class Tile:
    """An entry: its letter, its colour, what pointing at it shows, and where it leads."""

    letter: str
    class_: str
    words: str
    goal: str = ""

    def draw(self, x: float, y: float) -> str:
        """Returns the tile."""
        box = element("rect", tip(self.words), x=x, y=y, width=TILE, height=TILE, rx=3, class_=self.class_)
        shown = box + text(x + TILE / 2, y + TILE / 2 + 4, self.letter, "m onto")
        return f'<a href="#{escape(self.goal)}" tabindex="-1">{shown}</a>' if self.goal else shown


@dataclass(frozen=True)
class Grid:
    """Tiles by row and column; ``key`` says what the letters mean."""

    columns: Sequence[str]
    cells: Mapping[str, Mapping[str, Sequence[Tile]]]
    key: Mapping[str, str]

    def draw(self, width: float, alt: str) -> Picture:
        """Returns the grid with its key below."""
        small = width <= NARROW
        left = 10 + max(width_of(name, 13) for name in self.cells)
        left = min(left, 0.3 * width)
        sides = self._sides(width - left - 1, small)
        starts = [left + sum(sides[:i]) for i in range(len(sides) + 1)]
        top = TILT if small else 22.0
        parts = [self._title(starts[i], sides[i], name, small) for i, name in enumerate(self.columns)]
        y = top
        for name, own in self.cells.items():
            parts.append(line(0, y, starts[-1], y, "axis") + text(2, y + 17, fit(name, left - 6, 13), "head"))
            y += self._row(parts, own, starts, sides, y)
        parts.append(line(0, y, starts[-1], y, "axis"))
        parts += [line(x, top, x, y, "axis") for x in starts]
        return Picture(width, self._below(parts, width, y + 22), "".join(parts), alt)

    def _sides(self, room: float, small: bool) -> list[float]:
        """Returns the widths of the columns: their titles, and by the most tiles of a cell what is left."""
        most = [max((len(own.get(name, ())) for own in self.cells.values()), default=0) for name in self.columns]
        least = [STEP + ROOM if small else max(STEP, width_of(name, 13)) + ROOM for name in self.columns]
        wanted = [max(0.0, STEP * min(count, 12) + ROOM - own) for count, own in zip(most, least, strict=True)]
        share = min(1.0, max(0.0, room - sum(least)) / (sum(wanted) or 1.0))
        return [own + share * more for own, more in zip(least, wanted, strict=True)]

    @staticmethod
    def _title(x: float, side: float, name: str, small: bool) -> str:
        if not small:
            return text(x + ROOM / 2, 15, name, "head")
        place = x + min(side, 30.0) / 2 + 5
        return text(place, TILT - 4, name, "e small", transform=f"rotate(45 {place:.0f} {TILT - 4:.0f})")

    @staticmethod
    def _row(
        parts: list[str],
        own: Mapping[str, Sequence[Tile]],
        starts: Sequence[float],
        sides: Sequence[float],
        y: float,
    ) -> float:
        """Adds the tiles of a row, and returns its height."""
        tallest = 1
        for x, side, tiles in zip(starts, sides, own.values(), strict=False):
            each = max(1, int((side - ROOM + STEP - TILE) // STEP))
            for i, tile in enumerate(tiles):
                parts.append(tile.draw(x + ROOM / 2 + STEP * (i % each), y + 4 + STEP * (i // each)))
            tallest = max(tallest, -(-len(tiles) // each))
        return STEP * tallest + 5

    def _below(self, parts: list[str], width: float, y: float) -> float:
        """Adds the key in lines that fit, and returns the height of all."""
        x = 2.0
        for letter, words in self.key.items():
            room = width_of(words, 11) + 38
            if x > 2 and x + room > width:
                x, y = 2.0, y + 20
            parts.append(element("rect", x=x, y=y - 12, width=TILE, height=TILE, rx=3, class_="fdim"))
            parts.append(text(x + TILE / 2, y, letter, "m onto") + text(x + TILE + 6, y, words, "small"))
            x += room
        return y + 12
