"""The (ε′, δ) that A3 Lemma 5.5 derives for a pair of adjacent data sets, against the true probabilities of MH.

With K = (S(x)/S(x′))·ln(NL(x)/NL(x′)), which must be > 0 because the lemma takes its logarithm, C_r = 1 if r = BI(x)
else 2, C_t = 1 if r = BI(x′) else 2, D = 2·e^(ε(H(x′,r) − H(x,r))/(2S(x))):
    P_x(r) ≤ (C_t/C_r)·D·e^(ε/2)·P_x′(r) + (D/C_r)·(1 − (n+1)·e^(ε/(2(1−K)))).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.claims import (
    Context,
    Grid,
    Outcome,
    Point,
    Proof,
    Step,
    annotate,
    check,
    coefficients_positive,
    scan,
    step,
    variables,
)
from dpaudit.claims.batches import Batches, Sides, Statement, over
from dpaudit.mechanisms.exponential import MH, Exponential
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model
from proofs_checks.points import Pair, adjacent_pairs, exponential_at, priors, rationals
from proofs_checks.privacy.tools import row_steps
from proofs_checks.setting.exact import decided

LEMMA = Statement("P_x(r)", "<=", "e^ε′·P_x′(r) + δ")
PRIORS = priors("1 1", "1/2 1/2", "1 2", "1/10 1")
WORDS = "MH, γ = 1, k = 2; every ordered adjacent pair with K > 0 and every r"
GRID = Grid(WORDS, n=range(1, 9), eps=rationals("1 1/2 4"), prior=PRIORS)
COUNTED = Grid(n=range(1, 9), eps=[1], prior=PRIORS)


@dataclass(frozen=True)
class Released:
    """A data set x at the precision in force: S(x), NL(x), distances and probabilities by candidate."""

    x: Histogram
    sensitivity: Ball
    normaliser: Ball
    distances: dict[Histogram, Ball]
    chances: dict[Histogram, Ball]


def rows(mechanism: Exponential) -> dict[Histogram, Released]:
    """The row of every data set."""
    model, h = mechanism.model, Hellinger(mechanism.model)
    rates, result = mechanism.rates(h), {}
    for x in model.histograms:
        distances = dict(zip(model.histograms, h.row(x), strict=True))
        weights = {r: (-rates(x) * value).exp() for r, value in distances.items()}
        whole = balls.total(list(weights.values()))
        chances = {r: w / whole for r, w in weights.items()}
        result[x] = Released(x, ball(mechanism.epsilon / 2) / rates(x), whole, distances, chances)
    return result


def ratio(here: Released, there: Released) -> Ball:
    """K = (S(x)/S(x′))·ln(NL(x)/NL(x′))."""
    return here.sensitivity / there.sensitivity * (here.normaliser / there.normaliser).log()


def mirrored(model: Model, x: Histogram, y: Histogram) -> bool:
    """Whether K = 0 exactly: n = 1, or mirror images under an equal prior have the same normaliser."""
    return model.n == 1 or (model.prior[0] == model.prior[1] and x == y[::-1])


def factor(eps: Fraction, here: Released, there: Released, r: Histogram) -> Ball:
    """D = 2·e^(ε(H(x′,r) − H(x,r))/(2S(x)))."""
    return 2 * (ball(eps / 2) * (there.distances[r] - here.distances[r]) / here.sensitivity).exp()


def own(row: Released, r: Histogram) -> int:
    """How many candidates the lemma counts at the distance of r: C_r from x, C_t from x′."""
    return 1 if r == row.x else 2


def derived(eps: Fraction, here: Released, there: Released, r: Histogram) -> tuple[Ball, Ball]:
    """e^ε′ and δ of the lemma."""
    d = factor(eps, here, there, r)
    tail = 1 - (sum(here.x) + 1) * (ball(eps / 2) / (1 - ratio(here, there))).exp()
    return d * ball(eps / 2).exp() * own(there, r) / own(here, r), d * tail / own(here, r)


def kinds(mechanism: Exponential) -> dict[Pair, str]:
    """Whether K is 0, negative, between 0 and 1, or above 1, for every ordered adjacent pair."""
    model, result = mechanism.model, {}
    with balls.precision(256):
        table = rows(mechanism)
        for x, y in adjacent_pairs(model):
            if mirrored(model, x, y):
                result[x, y] = "K = 0"
                continue
            k = ratio(table[x], table[y])
            if not decided(balls.less(balls.zero(), k)):
                result[x, y] = "K < 0"
            else:
                result[x, y] = "0 < K < 1" if decided(balls.less(k, ball(1))) else "K > 1"
    return result


def batches(grid: Grid) -> Batches:
    """Yields P_x(r) against the lemma's bound wherever K > 0."""

    def subject(point: Point) -> tuple[Exponential, list[Pair]]:
        mechanism = exponential_at(MH, point)
        return mechanism, [pair for pair, kind in kinds(mechanism).items() if kind in ("0 < K < 1", "K > 1")]

    def sides(at: tuple[Exponential, list[Pair]]) -> Sides:
        mechanism, pairs = at
        table = rows(mechanism)
        for x, y in pairs:
            for r in mechanism.model.histograms:
                scale, delta = derived(mechanism.epsilon, table[x], table[y], r)
                yield (x, y, r), table[x].chances[r], scale * table[y].chances[r] + delta

    return over(grid, subject, sides, ("x", "x′", "r"), steps=lambda at, tag: worked(at[0], *tag))


def worked(mechanism: Exponential, x: Histogram, y: Histogram, r: Histogram) -> list[Step]:
    """K, D, e^ε′ and δ in numbers."""
    table = rows(mechanism)
    here, there = table[x], table[y]
    scale, delta = derived(mechanism.epsilon, here, there, r)
    counts = [f"C_r = {own(here, r)} (1 if r = x, else 2)", f"C_t = {own(there, r)} (1 if r = x′, else 2)"]
    return [
        *row_steps(mechanism, x, r, "x"),
        *row_steps(mechanism, y, r, "x′"),
        step("K", "(S(x)/S(x′))·ln(NL(x)/NL(x′))", ratio(here, there)),
        step("D", "2·e^(ε(H(x′,r) − H(x,r))/(2S(x)))", factor(mechanism.epsilon, here, there, r)),
        step("candidates", "as the lemma counts them", ", ".join(counts)),
        step("e^ε′", "(C_t/C_r)·D·e^(ε/2)", scale),
        step("δ", f"(D/C_r)·(1 − {mechanism.model.n + 1}·e^(ε/(2(1−K))))", delta),
        step("P_x(r)", "", here.chances[r]),
        step("P_x′(r)", "", there.chances[r]),
    ]


@check("dp.lemma-5.5", grid=GRID, weight=3)
def lemma(ctx: Context) -> Outcome:
    """The (ε′, δ) derived pair by pair bounds the true probabilities (A3 Lemma 5.5)."""
    e, n = variables("e", "n")
    rule = Proof().says(
        "0 < K < 1", "1/(1−K) > 1, so (n+1)·e^(ε/(2(1−K))) > (n+1)E with E = e^(ε/2) > 1; C_t ≤ 2 and P_x′(r) < 1"
    )
    text = "is < (D/C_r)·(2E + 1 − (n+1)E) = (D/C_r)·(1 − (n−1)E) < 0 for n ≥ 2: it fails at every r"
    rule.equal("the bound", text, 2 * e + 1 - (n + 1) * e, 1 - (n - 1) * e)
    counted = Counter(kind for point in COUNTED for kind in kinds(exponential_at(MH, point)).values())
    numbers = ", ".join(f"{kind}: {counted[kind]}" for kind in ("K = 0", "K < 0", "0 < K < 1", "K > 1"))
    outcome = scan(LEMMA, batches(ctx.grid)).having(f"ordered pairs of n ≤ 8, ε = 1: {numbers}")
    return annotate(outcome, ("it fails at every pair with 0 < K < 1, n ≥ 2, and is undefined for K ≤ 0", rule))


# ------------------------------------------------------------------ the end of the lemma: which case is the largest

LARGEST_DELTA = Statement("δ at r = BI(x′)", "<=", "δ at r = BI(x), the case u(x,r) = 0")
LARGEST_EPSILON = Statement("e^ε′ at r", "<=", "e^ε′ at r = BI(x), the case u(x,r) = 0")
OTHERS = Grid(
    "MH, γ = 1, k = 2; every ordered adjacent pair with K > 0; r = BI(x′)", n=range(1, 7), eps=[1], prior=PRIORS
)


def zero_batches(grid: Grid, delta: bool) -> Batches:
    """Yields the lemma's δ at r = BI(x′), or its e^ε′ at every r, against the one at r = BI(x), wherever K > 0."""

    def subject(point: Point) -> tuple[Exponential, list[Pair]]:
        mechanism = exponential_at(MH, point)
        return mechanism, [pair for pair, kind in kinds(mechanism).items() if kind in ("0 < K < 1", "K > 1")]

    def sides(at: tuple[Exponential, list[Pair]]) -> Sides:
        mechanism, pairs = at
        table = rows(mechanism)
        for x, y in pairs:
            at_zero = derived(mechanism.epsilon, table[x], table[y], x)
            for r in [y] if delta else [r for r in mechanism.model.histograms if r != x]:
                other = derived(mechanism.epsilon, table[x], table[y], r)
                yield (x, y, r), other[delta], at_zero[delta]

    def steps(at: tuple[Exponential, list[Pair]], tag: tuple[Histogram, Histogram, Histogram]) -> list[Step]:
        x, y, r = tag
        table = rows(at[0])
        here, there, eps = table[x], table[y], at[0].epsilon
        tail = 1 - (sum(x) + 1) * (ball(eps / 2) / (1 - ratio(here, there))).exp()
        lines = [
            *(line for name, z in (("x", x), ("x′", y)) for line in row_steps(at[0], z, r, name)),
            step("K", "(S(x)/S(x′))·ln(NL(x)/NL(x′))", ratio(here, there)),
            step("the common factor of δ", "1 − (n+1)·e^(ε/(2(1−K))), negative as 0 < K < 1", tail),
        ]
        formula = "D = 2·e^(ε(H(x′,r) − H(x,r))/(2S(x))), C_r = 1 if r = BI(x), else 2"
        for name, at_r in (("BI(x)", x), ("r", r)):
            share = factor(eps, here, there, at_r) / own(here, at_r)
            lines.append(step(f"D/C_r at {name}", formula, share))
            lines.append(step(f"δ at {name}", "the common factor times D/C_r", tail * share))
        return lines

    return over(grid, subject, sides, ("x", "x′", "r"), steps=steps)


def zero_proof() -> Proof:
    """Proves that e^ε′ is largest at r = BI(x), whatever K is: D and C_t/C_r are both largest there."""
    d, more = variables("d", "more")
    proof = Proof().says("at r = BI(x)", "H(x,r) = 0 and H(x′,r) = H(x,x′): D = 2·e^(εH(x,x′)/(2S)), C_t/C_r = 2/1")
    proof.knows("elsewhere", "H(x′,r) − H(x,r) ≤ H(x,x′), so D is at most that; C_t/C_r is 2/2 or 1/2 there")
    gap = 2 * (d + more) - d
    fact = coefficients_positive(gap)
    return proof.holds("so", f"with D = d there and d + more here: 2(d+more) − 1·d = {gap} > 0", fact)


def delta_proof() -> Proof:
    """Proves that δ is least at r = BI(x) wherever 0 < K < 1, n ≥ 1."""
    d, more, tail = variables("d", "more", "tail")
    proof = Proof().says("0 < K < 1", "the common factor 1 − (n+1)·e^(ε/(2(1−K))) is −tail < 0")
    gap = -tail * d / 2 - (-tail * (d + more))
    fact = coefficients_positive(gap)
    return proof.holds("so", f"δ(r) − δ(BI(x)) = −tail·d/2 + tail·(d+more) = {gap} > 0", fact)


@check("dp.lemma-5.5.zero-case", grid=OTHERS)
def zero_case(ctx: Context) -> Outcome:
    """The case u(x,r) = 0 gives the largest ε′ and δ of the four (A3 Lemma 5.5, its end)."""
    epsilons = scan(LARGEST_EPSILON, zero_batches(ctx.grid, delta=False))
    empty = "the fourth case, u(x,r) = u(x′,r) = 0, never occurs: it needs BI(x) = BI(x′)"
    return annotate(
        scan(LARGEST_DELTA, zero_batches(ctx.grid, delta=True), empty),
        ("ε′ is largest there", zero_proof().concludes(LARGEST_EPSILON, "<=").settle(("", epsilons))),
        ("δ is least there wherever 0 < K < 1: it is negative, and the larger factor makes it smaller", delta_proof()),
    )
