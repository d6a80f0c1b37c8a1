"""One data set at any epsilon: A(x, r), ln Z_x(epsilon) and its slope (EVERY_EPSILON.md, section 1)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpaudit.mechanisms.exponential import Exponential
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, NeedsMoreBits, ball
from dpaudit.posterior.divergences import DIVERGENCES
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.protocols import Dataset


@dataclass(frozen=True)
class Value:
    """At one epsilon: ``log`` contains ln Z, ``slope`` its derivative, ``excess`` contains Z - 1."""

    log: Ball
    slope: Ball
    excess: Ball


class Row:
    """The exponents A(x, r) of one data set: P_x(r) is proportional to e^(-epsilon A(x, r)); A(x, x) = 0 alone."""

    def __init__(self, exponents: list[Ball], own: int) -> None:
        self.exponents = exponents
        self.others = exponents[:own] + exponents[own + 1 :]
        if not balls.is_zero(exponents[own]) or not balls.certainly_less(balls.zero(), self.least):
            raise NeedsMoreBits(balls.working_bits())
        self._values: dict[Fraction, Value] = {}

    @cached_property
    def least(self) -> Ball:
        """A ball that contains the least A(x, r) with r other than x."""
        return balls.minimum(self.others)

    @cached_property
    def most(self) -> Ball:
        """A ball that contains the largest A(x, r)."""
        return balls.maximum(self.others)

    @cached_property
    def mean(self) -> Ball:
        """A ball that contains the plain average of A(x, r)."""
        return balls.total(self.others) / len(self.exponents)

    @cached_property
    def variance(self) -> Ball:
        """A ball that contains the plain variance of A(x, r)."""
        return balls.total([(a - self.mean) ** 2 for a in self.exponents]) / len(self.exponents)

    def value(self, epsilon: Fraction) -> Value:
        """ln Z_x and its slope at this epsilon, as balls."""
        if epsilon not in self._values:
            step = -ball(epsilon)
            weights = [(step * a).exp() for a in self.others]
            excess = balls.total(weights)
            moment = balls.total([w * a for w, a in zip(weights, self.others, strict=True)])
            self._values[epsilon] = Value((1 + excess).log(), -moment / (1 + excess), excess)
        return self._values[epsilon]


def is_two(mechanism: Exponential) -> bool:
    """Whether there are two data sets and one distance between them: then the sensitivities are equal too."""
    return mechanism.model.size == 2 and DIVERGENCES[mechanism.score].symmetric


class Rows:
    """The rows of one mechanism at the precision in force; those of an orbit are made once."""

    def __init__(self, mechanism: Exponential) -> None:
        self.mechanism = mechanism
        law = mechanism.law()
        self._h, self._rate = law.h, law.rate
        self._unit = 1 / ball(mechanism.epsilon)
        self._kept: dict[Dataset, Row] = {}

    def exponents(self, x: Histogram) -> list[Ball]:
        """Balls that contain A(x, r) = rate(x) s(x, r) / epsilon, output by output."""
        factor = self._rate(x) * self._unit
        exponents = [factor * s for s in self._h.row(x)]
        exponents[self.mechanism.model.index[x]] = balls.zero()  # no score tells a posterior from itself
        return exponents

    def alike(self, x: Histogram, y: Histogram) -> bool:
        """Whether A(x, .) and A(y, .) are the same numbers in another order, by algebra (section 2)."""
        model, kind = self.mechanism.model, DIVERGENCES[self.mechanism.score]
        swapped = is_two(self.mechanism) or (kind.free_of_prior and sorted(x) == sorted(y))
        return swapped or model.canonical(x) == model.canonical(y)

    def __getitem__(self, x: Histogram) -> Row:
        """The row of x, or of another data set of its orbit, which differs in the order of the outputs."""
        (key,) = self.mechanism.model.canonical(x)
        if key not in self._kept:
            self._kept[key] = Row(self.exponents(key), self.mechanism.model.index[key])
        return self._kept[key]
