"""dpaudit verify."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.commands.common import emit
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole

MAX_BYTES = 32 << 20


def verify(
    file: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="The certificate, a JSON file.")],
    full: Annotated[
        bool, typer.Option("--full", help="Check the upper bound too: every pair, every output; slower.")
    ] = False,
    work: Annotated[
        str, typer.Option("--work", metavar="N", help="Refuse a certificate that needs more evaluations than this.")
    ] = "500000",
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """Checks a certificate along an independent path: its own interval arithmetic, its own definitions.

    The lower bound is checked from the witness alone; the upper bound by recomputing everything, with --full. The
    certificate is data: nothing in it is run, and no file that it names is opened. Exit code 0: ACCEPTED; 1: REJECTED.

    Examples:

    dpaudit epsilon --mech EHDS --n 20 --certificate ehds.json

    dpaudit verify ehds.json --full
    """
    from dpaudit.evidence.verifier import check
    from dpaudit.files.strict_json import read_json

    limit = whole("work", work, 1, 10**12)
    try:
        lines, reason = check.verify(read_json("CERTIFICATE", file, MAX_BYTES), full, limit), None
    except check.Rejected as rejected:
        lines, reason = [], str(rejected)
    except InputError as error:
        if error.rule.startswith("cannot be read"):
            raise
        lines, reason = [], error.rule
    payload = {"file": file, "result": "REJECTED" if reason else "ACCEPTED", "established": lines, "reason": reason}

    def render(console: Any) -> None:
        from rich.markup import escape

        for line in lines:
            console.print(f"  {escape(line)}")
        verdict = f"[bold red]REJECTED[/]: {escape(reason)}" if reason else "[bold green]ACCEPTED[/]"
        console.print(verdict if reason or full else f"{verdict} (lower bound and witness)")

    emit(payload, render, as_json, out)
    if reason:
        raise typer.Exit(1)
