"""The common part of the certificates of theorems: their form, the check of a cover, the verdict, and the sentence.

A cover is a list of cells, each with pairs of data sets: when ``covered`` returns, no loss of these pairs exceeds the
bound in any mechanism of the cell. The verdict is derived from what was checked. The theorems are derived in
dpaudit/forall (EVERY_EPSILON.md, PRIOR_BOXES.md, EVERY_N.md).
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from fractions import Fraction
from typing import Any

from ..arithmetic import Interval, Malformed, Undecided
from ..core import Rejected, Unconfirmed
from ..family import read_family
from ..reading import DIGITS, MADE, brief, number, shape
from .cells import Cell
from .every_epsilon_bounds import End, over_epsilon

EXPONENTIAL, LAPLACE = ("EHD", "EHDL", "EHDS", "MH"), ("LSZhang", "LSDim", "LSHist")
Kinds = dict[str, type | None]
"""Members by name, each of this kind; None: anything, or missing."""
Pairs = Iterable[tuple[Any, Any, list[End] | None]]
"""Ordered pairs of data sets, with the ends of intervals of epsilon if it ranges; None where the rows match."""


def excess(value: Interval, bound: Fraction) -> int:
    """The sign of the number minus the bound."""
    found = (value - bound).sign()
    if found is None:
        raise Undecided
    return found


class Theorem:
    """A theorem on the mechanism ``law``; ``ratio``: it is about true epsilon / epsilon at every epsilon.

    A subclass has lines(), which returns only what holds; and say(), the sentence.
    """

    law: Any
    ratio = False
    verdict: str | None = None
    """PROVED or REFUTED where the checks imply it, UNDECIDED where everything was checked and they do not."""
    lines: Any
    say: Any

    def __init__(self, document: dict[str, Any], full: bool, stated: Kinds, more: Kinds, bits: int = 100) -> None:
        kinds: Kinds = {"subject": dict, "statement": dict, **more, **MADE}
        self.subject, self.statement, *found = shape(document, "the certificate", kinds)
        self.full, self.bits, self.more = full, bits, found[: len(more)]
        shape(self.statement, "the statement", stated)
        known = EXPONENTIAL + (LAPLACE if document["kind"] == "every-epsilon" else ())
        if self.subject.get("mechanism") not in known:
            raise Malformed(f"the mechanism is not one of {', '.join(known)}")

    def law_of(self, **ranging: Any) -> Any:
        """The mechanism with these values for what ranges."""
        return read_family({**self.subject, **ranging}, self.bits)

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """What was established, and the statement; with more bits where they are needed to decide."""
        for _ in range(3):
            with suppress(Undecided):
                return [*self.lines(), *self.verdict_line()], self.say()
            self.bits *= 2
        raise Unconfirmed(f"undecided with {self.bits // 2} bits: the stated bounds are too tight to be confirmed")

    def covered(self, cell: Cell, pairs: Pairs, bound: Fraction, where: str = "") -> None:
        """Only if no loss of a pair (or, at every epsilon, loss over epsilon) is above the bound in the cell."""
        for x, y, cuts in pairs:
            found = over_epsilon(cell, x, y, cuts) if self.ratio else [cell.largest_loss(x, y)]
            if not all(v <= bound for v in found):
                raise Rejected(f"{where}x = {brief(x)}, x' = {brief(y)} is not covered by the bound {brief(bound)}")

    def verdict_line(self) -> list[str]:
        """A line if the claim is left open because not everything was checked."""
        return [] if self.full or self.verdict else ["verdict: not checked (--full does)"]

    def stated(self, words: str, found: str, claim: str, checked: str, subject: Any, more: Any) -> dict[str, Any]:
        """The statement, which says so where nothing is claimed: by EHDL, or where every two data sets are adjacent."""
        relation, shown = self.law.says()[2], self.verdict or "NOT CHECKED"
        stands = "asked" if self.law.name == "EHDL" or self.law.every_pair else "claimed"
        return {
            "text": f"{words}; adjacent: {relation}: {found}; {stands}: {claim}; verdict: {shown}; checked: {checked}",
            **{"subject": subject, **more, "claim": claim, "verdict": self.verdict, "checked": checked},
        }


class Supremum(Theorem):
    """lower <= a supremum <= upper, by a witness and a cover.

    A subclass has at_witness(), which returns only if the lower bound holds, and everywhere(), which returns only if
    the upper one does, with words that say why.
    """

    at_witness: Any
    everywhere: Any

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

    def lines(self) -> list[str]:
        """Both bounds, and the verdict that they imply."""
        self.at_witness()
        found = ["lower bound: the value at the witness reaches it", "upper bound: not checked (--full does)"]
        if self.full:
            found[1:] = [f"upper bound: {self.everywhere()} ({self.bits} bits)"]
        if self.claimed is not None and self.least > self.claimed:
            self.verdict = "REFUTED"
        elif self.full:
            self.verdict = "PROVED" if self.claimed is not None and self.most <= self.claimed else "UNDECIDED"
        return found

    def reached(self, value: Interval) -> None:
        """Only if the value at the witness reaches the lower bound."""
        if excess(value, self.least) < 0:
            raise Rejected("the value at the witness is below the stated lower bound")

    def sentence(self, words: str, over: str, claim: str, members: dict[str, Any]) -> dict[str, Any]:
        """The statement on the supremum, with these words on the mechanism and the members of the subject."""
        lower, upper = (brief(self.statement[end]) for end in ("lower", "upper"))
        found = f"is at least {lower} (stated: between {lower} and {upper}, of which the other end is NOT CHECKED)"
        found = f"lies between {lower} and {upper}" if self.full else found
        what = f"the largest true epsilon{' / epsilon' if self.ratio else ''}{over}"
        checked, subject = "full" if self.full else "witness only", {**self.law.says()[0], **members}
        return self.stated(words, f"{what} {found}", claim, checked, subject, {"lower": lower, "upper": upper})

    def claim(self) -> str:
        """The claim in words: "1-DP", "epsilon-DP", "(3/2 epsilon)-DP" or "nothing"."""
        if self.ratio and self.claimed is not None:
            return "epsilon-DP" if self.claimed == 1 else f"({self.claimed} epsilon)-DP"
        return "nothing" if self.claimed is None else f"{self.claimed}-DP"
