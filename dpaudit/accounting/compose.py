"""Compositions of measures on one lattice, by a Fourier transform in binary64 with a proven error bound.

The measures are tilted by e^(theta loss) first, so that the losses that matter for one epsilon have most of the mass:
the error of the transform is then small beside delta(epsilon), however small that is. FLOATS.md 4 has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dpaudit.accounting import floats
from dpaudit.accounting.bounds import Measure
from dpaudit.accounting.cells import TooFine
from dpaudit.accounting.floats import EXPONENTIAL, PRODUCT, TINY, Floats, U
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball

BITS = 128
FULL = 1100
"""Bits in which 1 - x is next to exact for every float x >= 2^-1000, so that a tiny probability keeps its digits."""
LARGEST_SIZE = 1 << 22
"""The longest transform: about 400 MiB."""
OUTSIDE = math.log(1e-13)
"""The logarithm of the share of the tilted mass that may lie outside the window."""


@dataclass(frozen=True)
class Term:
    """A measure from below, one from above on the same lattice, and how many times it is composed with itself."""

    lower: Measure
    upper: Measure
    times: int


class Tilted:
    """One measure tilted: values e^(theta (k - anchor) h) scale, rounded up or down; scale is about 1 / their sum."""

    def __init__(self, term: Term, theta: Fraction) -> None:
        upper = term.upper
        step, self.times = upper.lattice.step, term.times
        self.first, count = upper.first, len(upper.values)
        with np.errstate(divide="ignore"):
            logs = np.log(upper.values) + float(theta * step) * np.arange(count)
        self.anchor = self.first + int(np.argmax(logs))
        with balls.precision(BITS):
            rate = ball(theta * step)
        span = int(650 / max(float(theta * step), 1e-300))
        start, stop = max(self.first, self.anchor - span), min(self.first + count, self.anchor + span)
        weights = np.full(count, 2.0**-930)
        """Left of the span the weight is smaller than that; right of it there is no mass worth it (see ``_refuse``)."""
        weights[start - self.first : stop - self.first] = floats.exponentials(rate, start - self.anchor, stop - start)
        if stop < self.first + count:
            raise TooFine  # the tilt is too steep
        self.upper = upper.values * weights * (1 + 2 * EXPONENTIAL) + TINY
        self.scale = 1 / float(np.sum(self.upper))
        self.upper = self.upper * self.scale * (1 + 4 * U)
        lower = _aligned(term.lower, upper)
        weights[: start - self.first] = 0.0
        self.lower = np.maximum(lower * weights * (self.scale * (1 - 2 * EXPONENTIAL - 3 * U)) - TINY, 0.0)
        self.step = step

    def moments(self, more: Fraction) -> tuple[Ball, Ball]:
        """Numbers that are at least the sums of lower(k) e^(more (k - anchor) h) and of upper(k) e^(...)."""
        start, count = self.first - self.anchor, len(self.upper)
        weights = floats.exponentials(ball(more * self.step), start, count) * (1 + 2 * EXPONENTIAL)
        lower, upper = (floats.sum_above(values * weights + TINY) for values in (self.lower, self.upper))
        return balls.dyadic(lower), balls.dyadic(upper)

    def most(self) -> float:
        """The largest |more| for which ``moments`` stays within the range of binary64."""
        reach = max(self.anchor - self.first, self.first + len(self.upper) - self.anchor, 1)
        return 600 / (reach * float(self.step))

    def mean_and_variance(self) -> tuple[float, float]:
        """Approximately the mean and the variance of k - anchor."""
        places = np.arange(len(self.upper)) + (self.first - self.anchor)
        mean = float(np.dot(self.upper, places))
        return mean, max(float(np.dot(self.upper, (places - mean) ** 2)), 1e-12)


def _aligned(lower: Measure, upper: Measure) -> Floats:
    """The values of ``lower`` at the places of ``upper``; places outside, where it has next to nothing, are dropped."""
    values = np.zeros(len(upper.values))
    start = lower.first - upper.first
    left, right = max(start, 0), min(start + len(lower.values), len(values))
    if right > left:
        values[left:right] = lower.values[left - start : right - start]
    return values


@dataclass(frozen=True)
class _Sequence:
    """One composed sequence: values at the places of the window, and the Euclidean norm of their error."""

    values: Floats
    error: float


class Composition:
    """All terms composed, at one tilt: bounds of delta(epsilon) for every epsilon, sharp where the tilt is right."""

    def __init__(self, terms: Sequence[Term], theta: Fraction) -> None:
        self.theta, self.step = theta, terms[0].upper.lattice.step
        self.offset = sum((term.times * term.upper.lattice.offset for term in terms), Fraction(0))
        tilted = [Tilted(term, theta) for term in terms]
        self.centre = sum(t.anchor * t.times for t in tilted)
        with balls.precision(BITS):
            self.log_scale = balls.total([-balls.dyadic(t.scale).log() * t.times for t in tilted])
            self.log_scale += ball(theta * self.step * self.centre)
            self._window(tilted)
        with balls.precision(FULL):
            below = [1 - balls.dyadic(term.lower.infinite) for term in terms]
            above = [1 - balls.dyadic(min(1.0, term.upper.infinite)) for term in terms]
            self.infinite = tuple(_infinite_loss_probability(chances, terms) for chances in (below, above))
        self.lower = self._composed(tilted, [t.lower for t in tilted])
        self.upper = self._composed(tilted, [t.upper for t in tilted])

    def _window(self, tilted: Sequence[Tilted]) -> None:
        """Chooses the window, places start .. start + size - 1, and bounds the tilted mass above and below it."""
        most = min(t.most() for t in tilted)
        moments = [t.mean_and_variance() for t in tilted]
        mean = self.centre + sum(t.times * m for t, (m, _) in zip(tilted, moments, strict=True))
        spread = math.sqrt(sum(t.times * v for t, (_, v) in zip(tilted, moments, strict=True))) * float(self.step)
        ends, rates = [], []
        for sign in (1, -1):
            best = None
            for z in (1, 2, 3.5, 5, 6.5, 8, 12, 20, 40):
                more = min(z / spread, most)
                rate = Fraction(sign * more).limit_denominator(10**6) if more > 1e-3 else Fraction(sign * more)
                grown = float(self._log_moment(tilted, rate))
                reach = (grown - OUTSIDE) / abs(float(rate)) / float(self.step)
                if best is None or reach < best[0]:
                    best = reach, rate, grown
                if more == most:
                    break
            assert best is not None
            ends.append(self.centre + sign * (math.ceil(best[0]) + 2))
            rates.append(best[1])
        top, bottom = max(ends[0], math.ceil(mean)), min(ends[1], math.floor(mean))
        self.start, wanted = bottom, top - bottom + 1
        self.size = 1 << max(4, (wanted - 1).bit_length())
        if self.size > LARGEST_SIZE:
            raise TooFine(self.size)
        self.above, self.below = (
            (self._log_moment(tilted, rate) - ball(rate * self.step * (place - self.centre))).exp().upper()
            for rate, place in zip(rates, (self.start + self.size, self.start - 1), strict=True)
        )

    @staticmethod
    def _log_moment(tilted: Sequence[Tilted], rate: Fraction) -> Ball:
        """At least the logarithm of the moment of the composed lower and of the composed upper sequence.

        What is below as a whole may have more mass at the lowest losses, so that neither moment bounds the other.
        """
        both = zip(*(t.moments(rate) for t in tilted), strict=True)
        times = [t.times for t in tilted]
        return balls.maximum(
            [balls.total([m.log() * n for m, n in zip(moments, times, strict=True)]) for moments in both]
        )

    def _composed(self, tilted: Sequence[Tilted], values: Sequence[Floats]) -> _Sequence:
        """The circular convolution of all terms, each ``times`` over, with a bound of its error."""
        error, product, size = floats.transform_error(self.size), None, self.size
        bound, errors, factors = balls.ball(1), balls.zero(), 0
        for t, entries in zip(tilted, values, strict=True):
            folded = _folded(entries, t.first - t.anchor, size)
            there = floats.transform(folded)
            folding = floats.PRODUCT * (len(entries) // size + 1)
            largest = balls.dyadic(max(floats.largest_above(there), floats.sum_above(folded))) * (
                1 + balls.dyadic(folding)
            )
            norm = balls.dyadic(floats.norm_above(folded)) * (error + folding)
            errors += norm * t.times / largest
            bound *= largest**t.times
            factors += t.times
            powered = floats.power(there, t.times)
            product = powered if product is None else product * powered
        assert product is not None
        root = ball(size).sqrt()
        computed = balls.dyadic(floats.norm_above(product)) / root
        total = bound * errors + computed * (1.02 * factors * PRODUCT + 1.02 * error) + TINY
        back = floats.inverse(product).real
        order = np.roll(back, -((self.start - self.centre) % size))
        return _Sequence(order, floats.up(total))

    def delta(self, epsilon: Fraction) -> tuple[Ball, Ball]:
        """Balls: delta(epsilon) lies between the lower end of the first and the upper end of the second."""
        at = epsilon - self.offset
        begin = max(math.floor(at / self.step) + 1, self.start)
        count = self.start + self.size - begin
        with balls.precision(BITS):
            scale = (self.log_scale - ball(self.theta * at)).exp()
            if count <= 0:
                low, high = balls.zero(), self.above
            else:
                low, high = self._sums(at, begin, count)
            finite_low = balls.positive_part(scale * low)
            finite_high = balls.positive_part(scale * high)
            ends = self.infinite[0] + finite_low, (self.infinite[1] + finite_high).min(ball(1))
        return ends

    def _sums(self, at: Fraction, begin: int, count: int) -> tuple[Ball, Ball]:
        """Bounds of the sum of e^(-theta t) (1 - e^-t) c(j) over all losses t = jh - at > 0, beyond the window too."""
        first = begin * self.step - at
        reach = 690 / max(float(self.theta * self.step), 690 / count)
        used = min(count, int(reach) + 1)
        damping = floats.exponentials(ball(-self.theta * self.step), 0, used) * floats.up(
            (-ball(self.theta * first)).exp()
        )
        decays = np.zeros(used)
        near = min(used, int(690 / float(self.step)) + 1)
        decays[:near] = floats.exponentials(ball(-self.step), 0, near) * floats.up((-ball(first)).exp())
        kernel = damping * (1 - decays)
        skip = begin - self.start
        room = balls.dyadic(floats.norm_above(kernel) + 40 * U * floats.norm_above(damping) + TINY * count)
        outside = self.above + self.below
        """The kernel is at most 1, and mass from outside the window is folded into it."""
        ends = []
        for sign, part in ((-1, self.lower), (1, self.upper)):
            values = part.values[skip : skip + used]
            rounding = floats.sum_above(np.abs(values) * damping) * (used + 40) * U
            error = room * part.error + balls.dyadic(rounding) + outside + balls.dyadic(2.0**-900)
            ends.append(balls.dyadic(float(np.dot(kernel, values))) + sign * error)
        return ends[0], ends[1]


def _infinite_loss_probability(none: Sequence[Ball], terms: Sequence[Term]) -> Ball:
    """The probability that some release has an infinite loss."""
    every = ball(1)
    for chance, term in zip(none, terms, strict=True):
        every *= chance**term.times
    return 1 - every


def _folded(values: Floats, first: int, size: int) -> Floats:
    """The values at the places first, first + 1, ... added up modulo the size."""
    start = first % size
    padded = np.zeros(-(-(start + len(values)) // size) * size)
    padded[start : start + len(values)] = values
    found: Floats = padded.reshape(-1, size).sum(axis=0)
    return found
