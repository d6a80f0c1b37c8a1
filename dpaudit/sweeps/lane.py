"""A lane: one process that does one thing at a time, so that its death tells what killed it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

SPAWN = multiprocessing.get_context("spawn")
_STARTING = threading.Lock()


class WorkerDied(Exception):
    """The process ended before it was done; the text says how."""


class Lane:
    """One process at a time; the next call after a death starts another."""

    def __init__(self) -> None:
        self._process: SpawnProcess | None = None
        self._line: Connection | None = None
        self._ended = False

    def call(self, function: Callable[[Any], Any], argument: Any) -> Any:
        """Returns function(argument), computed in the process; raises WorkerDied if that ended."""
        line = self._line or self._start()
        try:
            line.send((function, argument))
            return line.recv()
        except (EOFError, OSError):
            raise WorkerDied(self._stop()) from None

    def _start(self) -> Connection:
        here, there = SPAWN.Pipe()
        with _STARTING:
            if self._ended:
                raise WorkerDied("it was ended")
            self._process = SPAWN.Process(target=_serve, args=(there,))
            with _without_interrupts():
                self._process.start()
        there.close()
        self._line = here
        return here

    def _stop(self) -> str:
        """Ends the process, and returns how it had ended if it had."""
        process, line, self._process, self._line = self._process, self._line, None, None
        if process is None or line is None:
            return "it was ended"
        line.close()
        process.join(1)
        process.kill()
        process.join()
        code = process.exitcode or 0
        if code < 0:
            memory = "; out of memory?" if code == -signal.SIGKILL else ""
            return f"killed by signal {-code} ({signal.strsignal(-code)}{memory})"
        return f"it ended with exit code {code}"

    def end(self) -> None:
        """Ends the process for good, whatever it does; from any thread."""
        with _STARTING:
            self._ended = True
            process = self._process
        if process is not None:
            process.kill()
            process.join()


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """A process that is started in this block does not hear Ctrl-C until it says that it wants to."""
    resource_tracker.ensure_running()  # its start unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(line: Connection) -> None:
    """Answers calls until the line is closed; deaf to Ctrl-C, which the parent handles; what is printed is stderr."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(OSError):
        os.dup2(2, 1)
    with suppress(EOFError, OSError):
        while True:
            function, argument = line.recv()
            line.send(function(argument))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGKILL)
