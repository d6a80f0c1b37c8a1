"""Attained scores of MH and MHdelta: the distances of one data set, how many candidates share each, their chances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

from dpaudit.claims import Batches, Grid, Point, Sides, Step, over, step
from dpaudit.claims.shown import listed
from dpaudit.mechanisms.exponential import MH
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, neighbors
from proofs_checks.points import exponential_at
from proofs_checks.privacy.tools import DISTANCE, FEW, sensitivity_steps
from proofs_checks.setting.exact import Level, level_of, levels, local_exact, smallest

Smoothed = MH | MHdelta
Tag = tuple[Histogram, Histogram, Histogram]
"""x, and one candidate at each of the two scores a and b."""


@dataclass(frozen=True)
class Scores:
    """One data set at the precision in force: S(x), the attained distances, their counts and chances."""

    n: int
    eps: Fraction
    sensitivity: Ball
    levels: tuple[Level[Histogram], ...]
    distances: list[Ball]
    chances: list[Ball]
    normaliser: Ball
    gamma: Ball
    delta: Fraction
    local: int | None = None
    """Which of the distances S(x) is, where no data set has a larger LS: there S(x) = LS(x), exactly."""

    @property
    def half(self) -> Ball:
        """e^(ε/2)."""
        return ball(self.eps / 2).exp()

    def dilation(self, i: int, j: int) -> Ball:
        """λ with b = e^λ·a."""
        return (self.distances[j] / self.distances[i]).log()


def all_scores(mechanism: Smoothed) -> Callable[[Histogram], Scores]:
    """x ↦ its scores, at the precision in force."""
    model, h = mechanism.model, Hellinger(mechanism.model)
    rates = mechanism.rates(h)
    smoothing, guarantee = mechanism.smoothing(), mechanism.claimed()
    if smoothing is None:
        raise ValueError("the lemmas speak of the smooth sensitivity over all data sets")
    _, gamma = smoothing
    _, delta = (guarantee and guarantee.epsilon_delta()) or (None, Fraction(0))

    def at(x: Histogram) -> Scores:
        rate, sets = rates(x), levels(model, x)
        distances = [level.distance() for level in sets]
        weights = [level.count * (-rate * a).exp() for level, a in zip(sets, distances, strict=True)]
        whole = balls.total(weights)
        chances = [w / whole for w in weights]
        sensitivity = ball(mechanism.epsilon / 2) / rate
        return Scores(model.n, mechanism.epsilon, sensitivity, sets, distances, chances, whole, gamma, delta)

    return at


Select = Callable[[Scores, int, int], bool]
"""Whether the pair of scores i, j belongs to the claim; decided the same at every precision."""
Value = Callable[[Scores, int, int], Ball]


Chosen = tuple[Smoothed, dict[Histogram, list[tuple[int, int]]]]
"""The mechanism, and for every data set the pairs of scores that belong to the claim."""


def score_batches(
    grid: Grid,
    kind: Callable[..., Smoothed],
    select: Select,
    right: Value,
    tie: Callable[[Level[Histogram], Level[Histogram]], bool | None] = lambda first, second: None,
    extra: Callable[[Scores, int, int], list[Step]] = lambda scores, i, j: [],
) -> Batches:
    """Yields Pr[u = a] against ``right`` for all data sets and all selected pairs of attained scores a, b."""

    def chosen(point: Point) -> Chosen:
        mechanism = exponential_at(kind, point)
        with balls.precision(256):
            at = all_scores(mechanism)
            return mechanism, {x: selected(at(x)) for x in mechanism.model.histograms}

    def selected(scores: Scores) -> list[tuple[int, int]]:
        numbers = range(len(scores.levels))
        return [(i, j) for i, j in product(numbers, numbers) if select(scores, i, j)]

    def sides(at: Chosen) -> Sides:
        scores = all_scores(at[0])
        for x, pairs in at[1].items():
            row = scores(x)
            for i, j in pairs:
                yield (x, row.levels[i].members[0], row.levels[j].members[0]), row.chances[i], right(row, i, j)

    def decide(at: Chosen, tag: Tag) -> bool | None:
        return tie(*(level_of(at[0].model, tag[0], r) for r in tag[1:]))

    def steps(at: Chosen, tag: Tag) -> list[Step]:
        model, x, scores = at[0].model, tag[0], all_scores(at[0])(tag[0])
        if local_exact(model, x) == smallest([local_exact(model, c) for c in model.histograms]):
            scores = replace(scores, local=max(_index(scores, y) for y in neighbors(x)))
        return [*sensitivity_steps(at[0], Hellinger(model), x, "x"), *worked(scores, tag, extra)]

    return over(grid, chosen, sides, ("x", "r (score a)", "t (score b)"), decide, steps)


def _index(scores: Scores, r: Histogram) -> int:
    """The number of the level of r."""
    return next(k for k, level in enumerate(scores.levels) if r in level.members)


def worked(scores: Scores, tag: Tag, extra: Callable[[Scores, int, int], list[Step]]) -> list[Step]:
    """NL(x), both scores with their counts and chances, and what the claim adds."""
    i, j = (_index(scores, r) for r in tag[1:])
    found = {r: d for level, d in zip(scores.levels, scores.distances, strict=True) for r in level.members}
    lines = [step("H(x, ·)", DISTANCE, listed(sorted(found.items())))] if len(found) <= FEW else []
    lines += [step("NL(x)", f"Σ over {scores.n + 1} candidates of e^(−εH(x,r)/(2S))", scores.normaliser)]
    for name, k in (("a", i), ("b", j)):
        level = scores.levels[k]
        members = ", ".join(map(str, level.members))
        lines.append(step(f"score {name}", f"H(x,r), r = {members}; BC² = {level.bc2}", scores.distances[k]))
        formula = f"{level.count}·e^(−ε{name}/(2S))/NL"
        lines.append(step(f"Pr[u = {name}]", formula, scores.chances[k]))
    return [*lines, *extra(scores, i, j)]
