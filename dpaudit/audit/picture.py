"""Pictures of a result: the bar of a verdict, drawn by hand for a notebook, and two distributions as a chart.

Floats draw here, rounded from certified numbers; they decide nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from dpaudit.numbers import balls
from dpaudit.numbers.digits import powers
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.pairs import Witness
from dpaudit.privacy.protocols import Audited, text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_OUTPUTS = 400
"""A pair with more outputs is not drawn."""
RARE = Fraction(1, 10**6)
"""Outputs of less than this share of the most likely one, for both data sets, lie outside the picture."""
BITS = 128
BLUE, ORANGE = "#2f7fc1", "#d2691e"
"""Distinct to the color-blind, and at least 3 : 1 on white and on near black."""
WIDTH, LEFT, ROOM = 520, 72, 332


def bar(name: str, value: Enclosure, bound: Fraction | None, bound_name: str, bad: bool = True) -> str:
    """The value against a bound, as SVG; beyond it, it has the other colour, unless that is not ``bad``."""
    beyond = value.is_infinite or (bound is not None and value.above(bound))
    low, high = float(value.lower), float(value.upper)
    ends = [end for end in (low, high, float(bound or 0)) if math.isfinite(end)]
    full = (1.5 if math.isinf(high) else 1.0) * max(ends) or 1.0
    known, length = (ROOM if math.isinf(end) else end * ROOM / full for end in (low, high))
    shown = f"{value.beside(bound)}{' →' if math.isinf(high) else ''}"
    colour = ORANGE if bad and beyond else BLUE
    parts = [
        f'<text x="{LEFT - 8}" y="40" text-anchor="end">{escape(name)}</text>',
        f'<rect x="{LEFT}" y="26" width="{known:.1f}" height="20" rx="2" fill="{colour}"/>',
        f'<text x="{LEFT + length + 6:.1f}" y="40">{escape(shown)}</text>',
    ]
    if length - known > 1:
        light = f'x="{LEFT + known:.1f}" width="{length - known:.1f}" fill="{colour}"'
        parts.append(f'<rect y="26" height="20" {light} opacity=".35"/>')
    alt = f"{name} {shown}"
    if bound is not None:
        words, place = powers(f"{bound_name} {bound}"), f"{LEFT + float(bound) * ROOM / full:.1f}"
        alt = f"{alt}; {words}"
        parts.append(f'<path d="M{place} 20V52" stroke="currentColor"/>')
        parts.append(f'<text x="{place}" y="14" text-anchor="middle">{escape(words)}</text>')
    head = f'width="{WIDTH}" height="56" viewBox="0 0 {WIDTH} 56" role="img" aria-label="{escape(alt)}"'
    style = 'style="max-width:100%;height:auto;font:12px sans-serif" fill="currentColor"'
    return f"<svg {head} {style}><title>{escape(alt)}</title>{''.join(parts)}</svg>"


@dataclass(frozen=True)
class Two:
    """Two distributions over the same outputs where they live; ``worst`` is the place of the output that decides."""

    outputs: tuple[str, ...]
    p: tuple[Enclosure, ...]
    q: tuple[Enclosure, ...]
    names: tuple[str, str]
    worst: int | None

    def draw(self, axes: Axes) -> None:
        """Draws both on the axes."""
        from dpaudit.charts import draw

        draw.pair(axes, self.p, self.q, self.outputs, self.names, self.worst)


def two(mechanism: Audited, witness: Witness, digits: int = 6) -> Two | None:
    """The two output distributions of a pair; None where there are too many outputs, or real ones."""
    if not mechanism.tabular or mechanism.counts().outputs > MOST_OUTPUTS:
        return None
    with balls.precision(BITS):
        law = mechanism.law()
        rows = [[_enclosed(mass, digits) for mass in law.probabilities(x)] for x in (witness.x, witness.x_prime)]
    p, q = rows
    outputs = list(mechanism.outputs())
    worst = outputs.index(witness.output) if witness.output in outputs else None
    least = RARE * max(mass.upper for mass in p + q)
    alive = [i for i in range(len(outputs)) if max(p[i].upper, q[i].upper) >= least or i == worst]
    shown = slice(alive[0], alive[-1] + 1)
    return Two(
        outputs=tuple(text(output) for output in outputs[shown]),
        p=tuple(p[shown]),
        q=tuple(q[shown]),
        names=(f"x = {text(witness.x)}", f"x′ = {text(witness.x_prime)}"),
        worst=None if worst is None else worst - alive[0],
    )


def _enclosed(mass: balls.Ball, digits: int) -> Enclosure:
    low, high = balls.ends(mass)
    return outward(max(low, Fraction(0)), min(high, Fraction(1)), digits)


def pair(mechanism: Audited, witness: Witness) -> str:
    """The two output distributions of a pair as SVG; nothing where there are too many outputs."""
    from dpaudit.charts import style

    rows = two(mechanism, witness)
    if rows is None:
        return ""
    with style.styled():
        axes = style.new_axes(height=2.8)
        rows.draw(axes)
    return style.svg(axes.figure, f"output distributions of {rows.names[0]} and {rows.names[1]}")  # type: ignore[arg-type]


def draw_pair(axes: Axes, mechanism: Audited, witness: Witness) -> None:
    """Draws the two output distributions of a pair, with their names; refuses too many outputs."""
    rows = two(mechanism, witness)
    if rows is None:
        outputs = mechanism.counts().outputs
        if not mechanism.tabular:
            rule = "it has no table of probabilities to draw; dpaudit profile --plot draws its curve"
            raise InputError("plot", mechanism.name, rule)
        raise InputError("plot", outputs, f"a picture of a pair has at most {MOST_OUTPUTS} outputs")
    rows.draw(axes)
    axes.set_title(f"{mechanism.name}: the pair that is easiest to tell apart", loc="left", pad=18)
