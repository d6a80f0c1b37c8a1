"""dpaudit export: a certificate as a file for another program."""

from __future__ import annotations

from typing import Annotated

import typer

from dpaudit.commands.options import Shown
from dpaudit.commands.reply import Reply, writable


def export(
    file: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="The certificate, a JSON file.")],
    coq: Annotated[
        str,
        typer.Option("--coq", metavar="FILE.v", callback=writable, help="Write a file for the proof assistant Coq."),
    ],
) -> Shown:
    """Writes a certificate of ε as a self-contained file for Coq: definitions to read, two theorems, their proofs.

    `coqc FILE.v` ends with 0 if Coq's kernel accepts that no adjacent pair and output exceeds the upper bound, and that
    the witness reaches the lower bound. Nothing is run here: `dpaudit verify CERTIFICATE --coq` does both.

    Examples:

    dpaudit epsilon --mech EHDS --n 20 --certificate ehds.json

    dpaudit export ehds.json --coq ehds.v
    """
    from dpaudit.evidence.coq.export import export as compute

    return Reply(compute(file, coq=coq))
