"""P1's example of candidates one step away, D2's induction step, and the bounds on total variation."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import fmpq

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
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.divergences import DIVERGENCES
from dpaudit.posterior.model import Histogram, Model, make_model
from proofs_checks.points import model_at, priors
from proofs_checks.setting.lemmas import g, outward_lemma

# ------------------------------------------------------------------ P1 §5.4.1: one step from DL(5,5,5)

ONE_STEP = Statement("steps from DL(5,5,5), ½‖·‖₁", "=", "1")
CENTRE = (5, 5, 5)
PRINTED_STEPS = ((4, 5, 3), (4, 3, 5), (5, 4, 3), (5, 3, 4), (3, 5, 4), (5, 5, 5))
"""The six parameters that P1 prints."""
MEANT_STEPS = ((4, 5, 6), (4, 6, 5), (5, 4, 6), (5, 6, 4), (6, 5, 4), (6, 4, 5))
"""One unit moved from a cell to another."""


def step_batches(grid: Grid) -> Batches:
    """Yields half the ℓ₁ distance from (5,5,5) against 1."""

    def sides(at: Point) -> tuple[Fraction, Fraction]:
        return Fraction(sum(abs(a - b) for a, b in zip(at.DL, CENTRE, strict=True)), 2), Fraction(1)

    def steps(at: Point) -> list[Step]:
        words = "a candidate has the total of DL(5,5,5), 15"
        return [step("total", words, sum(at.DL)), step("½‖·‖₁", "", sides(at)[0])]

    return each(grid, lambda point: point, sides, lambda at: sides(at)[0] == 1, steps)


@check("near.one-step", grid=Grid("the six that P1 prints", DL=PRINTED_STEPS))
def one_step(ctx: Context) -> Outcome:
    """DL(4,5,3), …, DL(5,5,5) are one step from DL(5,5,5) (P1 §5.4.1)."""
    model, centre = make_model(12, prior=(1, 1, 1)), (4, 4, 4)
    same = {bc_squared(model, centre, tuple(cell - 1 for cell in at)) for at in MEANT_STEPS}
    meant = Proof().cases("BC² from DL(5,5,5)", "is the same for all six", "the six, exactly", lambda: len(same) == 1)
    totals = ", ".join(str(sum(at)) for at in PRINTED_STEPS)
    words = f"totals {totals}: the first five are no candidates, the sixth is the answer itself, 0 steps away"
    return annotate(
        scan(ONE_STEP, step_batches(ctx.grid)).having(words),
        ("DL(4,5,6) and its permutations, which are meant", scan(ONE_STEP, step_batches(Grid(DL=MEANT_STEPS)))),
        meant.on_cases("and these six have the same H from DL(5,5,5)"),
    )


# ------------------------------------------------------------------ D2 I: the induction step

AGAIN = Statement("A_(m+1)/A_(m+2), A_m = BC(x₀+m, x₀+m+1)", ">=", "A_m/A_(m+1)")
FACTOR = Statement("the printed factor of the left side", "=", "A_m/A_(m+1)")
INDUCTION = Grid("prior (1,1), n even; every m with x₀+m+3 ≤ n", n=[*range(6, 31, 2), 300])


def bc_at(n: int, m: int) -> Ball:
    """A ball that contains A_m = BC(x₀+m, x₀+m+1), x₀ = n/2, prior (1,1)."""
    return g(n // 2 + m + 1) * g(Fraction(n // 2 - m))


def ratio(n: int, m: int) -> Ball:
    """A ball that contains A_m/A_(m+1)."""
    return bc_at(n, m) / bc_at(n, m + 1)


def printed_factor(n: int, m: int) -> Ball:
    """((n−2m−1)/(n+2m+3)) / √((n−2m)/(n+2m+2)), the factor that D2 prints on the left."""
    return ball(Fraction(n - 2 * m - 1, n + 2 * m + 3)) / ball(Fraction(n - 2 * m, n + 2 * m + 2)).sqrt()


def induction_batches(grid: Grid, left: Callable[[int, int], Ball], right: Callable[[int, int], Ball]) -> Batches:
    """Yields both sides for every m of the induction."""

    def sides(n: int) -> Sides:
        for m in range(n // 2 - 2):
            yield m, left(n, m), right(n, m)

    def steps(n: int, m: int) -> list[Step]:
        return [
            step(f"A_{i}", f"BC({n // 2 + i}, {n // 2 + i + 1}) at n = {n}", bc_at(n, i)) for i in (m, m + 1, m + 2)
        ]

    return over(grid, lambda point: point.n, sides, ("m",), steps=steps)


@check("ls.statement-1.induction", grid=INDUCTION)
def induction(ctx: Context) -> Outcome:
    """From A_m > A_(m+1) follows A_(m+1) > A_(m+2): D2's step m → m+1 of Statement I."""
    a, b = variables("a", "b")
    proof = outward_lemma().says(
        "a = n/2+m+1, b = n/2−m+1",
        "(A_m/A_(m+1))² = [(b−3/2)²/((b−1)(b−2))]·[a(a+1)/(a+½)²], by Γ(z+1) = zΓ(z)",
    )
    half, quarter = fmpq(1, 2), fmpq(1, 4)
    proof.equal(
        "first bracket",
        "1 + ¼/((b−1)(b−2)): it rises as b falls, b > 2",
        (b - 3 * half) ** 2 - (b - 1) * (b - 2),
        quarter + 0 * b,
    )
    proof.equal("second bracket", "1 − ¼/(a+½)²: it rises with a", (a + half) ** 2 - a * (a + 1), quarter + 0 * a)
    rising = (b - 1) * (b - 2) - (b - 2) * (b - 3)
    proof.equal("m → m+1", "a → a+1, b → b−1: (b−1)(b−2) − (b−2)(b−3) = 2(b−2) ≥ 0", rising, 2 * (b - 2))
    proof.says("so", "A_(m+1)/A_(m+2) ≥ A_m/A_(m+1) > 1: the step holds, for every even n and m with x₀+m+3 ≤ n")
    proof.concludes(AGAIN, ">=")
    listed = scan(AGAIN, induction_batches(ctx.grid, lambda n, m: ratio(n, m + 1), ratio))
    printed = scan(FACTOR, induction_batches(Grid(n=range(6, 13, 2)), printed_factor, ratio))
    settled = proof.settle(("", listed))
    words = "D2 writes down neither the two ratios nor that they rise"
    return annotate(
        settled.having("; ".join(filter(None, (settled.finding, words)))),
        ("the printed factor ((n−2m−1)/(n+2m+3))/√((n−2m)/(n+2m+2)) is that ratio", printed),
    )


# ------------------------------------------------------------------ P1, A3 §3: Hellinger and total variation

BELOW = Statement("H(x,r)²", "<=", "TV(x,r)")
ABOVE = Statement("TV(x,r)", "<=", "√2·H(x,r)")
TV_GRID = Grid("k = 2, every x ≠ r", n=range(1, 5), prior=priors("1 1", "1/2 1/2", "2 1/3", "10 1/10"))


def tv_batches(grid: Grid, lower: bool) -> Batches:
    """Yields H² against TV, or TV against √2·H, for every two candidates."""

    def sides(model: Model) -> Sides:
        h, tv = Hellinger(model), DIVERGENCES["tv"](model)
        for x in model.histograms:
            for r in model.histograms:
                if x < r:
                    distance, total = h.between(x, r), tv.between(x, r)
                    yield (x, r), *((distance**2, total) if lower else (total, ball(2).sqrt() * distance))

    def steps(model: Model, tag: tuple[Histogram, Histogram]) -> list[Step]:
        h, tv = Hellinger(model), DIVERGENCES["tv"](model)
        return [step("H(x,r)", "", h.between(*tag)), step("TV(x,r)", "½∫|f − g|", tv.between(*tag))]

    return over(grid, model_at, sides, ("x", "r"), steps=steps)


def tv_proof() -> Proof:
    """Proves H² ≤ TV ≤ H√(2−H²) ≤ √2·H for any two densities."""
    t, d, h = variables("t", "d", "h")
    s = t + d
    proof = Proof().says(
        "densities f, g; s = √f, t = √g", "2H² = ∫(s−t)², 2TV = ∫|s²−t²|, ∫s² = ∫t² = 1; say s = t + d, d ≥ 0"
    )
    gap = (s**2 - t**2) - (s - t) ** 2
    fact = coefficients_positive(gap)
    proof.holds("pointwise", f"|s²−t²| − (s−t)² = {gap} ≥ 0 for t, d ≥ 0; integrated: TV ≥ H²", fact)
    proof.knows("Cauchy and Schwarz", "∫|s−t|(s+t) ≤ √∫(s−t)²·√∫(s+t)²")
    sums = (s + t) ** 2 + (s - t) ** 2 - 2 * s**2 - 2 * t**2
    proof.equal("∫(s+t)² = 4 − 2H²", "(s+t)² + (s−t)² = 2s² + 2t²", sums, 0 * s)
    proof.equal("so (2TV)² ≤ 2H²(4−2H²)", "which is 8H² − 4H⁴ ≤ 8H²", 2 * h**2 * (4 - 2 * h**2) - 8 * h**2, -4 * h**4)
    return proof.says("so", "TV ≤ √2·H, for densities of any Beta or Dirichlet distributions, any k")


@check("hellinger.tv", grid=TV_GRID.wider(n=range(1, 9)))
def hellinger_tv(ctx: Context) -> Outcome:
    """H² ≤ TV ≤ √2·H for Beta and Dirichlet posteriors (P1, A3 §3)."""
    proof = tv_proof().concludes(BELOW, "<=").concludes(ABOVE, "<=")
    lower, upper = (scan(statement, tv_batches(ctx.grid, way)) for statement, way in ((BELOW, True), (ABOVE, False)))
    return proof.settle((f"H² ≤ TV: {ctx.grid}", lower), (f"TV ≤ √2·H: {ctx.grid}", upper))
