"""Theorems in the proof assistant Coq that lines of a proof may name; coqc runs once for each file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dpaudit.files.coqc import LIBRARY, compile_texts, installed

SECONDS = 600
"""A time limit in seconds: a few suffice, but a busy machine may take longer."""
NOT_RUN = "not run here, coqc is not installed"
_asking: ContextVar[bool] = ContextVar("asking", default=True)


@contextmanager
def without_coq() -> Iterator[None]:
    """Within this block coqc is not used, as if not installed: lines that name its theorems count as by hand."""
    token = _asking.set(False)
    try:
        yield
    finally:
        _asking.reset(token)


@dataclass(frozen=True)
class Theorem:
    """A theorem in a file of a folder; ``says`` states it in a plain sentence."""

    folder: Path
    file: str
    name: str
    says: str

    def __str__(self) -> str:
        """Its full name."""
        return f"{self.file}.{self.name}"

    def problem(self) -> str | None:
        """Why the kernel does not accept the theorem; "" if it does, without further axioms; None: not run here."""
        if not _asking.get() or installed() is None:
            return None
        files = with_required(self.folder, self.file)
        if self.name not in theorems(files[self.file]):
            return f"{self.file}.v has no theorem {self.name}"
        return _coq_problem(tuple(files.items()))


def with_required(folder: Path, file: str) -> dict[str, str]:
    """The texts of the file and of those that it requires, these before it."""
    text = (folder / f"{file}.v").read_text(encoding="utf-8")
    found: dict[str, str] = {}
    for names in re.findall(rf"^From {LIBRARY} Require Import ([\w ]+)\.", text, flags=re.MULTILINE):
        for name in names.split():
            found |= with_required(folder, name)
    return {**found, file: text}


def theorems(text: str) -> list[str]:
    """The names of the theorems of a file."""
    return re.findall(r"^\s*Theorem (\w+)", text, flags=re.MULTILINE)


@lru_cache(maxsize=64)
def _coq_problem(files: tuple[tuple[str, str], ...]) -> str:
    """What is wrong with the last of the files, or ""; by their content, so once in a run."""
    texts: Mapping[str, str] = dict(files)
    file, text = files[-1]
    compiled = compile_texts(texts, [f"@{file}.{name}" for name in theorems(text)], SECONDS)
    return compiled.problem or ", ".join(compiled.own_axioms and [f"it assumes {', '.join(compiled.own_axioms)}"])
