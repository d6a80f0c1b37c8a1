"""The model: prior, n and k; its histograms, their adjacency and their symmetries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive, sequence, whole

Histogram = tuple[int, ...]

MAX_N = 10**9
MAX_K = 1000
"""Larger models are refused at the door."""


def hamming(c: Histogram, d: Histogram) -> int:
    """The least Hamming distance of data sets with these histograms: half of |c - d|_1."""
    return sum(abs(a - b) for a, b in zip(c, d, strict=True)) // 2


def count_histograms(n: int, k: int) -> int:
    """The number of histograms of n records in k cells: C(n+k-1, k-1)."""
    return comb(n + k - 1, k - 1)


def count_pairs(n: int, k: int) -> int:
    """The number of ordered adjacent pairs of histograms: k(k-1) C(n+k-2, k-1)."""
    return k * (k - 1) * count_histograms(n - 1, k)


def neighbors(c: Histogram) -> Iterator[Histogram]:
    """Yields the histograms at Hamming distance 1: one unit moved from one cell to another."""
    for i, count in enumerate(c):
        if count:
            for j in range(len(c)):
                if i != j:
                    moved = list(c)
                    moved[i] -= 1
                    moved[j] += 1
                    yield tuple(moved)


@dataclass(frozen=True)
class Model:
    """n records in k categories under the prior Dir(alpha), every alpha_i a positive rational."""

    n: int
    prior: tuple[Fraction, ...]

    @property
    def k(self) -> int:
        """The number of categories."""
        return len(self.prior)

    @property
    def size(self) -> int:
        """|R|, the number of histograms, without listing them."""
        return count_histograms(self.n, self.k)

    @cached_property
    def histograms(self) -> tuple[Histogram, ...]:
        """Every histogram once, in lexicographic order."""
        last = self.n + self.k - 1
        bars = combinations(range(last), self.k - 1)
        return tuple(tuple(b - a - 1 for a, b in zip((-1, *cut), (*cut, last), strict=True)) for cut in bars)

    @cached_property
    def index(self) -> dict[Histogram, int]:
        """The position of every histogram in ``histograms``."""
        return {c: i for i, c in enumerate(self.histograms)}

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The cells in groups of equal prior: permuting a group is a symmetry of the model."""
        by_prior: dict[Fraction, list[int]] = {}
        for cell, alpha in enumerate(self.prior):
            by_prior.setdefault(alpha, []).append(cell)
        return tuple(tuple(cells) for cells in by_prior.values())

    def canonical(self, *vectors: Histogram) -> tuple[Histogram, ...]:
        """The representative of the orbit of these vectors under the model's symmetries.

        All vectors are permuted alike: within each group of equal prior the columns are sorted.
        """
        if len(vectors) == 1 and len(self.groups) == 1:
            return (tuple(sorted(vectors[0])),)
        images = [list(v) for v in vectors]
        for cells in self.groups:
            if len(cells) > 1:
                columns = sorted(tuple(v[cell] for v in vectors) for cell in cells)
                for cell, column in zip(cells, columns, strict=True):
                    for image, entry in zip(images, column, strict=True):
                        image[cell] = entry
        return tuple(tuple(image) for image in images)

    def to_dict(self) -> dict[str, Any]:
        """n, k and the prior as exact text, for JSON."""
        return {"n": self.n, "k": self.k, "prior": [str(alpha) for alpha in self.prior]}

    def check(self, option: str, x: str | Sequence[Exact]) -> Histogram:
        """``x`` as a histogram of this model, or says why it is none."""
        cells = parse_histogram(option, x)
        if len(cells) != self.k:
            raise InputError(option, show(cells), f"must have k = {self.k} cells, has {len(cells)}")
        if sum(cells) != self.n:
            raise InputError(option, show(cells), f"must sum to n = {self.n}, sums to {sum(cells)}")
        return cells


def show(value: object) -> str:
    """The form that options take: "4,4" for (4, 4); nested tuples likewise, anything else as its text."""
    return ",".join(map(show, value)) if isinstance(value, tuple | list) else str(value)


def parse_histogram(option: str, x: str | Sequence[Exact]) -> Histogram:
    """The cell counts, whole numbers >= 0."""
    cells = []
    for entry in sequence(option, x):
        if not isinstance(entry, int | str):
            raise InputError(option, entry, "cell counts must be whole numbers >= 0")
        cells.append(whole(option, entry, 0))
    return tuple(cells)


def parse_data(x: str | Sequence[Exact]) -> Histogram:
    """The histogram of a data set, at least 2 cells and 1 record."""
    cells = parse_histogram("x", x if isinstance(x, str) else tuple(x))
    if len(cells) < 2 or not sum(cells):
        raise InputError("x", show(cells), "must have at least 2 cells and 1 record")
    return cells


def make_model(n: int | str, k: int | str | None = None, prior: str | Sequence[Exact] | None = None) -> Model:
    """The checked model; k defaults to the length of the prior, else 2; the prior to all ones."""
    n = whole("n", n, 1, MAX_N)
    if k is not None:
        k = whole("k", k, 2, MAX_K)
    if prior is None:
        return Model(n, (Fraction(1),) * (k or 2))
    alphas = tuple(positive("prior", entry) for entry in sequence("prior", prior))
    if k is not None and k != len(alphas):
        raise InputError("k", k, f"contradicts the prior, which has {len(alphas)} entries")
    if len(alphas) > MAX_K:
        raise InputError("prior", f"{len(alphas)} entries", f"must have at most {MAX_K} entries")
    if len(alphas) < 2:
        raise InputError("prior", show(alphas), "must have at least 2 entries")
    return Model(n, alphas)
