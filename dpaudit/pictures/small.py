"""Small pictures that stand anywhere, a notebook say: they suit a light and a dark ground, and text has its colour."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.pictures.scales import Scale
from dpaudit.pictures.svg import at, course, element, escape, fit, fit_name
from dpaudit.pictures.svg import text as words_at

A, B, GREY = "#2f7fc1", "#d2691e", "#868b94"
"""Told apart by the colour-blind, and at least 3 : 1 on white and on near black."""
WIDTH, LEFT, RIGHT = 520, 72, 12


def svg(height: float, alt: str, parts: Sequence[str]) -> str:
    """Returns the picture, with words for who cannot see it."""
    style = "max-width:100%;height:auto;font:12px sans-serif"
    size: dict[str, Any] = {"width": WIDTH, "height": height, "viewBox": f"0 0 {WIDTH} {at(height)}"}
    inside = f"<title>{escape(alt)}</title>{''.join(parts)}"
    return element("svg", inside, **size, role="img", aria_label=alt, style=style, fill="currentColor")


def said(x: float, y: float, words: str, anchor: str = "start", **more: Any) -> str:
    """Returns words at a place."""
    return words_at(x, y, words, text_anchor=anchor, **more)


def ruled(x1: float, y1: float, x2: float, y2: float, colour: str = "currentColor", **more: Any) -> str:
    """Returns a straight line."""
    return element("path", d=course([(x1, y1), (x2, y2)]), stroke=colour, **more)


@dataclass(frozen=True)
class Bar:
    """A value against a bound; an infinite one goes on, a ``bad`` one has the other colour.

    What is not known, from ``value`` to ``upper``, is light.
    """

    name: str
    value: float
    upper: float
    shown: str
    bound: float | None
    bound_shown: str
    bad: bool = False

    def draw(self) -> str:
        """Returns the picture."""
        room = WIDTH - LEFT - RIGHT - 104
        ends = [end for end in (self.value, self.upper, self.bound or 0.0) if math.isfinite(end)]
        endless = math.isinf(self.upper)
        full = (1.5 if endless else 1.0) * max(ends) or 1.0
        known, length = (room if math.isinf(end) else end * room / full for end in (self.value, self.upper))
        colour = B if self.bad else A
        parts = [said(LEFT - 8, 40, self.name, "end")]
        parts.append(element("rect", x=LEFT, y=26, width=known, height=20, rx=2, fill=colour))
        if length - known > 1:
            light: dict[str, Any] = {"x": LEFT + known, "width": length - known, "fill": colour, "opacity": ".35"}
            parts.append(element("rect", y=26, height=20, **light))
        parts.append(said(LEFT + length + 6, 40, f"{self.shown} →" if endless else self.shown))
        if self.bound is None:
            return svg(56, f"{self.name} {self.shown}", parts)
        place = LEFT + self.bound * room / full
        parts += [ruled(place, 20, place, 52), said(place, 14, self.bound_shown, "middle")]
        return svg(56, f"{self.name} {self.shown}; {self.bound_shown}", parts)


@dataclass(frozen=True)
class Two:
    """Two distributions over the same outputs on a log axis; ``worst`` is an index; below ``least`` is the foot."""

    x: str
    y: str
    rows: tuple[Sequence[float], Sequence[float]]
    outputs: Sequence[str]
    worst: int | None
    least: float

    def draw(self) -> str:
        """Returns the picture."""
        positive = [p for row in self.rows for p in row if p >= self.least]
        up = Scale(min(positive) / 1.25, max(positive) * 1.25, 196, 34, log=True)
        across = Scale(0, max(1, len(self.outputs) - 1), LEFT + 16, WIDTH - RIGHT - 16)
        parts = []
        for value, shown in up.ticks(4):
            parts.append(ruled(LEFT, up(value), WIDTH - RIGHT, up(value), opacity=".25"))
            parts.append(said(LEFT - 8, up(value) + 4, shown, "end"))
        parts += [self._worst(across), *self._ends(across)]
        for row, colour in zip(self.rows, (A, B), strict=True):
            parts.append(self._series(row, colour, across, up))
        half = (WIDTH - LEFT) / 2
        for place, colour, name in ((LEFT, A, f"x = {self.x}"), (LEFT + half, B, f"x′ = {self.y}")):
            parts += [
                element("circle", cx=place + 5, cy=12, r=4, fill=colour),
                said(place + 14, 16, fit_name(name, half - 20)),
            ]
        return svg(236, f"output distributions of x = {self.x} and x′ = {self.y}, on a log axis", parts)

    def _worst(self, across: Scale) -> str:
        """Returns the mark of the worst output, its name below."""
        if self.worst is None:
            return ""
        place = across(self.worst)
        anchor = "start" if place < WIDTH / 3 else "end" if place > 2 * WIDTH / 3 else "middle"
        name = said(place, 228, fit(f"worst output {self.outputs[self.worst]}", WIDTH / 2), anchor)
        return ruled(place, 34, place, 196, GREY, stroke_dasharray="3 3") + name

    def _ends(self, across: Scale) -> list[str]:
        """Returns the names of the first and the last output."""
        first, last = (fit(self.outputs[i], WIDTH / 3) for i in (0, -1))
        return [said(across(0), 212, first), said(across(len(self.outputs) - 1), 212, last, "end")]

    @staticmethod
    def _series(row: Sequence[float], colour: str, across: Scale, up: Scale) -> str:
        """Returns the points of one distribution, joined; an impossible output is a ring at the foot."""
        spots = [(across(i), up(p)) for i, p in enumerate(row)]
        size = 4 if len(row) <= 24 else 2.5 if len(row) <= 80 else 1.5
        line = element("path", d=course(spots), fill="none", stroke=colour, opacity=".6")
        dots = [
            element("circle", cx=x, cy=y, r=size, **({"fill": colour} if p else {"fill": "none", "stroke": colour}))
            for (x, y), p in zip(spots, row, strict=True)
        ]
        return line + "".join(dots)
