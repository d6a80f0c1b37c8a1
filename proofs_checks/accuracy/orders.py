"""What the O(·) of Theorem 4.2 and Corollary 4.4.1 and one step of N4's proof of Theorem 4.5 say, and what holds.

E_Lap(x) is the least t that LSHist exceeds with probability at most γ; q = e^(−ε).
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpaudit.claims import (
    Context,
    Grid,
    Outcome,
    Point,
    Proof,
    Statement,
    Step,
    annotate,
    check,
    coefficients_positive,
    each,
    scan,
    step,
    variables,
)
from dpaudit.claims.batches import Batches
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Model
from dpaudit.studies.accuracy.bounds import e_global, lower, upper
from proofs_checks.accuracy.lemmas import QQ, interval_lemma, interval_value, symmetry_lemma
from proofs_checks.accuracy.printed import error_span
from proofs_checks.accuracy.rows import ONE, Q, laplace_interval, power, within_ls
from proofs_checks.accuracy.sides import EHD, Comparison, any_prior, balanced_x, equal, from_form
from proofs_checks.accuracy.stated import BALANCED
from proofs_checks.points import rationals

# ------------------------------------------------------------------ Theorem 4.2: O(ε), or 1/ε

BOUNDED = Statement("E_Lap(x)/(ε·LS(x)), x = (1, 1)", "<=", "C·ε")
ORDER_GRID = Grid("n = 2, x = (1, 1), prior (1, 1), γ = e^(−ε), ε = 1/(C+1)", C=[1, 10, 1000, 10**6])
PRIOR = rationals("1 1")


def smallest_eps(constant: int) -> Fraction:
    """ε = 1/(C+1), at which C does not suffice."""
    return Fraction(1, constant + 1)


def order_batches(grid: Grid) -> Batches:
    """Yields 1/ε against C·ε; that E_Lap(x) = LS(x) is decided on the level sets, by polynomials in q."""
    model = Model(2, PRIOR)

    def sides(at: Point) -> tuple[Fraction, Fraction]:
        eps = smallest_eps(at.C)
        if error_span(model, 1, eps) != within_ls(model, 1):
            raise ArithmeticError("E_Lap(x) is not LS(x)")
        return 1 / eps, at.C * eps

    def steps(at: Point) -> list[Step]:
        eps = smallest_eps(at.C)
        return [
            step("ε", "1/(C+1)", eps),
            step("Pr[H = 0]", "½(1−q) < 1 − γ = 1 − q, q = e^(−ε)", (1 - power(eps)) / 2),
            step("E_Lap(x)", "so at least the nearest other distance, and at most LS(x) (acc.4.2.error)", "LS(x)"),
            step("E_Lap(x)/(ε·LS(x))", "1/ε", 1 / eps),
        ]

    return each(grid, lambda point: point, sides, steps=steps)


def is_one_over_eps() -> Proof:
    """Proves E_Lap(x) = LS(x) for balanced data and equal prior, every n and ε, γ = e^(−ε)."""
    proof = symmetry_lemma().using(interval_lemma())
    proof.positive(
        "the exact answer alone is too little",
        "(1−q) − ½(1−q) = ½(1−q) > 0: Pr[output = x] < 1 − γ",
        ONE - Q - laplace_interval(2, 1, 1, 1),
    )
    text = "1 − ½q − ½q² − (1−q) = ½q(1−q) ≥ 0: Pr[H ≤ LS(x)] ≥ 1 − γ"
    proof.on_square("with both neighbors it is enough", text, interval_value(QQ, QQ**2) - (1 - QQ))
    return proof.says("so", "E_Lap(x) = H(x, x±1) = LS(x), and E_Lap(x)/(ε·LS(x)) = 1/ε, exactly, at every ε > 0")


@check("acc.4.2.order", grid=ORDER_GRID)
def order(context: Context) -> Outcome:
    """E_Lap/(ε·LS) is O(ε) (N0, N4 Theorem 4.2)."""
    c, e = variables("C", "e")
    no_constant = is_one_over_eps()
    gap = (c + 1) ** 2 - c
    no_constant.holds("ε = 1/(C+1)", f"1/ε > C·ε, as (C+1)² − C = {gap} > 0", coefficients_positive(gap))
    large = is_one_over_eps()
    excess = (1 + e) ** 2 - 1
    large.holds("ε = 1 + e ≥ 1", f"ε² − 1 = {excess} ≥ 0, so 1/ε ≤ ε", coefficients_positive(excess))
    return annotate(
        scan(BOUNDED, order_batches(context.grid)),
        ("balanced data, equal prior: it is 1/ε exactly, so no constant C suffices as ε → 0", no_constant),
        ("balanced data, equal prior, ε ≥ 1: at most 1·ε", large),
    )


# ------------------------------------------------------------------ Corollary 4.4.1: the ratio is < 2

RATIO = Statement("ln(2/(e^(−ε) + e^(−2ε)))/ε", "<", "2")
BINARY = replace(RATIO, left="log₂(2/(e^(−ε) + e^(−2ε)))/ε")
RATIO_GRID = Grid(eps=rationals("1 1/10 1/1000 5 64"))


def ratio_batches(grid: Grid, binary: bool = False) -> Batches:
    """Yields the bound of the corollary against 2."""

    def sides(at: Point) -> tuple[Ball, Ball]:
        value = (2 / (power(at.eps) + power(at.eps, 2))).log() / ball(at.eps)
        return (value / ball(2).log() if binary else value), ball(2)

    def steps(at: Point) -> list[Step]:
        return [step("e^(−ε) + e^(−2ε)", "", power(at.eps) + power(at.eps, 2)), step("the bound", "", sides(at)[0])]

    return each(grid, lambda point: point, sides, steps=steps)


@check("acc.4.4.1.ratio", grid=RATIO_GRID)
def ratio(context: Context) -> Outcome:
    """The bound on E_Lap/LS that Corollary 4.4.1 ends with is < 2."""
    r, d = variables("r", "d")
    proof = Proof().says("q = e^(−ε), 0 < q < 1", "ln(2/(q+q²))/ε < 2 ⇔ 2/(q+q²) < 1/q² ⇔ q + q² > 2q²")
    gap = (1 + d) - 1
    proof.equal("q + q² − 2q²", "q(1−q) > 0", QQ + QQ**2 - 2 * QQ**2, QQ * (1 - QQ))
    proof.concludes(RATIO, "<")
    sharper = Proof().says("r = √q", "(q+q²)/2 ≥ q^(3/2) = r³, so the bound is at most 3/2")
    sharper.equal("(q + q²) − 2r³", "r²(1−r)² ≥ 0", r**2 + r**4 - 2 * r**3, r**2 * (1 - r) ** 2)
    sharper.holds(
        "and above 1", f"q = 1/(1+d): 2q − (q + q²) = q²·({gap}) > 0, so q + q² < 2q", coefficients_positive(gap)
    )
    return annotate(
        proof.settle(("", scan(RATIO, ratio_batches(context.grid)))),
        ("it even lies above 1 and at most at 3/2, for every ε > 0", sharper),
        ("with lg read as log₂", scan(BINARY, ratio_batches(context.grid, binary=True))),
    )


# ------------------------------------------------------------------ N4: the step of the lower bound that takes e⁰

N4_STEP = Comparison(
    EHD,
    ">=",
    from_form("(2κ·e⁰+1)/(n·e^(−ε/(2GS₀)))", upper(e_global, 0)),
    balanced_x,
    closeness="ratio",
)
N0_STEP = replace(N4_STEP, right=from_form("(2κe^(−ε/(2GS₀))+1)/(n·e⁰)", lower(e_global, 0)))
MEANT = replace(N4_STEP, right=from_form("(2κe^(−ε/(2GS₀))+1)/((n+1)·e⁰)", lower(e_global, 1)))


@check("acc.4.5.n4-step", grid=BALANCED, uses=["acc.4.5.ehd-upper.repaired"])
def n4_step(context: Context) -> Outcome:
    """Pr[H < t] ≥ (2κe⁰+1)/(n·e^(−ε/(2GS₀))), the first step of N4's lower bound for EHD."""
    (n,) = variables("n")
    never = context.proof().uses("acc.4.5.ehd-upper.repaired", "Pr[H < t] < (2κ+1)/((n+1)·e^(−ε/(2GS₀)))")
    never.equal(
        "and n < n+1", "so Pr[H < t] < (2κ+1)/(n·e^(−ε/(2GS₀))), the printed lower bound", (n + 1) - n, 1 + 0 * n
    )
    return annotate(
        N4_STEP.run(context.grid, equal),
        ("it fails at every t, n, equal prior and ε: the printed value is an upper bound", never),
        ("N0's step, e^(−ε/(2GS₀)) above and e⁰ below, with n", N0_STEP.run(context.grid, equal)),
        ("the same with n+1, the number of candidates", MEANT.run(context.grid, any_prior)),
    )
