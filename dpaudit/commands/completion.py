"""What the shell completes: mechanisms, the classes of files, tiers, and the ids of claims. No code of a file runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

MOST_FILES = 200


def in_bash(answer: Callable[[], object]) -> None:
    """Answers bash, for which ":" and "=" are words of their own: joins them, and prints what follows the last ":"."""
    words, place = os.environ["COMP_WORDS"].split("\n"), int(os.environ["COMP_CWORD"])
    joined = list[str]()
    for before, word in zip(["", *words], words[: place + 1], strict=False):
        if word == "=" and before.startswith("--"):
            continue
        if joined and (word == ":" or (before == ":" and not word.startswith("-"))):
            joined[-1] += word
        else:
            joined.append(word)
    os.environ.update(COMP_WORDS="\n".join(joined), COMP_CWORD=str(len(joined) - 1))
    start = joined[-1].rpartition(":")[0]
    shown = StringIO()
    with redirect_stdout(shown), suppress(SystemExit):  # with which an answer ends
        answer()
    for line in shown.getvalue().splitlines():
        print(line.removeprefix(f"{start}:") if start else line)


def mechanisms(incomplete: str) -> list[str]:
    """The named mechanisms, the classes of Python files, tables."""
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
    shown = [f"{file}:{name}" for file in files if file.suffix == ".py" for name in classes_in(str(file))]
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
