"""The check of (ε, δ)-differential privacy of MHdelta.

The lemma is about M_H, the mechanism of the Beta system, whose γ has the n + 1 candidates of k = 2; the paper writes
M_H^D for the Dirichlet mechanism. So k = 2 is the claim, and k ≥ 3 with the same γ is a remark: a large Dirichlet model
by orbits, with the prior (A, M, …, M), A > M, and the pair x = (n−1, 1, 0, …, 0), x′ = (n, 0, …, 0). Candidates that
differ by a permutation of cells 3…k are equally far from both, so a candidate is c₂ and a partition of what lies there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from dpaudit.claims import Context, Grid, Outcome, Point, Step, annotate, brief, check, scan, search, step
from dpaudit.claims.batches import Batch, Batches, Statement, each, single
from dpaudit.mechanisms.exponential import Exponential
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import count_histograms
from proofs_checks.privacy.scores import mechanism_at
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

    def orbits(self) -> Iterator[tuple[int, int, int, tuple[int, ...]]]:
        """Yields (number of candidates, c₁, c₂, partition of the others)."""
        cells = self.k - 2
        for rest in range(self.n + 1):
            for parts in partitions(rest, rest, cells):
                size = factorial(cells) // factorial(cells - len(parts))
                for repeated in Counter(parts).values():
                    size //= factorial(repeated)
                for second in range(self.n - rest + 1):
                    yield size, self.n - rest - second, second, parts

    def complete(self) -> bool:
        """Returns whether the orbits hold every candidate once."""
        return sum(size for size, *_ in self.orbits()) == count_histograms(self.n, self.k)

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
        n = self.n
        near = [[cell(self.first, n - 1, c) for c in range(n + 1)], [cell(self.other, 1, c) for c in range(n + 1)]]
        corner = [[cell(self.first, n, c) for c in range(n + 1)], [cell(self.other, 0, c) for c in range(n + 1)]]
        s, _, t, _ = self.sensitivities()
        half = ball(self.eps / 2)
        result = []
        for size, c1, c2, parts in self.orbits():
            rest = balls.total([corner[1][part] for part in parts])
            here = far(near[0][c1] + near[1][c2] + rest) if (c1, c2) != (n - 1, 1) else balls.zero()
            there = far(corner[0][c1] + corner[1][c2] + rest) if c1 != n else balls.zero()
            result.append((size, (-half * here / s).exp(), (-half * there / t).exp()))
        return result

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


def cell(alpha: int, i: int, j: int) -> Ball:
    """Returns ln of Γ(α+(i+j)/2)/√(Γ(α+i)Γ(α+j))."""
    ends = ball(alpha + i).lgamma() + ball(alpha + j).lgamma()
    return ball(alpha + Fraction(i + j, 2)).lgamma() - ends / 2


def far(log_bc: Ball) -> Ball:
    """Returns the distance √(1 − BC) from ln BC."""
    return (-log_bc.expm1()).sqrt()


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


def delta_batches(grid: Grid) -> Batches:
    """Yields δ(ε) of MHdelta against its own δ."""

    def sides(at: tuple[Exponential, Fraction]) -> tuple[Ball, Ball]:
        return true_delta(at[0], at[0].epsilon), ball(at[1])

    def subject(point: Point) -> tuple[Exponential, Fraction]:
        return mechanism_at("MHdelta", point), point.delta

    return each(grid, subject, sides, steps=lambda at: delta_steps(at[0], at[0].epsilon))


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
    repaired = Large(
        first.n, first.k, first.first, first.other, first.eps, first.delta, count_histograms(first.n, first.k)
    )
    parts.append(scan(PAIR_MOST, [dirichlet("", repaired)]).part("the same pair, k = 17, with |R| for n+1 in γ"))
    pure = search(
        PURE, epsilon_batches((vars(point), mechanism_at("MHdelta", point), Fraction(point.eps)) for point in LONG)
    )
    wrong = "the Dirichlet mechanism with the same γ is NOT (ε, δ)-DP: " + "; ".join(lines) if lines else ""
    return annotate(outcome.having(wrong, parts), ("k = 2 needs its δ: there is a setting with true ε > ε", pure))
