"""What a row of true epsilon was compared with, and how much of that it is: bounds and shares, as enclosures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpaudit.audit.words import evidence_words
from dpaudit.numbers.digits import beside, equated, powers, short
from dpaudit.numbers.enclosure import outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import BOUNDS

Row = dict[str, Any]
LETTERS = {"epsilon": "ε", "delta": "δ", "renyi": "divergence", "zcdp_rho": "ρ", "gdp_mu": "μ"}
"""Quantity that decided -> its letter."""


def outcome_of(row: Row) -> Verdict | None:
    """Returns the verdict of a row of true epsilon: on the claim, or on the nominal epsilon where there is no claim."""
    found = row["verdict"] or row.get("nominal_verdict")
    return None if found is None else Verdict(found)


def quotient(value: dict[str, str], bound: Fraction) -> dict[str, str] | None:
    """Returns an enclosure of value / bound; None of a bound that is 0.

    >>> quotient({"lower": "0.5", "upper": "0.5"}, Fraction(2)), quotient({"lower": "1", "upper": "inf"}, Fraction(2))
    ({'lower': '0.25', 'upper': '0.25'}, {'lower': '0.5', 'upper': 'inf'})
    """
    if not bound:
        return None
    ends = {name: None if end == "inf" else Fraction(end) / bound for name, end in value.items()}
    known = [end for end in ends.values() if end is not None]
    shown = _on_its_side(known[0], known[-1]) if known else {}
    return {name: "inf" if end is None else shown[name] for name, end in ends.items()}


def _on_its_side(low: Fraction, high: Fraction) -> dict[str, str]:
    """Returns both ends rounded outward to 12 digits, or to as many as keep what is above or below 1 there."""
    for digits in (12, 25, 50, 100, 200):
        found = outward(low, high, digits)
        if (found.lower > 1) == (low > 1) and (found.upper < 1) == (high < 1):
            break
    return found.to_dict()


def bound_of(row: Row) -> tuple[str, Fraction] | None:
    """Returns the letter of what decided a row of true epsilon, and the number that is claimed, or nominal, of it."""
    guarantee, evidence = row.get("guarantee"), row.get("evidence")
    if guarantee is None:
        return None if row.get("nominal") is None else ("ε", Fraction(row["nominal"]))
    by_epsilon = guarantee["kind"] == "epsilon" or (
        guarantee["kind"] == "epsilon-delta" and outcome_of(row) is Verdict.PROVED
    )
    quantity = evidence["quantity"] if evidence else "epsilon" if by_epsilon else ""
    name = BOUNDS.get(quantity, "")
    return (LETTERS[quantity], Fraction(guarantee[name])) if name in guarantee else None


def compared(row: Row) -> dict[str, str] | None:
    """Returns the bound that the true epsilon of a row was compared with, and the verdict; None if another did."""
    found, outcome = bound_of(row), outcome_of(row)
    if found is None or outcome is None or row.get("evidence") is not None:
        return None
    return {"bound": str(found[1]), "outcome": outcome.value}


SIGNS = {Verdict.PROVED: "≤", Verdict.REFUTED: ">", Verdict.UNDECIDED: "undecided against"}


def quantity_of(row: Row) -> str:
    """Returns the name of what decided a row or a witness: "δ(1/2)"."""
    return evidence_words(row["evidence"]["quantity"], row["evidence"]["at"], "", "")[0]


def number_of_evidence(row: Row) -> str:
    """Returns the number that decided a row or a witness, with the digits that show the verdict."""
    outcome = row["outcome"] if "outcome" in row else row["verdict"]
    bound = _bound_of_evidence(row)
    return beside(row["evidence"]["enclosure"], None if bound is None else Fraction(bound), outcome)


def _bound_of_evidence(row: Row) -> str | None:
    found: str | None = (row.get("guarantee") or {}).get(BOUNDS.get(row["evidence"]["quantity"], ""))
    return found


def decided_by(row: Row) -> str:
    """Returns "δ(1/2) = 0.013 > 1/100", what decided a row or a witness; "" where the true epsilon did."""
    if row.get("evidence") is None:
        return ""
    outcome, bound = row["outcome"] if "outcome" in row else row["verdict"], _bound_of_evidence(row)
    if row["evidence"]["quantity"] == "trade-off":
        against = {Verdict.PROVED: "≥ 0", Verdict.REFUTED: "< 0"}.get(Verdict(outcome), "undecided against 0")
        return f"{equated(quantity_of(row), short(row['evidence']['enclosure']))}, {against}"
    said = equated(quantity_of(row), number_of_evidence(row))
    return said if bound is None or outcome is None else f"{said} {SIGNS[Verdict(outcome)]} {powers(bound)}"


def share_of(row: Row) -> tuple[str, dict[str, str]] | None:
    """Returns the letter and the enclosure of what decided, as a share of what is claimed or nominal.

    What is proved to be at most the claim is no more than all of it, whatever the last digits say.
    """
    found = bound_of(row)
    if found is None:
        return None
    value = row["epsilon"] if row.get("evidence") is None else row["evidence"]["enclosure"]
    share = quotient(value, found[1])
    return None if share is None else (found[0], at_most_all(share, outcome_of(row)))


def at_most_all(share: dict[str, str], outcome: Verdict | None) -> dict[str, str]:
    """Returns the share, cut at 1 where it is proved to be no more."""
    cut = outcome is Verdict.PROVED and Decimal(share["upper"]) > 1
    return {**share, "upper": "1"} if cut and Decimal(share["lower"]) <= 1 else share


def hull(values: Iterable[dict[str, str]]) -> dict[str, str]:
    """Returns an enclosure of the largest of the numbers that lie in these enclosures."""
    every = list(values)
    return {end: max((value[end] for value in every), key=Decimal) for end in ("lower", "upper")}


def largest_share(rows: Sequence[Row]) -> tuple[str, dict[str, str]] | None:
    """Returns the largest share of all rows; where delta decided some of them, of those; None if nothing is known."""
    found = [share for share in map(share_of, rows) if share is not None]
    chosen = [share for share in found if share[0] == "δ"] or found
    if not chosen or all(row.get("reason") and not row.get("evidence") for row in rows):
        return None
    return chosen[0][0], hull(share for _, share in chosen)
