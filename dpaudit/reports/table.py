"""Tables and figures of a report: typed cells, and figures that name the columns they show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from itertools import takewhile
from typing import Any

from dpaudit.charts.draw import Level
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict

Cell = Enclosure | Fraction | Verdict | int | str | None


class Kind(StrEnum):
    """The kinds of cells of a column, which determine how they are written and read."""

    TEXT = "text"
    COUNT = "count"
    EXACT = "exact"
    NUMBER = "enclosure"
    VERDICT = "verdict"


CELLS = {
    Kind.TEXT: str,
    Kind.COUNT: int,
    Kind.EXACT: Fraction,
    Kind.NUMBER: Enclosure,
    Kind.VERDICT: Verdict,
}
"""The type of the cells of a kind."""


@dataclass(frozen=True)
class Column:
    """A column: its heading, and the kind of its cells, which is also in the JSON."""

    name: str
    kind: Kind = field(default_factory=lambda: Kind.TEXT)


@dataclass(frozen=True)
class Table:
    """Rows of typed cells, one for each column; None where there is nothing."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @staticmethod
    def of(heads: str, rows: Iterable[tuple[Cell, ...]]) -> Table:
        """The table with the columns in a text, each with its kind unless that is text.

        >>> [column.kind.value for column in Table.of("mechanism | n: count | true ε: enclosure", []).columns]
        ['text', 'count', 'enclosure']
        """
        parts = [head.rpartition(": ") if ": " in head else (head, "", "text") for head in heads.split(" | ")]
        return Table(tuple(Column(name, Kind(kind)) for name, _, kind in parts), tuple(rows))

    def index(self, name: str) -> int:
        """The place of the column of that name."""
        return next(i for i, column in enumerate(self.columns) if column.name == name)

    def column(self, name: str) -> list[Any]:
        """The cells of one column."""
        place = self.index(name)
        return [row[place] for row in self.rows]

    def groups(self, name: str) -> dict[str, list[tuple[Cell, ...]]]:
        """The rows by their cell in that column, in order of first appearance; all under "" where there is no name."""
        found: dict[str, list[tuple[Cell, ...]]] = {}
        place = self.index(name) if name else None
        for row in self.rows:
            found.setdefault("" if place is None else str(row[place]), []).append(row)
        return found


class Look(StrEnum):
    """The kinds of figures."""

    LINES = "lines"
    STEPS = "steps"
    PAIR = "pair"


@dataclass(frozen=True)
class Figure:
    """How to draw a table: ``title`` is the finding, ``x``, ``y`` and ``by`` are names of columns.

    A pair has its two distributions in ``y`` and ``second``, and ``at`` is the output that decides. ``ends`` are
    words at the ends of lines, by name.
    """

    look: Look
    title: str
    x: str
    y: str
    by: str = ""
    second: str = ""
    at: str = ""
    x_label: str = ""
    y_label: str = ""
    marks: tuple[Level, ...] = ()
    ends: tuple[tuple[str, str], ...] = ()
    log_x: bool = False
    log_y: bool = False
    ordered: bool = False


def apart(names: Sequence[str]) -> dict[str, str]:
    """Each name without the words with which they all begin.

    >>> apart(["EHDL, prior (1, 1)", "EHDL, prior (2, 2)"])
    {'EHDL, prior (1, 1)': 'prior (1, 1)', 'EHDL, prior (2, 2)': 'prior (2, 2)'}
    """
    parts = [name.split(", ") for name in names]
    shared = len(list(takewhile(lambda column: len(set(column)) == 1, zip(*parts, strict=False)))) if parts[1:] else 0
    return {name: ", ".join(own[shared:]) or name for name, own in zip(names, parts, strict=True)}
