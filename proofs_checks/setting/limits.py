"""Checks on how the local sensitivity changes: with the parameters, and as n grows; and on the ℓ₁ sensitivity."""

from __future__ import annotations

from fractions import Fraction

from flint import fmpq

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Step, annotate, check, scan, step
from dpaudit.claims.algebra import coefficients_positive, variables
from dpaudit.claims.batches import Batches, Sides, Statement, each, over, single
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model, make_model
from proofs_checks.points import adjacent_pairs, model_at, priors
from proofs_checks.setting.exact import local_exact
from proofs_checks.setting.lemmas import adjacent_lemma, g, moves, outward_lemma
from proofs_checks.setting.ls import local_steps

CLOSER = Statement("LS of the closer parameters", "<=", "LS of the farther parameters")
LARGER = Statement("LS of the larger parameters", "<=", "LS of the smaller parameters")
LIMIT_ZERO = Statement("limit of LS(0) as n → ∞", "=", "0")
ABOVE_LIMIT = Statement("LS(0)", ">", "√(1 − √π/2)")
BELOW_RATE = Statement("LS(x)²", "<", "2/n")
RATE = 2
"""LS(x)² < RATE/n at the balanced x, prior (1,1): what the proof arrives at."""
L1_BOUND, FIRST_BOUND = 2, 1
L1_MOST = Statement("ℓ₁ distance of the parameters", "<=", "2")
FIRST_MOST = Statement("difference in the first cell", "<=", "1")
MONOTONE_PRIORS = priors("1 1", "1/2 1/2", "2 2", "1/2 1", "1 2", "1 3/2")
MONOTONE = Grid("every two data sets", n=range(1, 9), prior=MONOTONE_PRIORS).wider(n=range(1, 31))
WHOLE_DIFFERENCE = priors("1 1", "1/2 1/2", "1 2", "1 3", "1/2 5/2")
RATIO_PRIORS = priors("1 1", "1 2", "1/2 1", "1/2 1/2")


def beta(model: Model, x: Histogram) -> tuple[Fraction, Fraction]:
    """The two Beta parameters of BI(x)."""
    return model.prior[0] + x[0], model.prior[1] + x[1]


@check("ls.monotone", grid=MONOTONE, weight=2)
def ls_monotone(ctx: Context) -> Outcome:
    """LS does not rise as the Beta parameters come closer (fixed sum) or grow (fixed ratio) (P1 §5.4.2)."""
    whole = Grid(n=range(1, 13), prior=WHOLE_DIFFERENCE)
    proof = outward_lemma()
    proof.says("pairs", "BC of a pair depends on |a − b| at its middle alone and falls with it; x has |a−b| ± 1")
    proof.says("α₁ − α₂ whole", "a − b keeps its parity, so |a_x−b_x| < |a_y−b_y| means ≤ |a_y−b_y| − 2")
    proof.says("so", "the inner pair of y, which exists, lies at |a_y−b_y| − 1 ≥ |a_x−b_x| + 1: LS(x) ≤ LS(y)")
    close = proof.settle((str(whole), scan(CLOSER, closer_batches(whole))))
    ratio = ratio_proof().settle(("same prior, n < n′ ≤ 12", scan(LARGER, ratio_batches(12))))
    return annotate(
        scan(CLOSER, closer_batches(ctx.grid)),
        ("closer, prior (1,1) or any with α₁ − α₂ whole", close),
        ("larger at a fixed ratio, every prior", ratio),
    )


def closer_batches(grid: Grid) -> Batches:
    """Yields LS(x) against LS(y) for all x, y with |a_x − b_x| < |a_y − b_y|; ties are decided on BC²."""

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        local = {x: h.local(x) for x in model.histograms}
        gap = {x: abs(beta(model, x)[0] - beta(model, x)[1]) for x in model.histograms}
        for x in model.histograms:
            for y in model.histograms:
                if gap[x] < gap[y]:
                    yield (x, y), local[x], local[y]

    def tie(model: Model, tag: tuple[Histogram, Histogram]) -> bool:
        return local_exact(model, tag[0]) == local_exact(model, tag[1])

    def steps(model: Model, tag: tuple[Histogram, Histogram]) -> list[Step]:
        pairs = [(name, x, *beta(model, x)) for name, x in zip("xy", tag, strict=True)]
        lines = [step(name, "Beta parameters", f"({a}, {b}), |a − b| = {abs(a - b)}") for name, _, a, b in pairs]
        return [*lines, *local_steps(model, tag[0], "x"), *local_steps(model, tag[1], "y")]

    return over(grid, model_at, sides, ("x", "y"), tie, steps)


def ratio_proof() -> Proof:
    """The proof that LS does not rise when both parameters grow by the same factor t > 1."""
    a, t = variables("a", "t")
    proof = adjacent_lemma()
    proof.says("a move", "one unit from cell j to cell i costs BC = g(a_i)·g(a_j − 1), where a_j − 1 ≥ α_j")
    text = "ta_i ≥ a_i and (ta_j − 1) − (a_j − 1) = a_j(t−1) ≥ 0"
    proof.equal("both arguments grow", text, (a * t - 1) - (a - 1), a * (t - 1))
    proof.says(
        "if x has no unit in cell j", "a_j = α_j ≤ ta_j − 1, and the reverse move of x has g(a_i − 1)·g(α_j) ≤ it"
    )
    return proof.says(
        "so", "every move of the larger posterior has a BC at least that of some move of the smaller: LS′ ≤ LS"
    )


def ratio_batches(most: int) -> Batches:
    """Yields LS of (ta, tb) against LS of (a, b), t > 1, for data sets of n < n′ ≤ most records, same prior."""

    def sides(models: list[Model]) -> Sides:
        known = [(m, x, beta(m, x), Hellinger(m).local(x)) for m in models for x in m.histograms]
        for small, x, (a, b), right in known:
            for large, y, (c, d), left in known:
                if c > a and c * b == a * d:
                    yield (small.n, x, large.n, y), left, right

    def models(point: Point) -> list[Model]:
        return [make_model(n, prior=point.prior) for n in range(1, most + 1)]

    return over(Grid(prior=RATIO_PRIORS), models, sides, ("n", "x", "n′", "x′"))


# ------------------------------------------------------------------ limits


def local_at(n: int, x: int) -> Ball:
    """A ball that contains LS((x, n−x)) for the prior (1,1), from g alone: any n is cheap."""
    a, b = 1 + x, 1 + n - x
    pairs = [g(a) * g(b - 1)] if x < n else []
    pairs += [g(a - 1) * g(b)] if x else []
    return (1 - balls.minimum(pairs)).sqrt()


@check("ls.limit.balanced", grid="for all n; listed for n = 2, 10, 100, 1000, 10000, prior (1,1)")
def limit_balanced(ctx: Context) -> Outcome:
    """LS(x) → 0 as n → ∞ for balanced x (N0, N4 proof of Theorem 4.5)."""
    a, m = variables("a", "m")
    proof = adjacent_lemma().says(
        "balanced x", "x = (m, m), n = 2m: LS(x)² = 1 − BC ≤ 1 − BC², BC² = g(α_i+m)²·g(α_j+m−1)² for some i, j"
    )
    bound = "with g(a)² ≥ a/(a+½): 1 − a/(a+½) = 1/(2a+1)"
    proof.equal("each cell", bound, (a + fmpq(1, 2) - a) * (2 * a + 1), a + fmpq(1, 2))
    proof.says("both cells", "1 − pq ≤ (1−p) + (1−q): LS(x)² ≤ 1/(2(α_i+m)+1) + 1/(2(α_j+m)−1)")
    gap = RATE * (2 * m + 3) * (2 * m + 1) - 2 * m * ((2 * m + 3) + (2 * m + 1))
    text = f"LS(x)² ≤ 1/(2m+3) + 1/(2m+1) < {RATE}/(2m), as {RATE}(2m+3)(2m+1) − 2m(4m+4) = {gap} > 0"
    proof.holds("prior (1,1)", text, coefficients_positive(gap))
    proof.says("so", "the bound falls to 0 as m grows, whatever the prior").concludes(BELOW_RATE, "<")

    def sides(at: Point) -> tuple[Ball, Fraction]:
        return local_at(at.n, at.n // 2) ** 2, Fraction(RATE, at.n)

    grid = Grid(n=[2, 10, 100, 1000, 10000], prior=[(1, 1)])
    listed = scan(BELOW_RATE, each(grid, lambda point: point, sides))
    return proof.settle(("LS(x)² < 2/n for n = 2, 10, 100, 1000, 10000", listed))


@check("ls.limit.boundary", grid="prior (1,1), x = 0, all n; listed for n = 1, 10, 100, 1000, 10000, 1000000")
def limit_boundary(ctx: Context) -> Outcome:
    """LS(0) → 0 as n → ∞ (N0, N4 proof of Theorem 4.5)."""
    proof = adjacent_lemma()
    proof.says("x = 0", "the only neighbor is 1: LS(0)² = 1 − g(1)·g(n) > 1 − g(1) for every n")
    square = local_exact(make_model(1), (1, 0)).rational
    proof.equal("g(1)² = π/4", "BC of the data sets of n = 1 is g(1)²", square, fmpq(1, 16))
    sizes = (1, 10, 100, 1000, 10000, 1000000)
    above = scan(ABOVE_LIMIT, each(Grid(n=sizes), lambda point: point, lambda at: (local_at(at.n, 0), limit())))

    def steps() -> list[Step]:
        lines = [step(f"LS(0) at n = {n}", "√(1 − g(1)·g(n))", local_at(n, 0)) for n in sizes]
        return [*lines, step("limit", "g(n) → 1, g(1) = √π/2: √(1 − √π/2)", limit())]

    where = {"prior": (1, 1), "x": 0, "n": "→ ∞"}
    outcome = scan(LIMIT_ZERO, [single(where, lambda: (limit(), balls.zero()), steps=steps)])
    return annotate(outcome, ("LS(0) > √(1 − √π/2) for every n", proof.settle(("n = 1, 10, …, 1000000", above))))


def limit() -> Ball:
    """A ball that contains lim LS(0) = √(1 − g(1)) for prior (1,1)."""
    return (1 - g(1)).sqrt()


# ------------------------------------------------------------------ ℓ₁


@check("l1.sensitivity", grid="for all n, k and priors; listed for k = 2, 3, 4, n ≤ 5 and k = 2, n = 400")
def l1_sensitivity(ctx: Context) -> Outcome:
    """Adjacent posteriors differ by at most 2 in ℓ₁, for k = 2 by at most 1 in the first cell (P1 §4.1, A3 §4.1.4)."""
    proof = Proof().says(
        "adjacent", "one record replaced: x′ = x − e_j + e_i, so α + x′ differs from α + x by −1 in j and +1 in i"
    )
    proof.cases(
        "ℓ₁",
        f"of every neighbor of x is exactly the claimed {L1_BOUND}, the counts of x being symbols",
        "k = 2…8; all counts, n and priors",
        lambda: all(sum(map(abs, move)) == L1_BOUND for k in range(2, 9) for move in moves(k)),
    )
    proof.says("any k", "k − 2 of the cells do not change and add nothing")
    proof.holds(
        "k = 2",
        f"the first cell changes by exactly the claimed {FIRST_BOUND}, the counts being symbols",
        lambda: all(abs(move[0]) == FIRST_BOUND for move in moves(2)),
    )
    proof.concludes(L1_MOST, "=").concludes(FIRST_MOST, "=")
    grid, two = Grid(n=range(1, 6), k=[2, 3, 4]) + Grid(n=[400], k=[2]), Grid(n=[*range(1, 6), 400], k=[2])
    return proof.settle(
        (f"every adjacent pair: {grid}", scan(L1_MOST, l1_batches(grid, first=False))),
        ("first cell, k = 2, n = 1…5 and 400", scan(FIRST_MOST, l1_batches(two, first=True))),
    )


def l1_batches(grid: Grid, first: bool) -> Batches:
    """Yields the ℓ₁ distance, or the difference in the first cell, of every adjacent pair."""

    def sides(model: Model) -> Sides:
        for x, y in adjacent_pairs(model):
            moved = [abs(a - b) for a, b in zip(x, y, strict=True)]
            yield (x, y), ball(moved[0] if first else sum(moved)), ball(FIRST_BOUND if first else L1_BOUND)

    return over(grid, model_at, sides, ("x", "x′"))
