"""The layout of a store: its one table, what of a row its checksum covers, and how an older file is brought to it."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from typing import Any

from dpaudit.sweeps.plan import canonical

APPLICATION = 0x64706173
LAYOUT = 1
"""The user_version of the file; that of dpaudit 0.1.0, without checksums and sources, is 0."""
TABLE = """
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
) WITHOUT ROWID
"""
STALE, DAMAGED = 1, 2
CHECKED = ("key", "entry", "position", "cost", "made", "state", "result", "error", "seconds")
CHECKSUM = f"row_checksum({', '.join(f'CAST({name} AS BLOB)' for name in CHECKED)})"
LAYOUT_1 = (
    TABLE,
    "ALTER TABLE jobs ADD COLUMN made TEXT",
    "ALTER TABLE jobs ADD COLUMN aside INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE jobs ADD COLUMN checksum TEXT",
    "UPDATE jobs SET made = old_made(key, result)",
    f"UPDATE jobs SET checksum = {CHECKSUM} WHERE made IS NOT NULL",
    "DROP INDEX IF EXISTS by_state",
    "CREATE INDEX by_state ON jobs (aside, state, position)",
    f"PRAGMA application_id = {APPLICATION}",
    f"PRAGMA user_version = {LAYOUT}",
)


def row_checksum(*values: bytes | None) -> str:
    """Returns the SHA-256 of what a row says."""
    return hashlib.sha256(repr(values).encode()).hexdigest()


def made_of(spec: Mapping[str, Any]) -> str:
    """Returns of what a result is made: the mechanism, dpaudit's version, the sources."""
    names = ("mech", "version", "source", "adjacency", "pairs")
    return canonical({name: spec[name] for name in names if name in spec})


def old_made(key: str, result: str | None) -> str | None:
    """Returns the same of a row of layout 0; None if it is damaged."""
    try:
        json.loads(result or "null")
        return made_of(json.loads(key))
    except (ValueError, TypeError):
        return None


def check(db: sqlite3.Connection, create: bool) -> bool:
    """Refuses a file that is no store or is damaged; returns whether it is to be brought to this layout."""
    db.create_function("row_checksum", len(CHECKED), row_checksum, deterministic=True)
    db.create_function("old_made", 2, old_made, deterministic=True)
    (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
    (application,) = db.execute("PRAGMA application_id").fetchone()  # another process may be making the file
    if tables and application != APPLICATION:
        raise sqlite3.DatabaseError("it is a database of another program")
    if not tables and not create:
        raise sqlite3.DatabaseError("it is empty; run a plan first")
    (sound,) = db.execute("PRAGMA integrity_check(1)").fetchone()
    if sound != "ok":
        raise sqlite3.DatabaseError(f"the file is damaged: {' '.join(sound.split())}")
    return is_older(db)


def is_older(db: sqlite3.Connection) -> bool:
    """Returns whether the file has an older layout; a newer one is refused."""
    (layout,) = db.execute("PRAGMA user_version").fetchone()
    if layout > LAYOUT:
        raise sqlite3.DatabaseError("a newer dpaudit made it")
    return bool(layout < LAYOUT)
