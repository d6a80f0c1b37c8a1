"""Local protocols in which few classes of outputs distinguish two inputs: randomized response and its relatives.

In each of them the inputs are alike up to a renaming of the outputs, so one pair of inputs stands for all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.mechanisms.named.base import K, Named, choice, count, optional
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.expressions import Value, exp
from dpaudit.numbers.rationals import nonnegative

PAIR = ("a", "b")
ANY_PAIR = "a and b stand for any two of the k values: renaming values renames outputs"


@dataclass(frozen=True)
class Classes(Named):
    """A protocol with outputs in classes: how many there are, and their odds e^epsilon : 1 under a and under b."""

    epsilon: Fraction = Fraction(1)
    k: int = 2
    covers: ClassVar[str] = ANY_PAIR
    closed: ClassVar[str] = "true ε = ε"

    def datasets(self) -> Sequence[str]:
        """Two of the values."""
        return PAIR

    def classes(self) -> dict[str, tuple[int, bool, bool]]:
        """Name -> number of outputs, whether they are favored under a, and under b."""
        raise NotImplementedError

    def _present(self) -> dict[str, tuple[int, bool, bool]]:
        return {name: found for name, found in self.classes().items() if found[0]}

    def outputs(self) -> Sequence[str]:
        """The classes that are not empty."""
        return list(self._present())

    def probabilities(self, x: str) -> list[Value]:
        """An output that is favored has e^epsilon times the probability of another."""
        side = 1 + PAIR.index(x)
        found = list(self._present().values())
        favored = sum(entry[0] for entry in found if entry[side])
        total = favored * exp(self.epsilon) + (sum(entry[0] for entry in found) - favored)
        return [entry[0] * (exp(self.epsilon) if entry[side] else Fraction(1)) / total for entry in found]

    def claimed(self) -> Fraction:
        """epsilon."""
        return self.epsilon

    def closed_epsilon(self) -> Value:
        """epsilon."""
        return self.epsilon


@dataclass(frozen=True)
class RandomizedResponse(Classes):
    """The true value with odds e^epsilon : 1 against each of the others."""

    name: ClassVar[str] = "randomized-response"
    summary: ClassVar[str] = "the true value or another one"
    formula: ClassVar[str] = "P(x) = e^ε/(e^ε + k − 1), every other value 1/(e^ε + k − 1)"
    source: ClassVar[str] = "Warner 1965; Kairouz, Oh, Viswanath 2016"
    closed: ClassVar[str] = "true ε = ε; δ(t) = (e^ε − e^t)/(e^ε + k − 1)"
    parameters: ClassVar[tuple[Parameter, ...]] = (K,)
    event: ClassVar[str | None] = "randomized-response:eps={epsilon},k={k}"

    def classes(self) -> dict[str, tuple[int, bool, bool]]:
        """a, b, and the others."""
        return {"a": (1, True, False), "b": (1, False, True), "another value": (self.k - 2, False, False)}

    def closed_delta(self, at: Fraction) -> Value:
        """(e^epsilon - e^at)/(e^epsilon + k - 1)."""
        return (exp(self.epsilon) - exp(at)) / (exp(self.epsilon) + (self.k - 1))


@dataclass(frozen=True)
class SubsetSelection(Classes):
    """A random subset of d of the k values; one with the true value is e^epsilon times as likely as one without."""

    k: int = 4
    size: int | None = None
    name: ClassVar[str] = "subset-selection"
    summary: ClassVar[str] = "a random subset of the values"
    formula: ClassVar[str] = "P(S) ∝ e^ε if x ∈ S, else 1; |S| = d, by default k/(e^ε + 1) rounded, at least 1"
    source: ClassVar[str] = "Ye, Barg 2018; Wang and others 2016"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        count("k", "4", 2, 10**6, "the number of values that a record may have", ("2", "3", "5")),
        optional("size", "d, the size of the subset; auto: k/(e^ε + 1), rounded", ("1",), lambda o, v: _size(o, v)),
    )

    def __post_init__(self) -> None:
        """Refuses a subset as large as everything."""
        if self.size is not None and self.size >= self.k:
            raise InputError("size", self.size, f"must be below k, which is {self.k}")

    @property
    def d(self) -> int:
        """The size of the subset."""
        return max(1, min(self.k - 1, nearest(self.k, self.epsilon))) if self.size is None else self.size

    def classes(self) -> dict[str, tuple[int, bool, bool]]:
        """The subsets by which of a and b they have."""
        k, d = self.k - 2, self.d
        return {
            "with a alone": (comb(k, d - 1), True, False),
            "with b alone": (comb(k, d - 1), False, True),
            "with both": (comb(k, d - 2) if d > 1 else 0, True, True),
            "with neither": (comb(k, d), False, False),
        }


def _size(option: str, value: object) -> int:
    return int(count("size", None, 1, 10**6, "", ()).check(option, value))


def nearest(k: int, epsilon: Fraction, shift: int = 0) -> int:
    """The whole number nearest to k/(e^epsilon + 1), or for k = 0 to e^epsilon + shift."""
    with balls.precision(128):
        grown = balls.ball(epsilon).exp()
        found = balls.whole_part((k / (grown + 1) if k else grown + shift) + balls.ball(Fraction(1, 2)))
    if found is None:
        raise InputError("eps", epsilon, "the optimal size is not known for certain here: give it")
    return found


@dataclass(frozen=True)
class LocalHashing(Classes):
    """A random hash of the values to g cells, and randomized response on the cell of the true value; both are released.

    An ideal hash sends a and b to one cell with probability 1/g (``collision``); then the output tells nothing. With
    ``collision`` 0 the hash separates the pair, which is the worst hash.
    """

    k: int = 100
    variant: str = "optimal"
    g: int | None = None
    collision: Fraction | None = None
    name: ClassVar[str] = "local-hashing"
    summary: ClassVar[str] = "a hash and a randomized cell"
    formula: ClassVar[str] = "(H, y): y = H(x) with odds e^ε : 1 against each of the other g − 1 cells"
    source: ClassVar[str] = "Wang, Blocki, Li, Jha 2017; Bassily, Smith 2015 (binary)"
    closed: ClassVar[str] = "true ε = ε; δ(t) = (1 − c)(e^ε − e^t)/(e^ε + g − 1), c the chance of a collision"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        count("k", "100", 2, 10**6, "the number of values; the law does not depend on it", ("5",)),
        choice("variant", "optimal: g = e^ε + 1, rounded; binary: g = 2", "optimal", "binary"),
        optional("g", "the number of cells; auto: that of the variant", ("2", "3", "4"), lambda o, v: _cells(o, v)),
        optional(
            "collision",
            "the chance that the hash does not separate the pair; auto: 1/g",
            ("0", "1/4"),
            nonnegative,
        ),
    )

    def __post_init__(self) -> None:
        """Refuses a probability that is none."""
        if self.collision is not None and self.collision > 1:
            raise InputError("collision", self.collision, "must be <= 1: it is a probability")

    @property
    def cells(self) -> int:
        """g."""
        if self.g is not None:
            return self.g
        return 2 if self.variant == "binary" else max(2, nearest(0, self.epsilon, 1))

    @property
    def same(self) -> Fraction:
        """The probability of a collision."""
        return Fraction(1, self.cells) if self.collision is None else self.collision

    def classes(self) -> dict[str, tuple[int, bool, bool]]:
        """Where the hash separates the pair: the cell of a, that of b, the others."""
        return {"H(a)": (1, True, False), "H(b)": (1, False, True), "another cell": (self.cells - 2, False, False)}

    def outputs(self) -> Sequence[str]:
        """Those classes, and a hash that does not separate a from b."""
        separated = [] if self.same == 1 else list(super().outputs())
        return [*separated, *(["H(a) = H(b)"] if self.same else [])]

    def probabilities(self, x: str) -> list[Value]:
        """Randomized response where the hash separates."""
        separated = [] if self.same == 1 else [(1 - self.same) * p for p in super().probabilities(x)]
        return [*separated, *([self.same] if self.same else [])]

    def closed_epsilon(self) -> Value:
        """epsilon, if the hash ever separates the pair."""
        return Fraction(0) if self.same == 1 else self.epsilon

    def closed_delta(self, at: Fraction) -> Value:
        """(1 - c)(e^epsilon - e^at)/(e^epsilon + g - 1)."""
        return (1 - self.same) * (exp(self.epsilon) - exp(at)) / (exp(self.epsilon) + (self.cells - 1))


def _cells(option: str, value: object) -> int:
    return int(count("g", None, 2, 10**6, "", ()).check(option, value))


@dataclass(frozen=True)
class HadamardResponse(Classes):
    """A cell y of K = 2^m > k cells; those with +1 in row x of the Hadamard matrix are e^epsilon times as likely.

    Rows of a Hadamard matrix, the first left out, have +1 at half of the places, and any two of them both have +1 at a
    quarter: four classes of K/4 cells each, whatever the pair.
    """

    k: int = 3
    name: ClassVar[str] = "hadamard-response"
    summary: ClassVar[str] = "a cell of a Hadamard matrix"
    formula: ClassVar[str] = "P(y) ∝ e^ε if the Hadamard matrix has +1 at (x, y), else 1; y < K = 2^⌈log₂(k+1)⌉"
    source: ClassVar[str] = "Acharya, Sun, Zhang 2019"
    closed: ClassVar[str] = "true ε = ε; δ(t) = (e^ε − e^t)/(2(e^ε + 1))"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        count("k", "3", 2, 10**6, "the number of values that a record may have", ("2", "3", "5")),
    )

    def classes(self) -> dict[str, tuple[int, bool, bool]]:
        """The cells by their signs in the rows of a and b."""
        quarter = (1 << self.k.bit_length()) // 4
        return {
            "+ for a, − for b": (quarter, True, False),
            "− for a, + for b": (quarter, False, True),
            "+ for both": (quarter, True, True),
            "− for both": (quarter, False, False),
        }

    def closed_delta(self, at: Fraction) -> Value:
        """(e^epsilon - e^at)/(2 (e^epsilon + 1))."""
        return (exp(self.epsilon) - exp(at)) / (2 * (exp(self.epsilon) + 1))
