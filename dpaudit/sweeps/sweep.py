"""dpaudit.sweep: a plan run to its end, or as far as it gets; the store keeps what is finished."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.audit.page import Fields, Page
from dpaudit.mechanisms.source import file_of
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole
from dpaudit.sweeps.executors import check_address, open_workers
from dpaudit.sweeps.export import check_path, table
from dpaudit.sweeps.export import export as write
from dpaudit.sweeps.plan import read_plan
from dpaudit.sweeps.run import Loop
from dpaudit.sweeps.sources import made
from dpaudit.sweeps.store import Aside, Status, Store

Watch = Callable[[Status], AbstractContextManager[Callable[[Status], None] | None]]
"""Given where the sweep stands at the start, a context that yields what is to be told as it goes on."""
SHOWN = 10


@dataclass(frozen=True)
class SweepResult(Shown):
    """Where the sweep in the store stands; ``errors`` are (job, error, number of parts) of the first failed ones."""

    store: str
    status: Status
    errors: tuple[tuple[str, str, int], ...]
    aside: Aside
    written: tuple[tuple[str, int], ...]
    """Exported files and their numbers of rows."""

    def waiting(self) -> int:
        """Returns the number of jobs that nobody works on yet."""
        return self.status.total - self.status.done - self.status.failed - self.status.running

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit sweep --json``."""
        return {
            "store": self.store,
            "jobs": self.status.total,
            "done": self.status.done,
            "failed": self.status.failed,
            "running": self.status.running,
            "open": self.waiting(),
            "rate": round(self.status.rate, 3),
            "stale": self.aside.stale,
            "damaged": self.aside.damaged,
            "notes": self.notes(),
            "errors": [{"job": entry, "error": error, "jobs": count} for entry, error, count in self.errors],
        }

    def page(self) -> Page:
        """Returns where the sweep stands, for people."""
        state = self.status
        share = f" ({state.cost_done / state.cost_total:.0%} of the work)" if state.cost_total else ""
        counts = f"{state.done} done, {state.failed} failed, {state.running} running, {self.waiting()} waiting"
        finished = f"{state.done + state.failed} of {state.total}{share}, {state.rate:.2f} a second in the last minute"
        rows = [("store", self.store), ("jobs", f"{state.total}: {counts}"), ("finished", finished)]
        rows += [("note", line) for line in self.notes()]
        for entry, error, count in self.errors:
            rows.append(("failed", f"{error}   {entry}" + (f"   ({count} parts)" if count > 1 else "")))
        unnamed = state.failed - sum(count for *_, count in self.errors)
        return [Fields([*rows, ("", f"and {unnamed} more: --export lists them")] if unnamed else rows)]

    def notes(self) -> list[str]:
        """Returns what one should know of the rows, one line each."""
        found = [f"damaged: {key}" for key in self.aside.keys]
        if self.aside.damaged:
            found.append(f"{self.aside.damaged} damaged rows are not shown; a run of their plan computes them anew")
        if self.aside.stale:
            found.append(f"{self.aside.stale} rows of another version of dpaudit or another source are kept, not shown")
        if any("version" not in made for made in self.aside.made):
            found.append("rows of dpaudit 0.1.0 have no version; a run of their plan computes them anew")
        changed = {made["mech"] for made in self.aside.made if _has_changed(made)}
        return [*found, *(f"{mech} is not what it was: run the plan again" for mech in sorted(changed))]

    def rows(self) -> list[dict[str, Any]]:
        """Returns the table of results: one row for every setting and quantity."""
        with closing(Store(self.store, create=False)) as store:
            return table(store)


def sweep(
    plan: str | None = None,
    out: str | None = None,
    *,
    workers: int | str | None = None,
    scheduler: str | None = None,
    retry: bool = False,
    export: Sequence[str] = (),
    watch: Watch | None = None,
) -> SweepResult:
    """Returns where the sweep stands after running the plan (a TOML file) into the store ``out``; without one, now."""
    if out is None:
        raise InputError("out", "(missing)", "must name the store, an SQLite file")
    if workers is not None and scheduler is not None:
        raise InputError("workers", workers, "cannot be given together with --scheduler")
    count = None if workers is None else whole("workers", workers, 1, 1024)
    for path in export:
        check_path(path, [out] if plan is None else [out, plan])
    if scheduler is not None:
        check_address(scheduler)
    jobs = None if plan is None else read_plan(plan)
    _check_inputs(export, (job.spec for job in jobs or ()))
    with closing(Store(out, create=jobs is not None)) as store:
        _check_inputs(export, store.aside(SHOWN).made)
        if jobs is not None:
            store.add(jobs, retry)
            _run(store, count, scheduler, watch)
        written = tuple((path, write(store, path)) for path in export)
        return SweepResult(out, store.status(), tuple(store.errors(SHOWN)), store.aside(SHOWN), written)


def _check_inputs(export: Sequence[str], made: Iterable[Mapping[str, Any]]) -> None:
    """Refuses to export onto a file of a mechanism or of pairs."""
    if export:
        names = {name for each in made for name in (each["mech"], each.get("adjacency")) if name}
        inputs = [path for path in map(file_of, sorted(names)) if path is not None]
        for path in export:
            check_path(path, inputs)


def _has_changed(of: Mapping[str, Any]) -> bool:
    """Returns whether the files that the rows are made of are there and are others now."""
    try:
        now = made(of["mech"], of.get("adjacency"))
    except InputError:
        return True
    return any(name in of and of[name] != now.get(name) for name in ("source", "pairs"))


def _run(store: Store, count: int | None, scheduler: str | None, watch: Watch | None) -> None:
    before = store.status()
    if before.done + before.failed < before.total:
        with watch(before) if watch else nullcontext() as report:
            Loop(store, open_workers(count, scheduler), report).run()
