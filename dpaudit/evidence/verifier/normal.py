"""The normal distribution function in intervals, and the Gaussian trade-off function by it alone."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from statistics import NormalDist

from dpaudit.evidence.verifier.interval import GUARD, Interval, Undecided, pi, rational


def normal(z: Fraction, bits: int) -> Interval:
    """Returns Phi(z) = 1/2 + phi(z) (z + z^3/3 + z^5/(3 5) + ...) for z >= 0, and 1 - Phi(-z) for z < 0.

    The terms fall by at least a half from 2n + 3 > 2 z^2 on: what is left out is at most the last one taken.
    """
    if z < 0:
        return rational(1, bits) - normal(-z, bits)
    if z * z > 2 * bits:  # 1 - Phi(z) < e^(-z^2/2) < 2^-bits
        return Interval((1 << bits) - 1, 1 << bits, bits)
    wide = bits + GUARD + ceil(z * z)
    x = rational(z, wide)
    square, term, found, n = x * x, x, x, 0
    while term.hi > 1 or 2 * n + 3 <= 2 * z * z:
        n += 1
        term = term * square
        term = Interval(term.lo // (2 * n + 1), -(-term.hi // (2 * n + 1)), wide)
        found = found + term
    found = Interval(found.lo, found.hi + term.hi + 1, wide)
    value = rational(Fraction(1, 2), wide) + density(square, wide) * found
    shift = wide - bits
    return Interval(value.lo >> shift, -(-value.hi >> shift), bits)


def density(square: Interval, bits: int) -> Interval:
    """Returns e^(-z^2/2) / sqrt(2 pi) for z^2 in the interval."""
    half = rational(Fraction(1, 2), bits)
    return (-(square * half)).exp() / (rational(2, bits) * pi(bits)).sqrt()


def _middle(value: Interval) -> Fraction:
    return Fraction(value.lo + value.hi, 2 << value.bits)


def _guess(alpha: Fraction) -> Fraction:
    """Returns about the z with 1 - Phi(z) = alpha; it is checked later on."""
    smaller = float(min(alpha, 1 - alpha))
    if not 0 < smaller < 1:
        raise Undecided
    z = Fraction(NormalDist().inv_cdf(smaller))
    return -z if alpha < Fraction(1, 2) else z


def _improved(z: Fraction, alpha: Fraction, bits: int) -> Fraction:
    """Returns z after Newton steps that double its digits up to the bits; it is checked later on."""
    digits = 40
    while digits < bits:
        error = _middle(normal(z, bits)) - (1 - alpha)
        slope = _middle(density(rational(z * z, bits), bits))
        if not slope:
            raise Undecided
        z = Fraction(round((z - error / slope) * (1 << bits)), 1 << bits)
        digits *= 2
    return z


def above_gaussian(alpha: Interval, beta: Interval, mu: Fraction) -> int:
    """Returns -1 if certainly beta >= Phi(Phi^-1(1 - alpha) - mu), 1 if certainly less: the sign of mu(test) - mu.

    By a rational z on either side of Phi^-1(1 - alpha): Phi(z) >= 1 - alpha and Phi(z - mu) <= beta prove the first.
    """
    bits = alpha.bits
    level, rest = _middle(alpha), rational(1, bits) - alpha
    guess = _guess(level)
    lost = 24 + ceil(guess * guess)
    for z, slack in ((guess, Fraction(1, 1 << 30)), (None, Fraction(1 << lost, 1 << bits))):
        centre = _improved(guess, level, bits) if z is None else z
        low, high = centre - slack, centre + slack
        if normal(high, bits).lo >= rest.hi and normal(high - mu, bits).hi <= beta.lo:
            return -1
        if normal(low, bits).hi <= rest.lo and normal(low - mu, bits).lo > beta.hi:
            return 1
    raise Undecided
