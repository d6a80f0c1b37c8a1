"""Checks on how the local sensitivity changes: with the parameters, and as n grows; and on the ℓ₁ sensitivity."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from flint import fmpq

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model, make_model, neighbours
from proofs_checks.algebra import variables
from proofs_checks.core import Batch, Sides, Statement, scan, single
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import Outcome, Step
from proofs_checks.registry import Context, check
from proofs_checks.setting_ls import local_steps
from proofs_checks.setting_tools import (
    Proof,
    adjacent_lemma,
    found,
    g,
    local_exact,
    moves,
    outward_lemma,
    positive,
    with_sanity,
)

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
HALF = Fraction(1, 2)
MONOTONE_PRIORS = ((1, 1), (HALF, HALF), (2, 2), (HALF, 1), (1, 2), (1, Fraction(3, 2)))
WHOLE_DIFFERENCE = ((1, 1), (HALF, HALF), (1, 2), (1, 3), (HALF, Fraction(5, 2)))
RATIO_PRIORS = ((1, 1), (1, 2), (HALF, 1), (HALF, HALF))


def parameters(model: Model, x: Histogram) -> tuple[Fraction, Fraction]:
    """Returns the two Beta parameters of BI(x)."""
    return model.prior[0] + x[0], model.prior[1] + x[1]


@check(
    "ls.monotone",
    grid=Grid("every two data sets", n=range(1, 9), prior=MONOTONE_PRIORS),
    wide=Grid("every two data sets", n=range(1, 31), prior=MONOTONE_PRIORS),
    weight=2,
)
def ls_monotone(ctx: Context) -> Outcome:
    """LS does not rise as the Beta parameters come closer (fixed sum) or grow (fixed ratio) (P1 §5.4.2)."""
    whole = Grid(n=range(1, 13), prior=WHOLE_DIFFERENCE)
    proof = Proof()
    adjacent_lemma(proof)
    outward_lemma(proof)
    proof.cites("pairs", "BC of a pair depends on |a − b| at its middle alone and falls with it; x has |a−b| ± 1")
    proof.cites("α₁ − α₂ whole", "a − b keeps its parity, so |a_x−b_x| < |a_y−b_y| means ≤ |a_y−b_y| − 2")
    proof.cites("so", "the inner pair of y, which exists, lies at |a_y−b_y| − 1 ≥ |a_x−b_x| + 1: LS(x) ≤ LS(y)")
    close = with_sanity(proof.outcome(), scan(CLOSER, closer_batches(whole)), str(whole))
    ratio = with_sanity(ratio_proof().outcome(), scan(LARGER, ratio_batches(12)), "same prior, n < n′ ≤ 12")
    outcome = scan(CLOSER, closer_batches(ctx.grid))
    first, second = "closer, prior (1,1) or any with α₁ − α₂ whole", "larger at a fixed ratio, every prior"
    words = f"{found(first, close)}; {found(second, ratio)}"
    return outcome.having(words, [close.part(first), ratio.part(second)])


def closer_batches(grid: Grid) -> Iterator[Batch]:
    """Yields LS(x) against LS(y) for all x, y with |a_x − b_x| < |a_y − b_y|; ties are decided on BC²."""
    for point in grid:
        model = make_model(point.n, prior=point.prior)

        def sides(model: Model = model) -> Sides:
            h = Hellinger(model)
            local = {x: h.local(x) for x in model.histograms}
            gap = {x: abs(parameters(model, x)[0] - parameters(model, x)[1]) for x in model.histograms}
            for x in model.histograms:
                for y in model.histograms:
                    if gap[x] < gap[y]:
                        yield (x, y), local[x], local[y]

        def tie(tag: tuple[Histogram, Histogram], model: Model = model) -> bool:
            return local_exact(model, tag[0]) == local_exact(model, tag[1])

        def steps(tag: tuple[Histogram, Histogram], model: Model = model) -> list[Step]:
            lines = [step(f"{name}", "Beta parameters", _beta(model, x)) for name, x in zip("xy", tag, strict=True)]
            return [*lines, *local_steps(model, tag[0], "x"), *local_steps(model, tag[1], "y")]

        yield Batch({"n": point.n, "prior": point.prior}, sides, ("x", "y"), tie, steps)


def _beta(model: Model, x: Histogram) -> str:
    a, b = parameters(model, x)
    return f"({a}, {b}), |a − b| = {abs(a - b)}"


def ratio_proof() -> Proof:
    """Returns the proof that LS does not rise when both parameters grow by the same factor t > 1."""
    a, t = variables("a", "t")
    proof = Proof()
    adjacent_lemma(proof)
    proof.cites("a move", "one unit from cell j to cell i costs BC = g(a_i)·g(a_j − 1), where a_j − 1 ≥ α_j")
    fact = (a * t - 1) - (a - 1) == a * (t - 1)
    proof.holds("both arguments grow", "ta_i ≥ a_i and (ta_j − 1) − (a_j − 1) = a_j(t−1) ≥ 0", fact)
    proof.cites(
        "if x has no unit in cell j", "a_j = α_j ≤ ta_j − 1, and the reverse move of x has g(a_i − 1)·g(α_j) ≤ it"
    )
    proof.cites("so", "every move of the larger posterior has a BC at least that of some move of the smaller: LS′ ≤ LS")
    return proof


def ratio_batches(most: int) -> Iterator[Batch]:
    """Yields LS of (ta, tb) against LS of (a, b), t > 1, for data sets of n < n′ ≤ most records, same prior."""
    for prior in RATIO_PRIORS:
        models = [make_model(n, prior=prior) for n in range(1, most + 1)]

        def sides(models: list[Model] = models) -> Sides:
            known = [(m, x, parameters(m, x), Hellinger(m).local(x)) for m in models for x in m.histograms]
            for small, x, (a, b), right in known:
                for large, y, (c, d), left in known:
                    if c > a and c * b == a * d:
                        yield (small.n, x, large.n, y), left, right

        yield Batch({"prior": prior}, sides, ("n", "x", "n′", "x′"))


# ------------------------------------------------------------------ limits


def row(n: int, x: int, prior: tuple[Fraction | int, Fraction | int] = (1, 1)) -> Ball:
    """Returns a ball that contains LS((x, n−x)) for k = 2, from g alone: any n is cheap."""
    a, b = Fraction(prior[0]) + x, Fraction(prior[1]) + n - x
    pairs = [g(a) * g(b - 1)] if x < n else []
    pairs += [g(a - 1) * g(b)] if x else []
    return (1 - balls.minimum(pairs)).sqrt()


@check("ls.limit.balanced", grid="for all n; listed for n = 2, 10, 100, 1000, 10000, prior (1,1)")
def limit_balanced(ctx: Context) -> Outcome:
    """LS(x) → 0 as n → ∞ for balanced x (N0, N4 proof of Theorem 4.5)."""
    a, m = variables("a", "m")
    proof = Proof()
    adjacent_lemma(proof)
    proof.cites(
        "balanced x", "x = (m, m), n = 2m: LS(x)² = 1 − BC ≤ 1 − BC², BC² = g(α_i+m)²·g(α_j+m−1)² for some i, j"
    )
    bound = "with g(a)² ≥ a/(a+½): 1 − a/(a+½) = 1/(2a+1)"
    proof.holds("each cell", bound, (a + fmpq(1, 2) - a) * (2 * a + 1) == a + fmpq(1, 2))
    proof.cites("both cells", "1 − pq ≤ (1−p) + (1−q): LS(x)² ≤ 1/(2(α_i+m)+1) + 1/(2(α_j+m)−1)")
    rate = (2 * m + 3) + (2 * m + 1), (2 * m + 3) * (2 * m + 1)
    gap = RATE * rate[1] - 2 * m * rate[0]
    text = f"LS(x)² ≤ 1/(2m+3) + 1/(2m+1) < {RATE}/(2m), as {RATE}(2m+3)(2m+1) − 2m(4m+4) = {gap} > 0"
    proof.holds("prior (1,1)", text, positive(gap))
    proof.cites("so", "the bound falls to 0 as m grows, whatever the prior")
    proof.concludes(BELOW_RATE, "<")
    sizes = (2, 10, 100, 1000, 10000)
    known = [single({"n": n, "prior": (1, 1)}, partial(below_rate, n)) for n in sizes]
    return with_sanity(proof.outcome(), scan(BELOW_RATE, known), "LS(x)² < 2/n for n = 2, 10, 100, 1000, 10000")


@check("ls.limit.boundary", grid="prior (1,1), x = 0, all n; listed for n = 1, 10, 100, 1000, 10000, 1000000")
def limit_boundary(ctx: Context) -> Outcome:
    """LS(0) → 0 as n → ∞ (N0, N4 proof of Theorem 4.5)."""
    proof = Proof()
    adjacent_lemma(proof)
    proof.cites("x = 0", "the only neighbour is 1: LS(0)² = 1 − g(1)·g(n) > 1 − g(1) for every n")
    square = make_model(1)
    proof.holds(
        "g(1)² = π/4", "BC of the data sets of n = 1 is g(1)²", local_exact(square, (1, 0)).rational == fmpq(1, 16)
    )
    sizes = (1, 10, 100, 1000, 10000, 1000000)
    above = scan(ABOVE_LIMIT, [single({"n": n}, partial(above_limit, n)) for n in sizes])
    never = with_sanity(proof.outcome(), above, "n = 1, 10, …, 1000000")

    def steps() -> list[Step]:
        lines = [step(f"LS(0) at n = {n}", "√(1 − g(1)·g(n))", row(n, 0)) for n in sizes]
        return [*lines, step("limit", "g(n) → 1, g(1) = √π/2: √(1 − √π/2)", limit())]

    where = {"prior": (1, 1), "x": 0, "n": "→ ∞"}
    words = "LS(0) > √(1 − √π/2) for every n"
    outcome = scan(LIMIT_ZERO, [single(where, lambda: (limit(), balls.zero()), steps=steps)])
    return outcome.having(found(words, never), [never.part(words)])


def below_rate(n: int) -> tuple[Ball, Ball]:
    """Returns LS(x)² at the balanced x, and 2/n."""
    return row(n, n // 2) ** 2, ball(Fraction(RATE, n))


def above_limit(n: int) -> tuple[Ball, Ball]:
    """Returns LS(0) at n, and its limit."""
    return row(n, 0), limit()


def limit() -> Ball:
    """Returns a ball that contains lim LS(0) = √(1 − g(1)) for prior (1,1)."""
    return (1 - g(1)).sqrt()


# ------------------------------------------------------------------ ℓ₁


@check("l1.sensitivity", grid="for all n, k and priors; listed for k = 2, 3, 4, n ≤ 5 and k = 2, n = 400")
def l1_sensitivity(ctx: Context) -> Outcome:
    """Adjacent posteriors differ by at most 2 in ℓ₁, for k = 2 by at most 1 in the first cell (P1 §4.1, A3 §4.1.4)."""
    proof = Proof()
    proof.cites(
        "adjacent", "one record replaced: x′ = x − e_j + e_i, so α + x′ differs from α + x by −1 in j and +1 in i"
    )
    text = f"of every neighbour of x is exactly the claimed {L1_BOUND}, the counts of x being symbols"
    proof.cases(
        "ℓ₁",
        text,
        "k = 2…8; all counts, n and priors",
        lambda: all(sum(map(abs, move)) == L1_BOUND for k in range(2, 9) for move in moves(k)),
    )
    proof.cites("any k", "k − 2 of the cells do not change and add nothing")
    proof.holds(
        "k = 2",
        f"the first cell changes by exactly the claimed {FIRST_BOUND}, the counts being symbols",
        lambda: all(abs(move[0]) == FIRST_BOUND for move in moves(2)),
    )
    proof.concludes(L1_MOST, "=")
    proof.concludes(FIRST_MOST, "=")
    grid = Grid(n=range(1, 6), k=[2, 3, 4]) + Grid(n=[400], k=[2])
    both = (
        scan(L1_MOST, l1_batches(grid, first=False)),
        scan(FIRST_MOST, l1_batches(Grid(n=[*range(1, 6), 400], k=[2]), first=True)),
    )
    outcome = with_sanity(proof.outcome(), both[0], f"every adjacent pair: {grid}")
    return with_sanity(outcome, both[1], "first cell, k = 2, n = 1…5 and 400")


def l1_batches(grid: Grid, first: bool) -> Iterator[Batch]:
    """Yields the ℓ₁ distance, or the difference in the first cell, of every adjacent pair."""
    for point in grid:
        model = make_model(point.n, point.k)

        def sides(model: Model = model) -> Sides:
            for x in model.histograms:
                for y in neighbours(x):
                    moved = [abs(a - b) for a, b in zip(x, y, strict=True)]
                    yield (x, y), ball(moved[0] if first else sum(moved)), ball(FIRST_BOUND if first else L1_BOUND)

        yield Batch({"n": point.n, "k": point.k}, sides, ("x", "x′"))
