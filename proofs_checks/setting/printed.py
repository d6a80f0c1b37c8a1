"""Checks on two sentences as printed: the Beta density, and the ℓ₁ sensitivity "proportional to the dimension"."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from dpaudit.claims import (
    Context,
    Grid,
    Outcome,
    Point,
    Proof,
    Step,
    annotate,
    check,
    coefficients_positive,
    each,
    scan,
    step,
    variables,
)
from dpaudit.claims.batches import Batches, Statement
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import make_model
from proofs_checks.points import Prior, adjacent_pairs, priors
from proofs_checks.setting.lemmas import moves

ONE = Statement("∫ of the printed density", "=", "1")
PROPORTIONAL = Statement("ΔBI(k)", "=", "(k/2)·ΔBI(2)")
PRINTED, USUAL = 1, 0
"""The exponents are α − 1 + m and β − 1 + m: m = 1 as printed, m = 0 in the Beta density."""
DENSITY_PRIORS = priors("1 1", "1/2 1/2", "2 3", "1/10 10")


def beta(a: Fraction, b: Fraction) -> Ball:
    """A ball that contains B(a, b)."""
    return ball(a).gamma() * ball(b).gamma() / ball(a + b).gamma()


def rising(a: Fraction, m: int) -> Fraction:
    """(a)_m = a(a+1)…(a+m−1) = Γ(a+m)/Γ(a)."""
    return prod((a + i for i in range(m)), start=Fraction(1))


def integral(prior: Prior, m: int) -> Fraction:
    """B(α+m, β+m)/B(α, β) = (α)_m·(β)_m/(α+β)_2m, the integral with those exponents."""
    a, b = prior
    return rising(a, m) * rising(b, m) / rising(a + b, 2 * m)


def density_batches(grid: Grid, m: int) -> Batches:
    """Yields the integral against 1: as a quotient of two Beta functions; equality is decided on the rational."""

    def sides(prior: Prior) -> tuple[Ball, Ball]:
        a, b = prior
        return beta(a + m, b + m) / beta(a, b), ball(1)

    def steps(prior: Prior) -> list[Step]:
        return [step("exactly", "B(α+1, β+1)/B(α, β) = αβ/((α+β)(α+β+1))", str(integral(prior, m)))]

    return each(grid, lambda point: point.prior, sides, lambda prior: integral(prior, m) == 1, steps)


@check("prior.beta-density", grid=Grid(prior=DENSITY_PRIORS))
def beta_density(ctx: Context) -> Outcome:
    """θ^α(1−θ)^β/B(α,β) integrates to 1 (P1, A3 §2)."""
    a, b = variables("a", "b")
    never = Proof().says("integral", "B(α+1, β+1)/B(α, β) = αβ/((α+β)(α+β+1)) by Γ(z+1) = zΓ(z)")
    gap = (a + b) * (a + b + 1) - a * b
    never.holds("denominator − numerator", f"{gap} > 0", coefficients_positive(gap), "no negative coefficient")
    return annotate(
        scan(ONE, density_batches(ctx.grid, PRINTED)),
        ("it is below 1 for every α, β > 0", never),
        ("with exponents α−1 and β−1", scan(ONE, density_batches(ctx.grid, USUAL))),
    )


DIMENSIONS = Grid("every adjacent pair", n=range(1, 4), k=range(2, 7))


def largest_change(n: int, k: int) -> int:
    """ΔBI: the largest ℓ₁ distance of the parameters of adjacent posteriors."""
    pairs = adjacent_pairs(make_model(n, k))
    return max(sum(abs(a - b) for a, b in zip(x, y, strict=True)) for x, y in pairs)


@check("l1.proportional", grid=DIMENSIONS, uses=["l1.sensitivity"])
def proportional(ctx: Context) -> Outcome:
    """ΔBI is proportional to the dimension (A3 §4.1.3)."""

    def sides(at: Point) -> tuple[Ball, Ball]:
        return ball(largest_change(at.n, at.k)), ball(Fraction(at.k, 2) * largest_change(at.n, 2))

    constant = ctx.proof().uses("l1.sensitivity", "x′ = x − e_j + e_i: two cells change by 1 each, for every k")
    text = "‖x − x′‖₁ = 2, the counts of x being symbols"
    constant.holds("k = 2", text, lambda: all(sum(map(abs, move)) == 2 for move in moves(2)))
    constant.says("so", "ΔBI(k) = ΔBI(2) = 2, which is (k/2)·ΔBI(2) at k = 2 alone")

    def steps(at: Point) -> list[Step]:
        x, y = next(iter(adjacent_pairs(make_model(at.n, at.k))))
        words = f"‖x − x′‖₁, x = {x}, x′ = {y}: two cells change by 1"
        return [step(f"ΔBI({at.k})", words, largest_change(at.n, at.k)), step("ΔBI(2)", "", largest_change(at.n, 2))]

    outcome = scan(PROPORTIONAL, each(ctx.grid, lambda point: point, sides, steps=steps))
    return annotate(outcome, ("ΔBI = 2 for every k, n and prior: a constant", constant))
