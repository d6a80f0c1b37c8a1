"""Results in a notebook: they show themselves as HTML and turn into a data frame."""

from __future__ import annotations

from html import escape
from typing import Any

from dpaudit.numbers.errors import InputError

Row = dict[str, Any]


class Shown:
    """What a result gets from its ``to_dict``: a table in Jupyter, and rows for pandas or polars."""

    def to_dict(self) -> dict[str, Any]:
        """Returns the result as JSON."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        """Returns the result as an HTML table; all text is escaped."""
        facts = flatten({key: value for key, value in self.to_dict().items() if not _is_rows(value)})
        body = "".join(
            f"<tr><th>{escape(name)}</th><td>{escape(str(value))}</td></tr>" for name, value in facts.items()
        )
        return f"<table>{body}</table>" + "".join(_table(v) for v in self.to_dict().values() if _is_rows(v))

    def rows(self) -> list[Row]:
        """Returns the rows of the result's list (outputs, data sets, ...), or the result as one row."""
        content = self.to_dict()
        lists = [value for value in content.values() if _is_rows(value)]
        return [flatten(row) for row in lists[0]] if lists else [flatten(content)]

    def to_frame(self) -> Any:
        """Returns the rows as a pandas or, if that is not installed, a polars data frame; bounds stay exact text."""
        for package in ("pandas", "polars"):
            try:
                return __import__(package).DataFrame(self.rows())
            except ImportError:
                continue
        raise InputError("to_frame", "no data frames", "install pandas or polars")


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(entry, dict) for entry in value)


def flatten(row: Row, prefix: str = "") -> Row:
    """Returns nested entries with joined names: {"p": {"lower": "0"}} gives {"p_lower": "0"}; lists become text."""
    flat: Row = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat.update(flatten(value, f"{prefix}{key}_"))
        else:
            flat[f"{prefix}{key}"] = ",".join(map(str, value)) if isinstance(value, list) else value
    return flat


def _table(rows: list[Row]) -> str:
    flat = [flatten(row) for row in rows]
    head = "".join(f"<th>{escape(name)}</th>" for name in flat[0])
    body = "".join("<tr>" + "".join(f"<td>{escape(str(v))}</td>" for v in row.values()) + "</tr>" for row in flat)
    return f"<table><tr>{head}</tr>{body}</table>"
