"""The figures of a report: each is drawn once, from the table that it names the columns of."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpaudit.charts import draw, style
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.reports.document import Section
from dpaudit.reports.table import Figure, Look, Table, apart


def drawn(section: Section, name: str, order: Sequence[str] = ()) -> str:
    """The figure of a section as SVG without its title; mechanisms have the color of their place in ``order``."""
    figure, table = section.figure, section.table
    if figure is None or table is None:
        return ""
    with style.styled():
        axes = style.new_axes()
        if figure.look is Look.PAIR:
            _pair(axes, figure, table)
        else:
            _lines(axes, figure, table, order)
        alt = f"{figure.title}. {figure.y_label or figure.y} by {figure.x_label or figure.x}."
        return style.svg(axes.figure, alt, f"{name}-")  # type: ignore[arg-type]


def _lines(axes: Any, figure: Figure, table: Table, order: Sequence[str]) -> None:
    ends = dict(figure.ends)
    x, y = table.index(figure.x), table.index(figure.y)
    series = []
    groups = table.groups(figure.by)
    shown = apart(list(groups))
    for name, rows in groups.items():
        known = [row for row in rows if row[x] is not None and row[y] is not None]
        xs: Any = [draw.number(row[x]) if isinstance(row[x], Enclosure) else row[x] for row in known]  # type: ignore[arg-type]
        if known:
            color = order.index(name) if name in order else None
            series.append(draw.Line(shown[name], tuple(xs), tuple(row[y] for row in known), ends.get(name, ""), color))  # type: ignore[misc]
    given = ("x_label", "y_label", "log_x", "log_y", "ordered")
    options: dict[str, Any] = {name: getattr(figure, name) for name in given}
    draw.lines(axes, series, figure.marks, steps=figure.look is Look.STEPS, **options)


def _pair(axes: Any, figure: Figure, table: Table) -> None:
    outputs = [str(value) for value in table.column(figure.x)]
    names = dict(figure.ends)
    worst = outputs.index(figure.at) if figure.at in outputs else None
    both = table.column(figure.y), table.column(figure.second)
    draw.pair(axes, *both, outputs, (names[figure.y], names[figure.second]), worst)
