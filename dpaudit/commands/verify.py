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
        bool, flag("--coq", "As --full, and have Coq's kernel prove both bounds; coqc must be installed.")
    ] = False,
    seconds: Annotated[str, option("--seconds", "N", "Give up after N seconds.")] = str(SECONDS),
    memory: Annotated[str, option("--memory", "MIB", "Give up beyond this many MiB.")] = str(MEMORY),
) -> Shown:
    """Check a certificate independently, with separate interval arithmetic and separate definitions.

    The witness alone proves the lower bound; --full recomputes everything to check the upper bound. The certificate is
    data: nothing in it is executed, and no file that it names is opened. ACCEPTED is followed by the accepted
    statement: read it. With --coq, Coq's kernel proves both bounds as well. Exit code 0: ACCEPTED; 1: REJECTED; 2: no
    such file, or no coqc; 3: WITNESS CHECKED, --full was given and the certificate covers its witness only.

    Examples:

    dpaudit epsilon --mech EHDS --n 20 --certificate ehds.json

    dpaudit verify ehds.json --full

    dpaudit verify ehds.json --coq
    """
    from dpaudit.evidence.verification import verify as compute

    with watched("verify"):
        result = compute(file, full=full, coq=with_coq, seconds=seconds, memory=memory)
    return Reply(result, code=result.code)
