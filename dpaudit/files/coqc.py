"""Runs the proof assistant Coq on texts, in a folder of its own, and says what its kernel accepted."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
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
LIBRARY = "DP"
"""Files of one folder know each other by this name: From DP Require Import Laws."""


@dataclass(frozen=True)
class Compiled:
    """How it ended: "" or the first line of what is wrong; what each theorem that was asked for assumes."""

    problem: str
    assumptions: Mapping[str, frozenset[str]]
    seconds: float

    @property
    def own_axioms(self) -> list[str]:
        """Returns what is assumed beyond the real numbers."""
        return sorted(frozenset().union(*self.assumptions.values()) - REAL_AXIOMS)


def installed() -> str | None:
    """Returns the path of coqc, or None."""
    return shutil.which("coqc")


def forbidden(text: str) -> str | None:
    """Returns the first word of the text, outside comments, by which it could claim what it does not prove."""
    found = FORBIDDEN.search(_without_comments(text))
    return found.group() if found else None


def compile_texts(files: Mapping[str, str], theorems: Mapping[str, str], seconds: float) -> Compiled:
    """Returns what the kernel says of the files, in their order, and of the theorems (each with its file).

    Every theorem is asked what it assumes. Nothing is left behind. Coq must be installed.
    """
    start = perf_counter()
    for name, text in files.items():
        word = forbidden(text)
        if word:
            return Compiled(f"{name}: the word {word} is not allowed", {}, 0.0)
    lines = [f"From {LIBRARY} Require {name}." for name in files]
    for theorem, name in theorems.items():
        lines += [f'Goal True. idtac "@@ {theorem}". exact I. Qed.', f"Print Assumptions {name}.{theorem}."]
    asked = {**files, "Asked": "\n".join(lines) + "\n"}
    with tempfile.TemporaryDirectory(prefix="dpaudit-coq-") as folder:
        output = ""
        for name, text in asked.items():
            Path(folder, f"{name}.v").write_text(text, encoding="utf-8")
            left = seconds - (perf_counter() - start)
            problem, output = _compile(folder, name, left)
            if problem:
                return Compiled(problem.format(seconds=f"{seconds:g}"), {}, perf_counter() - start)
    return Compiled("", _assumptions(output), perf_counter() - start)


def _compile(folder: str, name: str, seconds: float) -> tuple[str, str]:
    """Returns what is wrong with one file, and what coqc printed."""
    command = [installed() or "coqc", "-q", "-Q", ".", LIBRARY, f"{name}.v"]
    try:
        done = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, timeout=max(seconds, 1), check=False
        )
    except subprocess.TimeoutExpired:
        return f"{name}.v: takes longer than {{seconds}} seconds", ""
    if done.returncode == 0:
        return "", done.stdout.decode("utf-8", "replace")
    said = " ".join(done.stderr.decode("utf-8", "replace").split())
    where = re.search(r"line (\d+)", said)
    error = said.split("Error:", 1)[-1].strip()[:200] or f"coqc ended with code {done.returncode}"
    at = f", line {where.group(1)}" if where else ""
    return f"{name}.v{at}: {error}".replace("{", "{{").replace("}", "}}"), ""


def _assumptions(output: str) -> dict[str, frozenset[str]]:
    """Returns what Print Assumptions said of each theorem: a name at the beginning of a line, then its type."""
    found = dict[str, frozenset[str]]()
    for block in re.split(r"^@@ ", output, flags=re.MULTILINE)[1:]:
        theorem, _, rest = block.partition("\n")
        names = re.findall(r"^([A-Za-z_][\w.']*)\s*(?::|$)", rest, flags=re.MULTILINE)
        found[theorem.strip()] = frozenset(names) - {"Axioms"}
    return found


def _without_comments(text: str) -> str:
    """Returns the text without comments, which may be nested; no text of ours has quotation marks around them."""
    kept, depth = [], 0
    for piece in re.split(r"(\(\*|\*\))", text):
        if piece == "(*":
            depth += 1
        elif piece == "*)":
            depth -= 1
        elif depth == 0:
            kept.append(piece)
    return " ".join(kept)
