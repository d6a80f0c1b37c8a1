"""Dataclasses as JSON and back, by their fields: exact numbers as text, enclosures as two decimals."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import lru_cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from dpaudit.numbers.enclosure import Enclosure, decimals
from dpaudit.privacy.guarantee import Guarantee, parse_guarantee
from dpaudit.reports.table import CELLS, Column, Table

WRITERS: dict[type, Callable[[Any], Any]] = {
    Enclosure: Enclosure.to_dict,
    Fraction: str,
    Guarantee: lambda value: value.option(),
}
"""Types other than our dataclasses -> their JSON."""
MALFORMED = (KeyError, TypeError, ValueError, ArithmeticError, AttributeError)
"""The exceptions of ``decode`` where the JSON is not such a value."""


def encode(value: Any) -> Any:
    """The value as JSON; members that have their default are left out."""
    writer = next((write for kind, write in WRITERS.items() if isinstance(value, kind)), None)
    if writer is not None:
        return writer(value)
    if is_dataclass(value):
        members = ((f, getattr(value, f.name)) for f in fields(value))
        return {f.name: encode(own) for f, own in members if f.default is MISSING or own != f.default}
    if isinstance(value, Enum):
        return value.value
    return [encode(entry) for entry in value] if isinstance(value, tuple | list) else value


def decode(kind: Any, value: Any) -> Any:
    """The value of that type from its JSON."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        return _one_of(parts, value)
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError("a list is needed")
        each = parts[:1] * len(value) if parts[-1] is Ellipsis else parts
        return tuple(decode(part, entry) for part, entry in zip(each, value, strict=True))
    if kind in READERS:
        return READERS[kind](value)
    if is_dataclass(kind):
        return _dataclass(kind, value)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if type(value) is not kind:
        raise TypeError(f"{kind} is needed")
    return value


def _one_of(parts: tuple[Any, ...], value: Any) -> Any:
    """The value of the first type that reads it."""
    if value is None and type(None) in parts:
        return None
    for part in parts:
        try:
            return decode(part, value)
        except MALFORMED:
            continue
    raise ValueError("none of the types reads it")


def _dataclass(kind: Any, value: dict[str, Any]) -> Any:
    hints = _hints(kind)
    return kind(**{name: decode(hints[name], entry) for name, entry in value.items()})


@lru_cache(maxsize=64)
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _fraction(value: Any) -> Fraction:
    if not isinstance(value, str):
        raise TypeError("exact numbers are text")
    return Fraction(value)


def _enclosure(value: Any) -> Enclosure:
    if set(value) != {"lower", "upper"}:
        raise TypeError("an enclosure has lower and upper")
    return decimals(value["lower"], value["upper"])


def _table(value: Any) -> Table:
    """The table, whose columns say of what type their cells are."""
    columns = decode(tuple[Column, ...], value["columns"])
    kinds = [CELLS[column.kind] | None for column in columns]
    rows = [tuple(decode(kind, cell) for kind, cell in zip(kinds, row, strict=True)) for row in value["rows"]]
    return Table(columns, tuple(rows))


READERS: dict[Any, Callable[[Any], Any]] = {
    Enclosure: _enclosure,
    Fraction: _fraction,
    Guarantee: lambda value: parse_guarantee("guarantee", value),
    Table: _table,
}


def dumps(value: Any, depth: int = 0) -> str:
    """JSON with one member, section and row a line."""

    def inner(entry: Any) -> str:
        return dumps(entry, depth + 1)

    if isinstance(value, dict) and depth < 4 and not {"lower", "upper"} >= set(value):
        return "{\n" + ",\n".join(f"{_compact(name)}: {inner(entry)}" for name, entry in value.items()) + "\n}"
    if isinstance(value, list) and value and isinstance(value[0], dict | list) and depth < 6:
        return "[\n" + ",\n".join(map(inner, value)) + "\n]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
