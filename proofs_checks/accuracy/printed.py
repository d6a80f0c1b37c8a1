"""Three more statements of N0 and N4 as printed: E_Lap = LS, Corollary 4.4.1 (1), and N4's third bound, for EHD."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import floor

from flint import fmpq_poly

from dpaudit.claims import (
    Context,
    Grid,
    Outcome,
    Point,
    Proof,
    Sides,
    Statement,
    Step,
    annotate,
    check,
    over,
    scan,
    step,
    variables,
)
from dpaudit.claims.batches import Batches
from dpaudit.claims.shown import text
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import Model
from dpaudit.posterior.sensitivity import gs_constant
from dpaudit.studies.accuracy.bounds import InSteps, e_local, lower, upper
from proofs_checks.accuracy.lemmas import QQ, states
from proofs_checks.accuracy.lshist import CLOSED, GRID_42
from proofs_checks.accuracy.rows import (
    ONE,
    Q,
    distances,
    evaluate,
    in_q,
    laplace_interval,
    levels,
    local_sensitivity,
    power,
    within_ls,
)
from proofs_checks.accuracy.sides import EHD, Comparison, any_prior, balanced_x, every_x, from_form
from proofs_checks.accuracy.stated import BALANCED, EVERY, PRIORS, balanced_outcome
from proofs_checks.points import priors, rationals
from proofs_checks.setting.exact import decided, local_exact
from proofs_checks.setting.lemmas import adjacent_lemma

# ------------------------------------------------------------------ Theorem 4.2: E_Lap = LS

EQUALS_LS = Statement("E_Lap(x)", "=", "LS(x)")
AT_MOST_LS = Statement("E_Lap(x)", "<=", "LS(x)")


def allowed() -> fmpq_poly:
    """1 − γ for γ = e^(−ε) as a polynomial in q."""
    return ONE - Q


def error_span(model: Model, a: int, eps: Fraction) -> tuple[int, int]:
    """{r : H(x,r) ≤ E_Lap(x)}: the first level with Pr ≥ 1 − e^(−ε) of LSHist, decided exactly."""
    for lo, hi in levels(model, a):
        gap = laplace_interval(model.n, a, lo, hi) - allowed()
        if gap == 0 * ONE or decided(
            balls.decide(lambda gap=gap: balls.at_most(balls.zero(), evaluate(gap, power(eps))))[0]  # type: ignore[misc]
        ):
            return lo, hi
    raise ArithmeticError("the probabilities do not sum to 1")


def error_batches(grid: Grid, balanced: bool = False) -> Batches:
    """Yields E_Lap(x) at γ = e^(−ε) against LS(x) for every data set; equality is decided on BC²."""

    def subject(point: Point) -> tuple[Model, dict[int, tuple[int, int]]]:
        model = Model(point.n, point.prior)
        chosen = balanced_x(point.n) if balanced else every_x(point.n)
        return model, {a: error_span(model, a, point.eps) for a in chosen}

    def sides(at: tuple[Model, dict[int, tuple[int, int]]]) -> Sides:
        model, spans = at
        for a, (lo, hi) in spans.items():
            row = distances(model, a)
            yield (a, model.n - a), balls.maximum([row[lo], row[hi]]), local_sensitivity(model, a)

    def tie(at: tuple[Model, dict[int, tuple[int, int]]], x: tuple[int, int]) -> bool:
        return at[1][x[0]] == within_ls(at[0], x[0])

    def steps(at: tuple[Model, dict[int, tuple[int, int]]], x: tuple[int, int]) -> list[Step]:
        lo, hi = at[1][x[0]]
        row, law = distances(at[0], x[0]), in_q(laplace_interval(at[0].n, x[0], lo, hi))
        return [
            step("near outputs", "by their first cell, the least set {H ≤ E} with Pr ≥ 1 − e^(−ε)", f"{lo}…{hi}"),
            step("their Pr", "q = e^(−ε)", f"{law} ≥ 1 − q"),
            step("E_Lap(x)", "the largest H(x,r) of a near output r", balls.maximum([row[lo], row[hi]])),
            step("LS(x)", "the largest H(x,x′) over the neighbors x′ of x", local_sensitivity(at[0], x[0])),
        ]

    return over(grid, subject, sides, ("x",), tie, steps)


@check("acc.4.2.error", grid=GRID_42, uses=[CLOSED])
def error_is_ls(ctx: Context) -> Outcome:
    """E_Lap(x) = LS(x) at γ = e^(−ε) (N0, N4 Theorem 4.2's last line)."""
    proof = ctx.proof().uses(CLOSED, "Pr[H ≤ LS(x)] ≥ 1 − ½(q + q²), q = e^(−ε)")
    proof.on_square("which is enough", "1 − ½(q+q²) − (1−q) = ½q(1−q) ≥ 0", (1 - (QQ + QQ**2) / 2) - (1 - QQ))
    proof.concludes(AT_MOST_LS, "<=")
    middle = scan(EQUALS_LS, error_batches(Grid(n=range(2, 21, 2), prior=PRIORS[:5], eps=rationals("1 1/4 5")), True))
    return annotate(
        scan(EQUALS_LS, error_batches(ctx.grid)),
        ("E_Lap(x) ≤ LS(x) for every x, n, prior and ε", proof.settle(("", scan(AT_MOST_LS, error_batches(ctx.grid))))),
        ("balanced data, equal priors, n = 2, 4, …, 20", middle),
    )


# ------------------------------------------------------------------ Corollary 4.4.1 (1)

WITHIN = Statement("H(Beta(α, β), Beta(α+k, n−⌊α+k⌋))", "<=", "LS(x)")
RELEASED = Statement("H(x, x+⌊k⌋)", "<=", "LS(x)")
STEPS = rationals("0 1 -1 1/2 3/2 -1/2")
DISTANCE_GRID = Grid(
    "every x; k = 0, 1, −1, ½, 3/2, −½ as far as both printed parameters are positive",
    n=range(1, 13),
    prior=priors("1 1", "1/2 1/2", "2 2"),
)


Parameters = tuple[Fraction, Fraction]


def beta(a: Fraction, b: Fraction) -> Ball:
    """A ball that contains B(a, b)."""
    return ball(a).gamma() * ball(b).gamma() / ball(a + b).gamma()


def hellinger(p: Parameters, q: Parameters) -> Ball:
    """A ball that contains H of two Beta distributions with any parameters; exactly 0 if they are the same."""
    if p == q:
        return balls.zero()
    middle = beta((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
    return (1 - middle / (beta(*p) * beta(*q)).sqrt()).sqrt()


def printed_pair(model: Model, a: int, k: Fraction) -> tuple[Parameters, Parameters]:
    """(α, β) of the posterior of x = (a, n−a), and (α+k, n−⌊α+k⌋)."""
    first, second = a + model.prior[0], model.n - a + model.prior[1]
    return (first, second), (first + k, Fraction(model.n - floor(first + k)))


def printed_batches(grid: Grid) -> Batches:
    """Yields the distance as printed against LS(x)."""

    def sides(model: Model) -> Sides:
        for a in range(model.n + 1):
            for k in STEPS:
                posterior, other = printed_pair(model, a, k)
                if min(other) > 0:
                    yield (a, k), hellinger(posterior, other), local_sensitivity(model, a)

    def steps(model: Model, tag: tuple[int, Fraction]) -> list[Step]:
        posterior, other = printed_pair(model, *tag)
        return [
            step("Beta(α, β)", "the posterior of x, x its first cell", f"Beta{text(posterior)}"),
            step("Beta(α+k, n−⌊α+k⌋)", "as printed", f"Beta{text(other)}"),
            step("their H", "√(1 − B((a+c)/2, (b+d)/2)/√(B(a, b)·B(c, d)))", hellinger(posterior, other)),
            step("LS(x)", "the largest H(x,x′) over the neighbors x′ of x", local_sensitivity(model, tag[0])),
        ]

    return over(grid, lambda at: Model(at.n, at.prior), sides, ("x", "k"), steps=steps)


def released_batches(grid: Grid) -> Batches:
    """Yields the distance of what is released, ⌊k⌋ steps away, against LS(x); equality is decided on BC²."""

    def sides(model: Model) -> Sides:
        for a in range(model.n + 1):
            for s in sorted({floor(k) for k in STEPS}):
                if 0 <= a + s <= model.n:
                    yield (a, s), distances(model, a)[a + s], local_sensitivity(model, a)

    def tie(model: Model, tag: tuple[int, int]) -> bool:
        a, s = tag
        x, r = (a, model.n - a), (a + s, model.n - a - s)
        return bc_squared(model, x, r) == local_exact(model, x)

    return over(grid, lambda at: Model(at.n, at.prior), sides, ("x", "step"), tie)


@check("acc.4.4.1.distance", grid=DISTANCE_GRID)
def distance_within(ctx: Context) -> Outcome:
    """H(Beta(α, β), Beta(α+k, n−⌊α+k⌋)) ≤ LS(x) for −1 ≤ k < 2 (N0, N4 Corollary 4.4.1, equation (1))."""
    return annotate(
        scan(WITHIN, printed_batches(ctx.grid)),
        ("with what LSHist releases, the posterior of x + ⌊k⌋", scan(RELEASED, released_batches(ctx.grid))),
    )


# ------------------------------------------------------------------ N4's third bound

N4_UPPER, N4_LOWER, REPAIRED = "acc.4.5.n4-upper.balanced", "acc.4.5.n4-lower.balanced", "acc.4.5.ehd-upper.repaired"
_UPPER = Comparison(
    replace(EHD, meaning="Pr[H < t] of EHD"),
    "<",
    from_form("(2κ+1)/(n·e^(−ε/(2LS(x))))", upper(e_local, 0)),
    balanced_x,
    closeness="ratio",
)
THIRD = {
    N4_UPPER: _UPPER,
    N4_LOWER: replace(_UPPER, relation=">", right=from_form("(2κe^(−ε/(2LS(x))) + 1)/n", lower(e_local, 0))),
}
"""EHD with the local sensitivity in the bound."""


@check(N4_LOWER, grid=BALANCED)
def third_lower(context: Context) -> Outcome:
    """Decides the lower one of N4's third bounds, balanced data."""
    every = replace(THIRD[N4_LOWER], data=every_x).run(EVERY, any_prior)
    return annotate(balanced_outcome(THIRD[N4_LOWER], context), ("every data set", every))


def third_proof(comparison: Comparison, context: Context) -> Proof:
    """Proves the upper one for balanced data and every equal prior: from the repaired bound, n = 2 apart."""
    proof = states(comparison, "<", True).using(
        context.proof().uses(REPAIRED, "Pr[H < t] < (2κ+1)/((n+1)·e^(−ε/(2GS₀)))")
    )
    form, (f, k, n) = comparison.right.form, variables("f", "k", "n")
    same = isinstance(form, InSteps) and (form.top(k, f), form.bottom(n, f)) == (2 * k + 1, n * f)
    proof.requires("the printed bound", same).using(adjacent_lemma())
    proof.says("n ≥ 4", "LS(x)² = 1 − g(A)·g(A−1), A − 1 ≥ 1 + α, so LS(x)² < 1 − g(1)² = 1 − π/4: LS(x) < GS₀")
    proof.says("so", "n·e^(−ε/(2LS(x))) < (n+1)·e^(−ε/(2GS₀))")
    proof.says(
        "n = 2, κ = 0",
        "Z = 1 + 2e^(−εL/(2GS₀)), L = LS(x) < 1, is to exceed 2y, y = e^(−ε/(2L)); e^(−εL/(2GS₀)) ≥ y^(1/GS₀)",
    )
    proof.less("1/GS₀ < 13/6", "so Z > 1 + 2y^(13/6)", lambda: 1 / gs_constant(), lambda: ball(13) / 6)
    return proof.positive("with y = s⁶", "1 + 2s¹³ − 2s⁶ > 0 on 0 < s < 1", ONE + 2 * Q**13 - 2 * Q**6)


@check(N4_UPPER, grid=BALANCED, uses=[REPAIRED])
def third_upper(context: Context) -> Outcome:
    """Decides the upper one of N4's third bounds, balanced data."""
    comparison = THIRD[N4_UPPER]
    every = replace(comparison, data=every_x).run(EVERY, any_prior)
    found = balanced_outcome(comparison, context, lambda stated: third_proof(stated, context))
    return annotate(found, ("every data set", every))
