"""delta of shuffled randomized response, certified: the outputs are the counts of reports, the order is gone.

Notation: n reports, each true with p = e^eps0/(e^eps0 + k - 1), any other value with q = 1/(e^eps0 + k - 1);
A = p - e^t q and B = e^t p - q at the epsilon t. Nothing is left to show for t >= eps0.

*Binary, all data sets.* Let j of the n - 1 others hold 1, and S be their number of ones; F is its distribution
function. The person who changes holds 0 or 1. P(c) - e^t Q(c) = A s(c) - B s(c - 1), and S is log-concave, so this is
positive exactly up to some c: delta = max over m of A F(m) - B F(m - 1). The other direction is this one with zeros
and ones exchanged, that is with j replaced by n - 1 - j. So the worst case is the largest value over j and m. It is
*not* always at j = 0: at n = 6, eps0 = 1/2, t = 1/4 the data set with one 1 among the others is worse by a fifth.
Floats with a proven error bound discard the j that are not the worst; balls decide among the rest.

*More values, bounds.* Take others that hold a third value. The counts (a, b, rest) of the reports are a function of the
output, so their delta is a lower bound. For an upper bound let it be known which of the others answered at random (a
report is uniform with probability k q, independent of its value, else true) and what the rest said. What is left are
the person's report and a binomial number of uniform ones (the privacy blanket of Balle, Bell, Gascon, Nissim 2019).

*Counts.* Let T - 1 others report a with r, b with r, something else with 1 - 2r. With v = (1 - p - q)/(1 - 2r),
P(na, nb) - e^t Q(na, nb) is the multinomial probability of (na, nb) times (na A/r - nb B/r - (T - m) v (e^t - 1))/T,
where m = na + nb: which of the reports is the person's is equally likely. For fixed m it rises with na, and na is
Bin(m, 1/2), so what is needed are tails of that, which walk from m to m + 1 in two operations.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, log, sqrt

import numpy as np
from flint import arb, arb_poly

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball

UNIT = 2.0**-53


def chances(eps: Fraction, k: int) -> tuple[Ball, Ball]:
    """p and q."""
    grown = ball(eps).exp()
    return grown / (grown + k - 1), 1 / (grown + k - 1)


def weights(eps: Fraction, k: int, at: Fraction) -> tuple[Ball, Ball]:
    """A and B."""
    p, q = chances(eps, k)
    factor = ball(at).exp()
    return p - factor * q, factor * p - q


# ------------------------------------------------------------------ binary


def binary(n: int, eps: Fraction, at: Fraction) -> tuple[Ball, int]:
    """A ball around delta(at) over all data sets, and the number of ones among the others in the worst one."""
    left = survivors(n, eps, at)
    found = [with_ones(n, eps, at, ones) for ones in left]
    return balls.maximum(found), left[balls.largest(found)]


def with_ones(n: int, eps: Fraction, at: Fraction, ones: int) -> Ball:
    """max over m of A F(m) - B F(m - 1), with this number of ones among the others."""
    (p, q), (a, b) = chances(eps, 2), weights(eps, 2, at)
    law = arb_poly([p, q]) ** (n - 1 - ones) * arb_poly([q, p]) ** ones
    before, best = balls.zero(), [balls.zero()]
    for c in range(n):
        total = before + law[c]
        value = a * total - b * before
        if balls.certainly_less(balls.zero(), before) and balls.certainly_less(value, best[-1] / 2):
            break  # after its maximum it falls
        best.append(value)
        before = total
    return balls.maximum(best)


@lru_cache(maxsize=64)
def survivors(n: int, eps: Fraction, at: Fraction) -> tuple[int, ...]:
    """The numbers of ones among the others that may be worst: floats with an error bound discard the others.

    The law of S is a convolution of two binomials. They are cut where Hoeffding's bound leaves ``tail`` outside, and
    each of their floats is a product of at most ``steps`` rounded factors; all terms are positive, so a sum of ``size``
    products adds a relative error of ``size`` units.
    """
    with balls.precision(128):
        least = with_ones(n, eps, at, 0)
        a, b = (float(value.mid()) for value in weights(eps, 2, at))
        q = chances(eps, 2)[1]
    if not balls.certainly_less(balls.zero(), least):
        return tuple(range(n))
    tail = float(max(balls.ends(least)[0], Fraction(1, 10**250))) * 1e-14
    lows, highs = [], []
    for ones in range(n):
        first, second = _binomial(n - 1 - ones, q, False, tail), _binomial(ones, q, True, tail)
        law = np.convolve(first.values, second.values)
        total = np.cumsum(law)
        before = np.concatenate(([0.0], total[:-1]))
        size = min(len(first.values), len(second.values)) + len(law) + first.steps + second.steps + 10
        wrong = (a + b) * (total * (size * UNIT * 1.01) + 4.2 * tail)
        value = a * total - b * before
        lows.append(float(np.max(value - wrong)))
        highs.append(float(np.max(value + wrong)))
    best = max(lows)
    return tuple(j for j in range(n) if highs[j] >= best)


@dataclass(frozen=True)
class Window:
    """Floats around the probabilities of a binomial, each a product of at most ``steps`` rounded factors."""

    values: np.ndarray
    steps: int


def _binomial(m: int, q: Ball, mirrored: bool, tail: float) -> Window:
    """Bin(m, q), or Bin(m, 1 - q), without a mass of at most ``tail``."""
    reach = ceil(sqrt(m * log(2 / tail) / 2)) + 3
    with balls.precision(128):
        low_q = float(q.mid())
        middle = min(m, max(0, floor((m + 1) * low_q)))
        peak = float((arb.bin_uiui(m, middle) * q**middle * (1 - q) ** (m - middle)).mid())
        ratio = float((q / (1 - q)).mid())
    low, high = max(0, middle - reach), min(m, middle + reach)
    up = np.arange(middle, high, dtype=float)
    down = np.arange(middle, low, -1, dtype=float)
    above = peak * np.cumprod((m - up) / (up + 1) * ratio)
    below = peak * np.cumprod(down / (m - down + 1) / ratio)
    values = np.concatenate((below[::-1], [peak], above))
    return Window(values[::-1] if mirrored else values, 6 * max(len(up), len(down)) + 6)


# ------------------------------------------------------------------ more values


@dataclass
class Tail:
    """For N ~ Bin(m, 1/2): ``above`` = P(N >= a) and ``here`` = P(N = a), carried along as m and a move."""

    m: int = 0
    a: int = 0
    above: Ball = field(default_factory=lambda: ball(1))
    here: Ball = field(default_factory=lambda: ball(1))

    def more(self) -> None:
        """m to m + 1: P(N + bit >= a) = P(N >= a) + P(N = a - 1)/2."""
        below = self.here * self.a / (self.m - self.a + 1) if self.a <= self.m else self._single(self.a - 1)
        self.above, self.here = self.above + below / 2, (self.here + below) / 2
        self.m += 1

    def _single(self, a: int) -> Ball:
        return arb.bin_uiui(self.m, a) / ball(2) ** self.m if 0 <= a <= self.m else balls.zero()

    def start(self, a: int) -> None:
        """Moves the bound to a."""
        while self.a < a:
            self.above = self.above - self.here
            left = self.m - self.a
            self.here = self.here * left / (self.a + 1) if left > 0 else balls.zero()
            self.a += 1
        while self.a > a:
            self.here = self.here * self.a / (self.m - self.a + 1) if self.a <= self.m else self._single(self.a - 1)
            self.a -= 1
            self.above = self.above + self.here


def among(total: int, share: Ball, eps: Fraction, k: int, at: Fraction, tail: Tail, low: int, high: int) -> Ball:
    """delta where the other total - 1 report a with ``share``, b with ``share``, else something else.

    The sum over m from ``low`` to ``high``; the tail walks upwards and is left at the first m.
    """
    (p, q), (first, second) = chances(eps, k), weights(eps, k, at)
    rest, factor = 1 - 2 * share, ball(at).exp()
    value = (1 - p - q) / rest if k > 2 else balls.zero()
    slope = (first + second) / share
    weight = arb.bin_uiui(total, low) * (2 * share) ** low * (rest ** (total - low) if total > low else 1)
    found: list[Ball] = []
    walker: Tail | None = None
    for m in range(low, high + 1):
        cost = m * second / share + (total - m) * value * (factor - 1)
        border = cost / slope
        lower, upper = balls.ends(border)
        begin = max(0, floor(lower) + 1)
        if walker is None:
            while tail.m < m:
                tail.more()
            tail.start(min(begin, m + 1))
            walker = replace(tail)
        else:
            walker.more()
            walker.start(min(begin, m + 1))
        if begin <= m:
            part = slope * (m * walker.above + begin * walker.here) / 2 - cost * walker.above
            found.append(weight * (part + balls.from_ends(balls.zero(), slope * ball(upper - lower))))
        if m < high:
            weight = weight * (total - m) / (m + 1) * 2 * share / rest
    return balls.total(found) / total


def _middle(count: int, share: float, log_tail: float) -> tuple[int, int]:
    """The values that a binomial takes but for a probability of at most e^-log_tail, by Hoeffding."""
    reach = sqrt(count * (log_tail + log(2)) / 2) + 3
    return max(0, floor(count * share - reach)), min(count, ceil(count * share + reach))


def third_value(n: int, eps: Fraction, k: int, at: Fraction) -> Ball:
    """A lower bound of delta for k > 2: all others hold a third value, and reports other than a and b are one."""
    return among(n, chances(eps, k)[1], eps, k, at, Tail(), 0, n)


BLOCKS = 100


def blanket(n: int, eps: Fraction, k: int, at: Fraction) -> Ball:
    """An upper bound of delta over all data sets: which others answered at random is known, and what the rest said.

    The sum over their number, which is binomial, and over m for each; what is left out has a probability of at most
    2 e^-limit twice. One more uniform report is a post-processing, so delta falls with their number, and the first of a
    block of numbers bounds the block.
    """
    limit = 30 - log(max(float(balls.ends(third_value(n, eps, k, at) if k > 2 else balls.ball(1))[0]), 1e-200))
    random = k * chances(eps, k)[1]
    low, high = _middle(n - 1, float(random.mid()), limit)
    weight = arb.bin_uiui(n - 1, low) * random**low * (1 - random) ** (n - 1 - low)
    found, tail, share = list[Ball](), Tail(), ball(Fraction(1, k))
    size = 1 if k == 2 else -(-(high - low + 1) // BLOCKS)
    value = balls.zero()
    for count in range(low, high + 1):
        if (count - low) % size == 0:
            window = (count + 1, count + 1) if k == 2 else _middle(count + 1, 2 / k, limit)
            value = among(count + 1, share, eps, k, at, tail, *window)
        found.append(weight * value)
        weight = weight * (n - 1 - count) / (count + 1) * random / (1 - random)
    return balls.total(found) + balls.from_ends(balls.zero(), 4 * (-ball(Fraction(limit))).exp())
