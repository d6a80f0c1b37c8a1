"""Definitions as they are printed, against what must be meant: the smallest case that tells the two apart.

P1 §4.1.1 scores a candidate by +H, A3 Definitions 1 and 2 have = for ≤, A3's footnote counts equal records where P1
counts different ones, A3 §4.1.2 takes both distances of LS from x′.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

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
    coefficients_positive,
    each,
    over,
    scan,
    step,
    variables,
)
from dpaudit.claims.batches import Batches
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model, neighbors
from dpaudit.posterior.sensitivity import gs_constant, local
from proofs_checks.points import model_at, priors, rationals

# ------------------------------------------------------------------ P1 §4.1.1: the sign of the score

PREFERS = Statement("Pr[z = BI(x)]", ">", "Pr[z = r]")
PRINTED, MEANT = 1, -1
"""The sign of H in the score u."""
SIGN_GRID = Grid("GS₀; every x and r ≠ x", n=range(1, 5), eps=rationals("1 1/10 8"), prior=priors("1 1", "1/2 3"))


def scored(grid: Grid, sign: int) -> Batches:
    """Yields Pr[z = BI(x)] against Pr[z = r], r ≠ x, under P(r) ∝ e^(εu/(2GS₀)) with u = sign·H."""

    def weights(at: Point, x: Histogram) -> dict[Histogram, Ball]:
        model = model_at(at)
        rate, h = ball(sign * at.eps / 2) / gs_constant(), Hellinger(model)
        found = {r: (rate * h.between(x, r)).exp() for r in model.histograms}
        whole = balls.total(list(found.values()))
        return {r: w / whole for r, w in found.items()}

    def sides(at: Point) -> Sides:
        for x in model_at(at).histograms:
            law = weights(at, x)
            for r in law:
                if r != x:
                    yield (x, r), law[x], law[r]

    def steps(at: Point, tag: tuple[Histogram, Histogram]) -> list[Step]:
        x, r = tag
        distance = Hellinger(model_at(at)).between(x, r)
        rate, power = ball(at.eps / 2) / gs_constant(), "+" if sign > 0 else "−"
        return [
            step("GS₀", "√(1−π/4)", gs_constant()),
            step("H(x,r)", f"r = {r}; H(x,x) = 0", distance),
            step("weight of BI(x)", f"e^({power}ε·0/(2GS₀))", 1),
            step("weight of r", f"e^({power}εH/(2GS₀))", (sign * rate * distance).exp()),
        ]

    return over(grid, lambda point: point, sides, ("x", "r"), steps=steps)


@check("def.score-sign", grid=SIGN_GRID)
def score_sign(ctx: Context) -> Outcome:
    """With u = +H the exponential mechanism prefers near candidates (P1 §4.1.1)."""
    h, d = variables("h", "d")
    never = Proof().says("weights e^(t·u), t = ε/(2GS) > 0", "rise with u; with u = +H they rise with the distance")
    gap = PRINTED * (h + d) - PRINTED * h
    never.holds("a farther candidate, H + d", f"has a score larger by {gap}, d > 0", coefficients_positive(gap))
    never.says("so", "BI(x), at H = 0, has the least probability of all candidates, for every n, k, prior and ε")
    return annotate(
        scan(PREFERS, scored(ctx.grid, PRINTED)),
        ("with u = +H the exact answer is the least likely of all, always", never),
        ("with u = −H, as P1 §4.2.3 and A3 §4.1.1 print it", scan(PREFERS, scored(ctx.grid, MEANT))),
    )


# ------------------------------------------------------------------ A3 Definitions 1 and 2: = for ≤

WHOLE = Statement("Pr[H(M(x)) ∈ B]", "=", "e^ε·Pr[H(M(x′)) ∈ B] + δ")
WHOLE_MEANT = Statement("Pr[H(M(x)) ∈ B]", "<=", "e^ε·Pr[H(M(x′)) ∈ B] + δ")
EQUALITY_GRID = Grid(
    "B = everything, so both probabilities are 1, for any mechanism and any adjacent x, x′",
    eps=rationals("1 1/100 8"),
    delta=rationals("0 1e-8 1/2"),
)


def whole_batches(grid: Grid) -> Batches:
    """Yields 1 against e^ε + δ."""

    def sides(at: Point) -> tuple[Ball, Ball]:
        return ball(1), ball(at.eps).exp() + ball(at.delta)

    def steps(at: Point) -> list[Step]:
        return [step("left", "Pr[H(M(x)) ∈ B], B = everything", 1), step("right", "e^ε·1 + δ", sides(at)[1])]

    return each(grid, lambda point: point, sides, steps=steps)


@check("def.dp-equality", grid=EQUALITY_GRID)
def dp_equality(ctx: Context) -> Outcome:
    """A mechanism that is (ε, δ)-DP satisfies the printed = (A3 Definitions 1 and 2)."""
    gap, delta = variables("gap", "delta")
    never = Proof().says("B = everything", "has probability 1 under every mechanism and every data set")
    difference = (1 + gap) + delta - 1
    never.holds("e^ε = 1 + gap, gap > 0", f"right − left = {difference} > 0", coefficients_positive(difference))
    never.says("so", "no mechanism at all satisfies the printed definitions for any ε > 0, δ ≥ 0")
    return annotate(
        scan(WHOLE, whole_batches(ctx.grid)),
        ("no mechanism satisfies them, at any ε > 0", never),
        ("with ≤, which is meant, the same B", scan(WHOLE_MEANT, whole_batches(ctx.grid))),
    )


# ------------------------------------------------------------------ A3 footnote 1: adjacency

SAME_PAIRS = Statement("adjacent as printed, 1 or 0", "=", "adjacent as meant, 1 or 0")
ADJACENCY_GRID = Grid("every two data sets of n records of k values, records in order", n=range(1, 4), k=[2, 3])
Records = tuple[int, ...]
Adjacent = Callable[[Records, Records], bool]


def equal_records(x: Records, y: Records) -> int:
    """Σ[xᵢ = xᵢ′]."""
    return sum(a == b for a, b in zip(x, y, strict=True))


def printed_adjacent(x: Records, y: Records) -> bool:
    """Σ[xᵢ = xᵢ′] ≤ 1, as A3's footnote prints it."""
    return equal_records(x, y) <= 1


def meant_adjacent(x: Records, y: Records) -> bool:
    """Σ[xᵢ ≠ xᵢ′] ≤ 1, as P1's footnote prints it."""
    return len(x) - equal_records(x, y) <= 1


def adjacency_batches(grid: Grid, printed: Adjacent) -> Batches:
    """Yields both answers for every two data sets."""

    def pairs(at: Point) -> list[tuple[Records, Records]]:
        sets = list(product(range(at.k), repeat=at.n))
        return list(product(sets, sets))

    def sides(at: Point) -> Sides:
        for x, y in pairs(at):
            yield (x, y), Fraction(printed(x, y)), Fraction(meant_adjacent(x, y))

    def steps(at: Point, tag: tuple[Records, Records]) -> list[Step]:
        same = equal_records(*tag)
        return [
            step("equal records", "Σ[xᵢ = xᵢ′], at most 1 as printed", same),
            step("different records", "Σ[xᵢ ≠ xᵢ′], at most 1 as meant", at.n - same),
        ]

    exactly = lambda at, tag: bool(printed(*tag) == meant_adjacent(*tag))  # noqa: E731
    return over(grid, lambda point: point, sides, ("x", "x′"), exactly, steps)


@check("def.adjacency", grid=ADJACENCY_GRID)
def adjacency(ctx: Context) -> Outcome:
    """Σ[xᵢ = xᵢ′] ≤ 1 is the adjacency that is meant (A3 footnote 1)."""
    (n,) = variables("n")
    opposite = Proof().says(
        "two data sets that differ in every record", "have Σ[xᵢ = xᵢ′] = 0 ≤ 1: adjacent as printed"
    )
    opposite.equal("and n − 0 different ones", "n > 1 for n ≥ 2: not adjacent as meant", n - 0 * n, n)
    opposite.says("a data set and itself", "have n equal records: not adjacent as printed for n ≥ 2")
    single = Grid(n=[1], k=[2, 3])
    return annotate(
        scan(SAME_PAIRS, adjacency_batches(ctx.grid, printed_adjacent)),
        ("n = 1: the two agree", scan(SAME_PAIRS, adjacency_batches(single, printed_adjacent))),
        ("for every n ≥ 2 they differ at two data sets without a common record, and at x′ = x", opposite),
    )


# ------------------------------------------------------------------ A3 §4.1.2: LS with x′ twice

LS_PRINTED = Statement("max of |H(x′,r) − H(x′,r)|", "=", "LS(x)")
LS_GRID = Grid("every data set x", n=range(1, 4), prior=priors("1 1", "1/2 3", "1 1 1"))


@check("def.ls-same-data", grid=LS_GRID)
def ls_same_data(ctx: Context) -> Outcome:
    """max |H(BI(x′),r) − H(BI(x′),r)| is LS(x) (A3 §4.1.2)."""

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        for x in model.histograms:
            yield x, balls.zero(), local(h, x)

    def steps(model: Model, x: Histogram) -> list[Step]:
        h = Hellinger(model)
        nearest = [step(f"H(x, {y})", "a neighbor x′", h.between(x, y)) for y in neighbors(x)]
        return [step("as printed", "H(x′,r) − H(x′,r)", 0), *nearest]

    (h,) = variables("h")
    never = Proof().equal("H(x′,r) − H(x′,r)", "0, whatever it is", h - h, 0 * h)
    never.says(
        "so", "as printed LS(x) = 0 for every x, and EHDL divides by 0; meant is |H(x,r) − H(x′,r)|, > 0 at r = x"
    )
    outcome = scan(LS_PRINTED, over(ctx.grid, model_at, sides, ("x",), steps=steps))
    return annotate(outcome, ("as printed it is 0 for every n, k, prior and x", never))
