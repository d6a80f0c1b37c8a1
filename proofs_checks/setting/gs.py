"""Checks on the candidates and on the global sensitivity."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

from flint import fmpq, fmpq_poly

from dpaudit.claims import Batches, Context, Grid, Outcome, Point, Proof, Statement, Step, annotate, check, each, scan
from dpaudit.claims.shown import brief, refined, step
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Algebraic, bc_squared
from dpaudit.posterior.model import Histogram, Model, make_model, neighbors
from dpaudit.posterior.sensitivity import gs_constant
from proofs_checks.coq import THEOREMS
from proofs_checks.points import model_at, priors
from proofs_checks.setting.exact import distance, local_exact, smallest
from proofs_checks.setting.lemmas import adjacent_lemma, g, outward_lemma

COUNT_BETA = Statement("|R|, counted", "=", "n + 1")
COUNT_PRINTED = Statement("|R|, counted", "=", "C(n+1, m−1)")
COUNT_RIGHT = Statement("|R|, counted", "=", "C(n+m−1, m−1)")
GS_EACH = Statement("GS(n)", "=", "√(1−π/4)")
GS_MOST = Statement("GS(n, α)", "<=", "√(1−π/4)")
GS0_SQUARED = Algebraic(fmpq(1, 16), ((Fraction(1, 2), -2),))
"""BC² at distance GS₀: (π/4)², exactly."""
PRIORS = priors("1 1", "1 1 1", "1/2 1/2", "1/2 1")
AT_LEAST_ONE = priors("1 1", "1 2", "3/2 3/2", "1 100", "1 1 1", "1 2 3")


def printed(n: int, m: int) -> int:
    """The number of candidates as the documents print it."""
    return comb(n + 1, m - 1)


def claimed_beta(n: Any) -> Any:
    """The number of candidates that the documents give for k = 2: n + 1; n may be a symbol."""
    return n + 1


COUNTED: dict[str, Callable[[int, int], int]] = {
    COUNT_PRINTED.right: lambda n, m: printed(n, m),
    COUNT_BETA.right: lambda n, m: int(claimed_beta(n)),
    COUNT_RIGHT.right: lambda n, m: comb(n + m - 1, m - 1),
}


def count_batches(statement: Statement, grid: Grid) -> Batches:
    """Yields for every n and m the number of posteriors, by listing them, against the statement's formula."""

    def sides(at: Point) -> tuple[Ball, Ball]:
        return ball(len(set(make_model(at.n, at.m).histograms))), ball(COUNTED[statement.right](at.n, at.m))

    def steps(at: Point) -> list[Step]:
        n, m = at.n, at.m
        listed = sorted(set(make_model(n, m).histograms), reverse=True)
        shown = ", ".join(str(c) for c in listed[:6]) + (", …" if len(listed) > 6 else "")
        return [
            step("the histograms", shown, str(len(listed))),
            step("printed", f"C({n + 1}, {m - 1})", printed(n, m)),
            step("right", f"C({n + m - 1}, {m - 1})", comb(n + m - 1, m - 1)),
        ]

    return each(grid, lambda point: point, sides, steps=steps)


@check("candidates.beta", grid="for all n ≥ 1; listed for n = 1…60, 500, 2000")
def candidates_beta(ctx: Context) -> Outcome:
    """|R| = n+1 for k = 2 (P1 §4, A3 §4)."""
    n = fmpq_poly([0, 1])
    proof = Proof().says("the candidates", "Beta(α₁ + c, α₂ + n − c), c = 0, …, n: different c, different parameters")
    first = len(make_model(1).histograms)
    proof.cases("start", "the 2 candidates c = 0, 1", "n = 1", lambda: claimed_beta(1) == first)
    proof.holds(
        "one more record",
        "c = n + 1 is new, and the claimed number grows by 1 at every n",
        lambda: claimed_beta(n + 1) - claimed_beta(n) == fmpq_poly([1]),
    )
    proof.concludes(COUNT_BETA, "=")
    grid = Grid(n=range(1, 61), m=[2]) + Grid(n=[500, 2000], m=[2])
    return proof.settle(
        (f"the histograms listed and counted: {grid}", scan(COUNT_BETA, count_batches(COUNT_BETA, grid)))
    )


@check("candidates.dirichlet", grid=Grid(n=range(1, 9), m=[3, 4, 5]).wider(n=range(1, 16), m=[3, 4, 5, 6]))
def candidates_dirichlet(ctx: Context) -> Outcome:
    """|R| = C(n+1, m−1) for k = m ≥ 3 (P1 §4.2.1, A3 §4.2)."""
    right = scan(COUNT_RIGHT, count_batches(COUNT_RIGHT, ctx.grid))
    failing = all(printed(p.n, p.m) < comb(p.n + p.m - 1, p.m - 1) for p in ctx.grid)
    words = "the true number is C(n+m−1, m−1)" + (", larger for every n and m of the grid" if failing else "")
    parts = [right.part(f"|R| = C(n+m−1, m−1): {ctx.grid}")]
    return scan(COUNT_PRINTED, count_batches(COUNT_PRINTED, ctx.grid)).having(words, parts)


# ------------------------------------------------------------------ global sensitivity

Farthest = tuple[Model, Algebraic, Histogram]


def farthest(point: Point) -> Farthest:
    """The model, BC² of its farthest adjacent pair, exactly, and the pair's first data set."""
    model = model_at(point)
    found = [(local_exact(model, c), c) for c in model.histograms if model.canonical(c) == (c,)]
    least = smallest([bc2 for bc2, _ in found])
    return next((model, bc2, c) for bc2, c in found if bc2 == least)


def gs_batches(grid: Grid) -> Batches:
    """Yields GS(n, α) against √(1−π/4) for every n and prior; equality is decided on BC²."""

    def steps(at: Farthest) -> list[Step]:
        model, bc2, x = at
        other = next(y for y in neighbors(x) if bc_squared(model, x, y) == bc2)
        return [
            step(f"the farthest adjacent pair, x = {x}, x′ = {other}", "BC(x,x′)²", str(bc2)),
            step("BC(x,x′)", "√(BC²)", bc2.ball().sqrt()),
            step("GS(n, α)", "√(1 − BC)", distance(bc2)),
            step("the constant", "√(1 − π/4), where BC = π/4", gs_constant()),
        ]

    return each(grid, farthest, lambda at: (distance(at[1]), gs_constant()), lambda at: at[1] == GS0_SQUARED, steps)


@check("gs.each-n", grid=Grid("every adjacent pair", n=range(1, 13), prior=[(1, 1)]))
def gs_each_n(ctx: Context) -> Outcome:
    """GS(n) = √(1−π/4) for every n (N0, N4 §1)."""
    falls = outward_lemma().says(
        "GS(n)", "the farthest adjacent pair is at the end: GS(n)² = 1 − g(1)·g(n), which falls strictly in n"
    )
    limit = brief(refined(lambda: (1 - g(1)).sqrt()))
    words = f"equality at n = 1 only, GS(n) falling strictly to √(1 − √π/2) = {limit}"
    return annotate(scan(GS_EACH, gs_batches(ctx.grid)), (words, falls))


@check(
    "gs.supremum",
    grid="for all n ≥ 1 and all k ≥ 2, prior (1, …, 1); listed for k = 2, n ≤ 30 and n = 300, k = 3, n ≤ 8",
)
def gs_supremum(ctx: Context) -> Outcome:
    """GS(n) ≤ √(1−π/4) for the uniform prior, attained at n = 1 (N0, N4 §1)."""
    proof = at_least_one_proof().concludes(GS_MOST, "<=")
    grid = Grid(n=range(1, 31), prior=[(1, 1)]) + Grid(n=range(1, 9), prior=[(1, 1, 1)]) + Grid(n=[300], prior=[(1, 1)])
    return proof.settle((f"exactly, on BC²: {grid}", scan(GS_MOST, gs_batches(grid))))


def constant_agrees() -> bool:
    """Whether the constant that the statement and the mechanism use is √(1 − π/4), to 1000 bits."""
    with balls.precision(1024):
        return balls.overlap(gs_constant(), distance(GS0_SQUARED))


def at_least_one_proof() -> Proof:
    """The proof of GS(n, α) ≤ √(1−π/4) for every prior with all entries ≥ 1, any n and k."""
    square = bc_squared(make_model(1), (1, 0), (0, 1))
    text = f"(g(1)²)² = BC² of the two data sets of n = 1, prior (1,1), which attain it: {square} = (π/4)²"
    proof = adjacent_lemma().equal("g(1)", text, square, GS0_SQUARED)
    same = "the constant in use is √(1 − BC) at BC² = (π/4)²"
    proof.cases("√(1−π/4)", same, "as balls of 1024 bits", constant_agrees)
    proof.says("every adjacent pair", "BC = g(α_i + x_i)·g(α_j + x_j − 1) ≥ g(1)² = π/4: both arguments are ≥ 1")
    return proof.says("so", "LS(x) = max √(1 − BC) ≤ √(1 − π/4) for every x").formal(THEOREMS["gs.supremum"])


@check("gs.any-prior", grid=Grid("every adjacent pair", n=range(1, 9), prior=PRIORS))
def gs_any_prior(ctx: Context) -> Outcome:
    """GS(n, α) ≤ √(1−π/4) for every prior (N0, N4 §1)."""
    grid = Grid(n=range(1, 7), prior=AT_LEAST_ONE)
    holds = at_least_one_proof().settle((str(grid), scan(GS_MOST, gs_batches(grid))))
    return annotate(scan(GS_MOST, gs_batches(ctx.grid)), ("for every n, k and prior with all αᵢ ≥ 1", holds))
