"""The map of a box of priors as a picture: static SVG, two axes, colours that everybody can tell apart."""

from __future__ import annotations

from fractions import Fraction
from html import escape
from typing import TYPE_CHECKING

from dpaudit.numbers.verdict import Verdict

if TYPE_CHECKING:
    from dpaudit.forall.prior_boxes import PriorMapResult

COLOURS = {Verdict.PROVED: "#9ecae1", Verdict.REFUTED: "#e6872d", Verdict.UNDECIDED: "#1a1a1a"}
"""Light blue, orange, black: they differ in lightness too."""
SIZE = 480
LEFT, TOP, BELOW, RIGHT = 70, 64, 56, 24
SUB = '<tspan dy="3" font-size="10">{}</tspan>'
STYLE = "font-family: system-ui, sans-serif; fill: #1a1a1a"


class Scale:
    """Maps one side of the box to pixels."""

    def __init__(self, side: tuple[Fraction, Fraction], start: int, end: int) -> None:
        self.side, self.start, self.end = side, start, end

    def __call__(self, value: Fraction) -> float:
        """Returns the pixel of a value."""
        low, high = self.side
        return float(self.start + (self.end - self.start) * (value - low) / (high - low))

    def ticks(self) -> list[Fraction]:
        """Returns both ends and round numbers between them."""
        low, high = self.side
        step = Fraction(1)
        while step > high - low:
            step /= 10
        while step * 10 <= high - low:
            step *= 10
        step = next(step / part for part in (1, 2, 4, 5, 10) if (high - low) / (step / part) >= 4)
        inner = [step * i for i in range(int(low // step) + 1, int(high // step) + 1)]
        apart = (high - low) / 12
        return [low, *(tick for tick in inner if tick - low > apart and high - tick > apart), high]


def svg(result: PriorMapResult) -> str:
    """Returns the picture of the map, k = 2."""
    first, second = result.box().sides
    across, up = Scale(first, LEFT, LEFT + SIZE), Scale(second, TOP + SIZE, TOP)
    width, height = LEFT + SIZE + RIGHT, TOP + SIZE + BELOW
    claim = "" if result.claim.guarantee is None else result.claim.guarantee.text()
    title = f"{result.subject.mech}: {claim}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" style="{STYLE}">',
        f"<title>{escape(title)}</title>",
        f"<desc>{escape('; '.join(f'{name}: {value}' for name, value in result.lines()))}</desc>",
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">{escape(_heading(result))}</text>',
        *_legend(result),
        *_boxes(result, across, up),
        *_axes(across, up),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _heading(result: PriorMapResult) -> str:
    """Returns mechanism, n and what is asked; the axes say the rest."""
    bound = result.claim.guarantee
    asked = f"{vars(bound)['epsilon']}-DP" if bound is not None else ""
    own = "".join(f", {name} = {value}" for name, value in result.subject.mechanism.settings().items())
    return f"{result.subject.mech}, n = {result.subject.n}, ε = {result.subject.epsilon}{own}: is it {asked}?"


def _legend(result: PriorMapResult) -> list[str]:
    """Returns one mark and share for each verdict."""
    shares = {Verdict.PROVED: result.proved, Verdict.REFUTED: result.refuted, Verdict.UNDECIDED: result.undecided}
    found = []
    for i, (verdict, share) in enumerate(shares.items()):
        x = LEFT + 160 * i
        found.append(f'<rect x="{x}" y="36" width="14" height="14" fill="{COLOURS[verdict]}"/>')
        found.append(f'<text x="{x + 20}" y="48" font-size="13">{verdict.value} {float(100 * share):.3g} %</text>')
    return found


def _boxes(result: PriorMapResult, across: Scale, up: Scale) -> list[str]:
    """Returns the boxes, the undecided ones last and with an edge, so that the boundary is seen however thin it is."""
    order = [Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED]
    found = []
    for patch in sorted(result.boxes, key=lambda patch: order.index(patch.verdict)):
        (low, high), (bottom, top) = patch.box.sides
        x, y = across(low), up(top)
        colour = COLOURS[patch.verdict]
        edge = 1 if patch.verdict is Verdict.UNDECIDED else 0.5
        found.append(
            f'<rect x="{x:.3f}" y="{y:.3f}" width="{across(high) - x:.3f}" height="{up(bottom) - y:.3f}" '
            f'fill="{colour}" stroke="{colour}" stroke-width="{edge}" shape-rendering="crispEdges"/>'
        )
    return found


def _axes(across: Scale, up: Scale) -> list[str]:
    """Returns the frame, the ticks and the names of the axes."""
    frame = f'<rect x="{LEFT}" y="{TOP}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#1a1a1a"/>'
    found, base = [frame], TOP + SIZE
    for tick in across.ticks():
        x = across(tick)
        found.append(f'<line x1="{x:.2f}" x2="{x:.2f}" y1="{base}" y2="{base + 5}" stroke="#1a1a1a"/>')
        found.append(f'<text x="{x:.2f}" y="{base + 20}" font-size="12" text-anchor="middle">{_number(tick)}</text>')
    for tick in up.ticks():
        y = up(tick)
        found.append(f'<line x1="{LEFT - 5}" x2="{LEFT}" y1="{y:.2f}" y2="{y:.2f}" stroke="#1a1a1a"/>')
        found.append(f'<text x="{LEFT - 9}" y="{y + 4:.2f}" font-size="12" text-anchor="end">{_number(tick)}</text>')
    middle = LEFT + SIZE / 2
    found.append(
        f'<text x="{middle}" y="{base + 44}" font-size="14" text-anchor="middle">prior α{SUB.format(1)}</text>'
    )
    side = TOP + SIZE / 2
    turned = f'transform="rotate(-90 20 {side})" text-anchor="middle"'
    return [*found, f'<text x="20" y="{side}" font-size="14" {turned}>prior α{SUB.format(2)}</text>']


def _number(value: Fraction) -> str:
    return f"{float(value):.4g}"
