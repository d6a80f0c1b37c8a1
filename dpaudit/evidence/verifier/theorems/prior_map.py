"""Every prior of a box: which priors make an exponential mechanism ``claimed``-DP, by a tree of halves.

When ``Map.check`` returns with ``full``, the verdict of every leaf of the tree holds for all priors of its box. H falls
in every entry of the prior: dH/d alpha_i = -q_i BC / (2 H), q_i = psi(alpha_i + (c_i+d_i)/2) - psi(alpha_i + c_i)/2 -
psi(alpha_i + d_i)/2 >= 0, as psi is concave. So a box is a cell between the mechanisms of its two extreme corners.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from typing import Any

from ..arithmetic import Malformed
from ..core import Rejected
from ..exact import ZERO
from ..reading import brief, number, shape
from .cells import Cell
from .theorem import Theorem, excess

SHARES = ("PROVED", "REFUTED", "UNDECIDED")
Sides = list[tuple[Fraction, Fraction]]
Leaf = tuple[str, Fraction, Sides, Any]
"""A verdict, the share of the box, the box, and the pairs that are proved on it, or the witness."""


class Map(Theorem):
    """A tree of halves, every leaf with a verdict.

    A node [side, pairs, half, half] says that all pairs passed down to it are proved on its box except these, which it
    passes on to its halves; a leaf is "PROVED" (all pairs passed down), ["REFUTED", x, x', output] or "UNDECIDED".
    """

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        super().__init__(document, full, {"claimed": str}, {"cover": None})
        self.bound = number(self.statement["claimed"], "claimed", 5000)
        prior = shape({"prior": self.subject.get("prior")}, "the subject", {"prior": list})[0]
        ends = [tuple(number(end, "prior", 100) for end in str(alpha).split("..")) * 2 for alpha in prior]
        if any(len(side) not in (2, 4) or side[0] > side[1] for side in ends) or self.bound < 0:
            raise Malformed("the prior is not a box, or the bound is negative")
        self.sides = [(side[0], side[1]) for side in ends]
        self.law = self.corner([low for low, _ in self.sides])

    def corner(self, prior: list[Fraction]) -> Any:
        """The mechanism with this prior."""
        return self.law_of(prior=list(map(str, prior)))

    def cell(self, sides: Sides) -> Cell:
        """The mechanisms of a box."""
        laws = [self.corner([side[i] for side in sides]) for i in (0, 1)]
        return Cell(laws, list(self.law.datasets()))

    def lines(self) -> list[str]:
        """The shares of the box, and the verdict on all of it: one refuted box refutes it."""
        law, self.shares = self.law, dict.fromkeys(SHARES, ZERO)
        pairs = frozenset((x, y) for x in law.datasets() for y in law.neighbors(x)) if self.full else frozenset()
        for kind, share, sides, found in self._leaves(self.more[0], self.sides, pairs, Fraction(1)):
            self.shares[kind] += share
            if kind == "PROVED" and found:
                self.covered(self.cell(sides), ((x, y, None) for x, y in found), self.bound, "a box that is PROVED: ")
            elif kind == "REFUTED" and (self.full or self.verdict is None):
                self._refuted(self.cell(sides), found)
                self.verdict = "REFUTED"
        if self.full and self.verdict is None:
            self.verdict = "UNDECIDED" if self.shares["UNDECIDED"] else "PROVED"
        if self.full:
            return ["every box: all pairs and outputs, or its witness"]
        found = ["verdict REFUTED: the loss at a witness exceeds the claimed bound on its whole box"]
        return [*(found if self.verdict else []), "all other boxes: not checked (--full does)"]

    def _leaves(self, node: Any, sides: Sides, pairs: Any, share: Fraction) -> Iterator[Leaf]:
        """All leaves; and the pairs of a node that its halves do not get, which are proved on its box."""
        kind = node if isinstance(node, str) else node[0]
        if kind in SHARES:
            yield kind, share, sides, node[1:] if kind == "REFUTED" else pairs
            return
        axis, listed, *halves = node
        left = frozenset(tuple(self.law.place(cells, "a pair") for cells in pair) for pair in listed)
        if type(axis) is not int or not 0 <= axis < len(sides) or sides[axis][0] == sides[axis][1]:
            raise Malformed("a node of the tree has no such side")
        yield "PROVED", ZERO, sides, pairs - left
        low, high = sides[axis]
        ends = (low, (low + high) / 2), ((low + high) / 2, high)
        for half, side in zip(halves, ends, strict=True):
            yield from self._leaves(half, [*sides[:axis], side, *sides[axis + 1 :]], pairs & left, share / 2)

    def _refuted(self, cell: Cell, witness: Any) -> None:
        """Only if the loss of the witness exceeds the bound on the whole box."""
        x, y, output = (self.law.place(cells, "a witness") for cells in witness)
        if not self.law.adjacent(x, y):
            raise Rejected("a witness is not a pair of adjacent data sets")
        if excess(cell.loss(x, y, cell.outputs.index(output)), self.bound) <= 0:
            raise Rejected("a witness does not exceed the bound on its whole box")

    def say(self) -> dict[str, Any]:
        """The sentence."""
        subject, words, _ = self.law.says()
        prior = ", ".join(map(brief, self.subject["prior"]))
        words = words.replace(f"prior = {subject['prior']}", f"prior in {prior}")
        *decided, rest = (share * 10**6 for share in self.shares.values())
        units = [*map(floor, decided), ceil(rest)]  # in 1e-4 %, never in favor of what is stated
        found = ", ".join(f"{unit / 10**4:g} % {name.lower()}" for name, unit in zip(SHARES, units, strict=True))
        checked = "full" if self.full else "one witness" if self.verdict else "NOTHING BUT THE SHARES"
        found += "" if self.full else " (stated, NOT CHECKED)"
        claim, shares = (
            f"{self.bound}-DP for every prior of the box",
            {k.lower(): str(v) for k, v in self.shares.items()},
        )
        return self.stated(words, found, claim, checked, {**subject, "prior": prior}, shares)
