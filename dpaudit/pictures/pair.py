"""Two distributions above the loss at every output; and the distribution of the loss."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.pictures.lines import diamond
from dpaudit.pictures.names import below, shortened, turns
from dpaudit.pictures.picture import Picture
from dpaudit.pictures.plot import Ground, margin
from dpaudit.pictures.scales import Scale, Tick, fitted
from dpaudit.pictures.svg import at, boxes, element, fit, fit_name, line, path, ring, stairs, text, told, width_of

SMALL = 368
THIRD = 241
BEYOND = 9.0
"""Half the pixels of the band for infinite losses."""
WIDE = 1.5
"""An enclosure of more pixels is seen as such."""
DOT, DIAMOND = 4.6, 3.8
"""Half the size of a dot and of a diamond: of two at one place both are seen."""
FOOT = 15.0
"""So far below the axis stands what is impossible."""


Span = tuple[float, float]
"""The ends of an enclosure; what is known to a pixel is drawn as a point."""


def middle(span: Span) -> float:
    """Returns the number between the ends, or the finite end where the other is not."""
    low, high = span
    return low if math.isinf(high) else high if math.isinf(low) else (low + high) / 2


@dataclass(frozen=True)
class Stem:
    """One output: its place, its name, both probabilities, and the loss, which may be infinite."""

    place: float
    name: str
    p: Span
    q: Span
    loss: Span
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
        names = shortened([s.name for s in self.stems])
        high, low = self._grounds(width)
        turned = turns(names, abs(low.x(1) - low.x(0)))
        named = 0 if self.ordered else 14 + (0.77 * max(width_of(name, 11) for name in names) if turned else 0)
        parts = [text(0, 13, fit(self.head, width, 14), "head"), self._legend()]
        ticks = self._ticks(low)
        parts += [
            high.axes("", "", [(v, "") for v, _ in ticks]),
            low.axes("output (first cell)" if self.ordered else "", "", [] if named else ticks),
            *self._curves(high),
        ]
        if self._impossible():
            across = high.right - high.left
            parts.append(element("rect", x=high.left, y=high.bottom + 8, width=across, height=14, class_="beyond"))
            parts.append(text(high.left - 6, high.bottom + 19, "0", "e dim"))
        worst = f"loss ln(P_x / P_x′); ringed: output {self.stems[self.worst].name}"
        parts += [
            text(0, low.roof - 10, fit(worst, width, 11), "dim small"),
            *self._losses(low),
            self._columns(high, low),
        ]
        if named:
            parts += [below(low.x(s.place), low.bottom, n, turned) for s, n in zip(self.stems, names, strict=True)]
        if self.note:
            parts.append(text(0, low.bottom + named + (49 if self.ordered else 14), self.note, "dim small"))
        foot = (40 if self.ordered else 6) + 14 * bool(self.note)
        return Picture(width, low.bottom + foot + named, "".join(parts), alt)

    def _legend(self) -> str:
        """Returns which distribution has which line; the colours are said in words by their marks."""
        first, half = f"P_x, x = {self.x}", SMALL / 2
        second = f"P_x′, x′ = {self.y}"
        marks = line(0, 27, 22, 27, "line sa") + line(half, 27, half + 22, 27, "line sb", stroke_dasharray="5 3")
        if not self.ordered:
            marks = element("circle", cx=12, cy=27, r=DOT, class_="fa") + diamond(half + 12, 27, "fb", size=DIAMOND)
        return (
            marks
            + text(27, 31, fit_name(first, half - 32, 11), "small")
            + text(half + 27, 31, fit_name(second, half - 28, 11), "small")
        )

    def _grounds(self, width: float) -> tuple[Ground, Ground]:
        bottom = 190 - FOOT * self._impossible()
        up = fitted([v for s in self.stems for v in (*s.p, *s.q) if v > 0], bottom, 46, log=True)
        room = 0.12 * (self.reach[1] - self.reach[0])
        beyond = BEYOND if any(s.loss[1] == math.inf for s in self.stems) else 0.0
        reach = Scale(self.reach[0] - room, self.reach[1] + room, 310 + 2 * beyond, 228 + 2 * beyond, beyond=beyond)
        left = margin(up, reach)
        places = [s.place for s in self.stems]
        across = Scale(min(places) - 0.6, max(places) + 0.6, left, width - 14, whole=True)
        return Ground(across, up), Ground(across, reach)

    def _impossible(self) -> bool:
        """Returns whether an output has probability 0 for one of the two: a logarithmic axis has no place for it."""
        return any(not high for s in self.stems for _, high in (s.p, s.q))

    def _ticks(self, ground: Ground) -> list[Tick]:
        return [] if not self.ordered else [(v, s) for v, s in ground.x.apart(7) if v >= self.stems[0].place]

    def _curves(self, ground: Ground) -> list[str]:
        """Returns the two distributions: lines where outputs are ordered, dots and diamonds where not."""
        found = []
        for which, class_ in (("p", "a"), ("q", "b")):
            spans: list[Span] = [getattr(s, which) for s in self.stems]
            places = [
                (ground.x(s.place), ground.y(middle(span)) if span[1] else ground.bottom + FOOT)
                for s, span in zip(self.stems, spans, strict=True)
            ]
            ends = [(x, ground.y(span[0]), ground.y(span[1])) for (x, _), span in zip(places, spans, strict=True)]
            found += [line(x, low, x, high, f"line thin s{class_}") for x, low, high in ends if low - high > WIDE]
            if self.ordered:
                dashes = "5 3" if which == "q" else None
                found.append(path(stairs(places), f"line s{class_}", stroke_dasharray=dashes))
            for (x, y), span in () if self.ordered else zip(places, spans, strict=True):
                kind = f"f{class_}" if span[1] else f"hollow s{class_}"
                dot = element("circle", cx=x, cy=y, r=DOT, class_=kind)
                found.append(dot if which == "p" else diamond(x, y, kind, size=DIAMOND))
        return found

    def _losses(self, ground: Ground) -> list[str]:
        """Returns a bar a loss, blue below and orange above zero as in the maps; the worst one has a ring."""
        zero, wide = ground.y(0), max(1.5, min(14.0, 0.7 * (ground.x(1) - ground.x(0))))
        found = [line(ground.left, zero, ground.right, zero, "axis")]
        for class_ in COLOURS:
            own = [(ground.x(s.place), s.loss) for s in self.stems if _coloured(s.loss) == class_]
            ends = [(x, ground.y(surely(span)), [ground.y(end) for end in span]) for x, span in own]
            down = 0.5 if class_ == "q2" else -0.5
            way = "".join(f"M{at(x)} {at(zero)}V{at(y if abs(zero - y) > 0.5 else zero + down)}" for x, y, _ in ends)
            found += [element("path", d=way, class_=f"stem {class_}", stroke_width=wide)] if own else []
            light = boxes((x - wide / 2, b, wide, a - b) for x, _, (a, b) in ends if a - b > WIDE)
            found += [element("path", d=light, class_=f"{class_} open")] if light else []
        endless = [s for s in self.stems if s.loss == (-math.inf, -math.inf)]
        found += [text(ground.x(s.place), zero - 4, "−∞", "m small") for s in endless]
        worst = self.stems[self.worst]
        return [*found, ring(ground.x(worst.place), ground.y(middle(worst.loss)))]

    def _columns(self, high: Ground, low: Ground) -> str:
        """Returns a place for every output, not seen, that says its numbers to who points above or below it."""
        way = "".join(f"M{at(high.x(s.place))} {at(low.bottom)}" for s in self.stems)
        words = {"data_w": "output; P_x, P_x′, loss about: ", "data_t": told(s.said for s in self.stems)}
        return element("path", d=way, class_="hit", data_x="", **words)


@dataclass(frozen=True)
class Mass:
    """A loss with its probability, and what is said of them."""

    loss: Span
    p: Span
    said: str


@dataclass(frozen=True)
class Losses:
    """The distribution of the loss of a pair, on axes that others share; ``high`` is the largest probability."""

    head: str
    masses: Sequence[Mass]
    reach: float
    high: float
    bar: float | None = None

    def draw(self, alt: str) -> Picture:
        """Returns a stem a loss, light where it is not known; an infinite one has a place of its own at the right."""
        endless = any(mass.loss[1] == math.inf for mass in self.masses)
        up = Scale(0.0, min(1.0, self.high * 1.05), 150, 48)
        beyond = 12.0 if endless else 0.0
        right = THIRD - 16 - 2 * beyond
        across = Scale(-1.08 * self.reach, 1.08 * self.reach, margin(up), right, beyond=beyond)
        ground = Ground(across, up)
        parts = [
            text(0, 13, fit(self.head, THIRD, 14), "head"),
            ground.axes("loss", "probability under x", across.apart(4)),
            line(across(0), 48, across(0), 150, "grid"),
        ]
        if endless:
            parts.append(element("rect", x=across(math.inf) - 8, y=48, width=16, height=102, class_="beyond"))
            parts.append(text(across(math.inf), 167, "∞", "m"))
        if self.bar is not None:
            inside = self.bar <= self.reach * 1.08
            rule = line(across(self.bar), 48, across(self.bar), 150, "rule") if inside else ""
            parts.append(rule)
            claim = text(across(self.bar) - 4, 58, "claim" if inside else "claim →", "e halo small")
        parts += [self._stems(class_, across, up) for class_ in COLOURS]
        parts += [claim] if self.bar is not None else []
        return Picture(THIRD, 190, "".join(parts), alt)

    def _stems(self, class_: str, across: Scale, up: Scale) -> str:
        """Returns the stems of one colour: solid as high as is sure where the loss is known, light for what is not."""
        own = [mass for mass in self.masses if _coloured(mass.loss) == class_]
        way, light = "", []
        for mass in own:
            (left, right), (low, high) = map(across, mass.loss), map(up, mass.p)
            middle_ = (left + right) / 2
            start, wide = (left, right - left) if right - left > WIDE else (middle_ - 1.25, 2.5)
            light += [(start, low, wide, max(1.5, 150 - low))] if right - left > WIDE else []
            light += [(start, high, wide, low - high)] if low - high > WIDE else []
            way += f"M{at(middle_)} {at(min(low, 148.5))}" + ("V150" if right - left <= WIDE else "")
        tips = told(mass.said for mass in own)
        parts = [element("path", d=way, class_=f"stem {class_}", stroke_width="2.5", data_t=tips)] if own else []
        return "".join([*parts, *([element("path", d=boxes(light), class_=f"{class_} open")] if light else [])])


COLOURS = ("q2", "fnone", "q14")


def surely(span: Span) -> float:
    """Returns the end of a loss that is nearer to zero, zero where they lie on both sides of it."""
    low, high = span
    return low if low > 0 else high if high < 0 else 0.0


def _coloured(loss: Span) -> str:
    """Returns the colour of a loss: orange above and blue below zero, as in the maps."""
    return "q14" if middle(loss) > 0 else "q2" if middle(loss) < 0 else "fnone"
