"""Checks of the dilation properties of MH and MHdelta, k = 2. Scores are distances here: b = e^λ·a, λ = ln(b/a)."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from flint import fmpq

from dpaudit.claims import (
    Context,
    Grid,
    Outcome,
    Part,
    Point,
    Proof,
    Step,
    annotate,
    check,
    coefficients_positive,
    scan,
    step,
    variables,
)
from dpaudit.claims.batches import Batches, Sides, Statement, over, single
from dpaudit.claims.shown import show
from dpaudit.mechanisms.exponential import MH
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Model
from proofs_checks.points import exponential_at, model_at, priors, rationals
from proofs_checks.privacy.real_prior import Tie, dilated, no_rational_tie
from proofs_checks.privacy.scores import Scores, Select, all_scores, score_batches
from proofs_checks.privacy.tools import row_steps
from proofs_checks.setting.exact import decided, levels
from proofs_checks.setting.levels import level_steps

STATED = Statement("Pr[u = a]", "<=", "e^(ε/2)·Pr[u = e^λa] + δ′/2")
SAME_COUNT = Statement("candidates at a", "=", "candidates at e^λa")
EQUAL = priors("1 1", "1/2 1/2", "2 2", "1/3 1/3")
PRIORS = (*EQUAL, *priors("1 2", "1/2 3/2"))
EPS = rationals("1 1/2 2")
ALL = "k = 2; every x and all attained a, b ≠ 0"


def shrinks(scores: Scores, i: int, j: int) -> bool:
    """Selects λ < 0, both scores nonzero."""
    return 0 < j < i


def grows(scores: Scores, i: int, j: int) -> bool:
    """Selects λ > 0, both scores nonzero."""
    return 0 < i < j


def half_delta(scores: Scores, lam: Ball) -> Ball:
    """δ′/2 = 1 − |R|·e^(ε/(2(1−e^λ))), which may well be negative."""
    return 1 - (scores.n + 1) * (ball(scores.eps / 2) / (1 - lam.exp())).exp()


def stated_right(scores: Scores, i: int, j: int) -> Ball:
    """e^(ε/2)·Pr[u = b] + δ′/2."""
    return scores.half * scores.chances[j] + half_delta(scores, scores.dilation(i, j))


def stated_steps(scores: Scores, i: int, j: int) -> list[Step]:
    """λ, δ′/2 and the first term of the right side."""
    lam = scores.dilation(i, j)
    return [
        step("e^λ", "b/a", lam.exp()),
        step("δ′/2", f"1 − {scores.n + 1}·e^(ε/(2(1−e^λ)))", half_delta(scores, lam)),
        step("e^(ε/2)·Pr[u = b]", "", scores.half * scores.chances[j]),
    ]


def at_zero(lam: int) -> Part:
    """The part a = 0, whose dilates are all 0: any λ is possible there, ±1 is taken, at n = 1."""
    mechanism = exponential_at(MH, Point(n=1, eps=1))

    def sides() -> tuple[Ball, Ball]:
        scores = all_scores(mechanism)((0, 1))
        return scores.chances[0], scores.half * scores.chances[0] + half_delta(scores, ball(lam))

    outcome = scan(STATED, [single({"n": 1, "eps": 1, "prior": (1, 1), "x": (0, 1), "a": 0, "lam": lam}, sides)])
    return outcome.part("a = 0 admitted, where every λ is a dilation: n = 1")


@check("dilation.stated.negative", grid=Grid(ALL, n=range(1, 7), eps=EPS, prior=PRIORS))
def stated_negative(ctx: Context) -> Outcome:
    """MH, λ < 0: Pr[u = a] ≤ e^(ε/2)·Pr[u = e^λa] + δ′/2 (A3 Lemma 5.4)."""
    e, n = variables("e", "n")
    rule = Proof().says(
        "λ < 0", "1/(1−e^λ) > 1, so |R|·e^(ε/(2(1−e^λ))) > (n+1)·E with E = e^(ε/2) > 1, and Pr[u = e^λa] < 1"
    )
    rule.equal("right side", "< E + 1 − (n+1)E = 1 − nE", e + 1 - (n + 1) * e, 1 - n * e)
    rule.says("so", "the right side is negative and the inequality fails at every such pair, for every n, prior and ε")
    outcome = scan(STATED, score_batches(ctx.grid, MH, shrinks, stated_right, extra=stated_steps))
    return annotate(outcome, ("it fails at every pair of nonzero scores", rule)).having(parts=[at_zero(-1)])


@check("dilation.stated.positive", grid=Grid(ALL, n=range(1, 7), eps=EPS, prior=PRIORS))
def stated_positive(ctx: Context) -> Outcome:
    """MH, λ > 0: Pr[u = a] ≤ e^(ε/2)·Pr[u = e^λa] + δ′/2 (A3 Lemma 5.4)."""
    outcome = scan(STATED, score_batches(ctx.grid, MH, grows, stated_right, extra=stated_steps))
    return outcome.having(parts=[at_zero(1)])


@check(
    "dilation.assertion",
    grid=Grid("k = 2; every x, all nonzero attained scores, counted exactly", n=range(1, 9), prior=PRIORS),
)
def assertion(ctx: Context) -> Outcome:
    """C is the same at a nonzero attained score and at every attained dilate of it, k = 2 (A3 Assertion 5.4.1)."""
    most = 60 if ctx.wide else 24
    equal = scan(SAME_COUNT, count_batches(Grid(n=range(1, most + 1), prior=EQUAL)))
    return annotate(scan(SAME_COUNT, count_batches(ctx.grid)), (f"equal priors α₁ = α₂, n ≤ {most}", equal))


def count_batches(grid: Grid) -> Batches:
    """Yields the numbers of candidates at neighboring nonzero levels: if all are equal, so are any two."""

    def sides(model: Model) -> Sides:
        for x in model.histograms:
            for a, b in pairwise(levels(model, x)[1:]):
                yield (x, a.members[0], b.members[0]), ball(a.count), ball(b.count)

    names = ("x", "r (score a)", "t (score b)")
    return over(grid, model_at, sides, names, steps=lambda model, tag: level_steps(model, tag[0]))


P1 = Statement("Pr[u = −a]", "<=", "e^(ε/2)·Pr[u = −e^λa] + δ/2")
NOT_MORE = Statement("candidates at a", ">=", "candidates at the next farther score")


def near(scores: Scores, i: int, j: int) -> bool:
    """Whether |λ| ≤ γ = ln(1 − ε/(2 ln(δ/(2(n+1)))))."""
    return decided(balls.at_most(abs(scores.dilation(i, j)), scores.gamma))


def near_shrinks(scores: Scores, i: int, j: int) -> bool:
    """Selects −γ ≤ λ < 0."""
    return shrinks(scores, i, j) and near(scores, i, j)


def near_grows(scores: Scores, i: int, j: int) -> bool:
    """Selects 0 < λ ≤ γ."""
    return grows(scores, i, j) and near(scores, i, j)


def p1_batches(grid: Grid, select: Select) -> Batches:
    """Yields Pr[u = −a] against e^(ε/2)·Pr[u = −b] + δ/2."""

    def right(scores: Scores, i: int, j: int) -> Ball:
        return scores.half * scores.chances[j] + ball(scores.delta / 2)

    def extra(scores: Scores, i: int, j: int) -> list[Step]:
        return [step("λ", "ln(b/a)", scores.dilation(i, j)), step("γ, the largest |λ|", "", scores.gamma)]

    return score_batches(grid, MHdelta, select, right, extra=extra)


P1_PRIORS = priors("1 1", "1/2 1/2", "1 2", "1/2 3/2")
P1_EPS = rationals("1 1/2 2 21/10")
P1_DELTAS = rationals("1e-8 1/100 3/1000")
P1_WORDS = "k = 2; every x and all attained a, b ≠ 0 with |λ| ≤ γ"
P1_GRID = Grid(P1_WORDS, n=range(1, 14), eps=P1_EPS, delta=P1_DELTAS, prior=P1_PRIORS)


TIE = Tie(n=6, x=1, i=1, j=5, second=Fraction(1), low=Fraction(2841, 10**6), high=Fraction(2842, 10**6))
ALGEBRAIC = "n = 6, prior (α, 1): the algebraic α for which (0, 6) and (6, 0) are exactly as far from x = (1, 5)"


@check("dilation.p1.negative", grid=P1_GRID.wider(n=range(1, 31)), weight=6)
def p1_negative(ctx: Context) -> Outcome:
    """MHdelta, λ < 0 (P1 Lemma 4.2); P1 allows every real prior."""
    a, b, t = variables("a", "b", "t")
    rule = Proof().says(
        "λ < 0", "b < a, so e^(−ta) < e^(−tb) with t = ε/(2S): Pr[u = a] ≤ Pr[u = b] wherever C_a ≤ C_b"
    )
    rule.equal("exponents", "−ta + tb = −t(a − b) < 0", -t * a + t * b, -t * (a - b))
    most = 60 if ctx.wide else 20
    counts = scan(NOT_MORE, count_batches(Grid(n=range(1, most + 1), prior=PRIORS)))
    return annotate(
        scan(P1, [dilated(TIE, 5, Fraction(1), Fraction(1, 25))]).on(ALGEBRAIC),
        (f"rational priors: {ctx.grid}", scan(P1, p1_batches(ctx.grid, near_shrinks))),
        ("wherever the farther score has no more candidates, at every n, ε and δ", rule),
        (f"rational priors: no score has more candidates than a nearer one (a, b ≠ 0), n ≤ {most}", counts),
        no_rational_tie(),
    )


def positive_proof() -> Proof:
    """The proof for λ > 0 wherever C_a ≤ C_b, any n, ε and δ."""
    size, delta = variables("size", "delta")
    proof = Proof()
    proof.says("b − a ≤ S", "e^(−εa/(2S)) ≤ e^(ε/2)·e^(−εb/(2S)), so with C_a ≤ C_b: Pr[u = a] ≤ e^(ε/2)·Pr[u = b]")
    proof.says("b − a > S", "a(e^λ − 1) > S, so Pr[u = a] ≤ (n+1)·e^(−εa/(2S)) < (n+1)·e^(−ε/(2(e^λ−1))), as NL ≥ 1")
    proof.says("λ ≤ γ", "e^λ − 1 ≤ ε/(2 ln(2(n+1)/δ)), so that is at most (n+1)·δ/(2(n+1))")
    return proof.equal("so", "(n+1)·δ/(2(n+1)) = δ/2", size * delta, 2 * size * (delta * fmpq(1, 2)))


@check("dilation.p1.positive", grid=P1_GRID, weight=6)
def p1_positive(ctx: Context) -> Outcome:
    """MHdelta, λ > 0 (P1 Lemma 4.2)."""
    most = 31 if ctx.wide else 12
    grid = Grid(P1_WORDS, n=range(1, most), eps=P1_EPS, delta=P1_DELTAS, prior=EQUAL[:2])
    plain = Grid(P1_WORDS, n=[15], eps=[1], delta=[Fraction(1, 100)], prior=[(1, 2)])
    easy = scan(P1, p1_batches(plain, near_grows)).part(f"with a wider margin: {plain}")
    return annotate(
        scan(P1, p1_batches(ctx.grid, near_grows)),
        ("wherever C_a ≤ C_b, at every n, ε and δ", positive_proof()),
        (f"equal priors, n < {most}", scan(P1, p1_batches(grid, near_grows))),
    ).having(parts=[easy])


# ------------------------------------------------------------------ P1 Lemma 4.2 as printed: every λ < |β|

LITERAL = Statement("Pr[u = c]", "<=", "e^(ε/2)·Pr[u = e^λ·c] + δ/2")
LITERAL_GRID = Grid(
    "k = 2; every x and every attained c ≠ 0, at a λ for which e^λ·c is no score: its probability is 0",
    n=range(1, 4),
    eps=rationals("1 1/100"),
    delta=rationals("1e-8 1/100"),
    prior=priors("1 1", "1/2 3/2"),
    lam=[-1, -100],
)
FAR_GRID = Grid(
    "k = 2; every x and all attained a, b ≠ 0, any λ < 0", n=range(1, 9), eps=EPS, delta=P1_DELTAS, prior=PRIORS
)


def literal_batches(grid: Grid) -> Batches:
    """Yields Pr[u = c] against δ/2 where e^λ·c is not attained; that it is not is decided by balls."""

    def subject(point: Point) -> tuple[MHdelta, int]:
        return exponential_at(MHdelta, point), point.lam

    def sides(at: tuple[MHdelta, int]) -> Sides:
        mechanism, lam = at
        scores = all_scores(mechanism)
        for x in mechanism.model.histograms:
            row = scores(x)
            for i in range(1, len(row.levels)):
                dilated_score = ball(lam).exp() * row.distances[i]
                if not any(balls.overlap(dilated_score, d) for d in row.distances):
                    yield (x, row.levels[i].members[0]), row.chances[i], ball(mechanism.delta / 2)

    def steps(at: tuple[MHdelta, int], tag: tuple[tuple[int, int], tuple[int, int]]) -> list[Step]:
        row = all_scores(at[0])(tag[0])
        i = next(k for k, level in enumerate(row.levels) if tag[1] in level.members)
        listed = ", ".join(show(-distance, 7) for distance in row.distances[1:])
        return [
            step("attained scores u = −H", "", f"0, {listed}"),
            step("c", f"−H(x, {tag[1]})", -row.distances[i]),
            step("e^λ·c", "which no candidate has", -ball(at[1]).exp() * row.distances[i]),
            step("the largest λ of the lemma", "ln(1 − ε/(2 ln(δ/(2(n+1)))))", row.gamma),
            *row_steps(at[0], *tag, "x"),
            step("Pr[u = c]", "the sum of e^(c·w)/NL(x) over the candidates with this score", row.chances[i]),
        ]

    return over(grid, subject, sides, ("x", "r (score c)"), steps=steps)


@check("dilation.p1.any-lambda", grid=LITERAL_GRID)
def any_lambda(ctx: Context) -> Outcome:
    """Lemma 4.2 as printed: λ < |β|, so every negative λ, and c any score (P1)."""
    p, d = variables("P", "d")
    least = Proof().says("e^λ·c not attained", "Pr[u = e^λ·c] = 0: the right side is δ/2, for every such λ < 0")
    least.says("Pr[u = c] ≥ P", "P = e^(−ε/(2LS(x)))/(n+1) > 0, whatever δ is: H ≤ 1, S ≥ LS(x) and NL ≤ n+1")
    least.holds(
        "P = δ + d, d ≥ 0", f"P − δ/2 = {p / 2 + d} > 0: it fails for every δ ≤ P", coefficients_positive(p / 2 + d)
    )
    return annotate(
        scan(LITERAL, literal_batches(ctx.grid)),
        ("at every such c ≠ 0 it fails for every δ ≤ e^(−ε/(2LS(x)))/(n+1)", least),
        (f"attained scores only, rational priors: {FAR_GRID}", scan(P1, p1_batches(FAR_GRID, shrinks))),
        ("attained scores, an algebraic prior", scan(P1, [dilated(TIE, 5, Fraction(1), Fraction(1, 25))])),
    )
