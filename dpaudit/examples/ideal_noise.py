"""Mechanisms as people write them with continuous noise: ``sample(self, x, noise: dpaudit.Noise)``, in ideal reals.

Right: a noisy count, report noisy max, the sparse vector technique, a thresholded histogram with its delta,
propose-test-release. Wrong: two sparse vectors from the literature, and the largest noisy value.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import dpaudit

Answers = tuple[int, ...]


class NoisyCount:
    """A count with Laplace noise of scale 1/ε."""

    def __init__(self, epsilon: Fraction) -> None:
        self.epsilon = epsilon

    def datasets(self) -> list[int]:
        """Two neighboring counts."""
        return [0, 1]

    def sample(self, x: int, noise: dpaudit.Noise) -> Any:
        """The noisy count."""
        return x + noise.laplace(1 / self.epsilon)

    def claimed(self) -> Any:
        """ε."""
        return self.epsilon


class Queries:
    """Answers of k counting queries; neighbors differ by at most 1 in every answer."""

    def __init__(self, epsilon: Fraction, k: int = 3) -> None:
        self.epsilon, self.k = epsilon, k

    def datasets(self) -> list[Answers]:
        """All answers in 0…2."""
        return list(product(range(3), repeat=self.k))

    def neighbors(self, x: Answers) -> list[Answers]:
        """Answers that differ by at most 1 each."""
        return [y for y in self.datasets() if max(abs(a - b) for a, b in zip(x, y, strict=True)) == 1]

    def claimed(self) -> Any:
        """ε."""
        return self.epsilon


class NoisyMax(Queries):
    """The index of the largest answer after Laplace noise of scale 2/ε."""

    def sample(self, x: Answers, noise: dpaudit.Noise) -> Any:
        """The index."""
        return noise.argmax([q + noise.laplace(2 / self.epsilon) for q in x])


class NoisyMaxValue(Queries):
    """Wrong: the largest noisy value itself, with noise for the index."""

    def sample(self, x: Answers, noise: dpaudit.Noise) -> Any:
        """The value."""
        return max(q + noise.laplace(2 / self.epsilon) for q in x)


class SparseVector(Queries):
    """The first query above a noisy threshold (Lyu, Su, Li 2017, Algorithm 1)."""

    def sample(self, x: Answers, noise: dpaudit.Noise) -> Any:
        """Its index, or None."""
        threshold = 1 + noise.laplace(2 / self.epsilon)
        for i, q in enumerate(x):
            if q + noise.laplace(4 / self.epsilon) >= threshold:
                return i
        return None


class SparseVectorWithoutStop(Queries):
    """Wrong: answers every query with the same noisy threshold (Algorithm 6)."""

    def sample(self, x: Answers, noise: dpaudit.Noise) -> Any:
        """Above or not, query by query."""
        threshold = 1 + noise.laplace(2 / self.epsilon)
        return tuple(q + noise.laplace(2 / self.epsilon) >= threshold for q in x)


class SparseVectorReleasesValue(Queries):
    """Wrong: releases the noisy answer that it compared (Algorithm 3)."""

    def sample(self, x: Answers, noise: dpaudit.Noise) -> Any:
        """The index and the value, or None."""
        threshold = 1 + noise.laplace(2 / self.epsilon)
        for i, q in enumerate(x):
            value = q + noise.laplace(2 / self.epsilon)
            if value >= threshold:
                return i, value
        return None


class ThresholdedHistogram:
    """The count of one key, shown only if it is positive and its noisy value reaches a threshold."""

    def __init__(self, epsilon: Fraction, threshold: int = 10) -> None:
        self.epsilon, self.threshold = epsilon, threshold

    def datasets(self) -> list[int]:
        """Counts 0, 1, 2."""
        return [0, 1, 2]

    def neighbors(self, x: int) -> list[int]:
        """One record more or fewer."""
        return [y for y in self.datasets() if abs(x - y) == 1]

    def sample(self, x: int, noise: dpaudit.Noise) -> Any:
        """The noisy count, or None where the key is not shown."""
        value = x + noise.laplace(1 / self.epsilon)
        return value if x > 0 and value >= self.threshold else None


class ProposeTestRelease:
    """Releases a value with little noise if the noisy distance to an unstable data set is large, else nothing."""

    def __init__(self, epsilon: Fraction, threshold: int = 5) -> None:
        self.epsilon, self.threshold = epsilon, threshold

    def datasets(self) -> list[tuple[int, int]]:
        """(distance to instability, value); at distance 0 the value may jump."""
        return [(0, 0), (0, 9), (1, 0), (2, 0)]

    def neighbors(self, x: tuple[int, int]) -> list[tuple[int, int]]:
        """The distance changes by 1; the value only between data sets at distance 0."""
        return [
            y for y in self.datasets() if (abs(x[0] - y[0]) == 1 and x[1] == y[1]) or (x[0] == y[0] == 0 != x[1] - y[1])
        ]

    def sample(self, x: tuple[int, int], noise: dpaudit.Noise) -> Any:
        """The noisy value, or None."""
        distance, value = x
        if distance + noise.laplace(1 / self.epsilon) < self.threshold:
            return None
        return value + noise.laplace(1 / self.epsilon)
