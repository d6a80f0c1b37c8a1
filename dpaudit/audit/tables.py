"""dpaudit.table: a table of probabilities audited in one call."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from time import perf_counter
from typing import Any

from dpaudit.audit.display import Members, Shown, as_json
from dpaudit.audit.page import Line, Note, Page
from dpaudit.audit.questions import delta, epsilon
from dpaudit.audit.results import DeltaResult, EpsilonResult
from dpaudit.audit.setting import command_line, settled
from dpaudit.files.text import csv_cell
from dpaudit.files.writing import write_file
from dpaudit.mechanisms.own.table import NAME_RULE, is_name, read_table
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, nonnegative, sequence, whole
from dpaudit.privacy.effort import MEMORY_BOUND, WORK, Effort, Progress
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee, parse_guarantee
from dpaudit.privacy.protocols import Counts, text


@dataclass(frozen=True, kw_only=True)
class TableResult(EpsilonResult):
    """The true epsilon of the table, with the verdict on the claim, and delta at the epsilons asked for."""

    deltas: tuple[DeltaResult, ...]

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit epsilon``, and the deltas."""
        names = ("at", "delta", "witness", "cross_check")
        rows = [
            {name: as_json(value) for name in names if (value := getattr(d, name)) is not None} for d in self.deltas
        ]
        return {**super().members(), "deltas": rows}

    def worst_case(self) -> list[Line]:
        """The true epsilon and its worst case, and the deltas."""
        deltas: list[Line] = [(f"δ({found.at})", found.delta) for found in self.deltas]
        deltas += [("checked by", f"δ({d.at}) {d.cross_check.text()}") for d in self.deltas if d.cross_check]
        return [*super().worst_case(), *deltas]


def table(
    file: str,
    *,
    adjacency: str | None = None,
    claim: Guarantee | Any = None,
    at: str | Sequence[Exact] = (),
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    work: int | str = WORK,
    cross_check: bool = False,
) -> TableResult:
    """The audit of the table in the file: one row per data set, one column per output, exact entries.

    The verdict is on ``claim``. A table that needs more than ``work`` steps is refused before the first step.
    """
    if not isinstance(file, str | PathLike):
        rule = "must be the name of a file: .csv, .json or .parquet; in Python, a class may have the rows instead"
        raise InputError("table", f"(a {type(file).__name__})", rule)
    start, stated = perf_counter(), None if claim is None else parse_guarantee("claim", claim)
    points = [nonnegative("at", point) for point in sequence("at", at)]
    most = whole("work", work, 1)
    checked = Effort.read(digits, memory, progress)

    def admit(counts: Counts, rows: int) -> None:
        checked.check_steps(counts, rows, 2, most)
        pairwise = len(points) + (stated is not None and not (isinstance(stated, EpsilonDelta) and not stated.delta))
        checked.check_steps(counts, counts.pairs, pairwise, most)

    subject = read_table(file, adjacency, most, admit)
    effort: dict[str, Any] = {"digits": digits, "progress": progress, "memory": memory, "claim": stated}
    effort["cross_check"] = cross_check
    options = {"claim": stated and stated.option(), "at": tuple(points), "digits": digits, "cross_check": cross_check}
    found = vars(epsilon(subject, **effort)) | {
        "deltas": tuple(delta(subject, point, **effort) for point in points),
        "seconds": perf_counter() - start,
        "command": command_line("table", file, adjacency=adjacency, **options),
    }
    return TableResult(**found)


@dataclass(frozen=True)
class WrittenTable(Members, Shown):
    """Where the table lies, and what is in it."""

    table: str
    """The file."""
    datasets: int
    """The number of its rows."""
    outputs: int
    """The number of its columns."""

    def page(self) -> Page:
        """Where it is, and what to do with it."""
        size = f"{self.datasets} data sets, {self.outputs} outputs"
        return [Note(f"{self.table}: {size}, exact; audit it with: dpaudit table {self.table}")]


def export_table(mech: Any, path: str, **setting: Any) -> WrittenTable:
    """Writes the distributions of a mechanism with rational probabilities in the format of ``dpaudit table``.

    The file name determines CSV or JSON. The file does not record the adjacency.
    """
    if not path.lower().endswith((".csv", ".json")):
        raise InputError("table", path, "must be a .csv or .json file")
    subject = settled(mech, **setting).mechanism
    if not subject.tabular:
        raise InputError("table", path, f"{subject.name} releases real numbers; a table has finitely many outputs")
    datasets, rows = list(subject.datasets()), []
    for x in datasets:
        row = subject.algebra().rational_row(x)
        if row is None:
            residual = subject.caveats().get("residual", "0")
            why = "are not all rational" if residual == "0" else f"are known up to {residual} only"
            raise InputError("table", path, f"the probabilities of {subject.name} {why}; a table is exact")
        rows.append([str(p) for p in row])
    names, outputs = [text(x) for x in datasets], [text(output) for output in subject.outputs()]
    odd = next((name for name in [*names, *outputs] if not is_name(name)), None)
    if odd is not None:
        raise InputError("table", path, f"the name {odd[:40]!r} could not be read back: {NAME_RULE}")
    if path.lower().endswith(".json"):
        document = {"outputs": outputs, "rows": dict(zip(names, rows, strict=True))}
        write_file("table", path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    else:
        lines = io.StringIO()
        sheet = [["", *outputs], *([x, *row] for x, row in zip(names, rows, strict=True))]
        csv.writer(lines).writerows(map(csv_cell, row) for row in sheet)
        write_file("table", path, lines.getvalue())
    return WrittenTable(path, len(datasets), len(outputs))
