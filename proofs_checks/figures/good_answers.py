"""P1 §5.4.1: the probability of good answers, at most three steps from x, as the number of records grows. k = 2.

The paper says that it falls like the number of candidates grows for "our exponential mechanism", and hardly changes for
the Laplace mechanism. With a fixed sensitivity it does. M_H's S(x) follows LS(x), which falls like 1/√n on balanced
data: its probability falls while S is held up by the ends, and then rises to a positive limit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from dpaudit.claims import (
    Context,
    Grid,
    Outcome,
    Proof,
    Statement,
    Step,
    Table,
    annotate,
    brief,
    check,
    refined,
    scan,
    step,
    variables,
)
from dpaudit.claims.batches import Batch, Batches, single
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Model
from dpaudit.posterior.sensitivity import gs_constant
from dpaudit.studies.accuracy.bounds import HALF
from proofs_checks.accuracy.lemmas import interval_lemma
from proofs_checks.accuracy.rows import ONE, Q, laplace_interval
from proofs_checks.figures.limits import limit_near, many_records_lemma
from proofs_checks.figures.tables import GS_CONSTANT, S_EXP, S_GAMMA
from proofs_checks.figures.window import WindowRow
from proofs_checks.points import rationals

GOOD = 3
"""P1: "candidates within three steps from the correct answer are good answers"."""
EPS = Fraction(4, 5)
FALLS = Statement("Pr[at most 3 steps] at the larger n", "<", "Pr[at most 3 steps] at the smaller n")
LIKE_R = Statement("(n+1)·Pr[at most 3 steps] of EHD", "<=", "7·e^(ε/(2GS₀))")
SIZES = (8, 10, 20, 40, 60, 80, 100, 120, 160, 200, 300, 600, 1000, 2000, 10000)
RATES = {"MHdelta": S_EXP, "MH": S_GAMMA, "EHD": GS_CONSTANT}
UNIFORM = rationals("1 1")


def good(name: str, n: int) -> Ball:
    """A ball that contains Pr[at most 3 steps] at x = (n/2, n/2), prior (1, 1)."""
    row = WindowRow(Model(n, UNIFORM), (n // 2, n // 2))
    sensitivity = gs_constant() if RATES[name] == GS_CONSTANT else row.sensitivity(RATES[name], EPS)
    return row.near(ball(EPS / 2) / sensitivity, GOOD)


def falling(name: str, sizes: Sequence[int]) -> Batches:
    """Yields the probability at each size against that at the size before."""
    for low, high in pairwise(sizes):
        yield _step(name, low, high)


def _step(name: str, low: int, high: int) -> Batch:
    def steps() -> list[Step]:
        lines = []
        for n in (low, high):
            row = WindowRow(Model(n, UNIFORM), (n // 2, n // 2))
            if name != "EHD":
                lines.append(step(f"S(x) at n = {n}", RATES[name], row.sensitivity(RATES[name], EPS)))
            lines.append(step(f"Pr at n = {n}", "Σ over |j| ≤ 3 of e^(−εH(x,x+j)/(2S)), divided by NL", good(name, n)))
        return lines

    where = {"mechanism": name, "n": low, "larger n": high, "prior": (1, 1), "x": "(n/2, n/2)", "eps": EPS}
    return single(where, lambda: (good(name, high), good(name, low)), steps=steps)


def ehd_proof() -> Proof:
    """Proves 1 ≤ (n+1)·Pr ≤ 7·e^(ε/(2GS₀)) for EHD, any x with three candidates on either side."""
    size, u, less = variables("size", "u", "less")
    proof = Proof().says(
        "weights e^(−εH/(2GS₀))", "lie in [u, 1], u = e^(−ε/(2GS₀)), as 0 ≤ H ≤ 1; n+1 = size candidates"
    )
    proof.equal(
        "Pr ≤ 7/(size·u)", "the good ones sum to at most 7, all to size·u or more", 7 * size, size * (2 * GOOD + 1)
    )
    proof.equal(
        "Pr ≥ 1/size",
        "the weight of x is 1, the largest: size·1 − (size − less) = less ≥ 0",
        size - (size - less),
        less + 0 * u,
    )
    return proof.says(
        "so", "(n+1)·Pr stays between 1 and 7·e^(ε/(2GS₀)): Pr falls like 1/n; for k = m like n^−(m−1), the same way"
    )


def laplace_proof() -> Proof:
    """Proves that LSHist's and LSDim's probability does not depend on n at all, n ≥ 8 balanced."""
    proof = interval_lemma().cases(
        "three steps either way",
        "1 − ½q³ − ½q⁴, q = e^(−ε/s) with the scale s/ε",
        "n = 8, 10, 20, exactly; for all n ≥ 8 by hand",
        lambda: len({str(laplace_interval(n, n // 2, n // 2 - GOOD, n // 2 + GOOD)) for n in (8, 10, 20)}) == 1,
    )
    value = laplace_interval(8, 4, 4 - GOOD, 4 + GOOD)
    return proof.equal("which has no n in it", "1 − ½q³ − ½q⁴", value, ONE - HALF * Q**3 - HALF * Q**4)


GRID = Grid("x = (n/2, n/2), prior (1, 1), ε = 4/5, δ = 1e-8; each size against the next", n=SIZES)


@check("near.decay", grid=GRID, weight=2)
def decay(ctx: Context) -> Outcome:
    """As n grows M_H's probability of good answers falls, the Laplace mechanism's hardly changes (P1 §5.4.1)."""
    sizes = [point.n for point in ctx.grid]

    def bounded(n: int) -> Batch:
        bound = (2 * GOOD + 1) * (ball(EPS / 2) / gs_constant()).exp()
        return single({"n": n, "eps": EPS}, lambda: ((n + 1) * good("EHD", n), bound))

    listed = scan(LIKE_R, (replace(bounded(n), start_bits=80) for n in sizes))
    early = [n for n in sizes if n <= 60]

    def cell(name: str, n: int) -> str:
        return brief(refined(lambda: good(name, n), 6))

    rows = tuple((str(n), *(cell(name, n) for name in RATES)) for n in sizes)
    limit = brief(refined(lambda: limit_near(EPS, GOOD), 6))
    rows = (*rows, ("→ ∞", limit, limit, "0"))
    return annotate(
        scan(FALLS, falling("MHdelta", sizes)),
        ("n ≤ 60, where the ends of the data still hold S up", scan(FALLS, falling("MHdelta", early))),
        ("A3's MH", scan(FALLS, falling("MH", sizes))),
        (
            "with the global sensitivity, EHD: it falls like 1/(n+1), every n",
            ehd_proof().concludes(LIKE_R, "<=").settle(("", listed)),
        ),
        ("M_H's tends to (1−p)(1+2p+2p²+2p³)/(1+p) > 0, p = e^(−ε/2), as n → ∞", many_records_lemma("MHdelta")),
        ("the Laplace mechanism's does not change at all, n ≥ 8", laplace_proof()),
    ).with_table(Table(("n", *RATES), rows))
