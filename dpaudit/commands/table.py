"""dpaudit table."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.audit import questions as audit
from dpaudit.commands import common
from dpaudit.commands.audits import claim_rows, effort_rows, escape_brackets, subject_rows
from dpaudit.commands.common import cells, emit, fields, memory_bytes
from dpaudit.mechanisms.base import Guarantee
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import nonnegative, split


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
    from dpaudit.mechanisms.table import read_table

    with_delta = nonnegative("claim-delta", claim_delta)
    if with_delta > 1:
        raise InputError("claim-delta", claim_delta, "must be <= 1")
    bound = None if claim is None else Guarantee(nonnegative("claim", claim), with_delta)
    points = [nonnegative("at", point) for point in split("at", at)] if at is not None else []
    subject = read_table(file, adjacency, bound)
    with common.progress_bar(f"{file}: data sets") as progress:
        result = audit.epsilon(subject, digits=digits, progress=progress, memory=memory_bytes(memory))
        deltas = [
            audit.delta(subject, p, digits=digits, progress=progress, memory=memory_bytes(memory)) for p in points
        ]

    def render(console: Any) -> None:
        worst = result.witness
        fields(
            console,
            escape_brackets(
                [
                    *subject_rows(subject),
                    ("true ε", f"[bold]{result.epsilon}[/]"),
                    ("worst pair", f"x = {cells(worst.x)}, x′ = {cells(worst.x_prime)}"),
                    ("worst output", cells(worst.output)),
                    *((f"δ({d.at})", f"{d.delta}") for d in deltas),
                    *claim_rows(result.claim),
                    *effort_rows(result),
                ]
            ),
        )

    payload = result.to_dict()
    payload["deltas"] = [{"at": str(d.at), "delta": d.delta.to_dict(), "witness": d.witness.to_dict()} for d in deltas]
    emit(payload, render, as_json, out)
    common.finish([result, *deltas] if deltas else result, certificate, require)
