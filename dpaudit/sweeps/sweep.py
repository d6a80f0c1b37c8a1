"""dpaudit.sweep: runs a plan as far as it gets; the store keeps the finished jobs."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.audit.display import Shown
from dpaudit.audit.page import Fields, Page
from dpaudit.mechanisms.source import file_of
from dpaudit.numbers.digits import duration
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import whole
from dpaudit.sweeps.export import check_path, table
from dpaudit.sweeps.export import export as write
from dpaudit.sweeps.plan import read_plan, sources
from dpaudit.sweeps.store import Status, Store
from dpaudit.sweeps.work import Outcome, run_batch
from dpaudit.sweeps.workers import Workers, check_address, open_workers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SHOWN = 10
"""The most errors that a page names."""
BATCH_JOBS = 32
BATCH_COST = 0.1
"""Small jobs are sent together: at most this many, or about this many seconds of work."""


@dataclass(frozen=True)
class SweepResult(Shown):
    """How far the sweep in the store is; ``errors`` are (job, error, number of parts) of the first failed ones."""

    store: str
    status: Status
    errors: tuple[tuple[str, str, int], ...]
    stale: int
    """The number of rows that are kept but not shown."""
    changed: tuple[str, ...]
    """Mechanisms whose files have changed since the rows were computed."""
    written: tuple[tuple[str, int], ...]
    """Exported files and their numbers of rows."""

    def waiting(self) -> int:
        """The number of jobs that are not finished."""
        return self.status.total - self.status.done - self.status.failed

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``dpaudit sweep --json``."""
        return {
            "store": self.store,
            "jobs": self.status.total,
            "done": self.status.done,
            "failed": self.status.failed,
            "open": self.waiting(),
            "lately": self.status.lately,
            "seconds_left": None if (left := self.status.left()) is None else round(left),
            "stale": self.stale,
            "notes": self.notes(),
            "errors": [{"job": entry, "error": error, "jobs": count} for entry, error, count in self.errors],
        }

    def page(self) -> Page:
        """The progress of the sweep, for people."""
        state = self.status
        share = f" ({state.cost_done / state.cost_total:.0%} of the work)" if state.cost_total else ""
        counts = f"{state.done} done, {state.failed} failed, {self.waiting()} waiting"
        finished = f"{state.done + state.failed} of {state.total}{share}, {state.lately} in the last minute"
        rows = [("store", self.store), ("jobs", f"{state.total}: {counts}"), ("finished", finished)]
        left = state.left()
        if left is not None:
            rows.append(("time left", f"about {duration(left)} at the pace of the last minute"))
        elif self.waiting():
            rows.append(("time left", "unknown: no job ended in the last minute"))
        rows += [("note", line) for line in self.notes()]
        for entry, error, count in self.errors:
            rows.append(("failed", f"{error}   {entry}" + (f"   ({count} parts)" if count > 1 else "")))
        unnamed = state.failed - sum(count for *_, count in self.errors)
        return [Fields([*rows, ("", f"and {unnamed} more: --export lists them")] if unnamed else rows)]

    def notes(self) -> list[str]:
        """Notes on the rows, one line each."""
        kept = f"{self.stale} rows of another version of dpaudit or another source are kept, not shown"
        return [kept] * bool(self.stale) + [f"{mech} has changed: run the plan again" for mech in self.changed]

    def rows(self) -> list[dict[str, Any]]:
        """The table of results: one row for every setting and quantity."""
        with closing(Store(self.store, create=False)) as store:
            return table(store)

    def draw(self, axes: Axes) -> None:
        """Draws the finished rows over n, ε or another number that varies."""
        from dpaudit.sweeps.picture import draw

        draw(axes, self.rows())


def sweep(
    plan: str | None = None,
    out: str | None = None,
    *,
    workers: int | str | None = None,
    scheduler: str | None = None,
    retry: bool = False,
    export: Sequence[str] = (),
    report: Callable[[Status], None] | None = None,
) -> SweepResult:
    """Runs the plan (a TOML file) into the store ``out`` and returns the progress; without a plan, only that.

    ``report`` is called with the status before the first job and after every batch.
    """
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
        _check_inputs(export, store.provenances())
        if jobs is not None:
            store.add(jobs, retry)
            if store.todo():
                Loop(store, open_workers(count, scheduler), report).run()
        written = tuple((path, write(store, path)) for path in export)
        changed = sorted({made["mech"] for made in store.provenances() if _has_changed(made)})
        return SweepResult(out, store.status(), tuple(store.errors(SHOWN)), store.stale(), tuple(changed), written)


def _check_inputs(export: Sequence[str], made: Iterable[Mapping[str, Any]]) -> None:
    """Refuses to export onto a file of a mechanism or of pairs."""
    if export:
        names = {name for each in made for name in (each["mech"], each.get("adjacency")) if name}
        inputs = [path for path in map(file_of, sorted(names)) if path is not None]
        for path in export:
            check_path(path, inputs)


def _has_changed(made: Mapping[str, Any]) -> bool:
    """Whether the files that the rows were computed from are missing or have changed."""
    try:
        now = sources(made["mech"], made.get("adjacency"))
    except InputError:
        return True
    return any(name in made and made[name] != now.get(name) for name in ("source", "pairs"))


class Loop:
    """One run over a store: hand out the open jobs in batches, record what comes back."""

    def __init__(self, store: Store, workers: Workers, report: Callable[[Status], None] | None = None) -> None:
        self._store = store
        self._workers = workers
        self._report = report
        self._todo = deque(store.todo())
        self._running: dict[Future[list[Outcome]], list[str]] = {}
        self._suspects: list[str] = []
        """Jobs of batches whose worker died; they run last, one by one, with nothing else running."""

    def run(self) -> Status:
        """Works until every job is finished; returns the progress."""
        finished = False
        try:
            self._tell()
            while self._todo or self._running or self._suspects:
                while self._todo and len(self._running) < 2 * self._workers.capacity:
                    self._submit(self._batch())
                alone = not self._running
                if alone:
                    self._submit([self._suspects.pop()])
                self._collect(alone)
                self._tell()
            finished = True
        finally:
            self._workers.close(at_once=not finished)
        return self._store.status()

    def _tell(self) -> None:
        if self._report:
            self._report(self._store.status())

    def _batch(self) -> list[str]:
        """Takes the next jobs."""
        batch: list[str] = []
        total = 0.0
        while self._todo and len(batch) < BATCH_JOBS and total <= BATCH_COST:
            key, cost = self._todo.popleft()
            batch.append(key)
            total += cost
        return batch

    def _submit(self, batch: list[str]) -> None:
        self._running[self._workers.submit(run_batch, [(key, json.loads(key)) for key in batch])] = batch

    def _collect(self, alone: bool) -> None:
        """Waits for a batch and records its outcomes; ``alone``: a job whose worker died before runs by itself."""
        ready, _ = wait(self._running, return_when=FIRST_COMPLETED, timeout=None if alone else 2)
        for future in ready:
            batch = self._running.pop(future)
            lost = "cancelled" if future.cancelled() else future.exception()
            if lost is None:
                outcomes = future.result()
                self._store.finish(outcomes)
                rest = batch[len(outcomes) :]
                if rest:
                    self._submit(rest)
            elif alone:
                reason = " ".join(str(lost).split()) or type(lost).__name__
                error = f"its worker died twice, the second time with nothing else running: {reason}"
                self._store.finish([{"key": key, "seconds": 0.0, "error": error} for key in batch])
            else:
                self._suspects.extend(batch)
