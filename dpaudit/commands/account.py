"""dpaudit account."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from dpaudit.commands.options import Claimed, flag, option
from dpaudit.commands.reply import Reply, Terminated
from dpaudit.numbers.errors import InputError

EVENT = typer.Option(
    "--event",
    metavar="EVENT",
    help="A release and the number of times it is made: gaussian:sigma=4/5,rate=1/100 x 1000; laplace:eps=1/10; "
    "discrete-gaussian:sigma=10; discrete-laplace:eps=1/10; randomized-response:eps=1,k=5; exponential:eps=1/10; "
    "pure:eps=1,delta=1e-8; "
    "mech:EHDS,n=20. May be given repeatedly.",
)


def account(
    event: Annotated[list[str], EVENT],
    effort: Annotated[dict[str, Any], "progress"],
    wanted: Annotated[dict[str, Any], "require", "certificate"],
    at: Annotated[str, option("--at", "A,B,…", "Bound δ at these ε.")] = "",
    delta: Annotated[str, option("--delta", "A,B,…", "Bound ε at these δ.")] = "",
    claim: Claimed = None,
    gap: Annotated[
        str,
        option("--gap", "RATIONAL", "Refine until (upper − lower) / lower is at most this, or the cells are used up."),
    ] = "1e-3",
    cells: Annotated[str, option("--cells", "N", "The largest number of cells per event.")] = "524288",
    adjacency: Annotated[
        str | None, option("--adjacency", "RELATION", "add-remove-one, or replace-one if nothing is subsampled.")
    ] = None,
    each: Annotated[bool, flag("--each", "Also compute the ε of each release alone, at these δ.")] = False,
    compare: Annotated[
        bool, flag("--compare", "Compare with the installed accountants: dp-accounting, prv_accountant, Opacus.")
    ] = False,
) -> Annotated[Reply, "require", "certificate", "plot", "as_json", "out"]:
    """How much privacy a whole pipeline spends: certified lower and upper bounds on its composition.

    A rate is a rate of Poisson subsampling: every record is sampled independently. Fixed-size batches and shuffled
    data are different, and dpaudit has no theorem for them.

    Examples:

    dpaudit account --event "gaussian:sigma=4/5,rate=1/100 x 1000" --event "discrete-laplace:eps=1/10" --delta 1e-6

    dpaudit account --event "gaussian:sigma=10 x 100" --claim eps=5,delta=1e-6 --require

    dpaudit account --event "gaussian:sigma=4/5,rate=1/100 x 1000" --delta 1e-5,1e-13 --compare
    """
    from dpaudit.audit.account import account as compute

    if wanted["require"] and claim is None:
        raise InputError("require", "yes", "nothing is claimed: state a guarantee with --claim")
    if wanted["certificate"] is not None:
        from dpaudit.audit.releases import read_events
        from dpaudit.evidence.composition import check_possible

        check_possible(read_events(event))
    asked: dict[str, Any] = {"at": at or (), "delta": delta or (), "gap": gap, "cells": cells, "adjacency": adjacency}
    result = compute(event, claim=claim, compare=compare, each=each, **asked, **effort)
    ended = result.solution.interrupted
    code = 0 if ended is None else 143 if isinstance(ended, Terminated) else 130
    return Reply(result, None, result.claim, None if code else lambda: result, code=code)
