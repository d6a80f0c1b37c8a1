"""Interval arithmetic on whole numbers: [lo, hi] / 2^bits, every operation rounded outward. Standard library alone.

The functions of a point work with GUARD more bits and count their rounding errors in units of the last place.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import isqrt

GUARD = 64
MAX_EXPONENT = 1 << 24
"""exp refuses arguments above this; below minus this it is between 0 and the last place."""


class Undecided(Exception):
    """The intervals are too wide at this precision."""


class Interval:
    """The numbers between lo / 2^bits and hi / 2^bits."""

    __slots__ = ("bits", "hi", "lo")

    def __init__(self, lo: int, hi: int, bits: int) -> None:
        self.lo, self.hi, self.bits = lo, hi, bits

    def __add__(self, other: Interval) -> Interval:
        return Interval(self.lo + other.lo, self.hi + other.hi, self.bits)

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo, self.bits)

    def __sub__(self, other: Interval) -> Interval:
        return Interval(self.lo - other.hi, self.hi - other.lo, self.bits)

    def __mul__(self, other: Interval) -> Interval:
        ends = (self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi)
        return Interval(min(ends) >> self.bits, -(-max(ends) >> self.bits), self.bits)

    def __truediv__(self, other: Interval) -> Interval:
        if other.lo <= 0 <= other.hi:
            raise Undecided
        ends = [(a << self.bits, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(a // b for a, b in ends), max(-(-a // b) for a, b in ends), self.bits)

    def sqrt(self) -> Interval:
        """Returns the square root; what lies below 0 is cut off."""
        return Interval(isqrt(max(self.lo, 0) << self.bits), isqrt(max(self.hi, 0) << self.bits) + 1, self.bits)

    def exp(self) -> Interval:
        """Returns e^x."""
        return Interval(_exp(self.lo, self.bits)[0], _exp(self.hi, self.bits)[1], self.bits)

    def log(self) -> Interval:
        """Returns ln x for x > 0."""
        if self.lo <= 0:
            raise Undecided
        return Interval(_log(self.lo, self.bits)[0], _log(self.hi, self.bits)[1], self.bits)

    def positive_part(self) -> Interval:
        """Returns max(0, x)."""
        return Interval(max(self.lo, 0), max(self.hi, 0), self.bits)

    def sign(self) -> int | None:
        """Returns -1, 0 or 1, or None if the interval does not tell."""
        if self.lo > 0 or self.hi < 0:
            return 1 if self.lo > 0 else -1
        return 0 if self.lo == self.hi == 0 else None


def rational(value: Fraction | int, bits: int) -> Interval:
    """Returns the narrowest interval around a rational number."""
    top, bottom = value.numerator << bits, value.denominator
    return Interval(top // bottom, -(-top // bottom), bits)


def hull(a: Interval, b: Interval) -> Interval:
    """Returns the interval that spans both."""
    return Interval(min(a.lo, b.lo), max(a.hi, b.hi), a.bits)


def largest(values: list[Interval]) -> Interval:
    """Returns an interval around the maximum."""
    return Interval(max(v.lo for v in values), max(v.hi for v in values), values[0].bits)


def total(values: list[Interval], bits: int) -> Interval:
    """Returns the sum."""
    return Interval(sum(v.lo for v in values), sum(v.hi for v in values), bits)


def _down(lo: int, hi: int, guard: int = GUARD) -> tuple[int, int]:
    """Drops the guard bits, outward."""
    return lo >> guard, -(-hi >> guard)


def _exp(x: int, bits: int) -> tuple[int, int]:
    """Bounds of e^(x / 2^bits): x = k ln 2 + r, then the Taylor series of r / 2^10, squared ten times."""
    if abs(x) >> bits > MAX_EXPONENT:
        if x < 0:
            return 0, 1
        raise Undecided
    wide = bits + GUARD + max(x.bit_length() - bits, 0)
    x <<= wide - bits
    k = x // _log2(wide)[0]
    if k < -bits - 2:
        return 0, 1
    ends = [x - k * log2 for log2 in _log2(wide)]
    r, error = min(ends) >> 10, (max(ends) - min(ends) >> 10) + 2
    term = power = 1 << wide
    n = 0
    while abs(term) > 1:
        n += 1
        term = (term * r >> wide) // n
        power += term
    slack = 4 * n + 2 * error + 8
    square = Interval(power - slack, power + slack, wide)
    for _ in range(10):
        square = square * square
    shift = wide - bits - k
    if shift <= 0:
        return square.lo << -shift, square.hi << -shift
    return square.lo >> shift, -(-square.hi >> shift)


def _log(x: int, bits: int) -> tuple[int, int]:
    """Bounds of ln(x / 2^bits), x > 0: x = m 2^e with m in [1, 2), ln m = 2 artanh((m - 1) / (m + 1))."""
    e = x.bit_length() - 1 - bits
    wide = bits + GUARD + max(e, 0)
    one = 1 << wide
    m = x << (wide - bits - e)
    series, slack = _artanh(((m - one) << wide) // (m + one), wide)
    low, high = _log2(wide)
    ends = (e * low, e * high)
    return _down(min(ends) + 2 * series - 2 * slack - 4, max(ends) + 2 * series + 2 * slack + 4, wide - bits)


def _artanh(z: int, bits: int) -> tuple[int, int]:
    """Returns artanh(z / 2^bits), |z| / 2^bits <= 1/3, and a bound of the error in units of the last place."""
    square, power, n, found = z * z >> bits, z, 1, z
    while power:
        power = power * square >> bits
        n += 2
        found += power // n
    return found, 2 * n + 8


@cache
def _log2(bits: int) -> tuple[int, int]:
    """Bounds of ln 2 = 2 artanh(1/3)."""
    value, slack = _artanh((1 << bits) // 3, bits)
    return 2 * value - 2 * slack, 2 * value + 2 * slack


@cache
def pi(bits: int) -> Interval:
    """Returns pi = 16 arctan(1/5) - 4 arctan(1/239)  (Machin)."""
    wide = bits + GUARD

    def arctan(m: int) -> tuple[int, int]:
        power, n, found = (1 << wide) // m, 1, (1 << wide) // m
        while power:
            power //= -m * m
            n += 2
            found += power // n
        return found, 2 * n + 8

    (a, slack_a), (b, slack_b) = arctan(5), arctan(239)
    value, slack = 16 * a - 4 * b, 16 * slack_a + 4 * slack_b
    return Interval(*_down(value - slack, value + slack), bits)


@cache
def _bernoulli(n: int) -> Fraction:
    """Returns B_n by the recurrence sum over j <= n of C(n+1, j) B_j = 0."""
    if n == 0:
        return Fraction(1)
    if n > 1 and n % 2:
        return Fraction(0)
    found, binomial = Fraction(0), 1
    for j in range(n):
        found += binomial * _bernoulli(j)
        binomial = binomial * (n + 1 - j) // (j + 1)
    return -found / (n + 1)


@cache
def log_gamma(x: Fraction, bits: int) -> Interval:
    """Returns ln Gamma(x), x > 0: Stirling's series at z = x + N; its error is at most the first term left out."""
    wide = bits + GUARD
    shift = max(0, wide // 8 + 8 - int(x))
    product = Fraction(1)
    for i in range(shift):
        product *= x + i
    z = x + shift
    log_z = rational(z, wide).log()
    found = (rational(z - Fraction(1, 2), wide) * log_z) - rational(z, wide)
    found = found + (rational(2, wide) * pi(wide)).log() * rational(Fraction(1, 2), wide) - log_rational(product, wide)
    j = 1
    while True:
        term = rational(_bernoulli(2 * j) / (2 * j * (2 * j - 1)) / z ** (2 * j - 1), wide)
        if max(abs(term.lo), abs(term.hi)) <= 2 or j > wide:
            break
        found, j = found + term, j + 1
    edge = max(abs(term.lo), abs(term.hi))
    return Interval(*_down(found.lo - edge, found.hi + edge), bits)


def log_rational(value: Fraction, bits: int) -> Interval:
    """Returns ln of a positive rational that may be huge or tiny: a power of two is taken out first."""
    e, wide = value.numerator.bit_length() - value.denominator.bit_length(), bits + GUARD
    low, high = _log2(wide)
    rest = rational(value / Fraction(2) ** e, wide).log()
    return Interval(*_down(min(e * low, e * high) + rest.lo, max(e * low, e * high) + rest.hi), bits)
