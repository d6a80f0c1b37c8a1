"""The style of every chart, and its conversion to SVG text or a file. matplotlib is imported on first use."""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from dpaudit.files.writing import write_file
from dpaudit.numbers.errors import InputError, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#1f2328"
"""Text and axes; in SVG it becomes the color of the surrounding text."""
COLORS = ("#1f6fb4", "#b54708", "#4d7c0f", "#8e44ad", "#0e7490", "#b0303c", "#6b6a1e", "#5b5bd6")
"""Categories: distinguishable for color-blind readers, with a contrast of at least 4.5 : 1 on white."""
DARK = ("#6cb3f0", "#f0965a", "#a3cf5b", "#cf9be8", "#55c7da", "#f08a92", "#d2cf6a", "#a9a9ff")
"""The same on a dark background."""
GOOD, BAD, OPEN = COLORS[0], COLORS[1], "#767b83"
"""PROVED, REFUTED and UNDECIDED in charts: blue, orange and grey also differ in lightness."""
FORMATS = (".svg", ".pdf", ".png")
TITLE = 66
"""The most letters in a line of a title."""
WIDTH, HEIGHT = 7.2, 3.6
"""Inches; 72 to the inch in SVG."""


@contextmanager
def styled() -> Iterator[Any]:
    """Yields pyplot's figure module with our settings in force."""
    import matplotlib

    settings: Any = {
        "axes.edgecolor": INK,
        "axes.labelcolor": INK,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlelocation": "left",
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
        "axes.grid": True,
        "axes.axisbelow": True,
        "axes.formatter.useoffset": False,
        "grid.color": INK,
        "grid.alpha": 0.13,
        "grid.linewidth": 0.6,
        "font.size": 10,
        "lines.linewidth": 1.8,
        "text.color": INK,
        "text.parse_math": False,
        "xtick.color": INK,
        "ytick.color": INK,
        "svg.fonttype": "none",
        "pdf.fonttype": 42,
        "figure.dpi": 72,
        "savefig.dpi": 200,
    }
    with matplotlib.rc_context(settings):
        yield matplotlib


def new_axes(width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """The axes of a new figure that no window shows."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure.add_subplot()


def plotted(draw: Callable[[Axes], None], axes: Axes | None) -> Axes:
    """The axes after ``draw``: given ones keep their style, new ones belong to a figure that a notebook shows."""
    if axes is not None:
        draw(axes)
        return axes
    with styled():
        from matplotlib import pyplot

        _, made = pyplot.subplots(figsize=(WIDTH, HEIGHT), layout="constrained")
        draw(made)
    return made


def svg(figure: Figure, alt: str, prefix: str = "") -> str:
    """The figure as SVG: text is text, ink is ``currentColor``, colors are variables that a page may set.

    The ids of two pictures of a page differ by their ``prefix``.
    """
    alt = visible(alt)
    stream = io.StringIO()
    with styled() as library, library.rc_context({"svg.hashsalt": f"dpaudit {prefix}"}):
        figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"<!--.*?-->\s*", "", text, flags=re.DOTALL)
    text = re.sub(r"font: ((?:\w+ )*)([\d.]+)px [^;\"]*", _font, text)
    text = re.sub(r" ?font-family: [^;\"]*;?", "", text)
    text = re.sub(r" transform=\"rotate\(-?0 [^\"]*\"", "", text)
    text = text.replace(INK, "currentColor")
    for number, (color, _) in enumerate(zip(COLORS, DARK, strict=True), 1):
        text = text.replace(color, f"var(--c{number},{color})")
    text = re.sub(r' (d|x|y|width|height|transform)="([^"]*)"', _shorter, text)
    text = re.sub(r' id="[a-z0-9.]+_[0-9_]+"', "", text)
    text = re.sub(r"\n\s*", "\n", text)
    head = f'role="img" aria-label="{escape(alt)}" class="chart"'
    return visible(text.replace("<svg ", f"<svg {head} ", 1), keep="\n").replace(
        "<defs>", f"<title>{escape(alt)}</title>\n<defs>", 1
    )


def _font(found: re.Match[str]) -> str:
    """The size and weight of a font without its family, which is that of the page."""
    weight = "font-weight: bold; " if "bold" in found[1] or "700" in found[1] else ""
    return f"{weight}font-size: {found[2]}px"


def _shorter(found: re.Match[str]) -> str:
    """The same attribute with one decimal, a path in fewer letters."""
    value = re.sub(r"(\d+\.\d)\d+", r"\1", found[2])
    value = re.sub(r"\s*([A-Za-z])\s*", r"\1", " ".join(value.split())) if found[1] == "d" else value
    return f' {found[1]}="{value}"'


def variables(colors: Sequence[str]) -> str:
    """The colors as the variables that a chart uses, for a style sheet."""
    return "".join(f"--c{number}:{color};" for number, color in enumerate(colors, 1))


def alone(text: str, title: str = "") -> str:
    """SVG text as a standalone file, which follows the reader's theme; above the picture its title, if there is one."""
    style = (
        "svg{color:#1f2328;font-family:system-ui,'DejaVu Sans',sans-serif}"
        f"@media (prefers-color-scheme:dark){{svg{{color:#e6edf3;{variables(DARK)}}}}}"
    )
    found = text.replace("<title>", f"<style>{style}</style>\n<title>", 1)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + (_titled(found, title) if title else found)


def _titled(text: str, title: str) -> str:
    """The SVG with more room on top, in which its title is written."""
    lines = wrap(visible(title), TITLE)
    room = 16 * len(lines) + 6
    size = re.search(r'height="([\d.]+)pt" viewBox="0 0 ([\d.]+) [\d.]+"', text)
    if size is None:
        raise ValueError("the size of the figure is not known")
    tall = round(float(size[1]) + room, 1)
    taller = text.replace(size[0], f'height="{tall}pt" viewBox="0 {-room} {size[2]} {tall}"', 1)
    style = 'fill="currentColor" style="font-weight: bold; font-size: 12px"'
    words = (f'<text x="4" y="{16 * i + 13 - room}" {style}>{escape(line)}</text>' for i, line in enumerate(lines))
    return "\n".join([taller.removesuffix("\n").removesuffix("</svg>").rstrip(), *words, "</svg>\n"])


def check_format(option: str, path: str) -> None:
    """Refuses a file name that ends in no format a chart can have, before any work is done."""
    if Path(path).suffix.lower() not in FORMATS:
        raise InputError(option, path, f"must end in {', '.join(FORMATS)}")


def save(axes: Axes, option: str, path: str, alt: str = "") -> None:
    """Writes the figure of the axes as SVG, PDF or PNG, as the name of the file says."""
    check_format(option, path)
    figure: Any = axes.figure
    kind = Path(path).suffix.lower()
    if kind == ".svg":
        write_file(option, path, alone(svg(figure, alt or axes.get_title(loc="left"))))
        return
    stream = io.BytesIO()
    with styled():
        figure.savefig(stream, format=kind[1:], metadata={"CreationDate": None} if kind == ".pdf" else None)
    write_file(option, path, stream.getvalue())
