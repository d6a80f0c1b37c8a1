"""dpaudit sweep: many audits from a plan, on all cores or on a cluster, with a store that survives anything."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpaudit.commands.options import flag, option
from dpaudit.commands.reply import Reply, terminable
from dpaudit.numbers.errors import InputError

if TYPE_CHECKING:
    from dpaudit.sweeps.store import Status

Plan = Annotated[str | None, typer.Argument(metavar="PLAN.toml", help="What to compute; see docs/sweep.md.")]
OutDb = Annotated[str | None, option("--out", "FILE", "The store, an SQLite file; made if missing.")]
WorkerCount = Annotated[str | None, option("--workers", "N", "Processes; default: all cores.")]
Scheduler = Annotated[str | None, option("--scheduler", "ADDRESS", "A Dask scheduler: tcp://host:8786.")]
ShowStatus = Annotated[bool, flag("--status", "Only say how far the sweep in the store is.")]
Export = Annotated[list[str] | None, option("--export", "FILE", "Write the table to .csv or .parquet; repeatable.")]
Retry = Annotated[bool, flag("--retry", "Do failed jobs again.")]


def sweep(
    plan: Plan = None,
    out: OutDb = None,
    workers: WorkerCount = None,
    scheduler: Scheduler = None,
    status: ShowStatus = False,
    export: Export = None,
    retry: Retry = False,
) -> Annotated[Reply, "as_json"]:
    """Many audits from a plan; kill it at any moment, run the same command again, and it goes on.

    Exit code 1: some jobs failed; their errors are in the store and in --status. 143: ended by SIGTERM.

    Examples:

    dpaudit sweep plan.toml --out sweep.db --workers 2

    dpaudit sweep plan.toml --out sweep.db --scheduler tcp://host:8786

    dpaudit sweep --out sweep.db --status

    dpaudit sweep --out sweep.db --export table.parquet --export table.csv
    """
    from dpaudit.sweeps.sweep import sweep as run

    if plan is None and not status and not export:
        raise InputError("PLAN", "(missing)", "name a plan, or ask for --status or --export")
    todo = None if status else plan
    asked: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "retry": retry, "export": export or ()}
    with terminable():
        result = run(todo, out, **asked, watch=_progress)
    for path, count in result.written:
        print(f"written: {path} ({count} rows)", file=sys.stderr)
    failed = bool((result.status.failed or result.aside.damaged) and not status)
    return Reply(result, code=int(failed))


@contextmanager
def _progress(before: Status) -> Iterator[Callable[[Status], None] | None]:
    """Yields a callback that draws jobs, rate and time left on stderr if it is a terminal, else None."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    start = monotonic()
    columns = (TextColumn("jobs"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=before.total, completed=before.done + before.failed)

        def report(now: Status) -> None:
            spent = monotonic() - start
            finished = now.done + now.failed
            rate = (finished - before.done - before.failed) / spent
            worked = now.cost_done - before.cost_done
            left = duration((now.cost_total - now.cost_done) * spent / worked) if worked else "?"
            failed = f", {now.failed} failed" if now.failed else ""
            bar.update(task, completed=finished, total=now.total, description=f"{rate:.1f}/s, {left} left{failed}")

        yield report


def duration(seconds: float) -> str:
    """Returns "12 s", "3 min 5 s" or "2 h 10 min".

    >>> duration(12), duration(185), duration(7800)
    ('12 s', '3 min 5 s', '2 h 10 min')
    """
    whole_seconds = int(seconds)
    minutes, rest = divmod(whole_seconds, 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
