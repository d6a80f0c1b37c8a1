"""A chain of boxes, each a step of an argument; the probabilities of two data sets are bars in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.pictures.picture import NARROW, Picture
from dpaudit.pictures.svg import element, line, text, width_of

ARROW = 16.0
LINE = 15.0
PADDING = 14.0
STRONG = 14.5
"""The size of what stands out, which is bold."""


@dataclass(frozen=True)
class Share:
    """A bar with words: solid to ``low``, light from there to ``high``, both shares of the room."""

    words: str
    low: float
    high: float
    class_: str


@dataclass(frozen=True)
class Link:
    """A box: its name, its words, what stands out, and bars."""

    name: str
    words: str
    strong: str = ""
    bars: Sequence[Share] = ()
    mark: str = ""


def folded(words: str, room: float, size: float = 11) -> list[str]:
    """Returns the words in lines that fit; a word that is longer than a line is broken.

    >>> folded("a few words here", 60), folded("1234567890", 40)
    (['a few', 'words', 'here'], ['12345', '67890'])
    """
    lines: list[str] = []
    for part in (part for word in words.split() for part in _broken(word, room, size)):
        longer = f"{lines[-1]} {part}" if lines else part
        if lines and width_of(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(part)
    return lines


def _broken(word: str, room: float, size: float) -> list[str]:
    """Returns the word in parts that fit."""
    if width_of(word, size) <= room:
        return [word]
    most = next((i for i in range(len(word) - 1, 1, -1) if width_of(word[:i], size) <= room), 1)
    return [word[:most], *_broken(word[most:], room, size)]


def draw(links: Sequence[Link], width: float, alt: str) -> Picture:
    """Returns the boxes side by side, or on a phone one below the other, with arrows between them."""
    return _down(links, width, alt) if width <= NARROW else _across(links, width, alt)


def _across(links: Sequence[Link], width: float, alt: str) -> Picture:
    sides = _sides(links, width - 2 - ARROW * (len(links) - 1))
    boxes = [_inside(link, side - PADDING) for link, side in zip(links, sides, strict=True)]
    height = max(size for _, size in boxes) + 14
    parts, x = [], 1.0
    for i, (link, side, (inside, _)) in enumerate(zip(links, sides, boxes, strict=True)):
        parts.append(_box(x, 1, side, height, link.mark))
        parts.append(element("g", inside, transform=f"translate({x + 8:.1f} 6)"))
        if i:
            parts.append(_arrow(x - ARROW + 2, height / 2, x - 2, height / 2))
        x += side + ARROW
    return Picture(width, height + 2, "".join(parts), alt)


def _sides(links: Sequence[Link], room: float) -> list[float]:
    """Returns the widths of the boxes: equal ones, or where words are too long for these, what each needs and more."""
    texts = [_texts(link) for link in links]
    longest = [max(width_of(word, size) for words, size in own for word in words.split()) for own in texts]
    least = [PADDING + max(own, width_of(link.name, 11)) for link, own in zip(links, longest, strict=True)]
    equal = room / len(links)
    if max(least) <= equal:
        return [equal] * len(links)
    if sum(least) >= room:
        return _cut(least, room)
    whole = [sum(width_of(words, size) for words, size in own) for own in texts]
    return [side + (room - sum(least)) * own / sum(whole) for side, own in zip(least, whole, strict=True)]


def _cut(least: Sequence[float], room: float) -> list[float]:
    """Returns the widths, the largest cut to one that lets all of them fit.

    >>> _cut([10, 90, 80], 100)
    [10, 45.0, 45.0]
    """
    left = room
    for i, side in enumerate(sorted(least)):
        share = left / (len(least) - i)
        if side > share:
            return [min(own, share) for own in least]
        left -= side
    return list(least)


def _texts(link: Link) -> list[tuple[str, float]]:
    """Returns the texts of a box, each with its size."""
    found = [(link.name, 11.0), (link.words, 12.0), *((bar.words, 11.0) for bar in link.bars), (link.strong, STRONG)]
    return [(words, size) for words, size in found if words]


def _down(links: Sequence[Link], width: float, alt: str) -> Picture:
    parts, y = [], 1.0
    for i, link in enumerate(links):
        inside, size = _inside(link, width - 20)
        if i:
            parts.append(_arrow(width / 2, y + 1, width / 2, y + ARROW - 3))
            y += ARROW
        parts.append(_box(1, y, width - 2, size + 14, link.mark))
        parts.append(element("g", inside, transform=f"translate(9 {y + 5:.1f})"))
        y += size + 14
    return Picture(width, y + 1, "".join(parts), alt)


def _box(x: float, y: float, width: float, height: float, mark: str) -> str:
    return element("rect", x=x, y=y, width=width, height=height, rx=7, class_=f"box {mark}".strip())


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    tip = f"M{x2 - 5:.1f} {y2 - 4:.1f}L{x2:.1f} {y2:.1f}L{x2 - 5:.1f} {y2 + 4:.1f}"
    if x1 == x2:
        tip = f"M{x2 - 4:.1f} {y2 - 5:.1f}L{x2:.1f} {y2:.1f}L{x2 + 4:.1f} {y2 - 5:.1f}"
    return line(x1, y1, x2, y2, "axis") + element("path", d=tip, class_="axis")


def _inside(link: Link, room: float) -> tuple[str, float]:
    """Returns the content of a box, and its height."""
    y = 12.0
    parts = [text(0, y, link.name, "dim small")]
    for row in folded(link.words, room, 12):
        y += LINE
        parts.append(text(0, y, row))
    for bar in link.bars:
        for row in folded(bar.words, room):
            y += LINE
            parts.append(text(0, y, row, "small"))
        low, high = bar.low * room, bar.high * room
        ends = [(0.0, max(low, min(1.0, high)), bar.class_), (low, high, f"{bar.class_} open")]
        parts += [
            element("rect", x=start, y=y + 4, width=end - start, height=8, class_=class_)
            for start, end, class_ in ends
            if end - start >= (1.0 if start else 0.01)
        ]
        y += LINE
    for row in folded(link.strong, room, STRONG):
        y += LINE + 2
        parts.append(text(0, y, row, "head"))
    return "".join(parts), y + 2
