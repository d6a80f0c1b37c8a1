"""dpaudit export: a certificate, or the distributions of a mechanism, as a file for another program."""

from __future__ import annotations

from typing import Annotated

import typer

from dpaudit.audit.tables import export_table
from dpaudit.commands.options import MECH, Given, Shown
from dpaudit.commands.reply import Reply, writable
from dpaudit.numbers.errors import InputError


def export(
    setting: Given,
    file: Annotated[str | None, typer.Argument(metavar="CERTIFICATE", help="The certificate, a JSON file.")] = None,
    coq: Annotated[
        str | None,
        typer.Option("--coq", metavar="FILE.v", callback=writable, help="Write a file for the proof assistant Coq."),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(
            "--table", metavar="FILE", callback=writable, help="Write the exact distributions, .csv or .json."
        ),
    ] = None,
    mech: Annotated[str | None, MECH] = None,
) -> Shown:
    """Write a certificate of ε as a file for Coq, or the exact distributions of a mechanism as a table.

    `coqc FILE.v` exits with 0 if Coq's kernel accepts that no pair of neighbors exceeds the upper bound and that the
    witness attains the lower bound. This command writes the file; `dpaudit verify CERTIFICATE --coq` runs coqc too.

    A table has one row per data set and one column per output, with rational entries; `dpaudit table FILE` audits it.
    It does not record the adjacency. Probabilities that are not rational, or not known exactly, are refused.

    Examples:

    dpaudit epsilon --mech EHDS --n 20 --certificate ehds.json

    dpaudit export ehds.json --coq ehds.v

    dpaudit export --mech mine.py:Noisy --table pmf.csv
    """
    if table is not None and mech is not None and file is None and coq is None:
        return Reply(export_table(mech, table, **setting))
    if file is None or coq is None or table is not None or mech is not None or setting:
        given = file or mech or "nothing"
        raise InputError("export", given, "give a certificate and --coq FILE.v, or --mech NAME and --table FILE")
    from dpaudit.evidence.coq.export import export as compute

    return Reply(compute(file, coq=coq))
