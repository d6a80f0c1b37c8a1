"""The map of a box of priors: halves of halves, each PROVED, REFUTED with a witness, or still open."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from typing import Any

from dpaudit.forall.prior_boxes_rows import Box, BoxRows
from dpaudit.mechanisms.base import Exponent
from dpaudit.mechanisms.exponential import Exponential
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import Witness

MOST_BOXES = 20_000
"""The number of boxes after which the search stops, naming what is left."""
PATIENCE = 100
"""Further boxes to examine while nothing is refuted."""
Pair = tuple[Histogram, Histogram]


@dataclass(frozen=True)
class Patch:
    """A box with its verdict; ``witness`` exceeds the bound for every prior of a REFUTED box."""

    box: Box
    verdict: Verdict
    witness: Witness | None = None

    def mirrored(self) -> Patch:
        """The patch with the order of the cells reversed."""
        swapped = None
        if self.witness is not None and self.witness.output is not None:
            swapped = Witness(self.witness.x[::-1], self.witness.x_prime[::-1], self.witness.output[::-1])
        return Patch(self.box.mirrored(), self.verdict, swapped)


@dataclass(frozen=True)
class Node:
    """An open box: the ordered pairs not yet proved on it, and a witness that may refute it."""

    box: Box
    pairs: tuple[Pair, ...]
    suspect: Witness | None = None
    twice: bool = False
    """Whether its mirror image is part of the map too."""

    @property
    def area(self) -> Fraction:
        """The area that it represents."""
        return self.box.area * (1 + self.twice)

    def patches(self) -> list[Patch]:
        """The boxes that it leaves undecided."""
        patch = Patch(self.box, Verdict.UNDECIDED)
        return [patch, patch.mirrored()] if self.twice else [patch]


@dataclass(frozen=True)
class Open:
    """What is left of a box: its pairs, the worst of them, and the side that matters most for it."""

    pairs: tuple[Pair, ...]
    suspect: Witness
    axis: int


def mirror(pair: Pair) -> Pair:
    """The pair with the order of the cells reversed."""
    return pair[0][::-1], pair[1][::-1]


class MapSearch:
    """The state of the search."""

    def __init__(self, mechanism: Exponential, form: Exponent, bound: Ball) -> None:
        self.mechanism, self.form, self.bound = mechanism, form, bound
        self.outputs = mechanism.model.histograms
        self.patches: list[Patch] = []
        self.found: dict[Box, Patch | Open] = {}
        """The decision on every examined box, without mirror images."""
        self.examined = 0
        self.refuted = False

    def run(self, box: Box, rest: Fraction, effort: Effort) -> list[Node]:
        """Fills ``patches``, the largest open box first; returns what is left open, an area of ``rest`` at most.

        More is left if there were too many boxes. As long as nothing is refuted the rest is examined too, for as
        many boxes again: all of it may be proved.
        """
        whole, undecided = box.area, box.area
        serial = count()
        heap = [(-whole, next(serial), Node(box, self.first(box)))]
        most, reached = MOST_BOXES, 0
        while heap and self.examined < most:
            if undecided <= rest:
                if self.refuted:
                    break
                most = min(most, reached := reached or 2 * self.examined + PATIENCE)
            effort.tell(int(1000 * (whole - undecided) / whole), 1000)
            _, _, node = heappop(heap)
            self.examined += 1
            found = self.found[node.box] = self.decide(node)
            if isinstance(found, Patch):
                self.patches += [found, found.mirrored()] if node.twice else [found]
                self.refuted = self.refuted or found.verdict is Verdict.REFUTED
                undecided -= node.area
            else:
                for child in self.children(node, found):
                    heappush(heap, (-child.area, next(serial), child))
        effort.tell(1000, 1000)
        return [node for _, _, node in heap]

    def first(self, box: Box) -> tuple[Pair, ...]:
        """Every ordered adjacent pair; on a box that is its own mirror image one of a pair and its mirror."""
        pairs = [(x, y) for x in self.mechanism.datasets() for y in self.mechanism.neighbors(x)]
        if self.is_symmetric(box):
            pairs = [pair for pair in pairs if pair <= mirror(pair)]
        return tuple(pairs)

    def is_symmetric(self, box: Box) -> bool:
        """Whether the box is its own mirror image, k = 2, and reflection maps neighbors to neighbors."""
        mirrors = len(box.sides) == 2 and self.mechanism.adjacency.keeps_under_permutation
        return mirrors and box.sides[0] == box.sides[1]

    def children(self, node: Node, found: Open) -> list[Node]:
        """The halves of a box; of one that is its own mirror image three quarters, one of which represents two."""
        if not self.is_symmetric(node.box):
            return [Node(half, found.pairs, found.suspect, node.twice) for half in node.box.split(found.axis)]
        (low, above), (_, high) = (half.split(1) for half in node.box.split(0))
        both = tuple(dict.fromkeys((*found.pairs, *map(mirror, found.pairs))))
        parts = [Node(low, found.pairs, found.suspect), Node(high, found.pairs, found.suspect)]
        return [*parts, Node(above, both, found.suspect, twice=True)]

    def tree(self, box: Box, mirrors: bool) -> Any:
        """How the box was decided: a verdict, a witness, or the side it was halved along with what was left.

        [axis, pairs, half, half]: all pairs but these are proved on the box, and only these are examined in the
        halves; ["REFUTED", x, x', output]; "PROVED" for the pairs left; "UNDECIDED". ``mirrors``: a box that was not
        examined may be the mirror image of one that was.
        """
        found, turned = self.found.get(box), False
        if found is None and mirrors:
            found, turned = self.found.get(box.mirrored()), True
        if found is None:
            return Verdict.UNDECIDED.value
        if isinstance(found, Patch):
            known = (found.mirrored() if turned else found).witness
            return found.verdict.value if known is None else [found.verdict.value, *known.to_dict().values()]
        left = [mirror(pair) for pair in found.pairs] if turned else list(found.pairs)
        if not self.is_symmetric(box):
            axis = 1 - found.axis if turned else found.axis
            return [axis, left, *(self.tree(half, mirrors) for half in box.split(axis))]
        left = list(dict.fromkeys((*left, *map(mirror, left))))
        halves = [[1, left, *(self.tree(part, mirrors) for part in half.split(1))] for half in box.split(0)]
        return [0, left, *halves]

    def refutes(self, rows: BoxRows, witness: Witness) -> bool:
        """True only if the loss at the witness exceeds the bound for every prior of the box."""
        losses = rows.losses(witness.x, witness.x_prime)
        return balls.certainly_less(self.bound, losses[self.outputs.index(witness.output or ())])

    def decide(self, node: Node) -> Patch | Open:
        """The box with its verdict, or what is left to be decided."""
        rows = BoxRows(self.form, self.mechanism.model, node.box)
        if node.suspect is not None and self.refutes(rows, node.suspect):
            return Patch(node.box, Verdict.REFUTED, node.suspect)
        left: list[tuple[float, Pair, int]] = []
        for pair in node.pairs:
            losses = rows.losses(*pair)
            if not all(balls.certainly_at_most(loss, self.bound) for loss in losses):
                i = balls.argsort(losses)[-1]
                left.append((float(losses[i].mid()), pair, i))
        if not left:
            return Patch(node.box, Verdict.PROVED)
        _, (x, y), i = max(left, key=lambda entry: entry[0])
        witness = Witness(x, y, self.outputs[i])
        if self.refutes(rows, witness):
            return Patch(node.box, Verdict.REFUTED, witness)
        return Open(tuple(pair for _, pair, _ in left), witness, self._axis(node.box, x, y))

    def _axis(self, box: Box, x: Histogram, y: Histogram) -> int:
        """The side along which the distance of the worst pair falls most at first, from the lowest corner."""

        def distance(prior: tuple[Fraction, ...]) -> float:
            return float(Hellinger(Model(self.mechanism.model.n, prior)).between(x, y).mid())

        low = box.corner(0)
        steps = {i: (box.sides[i][1] - box.sides[i][0]) / 64 for i in box.axes}
        return min(box.axes, key=lambda i: distance((*low[:i], low[i] + steps[i], *low[i + 1 :])))
