"""Two distributions above the loss at every output; and the distribution of the loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.pictures.lines import diamond
from dpaudit.pictures.picture import Picture
from dpaudit.pictures.plot import Ground, margin
from dpaudit.pictures.scales import Scale, Tick, fitted
from dpaudit.pictures.svg import element, fit, line, path, ring, stairs, text, tip

SMALL = 368
THIRD = 241
LEAST = 1e-9
"""Probabilities below are drawn at the foot."""


@dataclass(frozen=True)
class Stem:
    """One output: its place, its name, both probabilities, and the loss, which may be infinite."""

    place: float
    name: str
    p: float
    q: float
    loss: float
    said: str


@dataclass(frozen=True)
class Pair:
    """The distributions of a pair. ``worst`` is the index of the worst output; ``note`` says what is cropped."""

    head: str
    x: str
    y: str
    stems: Sequence[Stem]
    worst: int
    note: str = ""
    ordered: bool = True
    reach: tuple[float, float] = (-1.0, 1.0)

    def draw(self, alt: str, width: float = SMALL) -> Picture:
        """Returns both panels; ``reach`` are the least and largest loss of the whole figure, so that they compare."""
        tilted = 0 if self.ordered else 54
        high, low = self._grounds(width)
        parts = [text(0, 13, fit(self.head, width, 14), "head"), self._legend(), *self._curves(high)]
        ticks = self._ticks(low)
        parts += [
            high.axes("", "", [(v, "") for v, _ in ticks]),
            low.axes("output" if self.ordered else "", "", [] if tilted else ticks),
        ]
        worst = f"loss ln(P_x / P_x′); ringed: output {self.stems[self.worst].name}"
        parts += [
            text(0, low.top - 10, fit(worst, width, 11), "dim small"),
            *self._losses(low),
            *self._columns(high, low),
        ]
        if tilted:
            parts += [
                text(
                    low.x(s.place) + 4,
                    low.bottom + 10,
                    s.name[:14],
                    "e small dim",
                    transform=f"rotate(-50 {low.x(s.place):.0f} {low.bottom + 10:.0f})",
                )
                for s in self.stems
            ]
        if self.note:
            parts.append(text(0, low.bottom + tilted + (34 if self.ordered else 30), self.note, "dim small"))
        return Picture(width, low.bottom + 40 + tilted, "".join(parts), alt)

    def _legend(self) -> str:
        """Returns which distribution has which line; the colours are said in words by their marks."""
        first, half = f"P_x, x = {self.x}", SMALL / 2
        second = f"P_x′, x′ = {self.y}"
        return (
            line(0, 27, 22, 27, "line sa")
            + text(27, 31, fit(first, half - 32, 11), "small")
            + line(half, 27, half + 22, 27, "line sb", stroke_dasharray="5 3")
            + text(half + 27, 31, fit(second, half - 28, 11), "small")
        )

    def _grounds(self, width: float) -> tuple[Ground, Ground]:
        sizes = [max(v, LEAST) for s in self.stems for v in (s.p, s.q) if v > 0]
        up = fitted(sizes, 190, 46, log=True)
        room = 0.12 * (self.reach[1] - self.reach[0])
        reach = Scale(self.reach[0] - room, self.reach[1] + room, 310, 228)
        left = max(margin(up.ticks(3)), margin(reach.ticks(2)))
        places = [s.place for s in self.stems]
        across = Scale(min(places) - 0.6, max(places) + 0.6, left, width - 14, whole=True)
        return Ground(across, up), Ground(across, reach)

    def _ticks(self, ground: Ground) -> list[Tick]:
        return [] if not self.ordered else [(v, s) for v, s in ground.x.ticks(7) if v >= self.stems[0].place]

    def _curves(self, ground: Ground) -> list[str]:
        """Returns the two distributions: lines where outputs are ordered, dots and diamonds where not."""
        found = []
        for which, class_ in (("p", "a"), ("q", "b")):
            places = [(ground.x(s.place), ground.y(max(getattr(s, which), LEAST / 10))) for s in self.stems]
            if self.ordered:
                dashes = "5 3" if which == "q" else None
                found.append(path(stairs(places), f"line s{class_}", stroke_dasharray=dashes))
            for x, y in () if self.ordered else places:
                found.append(element("circle", cx=x, cy=y, r=3.6, class_="fa") if which == "p" else diamond(x, y, "fb"))
        return found

    def _losses(self, ground: Ground) -> list[str]:
        """Returns a bar a loss, blue below and orange above zero as in the maps; the worst one has a ring."""
        zero, wide = ground.y(0), max(1.5, min(14.0, 0.7 * (ground.x(1) - ground.x(0))))
        found = [line(ground.left, zero, ground.right, zero, "axis")]
        for stem in self.stems:
            y, x = ground.y(stem.loss), ground.x(stem.place)
            box = element(
                "rect",
                x=x - wide / 2,
                y=min(y, zero),
                width=wide,
                height=max(0.5, abs(zero - y)),
                class_="q14" if stem.loss > 0 else "q2",
            )
            found.append(box + (text(x, y - 4 if stem.loss > 0 else y + 12, "∞", "m") if math.isinf(stem.loss) else ""))
        worst = self.stems[self.worst]
        x, y = ground.x(worst.place), ground.y(worst.loss)
        return [*found, ring(x, y)]

    def _columns(self, high: Ground, low: Ground) -> list[str]:
        """Returns a column for every output, not seen, that says its numbers to who points at it."""
        wide = high.x(1) - high.x(0)
        return [
            element(
                "rect",
                tip(s.said),
                x=high.x(s.place) - wide / 2,
                y=high.top,
                width=wide,
                height=low.bottom - high.top,
                class_="hit",
            )
            for s in self.stems
        ]


@dataclass(frozen=True)
class Losses:
    """The distribution of the loss of a pair: (loss, probability, words), on axes that others share."""

    head: str
    masses: Sequence[tuple[float, float, str]]
    reach: float
    high: float
    bar: float | None = None

    def draw(self, alt: str) -> Picture:
        """Returns a stem a loss."""
        up = Scale(0.0, self.high * 1.05, 150, 34)
        across = Scale(-1.08 * self.reach, 1.08 * self.reach, margin(up.ticks(3)), THIRD - 6)
        ground = Ground(across, up)
        parts = [
            text(0, 13, fit(self.head, THIRD, 14), "head"),
            ground.axes("loss", "", across.ticks(4)),
            line(across(0), 34, across(0), 150, "axis"),
        ]
        if self.bar is not None and self.bar <= self.reach * 1.08:
            parts.append(
                line(across(self.bar), 34, across(self.bar), 150, "rule")
                + text(across(self.bar) - 4, 44, "claim", "e halo small")
            )
        for loss, mass, words in self.masses:
            x, y = across(loss), up(mass)
            class_ = "q14" if loss > 0 else "q2"
            parts.append(
                element("rect", tip(words), x=x - 1.25, y=y, width=2.5, height=max(0.5, 150 - y), class_=class_)
            )
            parts.append(text(x, y - 3, "∞", "m small") if math.isinf(loss) else "")
        return Picture(THIRD, 190, "".join(parts), alt)
