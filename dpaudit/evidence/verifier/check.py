"""What a certificate says, re-derived: the hash, the witness, the lower bound, and on request the upper bound.

A certificate states: lower <= true epsilon <= upper (or the same of delta at a given epsilon) for a mechanism, with a
witness (an ordered adjacent pair and, for epsilon, an output) for the lower bound, and a verdict on a claimed bound.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any

from dpaudit.evidence.verifier.interval import Interval, Undecided, rational, total
from dpaudit.evidence.verifier.laws import ONE, Law, Probability, Sum, compare, of_exact, plus, times
from dpaudit.evidence.verifier.notion_check import NOTIONS, NotionCertificate
from dpaudit.evidence.verifier.part import DIGITS, MAX_WORK, PAIR, Budget, Part, Rejected
from dpaudit.evidence.verifier.reading import only, read_output, take
from dpaudit.evidence.verifier.tables import Malformed, number

__all__ = ["FORMAT", "MAX_WORK", "Budget", "Rejected", "digest", "verify"]

FORMAT = "dpaudit certificate"
BUNDLE = ("format", "version", "parts", "sha256")
STATEMENT = ("quantity", "lower", "upper", "claimed", "claimed_delta", "verdict")


def digest(document: dict[str, Any]) -> str:
    """Returns the SHA-256 of everything but the hash itself, in canonical JSON: sorted names, no spaces, ASCII."""
    content = {name: value for name, value in document.items() if name != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


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
            statement = document.get("statement")
            other = isinstance(statement, dict) and str(statement.get("quantity")) in NOTIONS
            return lines + (NotionCertificate if other else _Certificate)(document, full, budget).check()
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


def _optional(document: dict[str, Any], name: str) -> Fraction | None:
    return None if document.get(name) is None else number(document[name], name, DIGITS)


class _Certificate(Part):
    """A statement on epsilon, or on delta at a given epsilon."""

    def read(self, statement: dict[str, Any]) -> None:
        """Reads the claimed (epsilon, delta), and where delta is meant."""
        if self.quantity not in ("epsilon", "delta"):
            raise Malformed(f"quantity is none of epsilon, delta, {', '.join(NOTIONS)}")
        of_epsilon = self.quantity == "epsilon"
        only(statement, STATEMENT if of_epsilon else (*STATEMENT, "at"), "the statement")
        only(self.witness, (*PAIR, "output", "p", "p_prime") if of_epsilon else PAIR, "the witness")
        self.at = number(statement.get("at"), "at", 100) if self.quantity == "delta" else None
        self.claimed, self.claimed_delta = _optional(statement, "claimed"), _optional(statement, "claimed_delta")
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

    def at_witness(self, law: Law, x: object, y: object) -> list[str]:
        """Returns what the witness establishes."""
        return self._witness_epsilon(law, x, y) if self.quantity == "epsilon" else self._witness_delta(law, x, y)

    def everywhere(self, law: Law) -> list[str]:
        """Returns what all pairs establish."""
        return self._all_epsilon(law) if self.quantity == "epsilon" else self._all_delta(law)

    def conclude(self) -> list[str]:
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

    def _all_epsilon(self, law: Law) -> list[str]:
        bound = self.upper
        proved = self.verdict == "PROVED" and not self.claimed_delta
        if self.claimed is not None and proved and (bound is None or self.claimed < bound):
            bound = self.claimed

        for row, other, where in self.ordered_pairs(law):
            for i, (p, q) in enumerate(zip(row, other, strict=True)):
                if p.log is None or (self.upper is None and not proved):
                    continue
                if q.log is None or bound is None or compare(p, q, bound, law.bits) > 0:
                    raise Rejected(f"the loss at {where}, output {law.outputs()[i]} exceeds the upper bound")
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
        for row, other, where in self.ordered_pairs(law):
            if _sign(_delta(row, other, at, law.bits), bound, law.bits) > 0:
                return where
        return None

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
