"""Local protocols that release independent bits: unary encoding and RAPPOR. Inputs differ in few of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.mechanisms.named.base import Named, choice, count, optional
from dpaudit.mechanisms.named.local import ANY_PAIR, PAIR
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.expressions import Value, exp
from dpaudit.numbers.rationals import probability


@dataclass(frozen=True)
class UnaryEncoding(Named):
    """k bits, the one of the true value set; every bit goes through its own noisy channel."""

    epsilon: Fraction = Fraction(1)
    k: int = 2
    variant: str = "symmetric"
    name: ClassVar[str] = "unary-encoding"
    summary: ClassVar[str] = "one randomized bit per value"
    formula: ClassVar[str] = (
        "bit x is 1 with p, others with q; symmetric: p = e^(ε/2)/(1 + e^(ε/2)) = 1 − q; optimized: p = 1/2, "
        "q = 1/(1 + e^ε)"
    )
    source: ClassVar[str] = "Wang, Blocki, Li, Jha 2017, Section 4 (SUE, OUE)"
    covers: ClassVar[str] = ANY_PAIR
    closed: ClassVar[str] = "true ε = ε"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        count("k", "2", 2, 10**6, "the number of values, one bit each", ("2", "3", "5")),
        choice("variant", "symmetric, or optimized for the variance of counts", "symmetric", "optimized"),
    )

    def datasets(self) -> Sequence[str]:
        """Two of the values."""
        return PAIR

    def coordinates(self, x: str) -> list[Value]:
        """The probability that each bit is 1."""
        p: Value
        if self.variant == "optimized":
            p, q = Fraction(1, 2), 1 / (1 + exp(self.epsilon))
        else:
            p, q = exp(self.epsilon / 2) / (1 + exp(self.epsilon / 2)), 1 / (1 + exp(self.epsilon / 2))
        bits = [q] * self.k
        bits[PAIR.index(x)] = p
        return bits

    def claimed(self) -> Fraction:
        """epsilon."""
        return self.epsilon

    def closed_epsilon(self) -> Value:
        """epsilon."""
        return self.epsilon

    def closed_delta(self, at: Fraction) -> Value:
        """P(1, 0) - e^at Q(1, 0): of the two bits, (1, 1) and (0, 0) have the loss 0."""
        p, q = self.coordinates("a")[:2]
        return p * (1 - q) - exp(at) * q * (1 - p)


@dataclass(frozen=True)
class Rappor(Named):
    """A Bloom filter of ``hashes`` bits a value, each randomized once and for all, and perhaps again at each report.

    The permanent bit is the true one with probability 1 - f/2. With p and q, a report has a 1 with probability q where
    the permanent bit is 1, and p where it is 0.

    *The pair.* Values whose Bloom bits are disjoint differ in 2h bits, as many as possible; of fewer differing bits the
    output is a part, so that epsilon and delta are at most as large.
    """

    epsilon: Fraction = Fraction(1)
    k: int = 128
    hashes: int = 2
    f: Fraction | None = None
    p: Fraction | None = None
    q: Fraction | None = None
    name: ClassVar[str] = "rappor"
    summary: ClassVar[str] = "a randomized Bloom filter"
    formula: ClassVar[str] = "each of k bits is kept with 1 − f/2; then reported as 1 with q where set, p where not"
    source: ClassVar[str] = "Erlingsson, Pihur, Korolova 2014, Section 2; Theorems 1 and 2"
    covers: ClassVar[str] = "the Bloom bits of a and b are disjoint, the worst case: 2h bits differ"
    closed: ClassVar[str] = (
        "true ε = 2h ln((1 − f/2)/(f/2)), the ε of f by default; "
        "with p and q h ln(b(1 − a)/(a(1 − b))), b and a the chances of a 1 where the Bloom bit is set and where not"
    )
    parameters: ClassVar[tuple[Parameter, ...]] = (
        count("k", "128", 2, 10**6, "the number of bits", ("4", "5", "128")),
        count("hashes", "2", 1, 1000, "h, the number of bits that a value sets", ("1", "2")),
        optional("f", "the share of random permanent bits; auto: 2/(1 + e^(ε/2h))", ("1/2", "3/4"), probability),
        optional("p", "the probability of reporting 1 for a permanent 0; auto: 0", ("1/4",), probability),
        optional("q", "the probability of reporting 1 for a permanent 1; auto: 1", ("3/4",), probability),
    )

    def __post_init__(self) -> None:
        """Refuses more Bloom bits than there are."""
        if 2 * self.hashes > self.k:
            raise InputError("hashes", self.hashes, f"needs k >= {2 * self.hashes} bits; k is {self.k}")

    @property
    def uses_epsilon(self) -> bool:
        """Whether f is made from epsilon."""
        return self.f is None

    def datasets(self) -> Sequence[str]:
        """Two values."""
        return PAIR

    def _chances(self) -> tuple[Value, Value]:
        """The probabilities of reporting 1 where the Bloom bit is set, and where it is not."""
        kept: Value = 1 - self.f / 2 if self.f is not None else _keep_probability(self.epsilon / (2 * self.hashes))
        low, high = (Fraction(0) if self.p is None else self.p), (Fraction(1) if self.q is None else self.q)
        return kept * high + (1 - kept) * low, (1 - kept) * high + kept * low

    def coordinates(self, x: str) -> list[Value]:
        """The probability that each bit is reported as 1."""
        here, there = self._chances()
        h, second = self.hashes, PAIR.index(x)
        bits = [there] * self.k
        bits[second * h : (second + 1) * h] = [here] * h
        return bits

    def claimed(self) -> Fraction | None:
        """epsilon where f is made from it; that of f alone is the logarithm of a rational number."""
        return self.epsilon if self.f is None else None

    def closed_epsilon(self) -> Value | None:
        """epsilon where it is the permanent randomization that is released."""
        return self.epsilon if self.f is None and self.p is None and self.q is None else None


def _keep_probability(share: Fraction) -> Value:
    """1 - f/2 for f = 2/(1 + e^share)."""
    return exp(share) / (1 + exp(share))
