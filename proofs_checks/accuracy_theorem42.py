"""Theorem 4.2 of N0 and N4: how often LSHist stays within the local sensitivity; strictly, and with ≤."""

from __future__ import annotations

from flint import fmpq_poly

from dpaudit.model import Model
from proofs_checks import Context, Grid, Outcome, check
from proofs_checks.accuracy_proofs import Proof, annotate, arms_lemma, interval_lemma
from proofs_checks.accuracy_rows import HALF, ONE, Q, Span, below_ls, laplace_interval, within_ls
from proofs_checks.accuracy_sides import LSHIST, Case, Comparison, from_poly, points, priors, rationals, relabelled

PRIORS = priors("1 1", "1/2 1/2", "2 2", "1/100 1/100", "1 2", "1/1000 3")
EPS = rationals("1 1/2 2 1/4 1/100 5 16")


def promised(_: Case | None = None) -> fmpq_poly:
    """Returns 1 - (q + q^2) / 2, the theorem's bound."""
    return ONE - HALF * (Q + Q**2)


BOUND = from_poly(
    "1 − ½(e^(−ε) + e^(−2ε))", lambda case: promised(case), lambda case: f"1 − ½(e^(−ε) + e^(−2ε)), ε = {case.eps}"
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
    always = Proof().positive("bound − Pr", "n = 2, x = (1, 1)", promised() - laplace_interval(2, 1, 1, 1))
    return annotate(
        found,
        ("with H ≤ LS(x)", closed_proof().settle(CLOSED.run(points(context.grid)))),
        ("n = 2, x = (1, 1), equal prior, where both neighbours lie at LS(x): it fails for every ε > 0", always),
    )


def closed_proof() -> Proof:
    """Proves the theorem with ≤, for every n, prior, eps and x."""
    proof = Proof().using(arms_lemma(), interval_lemma())
    proof.says(
        "both neighbours x′ lie within LS(x)", "LS(x) ≥ |H(x,x) − H(x′,x)| = H(x,x′): take r = x in its definition"
    )
    proof.says("so the set {H ≤ LS(x)} holds a−1, a, a+1 as far as they exist", "a larger interval has a larger Pr")
    return proof.checks(
        "interval law at lo = a−1, hi = a+1; at a = 0 or a = n a term drops, which only helps",
        "1 − ½q − ½q² is the bound",
        laplace_interval(2, 1, 0, 2) == ONE and laplace_interval(4, 2, 1, 3) == promised(),
    )


@check("acc.4.2.closed", grid=DEFAULT, wide=WIDE)
def closed(context: Context) -> Outcome:
    """Decides the theorem with H ≤ LS(x)."""
    return closed_proof().settle(CLOSED.run(points(context.grid)))
