"""Checks on the candidates and on the global sensitivity."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import comb
from typing import Any

from flint import fmpq, fmpq_poly

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Algebraic, bc_squared
from dpaudit.posterior.model import Histogram, Model, make_model, neighbours
from dpaudit.posterior.sensitivity import gs_constant
from proofs_checks.core import Batch, Statement, scan, single
from proofs_checks.grid import Grid
from proofs_checks.numbers import brief, refined, step
from proofs_checks.outcome import Outcome, Step
from proofs_checks.registry import Context, check
from proofs_checks.setting_tools import (
    Proof,
    adjacent_lemma,
    distance,
    found,
    g,
    local_exact,
    outward_lemma,
    smallest,
    with_sanity,
)

COUNT_BETA = Statement("|R|, counted", "=", "n + 1")
COUNT_PRINTED = Statement("|R|, counted", "=", "C(n+1, m−1)")
COUNT_RIGHT = Statement("|R|, counted", "=", "C(n+m−1, m−1)")
GS_EACH = Statement("GS(n)", "=", "√(1−π/4)")
GS_MOST = Statement("GS(n, α)", "<=", "√(1−π/4)")
GS0_SQUARED = Algebraic(fmpq(1, 16), ((Fraction(1, 2), -2),))
"""BC² at distance GS₀: (π/4)², exactly."""
PRIORS = ((1, 1), (1, 1, 1), (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 2), 1))
AT_LEAST_ONE = ((1, 1), (1, 2), (Fraction(3, 2), Fraction(3, 2)), (1, 100), (1, 1, 1), (1, 2, 3))


def printed(n: int, m: int) -> int:
    """Returns the number of candidates as the documents print it."""
    return comb(n + 1, m - 1)


def claimed_beta(n: Any) -> Any:
    """Returns the number of candidates that the documents give for k = 2: n + 1; n may be a symbol."""
    return n + 1


COUNTED: dict[str, Callable[[int, int], int]] = {
    COUNT_PRINTED.right: lambda n, m: printed(n, m),
    COUNT_BETA.right: lambda n, m: int(claimed_beta(n)),
    COUNT_RIGHT.right: lambda n, m: comb(n + m - 1, m - 1),
}


def count_batches(statement_right: str, grid: Grid) -> Iterator[Batch]:
    """Yields for every n and m the number of posteriors, by listing them, against a formula."""
    for point in grid:
        n, m = point.n, point.m

        def sides(n: int = n, m: int = m) -> tuple[Ball, Ball]:
            right = COUNTED[statement_right](n, m)
            return ball(len(set(make_model(n, m).histograms))), ball(right)

        def steps(n: int = n, m: int = m) -> list[Step]:
            listed = sorted(set(make_model(n, m).histograms), reverse=True)
            shown = ", ".join(str(c) for c in listed[:6]) + (", …" if len(listed) > 6 else "")
            return [
                step("the histograms", shown, str(len(listed))),
                step("printed", f"C({n + 1}, {m - 1})", printed(n, m)),
                step("right", f"C({n + m - 1}, {m - 1})", comb(n + m - 1, m - 1)),
            ]

        yield single({"n": n, "m": m}, sides, steps=steps)


@check("candidates.beta", grid="for all n ≥ 1; listed for n = 1…60, 500, 2000")
def candidates_beta(ctx: Context) -> Outcome:
    """|R| = n+1 for k = 2 (P1 §4, A3 §4)."""
    proof = Proof()
    proof.cites("the candidates", "Beta(α₁ + c, α₂ + n − c), c = 0, …, n: different c, different first parameter")
    n = fmpq_poly([0, 1])
    proof.holds(
        "start", "n = 1 has the 2 candidates c = 0, 1", lambda: claimed_beta(1) == len(make_model(1).histograms)
    )
    proof.holds(
        "one more record",
        "c = n + 1 is new, and the claimed number grows by 1 at every n",
        lambda: claimed_beta(n + 1) - claimed_beta(n) == fmpq_poly([1]),
    )
    proof.concludes(COUNT_BETA, "=")
    grid = Grid(n=range(1, 61), m=[2]) + Grid(n=[500, 2000], m=[2])
    counted = scan(COUNT_BETA, count_batches(COUNT_BETA.right, grid))
    return with_sanity(proof.outcome(), counted, f"the histograms listed and counted: {grid}")


@check(
    "candidates.dirichlet",
    grid=Grid(n=range(1, 9), m=[3, 4, 5]),
    wide=Grid(n=range(1, 16), m=[3, 4, 5, 6]),
)
def candidates_dirichlet(ctx: Context) -> Outcome:
    """|R| = C(n+1, m−1) for k = m ≥ 3 (P1 §4.2.1, A3 §4.2)."""
    right = scan(COUNT_RIGHT, count_batches(COUNT_RIGHT.right, ctx.grid))
    failing = all(printed(p.n, p.m) < comb(p.n + p.m - 1, p.m - 1) for p in ctx.grid)
    words = "the true number is C(n+m−1, m−1)" + (", larger for every n and m of the grid" if failing else "")
    parts = [right.part(f"|R| = C(n+m−1, m−1): {ctx.grid}")]
    return scan(COUNT_PRINTED, count_batches(COUNT_PRINTED.right, ctx.grid)).having(words, parts)


# ------------------------------------------------------------------ global sensitivity


def global_exact(model: Model) -> tuple[Algebraic, Histogram]:
    """Returns BC² of the farthest adjacent pair, exactly, and its first data set."""
    found = [(local_exact(model, c), c) for c in model.histograms if model.canonical(c) == (c,)]
    least = smallest([bc2 for bc2, _ in found])
    return next((bc2, c) for bc2, c in found if bc2 == least)


def gs_batches(grid: Grid) -> Iterator[Batch]:
    """Yields GS(n, α) against √(1−π/4) for every n and prior; equality is decided on BC²."""
    for point in grid:
        model = make_model(point.n, prior=point.prior)
        bc2, x = global_exact(model)

        def sides(bc2: Algebraic = bc2) -> tuple[Ball, Ball]:
            return distance(bc2), gs_constant()

        def tie(bc2: Algebraic = bc2) -> bool:
            return bc2 == GS0_SQUARED

        def steps(model: Model = model, bc2: Algebraic = bc2, x: Histogram = x) -> list[Step]:
            other = next(y for y in neighbours(x) if bc_squared(model, x, y) == bc2)
            return [
                step(f"the farthest adjacent pair, x = {x}, x′ = {other}", "BC(x,x′)²", str(bc2)),
                step("BC(x,x′)", "√(BC²)", bc2.ball().sqrt()),
                step("GS(n, α)", "√(1 − BC)", distance(bc2)),
                step("the constant", "√(1 − π/4), where BC = π/4", gs_constant()),
            ]

        yield single({"n": point.n, "prior": point.prior}, sides, tie, steps)


@check("gs.each-n", grid=Grid("every adjacent pair", n=range(1, 13), prior=[(1, 1)]))
def gs_each_n(ctx: Context) -> Outcome:
    """GS(n) = √(1−π/4) for every n (N0, N4 §1)."""
    proof = Proof()
    adjacent_lemma(proof)
    outward_lemma(proof)
    proof.cites("GS(n)", "the farthest adjacent pair is at the end: GS(n)² = 1 − g(1)·g(n), which falls strictly in n")
    limit = brief(refined(lambda: (1 - g(1)).sqrt()))
    falls = proof.outcome()
    words = found(f"equality at n = 1 only, GS(n) falling strictly to √(1 − √π/2) = {limit}", falls)
    return scan(GS_EACH, gs_batches(ctx.grid)).having(words, [falls.part("GS(n) falls strictly in n")])


@check(
    "gs.supremum",
    grid="for all n ≥ 1 and all k ≥ 2, prior (1, …, 1); listed for k = 2, n ≤ 30 and n = 300, k = 3, n ≤ 8",
)
def gs_supremum(ctx: Context) -> Outcome:
    """GS(n) ≤ √(1−π/4) for the uniform prior, attained at n = 1 (N0, N4 §1)."""
    proof = at_least_one_proof()
    first, _ = global_exact(make_model(1))
    proof.holds("n = 1 attains it", f"the pair (1,0), (0,1) has BC² = {first} = (π/4)²", first == GS0_SQUARED)
    proof.concludes(GS_MOST, "<=")
    grid = Grid(n=range(1, 31), prior=[(1, 1)]) + Grid(n=range(1, 9), prior=[(1, 1, 1)]) + Grid(n=[300], prior=[(1, 1)])
    return with_sanity(proof.outcome(), scan(GS_MOST, gs_batches(grid)), f"exactly, on BC²: {grid}")


def constant_agrees() -> bool:
    """Returns whether the constant that the statement and the mechanism use is √(1 − π/4), to 1000 bits."""
    with balls.precision(1024):
        return balls.overlap(gs_constant(), distance(GS0_SQUARED))


def at_least_one_proof() -> Proof:
    """Returns the proof of GS(n, α) ≤ √(1−π/4) for every prior with all entries ≥ 1, any n and k."""
    proof = Proof()
    adjacent_lemma(proof)
    square = bc_squared(make_model(1), (1, 0), (0, 1))
    proof.holds("g(1)", f"(g(1)²)² = BC² of the two data sets of n = 1, prior (1,1): {square}", square == GS0_SQUARED)
    same = "the constant in use is √(1 − BC) at BC² = (π/4)²"
    proof.cases("√(1−π/4)", same, "as balls of 1024 bits", constant_agrees)
    proof.cites("every adjacent pair", "BC = g(α_i + x_i)·g(α_j + x_j − 1) ≥ g(1)² = π/4: both arguments are ≥ 1")
    proof.cites("so", "LS(x) = max √(1 − BC) ≤ √(1 − π/4) for every x")
    return proof


@check(
    "gs.any-prior",
    grid=Grid("every adjacent pair", n=range(1, 9), prior=PRIORS),
)
def gs_any_prior(ctx: Context) -> Outcome:
    """GS(n, α) ≤ √(1−π/4) for every prior (N0, N4 §1)."""
    grid = Grid(n=range(1, 7), prior=AT_LEAST_ONE)
    holds = with_sanity(at_least_one_proof().outcome(), scan(GS_MOST, gs_batches(grid)), str(grid))
    words = "for every n, k and prior with all αᵢ ≥ 1"
    return scan(GS_MOST, gs_batches(ctx.grid)).having(found(words, holds), [holds.part(words)])
