"""Checks of the sliding properties, as stated, as proved, and in the workshop paper."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpaudit.claims import Context, Grid, Outcome, Proof, Statement, Step, annotate, check, scan, step, variables
from dpaudit.mechanisms.exponential import MH
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Histogram, hamming
from proofs_checks.coq import THEOREMS
from proofs_checks.points import priors, rationals
from proofs_checks.privacy.scores import Scores, score_batches
from proofs_checks.setting.exact import Level, decided

STATED = Statement("Pr[u = a]", "<=", "2·e^(−ε(b−a)/(2S))·Pr[u = b]")
PROVED = Statement("Pr[u = a]", "<=", "2·e^(+ε(b−a)/(2S))·Pr[u = b]")
P1 = Statement("Pr[u = −a]", "<=", "e^(ε/2)·Pr[u = −b] + δ/2")
FACTOR = 2
TINY = Fraction(1, 10**8)
PRIORS = priors("1 1", "1/2 1/2", "1 2", "1/10 1")
EPS = rationals("1 1/2 4")
WORDS = "k = 2; every x and all attained a, b"


def always(scores: Scores, i: int, j: int) -> bool:
    """Selects every pair of attained scores."""
    return True


def slide(scores: Scores, i: int, j: int) -> Ball:
    """ε(b−a)/(2S)."""
    value: Ball = proved_exponent(ball(scores.eps / 2) / scores.sensitivity, scores.distances[i], scores.distances[j])
    return value


def proved_exponent(t: Any, a: Any, b: Any) -> Any:
    """t(b − a), t = ε/(2S): the exponent of the form with the plus sign; balls or symbols."""
    return t * (b - a)


def stated_right(scores: Scores, i: int, j: int) -> Ball:
    """2·e^(−ε(b−a)/(2S))·Pr[u = b]."""
    return FACTOR * (-slide(scores, i, j)).exp() * scores.chances[j]


def proved_right(scores: Scores, i: int, j: int) -> Ball:
    """2·e^(+ε(b−a)/(2S))·Pr[u = b]."""
    return FACTOR * slide(scores, i, j).exp() * scores.chances[j]


def counts_tie(a: Level[Histogram], b: Level[Histogram]) -> bool:
    """Whether both sides of the proved form are equal: C_a = 2·C_b."""
    return a.count == FACTOR * b.count


def slide_steps(scores: Scores, i: int, j: int) -> list[Step]:
    """The exponent; exactly where a and b are the same score, or 0 and S(x)."""
    known = {(0, scores.local): scores.eps / 2, (scores.local, 0): -scores.eps / 2, (i, i): Fraction(0)}
    return [step("exponent", "ε(b−a)/(2S)", known.get((i, j), slide(scores, i, j)))]


@check("sliding.stated", grid=Grid(WORDS, n=range(1, 9), eps=EPS, prior=PRIORS), uses=["level.at-most-two"])
def stated(ctx: Context) -> Outcome:
    """MH, k = 2: the sliding property with −ε(b−a)/(2S) (A3 Lemma 5.3)."""
    outcome = scan(STATED, score_batches(ctx.grid, MH, always, stated_right, extra=slide_steps))
    outcome = replace(outcome, steps=Proof().formal(THEOREMS["sliding.stated"]).steps)
    return annotate(outcome, ("with +ε(b−a)/(2S), which the lemma's own proof derives", proved_proof(ctx)))


def proved_proof(ctx: Context) -> Proof:
    """The proof of the form with the plus sign."""
    a, b, t = variables("a", "b", "t")
    proof = ctx.proof().says(
        "chances", "Pr[u = a] = C_a·e^(−ta)/NL with t = ε/(2S) and C_a the number of candidates at a"
    )
    same = "the claimed exponent minus tb is −ta, so the claim is C_a ≤ factor·C_b"
    proof.holds("exponents", same, lambda: proved_exponent(t, a, b) - t * b == -t * a)
    proof.uses("level.at-most-two", "1 ≤ C ≤ 2, so C_a ≤ 2·1 ≤ 2·C_b")
    proof.requires("the claimed factor is at least 2", FACTOR >= 2).concludes(PROVED, "<=")
    proof.formal(THEOREMS["sliding.proved"])
    return proof.says("ties", "equality exactly where C_a = 2 and C_b = 1, for instance b = 0 at a balanced x")


@check(
    "sliding.proved",
    grid="for all n, priors and ε, k = 2; listed for n ≤ 6, four priors, ε = 1, 1/2, 4 and n = 30, ε = 64",
    wide="for all n, priors and ε, k = 2; listed for n ≤ 12, four priors, ε = 1, 1/2, 4 and n = 30, ε = 64",
    weight=2,
    uses=["level.at-most-two"],
)
def proved(ctx: Context) -> Outcome:
    """MH, k = 2: the sliding property with +ε(b−a)/(2S) (A3 Lemma 5.3's proof)."""
    grid = Grid(WORDS, n=range(1, 13 if ctx.wide else 7), eps=EPS, prior=PRIORS)
    grid += Grid(WORDS, n=[30], eps=[64], prior=[(1, 1)])
    listed = scan(PROVED, score_batches(grid, MH, always, proved_right, counts_tie, slide_steps))
    return proved_proof(ctx).settle((f"ties by counting: {grid}", listed))


# ------------------------------------------------------------------ P1


def within(scores: Scores, i: int, j: int) -> bool:
    """Selects Δ = a − b ≥ −S_exp(x), that is b ≤ a + S_exp(x).

    From a = 0 the neighbors of x always belong to it, exactly: b ≤ LS(x) ≤ S_exp(x).
    """
    (x,) = scores.levels[0].members
    adjacent = i == 0 and any(hamming(x, r) == 1 for r in scores.levels[j].members)
    return j <= i or adjacent or decided(balls.at_most(scores.distances[j] - scores.distances[i], scores.sensitivity))


def fair(scores: Scores, i: int, j: int) -> bool:
    """Selects the same where C_a ≤ C_b."""
    return scores.levels[i].count <= scores.levels[j].count and within(scores, i, j)


def p1_proof() -> Proof:
    """The proof for the pairs of scores with C_a ≤ C_b."""
    a, b, t = variables("a", "b", "t")
    proof = Proof().equal("exponents", "−ta = −tb + t(b − a) with t = ε/(2S)", -t * a, -t * b + t * (b - a))
    return proof.says("so", "b − a ≤ S gives e^(−ta) ≤ e^(ε/2)·e^(−tb), and C_a ≤ C_b gives the claim, even with δ = 0")


def p1_right(scores: Scores, i: int, j: int) -> Ball:
    """e^(ε/2)·Pr[u = −b] + δ/2, δ = 10⁻⁸."""
    return scores.half * scores.chances[j] + ball(TINY / 2)


@check(
    "sliding.p1",
    grid=Grid(
        "k = 2; every x and all attained a, b with b ≤ a + S_exp",
        n=range(1, 9),
        eps=rationals("1 1/2 4/5"),
        delta=[TINY],
        prior=PRIORS,
    ),
)
def p1(ctx: Context) -> Outcome:
    """MHdelta, k = 2: Pr[u = s] ≤ e^(ε/2)·Pr[u = s+Δ] + δ/2 for Δ ≥ −S_exp(x) (P1 Lemma 4.1)."""
    grid = Grid("C_a ≤ C_b", n=range(1, 7), eps=rationals("1 1/2"), delta=[TINY], prior=PRIORS)
    equal = p1_proof().settle((str(grid), scan(P1, score_batches(grid, MHdelta, fair, p1_right))))
    own = Grid("P1's own setting", n=range(2, 9, 2), eps=[Fraction(4, 5)], delta=[TINY], prior=[(1, 1)])
    return annotate(
        scan(P1, score_batches(ctx.grid, MHdelta, within, p1_right)),
        ("where C_a ≤ C_b", equal),
        ("ε = 4/5, n = 2, 4, 6, 8, prior (1,1)", scan(P1, score_batches(own, MHdelta, within, p1_right))),
    )
