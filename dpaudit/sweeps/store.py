"""The state of a sweep in one SQLite file: what is to do, who does it, what is done. Safe to kill at any moment.

Every change is one transaction (write-ahead log). A job is claimed with a lease that its owner renews; the lease of a
process that is gone is void. Finishing a job twice changes nothing. Every row has a checksum, which is checked when the
store is opened. A row is set aside, neither shown nor lost, if it is damaged, or if a plan asked for its mechanism
again with another version of dpaudit or another source.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

from dpaudit.files.writing import NotWritten, check_writable
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.layout import CHECKSUM, DAMAGED, LAYOUT_1, STALE, check, is_older, made_of
from dpaudit.sweeps.plan import Job
from dpaudit.sweeps.work import Outcome

PATIENCE = 60.0
"""Seconds to wait for a store that another program has locked."""
LEASE = 60.0
"""Seconds until the claim of a silent process on another machine lapses."""


class Claimed(NamedTuple):
    """A job that this process is to do."""

    key: str
    spec: dict[str, Any]
    cost: float


class Status(NamedTuple):
    """How far the sweep is; ``rate`` is in jobs a second over the last minute, ``left`` in seconds of cost."""

    total: int
    done: int
    failed: int
    running: int
    rate: float
    cost_done: float
    cost_total: float


class Aside(NamedTuple):
    """Rows that are kept and not shown, the keys of damaged ones, and of what the shown ones are made."""

    stale: int
    damaged: int
    keys: tuple[str, ...]
    made: tuple[dict[str, Any], ...]


def _source(made: Mapping[str, Any]) -> tuple[Any, Any]:
    return made.get("version"), made.get("source")


class Store:
    """The jobs of one sweep in one file."""

    def __init__(self, path: str, create: bool = True) -> None:
        self.path = path
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{time.time_ns()}"
        if not create and not Path(path).is_file():
            raise InputError("out", path, "there is no such store; run a plan first")
        if create and not Path(path).exists():
            check_writable("out", path)
        if Path(path).exists() and not Path(path).is_file():
            raise InputError("out", path, "cannot be used as a store: it is no file but a folder, a pipe or a device")
        try:
            self._db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        except (sqlite3.Error, ValueError) as error:
            raise InputError("out", path, f"cannot be used as a store: {error}") from None
        try:
            with self._faults(writing=False):
                self._open(create)
        except BaseException:
            self._db.close()
            raise

    def _open(self, create: bool) -> None:
        """Makes or checks the file: sound pages, this layout, right checksums."""
        older = check(self._db, create)
        self._use_log()
        self._db.execute("PRAGMA synchronous = NORMAL")
        with self._transaction() if older else nullcontext():
            for statement in LAYOUT_1 if older and is_older(self._db) else ():
                self._db.execute(statement)
        wrong = f"aside != {DAMAGED} AND checksum IS NOT {CHECKSUM}"
        if self._one(f"SELECT count(*) FROM jobs WHERE {wrong}"):
            with self._transaction() as db:
                db.execute(f"UPDATE jobs SET aside = {DAMAGED} WHERE {wrong}")

    def _use_log(self) -> None:
        """Turns the write-ahead log on; SQLite itself does not wait here for another process that does the same."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def _one(self, query: str) -> Any:
        return self._db.execute(query).fetchone()[0]

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    @contextmanager
    def _faults(self, writing: bool) -> Iterator[None]:
        """Turns an error of the database into one line: NotWritten or InputError."""
        try:
            yield
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            broken = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
            if (writing and code not in broken) or code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                rule = f"cannot be written: {error}; what is finished is kept"
                raise NotWritten("out", self.path, rule) from None
            raise InputError("out", self.path, f"cannot be used as a store: {error}") from None

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """Commits the block as a whole, or changes nothing."""
        with self._faults(writing=True):
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def add(self, jobs: Sequence[Job], retry: bool = False) -> int:
        """Adds the jobs that are new and returns their number; with ``retry`` failed ones are open again.

        So are damaged rows of these jobs. Rows of these mechanisms of another version or source are set aside.
        """
        with self._transaction() as db:
            before = self._one("SELECT count(*) FROM jobs")
            new = [(job.key, job.entry, before + i, job.cost, made_of(job.spec)) for i, job in enumerate(jobs)]
            if self._one(f"SELECT count(*) FROM jobs WHERE aside = {DAMAGED}"):
                again = ((key,) for key, *_ in new)
                before -= db.executemany(f"DELETE FROM jobs WHERE key = ? AND aside = {DAMAGED}", again).rowcount
            db.executemany(
                "INSERT OR IGNORE INTO jobs (key, entry, spec, position, cost, made) VALUES (?, ?, '', ?, ?, ?)", new
            )
            self._set_stale_aside({made for *_, made in new})
            if retry:
                db.execute(
                    "UPDATE jobs SET state = 'open', error = NULL, seconds = NULL, checksum = NULL "
                    "WHERE state = 'failed' AND aside = 0"
                )
            db.execute(f"UPDATE jobs SET checksum = {CHECKSUM} WHERE checksum IS NULL AND aside != {DAMAGED}")
            return int(self._one("SELECT count(*) FROM jobs") - before)

    def _set_stale_aside(self, wanted: set[str]) -> None:
        """Sets the rows aside that these sources replace; rows of these sources are there again."""
        of_mechanism, of_pairs = {}, {}
        for made in map(json.loads, wanted):
            of_mechanism[made["mech"]] = _source(made)
            of_pairs[made.get("adjacency")] = made.get("pairs")
        stored = self._db.execute(f"SELECT DISTINCT made FROM jobs WHERE aside != {DAMAGED}").fetchall()
        for text, made in ((text, json.loads(text)) for (text,) in stored):
            mine, pairs = _source(made), made.get("pairs")
            other = of_mechanism.get(made["mech"], mine) != mine or of_pairs.get(made.get("adjacency"), pairs) != pairs
            if other or text in wanted:
                self._db.execute(
                    f"UPDATE jobs SET aside = ? WHERE made = ? AND aside != {DAMAGED}", (STALE * other, text)
                )

    def aside(self, most: int) -> Aside:
        """Returns what is kept and not shown."""
        with self._faults(writing=False):
            stale, damaged = (self._one(f"SELECT count(*) FROM jobs WHERE aside = {kind}") for kind in (STALE, DAMAGED))
            keys = self._db.execute(f"SELECT CAST(key AS BLOB) FROM jobs WHERE aside = {DAMAGED} LIMIT ?", (most,))
            made = self._db.execute("SELECT DISTINCT made FROM jobs WHERE aside = 0").fetchall()
            named = tuple(key.decode("utf-8", "replace") for (key,) in keys)
        return Aside(stale, damaged, named, tuple(json.loads(text) for (text,) in made))

    def claim(self, most: int, cost: float) -> list[Claimed]:
        """Claims open jobs in order: at most so many, and no more once their cost exceeds ``cost``."""
        now = time.time()
        with self._transaction() as db:
            rows = db.execute(
                "SELECT key, cost FROM jobs WHERE aside = 0 AND state = 'open' "
                "AND (owner IS NULL OR lease NOT BETWEEN ? AND ?) ORDER BY position LIMIT ?",
                (now, now + 2 * LEASE, most),
            ).fetchall()
            taken, total = [], 0.0
            for key, price in rows:
                taken.append(Claimed(key, json.loads(key), price))
                total += price
                if total > cost:
                    break
            db.executemany(
                "UPDATE jobs SET owner = ?, lease = ? WHERE key = ?",
                ((self.owner, now + LEASE, job.key) for job in taken),
            )
        return taken

    def renew(self) -> None:
        """Keeps this process's claims for another while."""
        with self._transaction() as db:
            db.execute(
                "UPDATE jobs SET lease = ? WHERE owner = ? AND state = 'open'", (time.time() + LEASE, self.owner)
            )

    def release(self) -> None:
        """Gives up this process's claims, and those of processes of this machine that are gone."""
        with self._transaction() as db:
            owners = [row[0] for row in db.execute("SELECT DISTINCT owner FROM jobs WHERE state = 'open'")]
            gone = [owner for owner in owners if owner and (owner == self.owner or _is_gone(owner))]
            db.executemany(
                "UPDATE jobs SET owner = NULL, lease = NULL WHERE owner = ? AND state = 'open'", ((o,) for o in gone)
            )

    def finish(self, outcomes: Iterable[Outcome]) -> None:
        """Records results and errors; a job that is finished already stays as it is."""
        now = time.time()
        rows = [
            (
                "failed" if "error" in o else "done",
                None if "error" in o else json.dumps(o["result"], sort_keys=True),
                o.get("error"),
                float(o["seconds"]),
                now,
                o["key"],
            )
            for o in outcomes
        ]
        with self._transaction() as db:
            db.executemany(
                "UPDATE jobs SET state = ?, result = ?, error = ?, seconds = ?, finished = ?, owner = NULL, "
                f"lease = NULL WHERE key = ? AND state = 'open' AND aside != {DAMAGED}",
                rows,
            )
            db.executemany(
                f"UPDATE jobs SET checksum = {CHECKSUM} WHERE finished = ? AND key = ? AND aside != {DAMAGED}",
                (row[-2:] for row in rows),
            )

    def status(self) -> Status:
        """Returns how far the sweep is."""
        now = time.time()
        query = (
            "SELECT count(*), total(state = 'done'), total(state = 'failed'), "
            "total(state = 'open' AND owner IS NOT NULL AND lease >= ?), total(finished > ?) / 60, "
            "total(CASE WHEN state = 'open' THEN 0 ELSE cost END), total(cost) FROM jobs WHERE aside = 0"
        )
        with self._faults(writing=False):
            row = self._db.execute(query, (now, now - 60)).fetchone()
        return Status(*(int(v) for v in row[:4]), *row[4:])

    def errors(self, most: int) -> list[tuple[str, str, int]]:
        """Returns entry, error and number of failed jobs, the first ones; the parts of one audit are one line."""
        query = (
            "SELECT entry, error, count(*) FROM jobs WHERE aside = 0 AND state = 'failed' "
            "GROUP BY entry, error ORDER BY min(position) LIMIT ?"
        )
        with self._faults(writing=False):
            return [(str(entry), str(error), int(count)) for entry, error, count in self._db.execute(query, (most,))]

    def jobs(self) -> Iterator[tuple[str, dict[str, Any], str, dict[str, Any] | None, str | None, float | None]]:
        """Yields entry, specification, state, result, error and seconds of every job that is shown, in order."""
        query = "SELECT entry, key, state, result, error, seconds FROM jobs WHERE aside = 0 ORDER BY position, key"
        with self._faults(writing=False):
            for entry, key, state, result, error, seconds in self._db.execute(query):
                yield entry, json.loads(key), state, None if result is None else json.loads(result), error, seconds


def _is_gone(owner: str) -> bool:
    """Returns True only if the owner is a process of this machine that no longer runs."""
    host, _, rest = owner.partition(":")
    pid = rest.partition(":")[0]
    if host != socket.gethostname() or not pid.isdecimal():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False
