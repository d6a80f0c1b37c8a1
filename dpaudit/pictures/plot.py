"""The ground of a plot: axes, grid, titles, rules, and labels that do not stand on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dpaudit.pictures.chain import folded
from dpaudit.pictures.labels import LINE
from dpaudit.pictures.scales import Scale, Tick
from dpaudit.pictures.svg import ENTRY, element, fit, line, path, text, width_of

LEAST = 70.0
"""Pixels that words on a line have at the least, in a plot that is all but covered by its labels too."""


@dataclass(frozen=True)
class Ground:
    """A plot between pixels: ``x`` runs to the right, ``y`` upwards."""

    x: Scale
    y: Scale

    @property
    def left(self) -> float:
        """Returns the left end."""
        return self.x.start

    @property
    def right(self) -> float:
        """Returns the right end."""
        return self.x.end

    @property
    def top(self) -> float:
        """Returns the upper end."""
        return self.y.end

    @property
    def roof(self) -> float:
        """Returns the upper end with the band for what is infinite."""
        return self.y.end - 2 * self.y.beyond

    @property
    def bottom(self) -> float:
        """Returns the lower end."""
        return self.y.start

    def axes(self, x_title: str, y_title: str, x_ticks: Sequence[Tick] | None = None) -> str:
        """Returns grid, ticks and titles; the title of y stands above it, so that nobody turns the head."""
        across = self.x.apart(max(2, int((self.right - self.left) / 70))) if x_ticks is None else x_ticks
        up = upward(self.y)
        parts = [line(self.left, self.y(v), self.right, self.y(v), "grid") for v, _ in up]
        parts += [text(self.left - 6, self.y(v) + 4, shown, "e dim") for v, shown in up]
        parts += [line(self.left, self.bottom, self.right, self.bottom, "axis")]
        parts += [line(self.x(v), self.bottom, self.x(v), self.bottom + 4, "axis") for v, _ in across]
        parts += [text(self.x(v), self.bottom + 17, shown, "m dim") for v, shown in across]
        if self.y.beyond:
            parts.append(self._band())
        if y_title:
            parts.append(text(2, self.roof - 12, y_title, "dim"))
        if x_title:
            fits = width_of(x_title) <= self.right - 2
            parts.append(text(self.right if fits else 2, self.bottom + 34, x_title, "e dim" if fits else "dim"))
        return "".join(parts)

    def _band(self) -> str:
        """Returns the band for what is infinite, above a gap in the axis."""
        y, across = self.roof, self.right - self.left
        band = element("rect", x=self.left, y=y, width=across, height=1.4 * self.y.beyond, class_="beyond")
        return band + text(self.left - 6, self.y.end - self.y.beyond, "∞", "e")

    def bar(self, value: float, words: str, tinted: bool = False, avoid: Sequence[tuple[float, float]] = ()) -> str:
        """Returns a dashed line across with its words on it; ``tinted``: what lies above it is shaded.

        The words stand at the left, or where fewer of the points to ``avoid`` are; of "claim: names" the names are cut.
        """
        y, rows = self.y(value), claim_rows(words, self.right - self.left - 12)
        shade = element(
            "rect",
            x=self.left,
            y=self.roof,
            width=self.right - self.left,
            height=max(0.0, y - self.roof),
            class_="over",
        )
        width, high = max(map(width_of, rows)), LINE * (len(rows) - 1)
        spots = [
            (x, up)
            for x in (self.left + 6, (self.left + self.right - width) / 2, self.right - width - 6)
            for up in ([y - 5 - high, y + 14] if y - self.top > 14 + high else [y + 14])
        ]
        x, up = _freest(spots, width, avoid)
        shown = "".join(text(x, up + LINE * i, row, "halo") for i, row in enumerate(rows))
        return (shade if tinted else "") + line(self.left, y, self.right, y, "rule") + shown

    def steps(
        self, points: Sequence[tuple[float, float]], words: str, avoid: Sequence[tuple[float, float]] = ()
    ) -> str:
        """Returns a dashed line at the level of each point, half the way to its neighbours; its words at its end."""
        places = [(self.x(x), self.y(y)) for x, y in points]
        halves = [(a + b) / 2 for (a, _), (b, _) in pairwise(places)]
        ends = pairwise([max(self.left, places[0][0] - 4), *halves, min(self.right, places[-1][0] + 4)])
        course = [(x, y) for both, (_, y) in zip(ends, places, strict=True) for x in both]
        words = " ".join(claim_rows(words, self.right - self.left - 12))
        width = width_of(words)
        spots = [
            (min(max(x - width / 2, self.left + 6), self.right - width - 6), up)
            for x, y in (course[-1], course[len(course) // 2], course[0])
            for up in (y - 8, y + 18)
        ]
        shown = text(*_freest(spots, width, [*avoid, *course]), words, "halo") if words else ""
        return path(course, "rule") + shown

    def posts(self, marks: Sequence[tuple[float, str]], avoid: Sequence[tuple[float, float]] = ()) -> str:
        """Returns dashed lines upwards, each with its words beside it, where few points and no other words are."""
        found, met = (
            [line(self.x(value), self.roof, self.x(value), self.bottom, "rule") for value, _ in marks],
            list(avoid),
        )
        met += [
            (self.x(value), self.roof + 6 * i) for value, _ in marks for i in range(int((self.bottom - self.roof) / 6))
        ]
        for value, words in marks:
            x, width = self.x(value), width_of(words, 11)
            rows = [*(self.roof + 10 + 13 * row for row in range(4)), *(self.bottom - 6 - 13 * row for row in range(3))]
            sides = [side for side in (x + 5, x - 5 - width) if self.left < side < self.right - width]
            spot = _freest([(side, y) for y in rows for side in sides or [x + 5]], width, met)
            met += [(spot[0] + width * i / 6, spot[1] - 4) for i in range(7) for _ in range(9)]
            found.append(text(*spot, words, "halo small"))
        return "".join(found)


def claim_rows(words: str, room: float) -> list[str]:
    """Returns "claim: names" in rows that fit: the names are cut or left out, and the claim, a number, never is.

    >>> claim_rows("claimed ε = 2: one, another", 140), claim_rows("claimed ε = 2: one, another", 110)
    (['claimed ε = 2: one,…'], ['claimed ε = 2'])
    >>> claim_rows("claimed ε = 2: one, another", 70)
    ['claimed', 'ε = 2']
    """
    room = max(room, LEAST)
    if width_of(words) <= room:
        return [words]
    claim, found, names = words.partition(": ")
    if not found or width_of(claim) > room:
        return [row.replace(ENTRY, " ") for row in folded(claim.replace(" = ", f"{ENTRY}={ENTRY}"), room, 12)] or [""]
    cut = fit(names, room - width_of(f"{claim}: "))
    return [f"{claim}: {cut}" if len(cut) > len("ab…") and width_of(f"{claim}: {cut}") <= room else claim]


def _freest(
    spots: Sequence[tuple[float, float]], width: float, avoid: Sequence[tuple[float, float]]
) -> tuple[float, float]:
    """Returns the first of the places at which words of this width stand on the fewest points."""

    def met(spot: tuple[float, float]) -> int:
        x, y = spot
        return sum(x - 2 < a < x + width + 2 and y - 12 < b < y + 4 for a, b in avoid)

    return min(spots, key=met)


def upward(scale: Scale) -> list[Tick]:
    """Returns the ticks of an axis upwards, as many as have room: about three on the smallest."""
    return scale.ticks(max(3, int(abs(scale.start - scale.end) / 44)))


def margin(*scales: Scale) -> float:
    """Returns the room that the texts of axes upwards need at their left."""
    return 14 + max((width_of(shown) for scale in scales for _, shown in upward(scale)), default=20)


def spread(wanted: Sequence[float], low: float, high: float, gap: float = LINE) -> list[float]:
    """Returns places near the wanted ones, in their order, a gap apart and between the ends where there is room.

    >>> spread([10, 12, 50], 0, 60, 10)
    [6.0, 16.0, 50.0]
    """
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    groups: list[list[float]] = []
    for i in order:
        groups.append([wanted[i], 1.0])
        while (
            len(groups) > 1
            and _start(groups[-1], gap, low, high) < _start(groups[-2], gap, low, high) + groups[-2][1] * gap
        ):
            centre, count = groups.pop()
            before = groups[-1]
            groups[-1] = [(before[0] * before[1] + centre * count) / (before[1] + count), before[1] + count]
    places = [
        start + gap * j for group in groups for start in [_start(group, gap, low, high)] for j in range(int(group[1]))
    ]
    found = [0.0] * len(wanted)
    for i, place in zip(order, places, strict=True):
        found[i] = place
    return found


def _start(group: Sequence[float], gap: float, low: float, high: float) -> float:
    """Returns where the first of a group of labels stands."""
    room = gap * (group[1] - 1)
    return max(low, min(high - room, group[0] - room / 2))
