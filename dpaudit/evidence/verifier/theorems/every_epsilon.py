"""Every epsilon: the largest true epsilon / epsilon of a mechanism, for all epsilon > 0 or for a range of them.

When ``Ratio.check`` returns, lower <= sup over epsilon of true epsilon / epsilon, by the witness, and with ``full`` it
is at most upper. An exponential mechanism is one cell with every ordered pair; the cover has the ends of the intervals
of epsilon of those pairs whose rows are not matched well enough. A(x,r) >= 0 is 0 at r = x alone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..arithmetic import Malformed
from ..core import Rejected
from ..exact import ZERO
from ..family import Cells
from ..reading import number, shape
from .cells import Cell
from .every_epsilon_bounds import End, loss_over_epsilon, read_cuts, read_end
from .theorem import Supremum


class Ratio(Supremum):
    """lower <= sup over epsilon of true epsilon / epsilon <= upper."""

    ratio = True

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        super().__init__(document, full, list)
        shape(self.witness, "the witness", dict.fromkeys(("x", "x_prime", "output", "epsilon")))
        self.range = self.subject.get("nominal_epsilon")
        self.low, self.high = self._range()
        self.subject = {**self.subject, "nominal_epsilon": "1"}
        self.law = self.law_of()
        entries = list(map(self._entry, self.cover))
        self.cuts = dict(entries)
        if len(self.cuts) < len(entries) or not all(self.law.adjacent(*pair) for pair in self.cuts):
            raise Malformed("the cover has a pair twice, or one that is not adjacent")

    def _range(self) -> tuple[Fraction, End]:
        """The ends of the epsilons that the certificate is about."""
        if self.range == "all":
            return ZERO, None
        ends = [number(end, "epsilon", 100) for end in str(self.range).split("..")]
        if len(ends) != 2 or not 0 < ends[0] < ends[1]:
            raise Malformed("nominal_epsilon is neither all nor a range")
        return ends[0], ends[1]

    def _entry(self, entry: Any) -> tuple[tuple[Cells, Cells], list[End]]:
        """An ordered pair and the ends of its intervals."""
        if not isinstance(entry, list) or len(entry) != 3:
            raise Malformed("an entry of the cover is not [x, x', cuts]")
        cuts = read_cuts(entry[2], self.low, self.high)
        return (self.law.place(entry[0], "x"), self.law.place(entry[1], "x_prime")), cuts

    def pair(self) -> tuple[Cells, Cells, End]:
        """The data sets and the epsilon of the witness."""
        x, y = (self.law.place(self.witness[name], name) for name in ("x", "x_prime"))
        epsilon = read_end(self.witness["epsilon"])
        if not self.law.adjacent(x, y):
            raise Rejected("the witness is not a pair of adjacent data sets")
        beyond = self.high is not None and (epsilon is None or epsilon > self.high)
        if beyond or (epsilon is not None and epsilon < self.low):
            raise Rejected("the epsilon of the witness is outside the stated range")
        return x, y, epsilon

    def cell(self) -> Cell:
        """The mechanism itself, at this precision."""
        law = self.law_of()
        return Cell([law], list(law.datasets()))

    def at_witness(self) -> None:
        """The ratio at the witness reaches the lower bound."""
        (x, y, epsilon), output = self.pair(), self.law.output(self.witness["output"])
        self.reached(loss_over_epsilon(self.cell(), x, y, output, epsilon))

    def everywhere(self) -> str:
        """No pair exceeds the upper bound at any epsilon."""
        cell, law = self.cell(), self.law
        pairs = ((x, y, self.cuts.get((x, y))) for x in law.datasets() for y in law.neighbors(x))
        self.covered(cell, pairs, self.most)
        return "every pair at every epsilon, by matched rows or by its intervals"

    def say(self) -> dict[str, Any]:
        """The sentence."""
        where = "every epsilon > 0" if self.high is None else f"every epsilon from {self.low} to {self.high}"
        words = self.law.says()[1].replace("nominal epsilon = 1", f"for {where}")
        return self.sentence(words, "", f"{self.claim()} for {where}", {"nominal_epsilon": self.range})
