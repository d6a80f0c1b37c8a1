"""The verifier of certificates: one file, standard library only, nothing of the engine.

    python verify.py certificate.json           the lower bound, from the witness alone
    python verify.py certificate.json --full    and the upper bound: every pair, every output

Exit code 0: ACCEPTED, with a sentence that says what; 1: REJECTED, with the first thing that fails; 2: no such file.
Read in this order: intervals, functions, sums of exponentials, entries, laws, notions, parts, limits. A certificate is
data: nothing in it is run. Beside each function stands why its interval contains the true value.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import re
import signal
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from itertools import accumulate, pairwise, product
from math import ceil, comb, isqrt
from operator import mul
from pathlib import Path
from statistics import NormalDist
from typing import Any

FORMAT = "dpaudit certificate"
WORK, SECONDS, MEMORY = 60_000_000, 60, 1024
"""The limits unless raised: steps of about a microsecond, seconds, MiB."""
MAX_BYTES = 32 << 20
MAX_SIZE = 4096
"""exp takes arguments below 2^MAX_SIZE; exponents of a number have at most 2 MAX_SIZE bits."""


class Undecided(Exception):
    """The intervals are too wide at this precision."""


class Rejected(Exception):
    """The certificate is not accepted; the text says what fails first."""


class Malformed(Rejected):
    """The certificate does not have the form that it should have."""


@dataclass
class Work:
    """The steps that are left for the whole file; they are asked for before anything is computed."""

    left: int

    def spend(self, steps: int, keep: bool = False) -> None:
        """Takes the steps off, unless they are only asked for; refuses if they are not left."""
        if steps > self.left:
            raise Rejected(f"too large to be checked: about {brief(steps)} steps, {self.left} are left (--work)")
        self.left -= 0 if keep else steps


def step(bits: int, other: int = 0) -> int:
    """Returns the price of an operation on numbers of so many bits: about a microsecond, and bits^2 bit operations."""
    return 2 + (bits * (other or bits) >> 20)


def function(bits: int) -> int:
    """Returns the price of exp, log or sqrt: about 2 sqrt(bits) multiplications."""
    return 20 + 2 * isqrt(bits) * (bits * bits >> 20)


def brief(value: object) -> str:
    """Returns the value as printable ASCII of about 80 characters at most; a giant whole number as a power of 2."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"2^{value.bit_length() - 1}"
    text = ascii(str(value))[1:-1]
    return text if len(text) <= 80 else text[:60] + f"... ({len(text)} characters)"


# ================================================================== intervals


class Interval:
    """All numbers from lo 2^e to hi 2^e, lo and hi whole.

    Every operation finds whole numbers around both ends of the exact result and hands them to ``rounded``, which
    alone rounds, outward: the result contains what the exact operation gives for any members of the operands.
    """

    __slots__ = ("bits", "e", "hi", "lo")

    def __init__(self, lo: int, hi: int, e: int, bits: int) -> None:
        self.lo, self.hi, self.e, self.bits = lo, hi, e, bits

    def __add__(self, other: Interval) -> Interval:
        a, b, c, d, e = _aligned(self, other)
        return rounded(a + c, b + d, e, self.bits)

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo, self.e, self.bits)

    def __sub__(self, other: Interval) -> Interval:
        a, b, c, d, e = _aligned(self, other)
        return rounded(a - d, b - c, e, self.bits)

    def __mul__(self, other: Interval) -> Interval:
        e = self.e + other.e
        if self.lo >= 0 and other.lo >= 0:
            return rounded(self.lo * other.lo, self.hi * other.hi, e, self.bits)
        ends = (self.lo * other.lo, self.lo * other.hi, self.hi * other.lo, self.hi * other.hi)
        return rounded(min(ends), max(ends), e, self.bits)

    def __truediv__(self, other: Interval) -> Interval:
        """The floor of the smallest and the ceiling of the largest quotient of ends, of at least ``bits`` bits."""
        if other.hi < 0:
            return (-self) / (-other)
        if other.lo <= 0:
            raise Undecided
        s = self.bits + other.hi.bit_length()
        lo = (self.lo << s) // (other.hi if self.lo >= 0 else other.lo)
        hi = -((-self.hi << s) // (other.lo if self.hi >= 0 else other.hi))
        return rounded(lo, hi, self.e - other.e - s, self.bits)

    def sqrt(self) -> Interval:
        """isqrt is the floor of the root of a whole number; isqrt(h - 1) + 1 is its ceiling."""
        if self.hi < 0:
            raise Malformed("sqrt of a negative number")
        if self.lo < 0:
            raise Undecided
        s = max(0, 2 * self.bits - self.hi.bit_length())
        s += (self.e - s) % 2
        hi = isqrt((self.hi << s) - 1) + 1 if self.hi else 0
        return rounded(isqrt(self.lo << s), hi, (self.e - s) // 2, self.bits)

    def exp(self) -> Interval:
        """e^x rises: from the lower bound at lo to the upper bound at hi."""
        low = _exp(self.lo, self.e, self.bits)
        return low if self.lo == self.hi else hull(low, _exp(self.hi, self.e, self.bits))

    def log(self) -> Interval:
        """The logarithm rises: from the lower bound at lo to the upper bound at hi."""
        if self.hi <= 0:
            raise Malformed("log of a number that is not positive")
        if self.lo <= 0:
            raise Undecided
        low = _log(self.lo, self.e, self.bits)
        return low if self.lo == self.hi else hull(low, _log(self.hi, self.e, self.bits))

    def sign(self) -> int | None:
        """Returns -1, 0 or 1, or None if the interval does not tell."""
        if self.lo > 0 or self.hi < 0:
            return 1 if self.lo > 0 else -1
        return 0 if self.lo == self.hi == 0 else None

    def positive_part(self) -> Interval:
        """Returns max(0, x)."""
        return Interval(max(self.lo, 0), max(self.hi, 0), self.e, self.bits)

    def ends(self) -> tuple[Fraction, Fraction]:
        """Returns both ends, exactly."""
        if abs(self.e) > 1 << 20:
            raise Undecided
        unit = Fraction(2) ** self.e
        return self.lo * unit, self.hi * unit

    def at(self, bits: int) -> Interval:
        """Returns an interval around this one with another precision."""
        return rounded(self.lo, self.hi, self.e, bits)


def rounded(lo: int, hi: int, e: int, bits: int) -> Interval:
    """The one rounding: lo down, hi up, to ``bits`` significant bits of the larger end."""
    extra = max(lo.bit_length(), hi.bit_length()) - bits
    return Interval(lo >> extra, -(-hi >> extra), e + extra, bits) if extra > 0 else Interval(lo, hi, e, bits)


def _aligned(a: Interval, b: Interval) -> tuple[int, int, int, int, int]:
    """Returns the ends of both with one exponent; what lies far below the other is rounded outward."""
    gap = a.e - b.e
    if gap < 0:
        c, d, low, high, e = _aligned(b, a)
        return low, high, c, d, e
    drop = gap - 2 * a.bits - 64
    if drop <= 0:
        return a.lo << gap, a.hi << gap, b.lo, b.hi, b.e
    if a.lo == a.hi == 0:
        return 0, 0, b.lo, b.hi, b.e
    keep = gap - drop
    drop = min(drop, max(b.lo.bit_length(), b.hi.bit_length()) + 1)
    return a.lo << keep, a.hi << keep, b.lo >> drop, -(-b.hi >> drop), a.e - keep


def rational(value: Fraction | int, bits: int) -> Interval:
    """The floor and the ceiling of value 2^s, where they have about ``bits`` bits; exact for dyadic numbers."""
    top, bottom = value.numerator, value.denominator
    if bottom == 1:
        return rounded(top, top, 0, bits)
    s = max(0, bits + 2 + bottom.bit_length() - top.bit_length())
    return rounded((top << s) // bottom, -((-top << s) // bottom), -s, bits)


def hull(a: Interval, b: Interval) -> Interval:
    """Returns the interval from the smaller lower end to the larger upper end."""
    p, q, r, s, e = _aligned(a, b)
    return rounded(min(p, r), max(q, s), e, a.bits)


def _larger(a: Interval, b: Interval) -> Interval:
    p, q, r, s, e = _aligned(a, b)
    return rounded(max(p, r), max(q, s), e, a.bits)


def largest(values: Iterable[Interval]) -> Interval:
    """The maximum lies between the largest lower and the largest upper end."""
    return reduce(_larger, values)


def total(values: Iterable[Interval], bits: int) -> Interval:
    """Returns the sum."""
    return sum(values, start=Interval(0, 0, 0, bits))


# ================================================================== functions


def _series(first: int, ratio: int, sign: int) -> tuple[int, int]:
    """Returns v and s with v <= first (1 + sign/(3 ratio) + 1/(5 ratio^2) + ...) + s, both within s of it.

    Each power is the floor of the one before over ratio >= 9: it is at most 9/8 below its exact value; the floor of
    power / n adds at most 1. So every term is off by less than 3, and the terms after the last are below 3.
    """
    power, n, found = first, 1, first
    while power:
        power //= ratio
        n += 2
        found += power // n if sign > 0 or n % 4 == 1 else -(power // n)
    return found, 3 * n + 6


_LN2 = [0, 0]


def _ln2(wide: int) -> int:
    """Returns l with l <= 2^wide ln 2 <= l + 2: ln 2 = 2 artanh(1/3), kept at the largest precision asked for so far.

    With 32 more bits the error of the series, which is below 2^20 units, stays below one unit of the result.
    """
    if wide > _LN2[1]:
        more = wide + wide // 4 + 64
        value, slack = _series((1 << (more + 32)) // 3, 9, 1)
        _LN2[:] = [(2 * value - 2 * slack) >> 32, more]
    return _LN2[0] >> (_LN2[1] - wide)


@lru_cache(maxsize=64)
def pi(bits: int) -> Interval:
    """Machin: pi = 16 arctan(1/5) - 4 arctan(1/239); the errors of both series are added."""
    wide = bits + 32
    (a, s), (b, t) = (_series((1 << wide) // m, m * m, -1) for m in (5, 239))
    slack = 16 * s + 4 * t + 20
    return rounded(16 * a - 4 * b - slack, 16 * a - 4 * b + slack, -wide, bits)


def _shifted(m: int, by: int) -> int:
    """Returns the floor of m 2^by."""
    return m << by if by >= 0 else m >> min(-by, m.bit_length() + 1)


def _exp(m: int, e: int, bits: int) -> Interval:
    """e^x of x = m 2^e: x = k ln 2 + r, 0 <= r < ln 2, the Taylor series of r / 2^h, squared h times, times 2^k.

    In units of 2^-wide: x is off by 1, k ln 2 by 2|k|, so r / 2^h by ((2|k| + 1) >> h) + 2. A term is the one before
    times t / n < 1/2 with two floors: all of them together are off by less than 4n, what is left out is below 16; and
    the derivative of exp there is below 2. The squares are rounded outward.
    """
    if m == 0:
        return Interval(1, 1, 0, bits)
    size = m.bit_length() + e
    if size > MAX_SIZE:
        if m > 0:
            raise Undecided
        return Interval(0, 1, -1 << (MAX_SIZE - 1), bits)
    h = isqrt(bits) + 1
    wide = bits + max(size, 0) + 2 * h + 32
    x, ln2 = _shifted(m, e + wide), _ln2(wide)
    k, r = divmod(x, ln2)
    t, found, term, n = r >> h, 1 << wide, 1 << wide, 0
    while term:
        n += 1
        term = (term * t >> wide) // n
        found += term
    slack = 4 * n + 16 + 2 * (((2 * abs(k) + 1) >> h) + 2)
    lo, hi = found - slack, found + slack
    for _ in range(h):
        lo, hi = lo * lo >> wide, -(-hi * hi >> wide)
    return rounded(lo, hi, k - wide, bits)


def _log(m: int, e: int, bits: int) -> Interval:
    """ln(m 2^e) = k ln 2 + ln y, y near 1; ln y = g + ln(1 + t), 1 + t = y / e^g, for any g near ln y.

    t - t^2 <= ln(1 + t) <= t for t >= -1/2, and both sides rise in t < 1/2. g begins as a float and every turn doubles
    its digits; it is a guess, the enclosure is that of the last turn. Near 1 as many bits more as y - 1 has zeros.
    """
    k = m.bit_length()
    if m * m < 1 << (2 * k - 1):
        k -= 1
    off = abs(m - (1 << k))  # y = m 2^-k lies between 0.7 and 1.42
    if not off:
        near = Interval(0, 0, 0, bits)
    else:
        widths = [bits + 32 + k - off.bit_length()]
        while widths[-1] > 48:
            widths.append(widths[-1] // 2 + 8)
        g = int(math.log(_shifted(m, 60 - k) / (1 << 60)) * (1 << 60))
        guess = Interval(g, g, -60, bits)
        for wide in reversed(widths):
            t = Interval(m, m, -k, wide).at(wide) / guess.at(wide).exp() - rational(1, wide)
            if max(t.lo.bit_length(), t.hi.bit_length()) + t.e > -1:  # else |t| < 1/2
                raise Undecided
            lower = Interval(t.lo, t.lo, t.e, wide)
            near = guess.at(wide) + hull(lower - lower * lower, Interval(t.hi, t.hi, t.e, wide))
            guess = Interval(near.lo + near.hi, near.lo + near.hi, near.e - 1, wide)
    if k + e == 0:
        return near.at(bits)
    wide = bits + 32 + (k + e).bit_length()
    ln2 = _ln2(wide)
    return (Interval(ln2, ln2 + 2, -wide, wide) * rational(k + e, wide) + near.at(wide)).at(bits)


@lru_cache(maxsize=8)
def _tangents(n: int) -> list[int]:
    """Returns the tangent numbers T_0..T_n (Knuth, Buckholtz): |B_2j| = 2j T_j / (4^j (4^j - 1))."""
    t = [0, 1] + [0] * n
    for k in range(2, n + 1):
        t[k] = (k - 1) * t[k - 1]
    for k in range(2, n + 1):
        for j in range(k, n + 1):
            t[j] = (j - k) * t[j - 1] + (j - k + 2) * t[j]
    return t


def log_gamma(x: Interval, bits: int, work: Work) -> Interval:
    """ln Gamma(x), x > 0; paid for, and found once."""
    if x.lo <= 0:
        raise Undecided
    wide = bits + 64 + 2 * max(0, x.hi.bit_length() + x.e)
    work.spend(wide * step(wide) + (wide // 10 + 5) ** 2 * step(wide * 2, 16) + 4 * function(wide))
    return _log_gamma(x.lo, x.hi, x.e, wide).at(bits)


@lru_cache(maxsize=1 << 10)
def _log_gamma(lo: int, hi: int, e: int, wide: int) -> Interval:
    """Stirling's series at z = x + N, minus ln x (x+1) ... (x+N-1).

    For real z > 0 its error is at most the first term left out, which is added on both sides.
    """
    z, one, half = rounded(lo, hi, e, wide), rational(1, wide), rational(Fraction(1, 2), wide)
    steps, size, count = one, hi.bit_length() + e, wide // 10 + 4
    for _ in range(max(0, wide // 2 + 8 - (1 << size if size > 0 else 0))):
        steps, z = steps * z, z + one
    found = (z - half) * z.log() - z + half * (pi(wide) + pi(wide)).log() - steps.log()
    power = one / z
    square, term = power * power, one
    for j, t in enumerate(_tangents(count + 1)[1 : count + 2], start=1):
        bottom = (2 * j - 1) * ((1 << (4 * j)) - (1 << (2 * j)))
        term = rounded(t, t, 0, wide) * power / rounded(bottom, bottom, 0, wide)
        if j > count or term.hi.bit_length() + term.e < -wide:
            break
        found, power = (found + term if j % 2 else found - term), power * square
    return found + Interval(-term.hi, term.hi, term.e, wide)


@lru_cache(maxsize=1 << 12)
def exp_of(value: Fraction, bits: int) -> Interval:
    """Returns e^value; so many bits more as the value has before the point."""
    wide = bits + max(0, value.numerator.bit_length() - value.denominator.bit_length())
    return rational(value, wide).exp().at(bits)


def density(square: Fraction, bits: int) -> Interval:
    """Returns phi(z) = e^(-z^2/2) / sqrt(2 pi)."""
    return exp_of(-square / 2, bits) / (pi(bits) + pi(bits)).sqrt()


def normal(z: Fraction, bits: int, work: Work) -> Interval:
    """Phi(z) = 1/2 + phi(z) S, S = z + z^3/3 + z^5/(3 5) + ...; for z < 0 it is 1/2 - phi(z) S(-z).

    From 2n + 3 > 2 z^2 on the terms fall by a half at least: what is left out is at most the last one taken. 2 z^2 bits
    more make up for the difference of nearly equal numbers. For large |z|: 0 < Phi(-|z|) < e^(-z^2/2).
    """
    square = z * z
    if square > 16 * bits:
        tail = exp_of(-square / 2, bits)
        tail = Interval(0, tail.hi, tail.e, bits)
        return tail if z < 0 else rational(1, bits) - tail
    wide, n = bits + 32 + ceil(square) * 2, 0
    work.spend((wide + 2 * ceil(square)) * 3 * step(wide) + 2 * function(wide))
    ratio, term = rational(square, wide), rational(abs(z), wide)
    found = term
    while term.hi and (term.hi.bit_length() + term.e > -wide or 2 * n + 3 <= 2 * square):
        n += 1
        term = term * ratio / rational(2 * n + 1, wide)
        found = found + term
    part, half = density(square, wide) * (found + Interval(0, term.hi, term.e, wide)), rational(Fraction(1, 2), wide)
    return (half + part if z >= 0 else half - part).at(bits)


# ================================================================== sums of exponentials

Sum = dict[Fraction, Fraction]
"""{a: c} is the exact number sum of c e^a. It is 0 only if all c are: exponentials of distinct rationals are linearly
independent over the rationals (Lindemann-Weierstrass)."""
Form = tuple[Sum, Sum]
"""A quotient of two of them."""
ZERO = Fraction(0)
ONE: Sum = {ZERO: Fraction(1)}
MAX_PRODUCTS, MAX_FORM_BITS = 400**2, 1 << 16
"""A form that needs more products, or longer numbers, is not attempted; what needs it is then not known exactly."""


def _size(terms: Sum) -> int:
    return max((max(v.numerator.bit_length(), v.denominator.bit_length()) for i in terms.items() for v in i), default=1)


def times(a: Sum, b: Sum, work: Work) -> Sum:
    """Returns a b, exactly."""
    work.spend(2 * (len(a) * len(b) + 1) * step(_size(a), _size(b)))
    found: Sum = {}
    for s, c in a.items():
        for t, d in b.items():
            found[s + t] = found.get(s + t, ZERO) + c * d
    return {exponent: c for exponent, c in found.items() if c}


def add_to(found: Sum, other: Sum, work: Work, factor: int = 1) -> Sum:
    """Adds factor times the other to the first, in place, exactly."""
    for exponent, c in other.items():
        old = found.get(exponent, ZERO)
        work.spend(6 * step(old.denominator.bit_length(), c.denominator.bit_length() + c.numerator.bit_length()))
        found[exponent] = old + factor * c
        if not found[exponent]:
            del found[exponent]
    return found


def form_product(a: Form | None, b: Form | None, work: Work) -> Form | None:
    """Returns a b; None where one of them is not known, or the product gets too long."""
    if a is None or b is None or max(len(c) * len(d) for c, d in zip(a, b, strict=True)) > MAX_PRODUCTS:
        return None
    if max(map(_size, (*a, *b))) > MAX_FORM_BITS:
        return None
    return times(a[0], b[0], work), times(a[1], b[1], work)


def form_sum(forms: Iterable[Form | None], work: Work) -> Form | None:
    """Returns the sum, first of those with one denominator; None where it is not known."""
    groups: dict[frozenset[tuple[Fraction, Fraction]], Sum] = {}
    for form in forms:
        if form is None:
            return None
        key = frozenset(form[1].items())
        add_to(groups.setdefault(key, {}), form[0], work)
    whole: Form | None = None
    for bottom, top in groups.items():
        if whole is None:
            whole = top, dict(bottom)
            continue
        left, right = form_product(whole, (dict(bottom), ONE), work), form_product((top, ONE), (whole[1], ONE), work)
        shared = form_product((whole[1], ONE), (dict(bottom), ONE), work)
        if left is None or right is None or shared is None:
            return None
        whole = add_to(left[0], right[0], work), shared[0]
    return whole


class Number:
    """A value in an interval; and exactly, as a quotient of sums of exponentials, where that is known, or on demand."""

    __slots__ = ("_form", "value")

    def __init__(self, value: Interval, form: Form | Callable[[], Form | None] | None = None) -> None:
        self.value, self._form = value, form

    @property
    def form(self) -> Form | None:
        """Returns the exact form, or None."""
        if callable(self._form):
            self._form = self._form()
        return self._form

    def rational(self) -> Fraction | None:
        """Returns the value if it is plainly a rational number."""
        form = self.form
        return form[0].get(ZERO, ZERO) if form and form[1] == ONE and not set(form[0]) - {ZERO} else None

    @property
    def is_zero(self) -> bool:
        """Returns whether the value is 0; it is undecided if that is not told from > 0."""
        if self.value.sign() is None:
            raise Undecided
        return self.value.lo <= 0


def constant(value: Fraction, bits: int) -> Number:
    """Returns the rational number."""
    return Number(rational(value, bits), ({ZERO: value} if value else {}, ONE))


def scaled(a: Number, factor: Fraction, loss: Fraction, work: Work) -> Number:
    """Returns factor e^loss a; its form is found on demand."""
    bits = a.value.bits
    value = a.value * rational(factor, bits)
    return Number(
        value * exp_of(loss, bits) if loss else value, lambda: form_product(a.form, ({loss: factor}, ONE), work)
    )


def sign(numbers: list[Number], work: Work) -> int:
    """Returns the sign of the sum; 0 is recognised where all are known exactly."""
    found = total((n.value for n in numbers), numbers[0].value.bits).sign()
    if found is None:
        form = form_sum((n.form for n in numbers), work)
        if form is None or form[0]:
            raise Undecided
    return found or 0


def compare(p: Number, q: Number, loss: Fraction, work: Work) -> int:
    """Returns the sign of p - e^loss q."""
    other = exp_of(loss, p.value.bits) * q.value if loss else q.value
    found = (p.value - other).sign()
    return sign([p, scaled(q, Fraction(-1), loss, work)], work) if found is None else found


# ================================================================== entries
# An entry is a rational ("1/3"), null for an impossible output (log-weights only), or a list: an operation and its
# arguments, ["/", ["exp", "-1/2"], "3"]. Operations: + * / ^ exp log sqrt log_gamma pi; and between two numbers.

MAX_DEPTH = 200
ARGUMENTS = {"+": 0, "*": 0, "/": 2, "^": 2, "exp": 1, "log": 1, "sqrt": 1, "log_gamma": 1, "pi": 0}


def number(value: Any, what: str, most: int = 1000) -> Fraction:
    """Returns the exact number that text such as "-3", "2/7", "0.25" or "1e-8" denotes; its size is bounded."""
    if not isinstance(value, str) or len(value) > 2 * most + 40:
        raise Malformed(f"{what} is not a number in text of at most {2 * most + 40} characters")
    match = re.fullmatch(r"-?(\d+/\d+|\d+(\.\d+)?(e[+-]?\d{1,6})?)", value, re.ASCII)
    if match is None or abs(int((match[3] or "e0")[1:])) > most or re.fullmatch(r".*/0+", value):
        raise Malformed(f"{what} = {brief(value)} is not an exact number of reasonable size")
    return Fraction(value)


def evaluate(entry: Any, bits: int, work: Work, depth: int = 0) -> Number:
    """Returns the value of an entry; every operation is paid for before it is done."""
    if isinstance(entry, str):
        work.spend(step(4 * len(entry) + bits))
        return constant(number(entry, "an entry"), bits)
    if not isinstance(entry, list) or not entry or not isinstance(entry[0], str) or depth > MAX_DEPTH:
        raise Malformed("an entry is neither a number nor an operation with arguments, or nested too deeply")
    name, count = entry[0], len(entry) - 1
    if name not in ARGUMENTS or (count < 2 if name in "+*" else count != ARGUMENTS[name]):
        raise Malformed(f"there is no operation {brief(name)} of {count} arguments")
    parts = [evaluate(argument, bits, work, depth + 1) for argument in entry[1:]]
    work.spend((count + 1) * step(bits + max((part.value.e.bit_length() for part in parts), default=0)))
    if name == "+":
        return Number(total((part.value for part in parts), bits), form_sum((part.form for part in parts), work))
    if name == "*":
        return reduce(lambda a, b: Number(a.value * b.value, form_product(a.form, b.form, work)), parts)
    if name == "/":
        return Number(parts[0].value / _nonzero(parts[1]).value, form_product(parts[0].form, _turned(parts[1]), work))
    if name == "^":
        return _power(parts[0], parts[1].rational(), bits, work)
    return _function(name, parts[0] if parts else constant(ZERO, bits), bits, work)


def _nonzero(value: Number) -> Number:
    if value.form is not None and not value.form[0]:
        raise Malformed("an entry divides by zero")
    return value


def _turned(value: Number) -> Form | None:
    return None if value.form is None else (value.form[1], value.form[0])


def _power(base: Number, exponent: Fraction | None, bits: int, work: Work) -> Number:
    """By squares: a product of n factors that lie in the interval lies in the product of n intervals."""
    if exponent is None or exponent.denominator != 1 or not exponent:
        raise Malformed("an exponent is not a whole number")
    n, square = abs(int(exponent)), base
    if exponent < 0:
        square = Number(rational(1, bits) / _nonzero(base).value, _turned(base))
    work.spend(2 * n.bit_length() * step(bits + 2 * MAX_SIZE))
    found = constant(Fraction(1), bits)
    while n:
        if n & 1:
            found = Number(found.value * square.value, form_product(found.form, square.form, work))
        n >>= 1
        if n:
            square = Number(square.value * square.value, form_product(square.form, square.form, work))
        if square.value.e.bit_length() > 2 * MAX_SIZE:
            raise Malformed("a power is too large")
    return found


def _function(name: str, argument: Number, bits: int, work: Work) -> Number:
    value, exact = argument.value, argument.rational()
    work.spend(function(bits + max(0, min(MAX_SIZE, max(value.hi.bit_length(), value.lo.bit_length()) + value.e))))
    if name == "pi":
        work.spend(bits * step(bits, 32))
        return Number(pi(bits))
    if name == "exp":
        return Number(value.exp()) if exact is None else Number(exp_of(exact, bits), ({exact: Fraction(1)}, ONE))
    if name == "log":
        return Number(value.log(), ({}, ONE) if exact == 1 else None)
    if name == "sqrt":
        zero = argument.form is not None and not argument.form[0]
        return constant(ZERO, bits) if zero else Number(value.sqrt())
    if value.hi <= 0:
        raise Malformed("log_gamma of a number that is not positive")
    return Number(log_gamma(value, bits, work))


# ================================================================== laws
# The distributions, without symmetry, closed form or shortcut: counts() of data sets, ordered adjacent pairs, outputs
# (not listed), datasets(), neighbours(x), adjacent(x, y), row(x) in the order of the outputs, at(x, output), pay(rows)
# for so many rows or for single probabilities (0), place(value, name) and output(value) of the JSON, says() for people.
# n records, k categories, prior alpha; data sets are histograms; adjacent: one record replaced, or every pair.
# H(c,d) = sqrt(1 - BC), BC = prod_i Gamma(alpha_i + (c_i+d_i)/2) / sqrt(Gamma(alpha_i + c_i) Gamma(alpha_i + d_i)).

Cells = tuple[int, ...]


def histograms(n: int, k: int) -> Iterator[Cells]:
    """Yields all histograms of n records in k cells."""
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        yield from ((first, *rest) for rest in histograms(n - first, k - 1))


def replaced(c: Cells) -> Iterator[Cells]:
    """Yields the histograms in which one record is replaced."""
    for i, j in product(range(len(c)), repeat=2):
        if i != j and c[i]:
            yield tuple(v - (m == i) + (m == j) for m, v in enumerate(c))


def distance(c: Cells, d: Cells) -> int:
    """Returns the number of records to replace."""
    return sum(abs(i - j) for i, j in zip(c, d, strict=True)) // 2


@dataclass
class _Family:
    """What the eight mechanisms share."""

    mechanism: str
    n: int
    prior: tuple[Fraction, ...]
    epsilon: Fraction
    parameters: dict[str, Any]
    every_pair: bool
    bits: int
    work: Work

    def __post_init__(self) -> None:
        self.k = len(self.prior)
        self.size = comb(self.n + self.k - 1, self.k - 1)
        self._rows: dict[Cells, list[Number]] = {}
        self.row_lines: list[str] = []

    def counts(self) -> tuple[int, int, int]:
        # by replacement: a histogram of n - 1 records, and one more in cell i or instead in cell j
        k, size = self.k, self.size
        pairs = size * (size - 1) if self.every_pair else k * (k - 1) * comb(self.n + k - 2, k - 1)
        return size, pairs, self.count_outputs()

    def count_outputs(self) -> int:
        raise NotImplementedError

    def datasets(self) -> Iterable[Cells]:
        return histograms(self.n, self.k)

    def neighbours(self, x: Cells) -> Iterable[Cells]:
        return (y for y in self.datasets() if y != x) if self.every_pair else replaced(x)

    def adjacent(self, x: Cells, y: Cells) -> bool:
        return x != y if self.every_pair else distance(x, y) == 1

    def row(self, x: Cells) -> list[Number]:
        if x not in self._rows:
            self._rows[x] = self.make_row(x)
        return self._rows[x]

    def make_row(self, x: Cells) -> list[Number]:
        raise NotImplementedError

    def place(self, value: Any, name: str) -> Cells:
        if not isinstance(value, list) or not all(type(c) is int and 0 <= c <= self.n for c in value):
            raise Malformed(f"{name} is not a list of counts from 0 to n, no histogram")
        if len(value) != self.k or sum(value) != self.n:
            raise Malformed(f"{name} is no histogram of {self.n} records in {self.k} cells")
        return tuple(value)

    def says(self) -> tuple[dict[str, Any], str, str]:
        members = {"kind": "family", "mechanism": self.mechanism, "n": self.n, "k": self.k}
        members |= {"prior": ", ".join(map(str, self.prior)), "nominal_epsilon": str(self.epsilon)}
        members |= {name: str(value) for name, value in self.parameters.items()}
        words = ", ".join(f"{name.replace('_', ' ')} = {value}" for name, value in list(members.items())[2:])
        return members, f"{self.mechanism} with {words}", "every pair" if self.every_pair else "one record replaced"


class Laplace(_Family):
    """Cells floor(c_i + Lap(s/epsilon)) clipped into [0, n]; everything is a sum of exponentials, exactly."""

    @property
    def noised(self) -> int:
        """Returns how many cells are noised: all for LSZhang, all but the last for the others."""
        return self.k if self.mechanism == "LSZhang" else self.k - 1

    def count_outputs(self) -> int:
        """Returns the number of vectors of noised cells."""
        return int((self.n + 1) ** self.noised)

    def below(self, t: int) -> Sum:
        """Returns Pr[Lap(s/epsilon) < t] for a whole t: e^(-epsilon |t| / s) / 2 for t < 0, else 1 minus that."""
        scale = {"LSZhang": 2, "LSDim": self.k, "LSHist": 1 if self.k == 2 else 2}[self.mechanism]
        tail = {-self.epsilon * abs(t) / scale: Fraction(1, 2)}
        return tail if t < 0 else add_to(dict(ONE), tail, self.work, -1)

    def cell(self, c: int, o: int) -> Sum:
        """Returns Pr[clipped floor(c + noise) = o]: the noise lies in [o - c, o + 1 - c), the tails at the ends."""
        upper = ONE if o == self.n else self.below(o + 1 - c)
        return upper if o == 0 else add_to(dict(upper), self.below(o - c), self.work, -1)

    def value(self, c: int, o: int) -> Interval:
        """Returns the same in an interval."""
        terms = self.cell(c, o).items()
        return total((rational(v, self.bits) * exp_of(a, self.bits) for a, v in terms), self.bits)

    def at(self, x: Cells, output: Cells) -> Number:
        """Returns the product over the noised cells; its form on demand."""
        cells = list(zip(x, output, strict=False))
        value = reduce(mul, (self.value(c, o) for c, o in cells))
        return Number(value, lambda: (reduce(lambda a, b: times(a, b, self.work), (self.cell(*i) for i in cells)), ONE))

    def make_row(self, x: Cells) -> list[Number]:
        """Returns all products of one probability for each noised cell."""
        values = [rational(1, self.bits)]
        for c in x[: self.noised]:
            cells = [self.value(c, o) for o in range(self.n + 1)]
            values = [value * p for value in values for p in cells]
        outputs = product(range(self.n + 1), repeat=self.noised)
        return [Number(value, partial(self._form, x, output)) for value, output in zip(values, outputs, strict=True)]

    def _form(self, x: Cells, output: Cells) -> Form | None:
        return self.at(x, output).form

    def pay(self, rows: int) -> None:
        """A product for each probability; a handful of exponentials for each cell."""
        cells = (self.n + 1) * self.noised * rows if rows else 2 * self.noised
        self.work.spend(6 * cells * function(self.bits) + 2 * rows * self.count_outputs() * step(self.bits))

    def output(self, value: Any) -> Cells:
        """Returns the vector of noised cells."""
        if not isinstance(value, list) or len(value) != self.noised:
            raise Malformed(f"output is not a list of {self.noised} counts")
        if not all(type(c) is int and 0 <= c <= self.n for c in value):
            raise Malformed("output is not a list of counts from 0 to n")
        return tuple(value)


class Exponential(_Family):
    """P_x(r) proportional to exp(-epsilon H(x,r) / divisor(x)) over the histograms r."""

    def count_outputs(self) -> int:
        """Returns the number of histograms."""
        return self.size

    @cached_property
    def _histograms(self) -> list[Cells]:
        return list(self.datasets())

    @cached_property
    def _gammas(self) -> dict[Fraction, tuple[list[Interval], list[Interval]]]:
        """g[m] = Gamma(alpha + m/2) / Gamma(alpha), m = 0..2n, by Gamma(z + 1) = z Gamma(z); and 1 / sqrt(g[2i])."""
        tables, one, wide = {}, rational(1, self.bits), self.bits + 32
        for alpha in set(self.prior):
            ends = (rational(z, wide + alpha.numerator.bit_length()) for z in (alpha + Fraction(1, 2), alpha))
            half, whole = (log_gamma(z, wide, self.work) for z in ends)
            g = [one, (half - whole).exp().at(self.bits)]
            for m in range(2, 2 * self.n + 1):
                g.append(g[m - 2] * rational(alpha + Fraction(m - 2, 2), self.bits))
            tables[alpha] = g, [one / v.sqrt() for v in g[::2]]
        return tables

    def hellinger(self, c: Cells, d: Cells) -> Interval:
        """Returns H(c, d)."""
        found = one = rational(1, self.bits)
        for alpha, i, j in zip(self.prior, c, d, strict=True):
            if i != j:
                g, root = self._gammas[alpha]
                found = found * g[i + j] * root[i] * root[j]
        return (one - found).sqrt()

    def local(self, c: Cells) -> Interval:
        """Returns LS(c), the largest distance to a neighbour."""
        return largest(self.hellinger(c, d) for d in replaced(c))

    @cached_property
    def _locals(self) -> list[tuple[Cells, Interval]]:
        return [(c, self.local(c)) for c in self._histograms]

    @cached_property
    def _fading(self) -> list[Interval]:
        """e^(-gamma m), m = 0..n, gamma = ln(1 - epsilon / (2 ln(delta / (2(n+1))))) of MHdelta."""
        one, tail = rational(1, self.bits), rational(self.parameters["delta"] / (2 * (self.n + 1)), self.bits).log()
        factor = one / (one - rational(self.epsilon / 2, self.bits) / tail)
        return list(accumulate(range(self.n), lambda found, _: found * factor, initial=one))

    def divisor(self, c: Cells) -> Interval:
        """Returns 2 GS, 2 LS(c), 2 (1+gamma) S(c), 2 S(c) or 2 S_exp(c), by the mechanism's definition."""
        bits, one = self.bits, rational(1, self.bits)
        if self.mechanism == "EHDL":
            found = self.local(c)
        elif self.mechanism == "EHD":
            exact = self.parameters["gs"] == "exact"
            found = largest(ls for _, ls in self._locals) if exact else (one - pi(bits) / rational(4, bits)).sqrt()
        elif self.mechanism == "MHdelta":  # S_exp(c) = max over d of LS(d) exp(-gamma |c - d|_1 / 2)
            found = largest(ls * self._fading[distance(c, d)] for d, ls in self._locals)
        else:  # S(c) = max over d of 1 / (1/LS(d) + gamma |c - d|_1 / 2)
            gamma = self.parameters["gamma"]
            found = largest(one / (one / ls + rational(gamma * distance(c, d), bits)) for d, ls in self._locals)
            found = rational(1 + gamma, bits) * found if self.mechanism == "EHDS" else found
        return rational(2, bits) * found

    def make_row(self, x: Cells) -> list[Number]:
        """Returns the weights over their sum."""
        rate = rational(self.epsilon, self.bits) / self.divisor(x)
        weights = [(-(rate * self.hellinger(x, r))).exp() for r in self._histograms]
        whole = total(weights, self.bits)
        return [Number(w / whole) for w in weights]

    def at(self, x: Cells, output: Cells) -> Number:
        """Returns the entry of the row."""
        return self.row(x)[self._histograms.index(output)]

    def pay(self, rows: int) -> None:
        """A distance and an exponential for each probability, local sensitivities, and tables of Gamma functions."""
        rows, bits = rows or 2, self.bits
        everywhere = self.mechanism in ("EHDS", "MH", "MHdelta") or self.parameters.get("gs") == "exact"
        distances = rows * self.size + (self.size if everywhere else rows) * self.k**2
        others = (rows * self.size if everywhere else 0) + len(set(self.prior)) * self.n
        price = distances * ((3 * self.k + 8) * step(bits) + isqrt(bits) // 4) + others * 6 * step(bits)
        self.work.spend(price + rows * self.size * function(bits))

    def output(self, value: Any) -> Cells:
        """Returns the histogram."""
        return self.place(value, "output")


FAMILY: dict[str, tuple[type[Laplace | Exponential], tuple[str, ...]]] = {
    **dict.fromkeys(("LSZhang", "LSDim", "LSHist"), (Laplace, ())),
    **dict.fromkeys(("EHDS", "MH"), (Exponential, ("gamma",))),
    "EHD": (Exponential, ("gs",)),
    "EHDL": (Exponential, ()),
    "MHdelta": (Exponential, ("delta",)),
}
"""The class and the parameters of each mechanism."""


def is_family_name(name: str) -> bool:
    """Returns whether the text reads like the name of a mechanism of the family: case, width, marks do not matter."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name).casefold() if c.isalnum())
    return bare in {known.casefold() for known in FAMILY}


class Table:
    """The rows of the certificate itself; adjacency is a list of pairs of positions, or every pair."""

    def __init__(self, subject: dict[str, Any], bits: int, work: Work) -> None:
        self.subject, self.bits, self.work, self.pairs = subject, bits, work, subject.get("pairs")
        self.names, self.columns = (take(subject, name, list) for name in ("datasets", "outputs"))
        self.entries, self.logarithmic = take(subject, "rows", dict), take(subject, "logarithmic", bool)
        if is_family_name(take(subject, "mechanism", str)):
            raise Malformed(f"a table may not be called {brief(subject['mechanism'])}, a mechanism of the family")
        for items in (self.names, self.columns):
            if not all(isinstance(item, str) for item in items) or len(set(items)) < len(items):
                raise Malformed("the names of data sets or outputs are not distinct texts")
        if len(self.names) < 2 or not set(self.entries) <= set(self.names):
            raise Malformed("there are too few data sets, or rows of unknown ones")
        if not all(isinstance(row, list) and len(row) == len(self.columns) > 0 for row in self.entries.values()):
            raise Malformed("a row has not one entry for each output")
        self._links = None if self.pairs is None else self._read_pairs(self.pairs)
        self._rows: dict[str, list[Number]] = {}
        self._exact = 0

    def _read_pairs(self, pairs: Any) -> dict[str, list[str]]:
        links = dict[str, list[str]]({x: [] for x in self.names})
        if not isinstance(pairs, list) or not all(isinstance(p, list) and len(p) == 2 for p in pairs):
            raise Malformed("pairs is not a list of pairs of positions of data sets")
        if not all(type(i) is int and 0 <= i < len(self.names) for p in pairs for i in p):
            raise Malformed("pairs is not a list of pairs of positions of data sets")
        if len({frozenset(p) for p in pairs if p[0] != p[1]}) < len(pairs):
            raise Malformed("a pair occurs twice, or is none")
        for i, j in pairs:
            links[self.names[i]].append(self.names[j])
            links[self.names[j]].append(self.names[i])
        return links

    def counts(self) -> tuple[int, int, int]:
        """A pair is in both orders."""
        size = len(self.names)
        return size, size * (size - 1) if self.pairs is None else 2 * len(self.pairs), len(self.columns)

    def datasets(self) -> Iterable[str]:
        """Returns the names of the data sets."""
        return list(self.names)

    def neighbours(self, x: str) -> Iterable[str]:
        """Returns the data sets paired with x, in either order."""
        return (y for y in self.names if y != x) if self._links is None else self._links[x]

    def adjacent(self, x: str, y: str) -> bool:
        """Returns whether they are paired."""
        return x != y if self._links is None else y in self._links[x]

    def at(self, x: str, output: str) -> Number:
        """Returns the entry of the row."""
        return self.row(x)[list[str](self.columns).index(output)]

    def pay(self, rows: int) -> None:
        """Every entry pays for itself when it is evaluated; where all rows are needed, all are there."""
        missing = [x for x in self.names if x not in self.entries] if rows == len(self.names) else []
        if missing:
            raise Malformed(f"the certificate does not hold the row of {brief(missing[0])}")

    def place(self, value: Any, name: str) -> str:
        """Returns the name of the data set."""
        if not isinstance(value, str) or value not in self.names:
            raise Malformed(f"{name} is no data set")
        return value

    def output(self, value: Any) -> str:
        """Returns the name of the output."""
        if not isinstance(value, str) or value not in self.columns:
            raise Malformed("output is none of the outputs")
        return value

    @property
    def row_lines(self) -> list[str]:
        """Every row that the certificate holds is checked, paired or not; returns what is known of them."""
        for x in self.entries:
            self.row(x)
        return [f"all {len(self.entries)} rows that it holds are distributions, {self._exact} of them by algebra"]

    def row(self, x: str) -> list[Number]:
        """Returns the distribution of x, worked out once; a row that is none is malformed."""
        if x not in self._rows:
            if x not in self.entries:
                raise Malformed(f"the certificate does not hold the row of {brief(x)}")
            self._rows[x] = (self._from_weights if self.logarithmic else self._from_entries)(self.entries[x], brief(x))
        return self._rows[x]

    def _entry(self, entry: Any, bits: int) -> Number:
        """Returns the probability: some number between two, or one whose sign is known."""
        if isinstance(entry, list) and entry[:1] == ["between"] and len(entry) == 3:
            low, high = (number(end, "an entry") for end in entry[1:])
            if not 0 <= low <= high:
                raise Malformed("between wants two numbers >= 0, the lower one first")
            return Number(hull(rational(low, bits), rational(high, bits)))
        found = evaluate(entry, bits, self.work)
        if found.value.sign() is None and (found.form is None or found.form[0]):
            raise Undecided
        return found if found.value.sign() is not None else constant(ZERO, bits)

    def _from_entries(self, entries: list[Any], x: str) -> list[Number]:
        numbers = [self._entry(entry, self.bits) for entry in entries]
        if any(n.value.hi < 0 for n in numbers):
            raise Malformed(f"the row of {x} has a negative entry")
        form = form_sum((n.form for n in numbers if n.form is not None), self.work) or ({}, ONE)
        settled = form[0] == form[1]  # those that are known exactly add up to 1, so the others are 0
        exact = settled or form[0] != {}
        if all(n.form is not None for n in numbers) and exact:
            one, self._exact = settled, self._exact + 1
        else:
            bits = max(self.bits, SUM_BITS)
            again = [self._entry(entry, bits).value for entry in entries]
            rest = (value for value, n in zip(again, numbers, strict=True) if n.form is None or not settled)
            one = (total(rest, bits) - rational(not settled, bits)).sign() in (None, 0)
        if not one:
            raise Malformed(f"the row of {x} does not sum to 1")
        return numbers

    def _from_weights(self, entries: list[Any], x: str) -> list[Number]:
        """Returns e^w / sum of e^w, also exactly where all w are rational."""
        given = [None if entry is None else evaluate(entry, self.bits, self.work) for entry in entries]
        possible = [n for n in given if n is not None]
        if not possible:
            raise Malformed(f"the row of {x} makes every output impossible")
        weights = [_function("exp", n, self.bits, self.work) for n in possible]
        whole = total((w.value for w in weights), self.bits)
        form = form_sum((w.form for w in weights), self.work)
        bottom = None if form is None else (ONE, form[0])
        found = iter([Number(w.value / whole, partial(form_product, w.form, bottom, self.work)) for w in weights])
        self._exact += 1
        return [constant(ZERO, self.bits) if n is None else next(found) for n in given]

    def says(self) -> tuple[dict[str, Any], str, str]:
        """Returns what the table calls itself, and how its pairs are given."""
        given = {name: self.subject.get(name) for name in ("nominal_epsilon", "parameters", "source", "source_sha256")}
        extra = {name: value for name, value in given.items() if value not in (None, {})}
        words = "".join(f", {name.replace('_', ' ')} {brief(json.dumps(extra[name]))}" for name in extra)
        held, apart = len(self.entries), len(self.entries) - self._exact
        members = {"kind": "table", "mechanism": self.subject["mechanism"], **extra, "rows": held, "exact": self._exact}
        words = f'the table in this certificate, which calls itself "{brief(self.subject["mechanism"])}"{words}'
        words += f"; it HOLDS ONLY {held} of {len(self.names)} rows" if held < len(self.names) else ""
        words += f"; {apart} of its {held} rows add up to 1 only AS FAR AS {SUM_BITS} BITS TELL" if apart else ""
        return members, words, "every pair" if self.pairs is None else "EXPLICIT LIST"


SUM_BITS = 512
"""At least with this many bits a row that algebra does not add up must sum to 1."""
Law = Laplace | Exponential | Table


def take(document: Any, name: str, kind: type) -> Any:
    """Returns the member of that name, which is of that kind."""
    value = document.get(name) if isinstance(document, dict) else None
    if not isinstance(value, kind) or isinstance(value, bool) != (kind is bool):
        raise Malformed(f"{name} is not a {kind.__name__}")
    return value


def only(document: dict[str, Any], names: Iterable[str], what: str) -> None:
    """Refuses a member that is none of the names."""
    unknown = [name for name in document if name not in names]
    if unknown:
        raise Malformed(f"{what} has the unknown member '{brief(unknown[0])}'")


def read_law(subject: dict[str, Any], bits: int, work: Work) -> Law:
    """Returns the mechanism that the certificate names, or holds."""
    setting, name = ("mechanism", "nominal_epsilon", "parameters"), subject.get("mechanism")
    if "rows" in subject:
        held = ("datasets", "outputs", "pairs", "logarithmic", "rows")
        only(subject, (*setting, "source", "source_sha256", *held), "the subject")
        return Table(subject, bits, work)
    if not isinstance(name, str) or name not in FAMILY:
        raise Malformed("the mechanism is not one of " + ", ".join(FAMILY))
    only(subject, (*setting, "n", "k", "prior", "adjacency"), "the subject")
    if subject.get("adjacency") not in (None, {"kind": "all"}):
        raise Malformed("the adjacency is not known")
    n, prior = take(subject, "n", int), take(subject, "prior", list)
    if not 1 <= n <= 10**9 or not 2 <= len(prior) <= 1000 or take(subject, "k", int) != len(prior):
        raise Malformed("n, k and prior do not fit, or are too large")
    alphas = tuple(number(alpha, "prior", 100) for alpha in prior)
    epsilon = number(subject.get("nominal_epsilon"), "nominal_epsilon", 100)
    given, (kind, names) = take(subject, "parameters", dict), FAMILY[name]
    if set(given) != set(names):
        raise Malformed(f"the parameters of {name} are not {', '.join(names) or 'none'}")
    parameters = {p: given[p] if p == "gs" else number(given[p], p, 100) for p in names}
    if min(*alphas, epsilon, *(value for p, value in parameters.items() if p != "gs")) <= 0:
        raise Malformed("prior, epsilon or a parameter is out of range")
    if parameters.get("gs", "exact") not in ("exact", "constant") or parameters.get("delta", ZERO) >= 1:
        raise Malformed("prior, epsilon or a parameter is out of range")
    return kind(name, n, alphas, epsilon, parameters, subject.get("adjacency") is not None, bits, work)


# ================================================================== notions
# Each has a value of an ordered pair that is larger where privacy is worse: the loss; delta at an epsilon; D_alpha;
# sup D_alpha / alpha; mu; and for f the largest f(alpha) - beta of a test, 0 at least. A certificate states bounds of
# the largest value over all pairs, a witness that reaches the lower one, and a verdict on a claimed bound.


@dataclass
class Pair:
    """An ordered pair of data sets."""

    law: Any
    x: Any
    y: Any

    @cached_property
    def both(self) -> list[tuple[Number, Number]]:
        """Returns the probabilities output by output."""
        return list(zip(self.law.row(self.x), self.law.row(self.y), strict=True))

    def is_infinite(self) -> bool:
        """Returns whether an output is possible for x and impossible for x'."""
        return any(q.is_zero and not p.is_zero for p, q in self.both)

    def same(self) -> bool:
        """Returns True only if both distributions are equal, by algebra."""
        try:
            return all(compare(p, q, ZERO, self.law.work) == 0 for p, q in self.both)
        except Undecided:
            return False

    def spend(self, operations: int, functions: int = 0) -> None:
        """Pays for so much at each output."""
        bits = self.law.bits
        self.law.work.spend(len(self.both) * (operations * step(bits) + functions * function(bits)))


class Notion:
    """One notion with its claimed bound; a subclass has these as it needs them."""

    quantity, guarantee = "", ""
    place: tuple[str, ...] = ()
    """The members of the witness beside the pair."""
    claimed: Fraction | None = None
    proves = refutes = True
    """Whether a value that is at most the claimed bound proves the claim, and a larger one refutes it."""
    finite = False
    largest: Fraction | None = None
    """No value is larger."""
    rows = 2
    """How many rows the witness needs."""

    def infinite(self, pair: Pair) -> bool:
        """Returns whether the value at the witness is infinite."""
        return not self.finite and pair.is_infinite()

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of the value at the witness's place minus the bound."""
        raise NotImplementedError

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether the value of the pair, at any place, exceeds the bound."""
        return self.reached(pair, bound) > 0


def _claim(statement: dict[str, Any]) -> tuple[Fraction | None, Fraction]:
    given = [statement.get(name) for name in ("claimed", "claimed_delta")]
    if given == [None, None]:
        return None, ZERO
    if None in given:
        raise Malformed("claimed and claimed_delta are not given together, or nothing is claimed")
    epsilon, delta = (number(value, "claimed", DIGITS) for value in given)
    if epsilon < 0 or not 0 <= delta <= 1:
        raise Malformed("claimed is negative, or claimed_delta is not between 0 and 1")
    return epsilon, delta


class Loss(Notion):
    """ln p - ln p' at an output."""

    place, quantity, rows = ("output", "p", "p_prime"), "the true epsilon", 0

    def __init__(self, statement: dict[str, Any], witness: dict[str, Any]) -> None:
        only(statement, (*BOUNDS, "claimed", "claimed_delta"), "the statement")
        (self.claimed, self.delta), self.witness = _claim(statement), witness
        self.refutes = not self.delta
        if self.claimed is not None:
            self.guarantee = f"({self.claimed}, {self.delta})-DP" if self.delta else f"{self.claimed}-DP"

    def _at(self, pair: Pair) -> tuple[Number, Number]:
        output = pair.law.output(self.witness.get("output"))
        return pair.law.at(pair.x, output), pair.law.at(pair.y, output)

    def infinite(self, pair: Pair) -> bool:
        """Returns whether the output is possible for x and impossible for x', after a look at both enclosures."""
        p, q = self._at(pair)
        for name, found in (("p", p), ("p_prime", q)):
            ends = take(self.witness, name, dict)
            only(ends, ("lower", "upper"), name)
            for end, wrong in (("lower", -1), ("upper", 1)):
                bound = number(ends.get(end), f"{name}.{end}", DIGITS)
                if bound >= 1 if wrong > 0 else bound <= 0:
                    continue  # so is every probability
                if compare(found, constant(bound, pair.law.bits), ZERO, pair.law.work) == wrong:
                    raise Rejected(f"{name} does not lie in the stated enclosure")
        return q.is_zero and not p.is_zero

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of p - e^bound p'."""
        p, q = self._at(pair)
        return -1 if p.is_zero else compare(p, q, bound, pair.law.work)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether p > e^bound p' for some output."""
        pair.spend(3)
        return any(compare(p, q, bound, pair.law.work) > 0 for p, q in pair.both)


class Delta(Notion):
    """The sum of max(0, p - e^at p'), 1 at most."""

    finite, largest = True, Fraction(1)

    def __init__(self, statement: dict[str, Any], witness: dict[str, Any]) -> None:
        only(statement, (*BOUNDS, "claimed", "claimed_delta", "at"), "the statement")
        self.at = number(statement.get("at"), "at", DIGITS)
        epsilon, delta = _claim(statement)
        if self.at < 0:
            raise Malformed("delta is asked for at a negative epsilon")
        self.quantity = f"delta({brief(self.at)})"
        if epsilon is not None:
            self.claimed, self.proves, self.refutes = delta, self.at <= epsilon, self.at >= epsilon
            self.guarantee = f"({epsilon}, {delta})-DP"

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """A term whose sign is not told lies between 0 and its upper end; the sum of the others may tie exactly."""
        pair.spend(5, 0)
        work, minus, parts = pair.law.work, Fraction(-1), [constant(-bound, pair.law.bits)]
        for p, q in pair.both:
            try:
                if compare(p, q, self.at, work) > 0:
                    parts += [p, scaled(q, minus, self.at, work)]
            except Undecided:
                parts.append(Number((p.value + scaled(q, minus, self.at, work).value).positive_part()))
        return sign(parts, work)


class Moments:
    """K(a) = (a - 1) D_a = ln sum p e^((a-1) L), L = ln(p/q), of one pair without infinite loss."""

    def __init__(self, pair: Pair) -> None:
        pair.spend(2, 2)
        self.bits, self.work = pair.law.bits, pair.law.work
        self.cells = [(p.value, (p.value / q.value).log()) for p, q in pair.both if not p.is_zero]
        self._found: dict[Fraction, Interval] = {}

    def cumulant(self, order: Fraction) -> Interval:
        """Returns K(order)."""
        if order not in self._found:
            self.work.spend(len(self.cells) * 2 * function(self.bits + order.numerator.bit_length()))
            less = rational(order - 1, self.bits)
            self._found[order] = total((p * (less * loss).exp() for p, loss in self.cells), self.bits).log()
        return self._found[order]

    def divergence(self, order: Fraction) -> Interval:
        """Returns D_order; order 1 is Kullback-Leibler."""
        if order > 1:
            return self.cumulant(order) / rational(order - 1, self.bits)
        return total((p * loss for p, loss in self.cells), self.bits)

    def below(self, a: Fraction, b: Fraction, rho: Fraction) -> bool:
        """Returns True only if K(t) <= rho t (t - 1) on [a, b]: D_t <= D_b; or K lies below its chord k + s (t - a).

        The least value of the parabola rho t (t - 1) - k - s (t - a) is s a - k - (rho + s)^2 / (4 rho).
        """
        if (self.divergence(b) - rational(rho * a, self.bits)).hi <= 0:
            return True
        if a == 1:
            return False
        left, right = self.cumulant(a), self.cumulant(b)
        slope = (right - left) / rational(b - a, self.bits)
        both = rational(rho, self.bits) + slope
        return (slope * rational(a, self.bits) - left - both * both / rational(4 * rho, self.bits)).lo >= 0

    def above(self, a: Fraction, b: Fraction, rho: Fraction, depth: int = 60) -> bool:
        """Returns whether K(t) > rho t (t - 1) for some t in [a, b], which is halved at most ``depth`` times."""
        if self.below(a, b, rho):
            return False
        middle = (a + b) / 2
        if (self.cumulant(middle) - rational(rho * middle * (middle - 1), self.bits)).lo > 0:
            return True
        if not depth:
            raise Undecided
        return self.above(a, middle, rho, depth - 1) or self.above(middle, b, rho, depth - 1)


def _bound(guarantee: dict[str, Any], kind: str, name: str, *others: str) -> Fraction:
    only(guarantee, ("kind", "text", name, *others), "the guarantee")
    value = number(guarantee.get(name), name)
    if guarantee.get("kind") != kind or value < 0:
        raise Malformed(f"the guarantee is not of the kind of the quantity, or {name} is negative")
    return value


class Renyi(Notion):
    """D_alpha <= epsilon."""

    place = ("alpha",)

    def __init__(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        self.claimed = _bound(guarantee, "renyi", "epsilon", "alpha")
        self.order = number(guarantee.get("alpha"), "alpha")
        self.quantity, self.guarantee = f"D_{brief(self.order)}", f"({self.order}, {self.claimed})-R\u00e9nyi DP"
        if self.order < 1 or number(witness.get("alpha"), "alpha") != self.order:
            raise Malformed("alpha is not at least 1, or the witness has another one than the guarantee")

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of D_alpha - bound."""
        if not bound and pair.same():
            return 0
        return sign([Number(Moments(pair).divergence(self.order)), constant(-bound, pair.law.bits)], pair.law.work)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether D_alpha > bound."""
        return pair.is_infinite() or self.reached(pair, bound) > 0


class Zcdp(Renyi):
    """D_a <= rho a for all a > 1."""

    def __init__(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        self.claimed, self.order = _bound(guarantee, "zcdp", "rho"), number(witness.get("alpha"), "alpha")
        self.quantity, self.guarantee = "rho = sup D_a / a", f"{self.claimed}-zCDP"
        if self.order < 1:
            raise Malformed("alpha is not at least 1")

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of D_a / a - bound at the witness's order; order 1 is the limit."""
        return super().reached(pair, bound * self.order)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """On [1, 2], [2, 4], ... K is compared; beyond (largest loss) / bound, D_t <= largest loss <= bound t."""
        if pair.is_infinite():
            return True
        if pair.same():
            return False
        moments, ends = Moments(pair), [Fraction(1)]
        if not bound:
            return self.reached(pair, bound) > 0
        last = max(loss.ends()[1] for _, loss in moments.cells) / bound
        while ends[-1] < last:
            ends.append(ends[-1] * 2)
        return any(moments.above(a, b, bound) for a, b in pairwise(ends))


# A test rejects for some outputs: alpha is their probability under x', beta that of the others under x.

Point = tuple[Number, Number]


def joint(numbers: list[Number], bits: int, work: Work) -> Number:
    """Returns the sum; its form on demand."""
    return Number(total((n.value for n in numbers), bits), lambda: form_sum((n.form for n in numbers), work))


def running(numbers: list[Number], work: Work) -> list[Number]:
    """Returns the sums of the first one, two, ...; their forms on demand."""
    values = accumulate(n.value for n in numbers)
    return [
        Number(value, lambda i=i: form_sum((n.form for n in numbers[:i]), work))  # type: ignore[misc]
        for i, value in enumerate(values, start=1)
    ]


def powerful(pair: Pair) -> list[Point]:
    """Returns the most powerful tests but the trivial ones, and points below the trade-off function between them.

    Outputs whose losses cannot be told apart are one step: from its left end the function falls at most as fast as
    the largest loss says, to its right end at least as fast as the smallest one says; both at the middle.
    """
    pair.spend(6, 3)
    bits, work, half = pair.law.bits, pair.law.work, rational(Fraction(1, 2), pair.law.bits)
    cells = [((p.value / q.value).log(), p, q) for p, q in pair.both if not p.is_zero and not q.is_zero]
    cells.sort(key=lambda cell: -sum(cell[0].ends()))
    spans: list[tuple[Fraction, Fraction, list[Any]]] = []  # apart from each other, each with what cannot be told apart
    for cell in cells:
        (low, high), members = cell[0].ends(), [cell]
        while spans and high >= spans[-1][0]:
            a, b, before = spans.pop()
            low, high, members = min(a, low), max(b, high), before + members
        spans.append((low, high, members))
    only_x, only_y = (
        [(None, p, q) for p, q in pair.both if (q, p)[i].is_zero and not (p, q)[i].is_zero] for i in (0, 1)
    )
    steps: list[list[Any]] = [s for s in (only_x, *(members for _, _, members in spans), only_y) if s]
    p_steps, q_steps = ([joint([c[i] for c in s], bits, work) for s in steps] for i in (1, 2))
    alphas, betas = running(q_steps, work), running(p_steps[::-1], work)[::-1]
    found = list(zip(alphas[:-1], betas[1:], strict=True))
    zero = constant(ZERO, bits)
    for members, left, beta, right in zip(steps, [zero, *alphas], betas, [*betas[1:], zero], strict=False):
        if members[0][0] is None or all(_one_ratio(members[0], c, work) for c in members[1:]):
            continue
        loss = reduce(hull, (c[0] for c in members))
        steep, flat = (Interval(end, end, loss.e, bits).exp() for end in (loss.hi, loss.lo))
        q = total((c[2].value for c in members), bits) * half
        middle = Number(left.value + q)
        found += [(middle, Number(beta.value - steep * q)), (middle, Number(right.value + flat * q))]
    return found


def _one_ratio(a: Any, b: Any, work: Work) -> bool:
    """Returns True only if p / q is the same in both, by algebra."""
    left, right = form_product(a[1].form, b[2].form, work), form_product(b[1].form, a[2].form, work)
    minus = form_product(right, ({ZERO: Fraction(-1)}, ONE), work)
    found = form_sum((left, minus), work)
    return found is not None and not found[0]


def above_gaussian(alpha: Interval, beta: Interval, mu: Fraction, work: Work) -> int:
    """Returns -1 if certainly beta >= Phi(Phi^-1(1 - alpha) - mu), 1 if certainly less: the sign of mu(test) - mu.

    By a rational z on either side of -Phi^-1(alpha): Phi(-z) <= alpha and Phi(z - mu) <= beta prove the first. How z
    was guessed does not matter.
    """
    bits, level = alpha.bits, sum(alpha.ends(), start=ZERO) / 2
    if not 0 < level < 1:
        raise Undecided
    guess = _guess(level)
    lost = 24 + ceil(guess * guess)
    for centre, slack in ((guess, 30), (None, bits - lost)):
        z = _improved(guess, level, bits, work) if centre is None else centre
        low, high = z - Fraction(2) ** -slack, z + Fraction(2) ** -slack
        if (normal(-high, bits, work) - alpha).hi <= 0 and (normal(high - mu, bits, work) - beta).hi <= 0:
            return -1
        if (normal(-low, bits, work) - alpha).lo >= 0 and (normal(low - mu, bits, work) - beta).lo > 0:
            return 1
    raise Undecided


def _guess(alpha: Fraction) -> Fraction:
    """Returns about the z with Phi(-z) = alpha; beyond floats by e^(-z^2/2) = alpha."""
    small = alpha if alpha < Fraction(1, 2) else 1 - alpha
    if small > Fraction(1, 10**300):
        z = -Fraction(NormalDist().inv_cdf(float(small)))
    else:
        z = Fraction(isqrt((small.denominator.bit_length() - small.numerator.bit_length()) * 1454 << 20), 32 << 10)
    return z if alpha < Fraction(1, 2) else -z


def _improved(z: Fraction, alpha: Fraction, bits: int, work: Work) -> Fraction:
    """Returns z after Newton's steps for ln Phi(-z) = ln alpha, of the smaller tail."""
    flip = alpha > Fraction(1, 2)
    z, log = abs(z), rational(1 - alpha if flip else alpha, bits + 64).log()
    for _ in range(bits.bit_length() + 4):
        tail = normal(-z, bits + 64, work)
        move = sum(((tail.log() - log) * tail / density(z * z, bits + 64)).ends(), start=ZERO) / 2
        z = Fraction(round((z + move) * (1 << bits)), 1 << bits)
        if abs(move) < Fraction(1, 1 << (bits // 2 + 2)):
            break
    return -z if flip else z


class Gaussian(Notion):
    """beta >= Phi(Phi^-1(1 - alpha) - mu) for every test; the witness's test has a threshold, or is trivial."""

    place = ("threshold",)

    def __init__(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        self.claimed = _bound(guarantee, "gaussian", "mu")
        self.quantity, self.guarantee = "mu", f"{self.claimed}-GDP"
        self.threshold = number(witness["threshold"], "threshold") if "threshold" in witness else None

    def test(self, pair: Pair) -> Point:
        """Returns alpha and beta of the test that rejects where the loss exceeds the threshold."""
        work, bits, at = pair.law.work, pair.law.bits, self.threshold or ZERO
        pair.spend(5)
        chosen = [not p.is_zero and compare(p, q, at, work) > 0 for p, q in pair.both]
        alpha = [constant(ZERO, bits), *(q for (_, q), yes in zip(pair.both, chosen, strict=True) if yes)]
        beta = [constant(ZERO, bits), *(p for (p, _), yes in zip(pair.both, chosen, strict=True) if not yes)]
        return joint(alpha, bits, work), joint(beta, bits, work)

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of mu(test) - bound."""
        if self.threshold is None:
            return -1 if bound else 0
        alpha, beta = self.test(pair)
        return above_gaussian(alpha.value, beta.value, bound, pair.law.work)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether some test lies below the Gaussian trade-off function."""
        if pair.is_infinite() or Pair(pair.law, pair.y, pair.x).is_infinite():
            return True
        points = [] if pair.same() else powerful(pair)
        return any(above_gaussian(alpha.value, beta.value, bound, pair.law.work) > 0 for alpha, beta in points)


class TradeOff(Gaussian):
    """beta >= f(alpha) for every test; f is convex, so the most powerful tests decide."""

    finite = True

    def __init__(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        only(guarantee, ("kind", "text", "points"), "the guarantee")
        given = take(guarantee, "points", list)
        if guarantee.get("kind") != "trade-off" or not all(isinstance(p, list) and len(p) == 2 for p in given):
            raise Malformed("the guarantee is not of the kind of the quantity, or points is not a list of pairs")
        points = [(number(a, "alpha"), number(b, "beta")) for a, b in given]
        if len(points) < 2 or points[0][0] != 0 or points[-1] != (Fraction(1), ZERO) or points[0][1] > 1:
            raise Malformed("f does not lead from (0, at most 1) to (1, 0)")
        if any(b[0] <= a[0] or b[1] > a[1] for a, b in pairwise(points)):
            raise Malformed("f does not fall")
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
        if any(right < left for left, right in pairwise(slopes)):
            raise Malformed("f is not convex")
        self.lines = [(slope, b - slope * a) for slope, (a, b) in zip(slopes, points, strict=False)]
        self.claimed, self.quantity = ZERO, "the least margin beta - f(alpha)"
        self.guarantee = "f-DP through " + ", ".join(f"({alpha}, {beta})" for alpha, beta in points)
        self.threshold = number(witness["threshold"], "threshold") if "threshold" in witness else None

    def _deficit(self, point: Point, bound: Fraction, work: Work) -> int:
        """Returns the sign of f(alpha) - beta - bound: f is the largest of its lines."""
        (alpha, beta), bits = point, point[0].value.bits
        work.spend(6 * len(self.lines) * step(bits))
        lines = ([scaled(alpha, slope, ZERO, work)] * bool(slope) + [scaled(beta, Fraction(-1), ZERO, work),
                 constant(height - bound, bits)] for slope, height in self.lines)  # fmt: skip
        return max(sign(line, work) for line in lines)

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign at the witness's test; the value of the trivial one is 0."""
        if self.threshold is None:
            return (bound < 0) - (bound > 0)
        return self._deficit(self.test(pair), bound, pair.law.work)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether f(alpha) - beta > bound for some test."""
        return any(self._deficit(point, bound, pair.law.work) > 0 for point in powerful(pair))


# ================================================================== certificates

NOTIONS: dict[str, type[Any]] = {
    **{"epsilon": Loss, "delta": Delta, "renyi": Renyi},
    **{"zcdp_rho": Zcdp, "gdp_mu": Gaussian, "trade-off": TradeOff},
}
DIGITS = 2100
MEMBERS = ("format", "version", "subject", "statement", "witness", "method", "versions", "sha256")
BOUNDS = ("quantity", "lower", "upper", "verdict")
PAIR, COUNTS = ("x", "x_prime"), ("datasets", "pairs", "outputs")
VERDICTS = ("PROVED", "REFUTED", "UNDECIDED")


class Part:
    """One certificate: lower <= the largest value over all pairs <= upper, a witness, a verdict on a claimed bound."""

    def __init__(self, document: dict[str, Any], full: bool, work: Work) -> None:
        only(document, MEMBERS, "the certificate")
        only(take(document, "versions", dict), ("dpaudit", "python-flint", "python"), "versions")
        self.subject, self.statement = take(document, "subject", dict), take(document, "statement", dict)
        self.witness, method = take(document, "witness", dict), take(document, "method", dict)
        self.counts, self.full, self.work = take(method, "counts", dict), full, work
        only(method, ("arithmetic", "precision_bits", "counts"), "the method")
        only(self.counts, COUNTS, "the counts")
        self.verdict = self.statement.get("verdict")
        if self.verdict not in (None, *VERDICTS):
            raise Malformed("verdict is not one of PROVED, REFUTED, UNDECIDED")
        self._read_notion(self.statement)
        self.law = read_law(self.subject, self.bits, work)

    def _read_notion(self, statement: dict[str, Any]) -> None:
        """Reads the quantity, its bounds (None: infinite) and what is claimed."""
        quantity, guarantee = statement.get("quantity"), statement.get("guarantee", {})
        if not isinstance(quantity, str) or quantity not in NOTIONS:
            raise Malformed(f"quantity is none of {', '.join(NOTIONS)}")
        of_dp = quantity in ("epsilon", "delta")
        if not of_dp:
            only(statement, (*BOUNDS, "guarantee"), "the statement")
            guarantee = take(statement, "guarantee", dict)
        notion = self.notion = NOTIONS[quantity](statement if of_dp else guarantee, self.witness)
        only(self.witness, (*PAIR, *notion.place), "the witness")
        if of_dp and notion.claimed is None and self.verdict is not None:
            raise Malformed("there is a verdict but nothing is claimed")
        if not of_dp and self.verdict is None:
            raise Malformed("there is no verdict")
        if not of_dp and guarantee.get("text") not in (None, notion.guarantee):
            raise Malformed("the text of the guarantee does not say what its numbers say")
        ends = [statement.get(end) for end in ("lower", "upper")]
        least, most = (None if end == "inf" else number(end, "lower or upper", DIGITS) for end in ends)
        if (least is None) != (most is None) or (least is not None and most is not None and least > most):
            raise Malformed("lower and upper are no interval")
        if least is None and notion.finite:
            raise Malformed("delta or a margin is infinite")
        if quantity == "trade-off" and least is not None and most is not None:
            least, most = -most, -least  # it states the smallest margin, which is minus the value
        self.least, self.most = least, most
        texts = [*ends, *(statement.get(name) for name in ("claimed", "claimed_delta", "at"))]
        texts += [self.witness.get(name) for name in ("alpha", "threshold")]
        texts += [] if of_dp else [value for value in guarantee.values() if isinstance(value, str)]
        self.bits = 128 + 4 * max(len(text) for text in texts if isinstance(text, str))
        prior = self.subject.get("prior")
        if isinstance(prior, list):
            self.bits += 4 * max((len(alpha) for alpha in prior if isinstance(alpha, str)), default=0)

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """Returns what was established and the statement, with more bits if that is needed to decide."""
        for factor in (1, 2, 4, 8, 16):
            self.law = read_law(self.subject, factor * self.bits, self.work)
            try:
                return self._check(self.law) + self._conclude(), self._say()
            except Undecided:
                continue
        raise Rejected(f"undecided with {16 * self.bits} bits: the stated bounds are too tight to be confirmed")

    def _check(self, law: Law) -> list[str]:
        datasets, pairs, outputs = law.counts()
        x, y = (law.place(self.witness.get(name), name) for name in PAIR)
        for name, found in zip(COUNTS, law.counts(), strict=True):
            if type(self.counts.get(name)) is not int or self.counts[name] != found:
                raise Rejected(f"the number of {name} is {brief(found)}, not as stated")
        if not law.adjacent(x, y):  # type: ignore[arg-type]
            raise Rejected("the witness is not a pair of adjacent data sets")
        if self.full:
            self.work.spend(pairs * outputs * 3 * step(law.bits), keep=True)
        if isinstance(self.notion, Loss):
            law.output(self.witness.get("output"))
        law.pay(datasets if self.full else self.notion.rows)
        lines = ["the counts are right, the witness is a pair of adjacent data sets", *law.row_lines]
        if isinstance(law, Table):
            for z in (x, y):
                law.row(str(z))  # both rows are there, even if nothing is asked of them
        lines += self._at_witness(Pair(law, x, y))
        if not self.full:
            return [*lines, "upper bound: not checked (--full does)"]
        return [*lines, f"{law.bits} bits", *self._everywhere(law)]

    @property
    def _by_delta(self) -> bool:
        """Whether epsilon is stated and the claim has a delta: then delta(claimed epsilon) decides, over all pairs."""
        return isinstance(self.notion, Loss) and self.notion.delta > 0

    def _trivial(self, bound: Fraction) -> bool:
        """Returns whether no value can exceed the bound."""
        return self.notion.largest is not None and bound >= self.notion.largest

    def _at_witness(self, pair: Pair) -> list[str]:
        notion, verdict = self.notion, self.verdict
        if notion.infinite(pair) != (self.least is None):
            raise Rejected("the loss at the witness is infinite, or it is not, contrary to the bounds")
        if self.least is None or self.most is None:
            if verdict == "PROVED" and notion.refutes:
                raise Rejected("the verdict PROVED contradicts the infinite loss at the witness")
            return ["lower bound: an output is possible for x and impossible for x': the value is infinite"]
        if (self.least > 0 or isinstance(notion, Loss)) and notion.reached(pair, self.least) < 0:
            raise Rejected("the value at the witness is below the stated lower bound")
        if not self._trivial(self.most) and notion.reached(pair, self.most) > 0:
            raise Rejected("the value at the witness is above the stated upper bound")
        lines = ["lower bound: the value at the witness reaches it"]
        if verdict not in ("PROVED", "REFUTED") or notion.claimed is None or self._by_delta:
            return lines
        if not (notion.proves if verdict == "PROVED" else notion.refutes):
            raise Rejected("a verdict is stated where delta, which falls as epsilon grows, does not decide the claim")
        exceeds = not self._trivial(notion.claimed) and notion.reached(pair, notion.claimed) > 0
        if exceeds != (verdict == "REFUTED"):
            raise Rejected(f"the verdict {verdict} contradicts the value at the witness")
        return [*lines, "verdict REFUTED: the value at the witness exceeds the claimed bound"] if exceeds else lines

    def _everywhere(self, law: Law) -> list[str]:
        notion, claimed, lines, bound = self.notion, self.notion.claimed, [], self.most
        proved = self.verdict == "PROVED" and not self._by_delta
        if bound is not None:
            bound = min(bound, claimed) if proved and claimed is not None else bound
            for pair in () if self._trivial(bound) else self._pairs(law):
                if notion.exceeded(pair, bound):
                    raise Rejected(f"the value of x = {brief(pair.x)}, x' = {brief(pair.y)} exceeds the upper bound")
            lines = ["upper bound: no pair and output exceeds it"]
        if proved:
            lines.append("verdict PROVED: no pair and output exceeds the claimed bound")
        if self._by_delta and self.verdict in ("PROVED", "REFUTED"):
            delta = Delta({"at": self.statement["claimed"]}, {})
            exceeds = notion.delta < 1 and any(delta.exceeded(pair, notion.delta) for pair in self._pairs(law))
            if exceeds != (self.verdict == "REFUTED"):
                raise Rejected(f"the verdict {self.verdict} contradicts delta({brief(claimed)})")
            lines.append(f"verdict {self.verdict}: by delta at the claimed epsilon, all pairs")
        return lines

    def _pairs(self, law: Law) -> Iterator[Pair]:
        return (Pair(law, x, y) for x in law.datasets() for y in law.neighbours(x))  # type: ignore[arg-type]

    @property
    def checked(self) -> bool:
        """Returns whether the verdict is."""
        decided = self.verdict in ("PROVED", "REFUTED")
        return (self.full and decided) or (self.verdict == "REFUTED" and self.notion.refutes)

    def _conclude(self) -> list[str]:
        """The bounds are right: refuses a missing or open verdict that follows from them; says if it is not checked."""
        notion, claimed, expected = self.notion, self.notion.claimed, None
        if claimed is None:
            return []
        if self.full and notion.proves and self.most is not None and self.most <= claimed:
            expected = "PROVED"
        if notion.refutes and (self.least is None or self.least > claimed):
            expected = "REFUTED"
        if expected is not None and self.verdict != expected:
            raise Rejected(f"the verdict {self.verdict} contradicts the bounds, by which it is {expected}")
        return [] if self.checked else [f"verdict: not checked ({self.verdict or 'none'} is stated)"]

    def _say(self) -> dict[str, Any]:
        """Returns the full sentence and its members."""
        subject, words, relation = self.law.says()
        datasets, ordered, outputs = self.law.counts()
        pairs, possible = ordered // 2, datasets * (datasets - 1) // 2
        left_out = (
            f"; {possible - pairs} pairs are LEFT OUT" if pairs < possible and relation == "EXPLICIT LIST" else ""
        )
        lower, upper = (brief(self.statement[end]) for end in ("lower", "upper"))
        one = f"at most {upper}" if isinstance(self.notion, TradeOff) else f"at least {lower}"
        open_ = f"is {one} (stated: between {lower} and {upper}, of which the other end is NOT CHECKED)"
        value = "is infinite" if lower == "inf" else f"lies between {lower} and {upper}" if self.full else open_
        verdict = f"{self.verdict or 'none'}{'' if self.checked or self.verdict is None else ', which is NOT CHECKED'}"
        claim = f"claimed: {brief(self.notion.guarantee)}; verdict: {verdict}" if self.notion.guarantee else "no claim"
        checked = "full" if self.full else "witness only"
        relation_text = f"{relation}, {brief(pairs)} of {brief(possible)} possible pairs{left_out}"
        return {
            "text": f"{words}; adjacent: {relation_text}; {brief(datasets)} data sets, {brief(outputs)} outputs: "
            f"{self.notion.quantity} {value}; {claim}; checked: {checked}",
            "subject": subject,
            "adjacency": {"relation": relation, "pairs": pairs, "possible": possible},
            **{"datasets": datasets, "outputs": outputs},
            **{name: self.statement.get(name) for name in ("quantity", "at", "lower", "upper")},
            **{"claim": self.notion.guarantee or None, "verdict": self.verdict, "verdict_checked": self.checked},
            "checked": checked,
        }


def digest(document: dict[str, Any]) -> str:
    """Returns the SHA-256 of everything but the hash itself, in canonical JSON: sorted names, no spaces, ASCII."""
    content = {name: value for name, value in document.items() if name != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _parts(document: Any, full: bool, work: Work, name: str = "") -> Iterator[tuple[str, Part]]:
    """Yields the certificates of the file after their hashes are checked; what the lines of each begin with."""
    if not isinstance(document, dict) or document.get("format") != FORMAT or take(document, "version", int) != 1:
        raise Malformed(f'{name}this is not a "{FORMAT}" of version 1')
    if document.get("sha256") != digest(document):
        raise Rejected("the hash does not fit the content: the file was changed or damaged")
    parts = document.get("parts")
    if parts is None or name:
        yield name, Part(document, full, work)
        return
    only(document, ("format", "version", "parts", "sha256"), "the certificate")
    if not isinstance(parts, list) or not 0 < len(parts) <= 1000:
        raise Malformed("parts is not a list of 1 to 1000 certificates")
    for i, part in enumerate(parts, start=1):
        yield from _parts(part, full, work, f"part {i}: ")


def verify(document: Any, full: bool = False, work: int = WORK) -> tuple[list[str], dict[str, Any]]:
    """Returns what was established line by line, and the statement; raises Rejected with the first thing that fails."""
    lines, said = ["the hash fits the content"], []
    try:
        for name, part in _parts(document, full, Work(work)):
            found, statement = part.check()
            lines += [name + line for line in found]
            said.append((name, statement))
    except Malformed as problem:
        raise Rejected(f"malformed: {problem}") from None
    except RecursionError:
        raise Rejected("malformed: nested too deeply") from None
    except (ArithmeticError, ValueError, TypeError, LookupError, AttributeError) as problem:
        raise Rejected(f"malformed: {type(problem).__name__}") from None
    if said[0][0] == "":
        return lines, said[0][1]
    text = "; ".join(name + statement["text"] for name, statement in said)
    return lines, {"text": text, "parts": [statement for _, statement in said]}


def refused(document: dict[str, Any]) -> str | None:
    """Returns why this certificate can never be accepted, or None if nothing in its form forbids it."""
    try:
        for _, part in _parts(document, False, Work(WORK)):
            part.law = read_law(part.subject, 64, part.work)
            with suppress(Undecided):
                part.law.row_lines  # noqa: B018
    except Malformed as problem:
        return str(problem)
    except (Rejected, RecursionError):
        return "it is too large, or nested too deeply"
    return None


# ================================================================== limits: the file is read and checked in a child


def read(content: bytes) -> Any:
    """Returns the JSON: whole numbers are ints, others the text as written; no name twice, no NaN, bounded numbers."""

    def text(token: str) -> str:
        if len(token) > 2200:
            raise Malformed(f"has a number of {len(token)} characters")
        return token

    def constant(token: str) -> Any:
        raise Malformed(f"has {token}, which is no number")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise Malformed("has a name twice in one object")
        return found

    if len(content) > MAX_BYTES:
        raise Malformed(f"is larger than {MAX_BYTES >> 20} MiB")
    hooks: dict[str, Any] = {"parse_int": lambda token: int(text(token)), "parse_float": text}
    try:
        return json.loads(content.decode("utf-8-sig"), parse_constant=constant, object_pairs_hook=members, **hooks)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Malformed(f"is not JSON{where}, not UTF-8 text, or nested too deeply") from None


def _confine(seconds: int, memory: int) -> None:
    """Gives this process its limits, where the system has such: the signals end it even within one operation."""
    with suppress(ImportError):
        import resource

        signal.alarm(seconds + 1)
        for kind, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory << 20)):
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _child(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the result on the file; this process has its limits."""
    found: dict[str, Any] = {"established": [], "statement": None, "reason": None, "unreadable": None}
    try:
        _confine(options.seconds, options.memory)
        with Path(options.certificate).open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        found["established"], found["statement"] = verify(read(content), options.full, options.work)
    except Malformed as problem:
        found["reason"] = f"malformed: {problem}"
    except Rejected as problem:
        found["reason"] = str(problem)
    except (OSError, ValueError) as error:
        found["unreadable"] = getattr(error, "strerror", None) or "is no file name"
    except MemoryError:
        found["reason"] = f"too large to be checked: needs more than {options.memory} MiB of memory (--memory)"
    return found


def run(
    path: str, full: bool = False, work: int = WORK, seconds: int = SECONDS, memory: int = MEMORY
) -> dict[str, Any]:
    """Returns established, statement, reason (None: ACCEPTED) and unreadable (None, or why), found by a child.

    Whatever the file holds, this ends after about ``seconds``, and the child has at most ``memory`` MiB.
    """
    failed: dict[str, Any] = {"established": [], "statement": None, "reason": None, "unreadable": None}
    command = [sys.executable, "-I", str(Path(__file__).resolve()), "--child", f"--work={work}"]
    command += [f"--seconds={seconds}", f"--memory={memory}", *(["--full"] if full else []), "--", path]
    needed = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
    nothing = subprocess.DEVNULL
    try:
        done = subprocess.run(command, stdin=nothing, capture_output=True, timeout=seconds + 2, check=False, env=needed)
    except subprocess.TimeoutExpired:
        return {**failed, "reason": f"too large to be checked: takes longer than {seconds} seconds (--seconds)"}
    except (OSError, ValueError):
        return {**failed, "unreadable": "is no file name"}
    try:
        return dict(json.loads(done.stdout))
    except ValueError:
        limits = f"takes more than {seconds} seconds (--seconds) or {memory} MiB of memory (--memory)"
        return {**failed, "reason": f"too large to be checked: {limits}; the check ended with code {done.returncode}"}


def main() -> int:
    """Checks one file; returns the exit code."""
    parser = argparse.ArgumentParser(description="Checks a certificate along a path of its own.")
    parser.add_argument("certificate")
    parser.add_argument("--full", action="store_true", help="check the upper bound too: every pair, every output")
    parser.add_argument("--json", action="store_true", help="print JSON")
    for name, value, what in (
        ("work", WORK, "refuse what needs more steps, about a microsecond each"),
        ("seconds", SECONDS, "give up after so many seconds"),
        ("memory", MEMORY, "give up beyond so many MiB"),
    ):
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{what} (default {value})")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if min(options.work, options.seconds, options.memory) < 1:
        parser.error("--work, --seconds and --memory are whole numbers >= 1")
    if options.child:
        print(json.dumps(_child(options)))
        return 0
    found = run(options.certificate, options.full, options.work, options.seconds, options.memory)
    if found["unreadable"] is not None:
        print(f"{brief(options.certificate)}: cannot be read: {found['unreadable']}", file=sys.stderr)
        return 2
    accepted = found["reason"] is None
    if options.json:
        print(json.dumps({"result": "ACCEPTED" if accepted else "REJECTED", **found}, indent=1))
    else:
        print(*(f"  {line}\n" for line in found["established"]), sep="", end="")
        print(f"ACCEPTED: {found['statement']['text']}" if accepted else f"REJECTED: {found['reason']}")
    return 0 if accepted else 1


if __name__ == "__main__":
    sys.exit(main())
