"""Checks of the dilation properties of MH and MHdelta, k = 2. Scores are distances here: b = e^λ·a, λ = ln(b/a)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from dpaudit.mechanisms.exponential import Exponential
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Histogram, Model, make_model
from proofs_checks.algebra import variables
from proofs_checks.core import Batch, Sides, Statement, scan, single
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import Outcome, Part, Step
from proofs_checks.privacy_scores import Scores, all_scores, kept_levels, score_batches
from proofs_checks.privacy_tools import subject
from proofs_checks.registry import Context, check
from proofs_checks.setting_levels import level_steps
from proofs_checks.setting_tools import Proof, found

STATED = Statement("Pr[u = a]", "<=", "e^(ε/2)·Pr[u = e^λa] + δ′/2")
SAME_COUNT = Statement("candidates at a", "=", "candidates at e^λa")
HALF = Fraction(1, 2)
EQUAL = ((1, 1), (HALF, HALF), (2, 2), (Fraction(1, 3), Fraction(1, 3)))
PRIORS = (*EQUAL, (1, 2), (HALF, Fraction(3, 2)))
EPS = (1, HALF, 2)
ALL = "k = 2; every x and all attained a, b ≠ 0"


def shrinks(scores: Scores, i: int, j: int) -> bool:
    """Selects λ < 0, both scores nonzero."""
    return 0 < j < i


def grows(scores: Scores, i: int, j: int) -> bool:
    """Selects λ > 0, both scores nonzero."""
    return 0 < i < j


def half_delta(scores: Scores, lam: Ball) -> Ball:
    """Returns δ′/2 = 1 − |R|·e^(ε/(2(1−e^λ))), which may well be negative."""
    return 1 - (scores.n + 1) * (ball(scores.eps / 2) / (1 - lam.exp())).exp()


def stated_right(scores: Scores, i: int, j: int) -> Ball:
    """Returns e^(ε/2)·Pr[u = b] + δ′/2."""
    return scores.half * scores.chances[j] + half_delta(scores, scores.dilation(i, j))


def stated_steps(scores: Scores, i: int, j: int) -> list[Step]:
    """Returns λ, δ′/2 and the first term of the right side."""
    lam = scores.dilation(i, j)
    return [
        step("e^λ", "b/a", lam.exp()),
        step("δ′/2", f"1 − {scores.n + 1}·e^(ε/(2(1−e^λ)))", half_delta(scores, lam)),
        step("e^(ε/2)·Pr[u = b]", "", scores.half * scores.chances[j]),
    ]


def at_zero(lam: int) -> Part:
    """Returns the part a = 0, whose dilates are all 0: any λ is possible there, ±1 is taken, at n = 1."""
    mechanism = subject("MH", 1, (1, 1), 1)

    def sides() -> tuple[Ball, Ball]:
        if not isinstance(mechanism, Exponential):
            raise TypeError("MH")
        scores = all_scores(mechanism)((0, 1))
        return scores.chances[0], scores.half * scores.chances[0] + half_delta(scores, ball(lam))

    outcome = scan(STATED, [single({"n": 1, "eps": 1, "prior": (1, 1), "x": (0, 1), "a": 0, "lam": lam}, sides)])
    return outcome.part("a = 0 admitted, where every λ is a dilation: n = 1")


@check("dilation.stated.negative", grid=Grid(ALL, n=range(1, 7), eps=EPS, prior=PRIORS))
def stated_negative(ctx: Context) -> Outcome:
    """MH, λ < 0: Pr[u = a] ≤ e^(ε/2)·Pr[u = e^λa] + δ′/2 (A3 Lemma 5.4)."""
    e, n = variables("e", "n")
    proof = Proof()
    proof.cites("λ < 0", "1/(1−e^λ) > 1, so |R|·e^(ε/(2(1−e^λ))) > (n+1)·E with E = e^(ε/2) > 1, and Pr[u = e^λa] < 1")
    proof.holds("right side", "< E + 1 − (n+1)E = 1 − nE", e + 1 - (n + 1) * e == 1 - n * e)
    proof.cites(
        "so", "the right side is negative and the inequality fails at every such pair, for every n, prior and ε"
    )
    rule = proof.outcome()
    outcome = scan(STATED, score_batches(ctx.grid, "MH", shrinks, stated_right, extra=stated_steps))
    words = "it fails at every pair of nonzero scores"
    return outcome.having(found(words, rule), [rule.part(words), at_zero(-1)])


@check("dilation.stated.positive", grid=Grid(ALL, n=range(1, 7), eps=EPS, prior=PRIORS))
def stated_positive(ctx: Context) -> Outcome:
    """MH, λ > 0: Pr[u = a] ≤ e^(ε/2)·Pr[u = e^λa] + δ′/2 (A3 Lemma 5.4)."""
    outcome = scan(STATED, score_batches(ctx.grid, "MH", grows, stated_right, extra=stated_steps))
    return outcome.having(parts=[at_zero(1)])


@check(
    "dilation.assertion",
    grid=Grid("k = 2; every x, all nonzero attained scores, counted exactly", n=range(1, 9), prior=PRIORS),
)
def assertion(ctx: Context) -> Outcome:
    """C is the same at a nonzero attained score and at every attained dilate of it, k = 2 (A3 Assertion 5.4.1)."""
    grid = Grid(n=range(1, 61 if ctx.wide else 25), prior=EQUAL)
    equal = scan(SAME_COUNT, count_batches(grid))
    words = "equal priors α₁ = α₂"
    part = equal.part(f"{words}: {grid}")
    return scan(SAME_COUNT, count_batches(ctx.grid)).having(found(f"{words}, n ≤ {grid.axes['n'][-1]}", equal), [part])


def count_batches(grid: Grid) -> Iterator[Batch]:
    """Yields the numbers of candidates at neighbouring nonzero levels: if all are equal, so are any two."""
    for point in grid:
        model = make_model(point.n, prior=point.prior)

        def sides(model: Model = model) -> Sides:
            for x in model.histograms:
                sets = kept_levels(model, x)[1:]
                for a, b in pairwise(sets):
                    yield (x, a.members[0], b.members[0]), ball(a.count), ball(b.count)

        def steps(tag: tuple[Histogram, Histogram, Histogram], model: Model = model) -> list[Step]:
            return level_steps(model, tag[0])

        yield Batch({"n": point.n, "prior": point.prior}, sides, ("x", "r (score a)", "t (score b)"), steps=steps)
