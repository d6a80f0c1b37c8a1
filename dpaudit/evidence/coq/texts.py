"""The parts of a file for Coq: templates from this folder, numbers and lists in Coq's syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.numbers.errors import InputError

WITNESS = {"x": "X", "x_prime": "Y", "output": "OUTPUT"}
"""The members of a witness, and their names in a template."""
HERE = Path(__file__).parent


def template(name: str) -> str:
    """The text of a template."""
    return (HERE / f"{name}.v").read_text(encoding="utf-8")


def sections(name: str) -> dict[str, str]:
    """The parts of a template, each of which begins with a line "@@ name"."""
    pieces = re.split(r"^@@ (.*)\n", template(name), flags=re.MULTILINE)[1:]
    return dict(zip(pieces[::2], (piece.strip("\n") for piece in pieces[1::2]), strict=True))


PIECES = ("histograms", "histograms_proof", "enclosures", "expressions", "sums", "sums_statement", "pairs")
"""Templates that are included in others, by their names in capitals."""


def with_pieces(text: str) -> str:
    """The text with every @PIECE@ replaced by that template."""
    for piece in PIECES:
        text = text.replace(f"@{piece.upper()}@\n", template(piece))
    return text


def filled(text: str, values: Mapping[str, object]) -> str:
    """The text with every @NAME@ replaced; each of them must have a value."""
    return re.sub(r"@([A-Z_]+)@", lambda found: str(values[found.group(1)]), text)


def real(value: Fraction) -> str:
    """A rational as a real number of Coq."""
    return str(value.numerator) if value.denominator == 1 else f"{value.numerator} / {value.denominator}"


def enclosed(name: str, real_name: str, value: Fraction) -> str:
    """The definition of an enclosure of a rational number, and the lemma that it encloses it."""
    if value.denominator == 1:
        made, proof = f"I.fromZ prec ({value.numerator})", f"fromZ_ok prec ({value.numerator})"
    else:
        made = f"ratio prec ({value.numerator}) {value.denominator}"
        proof = f"ratio_ok prec ({value.numerator}) {value.denominator}"
    lemma = f"Lemma {name}_ok : encloses {name}_i {real_name}.\nProof. exact ({proof}). Qed."
    return f"Definition {name}_i : I.type := {made}.\n{lemma}"


def counts(values: Iterable[int]) -> str:
    """A histogram."""
    return f"[{'; '.join(map(str, values))}]%nat"


def counted(witness: Mapping[str, Any]) -> dict[str, object]:
    """The witness of a model of histograms; refuses anything but lists of counts, as it is still unchecked."""
    for name in WITNESS:
        value = witness.get(name)
        if not isinstance(value, list) or not all(type(count) is int and 0 <= count < 10**6 for count in value):
            raise InputError("certificate", str(value)[:40], f"{name} of the witness is not a list of counts")
    return {key: counts(witness[name]) for name, key in WITNESS.items()}


def remark(words: Iterable[str]) -> str:
    """Names by their position, for a comment: nothing in them can end it or begin a string."""
    shown = (re.sub(r"[^\w .,:;=+/\[\](){}<>-]", "?", word)[:80] for word in words)
    return ",\n     ".join(f"{i}: {word}" for i, word in enumerate(shown))


def bits_for(lower: Fraction, upper: Fraction, terms: int) -> int:
    """A precision at which intervals separate the ends after sums of this many terms."""
    width = upper - lower
    digits = 64 if width <= 0 else (width.denominator // max(width.numerator, 1)).bit_length()
    return max(80, digits + terms.bit_length() + 32)


def rational(value: Fraction) -> str:
    """A rational number of Coq, in brackets."""
    return f"({value.numerator} # {value.denominator})"
