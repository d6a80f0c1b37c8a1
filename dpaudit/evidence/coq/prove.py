"""dpaudit verify --coq: exports a certificate and lets Coq's kernel decide."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from dpaudit.evidence.coq.export import THEOREMS, check_exportable, read_certificate, text_of
from dpaudit.files.coqc import INSTALL, LONGER, compile_texts, installed
from dpaudit.numbers.errors import InputError

NAME = "Certificate"
COMPUTED = "all_fine laws = true"
"""The one computation in a certificate's proof, as the kernel's error message quotes it."""
FALSE = "the kernel does not accept it: some pair and output exceeds the upper bound, or the witness misses the lower"


@dataclass(frozen=True)
class Proved:
    """The kernel's answer: a line, or the problem."""

    line: str
    problem: str


def check_possible(file: str) -> None:
    """Refuses a certificate that cannot be exported, before any work is done; the verifier reports any other fault."""
    if not Path(file).is_file():
        return
    try:
        document = read_certificate(file)
    except InputError:
        return
    check_exportable(document)


def prove(file: str, seconds: int) -> Proved:
    """Coq's answer on both bounds within these seconds; an InputError where Coq cannot run."""
    if installed() is None:
        raise InputError("coq", "yes", INSTALL)
    text = text_of(read_certificate(file))
    found = compile_texts({NAME: text}, [f"{NAME}.{name}" for name in THEOREMS], seconds)
    if "Interval" in found.problem and "Cannot find" in found.problem:
        raise InputError("coq", "yes", f"the library Interval of Coq is missing: {INSTALL}")
    if COMPUTED in found.problem:
        return Proved("", FALSE)
    if LONGER in found.problem:
        return Proved("", f"not decided, {found.problem} (--seconds)")
    if found.problem:
        return Proved("", f"the kernel does not accept it: {found.problem}")
    if found.own_axioms:
        return Proved("", f"the theorems assume {', '.join(found.own_axioms)}")
    size = f"{len(text)} characters"
    words = "Coq: the kernel accepts upper_bound and lower_bound, which assume nothing but the axioms of its reals"
    return Proved(f"{words} ({size})", "")
