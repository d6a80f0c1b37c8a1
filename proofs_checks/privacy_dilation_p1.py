"""Checks of the workshop paper's dilation property of MHdelta, k = 2; b = e^λ·a as distances."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import fmpq

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from proofs_checks.algebra import variables
from proofs_checks.core import Batch, Statement, scan
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import Outcome, Step
from proofs_checks.privacy_dilation import EQUAL, HALF, PRIORS, count_batches, grows, shrinks
from proofs_checks.privacy_scores import Scores, certain, score_batches
from proofs_checks.registry import Context, check
from proofs_checks.setting_tools import Proof, found

P1 = Statement("Pr[u = −a]", "<=", "e^(ε/2)·Pr[u = −e^λa] + δ/2")
NOT_MORE = Statement("candidates at a", ">=", "candidates at the next farther score")
TINY = Fraction(1, 10**8)


def near(scores: Scores, i: int, j: int) -> bool:
    """Returns whether |λ| ≤ γ = ln(1 − ε/(2 ln(δ/(2(n+1)))))."""
    if scores.gamma is None:
        raise TypeError("MHdelta has a γ")
    return certain(balls.at_most(abs(scores.dilation(i, j)), scores.gamma))


def near_shrinks(scores: Scores, i: int, j: int) -> bool:
    """Selects −γ ≤ λ < 0."""
    return shrinks(scores, i, j) and near(scores, i, j)


def near_grows(scores: Scores, i: int, j: int) -> bool:
    """Selects 0 < λ ≤ γ."""
    return grows(scores, i, j) and near(scores, i, j)


def p1_batches(grid: Grid, grows_: bool) -> Iterator[Batch]:
    """Yields Pr[u = −a] against e^(ε/2)·Pr[u = −b] + δ/2, for the grid's δ one after the other."""
    for point in grid:
        delta = Fraction(point.delta)

        def right(scores: Scores, i: int, j: int, delta: Fraction = delta) -> Ball:
            return scores.half * scores.chances[j] + ball(delta / 2)

        def extra(scores: Scores, i: int, j: int) -> list[Step]:
            lines = [step("λ", "ln(b/a)", scores.dilation(i, j))]
            return lines if scores.gamma is None else [*lines, step("γ, the largest |λ|", "", scores.gamma)]

        one = Grid(n=[point.n], eps=[point.eps], delta=[delta], prior=[point.prior])
        yield from score_batches(one, "MHdelta", near_grows if grows_ else near_shrinks, right, extra=extra)


P1_PRIORS = ((1, 1), (HALF, HALF), (1, 2), (HALF, Fraction(3, 2)))
P1_EPS = (1, HALF, 2, Fraction(21, 10))
P1_DELTAS = (TINY, Fraction(1, 100), Fraction(3, 1000))
P1_WORDS = "k = 2; every x and all attained a, b ≠ 0 with |λ| ≤ γ"
P1_GRID = Grid(P1_WORDS, n=range(1, 14), eps=P1_EPS, delta=P1_DELTAS, prior=P1_PRIORS)


@check(
    "dilation.p1.negative",
    grid=P1_GRID,
    wide=Grid(P1_WORDS, n=range(1, 31), eps=P1_EPS, delta=P1_DELTAS, prior=P1_PRIORS),
    weight=6,
)
def p1_negative(ctx: Context) -> Outcome:
    """MHdelta, λ < 0 (P1 Lemma 4.2)."""
    a, b, t = variables("a", "b", "t")
    proof = Proof()
    proof.cites("λ < 0", "b < a, so e^(−ta) < e^(−tb) with t = ε/(2S): Pr[u = a] ≤ Pr[u = b] wherever C_a ≤ C_b")
    proof.holds("exponents", "−ta + tb = −t(a − b) < 0", -t * a + t * b == -t * (a - b))
    rule = proof.outcome()
    most = 60 if ctx.wide else 20
    grid = Grid(n=range(1, most + 1), prior=PRIORS)
    counts = scan(NOT_MORE, count_batches(grid))
    outcome = scan(P1, p1_batches(ctx.grid, grows_=False))
    words = "wherever the farther score has no more candidates, at every n, ε and δ"
    parts = [rule.part(words), counts.part(f"no score has more candidates than a nearer one (a, b ≠ 0): {grid}")]
    return outcome.having(f"{found(words, rule)}; {found(f'that is so for n ≤ {most}', counts)}", parts)


def positive_proof() -> Proof:
    """Returns the proof for λ > 0 wherever C_a ≤ C_b, any n, ε and δ."""
    size, delta = variables("size", "delta")
    proof = Proof()
    proof.cites("b − a ≤ S", "e^(−εa/(2S)) ≤ e^(ε/2)·e^(−εb/(2S)), so with C_a ≤ C_b: Pr[u = a] ≤ e^(ε/2)·Pr[u = b]")
    proof.cites("b − a > S", "a(e^λ − 1) > S, so Pr[u = a] ≤ (n+1)·e^(−εa/(2S)) < (n+1)·e^(−ε/(2(e^λ−1))), as NL ≥ 1")
    proof.cites("λ ≤ γ", "e^λ − 1 ≤ ε/(2 ln(2(n+1)/δ)), so that is at most (n+1)·δ/(2(n+1))")
    fact = size * delta == 2 * size * (delta * fmpq(1, 2))
    proof.holds("so", "(n+1)·δ/(2(n+1)) = δ/2", fact)
    return proof


@check("dilation.p1.positive", grid=P1_GRID, weight=6)
def p1_positive(ctx: Context) -> Outcome:
    """MHdelta, λ > 0 (P1 Lemma 4.2)."""
    most = 31 if ctx.wide else 12
    grid = Grid(P1_WORDS, n=range(1, most), eps=P1_EPS, delta=P1_DELTAS, prior=EQUAL[:2])
    equal = scan(P1, p1_batches(grid, grows_=True))
    plain = Grid(P1_WORDS, n=[15], eps=[1], delta=[Fraction(1, 100)], prior=[(1, 2)])
    easy = scan(P1, p1_batches(plain, grows_=True))
    rule = positive_proof().outcome()
    first, second = "wherever C_a ≤ C_b, at every n, ε and δ", f"equal priors, n < {most}"
    parts = [rule.part(first), equal.part(f"equal priors: {grid}"), easy.part(f"with a wider margin: {plain}")]
    outcome = scan(P1, p1_batches(ctx.grid, grows_=True))
    return outcome.having(f"{found(first, rule)}; {found(second, equal)}", parts)
