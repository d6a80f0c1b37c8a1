"""Branch and bound over pairs and epsilon: the supremum of loss / epsilon, with the cover that proves it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from math import inf, log2
from typing import NamedTuple

from dpaudit.forall.every_epsilon_bounds import Interval, Place, above, at, peak
from dpaudit.forall.every_epsilon_rows import Rows
from dpaudit.forall.ranged import Span
from dpaudit.mechanisms.exponential import Exponential
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, NeedsMoreBits
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import pairs

MOST_INTERVALS = 100_000
"""The number of intervals after which branch and bound stops, however wide the enclosure is."""
FIRST = tuple(Fraction(2) ** k for k in range(-4, 8, 2))
"""Where the first intervals meet, for every epsilon."""


class Pair(NamedTuple):
    """An ordered adjacent pair: ``top`` contains the largest D(r), attained at ``output``; ``swing`` max D - min D."""

    x: Histogram
    y: Histogram
    output: int
    top: Ball
    swing: Ball
    alike: bool
    """Whether both rows have the same exponents: then Z_x = Z_y at every epsilon; loss / epsilon is free of it."""


class Node(NamedTuple):
    """An interval of epsilon for one pair; ``bound`` is above loss / epsilon there."""

    key: float
    pair: int
    interval: Interval
    bound: Ball


@dataclass
class Cover:
    """The supremum lies in the ball ``value``; ``pair`` at ``epsilon`` (0 and None are limits) is its lower bound."""

    value: Ball
    pair: Pair
    epsilon: Fraction | None
    left: list[Node]
    """The intervals that may hold the supremum."""
    pairs: list[Pair]
    """The pairs that the oscillation alone does not decide."""
    closed: dict[int, list[Interval]] = field(default_factory=dict)
    """By position in ``pairs``, all intervals of the cover."""
    by_oscillation: int = 0
    ran_out: int = 0
    """The number of intervals after which the search gave up the requested digits; else 0."""
    known: bool = False
    """Whether the supremum is proved to be the value at ``epsilon``."""


def ordered_pairs(mechanism: Exponential, rows: Rows, effort: Effort) -> list[Pair]:
    """The adjacent pairs in both orders, one of each orbit, with the oscillation of D."""
    found: list[Pair] = []
    kept: dict[Histogram, list[Ball]] = {}
    for x, y in pairs(mechanism, effort):
        if x not in kept:
            kept = {z: row for z, row in kept.items() if z == y}
        for z in (x, y):
            if z not in kept:
                kept[z] = rows.exponents(z)
        there = [b - a for a, b in zip(kept[x], kept[y], strict=True)]
        alike = rows.alike(x, y)
        top, bottom = balls.maximum(there), balls.minimum(there)
        high, low = (max(range(len(there)), key=lambda i: values[i].mid()) for values in (there, [-d for d in there]))
        found += [Pair(x, y, high, top, top - bottom, alike), Pair(y, x, low, -bottom, top - bottom, alike)]
    return found


class Pace:
    """When branch and bound stops: after MOST_INTERVALS, or once its pace shows that ten times as many are too few.

    On a plateau every interval is halved, and twice as many narrow the gap only by a factor of 4; at a peak the gap
    falls much faster. Where it stops decides how narrow the enclosure is, never whether it is right.
    """

    def __init__(self, first: int, digits: int) -> None:
        self.target, self.ended = 10.0**-digits, 0
        self.mark, self.gap = max(1024, 16 * first), inf

    def ends(self, count: int, gap: float) -> bool:
        """Whether to stop at this many intervals; the pace is measured whenever they have doubled."""
        if not self.ended and (count > MOST_INTERVALS or (count >= self.mark and self.hopeless(count, gap))):
            self.ended = count
        return bool(self.ended)

    def hopeless(self, count: int, gap: float) -> bool:
        """Whether the gap, narrowing as since the last measurement, would be too wide after 10 MOST_INTERVALS."""
        doublings = log2(10 * MOST_INTERVALS / count)
        before, self.gap, self.mark = self.gap, gap, 2 * count
        return gap > 0 and before < inf and gap * (gap / before) ** doublings > self.target


class Search:
    """The state of the branch and bound."""

    def __init__(self, mechanism: Exponential, span: Span, effort: Effort) -> None:
        self.rows = Rows(mechanism)
        self.all = ordered_pairs(mechanism, self.rows, effort)
        self.digits, self.effort = effort.digits, effort
        self.ends = self._ends(span)
        self.best, self.where = self.value(0, self.ends[0]), (0, self.ends[0])
        self.ran_out = 0

    @staticmethod
    def _ends(span: Span) -> list[Fraction | None]:
        """Where the first intervals meet, from the first end to the last."""
        if span.low is None or span.high is None:
            return [Fraction(0), *FIRST, None]
        return [span.low, span.high]

    def run(self) -> Cover:
        """The cover; its value is as narrow as requested, unless the intervals run out."""
        for i, pair in sorted(enumerate(self.all), key=lambda entry: -float(entry[1].swing.mid())):
            if balls.certainly_at_most(pair.swing, self.best):
                continue
            for epsilon in self.ends:
                self.offer(i, epsilon)
        alive = [i for i, p in enumerate(self.all) if not balls.certainly_at_most(p.swing, self.best)]
        self.closed: dict[int, list[Interval]] = {i: [] for i in alive}
        heap = [node for i in alive for node in self.first(i)]
        heapify(heap)
        left = self.branch(heap)
        return self.cover(left, alive)

    def value(self, i: int, epsilon: Fraction | None) -> Ball:
        """loss / epsilon of a pair at its worst output, at one epsilon or in the limit."""
        pair = self.all[i]
        return pair.top if pair.alike else pair.top + at(self.rows[pair.x], self.rows[pair.y], epsilon)

    def offer(self, i: int, epsilon: Fraction | None) -> None:
        """Uses the value of a pair at one epsilon, or in the limit, as a lower bound."""
        value = self.value(i, epsilon)
        if balls.certainly_less(self.best, value):
            self.best, self.where = value, (i, epsilon)

    def first(self, i: int) -> list[Node]:
        """The first intervals of a pair: one if nothing depends on epsilon."""
        steps = [(self.ends[0], self.ends[-1])] if self.all[i].alike else zip(self.ends, self.ends[1:], strict=False)
        return [self.node(i, (low or Fraction(0), high)) for low, high in steps]

    def node(self, i: int, interval: Interval) -> Node:
        """The interval with its bound: never worse than the oscillation."""
        pair = self.all[i]
        bound = pair.top
        if not pair.alike:
            bound = balls.minimum([pair.swing, pair.top + above(self.rows[pair.x], self.rows[pair.y], interval)])
        return Node(-float(balls.upper(bound)), i, interval, bound)

    def branch(self, heap: list[Node]) -> list[Node]:
        """The intervals that are not certainly below the best value, once they are narrow enough."""
        left: list[Node] = []
        count, pace = len(heap), Pace(len(heap), self.digits)
        while heap:
            node = heappop(heap)
            gap = float(balls.upper(node.bound - self.best))
            self.effort.tell_gap(gap)
            i, (low, high) = node.pair, node.interval
            pair = self.all[i]
            if balls.certainly_at_most(node.bound, self.best):
                self.closed[i].append(node.interval)
            elif not balls.narrow(node.bound, self.digits + 1):
                raise NeedsMoreBits(balls.working_bits())
            elif pair.alike or self.narrow(node.bound) or pace.ends(count, gap):
                self.ran_out = pace.ended
                left.append(node)
            elif self.settled(node):
                left.append(node)
            else:
                middle = 2 * low if high is None else (low + high) / 2
                self.offer(i, middle)
                for part in ((low, middle), (middle, high)):
                    heappush(heap, self.node(i, part))
                count += 1
        return [node for node in left if not self.drop(node)]

    def drop(self, node: Node) -> bool:
        """Records the interval in the cover; whether it cannot contain the supremum after all."""
        self.closed[node.pair].append(node.interval)
        return balls.certainly_less(node.bound, self.best)

    def narrow(self, bound: Ball) -> bool:
        """Whether the bound and the best value are close enough for the requested digits."""
        return balls.narrow(balls.from_ends(self.best, bound), self.digits)

    def cover(self, left: list[Node], alive: list[int]) -> Cover:
        """The cover; the limit is proved to be the supremum if only it is left."""
        i, epsilon = self.where
        place = {old: new for new, old in enumerate(alive)}
        value = balls.maximum([self.best, *(node.bound for node in left)])
        pair = self.all[i]
        known = not pair.alike and all(self.peak(node) == (epsilon,) for node in left)
        return Cover(
            balls.from_ends(self.best, value),
            pair,
            epsilon,
            [node._replace(pair=place[node.pair]) for node in left],
            [self.all[j] for j in alive],
            {place[j]: sorted(parts, key=lambda part: part[0]) for j, parts in self.closed.items()},
            len(self.all) - len(alive),
            self.ran_out,
            known,
        )

    def settled(self, node: Node) -> bool:
        """Whether nothing in this interval exceeds one of its ends, and that end has been offered as best."""
        place = self.peak(node)
        if place is None:
            return False
        self.offer(node.pair, *place)
        return (node.pair, *place) == self.where

    def peak(self, node: Node) -> Place | None:
        """The end of the interval that nothing in it exceeds, where the bounds prove that there is one."""
        pair = self.all[node.pair]
        return None if pair.alike else peak(self.rows[pair.x], self.rows[pair.y], node.interval)
