"""A mechanism as a table of probabilities: a row for each data set, a column for each output. CSV, JSON, Parquet.

    ,no,yes                 {"outputs": ["no", "yes"],
    no,3/4,1/4               "rows": {"no": ["3/4", "1/4"],
    yes,0.25,0.75                     "yes": ["0.25", "0.75"]}}

Entries are rationals or decimals, taken exactly. Adjacency is a file of pairs of data sets; without it,
every pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.files.sheets import MAX_BYTES, MAX_CELLS, cell_excerpt, csv_rows, parquet_columns
from dpaudit.files.strict_json import read_json
from dpaudit.mechanisms.own.mechanism import OwnMechanism
from dpaudit.mechanisms.source import sha256_of
from dpaudit.numbers.digits import rough
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import LONGEST_COMMON, rational, total
from dpaudit.privacy.adjacency import ALL_PAIRS, Adjacency, parse_adjacency
from dpaudit.privacy.effort import WORK
from dpaudit.privacy.protocols import Counts

MAX_DIGITS = 1000
MAX_NAME = 200
NAME_RULE = f"a name must be text of 1 to {MAX_NAME} characters, without spaces around it"
SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""Separators that other programs write instead of commas."""


@dataclass(frozen=True)
class Sheet:
    """The raw content of a file: the outputs, and rows of (place, data set, entries)."""

    outputs: Sequence[Any]
    rows: Sequence[tuple[str, Any, Sequence[Any]]]


class GivenTable:
    """A table of probabilities, in the protocol of a user's own mechanism."""

    name = "table of probabilities"

    def __init__(
        self,
        path: str,
        outputs: tuple[str, ...],
        rows: dict[str, tuple[Fraction, ...]],
        adjacency: Adjacency,
    ) -> None:
        self.formula = f"P(r) read from {path}"
        self.adjacency = adjacency
        self._outputs, self._rows = outputs, rows

    def datasets(self) -> list[str]:
        """The names of the rows."""
        return list(self._rows)

    def outputs(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._outputs

    def probabilities(self, x: str) -> tuple[Fraction, ...]:
        """The row."""
        return self._rows[x]


def read_table(
    path: str,
    adjacency: str | None = None,
    work: int = WORK,
    admit: Callable[[Counts, int], None] = lambda *_: None,
) -> OwnMechanism:
    """The mechanism in the file; an error in it is refused with its row and column.

    An audit of it that needs more than ``work`` steps will be refused. ``admit``, called with the counts and the number
    of rows that the true epsilon needs, may refuse the table before its numbers are read.
    """
    outputs, entries = read_sheet(path)
    relation = parse_adjacency(ALL_PAIRS if adjacency is None else adjacency, lambda _, name: _row_name(entries, name))
    size, everybody = len(entries), relation == ALL_PAIRS
    pairs = size * (size - 1) if everybody else relation.count(0, 0)
    admit(Counts(size, pairs, len(outputs)), size if everybody else pairs)
    rows = {name: _row(path, *entries.pop(name), outputs) for name in list(entries)}
    settings = {} if adjacency is None else {"adjacency": str(adjacency)}
    given = GivenTable(path, outputs, rows, relation)
    found = OwnMechanism(given, path, None, settings, sha256=sha256_of("TABLE", path))
    found.most_steps = work
    return found


def read_sheet(path: str) -> tuple[tuple[str, ...], dict[str, tuple[str, Sequence[Any]]]]:
    """The outputs, and for each data set its place and its raw entries, one for each output."""
    sheet = _sheet(path)
    outputs = tuple(_name(path, "the header", column, i + 1) for i, column in enumerate(sheet.outputs))
    _no_twins(path, "the header", outputs)
    if not outputs:
        raise InputError("TABLE", path, "has no output columns")
    size = sum(len(row) for _, _, row in sheet.rows)
    if size > MAX_CELLS:
        raise InputError("TABLE", path, f"has {size} cells, at most {MAX_CELLS} are allowed")
    rows: dict[str, tuple[str, Sequence[Any]]] = {}
    places: dict[str, str] = {}
    for where, label, cells in sheet.rows:
        name = _name(path, where, label, 0)
        if places.setdefault(name, where) != where:
            raise InputError("TABLE", path, f"{where}: the data set {name} occurs twice, first in {places[name]}")
        if len(cells) != len(outputs):
            rule = f"{where} ({name}): has {len(cells)} entries, there are {len(outputs)} outputs"
            raise InputError("TABLE", path, rule)
        rows[name] = f"{where} ({name})", cells
    if len(rows) < 2:
        raise InputError("TABLE", path, f"must have at least 2 data sets, has {len(rows)}")
    return outputs, rows


def _row_name(rows: dict[str, Any], name: str) -> str:
    if name not in rows:
        raise InputError("adjacency", name, "is not a data set of the table")
    return name


def _name(path: str, where: str, value: Any, column: int) -> str:
    name = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not is_name(name):
        spot = f", column {column}" if column else ""
        raise InputError("TABLE", path, f"{where}{spot}: {NAME_RULE}")
    return name


def is_name(name: str) -> bool:
    """Whether a data set or an output of a table may have this name."""
    return name == name.strip() and 0 < len(name) <= MAX_NAME


def _no_twins(path: str, where: str, names: tuple[str, ...]) -> None:
    first: dict[str, int] = {}
    for i, name in enumerate(names, start=1):
        if first.setdefault(name, i) != i:
            rule = f"the output {name} occurs twice, in columns {first[name]} and {i}"
            raise InputError("TABLE", path, f"{where}: {rule}")


def _row(path: str, where: str, cells: Sequence[Any], outputs: tuple[str, ...]) -> tuple[Fraction, ...]:
    row = []
    for output, cell in zip(outputs, cells, strict=True):
        entry = _quotient(cell)
        try:
            entry = rational("table", cell, MAX_DIGITS) if entry is None else entry
        except InputError as error:
            raise InputError("TABLE", path, f"{where}, column {output}: {cell_excerpt(cell)} {error.rule}") from None
        if entry.numerator < 0:
            raise InputError("TABLE", path, f"{where}, column {output}: {cell_excerpt(cell)} is negative")
        row.append(entry)
    found = total(row)
    if found is None:
        raise InputError("TABLE", path, f"{where}: has a common denominator of more than {LONGEST_COMMON} digits")
    if found != 1:
        size = str(found) if found.denominator < 10**30 else f"about {rough(found, 6)}"
        raise InputError("TABLE", path, f"{where}: sums to {size}, not to 1")
    return tuple(row)


def _quotient(cell: Any) -> Fraction | None:
    """The number where it is written as two short whole numbers, "3/4", the usual case; else None."""
    if not isinstance(cell, str) or len(cell) > 40 or not cell.isascii():
        return None
    top, _, bottom = cell.partition("/")
    return Fraction(int(top), int(bottom)) if top.isdigit() and bottom.isdigit() and bottom.strip("0") else None


def _sheet(path: str) -> Sheet:
    kind = path.lower().rpartition(".")[2]
    if kind == "csv":
        return _csv_sheet(path)
    if kind == "json":
        return _json_sheet(path)
    if kind == "parquet":
        return _parquet_sheet(path)
    raise InputError("TABLE", path, "must be a .csv, .json or .parquet file")


def _csv_sheet(path: str) -> Sheet:
    lines = csv_rows("TABLE", path)
    if not lines:
        raise InputError("TABLE", path, "is empty; the first line must name the outputs")
    corner, *outputs = lines[0][1]
    other = next((name for sign, name in SEPARATORS.items() if sign in corner), None)
    if other and not outputs:
        raise InputError("TABLE", path, f"is separated by {other}; use commas, and a point in decimals")
    if corner.strip() and _are_probabilities(outputs):
        rule = f"row {lines[0][0]}: holds probabilities; the first line must name the outputs, as ,no,yes does"
        raise InputError("TABLE", path, f"{rule} (if these are names, leave its first cell empty)")
    return Sheet(outputs, [(f"row {number}", row[0], row[1:]) for number, row in lines[1:]])


def _are_probabilities(cells: Sequence[str]) -> bool:
    """Whether these are a row and no header: numbers that sum to 1, and not all whole, as names may be."""
    try:
        row = [rational("table", cell, MAX_DIGITS) for cell in cells]
    except InputError:
        return False
    return any(entry.denominator > 1 for entry in row) and total(row) == 1


def _json_sheet(path: str) -> Sheet:
    document = read_json("TABLE", path, MAX_BYTES)
    rule = 'must be {"outputs": […], "rows": {data set: […]}} or {data set: {output: probability}}'
    if not isinstance(document, dict):
        raise InputError("TABLE", path, rule)
    if set(document) == {"outputs", "rows"} and isinstance(document["outputs"], list):
        outputs, rows = document["outputs"], document["rows"]
        if not isinstance(rows, dict) or not all(isinstance(cells, list) for cells in rows.values()):
            raise InputError("TABLE", path, rule)
        return Sheet(outputs, [(f"row {i}", x, cells) for i, (x, cells) in enumerate(rows.items(), start=1)])
    if not document or not all(isinstance(cells, dict) for cells in document.values()):
        raise InputError("TABLE", path, rule)
    outputs = list(next(iter(document.values())))
    rows = []
    for i, (x, named) in enumerate(document.items(), start=1):
        odd = next(iter(set(outputs) ^ set(named)), None)
        if odd is not None:
            raise InputError(
                "TABLE", path, f"row {i} ({x[:40]}): output {odd[:40]} is missing in some rows; write 0 there"
            )
        rows.append((f"row {i}", x, [named[output] for output in outputs]))
    return Sheet(outputs, rows)


def _parquet_sheet(path: str) -> Sheet:
    columns = parquet_columns("TABLE", path)
    outputs = list(columns)[1:]
    names = next(iter(columns.values()), [])
    rows = [(f"row {i + 1}", x, [columns[output][i] for output in outputs]) for i, x in enumerate(names)]
    return Sheet(outputs, rows)
