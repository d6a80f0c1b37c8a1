"""MHdelta on a large Dirichlet model by orbits: prior (A, M, …, M) with A > M, one pair of data sets.

The pair is x = (n−1, 1, 0, …, 0) and x′ = (n, 0, …, 0). Candidates that differ by a permutation of cells 3…k are
equally far from both, so a candidate is c₂ and a partition of what lies in those cells; c₁ is the rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import factorial

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import count_histograms
from proofs_checks.numbers import step
from proofs_checks.outcome import Step
from proofs_checks.setting_tools import g


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
