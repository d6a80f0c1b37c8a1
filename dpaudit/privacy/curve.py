"""The privacy curve of a mechanism: delta(epsilon) and the trade-off function, from the same exact distributions.

For one ordered pair (P, Q) and a set S of outputs, P(S) - e^epsilon Q(S) is a line in e^epsilon; delta(epsilon) is the
largest, attained by S = {loss > epsilon} (Neyman-Pearson). Over all pairs, delta is the upper envelope of the lines of
all pairs and sets: the points (Q(S), P(S)) on the concave hull. Its vertices with alpha = Q(S), beta = 1 - P(S) are
those of the trade-off function f of hypothesis testing (f-DP), and the slopes e^epsilon of its edges are the
breakpoints of delta. Both directions of a pair are there, so the hull is symmetric, and the half with
epsilon >= 0 says it all.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import Witness, pairs
from dpaudit.privacy.protocols import Audited, Dataset, Mass


@dataclass(frozen=True)
class Group:
    """Outputs whose losses cannot be separated: their total P and Q, a ball around the losses, the members."""

    p: Ball
    q: Ball
    loss: Ball
    members: tuple[Mass, ...]


class PairCurve:
    """delta of one ordered pair at any epsilon: groups of outputs by falling loss, and sums of their probabilities."""

    def __init__(self, masses: Sequence[Mass], where: Witness) -> None:
        self.where = where
        self.finite = [m for m in masses if not balls.is_zero(m.p_prime) and not balls.is_zero(m.p)]
        self.infinite = balls.total([m.p for m in masses if balls.is_zero(m.p_prime)])
        """P of the outputs that are impossible under Q."""
        self.losses = [balls.ball(m.loss) if m.loss is not None else m.p.log() - m.p_prime.log() for m in self.finite]
        if not all(loss.is_finite() for loss in self.losses):
            raise PrecisionExhausted(balls.working_bits())  # a probability is not separated from 0
        self.groups = self._groups()
        self.p, self.q = [self.infinite], [balls.zero()]
        for group in self.groups:
            self.p.append(self.p[-1] + group.p)
            self.q.append(self.q[-1] + group.q)

    def _groups(self) -> list[Group]:
        groups: list[Group] = []
        for i in reversed(balls.argsort(self.losses)):
            loss, mass = self.losses[i], self.finite[i]
            last = groups[-1] if groups else None
            if last is not None and not balls.certainly_less(loss, last.loss):
                members = (*last.members, mass)
                groups[-1] = Group(last.p + mass.p, last.q + mass.p_prime, loss.union(last.loss), members)
            else:
                groups.append(Group(mass.p, mass.p_prime, loss, (mass,)))
        return groups

    def delta(self, epsilon: Ball, factor: Ball) -> Ball:
        """A ball that contains sum of max(0, P - e^epsilon Q); ``factor`` contains e^epsilon."""
        low, high = 0, len(self.groups)
        while low < high:
            middle = (low + high) // 2
            if balls.certainly_less(epsilon, self.groups[middle].loss):
                low = middle + 1
            else:
                high = middle
        found = self.p[low] - factor * self.q[low]
        for group in self.groups[low:]:
            if balls.certainly_less(group.loss, epsilon):
                break
            found = found + balls.total([balls.positive_part(m.p - factor * m.p_prime) for m in group.members])
        return found


@dataclass(frozen=True)
class Vertex:
    """A test: reject for the k groups of largest loss of one pair. alpha = Q(S), power = P(S)."""

    alpha: Ball
    power: Ball
    curve: int
    k: int

    @property
    def advantage(self) -> Ball:
        """A ball that contains P(S) - Q(S)."""
        return self.power - self.alpha


@dataclass(frozen=True)
class Envelope:
    """delta(epsilon) = max over vertices of power - e^epsilon alpha, up to ``slack``, for every epsilon >= 0.

    ``breakpoints[i]`` lies between vertices i and i + 1; they fall. ``vertices[0]`` has alpha exactly 0. No line of
    any pair and set of outputs rises above the envelope by more than ``slack``. Proof: write t = e^epsilon. delta of
    one pair is convex in t and does not rise. It exceeds the line of vertex i by at most the slack at both ends of
    the piece between breakpoints i and i - 1, where neighboring lines cross, so everywhere between; for the last
    vertex the piece ends at epsilon = 0. The first piece has one end only, breakpoint 0, but its line is the constant
    ``vertices[0].power``, and delta does not rise beyond. The pieces cover all epsilon >= 0.
    """

    curves: Sequence[PairCurve]
    vertices: Sequence[Vertex]
    breakpoints: Sequence[Ball]
    slack: Ball

    def delta(self, epsilon: Ball) -> Ball:
        """A ball that contains delta(epsilon), epsilon >= 0."""
        factor = epsilon.exp()
        value = balls.maximum([v.power - factor * v.alpha for v in self.vertices])
        return balls.positive_part(value).union(balls.positive_part(value + self.slack))


def pair_curves(mechanism: Audited, effort: Effort) -> list[PairCurve]:
    """The curves of all ordered adjacent pairs, up to the mechanism's symmetries, at the precision in force."""
    return curves_of(pairs(mechanism, effort), effort.law(mechanism).masses)


def curves_of(
    some: Iterable[tuple[Dataset, Dataset]],
    masses_of: Callable[[Dataset, Dataset], Sequence[Mass]],
    ways: frozenset[tuple[Dataset, Dataset]] | None = None,
) -> list[PairCurve]:
    """The curves of these pairs, both ways, or only those ``ways``."""
    found = list[PairCurve]()
    for x, y in some:
        masses = masses_of(x, y)
        if ways is None or (x, y) in ways:
            found.append(PairCurve(masses, Witness(x, y, None)))
        if ways is None or (y, x) in ways:
            found.append(PairCurve([m.swapped() for m in masses], Witness(y, x, None)))
    return found


def envelope(curves: Sequence[PairCurve], others: Ball | None = None) -> Envelope:
    """The envelope of all pairs; its slack is certified. Pairs beside these rise by at most ``others`` above theirs."""
    vertices = _hull(curves)
    breakpoints = [_breakpoint(curves, a, b) for a, b in itertools.pairwise(vertices)]
    rises = []
    for epsilon, vertex in zip([*breakpoints, balls.zero()], vertices, strict=True):
        factor = epsilon.exp()
        line = vertex.power - factor * vertex.alpha
        rises += [curve.delta(epsilon, factor) - line for curve in curves]
    slack = balls.positive_part(balls.maximum(rises) + (others or balls.zero())).upper()
    return Envelope(curves, vertices, breakpoints, slack)


def _breakpoint(curves: Sequence[PairCurve], a: Vertex, b: Vertex) -> Ball:
    """A ball that contains the epsilon at which the lines of a and b cross."""
    if a.curve == b.curve and b.k == a.k + 1:
        return curves[a.curve].groups[a.k].loss
    return ((b.power - a.power) / (b.alpha - a.alpha)).log()


def _hull(curves: Sequence[PairCurve]) -> list[Vertex]:
    """The vertices of the upper concave hull of all points (Q, P), from alpha = 0 to the slope 1.

    The first is the empty test of losses below infinity, k = 0: alpha is the empty sum, exactly 0, and power is P of
    the outputs impossible under Q, the largest of all curves (0 if there are none). It is put there before all others
    and never taken away. Every other vertex is certainly separated from its neighbors, in balls, however small its
    alpha is: the slopes fall. Points that cannot be separated are left out, and the slack counts them.
    """
    top = balls.argsort([curve.infinite for curve in curves])[-1]
    points = [vertex for i, curve in enumerate(curves) for vertex in _tests(curve, i)]
    hull = [Vertex(balls.zero(), curves[top].infinite, top, 0)]
    for i in balls.argsort([point.alpha for point in points]):
        new = points[i]
        if not balls.certainly_less(hull[-1].advantage, new.advantage):
            continue  # beyond the slope 1
        while len(hull) > 1 and not _above(hull[-2], hull[-1], new):
            hull.pop()
        hull.append(new)
    if len(hull) > 1 and balls.exactly_equal(curves[hull[1].curve].infinite, hull[0].power):
        hull[0] = Vertex(balls.zero(), hull[0].power, hull[1].curve, 0)
    return hull


def _tests(curve: PairCurve, number: int) -> Iterator[Vertex]:
    """The tests of one pair that reject for some finite losses, as far as these are not certainly negative."""
    for k, group in enumerate(curve.groups, start=1):
        if balls.certainly_less(group.loss, balls.zero()):
            return
        yield Vertex(curve.q[k], curve.p[k], number, k)


def _above(a: Vertex, b: Vertex, c: Vertex) -> bool:
    """Whether b lies above the chord from a to c for certain."""
    rise, width = b.power - a.power, b.alpha - a.alpha
    return balls.certainly_less((c.power - b.power) * width, rise * (c.alpha - b.alpha))
