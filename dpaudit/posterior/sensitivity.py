"""Local, global and smooth sensitivities of a score: Hellinger's distance unless said otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Histogram, Model, neighbors
from dpaudit.posterior.scores import Score


def gs_constant() -> Ball:
    """A ball that contains GS_0 = sqrt(1 - pi/4), the documents' constant (N0, N4 section 1)."""
    return (1 - balls.pi() / 4).sqrt()


def local(h: Score, c: Histogram) -> Ball:
    """A ball that contains LS(c) = max over adjacent c' and all r of |s(c,r) - s(c',r)|."""
    return h.local(c)


def local_all(h: Score) -> list[Ball]:
    """Balls that contain LS(c) for every histogram, in the model's order; each orbit is done once."""
    model, done = h.model, dict[Histogram, Ball]()
    result = []
    for c in model.histograms:
        (key,) = model.canonical(c)
        if key not in done:
            done[key] = local(h, key)
        result.append(done[key])
    return result


def global_(h: Score) -> Ball:
    """A ball that contains GS(n, alpha) = max over all c of LS(c)."""
    return balls.maximum(local_all(h))


def smooth_all(model: Model, ls: Sequence[Ball], gamma: Fraction) -> list[Ball]:
    """Balls that contain S(c) = max over c'' of 1 / (1/LS(c'') + gamma d(c, c''))  (A3 Definition 5)."""
    return [1 / v for v in closure(model, [1 / v for v in ls], ball(gamma)).values]


def exp_smooth_all(model: Model, ls: Sequence[Ball], gamma: Ball) -> list[Ball]:
    """Balls that contain S_exp(c) = max over c'' of LS(c'') exp(-gamma d(c, c''))  (P1 section 4.2)."""
    return [(-v).exp() for v in closure(model, [-v.log() for v in ls], gamma).values]


def exp_smooth_adjacent(model: Model, ls: Sequence[Ball], gamma: Ball) -> list[Ball]:
    """Balls that contain max of LS(c'') exp(-gamma d(c, c'')) over c'' = c and its neighbors (P1 4.2.1)."""
    index, factor = model.index, (-gamma).exp()
    return [
        balls.maximum([ls[i], *(factor * ls[index[d]] for d in neighbors(c))]) for i, c in enumerate(model.histograms)
    ]


@dataclass(frozen=True)
class Closure:
    """The min-plus closure ``values[i]``; source sources[i], steps[i] away, attains it up to the radius."""

    values: list[Ball]
    sources: list[int]
    steps: list[int]


def closure(model: Model, start: Sequence[Ball], gamma: Ball) -> Closure:
    """Balls that contain v(c) = min over c'' of start(c'') + gamma d(c, c''), gamma >= 0.

    Dijkstra on the midpoints, whole multiples of 2^-(working bits), proposes a source c'' and a distance for every c:
    an upper bound of v(c), whatever was proposed. The certificate for the other side: if u(c) <= start(c) + w at
    every node and u(c) <= u(c') + gamma + w on every edge, then u(c) - (n+1) w <= v(c), since no two histograms are
    more than n edges apart. The balls are widened downward by (n+1) w; w is 0 or of the order of the rounding.
    """
    index = model.index
    links = [[index[d] for d in neighbors(c)] for c in model.histograms]
    bits = balls.working_bits()
    sources, steps = _propose(links, [balls.midpoint(v, bits) for v in start], balls.midpoint(gamma, bits))
    values = [start[s] + gamma * d if d else start[s] for s, d in zip(sources, steps, strict=True)]
    slack = balls.zero()
    for i, value in enumerate(values):
        if sources[i] != i:
            slack = slack.max(value - start[i])
        for j in links[i]:
            if sources[j] != sources[i] or steps[i] > steps[j] + 1:
                slack = slack.max(value - (values[j] + gamma))
    if not slack.is_zero():
        values = [v.union(v - slack * (model.n + 1)) for v in values]
    return Closure(values, sources, steps)


def _propose(links: Sequence[Sequence[int]], start: Sequence[int], gamma: int) -> tuple[list[int], list[int]]:
    """A source for every node and the number of steps to it, optimal for these whole numbers."""
    cost, sources, steps = list(start), list(range(len(start))), [0] * len(start)
    heap = [(v, i) for i, v in enumerate(cost)]
    heapify(heap)
    while heap:
        value, i = heappop(heap)
        if value > cost[i]:
            continue
        for j in links[i]:
            if value + gamma < cost[j]:
                cost[j], sources[j], steps[j] = value + gamma, sources[i], steps[i] + 1
                heappush(heap, (value + gamma, j))
    return sources, steps
