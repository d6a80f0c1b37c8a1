"""A process that does one thing at a time, so its death shows the cause and affects nothing else.

It is started plainly, so that a caller's script is not imported again. It has a session of its own, so it does not hear
Ctrl-C; and it ends with its line, whatever it does: when the lane ends, or the process that has the lane, however.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import LifoQueue, SimpleQueue
from typing import IO, Any

HELPER = "DPAUDIT_HELPER"
"""Set in the environment of such a process: an audit in it starts no others."""
SERVE = "import sys; sys.path[:] = {path!r}; from dpaudit.files.lane import serve; serve()"
SIZE = 8
"""Bytes of the length that comes before each message."""


class Died(Exception):
    """The process ended before it was done; the message says how."""


class Lane:
    """A process for one call after another; after its death the next call starts a new one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._starting = threading.Lock()
        self._ended = False

    def call(self, function: Callable[[Any], Any], argument: Any) -> Any:
        """function(argument), computed in the process; raises Died if that ended.

        Both are pickled; a function that raises ends the process.
        """
        message, process = pickle.dumps((function, argument)), self._process or self._start()
        try:
            _write(process.stdin, message)
            return pickle.loads(_read(process.stdout))
        except (EOFError, OSError, ValueError):
            raise Died(self._stop()) from None

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-c", SERVE.format(path=sys.path)]
        with self._starting:
            if self._ended:
                raise Died("it was ended")
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, HELPER: "1"},
                start_new_session=True,
            )
        return self._process

    def _stop(self) -> str:
        """Ends the process; how it had ended, if it had."""
        process, self._process = self._process, None
        if process is None or self._ended:
            return "it was ended"
        with suppress(subprocess.TimeoutExpired):
            process.wait(1)
        _end(process)
        if process.returncode < 0:
            number = -process.returncode
            memory = "; out of memory?" if number == signal.SIGKILL else ""
            return f"killed by signal {number} ({signal.strsignal(number)}{memory})"
        return f"it ended with exit code {process.returncode}"

    def end(self) -> None:
        """Ends the process for good, whatever it does; from any thread."""
        with self._starting:
            self._ended = True
            process = self._process
        if process is not None:
            _end(process)


class Lanes:
    """So many lanes; a call goes to one that is free, and one that dies takes no other call with it."""

    def __init__(self, count: int) -> None:
        self.capacity = count
        self._lanes = [Lane() for _ in range(count)]
        self._free: LifoQueue[Lane] = LifoQueue()
        for lane in self._lanes:
            self._free.put(lane)
        self._threads = ThreadPoolExecutor(count)

    def tell(self, function: Callable[[Any], None], argument: Any) -> None:
        """Calls function(argument) in each of the processes."""
        list(self._threads.map(lambda lane: lane.call(function, argument), self._lanes))

    def submit(self, function: Callable[[Any], Any], argument: Any) -> Future[Any]:
        """Starts function(argument) in a process."""
        return self._threads.submit(self._run, function, argument)

    def _run(self, function: Callable[[Any], Any], argument: Any) -> Any:
        lane = self._free.get()
        try:
            return lane.call(function, argument)
        finally:
            self._free.put(lane)

    def close(self, at_once: bool) -> None:
        """Ends the processes; ``at_once`` abandons what still runs."""
        self._threads.shutdown(wait=not at_once, cancel_futures=True)
        for lane in self._lanes:
            lane.end()
        self._threads.shutdown()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        with suppress(OSError):
            if stream is not None:
                stream.close()


def _write(stream: IO[bytes] | None, message: bytes) -> None:
    assert stream is not None
    stream.write(len(message).to_bytes(SIZE, "little") + message)
    stream.flush()


def _read(stream: IO[bytes] | None) -> bytes:
    assert stream is not None
    size = int.from_bytes(_whole(stream, SIZE), "little")
    return _whole(stream, size)


def _whole(stream: IO[bytes], size: int) -> bytes:
    found = stream.read(size)
    if len(found) < size:
        raise EOFError
    return found


def serve() -> None:
    """Answers calls until the line ends; what is printed goes to stderr."""
    source, out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    with suppress(OSError):  # there may be no stderr
        os.dup2(2, 1)
    calls: SimpleQueue[bytes] = SimpleQueue()

    def listen() -> None:
        with suppress(EOFError, OSError):
            while True:
                calls.put(_read(source))
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=listen, daemon=True).start()
    while True:
        function, argument = pickle.loads(calls.get())
        _write(out, pickle.dumps(function(argument)))
