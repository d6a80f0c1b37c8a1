"""What a result was computed from: the files behind a mechanism, and their hash."""

from __future__ import annotations

import hashlib
from importlib.util import find_spec
from pathlib import Path

from dpaudit.mechanisms import in_family
from dpaudit.mechanisms.load import TABLES, entry_points
from dpaudit.numbers.errors import InputError
from dpaudit.version import __version__


def file_of(mech: str) -> Path | None:
    """Returns the file of a mechanism (its code or its table) or of an adjacency; None for what dpaudit has itself."""
    mech = mech.strip()
    if mech.lower().endswith(TABLES):
        return Path(mech)
    if in_family(mech):
        return None
    where = entry_points()[mech].module if mech in entry_points() else mech.rpartition(":")[0]
    if where.endswith(".py"):
        return Path(where)
    try:
        spec = find_spec(where)
    except Exception:  # a package that cannot be imported: loading the mechanism says why
        return None
    return Path(spec.origin) if spec is not None and spec.origin is not None and spec.has_location else None


def source(option: str, name: str) -> str | None:
    """Returns the SHA-256 of that file, None if there is none."""
    path = file_of(name)
    if path is None:
        return None
    if not path.is_file():
        raise InputError(option, name, f"there is no file {path}")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InputError(option, name, f"{path} cannot be read: {error.strerror or error}") from None


def made(mech: str, adjacency: str | None) -> dict[str, str | None]:
    """Returns what a result is made of besides its setting: dpaudit's version, the mechanism's file, that of pairs."""
    pairs = None if adjacency is None else source("adjacency", adjacency)
    return {"version": __version__, "source": source("mech", mech), **({"pairs": pairs} if pairs else {})}
