"""The notions of ``core`` that need logarithms: Renyi divergence, zCDP and the Gaussian trade-off function.

When ``reached`` or ``exceeded`` returns, its answer holds for every law within the enclosures.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate, pairwise
from math import isqrt
from statistics import NormalDist

from .arithmetic import Interval, Malformed, Undecided, hull, rational, total
from .core import Notion, Pair, threshold_test
from .exact import ZERO, Number, constant, sign
from .special import normal


class Moments:
    """K(a) = (a - 1) D_a = ln sum p e^((a-1) L), L = ln(p/q), of one pair without infinite loss."""

    def __init__(self, pair: Pair) -> None:
        self.bits = pair.law.bits
        self.cells = [(p.value, (p.value / q.value).log()) for p, q in pair.both if not p.is_zero]
        self._found: dict[Fraction, Interval] = {}

    def cumulant(self, order: Fraction) -> Interval:
        """K(order)."""
        if order not in self._found:
            self._found[order] = total((p * ((order - 1) * loss).exp() for p, loss in self.cells), self.bits).log()
        return self._found[order]

    def divergence(self, order: Fraction) -> Interval:
        """D_order; order 1 is Kullback-Leibler."""
        if order > 1:
            return self.cumulant(order) / (order - 1)
        return total((p * loss for p, loss in self.cells), self.bits)

    def below(self, a: Fraction, b: Fraction, rho: Fraction) -> bool:
        """True only if K(t) <= rho t (t - 1) on [a, b]: D_t <= D_b; or K lies below its chord k + s (t - a).

        The least value of the parabola rho t (t - 1) - k - s (t - a) is s a - k - (rho + s)^2 / (4 rho).
        """
        if self.divergence(b) <= rho * a:
            return True
        if a == 1:
            return False
        left, right = self.cumulant(a), self.cumulant(b)
        slope = (right - left) / (b - a)
        both = slope + rho
        return (slope * a - left - both * both / (4 * rho)).lo >= 0

    def above(self, a: Fraction, b: Fraction, rho: Fraction, depth: int = 60) -> bool:
        """Whether K(t) > rho t (t - 1) for some t in [a, b], which is halved at most ``depth`` times."""
        if self.below(a, b, rho):
            return False
        middle = (a + b) / 2
        if (self.cumulant(middle) - rho * middle * (middle - 1)).lo > 0:
            return True
        if not depth:
            raise Undecided
        return self.above(a, middle, rho, depth - 1) or self.above(middle, b, rho, depth - 1)


class Renyi(Notion):
    """D_alpha <= epsilon."""

    place = ("alpha",)

    def __init__(self, claimed: Fraction, order: Fraction, at: Fraction) -> None:
        self.claimed, self.order = claimed, order
        self.quantity, self.guarantee = f"D_{order}", f"({order}, {claimed})-R\u00e9nyi DP"
        if order < 1 or at != order:
            raise Malformed("alpha is not at least 1, or the witness has another one than the guarantee")

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """The sign of D_alpha - bound."""
        if not bound and pair.same():
            return 0
        return sign([Number(Moments(pair).divergence(self.order)), constant(-bound, pair.law.bits)])

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Whether D_alpha > bound."""
        return pair.is_infinite() or self.reached(pair, bound) > 0


class Zcdp(Renyi):
    """D_a <= rho a for all a > 1."""

    def __init__(self, claimed: Fraction, at: Fraction) -> None:
        super().__init__(claimed, at, at)
        self.quantity, self.guarantee = "rho = sup D_a / a", f"{claimed}-zCDP"

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """The sign of D_a / a - bound at the witness's order; order 1 is the limit."""
        return super().reached(pair, bound * self.order)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """K is compared on [1, 2], [2, 4], ...; beyond (largest loss) / bound, D_t <= largest loss <= bound t."""
        if pair.is_infinite() or pair.same():
            return pair.is_infinite()
        if not bound:
            return self.reached(pair, bound) > 0
        moments, ends = Moments(pair), [Fraction(1)]
        last = max(loss.ends()[1] for _, loss in moments.cells) / bound
        while ends[-1] < last:
            ends.append(ends[-1] * 2)
        return any(moments.above(a, b, bound) for a, b in pairwise(ends))


def powerful(pair: Pair) -> list[tuple[Interval, Interval]]:
    """The most powerful tests except the trivial ones, and points below the trade-off function between them.

    Every output is possible for both or for neither. Outputs whose losses cannot be separated are one step: from its
    left end the function falls at most as fast as the largest loss allows, to its right end at least as fast as the
    smallest one requires; the points are in the middle.
    """
    bits, zero = pair.law.bits, rational(0, pair.law.bits)
    cells = [((p.value / q.value).log(), p.value, q.value, False) for p, q in pair.both if not p.is_zero]
    steps: list[tuple[Interval, Interval, Interval, bool]] = []  # apart from each other, each with what it overlaps
    for loss, p, q, several in sorted(cells, key=lambda cell: -sum(cell[0].ends())):
        while steps and (steps[-1][0] - loss).lo <= 0:
            before = steps.pop()
            loss, p, q, several = hull(before[0], loss), before[1] + p, before[2] + q, True
        steps.append((loss, p, q, several))
    alphas = list(accumulate(q for _, _, q, _ in steps))
    betas = list(accumulate(p for _, p, _, _ in reversed(steps)))[::-1]
    found = list(zip(alphas[:-1], betas[1:], strict=True))
    for (loss, _, q, several), left, beta, right in zip(
        steps, [zero, *alphas], betas, [*betas[1:], zero], strict=False
    ):
        if several:
            steep, flat = (Interval(end, end, loss.e, bits).exp() for end in (loss.hi, loss.lo))
            part = q / 2
            found += [(left + part, beta - steep * part), (left + part, right + flat * part)]
    return found


def above_gaussian(alpha: Interval, beta: Interval, mu: Fraction) -> int:
    """-1 if certainly beta >= Phi(Phi^-1(1 - alpha) - mu), 1 if certainly less: the sign of mu(test) - mu.

    By a rational z on either side of -Phi^-1(alpha), found by division: Phi(-z) <= alpha and Phi(z - mu) <= beta prove
    the first. It begins at a guess that proves nothing. Phi(-z) < e^(-z^2/2) bounds |z| by sqrt(2 digits of the level).
    """
    bits, level = alpha.bits, sum(alpha.ends(), start=ZERO) / 2
    if not 0 < level < 1:
        raise Undecided
    small = min(level, 1 - level)
    high = Fraction(isqrt(2 * (small.denominator.bit_length() - small.numerator.bit_length() + 1)) + 1)
    low, tries = -high, [guess(level) + off for off in (Fraction(1, 1 << 40), -Fraction(1, 1 << 40))]
    for _ in range(2 * bits):
        z = tries.pop() if tries else (5 * low + 3 * high) / 8  # not the middle, which may be the quantile itself
        tail, miss = normal(-z, bits) - alpha, normal(z - mu, bits) - beta
        if tail.hi <= 0:
            if miss.hi <= 0:
                return -1
            high = min(high, z)
        elif tail.lo >= 0:
            if miss.lo > 0:
                return 1
            low = max(low, z)
        else:
            break
    raise Undecided


def guess(level: Fraction) -> Fraction:
    """Approximately the z with Phi(-z) = level."""
    return -Fraction(NormalDist().inv_cdf(min(max(float(level), 1e-300), 1 - 1e-16)))


class Gaussian(Notion):
    """beta >= Phi(Phi^-1(1 - alpha) - mu) for every test; the witness's test has a threshold, or is trivial."""

    place = ("threshold",)

    def __init__(self, claimed: Fraction, threshold: Fraction | None) -> None:
        self.claimed, self.quantity, self.guarantee = claimed, "mu", f"{claimed}-GDP"
        self.threshold = threshold

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """The sign of mu(test) - bound."""
        if self.threshold is None:
            return -1 if bound else 0
        parts = threshold_test(pair, self.threshold)
        alpha, beta = (total((n.value for n in numbers), pair.law.bits) for numbers in parts)
        return above_gaussian(alpha, beta, bound)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Whether some test lies below the Gaussian trade-off function."""
        if pair.is_infinite() or Pair(pair.law, pair.y, pair.x).is_infinite():
            return True
        points = [] if pair.same() else powerful(pair)
        return any(above_gaussian(alpha, beta, bound) > 0 for alpha, beta in points)
