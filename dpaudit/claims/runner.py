"""Runs checks, several at a time: results in the requested order, the same whatever the number of processes.

A claim that others cite is decided before them, and its standing is passed on to their proofs.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import Any

from dpaudit.claims.catalogue import Library, load, one_line
from dpaudit.claims.checks import Audit, Check
from dpaudit.claims.claim import Claim
from dpaudit.claims.outcome import COMPUTER_ASSISTED, NOTHING, ON_GRID, Outcome
from dpaudit.files.coqc import kept_in, share
from dpaudit.files.lane import Died, Lane
from dpaudit.mechanisms.own.user_code import no_exit
from dpaudit.numbers.verdict import Verdict

Progress = Callable[["Result", int, int], None]
"""Called with (result, done, total) as each check ends."""


@dataclass(frozen=True)
class Result:
    """What one check found and how long it took; ``error`` is the text of an exception that ended it."""

    claim: Claim
    outcome: Outcome
    seconds: float
    uses: tuple[str, ...] = ()
    audits: Audit | None = None
    error: str = ""

    @property
    def standing(self) -> str:
        """Either "" or COMPUTER_ASSISTED if a proof for all values may rest on this claim, else why not."""
        proved = self.outcome.verdict is Verdict.PROVED and self.outcome.establishes != ON_GRID
        if proved and self.outcome.establishes == COMPUTER_ASSISTED:
            return COMPUTER_ASSISTED
        return "" if proved else f"{self.outcome.verdict.value} ({self.outcome.establishes})"

    def to_dict(self) -> dict[str, Any]:
        """One entry of ``dpaudit check --json``."""
        entry = {**self.claim.to_dict(), **self.outcome.to_dict(), "seconds": round(self.seconds, 3)}
        entry |= {"uses": list(self.uses)} if self.uses else {}
        return {**entry, "error": self.error} if self.error else entry


def run_check(library: Library, identifier: str, wide: bool, cited: Mapping[str, str]) -> Result:
    """The result of one check; an exception in it is an UNDECIDED with the error, not a verdict."""
    check, claim, start = library.checks[identifier], library.claims[identifier], perf_counter()
    try:
        with no_exit():
            return Result(claim, check.outcome(wide, cited), perf_counter() - start, check.uses, check.audits)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{one_line(error)} (line {last.lineno} of {last.name})"
        return _failed(claim, text, perf_counter() - start)


def _failed(claim: Claim, text: str, seconds: float = 0.0) -> Result:
    """UNDECIDED with the error."""
    outcome = Outcome(Verdict.UNDECIDED, NOTHING, finding=f"the check itself failed: {text}")
    return Result(claim, outcome, seconds, error=text)


@lru_cache(maxsize=1)
def _library(file: str | None) -> Library:
    return load(file)


Task = tuple[str, bool, str | None, Mapping[str, str], str]
"""The claim, whether on the wide grid, the user's file, how the cited claims stand, where coqc's results are kept."""


def _work(task: Task) -> Result:
    """The result of one check, in a worker process."""
    identifier, wide, file, cited, compiled = task
    share(compiled)
    return run_check(_library(file), identifier, wide, cited)


def run_many(
    library: Library,
    identifiers: Sequence[str],
    wide: bool = False,
    jobs: int = 2,
    progress: Progress | None = None,
) -> list[Result]:
    """The results in the order of ``identifiers``; what they cite is decided as well."""
    rounds = library.rounds(identifiers)
    total, done = sum(map(len, rounds)), dict[str, Result]()

    def note(result: Result) -> None:
        done[result.claim.id] = result
        if progress:
            progress(result, len(done), total)

    def cited(key: str) -> dict[str, str]:
        return {used: done[used].standing for used in library.checks[key].uses}

    if library.file is None and (jobs == 1 or total == 1):
        for key in (key for each in rounds for key in each):
            note(run_check(library, key, wide, cited(key)))
        return [done[key] for key in identifiers]
    lanes = [Lane() for _ in range(min(jobs, total))]
    homes, compiled = [""] * len(lanes), kept_in()

    def run(lane: Lane, key: str) -> Result:
        found: Result = lane.call(_work, (key, wide, library.file, cited(key), compiled))
        return found

    with ThreadPoolExecutor(len(lanes)) as threads:

        def submit(lane: Lane, key: str) -> Future[Result]:
            return threads.submit(run, lane, key)

        try:
            for each in rounds:
                for result in _shared_out(lanes, homes, _by_home(library, each), submit):
                    note(result)
                for key in (key for key in each if key not in done):
                    note(_run_alone(library, key, run))
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            for lane in lanes:
                lane.end()
    return [done[key] for key in identifiers]


def _by_home(library: Library, identifiers: Sequence[str]) -> dict[str, list[Check]]:
    """The checks by their package, the heaviest last."""
    found: dict[str, list[Check]] = {}
    for check in sorted((library.checks[key] for key in identifiers), key=lambda check: check.weight):
        found.setdefault(check.run.__module__.rpartition(".")[0], []).append(check)
    return found


def _shared_out(
    lanes: Sequence[Lane],
    homes: list[str],
    waiting: dict[str, list[Check]],
    submit: Callable[[Lane, str], Future[Result]],
) -> Iterator[Result]:
    """Yields the results as they come, but for those of checks whose process died. A worker stays with one package,
    whose checks share their tables, and then takes over the one with the most left to do, if possible one that no
    other worker is at.
    """
    running: dict[Future[Result], int] = {}

    def start(i: int) -> None:
        left = {home: keys for home, keys in waiting.items() if keys}
        if left:
            if homes[i] not in left:
                homes[i] = min(left, key=lambda home: (home in homes, -sum(c.weight for c in left[home])))
            running[submit(lanes[i], left[homes[i]].pop().identifier)] = i

    for i in range(len(lanes)):
        start(i)
    while running:
        for future in wait(running, return_when=FIRST_COMPLETED).done:
            i = running.pop(future)
            if not isinstance(future.exception(), Died):
                yield future.result()
            start(i)


def _run_alone(library: Library, key: str, run: Callable[[Lane, str], Result]) -> Result:
    """The result of one check with nothing else running; if its process dies again, UNDECIDED with the error."""
    lane = Lane()
    try:
        return run(lane, key)
    except Died as error:
        return _failed(library.claims[key], f"its process ended abruptly: {error}")
    finally:
        lane.end()


@dataclass(frozen=True)
class Decided:
    """What ``dpaudit.check`` returns: the results in order, the ids or patterns ``asked`` for, all ids ``known``."""

    results: tuple[Result, ...]
    asked: tuple[str, ...]
    known: frozenset[str]

    def __iter__(self) -> Iterator[Result]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)


def check(
    ids: Sequence[str] = (),
    *,
    wide: bool = False,
    jobs: int = 2,
    file: str | None = None,
    certifiable: bool = False,
    progress: Progress | None = None,
) -> Decided:
    """The results of the checks with these ids or patterns, in the catalogues' order.

    ``file`` is a module with checks of your own; without ids only these are decided, and without a file all are.
    ``certifiable`` refuses, before computing, what no certificate can be written of.
    """
    library = load(file)
    chosen = library.choose(ids)
    if certifiable:
        library.check_certifiable(chosen)
    results = run_many(library, chosen, wide, jobs, progress)
    return Decided(tuple(results), tuple(ids or library.own or ["*"]), frozenset(library.claims))
