"""Attained scores of MH and MHdelta: the distances of one data set, how many candidates share each, their chances."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from dpaudit.mechanisms.exponential import Exponential, MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model
from proofs_checks.core import Batch, Sides
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import Step
from proofs_checks.privacy_tools import attained, subject
from proofs_checks.setting_tools import Level, levels

Tag = tuple[Histogram, Histogram, Histogram]
"""x, and one candidate at each of the two scores a and b."""


@lru_cache(maxsize=8192)
def kept_levels(model: Model, x: Histogram) -> tuple[Level, ...]:
    """Returns the exact level sets of x, the nearest first, kept: they do not hang on any precision."""
    return tuple(levels(model, x))


@dataclass(frozen=True)
class Scores:
    """One data set at the precision in force: S(x), the attained distances, their counts and chances."""

    n: int
    eps: Fraction
    sensitivity: Ball
    levels: tuple[Level, ...]
    distances: list[Ball]
    chances: list[Ball]
    normaliser: Ball
    gamma: Ball | None = None

    @property
    def half(self) -> Ball:
        """Returns e^(ε/2)."""
        return ball(self.eps / 2).exp()

    def dilation(self, i: int, j: int) -> Ball:
        """Returns λ with b = e^λ·a."""
        return (self.distances[j] / self.distances[i]).log()


def all_scores(mechanism: Exponential) -> Callable[[Histogram], Scores]:
    """Returns x ↦ its scores, at the precision in force."""
    model, h = mechanism.model, Hellinger(mechanism.model)
    rates = mechanism.rates(h)
    gamma = mechanism.gamma() if isinstance(mechanism, MHdelta) else None

    def at(x: Histogram) -> Scores:
        rate, sets = rates(x), kept_levels(model, x)
        distances = [level.distance() for level in sets]
        weights = [level.count * (-rate * a).exp() for level, a in zip(sets, distances, strict=True)]
        whole = balls.total(weights)
        chances = [w / whole for w in weights]
        sensitivity = ball(mechanism.epsilon / 2) / rate
        return Scores(model.n, mechanism.epsilon, sensitivity, sets, distances, chances, whole, gamma)

    return at


Select = Callable[[Scores, int, int], bool]
"""Whether the pair of scores i, j belongs to the claim; decided the same at every precision."""
Value = Callable[[Scores, int, int], Ball]


def score_batches(
    grid: Grid,
    mech: str,
    select: Select,
    right: Value,
    tie: Callable[[Level, Level], bool | None] | None = None,
    extra: Callable[[Scores, int, int], list[Step]] | None = None,
) -> Iterator[Batch]:
    """Yields Pr[u = a] against ``right`` for all data sets and all selected pairs of attained scores a, b."""
    for point in grid:
        options = {"delta": point.delta} if mech == "MHdelta" else {}
        mechanism = subject(mech, point.n, point.prior, point.eps, **options)
        if not isinstance(mechanism, Exponential):
            raise TypeError(mech)
        chosen = _chosen(mechanism, select)

        def sides(mechanism: Exponential = mechanism, chosen: list[tuple[Histogram, int, int]] = chosen) -> Sides:
            at, current = all_scores(mechanism), None
            for x, i, j in chosen:
                if current is None or current[0] != x:
                    current = x, at(x)
                yield _tag(x, current[1], i, j), current[1].chances[i], right(current[1], i, j)

        def decide(tag: Tag, model: Model = mechanism.model) -> bool | None:
            if tie is None:
                return None
            first, second = (next(s for s in kept_levels(model, tag[0]) if r in s.members) for r in tag[1:])
            return tie(first, second)

        def steps(tag: Tag, mechanism: Exponential = mechanism) -> list[Step]:
            where_ = attained(mechanism, Hellinger(mechanism.model), tag[0])
            return worked(all_scores(mechanism)(tag[0]), tag, extra, where_)

        where = {"n": point.n, "eps": point.eps, **options, "prior": point.prior}
        yield Batch(where, sides, ("x", "r (score a)", "t (score b)"), decide, steps)


def _tag(x: Histogram, scores: Scores, i: int, j: int) -> Tag:
    return x, scores.levels[i].members[0], scores.levels[j].members[0]


def _chosen(mechanism: Exponential, select: Select) -> list[tuple[Histogram, int, int]]:
    with balls.precision(256):
        at = all_scores(mechanism)
        rows = [(x, at(x)) for x in mechanism.model.histograms]
        return [
            (x, i, j)
            for x, scores in rows
            for i in range(len(scores.levels))
            for j in range(len(scores.levels))
            if select(scores, i, j)
        ]


def certain(verdict: Verdict) -> bool:
    """Returns whether a condition holds; if balls cannot tell, it is an error, never a guess."""
    if verdict is Verdict.UNDECIDED:
        raise balls.PrecisionExhausted(balls.working_bits())
    return verdict is Verdict.PROVED


def worked(
    scores: Scores, tag: Tag, extra: Callable[[Scores, int, int], list[Step]] | None, attained_: str
) -> list[Step]:
    """Returns S(x), NL(x), both scores with their counts and chances, and what the claim adds."""
    i, j = (next(k for k, level in enumerate(scores.levels) if r in level.members) for r in tag[1:])
    lines = [
        step("S(x)", f"the sensitivity in use{attained_}", scores.sensitivity),
        step("NL(x)", "", scores.normaliser),
    ]
    for name, k in (("a", i), ("b", j)):
        level = scores.levels[k]
        members = ", ".join(map(str, level.members))
        lines.append(step(f"score {name}", f"H(x,r), r = {members}; BC² = {level.bc2}", scores.distances[k]))
        formula = f"{level.count}·e^(−ε{name}/(2S))/NL"
        lines.append(step(f"Pr[u = {name}]", formula, scores.chances[k]))
    return lines + (extra(scores, i, j) if extra else [])
