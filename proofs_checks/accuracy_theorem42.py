"""Theorem 4.2 of N0 and N4: how often LSHist stays within the local sensitivity; strictly, and with ≤."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from dpaudit.posterior.model import Model
from proofs_checks import Context, Grid, Outcome, check
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
)
from proofs_checks.accuracy_rows import HALF, ONE, Q, Span, below_ls, laplace_interval, within_ls
from proofs_checks.accuracy_sides import LSHIST, Comparison, from_law, points, priors, rationals, relabelled

PRIORS = priors("1 1", "1/2 1/2", "2 2", "1/100 1/100", "1 2", "1/1000 3")
EPS = rationals("1 1/2 2 1/4 1/100 5 16")


def promised(q: Any, _: Any) -> Any:
    """Returns 1 - (q + q^2) / 2, the theorem's bound."""
    return 1 - HALF * (q + q**2)


BOUND = from_law(
    "1 − ½(e^(−ε) + e^(−2ε))", lambda q, k: promised(q, k), lambda case: f"1 − ½(e^(−ε) + e^(−2ε)), ε = {case.eps}"
)


def _within(model: Model, a: int) -> list[Span]:
    return [within_ls(model, a)]


def _below(model: Model, a: int) -> list[Span]:
    return [below_ls(model, a)]


STRICT = Comparison(relabelled(LSHIST, "Pr[H < LS(x)] of LSHist"), ">=", BOUND, sets=_below)
CLOSED = Comparison(relabelled(LSHIST, "Pr[H ≤ LS(x)] of LSHist"), ">=", BOUND, sets=_within)
DEFAULT = Grid("every data set x; ties by BC²", n=range(1, 13), prior=PRIORS, eps=EPS)
WIDE = Grid("every data set x; ties by BC²", n=range(1, 41), prior=PRIORS, eps=EPS)


@check("acc.4.2.strict", grid=DEFAULT, wide=WIDE)
def strict(context: Context) -> Outcome:
    """Decides the theorem as printed, with H < LS(x)."""
    found = STRICT.run(points(context.grid))
    always = Proof().positive("bound − Pr", "n = 2, x = (1, 1)", promised(Q, ONE) - laplace_interval(2, 1, 1, 1))
    return annotate(
        found,
        ("with H ≤ LS(x)", closed_proof(CLOSED).settle(CLOSED.run(points(context.grid)))),
        ("n = 2, x = (1, 1), equal prior, where both neighbours lie at LS(x): it fails for every ε > 0", always),
    )


def _holds_the_neighbours(comparison: Comparison) -> bool:
    """Returns whether the statement's sets hold a-1, a, a+1, as far as they exist, on a few models."""
    models = [Model(n, prior) for n in (1, 2, 5) for prior in PRIORS]
    return all(
        lo <= max(a - 1, 0) and hi >= min(a + 1, model.n)
        for model in models
        for a in range(model.n + 1)
        for lo, hi in comparison.sets(model, a)
    )


def closed_proof(comparison: Comparison) -> Proof:
    """Proves the theorem with ≤, for every n, prior, eps and x; bound and sets are the statement's."""
    proof = states(comparison, (">=",), False).using(arms_lemma(), interval_lemma(comparison.left))
    proof.says(
        "both neighbours x′ lie within LS(x)", "LS(x) ≥ |H(x,x) − H(x′,x)| = H(x,x′): take r = x in its definition"
    )
    proof.checks(
        "so the set {H ≤ LS(x)} holds a−1, a, a+1 as far as they exist",
        "a larger interval has a larger Pr",
        _holds_the_neighbours(comparison),
        "for all n by hand; the statement's own sets checked for n = 1, 2, 5",
    )
    law = comparison.right.law
    for words, left, right in (("lo = a−1, hi = a+1", QQ, QQ**2), ("a = 0", 0 * QQ, QQ**2), ("a = n", QQ, 0 * QQ)):
        excess = -ONE_SYMBOL if law is None else interval_value(left, right) - law(QQ, K)
        proof.on_square(f"interval law at {words}: value − bound", f"{excess} ≥ 0", excess)
    return proof


FAR_ROWS = [(200, PRIORS[0], EPS[4]), (300, PRIORS[1], EPS[0]), (400, PRIORS[5], EPS[6])]


def _far() -> Outcome:
    """Returns the outcome on a few data sets far out."""
    return replace(CLOSED, data=lambda n: [0, 1, n // 2, n - 1]).run(FAR_ROWS)


@check("acc.4.2.closed", grid=DEFAULT, wide=WIDE)
def closed(context: Context) -> Outcome:
    """Decides the theorem with H ≤ LS(x)."""
    return closed_proof(CLOSED).settle(CLOSED.run(points(context.grid)), _far())
