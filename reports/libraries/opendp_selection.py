"""OpenDP 0.16: the constructors that select, beside the law that their documentation states (``opendp_laws.py``)."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from opendp_constructor import Constructor

import dpaudit

SCORES = list(product((0, 1, 2), repeat=3))


class NoisyMax(Constructor):
    """The index of the largest of three scores after exponential noise; each score may move by 1."""

    code = (
        "dp.m.make_noisy_max(dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int), "
        "dp.max_divergence(), scale=1.0)"
    )
    law = "the index of the largest score after exponential noise (permute-and-flip)"

    def datasets(self) -> list[tuple[int, ...]]:
        return SCORES

    def neighbors(self, x: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [y for y in SCORES if y != x and max(abs(a - b) for a, b in zip(x, y, strict=True)) <= 1]

    def outputs(self) -> list[int]:
        return [0, 1, 2]

    def sample(self, x: tuple[int, ...], noise: dpaudit.Noise) -> int:
        return noise.argmax([q + noise.exponential(1) for q in x])

    def draw(self, x: tuple[int, ...]) -> int:
        return int(self.made(list(x)))


def up(x: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Scores that all move up by at most 1, or all down."""
    moved = [[b - a for a, b in zip(x, y, strict=True)] for y in SCORES]
    return [y for y, d in zip(SCORES, moved, strict=True) if y != x and (set(d) <= {0, 1} or set(d) <= {0, -1})]


class NoisyMaxMonotonic(NoisyMax):
    """The same where all scores move in one direction."""

    code = NoisyMax.code.replace("linf_distance(T=int)", "linf_distance(T=int, monotonic=True)")

    def neighbors(self, x: tuple[int, ...]) -> list[tuple[int, ...]]:
        return up(x)


class NoisyMaxGumbel(Constructor):
    """The index of the largest of three scores after Gumbel noise: the exponential mechanism."""

    code = (
        "dp.m.make_report_noisy_max_gumbel(dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int), scale=1.0)"
    )
    law = "index i with P(i) ∝ e^(score/scale)"
    neighbors, datasets, outputs, draw = NoisyMax.neighbors, NoisyMax.datasets, NoisyMax.outputs, NoisyMax.draw

    def log_weight(self, x: tuple[int, ...], r: int) -> int:
        return x[r]


class NoisyMaxGumbelAsRun(NoisyMax):
    """The same constructor beside the law that its outputs have: exponential noise."""

    code = NoisyMaxGumbel.code


class NoisyMaxZcdp(NoisyMaxGumbel):
    """make_noisy_max for zCDP: Gumbel noise."""

    code = NoisyMax.code.replace("max_divergence", "zero_concentrated_divergence")

    def claimed(self) -> str:
        return f"rho={Fraction(self.made.map(self.d_in))}"


class NoisyMaxZcdpMonotonic(NoisyMaxZcdp):
    """The same where all scores move in one direction."""

    code = NoisyMaxZcdp.code.replace("linf_distance(T=int)", "linf_distance(T=int, monotonic=True)")

    def neighbors(self, x: tuple[int, ...]) -> list[tuple[int, ...]]:
        return up(x)


class NoisyTopTwo(NoisyMaxGumbel):
    """The two largest of three scores after Gumbel noise, in order: the exponential mechanism twice."""

    code = NoisyMaxZcdp.code.replace("make_noisy_max", "make_noisy_top_k").replace("scale", "k=2, scale")
    law = "the exponential mechanism k times, without the indices released before"

    def claimed(self) -> str:
        return f"rho={Fraction(self.made.map(self.d_in))}"

    def outputs(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(3) for j in range(3) if i != j]

    log_weight = None

    def probability(self, x: tuple[int, ...], r: tuple[int, int]) -> Any:
        weights = [dpaudit.exp(q) for q in x]
        whole = sum(weights, Fraction(0))
        return weights[r[0]] / whole * weights[r[1]] / (whole - weights[r[0]])

    def draw(self, x: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.made(list(x)))


class NoisyTopTwoPure(NoisyMax):
    """make_noisy_top_k for pure DP: permute-and-flip twice, each time with fresh noise."""

    code = NoisyMax.code.replace("make_noisy_max", "make_noisy_top_k").replace("scale", "k=2, scale")
    law = "permute-and-flip k times, without the indices released before"

    def outputs(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(3) for j in range(3) if i != j]

    def sample(self, x: tuple[int, ...], noise: dpaudit.Noise) -> tuple[int, int]:
        first = noise.argmax([q + noise.exponential(1) for q in x])
        rest = [i for i in range(3) if i != first]
        return first, rest[noise.argmax([x[i] + noise.exponential(1) for i in rest])]

    def draw(self, x: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.made(list(x)))


class PrivateQuantile(Constructor):
    """The median of at most three numbers in {0, 1, 2}; a neighbor has one number more or less."""

    code = (
        "dp.m.make_private_quantile(dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance(), "
        "dp.max_divergence(), candidates=[0, 1, 2], alpha=0.5, scale=1.0)"
    )
    law = "the candidate whose |(1 − α)·#below − α·#above| is smallest after exponential noise"

    def datasets(self) -> list[tuple[int, ...]]:
        return [x for size in range(4) for x in combinations_with_replacement((0, 1, 2), size)]

    adjacency = "add-remove-one:records"

    def outputs(self) -> list[int]:
        return [0, 1, 2]

    def sample(self, x: tuple[int, ...], noise: dpaudit.Noise) -> int:
        scores = [-Fraction(abs(sum(v < c for v in x) - sum(v > c for v in x)), 2) for c in range(3)]
        return noise.argmax([score + noise.exponential(1) for score in scores])

    def draw(self, x: tuple[int, ...]) -> int:
        return int(self.made(list(x)))
