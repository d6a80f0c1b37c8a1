"""Theorems 4.5 and 4.2 of N0 and N4 for LSHist: Pr[H < t] as an equality and as a bound, and at t = LS(x)."""

from __future__ import annotations

from dataclasses import replace

from dpaudit.claims import Context, Grid, Outcome, Proof, annotate, check
from dpaudit.posterior.model import Model
from dpaudit.studies.accuracy.bounds import HALF, InPowers, first_interval
from proofs_checks.accuracy.lemmas import (
    QQ,
    K,
    arms_lemma,
    in_symbols,
    interval_lemma,
    interval_value,
    states,
    symmetry_lemma,
)
from proofs_checks.accuracy.rows import ONE, Q, in_q, laplace_interval
from proofs_checks.accuracy.sides import LSHIST, Comparison, Side, at
from proofs_checks.accuracy.stated import EVERY, PRIORS, STATED, balanced
from proofs_checks.points import priors, rationals


def near_law(side: Side = LSHIST) -> Proof:
    """Proves Pr[H < t] = 1 - (K + Kq)/2 for balanced data, every equal prior, n and eps; K = q^kappa."""
    proof = Proof().using(arms_lemma(), symmetry_lemma(), interval_lemma(side))
    return proof.says("so lo = n/2−κ > 0, hi = n/2+κ < n, K = q^κ", "Pr[H < t] = 1 − ½K − ½Kq by the interval law")


def equality_proof(comparison: Comparison) -> Proof:
    """Proves the equality for balanced data, every equal prior, n and eps; its right side is the statement's."""
    proof = states(comparison, "=", True).using(near_law(comparison.left))
    printed = in_symbols(comparison.right)
    return proof.equal("the printed value, K = q^κ", "1 − ½K − ½Kq", interval_value(K, K * QQ), printed)


def bound_proof(comparison: Comparison) -> Proof:
    """Proves the lower bound for balanced data, every equal prior, n and eps; its right side is the statement's."""
    excess = interval_value(K, K * QQ) - in_symbols(comparison.right)
    proof = states(comparison, ">=", True).using(near_law(comparison.left))
    proof.requires("a bound in powers of q", isinstance(comparison.right.form, InPowers))
    return proof.on_square("value − bound, K = q^κ", f"{excess} ≥ 0 for 0 ≤ q, K ≤ 1", excess)


balanced("acc.4.5.lshist-eq.balanced", equality_proof)
balanced("acc.4.5.lshist-lb.balanced", bound_proof)


@check("acc.4.5.lshist-eq.all", grid=EVERY)
def equality_every(context: Context) -> Outcome:
    """Decides the equality for every data set."""
    always = Proof().equal(
        "Pr − printed at n = 1, x = (0, 1), κ = 0",
        "(1 − ½q) − ½(1−q) = ½",
        laplace_interval(1, 0, 0, 0) - (ONE - HALF * (ONE + Q)),
        HALF * ONE,
    )
    clipped = "n = 1, x = (0, 1), κ = 0: off by exactly ½ for every ε and prior (noise is clipped at 0)"
    return annotate(STATED["acc.4.5.lshist-eq.all"].run(context.grid), (clipped, always))


@check("acc.4.5.lshist-lb.all", grid=EVERY)
def bound_every(context: Context) -> Outcome:
    """Decides the lower bound for every data set."""
    stated = STATED["acc.4.5.lshist-lb.all"]
    uniform = stated.run(context.grid, lambda prior: prior == PRIORS[0])
    always = Proof().equal(
        "bound − Pr with no step to the left and one to the right, unclipped",
        "(1−q) − (½ − ½q²) = ½(1−q)² > 0",
        (ONE - Q) - laplace_interval(3, 1, 1, 2),
        HALF * (ONE - Q) ** 2,
    )
    return annotate(
        stated.run(context.grid),
        ("uniform prior", uniform),
        ("n = 3, x = (1, 2), κ = 1, near outputs 1…2: it fails for every ε > 0", always),
    )


# ------------------------------------------------------------------ Theorem 4.2: within LS(x), strictly and with ≤

PRIORS_42 = priors("1 1", "1/2 1/2", "2 2", "1/100 1/100", "1 2", "1/1000 3")
EPS_42 = rationals("1 1/2 2 1/4 1/100 5 16")
STRICT, CLOSED = "acc.4.2.strict", "acc.4.2.closed"
GRID_42 = Grid("every data set x; ties by BC²", n=range(1, 13), prior=PRIORS_42, eps=EPS_42).wider(n=range(1, 41))


@check(STRICT, grid=GRID_42)
def strict(context: Context) -> Outcome:
    """Decides the theorem as printed, with H < LS(x)."""
    found, other = STATED[STRICT].run(context.grid), STATED[CLOSED]
    gap = first_interval(Q, ONE) - laplace_interval(2, 1, 1, 1)
    always = Proof().positive("bound − Pr, q = e^(−ε)", f"n = 2, x = (1, 1): {in_q(gap)} > 0", gap)
    return annotate(
        found,
        ("with H ≤ LS(x)", closed_proof(other).settle(("its grid", other.run(context.grid)))),
        ("n = 2, x = (1, 1), equal prior, where both neighbors lie at LS(x): it fails for every ε > 0", always),
    )


def _holds_the_neighbors(comparison: Comparison) -> bool:
    """Whether the statement's sets hold a-1, a, a+1, as far as they exist, on a few models."""
    models = [Model(n, prior) for n in (1, 2, 5) for prior in PRIORS_42]
    return all(
        lo <= max(a - 1, 0) and hi >= min(a + 1, model.n)
        for model in models
        for a in range(model.n + 1)
        for lo, hi in comparison.sets(model, a)
    )


def closed_proof(comparison: Comparison) -> Proof:
    """Proves the theorem with ≤, for every n, prior, eps and x; bound and sets are the statement's."""
    proof = states(comparison, ">=", False).using(arms_lemma(), interval_lemma(comparison.left))
    proof.says(
        "both neighbors x′ lie within LS(x)", "LS(x) ≥ |H(x,x) − H(x′,x)| = H(x,x′): take r = x in its definition"
    )
    proof.cases(
        "so the set {H ≤ LS(x)} holds a−1, a, a+1 as far as they exist",
        "a larger interval has a larger Pr",
        "the statement's own sets for n = 1, 2, 5; for all n by hand",
        _holds_the_neighbors(comparison),
    )
    for words, left, right in (("lo = a−1, hi = a+1", QQ, QQ**2), ("a = 0", 0 * QQ, QQ**2), ("a = n", QQ, 0 * QQ)):
        excess = interval_value(left, right) - in_symbols(comparison.right)
        proof.on_square(f"interval law at {words}: value − bound", f"{excess} ≥ 0", excess)
    return proof


FAR_ROWS = [at(200, "1 1", "1/100"), at(300, "1/2 1/2", "1"), at(400, "1/1000 3", "16")]


@check(CLOSED, grid=GRID_42)
def closed(context: Context) -> Outcome:
    """Decides the theorem with H ≤ LS(x)."""
    stated = STATED[CLOSED]
    far = replace(stated, data=lambda n: [0, 1, n // 2, n - 1]).run(FAR_ROWS)
    return closed_proof(stated).settle(("", stated.run(context.grid)), ("single rows far out", far))
