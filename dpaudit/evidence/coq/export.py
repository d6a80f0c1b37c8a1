"""dpaudit export: a certificate as one self-contained file for Coq's kernel to accept or reject."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.audit.page import Note, Page
from dpaudit.evidence.coq import family, sums
from dpaudit.evidence.coq.texts import template
from dpaudit.evidence.verifier.arithmetic import Malformed
from dpaudit.evidence.verifier.core import Rejected
from dpaudit.evidence.verifier.main import parts_of
from dpaudit.evidence.verifier.reading import FORMAT, MAX_BYTES, number_or_inf, read
from dpaudit.files.strict_json import read_bytes
from dpaudit.files.writing import write_file
from dpaudit.numbers.errors import InputError

CAN = (
    "epsilon certificates of the family with priors m/2, of tables and of own mechanisms made of exp and rationals can"
)
THEOREMS = ("upper_bound", "lower_bound")
TRUSTED = {
    "table": """That the table is what a user's code computes is not part of the proof, nor that its rows add up to 1
   (dpaudit verify adds them up).""",
    "family": """Gamma at m/2 is taken to be what Gamma_half says: sqrt PI at 1/2, 1 at 1, Gamma (z + 1) = z Gamma z;
   and the Bhattacharyya coefficient of two Dirichlet distributions to be the quotient of Beta functions.""",
    "LS": "The distribution function of the Laplace noise is taken to be F.",
}
"""What the definitions assume without proof."""

FILE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\.v")


@dataclass(frozen=True)
class ExportResult(Shown):
    """The written file, and the theorems in it."""

    file: str
    coq: str
    characters: int

    def to_dict(self) -> dict[str, Any]:
        """The JSON of ``dpaudit export --json``."""
        return {"file": self.file, "coq": self.coq, "characters": self.characters, "theorems": list(THEOREMS)}

    def page(self) -> Page:
        """The file, its theorems, and the command that checks it."""
        names = " and ".join(THEOREMS)
        return [Note(f"{self.coq}: {self.characters} characters, theorems {names}; check it with: coqc {self.coq}")]


def export(file: str, *, coq: str) -> ExportResult:
    """Writes the certificate as a file for Coq; refuses what cannot be exported, and names that coqc rejects."""
    if not FILE_NAME.fullmatch(Path(coq).name):
        rule = "coqc wants a name of letters, digits and _ that begins with a letter and ends with .v"
        raise InputError("coq", coq, rule)
    text = text_of(read_certificate(file))
    write_file("coq", coq, text)
    return ExportResult(file, coq, len(text))


def read_certificate(path: str) -> dict[str, Any]:
    """A certificate whose form the verifier accepts; refuses every other file in one line."""
    try:
        document = read(read_bytes("CERTIFICATE", path, MAX_BYTES))
    except Malformed as problem:
        raise InputError("CERTIFICATE", path, str(problem)) from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError("CERTIFICATE", path, f'this is not a "{FORMAT}"')
    try:
        list(parts_of(document, False))
    except Malformed as problem:
        raise InputError("CERTIFICATE", path, f"malformed: {problem}") from None
    except (Rejected, RecursionError) as problem:
        raise InputError("CERTIFICATE", path, str(problem)) from None
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError) as problem:
        raise InputError("CERTIFICATE", path, f"malformed: {type(problem).__name__}") from None
    return document


def check_exportable(document: dict[str, Any]) -> None:
    """Refuses a certificate of anything but one finite epsilon."""
    if "parts" in document:
        raise InputError("certificate", "parts", f"several certificates in one cannot be exported; {CAN}")
    statement = document["statement"]
    if statement.get("quantity") != "epsilon":
        raise InputError("certificate", statement.get("quantity"), f"this quantity cannot be exported; {CAN}")
    if number_or_inf(statement["upper"], "upper") is None:
        raise InputError("certificate", statement["upper"], f"an infinite epsilon cannot be exported; {CAN}")


def text_of(document: dict[str, Any]) -> str:
    """The file for a certificate of epsilon; refuses what cannot be exported."""
    check_exportable(document)
    subject, statement = document["subject"], document["statement"]
    if "rows" in subject:
        body = sums.table
    else:
        body = sums.laplace if subject["mechanism"].startswith("LS") else family.text_of
    return _heading(document) + template("head") + body(subject, statement, document["witness"] or {})


def _heading(document: dict[str, Any]) -> str:
    """The comment on top: what is proved, and what remains to be trusted."""
    subject, statement = document["subject"], document["statement"]
    if "rows" in subject:
        what = (
            f"the table of this certificate ({len(subject['datasets'])} data sets, {len(subject['outputs'])} outputs)"
        )
        trusted = TRUSTED["table"]
    else:
        prior = f"({', '.join(map(str, subject['prior']))})"
        given = {"prior": prior, "epsilon": subject["nominal_epsilon"], **subject["parameters"]}
        options = "".join(f", {name} = {value}" for name, value in given.items())
        what = f"{subject['mechanism']} with n = {subject['n']}, k = {subject['k']}{options}"
        trusted = TRUSTED["LS" if subject["mechanism"].startswith("LS") else "family"]
    lower, upper = statement["lower"], statement["upper"]
    return f"""(* Made from a certificate of dpaudit, SHA-256 {document["sha256"]}.

   Proved: for {what}, as defined below,
   - upper_bound: for every adjacent pair x, y and every output r, ln P_x(r) - ln P_y(r) <= {upper};
   - lower_bound: at the witness it is >= {lower}.
   Read the definitions down to "what is proved"; the rest is proof, which Coq's kernel checks.

   Trusted: Coq's kernel with its virtual machine, the axioms of its real numbers, and that the definitions say what is
   meant. {trusted} *)

"""
