"""Where batches run: a pool of processes here, or a Dask cluster. Both are one interface, ``Workers``."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, Protocol

from dpaudit.numbers.errors import InputError, missing_extra
from dpaudit.sweeps.work import Outcome, run_batch

ADDRESS = re.compile(r"[a-z]+://[^\s/:]+:\d{1,5}|[a-z]+://\[[0-9a-fA-F:]+\]:\d{1,5}")
Batch = Sequence[tuple[str, Any]]


class Workers(Protocol):
    """Runs batches; a future whose worker died has an exception, and the batch may be submitted again."""

    capacity: int

    def submit(self, batch: Batch) -> Future[list[Outcome]]:
        """Starts a batch."""

    def close(self, at_once: bool) -> None:
        """Ends the workers; ``at_once`` abandons what still runs."""


class LocalWorkers:
    """Processes of this machine; a broken pool is replaced."""

    def __init__(self, count: int) -> None:
        self.capacity = count
        self._heard, self._held = multiprocessing.get_context("spawn").Pipe(duplex=False)
        self._pool = self._new()

    def _new(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        return ProcessPoolExecutor(self.capacity, mp_context=context, initializer=_start, initargs=(self._heard,))

    def submit(self, batch: Batch) -> Future[list[Outcome]]:
        """Starts a batch in a process."""
        try:
            return self._pool.submit(run_batch, batch)
        except BrokenProcessPool:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = self._new()
            return self._pool.submit(run_batch, batch)

    def close(self, at_once: bool) -> None:
        """Ends the processes."""
        self._pool.shutdown(wait=not at_once, cancel_futures=True)
        self._held.close()


def _start(line: Connection) -> None:
    """Makes a worker deaf to Ctrl-C, which the parent handles; it ends when the parent lets go of the line or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        line.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class DaskWorkers:
    """The workers of a Dask cluster; the scheduler moves the batch of a lost worker to another."""

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise missing_extra("scheduler", address, "cluster", "needs Dask") from None
        try:
            self._client: Any = distributed.Client(address, timeout=10, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError("scheduler", address, f"cannot be reached: {error}") from None
        self.capacity = max(1, sum(self._client.ncores().values()))
        self._executor: Executor = self._client.get_executor(pure=False)

    def submit(self, batch: Batch) -> Future[list[Outcome]]:
        """Starts a batch somewhere in the cluster."""
        return self._executor.submit(run_batch, batch)

    def close(self, at_once: bool) -> None:
        """Leaves the cluster."""
        self._executor.shutdown(wait=not at_once)
        self._client.close()


def check_address(address: str) -> None:
    """Refuses what is no address of a scheduler."""
    if not ADDRESS.fullmatch(address):
        raise InputError("scheduler", address, "must be an address such as tcp://host:8786")


def open_workers(workers: int | None, scheduler: str | None) -> Workers:
    """Returns the workers: a Dask cluster if a scheduler is named, else that many processes (all cores)."""
    if scheduler is not None:
        return DaskWorkers(scheduler)
    return LocalWorkers(workers or os.cpu_count() or 1)
