"""dpaudit sweep: many audits from a plan, on all cores or on a cluster, into a store that survives a kill."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpaudit.commands.options import flag, option
from dpaudit.commands.progress import Meter, shown
from dpaudit.commands.reply import Reply
from dpaudit.numbers.errors import InputError

if TYPE_CHECKING:
    from dpaudit.sweeps.store import Status

PLAN = "What to compute: mechanisms, n, ε, priors; the documentation lists all keys under Sweeps."
Plan = Annotated[str | None, typer.Argument(metavar="PLAN.toml", help=PLAN)]
OutDb = Annotated[str | None, option("--out", "FILE", "The store, an SQLite file; created if missing.")]
WorkerCount = Annotated[str | None, option("--workers", "N", "Processes; default: all cores.")]
Scheduler = Annotated[str | None, option("--scheduler", "ADDRESS", "A Dask scheduler: tcp://host:8786.")]
ShowStatus = Annotated[bool, flag("--status", "Only show the progress of the sweep in the store.")]
Export = Annotated[list[str] | None, option("--export", "FILE", "Write the table to .csv or .parquet; repeatable.")]
Retry = Annotated[bool, flag("--retry", "Repeat failed jobs.")]


def sweep(
    plan: Plan = None,
    out: OutDb = None,
    workers: WorkerCount = None,
    scheduler: Scheduler = None,
    status: ShowStatus = False,
    export: Export = None,
    retry: Retry = False,
    wanted: Annotated[dict[str, Any] | None, "plot"] = None,
) -> Annotated[Reply, "plot", "as_json"]:
    """Many audits from a plan; kill it at any moment, run the same command again, and it continues.

    One process at a time works on a store; --status and --export read it meanwhile.

    Exit code 1: some jobs failed; --status shows their errors. 143: ended by SIGTERM.

    Examples:

    dpaudit sweep sweep.toml --out sweep.db --workers 2

    dpaudit sweep sweep.toml --out sweep.db --scheduler tcp://host:8786

    dpaudit sweep --out sweep.db --status

    dpaudit sweep --out sweep.db --export table.parquet --export table.csv

    dpaudit sweep --out sweep.db --plot sweep.svg
    """
    from dpaudit.sweeps.sweep import sweep as run

    if plan is None and not (status or export or (wanted or {}).get("plot")):
        raise InputError("PLAN", "(missing)", "give a plan, --status, --export or --plot")
    todo = None if status else plan
    asked: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "retry": retry, "export": export or ()}
    with shown("sweep") as meter:
        result = run(todo, out, **asked, report=_teller(meter))
    for path, count in result.written:
        print(f"written: {path} ({count} rows)", file=sys.stderr)
    failed = bool(result.status.failed and not status)
    return Reply(result, code=int(failed))


def _teller(meter: Meter) -> Callable[[Status], None]:
    """A function that tells the meter how many jobs are over, and what share of the work of this run."""
    before: float | None = None

    def tell(now: Status) -> None:
        nonlocal before
        before = now.cost_done if before is None else before
        failed = f", {now.failed} failed" if now.failed else ""
        share = (now.cost_done - before) / (now.cost_total - before) if now.cost_total > before else None
        meter.say(f"{now.done + now.failed} of {now.total} jobs{failed}", share)

    return tell
