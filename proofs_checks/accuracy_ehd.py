"""Theorem 4.5 of N0 and N4 for EHD and EHDL: the bounds on Pr[H < t] as printed, and EHD's with repaired constants."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from dpaudit.numbers import balls
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Model
from proofs_checks import Context, Grid, Outcome, check
from proofs_checks.accuracy_far import Reach, constant_is_below_one, far_rows, first_failure
from proofs_checks.accuracy_lshist import BALANCED, EVERY, PRIORS, WIDE_BALANCED, WIDE_EVERY
from proofs_checks.accuracy_proofs import Proof, annotate, arms_lemma, states, symmetry_lemma
from proofs_checks.accuracy_rows import distances
from proofs_checks.accuracy_sides import (
    EHD,
    EHDL,
    EQUAL_PRIORS,
    Case,
    Comparison,
    Near,
    Prior,
    Quotient,
    Rate,
    Side,
    balanced_x,
    equal,
    every_x,
    from_quotient,
    global_rate,
    local_rate,
    plain_rate,
    points,
    unequal,
)
from proofs_checks.algebra import variables
from proofs_checks.outcome import ON_GRID

FAR = 900
"""Balanced data are searched up to this n for the first failure of EHD's printed upper bound."""


def lower(rate: Rate, name: str, more: int) -> Side:
    """Returns (2 kappa f + 1) / (n + more), f = e^(-rate)."""
    size = "n" if more == 0 else f"(n+{more})"
    return from_quotient(
        f"(2κ·{name}+1)/{size}",
        Quotient(lambda kappa, f: 2 * kappa * f + 1, lambda n, f: n + more, rate),
        lambda case: f"(2·{case.kappa}·{name} + 1)/{case.n + more}, ε = {case.eps}",
    )


def upper(rate: Rate, name: str, more: int) -> Side:
    """Returns (2 kappa + 1) / ((n + more) f), f = e^(-rate)."""
    size = "n" if more == 0 else f"(n+{more})"
    return from_quotient(
        f"(2κ+1)/({size}·{name})",
        Quotient(lambda kappa, f: 2 * kappa + 1, lambda n, f: (n + more) * f, rate),
        lambda case: f"(2·{case.kappa} + 1)/({case.n + more}·{name}), ε = {case.eps}",
    )


PLAIN = plain_rate, "e^(−ε)"
GLOBAL = global_rate, "e^(−ε/(2GS₀))"
LOCAL = local_rate, "e^(−ε/(2LS(x)))"


def _both(mechanism: Side, factor: tuple[Rate, str], more: int, balanced: bool) -> tuple[Comparison, Comparison]:
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


def _weights_agree(mechanism: Side, rate: Rate) -> bool:
    """Returns whether the mechanism's Pr is that of the weights f^H, f = e^(-rate), on a few cases, to 256 bits."""
    with balls.precision(256):
        for n, prior, eps in product((2, 3, 6), (PRIORS[0], PRIORS[5]), (Fraction(1), Fraction(1, 4))):
            for a in (0, n // 2):
                case = Case(Model(n, prior), eps, a, Near(max(a - 1, 0), a))
                weights = [(-rate(case) * h).exp() for h in distances(case.model, a)]
                near = balls.total(weights[case.near.lo : case.near.hi + 1])
                if not balls.overlap(near / balls.total(weights), mechanism.value(case)):
                    return False
    return True


def weights_lemma(mechanism: Side, rate: Rate, factor: str) -> Proof:
    """Says what all bounds rest on: the weights of the mechanism lie between the bound's factor and 1."""
    proof = arms_lemma().checks(
        f"{mechanism.meaning}: weights w = f^H, f = {factor} < 1",
        "near weights / all weights, with the f of the bound",
        _weights_agree(mechanism, rate),
        "the definition; compared with the mechanism's law at 256 bits, n = 2, 3, 6",
    )
    return proof.says("f < w < 1 but at x, where w = 1", "0 < H < 1 elsewhere (BC > 0; H rises from 0)")


def weights_proof(mechanism: Side, rate: Rate, factor: str) -> Proof:
    """Says the same of balanced data and every equal prior, where the near outputs lie evenly."""
    return Proof().using(symmetry_lemma(), weights_lemma(mechanism, rate, factor))


def bound_proof(comparison: Comparison, factor: str) -> Proof:
    """Proves the bound of the statement, whichever side it stands on, for balanced data and every equal prior."""
    above = comparison.right.quotient is not None
    mechanism, bound = (comparison.left, comparison.right) if above else (comparison.right, comparison.left)
    proof = states(comparison, ("<", "<="), True)
    if bound.quotient is None:
        return proof.checks("the bound", "is a quotient of κ, n and f", False)
    proof.using(weights_proof(mechanism, bound.quotient.rate, factor))
    f, k, n, e, d = variables("f", "k", "n", "E", "D")
    top, bottom = bound.quotient.top(k, f), bound.quotient.bottom(n, f)
    if above:
        words = "near weights = 2κ+1−E, E ≥ 0; all weights = (n+1)f+D, D > 0 (1 > f at x)"
        excess = top * ((n + 1) * f + d) - (2 * k + 1 - e) * bottom
    else:
        words = "near weights = 1+2κf+E, E ≥ 0; all weights = n+1−D, D > 0"
        excess = (1 + 2 * k * f + e) * bottom - top * (n + 1 - d)
    proof.says(words, "the bound is top/bottom, both from the statement; both sides times bottom and all weights")
    return proof.nonnegative("larger − smaller − D ≥ 0", f"{excess - d}", excess - d)


def _balanced(comparison: Comparison, context: Context, proof: Proof | None = None) -> Outcome:
    """Returns the verdict over the equal priors, with the unequal ones as a part."""
    found = comparison.run(points(context.grid, equal))
    if proof is not None:
        found = proof.settle(found, far_rows(comparison)).having(EQUAL_PRIORS)
    return annotate(found, ("with unequal priors", comparison.run(points(context.grid, unequal))))


@check("acc.4.5.ehd-lower.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def ehd_lower(context: Context) -> Outcome:
    """Decides EHD's lower bound as printed, balanced data."""
    return _balanced(EHD_LOWER, context)


@check("acc.4.5.ehd-lower.all", grid=EVERY, wide=WIDE_EVERY)
def ehd_lower_every(context: Context) -> Outcome:
    """Decides EHD's lower bound as printed, every data set."""
    return EHD_LOWER_EVERY.run(points(context.grid), "at n = 1, κ = 0 the bound is 1, which no probability exceeds")


EQUAL = [prior for prior in PRIORS if equal(prior)]


def _far_grid(grid: Grid, most: int) -> Grid:
    words = (
        f"κ = 0 and convexity in ε: every real ε > 0, x = (n/2, n/2), stopping at the first failure, up to n = {most}"
    )
    return grid + Grid(words, n=["2, 4, 6, …"], prior=EQUAL)


@check("acc.4.5.ehd-upper.balanced", grid=_far_grid(BALANCED, FAR), wide=_far_grid(WIDE_BALANCED, FAR), weight=3)
def ehd_upper(context: Context) -> Outcome:
    """Decides EHD's upper bound as printed, balanced data: first the grid, then far out; least n over the priors."""
    near = [point for point in context.grid if isinstance(point.n, int)]
    grid = [(point.n, point.prior, point.eps) for point in near]
    found = EHD_UPPER.run(point for point in grid if equal(point[1]))
    if found.verdict is not Verdict.PROVED:
        return found
    reached = {prior: first_failure(prior[0], FAR) for prior in EQUAL}
    failing = sorted((prior for prior in EQUAL if reached[prior].eps is not None), key=lambda prior: reached[prior].n)
    if not failing:
        return found.having(f"equal priors of the grid: no certified failure up to n = {FAR}")
    outcomes = {prior: _at_zero([(reached[prior].n, prior, reached[prior].eps or Fraction(1))]) for prior in failing}
    least = outcomes[failing[0]]
    if least.verdict is not Verdict.REFUTED:
        return least
    uniform = PRIORS[0]
    entries: list[tuple[str, Outcome | Proof]] = [
        ("equal priors of the grid, every smaller even n, every ε > 0 and κ: it holds", _none_below(reached)),
        *((f"prior {_words(prior)}", outcomes[prior]) for prior in failing[1:]),
        ("uniform prior, ε = 1, n = 1114 and 1116", _at_zero([(n, uniform, Fraction(1)) for n in (1114, 1116)])),
        ("with unequal priors", EHD_UPPER.run(point for point in grid if unequal(point[1]))),
    ]
    wrong_way = Proof().checks("2·GS₀ < 1, so e^(−ε/(2GS₀)) < e^(−ε)", "the proof's last step goes the wrong way",
                               constant_is_below_one() is Verdict.PROVED, "certified by balls")  # fmt: skip
    return annotate(least, *entries, ("the proof's last step assumes 2·GS₀ > 1, but 2·GS₀ < 1", wrong_way))


def _words(prior: Prior) -> str:
    return f"({prior[0]}, {prior[1]})"


def _at_zero(far_points: list[tuple[int, Prior, Fraction]]) -> Outcome:
    """Returns the outcome at kappa = 0 only, where the claim is tightest."""
    nearest = Comparison(EHD, "<", EHD_UPPER.right, balanced_x, lambda model, a: [(a, a)], closeness="ratio")
    return nearest.run(far_points)


def _none_below(reached: dict[Prior, Reach]) -> Proof:
    """Returns the proof that no prior fails below its own n, nor below the least of these."""
    proof = Proof(ON_GRID).says(
        "D(ε) = e^ε·Σw − n = Σ e^(ε(1−cH)) − n, c = 1/(2GS₀), is convex; D(0) = 1, D > 0 for ε ≥ ln n",
        "near weights ≤ 2κ+1: the claim holds for every κ where D > 0",
    )
    for prior, reach in reached.items():
        proof.checks(
            f"n = 2, 4, …, {reach.n - 2}, prior {_words(prior)}",
            "a tangent of D, near its minimum, is positive at 0 and at ln n, so D > 0 for every ε > 0",
            reach.n > 2,
            "certified by balls, row by row",
        )
    return proof


@check("acc.4.5.ehd-upper.all", grid=EVERY, wide=WIDE_EVERY)
def ehd_upper_every(context: Context) -> Outcome:
    """Decides EHD's upper bound as printed, every data set."""
    return EHD_UPPER_EVERY.run(points(context.grid))


@check("acc.4.5.ehd-lower.repaired", grid=BALANCED, wide=WIDE_BALANCED)
def ehd_lower_repaired(context: Context) -> Outcome:
    """Decides EHD's lower bound with e^(-eps/(2 GS_0)) and n+1."""
    return _balanced(EHD_LOWER_REPAIRED, context, bound_proof(EHD_LOWER_REPAIRED, GLOBAL[1]))


@check("acc.4.5.ehd-upper.repaired", grid=BALANCED, wide=WIDE_BALANCED)
def ehd_upper_repaired(context: Context) -> Outcome:
    """Decides EHD's upper bound with e^(-eps/(2 GS_0)) and n+1."""
    return _balanced(EHD_UPPER_REPAIRED, context, bound_proof(EHD_UPPER_REPAIRED, GLOBAL[1]))


@check("acc.4.5.ehdl-lower.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def ehdl_lower(context: Context) -> Outcome:
    """Decides EHDL's lower bound, balanced data."""
    scanned = EHDL_LOWER_REPAIRED.run(points(context.grid, equal))
    repaired = bound_proof(EHDL_LOWER_REPAIRED, LOCAL[1]).settle(scanned, far_rows(EHDL_LOWER_REPAIRED))
    return annotate(_balanced(EHDL_LOWER, context), ("equal priors, with n+1 for n", repaired))


@check("acc.4.5.ehdl-lower.all", grid=EVERY, wide=WIDE_EVERY)
def ehdl_lower_every(context: Context) -> Outcome:
    """Decides EHDL's lower bound, every data set."""
    return EHDL_LOWER_EVERY.run(points(context.grid), "at n = 1, κ = 0 the bound is 1, which no probability exceeds")


@check("acc.4.5.ehdl-upper.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def ehdl_upper(context: Context) -> Outcome:
    """Decides EHDL's upper bound, balanced data."""
    return _balanced(EHDL_UPPER, context, bound_proof(EHDL_UPPER, LOCAL[1]))


@check("acc.4.5.ehdl-upper.all", grid=EVERY, wide=WIDE_EVERY)
def ehdl_upper_every(context: Context) -> Outcome:
    """Decides EHDL's upper bound, every data set."""
    return EHDL_UPPER_EVERY.run(points(context.grid))
