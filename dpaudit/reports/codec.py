"""Documents as JSON and back: dataclasses by their fields, exact numbers as text, enclosures as two decimals."""

from __future__ import annotations

import json
from dataclasses import MISSING, Field, fields, is_dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from math import inf
from types import UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.table import Cell, Column, Kind, Table

READERS = {
    Kind.TEXT: str,
    Kind.COUNT: int,
    Kind.EXACT: Fraction,
    Kind.NUMBER: Enclosure,
    Kind.SHARE: Enclosure,
    Kind.VERDICT: Verdict,
}


def encode(value: Any) -> Any:
    """The value as JSON; members that have their default are left out."""
    if isinstance(value, Enclosure):
        return value.to_dict()
    if isinstance(value, Table):
        return {
            "columns": [{"name": column.name, "kind": column.kind.value} for column in value.columns],
            "rows": [[encode(cell) for cell in row] for row in value.rows],
        }
    if is_dataclass(value):
        return {f.name: encode(getattr(value, f.name)) for f in fields(value) if getattr(value, f.name) != _default(f)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple | list):
        return [encode(entry) for entry in value]
    if isinstance(value, dict):
        return {name: encode(entry) for name, entry in value.items()}
    return str(value) if isinstance(value, Fraction) else value


def _default(field: Field[Any]) -> Any:
    return MISSING if field.default is MISSING else field.default


def decode(kind: Any, value: Any) -> Any:
    """The value of that type from its JSON; a ValueError, KeyError or TypeError where it is no such value."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(parts, value)
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError("a list is needed")
        if len(parts) == 2 and parts[1] is Ellipsis:
            return tuple(decode(parts[0], entry) for entry in value)
        return tuple(decode(part, entry) for part, entry in zip(parts, value, strict=True))
    if origin is dict:
        return {str(name): decode(parts[1], entry) for name, entry in value.items()}
    if kind is Enclosure:
        return _enclosure(value)
    if kind is Table:
        return _table(value)
    if is_dataclass(kind):
        return _dataclass(kind, value)
    return _plain(kind, value)


def _one_of(parts: tuple[Any, ...], value: Any) -> Any:
    """The value of the first type that reads it."""
    if value is None and type(None) in parts:
        return None
    for part in parts:
        if part is not type(None):
            try:
                return decode(part, value)
            except (TypeError, ValueError, KeyError):
                continue
    raise ValueError("none of the types reads it")


def _dataclass(kind: Any, value: Any) -> Any:
    if not isinstance(value, dict):
        raise TypeError("an object is needed")
    hints = _hints(kind)
    known = {f.name for f in fields(kind)}
    if extra := sorted(set(value) - known):
        raise ValueError(f"unknown member {extra[0]}")
    return kind(**{name: decode(hints[name], entry) for name, entry in value.items()})


@lru_cache(maxsize=64)
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _plain(kind: Any, value: Any) -> Any:
    """A number, a text or a word of an enumeration."""
    if kind is Any:
        return value
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is Fraction:
        if not isinstance(value, str):
            raise TypeError("exact numbers are text")
        return Fraction(value)
    if kind is float and isinstance(value, int | float) and not isinstance(value, bool):
        return float(value)
    if type(value) is not kind:
        raise TypeError(f"{kind} is needed")
    return value


def _enclosure(value: Any) -> Enclosure:
    if not isinstance(value, dict) or set(value) != {"lower", "upper"}:
        raise TypeError("an enclosure has lower and upper")
    ends = [Decimal(value["lower"]), Decimal(value["upper"])]
    places = [max(0, -int(end.as_tuple().exponent)) for end in ends if end.is_finite()]
    shown = [cast(Fraction, inf) if end.is_infinite() else Fraction(end) for end in ends]
    if shown[0] > shown[1]:
        raise ValueError("lower is above upper")
    return Enclosure(shown[0], shown[1], max(places, default=0))


def _table(value: Any) -> Table:
    columns = tuple(Column(str(entry["name"]), Kind(entry["kind"])) for entry in value["columns"])
    rows = []
    for row in value["rows"]:
        cells = zip(columns, row, strict=True)
        rows.append(tuple(None if cell is None else cast(Cell, decode(READERS[c.kind], cell)) for c, cell in cells))
    return Table(columns, tuple(rows))


def dumps(document: dict[str, Any]) -> str:
    """JSON with one member, section and row a line."""

    def write(value: Any, depth: int) -> str:
        if isinstance(value, dict) and value and depth < 4 and not {"lower", "upper"} >= set(value):
            return (
                "{\n"
                + ",\n".join(f"{_compact(name)}: {write(entry, depth + 1)}" for name, entry in value.items())
                + "\n}"
            )
        if isinstance(value, list) and value and depth < 6 and isinstance(value[0], dict | list):
            return "[\n" + ",\n".join(write(entry, depth + 1) for entry in value) + "\n]"
        return _compact(value)

    return write(document, 0) + "\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
