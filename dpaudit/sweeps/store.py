"""The state of a sweep in one SQLite file: the jobs of its plans, and their results. Safe to kill at any moment.

Every change is one transaction (write-ahead log), and finishing a job twice changes nothing. One process at a time
works on a store: it holds a lock, which the system releases when the process ends, however it ends. Others may read
meanwhile. A row is stale, kept but not shown, once a plan has requested its mechanism again with another version of
dpaudit or another source.
"""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from dpaudit.files.writing import NotWritten, check_writable, write_errors
from dpaudit.numbers.errors import InputError
from dpaudit.sweeps.plan import Job, canonical
from dpaudit.sweeps.work import Outcome

PATIENCE = 60.0
"""The time to wait for a store that another program has locked, in seconds."""
APPLICATION, LAYOUT = 0x64706173, 2
"""The application_id and the user_version of the file."""
TABLE = (
    """CREATE TABLE jobs (
  key TEXT PRIMARY KEY,
  entry TEXT NOT NULL,
  position INTEGER NOT NULL,
  cost REAL NOT NULL,
  made TEXT NOT NULL,
  stale INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'done', 'failed')),
  result TEXT,
  error TEXT,
  seconds REAL,
  finished REAL
) WITHOUT ROWID""",
    "CREATE INDEX by_state ON jobs (stale, state, position)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {LAYOUT}",
)


class Status(NamedTuple):
    """The progress of the sweep; ``lately`` of its jobs ended in the last minute; the costs are in seconds.

    ``pace`` is the cost finished in a second, since the first job that ended in the last minute.
    """

    total: int
    done: int
    failed: int
    lately: int
    cost_done: float
    cost_total: float
    pace: float

    def left(self) -> float | None:
        """The seconds for the rest at this pace; None if nothing is left, or nothing ended in the last minute."""
        rest = self.cost_total - self.cost_done
        return rest / self.pace if self.pace and self.done + self.failed < self.total else None


def _provenance(spec: Mapping[str, Any]) -> str:
    """What a result was computed from, as text: the mechanism, dpaudit's version and the sources."""
    names = ("mech", "version", "source", "adjacency", "pairs")
    return canonical({name: spec[name] for name in names if name in spec})


def _lock(path: str) -> int:
    """A descriptor that locks the store until it is closed or the process ends; a second one is refused."""
    name = f"{os.path.realpath(path)}-lock"
    with write_errors("out", path):
        while True:
            held = os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                with suppress(FileNotFoundError):  # the last owner may have removed the file meanwhile
                    if os.path.samestat(os.fstat(held), os.stat(name)):
                        return held
            except BlockingIOError:
                os.close(held)
                rule = "another process is working on this store; --status and --export can read it meanwhile"
                raise InputError("out", path, rule) from None
            except BaseException:
                os.close(held)
                raise
            os.close(held)


class Store:
    """The jobs of one sweep in one file; with ``create`` it is made if missing and locked, else it is only read."""

    def __init__(self, path: str, create: bool = True) -> None:
        self.path = path
        if not create and not Path(path).is_file():
            raise InputError("out", path, "there is no such store; run a plan first")
        if not Path(path).exists():
            check_writable("out", path)
        elif not Path(path).is_file():
            raise InputError("out", path, "cannot be used as a store: it is a folder, a pipe or a device, not a file")
        self._lock = _lock(path) if create else None
        try:
            with self._faults(writing=False):
                self._db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
                self._open(create)
        except BaseException:
            self.close()
            raise

    def _open(self, create: bool) -> None:
        """Checks that the file is a store whose pages are sound; with ``create`` an empty one gets its table."""
        is_empty = not self._one("SELECT count(*) FROM sqlite_master")
        if not is_empty:
            if self._one("PRAGMA application_id") != APPLICATION:
                raise sqlite3.DatabaseError("it is the database of another program")
            if self._one("PRAGMA user_version") != LAYOUT:
                raise sqlite3.DatabaseError("it was written by another version of dpaudit, with another layout")
            found = self._one("PRAGMA integrity_check(1)")
            if found != "ok":
                raise sqlite3.DatabaseError(f"the file is damaged: {' '.join(found.split())}")
        elif not create:
            raise sqlite3.DatabaseError("it is empty; run a plan first")
        if create:
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
        if is_empty:
            with self._transaction() as db:
                for statement in TABLE:
                    db.execute(statement)

    def _one(self, query: str) -> Any:
        return self._db.execute(query).fetchone()[0]

    def close(self) -> None:
        """Closes the file and gives up the lock."""
        if hasattr(self, "_db"):
            self._db.close()
        if self._lock is not None:
            with suppress(OSError):
                os.unlink(f"{os.path.realpath(self.path)}-lock")
            os.close(self._lock)
            self._lock = None

    @contextmanager
    def _faults(self, writing: bool) -> Iterator[None]:
        """Turns an error of the database into one line: NotWritten or InputError."""
        try:
            yield
        except (json.JSONDecodeError, UnicodeDecodeError):
            raise InputError("out", self.path, "cannot be used as a store: the file is damaged: no JSON") from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            broken = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
            if (writing and code not in broken) or code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                rule = f"cannot be written: {error}; finished jobs are kept"
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

        Rows of these mechanisms of another version or source become stale.
        """
        with self._transaction() as db:
            before = self._one("SELECT count(*) FROM jobs")
            new = [(job.key, job.entry, before + i, job.cost, _provenance(job.spec)) for i, job in enumerate(jobs)]
            db.executemany("INSERT OR IGNORE INTO jobs (key, entry, position, cost, made) VALUES (?, ?, ?, ?, ?)", new)
            self._mark_stale({made for *_, made in new})
            if retry:
                change = "UPDATE jobs SET state = 'open', error = NULL, seconds = NULL, finished = NULL"
                db.execute(f"{change} WHERE state = 'failed' AND NOT stale")
            return int(self._one("SELECT count(*) FROM jobs") - before)

    def _mark_stale(self, wanted: set[str]) -> None:
        """Marks the rows that these sources replace; rows of these sources are shown again."""
        asked = [json.loads(text) for text in wanted]
        source_of = {made["mech"]: (made["version"], made["source"]) for made in asked}
        pairs_of = {made.get("adjacency"): made.get("pairs") for made in asked}
        for text, made in self._provenances(stale=True):
            mine, pairs = (made["version"], made["source"]), made.get("pairs")
            other = source_of.get(made["mech"], mine) != mine or pairs_of.get(made.get("adjacency"), pairs) != pairs
            if other or text in wanted:
                self._db.execute("UPDATE jobs SET stale = ? WHERE made = ?", (other, text))

    def _provenances(self, stale: bool) -> list[tuple[str, dict[str, Any]]]:
        rows = self._db.execute(f"SELECT DISTINCT made FROM jobs WHERE {stale:d} OR NOT stale")
        return [(text, json.loads(text)) for (text,) in rows.fetchall()]

    def provenances(self) -> list[dict[str, Any]]:
        """The mechanism, version and sources of the rows that are shown, each once."""
        with self._faults(writing=False):
            return [made for _, made in self._provenances(stale=False)]

    def stale(self) -> int:
        """The number of rows that are kept but not shown."""
        with self._faults(writing=False):
            return int(self._one("SELECT count(*) FROM jobs WHERE stale"))

    def todo(self) -> list[tuple[str, float]]:
        """key and cost of every open job, in order."""
        query = "SELECT key, cost FROM jobs WHERE NOT stale AND state = 'open' ORDER BY position"
        with self._faults(writing=False):
            return self._db.execute(query).fetchall()

    def finish(self, outcomes: Iterable[Outcome]) -> None:
        """Records results and errors; a job that is already finished does not change."""
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
        change = "UPDATE jobs SET state = ?, result = ?, error = ?, seconds = ?, finished = ? WHERE key = ?"
        with self._transaction() as db:
            db.executemany(f"{change} AND state = 'open'", rows)

    def status(self) -> Status:
        """The progress of the sweep."""
        query = (
            "SELECT count(*), total(state = 'done'), total(state = 'failed'), total(finished > ?), "
            "total(CASE WHEN state = 'open' THEN 0 ELSE cost END), total(cost), "
            "total(CASE WHEN finished > ? THEN cost ELSE 0 END), min(CASE WHEN finished > ? THEN finished END) "
            "FROM jobs WHERE NOT stale"
        )
        with self._faults(writing=False):
            now = time.time()
            row = self._db.execute(query, (now - 60,) * 3).fetchone()
        total, done, failed, lately, cost_done, cost_total, recent, first = row
        pace = 0.0 if first is None else recent / max(now - first, 1.0)
        return Status(int(total), int(done), int(failed), int(lately), cost_done, cost_total, pace)

    def errors(self, most: int) -> list[tuple[str, str, int]]:
        """entry, error and number of failed jobs, the first ones; the parts of one audit are one line."""
        query = (
            "SELECT entry, error, count(*) FROM jobs WHERE NOT stale AND state = 'failed' "
            "GROUP BY entry, error ORDER BY min(position) LIMIT ?"
        )
        with self._faults(writing=False):
            return [(str(entry), str(error), int(count)) for entry, error, count in self._db.execute(query, (most,))]

    def jobs(self) -> Iterator[tuple[str, dict[str, Any], str, dict[str, Any] | None, str | None, float | None]]:
        """Yields entry, specification, state, result, error and seconds of every job that is shown, in order."""
        query = "SELECT entry, key, state, result, error, seconds FROM jobs WHERE NOT stale ORDER BY position, key"
        with self._faults(writing=False):
            for entry, key, state, result, error, seconds in self._db.execute(query):
                yield entry, json.loads(key), state, None if result is None else json.loads(result), error, seconds
