"""Hellinger distances near one end of the data sets, for a whole block of n at once (EVERY_N.md, section 1).

Seen from the first end a data set is the count x of its first cell, whose prior is a; the second cell holds n - x,
with prior b. BC_n(x, r) = u_a(x, r) u_b(n - x, n - r), and the second factor rises to 1 with n. The other end is the
same with the roles of a and b exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import isqrt

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.errors import approximately
from dpaudit.posterior.distances import gamma_ratios

INFINITY = None
"""n = infinity: the second factor of BC is 1."""


@dataclass(frozen=True)
class Block:
    """All n with first <= n <= last; ``last`` None: no end; both None: the limit itself."""

    first: int | None
    last: int | None

    @property
    def ends(self) -> tuple[int | None, ...]:
        """The first and the last n, once if they are the same."""
        return (self.first,) if self.first == self.last else (self.first, self.last)

    def halves(self) -> Iterator[Block]:
        """Yields two blocks that cover this one; nothing if it is a single n."""
        if self.first is None or self.first == self.last:
            return
        if self.last is None:
            yield Block(self.first, 2 * self.first)
            yield Block(2 * self.first + 1, None)
            return
        middle = self.first + max(0, min(self.last - self.first - 1, _geometric(self.first, self.last) - self.first))
        yield Block(self.first, middle)
        yield Block(middle + 1, self.last)

    def text(self) -> str:
        """The block in words: "n = 300…599"."""
        if self.first is None:
            return "n → ∞"
        first, last = (None if n is None else approximately(n) for n in (self.first, self.last))
        if first == last:
            return f"n = {first}"
        return f"n ≥ {first}" if last is None else f"n = {first}…{last}"


LIMIT = Block(None, None)


def _geometric(first: int, last: int) -> int:
    """A whole number near the geometric mean."""
    return isqrt(first * last)


@lru_cache(maxsize=8)
def _rising(alpha: Fraction, steps: int, bits: int) -> tuple[list[Ball], list[Ball]]:
    """Balls that contain Gamma(alpha + m/2) / Gamma(alpha), m = 0..steps, and their inverse roots at even m."""
    ratios = gamma_ratios(alpha, steps)
    return ratios, [g.rsqrt() for g in ratios[::2]]


def _falling(alpha: Fraction, n: int, steps: int) -> list[Ball]:
    """Balls that contain Gamma(alpha + n - m/2) / Gamma(alpha + n) for m = 0..steps <= 2n."""
    top = alpha + n
    ratios = [ball(1), (ball(top - Fraction(1, 2)).lgamma() - ball(top).lgamma()).exp()]
    twice = ball(2 * top)
    for m in range(2, steps + 1):
        ratios.append(2 * ratios[m - 2] / (twice - m))
    return ratios


class Distances:
    """H_n(x, r) for x, r <= reach and every n of the block, as balls that contain all of them."""

    def __init__(self, near: Fraction, far: Fraction, block: Block, reach: int) -> None:
        if block.first is not None and block.first < reach:
            raise ValueError("a block of n starts below the reach")
        self.block, self.reach = block, reach
        self._ratios, self._roots = _rising(near, 2 * reach, balls.working_bits())
        self._far = [None if n is INFINITY else _falling(far, n, 2 * reach) for n in block.ends]

    @cached_property
    def _far_roots(self) -> list[list[Ball] | None]:
        return [None if table is None else [g.rsqrt() for g in table[::2]] for table in self._far]

    def between(self, x: int, r: int) -> Ball:
        """A ball that contains H_n(x, r) for every n of the block: it falls with n, so the ends bound it."""
        if x == r:
            return balls.zero()
        near = self._ratios[x + r] * self._roots[x] * self._roots[r]
        distance = None
        for table, roots in zip(self._far, self._far_roots, strict=True):
            bc = near if table is None or roots is None else near * table[x + r] * roots[x] * roots[r]
            h = (1 - bc).sqrt()
            distance = h if distance is None else balls.from_ends(distance, h)
        assert distance is not None
        return distance

    def row(self, x: int) -> list[Ball]:
        """The balls for r = 0..reach."""
        return [self.between(x, r) for r in range(self.reach + 1)]

    def steps(self, count: int) -> list[Ball]:
        """Balls that contain c_i = H_n(i, i+1) for i < count."""
        return [self.between(i, i + 1) for i in range(count)]
