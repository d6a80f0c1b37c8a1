"""Checks on the chances of level sets: equal score and equal probability, and the sum over a level set."""

from __future__ import annotations

from typing import Any

from dpaudit.claims import Batches, Context, Grid, Outcome, Proof, Sides, Statement, check, over, scan, variables
from dpaudit.mechanisms import make_mechanism
from dpaudit.mechanisms.exponential import ExponentialLaw
from dpaudit.numbers import balls
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import Histogram, Model, make_model
from proofs_checks.coq import THEOREMS
from proofs_checks.points import model_at
from proofs_checks.setting.exact import level_of, levels
from proofs_checks.setting.levels import PRIORS, chances

SAME_CHANCE = Statement("Pr[z = r]", "=", "Pr[z = r′]")
OTHER_CHANCE = Statement("Pr[z = r]", "!=", "Pr[z = r′]")
LEVEL_SUM = Statement("Pr[u = u(r)]", "=", "C·Pr[z = r]")
SANITY = Grid(n=range(1, 7), prior=PRIORS[:3], eps=[1]) + Grid(n=range(1, 4), prior=[(1, 1, 1)], eps=[1])


def probability_batches(grid: Grid, equal: bool) -> Batches:
    """Yields Pr[z = r] and Pr[z = r′] of MH for all pairs of equal, or of different, exact distance; ε = 1."""

    def sides(model: Model) -> Sides:
        row = chances(model, 1, "MH")
        for x in model.histograms:
            probability, known = row(x), {r: bc_squared(model, x, r) for r in model.histograms}
            for i, r in enumerate(model.histograms):
                for s in model.histograms[i + 1 :]:
                    if (known[r] == known[s]) == equal:
                        yield (x, r, s), probability[r], probability[s]

    return over(grid, model_at, sides, ("x", "r", "r′"), lambda model, tag: True if equal else None)


def log_weight(rate: Any, distance_: Any) -> Any:
    """ln of the weight of a candidate: −t·H(x,r); symbols or balls."""
    return -rate * distance_


def weights_agree() -> bool:
    """Whether ln P_x(r) − ln P_x(x) of MH is the difference of the logs of the weights, as balls."""
    for n in (6, 200):
        mechanism = make_mechanism("MH", make_model(n), "1", {})
        with balls.precision(256):
            law = mechanism.law()
            if not isinstance(law, ExponentialLaw):
                return False
            for x in ((0, n), (1, n - 1), (n // 2, n - n // 2)):
                logs, rate, i = law.log_probabilities(x), law.rate(x), mechanism.model.index[x]
                row = zip(logs, law.h.row(x), strict=True)
                if not all(balls.overlap(p - logs[i], log_weight(rate, h) - log_weight(rate, 0)) for p, h in row):
                    return False
    return True


@check("level.5.1", grid="for all n, k, priors and ε > 0; listed for k = 2, n ≤ 6 and k = 3, n ≤ 3")
def level_5_1(ctx: Context) -> Outcome:
    """Equal score ⇔ equal probability (A3 Lemma 5.1)."""
    a, b, rate = variables("a", "b", "rate")
    proof = Proof().says(
        "definition", "Pr[z = r] = e^(−t·H(x,r))/NL(x) with t = ε/(2S(x)) > 0 and NL(x) the same for every r"
    )
    proof.holds(
        "log-ratio",
        "ln Pr[z = r] − ln Pr[z = r′] = t·(H(x,r′) − H(x,r)), the logs of the weights",
        lambda: log_weight(rate, a) - log_weight(rate, b) == rate * (b - a),
    )
    which = "three x of n = 6 and of n = 200, as balls of 256 bits"
    proof.cases("the engine's chances", "of MH have these logs, up to one normaliser", which, weights_agree)
    proof.concludes(SAME_CHANCE, "=").concludes(OTHER_CHANCE, "!=")
    proof.formal(THEOREMS["level.5.1"])
    proof.says(
        "so", "it is 0 exactly when the two distances are equal, because t ≠ 0 (ε = 0 would break one direction)"
    )
    return proof.settle(
        (f"pairs at exactly equal distance: {SANITY}", scan(SAME_CHANCE, probability_batches(SANITY, True))),
        (f"pairs at different distances: {SANITY}", scan(OTHER_CHANCE, probability_batches(SANITY, False))),
    )


def claimed_sum(count: Any, chance: Any) -> Any:
    """The claimed Pr[u = u(r)]: C·Pr[z = r]; symbols or balls."""
    return count * chance


def sum_batches(grid: Grid) -> Batches:
    """Yields the probability of every level set against the claimed sum, MH, ε = 1."""

    def sides(model: Model) -> Sides:
        row = chances(model, 1, "MH")
        for x in model.histograms:
            probability = row(x)
            for level in levels(model, x):
                whole = balls.total([probability[r] for r in level.members])
                for r in level.members:
                    yield (x, r), whole, claimed_sum(level.count, probability[r])

    def tie(model: Model, tag: tuple[Histogram, Histogram]) -> bool:
        x, r = tag
        return all(bc_squared(model, x, s) == bc_squared(model, x, r) for s in level_of(model, x, r).members)

    return over(grid, model_at, sides, ("x", "r"), tie)


@check("level.5.2", grid="for all n, k, priors and ε > 0; listed for k = 2, n ≤ 6 and k = 3, n ≤ 3", uses=["level.5.1"])
def level_5_2(ctx: Context) -> Outcome:
    """Pr[u = u(r)] = C·Pr[z = r] (A3 Lemma 5.2)."""
    p, c = variables("p", "C")
    proof = ctx.proof().says("the event", "{z : u(z) = u(r)} is the level set of r, C candidates")
    proof.uses("level.5.1", "each of them has the probability Pr[z = r]: the weight depends on the distance alone")
    proof.holds("one candidate", "the claimed sum is p at C = 1", lambda: claimed_sum(1, p) == p)
    proof.holds(
        "one more",
        "the claimed sum grows by p from C to C + 1, so it is the sum of C terms p",
        lambda: claimed_sum(c + 1, p) - claimed_sum(c, p) == p,
    )
    proof.formal(THEOREMS["level.5.2"])
    return proof.concludes(LEVEL_SUM, "=").settle((str(SANITY), scan(LEVEL_SUM, sum_batches(SANITY))))
