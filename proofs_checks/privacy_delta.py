"""The check of (ε, δ)-differential privacy of MHdelta.

The lemma is about M_H, the mechanism of the Beta system, whose γ has the n + 1 candidates of k = 2; the paper writes
M_H^D for the Dirichlet mechanism. So k = 2 is the claim, and k ≥ 3 with the same γ is a remark.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpaudit.mechanisms import PosteriorMechanism
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import count_histograms
from proofs_checks.core import Batch, Statement, scan, search, single
from proofs_checks.grid import Grid
from proofs_checks.numbers import brief
from proofs_checks.outcome import Outcome, Step
from proofs_checks.privacy_orbits import Large
from proofs_checks.privacy_tools import delta_steps, epsilon_batches, subject, true_delta
from proofs_checks.registry import Context, check
from proofs_checks.setting_tools import found

DELTA_MOST = Statement("δ(ε) of M_H, k = 2", "<=", "δ", closeness="ratio")
PAIR_MOST = Statement("Σ max(0, P_x − e^ε·P_x′)", "<=", "δ", closeness="ratio")
PURE = Statement("true ε", ">", "ε")
TENTH, HALF = Fraction(1, 10), Fraction(1, 2)
TINY = Fraction(1, 10**8)
PRIORS = ((1, 1), (HALF, HALF), (TENTH, TENTH), (1, 2), (Fraction(1, 10**4), 1000))
EPS = (1, TENTH, 4, 16)
DELTAS = (TINY, Fraction(1, 100), HALF)
WORDS = "k = 2, every ordered adjacent pair"
LONG = Grid(WORDS, n=[60, 120], eps=[16], delta=[TENTH, HALF], prior=[(Fraction(1, 10**4), 1000)])
DEFAULT = (
    Grid(WORDS, n=range(1, 9), eps=EPS, delta=DELTAS, prior=PRIORS)
    + Grid(WORDS, n=[20, 40], eps=EPS, delta=[TINY, HALF], prior=PRIORS)
    + LONG
)
WIDE = (
    Grid(WORDS, n=range(1, 25), eps=(*EPS, HALF, 2, 64), delta=(*DELTAS, TENTH), prior=PRIORS)
    + Grid(WORDS, n=[40, 80, 120, 200], eps=EPS, delta=DELTAS, prior=PRIORS)
    + LONG
)
DIRICHLET = (
    ("k = 17, δ as in the paper", Large(14, 17, 10**5, 10**3, Fraction(16), TINY, 15)),
    ("least n found", Large(8, 61, 10**6, 10**4, Fraction(24), Fraction(1, 10**12), 9)),
)


def delta_batches(grid: Grid) -> Iterator[Batch]:
    """Yields δ(ε) of MHdelta against its own δ."""
    for point in grid:
        mechanism = subject("MHdelta", point.n, point.prior, point.eps, delta=point.delta)

        def sides(mechanism: PosteriorMechanism = mechanism, delta: Fraction = point.delta) -> tuple[Ball, Ball]:
            return true_delta(mechanism, mechanism.epsilon), ball(delta)

        def steps(mechanism: PosteriorMechanism = mechanism) -> list[Step]:
            return delta_steps(mechanism, mechanism.epsilon)

        where = {"n": point.n, "eps": point.eps, "delta": point.delta, "prior": point.prior}
        yield single(where, sides, steps=steps)


def dirichlet(words: str, large: Large) -> Batch:
    """Returns the pair of the large Dirichlet model: its contribution to δ(ε) against δ."""
    prior = f"({large.first}, {large.other}, …, {large.other})"
    where = {"n": large.n, "k": large.k, "prior": prior, "eps": large.eps, "delta": large.delta}
    if not large.complete():
        raise ArithmeticError("the orbits do not hold every candidate once")
    return single(where, lambda: (large.delta_lower(), ball(large.delta)), steps=large.steps)


@check("dp.mhdelta", grid=DEFAULT, wide=WIDE, weight=9)
def mhdelta(ctx: Context) -> Outcome:
    """MHdelta is (ε, δ)-DP (P1 Lemma 4.3, the Beta system)."""
    outcome = scan(DELTA_MOST, delta_batches(ctx.grid))
    parts, lines = [], []
    for words, large in DIRICHLET:
        extended = scan(PAIR_MOST, [dirichlet(words, large)])
        parts.append(extended.part(f"the Dirichlet mechanism with the same γ, {words}"))
        if extended.counterexample is not None:
            over = brief(extended.counterexample.left.value)
            lines.append(f"k = {large.k}, n = {large.n}, ε = {large.eps}: {over} > δ = {large.delta}")
    first = DIRICHLET[0][1]
    repaired = Large(
        first.n, first.k, first.first, first.other, first.eps, first.delta, count_histograms(first.n, first.k)
    )
    parts.append(scan(PAIR_MOST, [dirichlet("", repaired)]).part("the same pair, k = 17, with |R| for n+1 in γ"))
    pure = search(PURE, epsilon_batches(pure_cases()))
    parts.append(pure.part("k = 2 without δ: there is a setting with true ε > ε"))
    wrong = "the Dirichlet mechanism with the same γ is NOT (ε, δ)-DP: " + "; ".join(lines) if lines else ""
    return outcome.having("; ".join(filter(None, [wrong, found("k = 2 needs its δ (true ε > ε)", pure)])), parts)


def pure_cases() -> Iterator[tuple[dict[str, object], PosteriorMechanism, Fraction]]:
    """Yields the settings in which the pure loss is looked at."""
    for point in LONG:
        mechanism = subject("MHdelta", point.n, point.prior, point.eps, delta=point.delta)
        yield {"n": point.n, "eps": point.eps, "delta": point.delta, "prior": point.prior}, mechanism, mechanism.epsilon
