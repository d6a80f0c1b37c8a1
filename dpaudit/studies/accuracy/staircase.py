"""The distribution of the distance between the true posterior and the release: its steps, mean and quantiles."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

from dpaudit.mechanisms.base import HeavyRow, PosteriorMechanism, Sparse
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, NeedsMoreBits, ball
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.divergences import DIVERGENCES, Divergence, HellingerDistance
from dpaudit.posterior.model import Histogram, Model
from dpaudit.privacy.protocols import Output

ALL_OUTPUTS = 50_000
"""Up to this many outputs are all listed; beyond, a negligible tail may be left out (and is accounted for)."""
EXACT_OUTPUTS = 5000
"""Probabilities of several noised cells are added up exactly, as polynomials, up to this many outputs."""
TIE_BITS = 1024
"""Hellinger distances that are still not apart at this precision, and not equal by algebra, are listed as one step."""
COSTLY_OUTPUTS = 1000
"""Beyond this many outputs, a costly distance is not computed for outputs of negligible probability."""
ALGEBRA_LIMIT = 5000
"""Equality of Hellinger distances is decided by algebra up to this n."""


@dataclass
class Stair:
    """The outputs at one distance: ``distance`` contains it, ``mass`` contains their probability."""

    key: Ball
    distance: Ball
    mass: Ball
    outputs: list[int] = field(default_factory=list)


@dataclass
class Staircase:
    """Steps in ascending order; probability ``omitted`` lies at unlisted distances, ``infinite`` at infinity."""

    mechanism: PosteriorMechanism
    x: Histogram
    metric: Divergence
    outputs: list[Output]
    released: list[Histogram]
    steps: list[Stair]
    infinite: Ball
    omitted: Ball

    @cached_property
    def cumulative(self) -> list[Ball]:
        """Balls that contain Pr[distance <= step], step by step, of the listed outputs."""
        return list(accumulate(step.mass for step in self.steps))

    @cached_property
    def tails(self) -> list[Ball]:
        """Balls that contain Pr[distance >= step], step by step, and Pr[infinite] beyond the last."""
        sums = accumulate((step.mass for step in reversed(self.steps)), initial=self.infinite)
        return list(sums)[::-1]

    def below(self, count: int) -> Ball:
        """A ball that contains the probability of the first ``count`` steps' distances or less."""
        listed = self.cumulative[count - 1] if count else balls.zero()
        if count == len(self.steps) and self.omitted.is_zero() and self.infinite.is_zero():
            return ball(1)
        return self._widened(listed)

    def at_least(self, count: int) -> Ball:
        """A ball that contains the probability of a distance beyond the first ``count`` steps."""
        return self._widened(self.tails[count])

    def _widened(self, value: Ball) -> Ball:
        return value if self.omitted.is_zero() else balls.from_ends(value, value + self.omitted)

    @cached_property
    def always_finite(self) -> bool:
        """Whether the distance to every possible release is finite: for each cell some output has n in it."""
        model = self.metric.model
        ends = (tuple(model.n * (i == j) for j in range(model.k)) for i in range(model.k))
        return all(self.metric.finite(self.x, end) for end in ends)

    def mean(self) -> Ball:
        """A ball that contains the mean distance; it may be infinite."""
        if not self.always_finite:
            return balls.infinity()
        value = balls.total([step.mass * step.distance for step in self.steps])
        if self.omitted.is_zero():
            return value
        return balls.from_ends(value, value + self.omitted * self.metric.largest(self.x))

    def exact_below(self, count: int) -> Sparse | None:
        """The probability of the first steps as a polynomial in q, where that is known."""
        if not self.omitted.is_zero() or len(self.outputs) > max(EXACT_OUTPUTS, self.mechanism.model.n + 1):
            return None
        while len(self._prefixes) <= count:
            step = self.steps[len(self._prefixes) - 1]
            terms = [self.mechanism.exact_probability(self.x, self.outputs[i]) for i in step.outputs]
            known = [term for term in terms if term is not None]
            before = self._prefixes[-1]
            self._prefixes.append(None if before is None or len(known) < len(terms) else add(before, *known))
        return self._prefixes[count]

    @cached_property
    def _prefixes(self) -> list[Sparse | None]:
        return [{}]

    def quantile(self, level: Fraction) -> Ball:
        """A ball that contains the smallest distance d with Pr[distance <= d] >= level, or NeedsMoreBits.

        A tie of a probability with the level is decided by algebra where the family allows it. At TIE_BITS the
        ball contains every distance that may be the quantile.
        """
        bar = ball(level)
        first = last = None
        for i, value in enumerate(self.cumulative):
            if first is None and not balls.certainly_less(self._widened(value), bar):
                if self.exact_below(i + 1) == {0: level}:
                    return self.steps[i].distance
                first = i
            if balls.certainly_at_most(bar, value):
                last = i
                break
        if first is not None and first == last:
            return self.steps[first].distance
        if first is None and self.omitted.is_zero() and not self.infinite.is_zero():
            return balls.infinity()
        if balls.working_bits() < TIE_BITS:
            raise NeedsMoreBits(balls.working_bits())
        end = self.metric.largest(self.x) if last is None else self.steps[last].distance
        return balls.from_ends(self.steps[-1 if first is None else first].distance, end)


def add(*terms: Sparse) -> Sparse:
    """The sum of polynomials."""
    result = dict(terms[0])
    for term in terms[1:]:
        for exponent, coefficient in term.items():
            value = result.get(exponent, Fraction(0)) + coefficient
            if value:
                result[exponent] = value
            else:
                result.pop(exponent, None)
    return result


def heavy_row(mechanism: PosteriorMechanism, x: Histogram, divergence: Divergence, tail: Fraction) -> HeavyRow:
    """The row; of many outputs those of negligible probability are omitted if the distance is costly."""
    row = mechanism.row(x, tail, ALL_OUTPUTS)
    if not divergence.costly or len(row.outputs) <= COSTLY_OUTPUTS:
        return row
    bar = ball(tail / len(row.outputs))
    kept = [i for i, p in enumerate(row.probabilities) if not balls.certainly_less(p, bar)]
    left_out = set(range(len(row.outputs))) - set(kept)
    omitted = row.omitted + balls.total([row.probabilities[i] for i in sorted(left_out)])
    return HeavyRow([row.outputs[i] for i in kept], [row.probabilities[i] for i in kept], omitted)


def build(mechanism: PosteriorMechanism, x: Histogram, metric: str, tail: Fraction) -> Staircase:
    """The staircase of data set x at the precision in force; NeedsMoreBits if two distances are not apart yet."""
    divergence = DIVERGENCES[metric](mechanism.model)
    row = heavy_row(mechanism, x, divergence, tail)
    released = [mechanism.released(output) for output in row.outputs]
    finite = [i for i, d in enumerate(released) if divergence.finite(x, d)]
    keys = [_key(divergence, x, released[i]) for i in finite]
    steps: list[Stair] = []
    for position in balls.argsort(keys):
        i, key = finite[position], keys[position]
        if steps and not balls.certainly_less(steps[-1].key, key):
            if not _equal(divergence, x, released[steps[-1].outputs[0]], released[i], steps[-1].key, key):
                if balls.working_bits() < TIE_BITS and isinstance(divergence, HellingerDistance):
                    raise NeedsMoreBits(balls.working_bits())
                steps[-1].distance = balls.from_ends(steps[-1].distance, _distance(divergence, x, released[i], key))
                steps[-1].key = balls.from_ends(steps[-1].key, key)
            steps[-1].mass = steps[-1].mass + row.probabilities[i]
            steps[-1].outputs.append(i)
        else:
            steps.append(Stair(key, _distance(divergence, x, released[i], key), row.probabilities[i], [i]))
    infinite = balls.total([row.probabilities[i] for i in set(range(len(released))) - set(finite)])
    return Staircase(mechanism, x, divergence, list(row.outputs), released, steps, infinite, row.omitted)


def _key(divergence: Divergence, x: Histogram, d: Histogram) -> Ball:
    """A ball of an increasing function of the distance: -BC for Hellinger, precise where H is nearly 1."""
    return -divergence.bc(x, d) if isinstance(divergence, HellingerDistance) else divergence.between(x, d)


def _distance(divergence: Divergence, x: Histogram, d: Histogram, key: Ball) -> Ball:
    if x == d:
        return balls.zero()
    return (1 + key).sqrt() if isinstance(divergence, HellingerDistance) else key


def _equal(divergence: Divergence, x: Histogram, d: Histogram, e: Histogram, key: Ball, other: Ball) -> bool:
    """True only if d and e are certainly at the same distance from x: by symmetry or by algebra."""
    model: Model = divergence.model
    if d == e or balls.exactly_equal(key, other) or model.canonical(x, d) == model.canonical(x, e):
        return True
    if isinstance(divergence, HellingerDistance) and model.n <= ALGEBRA_LIMIT:
        return bc_squared(model, x, d) == bc_squared(model, x, e)
    return False
