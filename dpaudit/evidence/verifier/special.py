"""Maxima, pi, ln Gamma, and the normal distribution function, in intervals.

When a function here returns, its interval contains the true value for all members of the argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache, reduce
from math import ceil

from .arithmetic import MAX_SIZE, Interval, Malformed, enclose, hull, larger, rational
from .exact import exp_of


def largest(values: Iterable[Interval]) -> Interval:
    """The maximum."""
    return reduce(larger, values)


def smallest(values: Iterable[Interval]) -> Interval:
    """The minimum."""
    return -largest(-v for v in values)


@lru_cache(maxsize=64)
def pi(bits: int) -> Interval:
    """Machin: pi = 16 arctan(1/5) - 4 arctan(1/239); a term rounded down loses less than 2, the rest is below 1."""
    w = bits + bits.bit_length() + 16
    low = high = 0
    for factor, m in ((16, 5), (-4, 239)):
        power, n, found = (1 << w) // m, 1, 0
        while power:
            found += power // n if n % 4 == 1 else -(power // n)
            power, n = power // (m * m), n + 2
        reach = abs(factor) * (n + 2)
        low, high = low + factor * found - reach, high + factor * found + reach
    return enclose(low, high, -w, bits)


@lru_cache(maxsize=8)
def _tangents(n: int) -> list[int]:
    """The tangent numbers T_0..T_n (Knuth, Buckholtz): |B_2j| = 2j T_j / (4^j (4^j - 1))."""
    t = [0, 1] + [0] * n
    for k in range(2, n + 1):
        t[k] = (k - 1) * t[k - 1]
    for k in range(2, n + 1):
        for j in range(k, n + 1):
            t[j] = (j - k) * t[j - 1] + (j - k + 2) * t[j]
    return t


def log_gamma(x: Interval, bits: int) -> Interval:
    """ln Gamma(x), x > 0; computed once for each argument."""
    size = max(0, x.positive().size())
    if size > MAX_SIZE:
        raise Malformed("log_gamma of a number that is too large")
    wide = bits + 64 + 2 * size
    return _log_gamma(x.lo, x.hi, x.e, wide).at(bits)


@lru_cache(maxsize=1 << 10)
def _log_gamma(lo: int, hi: int, e: int, bits: int) -> Interval:
    """Stirling's series at z = x + N, minus ln x (x+1) ... (x+N-1).

    For real z > 0 its error is at most the first term left out, which is added on both sides.
    """
    z, steps, count = Interval(lo, hi, e, bits), rational(1, bits), bits // 10 + 4
    while not rational(bits // 2, bits) <= z:
        steps, z = steps * z, z + 1
    found = (z - Fraction(1, 2)) * z.log() - z + (2 * pi(bits)).log() / 2 - steps.log()
    power = 1 / z
    square, term = power * power, power
    for j, t in enumerate(_tangents(count + 1)[1 : count + 2], start=1):
        term = t * power / ((2 * j - 1) * ((1 << (4 * j)) - (1 << (2 * j))))
        if j > count or term.size() < -bits:
            break
        found, power = (found + term if j % 2 else found - term), power * square
    return found + hull(-term, term)


def normal(z: Fraction, bits: int) -> Interval:
    """Phi(z) = 1/2 + phi(z) S, S = z + z^3/3 + z^5/(3 5) + ...; for z < 0 it is 1/2 - phi(z) S(-z).

    From 2n + 3 > 2 z^2 on the terms fall by at least a half: the remainder is at most the last term. z^2 additional
    bits compensate for the difference of nearly equal numbers. For large |z|: 0 < Phi(-|z|) < e^(-z^2/2).
    """
    square = z * z
    if square > 15 * bits:
        tail = hull(rational(0, bits), exp_of(-square / 2, bits))
        return tail if z < 0 else 1 - tail
    wide, n = bits + 32 + 2 * ceil(square), 0
    term, ratio = rational(abs(z), wide), rational(square, wide)
    found = term
    while term.hi and (term.size() > -wide or 2 * n + 3 <= 2 * square):
        n += 1
        term = term * ratio / (2 * n + 1)
        found = found + term
    part = exp_of(-square / 2, wide) / (2 * pi(wide)).sqrt() * (found + hull(rational(0, wide), term))
    return (part + Fraction(1, 2) if z >= 0 else Fraction(1, 2) - part).at(bits)
