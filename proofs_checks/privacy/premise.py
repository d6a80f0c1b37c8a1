"""The draft's proof that EHDL is not private: does the case that it picks occur, and what follows there?"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from dpaudit.claims import Context, Grid, Outcome, Proof, Step, annotate, check, scan, search, step, variables
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.numbers.balls import ball
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import Histogram, Model, neighbors
from proofs_checks.points import Pair, model_at, priors
from proofs_checks.setting.exact import distance, exactly_less, local_exact, smallest
from proofs_checks.setting.lemmas import adjacent_lemma, farther_lemma

SMALLER = Statement("LS(y)", "<", "LS(x)")
ABOVE_TWO = Statement("−H(x,y)/LS(x) + H(x,y)/LS(y)", ">", "2")
PRIORS_2 = priors("1 1", "1/2 1/2", "1 2", "1/10 1", "1/2 1")
PRIORS_3 = priors("1 1 1", "1/2 1/2 1/2", "1 1 2", "1 2 3", "1/10 1 1")
PAIRS = "every ordered adjacent pair with BI(x) farthest from y and LS(y) = H(x,y)"
BETA = Grid(PAIRS, n=range(1, 13), prior=PRIORS_2).wider(n=range(1, 31))
DIRICHLET = Grid(PAIRS, n=range(1, 4), prior=PRIORS_3).wider(n=range(1, 7))


@lru_cache(maxsize=256)
def case_pairs(model: Model) -> list[Pair]:
    """The ordered adjacent pairs with BI(x) a farthest candidate from y and LS(y) = H(x,y), exactly."""
    chosen = []
    for y in model.histograms:
        farthest = smallest([bc_squared(model, y, r) for r in model.histograms])
        local = local_exact(model, y)
        if farthest == local:
            chosen += [(x, y) for x in neighbors(y) if bc_squared(model, y, x) == local]
    return chosen


def premise_batches(grid: Grid) -> Batches:
    """Yields LS(y) against LS(x) for those pairs; equality is decided on BC²."""

    def sides(model: Model) -> Sides:
        for x, y in case_pairs(model):
            yield (x, y), distance(local_exact(model, y)), distance(local_exact(model, x))

    def tie(model: Model, tag: Pair) -> bool:
        return local_exact(model, tag[0]) == local_exact(model, tag[1])

    return over(grid, model_at, sides, ("x", "y"), tie, lambda model, tag: case_steps(model, *tag))


def case_steps(model: Model, x: Histogram, y: Histogram) -> list[Step]:
    """The distances from x to its neighbors and from y to every candidate."""
    pairs = [("y", y, r) for r in model.histograms] + [("x", x, r) for r in neighbors(x)]
    found = [(name, r, bc_squared(model, c, r)) for name, c, r in pairs]
    lines = [step(f"H({name},{r})", f"BC² = {bc2}", distance(bc2)) for name, r, bc2 in found]
    return [
        *lines,
        step("LS(x)", "the largest H(x,x′)", distance(local_exact(model, x))),
        step("LS(y) = H(x,y)", "the largest H(y,y′)", distance(local_exact(model, y))),
    ]


@check("ehdl.premise.beta", grid=BETA, weight=2)
def premise_beta(ctx: Context) -> Outcome:
    """k = 2: adjacent x, y with LS(y) < LS(x), BI(x) farthest from y, LS(y) = H(x,y) (D2 §1.2.2)."""
    proof = farther_lemma()
    proof.says("k = 2", "H(y, ·) grows strictly on both sides of y, so a farthest candidate is an end, 0 or n")
    proof.says("x is farthest and adjacent", "x is an end and y its only neighbor: LS(x) = H(x,y)")
    proof.says("so", "LS(x) = H(x,y) ≤ LS(y), which contradicts LS(y) < LS(x): the case never occurs, any n and prior")
    proof.requires("LS(x) ≤ LS(y) excludes the claimed relation of LS(y) and LS(x)", SMALLER.relation == "<")
    return proof.excludes(search(SMALLER, premise_batches(ctx.grid)))


@check("ehdl.premise.dirichlet", grid=DIRICHLET)
def premise_dirichlet(ctx: Context) -> Outcome:
    """The same for k ≥ 3, any prior (D2 §1.2.2)."""
    proof = farther_lemma().using(adjacent_lemma())
    proof.says(
        "n ≥ 2", "a farthest candidate x that is adjacent to y needs y = (n−1, 1, 0, …), x = (n, 0, …) up to order"
    )
    proof.says("but", "(0, 0, n, …) is farther from y: cell by cell its factor is smaller, or not larger")
    proof.says("second cell", "1 → 0, as for x; third cell 0 → n against 0 → 0, a factor < 1 against 1")
    proof.says("first cell, n ≥ 3", "n−1 steps down: factor at most that of one step down, g(a−1), a = α₁ + n − 1")
    proof.says("first cell, n = 2", "one step down, g(a−1), against one step up, g(a)")
    proof.says("so", "g(a−1) < g(a) by one step of g: the first cell's factor is smaller for every n ≥ 2")
    grid = Grid(PAIRS, n=range(2, 7 if ctx.wide else 4), prior=PRIORS_3)
    uniform = search(SMALLER, premise_batches(Grid(PAIRS, n=range(1, 5), prior=[(1, 1, 1)])))
    return annotate(
        search(SMALLER, premise_batches(ctx.grid)),
        ("the case at n ≥ 2", proof.excludes(search(SMALLER, premise_batches(grid)))),
        ("the case at prior (1,1,1), n ≤ 4", uniform),
    )


@check("ehdl.algebra", grid=DIRICHLET)
def algebra(ctx: Context) -> Outcome:
    """Wherever that case occurs, −H(x,y)/LS(x) + H(x,y)/LS(y) > 2 (D2 §1.2.2)."""
    h, inverse = variables("h", "inverse")
    text = "the expression at LS(y) = h and 1/LS(x) = i is 1 − h·i = 1 − LS(y)/LS(x)"
    rule = Proof().holds("LS(y) = H(x,y) = h", text, lambda: expression(h, inverse, h) == 1 - h * inverse)
    rule.says("so", "with 0 < LS(y) < LS(x) it lies strictly between 0 and 1, never above 2")

    def sides(model: Model) -> Sides:
        for x, y in case_pairs(model):
            if exactly_less(local_exact(model, x), local_exact(model, y)):
                far = distance(bc_squared(model, x, y))
                value = expression(far, 1 / distance(local_exact(model, x)), distance(local_exact(model, y)))
                yield (x, y), value, ball(2)

    batches = over(ctx.grid, model_at, sides, ("x", "y"), steps=lambda model, tag: case_steps(model, *tag))
    return annotate(scan(ABOVE_TWO, batches), ("where it occurs it is 1 − LS(y)/LS(x) < 1, always", rule))


def expression(far: Any, inverse: Any, local_y: Any) -> Any:
    """−H(x,y)/LS(x) + H(x,y)/LS(y) from H(x,y), 1/LS(x) and LS(y); balls or symbols."""
    return -far * inverse + far / local_y
