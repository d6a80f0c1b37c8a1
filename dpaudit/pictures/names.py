"""Names that are cut to fit and still tell apart what they name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
