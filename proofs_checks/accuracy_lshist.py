"""Theorem 4.5 of N0 and N4 for LSHist: the equality, and the lower bound."""

from __future__ import annotations

from flint import fmpq_poly

from proofs_checks import Context, Grid, Outcome, check
from proofs_checks.accuracy_proofs import QQ, K, Proof, annotate, arms_lemma, interval_lemma, symmetry_lemma
from proofs_checks.accuracy_rows import HALF, ONE, Q, laplace_interval
from proofs_checks.accuracy_sides import (
    EQUAL_PRIORS,
    LSHIST,
    Case,
    Comparison,
    balanced_x,
    equal,
    from_poly,
    points,
    priors,
    rationals,
    unequal,
)

PRIORS = priors("1 1", "1/2 1/2", "2 2", "1/100 1/100", "10 10", "1 2", "2 1", "1 1/2")
EPS = rationals("1 1/2 2 1/4 1/10 1/100 5 16")
BALANCED_WORDS = (
    "x = (n/2, n/2), every separating t; verdict over the equal priors (α, α), because balanced data with an unequal "
    "prior have no balanced posterior: those are a part of their own"
)
EVERY_WORDS = "every data set x, every separating t, ties by BC²"
BALANCED = Grid(BALANCED_WORDS, n=range(2, 31, 2), prior=PRIORS, eps=EPS)
WIDE_BALANCED = Grid(BALANCED_WORDS, n=[*range(2, 81, 2), 100, 200], prior=PRIORS, eps=EPS)
EVERY = Grid(EVERY_WORDS, n=range(1, 9), prior=PRIORS, eps=EPS)
WIDE_EVERY = Grid(EVERY_WORDS, n=range(1, 31), prior=PRIORS, eps=EPS)


def printed_equality(case: Case) -> fmpq_poly:
    """Returns 1 - (q^kappa + q^(kappa+1)) / 2."""
    return ONE - HALF * Q**case.kappa * (ONE + Q)


def printed_bound(case: Case) -> fmpq_poly:
    """Returns 1 - q^kappa."""
    return ONE - Q**case.kappa


EQUALITY = from_poly(
    "1 − ½(e^(−κε) + e^(−(κ+1)ε))",
    lambda case: printed_equality(case),
    lambda case: f"1 − ½(e^(−{case.kappa}ε) + e^(−{case.kappa + 1}ε)), ε = {case.eps}",
)
BOUND = from_poly(
    "1 − e^(−κε)", lambda case: printed_bound(case), lambda case: f"1 − e^(−{case.kappa}ε), ε = {case.eps}"
)
EQ_BALANCED = Comparison(LSHIST, "=", EQUALITY, balanced_x)
LB_BALANCED = Comparison(LSHIST, ">=", BOUND, balanced_x)
EQ_EVERY = Comparison(LSHIST, "=", EQUALITY)
LB_EVERY = Comparison(LSHIST, ">=", BOUND)


def equality_proof() -> Proof:
    """Proves the equality for balanced data, every equal prior, n and eps."""
    proof = Proof().using(arms_lemma(), symmetry_lemma(), interval_lemma())
    return proof.checks(
        "interval law at lo = n/2−κ > 0, hi = n/2+κ < n",
        "1 − ½q^κ − ½q^(κ+1), the printed value",
        all(
            laplace_interval(n, n // 2, n // 2 - kappa, n // 2 + kappa) == ONE - HALF * Q**kappa * (ONE + Q)
            for n in range(2, 13, 2)
            for kappa in range(n // 2)
        ),
        "the interval law; compared with the cell law exactly for n ≤ 12",
    )


@check("acc.4.5.lshist-eq.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def equality_balanced(context: Context) -> Outcome:
    """Decides the equality for balanced data."""
    others = EQ_BALANCED.run(points(context.grid, unequal))
    proved = equality_proof().settle(EQ_BALANCED.run(points(context.grid, equal)))
    return annotate(proved.having(EQUAL_PRIORS), ("with unequal priors", others))


@check("acc.4.5.lshist-lb.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def bound_balanced(context: Context) -> Outcome:
    """Decides the lower bound for balanced data."""
    proof = equality_proof().equal(
        "value − bound, K = q^κ", "½K(1−q) ≥ 0", (1 - HALF * K * (1 + QQ)) - (1 - K), HALF * K * (1 - QQ)
    )
    others = LB_BALANCED.run(points(context.grid, unequal))
    proved = proof.settle(LB_BALANCED.run(points(context.grid, equal)))
    return annotate(proved.having(EQUAL_PRIORS), ("with unequal priors", others))


@check("acc.4.5.lshist-eq.all", grid=EVERY, wide=WIDE_EVERY)
def equality_every(context: Context) -> Outcome:
    """Decides the equality for every data set."""
    always = Proof().equal(
        "Pr − printed at n = 1, x = (0, 1), κ = 0",
        "(1 − ½q) − ½(1−q) = ½",
        laplace_interval(1, 0, 0, 0) - (ONE - HALF * (ONE + Q)),
        HALF * ONE,
    )
    clipped = "n = 1, x = (0, 1), κ = 0: off by exactly ½ for every ε and prior (noise is clipped at 0)"
    return annotate(EQ_EVERY.run(points(context.grid)), (clipped, always))


@check("acc.4.5.lshist-lb.all", grid=EVERY, wide=WIDE_EVERY)
def bound_every(context: Context) -> Outcome:
    """Decides the lower bound for every data set."""
    found = LB_EVERY.run(points(context.grid))
    uniform = LB_EVERY.run(points(context.grid, lambda prior: prior == PRIORS[0]))
    always = Proof().equal(
        "bound − Pr with no step to the left and one to the right, unclipped",
        "(1−q) − (½ − ½q²) = ½(1−q)² > 0",
        (ONE - Q) - laplace_interval(3, 1, 1, 2),
        HALF * (ONE - Q) ** 2,
    )
    return annotate(
        found,
        ("uniform prior", uniform),
        ("n = 3, x = (1, 2), κ = 1, near outputs 1…2: it fails for every ε > 0", always),
    )
