"""One row at k = 2 from a window around x: mean errors at n = 20000 for the price of a few hundred distances.

H(x, r) grows as r moves away from x, and LS is quasi-convex in the first cell (dpaudit/privacy/fast, ERROR_BOUND.md
section 1 and LARGE_N.md section 1). So what lies beyond the window is one ball: a count, or a mass, times a distance in
[H at the window's end, 1]; and between two data sets LS is at most the larger of its values there. The window ends
where that ball is narrow beside the precision in force: floats choose where, balls hold what is left out.

The distances come from BC^2 exactly, two steps at a time. With A = a + x, B = b + n - x and r = x + j,
    BC^2(j+2) / BC^2(j) = (2A+j)^2 (B-j-1)(B-j-2) / ((2B-j-2)^2 (A+j)(A+j+1)),
    BC^2(c, c+1) = g(a + c) g(b + n - c - 1),  g(t) = (Gamma(t+1/2) / Gamma(t))^2 / t,
    g(t+1) / g(t) = (2t+1)^2 / (4t(t+1));
to the left the same with the two cells exchanged. All three follow from Gamma(t+1) = t Gamma(t).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache

from dpaudit.mechanisms.laplace import Laplace
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.model import Histogram, Model
from proofs_checks.figures.tables import DELTA, LS, S_EXP, S_GAMMA

GUARD = 32
"""Bits more for the long products."""
STRIDE = 8
"""The end of the window is tested at every 8th distance."""


@lru_cache(maxsize=16)
def _step_factors(alpha: Fraction, bits: int) -> list[Ball]:
    """The table of g(alpha), g(alpha + 1), ..., which ``step_factor`` makes longer."""
    with balls.precision(bits):
        a = ball(alpha)
        return [((a + ball(Fraction(1, 2))).lgamma() - a.lgamma()).exp() ** 2 / a]


def step_factor(alpha: Fraction, m: int) -> Ball:
    """A ball that contains g(alpha + m)."""
    bits, by = balls.working_bits() + GUARD, alpha.denominator
    table = _step_factors(alpha, bits)
    if len(table) <= m:
        with balls.precision(bits):
            for i in range(len(table) - 1, m):
                t = alpha.numerator + i * by
                table.append(table[-1] * (2 * t + by) ** 2 / (4 * t * (t + by)))
    return table[m]


def step_square(model: Model, c: int) -> Ball:
    """A ball that contains BC^2 of (c, n-c) and (c+1, n-c-1)."""
    first, second = model.prior
    return step_factor(first, c) * step_factor(second, model.n - c - 1)


def distance(square: Ball) -> Ball:
    """H, given BC^2."""
    return (1 - square.sqrt()).sqrt()


class Side:
    """The distances H(x, x + j) on one side of x, j = 0, 1, ..., computed on demand."""

    def __init__(self, grows: Fraction, falls: Fraction, length: int, first: Callable[[], Ball]) -> None:
        self.length = length
        self._by = grows.denominator * falls.denominator
        self._grows, self._falls = int(grows * self._by), int(falls * self._by)
        self.squares = [ball(1), first()] if length else [ball(1)]
        self.distances = [balls.zero(), *map(distance, self.squares[1:])]

    def __getitem__(self, j: int) -> Ball:
        """A ball that contains the distance of j steps."""
        while len(self.distances) <= j:
            i = len(self.distances) - 2
            a, b, by = self._grows, self._falls, self._by
            up = (2 * a + i * by) ** 2 * (b - (i + 1) * by) * (b - (i + 2) * by)
            down = (2 * b - (i + 2) * by) ** 2 * (a + i * by) * (a + (i + 1) * by)
            self.squares.append(self.squares[i] * up / down)
            self.distances.append(distance(self.squares[-1]))
        return self.distances[j]

    def beyond(self, j: int) -> Ball:
        """A ball that contains every distance of j steps and more."""
        return self[j] if j == self.length else self[j].union(ball(1))


class WindowRow:
    """Data set x of a model with two cells: its mean errors and sensitivities at the precision in force."""

    def __init__(self, model: Model, x: Histogram) -> None:
        self.model, self.x = model, x
        first, second = (alpha + count for alpha, count in zip(model.prior, x, strict=True))
        with balls.precision(balls.working_bits() + GUARD):
            up = Side(first, second, x[1], lambda: step_square(model, x[0]))
            down = Side(second, first, x[0], lambda: step_square(model, x[0] - 1))
        self.sides = up, down
        self._tolerance = 2.0 ** -(balls.working_bits() // 2)

    @cached_property
    def ls(self) -> Ball:
        """A ball that contains LS(x)."""
        return self._local(self.x[0])

    def _local(self, c: int) -> Ball:
        """A ball that contains LS at (c, n-c): the larger step to the left or right."""
        steps = [distance(step_square(self.model, s)) for s in (c - 1, c) if 0 <= s < self.model.n]
        return balls.maximum(steps)

    def least(self, f: Callable[[Ball], Ball], gamma: Ball) -> Ball:
        """A ball that contains min over x'' of f(LS(x'')) + gamma d(x, x''), f falling, gamma >= 0.

        f(LS) is quasi-concave. So in a block whose nearer end is not above its farther one the nearer end is the
        least; and no data set of a block is below the farther end's f plus gamma times the nearer end's distance.
        """
        n, centre = self.model.n, self.x[0]
        known = {c: f(self._local(c)) for c in {0, centre, n}}
        best = balls.minimum([value + gamma * abs(c - centre) for c, value in known.items()])
        blocks = [(centre, end) for end in {0, n} - {centre}]
        while blocks:
            near, far = blocks.pop()
            dominated = balls.certainly_at_most(known[near], known[far])
            if dominated or balls.certainly_at_most(best, known[far] + gamma * abs(near - centre)):
                continue
            middle = (near + far) // 2
            if middle in (near, far):
                continue
            known[middle] = f(self._local(middle))
            best = balls.minimum([best, known[middle] + gamma * abs(middle - centre)])
            blocks += [(middle, far), (near, middle)]
        return best

    def sensitivity(self, name: str, eps: Fraction) -> Ball:
        """A ball that contains the sensitivity of that name at x; P1's γ is that of ε and DELTA."""
        if name == S_EXP:
            return (-self.least(lambda v: -v.log(), MHdelta(self.model, eps, DELTA).gamma())).exp()
        values = {S_GAMMA: lambda: 1 / self.least(lambda v: 1 / v, ball(1)), LS: lambda: self.ls}
        return values[name]()

    def exponential_mean(self, rate: Ball) -> Ball:
        """A ball that contains E[H] under P(r) ∝ exp(−rate·H(x,r))."""
        terms = self._weights(rate)
        return balls.total([weight * h for h, weight in terms]) / (1 + balls.total([weight for _, weight in terms]))

    def near(self, rate: Ball, steps: int) -> Ball:
        """A ball that contains Pr[at most this many steps from x] under P(r) ∝ exp(−rate·H(x,r))."""
        inside = [(-rate * side[j]).exp() for side in self.sides for j in range(1, min(steps, side.length) + 1)]
        return (1 + balls.total(inside)) / (1 + balls.total([weight for _, weight in self._weights(rate)]))

    def _weights(self, rate: Ball) -> list[tuple[Ball, Ball]]:
        """H and the weight of every output but x; those beyond the window are one entry a side."""
        found = []
        for side in self.sides:
            end = self._window(side, rate)
            terms = [(h, 1) for h in side.distances[1:end]]
            if side.length:
                terms.append((side.beyond(end), side.length - end + 1))
            found += [(h, (-rate * h).exp() * count) for h, count in terms]
        return found

    def _window(self, side: Side, rate: Ball) -> int:
        """The number of steps from which on all outputs may be one ball."""
        steps, strength = 0, float(rate)
        while steps < side.length:
            steps = min(steps + STRIDE, side.length)
            h, rest = side[steps], side.length - steps
            spread = min(1.0, (1 + strength) * float(side.squares[steps]) ** 0.5)
            if rest * spread * float((-rate * h).exp()) <= self._tolerance:
                break
        return steps

    def laplace_mean(self, mechanism: Laplace) -> Ball:
        """A ball that contains E[H(posterior, released)] under the floored, clipped noise on the first cell.

        r steps up have probability q^r (1-q)/2, and all from r on q^r / 2; down the same with r-1 (``cell_law``).
        """
        step = mechanism.epsilon / mechanism.unit()
        q, value = (-ball(step)).exp(), balls.zero()
        reach = 2 + balls.working_bits() * step.denominator // (2 * step.numerator)
        for side, shift in zip(self.sides, (1, 0), strict=True):
            end, power, half = min(reach, side.length), q**shift / 2, (1 - q)
            if not end:
                continue
            for j in range(1, end):
                value = value + power * half * side[j]
                power = power * q
            value = value + power * side.beyond(end)
        return value
