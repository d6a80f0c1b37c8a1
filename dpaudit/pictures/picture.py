"""A picture: SVG of a size with words for who cannot see it; several side by side; a file of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.pictures.colours import needed, resolved, style
from dpaudit.pictures.svg import at, element, escape

WIDE, HALF, NARROW = 760, 371, 366
"""The widths for a page, for two beside each other, and for a phone."""
GAP = 18


@dataclass(frozen=True)
class Picture:
    """``body`` is SVG; ``alt`` says what is to be seen."""

    width: float
    height: float
    body: str
    alt: str

    def svg(self, **more: str) -> str:
        """Returns the element for a page that has the style and the colours."""
        size: dict[str, str | float] = {"width": self.width, "height": self.height}
        box = f"0 0 {at(self.width)} {at(self.height)}"
        return element("svg", self.body, class_="pic", viewBox=box, **size, role="img", aria_label=self.alt, **more)


@dataclass(frozen=True)
class Figure:
    """Pictures that stand together, a caption that states the finding, and the same for a phone.

    Small pictures find their own rows on a phone: then ``narrow`` is empty.
    """

    wide: Sequence[Picture]
    caption: str
    narrow: Sequence[Picture] = ()

    def html(self, hint: str = "") -> str:
        """Returns the figure; exactly one of the two versions is shown at any width, and the wide one on paper."""
        two = bool(self.narrow)
        shown = _row(self.wide, "pics wide" if two else "pics") + (_row(self.narrow, "pics narrow") if two else "")
        return f"<figure>{shown}<figcaption>{escape(self.caption)}{hint}</figcaption></figure>"

    def file(self) -> str:
        """Returns the figure as a file of its own: light, on white."""
        return standalone(beside(self.wide))


def _row(pictures: Sequence[Picture], classes: str) -> str:
    return f'<div class="{classes}">{"".join(picture.svg() for picture in pictures)}</div>'


def beside(pictures: Sequence[Picture], most: float = WIDE + GAP) -> Picture:
    """Returns one picture of several, in rows that are no wider than ``most``."""
    parts, x, y, high, wide = [], 0.0, 0.0, 0.0, 0.0
    for picture in pictures:
        if x and x + picture.width > most:
            x, y, high = 0.0, y + high + GAP, 0.0
        parts.append(element("g", picture.body, transform=f"translate({at(x)} {at(y)})"))
        x, high = x + picture.width + GAP, max(high, picture.height)
        wide = max(wide, x - GAP)
    return Picture(wide, y + high, "".join(parts), " ".join(picture.alt for picture in pictures))


def still(body: str) -> str:
    """Returns the picture for paper: without what only serves who points at it."""
    body = re.sub(r"<title>[^<]*</title>", "", body)
    body = re.sub(r'<g class="f\d dots" opacity="0">.*?</g>|<path [^>]*class="hit"[^>]*/>| data-\w+="[^"]*"', "", body)
    return re.sub(r"<(circle|rect|path)( [^>]*)></\1>", r"<\1\2/>", body)


def standalone(picture: Picture) -> str:
    """Returns the picture as a file: it brings the style that it needs, in the light colours."""
    ground = element("rect", width=picture.width, height=picture.height, class_="ground")
    body = ground + still(picture.body)
    inside = f"<style>{resolved(needed(style(), body))}</style>{element('title', escape(picture.alt))}{body}"
    namespace = {"xmlns": "http://www.w3.org/2000/svg"}
    return Picture(picture.width, picture.height, inside, picture.alt).svg(**namespace) + "\n"
