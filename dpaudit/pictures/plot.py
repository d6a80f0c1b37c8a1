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

    def post(self, value: float, words: str) -> str:
        """Returns a dashed line upwards with its words at the top."""
        x = self.x(value)
        side = "e halo small" if x > (self.left + self.right) / 2 else "halo small"
        shown = text(x - 5 if x > (self.left + self.right) / 2 else x + 5, self.top + 10, words, side)
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
