"""Runs checks, several at a time: results in the catalogue's order, the same whatever the number of processes."""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from dpaudit.numbers.verdict import Verdict
from proofs_checks import registry
from proofs_checks.catalogue import Claim
from proofs_checks.outcome import NOTHING, Outcome

Progress = Callable[["Result", int, int], None]
"""Called with (result, done, total) as each check ends."""


@dataclass(frozen=True)
class Result:
    """What one check found and how long it took; ``error`` is the text of an exception that ended it."""

    claim: Claim
    outcome: Outcome
    seconds: float
    error: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Returns one entry of ``dpaudit check --json``."""
        entry = {**self.claim.to_dict(), **self.outcome.to_dict(), "seconds": round(self.seconds, 3)}
        return {**entry, "error": self.error} if self.error else entry


def run_one(identifier: str, wide: bool = False, module: str | None = None) -> Result:
    """Returns the result of one check; an exception in it is an UNDECIDED with the error, not a verdict."""
    checks = registry.load()
    if module is not None:
        registry.load_file(module)
    check, start = checks[identifier], perf_counter()
    try:
        return Result(check.claim, check.outcome(wide), perf_counter() - start)
    except (Exception, SystemExit) as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{registry.one_line(error)} (line {last.lineno} of {last.name})"
        return _failed(check.claim, text, perf_counter() - start)


def _failed(claim: Claim, text: str, seconds: float = 0.0) -> Result:
    """Returns UNDECIDED with the error."""
    outcome = Outcome(Verdict.UNDECIDED, NOTHING, finding=f"the check itself failed: {text}")
    return Result(claim, outcome, seconds, text)


@contextmanager
def pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    """Yields worker processes; they end with the block, whatever happens (Ctrl-C, an error, a killed worker)."""
    before = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), initializer=_quiet)
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for process in set(multiprocessing.active_children()) - before:
            process.terminate()
        raise
    executor.shutdown()


def _quiet() -> None:
    """A worker dies of Ctrl-C without a traceback."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def submit(
    executor: ProcessPoolExecutor, identifiers: Sequence[str], wide: bool = False, module: str | None = None
) -> dict[str, Future[Result]]:
    """Returns a future for every id; heavy checks are started first."""
    checks = registry.load()
    order = sorted(identifiers, key=lambda key: -checks[key].weight)
    return {key: executor.submit(run_one, key, wide, module) for key in order}


def run_many(
    identifiers: Sequence[str],
    wide: bool = False,
    jobs: int = 2,
    module: str | None = None,
    progress: Progress | None = None,
) -> list[Result]:
    """Returns the results in the order of ``identifiers``."""
    done: dict[str, Result] = {}

    def note(result: Result) -> None:
        done[result.claim.id] = result
        if progress:
            progress(result, len(done), len(identifiers))

    if module is None and (jobs == 1 or len(identifiers) == 1):
        for key in identifiers:
            note(run_one(key, wide))
        return [done[key] for key in identifiers]
    try:
        with pool(min(jobs, len(identifiers))) as executor:
            for future in as_completed(submit(executor, identifiers, wide, module).values()):
                note(future.result())
    except BrokenProcessPool:
        for key in identifiers:
            if key not in done:
                note(_run_alone(key, wide, module))
    return [done[key] for key in identifiers]


def _run_alone(identifier: str, wide: bool, module: str | None) -> Result:
    """Returns the result of one check in a process of its own; if that dies, UNDECIDED with the error."""
    try:
        with pool(1) as executor:
            return executor.submit(run_one, identifier, wide, module).result()
    except BrokenProcessPool:
        claim = registry.load()[identifier].claim
        return _failed(claim, "its process ended abruptly (killed, out of memory, or it called os._exit)")
