"""Every n: the supremum over n of the true epsilon of an exponential mechanism with two cells.

When ``EveryN.check`` returns, lower <= the supremum, by the witness, and with ``full`` it is at most upper: every n
below N is a cell of its own; from N on, the pairs near the ends are in consecutive blocks of n (``ends``) from N to
infinity, and those in the middle have one bound (``every_n_middle``). The same holds for true epsilon / epsilon over
every epsilon: a pair is then bounded by matched rows, or on intervals of epsilon where the certificate has cuts.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..arithmetic import Malformed, rational
from ..core import Rejected
from ..exact import ZERO
from ..reading import are_counts, brief, shape
from .cells import Cell
from .ends import block
from .every_epsilon_bounds import End, loss_over_epsilon, read_cuts, read_end
from .every_n_middle import check_first, middle
from .theorem import Pairs, Supremum, excess

Cover = dict[tuple[int, int, int | None], list[tuple[int, int, list[End] | None]]]
"""The pairs of a side for a block of n, from a first to a last one."""


class EveryN(Supremum):
    """lower <= sup over n of true epsilon (or of true epsilon / epsilon over every epsilon too) <= upper.

    The cover: M; N; for each side and each x < M the starts of the blocks of n for the pair x, x+1: n, or [n, cuts,
    cuts] with the intervals of epsilon of both orders; each block ends where the next one begins, the last at infinity.
    And [n, x, x', cuts] for n below N. With equal priors one side is enough.
    """

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        super().__init__(document, full, dict)
        kinds: dict[str, type | None] = {"m": int, "first": int, "blocks": list, "below": list}
        self.m, self.first, self.blocks, below = shape(self.cover, "the cover", kinds)
        self.ratio = self.subject.get("nominal_epsilon") == "all"
        self.below = {(n, x, y): read_cuts(cuts, ZERO, None) for n, x, y, cuts in below}
        if self.subject.get("n") != "all" or len(self.subject.get("prior", ())) != 2:
            raise Malformed("not about every n and two cells")
        self.subject = {**self.subject, **({"nominal_epsilon": "1"} if self.ratio else {})}
        self.law = self.law_of(n=1)
        if self.law.every_pair:
            raise Malformed("the theorem is about one record replaced")

    def read_blocks(self) -> Cover:
        """The blocks of n with their pairs: those of each pair cover all n from N to infinity."""
        a, b = self.law.prior
        found: Cover = {}
        sides = 1 if a == b else 2
        if len(self.blocks) != sides or not all(isinstance(v, list) and len(v) == self.m for v in self.blocks):
            raise Malformed("blocks has not one list for each pair near each end")
        for side, x in ((side, x) for side in range(sides) for x in range(self.m)):
            begun = [entry if isinstance(entry, list) else [entry] for entry in self.blocks[side][x]]
            starts = [entry[0] for entry in begun]
            if starts[:1] != [self.first] or not are_counts(starts, len(starts), 10**100):
                raise Malformed(f"the blocks of the pair {x}, {x + 1} do not begin at N")
            if any(one >= other for one, other in pairwise(starts)):
                raise Malformed(f"the blocks of the pair {x}, {x + 1} do not rise")
            for (one, *cuts), after in zip(begun, [*starts[1:], None], strict=True):
                last = None if after is None else after - 1
                if len(cuts) not in (0, 2):
                    raise Malformed("a block is neither n nor [n, cuts, cuts]")
                there, back = (read_cuts(part, ZERO, None) for part in cuts) if cuts else (None, None)
                found.setdefault((side, one, last), []).extend([(x, x + 1, there), (x + 1, x, back)])
        return found

    def block(self, side: int, ends: tuple[int | None, int | None], top: int) -> Cell:
        """The data sets up to top + 1 of one end, for these n."""
        return block(self.subject, self.bits, side, ends, top)

    def at_witness(self) -> None:
        """The loss at the witness, at one n or in the limit, reaches the lower bound."""
        names = {"side": int, "x": int, "x_prime": int, "output": int}
        side, x, y, r, n, at = shape(self.witness, "the witness", {**names, "n": None, "epsilon": None})
        if n is not None and (type(n) is not int or not 1 <= n <= 10**30):
            raise Malformed("the n of the witness is not a number, nor missing for the limit")
        if side not in (0, 1) or abs(x - y) != 1 or min(x, y, r) < 0 or max(x, y, r) > (10**4 if n is None else n):
            raise Malformed("the witness is not a pair of neighbors with an output")
        if (at is not None) != (self.ratio and n is not None):
            raise Malformed("an epsilon belongs to the witness where epsilon ranges and n is a number")
        if n is None or n >= self.first:
            if self.ratio and n is not None:
                raise Malformed("at every epsilon a witness is below N, or in the limit")
            if n is not None:
                check_first(self.law_of(n=1), n, max(x, y, r), self.block)
            self.reached(self.block(side, (n, n), max(x, y, r)).loss(x, y, r))
            return
        cell, (x, y, r) = self.single(n), ((v, n - v) if side == 0 else (n - v, v) for v in (x, y, r))
        i, exactly = cell.outputs.index(r), cell.laws[0].half() if n == 1 and not self.ratio else None
        if exactly is not None:
            self.reached(rational(exactly if r == x else -exactly, self.bits))
        elif self.ratio:
            self.reached(loss_over_epsilon(cell, x, y, i, read_end(at)))
        else:
            self.reached(cell.loss(x, y, i))

    def single(self, n: int) -> Cell:
        """The mechanism at one n."""
        law = self.law_of(n=n)
        return Cell([law], list(law.datasets()))

    def everywhere(self) -> str:
        """No pair of any n exceeds the upper bound."""
        m, first, law = self.m, self.first, self.law_of(n=1)
        if not (24 <= m <= 10**4 and m >= max(law.prior) and 3 * m <= first <= 10**4):
            raise Malformed("M or N is out of range")
        check_first(law, first, m, self.block)
        if excess(middle(law, m, first, self.block) * law.epsilon, self.most) > 0:
            raise Rejected("the bound of the middle exceeds the upper bound")
        blocks = self.read_blocks()
        for (side, one, last), pairs in blocks.items():
            self.covered(
                self.block(side, (one, last), m - 1), pairs, self.most, f"the block of n from {brief(one)} on: "
            )
        for n in range(1, first):
            self.check_below(n)
        return f"n < {first} one by one, then {len(blocks)} block{'s' * (len(blocks) != 1)} of n and the middle"

    def check_below(self, n: int) -> None:
        """Only if no pair of this n exceeds the bound; for n = 1 by algebra if possible, as both losses are rate H."""
        cell = self.single(n)
        exactly = cell.laws[0].half() if n == 1 and not self.ratio else None
        if exactly is None:
            self.covered(cell, self.pairs_of(n), self.most, f"n = {n}: ")
        elif exactly > self.most:
            raise Rejected("n = 1: the loss exceeds the upper bound")

    def pairs_of(self, n: int) -> Pairs:
        """Both orders of all pairs; with equal priors the other half is the mirror image."""
        a, b = self.law.prior
        count = min(n // 2 + 1, n) if a == b else n
        for x in range(count):
            for one, other in ((x, x + 1), (x + 1, x)):
                yield (one, n - one), (other, n - other), self.below.get((n, one, other))

    def say(self) -> dict[str, Any]:
        """The sentence."""
        words, changed = self.law.says()[1].replace("n = 1,", "every n,", 1), {"n": "all"}
        if self.ratio:
            words = words.replace("nominal epsilon = 1", "for every epsilon > 0")
            changed["nominal_epsilon"] = "all"
        claim = self.claim() + (" for every n" if self.claimed is not None else "")
        return self.sentence(words, " over every n", claim, changed)
