"""Every prior of a box: which priors make an exponential mechanism ``claimed``-DP, by a tree of halves.

When ``Map.check`` returns with ``full``, every leaf of the tree is what it says for all priors of its box, and the
shares add up. H falls and BC rises in every entry of the prior: dH/d alpha_i = -q_i BC / (2 H), q_i = psi(alpha_i +
(c_i+d_i)/2) - psi(alpha_i + c_i)/2 - psi(alpha_i + d_i)/2 >= 0, as psi is concave, and q_i falls in alpha_i, as psi' is
convex: all extremes lie at corners of the box. Every number is a ``Spread`` over the box, with its value at the centre.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

from ..arithmetic import Interval, Malformed, Undecided, hull, rational
from ..core import Rejected
from ..exact import ZERO
from ..family import Cells, distance, read_family, replaced
from ..reading import brief, number, shape
from ..special import digammas
from .spread import Row, Spread, least
from .theorem import Theorem, excess

BITS = 100
"""Boxes are wide: more bits would not decide more."""


class Box:
    """The rows of a mechanism for all priors between two corners."""

    def __init__(self, subject: dict[str, Any], sides: list[tuple[Fraction, Fraction]]) -> None:
        corners = [[side[i] for side in sides] for i in (0, 1)]
        middle = [(low + high) / 2 for low, high in sides]
        self.low, self.high, self.law = (
            read_family({**subject, "prior": list(map(str, prior))}, BITS) for prior in (*corners, middle)
        )
        self.axes = [i for i, (low, high) in enumerate(sides) if low < high]
        self.halves = [(sides[i][1] - sides[i][0]) / 2 for i in self.axes]
        self._psi = {i: [digammas(end, self.law.n, BITS) for end in sides[i]] for i in self.axes}
        self._rows: dict[Cells, Row] = {}
        self._kept: dict[Any, Spread] = {}

    def constant(self, value: Interval) -> Spread:
        """A number that does not depend on the prior."""
        return Spread(value, [rational(0, BITS)] * len(self.axes))

    def _q(self, i: int, end: int, c: int, d: int) -> Interval:
        even, odd = self._psi[i][end]
        m, rest = divmod(c + d, 2)
        return (odd if rest else even)[m] - (even[c] + even[d]) / 2

    def hellinger(self, c: Cells, d: Cells) -> Spread:
        """H(c, d)."""
        if c == d:
            return self.constant(rational(0, BITS))
        key = (min(c, d), max(c, d))
        if key not in self._kept:
            ends = [law.hellinger(c, d) for law in (self.low, self.high)]
            factors = [(1 - end * end) / (2 * end) for end in ends]
            q = [[self._q(i, end, c[i], d[i]) for end in (1, 0)] for i in self.axes]
            self._kept[key] = Spread(hull(*ends), [-hull(factors[0] * a, factors[1] * b) for a, b in q])
        return self._kept[key]

    def inverse(self, c: Cells) -> Spread:
        """1 / LS(c), the least 1 / H(c, d) of a neighbor d."""
        if c not in self._kept:
            self._kept[c] = least(self.hellinger(c, d).inverse() for d in replaced(c))
        return self._kept[c]

    def rate(self, c: Cells) -> Spread:
        """epsilon / divisor(c)."""
        law, name = self.law, self.law.name
        gamma, scale = law.parameters.get("gamma", ZERO), law.epsilon / 2
        if name == "EHD" and law.parameters["gs"] == "constant":
            return self.constant(law.epsilon / law.divisor(c))
        if name == "EHDL":
            found = self.inverse(c)
        else:
            found = least(self.inverse(d).plus(gamma * distance(c, d)) for d in law.datasets())
        return found.times(scale / (1 + gamma) if name == "EHDS" else scale)

    def row(self, x: Cells) -> Row:
        """A(x, r) = rate(x) H(x, r), output by output, and ln Z_x."""
        if x not in self._rows:
            centre, rate, law = self.law.epsilon / self.law.divisor(x), self.rate(x), self.law
            pairs = ((centre * law.hellinger(x, r), rate * self.hellinger(x, r)) for r in law.datasets())
            self._rows[x] = Row(pairs, self.halves)
        return self._rows[x]

    def losses(self, x: Cells, y: Cells) -> list[Interval]:
        """The loss, output by output."""
        return self.row(x).losses(self.row(y), self.halves)


class Map(Theorem):
    """A tree of halves, every leaf with a verdict.

    A node [side, pairs, half, half] says that all pairs which came down to it are proved on its box but these, which
    go on to its halves; a leaf is "PROVED" (the pairs that came down), ["REFUTED", x, x', output] or "UNDECIDED".
    """

    SHARES = ("proved", "refuted", "undecided")

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        super().__init__(document, full, dict.fromkeys(("claimed", *self.SHARES), str), {"cover": None})
        (self.tree,) = self.more
        self.bound, *self.shares = (number(self.statement[name], name, 5000) for name in ("claimed", *self.SHARES))
        prior = shape({"prior": self.subject.get("prior")}, "the subject", {"prior": list})[0]
        self.sides = [tuple(number(end, "prior", 100) for end in str(alpha).split("..")) * 2 for alpha in prior]
        if any(len(side) not in (2, 4) or side[0] > side[1] for side in self.sides) or self.bound < 0:
            raise Malformed("the prior is not a box, or the bound is negative")
        self.witnesses = 0
        self.law = read_family({**self.subject, "prior": [str(side[0]) for side in self.sides]}, BITS)

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """What was established and the statement."""
        law, areas = self.law, dict.fromkeys(self.SHARES, ZERO)
        pairs = frozenset((x, y) for x in law.datasets() for y in law.neighbors(x)) if self.full else frozenset()
        try:
            self._walk(self.tree, [side[:2] for side in self.sides], pairs, Fraction(1), areas)
        except Undecided:
            raise Rejected("a box is not decided as stated") from None
        if list(areas.values()) != self.shares:
            raise Rejected("the shares of the box are not as stated")
        _, refuted, undecided = self.shares
        expected = "REFUTED" if refuted else "UNDECIDED" if undecided else "PROVED"
        if self.statement["verdict"] != expected:
            raise Rejected(f"the verdict contradicts the map, by which it is {expected}")
        self.sure = self.full or self.witnesses > 0  # one refuted box refutes the claim for the whole
        if self.full:
            return ["the shares add up", "every box: all pairs and outputs, or its witness"], self._say()
        line = f"verdict: not checked ({expected} is stated)"
        if self.sure:
            line = "verdict REFUTED: the loss at a witness exceeds the claimed bound on its whole box"
        return ["the shares add up", line, "all other boxes: not checked (--full does)"], self._say()

    def _walk(self, node: Any, sides: list[Any], pairs: Any, area: Fraction, areas: dict[str, Fraction]) -> None:
        """Checks a node on its box, and adds the shares of its leaves."""
        verdict = node if isinstance(node, str) else node[0]
        if verdict in ("PROVED", "REFUTED", "UNDECIDED"):
            areas[verdict.lower()] += area
            if verdict == "REFUTED":
                self._refuted(sides, *(self.law.place(cells, "a witness") for cells in node[1:]))
            elif verdict == "PROVED":
                self._proved(sides, pairs)
            return
        axis, listed, one, other = node
        left = frozenset(tuple(self.law.place(cells, "a pair") for cells in pair) for pair in listed)
        if type(axis) is not int or not 0 <= axis < len(sides) or sides[axis][0] == sides[axis][1]:
            raise Malformed("a node of the tree has no such side")
        self._proved(sides, pairs - left)
        low, high = sides[axis]
        for half, ends in ((one, (low, (low + high) / 2)), (other, ((low + high) / 2, high))):
            self._walk(half, [*sides[:axis], ends, *sides[axis + 1 :]], pairs & left, area / 2, areas)

    def _proved(self, sides: list[Any], pairs: Any) -> None:
        if not self.full or not pairs:
            return
        box = Box(self.subject, sides)
        for x, y in pairs:
            if any(excess(loss, self.bound) > 0 for loss in box.losses(x, y)):
                raise Rejected(f"x = {brief(x)}, x' = {brief(y)} exceeds the bound on a box that is PROVED")

    def _refuted(self, sides: list[Any], x: Cells, y: Cells, output: Cells) -> None:
        if not self.law.adjacent(x, y):
            raise Rejected("a witness is not a pair of adjacent data sets")
        if self.full or not self.witnesses:
            loss = Box(self.subject, sides).losses(x, y)[list(self.law.datasets()).index(output)]
            if excess(loss, self.bound) <= 0:
                raise Rejected("a witness does not exceed the bound on its whole box")
            self.witnesses += 1

    def _say(self) -> dict[str, Any]:
        subject, words, _ = self.law.says()
        prior = ", ".join(map(brief, self.subject["prior"]))
        words = words.replace(f"prior = {subject['prior']}", f"prior in {prior}")
        *decided, rest = (share * 10**6 for share in self.shares)
        units = [*map(floor, decided), ceil(rest)]  # in 1e-4 %, never in favour of what is stated
        shares = ", ".join(f"{unit / 10**4:g} % {name}" for name, unit in zip(self.SHARES, units, strict=True))
        checked = "full" if self.full else "one witness" if self.witnesses else "NOTHING BUT THE SHARES"
        shares += "" if self.full else " (stated, NOT CHECKED)"
        stated = {name: self.statement[name] for name in self.SHARES}
        claim = f"{self.bound}-DP for every prior of the box"
        return self.said(words, shares, claim, checked, {**subject, "prior": prior}, stated)
