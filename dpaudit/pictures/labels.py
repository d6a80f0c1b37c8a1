"""Labels inside a plot: near the end of their own curve, off the curves, and never where another one ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from dpaudit.pictures.svg import Place, line, ring, text, width_of

LINE = 15
"""Pixels from one label to the next."""
HALF = 6.0
"""Pixels of a label above and below its middle."""
NEAR = 8.0
"""Pixels between an end and the label directly beside it."""
SAMPLE = 18.0
"""Pixels for a piece of its line before a label that does not stand directly beside its end."""
CELL = 6.0
ROUNDS = 3
"""So often every label looks for a better place, as others have moved."""
RAISED = 150
"""So many pixels at most the words of a mark stand above it."""
MET, ASTRAY, COVERED = 20.0, 10_000.0, 20_000.0
"""What a point below a label costs, in pixels away from its end; to stand nearer to another end; and on any curve."""
Box = tuple[float, float, float]
"""Left end, middle and width of a label."""
Room = tuple[tuple[float, float], tuple[float, float]]
"""The ends of the room for labels, across and downwards."""


@dataclass(frozen=True)
class Label:
    """Words whose ``box`` has room for a piece of the line before them where it is ``led`` to."""

    words: str
    box: Box
    led: bool = False

    def draw(self, end: Place, colour: int, dashes: str | None) -> str:
        """Returns the words, and where they stand apart from the end a thin line from there and the piece."""
        x, y, _ = self.box
        if not self.led:
            return text(x, y + 4, self.words, "halo")
        sample = line(x, y, x + SAMPLE - 4, y, f"line s{colour}", stroke_dasharray=dashes)
        return _lead(end, self.box) + sample + text(x + SAMPLE, y + 4, self.words, "halo")


def beside(
    ends: Sequence[Place],
    widths: Sequence[float],
    room: Room,
    avoid: Sequence[Place] = (),
    taken: Sequence[Box] = (),
) -> list[Box]:
    """Returns boxes for labels of these widths: at the right of the ends, or near, so that none stands on another.

    A box that is wider than its label has a place for a piece of the line. ``taken`` are labels that stand already.
    A label stands on none of the points to ``avoid`` wherever there is such a place, nearer to its end than to another
    one where that can be too, and not far from it. No thin line to a label goes through another one.

    >>> beside([(10, 50), (12, 80)], [40, 40], ((0, 100), (0, 100)))
    [(18.0, 50, 40), (20.0, 80, 40)]
    """
    met = _cells(avoid)
    choices = [
        sorted((_cost(box, end, width, ends, met), box) for box in _tries(end, width, room))
        for end, width in zip(ends, widths, strict=True)
    ]
    order = sorted(range(len(ends)), key=lambda i: choices[i][0])
    placed: dict[int, Box] = {}
    for _, i in product(range(ROUNDS), order):
        others = [*taken, *(box for j, box in placed.items() if j != i)]
        ways = [(ends[j], box) for j, box in placed.items() if j != i and box[2] > widths[j]]
        free = [box for _, box in choices[i] if not any(_meet(box, other) for other in others)]
        clear = (box for box in free if _clear(ends[i], box, box[2] > widths[i], others, ways))
        placed[i] = next(clear, free[0] if free else choices[i][0][1])
    return [placed[i] for i in range(len(ends))]


def _clear(end: Place, box: Box, led: bool, others: Sequence[Box], ways: Sequence[tuple[Place, Box]]) -> bool:
    """Returns whether the thin line to a label that is ``led`` to leaves the others free, and theirs this one."""
    own = led and any(_through(end, box, other) for other in others)
    return not own and not any(_through(start, goal, box) for start, goal in ways)


def _through(end: Place, box: Box, other: Box) -> bool:
    """Returns whether the thin line from an end to its label goes through another label."""
    return any(_away(other, place) < 2 for place in _steps(end, box))


def _tries(end: Place, width: float, room: Room) -> list[Box]:
    """Returns where a label may stand: directly beside its end, or with a piece of its line farther away."""
    (x, y), (left, right), (top, bottom) = end, *room
    wide = width + SAMPLE
    found = [(x + NEAR, y, width), (x - NEAR - width, y, width)]
    for step, gap in product(range(-12, 13), (NEAR, 22.0, 40.0, 60.0, 85.0)):
        found += [(x + gap, y + step * LINE / 2, wide), (x - gap - wide, y + step * LINE / 2, wide)]
    found += [(x - wide / 2, y + step * LINE, wide) for step in range(-6, 7) if step]
    inside = [(a, b, w) for a, b, w in found if left <= a <= right - w and top + HALF <= b <= bottom - HALF]
    return inside or [(min(max(left, x + NEAR), max(left, right - width)), min(max(top, y), bottom), width)]


def _cost(box: Box, end: Place, width: float, ends: Sequence[Place], met: frozenset[tuple[int, int]]) -> float:
    """Returns how bad a place is: its distance from its own end, what it stands on, and whose end is nearer."""
    own = _away(box, end)
    direct = box[2] == width
    crossed = 0 if direct else len(set(_way(end, box)) & met)
    others = [other for other in ends if math.dist(other, end) > NEAR / 2]
    astray = ASTRAY * any(_away(box, other) <= own for other in others)
    below = _below(box, met)
    return (
        astray
        + COVERED * bool(below)
        + MET * below
        + MET * crossed
        + (0 if direct else own + LINE)
        + (6 if box[0] < end[0] else 0)
    )


def _way(end: Place, box: Box) -> list[tuple[int, int]]:
    """Returns the cells that the thin line to a label goes through, but for those at the end itself."""
    return [(int(x // CELL), int(y // CELL)) for x, y in _steps(end, box)]


def _steps(end: Place, box: Box) -> list[Place]:
    """Returns places on the thin line to a label, about every six pixels, but for those at the end itself."""
    (x, y), goal = end, _goal(end, box)
    count = max(1, round(math.dist(end, goal) / CELL))
    return [(x + i / count * (goal[0] - x), y + i / count * (goal[1] - y)) for i in range(2, count + 1)]


def _goal(end: Place, box: Box) -> Place:
    """Returns the place of a box that is nearest to an end, in the middle of its side where it stands aside."""
    x, y, wide = box
    across = min(max(end[0], x), x + wide)
    return across, y if across != end[0] else y + math.copysign(HALF, end[1] - y)


def _away(box: Box, end: Place) -> float:
    """Returns how far a label is from an end."""
    x, y, wide = box
    return math.hypot(max(x - end[0], 0, end[0] - x - wide), max(0, abs(y - end[1]) - HALF))


def _lead(end: Place, box: Box) -> str:
    """Returns the thin line from an end to its label."""
    goal = _goal(end, box)
    away = math.dist(end, goal)
    start, stop = (min(0.5, 4 / away), max(0.5, 1 - 2 / away)) if away else (0.0, 0.0)
    at = [(end[0] + s * (goal[0] - end[0]), end[1] + s * (goal[1] - end[1])) for s in (start, stop)]
    return line(*at[0], *at[1], "lead")


def _below(box: Box, met: frozenset[tuple[int, int]]) -> int:
    """Returns in how many cells a label stands on points."""
    x, y, wide = box
    across = range(int((x - 2) // CELL), int((x + wide + 2) // CELL) + 1)
    return len({*product(across, (int(up // CELL) for up in (y - HALF, y, y + HALF)))} & met)


def _cells(points: Iterable[Place]) -> frozenset[tuple[int, int]]:
    """Returns the cells of a grid in which points lie."""
    return frozenset((int(x // CELL), int(y // CELL)) for x, y in points)


def _meet(one: Box, other: Box) -> bool:
    """Returns whether a label stands on another."""
    (a, b, wide), (c, d, w) = one, other
    return abs(b - d) < LINE - 1 and a <= c + w + NEAR and c <= a + wide + NEAR


@dataclass(frozen=True)
class Sign:
    """A ring around a point, with words in a box beside it."""

    centre: Place
    words: str
    box: Box

    def draw(self) -> str:
        """Returns both, and a thin line between them where the words stand higher."""
        (x, y), (start, level, wide) = self.centre, self.box
        left = start + wide <= x
        near = start if start > x else start + wide if left else x
        lead = line(x, y - 7, near - math.copysign(2, near - x), level, "lead") if level < y - 12 else ""
        shown = text(start + wide if left else start, level + 4, self.words, "e halo" if left else "halo")
        return ring(x, y) + lead + shown


def signs(marks: Sequence[tuple[Place, str]], room: Room, avoid: Sequence[Place] = ()) -> list[Sign]:
    """Returns the marks with their words: beside their rings, higher where words, rings or curves are; never cut."""
    met, rings = _cells(avoid), [(x - 9, y, 18.0) for (x, y), _ in marks]
    found: dict[int, Sign] = {}
    for i in sorted(range(len(marks)), key=lambda i: marks[i], reverse=True):
        centre, words = marks[i]
        taken = [*rings, *(sign.box for sign in found.values())]
        found[i] = Sign(centre, words, _raised(centre, width_of(words), room, met, taken))
    return [found[i] for i in range(len(marks))]


def _raised(centre: Place, width: float, room: Room, met: frozenset[tuple[int, int]], taken: Sequence[Box]) -> Box:
    """Returns the place for the words of a ring: at the side that has more room, where that is free, as low as is."""
    (x, y), (left, right), (top, _) = centre, *room
    sides = [x + 11, x - 11 - width] if x - left < right - x else [x - 11 - width, x + 11]
    sides = [side for side in sides if left <= side <= right - width] or [max(left, min(x, right - width))]
    levels = [y - 12 - up for up in range(0, RAISED, 3) if y - 12 - up >= top]
    tries = [(side, level, width) for side in sides for level in levels] or [(sides[0], y - 12, width)]
    free = [box for box in tries if not any(_meet(box, other) for other in taken)] or tries
    return min(free, key=lambda box: y - box[1] + MET * _below(box, met) + HALF * sides.index(box[0]))
