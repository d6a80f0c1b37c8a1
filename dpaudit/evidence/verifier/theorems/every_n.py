"""Every n: the supremum over n of the true epsilon of an exponential mechanism with two cells.

When ``EveryN.check`` returns, lower <= the supremum, by the witness, and with ``full`` it is at most upper: every n
below N by its own rows, from N on the pairs near the ends by blocks of n (``every_n_blocks``) that join from N to
infinity, and the pairs in the middle by ``middle``. The same for true epsilon / epsilon over every epsilon too: then
an ordered pair is bounded by matched rows, or, where the certificate has cuts for it, on intervals of epsilon.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from math import inf
from typing import Any

from ..arithmetic import Interval, Malformed, Undecided, rational
from ..core import Rejected
from ..exact import ZERO, Number, exp_of, exponential, sign
from ..family import Cells
from ..reading import DIGITS, brief, number, shape, whole
from ..special import largest, smallest
from .every_epsilon import End, exponents, gain, over_epsilon, read_cuts
from .every_n_blocks import Block
from .theorem import Supremum, excess


def is_at_most(numbers: list[Number]) -> bool:
    """Whether the sum of the numbers is known to be at most 0."""
    try:
        return sign(numbers) <= 0
    except Undecided:
        return False


class EveryN(Supremum):
    """lower <= sup over n of true epsilon (or of true epsilon / epsilon over every epsilon too) <= upper."""

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        super().__init__(document, full, dict)
        kinds: dict[str, type | None] = {"m": int, "first": int, "blocks": list, "below": None}
        self.m, self.first, self.blocks, below = shape(self.cover, "the cover", kinds)
        self.ratio = self.subject.get("nominal_epsilon") == "all"
        self.below = self._read_below([] if below is None else below)
        if self.subject.get("n") != "all" or len(self.subject.get("prior", ())) != 2:
            raise Malformed("not about every n and two cells")
        self.subject = {**self.subject, **({"nominal_epsilon": "1"} if self.ratio else {})}
        self.law = self.law_of(n=1)
        if self.law.every_pair:
            raise Malformed("the theorem is about one record replaced")

    def _read_below(self, entries: Any) -> dict[tuple[int, int, int], list[End]]:
        """The cuts of ordered pairs of an n below N: [n, x, x', cuts]."""
        if not isinstance(entries, list) or (entries and not self.ratio):
            raise Malformed("below is no list, or about one epsilon")
        if not all(isinstance(v, list) and len(v) == 4 and whole(v[:3], 3, 10**4) for v in entries):
            raise Malformed("an entry of below is not [n, x, x', cuts]")
        return {(n, x, y): read_cuts(cuts, ZERO, None) for n, x, y, cuts in entries}

    def block(self, side: int, ends: list[int | None], top: int, sloped: bool = False) -> Block:
        """The rows up to top + 1 of one end, for these n."""
        return Block(self.law, side, ends, top, None, sloped)

    def at_witness(self) -> None:
        """The loss at the witness, of an n or in the limit, reaches the lower bound."""
        names = {"side": int, "x": int, "x_prime": int, "output": int}
        side, x, y, r, n, at = shape(self.witness, "the witness", {**names, "n": None, "epsilon": None})
        if n is not None and (type(n) is not int or not 1 <= n <= 10**30):
            raise Malformed("the n of the witness is not a number, nor missing for the limit")
        if side not in (0, 1) or abs(x - y) != 1 or min(x, y, r) < 0 or max(x, y, r) > (10**4 if n is None else n):
            raise Malformed("the witness is not a pair of neighbors with an output")
        if (at is not None) != (self.ratio and n is not None):
            raise Malformed("an epsilon belongs to the witness where epsilon ranges and n is a number")
        if n is not None and (self.ratio or n < self.first):
            cells: list[Cells] = [(v, n - v) if side == 0 else (n - v, v) for v in (x, y, r)]
            reached = self._reached(self.law_of(n=n), cells, at)
        else:
            if n is not None:
                self._check_first(n, max(x, y, r))
            reached = excess(self.block(side, [n], max(x, y, r)).losses(x, y)[r], self.least)
        if reached < 0:
            raise Rejected("the value at the witness is below the stated lower bound")

    def _reached(self, law: Any, cells: list[Cells], at: Any) -> int:
        """The sign of the loss of the first data set against the second at the third, an output, minus the bound."""
        output = law.output(list(cells[2]))
        if not self.ratio:
            p, q = (law.make_row(c)[output] for c in cells[:2])
            return sign([p, q * exponential(Fraction(-1), self.least, self.bits)])
        x, y = (exponents(law, c) for c in cells[:2])
        epsilon = None if at == "inf" else number(at, "epsilon", DIGITS)
        if epsilon is not None and epsilon < 0:
            raise Malformed("epsilon is negative")
        return excess(y.all[output] - x.all[output] + gain(x, y, epsilon), self.least)

    def _check_first(self, n: int, m: int) -> None:
        """What the rates near an end need: 2x <= n + b - a, and no better candidate for S beyond the peak of 1/LS."""
        a, b = self.law.prior
        gamma, room = self.law.parameters.get("gamma"), Fraction(n) - abs(a - b) - 2 * m - 4
        if room < 0:
            raise Rejected("N is too small for the pairs near the ends")
        if gamma is None or self._touches(m):
            return
        for side in (0, 1):
            if self.block(side, [None], m).step(m).value.ends()[1] > gamma * (room / 2 - 2):
                raise Rejected("N is too small for the smooth sensitivity near the ends")

    def _touches(self, m: int) -> bool:
        """Whether S = LS from m on in the limit, hence at every n: no step of 1/LS is longer at n than there."""
        gamma = self.law.parameters["gamma"]
        for side in (0, 1):
            block = self.block(side, [None], m)
            ls = [block.step(max(x - 1, 0)).value for x in range(m + 1)]
            if any((ls[m] - ls[x]).ends()[1] > gamma * (m - x) for x in range(m)):
                return False
            if self._rise(block.prior[0] + m - 1).ends()[1] > gamma:
                return False
        return True

    def _rise(self, z: Fraction) -> Interval:
        """-ln BC of a step lies between 1/(8z+2) and 1/(8z), and 1/c rises by at most (8z+2)^(3/2) / (16 z^2)."""
        wide = rational(8 * z + 2, self.bits)
        return wide * wide.sqrt() / (16 * z * z)

    def middle(self) -> Interval:
        """A bound of the losses of x and x+1, m <= x <= n-1-m, for every n from N on, over e.

        EHD: twice rate times the step. Else with s: r -> r+1, n -> 0: 1/2 + |1/Delta(x+1) - 1/Delta(x)| / 2 + w T,
        T the largest |H(x+1,s(r)) - H(x,r)|. A shift changes L = -ln BC by at most the share 4(z+1)/(4z^2-1) of it,
        L dH/dL <= sqrt(L) e^(-3L/4) / 2 <= 1/4, L(x,x-j) >= j^2 / (8(a+x+1)), w <= e^(1/(32z+8)) sqrt(8z+2) / 2.
        """
        law, m, found = self.law, self.m, []
        if law.name == "EHD":
            steps = [self.block(side, [self.first], m).distance(m, m + 1).value for side in (0, 1)]
            return largest(steps) * self.block(0, [None], 0).longest.value
        gamma = law.parameters.get("gamma")
        for a in law.prior:
            whole_, wide = 8 * (a + m + 1), [self._widest(z) for z in (a + m, a + max(Fraction(m), 2 * a))]
            square = Fraction(9 * m * m, 16)
            found.append(exp_of(-square / (8 * a + 5 * m + 8), self.bits) * wide[0])
            found.append(self._share(a + Fraction(m, 4)) * self._steep(square / whole_) * wide[1])
            for i in range(24):
                low, high = Fraction(i, 32), Fraction(i + 1, 32)
                found.append(self._share(a + m * (1 - high)) * self._steep((low * m) ** 2 / whole_) * wide[0])
        rises = [] if gamma is None else [rational(gamma, self.bits)]
        if gamma is None or self._touches(m):
            rises.append(largest(self._rise(a + m - 1) for a in law.prior))
        bound = smallest(rises) / 2 + Fraction(1, 2) + largest(found)
        return bound / (1 + gamma) if law.name == "EHDS" else bound

    def _widest(self, z: Fraction) -> Interval:
        return exp_of(1 / (32 * z + 8), self.bits) * rational(8 * z + 2, self.bits).sqrt() / 2

    def _share(self, z: Fraction) -> Fraction:
        return 4 * (z + 1) / (4 * z * z - 1)

    def _steep(self, level: Fraction) -> Interval:
        """The bound falls from L = 2/3 on."""
        if level < 1:
            return rational(Fraction(1, 4), self.bits)
        return rational(level, self.bits).sqrt() * exp_of(-3 * level / 4, self.bits) / 2

    def everywhere(self) -> str:
        """No pair of any n exceeds the upper bound."""
        m, first = self.m, self.first
        if not (24 <= m <= 10**4 and m >= max(self.law.prior) and 3 * m <= first <= 10**4):
            raise Malformed("M or N is out of range")
        self._check_first(first, m)
        if (self.middle() * self.law.epsilon).ends()[1] > self.most:
            raise Rejected("the bound of the middle exceeds the upper bound")
        self.check_cover()
        for one, last, side, pairs, *more in self.blocks:
            left, block = pairs, self.block(side, [one, last], max(pairs))
            cuts = [read_cuts(part, ZERO, None) for part in more[0]] if more and more != ["slope"] else None
            left = [x for x in left if any(v.ends()[1] > self.most for v in block.uppers(x, self.ratio, cuts))]
            if left and more == ["slope"]:
                block = self.block(side, [one, last], max(left), sloped=True)
                left = [x for x in left if any(v.ends()[1] > self.most for v in block.uppers(x, False))]
            if left:
                raise Rejected(f"the block of n from {brief(one)} on is not covered by the upper bound")
        for n in range(1, first):
            self.check_below(n)
        return (
            f"n < {first} one by one, then {len(self.blocks)} block{'s' * (len(self.blocks) != 1)} of n and the middle"
        )

    def check_cover(self) -> None:
        """Every pair x < m of either end is in blocks that join from N to infinity; equal priors need one end."""
        ends: dict[tuple[int, int], list[tuple[int, float]]] = {}
        for entry in self.blocks:
            if not isinstance(entry, list) or not 4 <= len(entry) <= 5 or not isinstance(entry[3], list):
                raise Malformed("a block is not [first, last, side, pairs]")
            one, last, side, pairs, *more = entry
            cuts = more[0] if more and isinstance(more[0], list) else None
            if cuts is not None and (len(cuts) != 2 or len(pairs) != 1 or not self.ratio):
                raise Malformed("a block with cuts has one pair, two lists of them, and every epsilon")
            if cuts is None and more and (more != ["slope"] or self.ratio or last is None or one == last):
                raise Malformed("a block with a slope has two ends, and one epsilon")
            ends_ = type(one) is int and one >= self.first and (last is None or (type(last) is int and last >= one))
            if not ends_ or type(side) is not int or side not in (0, 1):
                raise Malformed("a block has no such ends or side")
            if not pairs or not whole(pairs, len(pairs), self.m - 1):
                raise Malformed("a block has no such pairs")
            for x in pairs:
                ends.setdefault((side, x), []).append((one, inf if last is None else last))
        a, b = self.law.prior
        for side, x in product((0,) if a == b else (0, 1), range(self.m)):
            covered: float = self.first - 1
            for one, last in sorted(ends.get((side, x), [])):
                covered = max(covered, last) if one <= covered + 1 else covered
            if covered != inf:
                raise Rejected(f"the blocks of the pair {x}, {x + 1} do not reach from N to infinity")

    def check_below(self, n: int) -> None:
        """Returns only if no pair of this n exceeds; with equal priors the other half is its mirror image."""
        law = self.law_of(n=n)
        a, b = law.prior
        count = min(n // 2 + 2, n + 1) if a == b else n + 1
        exceeds = self._exceeding_ratio if self.ratio else self._exceeding
        for x in exceeds(law, [(x, n - x) for x in range(count)]):
            raise Rejected(f"n = {n}: the pair {x}, {x + 1} is not covered by the upper bound")

    def _exceeding(self, law: Any, cells: list[Cells]) -> Iterator[int]:
        """The x for which a loss of the pair x, x+1 is not known to be at most the upper bound."""
        rows, rate = [law.make_row(c) for c in cells], exponential(Fraction(-1), self.most, self.bits)
        for x, (p, q) in enumerate(pairwise(rows)):
            both = [pair for u, v in zip(p, q, strict=True) for pair in ((u, v), (v, u))]
            if any(not is_at_most([u, v * rate]) for u, v in both):
                yield x

    def _exceeding_ratio(self, law: Any, cells: list[Cells]) -> Iterator[int]:
        """The same at every epsilon."""
        rows = [exponents(law, c) for c in cells]
        for x, (p, q) in enumerate(pairwise(rows)):
            there, back = (self.below.get((law.n, *key)) for key in ((x, x + 1), (x + 1, x)))
            bounds = [*over_epsilon(p, q, there), *over_epsilon(q, p, back)]
            if any(v.ends()[1] > self.most for v in bounds):
                yield x

    def say(self) -> dict[str, Any]:
        """The sentence."""
        words, changed = self.law.says()[1].replace("n = 1,", "every n,", 1), {"n": "all"}
        if self.ratio:
            words, changed = (
                words.replace("nominal epsilon = 1", "for every epsilon > 0"),
                {**changed, "nominal_epsilon": "all"},
            )
        claim = self.claim() + (" for every n" if self.claimed is not None else "")
        return self.sentence(words, " over every n", claim, changed)
