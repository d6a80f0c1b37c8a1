"""What a certificate says, re-derived: the hash, the witness, the lower bound, and on request the upper bound.

A certificate states: lower <= true epsilon <= upper (or the same of delta at a given epsilon) for a mechanism, with a
witness (an ordered adjacent pair and, for epsilon, an output) for the lower bound, and a verdict on a claimed bound.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.evidence.verifier.interval import Interval, Undecided, rational, total
from dpaudit.evidence.verifier.laws import ONE, Law, Probability, Sum, compare, of_exact, plus, times
from dpaudit.evidence.verifier.reading import only, read_dataset, read_law, read_output, take
from dpaudit.evidence.verifier.tables import Malformed, number

FORMAT = "dpaudit certificate"
MAX_WORK = 500_000
"""Evaluations of a function at 128 bits that are allowed; more bits count for more."""
DIGITS = 2100
BUNDLE = ("format", "version", "parts", "sha256")
MEMBERS = ("format", "version", "subject", "statement", "witness", "method", "versions", "sha256")
STATEMENT = ("quantity", "lower", "upper", "claimed", "claimed_delta", "verdict")
PAIR = ("x", "x_prime")


class Rejected(Exception):
    """The certificate is not accepted; the text says what fails first."""


def digest(document: dict[str, Any]) -> str:
    """Returns the SHA-256 of everything but the hash itself, in canonical JSON: sorted names, no spaces, ASCII."""
    content = {name: value for name, value in document.items() if name != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


@dataclass
class Budget:
    """The evaluations that are left, for all parts of a file together."""

    left: int

    def spend(self, cost: int) -> None:
        """Takes the cost off; refuses if it is not left."""
        if cost > self.left:
            raise Rejected(f"too large to be checked: about {cost} evaluations, {self.left} are left (--work)")
        self.left -= cost


def verify(document: Any, full: bool = False, work: int = MAX_WORK) -> list[str]:
    """Returns what was established, line by line; raises Rejected with the first thing that fails."""
    return _verify(document, full, Budget(work))


def _verify(document: Any, full: bool, budget: Budget) -> list[str]:
    try:
        if not isinstance(document, dict) or document.get("format") != FORMAT or take(document, "version", int) != 1:
            raise Malformed(f'this is not a "{FORMAT}" of version 1')
        if document.get("sha256") != digest(document):
            raise Rejected("the hash does not fit the content: the file was changed or damaged")
        lines = ["the hash fits the content"]
        parts = document.get("parts")
        if parts is None:
            return lines + _Certificate(document, full, budget).check()
        only(document, BUNDLE, "the certificate")
        if not isinstance(parts, list) or not 0 < len(parts) <= 1000:
            raise Malformed("parts is not a list of 1 to 1000 certificates")
        for i, part in enumerate(parts, start=1):
            if not isinstance(part, dict) or part.get("parts") is not None:
                raise Malformed(f"part {i} is not a certificate")
            lines += [f"part {i}: {line}" for line in _verify(part, full, budget)]
        return lines
    except Malformed as problem:
        raise Rejected(f"malformed: {problem}") from None
    except RecursionError:
        raise Rejected("malformed: nested too deeply") from None


def _bound(value: Any, what: str) -> Fraction | None:
    """Returns the number, or None for infinity."""
    return None if value == "inf" else number(value, what, DIGITS)


def _optional(document: dict[str, Any], name: str) -> Fraction | None:
    return None if document.get(name) is None else number(document[name], name, DIGITS)


class _Certificate:
    """One certificate, taken apart."""

    def __init__(self, document: dict[str, Any], full: bool, budget: Budget) -> None:
        only(document, MEMBERS, "the certificate")
        only(take(document, "versions", dict), ("dpaudit", "python-flint", "python"), "versions")
        self.subject = take(document, "subject", dict)
        statement = take(document, "statement", dict)
        self.witness = take(document, "witness", dict)
        self.method = take(document, "method", dict)
        self.counts = take(self.method, "counts", dict)
        self.full, self.budget = full, budget
        self.quantity = statement.get("quantity")
        if self.quantity not in ("epsilon", "delta"):
            raise Malformed("quantity is neither epsilon nor delta")
        of_epsilon = self.quantity == "epsilon"
        only(statement, STATEMENT if of_epsilon else (*STATEMENT, "at"), "the statement")
        only(self.witness, (*PAIR, "output", "p", "p_prime") if of_epsilon else PAIR, "the witness")
        only(self.method, ("arithmetic", "precision_bits", "counts"), "the method")
        only(self.counts, ("datasets", "pairs", "outputs"), "the counts")
        self.lower, self.upper = (_bound(statement.get(end), end) for end in ("lower", "upper"))
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise Malformed("lower and upper are no interval")
        if (self.lower is None) != (self.upper is None):
            raise Malformed("lower and upper are no interval")
        self.at = number(statement.get("at"), "at", 100) if self.quantity == "delta" else None
        self.claimed, self.claimed_delta = _optional(statement, "claimed"), _optional(statement, "claimed_delta")
        self.verdict = statement.get("verdict")
        if self.verdict not in (None, "PROVED", "REFUTED", "UNDECIDED"):
            raise Malformed("verdict is not one of PROVED, REFUTED, UNDECIDED")
        if self.verdict is not None and (self.claimed is None or self.claimed_delta is None):
            raise Malformed("there is a verdict but nothing is claimed")
        if (self.claimed is None) != (self.claimed_delta is None):
            raise Malformed("claimed and claimed_delta are not given together")
        if self.claimed is not None and (self.claimed < 0 or not 0 <= (self.claimed_delta or 0) <= 1):
            raise Malformed("claimed is negative, or claimed_delta is not between 0 and 1")
        if (self.at is not None and self.at < 0) or (self.quantity == "delta" and self.lower is None):
            raise Malformed("delta is asked for at a negative epsilon, or is infinite")
        texts = [str(statement.get(end)) for end in ("lower", "upper", "claimed", "claimed_delta")]
        smallest = max(end.denominator.bit_length() for end in (self.lower, self.upper) if end) if self.upper else 0
        self.bits = 128 + max(*(4 * len(text) for text in texts), smallest if self.quantity == "delta" else 0)

    def check(self) -> list[str]:
        """Returns what was established, with more bits if that is needed to decide."""
        for bits in (self.bits, 2 * self.bits, 4 * self.bits):
            law = read_law(self.subject, bits)
            self.budget.spend(law.work(self.full) * max(1, bits // 128) ** 2)
            try:
                return self._check(law) + self._verdict_from_bounds()
            except Undecided:
                continue
        raise Rejected(f"undecided with {4 * self.bits} bits: the stated bounds are too tight to be confirmed")

    def _check(self, law: Law) -> list[str]:
        x, y = (read_dataset(law, self.witness.get(name), name) for name in ("x", "x_prime"))
        if y not in law.neighbours(x):
            raise Rejected("the witness is not a pair of adjacent data sets")
        lines = ["the witness is a pair of adjacent data sets"]
        lines += self._witness_epsilon(law, x, y) if self.quantity == "epsilon" else self._witness_delta(law, x, y)
        if not self.full:
            return [*lines, "upper bound: not checked (--full does)"]
        self._counts(law)
        lines.append(f"{law.bits} bits; the counts of data sets, pairs and outputs are right")
        return lines + (self._all_epsilon(law) if self.quantity == "epsilon" else self._all_delta(law))

    def _verdict_from_bounds(self) -> list[str]:
        """The bounds are right: refuses a missing or open verdict that follows from them; says if it is not checked."""
        if self.claimed is None:
            return []
        expected = self._expected(self.claimed, self.claimed_delta or Fraction(0))
        if expected is not None and self.verdict != expected:
            raise Rejected(f"the verdict {self.verdict} contradicts the bounds, by which it is {expected}")
        if self.verdict in ("PROVED", "REFUTED") and (self.full or expected or self._refuted_by_witness()):
            return []
        return [f"verdict: not checked ({self.verdict or 'none'} is stated)"]

    def _refuted_by_witness(self) -> bool:
        return self.verdict == "REFUTED" and (self.quantity == "delta" or not self.claimed_delta)

    def _expected(self, claimed: Fraction, claimed_delta: Fraction) -> str | None:
        """Returns the verdict on the claim that follows from the bounds that were checked, or None."""
        if self.quantity == "epsilon":
            if self.full and self.upper is not None and self.upper <= claimed:
                return "PROVED"
            exceeds = self.lower is None or self.lower > claimed
            return "REFUTED" if exceeds and not claimed_delta else None
        at = self.at or Fraction(0)
        if self.full and at <= claimed and self.upper is not None and self.upper <= claimed_delta:
            return "PROVED"
        return "REFUTED" if at >= claimed and self.lower is not None and self.lower > claimed_delta else None

    # ------------------------------------------------------------ the witness

    def _witness_epsilon(self, law: Law, x: object, y: object) -> list[str]:
        output = read_output(law, self.witness.get("output"))
        p, q = law.at(x, output), law.at(y, output)
        for probability, name in ((p, "p"), (q, "p_prime")):
            _within(probability, take(self.witness, name, dict), name, law.bits)
        lines = ["both probabilities lie in the stated enclosures"]
        if q.log is None or p.log is None or self.lower is None or self.upper is None:
            if not (q.log is None and p.log is not None and self.lower is None):
                raise Rejected("the loss at the witness is not the one stated: an output is impossible")
            if self.verdict == "PROVED" and not self.claimed_delta:
                raise Rejected("the verdict PROVED contradicts the infinite loss at the witness")
            return [*lines, "the output is possible for x and impossible for x': the loss is infinite"]
        if compare(p, q, self.lower, law.bits) < 0:
            raise Rejected("the loss at the witness is below the stated lower bound")
        if compare(p, q, self.upper, law.bits) > 0:
            raise Rejected("the loss at the witness is above the stated upper bound")
        lines.append("lower bound: the loss at the witness reaches it")
        if self.verdict in ("PROVED", "REFUTED") and not self.claimed_delta and self.claimed is not None:
            exceeds = compare(p, q, self.claimed, law.bits) > 0
            if exceeds != (self.verdict == "REFUTED"):
                raise Rejected(f"the verdict {self.verdict} contradicts the loss at the witness")
            if exceeds:
                lines.append("verdict REFUTED: the loss at the witness exceeds the claimed bound")
        return lines

    def _witness_delta(self, law: Law, x: object, y: object) -> list[str]:
        at, lower, upper = self.at or Fraction(0), self.lower or Fraction(0), self.upper or Fraction(0)
        value = _delta(law.row(x), law.row(y), at, law.bits)
        if lower > 0 and _sign(value, lower, law.bits) < 0:
            raise Rejected("delta of the witness is below the stated lower bound")
        if _sign(value, upper, law.bits) > 0:
            raise Rejected("delta of the witness is above the stated upper bound")
        lines = ["lower bound: delta of the witness reaches it"]
        if self.verdict in ("PROVED", "REFUTED") and self.claimed is not None and self.claimed_delta is not None:
            if at > self.claimed if self.verdict == "PROVED" else at < self.claimed:
                raise Rejected(
                    "a verdict is stated where delta, which falls as epsilon grows, does not decide the claim"
                )
            exceeds = _sign(value, self.claimed_delta, law.bits) > 0
            if exceeds != (self.verdict == "REFUTED"):
                raise Rejected(f"the verdict {self.verdict} contradicts delta of the witness")
        return lines

    # ------------------------------------------------------------ everything

    def _counts(self, law: Law) -> None:
        datasets = law.datasets()
        pairs = sum(len(law.neighbours(x)) for x in datasets)
        for name, found in (("datasets", len(datasets)), ("pairs", pairs), ("outputs", len(law.outputs()))):
            if self.counts.get(name) != found:
                raise Rejected(f"the number of {name} is {found}, not as stated")

    def _ordered_pairs(self, law: Law, visit: Callable[[list[Probability], list[Probability], str], None]) -> None:
        for x in law.datasets():
            for y in law.neighbours(x):
                visit(law.row(x), law.row(y), f"x = {x}, x' = {y}")

    def _all_epsilon(self, law: Law) -> list[str]:
        bound = self.upper
        proved = self.verdict == "PROVED" and not self.claimed_delta
        if self.claimed is not None and proved and (bound is None or self.claimed < bound):
            bound = self.claimed

        def visit(row: list[Probability], other: list[Probability], where: str) -> None:
            for i, (p, q) in enumerate(zip(row, other, strict=True)):
                if p.log is None or (self.upper is None and not proved):
                    continue
                if q.log is None or bound is None or compare(p, q, bound, law.bits) > 0:
                    raise Rejected(f"the loss at {where}, output {law.outputs()[i]} exceeds the upper bound")

        self._ordered_pairs(law, visit)
        lines = ["upper bound: no loss of any pair and output exceeds it"]
        if proved:
            lines.append("verdict PROVED: no loss exceeds the claimed bound")
        return lines + (self._verdict_by_delta(law) if self.claimed_delta else [])

    def _verdict_by_delta(self, law: Law) -> list[str]:
        """The claim has a delta: the verdict is on delta(claimed epsilon) <= claimed delta."""
        if self.verdict not in ("PROVED", "REFUTED"):
            return []
        exceeds = self._delta_exceeds(law, self.claimed or Fraction(0), self.claimed_delta or Fraction(0))
        if (exceeds is not None) != (self.verdict == "REFUTED"):
            raise Rejected(f"the verdict {self.verdict} contradicts delta({self.claimed})")
        return [f"verdict {self.verdict}: by delta at the claimed epsilon, all pairs"]

    def _delta_exceeds(self, law: Law, at: Fraction, bound: Fraction) -> str | None:
        """Returns a pair whose delta(at) exceeds the bound, or None."""
        found: list[str] = []

        def visit(row: list[Probability], other: list[Probability], where: str) -> None:
            if not found and _sign(_delta(row, other, at, law.bits), bound, law.bits) > 0:
                found.append(where)

        self._ordered_pairs(law, visit)
        return found[0] if found else None

    def _all_delta(self, law: Law) -> list[str]:
        where = self._delta_exceeds(law, self.at or Fraction(0), self.upper or Fraction(0))
        if where is not None:
            raise Rejected(f"delta of {where} exceeds the upper bound")
        lines = ["upper bound: delta of no pair exceeds it"]
        if self.verdict == "PROVED" and self.claimed_delta is not None and self.upper is not None:
            if self.upper > self.claimed_delta and self._delta_exceeds(law, self.at or Fraction(0), self.claimed_delta):
                raise Rejected("the verdict PROVED contradicts delta of a pair")
            lines.append("verdict PROVED: delta of no pair exceeds the claimed one")
        return lines


# ------------------------------------------------------------------ numbers


def _within(probability: Probability, ends: dict[str, Any], name: str, bits: int) -> None:
    """Refuses unless the probability lies in the stated enclosure."""
    only(ends, ("lower", "upper"), name)
    lower, upper = (number(ends.get(end), f"{name}.{end}", DIGITS) for end in ("lower", "upper"))
    if probability.log is None:
        inside = lower <= 0 <= upper
    else:
        inside = upper > 0 and compare(probability, _constant(upper, bits), Fraction(0), bits) <= 0
        inside = inside and (lower <= 0 or compare(probability, _constant(lower, bits), Fraction(0), bits) >= 0)
    if not inside:
        raise Rejected(f"{name} does not lie in the stated enclosure")


def _constant(value: Fraction, bits: int) -> Probability:
    return of_exact({Fraction(0): value}, ONE, bits)


Delta = tuple[Interval, Sum | None]


def _delta(row: list[Probability], other: list[Probability], at: Fraction, bits: int) -> Delta:
    """Returns the sum of max(0, p - e^at p'), also exactly where all parts are plain sums of exponentials."""
    factor, parts, exact = rational(at, bits).exp(), [], dict[Fraction, Fraction]()
    known = all(p.exact and q.exact and p.exact[1] == q.exact[1] == ONE for p, q in zip(row, other, strict=True))
    for p, q in zip(row, other, strict=True):
        try:
            sign = 0 if p.log is None else 1 if q.log is None else compare(p, q, at, bits)
        except Undecided:
            sign, known = 1, False
        if sign > 0:
            parts.append((p.value(bits) - factor * q.value(bits)).positive_part())
            if known and p.exact and q.exact:
                exact = plus(exact, plus(p.exact[0], times(q.exact[0], {at: Fraction(1)}, -1)))
    return total(parts, bits), exact if known else None


def _sign(value: Delta, bound: Fraction, bits: int) -> int:
    """Returns the sign of value - bound."""
    interval, exact = value
    if exact is not None and not plus(exact, {Fraction(0): -bound} if bound else {}):
        return 0
    sign = (interval - rational(bound, bits)).sign()
    if sign is None:
        raise Undecided
    return sign
