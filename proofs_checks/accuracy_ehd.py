"""Theorem 4.5 of N0 and N4 for EHD and EHDL: the bounds on Pr[H < t] as printed, and EHD's with repaired constants."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpaudit.balls import Ball, ball
from dpaudit.verdict import Verdict
from proofs_checks import Context, Grid, Outcome, check
from proofs_checks.accuracy_far import constant_is_below_one, first_failure
from proofs_checks.accuracy_lshist import BALANCED, EVERY, PRIORS, WIDE_BALANCED, WIDE_EVERY
from proofs_checks.accuracy_proofs import Proof, annotate, arms_lemma, symmetry_lemma
from proofs_checks.accuracy_rows import power
from proofs_checks.accuracy_sides import (
    EHD,
    EHDL,
    EQUAL_PRIORS,
    Case,
    Comparison,
    Prior,
    Side,
    balanced_x,
    equal,
    every_x,
    global_factor,
    local_factor,
    points,
    unequal,
)
from proofs_checks.algebra import variables
from proofs_checks.outcome import ON_GRID

Factor = Callable[[Case], Ball]
FAR = 900
"""Balanced data are searched up to this n for the first failure of EHD's printed upper bound."""


def plain_factor(case: Case) -> Ball:
    """Returns a ball that contains e^(-eps)."""
    return power(case.eps)


def lower(factor: Factor, name: str, more: int) -> Side:
    """Returns (2 kappa factor + 1) / (n + more)."""
    size = "n" if more == 0 else f"(n+{more})"
    return Side(
        f"(2κ·{name}+1)/{size}",
        lambda case: (2 * case.kappa * factor(case) + 1) / (case.n + more),
        lambda case: f"(2·{case.kappa}·{name} + 1)/{case.n + more}, ε = {case.eps}",
    )


def upper(factor: Factor, name: str, more: int) -> Side:
    """Returns (2 kappa + 1) / ((n + more) factor)."""
    size = "n" if more == 0 else f"(n+{more})"
    return Side(
        f"(2κ+1)/({size}·{name})",
        lambda case: ball(2 * case.kappa + 1) / ((case.n + more) * factor(case)),
        lambda case: f"(2·{case.kappa} + 1)/({case.n + more}·{name}), ε = {case.eps}",
    )


PLAIN = plain_factor, "e^(−ε)"
GLOBAL = global_factor, "e^(−ε/(2GS₀))"
LOCAL = local_factor, "e^(−ε/(2LS(x)))"


def _both(mechanism: Side, factor: tuple[Factor, str], more: int, balanced: bool) -> tuple[Comparison, Comparison]:
    """Returns the comparisons with the lower and with the upper bound."""
    data = balanced_x if balanced else every_x
    return (
        Comparison(lower(*factor, more), "<", mechanism, data, closeness="ratio"),
        Comparison(mechanism, "<", upper(*factor, more), data, closeness="ratio"),
    )


EHD_LOWER, EHD_UPPER = _both(EHD, PLAIN, 0, True)
EHD_LOWER_EVERY, EHD_UPPER_EVERY = _both(EHD, PLAIN, 0, False)
EHD_LOWER_REPAIRED, EHD_UPPER_REPAIRED = _both(EHD, GLOBAL, 1, True)
EHDL_LOWER, EHDL_UPPER = _both(EHDL, LOCAL, 0, True)
EHDL_LOWER_EVERY, EHDL_UPPER_EVERY = _both(EHDL, LOCAL, 0, False)
EHDL_LOWER_REPAIRED, _ = _both(EHDL, LOCAL, 1, True)


def weights_lemma(name: str, factor: str) -> Proof:
    """Says what all bounds rest on: the weights lie between the factor and 1."""
    return arms_lemma().says(
        f"weights of {name}: w = f^H, f = {factor} < 1",
        "w = 1 at x; 0 < H < 1 elsewhere (BC > 0; H rises from 0), so f < w < 1",
    )


def weights_proof(name: str, factor: str) -> Proof:
    """Says the same of balanced data and every equal prior, where the near outputs lie evenly."""
    return Proof().using(symmetry_lemma(), weights_lemma(name, factor))


def lower_proof(name: str, factor: str) -> Proof:
    """Proves (2 kappa f + 1)/(n+1) < Pr[H < t]."""
    f, k, n, e, d = variables("f", "k", "n", "E", "D")
    near, whole = 1 + 2 * k * f + e, n + 1 - d
    proof = weights_proof(name, factor)
    return proof.nonnegative(
        "near weights = 1+2κf+E, E ≥ 0; all weights = n+1−D, D > 0",
        "near·(n+1) − (2κf+1)·all = E(n+1) + (2κf+1)D > 0",
        near * (n + 1) - (2 * k * f + 1) * whole,
    )


def upper_proof(name: str, factor: str, more: int) -> Proof:
    """Proves Pr[H < t] < (2 kappa + 1)/((n + more) f)."""
    f, k, n, e, d = variables("f", "k", "n", "E", "D")
    near, whole = 2 * k + 1 - e, (n + 1) * f + d
    proof = weights_proof(name, factor)
    return proof.nonnegative(
        "near weights = 2κ+1−E, E ≥ 0; all weights = (n+1)f+D, D > 0 (1 > f at x)",
        "(2κ+1)·all − near·" + ("(n+1)f = (2κ+1)D + E(n+1)f > 0" if more else "nf = (2κ+1)(f+D) + E·n·f > 0"),
        (2 * k + 1) * whole - near * (n + more) * f,
    )


def _balanced(comparison: Comparison, context: Context, proof: Proof | None = None) -> Outcome:
    """Returns the verdict over the equal priors, with the unequal ones as a part."""
    found = comparison.run(points(context.grid, equal))
    if proof is not None:
        found = proof.settle(found).having(EQUAL_PRIORS)
    return annotate(found, ("with unequal priors", comparison.run(points(context.grid, unequal))))


@check("acc.4.5.ehd-lower.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def ehd_lower(context: Context) -> Outcome:
    """Decides EHD's lower bound as printed, balanced data."""
    return _balanced(EHD_LOWER, context)


@check("acc.4.5.ehd-lower.all", grid=EVERY, wide=WIDE_EVERY)
def ehd_lower_every(context: Context) -> Outcome:
    """Decides EHD's lower bound as printed, every data set."""
    return EHD_LOWER_EVERY.run(points(context.grid), "at n = 1, κ = 0 the bound is 1, which no probability exceeds")


def _far_grid(grid: Grid, most: int) -> Grid:
    words = (
        f"κ = 0 and convexity in ε: every real ε > 0, x = (n/2, n/2), stopping at the first failure, up to n = {most}"
    )
    return grid + Grid(words, n=["2, 4, 6, …"], prior=[PRIORS[0], PRIORS[1]])


@check("acc.4.5.ehd-upper.balanced", grid=_far_grid(BALANCED, FAR), wide=_far_grid(WIDE_BALANCED, FAR), weight=3)
def ehd_upper(context: Context) -> Outcome:
    """Decides EHD's upper bound as printed, balanced data: first the grid, then far out, uniform prior first."""
    near = [point for point in context.grid if isinstance(point.n, int)]
    grid = [(point.n, point.prior, point.eps) for point in near]
    found = EHD_UPPER.run(point for point in grid if equal(point[1]))
    if found.verdict is not Verdict.PROVED:
        return found
    far, holds = _far(PRIORS[0])
    if far is None or far.verdict is not Verdict.REFUTED:
        return found.having(f"uniform prior: no certified failure up to n = {FAR}")
    half, _ = _far(PRIORS[1])
    entries: list[tuple[str, Outcome | Proof]] = [
        ("uniform prior, every smaller even n, every ε > 0 and κ: it holds", holds),
        ("uniform prior, ε = 1, n = 1114 and 1116", _at_zero([(n, PRIORS[0], Fraction(1)) for n in (1114, 1116)])),
        ("with unequal priors", EHD_UPPER.run(point for point in grid if unequal(point[1]))),
    ]
    if half is not None:
        entries.insert(1, ("prior (1/2, 1/2)", half))
    wrong_way = Proof().checks("2·GS₀ < 1, so e^(−ε/(2GS₀)) < e^(−ε)", "the proof's last step goes the wrong way",
                               constant_is_below_one() is Verdict.PROVED, "certified by balls")  # fmt: skip
    return annotate(far, *entries, ("the proof's last step assumes 2·GS₀ > 1, but 2·GS₀ < 1", wrong_way))


def _at_zero(far_points: list[tuple[int, Prior, Fraction]]) -> Outcome:
    """Returns the outcome at kappa = 0 only, where the claim is tightest."""
    nearest = Comparison(EHD, "<", EHD_UPPER.right, balanced_x, lambda model, a: [(a, a)], closeness="ratio")
    return nearest.run(far_points)


def _far(prior: Prior) -> tuple[Outcome | None, Proof]:
    """Returns the counterexample of least n for this prior and any eps, and the proof that there is none below."""
    reach = first_failure(prior[0], FAR)
    proof = Proof(ON_GRID).says(
        "D(ε) = e^ε·Σw − n = Σ e^(ε(1−cH)) − n, c = 1/(2GS₀), is convex; D(0) = 1, D > 0 for ε ≥ ln n",
        "near weights ≤ 2κ+1: the claim holds for every κ where D > 0",
    )
    proof.checks(
        f"n = 2, 4, …, {reach.n - 2}, prior {prior[0]}, {prior[1]}",
        "a tangent of D, near its minimum, is positive at 0 and at ln n, so D > 0 for every ε > 0",
        reach.n > 2,
        "certified by balls, row by row",
    )
    return (None if reach.eps is None else _at_zero([(reach.n, prior, reach.eps)])), proof


@check("acc.4.5.ehd-upper.all", grid=EVERY, wide=WIDE_EVERY)
def ehd_upper_every(context: Context) -> Outcome:
    """Decides EHD's upper bound as printed, every data set."""
    return EHD_UPPER_EVERY.run(points(context.grid))


@check("acc.4.5.ehd-lower.repaired", grid=BALANCED, wide=WIDE_BALANCED)
def ehd_lower_repaired(context: Context) -> Outcome:
    """Decides EHD's lower bound with e^(-eps/(2 GS_0)) and n+1."""
    return _balanced(EHD_LOWER_REPAIRED, context, lower_proof("EHD", GLOBAL[1]))


@check("acc.4.5.ehd-upper.repaired", grid=BALANCED, wide=WIDE_BALANCED)
def ehd_upper_repaired(context: Context) -> Outcome:
    """Decides EHD's upper bound with e^(-eps/(2 GS_0)) and n+1."""
    return _balanced(EHD_UPPER_REPAIRED, context, upper_proof("EHD", GLOBAL[1], 1))


@check("acc.4.5.ehdl-lower.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def ehdl_lower(context: Context) -> Outcome:
    """Decides EHDL's lower bound, balanced data."""
    repaired = lower_proof("EHDL", LOCAL[1]).settle(EHDL_LOWER_REPAIRED.run(points(context.grid, equal)))
    return annotate(_balanced(EHDL_LOWER, context), ("equal priors, with n+1 for n", repaired))


@check("acc.4.5.ehdl-lower.all", grid=EVERY, wide=WIDE_EVERY)
def ehdl_lower_every(context: Context) -> Outcome:
    """Decides EHDL's lower bound, every data set."""
    return EHDL_LOWER_EVERY.run(points(context.grid), "at n = 1, κ = 0 the bound is 1, which no probability exceeds")


@check("acc.4.5.ehdl-upper.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def ehdl_upper(context: Context) -> Outcome:
    """Decides EHDL's upper bound, balanced data."""
    return _balanced(EHDL_UPPER, context, upper_proof("EHDL", LOCAL[1], 0))


@check("acc.4.5.ehdl-upper.all", grid=EVERY, wide=WIDE_EVERY)
def ehdl_upper_every(context: Context) -> Outcome:
    """Decides EHDL's upper bound, every data set."""
    return EHDL_UPPER_EVERY.run(points(context.grid))
