"""Checks of the draft's dilation property of Laplace noise, over the worst set A.

With h the density of Lap(1), the largest Pr[z ∈ A] − e^(ε/2)·Pr[z ∈ e^λA] is the integral of the positive part of
h(z) − e^(ε/2+λ)·h(e^λz), which is positive where |z|·(e^λ − 1) > ε/2 + λ.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Step, annotate, check, scan, step, variables
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from proofs_checks.points import rationals

DILATION = Statement("sup over A of Pr[z ∈ A] − e^(ε/2)·Pr[z ∈ e^λA]", "<=", "δ/2", closeness="ratio")
EPS_MOST, DELTA_MOST = Fraction(1), Fraction(1, 10)
SMALL = Grid("λ = ±ε/(2 ln(2/δ)), worst A", eps=rationals("1 1/2 1/100"), delta=rationals("1/10 1/100 1e-8"))
DELTAS = rationals("1/2 1/10 9/10 1/100")


def log_term(delta: Fraction) -> Ball:
    """A ball that contains L = ln(2/δ)."""
    return -ball(share(delta)).log()


def share(delta: Any) -> Any:
    """δ/2 = e^(−L), of which L = ln(2/δ) is made; a number or a symbol."""
    return delta / 2


def claimed(delta: Any) -> Any:
    """The claimed bound: δ/2; a number or a symbol."""
    return delta / 2


def reach(eps: Any, length: Any) -> Any:
    """The largest |λ| of the claim: ε/(2L); balls or symbols."""
    return eps / (2 * length)


def worst_positive(eps: Fraction, lam: Ball) -> Ball:
    """The supremum over A for λ > 0: A = {|z| > z*}, z* = (ε/2+λ)/(e^λ−1), value e^(−z*)(1 − e^(−λ))."""
    z = (ball(eps / 2) + lam) / lam.expm1()
    return (-z).exp() * (1 - (-lam).exp())


def worst_negative(eps: Fraction, mu: Ball) -> Ball:
    """The supremum over A for λ = −μ < 0: A = {|z| < z₀}, z₀ = (μ−ε/2)/(1−e^(−μ)); 0 if μ ≤ ε/2."""
    gap = balls.positive_part(mu - ball(eps / 2))
    z = gap / (1 - (-mu).exp())
    return 1 - (-z).exp() - ball(eps / 2).exp() * (1 - (-z * (-mu).exp()).exp())


def batches(grid: Grid) -> Batches:
    """Yields both signs of the largest |λ| against δ/2."""

    def sides(at: Point) -> Sides:
        eps, lam = Fraction(at.eps), reach(ball(at.eps), log_term(at.delta))
        yield "λ > 0", worst_positive(eps, lam), claimed(at.delta)
        yield "λ < 0", worst_negative(eps, lam), claimed(at.delta)

    def steps(at: Point, sign: str) -> list[Step]:
        lam = reach(ball(at.eps), log_term(at.delta))
        return [step("|λ|", "ε/(2 ln(2/δ))", lam), *worst_steps(at, lam, sign)]

    return over(grid, lambda point: point, sides, ("sign",), steps=steps)


def worst_steps(at: Point, lam: Ball, sign: str) -> list[Step]:
    """The worst set for λ > 0 with its two probabilities, and δ/2."""
    if sign != "λ > 0":
        return [step("δ/2", "", claimed(at.delta))]
    z = (ball(Fraction(at.eps) / 2) + lam) / lam.expm1()
    return [
        step("worst set", "A = {|z| > z*}, z* = (ε/2 + λ)/(e^λ − 1)", z),
        step("Pr[z ∈ A]", "e^(−z*)", (-z).exp()),
        step("Pr[z ∈ e^λA]", "e^(−e^λ·z*)", (-z * lam.exp()).exp()),
        step("δ/2", "", claimed(at.delta)),
    ]


def series_fact(terms: int) -> bool:
    """Whether (1 − λ/2)·e^λ ≤ 1 + λ/2 for λ > 0 by its series: coefficients (2−m)/(2·m!) beyond the second.

    1/m! − ½/(m−1)! for the first m, one by one.
    """
    factorial, fact = 1, True
    for m in range(1, terms):
        factorial *= m
        fact = fact and Fraction(1, factorial) - Fraction(1, 2 * (factorial // m)) == Fraction(2 - m, 2 * factorial)
    return fact


def small_proof() -> Proof:
    """The proof for ε ≤ 1, δ ≤ 1/10."""
    length, lam, delta = variables("L", "lam", "delta")
    proof = Proof()
    proof.says(
        "worst set, λ > 0", "A = {|z| > z*}, z* = (ε/2+λ)/(e^λ−1): the difference is e^(−z*)(1 − e^(−λ)) < e^(−z*)"
    )
    proof.says("worst λ", "e^λ − 1 < λe^λ, so z* falls in λ: the largest λ, ε/(2L) with L = ln(2/δ), is the worst")
    proof.holds("the largest λ", "of the claim has ε = 2λL", lambda: reach(2 * lam * length, length) == lam)
    proof.says("series", "(1 − λ/2)e^λ = 1 + λ/2 − Σ over m ≥ 3 of (m−2)/(2·m!)·λ^m, so λ/(e^λ−1) ≥ 1 − λ/2")
    proof.cases("its coefficients", "1/m! − ½/(m−1)! = (2−m)/(2·m!)", "m = 1…39", lambda: series_fact(40))
    text = "z* = (L+1)·λ/(e^λ−1) ≥ (L+1)(1 − λ/2), and this is > L ⇔ λ(L+1) < 2 ⇔ ε(L+1) < 4L"
    proof.equal("z* > L", text, 2 * ((length + 1) * (1 - lam / 2) - length), 2 - lam * (length + 1))
    large = balls.decide(lambda: balls.less(ball(1), log_term(DELTA_MOST)))[0] is Verdict.PROVED
    text = f"L ≥ ln(2/δ) > 1 at δ = {DELTA_MOST}, so ε(L+1) < 2L·ε ≤ 4L at ε = {EPS_MOST}: e^(−z*) < e^(−L)"
    proof.certified(f"ε ≤ {EPS_MOST}, δ ≤ {DELTA_MOST}", text, large and EPS_MOST * 2 <= 4)
    proof.holds("e^(−L)", "is the claimed bound δ/2, δ a symbol", lambda: claimed(delta) == share(delta))
    proof.concludes(DILATION, "<=")
    text = "|λ| ≤ ε/(2L) < ε/2 for L > 1: h(z) > e^(ε/2+λ)h(e^λz) nowhere, the difference is ≤ 0"
    return proof.certified("λ < 0", text, large)


@check("dilation.laplace.small", grid="for all 0 < ε ≤ 1, 0 < δ ≤ 1/10 and |λ| ≤ ε/(2 ln(2/δ))")
def small(ctx: Context) -> Outcome:
    """Pr[z ∈ A] ≤ e^(ε/2)·Pr[z ∈ e^λA] + δ/2 for ε ≤ 1, δ ≤ 1/10 (D2 §4.1)."""
    return small_proof().settle((f"the worst set computed: {SMALL}", scan(DILATION, batches(SMALL))))


@check("dilation.laplace.any", grid=Grid("λ = ±ε/(2 ln(2/δ)), worst A", eps=range(1, 9), delta=DELTAS))
def any_epsilon(ctx: Context) -> Outcome:
    """The same for every ε > 0 and 0 < δ < 1 (D2 §4.1)."""
    words = "ε ≤ 1 and δ ≤ 1/10; for λ > 0 the proof covers every ε < 4L/(L+1), L = ln(2/δ)"
    return annotate(scan(DILATION, batches(ctx.grid)), (words, small_proof()))
