"""Names that are cut to fit and still tell apart what they name, and names below an axis."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpaudit.pictures.svg import text, width_of

MOST = 18
"""Letters of a name beside an axis."""


def shortened(names: Sequence[str], most: int = MOST) -> list[str]:
    """Returns names of at most so many letters, different where they were: cut at the end, else within, else numbered.

    >>> shortened(["yes", "raises ValueError", "raises KeyError"], 12)
    ['yes', 'raises Valu…', 'raises KeyE…']
    >>> shortened(["a long name, first", "a long name, last"], 12)
    ['a long…first', 'a long…last']
    """
    cuts: list[Callable[[str], str]] = [lambda name: _end(name, most), lambda name: _within(name, most)]
    for cut in cuts:
        found = [cut(name) for name in names]
        if len(set(found)) == len(set(names)):
            return found
    return [f"{_end(name, most - 4)} {i}" if len(name) > most else name for i, name in enumerate(names, 1)]


def _end(name: str, most: int) -> str:
    return name if len(name) <= most else name[: most - 1].rstrip(" ,.:;(") + "…"


def _within(name: str, most: int) -> str:
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[: most - 1 - half].rstrip()}…{name[-half:].lstrip()}"


def turns(names: Sequence[str], step: float) -> bool:
    """Returns whether names have to be turned, as side by side, so many pixels apart, they do not fit.

    >>> turns(["yes", "no"], 40), turns(["raises ValueError", "no"], 40)
    (False, True)
    """
    return max(width_of(name, 11) for name in names) + 5 > step


def below(x: float, bottom: float, name: str, turned: bool) -> str:
    """Returns a name below an axis, turned or not."""
    if not turned:
        return text(x, bottom + 14, name, "m dim small")
    return text(x + 4, bottom + 10, name, "e dim small", transform=f"rotate(-50 {x:.0f} {bottom + 10:.0f})")
