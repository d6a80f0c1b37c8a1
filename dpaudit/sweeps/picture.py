"""The picture of a sweep: its values over n, ε, k or a parameter, one line for everything else that varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from dpaudit.audit.setting import is_ranged
from dpaudit.numbers.digits import rough
from dpaudit.numbers.enclosure import Enclosure, decimals
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.plan import parameter_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Row = Mapping[str, Any]
MOST_LINES = 12
"""More lines than this cannot be distinguished."""


def draw(axes: Axes, rows: Sequence[Row]) -> None:
    """Draws the finished rows of the first quantity that has two of them; the title says which is the largest."""
    from dpaudit.charts.draw import Line, lines, number

    over, found = _places(rows)
    series: dict[str, dict[Fraction | int, Enclosure]] = {}
    for label, (at, row) in zip(_labels(over, found), found, strict=True):
        series.setdefault(label, {})[at] = decimals(row["lower"], row["upper"])
    if len(series) > MOST_LINES:
        rule = f"{MOST_LINES} can be distinguished; export the table and draw a part of it"
        raise InputError("plot", f"{len(series)} lines", rule)
    ordered = {label: sorted(points.items(), key=lambda point: point[0]) for label, points in series.items()}
    drawn = [Line(label, tuple(x for x, _ in points), tuple(y for _, y in points)) for label, points in ordered.items()]
    places = [at for points in series.values() for at in points]
    wide = min(places) > 0 and max(places) >= 20 * min(places)
    lines(axes, drawn, x_label=_sign(over), y_label=_quantity(found[0][1]), log_x=wide)
    top, label, at = max((number(y), label, at) for label, points in series.items() for at, y in points.items())
    axes.set_title(f"{label}: {rough(top, 3)} at {_sign(over)} = {at}, the largest of {len(found)}", loc="left")


def _places(rows: Sequence[Row]) -> tuple[str, list[tuple[Fraction | int, Row]]]:
    """What the picture ranges over, and the rows that are drawn, each with its place there."""
    done = [row for row in rows if row["state"] == "done"]
    known = [row for row in done if decimals(row["lower"], row["upper"]).is_finite]
    for quantity in dict.fromkeys(_quantity(row) for row in known):
        mine = [row for row in known if _quantity(row) == quantity]
        for over in ("n", "eps", "k", *parameter_names()):
            places = [(at, row) for row in mine if (at := _place(row[over])) is not None]
            if len({at for at, _ in places}) > 1:
                return over, places
    rule = "a picture needs finished, finite rows for two values of n, of eps, of k or of a parameter"
    raise InputError("plot", f"{len(known)} such rows", rule)


def _place(value: Any) -> Fraction | int | None:
    """The exact number in a cell, or None where there is none: every n, a range of ε, a name."""
    if value is None or isinstance(value, int):
        return value
    try:
        return None if is_ranged(value) else Fraction(value)
    except (ValueError, ZeroDivisionError):
        return None


def _labels(over: str, found: Sequence[tuple[Fraction | int, Row]]) -> list[str]:
    """The name of every row's line: what varies besides the place, and the data only where it is needed."""
    columns = ("mechanism", "n", "prior", "eps", "adjacency", *parameter_names(), "own", "every", "digits", "data")
    cells = [{name: _cell(over, name, row) for name in columns if name != over} for _, row in found]
    names = [name for name in cells[0] if len({cell[name] for cell in cells} - {None}) > 1]
    if "data" in names:
        fewer = names[:-1]
        if len({(at, *map(cell.get, fewer)) for (at, _), cell in zip(found, cells, strict=True)}) == len(found):
            names = fewer  # the balanced data set, which is another one for every n
    return [", ".join(filter(None, (_word(name, cell[name]) for name in names))) or cell["mechanism"] for cell in cells]


def _cell(over: str, name: str, row: Row) -> Any:
    """The value in this column; over k a prior of equal entries is one number."""
    value = row[name]
    if over == "k" and name == "prior" and value is not None and len(set(value.split(","))) == 1:
        return value.split(",")[0]
    return value


def _quantity(row: Row) -> str:
    words = {"epsilon": "true ε", "delta": f"δ({row['at']})"}
    return words.get(row["quantity"], str(row["quantity"]))


def _word(name: str, value: Any) -> str:
    if value is None:
        return ""
    return str(value) if name in ("mechanism", "own", "data") else f"{_sign(name)} = {value}"


def _sign(name: str) -> str:
    return {"eps": "ε", "gamma": "γ", "delta": "δ"}.get(name, name)
