"""dpaudit verify."""

from __future__ import annotations

from typing import Annotated

import typer

from dpaudit.commands.options import Shown, flag, option
from dpaudit.commands.progress import watched
from dpaudit.commands.reply import Reply
from dpaudit.evidence.verifier.main import MEMORY, SECONDS


def verify(
    file: Annotated[str, typer.Argument(metavar="CERTIFICATE", help="The certificate, a JSON file.")],
    full: Annotated[bool, flag("--full", "Check the upper bound too: every pair, every output; slower.")] = False,
    with_coq: Annotated[
        bool, flag("--coq", "As --full, and let Coq's kernel prove both bounds; coqc must be installed.")
    ] = False,
    seconds: Annotated[str, option("--seconds", "N", f"Give up after N seconds. [{SECONDS}]")] = str(SECONDS),
    memory: Annotated[str, option("--memory", "MIB", f"Give up beyond so many MiB. [{MEMORY}]")] = str(MEMORY),
) -> Shown:
    """Checks a certificate along an independent path: its own interval arithmetic, its own definitions.

    The lower bound is checked from the witness alone; the upper bound by recomputing everything, with --full. The
    certificate is data: nothing in it is run, and no file that it names is opened. ACCEPTED comes with what was
    accepted: read it. With --coq the proof assistant Coq has the last word. Exit code 0: ACCEPTED; 1: REJECTED; 2: no
    such file, or no coqc; 3: WITNESS CHECKED, the certificate covers its witness only and --full was asked.

    Examples:

    dpaudit epsilon --mech EHDS --n 20 --certificate ehds.json

    dpaudit verify ehds.json --full

    dpaudit verify ehds.json --coq
    """
    from dpaudit.evidence.verification import verify as compute

    with watched("verify"):
        result = compute(file, full=full, coq=with_coq, seconds=seconds, memory=memory)
    return Reply(result, code=result.code)
