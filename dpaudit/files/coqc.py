"""Runs the proof assistant Coq on texts, in a folder of its own, and says what its kernel accepted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from time import perf_counter

INSTALL = "coqc is not installed here: on Debian or Ubuntu, apt-get install coq libcoq-interval"
REAL_AXIOMS = frozenset(
    {
        "ClassicalDedekindReals.sig_forall_dec",
        "ClassicalDedekindReals.sig_not_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
)
"""What the real numbers of Coq's standard library rest on: all that a theorem here may assume."""
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjectures?|give_up|Unset|bypass_check)\b")
"""Words by which a file could claim what it does not prove."""
AXIOM = re.compile(r"([A-Za-z_][\w.']*)(?: :.*)?")
CLOSED, AXIOMS = "Closed under the global context", "Axioms:"
LONGER = "takes longer than"
LIBRARY = "DP"
"""Files of one folder know each other by this name: From DP Require Import Laws."""


@dataclass(frozen=True)
class Compiled:
    """How it ended: "" or what is wrong in one line; what the theorems that were asked for assume together."""

    problem: str
    assumptions: frozenset[str] = frozenset()

    @property
    def own_axioms(self) -> list[str]:
        """Returns what is assumed beyond the real numbers."""
        return sorted(self.assumptions - REAL_AXIOMS)


def installed() -> str | None:
    """The path of coqc, or None."""
    return shutil.which("coqc")


def forbidden(text: str) -> str | None:
    """The first word of the text, outside comments, by which it could claim what it does not prove."""
    found = FORBIDDEN.search(_without_comments(text))
    return found.group() if found else None


def compile_texts(files: Mapping[str, str], theorems: Sequence[str], seconds: float) -> Compiled:
    """Returns what the kernel says of the files, in their order, and what the theorems ("File.name") assume.

    Nothing is left behind. Coq must be installed.
    """
    end = perf_counter() + seconds
    for name, text in files.items():
        word = forbidden(text)
        if word:
            return Compiled(f"{name}.v: the word {word} is not allowed")
        if name in {axiom.split(".")[0] for axiom in REAL_AXIOMS}:
            return Compiled(f"{name}.v has the name of a file of Coq's own, whose axioms are allowed")
    asked = "".join(f"From {LIBRARY} Require {name}.\n" for name in files)
    asked += f"Definition together := ({', '.join(theorems)}, tt).\nPrint Assumptions together.\n"
    with tempfile.TemporaryDirectory(prefix="dpaudit-coq-") as folder:
        before = sha256()
        for name, text in files.items():
            before.update(f"{name} {len(text)} {text}".encode())
            problem = _compile_once(folder, name, text, before.hexdigest(), end - perf_counter())
            if problem:
                return Compiled(f"{problem} {seconds:g} seconds" if problem.endswith(LONGER) else problem)
        Path(folder, "Asked.v").write_text(asked, encoding="utf-8")
        problem, output = _compile(folder, "Asked", end - perf_counter())
    return Compiled(f"{problem} {seconds:g} seconds" if problem.endswith(LONGER) else problem, assumed(output))


@lru_cache(maxsize=1)
def _compiled() -> tempfile.TemporaryDirectory[str]:
    """The folder of what this process has compiled; it goes with the process."""
    return tempfile.TemporaryDirectory(prefix="dpaudit-coq-")


def _compile_once(folder: str, name: str, text: str, key: str, seconds: float) -> str:
    """Leaves the compiled file in the folder; returns what is wrong with it.

    The key is that of the file and of all files before it, on which it may depend: what was compiled once in this
    process is copied.
    """
    kept = Path(_compiled().name, f"{key}.vo")
    if kept.exists():
        shutil.copy(kept, Path(folder, f"{name}.vo"))
        return ""
    Path(folder, f"{name}.v").write_text(text, encoding="utf-8")
    problem, _ = _compile(folder, name, seconds)
    if not problem:
        copy = shutil.copy(Path(folder, f"{name}.vo"), f"{kept}.{os.getpid()}")
        os.replace(copy, kept)  # a worker may keep the same file
    return problem


def assumed(output: str) -> frozenset[str]:
    """Returns what Print Assumptions says: names of axioms, and every other line of it as it stands.

    Lines that continue a type are indented. What is not understood is returned, so that it is nobody's axiom.
    """
    lines = [line.rstrip() for line in output.splitlines() if line[:1].strip()]
    if not {CLOSED, AXIOMS} & set(lines):
        return frozenset({"what coqc does not say"})
    found = [(line, AXIOM.fullmatch(line)) for line in lines if line not in (CLOSED, AXIOMS)]
    return frozenset(named.group(1) if named else line for line, named in found)


def _compile(folder: str, name: str, seconds: float) -> tuple[str, str]:
    """Returns what is wrong with one file, and what coqc printed."""
    command = [installed() or "coqc", "-q", "-Q", ".", LIBRARY, f"{name}.v"]
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=max(seconds, 1), check=False
        )
    except subprocess.TimeoutExpired:
        return f"{name}.v: {LONGER}", ""
    if done.returncode == 0:
        return "", done.stdout.decode("utf-8", "replace")
    said = " ".join(done.stderr.decode("utf-8", "replace").split())
    where = re.search(r"line (\d+)", said)
    error = said.split("Error:", 1)[-1].strip()[:200] or f"coqc ended with code {done.returncode}"
    at = f", line {where.group(1)}" if where else ""
    return f"{name}.v{at}: {error}", ""


def _without_comments(text: str) -> str:
    """The text without comments, which may be nested; no text of ours has quotation marks around them."""
    kept, depth = [], 0
    for piece in re.split(r"(\(\*|\*\))", text):
        if piece == "(*":
            depth += 1
        elif piece == "*)":
            depth -= 1
        elif depth == 0:
            kept.append(piece)
    return " ".join(kept)
