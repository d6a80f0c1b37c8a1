"""The results as a table: bounds as exact decimal strings, midpoints as floats; CSV or Parquet."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

from dpaudit.audit.setting import is_ranged
from dpaudit.files.text import csv_cell
from dpaudit.files.writing import check_writable, refuse_inputs, write_file
from dpaudit.numbers.enclosure import decimals, largest, maximum
from dpaudit.numbers.errors import InputError, missing_extra, visible
from dpaudit.posterior.model import show
from dpaudit.sweeps.plan import parameter_names
from dpaudit.sweeps.store import Store

EVERY_N = "all"
"""The n of a row about every n; its column holds numbers, so it is empty there, and ``every`` says so."""
SETTING = {"mechanism": str, "n": int, "k": int, "prior": str, "eps": str, "adjacency": str}
FOUND = {
    "own": str,
    "every": str,
    "quantity": str,
    "at": str,
    "data": str,
    "digits": int,
    "state": str,
    "lower": str,
    "upper": str,
    "midpoint": float,
    "attained": str,
    "x": str,
    "x_prime": str,
    "output": str,
    "tier": str,
    "precision_bits": int,
    "seconds": float,
    "error": str,
    "version": str,
    "source": str,
}
Row = dict[str, Any]


def columns() -> dict[str, type]:
    """The columns with their types: the setting, a column for every parameter of the registry, the result."""
    return {**SETTING, **dict.fromkeys(parameter_names(), str), **FOUND}


def table(store: Store) -> list[Row]:
    """One row for every setting and quantity; the parts of a large audit are combined by maximum."""
    entries: dict[str, dict[int, list[tuple[Any, ...]]]] = {}
    for entry, spec, state, result, error, seconds in store.jobs():
        count = spec["part"][1] if "part" in spec else 1
        entries.setdefault(entry, {}).setdefault(count, []).append((spec, state, result, error, seconds))
    return [combine(min(ways.values(), key=_readiness)) for ways in entries.values()]


def _readiness(parts: Sequence[tuple[Any, ...]]) -> tuple[bool, int]:
    """Orders the ways in which an entry was split: a finished one first, then the one with the fewest parts."""
    return any(state != "done" for _, state, *_ in parts), len(parts)


def combine(parts: Sequence[tuple[Any, ...]]) -> Row:
    """The row of one entry from its parts (specification, state, result, error, seconds)."""
    spec = parts[0][0]
    row: Row = dict.fromkeys(columns())
    row.update(
        mechanism=spec["mech"],
        n=None if spec["n"] == EVERY_N else spec["n"],
        every=", ".join(name for name in ("n", "eps") if is_ranged(spec[name])) or None,
        k=spec["prior"].count(",") + 1 if spec["prior"] else None,
        prior=spec["prior"] or None,
        eps=spec["eps"],
        adjacency=spec.get("adjacency"),
        own=", ".join(f"{name}={value}" for name, value in spec.get("own", {}).items() if name != "n") or None,
        quantity=spec["quantity"],
        at=spec.get("at"),
        data=spec.get("x"),
        digits=spec["digits"],
        version=spec.get("version"),
        source=spec.get("source"),
        **spec["parameters"],
    )
    states = {state for _, state, *_ in parts}
    row["state"] = next(state for state in ("failed", "open", "done") if state in states)
    row["error"] = next((error for *_, error, _ in parts if error), None)
    row["seconds"] = round(sum(seconds or 0.0 for *_, seconds in parts), 6)
    if row["state"] == "done":
        row.update(_combined([result for _, _, result, _, _ in parts]))
    return {name: visible(value) if isinstance(value, str) else value for name, value in row.items()}


def _combined(results: Sequence[dict[str, Any]]) -> Row:
    """The maximum of the parts: the largest lower and the largest upper bound, and where the first occurs."""
    values = [decimals(result["lower"], result["upper"]) for result in results]
    best, value = results[largest(values)], maximum(values)
    shown = {name: _cell_text(best.get(name)) for name in ("x", "x_prime", "output")}
    return {
        **value.to_dict(),
        "midpoint": float((value.lower + value.upper) / 2),
        "attained": best.get("attained"),
        "tier": best.get("tier"),
        "precision_bits": max((result["bits"] for result in results if "bits" in result), default=None),
        **shown,
    }


def _cell_text(value: list[int] | str | None) -> str | None:
    """A list as "4,4", a text unchanged."""
    return show(tuple(value)) if isinstance(value, list) else value


def writer(path: str) -> Callable[[Sequence[Row], str], bytes]:
    """What makes the content of this kind of file; another ending is refused."""
    write = {".csv": _csv, ".parquet": _parquet}.get(Path(path).suffix.lower())
    if write is None:
        raise InputError("export", path, "must end in .csv or .parquet")
    return write


def check_path(path: str, inputs: Iterable[str | Path]) -> None:
    """Refuses, before any work, a path of another kind, one that cannot be written, and one that is an input."""
    writer(path)
    refuse_inputs("export", path, inputs)
    check_writable("export", path)


def export(store: Store, path: str) -> int:
    """Writes the table to a .csv or .parquet file and returns the number of rows."""
    rows = table(store)
    write_file("export", path, writer(path)(rows, path))
    return len(rows)


def _csv(rows: Sequence[Row], _: str) -> bytes:
    file = StringIO(newline="")
    lines = csv.DictWriter(file, columns())
    lines.writeheader()
    lines.writerows({name: csv_cell(value) for name, value in row.items()} for row in rows)
    return file.getvalue().encode("utf-8", "backslashreplace")


def _parquet(rows: Sequence[Row], path: str) -> bytes:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise missing_extra("export", path, "parquet", "Parquet needs pyarrow") from None
    types = {str: pyarrow.string(), int: pyarrow.int64(), float: pyarrow.float64()}
    arrays = {name: pyarrow.array([row[name] for row in rows], types[kind]) for name, kind in columns().items()}
    file = BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(arrays), file)
    return file.getvalue()
