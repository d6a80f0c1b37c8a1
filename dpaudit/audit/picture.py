"""Small static pictures of a result for a notebook: SVG without colours of its own for text, so light and dark suit.

Floats draw here, rounded from certified numbers; nothing is decided by them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from html import escape
from math import ceil, floor, log10

from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Audited, text

BLUE, ORANGE, GREY = "#2f7fc1", "#d2691e", "#8a8f98"
"""Told apart by the colour-blind, and at least 3 : 1 on white and on near black."""
WIDTH, LEFT, RIGHT = 520, 72, 12
MOST_OUTPUTS = 400
"""A pair with more outputs is not drawn."""
RARE = 1e-6
"""Outputs of less than this share of the most likely one, for both data sets, lie outside the picture."""
BITS = 128


def svg(height: int, words: str, parts: Sequence[str]) -> str:
    """Returns the picture with its words for those who do not see it."""
    label = escape(words, quote=True)
    opening = f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-label="{label}"'
    style = 'style="max-width:100%;height:auto;font:12px sans-serif" fill="currentColor">'
    return f"{opening} {style}<title>{label}</title>{''.join(parts)}</svg>"


def word(x: float, y: float, words: str, anchor: str = "start", colour: str = "currentColor") -> str:
    """Returns a text at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def line(x1: float, y1: float, x2: float, y2: float, colour: str, dashes: str = "") -> str:
    """Returns a line."""
    ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    return f'<line {ends} stroke="{colour}"{f" stroke-dasharray={chr(34)}{dashes}{chr(34)}" if dashes else ""}/>'


# ------------------------------------------------------------------ a value against a bound


def bar(name: str, value: Enclosure, bound: Fraction | None, bound_name: str, bad: bool = True) -> str:
    """Returns a bar as long as the value, with the bound as a line; an infinite value runs out of the picture.

    Beyond the bound it has the other colour, unless that is not ``bad``.
    """
    endless = value.is_infinite or value.is_open
    size = float(value.lower) if not value.is_infinite else 0.0
    limit = 0.0 if bound is None else float(bound)
    full = max(size, limit) * 1.15 or 1.0
    scale = (WIDTH - LEFT - RIGHT) / full
    length = WIDTH - LEFT - RIGHT if endless else size * scale
    beyond = bad and (endless or (bound is not None and value.lower > bound))
    shown = str(value.shortened(6))
    parts = [word(LEFT - 8, 40, name, "end")]
    parts.append(
        f'<rect x="{LEFT}" y="26" width="{length:.1f}" height="20" rx="2" fill="{ORANGE if beyond else BLUE}"/>'
    )
    inside = length > (WIDTH - LEFT) / 2
    place = (LEFT + length - 6, "end", "#fff") if inside else (LEFT + length + 6, "start", "currentColor")
    parts.append(word(place[0], 40, shown, place[1], place[2]))
    words = f"{name} {shown}"
    if bound is not None:
        at = LEFT + limit * scale
        parts += [line(at, 20, at, 52, "currentColor"), word(at, 14, f"{bound_name} {bound}", "middle")]
        words += f"; {bound_name} {bound}"
    return svg(56, words, parts)


# ------------------------------------------------------------------ the worst pair


def pair(mechanism: Audited, witness: Witness) -> str:
    """Returns the two output distributions of a pair on a log axis, where they live; nothing where there are many."""
    if mechanism.counts().outputs > MOST_OUTPUTS:
        return ""
    with balls.precision(BITS):
        rows = [[balls.float_below(p) for p in mechanism.law().probabilities(x)] for x in (witness.x, witness.x_prime)]
    outputs = list(mechanism.outputs())
    least = RARE * max(map(max, rows))
    alive = [i for i in range(len(outputs)) if max(row[i] for row in rows) >= least]
    worst = outputs.index(witness.output) if witness.output in outputs else None
    shown = range(min([*alive, *([] if worst is None else [worst])]), max([*alive, worst or 0]) + 1)
    return _drawn([row[shown.start : shown.stop] for row in rows], outputs[shown.start : shown.stop], witness, least)


def _drawn(rows: Sequence[Sequence[float]], outputs: Sequence[object], witness: Witness, least: float) -> str:
    top, bottom = 34, 196
    positive = [p for row in rows for p in row if p >= least]
    low, high = log10(min(positive)) - 0.1, log10(max(positive)) + 0.1

    def across(i: int) -> float:
        return LEFT + 16 + i * (WIDTH - LEFT - RIGHT - 32) / max(1, len(outputs) - 1)

    def up(p: float) -> float:
        return bottom if p < 10.0**low else bottom - (log10(p) - low) * (bottom - top) / (high - low)

    parts = []
    for tick in _ticks(low, high):
        y = up(tick)
        parts.append(f'<g opacity="0.25">{line(LEFT, y, WIDTH - RIGHT, y, "currentColor")}</g>')
        parts.append(word(LEFT - 8, y + 4, f"{tick:.0e}".replace("e-0", "e-") if tick < 0.001 else f"{tick:g}", "end"))
    if witness.output in outputs:
        at = across(list(outputs).index(witness.output))
        parts += [line(at, top, at, bottom, GREY, "3 3")]
        anchor = "start" if at < WIDTH / 3 else "end" if at > 2 * WIDTH / 3 else "middle"
        parts.append(word(at, bottom + 32, f"worst output {text(witness.output)}", anchor))
    parts += [_series(row, colour, across, up) for row, colour in zip(rows, (BLUE, ORANGE), strict=True)]
    parts += [_key(LEFT, BLUE, f"x = {text(witness.x)}"), _key(WIDTH / 2, ORANGE, f"x′ = {text(witness.x_prime)}")]
    for i in (0, len(outputs) - 1):
        parts.append(word(across(i), bottom + 16, text(outputs[i]), "start" if i == 0 else "end"))
    words = f"output distributions of x = {text(witness.x)} and x′ = {text(witness.x_prime)} on a log axis"
    return svg(236, words, parts)


def _ticks(low: float, high: float) -> list[float]:
    """Returns about four round numbers between 10^low and 10^high."""
    powers = range(floor(low), ceil(high) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**power for power in powers for digit in digits if low <= log10(digit) + power <= high]
        if len(found) <= 5:
            return found
    return found[:: ceil(len(found) / 4)]


def _key(x: float, colour: str, words: str) -> str:
    return f'<circle cx="{x + 5:.1f}" cy="12" r="4" fill="{colour}"/>{word(x + 14, 16, words)}'


def _series(row: Sequence[float], colour: str, across: Callable[[int], float], up: Callable[[float], float]) -> str:
    """Returns the points of one distribution, joined; an impossible output is a ring at the bottom."""
    spots = [(across(i), up(p), p > 0) for i, p in enumerate(row)]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y, _ in spots)
    size = 4 if len(row) <= 24 else 2.5 if len(row) <= 80 else 1.5
    filled = {True: f'fill="{colour}"', False: f'fill="none" stroke="{colour}"'}
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" {filled[there]}/>' for x, y, there in spots)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" opacity="0.6"/>{dots}'
