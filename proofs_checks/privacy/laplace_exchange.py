"""Three more statements of the draft on Laplace noise: ln(3/δ), the exchange of h and h′, and case 1's last line.

h is the density of Lap(1), h′(z) = e^λ·h(e^λz), λ = −μ < 0: ln h − ln h′ = μ − |z|(1 − e^(−μ)).
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Step, annotate, check, each, scan, step, variables
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.numbers.balls import Ball, ball
from proofs_checks.points import rationals
from proofs_checks.privacy.laplace_dilation import (
    DELTA_MOST,
    DELTAS,
    DILATION,
    EPS_MOST,
    SMALL,
    claimed,
    reach,
    worst_negative,
    worst_positive,
    worst_steps,
)

PARTS = 3
"""ρ_(δ/3)(|z|) = ln(3/δ): Pr[|z| > ρ] = δ/3."""


def length(parts: int, delta: Fraction) -> Ball:
    """A ball that contains ln(parts/δ)."""
    return ball(parts / delta).log()


def third_batches(grid: Grid) -> Batches:
    """Yields both signs of the largest |λ| = ε/(2 ln(3/δ)), over the worst set, against δ/2."""

    def sides(at: Point) -> Sides:
        eps, lam = Fraction(at.eps), reach(ball(at.eps), length(PARTS, at.delta))
        yield "λ > 0", worst_positive(eps, lam), claimed(at.delta)
        yield "λ < 0", worst_negative(eps, lam), claimed(at.delta)

    def steps(at: Point, sign: str) -> list[Step]:
        lam = reach(ball(at.eps), length(PARTS, at.delta))
        return [step("|λ|", "ε/(2 ln(3/δ))", lam), *worst_steps(at, lam, sign)]

    return over(grid, lambda point: point, sides, ("sign",), steps=steps)


@check(
    "dilation.laplace.third",
    grid=Grid("λ = ±ε/(2 ln(3/δ)), worst A", eps=range(1, 9), delta=DELTAS),
    uses=["dilation.laplace.small"],
)
def third(ctx: Context) -> Outcome:
    """The dilation property with ln(3/δ), every ε > 0 and 0 < δ < 1 (D2 §4.1)."""
    proof = ctx.proof().less(
        "a smaller |λ|",
        "ln(2/δ) < ln(3/δ), so every |λ| ≤ ε/(2 ln(3/δ)) is one of |λ| ≤ ε/(2 ln(2/δ))",
        lambda: ball(2).log(),
        lambda: ball(PARTS).log(),
    )
    proof.uses("dilation.laplace.small", f"so it holds for ε ≤ {EPS_MOST} and δ ≤ {DELTA_MOST}")
    small = proof.concludes(DILATION, "<=").settle(("", scan(DILATION, third_batches(SMALL))))
    return annotate(scan(DILATION, third_batches(ctx.grid)), (f"ε ≤ {EPS_MOST} and δ ≤ {DELTA_MOST}", small))


# ------------------------------------------------------------------ the exchange

EXCHANGED = Statement("ln 2h(z)", "<=", "|z||λ| + ln 2h′(z)")
GIVEN = Statement("ln 2h′(z)", "<=", "|z||λ| + ln 2h(z)")
EXCHANGE_GRID = Grid(z=rationals("0 1/4 1 3"), lam=rationals("-1 -1/10 -3"))


def log_dilated(size: Any, lam: Any, factor: Any) -> Any:
    """ln h′(z) without its ln ½: λ − e^λ|z|, from |z|, λ and e^λ; balls or symbols."""
    return lam - factor * size


def logs(z: Fraction, lam: Fraction) -> tuple[Ball, Ball]:
    """Balls that contain ln h(z) and ln h′(z), each without the common ln ½."""
    return ball(-abs(z)), log_dilated(ball(abs(z)), ball(lam), ball(lam).exp())


def exchange_batches(grid: Grid, exchanged: bool) -> Batches:
    """Yields the inequality, or the exchanged one, at every z; at z = 0 both sides are rational."""

    def sides(at: Point, sign: int) -> tuple[Ball, Ball]:
        low, high = logs(at.z, at.lam)[::sign]
        return low, ball(abs(at.z * at.lam)) + high

    def steps(at: Point) -> list[Step]:
        low, high = logs(at.z, at.lam)
        return [step("ln h + ln 2", "−|z|", low), step("ln h′ + ln 2", "λ − e^λ|z|", high)]

    return each(grid, lambda point: point, partial(sides, sign=1 if exchanged else -1), steps=steps)


@check("dilation.laplace.exchange", grid=EXCHANGE_GRID)
def exchange(ctx: Context) -> Outcome:
    """h(z) ≤ e^(|z||λ|)·h′(z) for λ < 0, "by exchanging the notation" (D2 §4.1)."""
    never = Proof().says(
        "z near 0", "ln h − ln h′ = μ − |z|(1 − e^(−μ)), and the claim is that it is ≤ |z|μ, μ = −λ > 0"
    )
    mu, factor = variables("mu", "factor")
    text = "ln h = 0 and |z||λ| + ln h′ = −μ < 0: it fails for every λ < 0, whatever e^λ is"
    never.equal("at z = 0", text, log_dilated(0 * mu, -mu, factor), -mu)
    return annotate(
        scan(EXCHANGED, exchange_batches(ctx.grid, True)),
        ("before the exchange: h′ ≤ e^(|z||λ|)·h", scan(GIVEN, exchange_batches(ctx.grid, False))),
        ("it fails at z = 0 for every λ < 0", never),
    )


# ------------------------------------------------------------------ case 1: the last line

CASE_1 = Statement("Pr[z ∈ e^λS]/Pr[z ∈ S]", "<=", "ε/2")
WITH_E = Statement("Pr[z ∈ e^λS]/Pr[z ∈ S]", "<=", "e^(ε/2)")
NEEDED = Statement("Pr[z ∈ S]/Pr[z ∈ e^λS]", "<=", "e^(ε/2)")
CASE_1_GRID = Grid(
    "λ = ε/(2 ln(3/δ)), S = {|z| > m}; m = 0 is the whole line",
    eps=rationals("1 1/10 8"),
    delta=rationals("1/10 1e-8"),
    m=[0, 1, 100],
)


def stretched(at: Point) -> tuple[Ball, Ball]:
    """Pr[z ∈ S] and Pr[z ∈ e^λS] of S = {|z| > m}: e^(−m) and e^(−e^λ·m)."""
    lam = reach(ball(at.eps), length(PARTS, at.delta))
    return ball(-at.m).exp(), (-lam.exp() * at.m).exp()


def case_1_batches(grid: Grid, kind: Statement) -> Batches:
    """Yields the ratio of the two probabilities, the right way round for the statement, against its bound."""

    def sides(at: Point) -> tuple[Ball, Ball]:
        here, there = stretched(at)
        bound = ball(at.eps / 2) if kind is CASE_1 else ball(at.eps / 2).exp()
        return (here / there if kind is NEEDED else there / here), bound

    def steps(at: Point) -> list[Step]:
        here, there = stretched(at)
        return [
            step("λ", "ε/(2 ln(3/δ))", reach(ball(at.eps), length(PARTS, at.delta))),
            step("Pr[z ∈ S]", "e^(−m)", here),
            step("Pr[z ∈ e^λS]", "e^(−e^λ·m)", there),
        ]

    return each(grid, lambda point: point, sides, steps=steps)


@check("dilation.laplace.case-1", grid=CASE_1_GRID)
def case_1(ctx: Context) -> Outcome:
    """Pr[z ∈ e^λS]/Pr[z ∈ S] ≤ ε/2 for 0 < λ ≤ ε/(2 ln(3/δ)) (D2 §4.1, case 1)."""
    size, lam, extra = variables("size", "lam", "extra")
    proof = Proof().says("pointwise, λ > 0", "e^λh(e^λz) = e^λ·½e^(−e^λ|z|), and e^λ = 1 + extra, extra > 0")
    exponent = log_dilated(size, lam, 1 + extra) - (-size)
    proof.equal("ln of the ratio e^λh(e^λz)/h(z)", "λ − extra·|z| ≤ λ", exponent, lam - extra * size)
    proof.less("λ ≤ ε/(2 ln(3/δ)) < ε/2", "ln(3/δ) > ln 3 > 1 for δ < 1", lambda: ball(1), lambda: ball(PARTS).log())
    proof.concludes(WITH_E, "<=")
    listed = scan(WITH_E, case_1_batches(ctx.grid, WITH_E))
    return annotate(
        scan(CASE_1, case_1_batches(ctx.grid, CASE_1)),
        ("with e^(ε/2) for ε/2, which is meant", proof.settle(("", listed))),
        (
            "what the property needs, the inverse ratio ≤ e^(ε/2) for every S",
            scan(NEEDED, case_1_batches(ctx.grid, NEEDED)),
        ),
    )
