"""Shuffled local reports: the order of the reports is not released."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.mechanisms.named.base import Named, count
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.expressions import Value


@dataclass(frozen=True)
class ShuffledRandomizedResponse(Named):
    """n reports by k-ary randomized response, shuffled; one record is replaced. The proofs are in shuffling.py.

    Pure epsilon is that of one report: if all others hold the same value, all reports show it with a probability that
    one record changes by the factor e^epsilon.
    """

    epsilon: Fraction = Fraction(1)
    n: int = 1000
    k: int = 2
    name: ClassVar[str] = "shuffled-randomized-response"
    summary: ClassVar[str] = "n shuffled reports"
    formula: ClassVar[str] = "the counts of n reports, each with P(x) = e^ε/(e^ε + k − 1), else uniform"
    source: ClassVar[str] = "Balle, Bell, Gascón, Nissim 2019; Feldman, McMillan, Talwar 2021"
    covers: ClassVar[str] = "all data sets of n records: exact for k = 2, certified bounds on both sides for k > 2"
    closed: ClassVar[str] = "true ε = ε of one report; δ(t) by certified sums"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        count("n", "1000", 2, 10_000, "the number of reports", ("2", "20", "100")),
        count("k", "2", 2, 1000, "the number of values that a record may have", ("2", "3", "10")),
    )

    @property
    def tight(self) -> bool:
        """Whether the curve is exact."""
        return self.k == 2

    def datasets(self) -> Sequence[str]:
        """Any data set, and one record replaced."""
        return ["the worst data set", "with one record replaced"]

    def outputs(self) -> Sequence[str]:
        """All counts."""
        return ["counts"]

    def where(self) -> str:
        """Where the loss is largest."""
        return "all reports alike"

    def claimed(self) -> Fraction:
        """The epsilon of one report."""
        return self.epsilon

    def closed_epsilon(self) -> Value:
        """That of one report."""
        return self.epsilon

    def curve(self, at: Fraction) -> tuple[Ball, Ball]:
        """Both bounds of delta; one value for two categories."""
        from dpaudit.mechanisms.named import shuffling  # brings numpy

        if at >= self.epsilon:
            return balls.zero(), balls.zero()
        if self.k == 2:
            value, _ = shuffling.binary(self.n, self.epsilon, at)
            return value, value
        return (
            shuffling.third_value(self.n, self.epsilon, self.k, at),
            shuffling.blanket(self.n, self.epsilon, self.k, at),
        )

    def divergence(self, quantity: str, order: Fraction) -> None:
        """None is known."""
