"""Runs the proof assistant Coq on texts, in a separate folder, and reports what its kernel accepted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
"""The axioms of the real numbers in Coq's standard library: all that a theorem here may assume."""
FORBIDDEN = re.compile(r"\b(Admitted|admit|Axioms?|Parameters?|Conjectures?|give_up|Unset|bypass_check)\b")
"""Words with which a file could claim something without proof."""
AXIOM = re.compile(r"([A-Za-z_][\w.']*)(?: :.*)?")
CLOSED, AXIOMS = "Closed under the global context", "Axioms:"
LONGER = "takes longer than"
LIBRARY = "DP"
"""Files of one folder know each other by this name: From DP Require Import Laws."""


@dataclass(frozen=True)
class Compiled:
    """The outcome: "" or the problem in one line; and the joint assumptions of the requested theorems."""

    problem: str
    assumptions: frozenset[str] = frozenset()

    @property
    def own_axioms(self) -> list[str]:
        """The assumptions beyond the real numbers."""
        return sorted(self.assumptions - REAL_AXIOMS)


def installed() -> str | None:
    """The path of coqc, or None."""
    return shutil.which("coqc")


def forbidden(text: str) -> str | None:
    """The first word of the text, outside comments, with which it could claim something without proof."""
    found = FORBIDDEN.search(_without_comments(text))
    return found.group() if found else None


def compile_texts(files: Mapping[str, str], theorems: Sequence[str], seconds: float) -> Compiled:
    """The kernel's answer on the files, in their order, and the assumptions of the theorems ("File.name").

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
    keys: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="dpaudit-coq-") as folder:
        for name, text in [*files.items(), ("Asked", asked)]:
            keys[name] = _key(name, text, keys)
            problem, output = _compile_once(folder, name, text, keys[name], end)
            if problem:
                break
    return Compiled(f"{problem} {seconds:g} seconds" if problem.endswith(LONGER) else problem, assumed(output))


def _key(name: str, text: str, keys: Mapping[str, str]) -> str:
    """What tells the compiled file from any other: its text, and those of the files that it names.

    A file depends on another only if it names it, or names one that does.
    """
    named = [key for other, key in keys.items() if re.search(rf"\b{other}\b", text)]
    return sha256("\0".join([name, *named, text]).encode()).hexdigest()


@lru_cache(maxsize=1)
def _compiled() -> tempfile.TemporaryDirectory[str]:
    """The folder of what this process has compiled; it goes with the process."""
    return tempfile.TemporaryDirectory(prefix="dpaudit-coq-")


_shared: str | None = None


def share(folder: str) -> None:
    """Lets this process use and fill the folder of another one that called ``kept_in``."""
    global _shared
    _shared = folder


def kept_in() -> str:
    """The folder of compiled files, of this process or those that share it."""
    return _shared or _compiled().name


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Within, no other process compiles this file; where files cannot be locked, several may."""
    try:
        from fcntl import LOCK_EX, flock
    except ImportError:
        yield
        return
    with path.open("w") as file:
        flock(file, LOCK_EX)
        yield


def _compile_once(folder: str, name: str, text: str, key: str, end: float) -> tuple[str, str]:
    """Leaves the compiled file in the folder; returns what is wrong with it, and what coqc printed.

    What was compiled once, by this process or one that it shares its folder with, is copied.
    """
    kept = Path(kept_in(), f"{key}.vo")
    said = kept.with_suffix(".txt")
    with _alone(kept.with_suffix(".lock")):
        if said.exists():
            shutil.copy(kept, Path(folder, f"{name}.vo"))
            return "", said.read_text(encoding="utf-8")
        Path(folder, f"{name}.v").write_text(text, encoding="utf-8")
        problem, output = _compile(folder, name, end - perf_counter())
        if not problem:
            for target, content in ((kept, Path(folder, f"{name}.vo").read_bytes()), (said, output.encode())):
                new = Path(f"{target}.{os.getpid()}")
                new.write_bytes(content)
                os.replace(new, target)  # whole at once: where files are not locked, another process may look
        return problem, output


def assumed(output: str) -> frozenset[str]:
    """What Print Assumptions says: names of axioms, and every other line of it as it stands.

    Lines that continue a type are indented. What is not understood is returned, so that it is nobody's axiom.
    """
    lines = [line.rstrip() for line in output.splitlines() if line[:1].strip()]
    if not {CLOSED, AXIOMS} & set(lines):
        return frozenset({"what coqc does not say"})
    found = [(line, AXIOM.fullmatch(line)) for line in lines if line not in (CLOSED, AXIOMS)]
    return frozenset(named.group(1) if named else line for line, named in found)


def _compile(folder: str, name: str, seconds: float) -> tuple[str, str]:
    """What is wrong with one file, and what coqc printed."""
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
