"""The ground of a plot: axes, grid, titles, rules, and labels that do not stand on each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.pictures.scales import Scale, Tick
from dpaudit.pictures.svg import element, line, text, width_of

LINE = 15
"""Pixels from one label to the next."""


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
    def bottom(self) -> float:
        """Returns the lower end."""
        return self.y.start

    def axes(self, x_title: str, y_title: str, x_ticks: Sequence[Tick] | None = None) -> str:
        """Returns grid, ticks and titles; the title of y stands above it, so that nobody turns the head."""
        across = self.x.ticks(max(2, int((self.right - self.left) / 70))) if x_ticks is None else x_ticks
        up = self.y.ticks(max(2, int((self.bottom - self.top) / 44)))
        parts = [line(self.left, self.y(v), self.right, self.y(v), "grid") for v, _ in up]
        parts += [text(self.left - 6, self.y(v) + 4, shown, "e dim") for v, shown in up]
        parts += [line(self.left, self.bottom, self.right, self.bottom, "axis")]
        parts += [line(self.x(v), self.bottom, self.x(v), self.bottom + 4, "axis") for v, _ in across]
        parts += [text(self.x(v), self.bottom + 17, shown, "m dim") for v, shown in across]
        if y_title:
            parts.append(text(2, self.top - 12, y_title, "dim"))
        if x_title:
            parts.append(text(self.right, self.bottom + 34, x_title, "e dim"))
        return "".join(parts)

    def bar(self, value: float, words: str, tinted: bool = False) -> str:
        """Returns a dashed line across with its words at the left; ``tinted``: what lies above it is shaded."""
        y = self.y(value)
        shade = element(
            "rect", x=self.left, y=self.top, width=self.right - self.left, height=max(0.0, y - self.top), class_="over"
        )
        shown = text(self.left + 6, y - 5 if y - self.top > 14 else y + 14, words, "halo")
        return (shade if tinted else "") + line(self.left, y, self.right, y, "rule") + shown

    def post(self, value: float, words: str, row: int = 0) -> str:
        """Returns a dashed line upwards with its words at the top, in one of several rows."""
        x = self.x(value)
        side = "e halo small" if x > (self.left + self.right) / 2 else "halo small"
        shown = text(x - 5 if x > (self.left + self.right) / 2 else x + 5, self.top + 10 + 13 * row, words, side)
        return line(x, self.top, x, self.bottom, "rule") + shown


def margin(ticks: Sequence[Tick]) -> float:
    """Returns the room that the texts of an axis need at its left."""
    return 14 + max((width_of(shown) for _, shown in ticks), default=20)


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


def beside(
    ends: Sequence[tuple[float, float]],
    widths: Sequence[float],
    top: float,
    bottom: float,
    avoid: Sequence[tuple[float, float]] = (),
    taken: Sequence[tuple[float, float, float]] = (),
) -> list[tuple[float, float]]:
    """Returns for labels of these widths places at the right of the ends, or near, so that none stands on another.

    ``taken`` are labels that stand already. Where there is a choice none stands on one of the points to ``avoid``.

    >>> beside([(10, 50), (12, 52)], [40, 40], 0, 100)
    [(18, 50), (20, 66)]
    """
    placed: list[tuple[float, float, float]] = list(taken)
    for (x, y), width in zip(ends, widths, strict=True):
        tries = [y + side * 14 * step for step in range(30) for side in (1, -1)]
        free = [
            t
            for t in tries
            if top + 4 <= t <= bottom
            and all(abs(t - b) >= 14 or x + 8 + width < a or a + w < x + 8 for a, b, w in placed)
        ]
        clear = [t for t in free if not any(x + 6 < a < x + 12 + width and abs(t - b) < 8 for a, b in avoid)]
        placed.append((x + 8, (clear or free or [y])[0], width))
    return [(x, y) for x, y, _ in placed[len(taken) :]]
