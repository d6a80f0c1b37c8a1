"""The mechanisms of diffprivlib as they are installed: each class makes the library's object and calls its randomise.

No line of the library is repeated here; `sample` hands our random source to it, and what it does is what is audited.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random, SystemRandom
from typing import Any, ClassVar

from diffprivlib import mechanisms


def line(x: int, last: int) -> list[int]:
    """Returns the numbers of 0 .. last next to x."""
    return [y for y in (x - 1, x + 1) if 0 <= y <= last]


class Implementation:
    """A class of the library at a nominal ε, as a float: what a user writes."""

    name = ""
    last = 2

    def __init__(self, epsilon: Fraction) -> None:
        self.epsilon = epsilon

    def datasets(self) -> list[Any]:
        """Returns the numbers 0 .. last."""
        return list(range(self.last + 1))

    def neighbors(self, x: Any) -> list[Any]:
        """Returns the next number to both sides."""
        return line(x, self.last)

    def claimed(self) -> Fraction:
        """Returns the nominal ε."""
        return self.epsilon

    def made(self, rng: Random, **given: Any) -> Any:
        """Returns the library's object."""
        return getattr(mechanisms, self.name)(epsilon=float(self.epsilon), random_state=rng, **given)


class Binary(Implementation):
    """Randomized response."""

    name, last = "Binary", 1

    def sample(self, x: int, rng: Random) -> str:
        """Returns "no" or "yes"."""
        return self.made(rng, value0="no", value1="yes").randomise(("no", "yes")[x])


class Geometric(Implementation):
    """A count plus geometric noise."""

    name = "Geometric"

    def sample(self, x: int, rng: Random) -> int:
        """Returns the noisy count."""
        return self.made(rng).randomise(x)


class GeometricTruncated(Implementation):
    """A count of 0 .. 5 plus geometric noise, cut to 0 .. 5."""

    name, last = "GeometricTruncated", 5

    def sample(self, x: int, rng: Random) -> int:
        """Returns the noisy count."""
        return self.made(rng, lower=0, upper=self.last).randomise(x)


class GeometricFolded(GeometricTruncated):
    """A count of 0 .. 5 plus geometric noise, reflected at the ends of 0 .. 5."""

    name = "GeometricFolded"


class Exponential(Implementation):
    """The best of three candidates; a data set is their scores, 0 .. 2, and a neighbor moves each by at most 1."""

    name = "Exponential"

    def datasets(self) -> list[Any]:
        """Returns the scores of three candidates."""
        return [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]

    def neighbors(self, x: Any) -> list[Any]:
        """Returns the scores that differ by at most 1 in every entry."""
        return [y for y in self.datasets() if y != x and max(abs(a - b) for a, b in zip(x, y, strict=True)) <= 1]

    def sample(self, x: tuple[int, ...], rng: Random) -> int:
        """Returns the index of the candidate."""
        return self.made(rng, sensitivity=1, utility=list(x)).randomise()


class ExponentialCategorical(Implementation):
    """One of three categories, the likelier the closer it is: their distances are 1, 2, 2."""

    name = "ExponentialCategorical"
    given: ClassVar[dict[str, Any]] = {"utility_list": [("a", "b", 1), ("a", "c", 2), ("b", "c", 2)]}
    labels = "abc"

    def datasets(self) -> list[Any]:
        """Returns the categories."""
        return list(self.labels)

    def neighbors(self, x: Any) -> list[Any]:
        """Returns all others."""
        return [y for y in self.labels if y != x]

    def sample(self, x: str, rng: Random) -> str:
        """Returns a category."""
        return self.made(rng, **self.given).randomise(x)


class ExponentialHierarchical(ExponentialCategorical):
    """The same, with the distances in a tree of two levels."""

    name = "ExponentialHierarchical"
    given: ClassVar[dict[str, Any]] = {"hierarchy": [["a", "b"], ["c", "d"]]}
    labels = "abcd"


class PermuteAndFlip(Exponential):
    """The same by permute-and-flip."""

    name = "PermuteAndFlip"
    budget: ClassVar[dict[str, str]] = {"residual": "1e-60"}

    def outputs(self) -> list[int]:
        """Returns the candidates; that nothing else comes out is read off the library's code."""
        return [0, 1, 2]


class GaussianDiscrete(Implementation):
    """A count plus discrete Gaussian noise, for (ε, 10^-6). Finding the scale takes long: the object is made once.

    It draws from a SystemRandom of its own, as every object of the library does that is given none.
    """

    name, last = "GaussianDiscrete", 1
    delta = Fraction(1, 10**6)
    budget: ClassVar[dict[str, Any]] = {"residual": "1e-16", "seconds": 3600}

    def __init__(self, epsilon: Fraction) -> None:
        super().__init__(epsilon)
        self.prepared = self.made(SystemRandom(), delta=float(self.delta))

    def claimed(self) -> tuple[Fraction, Fraction]:
        """Returns the nominal ε and δ."""
        return self.epsilon, self.delta

    def sample(self, x: int, rng: Random) -> int:
        """Returns the noisy count."""
        return self.prepared.randomise(x)


class GaussianDiscreteCoarse(GaussianDiscrete):
    """The same for (ε, 1/100): less noise, so that its audit at a small ε takes seconds."""

    delta = Fraction(1, 100)
