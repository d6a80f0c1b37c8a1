"""Exponential mechanisms of the family for Coq: Hellinger distances, sensitivities and laws in enclosures."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from dpaudit.evidence.coq.texts import (
    bits_for,
    counted,
    counts,
    enclosed,
    filled,
    real,
    sections,
    template,
    with_pieces,
)
from dpaudit.numbers.errors import InputError

MOST = 100_000
"""The most probabilities in an exported model: each takes Coq about 20 ms."""
SENSITIVITY = {
    ("EHD", "constant"): ("constant",),
    ("EHD", "exact"): ("global",),
    ("EHDL", ""): ("local",),
    ("EHDS", ""): ("smooth", "EHDS"),
    ("MH", ""): ("smooth", "MH"),
    ("MHdelta", ""): ("MHdelta",),
}
"""The parts of sensitivities.v that define Delta(x)."""


def text_of(subject: dict[str, Any], statement: dict[str, Any], witness: dict[str, Any]) -> str:
    """The file for a certificate of EHD, EHDL, EHDS, MH or MHdelta; refuses priors that are not m/2."""
    name, n, prior = subject["mechanism"], subject["n"], [Fraction(a) for a in subject["prior"]]
    if any((2 * a).denominator != 1 for a in prior):
        rule = "only whole and half-integer priors can be exported: there Gamma is a rational times 1 or the root of pi"
        raise InputError("prior", ", ".join(map(str, prior)), rule)
    size = comb(n + len(prior) - 1, len(prior) - 1)
    if size * size > MOST:
        raise InputError("n", n, f"{size} x {size} probabilities are more than the {MOST} that can be exported")
    lower, upper = (Fraction(statement[end]) for end in ("lower", "upper"))
    epsilon, given = Fraction(subject["nominal_epsilon"]), dict(subject["parameters"])
    pieces, chosen = sections("sensitivities"), SENSITIVITY[name, given.pop("gs", "")]
    numbers = {key: Fraction(value) for key, value in given.items()}
    made = [enclosed("epsilon", "epsilon", epsilon), *(enclosed(key, key, v) for key, v in numbers.items())]
    made += [enclosed("upper_end", "upper", upper), enclosed("lower_end", "lower", lower)]
    every = subject.get("adjacency") is not None
    values: dict[str, object] = {
        "N": n,
        "TWICE_PRIOR": counts(int(2 * a) for a in prior),
        "PRIOR": ", ".join(map(str, prior)),
        "EPSILON": real(epsilon),
        "PARAMETER": "".join(f"\nDefinition {key} : R := {real(value)}." for key, value in numbers.items()),
        "ADJACENT": "negb (same x y)" if every else "one_step x y",
        "SENSITIVITY": "\n".join(pieces[f"{piece} definition"] for piece in chosen),
        "SENSITIVITY_PROOF": "\n\n".join(pieces[f"{piece} proof"] for piece in chosen),
        "MECHANISM": name,
        "NUMBERS": "\n\n".join(made),
        "PRECISION": bits_for(lower, upper, size),
        "UPPER": real(upper),
        "LOWER": real(lower),
        **counted(witness),
    }
    return filled(with_pieces(template("family")), values)
