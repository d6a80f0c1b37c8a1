"""Elements of SVG; every text from others is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from dpaudit.files.text import html as escape

__all__ = [
    "ENTRY",
    "at",
    "boxes",
    "course",
    "element",
    "escape",
    "fit",
    "headed",
    "line",
    "path",
    "ring",
    "stairs",
    "text",
    "tip",
    "told",
    "width_of",
]

Place = tuple[float, float]
ENTRY = "␟"
"""What stands between the words for the parts of a path, and between names: no name has it."""


def at(value: float) -> str:
    """Returns a coordinate to a tenth of a pixel.

    >>> at(3.04), at(2.25), at(-0.01)
    ('3', '2.2', '0')
    """
    shown = f"{value:.1f}"
    return "0" if shown == "-0.0" else shown.removesuffix(".0")


def element(name: str, inside: str = "", **attributes: Any) -> str:
    """Returns an element; ``inside`` is SVG, a name such as ``class_`` or ``stroke_width`` is written as SVG has it."""
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{at(value) if isinstance(value, float | int) else escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return f"<{name}{shown}>{inside}</{name}>" if inside else f"<{name}{shown}/>"


def text(x: float, y: float, words: str, class_: str | None = None, **more: Any) -> str:
    """Returns words at a place."""
    return element("text", escape(words), x=x, y=y, class_=class_, **more)


def line(x1: float, y1: float, x2: float, y2: float, class_: str, **more: Any) -> str:
    """Returns a straight line."""
    return element("path", d=f"M{at(x1)} {at(y1)}L{at(x2)} {at(y2)}", class_=class_, **more)


def path(points: Sequence[Place], class_: str, **more: Any) -> str:
    """Returns a line through the points; each of them stands in it whole where they are ``told``."""
    way = course(points) if more.get("data_t") is None else _whole(points)
    return element("path", d=way, class_=class_, **more)


def course(points: Iterable[Place]) -> str:
    """Returns the way through the points.

    >>> course([(0, 5), (3, 5), (3, 1), (4, 2)])
    'M0 5H3V1L4 2'
    """
    way, last = "", ("", "")
    for place in points:
        x, y = map(at, place)
        way += f"H{x}" if way and y == last[1] else f"V{y}" if way and x == last[0] else f"{'L' if way else 'M'}{x} {y}"
        last = x, y
    return way


def _whole(points: Iterable[Place]) -> str:
    return "M" + "L".join(f"{at(x)} {at(y)}" for x, y in points)


def stairs(points: Sequence[Place]) -> list[Place]:
    """Returns the corners of steps that change half-way between the points; where nothing changes there is none.

    >>> stairs([(0, 5), (2, 5), (4, 5), (6, 1)])
    [(0, 5), (5.0, 5), (5.0, 1), (6, 1)]
    """
    found: list[Place] = list(points[:1])
    for (x, y), (later, other) in pairwise(points):
        half = (x + later) / 2
        found += [(half, y), (half, other)] if at(y) != at(other) else []
    return [*found, points[-1]] if points else []


def ring(x: float, y: float, size: float = 6.0) -> str:
    """Returns a ring that is seen on any ground."""
    return "".join(element("circle", cx=x, cy=y, r=size, class_=class_) for class_ in ("under", "ring"))


def tip(words: str) -> str:
    """Returns what is shown when one points at the element around it, also without a script."""
    return f"<title>{escape(words)}</title>"


def told(words: Iterable[str]) -> str:
    """Returns what is shown when one points at the parts of a path, in their order: a part begins where M or L goes.

    One attribute for all of them weighs much less than as many elements with titles; the page's script reads it.
    """
    return ENTRY.join(words)


def boxes(places: Iterable[tuple[float, float, float, float]]) -> str:
    """Returns boxes (x, y, width, height) as one path.

    >>> boxes([(10, 20, 4, 8)])
    'M10 20h4v8h-4z'
    """
    return "".join(f"M{at(x)} {at(y)}h{at(w)}v{at(h)}h-{at(w)}z" for x, y, w, h in places)


def width_of(words: str, size: float = 12) -> float:
    """Returns about how wide the words are, in pixels."""
    narrow = sum(letter in "ilj.,:;'|()[] tfrI′-" for letter in words)
    wide = sum(letter in "mwMW≤≥≈=∞→…" for letter in words)
    large = sum(letter.isupper() and letter != "I" for letter in words)
    return size * (0.64 * len(words) - 0.25 * narrow + 0.22 * wide + 0.05 * large)


def headed(name: str, words: str, room: float, size: float = 14) -> str:
    """Returns "name: words"; where there is too little room for both, the name is cut.

    >>> headed("a name that is too long", "loss = 1", 150)
    'a nam…ng: loss = 1'
    """
    return f"{fit_name(name, room - width_of(f': {words}', size), size)}: {words}"


def fit(words: str, room: float, size: float = 12) -> str:
    """Returns the words, cut where they need more room than there is.

    >>> fit("a short name", 200), fit("a name that is too long", 60)
    ('a short name', 'a name…')
    """
    if width_of(words, size) <= room:
        return words
    kept = next((i for i in range(len(words) - 1, 0, -1) if width_of(words[:i] + "…", size) <= room), 1)
    return words[:kept].rstrip() + "…"


def fit_name(name: str, room: float, size: float = 12) -> str:
    """Returns the name, cut within where it needs more room than there is: names often differ at their ends.

    >>> fit_name("a name that is too long", 80), fit_name("a name that is too short", 80)
    ('a name…ong', 'a name…ort')
    """
    if width_of(name, size) <= room:
        return name
    for kept in range(len(name) - 1, 1, -1):
        tail = kept // 3
        cut = f"{name[: kept - tail].rstrip()}…{name[len(name) - tail :].lstrip()}"
        if width_of(cut, size) <= room:
            return cut
    return fit(name, room, size)
