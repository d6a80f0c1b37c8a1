"""Theorem 4.5 of N0 and N4 for EHD and EHDL: the bounds on Pr[H < t] as printed, and EHD's with repaired constants."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product

from dpaudit.claims import Context, Grid, Outcome, Part, Proof, annotate, check, variables
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Model
from dpaudit.posterior.sensitivity import gs_constant
from dpaudit.studies.accuracy.bounds import Factor, InSteps, e_epsilon, e_global, e_local, lower
from proofs_checks.accuracy.eventually import Eventually, always_part
from proofs_checks.accuracy.far import Reach, far_rows, first_failure
from proofs_checks.accuracy.lemmas import arms_lemma, states, symmetry_lemma
from proofs_checks.accuracy.rows import distances
from proofs_checks.accuracy.sides import Case, Comparison, Side, equal, from_form, unequal
from proofs_checks.accuracy.stated import BALANCED, PRIORS, STATED, balanced, balanced_outcome, every
from proofs_checks.points import Prior, rationals

FAR = 900
"""Balanced data are searched up to this n for the first failure of EHD's printed upper bound."""


LOWER_REPAIRED = from_form("(2κe^(−ε/(2LS(x))) + 1)/(n+1)", lower(e_local, 1))
FACTORS: dict[Factor, str] = {e_epsilon: "e^(−ε)", e_global: "e^(−ε/(2GS₀))", e_local: "e^(−ε/(2LS(x)))"}


def _weights_agree(mechanism: Side, factor: Factor) -> bool:
    """Whether the mechanism's Pr is that of the weights f^H, on a few cases, to 256 bits."""
    with balls.precision(256):
        for n, prior, eps in product((2, 3, 6), (PRIORS[0], PRIORS[5]), (Fraction(1), Fraction(1, 4))):
            for a in (0, n // 2):
                case = Case(Model(n, prior), eps, a, max(a - 1, 0), a)
                weights = [(factor(case).log() * h).exp() for h in distances(case.model, a)]
                near = balls.total(weights[case.lo : case.hi + 1])
                if not balls.overlap(near / balls.total(weights), mechanism.value(case)):
                    return False
    return True


def weights_lemma(mechanism: Side, factor: Factor) -> Proof:
    """Says what all bounds rest on: the weights of the mechanism lie between the bound's factor and 1."""
    proof = arms_lemma().cases(
        f"{mechanism.meaning}: weights w = f^H, f = {FACTORS[factor]} < 1",
        "near weights / all weights, with the f of the bound: the definition",
        "the mechanism's law as balls of 256 bits, n = 2, 3, 6",
        _weights_agree(mechanism, factor),
    )
    return proof.says("f < w < 1 but at x, where w = 1", "0 < H < 1 elsewhere (BC > 0; H rises from 0)")


def weights_proof(mechanism: Side, factor: Factor) -> Proof:
    """Says the same of balanced data and every equal prior, where the near outputs lie evenly."""
    return Proof().using(symmetry_lemma(), weights_lemma(mechanism, factor))


def bound_proof(comparison: Comparison) -> Proof:
    """Proves the bound of the statement, an upper or a lower one, for balanced data and every equal prior."""
    above, form = comparison.relation in ("<", "<="), comparison.right.form
    proof = states(comparison, "<" if above else ">", True)
    if not isinstance(form, InSteps):
        return proof.requires("a bound in κ, n and f", False)
    proof.using(weights_proof(comparison.left, form.factor))
    f, k, n, e, d = variables("f", "k", "n", "E", "D")
    top, bottom = form.top(k, f), form.bottom(n, f)
    if above:
        words = "near weights = 2κ+1−E, E ≥ 0; all weights = (n+1)f+D, D > 0 (1 > f at x)"
        excess = top * ((n + 1) * f + d) - (2 * k + 1 - e) * bottom
    else:
        words = "near weights = 1+2κf+E, E ≥ 0; all weights = n+1−D, D > 0"
        excess = (1 + 2 * k * f + e) * bottom - top * (n + 1 - d)
    proof.says(words, "the bound is top/bottom, both from the statement; both sides times bottom and all weights")
    return proof.nonnegative("larger − smaller − D ≥ 0", f"{excess - d}", excess - d)


AT_ONE = "at n = 1, κ = 0 the bound is 1, which no probability exceeds"
every("acc.4.5.ehd-lower.all", AT_ONE)
every("acc.4.5.ehd-upper.all")
every("acc.4.5.ehdl-lower.all", AT_ONE)
every("acc.4.5.ehdl-upper.all")
balanced("acc.4.5.ehd-lower.balanced")
balanced("acc.4.5.ehd-lower.repaired", bound_proof)
balanced("acc.4.5.ehd-upper.repaired", bound_proof)
balanced("acc.4.5.ehdl-upper.balanced", bound_proof)


@check("acc.4.5.ehdl-lower.balanced", grid=BALANCED)
def ehdl_lower(context: Context) -> Outcome:
    """Decides EHDL's lower bound, balanced data, and the same with n+1 for n."""
    stated = STATED["acc.4.5.ehdl-lower.balanced"]
    other = replace(stated, right=LOWER_REPAIRED)
    grids = ("its grid", other.run(context.grid, equal)), ("single rows far out", far_rows(other))
    proved = bound_proof(other).settle(*grids)
    return annotate(balanced_outcome(stated, context), ("equal priors, with n+1 for n", proved))


EQUAL = [prior for prior in PRIORS if equal(prior)]


def _far_grid(grid: Grid, most: int) -> Grid:
    words = (
        f"κ = 0 and convexity in ε: every real ε > 0, x = (n/2, n/2), stopping at the first failure, up to n = {most}"
    )
    return grid + Grid(words, n=["2, 4, 6, …"], prior=EQUAL)


UPPER = "acc.4.5.ehd-upper.balanced"


@check(UPPER, grid=_far_grid(BALANCED, FAR), wide=_far_grid(BALANCED.wide, FAR), weight=3)
def ehd_upper(context: Context) -> Outcome:
    """Decides EHD's upper bound as printed, balanced data: first the grid, then far out; least n over the priors."""
    grid = [point for point in context.grid if isinstance(point.n, int)]
    found = STATED[UPPER].run(grid, equal)
    if found.verdict is not Verdict.PROVED:
        return found
    reached = {prior: first_failure(prior[0], FAR) for prior in EQUAL}
    failing = sorted((prior for prior in EQUAL if reached[prior].eps is not None), key=lambda prior: reached[prior].n)
    if not failing:
        return found.having(f"equal priors of the grid: no certified failure up to n = {FAR}")
    outcomes = {prior: _at_zero(prior, reached[prior].eps or Fraction(1), reached[prior].n) for prior in failing}
    least = outcomes[failing[0]]
    if least.verdict is not Verdict.REFUTED:
        return least
    wrong_way = Proof().less("2·GS₀ < 1", "so e^(−ε/(2GS₀)) < e^(−ε)", lambda: 2 * gs_constant(), lambda: ball(1))
    return annotate(
        least,
        _none_below(reached),
        *((f"prior {_words(prior)}", outcomes[prior]) for prior in failing[1:]),
        always_part(),
        *_eventually(reached, context.wide),
        ("with unequal priors", STATED[UPPER].run(grid, unequal)),
        ("the proof's last step assumes 2·GS₀ > 1, but 2·GS₀ < 1", wrong_way),
    )


DOCUMENTS_EPS = rationals("4/5 1")
MORE_EPS = rationals("1/4 1/2 2")


def _eventually(reached: dict[Prior, Reach], wide: bool) -> list[Part]:
    """The n from which on it always fails: for the documents' ε and prior, with --wide for more of them."""
    chosen = EQUAL if wide else EQUAL[:1]
    eps = (*DOCUMENTS_EPS, *MORE_EPS) if wide else DOCUMENTS_EPS
    return [Eventually.make(e, prior[0]).part(reached[prior].n) for prior in chosen for e in eps]


def _words(prior: Prior) -> str:
    return f"({prior[0]}, {prior[1]})"


def _at_zero(prior: Prior, eps: Fraction, *sizes: int) -> Outcome:
    """The outcome at kappa = 0 only, where the claim is tightest."""
    nearest = replace(STATED[UPPER], sets=lambda model, a: [(a, a)])
    return nearest.run(Grid(n=sizes, prior=[prior], eps=[eps]))


def _none_below(reached: dict[Prior, Reach]) -> Part:
    """As a part, decided row by row: no prior fails below its own n, nor below the least of these."""
    proof = Proof().says(
        "D(ε) = e^ε·Σw − n = Σ e^(ε(1−cH)) − n, c = 1/(2GS₀), is convex; D(0) = 1, D > 0 for ε ≥ ln n",
        "near weights ≤ 2κ+1: the claim holds for every κ where D > 0",
    )
    for prior, reach in reached.items():
        text = "a tangent of D, near its minimum, is positive at 0 and at ln n, so D > 0 for every ε > 0"
        which = f"n = 2, 4, …, {reach.n - 2}, certified by balls row by row"
        proof.cases(f"prior {_words(prior)}", text, which, reach.n > 2)
    return proof.on_cases("equal priors of the grid, every smaller even n, every ε > 0 and κ: it holds")
