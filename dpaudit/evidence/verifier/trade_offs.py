"""Gaussian and general trade-off functions, re-derived by the most powerful tests."""

from __future__ import annotations

from fractions import Fraction
from itertools import groupby, pairwise
from typing import Any

from dpaudit.evidence.verifier.interval import Interval, rational, total
from dpaudit.evidence.verifier.laws import ONE, Probability, compare
from dpaudit.evidence.verifier.normal import above_gaussian
from dpaudit.evidence.verifier.notions import Notion, Rows, is_infinite, read_bound, same, sign_against
from dpaudit.evidence.verifier.reading import only
from dpaudit.evidence.verifier.tables import Malformed, number

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
        self.claimed = read_bound(guarantee, "mu")
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
            return sign_against(self._deficit(*test_at(rows, self.threshold, bits)), bound)
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
        return any(sign_against(self._deficit(alpha, beta), bound) > 0 for alpha, beta in powerful(rows, bits))


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
