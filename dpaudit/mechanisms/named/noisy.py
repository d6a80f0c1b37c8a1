"""Mechanisms written as code with ideal noise: the law is found by following the code (dpaudit/noise)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.mechanisms.named.base import SENSITIVITY, Named, count, number
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.expressions import Value, exp
from dpaudit.numbers.rationals import rational

if TYPE_CHECKING:
    from dpaudit.noise.source import Noise


@dataclass(frozen=True)
class Laplace(Named):
    """A number plus Laplace noise of scale sensitivity/epsilon.

    *One pair stands for all.* At distance d <= sensitivity, delta(t) = 1 - e^((t - d/scale)/2) where that is positive
    (the outputs v <= d/2 - t scale/2 are those of larger loss), which grows with d.
    """

    epsilon: Fraction = Fraction(1)
    sensitivity: Fraction = Fraction(1)
    name: ClassVar[str] = "laplace"
    summary: ClassVar[str] = "a number plus Laplace noise"
    formula: ClassVar[str] = "x + Lap(Δ/ε)"
    source: ClassVar[str] = "Dwork, McSherry, Nissim, Smith 2006; Dwork, Roth 2014, Definition 3.3, Theorem 3.6"
    covers: ClassVar[str] = "the two numbers are Δ apart, which stands for every smaller distance"
    closed: ClassVar[str] = "true ε = ε; δ(t) = 1 − e^((t−ε)/2)"
    parameters: ClassVar[tuple[Parameter, ...]] = (SENSITIVITY,)
    event: ClassVar[str | None] = "laplace:eps={epsilon}"

    def datasets(self) -> Sequence[Fraction]:
        """Two numbers."""
        return [Fraction(0), self.sensitivity]

    def sample(self, x: Fraction, noise: Noise) -> Any:
        """The noisy number."""
        return x + noise.laplace(self.sensitivity / self.epsilon)

    def claimed(self) -> Fraction:
        """epsilon."""
        return self.epsilon

    def closed_epsilon(self) -> Value:
        """epsilon."""
        return self.epsilon

    def closed_delta(self, at: Fraction) -> Value:
        """1 - e^((at - epsilon)/2)."""
        return 1 - exp((at - self.epsilon) / 2)


def read_answers(option: str, value: Any) -> tuple[tuple[Fraction, ...], ...]:
    """The rows of "5,5,0;6,6,-1"."""
    if isinstance(value, tuple):
        return value
    rows = tuple(tuple(rational(option, cell.strip()) for cell in line.split(",")) for line in str(value).split(";"))
    if len(rows) < 2 or len(set(map(len, rows))) > 1 or len(set(rows)) < len(rows):
        raise InputError(option, value, "must be at least two different rows of equally many answers: 1,1,0;0,0,1")
    return rows


@dataclass(frozen=True)
class SparseVector(Named):
    """Which of the queries lie above a noisy threshold, until c of them do."""

    epsilon: Fraction = Fraction(1)
    answers: tuple[tuple[Fraction, ...], ...] = read_answers("answers", "5,5,0;6,6,-1")
    threshold: Fraction = Fraction(0)
    c: int = 1
    sensitivity: Fraction = Fraction(1)
    name: ClassVar[str] = "sparse-vector"
    summary: ClassVar[str] = "queries above a threshold"
    formula: ClassVar[str] = "above if q + Lap(4cΔ/ε) ≥ T + Lap(2Δ/ε); stops after c of them"
    source: ClassVar[str] = "Lyu, Su, Li 2017, Algorithm 1"
    covers: ClassVar[str] = "these vectors of answers alone; over all of them the supremum is ε for c = 1"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter(
            "answers",
            "5,5,0;6,6,-1",
            "the answers to the queries, one row per data set; neighbors differ by at most the sensitivity",
            read_answers,
            ("1,1;0,0;2,1", "5,5,0;6,6,-1"),
        ),
        number("threshold", "0", "T", ("0", "1/2"), rational),
        count("c", "1", 1, 10, "the number of queries above after which it stops", ("1", "2")),
        SENSITIVITY,
    )

    def datasets(self) -> Sequence[tuple[Fraction, ...]]:
        """The rows of answers."""
        return self.answers

    def neighbors(self, x: tuple[Fraction, ...]) -> Sequence[tuple[Fraction, ...]]:
        """The rows that differ by at most the sensitivity in every answer."""
        return [y for y in self.answers if y != x and self._near(x, y)]

    def _near(self, x: Sequence[Fraction], y: Sequence[Fraction]) -> bool:
        return max(abs(a - b) for a, b in zip(x, y, strict=True)) <= self.sensitivity

    def sample(self, x: tuple[Fraction, ...], noise: Noise) -> str:
        """A mark for every query that was answered."""
        bar = self.threshold + noise.laplace(2 * self.sensitivity / self.epsilon)
        marks = ""
        for q in x:
            if q + noise.laplace(4 * self.c * self.sensitivity / self.epsilon) >= bar:
                marks += "⊤"
                if marks.count("⊤") == self.c:
                    break
            else:
                marks += "⊥"
        return marks

    def claimed(self) -> Fraction:
        """epsilon."""
        return self.epsilon
