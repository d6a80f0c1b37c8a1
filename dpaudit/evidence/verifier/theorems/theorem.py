"""What the certificates of theorems share: their form, the bounds of a supremum, the verdict, and the sentence.

The theorems are derived in dpaudit/forall (EVERY_EPSILON.md, PRIOR_BOXES.md, EVERY_N.md); beside each function that
checks one stands why its interval contains the true value.
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

from ..arithmetic import Interval, Malformed, Undecided
from ..core import Rejected
from ..family import read_family
from ..reading import DIGITS, MADE, brief, number, shape

EXPONENTIAL, LAPLACE = ("EHD", "EHDL", "EHDS", "MH"), ("LSZhang", "LSDim", "LSHist")
Kinds = dict[str, type | None]
"""Members by name, each of this kind; None: anything, or missing."""


def excess(value: Interval, bound: Fraction) -> int:
    """The sign of the number minus the bound."""
    found = (value - bound).sign()
    if found is None:
        raise Undecided
    return found


class Theorem:
    """A theorem on the mechanism ``law``, or on what it ranges over; ``stated`` and ``more`` are members with kinds."""

    law: Any
    sure: bool
    """Whether the verdict follows from what was checked."""

    def __init__(self, document: dict[str, Any], full: bool, stated: Kinds, more: Kinds) -> None:
        kinds: Kinds = {"subject": dict, "statement": dict, **more, **MADE}
        self.subject, self.statement, *found = shape(document, "the certificate", kinds)
        self.full, self.more = full, found[: len(more)]
        shape(self.statement, "the statement", {**stated, "verdict": str, "quantity": None})
        if self.statement["quantity"] != document["kind"]:
            raise Malformed("the statement is not about what the certificate is")
        known = EXPONENTIAL + (LAPLACE if document["kind"] == "every-epsilon" else ())
        if self.subject.get("mechanism") not in known:
            raise Malformed(f"the mechanism is not one of {', '.join(known)}")

    def said(self, words: str, found: str, claim: str, checked: str, subject: Any, more: Any) -> dict[str, Any]:
        """The sentence: EHDL claims nothing, nor does any mechanism of every two data sets, which is said."""
        verdict, relation = self.statement["verdict"], self.law.says()[2]
        stands = "asked" if self.law.name == "EHDL" or self.law.every_pair else "claimed"
        shown = verdict + ("" if self.sure or verdict == "UNDECIDED" else ", which is NOT CHECKED")
        return {
            "text": f"{words}; adjacent: {relation}: {found}; {stands}: {claim}; verdict: {shown}; checked: {checked}",
            **{"subject": subject, "quantity": self.statement["quantity"], **more, "claim": claim},
            **{"verdict": verdict, "verdict_checked": self.sure, "checked": checked},
        }


class Supremum(Theorem):
    """lower <= a supremum <= upper, by a witness and a cover; ``ratio``: it is of true epsilon / epsilon.

    A subclass has at_witness() and everywhere(), which return only if the lower, the upper bound holds, the latter
    with words that say by what; and say(), the sentence.
    """

    ratio = True
    at_witness: Any
    everywhere: Any
    say: Any

    def __init__(self, document: dict[str, Any], full: bool, cover: type) -> None:
        ends: Kinds = {"lower": str, "upper": str, "claimed": None}
        super().__init__(document, full, ends, {"witness": dict, "cover": cover})
        self.witness, self.cover = self.more
        self.least, self.most = (number(self.statement[name], name, DIGITS) for name in ("lower", "upper"))
        claimed = self.statement["claimed"]
        self.claimed = None if claimed is None else number(claimed, "claimed", DIGITS)
        self.bits = 100 + 4 * max(len(self.statement[end]) for end in ("lower", "upper"))
        if self.least > self.most:
            raise Malformed("lower and upper do not form an interval")

    def law_of(self, **ranging: Any) -> Any:
        """The mechanism, where what it ranges over is this."""
        return read_family({**self.subject, **ranging}, self.bits)

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """What was established and the statement, with more bits if that is needed to decide."""
        for _ in range(3):
            with suppress(Undecided):
                self.at_witness()
                lines = ["lower bound: the value at the witness reaches it", "upper bound: not checked (--full does)"]
                if self.full:
                    lines[1:] = [f"upper bound: {self.everywhere()} ({self.bits} bits)"]
                return lines + self._conclude(), self.say()
            self.bits *= 2
            self.law = self.law_of(n=self.law.n)
        raise Rejected(f"undecided with {self.bits // 2} bits: the stated bounds are too tight to be confirmed")

    def _conclude(self) -> list[str]:
        """Only if the verdict is the one that the bounds imply; says if that is not checked."""
        expected, verdict = "None", self.statement["verdict"]
        if self.claimed is not None:
            refuted = "REFUTED" if self.least > self.claimed else "UNDECIDED"
            expected = "PROVED" if self.most <= self.claimed else refuted
        if verdict != expected:
            raise Rejected(f"the verdict contradicts the bounds, by which it is {expected}")
        self.sure = verdict in ("REFUTED", "None") or (self.full and verdict == "PROVED")
        return [] if self.sure else [f"verdict: not checked ({expected} is stated)"]

    def sentence(self, words: str, over: str, claim: str, members: dict[str, Any]) -> dict[str, Any]:
        """The sentence on the supremum, of these words on the mechanism; ``members``: of the subject, as it ranges."""
        lower, upper = (brief(self.statement[end]) for end in ("lower", "upper"))
        found = f"is at least {lower} (stated: between {lower} and {upper}, of which the other end is NOT CHECKED)"
        found = f"lies between {lower} and {upper}" if self.full else found
        what = f"the largest true epsilon{' / epsilon' if self.ratio else ''}{over}"
        return self.said(words, f"{what} {found}", claim, "full" if self.full else "witness only",
                         {**self.law.says()[0], **members}, {"lower": lower, "upper": upper})  # fmt: skip

    def claim(self) -> str:
        """ "1-DP", "epsilon-DP" or "(3/2 epsilon)-DP"; "nothing"."""
        if self.ratio and self.claimed is not None:
            return "epsilon-DP" if self.claimed == 1 else f"({self.claimed} epsilon)-DP"
        return "nothing" if self.claimed is None else f"{self.claimed}-DP"
