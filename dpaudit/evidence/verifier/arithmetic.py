"""Intervals that contain the true value: sums, products, quotients, roots, exponentials and logarithms.

When an operation here returns, its interval contains the exact result for all members of its operands. An interval is
three whole numbers: all reals from lo 2^e to hi 2^e. Exponents are handled in two functions only: ``enclose`` rounds
an interval outward, ``Interval.units`` says how many units of 2^e the ends are. Everything else is whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from math import isqrt, log

MAX_SIZE = 4000
"""exp takes arguments below 2^MAX_SIZE; no exponent of an interval has more bits than this."""


class Undecided(Exception):
    """The intervals are too wide to decide."""


class Malformed(Exception):
    """The certificate does not have the right form."""


class Interval:
    """All numbers from lo 2^e to hi 2^e; ``bits`` is the precision to which results are rounded outward."""

    __slots__ = ("bits", "e", "hi", "lo")

    def __init__(self, lo: int, hi: int, e: int, bits: int) -> None:
        self.lo, self.hi, self.e, self.bits = lo, hi, e, bits

    def units(self, e: int) -> tuple[int, int]:
        """The ends in units of 2^e, the lower one rounded down, the upper one up."""
        by = self.e - e
        return (self.lo << by, self.hi << by) if by >= 0 else (self.lo >> -by, -(-self.hi >> -by))

    def _like(self, other: Interval | Fraction | int) -> Interval:
        return other if isinstance(other, Interval) else rational(other, self.bits)

    def __add__(self, other: Interval | Fraction | int) -> Interval:
        other = self._like(other)
        e = common(self, other)
        (a, b), (c, d) = self.units(e), other.units(e)
        return enclose(a + c, b + d, e, self.bits)

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo, self.e, self.bits)

    def __sub__(self, other: Interval | Fraction | int) -> Interval:
        return self + -self._like(other)

    def __rsub__(self, other: Fraction | int) -> Interval:
        return -self + other

    def __mul__(self, other: Interval | Fraction | int) -> Interval:
        """x y is monotone in x and in y: the extremes lie at ends."""
        other = self._like(other)
        e = self.e + other.e
        if self.lo >= 0 and other.lo >= 0:
            return enclose(self.lo * other.lo, self.hi * other.hi, e, self.bits)
        ends = self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi
        return enclose(min(ends), max(ends), e, self.bits)

    def __truediv__(self, other: Interval | Fraction | int) -> Interval:
        """x / y is monotone in both where y keeps its sign; floor and ceiling of the quotients of whole numbers."""
        other = self._like(other)
        if other.lo <= 0 <= other.hi:
            raise Undecided
        more = self.bits + max(other.lo.bit_length(), other.hi.bit_length())
        a, b = self.lo << more, self.hi << more
        ends = ((a, other.lo), (a, other.hi), (b, other.lo), (b, other.hi))
        if self.lo >= 0 and other.lo > 0:
            ends = ((a, other.hi), (a, other.hi), (b, other.lo), (b, other.lo))
        return enclose(
            min(n // d for n, d in ends), max(-(-n // d) for n, d in ends), self.e - other.e - more, self.bits
        )

    __radd__, __rmul__ = __add__, __mul__

    def __rtruediv__(self, other: Fraction | int) -> Interval:
        return rational(other, self.bits) / self

    def sqrt(self) -> Interval:
        """In units of 4^f: the root of a whole number is between its floor and its ceiling, in units of 2^f."""
        if self.lo < 0:
            raise Malformed("sqrt of a negative number") if self.hi < 0 else Undecided
        f = (self.e + self.hi.bit_length()) // 2 - self.bits
        low, high = self.units(2 * f)
        root = isqrt(high)
        return enclose(isqrt(low), root + (root * root < high), f, self.bits)

    def exp(self) -> Interval:
        """e^x rises: a wide interval is bounded by its two ends."""
        wide = (self.hi - self.lo).bit_length() + self.e > 0
        return hull(*map(_exp, self.both_ends())) if wide else _exp(self)

    def log(self) -> Interval:
        """The logarithm rises: from the lower bound at lo to the upper bound at hi."""
        self.positive()
        return hull(_log(self.lo, self.e, self.bits), _log(self.hi, self.e, self.bits))

    def both_ends(self) -> tuple[Interval, Interval]:
        """The two ends, each an interval of one number."""
        return Interval(self.lo, self.lo, self.e, self.bits), Interval(self.hi, self.hi, self.e, self.bits)

    def positive(self) -> Interval:
        """The interval itself, which must lie above 0."""
        if self.lo <= 0:
            raise Malformed("log of a number that is not positive") if self.hi <= 0 else Undecided
        return self

    def __le__(self, other: Interval | Fraction | int) -> bool:
        """True only if every member is at most every member of the other."""
        return (self - other).hi <= 0

    def sign(self) -> int | None:
        """-1, 0 or 1, or None if the interval does not determine it."""
        return (self.lo > 0) - (self.hi < 0) or (None if self.lo or self.hi else 0)

    def within(self, other: Interval) -> bool:
        """True only if every member of this interval is a member of the other."""
        if not self.lo and not self.hi:
            return other.lo <= 0 <= other.hi
        e = min(self.e, other.e)
        if max(self.e, other.e) - e > 1 << 20:
            raise Undecided
        (a, b), (c, d) = self.units(e), other.units(e)
        return c <= a and b <= d

    def positive_part(self) -> Interval:
        """max(0, x)."""
        return Interval(max(self.lo, 0), max(self.hi, 0), self.e, self.bits)

    def ends(self) -> tuple[Fraction, Fraction]:
        """Both ends, exactly."""
        if abs(self.e) > 1 << 20:
            raise Undecided
        up, down = max(self.e, 0), 1 << max(-self.e, 0)
        return Fraction(self.lo << up, down), Fraction(self.hi << up, down)

    def at(self, bits: int) -> Interval:
        """An interval that contains this one, with another precision."""
        return enclose(self.lo, self.hi, self.e, bits)

    def size(self) -> int:
        """Every member is at most 2^size in absolute value."""
        return max(self.lo.bit_length(), self.hi.bit_length()) + self.e


def enclose(lo: int, hi: int, e: int, bits: int) -> Interval:
    """The numbers from lo 2^e to hi 2^e, rounded outward to ``bits`` bits of the larger end."""
    extra = max(lo.bit_length(), hi.bit_length()) - bits
    if extra > 0:
        lo, hi, e = lo >> extra, -(-hi >> extra), e + extra
    if e.bit_length() > 2 * MAX_SIZE:
        raise Malformed("a number is too large")
    return Interval(lo, hi, e if lo or hi else 0, bits)


def common(*values: Interval) -> int:
    """The exponent for adding and comparing: the smallest one, unless it is far below what the largest resolves."""
    known = [v for v in values if v.lo or v.hi]
    if not known:
        return 0
    return max(min(v.e for v in known), max(v.size() - 2 * v.bits for v in known))


def rational(value: Fraction | int, bits: int) -> Interval:
    """The quotient rounded down and rounded up."""
    top, bottom = value.numerator, value.denominator
    if bottom == 1:
        return enclose(top, top, 0, bits)
    more = max(0, bits + bottom.bit_length() - top.bit_length() + 1)
    return enclose((top << more) // bottom, -((-top << more) // bottom), -more, bits)


def hull(a: Interval, b: Interval) -> Interval:
    """The interval from the smaller lower end to the larger upper end."""
    e = common(a, b)
    (p, q), (r, s) = a.units(e), b.units(e)
    return enclose(min(p, r), max(q, s), e, a.bits)


def larger(a: Interval, b: Interval) -> Interval:
    """The maximum lies between the larger lower and the larger upper end."""
    e = common(a, b)
    (p, q), (r, s) = a.units(e), b.units(e)
    return enclose(max(p, r), max(q, s), e, a.bits)


def total(values: Iterable[Interval], bits: int) -> Interval:
    """The sum."""
    return sum(values, start=Interval(0, 0, 0, bits))


# ------------------------------------------------------------------ functions: a bound for any number of terms or guess


@lru_cache(maxsize=64)
def ln2(w: int) -> Interval:
    """ln 2, about 2^-w wide."""
    return series_of_ln2(w + w.bit_length() + 4, w + 4)


def series_of_ln2(w: int, terms: int) -> Interval:
    """ln 2 = sum 1/(n 2^n): floors and ceilings of 2^w times each; the rest is less than 2 / (N 2^N), N = terms + 1."""
    low = sum((1 << w) // (n << n) for n in range(1, terms + 1))
    high = sum(-(-(1 << w) // (n << n)) for n in range(1, terms + 1)) - (-(2 << w) // ((terms + 1) << (terms + 1)))
    return Interval(low, high, -w, w)


def _exp(x: Interval) -> Interval:
    """e^x = 2^k e^r, r = x - k ln 2, for any whole k: here one with 1/2 < r < 5/2 where x is at most 1 wide."""
    size = max(0, x.size())
    if not x.lo and not x.hi:
        return rational(1, x.bits)
    if size > MAX_SIZE:
        raise Malformed("exp of a number that is too large")
    w = x.bits + isqrt(x.bits) + 16
    log2 = ln2(w + size)
    k = (x.units(-w)[0] << size) // log2.units(-w - size)[0] - 1
    found = exp_by_squares(x.at(w + size) - log2 * k, w, isqrt(w) // 2 + 2, w // (isqrt(w) // 2 + 3) + 1)
    return enclose(found.lo, found.hi, found.e + k, x.bits)


def exp_by_squares(r: Interval, w: int, h: int, terms: int) -> Interval:
    """e^r = (e^t)^(2^h), t = r / 2^h from 0 to 1, in whole numbers of 2^-w, lower ends by floor and upper by ceiling.

    e^t = 1 + t (1 + t/2 (1 + t/3 (... (1 + t/N F)))), F = 1 + t/(N+1) + t^2/((N+1)(N+2)) + ... from 1 to e < 3.
    """
    a, b = r.units(h - w)
    one, low, high = 1 << w, 1 << w, 3 << w
    if not 0 <= a <= b <= one:
        raise Undecided
    for n in range(terms, 0, -1):
        low, high = one + (low * a >> w) // n, one - (-high * b >> w) // n
    for _ in range(h):
        low, high = low * low >> w, -(-high * high >> w)
    return Interval(low, high, -w, w)


@lru_cache(maxsize=1 << 10)
def _log(m: int, e: int, bits: int) -> Interval:
    """ln x of x = m 2^e = y 2^k, 2/3 < y < 3/2, as ln y + k ln 2, from a guess of ln y.

    Every turn doubles the digits of the guess. Near 1 there are as many bits more as y - 1 has zeros.
    """
    s = m.bit_length() - (3 * m < 1 << (m.bit_length() + 1))
    k, off, near = e + s, abs(m - (1 << s)), rational(0, bits)
    if off:
        widths = [bits + 32 + s - off.bit_length()]
        while widths[-1] > 48:
            widths.append(widths[-1] // 2 + 8)
        guess = Fraction(log(Fraction(m, 1 << s)))
        for w in reversed(widths):
            near = log_near(Interval(m, m, -s, w), rational(guess, w).both_ends()[0])
            guess = near.ends()[0]
    return (near.at(bits + 16) + ln2(bits + 16) * k).at(bits)


def log_near(y: Interval, guess: Interval) -> Interval:
    """ln y = g + ln(1 + t), 1 + t = y e^-g, for any g; and t - t^2 <= ln(1 + t) <= t for |t| <= 1/2."""
    t = y * (-guess).exp() - 1
    if t.size() > -1:
        raise Undecided
    return guess + t - hull(rational(0, t.bits), t * t)
