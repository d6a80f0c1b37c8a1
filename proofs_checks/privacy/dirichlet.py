"""The check of (ε, δ)-differential privacy of M_H^D, P1's mechanism for the Dirichlet system.

As printed its S ranges over the data sets adjacent to x only, and its γ keeps the n + 1 of the Beta system. With S over
all data sets a large model by orbits shows that this γ is too large: the prior (A, M, …, M), A > M, and the pair
x = (n−1, 1, 0, …, 0), x′ = (n, 0, …, 0). Candidates that differ by a permutation of cells 3…k are as far from both,
so a candidate is c₂ and a partition of what lies there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import factorial

from dpaudit.claims import Context, Grid, Outcome, Step, annotate, check, scan, step
from dpaudit.claims.batches import Batch, Statement, each, single
from dpaudit.mechanisms.mhdelta import ADJACENT, MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, count_histograms, make_model
from proofs_checks.points import exponential_at, priors, rationals
from proofs_checks.privacy.tools import delta_steps, true_delta
from proofs_checks.setting.lemmas import g

ADJACENT_MOST = Statement("δ(ε) of M_H^D, S over adjacent data sets", "<=", "δ", closeness="ratio")
PAIR_MOST = Statement("Σ max(0, P_x − e^ε·P_x′)", "<=", "δ", closeness="ratio")


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
        """Whether the orbits hold every candidate once."""
        return sum(size for size, _ in self.orbits()) == count_histograms(self.n, self.k)

    def sensitivities(self) -> tuple[Ball, Ball, Ball, Ball]:
        """LS(x) = S_exp(x), LS(x′), S_exp(x′) and γ.

        g rises and A > M, so LS(x) = √(1 − g(M)²), by the move from cell 2 to cell 3, is the largest of all: GS. Then
        S_exp(x) = LS(x), and S_exp(x′) = max(LS(x′), e^(−γ)·GS), LS(x′)² = 1 − g(M)·g(A+n−1).
        """
        top = (1 - g(self.other) ** 2).sqrt()
        local = (1 - g(self.other) * g(self.first + self.n - 1)).sqrt()
        gamma = (1 + ball(self.eps) / (2 * ball(2 * self.tail / self.delta).log())).log()
        return top, local, balls.maximum([local, (-gamma).exp() * top]), gamma

    def weights(self) -> list[tuple[int, Ball, Ball]]:
        """(number of candidates, weight from x, weight from x′) of every orbit."""
        h = Hellinger(make_model(self.n, prior=(self.first, *(self.other,) * (self.k - 1))))
        (s, _, t, _), half, empty = self.sensitivities(), ball(self.eps / 2), (0,) * (self.k - 2)
        x, y = (self.n - 1, 1, *empty), (self.n, 0, *empty)
        return [
            (size, (-half * h.between(x, r) / s).exp(), (-half * h.between(y, r) / t).exp())
            for size, r in self.orbits()
        ]

    def delta_lower(self) -> Ball:
        """A ball that contains Σ_r max(0, P_x(r) − e^ε·P_x′(r)): a lower bound of δ(ε)."""
        weights = self.weights()
        here = balls.total([size * w for size, w, _ in weights])
        there = balls.total([size * w for size, _, w in weights])
        factor = ball(self.eps).exp()
        return balls.total([size * balls.positive_part(v / here - factor * w / there) for size, v, w in weights])

    def steps(self) -> list[Step]:
        """The instance, step by step."""
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


OVER = ADJACENT
"""The data sets that the S of M_H^D ranges over, as printed."""
TINY = Fraction(1, 10**8)
DIRICHLET = (
    ("k = 17, δ as in the paper", Large(14, 17, 10**5, 10**3, Fraction(16), TINY, 15)),
    ("least n found", Large(8, 61, 10**6, 10**4, Fraction(24), Fraction(1, 10**12), 9)),
)
PRIORS = priors("1 1 1", "1/2 1/2 1/2", "10 10 1/100", "100 100 1/1000")
GRID = Grid(
    "k = 3, every ordered adjacent pair",
    n=range(1, 5),
    eps=rationals("4/5 8 16"),
    delta=[TINY],
    prior=PRIORS,
)
UNIFORM = Grid(n=range(1, 7), eps=rationals("4/5 1 8"), delta=[TINY, Fraction(1, 2000)], prior=PRIORS[:1])


def dirichlet(large: Large) -> Batch:
    """The pair of the large model: its contribution to δ(ε) against δ."""
    prior = f"({large.first}, {large.other}, …, {large.other})"
    where = {"n": large.n, "k": large.k, "prior": prior, "eps": large.eps, "delta": large.delta}
    if not large.complete():
        raise ArithmeticError("the orbits do not hold every candidate once")
    return single(where, lambda: (large.delta_lower(), ball(large.delta)), steps=large.steps)


@check("dp.mhdelta.dirichlet", grid=GRID.wider(n=range(1, 8)), weight=4)
def mhdelta_dirichlet(ctx: Context) -> Outcome:
    """M_H^D is (ε, δ)-DP (P1 §4.2.1 and Lemma 4.3, the Dirichlet system)."""

    def sides(at: MHdelta) -> tuple[Ball, Fraction]:
        return true_delta(at, at.epsilon), at.delta

    def listed(grid: Grid) -> Outcome:
        make = partial(exponential_at, partial(MHdelta, over=OVER))
        return scan(ADJACENT_MOST, each(grid, make, sides, steps=lambda at: delta_steps(at, at.epsilon)))

    first = DIRICHLET[0][1]
    repaired = replace(first, tail=count_histograms(first.n, first.k))
    return annotate(
        listed(ctx.grid),
        (f"the documents' own prior: {UNIFORM}", listed(UNIFORM)),
        *((f"S over all data sets, {words}", scan(PAIR_MOST, [dirichlet(large)])) for words, large in DIRICHLET),
        ("the same pair, k = 17, with |R| for n+1 in γ", scan(PAIR_MOST, [dirichlet(repaired)])),
    )
