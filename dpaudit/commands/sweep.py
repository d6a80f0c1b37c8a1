"""dpaudit sweep: many audits from a plan, on all cores or on a cluster, with a store that survives anything."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole

if TYPE_CHECKING:
    from dpaudit.sweeps.store import Status, Store

Plan = Annotated[str | None, typer.Argument(metavar="PLAN.toml", help="What to compute; see docs/sweep.md.")]
OutDb = Annotated[str | None, typer.Option("--out", metavar="FILE", help="The store, an SQLite file; made if missing.")]
WorkerCount = Annotated[str | None, typer.Option("--workers", metavar="N", help="Processes; default: all cores.")]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", metavar="ADDRESS", help="A Dask scheduler: tcp://host:8786.")
]
ShowStatus = Annotated[bool, typer.Option("--status", help="Only say how far the sweep in the store is.")]
Export = Annotated[
    list[str] | None, typer.Option("--export", metavar="FILE", help="Write the table to .csv or .parquet; repeatable.")
]
Retry = Annotated[bool, typer.Option("--retry", help="Do failed jobs again.")]


def sweep(
    plan: Plan = None,
    out: OutDb = None,
    workers: WorkerCount = None,
    scheduler: Scheduler = None,
    status: ShowStatus = False,
    export: Export = None,
    retry: Retry = False,
    as_json: common.Json = False,
) -> None:
    """Many audits from a plan; kill it at any moment, run the same command again, and it goes on.

    Exit code 1: some jobs failed; their errors are in the store and in --status.

    Examples:

    dpaudit sweep plan.toml --out sweep.db --workers 2

    dpaudit sweep plan.toml --out sweep.db --scheduler tcp://host:8786

    dpaudit sweep --out sweep.db --status

    dpaudit sweep --out sweep.db --export table.parquet --export table.csv
    """
    from dpaudit.sweeps.executors import check_address
    from dpaudit.sweeps.export import export as write
    from dpaudit.sweeps.export import writer
    from dpaudit.sweeps.plan import read_plan
    from dpaudit.sweeps.store import Store

    if out is None:
        raise InputError("out", "(missing)", "must name the store, an SQLite file")
    if workers is not None and scheduler is not None:
        raise InputError("workers", workers, "cannot be given together with --scheduler")
    count = None if workers is None else whole("workers", workers, 1, 1024)
    if plan is None and not status and not export:
        raise InputError("PLAN", "(missing)", "name a plan, or ask for --status or --export")
    for path in export or ():
        writer(path)
    if scheduler is not None:
        check_address(scheduler)
    jobs = None if plan is None or status else read_plan(plan)
    store = Store(out, create=jobs is not None)
    try:
        if jobs is not None:
            store.add(jobs, retry)
            _run(store, count, scheduler)
        for path in export or ():
            print(f"written: {path} ({write(store, path)} rows)", file=sys.stderr)
        state = store.status()
        errors = store.errors(10)
    finally:
        store.close()
    common.emit(_payload(out, state, errors), lambda console: _render(console, out, state, errors), as_json, None)
    if state.failed and not status:
        raise typer.Exit(1)


def _run(store: Store, count: int | None, scheduler: str | None) -> None:
    from dpaudit.sweeps.executors import open_workers
    from dpaudit.sweeps.run import Loop

    before = store.status()
    if before.done + before.failed == before.total:
        return
    with _progress(before) as report:
        Loop(store, open_workers(count, scheduler), report).run()


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


def _payload(out: str, state: Status, errors: list[tuple[str, str, int]]) -> dict[str, Any]:
    return {
        "store": out,
        "jobs": state.total,
        "done": state.done,
        "failed": state.failed,
        "running": state.running,
        "open": state.total - state.done - state.failed - state.running,
        "rate": round(state.rate, 3),
        "errors": [{"job": entry, "error": error, "jobs": count} for entry, error, count in errors],
    }


def _render(console: Any, out: str, state: Status, errors: list[tuple[str, str, int]]) -> None:
    from rich.markup import escape

    waiting = state.total - state.done - state.failed - state.running
    share = f" ({state.cost_done / state.cost_total:.0%} of the work)" if state.cost_total else ""
    rows = [
        ("store", escape(out)),
        (
            "jobs",
            f"{state.total}: {state.done} done, {state.failed} failed, {state.running} running, {waiting} waiting",
        ),
        (
            "finished",
            f"{state.done + state.failed} of {state.total}{share}, {state.rate:.2f} a second in the last minute",
        ),
    ]
    for entry, error, count in errors:
        rows.append(("failed", escape(f"{error}   {entry}" + (f"   ({count} parts)" if count > 1 else ""))))
    unnamed = state.failed - sum(count for *_, count in errors)
    if unnamed:
        rows.append(("", f"and {unnamed} more: --export lists them"))
    common.fields(console, rows)
