"""The kinds of charts, each drawn on given axes. Floats draw, rounded from certified numbers; they decide nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dpaudit.charts.style import BAD, COLORS, GOOD, INK, OPEN
from dpaudit.numbers.digits import rough
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BY_VERDICT = {Verdict.PROVED: GOOD, Verdict.REFUTED: BAD, Verdict.UNDECIDED: OPEN}
MARKERS, DASHES = ("o", "s", "^", "D", "v", "P"), ("-", "--", "-.", ":")
ROUNDS = 200
"""How often names that are too close are pushed apart."""
NAME = 26
"""The most letters of a name on an axis."""
ORDERED = ["#3a78d8", "#7c66d2", "#b4559e", "#d3505f", "#e0803c"]
"""From blue to orange, seen on a light and on a dark ground."""


@dataclass(frozen=True)
class Line:
    """One series: a value for every x; ``end`` is written at its last point, beside its name."""

    name: str
    xs: tuple[Fraction | int | float, ...]
    ys: tuple[Enclosure, ...]
    end: str = ""
    color: int | None = None
    """The number of its color, if it has the same in several pictures."""


@dataclass(frozen=True)
class Level:
    """A horizontal line: a bound for the values."""

    value: Fraction
    name: str


def number(value: Enclosure | Fraction | int) -> float:
    """The middle of an enclosure as a float; its lower end where there is no upper one."""
    if not isinstance(value, Enclosure):
        return float(value)
    if value.is_infinite or value.is_open:
        return float(value.lower)
    return float((value.lower + value.upper) / 2)


def shortened(name: str, most: int = NAME) -> str:
    """The name, shortened in the middle if it is too long."""
    half = (most - 1) // 2
    return name if len(name) <= most else f"{name[:half]}…{name[-half:]}"


def lines(
    axes: Axes,
    series: Sequence[Line],
    levels: Sequence[Level] = (),
    *,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    ordered: bool = False,
    steps: bool = False,
) -> None:
    """Draws each series with its name at its end, in its color; wide enclosures as bands, infinite values not."""
    numbers = [i if line.color is None else line.color for i, line in enumerate(series)]
    colors = ordered_colors(len(series)) if ordered else [COLORS[i % len(COLORS)] for i in numbers]
    axes.margins(x=0.01)
    finite = []
    for i, (line, color) in enumerate(zip(series, colors, strict=True)):
        places = [(float(x), y) for x, y in zip(line.xs, line.ys, strict=True) if not y.is_infinite]
        places = [(x, y) for x, y in places if number(y) > 0 or not log_y]
        if not places:
            continue
        xs, ys = [x for x, _ in places], [number(y) for _, y in places]
        style: dict[str, Any] = {
            "color": color,
            "linestyle": "-" if ordered else DASHES[numbers[i] // len(COLORS) % len(DASHES)],
        }
        few = len(xs) <= 12 and not steps
        style |= {"marker": MARKERS[i % len(MARKERS)], "markersize": 3.5} if few else {}
        hidden = not ordered and any(_covers(other, line) for other in series[i + 1 :])
        style |= {"linewidth": 4.5, "alpha": 0.5} if hidden else {}
        axes.plot(xs, ys, drawstyle="steps-post" if steps else "default", label=line.name, **style)
        wide = [(x, float(y.lower), float(y.upper)) for x, y in places if y.width > Fraction(1, 100) * abs(y.upper)]
        if wide and not any(y.is_open for _, y in places):
            axes.fill_between(
                [x for x, *_ in wide], [a for _, a, _ in wide], [b for *_, b in wide], color=color, alpha=0.2
            )
        finite.append((line, color, xs[-1], ys[-1]))
    for is_log, scale, axis in ((log_x, axes.set_xscale, axes.xaxis), (log_y, axes.set_yscale, axes.yaxis)):
        if is_log:
            scale("log")
            plain_ticks(axis)
    for level in levels:
        axes.axhline(float(level.value), color=INK, linewidth=1, linestyle=(0, (5, 3)))
    low, high = axes.get_ylim()
    if not log_y and low > -0.1 * high:
        axes.set_ylim(bottom=0)
    if not log_x and all(isinstance(x, int) for line in series for x in line.xs):
        axes.locator_params(axis="x", integer=True)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    _end_names(axes, [] if steps else finite, levels)
    if steps and len(finite) > 1:
        _legend(axes)


def _legend(axes: Axes) -> None:
    """Names distribution functions, which all end at 1, in a list: the one that is first above a half comes first."""

    def half(drawn: Any) -> float:
        found = zip(drawn.get_xdata(), drawn.get_ydata(), strict=True)
        return next((float(x) for x, y in found if y >= 0.5), math.inf)

    handles = sorted(axes.get_legend_handles_labels()[0], key=half)
    axes.legend(handles=handles, frameon=False, loc="lower right", fontsize=9, labelcolor="linecolor")


def _covers(other: Line, line: Line) -> bool:
    """Whether the other line, drawn later, hides most of this one: to a hundredth, in more than half of the places."""
    pairs = zip(map(number, other.ys), map(number, line.ys), strict=False)
    same = sum(math.isclose(a, b, rel_tol=0.01) for a, b in pairs)
    return other.xs == line.xs and 2 * same > len(line.ys)


def plain_ticks(axis: Any) -> None:
    """Numbers at a logarithmic axis as they are written everywhere: 0.01, 1e-5."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    low, high = axis.get_view_interval()
    narrow = high < 30 * max(low, 1e-300)
    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: rough(value, 2) if value > 0 else "0"))
    axis.set_minor_formatter(NullFormatter())


def name_ticks(put: Callable[..., Any], names: Sequence[str], most: int = 12) -> None:
    """Writes names at 0, 1, 2, … of an axis, at most this many of them."""
    step = max(1, math.ceil(len(names) / most))
    put(range(0, len(names), step), [shortened(name, 14) for name in names[::step]])


def _end_names(axes: Axes, ends: Sequence[tuple[Line, str, float, float]], levels: Sequence[Level]) -> None:
    """Writes names at the right edge, moved apart where lines end close together."""
    wanted = [(x, y, f"{shortened(line.name)} {line.end}".strip(), color) for line, color, x, y in ends]
    last = max((x for x, *_ in wanted), default=1.0)
    wanted += [(last, float(level.value), level.name, INK) for level in levels]
    to_axes = axes.transScale + axes.transLimits
    tall = axes.get_window_extent().height / axes.figure.dpi * 72 or 200.0
    places = [min(1.0, max(0.0, float(to_axes.transform((x, y))[1]))) for x, y, *_ in wanted]
    for (_, _, words, color), height in zip(wanted, spread(places, 11.5 / tall), strict=True):
        axes.annotate(
            words, (1, height), xycoords="axes fraction", xytext=(6, 0), textcoords="offset points",
            va="center", color=color, fontsize=9, annotation_clip=False,
        )  # fmt: skip


def spread(places: Sequence[float], gap: float) -> list[float]:
    """The places moved apart to about ``gap``, in the same order and as little as possible.

    >>> [round(place, 2) for place in spread([0.5, 0.5, 0.0], 0.1)]
    [0.45, 0.55, 0.0]
    """
    found = list(places)
    order = sorted(range(len(places)), key=lambda i: places[i])
    for _ in range(ROUNDS):
        for below, above in pairwise(order):
            push = max(0.0, gap - (found[above] - found[below])) / 2
            found[below], found[above] = found[below] - push, found[above] + push
    return found


def ordered_colors(count: int) -> list[str]:
    """Colors from light to dark for series that have an order."""
    from matplotlib.colors import LinearSegmentedColormap, to_hex

    scale = LinearSegmentedColormap.from_list("", ORDERED)
    return [to_hex(scale(i / max(1, count - 1))) for i in range(count)]


def pair(
    axes: Axes,
    p: Sequence[Enclosure],
    q: Sequence[Enclosure],
    outputs: Sequence[str],
    names: tuple[str, str],
    worst: int | None,
) -> None:
    """Draws two output distributions over the same outputs; the output that decides is marked with both values."""
    places = range(len(outputs))
    many = len(outputs) > 24
    for offset, row, color, name in ((-0.2, p, COLORS[0], names[0]), (0.2, q, COLORS[1], names[1])):
        ys = [number(value) for value in row]
        if many:
            axes.plot(list(places), ys, color=color, label=name, linewidth=1.4)
        else:
            axes.bar([i + offset for i in places], ys, width=0.4, color=color, label=name)
    smallest = min((v for v in (number(value) for value in (*p, *q)) if v > 0), default=1.0)
    largest = max(number(value) for value in (*p, *q))
    if largest / smallest > 200:
        axes.set_yscale("log")
        plain_ticks(axes.yaxis)
        axes.set_ylim(max(smallest / 2, largest * 1e-9), largest * 2)
    else:
        axes.set_ylim(bottom=0)
    if worst is not None:
        axes.axvspan(worst - 0.5, worst + 0.5, color=INK, alpha=0.1, linewidth=0)
        axes.annotate(
            f"decides: {shortened(outputs[worst], 18)}", (worst, 1), xycoords=("data", "axes fraction"),
            xytext=(0, 3), textcoords="offset points", ha=_side(worst, len(outputs)), fontsize=9,
        )  # fmt: skip
    name_ticks(axes.set_xticks, outputs)
    if max(map(len, outputs)) > 6 and len(outputs) > 4:
        axes.tick_params(axis="x", rotation=30)
    axes.set_xlabel("output")
    axes.set_ylabel("probability")
    axes.legend(frameon=False, loc="best", fontsize=9, labelcolor="linecolor")


def curve(axes: Axes, points: Sequence[tuple[float, float]], x_label: str, y_label: str) -> None:
    """Draws one curve through the points."""
    axes.plot([x for x, _ in points], [y for _, y in points], color=GOOD)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_ylim(bottom=0)


def bars(axes: Axes, names: Sequence[str], values: Sequence[Enclosure], x_label: str, y_label: str) -> None:
    """Draws a bar for every name, or a line if there are many."""
    ys = [number(value) for value in values]
    if len(ys) > 60:
        axes.plot(range(len(ys)), ys, color=GOOD, linewidth=1.4)
    else:
        axes.bar(range(len(ys)), ys, color=GOOD, width=0.8)
    name_ticks(axes.set_xticks, names)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)


def _side(place: int, count: int) -> str:
    return "left" if place < count / 4 else "right" if place > 3 * count / 4 else "center"


Sides = tuple[float, float, float, float]


def boxes(axes: Axes, areas: Sequence[tuple[Verdict, Sequence[Sides]]], names: Mapping[Verdict, str]) -> None:
    """Draws boxes (low, high, bottom, top) of a plane, one color for each verdict; undecided ones come last, in ink."""
    from matplotlib.patches import Patch, PathPatch
    from matplotlib.path import Path

    colors = {**BY_VERDICT, Verdict.UNDECIDED: INK}
    for verdict, found in areas:
        corners = [[(a, c), (b, c), (b, d), (a, d), (a, c)] for a, b, c, d in found]
        codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY] * len(found)
        if found:
            shape = Path([corner for box in corners for corner in box], codes)
            edge = 0.8 if verdict is Verdict.UNDECIDED else 0.2
            axes.add_patch(PathPatch(shape, color=colors[verdict], linewidth=edge))
    axes.autoscale_view()
    axes.set_aspect("equal")
    axes.grid(False)
    keys = [Patch(color=colors[verdict], label=name) for verdict, name in names.items()]
    axes.legend(handles=keys, frameon=False, loc="upper left", bbox_to_anchor=(1.01, 1), fontsize=9)
