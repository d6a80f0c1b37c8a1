"""What all certificates have in common: members, bounds, witness, counts, and more bits where they are needed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.evidence.verifier.interval import Undecided
from dpaudit.evidence.verifier.laws import Law, Probability
from dpaudit.evidence.verifier.reading import only, read_dataset, read_law, take
from dpaudit.evidence.verifier.tables import Malformed, number

MAX_WORK = 500_000
"""Evaluations of a function at 128 bits that are allowed; more bits count for more."""
DIGITS = 2100
MEMBERS = ("format", "version", "subject", "statement", "witness", "method", "versions", "sha256")
PAIR = ("x", "x_prime")
VERDICTS = ("PROVED", "REFUTED", "UNDECIDED")


class Rejected(Exception):
    """The certificate is not accepted; the text says what fails first."""


@dataclass
class Budget:
    """The evaluations that are left, for all parts of a file together."""

    left: int

    def spend(self, cost: int) -> None:
        """Takes the cost off; refuses if it is not left."""
        if cost > self.left:
            raise Rejected(f"too large to be checked: about {cost} evaluations, {self.left} are left (--work)")
        self.left -= cost


def _bound(value: Any, what: str) -> Fraction | None:
    """Returns the number, or None for infinity."""
    return None if value == "inf" else number(value, what, DIGITS)


class Part(ABC):
    """One certificate, taken apart; ``bits`` is the precision to begin with."""

    bits: int

    def __init__(self, document: dict[str, Any], full: bool, budget: Budget) -> None:
        only(document, MEMBERS, "the certificate")
        only(take(document, "versions", dict), ("dpaudit", "python-flint", "python"), "versions")
        self.subject = take(document, "subject", dict)
        statement = take(document, "statement", dict)
        self.witness = take(document, "witness", dict)
        method = take(document, "method", dict)
        self.counts = take(method, "counts", dict)
        self.full, self.budget = full, budget
        only(method, ("arithmetic", "precision_bits", "counts"), "the method")
        only(self.counts, ("datasets", "pairs", "outputs"), "the counts")
        self.quantity = statement.get("quantity")
        self.lower, self.upper = (_bound(statement.get(end), end) for end in ("lower", "upper"))
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise Malformed("lower and upper are no interval")
        if (self.lower is None) != (self.upper is None):
            raise Malformed("lower and upper are no interval")
        self.verdict = statement.get("verdict")
        if self.verdict not in (None, *VERDICTS):
            raise Malformed("verdict is not one of PROVED, REFUTED, UNDECIDED")
        self.read(statement)

    @abstractmethod
    def read(self, statement: dict[str, Any]) -> None:
        """Reads what is particular to the quantity."""

    @abstractmethod
    def at_witness(self, law: Law, x: object, y: object) -> list[str]:
        """Returns what the witness establishes."""

    @abstractmethod
    def everywhere(self, law: Law) -> list[str]:
        """Returns what all pairs establish."""

    @abstractmethod
    def conclude(self) -> list[str]:
        """Refuses a verdict that contradicts the bounds; says if it is not checked."""

    def check(self) -> list[str]:
        """Returns what was established, with more bits if that is needed to decide."""
        for bits in (self.bits, 2 * self.bits, 4 * self.bits):
            law = read_law(self.subject, bits)
            self.budget.spend(law.work(self.full) * max(1, bits // 128) ** 2)
            try:
                return self._check(law) + self.conclude()
            except Undecided:
                continue
        raise Rejected(f"undecided with {4 * self.bits} bits: the stated bounds are too tight to be confirmed")

    def _check(self, law: Law) -> list[str]:
        x, y = (read_dataset(law, self.witness.get(name), name) for name in PAIR)
        if y not in law.neighbours(x):
            raise Rejected("the witness is not a pair of adjacent data sets")
        lines = ["the witness is a pair of adjacent data sets", *self.at_witness(law, x, y)]
        if not self.full:
            return [*lines, "upper bound: not checked (--full does)"]
        self._counts(law)
        lines.append(f"{law.bits} bits; the counts of data sets, pairs and outputs are right")
        return lines + self.everywhere(law)

    def _counts(self, law: Law) -> None:
        datasets = law.datasets()
        pairs = sum(len(law.neighbours(x)) for x in datasets)
        for name, found in (("datasets", len(datasets)), ("pairs", pairs), ("outputs", len(law.outputs()))):
            if self.counts.get(name) != found:
                raise Rejected(f"the number of {name} is {found}, not as stated")

    def ordered_pairs(self, law: Law) -> Iterator[tuple[list[Probability], list[Probability], str]]:
        """Yields the two distributions of all ordered adjacent pairs, and which they are."""
        for x in law.datasets():
            for y in law.neighbours(x):
                yield law.row(x), law.row(y), f"x = {x}, x' = {y}"
