"""The check of (ε, δ)-differential privacy of MHdelta.

The lemma is about M_H, the mechanism of the Beta system, whose γ has the n + 1 candidates of k = 2; the paper writes
M_H^D for the Dirichlet mechanism. So k = 2 is the claim, and k ≥ 3 with the same γ is a remark: a large Dirichlet model
by orbits, with the prior (A, M, …, M), A > M, and the pair x = (n−1, 1, 0, …, 0), x′ = (n, 0, …, 0). Candidates that
differ by a permutation of cells 3…k are equally far from both, so a candidate is c₂ and a partition of what lies there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import factorial

from dpaudit.claims import Context, Grid, Outcome, Step, annotate, brief, check, scan, search, step
from dpaudit.claims.batches import Batch, Batches, Statement, each, single
from dpaudit.mechanisms.exponential import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, count_histograms, make_model
from proofs_checks.points import exponential_at, maker, priors, rationals
from proofs_checks.privacy.tools import delta_steps, epsilon_batches, true_delta
from proofs_checks.setting.lemmas import g


def partitions(total: int, largest: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Yields the partitions of ``total`` into at most ``parts`` parts, none above ``largest``.

    >>> list(partitions(4, 4, 2))
    [(4,), (3, 1), (2, 2)]
    """
    if total == 0:
        yield ()
    elif parts:
        for first in range(min(total, largest), 0, -1):
            for rest in partitions(total - first, first, parts - 1):
                yield (first, *rest)


@dataclass(frozen=True)
class Large:
    """The model, ε and δ; ``tail`` is what stands in the mechanism's γ = ln(1 + ε/(2 ln(2·tail/δ)))."""

    n: int
    k: int
    first: int
    other: int
    eps: Fraction
    delta: Fraction
    tail: int

    def orbits(self) -> Iterator[tuple[int, Histogram]]:
        """Yields (number of candidates, one of them) of every orbit."""
        cells = self.k - 2
        for rest in range(self.n + 1):
            for parts in partitions(rest, rest, cells):
                size = factorial(cells) // factorial(cells - len(parts))
                for repeated in Counter(parts).values():
                    size //= factorial(repeated)
                for second in range(self.n - rest + 1):
                    yield size, (self.n - rest - second, second, *parts, *(0,) * (cells - len(parts)))

    def complete(self) -> bool:
        """Returns whether the orbits hold every candidate once."""
        return sum(size for size, _ in self.orbits()) == count_histograms(self.n, self.k)

    def sensitivities(self) -> tuple[Ball, Ball, Ball, Ball]:
        """Returns LS(x) = S_exp(x), LS(x′), S_exp(x′) and γ.

        g rises and A > M, so LS(x) = √(1 − g(M)²), by the move from cell 2 to cell 3, is the largest of all: GS. Then
        S_exp(x) = LS(x), and S_exp(x′) = max(LS(x′), e^(−γ)·GS), LS(x′)² = 1 − g(M)·g(A+n−1).
        """
        top = (1 - g(self.other) ** 2).sqrt()
        local = (1 - g(self.other) * g(self.first + self.n - 1)).sqrt()
        gamma = (1 + ball(self.eps) / (2 * ball(2 * self.tail / self.delta).log())).log()
        return top, local, balls.maximum([local, (-gamma).exp() * top]), gamma

    def weights(self) -> list[tuple[int, Ball, Ball]]:
        """Returns (number of candidates, weight from x, weight from x′) of every orbit."""
        h = Hellinger(make_model(self.n, prior=(self.first, *(self.other,) * (self.k - 1))))
        (s, _, t, _), half, empty = self.sensitivities(), ball(self.eps / 2), (0,) * (self.k - 2)
        x, y = (self.n - 1, 1, *empty), (self.n, 0, *empty)
        return [
            (size, (-half * h.between(x, r) / s).exp(), (-half * h.between(y, r) / t).exp())
            for size, r in self.orbits()
        ]

    def delta_lower(self) -> Ball:
        """Returns a ball that contains Σ_r max(0, P_x(r) − e^ε·P_x′(r)): a lower bound of δ(ε)."""
        weights = self.weights()
        here = balls.total([size * w for size, w, _ in weights])
        there = balls.total([size * w for size, _, w in weights])
        factor = ball(self.eps).exp()
        return balls.total([size * balls.positive_part(v / here - factor * w / there) for size, v, w in weights])

    def steps(self) -> list[Step]:
        """Returns the instance worked out."""
        top, local, smooth, gamma = self.sensitivities()
        weights = self.weights()
        return [
            step("candidates", f"in {len(weights)} orbits, |R|", count_histograms(self.n, self.k)),
            step("γ", f"ln(1 + ε/(2 ln(2·{self.tail}/δ)))", gamma),
            step("S_exp(x), x = (n−1, 1, 0, …)", "LS(x) = GS = √(1 − g(M)²)", top),
            step("LS(x′), x′ = (n, 0, …)", "√(1 − g(M)·g(A+n−1))", local),
            step("S_exp(x′)", "max(LS(x′), e^(−γ)·GS)", smooth),
            step("NL(x)", "", balls.total([size * w for size, w, _ in weights])),
            step("NL(x′)", "", balls.total([size * w for size, _, w in weights])),
            step("δ(ε) at this pair", "Σ max(0, P_x(r) − e^ε·P_x′(r))", self.delta_lower()),
        ]


DELTA_MOST = Statement("δ(ε) of M_H, k = 2", "<=", "δ", closeness="ratio")
PAIR_MOST = Statement("Σ max(0, P_x − e^ε·P_x′)", "<=", "δ", closeness="ratio")
PURE = Statement("true ε", ">", "ε")
TINY, HALF = Fraction(1, 10**8), Fraction(1, 2)
PRIORS = priors("1 1", "1/2 1/2", "1/10 1/10", "1 2", "1/10000 1000")
EPS = rationals("1 1/10 4 16")
DELTAS = (TINY, Fraction(1, 100), HALF)
WORDS = "k = 2, every ordered adjacent pair"
LONG = Grid(WORDS, n=[60, 120], eps=[16], delta=rationals("1/10 1/2"), prior=PRIORS[-1:])
DEFAULT = (
    Grid(WORDS, n=range(1, 9), eps=EPS, delta=DELTAS, prior=PRIORS)
    + Grid(WORDS, n=[20, 40], eps=EPS, delta=[TINY, HALF], prior=PRIORS)
    + LONG
)
WIDE = (
    Grid(WORDS, n=range(1, 25), eps=(*EPS, HALF, 2, 64), delta=(*DELTAS, Fraction(1, 10)), prior=PRIORS)
    + Grid(WORDS, n=[40, 80, 120, 200], eps=EPS, delta=DELTAS, prior=PRIORS)
    + LONG
)
DIRICHLET = (
    ("k = 17, δ as in the paper", Large(14, 17, 10**5, 10**3, Fraction(16), TINY, 15)),
    ("least n found", Large(8, 61, 10**6, 10**4, Fraction(24), Fraction(1, 10**12), 9)),
)


def delta_batches(grid: Grid) -> Batches:
    """Yields δ(ε) of MHdelta against its own δ."""

    def sides(at: MHdelta) -> tuple[Ball, Ball]:
        return true_delta(at, at.epsilon), ball(at.delta)

    return each(grid, partial(exponential_at, MHdelta), sides, steps=lambda at: delta_steps(at, at.epsilon))


def dirichlet(words: str, large: Large) -> Batch:
    """Returns the pair of the large Dirichlet model: its contribution to δ(ε) against δ."""
    prior = f"({large.first}, {large.other}, …, {large.other})"
    where = {"n": large.n, "k": large.k, "prior": prior, "eps": large.eps, "delta": large.delta}
    if not large.complete():
        raise ArithmeticError("the orbits do not hold every candidate once")
    return single(where, lambda: (large.delta_lower(), ball(large.delta)), steps=large.steps)


@check("dp.mhdelta", grid=DEFAULT, wide=WIDE, weight=9, audits=("MHdelta", {}))
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
    repaired = replace(first, tail=count_histograms(first.n, first.k))
    parts.append(scan(PAIR_MOST, [dirichlet("", repaired)]).part("the same pair, k = 17, with |R| for n+1 in γ"))
    pure = search(PURE, epsilon_batches(LONG, maker("MHdelta"), lambda mechanism: mechanism.epsilon))
    wrong = "the Dirichlet mechanism with the same γ is NOT (ε, δ)-DP: " + "; ".join(lines) if lines else ""
    return annotate(outcome.having(wrong, parts), ("k = 2 needs its δ: there is a setting with true ε > ε", pure))
