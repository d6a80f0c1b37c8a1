"""Where work is done: processes of this machine, or a Dask cluster, with one interface, ``Workers``."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable
from concurrent.futures import Executor, Future
from importlib import import_module
from typing import Any, Protocol

from dpaudit.files.lane import Lanes
from dpaudit.numbers.errors import InputError, missing_extra

ADDRESS = re.compile(r"[a-z]+://[^\s/:]+:\d{1,5}|[a-z]+://\[[0-9a-fA-F:]+\]:\d{1,5}")
PATIENCE = 10.0
"""The time in which a scheduler must answer, in seconds."""


class Workers(Protocol):
    """Computes functions elsewhere; a future whose worker died has an exception, and may be submitted again."""

    capacity: int

    def submit(self, function: Callable[[Any], Any], argument: Any) -> Future[Any]:
        """Starts function(argument)."""

    def close(self, at_once: bool) -> None:
        """Ends the workers; ``at_once`` abandons what still runs."""


class DaskWorkers:
    """The workers of a Dask cluster; the scheduler moves the calls of a lost worker to another."""

    def __init__(self, address: str) -> None:
        self._address = address
        try:
            distributed: Any = import_module("distributed")
        except ImportError:
            raise missing_extra("scheduler", address, "cluster", "needs Dask") from None
        for name in ("distributed", "distributed.client", "distributed.core", "distributed.utils"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client: Any = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError("scheduler", address, f"cannot be reached: {error}") from None
        self.capacity = max(1, sum(self._client.ncores().values()))
        self._executor: Executor = self._client.get_executor(pure=False)

    def submit(self, function: Callable[[Any], Any], argument: Any) -> Future[Any]:
        """Starts function(argument) somewhere in the cluster; a scheduler that is gone is an error."""
        if self._client.status != "running":
            raise InputError("scheduler", self._address, "was lost; finished jobs are kept: run the command again")
        return self._executor.submit(function, argument)

    def close(self, at_once: bool) -> None:
        """Leaves the cluster."""
        self._executor.shutdown(wait=not at_once)
        self._client.close()


def check_address(address: str) -> None:
    """Refuses anything but the address of a scheduler."""
    if not ADDRESS.fullmatch(address):
        raise InputError("scheduler", address, "must be an address such as tcp://host:8786")


def open_workers(workers: int | None, scheduler: str | None) -> Workers:
    """The workers: a Dask cluster if a scheduler is named, else that many processes (all cores)."""
    if scheduler is not None:
        return DaskWorkers(scheduler)
    return Lanes(workers or os.cpu_count() or 1)
