"""Theorem 4.5 of N0 for LSZhang, which noises both cells: an output (o1, o2) may have another total than n."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from flint import fmpq_poly

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Sides, Statement, Step, annotate, check, over, scan
from dpaudit.claims.algebra import variables
from dpaudit.claims.shown import step
from dpaudit.mechanisms.laplace import cell_law
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.divergences import HellingerDistance
from dpaudit.posterior.model import Histogram, Model
from dpaudit.studies.accuracy.bounds import HALF, SQUARED_ABOVE, SQUARED_INTERVAL, bound_of
from proofs_checks.accuracy.lemmas import QQ, K, arms_lemma, gamma_lemma, interval_lemma, interval_value, symmetry_lemma
from proofs_checks.accuracy.rows import ONE, Q, evaluate, power
from proofs_checks.accuracy.sides import Datasets, any_prior, at, balanced_x, equal, every_x, unequal
from proofs_checks.accuracy.stated import EQUAL_PRIORS
from proofs_checks.points import Prior, priors, rationals
from proofs_checks.setting.exact import by_distance

PRIORS = priors("1 1", "1/2 1/2", "2 2", "1/100 1/100", "10 10", "1 2", "1 4", "1 8")
EPS = rationals("1 1/2 2 1/4 1/100 3 5 16")
WORDS = (
    "x = (n/2, n/2), every separating t over all (n+1)² outputs, ties by BC²; verdict over the equal priors (α, α), "
    "because balanced data with an unequal prior have no balanced posterior: those are a part of their own"
)
GRID = Grid(WORDS, n=[2, 4, 6], prior=PRIORS, eps=EPS).wider(n=range(2, 17, 2))


@lru_cache(maxsize=512)
def levels(model: Model, a: int) -> tuple[tuple[Histogram, ...], ...]:
    """All outputs in groups of equal distance from x = (a, n-a), the nearest first."""
    x, outputs = (a, model.n - a), list(product(range(model.n + 1), repeat=2))
    return tuple(level.members for level in by_distance(outputs, lambda r: bc_squared(model, x, r)))


@lru_cache(maxsize=512)
def separated(model: Model, a: int) -> tuple[tuple[int, Histogram, fmpq_poly], ...]:
    """(kappa, a farthest near output, Pr[H < t] as a polynomial in p) for every separating t."""
    n, near, probability, found = model.n, set[Histogram](), fmpq_poly(), []
    for group in levels(model, a)[:-1]:
        near.update(group)
        for first, second in group:
            law = cell_law(n, a, first) * cell_law(n, n - a, second)
            probability += Q**law.exponent * law.poly
        kappa = max(j for j in range(n - a + 1) if (a + j, n - a - j) in near)
        found.append((kappa, group[0], probability))
    return tuple(found)


Bound = Callable[[Any, Any], Any]
Thresholds = dict[tuple[Histogram, int, Histogram], tuple[fmpq_poly, fmpq_poly]]
"""By x, kappa and a farthest near output: Pr[H < t] and the bound."""


def run(
    statement: Statement,
    bound: Bound,
    points: Iterable[Point],
    keep: Callable[[Prior], bool] = equal,
    data: Datasets = balanced_x,
) -> Outcome:
    """The outcome over all thresholds of the data sets; ``bound(p, p^kappa)`` is the right side."""

    def subject(point: Point) -> tuple[Model, Fraction, Thresholds]:
        model = Model(point.n, point.prior)
        found = [(a, *threshold) for a in data(point.n) for threshold in separated(model, a)]
        cases: Thresholds = {((a, point.n - a), kappa, far): (pr, bound(Q, Q**kappa)) for a, kappa, far, pr in found}
        return model, point.eps / 2, cases

    def sides(at: tuple[Model, Fraction, Thresholds]) -> Sides:
        p = power(at[1])
        return [(tag, evaluate(left, p), evaluate(right, p)) for tag, (left, right) in at[2].items()]

    kept = (point for point in points if keep(point.prior))
    names = ("x", "kappa", "farthest")
    tie = lambda at, tag: bool(at[2][tag][0] == at[2][tag][1])  # noqa: E731
    return scan(statement, over(kept, subject, sides, names, tie, lambda at, tag: worked(*at, tag)))


def worked(model: Model, rate: Fraction, cases: Thresholds, tag: tuple[Histogram, int, Histogram]) -> list[Step]:
    """The outputs around the threshold, and both sides as polynomials in p."""
    (x, kappa, far), h, groups = tag, HellingerDistance(model), levels(model, tag[0][0])
    number = next(i for i, group in enumerate(groups) if group[0] == far)
    beyond, near = groups[number + 1][0], [r for group in groups[: number + 1] for r in group]
    lines = [
        step("farthest near output", f"H(x, {far})", h.between(x, far)),
        step("nearest other output: t lies above the former, and at most at", f"H(x, {beyond})", h.between(x, beyond)),
        step("near outputs", "H < t", ", ".join(map(str, sorted(near)))),
        step("κ", "near outputs to the right with total n", kappa),
        step("p", "e^(−ε/2)", power(rate)),
    ]
    for name, poly in zip(("Pr[H < t]", "claimed"), cases[tag], strict=True):
        lines.append(step(name, str(poly).replace("x", "p"), evaluate(poly, power(rate))))
    return lines


def square_proof(statement: Statement, bound: Bound) -> Proof:
    """Proves Pr[H < t] >= bound(p, K), K = p^kappa, for every n and equal prior; ``bound`` is the statement's."""
    c, k = variables("c", "k")
    proof = Proof().concludes(statement, ">=")
    proof.using(arms_lemma(), gamma_lemma(), symmetry_lemma(), interval_lemma()).says(
        "c = n/2+α, f_z(i) = lnΓ(z+i/2) − ½lnΓ(z+i) − ½lnΓ(z) ≤ 0, falling in |i| (the two factors above)",
        "ln BC at (n/2+i, n/2+j) = f_c(i) + f_c(j) − f_2c(i+j); claim: ≥ f_c(κ) + f_c(−κ) if |i|, |j| ≤ κ",
    )
    quarter = HALF / 2
    proof.equal(
        "f_c(−κ) ≤ f_c(κ): e^(2f_c(κ)−2f_c(−κ)) grows with κ, by G(z) > z−¼",
        "(c+κ/2−¼)(c−κ/2−¾) − (c+κ)(c−κ−1) = ¾κ²+¾κ+3/16 > 0",
        (c + HALF * k - quarter) * (c - HALF * k - 3 * quarter) - (c + k) * (c - k - 1),
        3 * quarter * k**2 + 3 * quarter * k + 3 * quarter**2,
    )
    proof.says("i, j not both < 0", "−f_2c ≥ 0 and f_c(i) + f_c(j) ≥ f_c(κ) + f_c(−κ)")
    gammas = [(2, c - HALF * k), (-1, c), (-1, c - k)]
    proof.holds(
        "f_2c(−2i) = f_c(−i) + f_(c+½)(−i)",
        "duplication Γ(2y) = 2^(2y−1)Γ(y)Γ(y+½)/√π at y = c−i/2 (twice), c, c−i (inverse): powers of 2 and π cancel",
        sum(m for m, _ in gammas) == 0 and sum((m * y for m, y in gammas), 0 * c) == 0 * c,
    )
    proof.says(
        "i = −a, j = −b, 0 < a ≤ b ≤ κ",
        "f_c(−a) − f_2c(−a−b) ≥ f_c(−a) − f_2c(−2a) = −f_(c+½)(−a) ≥ 0 ≥ f_c(κ), and f_c(−b) ≥ f_c(−κ)",
    )
    proof.says(
        "so the square |i|, |j| ≤ κ is near", "Pr[H < t] ≥ (interval law with p = e^(−ε/2), lo = n/2−κ, hi = n/2+κ)²"
    )
    excess = interval_value(K, K * QQ) ** 2 - bound(QQ, K)
    return proof.on_square("(1 − ½K − ½Kp)² − the bound, K = p^κ", f"{excess} ≥ 0 for 0 ≤ q, K ≤ 1, q for p", excess)


printed_equality, printed_bound = SQUARED_INTERVAL.of, SQUARED_ABOVE.of
EQUALITY = Statement("Pr[H < t] of LSZhang", "=", bound_of("acc.4.5.lszhang-eq.balanced").words)
AT_LEAST = replace(EQUALITY, relation=">=")
BOUND = Statement("Pr[H < t] of LSZhang", ">=", bound_of("acc.4.5.lszhang-lb.balanced").words)
FAR_POINTS = [at(12, "1 1", "1/1000"), at(20, "1/2 1/2", "32")]


def _proved(statement: Statement, bound: Bound, context: Context) -> Outcome:
    """The verdict over the equal priors, settled by the proof where it holds."""
    near, far = (run(statement, bound, points) for points in (context.grid, FAR_POINTS))
    return square_proof(statement, bound).settle(("", near), ("single rows far out", far))


@check("acc.4.5.lszhang-eq.balanced", grid=GRID)
def equality(context: Context) -> Outcome:
    """Decides the equality for LSZhang on balanced data."""
    found = run(EQUALITY, printed_equality, context.grid)
    (_, _, true) = separated(Model(2, PRIORS[0]), 1)[1]
    always = Proof().equal(
        "Pr − printed at n = 2, x = (1, 1), uniform prior, κ = 0, second threshold",
        "p²/4, not 0",
        true - printed_equality(Q, ONE),
        Q**2 / 4,
    )
    return annotate(
        found,
        ("n = 2, uniform prior, κ = 0: off by e^(−ε)/4 for every ε", always),
        ("equal priors, with ≥ for =", _proved(AT_LEAST, printed_equality, context)),
    )


@check("acc.4.5.lszhang-lb.balanced", grid=GRID)
def lower_bound(context: Context) -> Outcome:
    """Decides the lower bound for LSZhang on balanced data."""
    others = run(BOUND, printed_bound, context.grid, unequal)
    proved = _proved(BOUND, printed_bound, context)
    return annotate(proved.having(EQUAL_PRIORS), ("with unequal priors", others))


# ------------------------------------------------------------------ every data set: N0 states no balance condition

EVERY_WORDS = "every data set x, every separating t over all (n+1)² outputs, ties by BC²"
EVERY = Grid(EVERY_WORDS, n=range(1, 6), prior=PRIORS[:6], eps=EPS).wider(n=range(1, 9), prior=PRIORS)
UNIFORM = Grid(n=range(1, 6), prior=PRIORS[:1], eps=EPS)


def always_off() -> Proof:
    """Proves that at n = 1, x = (0, 1), uniform prior, the equality fails for every ε."""
    kappa, far, true = separated(Model(1, PRIORS[0]), 0)[0]
    off = true - printed_equality(Q, Q**kappa)
    proof = Proof().equal(
        f"n = 1, x = (0, 1), κ = {kappa}: the near output {far} alone",
        "Pr = (1 − p/2)/2, as both cells are clipped: the first stays 0 with probability 1 − p/2, the other 1 with ½",
        true,
        HALF * (ONE - HALF * Q),
    )
    return proof.positive("Pr − printed", "½(1 − p/2) − ¼(1−p)² > 0 for 0 < p < 1", off)


@check("acc.4.5.lszhang-eq.all", grid=EVERY)
def equality_everywhere(context: Context) -> Outcome:
    """Decides the equality for LSZhang on every data set."""
    found = run(EQUALITY, printed_equality, context.grid, any_prior, every_x)
    weaker = run(AT_LEAST, printed_equality, context.grid, any_prior, every_x)
    return annotate(found, ("n = 1, uniform prior: it fails for every ε", always_off()), ("with ≥ for =", weaker))


@check("acc.4.5.lszhang-lb.all", grid=EVERY)
def lower_bound_everywhere(context: Context) -> Outcome:
    """Decides the lower bound for LSZhang on every data set."""
    found = run(BOUND, printed_bound, context.grid, any_prior, every_x)
    return annotate(found, (f"uniform prior: {UNIFORM}", run(BOUND, printed_bound, UNIFORM, any_prior, every_x)))
