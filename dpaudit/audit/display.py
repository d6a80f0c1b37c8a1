"""Results in Python: they print as the command does, show themselves as HTML and turn into a data frame."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from importlib import import_module
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from dpaudit.audit.drawing import as_text, here
from dpaudit.audit.page import FEW, Fields, Page, card
from dpaudit.numbers.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Record = dict[str, Any]


def as_json(value: Any) -> Any:
    """The value for JSON: an exact number as text, a tuple as a list, a result by its own ``to_dict``."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return [as_json(entry) for entry in value]
    return str(value) if isinstance(value, Fraction) else value


class Members:
    """A dataclass whose JSON has its fields by name, in their order."""

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON."""
        return {field.name: as_json(getattr(self, field.name)) for field in fields(self)}  # type: ignore[arg-type]


class Shown:
    """What a result gets from its ``page`` and its ``to_dict``: text, a table in Jupyter, rows for pandas or polars."""

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON."""
        raise NotImplementedError

    def page(self) -> Page:
        """The result as people read it."""
        return [Fields([(name.replace("_", " "), value) for name, value in flatten(self.to_dict()).items()])]

    def text(self, digits: int | None = FEW) -> str:
        """The answer of the command that asks this, as wide as the terminal; ``digits`` None shows all of them."""
        return as_text(self.page(), here(), digits).rstrip("\n")

    def __str__(self) -> str:
        """The same, with six digits."""
        return self.text()

    def picture(self) -> str:
        """A small static picture (SVG), or nothing."""
        return ""

    def draw(self, axes: Axes) -> None:
        """Draws the result on the axes; refuses where there is nothing to draw."""
        raise InputError("plot", type(self).__name__, "this result has no picture")

    def plot(self, ax: Axes | str | PathLike[str] | None = None) -> Axes:
        """The axes with the picture: those that are given, else those of a new figure, written to a path if one is."""
        from dpaudit.charts import style

        if not isinstance(ax, str | PathLike):
            return style.plotted(self.draw, ax)
        path = fspath(ax)
        style.check_format("plot", path)
        with style.styled():
            axes = style.new_axes()
            self.draw(axes)
        style.save(axes, "plot", path)
        return axes

    def _repr_html_(self) -> str:
        """Verdict, picture and tables as HTML; all text is escaped."""
        return card(self.picture(), self.page())

    def rows(self) -> list[Record]:
        """The rows of the result's list (outputs, data sets, ...), or the result as one row."""
        content = self.to_dict()
        lists = [value for value in content.values() if _is_rows(value)]
        return [flatten(row) for row in lists[0]] if lists else [flatten(content)]

    def to_frame(self) -> Any:
        """The rows as a pandas or, if that is not installed, a polars data frame; bounds stay exact text.

        Whole numbers stay whole where a value is missing, and every row counts for the type of its column.
        """
        for package, make in (("pandas", _pandas), ("polars", _polars)):
            try:
                module = import_module(package)
            except ImportError:
                continue
            return make(module, self.rows())
        rule = "needs pandas or polars: pip install pandas; rows() gives the same rows as a list without them"
        raise InputError("to_frame", "(no data frames)", rule)


def _pandas(pandas: Any, rows: list[Record]) -> Any:
    frame = pandas.DataFrame(rows, dtype=object)
    for name in frame.columns[frame.notna().all()]:  # a column of whole numbers with a gap would become floats
        frame[name] = frame[name].infer_objects()
    return frame


def _polars(polars: Any, rows: list[Record]) -> Any:
    return polars.DataFrame(rows, infer_schema_length=None)


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def flatten(row: Record, prefix: str = "") -> Record:
    """Nested entries with joined names: {"p": {"lower": "0"}} gives {"p_lower": "0"}; lists become text."""
    flat: Record = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat.update(flatten(value, f"{prefix}{key}_"))
        else:
            flat[f"{prefix}{key}"] = ",".join(map(str, value)) if isinstance(value, list) else value
    return flat
