"""dpaudit.table: a table of probabilities audited in one call."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.audit.page import Headline, Line, Note, Page
from dpaudit.audit.questions import delta, epsilon
from dpaudit.audit.results import Answer, DeltaResult, EpsilonResult
from dpaudit.audit.setting import Setting, command_line
from dpaudit.files.writing import write_file
from dpaudit.mechanisms.table import read_table
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, nonnegative, sequence, whole
from dpaudit.privacy.effort import MEMORY_BOUND, WORK, Effort, Progress
from dpaudit.privacy.guarantee import EpsilonDelta, parse_guarantee
from dpaudit.privacy.protocols import text


@dataclass(frozen=True, kw_only=True)
class TableResult(Answer):
    """The true epsilon of the table, with the verdict on the claim, and delta at the epsilons asked for."""

    epsilon: EpsilonResult
    deltas: tuple[DeltaResult, ...]

    def members(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit epsilon``, and the deltas."""
        rows = [{"at": str(d.at), "delta": d.delta.to_dict(), "witness": d.witness.to_dict()} for d in self.deltas]
        for row, found in zip(rows, self.deltas, strict=True):
            row |= {"cross_check": found.cross_check.to_dict()} if found.cross_check else {}
        return {**self.epsilon.to_dict(), "deltas": rows}

    def headline(self) -> Headline:
        """Returns the verdict on the claim."""
        return self.epsilon.headline()

    def picture(self) -> str:
        """Returns the picture of the true epsilon."""
        return self.epsilon.picture()

    def page(self) -> Page:
        """Returns the audit of the table, and the deltas."""
        deltas: list[Line] = [(f"δ({found.at})", found.delta) for found in self.deltas]
        deltas += [("checked by", f"δ({d.at}) {d.cross_check.text()}") for d in self.deltas if d.cross_check]
        return self.epsilon.page_with([*self.epsilon.found(), *deltas], self.command)


def table(
    file: str,
    *,
    adjacency: str | None = None,
    claim: Exact | None = None,
    claim_delta: Exact = 0,
    at: str | Sequence[Exact] = (),
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    work: int | str = WORK,
    cross_check: bool = False,
) -> TableResult:
    """Returns the audit of the table in the file: one row a data set, one column an output, entries taken exactly.

    A table that needs more than ``work`` steps is refused before any is done.
    """
    start, bound = perf_counter(), _bound(file, claim, claim_delta)
    points = [nonnegative("at", point) for point in sequence("at", at)]
    most = whole("work", work, 1)
    subject = read_table(file, adjacency, bound, most)
    Effort.read(digits, memory, progress).check_work(subject, 2 + len(points), most)
    effort: dict[str, Any] = {"digits": digits, "progress": progress, "memory": memory, "cross_check": cross_check}
    told = (None, claim_delta) if bound is None else (bound.epsilon, bound.delta)
    asked = {
        "claim": told[0],
        "claim_delta": told[1],
        "at": tuple(points),
        "digits": digits,
        "cross_check": cross_check,
    }
    return TableResult(
        epsilon=epsilon(subject, **effort),
        deltas=tuple(delta(subject, point, **effort) for point in points),
        seconds=perf_counter() - start,
        command=command_line("table", file, adjacency=adjacency, **asked),
    )


def _bound(file: str, claim: Exact | None, claim_delta: Exact) -> EpsilonDelta | None:
    """Returns what is claimed: an ε, which may be written eps=…, with its δ from either option."""
    with_delta = nonnegative("claim-delta", claim_delta)
    if with_delta > 1:
        raise InputError("claim-delta", claim_delta, "must be <= 1")
    if claim is None:
        return None
    if not isinstance(claim, str) or "=" not in claim:
        return EpsilonDelta(nonnegative("claim", claim), with_delta)
    found = parse_guarantee("claim", claim)
    if not isinstance(found, EpsilonDelta):
        other = command_line("judge", mech=file, claim=claim)
        raise InputError("claim", claim, f"is an ε here, its δ --claim-delta; of any other guarantee ask: {other}")
    if with_delta and "delta" in claim.lower():
        raise InputError("claim", claim, "has its δ; --claim-delta gives another")
    return EpsilonDelta(found.epsilon, found.delta or with_delta)


@dataclass(frozen=True)
class WrittenTable(Shown):
    """Where the table lies, and what is in it."""

    table: str
    datasets: int
    outputs: int

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit export --table``."""
        return {"table": self.table, "datasets": self.datasets, "outputs": self.outputs}

    def page(self) -> Page:
        """Returns where it is, and what to do with it."""
        size = f"{self.datasets} data sets, {self.outputs} outputs"
        return [Note(f"{self.table}: {size}, exact; audit it with: dpaudit table {self.table}")]


def export_table(mech: Any, path: str, **setting: Any) -> None:
    """Writes the distributions of a mechanism whose probabilities are rational, as ``dpaudit table`` reads them.

    CSV or JSON by the name of the file. Which data sets are adjacent does not stand in it.
    """
    write_table(mech, path, **setting)


def write_table(mech: Any, path: str, **setting: Any) -> WrittenTable:
    """Writes the same; returns what was written."""
    if not path.lower().endswith((".csv", ".json")):
        raise InputError("table", path, "must be a .csv or .json file")
    subject = Setting.read(mech, **setting).mechanism
    datasets, rows = list(subject.datasets()), []
    for x in datasets:
        row = subject.algebra().rational_row(x)
        if row is None:
            residual = subject.caveats().get("residual", "0")
            why = "are not all rational" if residual == "0" else f"are known up to {residual} only"
            raise InputError("table", path, f"the probabilities of {subject.name} {why}; a table is exact")
        rows.append([str(p) for p in row])
    names, outputs = [text(x) for x in datasets], [text(output) for output in subject.outputs()]
    if path.lower().endswith(".json"):
        document = {"outputs": outputs, "rows": dict(zip(names, rows, strict=True))}
        write_file("table", path, json.dumps(document, ensure_ascii=False, indent=1) + "\n")
    else:
        lines = io.StringIO()
        csv.writer(lines).writerows([["", *outputs], *([x, *row] for x, row in zip(names, rows, strict=True))])
        write_file("table", path, lines.getvalue())
    return WrittenTable(path, len(datasets), len(outputs))
