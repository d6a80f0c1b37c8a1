"""Checks of the two smooth sensitivities. The comparison is one of whole numbers; ties are common and exact."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Algebraic, Hellinger
from dpaudit.posterior.model import Histogram, Model, hamming, make_model, neighbours
from dpaudit.posterior.sensitivity import exp_smooth_all, local_all, smooth_all
from proofs_checks.algebra import variables
from proofs_checks.core import Batch, Sides, Statement, scan
from proofs_checks.grid import Grid
from proofs_checks.numbers import step
from proofs_checks.outcome import Outcome, Step
from proofs_checks.registry import Context, check
from proofs_checks.setting_tools import Proof, distance, local_exact, moves, with_sanity

AT_LEAST_LOCAL = Statement("LS(x)", "<=", "S(x)")
SMOOTH = Statement("1/S(x) − 1/S(x′)", "<=", "γ")
SMOOTH_EXP = Statement("ln S_exp(x) − ln S_exp(x′)", "<=", "γ")
HALF, TENTH = Fraction(1, 2), Fraction(1, 10)
GAMMAS = (1, TENTH, 2)
FAR_GAMMAS = (Fraction(1, 10**4), 100)
FAR_PRIORS = ((1, 1), (HALF, 2))
PRIORS_2 = ((1, 1), (HALF, HALF), (1, 2), (TENTH, 10))
PRIORS_3 = ((1, 1, 1), (1, 1, 2))
Origin = tuple[Algebraic, int]
"""Where the maximum in S(x) is attained: BC² of LS(x″), and d(x,x″)."""


def grid_of(most: int, most3: int) -> Grid:
    """Returns the grid of k = 2 up to n = most and k = 3 up to n = most3."""
    words = "every ordered adjacent pair"
    first = Grid(words, n=range(1, most + 1), gamma=GAMMAS, prior=PRIORS_2)
    return first + Grid(words, n=range(1, most3 + 1), gamma=GAMMAS, prior=PRIORS_3)


@lru_cache(maxsize=4096)
def local_bc2(model: Model, x: Histogram) -> Algebraic:
    """Returns local_exact, kept."""
    return local_exact(model, x)


def penalty(gamma: Any, steps: Any) -> Any:
    """Returns what d(x,x″) steps add to the value of x″: γ·d; balls or symbols."""
    return gamma * steps


def smooth_bound(gamma: Any) -> Any:
    """Returns the claimed bound between adjacent data sets: γ; a number or a symbol."""
    return gamma


def cost_gamma(bc2: Algebraic, steps: int, gamma: Fraction) -> Ball:
    """Returns 1/LS + γd, whose minimum is 1/S."""
    value: Ball = 1 / distance(bc2) + penalty(ball(gamma), steps)
    return value


def cost_exp(bc2: Algebraic, steps: int, gamma: Fraction) -> Ball:
    """Returns −ln LS + γd, whose minimum is −ln S_exp."""
    value: Ball = -distance(bc2).log() + penalty(ball(gamma), steps)
    return value


Cost = Callable[[Algebraic, int, Fraction], Ball]


def origin(model: Model, x: Histogram, gamma: Fraction, cost: Cost) -> Origin | None:
    """Returns where the minimum of the cost is attained, exactly; None if two different places cannot be told apart."""
    places = sorted(
        {
            (hamming(x, y), str(local_bc2(model, y))): (local_bc2(model, y), hamming(x, y)) for y in model.histograms
        }.items()
    )
    with balls.precision(512):
        values = [cost(bc2, steps, gamma) for _, (bc2, steps) in places]
        least = balls.minimum(values)
        alive = [place for (_, place), value in zip(places, values, strict=True) if balls.overlap(value, least)]
    return alive[0] if len(alive) == 1 else None


def smooth_batches(grid: Grid, exponential: bool) -> Iterator[Batch]:
    """Yields 1/S(x) − 1/S(x′), or the difference of logarithms, against γ for every ordered adjacent pair."""
    cost = cost_exp if exponential else cost_gamma
    for point in grid:
        model, gamma = make_model(point.n, prior=point.prior), Fraction(point.gamma)

        def sides(model: Model = model, gamma: Fraction = gamma) -> Sides:
            local = local_all(Hellinger(model))
            if exponential:
                score = [v.log() for v in exp_smooth_all(model, local, ball(gamma))]
            else:
                score = [1 / v for v in smooth_all(model, local, gamma)]
            at = dict(zip(model.histograms, score, strict=True))
            for x in model.histograms:
                for y in neighbours(x):
                    yield (x, y), at[x] - at[y], ball(smooth_bound(gamma))

        def tie(tag: tuple[Histogram, Histogram], model: Model = model, gamma: Fraction = gamma) -> bool | None:
            """Equal exactly if both maxima are attained at the same LS and one step apart."""
            far, near = (origin(model, x, gamma, cost) for x in (tag if not exponential else tag[::-1]))
            if not (far and near and far[0] == near[0] and far[1] == near[1] + 1):
                return None
            return bool(smooth_bound(gamma) == gamma)

        def steps(tag: tuple[Histogram, Histogram], model: Model = model, gamma: Fraction = gamma) -> list[Step]:
            return [
                line for name, x in zip(("x", "x′"), tag, strict=True) for line in _where(model, x, gamma, cost, name)
            ]

        yield Batch({"n": point.n, "gamma": gamma, "prior": point.prior}, sides, ("x", "x′"), tie, steps)


def _where(model: Model, x: Histogram, gamma: Fraction, cost: Cost, name: str) -> list[Step]:
    place = origin(model, x, gamma, cost)
    if place is None:
        return [step(f"maximum of {name}", "attained at places that are told apart by no precision tried", "")]
    bc2, steps = place
    return [step(f"maximum of {name} = {x}", f"{steps} steps away, where LS = √(1 − √({bc2}))", distance(bc2))]


def local_batches(grid: Grid, exponential: bool) -> Iterator[Batch]:
    """Yields LS(x) against S(x); they are equal exactly where the maximum is attained at x itself."""
    cost = cost_exp if exponential else cost_gamma
    for point in grid:
        model, gamma = make_model(point.n, prior=point.prior), Fraction(point.gamma)

        def sides(model: Model = model, gamma: Fraction = gamma) -> Sides:
            local = local_all(Hellinger(model))
            smooth = exp_smooth_all(model, local, ball(gamma)) if exponential else smooth_all(model, local, gamma)
            yield from zip(model.histograms, local, smooth, strict=True)

        def tie(x: Histogram, model: Model = model, gamma: Fraction = gamma) -> bool | None:
            place = origin(model, x, gamma, cost)
            return True if place == (local_bc2(model, x), 0) else None

        yield Batch({"n": point.n, "gamma": gamma, "prior": point.prior}, sides, ("x",), tie)


def neighbours_are_one_apart() -> bool:
    """Returns whether every neighbour is at distance 1, for symbolic counts and k = 2…8."""
    return all(sum(map(abs, move)) == 2 for k in range(2, 9) for move in moves(k))


def triangle(most: int) -> bool:
    """Returns whether d(x,x″) ≤ d(x′,x″) + 1 for all x″ and adjacent x, x′ of k = 2, 3 to n = most; k = 2, n = 60."""
    for model in (make_model(60), *(make_model(n, k) for n in range(1, most + 1) for k in (2, 3))):
        for x in model.histograms:
            for y in neighbours(x):
                if any(hamming(x, z) > hamming(y, z) + 1 for z in model.histograms):
                    return False
    return True


def proof_for(value: str, law: str, statement: Statement) -> Proof:
    """Returns the proof for a sensitivity whose ``value`` is min over x″ of a term + γ·d(x,x″)."""
    gamma, d = variables("gamma", "d")
    proof = Proof()
    proof.cites("definition", f"{value}(x) = min over x″ of {law} + γ·d(x,x″); x″ = x gives S ≥ LS")
    proof.holds("S ≥ LS", "x″ = x adds nothing, γ·0 = 0", lambda: penalty(gamma, 0) == 0 * gamma)
    proof.knows("triangle", "d(x,x″) ≤ d(x,x′) + d(x′,x″), as d is half of the ℓ₁ distance, a norm")
    one = "½‖x − x′‖₁ = 1 for every neighbour x′ of x, the counts being symbols"
    proof.cases("d(x,x′)", one, "k = 2…8; all counts and n", neighbours_are_one_apart)
    proof.cases("d(x,x″) ≤ d(x′,x″) + 1", "in the engine", "k = 2, 3, n ≤ 4 and k = 2, n = 60", lambda: triangle(4))
    text = f"{value}(x) ≤ {law} + γ·(d(x′,x″) + 1), which is {value}(x′) plus the claimed bound"
    proof.holds("at x″ optimal for x′", text, lambda: penalty(gamma, d + 1) - penalty(gamma, d) == smooth_bound(gamma))
    proof.concludes(statement, "<=")
    proof.concludes(AT_LEAST_LOCAL, "<=")
    proof.cites("ties", "equality where the same x″ is optimal for both and one step farther from x")
    return proof


def outcome_of(ctx: Context, exponential: bool) -> Outcome:
    """Returns the proof with both inequalities decided on the grid, ties exactly."""
    grid = grid_of(24, 5) if ctx.wide else grid_of(8, 3)
    law = ("−ln S_exp", "−ln LS(x″)") if exponential else ("1/S", "1/LS(x″)")
    statement = SMOOTH_EXP if exponential else SMOOTH
    adjacent = scan(statement, smooth_batches(grid, exponential))
    local = scan(AT_LEAST_LOCAL, local_batches(grid, exponential))
    proved = with_sanity(proof_for(*law, statement).outcome(), adjacent, f"adjacent pairs, ties exactly: {grid}")
    proved = with_sanity(proved, local, "S ≥ LS on the same grid, equality exactly")
    far = Grid("x = 1, x′ = 2 and back", n=[40], gamma=FAR_GAMMAS, prior=FAR_PRIORS)
    return with_sanity(proved, scan(statement, far_batches(far, exponential)), f"far out: {far}")


def far_batches(grid: Grid, exponential: bool) -> Iterator[Batch]:
    """Yields one pair of a large model in both directions; ties are decided as on the small grid."""
    for batch in smooth_batches(grid, exponential):
        n = int(str(batch.where["n"]))
        pairs = (((1, n - 1), (2, n - 2)), ((2, n - 2), (1, n - 1)))

        def sides(batch: Batch = batch, pairs: tuple[object, ...] = pairs) -> Sides:
            return [entry for entry in batch.sides() if entry[0] in pairs]

        yield replace(batch, sides=sides)


@check(
    "smooth.gamma",
    grid="for all n, k, priors and γ ≥ 0; listed for k = 2, n ≤ 8 and k = 3, n ≤ 3",
    wide="for all n, k, priors and γ ≥ 0; listed for k = 2, n ≤ 24 and k = 3, n ≤ 5",
    weight=4,
)
def smooth_gamma(ctx: Context) -> Outcome:
    """S ≥ LS, and 1/S(x) − 1/S(x′) ≤ γ for adjacent x, x′ (A3 Theorem 5.1)."""
    return outcome_of(ctx, exponential=False)


@check(
    "smooth.exp",
    grid="for all n, k, priors and γ ≥ 0; listed for k = 2, n ≤ 8 and k = 3, n ≤ 3",
    wide="for all n, k, priors and γ ≥ 0; listed for k = 2, n ≤ 24 and k = 3, n ≤ 5",
    weight=4,
)
def smooth_exp(ctx: Context) -> Outcome:
    """S_exp ≥ LS, and S_exp(x) ≤ e^γ·S_exp(x′) for adjacent x, x′ (P1 §4.2)."""
    return outcome_of(ctx, exponential=True)
