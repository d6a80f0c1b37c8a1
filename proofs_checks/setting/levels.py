"""Checks on level sets: how many candidates lie at the same distance from the data, and with which probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

from dpaudit.claims import Context, Grid, Outcome, Point, Step, annotate, check, scan, step, variables
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.rationals import Exact
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import Histogram, Model, hamming
from proofs_checks.coq import THEOREMS
from proofs_checks.points import model_at, priors
from proofs_checks.setting.exact import distance, level_of, levels
from proofs_checks.setting.lemmas import farther_lemma

HALF_OF_LEVEL = Statement("Pr[z = r]", "=", "½·Pr[H(x,z) = H(x,r)]")
EXACTLY_TWO = Statement("number of candidates at H(x,r)", "=", "1 at distance 0, else 2")
AT_MOST_TWO = Statement("number of candidates at H(x,r)", "<=", "2")
SAME_STEPS = Statement("H(x,r)", "=", "H(x,r′)")
PRIORS = priors("1 1", "1/2 1/2", "1 2", "1/10 1", "1/3 2/3")
WRITTEN_OUT = 40
"""The level sets of a data set are written out up to this n."""
STEP_PRIORS = priors("1 1", "1 1 1", "1 2", "1 1 2")


def everywhere(model: Model, x: Histogram, r: Histogram) -> bool:
    """Selects every data set and candidate."""
    return True


def apart(model: Model, x: Histogram, r: Histogram) -> bool:
    """Selects the candidates other than the true posterior."""
    return r != x


def balanced(model: Model, x: Histogram, r: Histogram) -> bool:
    """Selects a posterior with equal parameters, and the candidates other than it."""
    return r != x and model.prior[0] + x[0] == model.prior[1] + x[1]


def few(model: Model, x: Histogram, r: Histogram) -> bool:
    """Selects x = 0, 1 and n/2, and every candidate."""
    return x[0] in (0, 1, model.n // 2)


Wanted = Callable[[Model, Histogram, Histogram], bool]


# ------------------------------------------------------------------ counts, k = 2


def count_batches(grid: Grid, select: Wanted, wanted: Callable[[Histogram, Histogram], int]) -> Batches:
    """Yields the exact size of the level set of every r against ``wanted``."""

    def sides(model: Model) -> Sides:
        for x in model.histograms:
            chosen = [r for r in model.histograms if select(model, x, r)]
            sizes = Counter(bc_squared(model, x, r) for r in model.histograms) if chosen else Counter()
            for r in chosen:
                yield (x, r), ball(sizes[bc_squared(model, x, r)]), ball(wanted(x, r))

    def steps(model: Model, tag: tuple[Histogram, Histogram]) -> list[Step]:
        return level_steps(model, tag[0]) if model.n <= WRITTEN_OUT else []

    return over(grid, model_at, sides, ("x", "r"), steps=steps)


def level_steps(model: Model, x: Histogram) -> list[Step]:
    """Every level set of x with its distance."""
    return [
        step(f"distance from x = {x} of {', '.join(map(str, level.members))}", f"BC² = {level.bc2}", level.distance())
        for level in levels(model, x)
    ]


def one_or_two(x: Histogram, r: Histogram) -> int:
    """The claimed size: 1 at distance 0, else 2."""
    return 1 if r == x else 2


def two(x: object, r: object) -> int:
    """The claimed bound: 2."""
    return 2


@check("level.two", grid=Grid("every x and r", n=range(1, 9), prior=PRIORS))
def level_two(ctx: Context) -> Outcome:
    """One candidate at distance 0, two at every other attained distance, k = 2 (A3 proof of Lemma 5.3)."""
    grid = Grid("every x with equal Beta parameters and every r ≠ BI(x)", n=range(2, 21), prior=PRIORS[:3])
    mirror = Grid(n=range(2, 21, 2), prior=[(1, 1)])

    def at(grid: Grid, select: Wanted) -> Outcome:
        return scan(EXACTLY_TWO, count_batches(grid, select, one_or_two))

    found = annotate(at(ctx.grid, everywhere), ("balanced x, prior (1,1), n = 2, 4, …, 20", at(mirror, balanced)))
    return found.having(parts=[at(grid, balanced).part(str(grid))])


@check(
    "level.at-most-two",
    grid="for all n and all priors, k = 2; counted exactly for n = 1…12 and five priors",
    wide="for all n and all priors, k = 2; counted exactly for n = 1…40 and five priors",
)
def level_at_most_two(ctx: Context) -> Outcome:
    """Never more than two candidates at one distance, k = 2 (A3 proof of Lemma 5.3)."""
    c1, c2 = variables("c1", "c2")
    proof = farther_lemma().says(
        "k = 2", "s steps to one side of x move one cell up and the other down: H(x, ·) grows strictly on each side"
    )
    proof.says("so", "each side has at most one candidate at a given distance, both together at most 1 + 1")
    proof.requires(
        "the claimed bound is 1 + 1, the counts of x and r being symbols",
        lambda: two((c1, c2), (c2, c1)) == 1 + 1 == two((c1, c2), (c1, c2)),
    )
    proof.concludes(AT_MOST_TWO, "<=").formal(THEOREMS["level.at-most-two"])
    grid, far = Grid(n=range(1, 41 if ctx.wide else 13), prior=PRIORS), Grid(n=[200], prior=PRIORS)
    words = "far out: x = 0, 1 and the balanced x of n = 200, the same priors"
    return proof.settle(
        (f"level sets counted exactly: {grid}", scan(AT_MOST_TWO, count_batches(grid, everywhere, two))),
        (words, scan(AT_MOST_TWO, count_batches(far, few, two))),
    )


@check(
    "level.same-steps", grid=Grid("every x and every r, r′ equally many steps from x", n=range(1, 9), prior=STEP_PRIORS)
)
def level_same_steps(ctx: Context) -> Outcome:
    """Candidates at the same number of steps have the same distance (P1 §5.4.1)."""
    words = "balanced x, k = 2, prior (1,1), n = 2, 4, …, 20 (the paper's own example)"
    middle = scan(SAME_STEPS, step_batches(Grid(n=range(2, 21, 2), prior=[(1, 1)]), balanced))
    parts = [
        scan(SAME_STEPS, step_batches(Grid(n=range(1, 9), prior=[prior]), everywhere)).part(f"prior {shown}")
        for prior, shown in (((1, 1), "(1,1)"), ((1, 1, 1), "(1,1,1)"))
    ]
    return annotate(scan(SAME_STEPS, step_batches(ctx.grid, everywhere)), (words, middle)).having(parts=parts)


Three = tuple[Histogram, Histogram, Histogram]


def step_batches(grid: Grid, select: Wanted) -> Batches:
    """Yields H(x,r) against H(x,r′) for all r, r′ equally many steps from x; ties are decided on BC²."""

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        for x in model.histograms:
            chosen = [r for r in model.histograms if select(model, x, r)]
            for i, r in enumerate(chosen):
                for s in chosen[i + 1 :]:
                    if hamming(x, r) == hamming(x, s):
                        yield (x, r, s), h.between(x, r), h.between(x, s)

    def tie(model: Model, tag: Three) -> bool:
        return bc_squared(model, tag[0], tag[1]) == bc_squared(model, tag[0], tag[2])

    def steps(model: Model, tag: Three) -> list[Step]:
        x, *others = tag
        lines = [step("steps", "½‖x − r‖₁ = ½‖x − r′‖₁", hamming(x, others[0]))]
        for name, r in zip(("r", "r′"), others, strict=True):
            bc2 = bc_squared(model, x, r)
            lines.append(step(f"H(x,{name}), {name} = {r}", f"BC² = {bc2}, √(1 − √BC²)", distance(bc2)))
        return lines

    return over(grid, model_at, sides, ("x", "r", "r′"), tie, steps)


# ------------------------------------------------------------------ probabilities


def chances(model: Model, eps: Fraction | int, mech: str) -> Callable[[Histogram], dict[Histogram, Ball]]:
    """x ↦ the distribution of MH or MHdelta (δ = 10⁻⁸) at the precision in force."""
    options: dict[str, Exact | None] = {"delta": "1e-8"} if mech == "MHdelta" else {}
    law = make_mechanism(mech, model, str(eps), options).law()
    return lambda x: dict(zip(model.histograms, law.probabilities(x), strict=True))


@check("level.half", grid=Grid("MHdelta, δ = 1/100000000; every x and r", n=range(1, 9), eps=[1], prior=PRIORS))
def level_half(ctx: Context) -> Outcome:
    """Pr[z = r] = ½·Pr[H(x,z) = H(x,r)] for every r (P1 proof of Lemma 4.1)."""
    grid = Grid(n=range(2, 9, 2), eps=[1], prior=[(1, 1)])
    return annotate(
        scan(HALF_OF_LEVEL, half_batches(ctx.grid, everywhere)),
        ("for every r ≠ BI(x)", scan(HALF_OF_LEVEL, half_batches(ctx.grid, apart))),
        (
            "for r ≠ BI(x) and balanced x, prior (1,1), n = 2, 4, 6, 8",
            scan(HALF_OF_LEVEL, half_batches(grid, balanced)),
        ),
    )


def half_batches(grid: Grid, select: Wanted) -> Batches:
    """Yields Pr[z = r] against half the probability of its level set; equal exactly if two candidates are there."""

    def subject(point: Point) -> tuple[Model, Fraction]:
        return model_at(point), point.eps

    def sides(at: tuple[Model, Fraction]) -> Sides:
        model, row = at[0], chances(*at, "MHdelta")
        for x in model.histograms:
            probability = row(x)
            for level in levels(model, x):
                whole = balls.total([probability[r] for r in level.members])
                for r in level.members:
                    if select(model, x, r):
                        yield (x, r), probability[r], whole / 2

    def steps(at: tuple[Model, Fraction], tag: tuple[Histogram, Histogram]) -> list[Step]:
        x, level = tag[0], level_of(at[0], *tag)
        row = chances(*at, "MHdelta")(x)
        lines = [*level_steps(at[0], x), *(step(f"Pr[z = {s}]", "", p) for s, p in row.items())]
        return [*lines, step("candidates at H(x,r)", ", ".join(map(str, level.members)), level.count)]

    return over(grid, subject, sides, ("x", "r"), lambda at, tag: level_of(at[0], *tag).count == 2, steps)
