"""Every epsilon for floored, clipped Laplace noise: every ratio of probabilities, exactly, as q^a (2-q)^b.

When ``LaplaceRatio.check`` returns, the conclusion of ``every_epsilon`` holds. With t = epsilon / s and q = e^-t the
law of a cell is q^e times 1/2, (1-q)/2 or (2-q)/2. At epsilon = 1 this is an identity of sums of exponentials, which
are equal only as polynomials in q: it holds for every epsilon. So the ratio of a pair at an output is q^a (2-q)^b, and
the loss over epsilon is (b g(t) - a) / s with g(t) = ln(2 - e^-t) / t. ln(2 - e^-t) is concave and 0 at 0, so g falls,
from 1 (t -> 0) to 0 (t -> infinity): the ends of a range bound it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ..arithmetic import Malformed
from ..core import Rejected
from ..exact import ZERO, exp_of
from ..reading import are_counts
from .every_epsilon import Ratio
from .every_epsilon_bounds import End
from .theorem import excess

PLAIN, CORNER = ((0, Fraction(1, 2)),), ((0, Fraction(1)), (1, Fraction(-1, 2)))
Power = tuple[int, int]
"""(a, b) stands for q^a (2-q)^b."""


class LaplaceRatio(Ratio):
    """lower <= sup over epsilon of true epsilon / epsilon <= upper."""

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        super().__init__(document, full)
        if self.cover or self.law.every_pair:
            raise Malformed("a theorem on Laplace noise has no cover, and is about one record replaced")
        self._cells: dict[tuple[int, int], tuple[int, Any]] = {}

    def _cell(self, c: int, o: int) -> tuple[int, Any]:
        """(e, rest) where the law of the cell is q^e times one of the three."""
        if (c, o) not in self._cells:
            terms = sorted((int(-power * self.law.scale), v) for power, v in self.law.cell(c, o).form[0].items())
            least = terms[0][0]
            self._cells[c, o] = least, tuple((power - least, v) for power, v in terms)
        return self._cells[c, o]

    def _power(self, c: int, d: int, o: int) -> Power:
        """The ratio of the laws of counts c and d at the output o of a cell."""
        (e, top), (f, bottom) = self._cell(c, o), self._cell(d, o)
        if top != bottom and {top, bottom} != {PLAIN, CORNER}:
            raise Rejected("a ratio of probabilities is not of the form q^a (2-q)^b")
        return e - f, (top == CORNER) - (bottom == CORNER)

    def _over(self, power: Power, epsilon: End, bound: Fraction) -> int:
        """The sign of the loss over epsilon minus the bound."""
        a, b = power
        g: Fraction | None = {None: ZERO, ZERO: Fraction(1)}.get(epsilon) if b else ZERO
        if g is not None or epsilon is None:
            exactly = (b * (g or ZERO) - a) / self.law.scale - bound
            return int(exactly > 0) - int(exactly < 0)
        t = epsilon / self.law.scale
        return excess((2 - exp_of(-t, self.bits)).log() / t * b - a, bound * self.law.scale)

    def at_witness(self) -> None:
        """The ratio at the witness reaches the lower bound."""
        x, y, epsilon = self.pair()
        output = self.witness["output"]
        if not are_counts(output, self.law.noised, self.law.n):
            raise Rejected("the witness is not a pair of adjacent data sets with an output")
        powers = [self._power(*cell) for cell in zip(x, y, output, strict=False) if cell[0] != cell[1]]
        if self._over((sum(a for a, _ in powers), sum(b for _, b in powers)), epsilon, self.least) < 0:
            raise Rejected("the value at the witness is below the stated lower bound")

    def everywhere(self) -> str:
        """No ratio exceeds the upper bound at either end."""
        for power in self.powers():
            if any(self._over(power, end, self.most) > 0 for end in (self.low, self.high)):
                raise Rejected("a ratio of probabilities is not covered by the upper bound")
        return "every pair and every output, as q^a (2-q)^b, at both ends of the range of epsilon"

    def powers(self) -> set[Power]:
        """All powers that occur: one record moves between two noised cells, or to or from the last, derived one.

        Two noised cells hold at most n records together, and exactly n if there is no third cell.
        """
        law, n, one, two = self.law, self.law.n, set[Power](), set[tuple[Any, Any]]()
        down, up = (
            [frozenset(self._power(c + i, c + 1 - i, o) for o in range(n + 1)) for c in range(n)] for i in (1, 0)
        )  # from c + 1 to c, and from c to c + 1
        if law.noised < law.k:
            one = set[Power]().union(*down, *up)
        if law.noised > 1:
            for c in range(n):
                two |= {(down[c], up[d]) for d in ([n - 1 - c] if law.k == 2 else range(n - c))}
        return one | {(a + e, b + f) for p, r in two for a, b in p for e, f in r}
