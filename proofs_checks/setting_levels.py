"""Checks on level sets: how many candidates lie at the same distance from the data, and with which probability."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

from dpaudit.mechanisms import make_mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.rationals import Exact
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import Histogram, Model, hamming, make_model
from proofs_checks.algebra import variables
from proofs_checks.core import Batch, Sides, Statement, scan
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import Outcome, Step
from proofs_checks.registry import Context, check
from proofs_checks.setting_tools import Level, Proof, distance, farther_lemma, found, levels, with_sanity

HALF_OF_LEVEL = Statement("Pr[z = r]", "=", "½·Pr[H(x,z) = H(x,r)]")
EXACTLY_TWO = Statement("number of candidates at H(x,r)", "=", "1 at distance 0, else 2")
AT_MOST_TWO = Statement("number of candidates at H(x,r)", "<=", "2")
SAME_STEPS = Statement("H(x,r)", "=", "H(x,r′)")
HALF = Fraction(1, 2)
PRIORS = ((1, 1), (HALF, HALF), (1, 2), (Fraction(1, 10), 1), (Fraction(1, 3), Fraction(2, 3)))
STEP_PRIORS = ((1, 1), (1, 1, 1), (1, 2), (1, 1, 2))


def level_of(model: Model, x: Histogram, r: Histogram) -> Level:
    """Returns the level set of r seen from x."""
    return next(level for level in levels(model, x) if r in level.members)


def everywhere(model: Model, x: Histogram, r: Histogram) -> bool:
    """Selects every data set and candidate."""
    return True


def apart(model: Model, x: Histogram, r: Histogram) -> bool:
    """Selects the candidates other than the true posterior."""
    return r != x


def balanced(model: Model, x: Histogram, r: Histogram) -> bool:
    """Selects a posterior with equal parameters, and the candidates other than it."""
    return r != x and model.prior[0] + x[0] == model.prior[1] + x[1]


Select = Callable[[Model, Histogram, Histogram], bool]


# ------------------------------------------------------------------ counts, k = 2


def count_batches(grid: Grid, select: Select, wanted: Callable[[Histogram, Histogram], int]) -> Iterator[Batch]:
    """Yields the exact size of the level set of every r against ``wanted``."""
    for point in grid:
        model = make_model(point.n, prior=point.prior)

        def sides(model: Model = model) -> Sides:
            for x in model.histograms:
                sizes = {r: level.count for level in levels(model, x) for r in level.members}
                for r in model.histograms:
                    if select(model, x, r):
                        yield (x, r), ball(sizes[r]), ball(wanted(x, r))

        def steps(tag: tuple[Histogram, Histogram], model: Model = model) -> list[Step]:
            return level_steps(model, tag[0])

        yield Batch({"n": point.n, "prior": point.prior}, sides, ("x", "r"), steps=steps)


def level_steps(model: Model, x: Histogram) -> list[Step]:
    """Returns every level set of x with its distance."""
    return [
        step(f"distance from x = {x} of {', '.join(map(str, level.members))}", f"BC² = {level.bc2}", level.distance())
        for level in levels(model, x)
    ]


def one_or_two(x: Histogram, r: Histogram) -> int:
    """Returns the claimed size: 1 at distance 0, else 2."""
    return 1 if r == x else 2


def two(x: object, r: object) -> int:
    """Returns the claimed bound: 2."""
    return 2


@check("level.two", grid=Grid("every x and r", n=range(1, 9), prior=PRIORS))
def level_two(ctx: Context) -> Outcome:
    """One candidate at distance 0, two at every other attained distance, k = 2 (A3 proof of Lemma 5.3)."""
    grid = Grid("every x with equal Beta parameters and every r ≠ BI(x)", n=range(2, 21), prior=PRIORS[:3])
    holds = scan(EXACTLY_TWO, count_batches(grid, balanced, one_or_two))
    outcome = scan(EXACTLY_TWO, count_batches(ctx.grid, everywhere, one_or_two))
    mirror = scan(EXACTLY_TWO, count_batches(Grid(n=range(2, 21, 2), prior=[(1, 1)]), balanced, one_or_two))
    words = "balanced x, prior (1,1), n = 2, 4, …, 20"
    return outcome.having(found(words, mirror), [mirror.part(words), holds.part(str(grid))])


@check(
    "level.at-most-two",
    grid="for all n and all priors, k = 2; counted exactly for n = 1…12 and five priors",
    wide="for all n and all priors, k = 2; counted exactly for n = 1…40 and five priors",
)
def level_at_most_two(ctx: Context) -> Outcome:
    """Never more than two candidates at one distance, k = 2 (A3 proof of Lemma 5.3)."""
    proof = Proof()
    farther_lemma(proof)
    proof.cites(
        "k = 2", "s steps to one side of x move one cell up and the other down: H(x, ·) grows strictly on each side"
    )
    proof.cites("so", "each side has at most one candidate at a given distance, both together at most 1 + 1")
    c1, c2 = variables("c1", "c2")
    proof.holds(
        "the bound",
        "that the claim names is 1 + 1, the counts of x and r being symbols",
        lambda: two((c1, c2), (c2, c1)) == 1 + 1 == two((c1, c2), (c1, c2)),
    )
    proof.concludes(AT_MOST_TWO, "<=")
    grid = Grid(n=range(1, 41 if ctx.wide else 13), prior=PRIORS)
    far = scan(AT_MOST_TWO, far_counts(200))
    counted = scan(AT_MOST_TWO, count_batches(grid, everywhere, two))
    outcome = with_sanity(proof.outcome(), counted, f"level sets counted exactly: {grid}")
    return with_sanity(outcome, far, "far out: x = 0, 1 and the balanced x of n = 200, the same priors")


def far_counts(n: int) -> Iterator[Batch]:
    """Yields the exact size of every level set of three data sets of n records against the claimed bound."""
    for prior in PRIORS:
        model = make_model(n, prior=prior)

        def sides(model: Model = model) -> Sides:
            for c in (0, 1, n // 2):
                x = (c, n - c)
                sizes = Counter(bc_squared(model, x, r) for r in model.histograms)
                for r in model.histograms[:: n // 4]:
                    yield (x, r), ball(max(sizes.values())), ball(two(x, r))

        yield Batch({"n": n, "prior": prior}, sides, ("x", "r"))


@check(
    "level.same-steps", grid=Grid("every x and every r, r′ equally many steps from x", n=range(1, 9), prior=STEP_PRIORS)
)
def level_same_steps(ctx: Context) -> Outcome:
    """Candidates at the same number of steps have the same distance (P1 §5.4.1)."""
    uniform2 = scan(SAME_STEPS, step_batches(Grid(n=range(1, 9), prior=[(1, 1)]), everywhere))
    uniform3 = scan(SAME_STEPS, step_batches(Grid(n=range(1, 9), prior=[(1, 1, 1)]), everywhere))
    middle = scan(SAME_STEPS, step_batches(Grid(n=range(2, 21, 2), prior=[(1, 1)]), balanced))
    words = "balanced x, k = 2, prior (1,1), n = 2, 4, …, 20 (the paper's own example)"
    parts = [uniform2.part("prior (1,1)"), uniform3.part("prior (1,1,1)"), middle.part(words)]
    return scan(SAME_STEPS, step_batches(ctx.grid, everywhere)).having(found(words, middle), parts)


def step_batches(grid: Grid, select: Select) -> Iterator[Batch]:
    """Yields H(x,r) against H(x,r′) for all r, r′ equally many steps from x; ties are decided on BC²."""
    for point in grid:
        model = make_model(point.n, prior=point.prior)

        def sides(model: Model = model) -> Sides:
            h = Hellinger(model)
            for x in model.histograms:
                chosen = [r for r in model.histograms if select(model, x, r)]
                for i, r in enumerate(chosen):
                    for s in chosen[i + 1 :]:
                        if hamming(x, r) == hamming(x, s):
                            yield (x, r, s), h.between(x, r), h.between(x, s)

        def tie(tag: tuple[Histogram, Histogram, Histogram], model: Model = model) -> bool:
            return bc_squared(model, tag[0], tag[1]) == bc_squared(model, tag[0], tag[2])

        def steps(tag: tuple[Histogram, Histogram, Histogram], model: Model = model) -> list[Step]:
            x, *others = tag
            lines = [step("steps", "½‖x − r‖₁ = ½‖x − r′‖₁", hamming(x, others[0]))]
            for name, r in zip(("r", "r′"), others, strict=True):
                bc2 = bc_squared(model, x, r)
                lines.append(step(f"H(x,{name}), {name} = {r}", f"BC² = {bc2}, √(1 − √BC²)", distance(bc2)))
            return lines

        yield Batch({"n": point.n, "prior": point.prior}, sides, ("x", "r", "r′"), tie, steps)


# ------------------------------------------------------------------ probabilities


def chance(model: Model, eps: Fraction | int, mech: str) -> Callable[[Histogram], list[Ball]]:
    """Returns x ↦ the distribution of MH or MHdelta (δ = 10⁻⁸) at the precision in force."""
    options: dict[str, Exact | None] = {"delta": "1e-8"} if mech == "MHdelta" else {}
    law = make_mechanism(mech, model, str(eps), options).law()
    return lambda x: list(law.probabilities(x))


@check("level.half", grid=Grid("MHdelta, δ = 1/100000000; every x and r", n=range(1, 9), eps=[1], prior=PRIORS))
def level_half(ctx: Context) -> Outcome:
    """Pr[z = r] = ½·Pr[H(x,z) = H(x,r)] for every r (P1 proof of Lemma 4.1)."""
    other = scan(HALF_OF_LEVEL, half_batches(ctx.grid, apart))
    grid = Grid(n=range(2, 9, 2), eps=[1], prior=[(1, 1)])
    middle = scan(HALF_OF_LEVEL, half_batches(grid, balanced))
    first, second = "for every r ≠ BI(x)", "for r ≠ BI(x) and balanced x, prior (1,1), n = 2, 4, 6, 8"
    words = f"{found(first, other)}; {found(second, middle)}"
    outcome = scan(HALF_OF_LEVEL, half_batches(ctx.grid, everywhere))
    return outcome.having(words, [other.part(first), middle.part(second)])


def half_batches(grid: Grid, select: Select) -> Iterator[Batch]:
    """Yields Pr[z = r] against half the probability of its level set; equal exactly if two candidates are there."""
    for point in grid:
        model = make_model(point.n, prior=point.prior)

        def sides(model: Model = model, eps: int = point.eps) -> Sides:
            row = chance(model, eps, "MHdelta")
            for x in model.histograms:
                probability = dict(zip(model.histograms, row(x), strict=True))
                for level in levels(model, x):
                    whole = balls.total([probability[r] for r in level.members])
                    for r in level.members:
                        if select(model, x, r):
                            yield (x, r), probability[r], whole / 2

        def tie(tag: tuple[Histogram, Histogram], model: Model = model) -> bool:
            return level_of(model, *tag).count == 2

        def steps(tag: tuple[Histogram, Histogram], model: Model = model, eps: int = point.eps) -> list[Step]:
            x, r = tag
            row = dict(zip(model.histograms, chance(model, eps, "MHdelta")(x), strict=True))
            level = level_of(model, x, r)
            lines = [*level_steps(model, x), *(step(f"Pr[z = {s}]", "", p) for s, p in row.items())]
            return [*lines, step("candidates at H(x,r)", ", ".join(map(str, level.members)), level.count)]

        where = {"n": point.n, "prior": point.prior, "eps": point.eps}
        yield Batch(where, sides, ("x", "r"), tie, steps)
