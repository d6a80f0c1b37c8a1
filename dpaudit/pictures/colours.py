"""The colours of the pictures, light and dark: told apart by colour-blind readers, and seen on their ground.

``tests/test_pictures.py`` holds both in numbers. A picture names a colour as ``var(--name)``; the page says which theme
is in force, and a picture in a file of its own has the light one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

LIGHT = {
    **{"fg": "#1c1e21", "bg": "#ffffff", "grid": "#e3e6ea", "axis": "#7b828c", "dim": "#5b616b", "soft": "#f4f5f7"},
    **{"rim": "#d5d8dd", "link": "#0b5fa5"},
    **{"p0": "#8E3C8F", "p1": "#A88B00", "p2": "#8E3D0A", "p3": "#198CEA"},
    **{"p4": "#7C8791", "p5": "#152598", "p6": "#006848", "p7": "#8027ED"},
    **{"proved": "#0b6b3a", "refuted": "#b8320a", "open": "#7a5b00", "measured": "#0b5fa5"},
    **{"a": "#0B5FA5", "b": "#C4540A", "mark": "#1c1e21"},
}
"""p: lines; a, b: two distributions; q and h: the maps."""
DARK = {
    **{"fg": "#e8eaed", "bg": "#15171a", "grid": "#2b2f35", "axis": "#8b929c", "dim": "#a3abb6", "soft": "#1f2226"},
    **{"rim": "#3a3f46", "link": "#7cc0ff"},
    **{"p0": "#C168A6", "p1": "#F9C826", "p2": "#E17633", "p3": "#82E4FF"},
    **{"p4": "#BAE0C8", "p5": "#6166FF", "p6": "#32A473", "p7": "#B695FF"},
    **{"proved": "#5fd39a", "refuted": "#ff9a6b", "open": "#f0ca5a", "measured": "#7cc0ff"},
    **{"a": "#6CB8FF", "b": "#FF9A4D", "mark": "#ffffff"},
}
SIGNED = (
    ("#0A4C8B", "#2E75B6", "#6FA8D6", "#B5D3EA", "#F3F4F6", "#FBD3AE", "#F2A15F", "#D86A1E", "#973D06"),
    ("#8CC8FF", "#5AA2E6", "#3A75B0", "#274B70", "#23272C", "#5E3A1C", "#9A5A22", "#DB8232", "#FFBE7D"),
)
AMOUNT = (
    ("#F3F4F6", "#D3E4F1", "#A9CBE6", "#78ACD8", "#4A8BC4", "#2368A8", "#0A4479"),
    ("#23272C", "#223B53", "#28557D", "#3271A8", "#4A92CF", "#79B7EB", "#BCE0FF"),
)
"""Of the maps, light and dark: from below zero to above, and from nothing to much."""


def between(anchors: Sequence[str]) -> list[str]:
    """Returns the colours with one more between each two."""

    def half(one: str, other: str) -> str:
        ends = [[int(colour[i : i + 2], 16) for i in (1, 3, 5)] for colour in (one, other)]
        return "#" + "".join(f"{(a + b) // 2:02X}" for a, b in zip(*ends, strict=True))

    found = [colour for one, other in pairwise(anchors) for colour in (one, half(one, other))]
    return [*found, anchors[-1]]


for _number, _theme in enumerate((LIGHT, DARK)):
    _theme |= {f"q{i}": colour for i, colour in enumerate(between(SIGNED[_number]))}
    _theme |= {f"h{i}": colour for i, colour in enumerate(between(AMOUNT[_number]))}
LINES = 8
SLOTS = {
    **{"LSZhang": 0, "LSDim": 1, "LSHist": 2, "EHD": 3, "EHDL": 4, "EHDS": 5, "MH": 6, "MHdelta": 7},
    **{"LS(x)": 2, "S(x)": 5},
}
"""A mechanism has the same colour and dashes in every picture."""
DASHES = ("2 3", "9 3", "12 3 2 3", "", "5 4", "", "", "7 3 2 3")
"""So that colour is not the only code."""


def slots(names: Iterable[str]) -> dict[str, int]:
    """Returns a slot for every name; what is not known takes those that are left, in order, then a second round.

    >>> slots(["EHD", "mine"])
    {'EHD': 3, 'mine': 0}
    """
    wanted = list(dict.fromkeys(names))
    taken = {SLOTS[name] for name in wanted if name in SLOTS}
    free = [slot for slot in range(2 * LINES) if slot not in taken]
    other = iter(free * (1 + len(wanted) // len(free)))
    return {name: SLOTS[name] if name in SLOTS else next(other) for name in wanted}


def dashes_of(slot: int) -> tuple[int, str | None]:
    """Returns the colour and the dashes of a slot; in the second round a colour has other dashes.

    >>> dashes_of(3), dashes_of(11)
    ((3, None), (3, '7 3 2 3'))
    """
    turn, colour = divmod(slot, LINES)
    return colour, DASHES[(colour + LINES // 2 * turn) % LINES] or None


@cache
def style() -> str:
    """Returns the style of all pictures, with colours by name."""
    shared = (files("dpaudit.pictures") / "pictures.css").read_text()
    numbered = [f".s{i}{{stroke:var(--p{i})}}.f{i}{{fill:var(--p{i})}}" for i in range(LINES)]
    numbered += [f".{name}{{fill:var(--{name})}}" for name in LIGHT if re.fullmatch(r"[qh]\d+", name)]
    return " ".join(shared.split()) + "".join(numbered)


def needed(css: str, body: str) -> str:
    """Returns the rules of the style for classes that are in the picture.

    >>> needed(".a{x:1}.b .c{x:2}.b{x:3}", '<g class="b"/>')
    '.b{x:3}'
    """
    used = {"pic", *(name for names in re.findall(r'class="([^"]*)"', body) for name in names.split())}
    rules = re.findall(r"([^{}]+)(\{[^{}]*\})", css)
    kept = [(at, rule) for at, rule in rules if {*re.findall(r"\.([\w-]+)", at)} <= used and ":" not in at]
    return "".join(at.strip() + rule for at, rule in kept)


def variables(theme: dict[str, str]) -> str:
    """Returns the declarations of a theme."""
    return "".join(f"--{name}:{value};" for name, value in theme.items())


def resolved(css: str, theme: dict[str, str] = LIGHT) -> str:
    """Returns the style with the colours of a theme in their places."""
    return re.sub(r"var\(--(\w+)\)", lambda match: theme[match[1]], css)


def themes() -> str:
    """Returns the colours of a page: light, dark where the reader asked for it, and light on paper."""
    light, dark = variables(LIGHT), variables(DARK)
    return (
        f":root{{color-scheme:light;{light}}}"
        f':root[data-theme="dark"]{{color-scheme:dark;{dark}}}'
        f'@media (prefers-color-scheme:dark){{:root:not([data-theme="light"]){{color-scheme:dark;{dark}}}}}'
        '@media print{:root,:root[data-theme="dark"],:root:not([data-theme="light"])'
        f"{{color-scheme:light;{light}--fg:#000000;}}}}"
    )
