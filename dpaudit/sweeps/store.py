"""The state of a sweep in one SQLite file: what is to do, who does it, what is done. Safe to kill at any moment.

Every change is one transaction (write-ahead log). A job is claimed with a lease that its owner renews; the lease of a
process that is gone is void. Finishing a job twice changes nothing.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.plan import Job
from dpaudit.sweeps.work import Outcome

APPLICATION = 0x64706173
LEASE = 60.0
"""Seconds until the claim of a silent process on another machine lapses."""
SCHEMA = """
CREATE TABLE IF NOT EXISTS jobs (
  key TEXT PRIMARY KEY,
  entry TEXT NOT NULL,
  spec TEXT NOT NULL,
  position INTEGER NOT NULL,
  cost REAL NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'failed')),
  owner TEXT,
  lease REAL,
  result TEXT,
  error TEXT,
  seconds REAL,
  finished REAL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_state ON jobs (state, position);
"""


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


class Store:
    """The jobs of one sweep in one file."""

    def __init__(self, path: str, create: bool = True) -> None:
        self.path = path
        self.owner = f"{socket.gethostname()}:{os.getpid()}:{time.time_ns()}"
        if not create and not Path(path).is_file():
            raise InputError("out", path, "there is no such store; run a plan first")
        try:
            self._db = sqlite3.connect(path, timeout=60, isolation_level=None)
            self._open()
        except sqlite3.Error as error:
            raise InputError("out", path, f"cannot be used as a store: {error}") from None

    def _open(self) -> None:
        (application,) = self._db.execute("PRAGMA application_id").fetchone()
        (tables,) = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and application != APPLICATION:
            raise sqlite3.DatabaseError("it is a database of another program")
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        if not tables:
            self._db.execute(f"PRAGMA application_id = {APPLICATION}")
            self._db.executescript(SCHEMA)

    def close(self) -> None:
        """Closes the file."""
        self._db.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield self._db
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")

    def add(self, jobs: Sequence[Job], retry: bool = False) -> int:
        """Adds the jobs that are new and returns their number; with ``retry`` failed ones are open again."""
        with self._transaction() as db:
            (before,) = db.execute("SELECT count(*) FROM jobs").fetchone()
            db.executemany(
                "INSERT OR IGNORE INTO jobs (key, entry, spec, position, cost) VALUES (?, ?, ?, ?, ?)",
                ((j.key, j.entry, json.dumps(j.spec), before + i, j.cost) for i, j in enumerate(jobs)),
            )
            if retry:
                db.execute("UPDATE jobs SET state = 'open', error = NULL, owner = NULL WHERE state = 'failed'")
            (after,) = db.execute("SELECT count(*) FROM jobs").fetchone()
        return int(after - before)

    def claim(self, most: int, cost: float) -> list[Claimed]:
        """Claims open jobs in order: at most so many, and no more once their cost exceeds ``cost``."""
        now = time.time()
        with self._transaction() as db:
            rows = db.execute(
                "SELECT key, spec, cost FROM jobs WHERE state = 'open' AND (owner IS NULL OR lease < ?) "
                "ORDER BY position LIMIT ?",
                (now, most),
            ).fetchall()
            taken, total = [], 0.0
            for key, spec, price in rows:
                taken.append(Claimed(key, json.loads(spec), price))
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
        owners = [row[0] for row in self._db.execute("SELECT DISTINCT owner FROM jobs WHERE state = 'open'")]
        gone = [owner for owner in owners if owner and (owner == self.owner or _is_gone(owner))]
        with self._transaction() as db:
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
                o["seconds"],
                now,
                o["key"],
            )
            for o in outcomes
        ]
        with self._transaction() as db:
            db.executemany(
                "UPDATE jobs SET state = ?, result = ?, error = ?, seconds = ?, finished = ?, owner = NULL, "
                "lease = NULL WHERE key = ? AND state = 'open'",
                rows,
            )

    def status(self) -> Status:
        """Returns how far the sweep is."""
        now = time.time()
        row = self._db.execute(
            "SELECT count(*), total(state = 'done'), total(state = 'failed'), "
            "total(state = 'open' AND owner IS NOT NULL AND lease >= ?), total(finished > ?) / 60, "
            "total(CASE WHEN state = 'open' THEN 0 ELSE cost END), total(cost) FROM jobs",
            (now, now - 60),
        ).fetchone()
        return Status(*(int(v) for v in row[:4]), *row[4:])

    def errors(self, most: int) -> list[tuple[str, str, int]]:
        """Returns entry, error and number of failed jobs, the first ones; the parts of one audit are one line."""
        query = (
            "SELECT entry, error, count(*) FROM jobs WHERE state = 'failed' "
            "GROUP BY entry, error ORDER BY min(position) LIMIT ?"
        )
        return [(str(entry), str(error), int(count)) for entry, error, count in self._db.execute(query, (most,))]

    def jobs(self) -> Iterator[tuple[str, dict[str, Any], str, dict[str, Any] | None, str | None, float | None]]:
        """Yields entry, specification, state, result, error and seconds of every job, in order."""
        query = "SELECT entry, spec, state, result, error, seconds FROM jobs ORDER BY position, key"
        for entry, spec, state, result, error, seconds in self._db.execute(query):
            yield entry, json.loads(spec), state, None if result is None else json.loads(result), error, seconds


def _is_gone(owner: str) -> bool:
    """Returns True only if the owner is a process of this machine that no longer runs."""
    host, pid, _ = owner.rsplit(":", 2)
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
