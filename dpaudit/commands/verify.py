"""dpaudit verify."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.commands.common import emit
from dpaudit.evidence.verify import MEMORY, SECONDS, WORK


def verify(
    file: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="The certificate, a JSON file.")],
    full: Annotated[
        bool, typer.Option("--full", help="Check the upper bound too: every pair, every output; slower.")
    ] = False,
    work: Annotated[
        str,
        typer.Option("--work", metavar="N", help=f"Refuse what needs more than N steps, about a µs each. [{WORK}]"),
    ] = str(WORK),
    seconds: Annotated[str, typer.Option("--seconds", metavar="N", help=f"Give up after N seconds. [{SECONDS}]")] = str(
        SECONDS
    ),
    memory: Annotated[
        str, typer.Option("--memory", metavar="MIB", help=f"Give up beyond so many MiB of memory. [{MEMORY}]")
    ] = str(MEMORY),
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """Checks a certificate along an independent path: its own interval arithmetic, its own definitions.

    The lower bound is checked from the witness alone; the upper bound by recomputing everything, with --full. The
    certificate is data: nothing in it is run, and no file that it names is opened. ACCEPTED comes with what was
    accepted: read it. Exit code 0: ACCEPTED; 1: REJECTED; 2: no such file.

    Examples:

    dpaudit epsilon --mech EHDS --n 20 --certificate ehds.json

    dpaudit verify ehds.json --full
    """
    from dpaudit.evidence.verification import verify as compute

    result = compute(file, full=full, work=work, seconds=seconds, memory=memory)

    def render(console: Any) -> None:
        from rich.markup import escape

        for line in result.established:
            console.print(f"  {escape(line)}")
        if result.reason is not None:
            console.print(f"[bold red]REJECTED[/]: {escape(result.reason)}")
        else:
            kind = "full" if full else "witness only"
            console.print(f"[bold green]ACCEPTED[/] ({kind}): {escape((result.statement or {})['text'])}")

    emit(result.to_dict(), render, as_json, out)
    if not result.accepted:
        raise typer.Exit(1)
