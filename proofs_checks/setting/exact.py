"""Exact order of distances: BC² is compared exactly, so are local sensitivities, and level sets hold exact ties."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import isqrt
from typing import Generic, TypeVar

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Algebraic, bc_squared
from dpaudit.posterior.model import Histogram, Model, neighbors

R = TypeVar("R", bound=Hashable)


def root(value: Fraction) -> Fraction | None:
    """√value if it is rational."""
    top, bottom = isqrt(value.numerator), isqrt(value.denominator)
    return Fraction(top, bottom) if (top * top, bottom * bottom) == (value.numerator, value.denominator) else None


def distance(bc2: Algebraic) -> Ball:
    """A ball that contains H = √(1 − BC) from BC² exactly given; exactly it where that is rational."""
    bc = None if bc2.constants else root(Fraction(int(bc2.rational.p), int(bc2.rational.q)))
    exact = None if bc is None else root(1 - bc)
    if exact is not None:
        return ball(exact)
    return (1 - bc2.ball().sqrt()).sqrt()


def decided(verdict: Verdict) -> bool:
    """Whether a condition holds; if balls cannot tell, it is an error, never a guess."""
    if verdict is Verdict.UNDECIDED:
        raise balls.PrecisionExhausted(balls.working_bits())
    return verdict is Verdict.PROVED


def exactly_less(a: Algebraic, b: Algebraic) -> bool:
    """Whether a < b, decided exactly: equal objects are equal, others differ at some precision."""
    return a != b and decided(balls.decide(lambda: balls.less(a.ball(), b.ball()))[0])


def smallest(values: Sequence[Algebraic]) -> Algebraic:
    """The smallest, exactly."""
    best = values[0]
    for value in values[1:]:
        if exactly_less(value, best):
            best = value
    return best


@lru_cache(maxsize=4096)
def local_exact(model: Model, x: Histogram) -> Algebraic:
    """BC² of the pair that attains LS(x) = max H(x,x′): LS(x) = √(1 − √that), exactly."""
    return smallest([bc_squared(model, x, y) for y in neighbors(x)])


@dataclass(frozen=True)
class Level(Generic[R]):
    """All outputs at one distance from x; ``bc2`` is BC² there, exactly."""

    bc2: Algebraic
    members: tuple[R, ...]

    @property
    def count(self) -> int:
        """C, the number of outputs at this distance."""
        return len(self.members)

    def distance(self) -> Ball:
        """A ball that contains the distance; exactly 0 for the candidate BI(x) itself."""
        return distance(self.bc2)


def by_distance(outputs: Sequence[R], bc2: Callable[[R], Algebraic]) -> list[Level[R]]:
    """The outputs in levels of equal distance, the nearest first; ``bc2`` gives BC² exactly."""
    groups: dict[Algebraic, list[R]] = {}
    for r in outputs:
        groups.setdefault(bc2(r), []).append(r)
    found = [Level(at, tuple(members)) for at, members in groups.items()]

    def attempt() -> list[Level[R]] | None:
        values = [level.bc2.ball() for level in found]
        order = balls.argsort(values)[::-1]
        strict = all(balls.certainly_less(values[j], values[i]) for i, j in pairwise(order))
        return [found[i] for i in order] if strict else None

    return balls.refine(attempt, 128, 4096)[0]


@lru_cache(maxsize=8192)
def levels(model: Model, x: Histogram) -> tuple[Level[Histogram], ...]:
    """The level sets of H(x, ·), the nearest first; ties are exact."""
    return tuple(by_distance(model.histograms, lambda r: bc_squared(model, x, r)))


def level_of(model: Model, x: Histogram, r: Histogram) -> Level[Histogram]:
    """The level set of r seen from x."""
    return next(level for level in levels(model, x) if r in level.members)
