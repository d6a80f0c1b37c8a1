"""Theorems 4.2 and 4.5 of N0 and N4: every bound that the documents state as a comparison, and the checks of 4.5."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dpaudit.claims import Context, Grid, Outcome, Proof, annotate, check
from dpaudit.studies.accuracy.bounds import BOUNDS, Bound, InSteps
from proofs_checks.accuracy.far import far_rows
from proofs_checks.accuracy.rows import below_ls, separated, within_ls
from proofs_checks.accuracy.sides import (
    EHD,
    EHDL,
    LSHIST,
    Comparison,
    Sets,
    balanced_x,
    equal,
    every_x,
    from_form,
    unequal,
)
from proofs_checks.points import priors, rationals

PRIORS = priors("1 1", "1/2 1/2", "2 2", "1/100 1/100", "10 10", "1 2", "2 1", "1 1/2")
EPS = rationals("1 1/2 2 1/4 1/10 1/100 5 16")
BALANCED_WORDS = (
    "x = (n/2, n/2), every separating t; verdict over the equal priors (α, α), because balanced data with an unequal "
    "prior have no balanced posterior: those are a part of their own"
)
EVERY_WORDS = "every data set x, every separating t, ties by BC²"
BALANCED = Grid(BALANCED_WORDS, n=range(2, 31, 2), prior=PRIORS, eps=EPS).wider(n=[*range(2, 81, 2), 100, 200])
EVERY = Grid(EVERY_WORDS, n=range(1, 9), prior=PRIORS, eps=EPS).wider(n=range(1, 31))
EQUAL_PRIORS = "for every equal prior (α, α)"
"""What a verdict on balanced data speaks of: with an unequal prior the posterior of balanced data is not balanced."""
RELATIONS = {"≥": ">=", "≤": "<="}
SIDES = {"LSHist": LSHIST, "EHD": EHD, "EHDL": EHDL}
SETS: dict[str, Sets] = {
    "< t": separated,
    "< LS(x)": lambda model, a: [below_ls(model, a)],
    "≤ LS(x)": lambda model, a: [within_ls(model, a)],
}


def comparison_of(bound: Bound) -> Comparison:
    """What the bound states: the mechanism's probability against the documents' formula."""
    name, relation = bound.mechanisms[0], RELATIONS.get(bound.relation, bound.relation)
    left = replace(SIDES[name], meaning=f"Pr[H {bound.threshold}] of {name}")
    data = balanced_x if bound.data == "balanced" else every_x
    closeness = "ratio" if isinstance(bound.form, InSteps) else "difference"
    right, sets = from_form(bound.words, bound.form), SETS[bound.threshold]
    return Comparison(left, relation, right, data, sets, closeness=closeness, threshold=bound.threshold)


STATED = {b.claim: comparison_of(b) for b in BOUNDS if b.mechanisms[0] in SIDES and not b.of_tail}
"""The comparison of every claim."""


def every(claim: str, finding: str = "") -> None:
    """Makes the check of a bound on every data set."""

    @check(claim, grid=EVERY)
    def decide(context: Context) -> Outcome:
        return STATED[claim].run(context.grid, finding=finding)


def balanced(claim: str, prove: Callable[[Comparison], Proof] | None = None) -> None:
    """Makes the check of a bound on balanced data, with its proof for every n if there is one."""

    @check(claim, grid=BALANCED)
    def decide(context: Context) -> Outcome:
        return balanced_outcome(STATED[claim], context, prove)


def balanced_outcome(
    comparison: Comparison, context: Context, prove: Callable[[Comparison], Proof] | None = None
) -> Outcome:
    """The verdict over the equal priors, with the unequal ones as a part."""
    found = comparison.run(context.grid, equal)
    if prove is not None:
        found = prove(comparison).settle(("", found), ("single rows far out", far_rows(comparison)))
        found = found.having("; ".join(filter(None, (EQUAL_PRIORS, found.finding))))
    return annotate(found, ("with unequal priors", comparison.run(context.grid, unequal)))
