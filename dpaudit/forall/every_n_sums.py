"""Rows compared by their sums: a bound of the losses of two rows of a block of n at every epsilon (EVERY_N.md, 6).

Z_y / Z_x is at most the larger of the quotients over the outputs up to the reach and beyond it. The first is bounded
on intervals of epsilon (EVERY_EPSILON.md, section 3) whose ends are kept: they are the certificate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import pairwise

from dpaudit.forall.every_epsilon_bounds import Interval, above
from dpaudit.forall.every_epsilon_cover import FIRST
from dpaudit.forall.every_epsilon_rows import Row
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball

MOST_CUTS = 64
"""The most intervals of epsilon for one pair on one block; where they do not suffice, the block is halved."""


@dataclass(frozen=True)
class BySums:
    """The losses of an ordered pair are at most ``most`` times epsilon at every epsilon; ``cuts`` end the intervals."""

    most: Fraction
    cuts: tuple[Fraction, ...]


def by_sums(x: Row, y: Row, far: tuple[Ball, Ball] | None, bar: Fraction) -> BySums:
    """A bound of loss / epsilon of x against y, and its intervals, halved until it is below the bar.

    ``x`` and ``y`` are the outputs up to the reach, ``far`` contains the exponents of every other output in both rows,
    if there are any.
    """
    others = [] if far is None else [far[1] - far[0]]
    top = balls.maximum([*(b - a for a, b in zip(x.exponents, y.exponents, strict=True)), *others])
    beyond = balls.ends(balls.maximum([balls.zero(), *(top - other for other in others)]))[1]

    def node(interval: Interval) -> tuple[Fraction, Interval]:
        return -balls.ends(top + above(x, y, interval))[1], interval

    ends = [Fraction(0), *FIRST, None]
    heap = [node((low or Fraction(0), high)) for low, high in pairwise(ends)]
    heapify(heap)
    while -heap[0][0] > bar >= beyond and len(heap) < MOST_CUTS:
        low, high = heappop(heap)[1]
        middle = 2 * low if high is None else (low + high) / 2
        for part in ((low, middle), (middle, high)):
            heappush(heap, node(part))
    cuts = tuple(sorted(high for _, (_, high) in heap if high is not None))
    return BySums(max(beyond, -heap[0][0]), cuts)
