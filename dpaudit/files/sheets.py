"""Sheets: CSV, JSON and Parquet files of exact text, read with row numbers; and files of pairs of data sets."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

from dpaudit.files.strict_json import check_file, read_json, read_text
from dpaudit.files.text import csv_text
from dpaudit.numbers.errors import InputError, missing_extra

MAX_BYTES = 64 << 20
MAX_CELLS = 10**6
HEADERS = {("x", "x_prime"), ("x", "y"), ("x", "x'"), ("x", "x′"), ("dataset", "neighbor"), ("left", "right")}
"""First lines of an adjacency file that are headers."""


def cell_excerpt(value: Any) -> str:
    """A cell for an error message, at most 40 characters."""
    found = str(value)[:40] if isinstance(value, str) else type(value).__name__
    return " ".join(found.split()) or "(empty)"


def csv_rows(option: str, path: str) -> list[tuple[int, list[str]]]:
    """The nonempty lines with their numbers; cells without the quotes of ``csv_cell``."""
    reader = csv.reader(read_text(option, path, MAX_BYTES).splitlines(), strict=True)
    try:
        return [(reader.line_num, [csv_text(cell) for cell in row]) for row in reader if row]
    except csv.Error as error:
        raise InputError(option, path, f"row {reader.line_num}: {error}") from None


def parquet_columns(option: str, path: str) -> dict[str, list[Any]]:
    """The columns by name, decimals as text; binary floats are refused."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_extra(option, path, "parquet", "Parquet needs pyarrow") from None
    check_file(option, path)
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
    """A decimal as text; text and whole numbers as they are."""
    from decimal import Decimal

    return str(value) if isinstance(value, Decimal) else value


def read_pairs(path: str, read: Callable[[str], Any]) -> list[tuple[Any, Any]]:
    """The pairs of data sets in a CSV, JSON or Parquet file; unknown names are refused with their row.

    ``read`` returns the data set of that name, or raises InputError.
    """
    lines = _pair_lines(path)
    if lines and tuple(lines[0][1]) in HEADERS and not all(_is_readable(entry, read) for entry in lines[0][1]):
        lines = lines[1:]
    pairs = []
    for where, entries in lines:
        if len(entries) != 2:
            raise InputError("adjacency", path, f"{where}: must be two data sets, has {len(entries)} entries")
        found = []
        for entry in entries:
            try:
                found.append(read(entry))
            except InputError:
                rule = f"{where}: {cell_excerpt(entry)} is not a data set of the table or mechanism"
                raise InputError("adjacency", path, rule) from None
        if found[0] == found[1]:
            raise InputError("adjacency", path, f"{where}: pairs {entries[0]} with itself")
        pairs.append((found[0], found[1]))
    if not pairs:
        raise InputError("adjacency", path, "holds no pair")
    return pairs


def _is_readable(entry: str, read: Callable[[str], Any]) -> bool:
    try:
        read(entry)
    except InputError:
        return False
    return True


def _pair_lines(path: str) -> list[tuple[str, list[str]]]:
    kind = path.lower().rpartition(".")[2]
    if kind == "json":
        document = read_json("adjacency", path, MAX_BYTES)
        if not isinstance(document, list) or not all(isinstance(entry, list) for entry in document):
            raise InputError("adjacency", path, "must be a list of pairs: [[data set, data set], …]")
        return [(f"pair {i}", [str(e) for e in entry]) for i, entry in enumerate(document, start=1)]
    if kind == "parquet":
        lines = enumerate(zip(*parquet_columns("adjacency", path).values(), strict=True), start=1)
        return [(f"row {i}", [str(entry) for entry in entries]) for i, entries in lines]
    if kind != "csv":
        raise InputError("adjacency", path, "must be a .csv, .json or .parquet file")
    return [(f"row {number}", [entry.strip() for entry in row]) for number, row in csv_rows("adjacency", path)]
