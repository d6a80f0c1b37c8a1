"""Where a mechanism comes from: the file behind it, and the hash of that file."""

from __future__ import annotations

import hashlib
import inspect
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from dpaudit.mechanisms.named import is_named
from dpaudit.numbers.errors import InputError

GROUP = "dpaudit.mechanisms"
"""The entry-point group under which an installed package registers its mechanisms."""
TABLES = (".csv", ".json", ".parquet")


@cache
def entry_points() -> dict[str, Any]:
    """The mechanisms that installed packages register, by name, not loaded yet."""
    from importlib.metadata import entry_points as installed

    return {point.name: point for point in installed(group=GROUP)}


def is_own(mech: str) -> bool:
    """Whether the text refers to a class, a table, an entry point or a known name, not to a mechanism of the family."""
    return is_named(mech) or ":" in mech or mech.lower().endswith((*TABLES, ".py")) or mech.strip() in entry_points()


def file_of(mech: Any) -> Path | None:
    """The file of a mechanism (its code or its table) or of an adjacency; None for what dpaudit has itself.

    That of an object or a class is where its class was written, if that is a file.
    """
    if not isinstance(mech, str):
        return _file_of_class(mech if isinstance(mech, type) else type(mech))
    mech = mech.strip()
    if mech.lower().endswith(TABLES):
        return Path(mech)
    if is_named(mech) or not is_own(mech):
        return None
    where = entry_points()[mech].module if mech in entry_points() else mech.rpartition(":")[0]
    if where.endswith(".py"):
        return Path(where)
    try:
        spec = find_spec(where)
    except Exception:  # a package that cannot be imported: loading the mechanism says why
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None and spec.has_location else None


def _file_of_class(kind: type) -> Path | None:
    try:
        found = inspect.getsourcefile(kind)
    except (TypeError, OSError):  # written in a session, or built in
        return None
    return Path(found) if found is not None and Path(found).is_file() else None


def sha256_of(option: str, mech: Any) -> str | None:
    """The SHA-256 of that file, None if there is none."""
    path = file_of(mech)
    if path is None:
        return None
    if not path.is_file():
        raise InputError(option, mech, f"there is no file {path}")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(option, mech, f"{path} cannot be read: {error.strerror or error}") from None
