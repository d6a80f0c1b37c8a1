"""Other notions of privacy, re-derived: Renyi divergence, zCDP, Gaussian and general trade-off functions.

Each has a value of an ordered pair that is larger where privacy is worse: D_alpha; sup D_alpha / alpha; mu; and for
f the largest f(alpha) - beta of a test, which is 0 at least. A certificate states bounds of the largest value over
all pairs, a witness that reaches the lower one, and a verdict on a claimed bound.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

from dpaudit.evidence.verifier.interval import Interval, Undecided, rational, total
from dpaudit.evidence.verifier.laws import ONE, Probability, compare
from dpaudit.evidence.verifier.normal import above_gaussian
from dpaudit.evidence.verifier.reading import only
from dpaudit.evidence.verifier.tables import Malformed, number

Rows = tuple[list[Probability], list[Probability]]
MAX_DEPTH = 60
"""An interval of orders is halved this often at most."""


def is_infinite(rows: Rows) -> bool:
    """Returns whether an output is possible for x and impossible for x'."""
    return any(p.log is not None and q.log is None for p, q in zip(*rows, strict=True))


def same(rows: Rows, bits: int) -> bool:
    """Returns True only if both distributions are equal, by algebra."""
    for p, q in zip(*rows, strict=True):
        if (p.log is None) != (q.log is None):
            return False
        try:
            if p.log is not None and compare(p, q, Fraction(0), bits):
                return False
        except Undecided:
            return False
    return True


def _sign(value: Interval, bound: Fraction) -> int:
    found = (value - rational(bound, value.bits)).sign()
    if found is None:
        raise Undecided
    return found


class Notion(ABC):
    """One notion with its claimed bound; ``spend`` takes the cost of an evaluation off the budget."""

    place: tuple[str, ...]
    """The members that say where the witness reaches the value."""
    claimed: Fraction

    def __init__(self, guarantee: dict[str, Any], witness: dict[str, Any], spend: Callable[[int], None]) -> None:
        self.spend = spend
        self.read(guarantee, witness)

    @abstractmethod
    def read(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        """Reads the claimed guarantee and the place."""

    @abstractmethod
    def reached(self, rows: Rows, bound: Fraction, bits: int) -> int:
        """Returns the sign of the value at the witness's place minus the bound."""

    @abstractmethod
    def exceeded(self, rows: Rows, bound: Fraction, bits: int) -> bool:
        """Returns whether the value of the pair, at any place, exceeds the bound."""


# ------------------------------------------------------------------ divergences


@dataclass
class Moments:
    """K(a) = (a - 1) D_a = ln sum p^a q^(1-a) of one pair without infinite loss."""

    rows: Rows
    bits: int
    spend: Callable[[int], None]

    def __post_init__(self) -> None:
        both = [(p.log, q.log) for p, q in zip(*self.rows, strict=True)]
        self.logs = [(p, q) for p, q in both if p is not None and q is not None]
        self._found: dict[Fraction, Interval] = {}

    def cumulant(self, order: Fraction) -> Interval:
        """Returns K(order); the largest term is taken out of the sum."""
        if order not in self._found:
            self.spend(2 * len(self.logs))
            a, b = rational(order, self.bits), rational(1 - order, self.bits)
            exponents = [a * p + b * q for p, q in self.logs]
            top = max(exponents, key=lambda e: e.lo)
            self._found[order] = total([(e - top).exp() for e in exponents], self.bits).log() + top
        return self._found[order]

    def divergence(self, order: Fraction) -> Interval:
        """Returns D_order; order 1 is Kullback-Leibler."""
        if order > 1:
            return self.cumulant(order) / rational(order - 1, self.bits)
        self.spend(2 * len(self.logs))
        return total([p.exp() * (p - q) for p, q in self.logs], self.bits)

    def largest_loss(self) -> Fraction:
        """Returns an upper bound of all losses, 0 at least."""
        return Fraction(max([0, *((p - q).hi for p, q in self.logs)]), 1 << self.bits)


def _order(document: dict[str, Any]) -> Fraction:
    order = number(document.get("alpha"), "alpha", 1000)
    if not 1 <= order <= 10**9 or order.denominator.bit_length() > 400:
        raise Malformed("alpha is not at least 1, or too large")
    return order


def _bound(document: dict[str, Any], name: str) -> Fraction:
    value = number(document.get(name), name, 1000)
    if value < 0:
        raise Malformed(f"{name} is negative")
    return value


class Renyi(Notion):
    """D_alpha <= epsilon."""

    place = ("alpha",)

    def read(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        """Reads alpha, which is the same in both, and epsilon."""
        only(guarantee, ("kind", "text", "alpha", "epsilon"), "the guarantee")
        self.order, self.claimed = _order(guarantee), _bound(guarantee, "epsilon")
        if _order(witness) != self.order:
            raise Malformed("the witness has another alpha than the guarantee")

    def reached(self, rows: Rows, bound: Fraction, bits: int) -> int:
        """Returns the sign of D_alpha - bound."""
        return (
            0
            if same(rows, bits) and not bound
            else _sign(Moments(rows, bits, self.spend).divergence(self.order), bound)
        )

    def exceeded(self, rows: Rows, bound: Fraction, bits: int) -> bool:
        """Returns whether D_alpha > bound."""
        return is_infinite(rows) or self.reached(rows, bound, bits) > 0


class Zcdp(Notion):
    """D_a <= rho a for all a > 1."""

    place = ("alpha",)

    def read(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        """Reads rho, and the order at which the witness reaches it; 1 is the limit."""
        only(guarantee, ("kind", "text", "rho"), "the guarantee")
        self.claimed, self.order = _bound(guarantee, "rho"), _order(witness)

    def reached(self, rows: Rows, bound: Fraction, bits: int) -> int:
        """Returns the sign of D_a / a - bound at the witness's order."""
        if same(rows, bits) and not bound:
            return 0
        return _sign(Moments(rows, bits, self.spend).divergence(self.order), bound * self.order)

    def exceeded(self, rows: Rows, bound: Fraction, bits: int) -> bool:
        """Returns whether D_a > bound a for some a > 1.

        K is convex: on [a, b] it lies below its chord, which is compared with bound t (t - 1). On [1, b], D_t <= D_b.
        Beyond A = (largest loss) / bound, D_t <= largest loss <= bound t.
        """
        if is_infinite(rows):
            return True
        if same(rows, bits):
            return False
        pair = Moments(rows, bits, self.spend)
        if not bound:
            return pair.divergence(Fraction(2)).lo > 0 or _undecided()
        last = pair.largest_loss() / bound
        ends = [Fraction(1)]
        while ends[-1] < last:
            ends.append(ends[-1] * 2)
        return any(_somewhere_above(pair, a, b, bound, MAX_DEPTH) for a, b in pairwise(ends))


def _undecided() -> bool:
    raise Undecided


def _somewhere_above(pair: Moments, a: Fraction, b: Fraction, rho: Fraction, depth: int) -> bool:
    """Returns whether K(t) > rho t (t - 1) for some t in [a, b]."""
    if _below_on(pair, a, b, rho):
        return False
    middle = (a + b) / 2
    if (pair.cumulant(middle) - rational(rho * middle * (middle - 1), pair.bits)).lo > 0:
        return True
    if not depth:
        raise Undecided
    return any(_somewhere_above(pair, c, d, rho, depth - 1) for c, d in ((a, middle), (middle, b)))


def _below_on(pair: Moments, a: Fraction, b: Fraction, rho: Fraction) -> bool:
    """Returns True only if K(t) <= rho t (t - 1) on [a, b]: as D_t <= D_b, or as K lies below its chord k + s (t - a).

    The least value of the parabola rho t (t - 1) - k - s (t - a) is s a - k - (rho + s)^2 / (4 rho).
    """
    bits = pair.bits
    if (pair.divergence(b) - rational(rho * a, bits)).hi <= 0:
        return True
    if a == 1:
        return False
    left, right = pair.cumulant(a), pair.cumulant(b)
    slope = (right - left) / rational(b - a, bits)
    both = rational(rho, bits) + slope
    return (slope * rational(a, bits) - left - both * both / rational(4 * rho, bits)).lo >= 0


# ------------------------------------------------------------------ tests

Point = tuple[Interval, Interval]
"""alpha and beta."""


def powerful(rows: Rows, bits: int) -> list[Point]:
    """Returns the most powerful tests but the trivial ones, and points below the trade-off function between them.

    Outputs whose losses cannot be told apart are one step: from its left end the function falls at most as fast as
    the largest loss says, to its right end at least as fast as the smallest one says; both at the middle.
    """
    one, half = rational(1, bits), rational(Fraction(1, 2), bits)
    both = list(zip(*rows, strict=True))
    lost = total([p.value(bits) for p, q in both if q.log is None], bits)
    steps = _steps(both, bits)
    alpha, beta = Interval(0, 0, bits), one - lost
    found: list[Point] = [(alpha, beta)] if lost.hi > 0 else []
    for i, (loss, p, q, single) in enumerate(steps):
        if not single:
            steep, flat = (Interval(end, end, bits).exp() for end in (loss.hi, loss.lo))
            middle = alpha + q * half
            found += [(middle, beta - steep * q * half), (middle, beta - p + flat * q * half)]
        alpha, beta = alpha + q, beta - p
        if i < len(steps) - 1 or any(p.log is None and q.log is not None for p, q in both):
            found.append((alpha, beta))
    return found


def _steps(both: list[Any], bits: int) -> list[tuple[Interval, Interval, Interval, bool]]:
    """Returns loss, P, Q of groups of outputs by falling loss, and whether a group is a single output."""
    cells = [(p.log - q.log, p.value(bits), q.value(bits)) for p, q in both if p.log and q.log]
    cells.sort(key=lambda cell: -(cell[0].lo + cell[0].hi))
    steps: list[tuple[Interval, Interval, Interval, bool]] = []
    for loss, p, q in cells:
        if steps and loss.hi >= steps[-1][0].lo:
            last, a, b, _ = steps.pop()
            joint = Interval(min(last.lo, loss.lo), max(last.hi, loss.hi), bits)
            steps.append((joint, a + p, b + q, False))
        else:
            steps.append((loss, p, q, True))
    return steps


def rejected(rows: Rows, threshold: Fraction, bits: int) -> list[int]:
    """Returns the positions of the outputs whose loss exceeds the threshold."""
    both = enumerate(zip(*rows, strict=True))
    return [i for i, (p, q) in both if p.log and (q.log is None or compare(p, q, threshold, bits) > 0)]


def test_at(rows: Rows, threshold: Fraction, bits: int) -> Point:
    """Returns alpha and beta of the test that rejects where the loss exceeds the threshold."""
    chosen = rejected(rows, threshold, bits)
    power, alpha = (total([row[i].value(bits) for i in chosen], bits) for row in rows)
    return alpha, rational(1, bits) - power


class Gaussian(Notion):
    """beta >= Phi(Phi^-1(1 - alpha) - mu) for every test."""

    place = ("threshold",)

    def read(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        """Reads mu and the threshold of the test; without one it is trivial."""
        only(guarantee, ("kind", "text", "mu"), "the guarantee")
        self.claimed = _bound(guarantee, "mu")
        self.threshold = number(witness["threshold"], "threshold", 1000) if "threshold" in witness else None

    def reached(self, rows: Rows, bound: Fraction, bits: int) -> int:
        """Returns the sign of mu(test) - bound."""
        if self.threshold is None:
            return 0 if not bound else -1
        self.spend(40 * len(rows[0]))
        return above_gaussian(*test_at(rows, self.threshold, bits), bound)

    def exceeded(self, rows: Rows, bound: Fraction, bits: int) -> bool:
        """Returns whether some test lies below the Gaussian trade-off function."""
        if is_infinite(rows) or is_infinite(rows[::-1]):
            return True
        if same(rows, bits):
            return False
        points = powerful(rows, bits)
        self.spend(40 * len(points))
        return any(above_gaussian(alpha, beta, bound) > 0 for alpha, beta in points)


class TradeOff(Notion):
    """beta >= f(alpha) for every test; f is convex, so the most powerful tests decide."""

    place = ("threshold",)
    claimed = Fraction(0)

    def read(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        """Reads the points of f, which falls from (0, at most 1) to (1, 0) and is convex, and the threshold."""
        only(guarantee, ("kind", "text", "points"), "the guarantee")
        given = guarantee.get("points")
        if not isinstance(given, list) or not all(isinstance(p, list) and len(p) == 2 for p in given):
            raise Malformed("points is not a list of pairs")
        points = [(number(a, "alpha"), number(b, "beta")) for a, b in given]
        if len(points) < 2 or points[0][0] != 0 or points[-1] != (Fraction(1), Fraction(0)) or points[0][1] > 1:
            raise Malformed("f does not lead from (0, at most 1) to (1, 0)")
        if any(b[0] <= a[0] or b[1] > a[1] for a, b in pairwise(points)):
            raise Malformed("f does not fall")
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
        if any(right < left for left, right in pairwise(slopes)):
            raise Malformed("f is not convex")
        self.lines = [(slope, b - slope * a) for slope, (a, b) in zip(slopes, points, strict=False)]
        self.threshold = number(witness["threshold"], "threshold", 1000) if "threshold" in witness else None

    def _deficit(self, alpha: Interval, beta: Interval) -> Interval:
        bits = alpha.bits
        lines = [rational(slope, bits) * alpha + rational(height, bits) for slope, height in self.lines]
        return Interval(max(line.lo for line in lines), max(line.hi for line in lines), bits) - beta

    def _exact_deficit(self, alpha: Fraction, beta: Fraction) -> Fraction:
        return max(slope * alpha + height for slope, height in self.lines) - beta

    def reached(self, rows: Rows, bound: Fraction, bits: int) -> int:
        """Returns the sign of f(alpha) - beta - bound at the test; 0 for the trivial one."""
        if self.threshold is None:
            return (bound < 0) - (bound > 0)
        p, q = (_rationals(row) for row in rows)
        if p is None or q is None:
            return _sign(self._deficit(*test_at(rows, self.threshold, bits)), bound)
        chosen = rejected(rows, self.threshold, bits)
        exact = self._exact_deficit(
            sum((q[i] for i in chosen), Fraction(0)), 1 - sum((p[i] for i in chosen), Fraction(0))
        )
        return (exact > bound) - (exact < bound)

    def exceeded(self, rows: Rows, bound: Fraction, bits: int) -> bool:
        """Returns whether f(alpha) - beta > bound for some test; rational probabilities are compared exactly."""
        exact = [_rationals(row) for row in rows]
        if exact[0] is not None and exact[1] is not None:
            return any(self._exact_deficit(*test) > bound for test in _exact_tests(exact[0], exact[1]))
        self.spend(len(rows[0]))
        return any(_sign(self._deficit(alpha, beta), bound) > 0 for alpha, beta in powerful(rows, bits))


def _rationals(row: list[Probability]) -> list[Fraction] | None:
    """Returns the probabilities if all are plainly rational, else None."""
    zero = Fraction(0)
    plain = [p.exact[0].get(zero, zero) for p in row if p.exact and p.exact[1] == ONE and set(p.exact[0]) <= {zero}]
    return plain if len(plain) == len(row) else None


def _exact_tests(p: list[Fraction], q: list[Fraction]) -> list[tuple[Fraction, Fraction]]:
    """Returns alpha and beta of the most powerful tests, the trivial ones left out."""
    cells = sorted(((b / (a + b), a, b) for a, b in zip(p, q, strict=True) if a or b), key=lambda cell: cell[0])
    alpha, beta, found = Fraction(0), Fraction(1), []
    for _, members in groupby(cells, key=lambda cell: cell[0]):
        for _, a, b in members:
            alpha, beta = alpha + b, beta - a
        found.append((alpha, beta))
    return found[:-1]


NOTIONS: dict[str, tuple[str, type[Notion]]] = {
    "renyi": ("renyi", Renyi),
    "zcdp_rho": ("zcdp", Zcdp),
    "gdp_mu": ("gaussian", Gaussian),
    "trade-off": ("trade-off", TradeOff),
}
"""quantity -> the kind of its guarantee, and the notion."""
