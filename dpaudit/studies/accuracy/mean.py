"""The exact mean distance between posterior and release on one data set, without the staircase."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.mechanisms.base import PosteriorMechanism
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, infinite
from dpaudit.numbers.errors import TooLargeError, approximately
from dpaudit.posterior.divergences import DIVERGENCES
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.effort import MEMORY_BOUND
from dpaudit.studies.accuracy.staircase import ALL_OUTPUTS, heavy_row


def mean_error(
    mechanism: PosteriorMechanism,
    x: Histogram,
    digits: int = 15,
    metric: str = "hellinger",
    memory: int = MEMORY_BOUND,
) -> Enclosure:
    """An enclosure of E[D(posterior of x, release)], infinite if an output at infinite distance is possible."""
    model, tail = mechanism.model, Fraction(1, 10 ** (digits + 6))
    need = mechanism.row_memory(tail, ALL_OUTPUTS)
    if need > memory:
        size = approximately(mechanism.row_size(tail, ALL_OUTPUTS))
        raise TooLargeError(need, memory, f"{mechanism.name}, n = {model.n}, with about {size} outputs to list")
    ends = (tuple(model.n * (i == j) for j in range(model.k)) for i in range(model.k))
    if metric == "chi2" and not all(DIVERGENCES[metric](model).finite(x, end) for end in ends):
        return infinite()

    def attempt() -> Enclosure | None:
        divergence = DIVERGENCES[metric](model)
        row = heavy_row(mechanism, x, divergence, tail)
        released = map(mechanism.released, row.outputs)
        value = balls.total([p * divergence.between(x, d) for p, d in zip(row.probabilities, released, strict=True)])
        if not row.omitted.is_zero():
            value = balls.from_ends(value, value + row.omitted * divergence.largest(x))
        return balls.enclosure(value, digits, least=0)

    return balls.refine(attempt, *balls.bits_for(digits, mechanism.count_outputs()))[0]
