"""Every n: an exponential mechanism with two cells at one n, or in the limit, seen from one end of the data sets.

A data set is the count x of the cell of this end, with prior a; the other cell holds n - x. BC = u_a(x,r) u_b(n-x,n-r),
u_c(s,t) = Gamma(c+(s+t)/2) / sqrt(Gamma(c+s) Gamma(c+t)); the second factor rises to 1 with n, as psi is concave: H
falls with n, for all n of a block from its value at the first to that at the last one. H grows with |x - r|.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from ..arithmetic import Interval, rational
from ..family import Exponential, affinity, ratios
from ..special import largest
from .cells import Cell


class End(Exponential):
    """Its distances among the first data sets; LS and GS from them, and S where no farther data set matters.

    c_i = H(i,i+1) falls up to the middle and then rises: the longest step is the first one from either end.
    """

    def __init__(self, subject: dict[str, Any], bits: int, side: int, n: int | None, top: int, reach: int) -> None:
        super().__init__({**subject, "n": 1}, bits)
        self.given, self.count, self.top = subject, n, top
        a, b = self.prior[:: -1 if side else 1]
        self._near = ratios(a, 1, 2 * reach + 2, bits)
        self._far = None if n is None else ratios(b + n, -1, 2 * reach + 2, bits)

    def datasets(self) -> Iterable[int]:
        """The first data sets."""
        return range(self.top + 2)

    def links(self, x: int) -> Iterable[int]:
        """One record more, and one less."""
        return (x - 1, x + 1) if x else (1,)

    def steps(self, c: int, d: int) -> int:
        """The number of records to replace."""
        return abs(c - d)

    def hellinger(self, c: int, d: int) -> Interval:
        """H(c, d)."""
        if c == d:
            return rational(0, self.bits)
        near = affinity(self._near, c, d)
        return (1 - (near if self._far is None else near * affinity(self._far, c, d))).sqrt()

    @cached_property
    def widest(self) -> Interval:
        """GS."""
        return largest(End(self.given, self.bits, side, self.count, 0, 1).hellinger(0, 1) for side in (0, 1))


def block(subject: dict[str, Any], bits: int, side: int, ends: tuple[int | None, int | None], top: int) -> Cell:
    """The data sets up to top + 1 of one end for all n from the first to the last of ``ends``; None is infinity.

    Outputs are listed up to a reach R at which weights are small; beyond it H(x,R+1) <= H <= 1.
    """
    a, first = Exponential({**subject, "n": 1}, bits).prior[side], ends[0]
    most = top + 10**5 if first is None else first - 2
    enough = (r for r in range(top + 2, most) if (r - top) ** 2 >= (bits - 92) * (8 * a + 4 * (top + r)))
    reach = next(enough, most)
    numbers = list(dict.fromkeys(ends))
    laws = [End(subject, bits, side, n, top, reach) for n in numbers]
    return Cell(laws, range(reach + 1), reach + 1, [None if n is None else n - reach for n in numbers])
