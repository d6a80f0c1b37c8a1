"""The supremum over every n >= N of the losses of all pairs: blocks of n, split until they are decided.

EVERY_N.md, section 5. A block whose upper bound does not exceed what is attained elsewhere, up to the requested
width, is closed; blocks left open at the end count with their upper bound: the answer is an enclosure in any case.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from heapq import heappop, heappush

from dpaudit.forall.every_n_distances import LIMIT, Block
from dpaudit.forall.every_n_pairs import Pairs, Peak, reach_for
from dpaudit.forall.every_n_rates import Family, Prior
from dpaudit.forall.every_n_slopes import SlopedPairs
from dpaudit.numbers import balls
from dpaudit.privacy.effort import Effort

MOST_BLOCKS = 3000
"""The most blocks to examine; the rest stays open."""
PLAIN_BLOCKS = 400
"""From then on short blocks are bounded by center and slope too: there is a plateau."""


@dataclass(frozen=True)
class Place:
    """Where a loss is at least ``least``: the n (None: in the limit), the prior of the near cell first, the peak."""

    least: Fraction
    n: int | None
    side: Prior
    peak: Peak


@dataclass(frozen=True)
class Closed:
    """A block of the cover: for every n in it the losses of these pairs x, x+1, seen from one end, are <= most."""

    block: Block
    side: Prior
    pairs: tuple[int, ...]
    most: Fraction
    sloped: bool = False
    """Whether the bound is that of the center and the slope."""
    cuts: tuple[tuple[Fraction, ...], tuple[Fraction, ...]] | None = None
    """Where the bound is that of sums: the ends of the intervals of epsilon of x against x+1, and of x+1 against x."""


def _short(block: Block) -> bool:
    """Whether slopes are worth while."""
    return block.first is not None and block.last is not None and block.first < block.last <= 2 * block.first


@dataclass
class Search:
    """The pairs x, x+1 with x < m seen from either end, for every n >= first."""

    family: Family
    m: int
    first: int
    tolerance: Fraction
    best: Place | None = None
    floor: Fraction = Fraction(0)
    """A lower bound of the supremum: a value attained here or below N."""
    every_epsilon: bool = False
    """Whether the bounds are to hold at every epsilon, in the proportion of e."""
    cover: list[Closed] = field(default_factory=list)
    waiting: list[tuple[Fraction, int, Closed]] = field(default_factory=list)
    looked: int = 0
    stuck: dict[Prior, set[int]] = field(default_factory=dict)
    """The pairs of an end that sums may bound where matched rows do not."""

    def _pairs(self, side: Prior, block: Block, top: int) -> Pairs:
        most = top + (1 << 20) if block.first is None else block.first - 1
        reach = reach_for(side, top + 1, self.tolerance / 16 / (1 + self._size()), most)
        return Pairs(self.family, side, block, reach, top + 2)

    def _size(self) -> int:
        """A bound of e with room: the rates are some multiples of it."""
        return 8 * (int(self.family.numerator) + 1)

    def offer(self, n: int | None, side: Prior, peak: Peak) -> None:
        """Uses a loss that is attained at this n, or in the limit, as a lower bound."""
        lower = balls.ends(peak.value)[0]
        if self.best is None or lower > self.best.least:
            self.best = Place(lower, n, side, peak)
        self.floor = max(self.floor, lower)

    def limit(self) -> tuple[Fraction, Fraction]:
        """Bounds of the limit of the largest loss of these pairs as n grows."""
        lowers, uppers = [], []
        for side in self.family.sides():
            rows = self._pairs(side, LIMIT, self.m - 1)
            for x in range(self.m):
                for peak in rows.peaks(x):
                    self.offer(None, side, peak)
                    lower, upper = balls.ends(peak.value)
                    lowers.append(lower)
                    uppers.append(upper)
        return max(lowers), max(uppers)

    def whole_limit(self) -> tuple[Fraction, Fraction]:
        """Bounds of the limit of the true epsilon: with the least M at which the middle stays below it."""
        depths = self.family.depths()
        known = replace(self, m=depths[0]).limit()[0]
        middles = ((m, balls.ends(self.family.middle(m, None))[1]) for m in depths)
        m, middle = next((found for found in middles if found[1] <= known), (depths[-1], None))
        other = replace(self, m=m)
        lower, upper = other.limit()
        assert other.best is not None
        self.offer(None, other.best.side, other.best.peak)
        form = self.family.limit_form()
        if middle is not None and form is not None:
            return form, form
        return lower, upper if middle is not None else max(upper, balls.ends(self.family.middle(m, None))[1])

    def run(self, effort: Effort) -> Fraction:
        """An upper bound of the losses of these pairs for every n >= first; the largest are split first."""
        for side in self.family.sides():
            self.stuck[side] = self._stuck(side) if self.every_epsilon else set()
            self._look(Block(self.first, None), side, tuple(range(self.m)))
        most = MOST_BLOCKS // (15 if self.every_epsilon else 1)  # where matched rows are not sharp, more is of no use
        while self.waiting and self.looked < most:
            _, _, closed = heappop(self.waiting)
            effort.tell_gap(closed.most - self.floor)
            halves = list(closed.block.halves())
            if not halves or closed.most <= self.floor + self.tolerance:
                self.cover.append(closed)
            for half in halves if closed.most > self.floor + self.tolerance else []:
                self._look(half, closed.side, closed.pairs)
        effort.tell(1, 1)
        self.cover += [closed for _, _, closed in self.waiting]
        return max(closed.most for closed in self.cover)

    def _stuck(self, side: Prior) -> set[int]:
        """The pairs that no block of matched rows closes, however large its n; of one rate, all pairs."""
        if self.family.flat:
            return set(range(self.m))
        rows = self._pairs(side, LIMIT, self.m - 1)
        return {x for x in range(self.m) if rows.upper_every_epsilon(x) > self.floor + self.tolerance}

    def _look(self, block: Block, side: Prior, pairs: tuple[int, ...]) -> None:
        """Bounds these pairs on this block: those that are closed go to the cover, the others wait."""
        self.looked += 1
        rows = self._pairs(side, block, max(pairs))
        plain = {x: rows.upper_every_epsilon(x) if self.every_epsilon else rows.upper(x) for x in pairs}
        uppers = dict(plain)
        if not self.every_epsilon and self.looked > PLAIN_BLOCKS and _short(block):
            uppers |= self._sloped(block, side, rows.reach, uppers)
        for x in self.stuck[side].intersection(pairs):
            if plain[x] > self.floor + self.tolerance and self._by_sums(block, side, rows, x):
                pairs = tuple(other for other in pairs if other != x)
        if not pairs:
            return
        if block.first is not None and not self.every_epsilon and max(uppers.values()) > self.floor + self.tolerance:
            self._try(block.first, side, tuple(x for x in pairs if uppers[x] > self.floor + self.tolerance))
        open_ = tuple(x for x in pairs if uppers[x] > self.floor + self.tolerance)
        done = tuple(x for x in pairs if x not in open_)
        closed, waiting = (self._closed(block, side, chosen, plain, uppers) for chosen in (done, open_))
        if closed is not None:
            self.cover.append(closed)
        if waiting is not None:
            heappush(self.waiting, (-waiting.most, self.looked, waiting))

    def _by_sums(self, block: Block, side: Prior, rows: Pairs, x: int) -> bool:
        """Puts the pair on this block into the cover if sums of outputs bound it, with a little room."""
        there, back = rows.by_sums(x, self.floor - self.floor / 1000)
        most = max(there.most, back.most)
        if most <= self.floor:
            self.cover.append(Closed(block, side, (x,), most, cuts=(there.cuts, back.cuts)))
        return most <= self.floor

    @staticmethod
    def _closed(
        block: Block, side: Prior, pairs: tuple[int, ...], plain: dict[int, Fraction], uppers: dict[int, Fraction]
    ) -> Closed | None:
        """The block with the bound of these pairs, and whether it needs slopes."""
        if not pairs:
            return None
        upper = max(uppers[x] for x in pairs)
        return Closed(block, side, pairs, upper, any(plain[x] > upper for x in pairs))

    def _sloped(self, block: Block, side: Prior, reach: int, uppers: dict[int, Fraction]) -> dict[int, Fraction]:
        """Sharper bounds for the pairs that are open."""
        wide = [x for x, upper in uppers.items() if upper > self.floor + self.tolerance]
        if not wide:
            return {}
        rows = SlopedPairs(self.family, side, block, reach, max(wide) + 2)
        return {x: min(uppers[x], rows.upper(x)) for x in wide}

    def _try(self, n: int, side: Prior, pairs: tuple[int, ...]) -> None:
        """Looks at one n for a larger loss."""
        rows = self._pairs(side, Block(n, n), max(pairs))
        for x in pairs:
            for peak in rows.peaks(x):
                self.offer(n, side, peak)
