"""The loop: claim jobs, hand them out in batches, record what comes back. Killed at any moment, it goes on later."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import suppress

from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.executors import Workers
from dpaudit.sweeps.store import LEASE, Claimed, Status, Store
from dpaudit.sweeps.work import Outcome

BATCH_JOBS = 32
BATCH_COST = 0.1
"""Small jobs travel together: at most so many, or about so many seconds."""


class Loop:
    """One run over a store."""

    def __init__(self, store: Store, workers: Workers, report: Callable[[Status], None] | None = None) -> None:
        self._store = store
        self._workers = workers
        self._report = report
        self._running: dict[Future[list[Outcome]], Sequence[Claimed]] = {}
        self._suspects: list[Claimed] = []
        """Jobs of batches whose worker died; they run last, one by one, with nothing else running."""
        self._alone: Future[list[Outcome]] | None = None
        self._renewed = time.monotonic()

    def run(self) -> Status:
        """Works until nothing is left to do, here or elsewhere; returns where that leaves the sweep."""
        self._store.release()
        finished = False
        try:
            while self._fill():
                self._collect()
                self._keep_claims()
                if self._report:
                    self._report(self._store.status())
            finished = True
        finally:
            self._workers.close(at_once=not finished)
            with suppress(InputError):  # claims of a process that is gone are void anyway
                self._store.release()
        return self._store.status()

    def _fill(self) -> bool:
        """Hands out batches while workers may be idle; returns whether there is anything to wait for."""
        while self._alone is None and len(self._running) < 2 * self._workers.capacity:
            jobs = self._store.claim(BATCH_JOBS, BATCH_COST)
            if not jobs:
                break
            self._submit(jobs)
        if not self._running and self._suspects:
            self._alone = self._submit([self._suspects.pop()])
        if self._running:
            return True
        status = self._store.status()
        if status.done + status.failed == status.total:
            return False
        time.sleep(0.5)  # the rest is claimed by another process: wait for it, or for its lease to lapse
        self._store.release()
        return True

    def _submit(self, jobs: Sequence[Claimed]) -> Future[list[Outcome]]:
        future = self._workers.submit([(job.key, job.spec) for job in jobs])
        self._running[future] = jobs
        return future

    def _collect(self) -> None:
        if not self._running:
            return
        ready, _ = wait(self._running, timeout=2, return_when=FIRST_COMPLETED)
        for future in ready:
            jobs = self._running.pop(future)
            lost = "cancelled" if future.cancelled() else future.exception()
            if lost is not None:
                self._lost(jobs, future is self._alone, " ".join(str(lost).split()) or type(lost).__name__)
            else:
                outcomes = future.result()
                self._store.finish(outcomes)
                found = {outcome["key"] for outcome in outcomes}
                rest = [job for job in jobs if job.key not in found]
                if rest:
                    self._submit(rest)
            if future is self._alone:
                self._alone = None

    def _lost(self, jobs: Sequence[Claimed], alone: bool, reason: str) -> None:
        """Suspects the jobs of a lost batch; a job that was lost when it was alone is recorded as failed."""
        if not alone:
            self._suspects.extend(jobs)
            return
        error = f"its worker died twice, the second time with nothing else running: {reason}"
        self._store.finish([{"key": job.key, "seconds": 0.0, "error": error} for job in jobs])

    def _keep_claims(self) -> None:
        if time.monotonic() - self._renewed > LEASE / 6:
            self._store.renew()
            self._renewed = time.monotonic()
