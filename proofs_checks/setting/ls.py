"""Checks on the local sensitivity: its reduction to adjacent pairs, and the draft's Statements I to III."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import fmpq, fmpq_mpoly, fmpq_poly

from dpaudit.claims import Context, Grid, Outcome, Proof, Step, annotate, check, scan, step, variables
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import Histogram, Model, make_model, neighbors
from proofs_checks.coq import THEOREMS
from proofs_checks.points import Prior, adjacent_pairs, model_at, priors
from proofs_checks.setting.exact import distance, local_exact
from proofs_checks.setting.lemmas import outward_lemma

REDUCTION = Statement("|H(x,r) − H(x′,r)|", "<=", "H(x,x′)")
GROWS = Statement("H(x,x+1)", "<", "H(x+1,x+2)")
RIGHT_STEP = Statement("LS(x)", "=", "H(x,x+1)")
ABOVE_BALANCED = Statement("LS(x)", ">", "LS(x₀)")
NOT_BELOW_BALANCED = Statement("LS(x)", ">=", "LS(x₀)")
TIMES = 1
"""The claimed multiple of H(x,x′)."""
REDUCTION_PRIORS = priors("1 1", "1/2 1/2", "1/10 3")
REDUCTION_PRIORS_3 = priors("1 1 1", "1/2 1 2")
UNIFORM = priors("1 1")


@check(
    "ls.reduction",
    grid="for all n, k and priors; listed for k = 2, n ≤ 6, three priors and k = 3, n ≤ 3, two priors",
    weight=3,
)
def ls_reduction(ctx: Context) -> Outcome:
    """LS(x) = max over adjacent x′ of H(x,x′), attained at r = BI(x) (P1 §6.1, A3 §7.1, D2 II)."""
    s, t = variables("s", "t")
    half = fmpq(1, 2)
    proof = Proof().equal(
        "s = √f, t = √g", "½(s − t)² = ½s² + ½t² − st", half * (s - t) ** 2, half * s**2 + half * t**2 - s * t
    )
    proof.says("integrated", "½∫(√f − √g)² = ½ + ½ − BC = H(f,g)², as densities have integral 1: H = ‖√f − √g‖/√2")
    proof.knows("triangle inequality", "of the norm of L²: |H(x,r) − H(x′,r)| ≤ H(x,x′) for every r")
    proof.cases(
        "H(x,x)",
        "the exact BC²(x,x) is 1, so H(x,x) = 0",
        "every x of n = 1…6, three priors",
        lambda: all(at_itself(prior) for prior in REDUCTION_PRIORS),
    )
    proof.says("attained", "at r = BI(x), a candidate: |H(x,x) − H(x′,x)| = H(x,x′): no bound below 1·H(x,x′) holds")
    proof.requires("the claimed multiple of H(x,x′) is 1", TIMES == 1).concludes(REDUCTION, "<=")
    proof.formal(THEOREMS["ls.reduction"])
    grid = Grid(n=range(1, 7), prior=REDUCTION_PRIORS) + Grid(n=range(1, 4), prior=REDUCTION_PRIORS_3)
    words = f"every x, adjacent x′ and r, ties exactly at r = x, x′: {grid}"
    far = "far out: n = 300, x = 1, x′ = 2 and x = 150, x′ = 151, every 15th r"
    return proof.settle(
        (words, scan(REDUCTION, reduction_batches(grid, all_three))),
        (far, scan(REDUCTION, reduction_batches(Grid(n=[300], prior=REDUCTION_PRIORS), some_three))),
    )


def at_itself(prior: Prior) -> bool:
    """Whether BC²(x,x) = 1 exactly, for all x of n = 1…6."""
    models = [make_model(n, prior=prior) for n in range(1, 7)]
    found = [bc_squared(model, x, x) for model in models for x in model.histograms]
    return all(bc2.rational == 1 and not bc2.constants for bc2 in found)


Three = tuple[Histogram, Histogram, Histogram]


def all_three(model: Model) -> list[Three]:
    """Every x, adjacent x′ and r."""
    return [(x, y, r) for x, y in adjacent_pairs(model) for r in model.histograms]


def some_three(model: Model) -> list[Three]:
    """Two adjacent pairs of a large n with every 15th r that is neither x nor x′."""
    pairs = [(at(model, i), at(model, i + 1)) for i in (1, 150)]
    return [(x, y, r) for x, y in pairs for r in model.histograms[::15] if r not in (x, y)]


def reduction_batches(grid: Grid, chosen: Callable[[Model], Sequence[Three]]) -> Batches:
    """Yields |H(x,r) − H(x′,r)| against H(x,x′) for the chosen x, x′ and r; r = x and r = x′ are ties."""

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        for x, y, r in chosen(model):
            yield (x, y, r), abs(h.between(x, r) - h.between(y, r)), TIMES * h.between(x, y)

    def tie(model: Model, tag: Three) -> bool | None:
        return TIMES == 1 if tag[2] in tag[:2] else None

    return over(grid, model_at, sides, ("x", "x′", "r"), tie)


# ------------------------------------------------------------------ Statements I to III, prior (1,1)


def first_upper(n: int) -> int:
    """The balanced point from which Statement II is claimed: n/2, or (n+1)/2 for odd n."""
    return (n + 1) // 2


def balanced_points(n: int) -> tuple[int, ...]:
    """x₀: n/2, or both (n−1)/2 and (n+1)/2 for odd n."""
    return tuple(sorted({n // 2, (n + 1) // 2}))


def at(model: Model, x: int) -> Histogram:
    """The histogram of x ones among n records."""
    return (x, model.n - x)


@check("ls.statement-1", grid="for all n ≥ 1; listed for n = 2…40 and 300")
def statement_1(ctx: Context) -> Outcome:
    """H(x,x+1) < H(x+1,x+2) from the balanced point on, prior (1,1) (D2 Statement I)."""
    proof = outward_lemma().says("x ≥ x₀", "x ≥ (n−1)/2, so u − v = 2x + 2 − n ≥ 1 > 0 for α₁ = α₂, at every n")
    where = "2x₀ + 2 − n > 0 at the lower of the claimed x₀"
    proof.cases("x₀", where, "n ≤ 1000", lambda: all(2 * balanced_points(n)[0] + 2 - n > 0 for n in range(1, 1001)))
    proof.concludes(GROWS, "<")

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        for x in range(balanced_points(model.n)[0], model.n - 1):
            a, b, c = (at(model, x + i) for i in range(3))
            yield x, h.between(a, b), h.between(b, c)

    listed = scan(GROWS, over(Grid(n=(*range(2, 41), 300), prior=UNIFORM), model_at, sides, ("x",)))
    return proof.settle(("every x₀ ≤ x ≤ n−2, n = 2…40 and 300", listed))


ROOT = -1
"""The inequality is claimed exactly for n above it."""


def printed_sides(n: fmpq_mpoly) -> tuple[fmpq_mpoly, fmpq_mpoly]:
    """Both sides of the inequality that the proof of Statement I ends in, as printed."""
    return (n - 1) ** 2 * (n + 2) * (n + 4), (n + 3) ** 2 * n * (n - 2)


@check("ls.statement-1.algebra", grid="for all real n")
def statement_1_algebra(ctx: Context) -> Outcome:
    """(n−1)²(n+2)(n+4) > (n+3)²n(n−2) exactly when n > −1 (D2 Statement I)."""
    (n,) = variables("n")
    left, right = printed_sides(n)
    text = f"({left}) − ({right}) = {left - right} is 8·(n − ({ROOT}))"
    proof = Proof().equal("left − right, expanded", text, left - right, 8 * (n - ROOT))
    return proof.says("sign", f"that is > 0 exactly when n > {ROOT}").outcome(
        "the difference of the two sides is 8(n+1)"
    )


@check("ls.statement-2", grid="for all n ≥ 1; listed for n = 1…40, 200, 201")
def statement_2(ctx: Context) -> Outcome:
    """LS(x) = H(x,x+1) for x₀ ≤ x < n, prior (1,1) (D2 Statement II)."""
    proof = outward_lemma()
    proof.says("LS(x)", "max of H(x−1,x) and H(x,x+1); the two pairs of the lemma, one step lower: u − v = 2x − n")
    proof.says("x ≥ n/2", "u − v ≥ 0, so H(x−1,x) ≤ H(x,x+1), with equality exactly at x = n/2")
    proof.cases(
        "x₀",
        "2x₀ − n ≥ 0 at the claimed start x₀",
        "n ≤ 1000",
        lambda: all(2 * first_upper(n) - n >= 0 for n in range(1, 1001)),
    )
    proof.concludes(RIGHT_STEP, "=")
    listed = scan(RIGHT_STEP, right_batches((*range(1, 41), 200, 201), first_upper))
    lower = scan(RIGHT_STEP, right_batches(range(3, 10, 2), lambda n: n // 2))
    return annotate(
        proof.settle(("exactly, on BC²: every n/2 ≤ x < n, n = 1…40, 200, 201", listed)),
        ("for odd n also at the lower balanced point (n−1)/2", lower),
    )


def right_batches(sizes: Sequence[int], start: Callable[[int], int]) -> Batches:
    """Yields LS(x) against H(x,x+1) for x from start(n) to n−1; equality is decided on BC²."""

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        for x in range(start(model.n), model.n):
            yield x, h.local(at(model, x)), h.between(at(model, x), at(model, x + 1))

    def tie(model: Model, x: int) -> bool:
        return local_exact(model, at(model, x)) == bc_squared(model, at(model, x), at(model, x + 1))

    return over(Grid(n=sizes, prior=UNIFORM), model_at, sides, ("x",), tie)


@check(
    "ls.statement-3",
    grid=Grid("every x that is no balanced point", n=range(1, 41), prior=UNIFORM),
    uses=["ls.statement-1", "ls.statement-2"],
)
def statement_3(ctx: Context) -> Outcome:
    """LS(x) > LS(x₀) for every x that is not a balanced point, prior (1,1) (D2 Statement III)."""
    grid, n = Grid(n=range(4, 41), prior=UNIFORM), fmpq_poly([0, 1])
    proof = ctx.proof()
    proof.uses("ls.statement-2", "x₀ < x < n: LS(x) = H(x,x+1) and LS(x₀) = H(x₀,x₀+1); below x₀ by symmetry")
    proof.uses("ls.statement-1", "so LS(x) > LS(x₀)")
    proof.says("x = n", "LS(n) = H(n−1,n) = LS(n−1), which is > LS(x₀) as soon as n−1 is no balanced point")
    text = "n−1 > (n+1)/2 exactly when n > 3: 2(n−1) − (n+1) = n − 3"
    proof.equal("n ≥ 4", text, 2 * (n - 1) - (n + 1), fmpq_poly([-3, 1]))
    return annotate(
        scan(ABOVE_BALANCED, balanced_batches(ctx.grid)),
        ("for n ≥ 4", proof.settle((str(grid), scan(ABOVE_BALANCED, balanced_batches(grid))))),
        ("with ≥ instead of >", scan(NOT_BELOW_BALANCED, balanced_batches(ctx.grid))),
    )


def balanced_batches(grid: Grid) -> Batches:
    """Yields LS(x) against LS(x₀) for every x that is no balanced point; ties are decided on BC²."""

    def middle(model: Model) -> Histogram:
        return at(model, balanced_points(model.n)[0])

    def sides(model: Model) -> Sides:
        h = Hellinger(model)
        for x in range(model.n + 1):
            if x not in balanced_points(model.n):
                yield x, h.local(at(model, x)), h.local(middle(model))

    def tie(model: Model, x: int) -> bool:
        return local_exact(model, at(model, x)) == local_exact(model, middle(model))

    def steps(model: Model, x: int) -> list[Step]:
        return [*local_steps(model, at(model, x), "x"), *local_steps(model, middle(model), "x₀")]

    return over(grid, model_at, sides, ("x",), tie, steps)


def local_steps(model: Model, x: Histogram, name: str) -> list[Step]:
    """LS with its steps: the distance of every neighbor, and the largest."""
    lines = []
    for y in neighbors(x):
        bc2 = bc_squared(model, x, y)
        lines.append(step(f"{name} = {x} and {y}", f"BC² = {bc2}, H = √(1 − √BC²)", distance(bc2)))
    return [*lines, step(f"LS({name})", "the largest of these", distance(local_exact(model, x)))]
