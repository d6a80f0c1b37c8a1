"""Renyi divergence and zCDP, re-derived."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpaudit.evidence.verifier.interval import Interval, Undecided, rational, total
from dpaudit.evidence.verifier.notions import Notion, Rows, is_infinite, read_bound, same, sign_against
from dpaudit.evidence.verifier.reading import only
from dpaudit.evidence.verifier.tables import Malformed, number

MAX_DEPTH = 60
"""An interval of orders is halved this often at most."""


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


class Renyi(Notion):
    """D_alpha <= epsilon."""

    place = ("alpha",)

    def read(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        """Reads alpha, which is the same in both, and epsilon."""
        only(guarantee, ("kind", "text", "alpha", "epsilon"), "the guarantee")
        self.order, self.claimed = _order(guarantee), read_bound(guarantee, "epsilon")
        if _order(witness) != self.order:
            raise Malformed("the witness has another alpha than the guarantee")

    def reached(self, rows: Rows, bound: Fraction, bits: int) -> int:
        """Returns the sign of D_alpha - bound."""
        return (
            0
            if same(rows, bits) and not bound
            else sign_against(Moments(rows, bits, self.spend).divergence(self.order), bound)
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
        self.claimed, self.order = read_bound(guarantee, "rho"), _order(witness)

    def reached(self, rows: Rows, bound: Fraction, bits: int) -> int:
        """Returns the sign of D_a / a - bound at the witness's order."""
        if same(rows, bits) and not bound:
            return 0
        return sign_against(Moments(rows, bits, self.spend).divergence(self.order), bound * self.order)

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
