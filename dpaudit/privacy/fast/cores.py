"""All cores for one long audit: processes that bound the losses of a part of the pairs each.

A process gets the mechanism once and then the numbers of parts; it ends when its standard input ends or when nobody
waits for it any more. Processes are started plainly, so that a caller's script is not imported again.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import replace
from queue import SimpleQueue
from typing import IO, Any

import numpy as np

from dpaudit.numbers import balls
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.fast.uppers import Uppers, loss_uppers, make_screen
from dpaudit.privacy.protocols import Audited

LONG = 1 << 30
"""Pairs times outputs, up to symmetry: from here on starting processes pays.

With k = 3 that is n = 290 or so for a uniform prior. Two processes need 1.9 times the processor time
of one at n = 200, 1.6 times at n = 300, 1.5 times at n = 360.
"""
PARTS = 4
"""Parts for each process: they are not equally long."""
HELPER = "DPAUDIT_PART_OF_AN_AUDIT"
"""Set in the environment of such a process: it starts no others, nor does a worker of a sweep or of ``check``."""


def cores(mechanism: Audited, effort: Effort) -> int:
    """How many processes this audit is worth: 1 if it is short or a part of something larger."""
    counts = mechanism.counts()
    symmetry = mechanism.symmetry()
    orbit = 1 if symmetry is None else max(1, counts.datasets // sum(1 for _ in symmetry.representatives()))
    short = counts.pairs * counts.outputs // (2 * orbit) < LONG
    if short or effort.part is not None or HELPER in os.environ or multiprocessing.parent_process() is not None:
        return 1
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def loss_uppers_by(number: int, mechanism: Audited, effort: Effort) -> Uppers | None:
    """What ``loss_uppers`` returns, from so many processes; None where the mechanism cannot be sent there."""
    try:
        task = pickle.dumps((mechanism, balls.working_bits()))
    except (pickle.PicklingError, AttributeError, TypeError):
        return None
    parts = number * PARTS
    with _processes(number, task) as free, ThreadPoolExecutor(number) as threads:

        def run(part: int) -> Uppers | str | None:
            process = free.get()
            try:
                return _ask(process, (part, parts))
            finally:
                free.put(process)

        waiting = [threads.submit(run, part) for part in range(parts)]
        try:
            for done, _ in enumerate(as_completed(waiting), 1):
                effort.tell(done, parts)
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise
        found = [future.result() for future in waiting]
    for answer in found:
        if isinstance(answer, str):
            raise TooCoarse(answer)
    return _together(mechanism, [answer for answer in found if isinstance(answer, Uppers)], parts)


def _together(mechanism: Audited, found: list[Uppers], parts: int) -> Uppers | None:
    """All of it, each orbit once; None if a part is missing."""
    if len(found) < parts:
        return None
    symmetry, keep = mechanism.symmetry(), []
    seen: set[Hashable] = set()
    pairs = [pair for uppers in found for pair in uppers.pairs]
    for place, (x, y) in enumerate(pairs):
        keys: set[Hashable] = {(x, y), (y, x)} if symmetry is None else {symmetry.orbit(x, y), symmetry.orbit(y, x)}
        if not keys & seen:
            seen |= keys
            keep.append(place)
    return Uppers([pairs[i] for i in keep], np.concatenate([uppers.values for uppers in found])[keep])


@contextmanager
def _processes(number: int, task: bytes) -> Iterator[SimpleQueue[subprocess.Popen[bytes]]]:
    """Yields a queue of processes that know the task; they are ended whatever happens."""
    free: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
    environment = {**os.environ, HELPER: "1"}
    started = []
    try:
        for _ in range(number):
            command = [sys.executable, "-m", "dpaudit.privacy.fast.cores", str(os.getpid())]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
            )
            started.append(process)
            _write(process.stdin, task)
            free.put(process)
        yield free
    finally:
        for process in started:
            process.kill()
            process.communicate()


def _ask(process: subprocess.Popen[bytes], part: tuple[int, int]) -> Uppers | str | None:
    """The answer of the process for this part: bounds, why there are none, or None if it died."""
    try:
        _write(process.stdin, pickle.dumps(part))
        return pickle.load(process.stdout)  # type: ignore[no-any-return, arg-type]
    except (OSError, EOFError, pickle.UnpicklingError):
        return None


def _write(stream: IO[bytes] | None, data: bytes) -> None:
    assert stream is not None
    stream.write(data)
    stream.flush()


def _still_wanted(parent: int) -> Callable[[int, int], None]:
    def check(done: int, total: int) -> None:
        if os.getppid() != parent:
            os._exit(1)

    return check


def work(source: IO[bytes], out: IO[bytes], parent: int) -> None:
    """Answers parts until the source ends."""
    mechanism, bits = pickle.load(source)
    effort = Effort(progress=_still_wanted(parent))
    screen: Any = mechanism.screen()
    with balls.precision(bits):
        while True:
            try:
                part = pickle.load(source)
            except EOFError:
                return
            try:
                answer: Uppers | str = loss_uppers(make_screen(screen.law(), mechanism, replace(effort, part=part)))
            except (TooCoarse, balls.PrecisionExhausted) as reason:
                answer = str(reason)
            _write(out, pickle.dumps(answer))


if __name__ == "__main__":
    work(sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[1]))
