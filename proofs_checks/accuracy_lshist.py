"""Theorem 4.5 of N0 and N4 for LSHist: the equality, and the lower bound."""

from __future__ import annotations

from typing import Any

from proofs_checks import Context, Grid, Outcome, check
from proofs_checks.accuracy_far import far_rows
from proofs_checks.accuracy_proofs import (
    ONE_SYMBOL,
    QQ,
    K,
    Proof,
    annotate,
    arms_lemma,
    interval_lemma,
    interval_value,
    states,
    symmetry_lemma,
)
from proofs_checks.accuracy_rows import HALF, ONE, Q, laplace_interval
from proofs_checks.accuracy_sides import (
    EQUAL_PRIORS,
    LSHIST,
    Comparison,
    Side,
    balanced_x,
    equal,
    from_law,
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


def printed_equality(q: Any, k: Any) -> Any:
    """Returns 1 - (q^kappa + q^(kappa+1)) / 2 with k = q^kappa."""
    return 1 - HALF * k * (1 + q)


def printed_bound(q: Any, k: Any) -> Any:
    """Returns 1 - q^kappa with k = q^kappa."""
    return 1 - k


EQUALITY = from_law(
    "1 − ½(e^(−κε) + e^(−(κ+1)ε))",
    lambda q, k: printed_equality(q, k),
    lambda case: f"1 − ½(e^(−{case.kappa}ε) + e^(−{case.kappa + 1}ε)), ε = {case.eps}",
)
BOUND = from_law(
    "1 − e^(−κε)", lambda q, k: printed_bound(q, k), lambda case: f"1 − e^(−{case.kappa}ε), ε = {case.eps}"
)
EQ_BALANCED = Comparison(LSHIST, "=", EQUALITY, balanced_x)
LB_BALANCED = Comparison(LSHIST, ">=", BOUND, balanced_x)
EQ_EVERY = Comparison(LSHIST, "=", EQUALITY)
LB_EVERY = Comparison(LSHIST, ">=", BOUND)


def near_law(side: Side = LSHIST) -> Proof:
    """Proves Pr[H < t] = 1 - (K + Kq)/2 for balanced data, every equal prior, n and eps; K = q^kappa."""
    proof = Proof().using(arms_lemma(), symmetry_lemma(), interval_lemma(side))
    return proof.says("so lo = n/2−κ > 0, hi = n/2+κ < n, K = q^κ", "Pr[H < t] = 1 − ½K − ½Kq by the interval law")


def equality_proof(comparison: Comparison) -> Proof:
    """Proves the equality for balanced data, every equal prior, n and eps; its right side is the statement's."""
    proof = states(comparison, ("=", "<=", ">="), True).using(near_law(comparison.left))
    law = comparison.right.law
    printed = None if law is None else law(QQ, K)
    return proof.equal("the printed value, K = q^κ", "1 − ½K − ½Kq", interval_value(K, K * QQ), printed)


def bound_proof(comparison: Comparison) -> Proof:
    """Proves the lower bound for balanced data, every equal prior, n and eps; its right side is the statement's."""
    proof = states(comparison, (">=",), True).using(near_law(comparison.left))
    law = comparison.right.law
    excess = -ONE_SYMBOL if law is None else interval_value(K, K * QQ) - law(QQ, K)
    return proof.on_square("value − bound, K = q^κ", f"{excess} ≥ 0 for 0 ≤ q, K ≤ 1", excess)


def _balanced(comparison: Comparison, proof: Proof, context: Context) -> Outcome:
    """Returns the verdict over the equal priors, with the unequal ones as a part."""
    others = comparison.run(points(context.grid, unequal))
    proved = proof.settle(comparison.run(points(context.grid, equal)), far_rows(comparison))
    return annotate(proved.having(EQUAL_PRIORS), ("with unequal priors", others))


@check("acc.4.5.lshist-eq.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def equality_balanced(context: Context) -> Outcome:
    """Decides the equality for balanced data."""
    return _balanced(EQ_BALANCED, equality_proof(EQ_BALANCED), context)


@check("acc.4.5.lshist-lb.balanced", grid=BALANCED, wide=WIDE_BALANCED)
def bound_balanced(context: Context) -> Outcome:
    """Decides the lower bound for balanced data."""
    return _balanced(LB_BALANCED, bound_proof(LB_BALANCED), context)


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
