"""Theorems 4.1, 4.3 and 4.4 of N0 and N4: LSHist's error in units of the local sensitivity, measured.

E(x) is the least attained distance d with Pr[H <= d] >= 1 - gamma, L = ln(1/gamma)/eps, and the constant of
"E/LS = O(L)" is C = (E/LS)/L; with L rounded up to whole steps it is (E/LS)/ceil(L).
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpaudit.claims import Context, Grid, Outcome, Proof, Statement, Table, annotate, check, measured, scan, single
from dpaudit.claims.shown import show, step
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.champion import Champion
from dpaudit.posterior.model import Model
from dpaudit.studies.accuracy.bounds import HALF
from proofs_checks.accuracy.lemmas import QQ, K, interval_lemma, symmetry_lemma
from proofs_checks.accuracy.rows import (
    ONE,
    distances,
    evaluate,
    in_q,
    laplace_interval,
    levels,
    local_sensitivity,
    power,
    within_ls,
)
from proofs_checks.points import Prior, priors, rationals
from proofs_checks.setting.exact import decided

PRIORS = priors("1 1", "1/100 1/100")
GRID = Grid(
    "x = (0, n), (1, n−1), (2, n−2), (n/2, n/2), (n, 0)",
    n=[2, 8, 40, 200],
    prior=PRIORS,
    eps=rationals("1/10 1 2 16"),
    gamma=rationals("1/2 1/4 1/20 1/1000"),
).wider(
    n=[2, 3, 4, 8, 16, 40, 100, 300],
    prior=[*PRIORS, *priors("1/2 1/2", "2 1", "10 10")],
    eps=rationals("1/100 1/10 1/2 1 2 4 8 16"),
    gamma=rationals("1/2 1/4 1/10 1/20 1/100 1/1000 1/1000000"),
)
Key = tuple[Prior, Fraction, Fraction]
Place = tuple[int, int]


def enough(n: int, a: int, span: tuple[int, int], eps: Fraction, gamma: Fraction) -> bool:
    """Whether Pr[output in the span] >= 1 - gamma for LSHist: exactly if it is a constant, else by balls."""
    poly = laplace_interval(n, a, *span)
    if poly.degree() <= 0:
        return bool(poly[0] * gamma.denominator >= gamma.denominator - gamma.numerator)
    return decided(balls.decide(lambda: balls.at_most(ball(1 - gamma), evaluate(poly, power(eps))))[0])


def error_at(model: Model, a: int, eps: Fraction, gamma: Fraction) -> int:
    """An output r with H(x, r) = E(x), by its first cell."""
    inner = (a, a - 1)
    for lo, hi in levels(model, a):
        if enough(model.n, a, (lo, hi), eps, gamma):
            return next(r for r in range(lo, hi + 1) if not inner[0] <= r <= inner[1])
        inner = (lo, hi)
    raise ArithmeticError("the probabilities do not sum to 1")


def in_units_of_ls(model: Model, a: int, r: int) -> Ball:
    """A ball that contains H(x, r) / LS(x); exactly 1 if they are equal."""
    if next(span for span in levels(model, a) if span[0] <= r <= span[1]) == within_ls(model, a):
        return ball(1)
    return distances(model, a)[r] / local_sensitivity(model, a)


def steps_allowed(eps: Fraction, gamma: Fraction) -> Ball:
    """A ball that contains L = ln(1/gamma)/eps."""
    return -ball(gamma).log() / ball(eps)


def whole_steps(eps: Fraction, gamma: Fraction) -> int:
    """ceil(L), L = ln(1/gamma)/eps, which is irrational."""

    return -balls.refine(lambda: balls.whole_part(-steps_allowed(eps, gamma)), 128)[0]


def sample(n: int) -> list[int]:
    """The first cells of the data sets that are measured."""
    return sorted({0, min(1, n), min(2, n), n // 2, n})


def worst(grid: Grid) -> Iterator[tuple[Key, Ball, Place]]:
    """Yields for every (prior, eps, gamma) the largest E/LS over n and x, and where it is attained."""
    champions: dict[Key, Champion[Place]] = {}
    for point in grid:
        model = Model(point.n, point.prior)
        champion = champions.setdefault((point.prior, point.eps, point.gamma), Champion())
        for a in sample(point.n):
            at = error_at(model, a, point.eps, point.gamma)
            champion.offer([in_units_of_ls(model, a, at)], lambda _, place=(point.n, a): place)  # type: ignore[misc]
    for key, champion in champions.items():
        yield key, *champion.result()


def ceiling_proof() -> Proof:
    """Proves E(x) <= the largest H(x, x+j) with |j| <= ceil(L), for every n, x and prior."""
    proof = interval_lemma().says("m = ⌈ln(1/γ)/ε⌉, K = q^m ≤ γ", "Pr[|steps| ≤ m] ≥ 1 − ½K(1+q); clipping only helps")
    return proof.equal(
        "≥ 1 − γ", "1 − ½K(1+q) = (1−K) + ½K(1−q) ≥ 1−K", 1 - HALF * K * (1 + QQ), 1 - K + HALF * K * (1 - QQ)
    )


def floor_proof() -> Proof:
    """Proves E(x) >= LS(x) for balanced data, equal prior, gamma <= 1/2 and every eps."""
    proof = symmetry_lemma().positive(
        "½ − Pr[output = x]", "½ − ½(1−q) = ½q > 0", HALF * ONE - laplace_interval(2, 1, 1, 1)
    )
    return proof.says(
        "so Pr[H ≤ 0] < 1−γ", "E is at least the distance of the neighbors, which is LS(x): C ≥ 1/(ln(1/γ)/ε)"
    )


def without_ceiling(model: Model, a: int, eps: Fraction, gamma: Fraction) -> Outcome:
    """The outcome of Theorem 4.3's middle step, E(x) <= max of H(x, x+j) over |j| <= L, at one instance."""
    at, most = error_at(model, a, eps, gamma), whole_steps(eps, gamma) - 1
    window = [r for r in range(a - most, a + most + 1) if 0 <= r <= model.n]
    near = laplace_interval(model.n, a, window[0], window[-1])
    return scan(
        Statement("E(x)", "<=", "max H(x,x+j), |j| ≤ ln(1/γ)/ε"),
        [
            single(
                {"n": model.n, "prior": model.prior, "eps": eps, "gamma": gamma, "x": (a, model.n - a)},
                lambda: (distances(model, a)[at], balls.maximum([distances(model, a)[r] for r in window])),
                lambda: True if window == [at] else None,
                lambda: [
                    step("Pr[|j| ≤ L]", in_q(near), evaluate(near, power(eps))),
                    step("1 − γ", "", 1 - gamma),
                ],
            )
        ],
    )


@check("acc.4.3", grid=GRID, weight=2)
def error_constant(context: Context) -> Outcome:
    """Measures E(x)/LS(x) against ln(1/gamma)/eps."""
    overall: Champion[str] = Champion()
    long_range: Champion[str] = Champion()
    rows = []
    with balls.precision(192):
        for (prior, eps, gamma), ratio, (n, a) in worst(context.grid):
            allowed, whole = steps_allowed(eps, gamma), whole_steps(eps, gamma)
            constant, place = ratio / allowed, f"ε = {eps}, γ = {gamma}, prior ({prior[0]}, {prior[1]}), n = {n}"
            overall.offer([constant], lambda _, place=place: place)  # type: ignore[misc]
            if whole > 1:
                long_range.offer([constant], lambda _, place=place: place)  # type: ignore[misc]
            shown = [show(value, 8) for value in (ratio, allowed, constant, ratio / whole)]
            rows.append(
                (
                    f"({prior[0]}, {prior[1]})",
                    str(eps),
                    str(gamma),
                    *shown[:3],
                    shown[3],
                    f"n = {n}, x = ({a}, {n - a})",
                )
            )
        (top, where), (top_long, where_long) = overall.result(), long_range.result()
        finding = f"largest constant {show(top, 6)} ({where}); {show(top_long, 6)} where ln(1/γ)/ε > 1 ({where_long})"
    columns = ("prior", "ε", "γ", "largest E/LS", "L = ln(1/γ)/ε", "C = (E/LS)/L", "(E/LS)/⌈L⌉", "attained at")
    return annotate(
        measured(Table(columns, tuple(rows)), finding),
        ("for fixed γ ≤ ½ no constant serves every ε: on balanced data, equal prior, C ≥ ε/ln(1/γ)", floor_proof()),
        ("E ≤ max H(x,x+j) over |j| ≤ ⌈ln(1/γ)/ε⌉", ceiling_proof()),
        (
            "the same with |j| ≤ ln(1/γ)/ε, as printed",
            without_ceiling(Model(4, PRIORS[0]), 2, Fraction(1), Fraction(1, 4)),
        ),
    )
