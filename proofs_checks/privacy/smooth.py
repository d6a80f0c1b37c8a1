"""Checks of the two smooth sensitivities. The comparison is one of whole numbers; ties are common and exact."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Step, annotate, check, scan, step, variables
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.mechanisms.mhdelta import ADJACENT, ALL
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Algebraic, Hellinger
from dpaudit.posterior.model import Histogram, Model, hamming, make_model
from dpaudit.posterior.sensitivity import exp_smooth_adjacent, exp_smooth_all, local_all, smooth_all
from proofs_checks.coq import THEOREMS
from proofs_checks.points import Pair, adjacent_pairs, model_at, priors, rationals
from proofs_checks.setting.exact import distance, local_exact
from proofs_checks.setting.lemmas import moves

AT_LEAST_LOCAL = Statement("LS(x)", "<=", "S(x)")
SMOOTH = Statement("1/S(x) − 1/S(x′)", "<=", "γ")
SMOOTH_EXP = Statement("ln S_exp(x) − ln S_exp(x′)", "<=", "γ")
GAMMAS = rationals("1 1/10 2")
OVER = ADJACENT
"""P1 §4.2.1: x″ ranges over the data sets adjacent to x; x itself is one, by the paper's definition."""
NEAR_GAMMAS = rationals("1/50 1/10 1")
"""The first is about P1's γ for ε = 4/5, δ = 1e-8 and small n."""
PRIORS_2 = priors("1 1", "1/2 1/2", "1 2", "1/10 10")
PRIORS_3 = priors("1 1 1", "1 1 2")
Origin = tuple[Algebraic, int]
"""Where the maximum in S(x) is attained: BC² of LS(x″), and d(x,x″)."""


def grid_of(most: int, most3: int) -> Grid:
    """The grid of k = 2 up to n = most and k = 3 up to n = most3."""
    words = "every ordered adjacent pair"
    first = Grid(words, n=range(1, most + 1), gamma=GAMMAS, prior=PRIORS_2)
    return first + Grid(words, n=range(1, most3 + 1), gamma=GAMMAS, prior=PRIORS_3)


def penalty(gamma: Any, steps: Any) -> Any:
    """What d(x,x″) steps add to the value of x″: γ·d; balls or symbols."""
    return gamma * steps


def smooth_bound(gamma: Any) -> Any:
    """The claimed bound between adjacent data sets: γ; a number or a symbol."""
    return gamma


@dataclass(frozen=True)
class SmoothSensitivity:
    """One of the two smooth sensitivities of a model, S(x), γ-smooth, or S_exp(x); ``sets`` says which x″ count."""

    model: Model
    gamma: Fraction
    exponential: bool
    sets: str = ALL

    def cost(self, bc2: Algebraic, steps: int) -> Ball:
        """1/LS + γd, whose minimum over x″ is 1/S; or −ln LS + γd, whose minimum is −ln S_exp."""
        term = -distance(bc2).log() if self.exponential else 1 / distance(bc2)
        value: Ball = term + penalty(ball(self.gamma), steps)
        return value

    def values(self) -> tuple[list[Ball], list[Ball]]:
        """Balls that contain LS and the smooth sensitivity of every data set."""
        local = local_all(Hellinger(self.model))
        if self.sets == ADJACENT:
            return local, exp_smooth_adjacent(self.model, local, ball(self.gamma))
        if self.exponential:
            return local, exp_smooth_all(self.model, local, ball(self.gamma))
        return local, smooth_all(self.model, local, self.gamma)

    def origin(self, x: Histogram) -> Origin | None:
        """Where the minimum of the cost is attained; None if different places cannot be separated."""
        near = [y for y in self.model.histograms if self.sets == ALL or hamming(x, y) <= 1]
        places = list({(local_exact(self.model, y), hamming(x, y)): None for y in near})
        with balls.precision(512):
            values = [self.cost(*place) for place in places]
            least = balls.minimum(values)
            alive = [place for place, value in zip(places, values, strict=True) if balls.overlap(value, least)]
        return alive[0] if len(alive) == 1 else None

    def change_is_gamma(self, tag: Pair) -> bool | None:
        """True if both maxima are attained at the same LS and one step apart: then equality is exact."""
        far, near = (self.origin(x) for x in (tag[::-1] if self.exponential else tag))
        if not (far and near and far[0] == near[0] and far[1] == near[1] + 1):
            return None
        return bool(smooth_bound(self.gamma) == self.gamma)

    def steps(self, tag: Pair) -> list[Step]:
        """Where both maxima are attained, and the sensitivities."""
        lines = []
        for name, x in zip(("x", "x′"), tag, strict=True):
            place = self.origin(x)
            if place is None:
                lines.append(step(f"maximum of {name} = {x}", "at places not told apart", ""))
                continue
            bc2, steps = place
            source = next(y for y in self.model.histograms if (local_exact(self.model, y), hamming(x, y)) == place)
            where = f"x″ = {source}, d = {steps}, LS(x″) = √(1 − √({bc2}))"
            lines.append(step(f"maximum of {name} = {x}", where, distance(bc2)))
            cost = self.cost(bc2, steps)
            smooth = ("LS(x″)·e^(−γd)", (-cost).exp()) if self.exponential else ("1/(1/LS(x″) + γd)", 1 / cost)
            lines.append(step(f"S({name})", *smooth))
        return lines


def smooth_batches(
    grid: Grid,
    exponential: bool,
    pairs: Callable[[Model], Iterable[Pair]] = adjacent_pairs,
    sets: str = ALL,
) -> Batches:
    """Yields 1/S(x) − 1/S(x′), or the difference of the logarithms of S_exp, against γ for ordered adjacent pairs."""

    def sides(at: SmoothSensitivity) -> Sides:
        score = [v.log() if at.exponential else 1 / v for v in at.values()[1]]
        known = dict(zip(at.model.histograms, score, strict=True))
        for x, y in pairs(at.model):
            yield (x, y), known[x] - known[y], smooth_bound(at.gamma)

    subject, tie = partial(smooth_at, exponential=exponential, sets=sets), SmoothSensitivity.change_is_gamma
    return over(grid, subject, sides, ("x", "x′"), tie, SmoothSensitivity.steps)


def two_pairs(model: Model) -> list[Pair]:
    """x = 1, x′ = 2 and back."""
    x, y = (1, model.n - 1), (2, model.n - 2)
    return [(x, y), (y, x)]


def smooth_at(point: Point, exponential: bool, sets: str = ALL) -> SmoothSensitivity:
    """The sensitivity at a point of a grid."""
    return SmoothSensitivity(model_at(point), Fraction(point.gamma), exponential, sets)


def local_batches(grid: Grid, exponential: bool) -> Batches:
    """Yields LS(x) against S(x); they are equal exactly where the maximum is attained at x itself."""

    def sides(at: SmoothSensitivity) -> Sides:
        yield from zip(at.model.histograms, *at.values(), strict=True)

    def tie(at: SmoothSensitivity, x: Histogram) -> bool | None:
        return True if at.origin(x) == (local_exact(at.model, x), 0) else None

    return over(grid, partial(smooth_at, exponential=exponential), sides, ("x",), tie)


def neighbors_are_one_apart() -> bool:
    """Whether every neighbor is at distance 1, for symbolic counts and k = 2…8."""
    return all(sum(map(abs, move)) == 2 for k in range(2, 9) for move in moves(k))


def triangle(most: int) -> bool:
    """Whether d(x,x″) ≤ d(x′,x″) + 1 for all x″ and adjacent x, x′ of k = 2, 3 to n = most; k = 2, n = 60."""
    for model in (make_model(60), *(make_model(n, k) for n in range(1, most + 1) for k in (2, 3))):
        if any(hamming(x, z) > hamming(y, z) + 1 for x, y in adjacent_pairs(model) for z in model.histograms):
            return False
    return True


def proof_for(value: str, law: str, statement: Statement) -> Proof:
    """The proof for a sensitivity whose ``value`` is min over x″ of a term + γ·d(x,x″)."""
    gamma, d = variables("gamma", "d")
    proof = Proof()
    proof.says("definition", f"{value}(x) = min over x″ of {law} + γ·d(x,x″); x″ = x gives S ≥ LS")
    proof.holds("S ≥ LS", "x″ = x adds nothing, γ·0 = 0", lambda: penalty(gamma, 0) == 0 * gamma)
    proof.knows("triangle", "d(x,x″) ≤ d(x,x′) + d(x′,x″), as d is half of the ℓ₁ distance, a norm")
    one = "½‖x − x′‖₁ = 1 for every neighbor x′ of x, the counts being symbols"
    proof.cases("d(x,x′)", one, "k = 2…8; all counts and n", neighbors_are_one_apart)
    proof.cases("d(x,x″) ≤ d(x′,x″) + 1", "in the engine", "k = 2, 3, n ≤ 4 and k = 2, n = 60", lambda: triangle(4))
    text = f"{value}(x) ≤ {law} + γ·(d(x′,x″) + 1), which is {value}(x′) plus the claimed bound"
    proof.holds("at x″ optimal for x′", text, lambda: penalty(gamma, d + 1) - penalty(gamma, d) == smooth_bound(gamma))
    proof.concludes(statement, "<=").concludes(AT_LEAST_LOCAL, "<=")
    return proof.says("ties", "equality where the same x″ is optimal for both and one step farther from x")


def outcome_of(ctx: Context, exponential: bool) -> Outcome:
    """The proof with both inequalities decided on the grid, ties exactly."""
    grid = grid_of(24, 5) if ctx.wide else grid_of(8, 3)
    law = ("−ln S_exp", "−ln LS(x″)") if exponential else ("1/S", "1/LS(x″)")
    statement = SMOOTH_EXP if exponential else SMOOTH
    far = Grid("x = 1, x′ = 2 and back", n=[40], gamma=rationals("1/10000 100"), prior=priors("1 1", "1/2 2"))
    theorem = THEOREMS["smooth.exp" if exponential else "smooth.gamma"]
    return (
        proof_for(*law, statement)
        .formal(theorem)
        .settle(
            (f"adjacent pairs, ties exactly: {grid}", scan(statement, smooth_batches(grid, exponential))),
            ("S ≥ LS on the same grid, equality exactly", scan(AT_LEAST_LOCAL, local_batches(grid, exponential))),
            (f"far out: {far}", scan(statement, smooth_batches(far, exponential, two_pairs))),
        )
    )


def smooth_check(claim: str, exponential: bool) -> None:
    """Makes the check of one of the two smooth sensitivities."""
    words = "for all n, k, priors and γ ≥ 0; listed for k = 2, n ≤ {} and k = 3, n ≤ {}"

    @check(claim, grid=words.format(8, 3), wide=words.format(24, 5), weight=4)
    def decide(ctx: Context) -> Outcome:
        return outcome_of(ctx, exponential)


smooth_check("smooth.gamma", exponential=False)
smooth_check("smooth.exp", exponential=True)


NEAR_GRID = Grid(
    "k = 3, every ordered adjacent pair, x″ = x or adjacent to x", n=range(1, 5), gamma=NEAR_GAMMAS, prior=PRIORS_3
)


@check("smooth.exp.adjacent", grid=NEAR_GRID.wider(n=range(1, 7)))
def adjacent_only(ctx: Context) -> Outcome:
    """The smooth sensitivity over adjacent data sets only is γ-smooth, k ≥ 3 (P1 §4.2.1, A3 §4.2)."""
    uniform = Grid(n=range(1, 7), gamma=NEAR_GAMMAS, prior=PRIORS_3[:1])
    beta = Grid(n=range(1, 9), gamma=NEAR_GAMMAS, prior=PRIORS_2)
    return annotate(
        scan(SMOOTH_EXP, smooth_batches(ctx.grid, True, sets=OVER)),
        (f"{uniform}", scan(SMOOTH_EXP, smooth_batches(uniform, True, sets=OVER))),
        ("the same for k = 2", scan(SMOOTH_EXP, smooth_batches(beta, True, sets=OVER))),
        ("over all data sets", scan(SMOOTH_EXP, smooth_batches(ctx.grid, True))),
    )
