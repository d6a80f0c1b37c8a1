"""A finite mechanism given as a table of probabilities: one row a data set, one column an output. CSV, JSON, Parquet.

    ,no,yes                 {"outputs": ["no", "yes"],
    no,3/4,1/4               "rows": {"no": ["3/4", "1/4"],
    yes,0.25,0.75                     "yes": ["0.25", "0.75"]}}

Entries are rationals or decimals, taken exactly. Adjacency is a file of pairs of data sets; without it, every pair.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.files.strict_json import read_json, read_text
from dpaudit.mechanisms.base import Guarantee
from dpaudit.mechanisms.own import OwnMechanism
from dpaudit.numbers.errors import InputError, missing_extra
from dpaudit.numbers.rationals import rational

MAX_BYTES = 64 << 20
MAX_CELLS = 5 * 10**6
MAX_DIGITS = 1000
HEADERS = {("x", "x_prime"), ("x", "y"), ("x", "x'"), ("x", "x′"), ("dataset", "neighbour"), ("left", "right")}
"""First lines of an adjacency file that are headers."""


@dataclass(frozen=True)
class Sheet:
    """What a file holds before it is understood: the outputs, and rows of (where, data set, entries)."""

    outputs: Sequence[Any]
    rows: Sequence[tuple[str, Any, Sequence[Any]]]


class Table:
    """A table of probabilities, as the small protocol for somebody's own mechanism wants it."""

    def __init__(
        self,
        name: str,
        outputs: tuple[str, ...],
        rows: dict[str, tuple[Fraction, ...]],
        pairs: Sequence[tuple[str, str]] | None,
        claim: Guarantee | None,
    ) -> None:
        self.name = name
        self._outputs, self._rows, self._claim = outputs, rows, claim
        self._links: dict[str, list[str]] = {x: [] for x in rows}
        for x, y in pairs or ():
            self._links[x].append(y)
        if pairs is None:
            self._links = {x: [y for y in rows if y != x] for x in rows}

    def datasets(self) -> list[str]:
        """Returns the names of the rows."""
        return list(self._rows)

    def outputs(self) -> tuple[str, ...]:
        """Returns the names of the columns."""
        return self._outputs

    def neighbours(self, x: str) -> list[str]:
        """Returns the data sets that the adjacency file pairs with x."""
        return self._links[x]

    def probabilities(self, x: str) -> tuple[Fraction, ...]:
        """Returns the row."""
        return self._rows[x]

    def claimed(self) -> Guarantee | None:
        """Returns the guarantee that the caller wants to see checked."""
        return self._claim


def read_table(path: str, adjacency: str | None = None, claim: Guarantee | None = None) -> OwnMechanism:
    """Returns the mechanism that the file holds; anything wrong in it is refused with row and column."""
    sheet = _sheet(path)
    outputs = tuple(_name(path, "the header", column, i + 1) for i, column in enumerate(sheet.outputs))
    _no_twins(path, "the header", outputs)
    if not outputs:
        raise InputError("TABLE", path, "has no output columns")
    rows: dict[str, tuple[Fraction, ...]] = {}
    places: dict[str, str] = {}
    for where, label, cells in sheet.rows:
        name = _name(path, where, label, 0)
        if places.setdefault(name, where) != where:
            raise InputError("TABLE", path, f"{where}: the data set {name} occurs twice, first in {places[name]}")
        rows[name] = _row(path, f"{where} ({name})", outputs, cells)
    if len(rows) < 2:
        raise InputError("TABLE", path, f"must have at least 2 data sets, has {len(rows)}")
    pairs = None if adjacency is None else read_pairs(adjacency, rows)
    settings = {} if adjacency is None else {"adjacency": adjacency}
    table = Table("table of probabilities", outputs, rows, pairs, claim)
    mechanism = OwnMechanism(table, path, None, settings)
    mechanism.formula = f"P(r) read from {path}"  # type: ignore[misc]
    return mechanism


def _name(path: str, where: str, value: Any, column: int) -> str:
    name = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if not name or len(name) > 200:
        spot = f", column {column}" if column else ""
        raise InputError("TABLE", path, f"{where}{spot}: a name must be text of 1 to 200 characters")
    return name


def _no_twins(path: str, where: str, names: tuple[str, ...]) -> None:
    first: dict[str, int] = {}
    for i, name in enumerate(names, start=1):
        if first.setdefault(name, i) != i:
            rule = f"the output {name} occurs twice, in columns {first[name]} and {i}"
            raise InputError("TABLE", path, f"{where}: {rule}")


def _row(path: str, where: str, outputs: tuple[str, ...], cells: Sequence[Any]) -> tuple[Fraction, ...]:
    if len(cells) != len(outputs):
        raise InputError("TABLE", path, f"{where}: has {len(cells)} entries, there are {len(outputs)} outputs")
    row = []
    for output, cell in zip(outputs, cells, strict=True):
        try:
            entry = rational("table", cell, MAX_DIGITS)
        except InputError as error:
            raise InputError("TABLE", path, f"{where}, column {output}: {_cell(cell)} {error.rule}") from None
        if entry < 0:
            raise InputError("TABLE", path, f"{where}, column {output}: {_cell(cell)} is negative")
        row.append(entry)
    if sum(row) != 1:
        total = sum(row, Fraction(0))
        shown = str(total) if len(str(total.denominator)) < 30 else f"about {float(total):.6g}"
        raise InputError("TABLE", path, f"{where}: sums to {shown}, not to 1")
    return tuple(row)


def _cell(value: Any) -> str:
    shown = str(value)[:40] if isinstance(value, str) else type(value).__name__
    return " ".join(shown.split()) or "(empty)"


# ------------------------------------------------------------------ files


def _sheet(path: str) -> Sheet:
    kind = path.lower().rpartition(".")[2]
    if kind == "csv":
        return _csv_sheet(path)
    if kind == "json":
        return _json_sheet(path)
    if kind == "parquet":
        return _parquet_sheet(path)
    raise InputError("TABLE", path, "must be a .csv, .json or .parquet file")


def _csv_rows(option: str, path: str) -> list[tuple[int, list[str]]]:
    """Returns the lines that are not empty, with their numbers."""
    reader = csv.reader(read_text(option, path, MAX_BYTES).splitlines(), strict=True)
    try:
        return [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise InputError(option, path, f"row {reader.line_num}: {error}") from None


def _csv_sheet(path: str) -> Sheet:
    lines = _csv_rows("TABLE", path)
    if not lines:
        raise InputError("TABLE", path, "is empty; the first line must name the outputs")
    rows = [(f"row {number}", row[0], row[1:]) for number, row in lines[1:]]
    return Sheet(lines[0][1][1:], rows)


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
            raise InputError("TABLE", path, f"row {i} ({x[:40]}): output {odd[:40]} is in some rows only; write its 0")
        rows.append((f"row {i}", x, [named[output] for output in outputs]))
    return Sheet(outputs, rows)


def _parquet_columns(option: str, path: str) -> dict[str, list[Any]]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_extra(option, path, "parquet", "Parquet needs pyarrow") from None
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            groups = range(file.metadata.num_row_groups)
            size = sum(file.metadata.row_group(i).total_byte_size for i in groups)
            cells = file.metadata.num_rows * file.metadata.num_columns
            if cells > MAX_CELLS or size > 4 * MAX_BYTES:
                raise InputError(option, path, f"has {cells} cells, at most {MAX_CELLS} are allowed")
            schema = file.schema_arrow
            for field in schema:
                if pyarrow.types.is_floating(field.type):
                    rule = "holds binary floats, which are not exact; write text or decimals"
                    raise InputError(option, path, f"column {field.name} {rule}")
            if len(set(schema.names)) < len(schema.names):
                raise InputError(option, path, "has two columns of the same name")
            columns = file.read().to_pydict()
    except InputError:
        raise
    except Exception as error:  # whatever a damaged file makes the library raise
        raise InputError(option, path, f"is not a readable Parquet file: {type(error).__name__}") from None
    return {name: [_exact(value) for value in column] for name, column in columns.items()}


def _exact(value: Any) -> Any:
    """Returns a decimal as text; text and whole numbers as they are."""
    from decimal import Decimal

    return str(value) if isinstance(value, Decimal) else value


def _parquet_sheet(path: str) -> Sheet:
    columns = _parquet_columns("TABLE", path)
    outputs = list(columns)[1:]
    names = next(iter(columns.values()), [])
    rows = [(f"row {i + 1}", x, [columns[output][i] for output in outputs]) for i, x in enumerate(names)]
    return Sheet(outputs, rows)


def read_pairs(path: str, known: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the pairs of data sets in a CSV, JSON or Parquet file; unknown names are refused with their row."""
    lines = _pair_lines(path)
    if lines and tuple(lines[0][1]) in HEADERS and not set(lines[0][1]) <= set(known):
        lines = lines[1:]
    pairs = []
    for where, entries in lines:
        if len(entries) != 2:
            raise InputError("adjacency", path, f"{where}: must be two data sets, has {len(entries)} entries")
        for entry in entries:
            if entry not in known:
                raise InputError("adjacency", path, f"{where}: {_cell(entry)} is no data set of the table")
        if entries[0] == entries[1]:
            raise InputError("adjacency", path, f"{where}: pairs {entries[0]} with itself")
        pairs.append((entries[0], entries[1]))
    if not pairs:
        raise InputError("adjacency", path, "holds no pair")
    return pairs


def _pair_lines(path: str) -> list[tuple[str, list[str]]]:
    kind = path.lower().rpartition(".")[2]
    if kind == "json":
        document = read_json("adjacency", path, MAX_BYTES)
        if not isinstance(document, list) or not all(isinstance(entry, list) for entry in document):
            raise InputError("adjacency", path, "must be a list of pairs: [[data set, data set], …]")
        return [(f"pair {i}", [str(e) for e in entry]) for i, entry in enumerate(document, start=1)]
    if kind == "parquet":
        lines = enumerate(zip(*_parquet_columns("adjacency", path).values(), strict=True), start=1)
        return [(f"row {i}", [str(entry) for entry in entries]) for i, entries in lines]
    if kind != "csv":
        raise InputError("adjacency", path, "must be a .csv, .json or .parquet file")
    return [(f"row {number}", [entry.strip() for entry in row]) for number, row in _csv_rows("adjacency", path)]
