"""Permute-and-flip (McKenna, Sheldon 2020): look at the candidates in random order, take one with p = e^(ε(q−q*)/2)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import prod

from dpaudit.examples.exponential_mechanism import MostCommon, Records
from dpaudit.numbers.expressions import Value, exp


class PermuteAndFlip(MostCommon):
    """Takes candidates in random order and stops at r with probability p_r = exp(ε(score(r) − best) / (2Δ))."""

    name = "most common value, by permute-and-flip"
    log_weight = None  # type: ignore[assignment]

    def probability(self, x: Records, r: int) -> Value:
        """p_r Σ over subsets S of the others of (−1)^|S| ∏_{s∈S} p_s / (|S| + 1).

        In a random order r has place u uniform in [0, 1], and every other one is before r and passed over with
        probability 1 − u p_s: the integral of ∏ (1 − u p_s) du.
        """
        best = max(self.score(x, s) for s in self.outputs())
        p = {s: exp(self.epsilon * (self.score(x, s) - best) / (2 * self.sensitivity)) for s in self.outputs()}
        others = [s for s in self.outputs() if s != r]
        total: Value = Fraction(0)
        for size in range(len(others) + 1):
            for subset in combinations(others, size):
                total = total + Fraction((-1) ** size, size + 1) * prod([p[s] for s in subset], start=Fraction(1))
        return p[r] * total
