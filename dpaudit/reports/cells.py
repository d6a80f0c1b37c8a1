"""Cells of a table: text or an enclosure; and the plain table that lists members of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dpaudit.reports.document import Section

Cell = str | dict[str, str]
Table = tuple[list[str], list[list[Cell]]]
MECHANISM = ("mechanism", "mechanism")


def cell(value: Any) -> Cell:
    """Returns an enclosure as it is, a tuple as "(4, 4)", nothing as "", anything else as its text."""
    if isinstance(value, dict) and set(value) == {"lower", "upper"}:
        return value
    if isinstance(value, list):
        return "(" + ", ".join(map(str, value)) + ")"
    return "" if value is None else str(value)


def listing(*columns: tuple[str, str]) -> Callable[[Section], Table]:
    """Returns a table function that lists the given (title, key) columns of every row."""

    def table(section: Section) -> Table:
        rows = [[cell(row.get(key)) for _, key in columns] for row in section["rows"]]
        return [title for title, _ in columns], rows

    return table
