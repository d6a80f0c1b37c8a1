"""dpaudit table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.audit.tables import WORK
from dpaudit.audit.tables import table as compute
from dpaudit.commands import common
from dpaudit.commands.audits import effort_rows, escape_brackets, subject_rows, verdict_rows
from dpaudit.commands.common import cells, emit, fields, memory_bytes
from dpaudit.numbers.errors import InputError


def table(
    file: Annotated[str, typer.Argument(metavar="TABLE", help="pmf.csv, pmf.json or pmf.parquet: one row a data set.")],
    adjacency: Annotated[
        str | None,
        typer.Option(
            "--adjacency", metavar="FILE", help="Pairs of data sets (csv, json, parquet). Default: every pair."
        ),
    ] = None,
    claim: Annotated[str | None, typer.Option("--claim", metavar="RATIONAL", help="The ε to be checked.")] = None,
    claim_delta: Annotated[
        str, typer.Option("--claim-delta", metavar="RATIONAL", help="The δ that goes with --claim.")
    ] = "0",
    at: Annotated[
        str | None, typer.Option("--at", metavar="A,B,…", help="Print δ at these ε too; 0 is the total variation.")
    ] = None,
    digits: common.Digits = "15",
    memory: common.Memory = "2",
    work: Annotated[
        str,
        typer.Option("--work", metavar="N", help="Refuse a table that needs more steps than this: about a minute."),
    ] = str(WORK),
    require: common.Require = False,
    certificate: common.Certificate = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """Audits a table of probabilities: rationals or decimals, taken exactly; one row a data set, one column an output.

    Examples:

    dpaudit table pmf.csv --claim 1.1

    dpaudit table pmf.parquet --adjacency pairs.csv --at 0,1/2,1 --json

    pmf.csv may read:  ",no,yes" / "no,3/4,1/4" / "yes,0.25,0.75"
    """
    if require and claim is None:
        raise InputError("require", "yes", "nothing is claimed: say what with --claim")
    asked: dict[str, Any] = {"adjacency": adjacency, "claim": claim, "claim_delta": claim_delta, "at": at or ()}
    with common.progress_bar(f"{file}: data sets") as progress:
        found = compute(file, **asked, digits=digits, progress=progress, memory=memory_bytes(memory), work=work)
    result = found.epsilon

    def render(console: Any) -> None:
        worst = result.witness
        rows = [
            *subject_rows(result.subject.mechanism),
            ("true ε", f"[bold]{result.epsilon}[/]"),
            ("worst pair", f"x = {cells(worst.x)}, x′ = {cells(worst.x_prime)}"),
            ("worst output", cells(worst.output)),
            *((f"δ({d.at})", f"{d.delta}") for d in found.deltas),
            *verdict_rows(result.claim),
            *effort_rows(result),
        ]
        fields(console, escape_brackets(rows))

    emit(found.to_dict(), render, as_json, out)
    common.finish([result, *found.deltas] if found.deltas else result, certificate, require)
