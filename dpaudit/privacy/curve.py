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
from collections.abc import Sequence
from dataclasses import dataclass

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.errors import InputError, approximately
from dpaudit.privacy.pairs import Progress, Witness, pairs
from dpaudit.privacy.protocols import Audited, Mass

MAX_ATOMS = 10**6
"""Ordered pairs times outputs that a profile looks at."""
TOLERANCE_BITS = 40
"""A vertex that rises above the others by less than 2^(TOLERANCE_BITS - bits) is left out; the slack counts it."""


@dataclass(frozen=True)
class Group:
    """Outputs whose losses cannot be told apart: P and Q of them all, a ball around the losses, the members."""

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
        self.groups = self._groups()
        self.p, self.q = [self.infinite], [balls.zero()]
        for group in self.groups:
            self.p.append(self.p[-1] + group.p)
            self.q.append(self.q[-1] + group.q)

    def _groups(self) -> list[Group]:
        bits = balls.working_bits()
        order = sorted(range(len(self.losses)), key=lambda i: -balls.midpoint(self.losses[i], bits))
        groups: list[Group] = []
        for i in order:
            loss, mass = self.losses[i], self.finite[i]
            last = groups[-1] if groups else None
            if last is not None and not balls.certainly_less(loss, last.loss):
                members = (*last.members, mass)
                groups[-1] = Group(last.p + mass.p, last.q + mass.p_prime, loss.union(last.loss), members)
            else:
                groups.append(Group(mass.p, mass.p_prime, loss, (mass,)))
        return groups

    def delta(self, epsilon: Ball, factor: Ball) -> Ball:
        """Returns a ball that contains sum of max(0, P - e^epsilon Q); ``factor`` contains e^epsilon."""
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


@dataclass(frozen=True)
class Envelope:
    """delta(epsilon) = max over vertices of power - e^epsilon alpha, up to ``slack``, for every epsilon >= 0.

    ``breakpoints[i]`` lies between vertices i and i + 1; they fall. No line of any pair and set of outputs rises above
    the envelope by more than ``slack``: delta is convex in e^epsilon, so it is enough that this holds at the
    breakpoints and at epsilon = 0.
    """

    curves: Sequence[PairCurve]
    vertices: Sequence[Vertex]
    breakpoints: Sequence[Ball]
    slack: Ball

    def delta(self, factor: Ball) -> Ball:
        """Returns a ball that contains delta at e^epsilon = ``factor`` >= 1."""
        value = balls.maximum([v.power - factor * v.alpha for v in self.vertices])
        return balls.positive_part(value).union(balls.positive_part(value + self.slack))


def check_size(mechanism: Audited, option: str = "profile") -> None:
    """Refuses a mechanism with too many pairs and outputs, before any work is done."""
    count = mechanism.count_masses()
    if count > MAX_ATOMS:
        shown = f"{approximately(count)} pairs times outputs"
        raise InputError(option, shown, f"at most {MAX_ATOMS} are possible; take a smaller n or k")


def pair_curves(mechanism: Audited, progress: Progress | None = None) -> list[PairCurve]:
    """Returns the curves of all ordered adjacent pairs, up to the mechanism's symmetries, at the precision in force."""
    law, found = mechanism.law(), list[PairCurve]()
    for x, y in pairs(mechanism, progress):
        masses = law.masses(x, y)
        found.append(PairCurve(masses, Witness(x, y, None)))
        found.append(PairCurve([m.swapped() for m in masses], Witness(y, x, None)))
    return found


def envelope(curves: Sequence[PairCurve]) -> Envelope:
    """Returns the envelope of all pairs; its slack is certified."""
    vertices = [_vertex(curves, i, k) for i, k in _hull(curves)]
    breakpoints = [_breakpoint(curves, a, b) for a, b in itertools.pairwise(vertices)]
    rises = []
    for epsilon, vertex in [*zip(breakpoints, vertices, strict=False), (balls.zero(), vertices[-1])]:
        factor = epsilon.exp()
        line = vertex.power - factor * vertex.alpha
        rises += [curve.delta(epsilon, factor) - line for curve in curves]
    slack = balls.positive_part(balls.maximum(rises)).upper()
    return Envelope(curves, vertices, breakpoints, slack)


def _vertex(curves: Sequence[PairCurve], i: int, k: int) -> Vertex:
    return Vertex(curves[i].q[k], curves[i].p[k], i, k)


def _breakpoint(curves: Sequence[PairCurve], a: Vertex, b: Vertex) -> Ball:
    """Returns a ball that contains the epsilon at which the lines of a and b cross."""
    if a.curve == b.curve and b.k == a.k + 1:
        return curves[a.curve].groups[a.k].loss
    return ((b.power - a.power) / (b.alpha - a.alpha)).log()


def _hull(curves: Sequence[PairCurve]) -> list[tuple[int, int]]:
    """Returns (curve, k) along the upper concave hull of all points (Q, P), from alpha = 0 to the slope 1.

    Midpoints choose; whatever they overlook is measured by the slack.
    """
    bits = balls.working_bits()
    tolerance = 1 << TOLERANCE_BITS
    points = []
    for i, curve in enumerate(curves):
        for k, (q, p) in enumerate(zip(curve.q, curve.p, strict=True)):
            points.append((balls.midpoint(q, bits), balls.midpoint(p, bits), i, k))
            if k < len(curve.groups) and balls.certainly_less(curve.groups[k].loss, balls.zero()):
                break
    points.sort(key=lambda point: (point[0], -point[1]))
    hull: list[tuple[int, int, int, int]] = []
    for c in points:
        if hull and (c[1] <= hull[-1][1] + tolerance or c[1] - c[0] <= hull[-1][1] - hull[-1][0] + tolerance):
            continue  # no higher, or beyond the slope 1
        while hull and (
            c[0] - hull[-1][0] <= tolerance or (len(hull) > 1 and _below(hull[-2], hull[-1], c, tolerance))
        ):
            if c[0] - hull[-1][0] <= tolerance and hull[-1][1] >= c[1]:
                break
            hull.pop()
        hull.append(c)
    return [(i, k) for _, _, i, k in hull]


def _below(a: tuple[int, ...], b: tuple[int, ...], c: tuple[int, ...], tolerance: int) -> bool:
    """Returns whether b does not rise above the chord from a to c by more than the tolerance."""
    width = c[0] - a[0]
    return (b[1] - a[1]) * width - (c[1] - a[1]) * (b[0] - a[0]) <= tolerance * width
