"""What the certificates of theorems share: their form, the verdict that bounds imply, and the sentence.

The theorems are derived in dpaudit/forall (EVERY_EPSILON.md, PRIOR_BOXES.md, EVERY_N.md); beside each function that
checks one stands why its interval contains the true value.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..arithmetic import Interval, Malformed, Undecided
from ..core import Rejected
from ..reading import COUNTS, brief, shape

EXPONENTIAL, LAPLACE = ("EHD", "EHDL", "EHDS", "MH"), ("LSZhang", "LSDim", "LSHist")


def read_theorem(
    document: dict[str, Any], statement: dict[str, type | None], more: dict[str, type | None]
) -> list[Any]:
    """The subject, the counts (None for every n), the statement and the further members of a certificate."""
    parts: dict[str, type | None] = dict.fromkeys(("subject", "statement", "method", "versions"), dict)
    rest = dict.fromkeys(("kind", "format", "version", "sha256"))
    subject, stated, method, versions, *found = shape(document, "the certificate", {**parts, **more, **rest})
    shape(versions, "versions", dict.fromkeys(("dpaudit", "python-flint", "python")))
    counted = {"counts": dict} if document["kind"] != "every-n" else {}  # there are counts where there is one n
    arithmetic: dict[str, type | None] = dict.fromkeys(("arithmetic", "precision_bits"))
    counts = shape(method, "the method", {**counted, **arithmetic})[0]
    shape(stated, "the statement", {**statement, "verdict": str, "quantity": None})
    if stated["quantity"] != document["kind"]:
        raise Malformed("the statement is not about what the certificate is")
    known = EXPONENTIAL + (LAPLACE if document["kind"] == "every-epsilon" else ())
    if subject.get("mechanism") not in known:
        raise Malformed(f"the mechanism is not one of {', '.join(known)}")
    return [subject, shape(counts, "the counts", dict.fromkeys(COUNTS, int)) if counted else None, stated,
            *found[: len(more)]]  # fmt: skip


def multiple(factor: Fraction) -> str:
    """ "epsilon-DP" or "(3/2 epsilon)-DP"."""
    return "epsilon-DP" if factor == 1 else f"({factor} epsilon)-DP"


def excess(value: Interval, bound: Fraction) -> int:
    """The sign of the number minus the bound."""
    found = (value - bound).sign()
    if found is None:
        raise Undecided
    return found


class Theorem:
    """lower <= a supremum <= upper; a subclass sets these, ``law``, ``statement`` and ``full``."""

    least: Fraction
    most: Fraction
    claimed: Fraction | None
    statement: dict[str, Any]
    law: Any
    full: bool

    def conclude(self) -> list[str]:
        """Only if the verdict is the one that the bounds imply; says if that is not checked."""
        expected = "None"
        if self.claimed is not None:
            refuted = "REFUTED" if self.least > self.claimed else "UNDECIDED"
            expected = "PROVED" if self.most <= self.claimed else refuted
        if self.statement["verdict"] != expected:
            raise Rejected(f"the verdict contradicts the bounds, by which it is {expected}")
        return [] if self.sure else [f"verdict: not checked ({expected} is stated)"]

    @property
    def sure(self) -> bool:
        """Whether the verdict follows from what was checked."""
        verdict = self.statement["verdict"]
        return verdict in ("REFUTED", "None") or (self.full and verdict == "PROVED")

    def sentence(self, words: str, what: str, claim: str, subject: dict[str, Any]) -> dict[str, Any]:
        """The sentence on a supremum, and its members."""
        lower, upper = (brief(self.statement[end]) for end in ("lower", "upper"))
        open_ = f"is at least {lower} (stated: between {lower} and {upper}, of which the other end is NOT CHECKED)"
        ends = f"lies between {lower} and {upper}" if self.full else open_
        return self.said(words, f"{what} {ends}", claim, "full" if self.full else "witness only",
                         {**self.law.says()[0], **subject}, {"lower": lower, "upper": upper})  # fmt: skip

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
