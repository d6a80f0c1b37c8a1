"""What the shell completes: mechanisms, the classes of files, tiers, and the ids of claims. No code of a file runs."""

from __future__ import annotations

from pathlib import Path

MOST_FILES = 200


def mechanisms(incomplete: str) -> list[str]:
    """The named mechanisms, files of Python, and behind "file.py:" the classes of that file."""
    from dpaudit.mechanisms import REGISTRY, named
    from dpaudit.mechanisms.load import classes_in
    from dpaudit.mechanisms.source import TABLES, entry_points

    before, _, last = incomplete.rpartition(",")
    start = f"{before}," if before else ""
    path, colon, _ = last.partition(":")
    if colon:
        return [f"{start}{path}:{name}" for name in classes_in(path) if f"{path}:{name}".startswith(last)]
    folder = Path(last if last.endswith("/") else Path(last).parent)
    files = sorted(folder.glob("*"))[:MOST_FILES] if folder.is_dir() else []
    shown = [f"{file}:" for file in files if file.suffix == ".py" and classes_in(str(file))]
    shown += [str(file) for file in files if file.suffix.lower() in TABLES]
    known = [*REGISTRY, *named.names(), *entry_points(), *shown]
    return [f"{start}{name}" for name in known if name.lower().startswith(last.lower())]


def tiers(incomplete: str) -> list[str]:
    """The tiers."""
    from dpaudit.privacy.fast import TIERS

    return [name for name in TIERS if name.startswith(incomplete)]


def claims(incomplete: str) -> list[str]:
    """The ids of the claims of the installed papers."""
    from dpaudit.claims.catalogue import load

    return [claim for claim in load().claims if claim.startswith(incomplete)]
