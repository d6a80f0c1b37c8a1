"""The draft's proof that EHDL is not private: does the case that it picks occur, and what follows there?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import Histogram, Model, make_model, neighbours
from proofs_checks.algebra import variables
from proofs_checks.core import Batch, Sides, Statement, scan, search
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import BY_ALGEBRA, Outcome, Step
from proofs_checks.registry import Context, check
from proofs_checks.setting_tools import Proof, adjacent_lemma, distance, farther_lemma, found, local_exact, smallest

SMALLER = Statement("LS(y)", "<", "LS(x)")
ABOVE_TWO = Statement("−H(x,y)/LS(x) + H(x,y)/LS(y)", ">", "2")
HALF = Fraction(1, 2)
PRIORS_2 = ((1, 1), (HALF, HALF), (1, 2), (Fraction(1, 10), 1), (HALF, 1))
PRIORS_3 = ((1, 1, 1), (HALF, HALF, HALF), (1, 1, 2), (1, 2, 3), (Fraction(1, 10), 1, 1))
PAIRS = "every ordered adjacent pair with BI(x) farthest from y and LS(y) = H(x,y)"
BETA = Grid(PAIRS, n=range(1, 13), prior=PRIORS_2)
DIRICHLET = Grid(PAIRS, n=range(1, 4), prior=PRIORS_3)


def case_pairs(model: Model) -> list[tuple[Histogram, Histogram]]:
    """Returns the ordered adjacent pairs with BI(x) a farthest candidate from y and LS(y) = H(x,y), exactly."""
    chosen = []
    for y in model.histograms:
        farthest = smallest([bc_squared(model, y, r) for r in model.histograms])
        local = local_exact(model, y)
        if farthest == local:
            chosen += [(x, y) for x in neighbours(y) if bc_squared(model, y, x) == local]
    return chosen


def premise_batches(grid: Grid) -> Iterator[Batch]:
    """Yields LS(y) against LS(x) for those pairs; equality is decided on BC²."""
    for point in grid:
        model = make_model(point.n, prior=point.prior)
        pairs = case_pairs(model)

        def sides(model: Model = model, pairs: list[tuple[Histogram, Histogram]] = pairs) -> Sides:
            for x, y in pairs:
                yield (x, y), distance(local_exact(model, y)), distance(local_exact(model, x))

        def tie(tag: tuple[Histogram, Histogram], model: Model = model) -> bool:
            return local_exact(model, tag[0]) == local_exact(model, tag[1])

        def steps(tag: tuple[Histogram, Histogram], model: Model = model) -> list[Step]:
            return case_steps(model, *tag)

        yield Batch({"n": point.n, "prior": point.prior}, sides, ("x", "y"), tie, steps)


def case_steps(model: Model, x: Histogram, y: Histogram) -> list[Step]:
    """Returns the distances from x to its neighbours and from y to every candidate."""
    lines = [step(f"H(y,{r})", f"BC² = {bc_squared(model, y, r)}", _far(model, y, r)) for r in model.histograms]
    lines += [step(f"H(x,{r})", f"BC² = {bc_squared(model, x, r)}", _far(model, x, r)) for r in neighbours(x)]
    return [
        *lines,
        step("LS(x)", "the largest H(x,x′)", distance(local_exact(model, x))),
        step("LS(y) = H(x,y)", "the largest H(y,y′)", distance(local_exact(model, y))),
    ]


def _far(model: Model, x: Histogram, r: Histogram) -> Ball:
    return ball(0) if x == r else distance(bc_squared(model, x, r))


@check(
    "ehdl.premise.beta",
    grid=BETA,
    wide=Grid(PAIRS, n=range(1, 31), prior=PRIORS_2),
    weight=2,
)
def premise_beta(ctx: Context) -> Outcome:
    """k = 2: adjacent x, y with LS(y) < LS(x), BI(x) farthest from y, LS(y) = H(x,y) (D2 §1.2.2)."""
    proof = Proof()
    farther_lemma(proof)
    proof.cites("k = 2", "H(y, ·) grows strictly on both sides of y, so a farthest candidate is an end, 0 or n")
    proof.cites("x is farthest and adjacent", "x is an end and y its only neighbour: LS(x) = H(x,y)")
    proof.cites("so", "LS(x) = H(x,y) ≤ LS(y), which contradicts LS(y) < LS(x): the case never occurs, any n and prior")
    opposite = "LS(x) ≤ LS(y) excludes the claimed relation of LS(y) and LS(x)"
    proof.holds("the claim", f"{opposite}, {SMALLER.relation}", SMALLER.relation == "<")
    impossible = proof.outcome()
    outcome = search(SMALLER, premise_batches(ctx.grid))
    if outcome.verdict is not Verdict.UNWITNESSED:
        return outcome
    if impossible.verdict is not Verdict.PROVED:
        return outcome.having(impossible.finding)
    words = "the case cannot occur, for any n and any prior"
    never = replace(outcome, establishes=BY_ALGEBRA, steps=impossible.steps)
    return never.having(found(words, impossible), [outcome.part(f"searched: {ctx.grid}")])


@check("ehdl.premise.dirichlet", grid=DIRICHLET, wide=Grid(PAIRS, n=range(1, 7), prior=PRIORS_3))
def premise_dirichlet(ctx: Context) -> Outcome:
    """The same for k ≥ 3, any prior (D2 §1.2.2)."""
    proof = Proof()
    farther_lemma(proof)
    proof.cites(
        "n ≥ 2", "a farthest candidate x that is adjacent to y needs y = (n−1, 1, 0, …), x = (n, 0, …) up to order"
    )
    proof.cites("but", "(0, 0, n, …) is farther from y: cell by cell its factor is smaller, or not larger")
    proof.cites("second cell", "1 → 0, as for x; third cell 0 → n against 0 → 0, a factor < 1 against 1")
    proof.cites("first cell, n ≥ 3", "n−1 steps down: factor at most that of one step down, g(a−1), a = α₁ + n − 1")
    proof.cites("first cell, n = 2", "one step down, g(a−1), against one step up, g(a)")
    adjacent_lemma(proof)
    proof.cites("so", "g(a−1) < g(a) by one step of g: the first cell's factor is smaller for every n ≥ 2")
    rule = proof.outcome()
    grid = Grid(PAIRS, n=range(2, 7 if ctx.wide else 4), prior=PRIORS_3)
    later = search(SMALLER, premise_batches(grid))
    outcome = search(SMALLER, premise_batches(ctx.grid))
    uniform = search(SMALLER, premise_batches(Grid(PAIRS, n=range(1, 5), prior=[(1, 1, 1)])))
    words = f"{found('it cannot occur for n ≥ 2', rule)}; {found('prior (1,1,1), n ≤ 4', uniform)}"
    parts = [
        later.part(f"n ≥ 2: {grid}"),
        rule.part("it cannot occur for n ≥ 2"),
        uniform.part("prior (1,1,1), n = 1…4"),
    ]
    return outcome.having(words, parts)


@check("ehdl.algebra", grid=DIRICHLET, wide=Grid(PAIRS, n=range(1, 7), prior=PRIORS_3))
def algebra(ctx: Context) -> Outcome:
    """Wherever that case occurs, −H(x,y)/LS(x) + H(x,y)/LS(y) > 2 (D2 §1.2.2)."""
    h, inverse = variables("h", "inverse")
    proof = Proof()
    text = "the expression at LS(y) = h and 1/LS(x) = i is 1 − h·i = 1 − LS(y)/LS(x)"
    proof.holds("LS(y) = H(x,y) = h", text, lambda: expression(h, inverse, h) == 1 - h * inverse)
    proof.cites("so", "with 0 < LS(y) < LS(x) it lies strictly between 0 and 1, never above 2")
    rule = proof.outcome()

    def batches() -> Iterator[Batch]:
        for point in ctx.grid:
            model = make_model(point.n, prior=point.prior)
            pairs = [p for p in case_pairs(model) if occurs(model, *p)]

            def sides(model: Model = model, pairs: list[tuple[Histogram, Histogram]] = pairs) -> Sides:
                for x, y in pairs:
                    far = distance(bc_squared(model, x, y))
                    value = expression(far, 1 / distance(local_exact(model, x)), distance(local_exact(model, y)))
                    yield (x, y), value, ball(2)

            def steps(tag: tuple[Histogram, Histogram], model: Model = model) -> list[Step]:
                return case_steps(model, *tag)

            yield Batch({"n": point.n, "prior": point.prior}, sides, ("x", "y"), steps=steps)

    words = "where it occurs it is 1 − LS(y)/LS(x) < 1, always"
    return scan(ABOVE_TWO, batches()).having(found(words, rule), [rule.part(words)])


def expression(far: Any, inverse: Any, local_y: Any) -> Any:
    """Returns −H(x,y)/LS(x) + H(x,y)/LS(y) from H(x,y), 1/LS(x) and LS(y); balls or symbols."""
    return -far * inverse + far / local_y


def occurs(model: Model, x: Histogram, y: Histogram) -> bool:
    """Returns whether LS(y) < LS(x), exactly."""
    here, there = local_exact(model, x), local_exact(model, y)
    return here != there and smallest([here, there]) == here
