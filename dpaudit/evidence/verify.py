"""The verifier of certificates: one file, standard library only, nothing of the engine.

Certificates of theorems (for every epsilon, every prior of a box, every n) need verify_theorems.py beside it.

    python verify.py certificate.json           the lower bound, from the witness alone
    python verify.py certificate.json --full    and the upper bound: every pair, every output

Exit code 0: ACCEPTED, with a sentence that says what; 1: REJECTED, with the first thing that fails; 2: no such file.
Read in this order: intervals, functions, sums of exponentials, entries, laws, notions, certificates, limits. A
certificate is data: nothing in it is run. Beside each function stands why its interval contains the true value.
"""

from __future__ import annotations

import argparse
import decimal
import hashlib
import importlib.util
import io
import json
import os
import re
import signal
import stat
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from itertools import accumulate, pairwise, product
from math import ceil, comb, isqrt
from operator import add
from pathlib import Path
from statistics import NormalDist
from typing import Any

FORMAT = "dpaudit certificate"
WORK, SECONDS, MEMORY = 60_000_000, 60, 1024
"""The limits unless raised: steps of about a microsecond, seconds, MiB."""
MAX_BYTES = 32 << 20
MAX_SIZE = 1200
"""exp takes arguments below 10^MAX_SIZE."""


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


def step(digits: int, other: int = 0) -> int:
    """Returns the price of an operation on numbers of so many digits: some microseconds, and their square."""
    return 2 + (digits * (other or digits) >> 14)


def function(digits: int) -> int:
    """Returns the price of exp, log or sqrt: about 5 sqrt(digits) multiplications."""
    return 30 + 5 * isqrt(digits) * (digits * digits >> 14)


def brief(value: object) -> str:
    """Returns the value as printable ASCII of about 80 characters at most; a giant whole number as a power of 2."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"2^{value.bit_length() - 1}"
    return shortened(ascii(str(value))[1:-1])


def shortened(text: str) -> str:
    """Returns about 80 characters of the text at most."""
    return text if len(text) <= 80 else text[:60] + f"... ({len(text)} characters)"


# ================================================================== intervals


@lru_cache(maxsize=256)
def _rounding(digits: int) -> tuple[Context, Context]:
    """Returns the arithmetic that rounds down and the one that rounds up; what overflows is refused."""
    limits: dict[str, Any] = {"prec": digits, "Emin": decimal.MIN_EMIN, "Emax": decimal.MAX_EMAX}
    limits["traps"] = [decimal.Overflow, decimal.InvalidOperation, decimal.DivisionByZero]
    return Context(rounding=decimal.ROUND_FLOOR, **limits), Context(rounding=decimal.ROUND_CEILING, **limits)


class Interval:
    """All numbers from lo 10^e to hi 10^e, both of at most ``digits`` digits; e is 0, or large and even.

    Every operation finds both ends of the exact result, the lower one rounded down, the upper one rounded up: the
    result contains what the exact operation gives for any members of the operands.
    """

    __slots__ = ("digits", "e", "hi", "lo")

    def __init__(self, lo: Decimal, hi: Decimal, digits: int, e: int = 0) -> None:
        self.lo, self.hi, self.digits, self.e = lo, hi, digits, e

    def __add__(self, other: Interval) -> Interval:
        down, up = _rounding(self.digits)
        a, b, c, d, e = _aligned(self, other)
        return Interval(down.add(a, c), up.add(b, d), self.digits, e)

    def __neg__(self) -> Interval:
        return Interval(self.hi.copy_negate(), self.lo.copy_negate(), self.digits, self.e)

    def __sub__(self, other: Interval) -> Interval:
        return self + -other

    def __mul__(self, other: Interval) -> Interval:
        """x y is monotone in x and in y: the extremes lie at ends."""
        (down, up), e = _rounding(self.digits), self.e + other.e
        if self.lo >= 0 and other.lo >= 0:
            return Interval(down.multiply(self.lo, other.lo), up.multiply(self.hi, other.hi), self.digits, e)
        ends = list(product((self.lo, self.hi), (other.lo, other.hi)))
        return Interval(min(down.multiply(*i) for i in ends), max(up.multiply(*i) for i in ends), self.digits, e)

    def __truediv__(self, other: Interval) -> Interval:
        """So is x / y where y keeps its sign."""
        if other.lo <= 0 <= other.hi:
            raise Undecided
        (down, up), e = _rounding(self.digits), self.e - other.e
        if self.lo >= 0 and other.lo > 0:
            return Interval(down.divide(self.lo, other.hi), up.divide(self.hi, other.lo), self.digits, e)
        ends = list(product((self.lo, self.hi), (other.lo, other.hi)))
        return Interval(min(down.divide(*i) for i in ends), max(up.divide(*i) for i in ends), self.digits, e)

    def sqrt(self) -> Interval:
        """The library rounds to nearest: the root lies between the neighbours of what it returns."""
        if self.lo < 0:
            raise Malformed("sqrt of a negative number") if self.hi < 0 else Undecided
        down, up = _rounding(self.digits)
        low, high = (down.sqrt(end) for end in (self.lo, self.hi))
        ends = (down.next_minus(low) if low else low, up.next_plus(high) if high else high)
        return Interval(*ends, self.digits, self.e // 2)

    def exp(self) -> Interval:
        """e^x rises: from the lower bound at lo to the upper bound at hi."""
        plain = self.plain()
        return reduce(hull, (_exp(end, self.digits) for end in {plain.lo, plain.hi}))

    def log(self) -> Interval:
        """The logarithm rises: from the lower bound at lo to the upper bound at hi."""
        found = reduce(hull, (_log(end, self.digits) for end in {self.positive().lo, self.hi}))
        return found + rational(self.e, self.digits) * _log(Decimal(10), self.digits) if self.e else found

    def positive(self) -> Interval:
        """Returns the interval itself if it lies above 0."""
        if self.lo <= 0:
            raise Malformed("log of a number that is not positive") if self.hi <= 0 else Undecided
        return self

    def __le__(self, other: Interval) -> bool:
        """Returns True only if every member is at most every member of the other; ends alone are not compared."""
        return (self - other).hi <= 0

    def sign(self) -> int | None:
        """Returns -1, 0 or 1, or None if the interval does not tell."""
        return (self.lo > 0) - (self.hi < 0) or (None if self.lo or self.hi else 0)

    def positive_part(self) -> Interval:
        """Returns max(0, x)."""
        return Interval(max(self.lo, Decimal()), max(self.hi, Decimal()), self.digits, self.e)

    def ends(self) -> tuple[Fraction, Fraction]:
        """Returns both ends, exactly."""
        if self.e or abs(self.lo.adjusted()) + abs(self.hi.adjusted()) > 1 << 19:
            raise Undecided
        return Fraction(self.lo), Fraction(self.hi)

    def at(self, digits: int) -> Interval:
        """Returns an interval around this one with another precision."""
        down, up = _rounding(digits)
        return Interval(down.plus(self.lo), up.plus(self.hi), digits, self.e)

    def plain(self) -> Interval:
        """Returns an interval around this one with e = 0."""
        if self.e > 10**18 and (self.lo or self.hi):
            raise Malformed("a number is too large for a function")
        if self.e <= 0:
            return Interval(*_aligned(rational(1, self.digits), self)[2:4], self.digits)
        down, up = _rounding(self.digits)
        return Interval(down.scaleb(self.lo, min(self.e, 10**18)), up.scaleb(self.hi, min(self.e, 10**18)), self.digits)


def _aligned(a: Interval, b: Interval) -> tuple[Decimal, Decimal, Decimal, Decimal, int]:
    """Returns the ends of both with one e, the larger one; what lies far below the other is rounded outward."""
    if a.e == b.e or not (a.lo or a.hi):
        return a.lo, a.hi, b.lo, b.hi, b.e
    if a.e < b.e or not (b.lo or b.hi):
        c, d, low, high, e = _aligned(b, a)
        return low, high, c, d, e
    (down, up), by = _rounding(b.digits), max(b.e - a.e, -(10**18))
    part = Interval(down.scaleb(b.lo, by), up.scaleb(b.hi, by), b.digits)
    part = part if by == b.e - a.e else hull(part, rational(0, b.digits))
    return a.lo, a.hi, part.lo, part.hi, a.e


def rational(value: Fraction | int, digits: int) -> Interval:
    """The quotient rounded down and rounded up."""
    ends = Decimal(value.numerator), Decimal(value.denominator)
    down, up = _rounding(digits)
    return Interval(down.divide(*ends), up.divide(*ends), digits)


def hull(a: Interval, b: Interval) -> Interval:
    """Returns the interval from the smaller lower end to the larger upper end."""
    p, q, r, t, e = _aligned(a, b)
    return Interval(min(p, r), max(q, t), a.digits, e)


def larger(a: Interval, b: Interval) -> Interval:
    """The maximum lies between the larger lower and the larger upper end."""
    p, q, r, t, e = _aligned(a, b)
    return Interval(max(p, r), max(q, t), a.digits, e)


def total(values: Iterable[Interval], digits: int) -> Interval:
    """Returns the sum."""
    return sum(values, start=Interval(Decimal(), Decimal(), digits))


# ================================================================== functions


def _exp(x: Decimal, digits: int) -> Interval:
    """e^|x|: the Taylor series of t = |x| / 2^h < 2^-sqrt(digits), squared h times; for x < 0 one over that.

    Every operation is off by a factor 1 +- u, u = 10^(1 - wide), t and n terms (all positive, what is left out is below
    u) together by less than 4n + 4 of them; h squares make it 2^h (4n + 5) u < 10^(h/3) 10^8 u < 10^-(digits + 3).
    A large x is k ln 10 + rest, k even, in intervals: e^x = 10^k e^rest.
    """
    if not x:
        return rational(1, digits)
    if x.adjusted() > MAX_SIZE:
        raise Malformed(f"exp of a number beyond 10^{MAX_SIZE}")
    if x.adjusted() > 16:
        wide = digits + x.adjusted() + 10
        ln10, near = _log(Decimal(10), wide), _rounding(wide)[0]
        k = 2 * int(near.divide(x, near.multiply(2, ln10.lo)))
        rest = (Interval(x, x, wide) - ln10 * rational(k, wide)).at(digits + 5).exp().at(digits)
        return Interval(rest.lo, rest.hi, digits, k)
    h = isqrt(4 * digits) + max(0, 4 * x.adjusted() + 4)
    wide = digits + h // 3 + 13
    near, n = _rounding(wide)[0], 0
    t = near.divide(x.copy_abs(), Decimal(1 << h))
    found = term = Decimal(1)
    while term.adjusted() > -wide:
        n += 1
        term = near.divide(near.multiply(term, t), Decimal(n))
        found = near.add(found, term)
    for _ in range(h):
        found = near.multiply(found, found)
    found, slack = near.divide(Decimal(1), found) if x < 0 else found, Decimal(f"1e-{digits + 2}")
    return (Interval(found, found, wide) * Interval(near.subtract(1, slack), near.add(1, slack), wide)).at(digits)


@lru_cache(maxsize=1 << 8)
def _log(x: Decimal, digits: int) -> Interval:
    """ln x = g + ln(1 + t), 1 + t = x e^-g, for any g; t - t^2 <= ln(1 + t) <= t for |t| < 1/2, and both sides rise.

    g begins with 20 digits after the point and every turn doubles them; it is a guess, the enclosure is that of the
    last turn. Near 1 as many digits more as x - 1 has zeros.
    """
    if x == 1:
        return rational(0, digits)
    start = _rounding(20 + len(str(x.adjusted())))[0]
    off, g = start.subtract(x, 1), start.ln(x)
    widths = [digits + 12 + max(0, -off.adjusted(), g.adjusted())]
    while widths[-1] > 36:
        widths.append(widths[-1] // 2 + 6)
    for wide in reversed(widths):
        guess = Interval(g, g, wide)
        t = (Interval(x, x, wide) * (-guess).exp() - rational(1, wide)).plain()
        if not -0.5 < t.lo <= t.hi < 0.5:
            raise Undecided
        low, high = (Interval(end, end, wide) for end in (t.lo, t.hi))
        near = guess + hull(low - low * low, high)
        g = near.lo
    return near.at(digits)


@lru_cache(maxsize=64)
def pi(digits: int) -> Interval:
    """Machin: pi = 16 arctan(1/5) - 4 arctan(1/239); what is left out of a series is at most its last power."""
    wide, found = digits + 10, []
    for m in (5, 239):
        power, square, n = rational(Fraction(1, m), wide), rational(m * m, wide), 1
        arctan = power
        while power.hi.adjusted() > -wide:
            power, n = power / square, n + 2
            term = power / rational(n, wide)
            arctan = arctan + (term if n % 4 == 1 else -term)
        found.append(arctan + hull(-power, power))
    return (rational(16, wide) * found[0] - rational(4, wide) * found[1]).at(digits)


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


def log_gamma(x: Interval, digits: int, work: Work) -> Interval:
    """ln Gamma(x), x > 0; paid for, and found once."""
    x = x.positive().plain()
    wide = digits + 20 + 2 * max(0, x.hi.adjusted() + 1)
    work.spend(4 * wide * step(wide) + (wide // 3 + 5) ** 2 * step(wide * 2, 16) + 4 * function(wide))
    return _log_gamma(x.lo, x.hi, wide).at(digits)


@lru_cache(maxsize=1 << 10)
def _log_gamma(lo: Decimal, hi: Decimal, wide: int) -> Interval:
    """Stirling's series at z = x + N, minus ln x (x+1) ... (x+N-1).

    For real z > 0 its error is at most the first term left out, which is added on both sides.
    """
    z, one, half = Interval(lo, hi, wide), rational(1, wide), rational(Fraction(1, 2), wide)
    steps, count = one, wide // 3 + 4
    while z.lo < 2 * wide:
        steps, z = steps * z, z + one
    found = (z - half) * z.log() - z + half * (pi(wide) + pi(wide)).log() - steps.log()
    power = one / z
    square, term = power * power, one
    for j, t in enumerate(_tangents(count + 1)[1 : count + 2], start=1):
        bottom = (2 * j - 1) * ((1 << (4 * j)) - (1 << (2 * j)))
        term = rational(t, wide) * power / rational(bottom, wide)
        if j > count or term.hi.adjusted() < -wide:
            break
        found, power = (found + term if j % 2 else found - term), power * square
    return found + hull(-term, term)


@lru_cache(maxsize=1 << 12)
def exp_of(value: Fraction, digits: int) -> Interval:
    """Returns e^value; so many digits more as the value has before the point."""
    wide = digits + max(0, value.numerator.bit_length() - value.denominator.bit_length()) // 3
    return rational(value, wide).exp().at(digits)


def normal(z: Fraction, digits: int, work: Work) -> Interval:
    """Phi(z) = 1/2 + phi(z) S, S = z + z^3/3 + z^5/(3 5) + ...; for z < 0 it is 1/2 - phi(z) S(-z).

    From 2n + 3 > 2 z^2 on the terms fall by a half at least: what is left out is at most the last one taken. z^2 / 2
    digits more make up for the difference of nearly equal numbers. For large |z|: 0 < Phi(-|z|) < e^(-z^2/2).
    """
    square = z * z
    if square > 50 * digits:
        tail = hull(rational(0, digits), exp_of(-square / 2, digits))
        return tail if z < 0 else rational(1, digits) - tail
    wide, n = digits + 10 + ceil(square) // 2, 0
    work.spend((3 * wide + 2 * ceil(square)) * 3 * step(wide) + 2 * function(wide))
    ratio, term = rational(square, wide), rational(abs(z), wide)
    found = term
    while term.hi and (term.hi.adjusted() > -wide or 2 * n + 3 <= 2 * square):
        n += 1
        term = term * ratio / rational(2 * n + 1, wide)
        found = found + term
    part = exp_of(-square / 2, wide) / (pi(wide) + pi(wide)).sqrt() * (found + hull(rational(0, wide), term))
    return (rational(Fraction(1, 2), wide) + (part if z >= 0 else -part)).at(digits)


# ================================================================== sums of exponentials

Sum = dict[Fraction, Fraction]
"""{a: c} is the exact number sum of c e^a. It is 0 only if all c are: exponentials of distinct rationals are linearly
independent over the rationals (Lindemann-Weierstrass)."""
Form = tuple[Sum, Sum]
"""A quotient of two of them."""
ZERO = Fraction(0)
ONE: Sum = {ZERO: Fraction(1)}
MAX_PRODUCTS, MAX_FORM_DIGITS = 400**2, 20_000
"""A form that needs more products, or longer numbers, is not attempted; what needs it is then not known exactly."""


def _length(*parts: int) -> int:
    """Returns about how many digits they have together."""
    return sum(part.bit_length() for part in parts) // 3 + 1


def _size(*sums: Sum) -> int:
    """Returns the digits of the longest number in them."""
    numbers = (v for terms in sums for item in terms.items() for v in item)
    return max((_length(v.numerator, v.denominator) for v in numbers), default=1)


def sum_of(sums: list[Sum], work: Work) -> Sum:
    """Returns the sum, exactly; its denominators divide the product of the distinct ones, by which it is paid for."""
    found: Sum = {}
    terms = [item for part in sums for item in part.items()]
    wide = _length(*{c.denominator for _, c in terms})
    work.spend(sum(3 * step(wide, _length(c.numerator, c.denominator)) for _, c in terms))
    for exponent, c in terms:
        found[exponent] = found.get(exponent, ZERO) + c
    return {exponent: c for exponent, c in found.items() if c}


def product_of(a: Sum, b: Sum, work: Work) -> Sum:
    """Returns the product, exactly."""
    work.spend(2 * (len(a) * len(b) + 1) * step(_size(a), _size(b)))
    found: Sum = {}
    for (s, c), (t, d) in product(a.items(), b.items()):
        found[s + t] = found.get(s + t, ZERO) + c * d
    return {exponent: c for exponent, c in found.items() if c}


def form_product(a: Form | None, b: Form | None, work: Work) -> Form | None:
    """Returns a b; None where one of them is not known, or the product gets too long."""
    if a is None or b is None or max(len(c) * len(d) for c, d in zip(a, b, strict=True)) > MAX_PRODUCTS:
        return None
    if _size(*a, *b) > MAX_FORM_DIGITS:
        return None
    return product_of(a[0], b[0], work), product_of(a[1], b[1], work)


def form_sum(forms: Iterable[Form | None], work: Work) -> Form | None:
    """Returns the sum, first of those with one denominator; None where it is not known."""
    groups: dict[frozenset[tuple[Fraction, Fraction]], list[Sum]] = {}
    for form in forms:
        if form is None:
            return None
        groups.setdefault(frozenset(form[1].items()), []).append(form[0])
    whole: Form | None = None
    for key, tops in groups.items():
        top, bottom = sum_of(tops, work), dict(key)
        if whole is None:
            whole = top, bottom
            continue
        left, right = form_product(whole, (bottom, bottom), work), form_product((top, ONE), (whole[1], ONE), work)
        if left is None or right is None:
            return None
        whole = sum_of([left[0], right[0]], work), left[1]
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
        """Returns whether the value, a probability, is 0; it is undecided if that is not told from > 0."""
        if self.value.sign() is None:
            raise Undecided
        return self.value.lo <= 0

    @property
    def is_exactly_zero(self) -> bool:
        """Returns True only if the value is 0 by algebra."""
        return self.form is not None and not self.form[0]

    def times(self, other: Number, work: Work) -> Number:
        """Returns the product; its form on demand."""
        return Number(self.value * other.value, lambda: form_product(self.form, other.form, work))

    def inverse(self) -> Number:
        """Returns 1 over the number."""
        if self.is_exactly_zero:
            raise Malformed("an entry divides by zero")
        return Number(rational(1, self.value.digits) / self.value, self.form and (self.form[1], self.form[0]))


def exponential(factor: Fraction, exponent: Fraction, digits: int) -> Number:
    """Returns factor e^exponent."""
    value = rational(factor, digits)
    return Number(value * exp_of(exponent, digits) if exponent else value, ({exponent: factor} if factor else {}, ONE))


def constant(value: Fraction, digits: int) -> Number:
    """Returns the rational number."""
    return exponential(value, ZERO, digits)


def sign(numbers: list[Number], work: Work) -> int:
    """Returns the sign of the sum; 0 is recognised where all are known exactly."""
    found = reduce(add, (n.value for n in numbers)).sign()
    if found is None:
        form = form_sum((n.form for n in numbers), work)
        if form is None or form[0]:
            raise Undecided
    return found or 0


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


def evaluate(entry: Any, digits: int, work: Work, depth: int = 0) -> Number:
    """Returns the value of an entry; every operation is paid for before it is done."""
    if isinstance(entry, str):
        work.spend(step(len(entry) + digits))
        return constant(number(entry, "an entry"), digits)
    if not isinstance(entry, list) or not entry or not isinstance(entry[0], str) or depth > MAX_DEPTH:
        raise Malformed("an entry is neither a number nor an operation with arguments, or nested too deeply")
    name, count = entry[0], len(entry) - 1
    if name not in ARGUMENTS or (count < 2 if name in "+*" else count != ARGUMENTS[name]):
        raise Malformed(f"there is no operation {brief(name)} of {count} arguments")
    parts = [evaluate(argument, digits, work, depth + 1) for argument in entry[1:]]
    work.spend((count + 1) * step(digits))
    if name == "+":
        return Number(total((part.value for part in parts), digits), form_sum((part.form for part in parts), work))
    if name in "*/":
        return reduce(partial(_product, work), parts if name == "*" else (parts[0], parts[1].inverse()))
    if name == "^":
        return _power(parts[0], parts[1].rational(), digits, work)
    return _function(name, parts[0] if parts else constant(ZERO, digits), digits, work)


def _product(work: Work, a: Number, b: Number) -> Number:
    found = a.times(b, work)
    return Number(found.value, found.form)


def _power(base: Number, exponent: Fraction | None, digits: int, work: Work) -> Number:
    """By squares: a product of n factors that lie in the interval lies in the product of n intervals."""
    if exponent is None or exponent.denominator != 1 or not exponent:
        raise Malformed("an exponent is not a whole number")
    n, square, found = abs(int(exponent)), base if exponent > 0 else base.inverse(), constant(Fraction(1), digits)
    work.spend(2 * n.bit_length() * step(digits))
    while n:
        found = _product(work, found, square) if n & 1 else found
        n >>= 1
        square = _product(work, square, square) if n else square
        if square.value.e.bit_length() > 1 << 13:
            raise Malformed("a power is too large")
    return found


def _function(name: str, argument: Number, digits: int, work: Work) -> Number:
    value, exact = argument.value, argument.rational()
    size = max(0, min(MAX_SIZE, max(value.lo.adjusted(), value.hi.adjusted())))
    work.spend(2 * function(digits + 20) + 20 * step(digits + size))
    if name == "pi":
        work.spend(8 * digits * step(digits))
        return Number(pi(digits))
    if name == "exp":
        return Number(value.exp()) if exact is None else exponential(Fraction(1), exact, digits)
    if name == "log":
        return Number(value.log(), ({}, ONE) if exact == 1 else None)
    if name == "sqrt":
        return constant(ZERO, digits) if argument.is_exactly_zero else Number(value.sqrt())
    return Number(log_gamma(value, digits, work))


# ================================================================== the form of a certificate


KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number", bool: "true or false"}


def shape(document: Any, what: str, kinds: dict[str, type | None]) -> list[Any]:
    """Returns the members: these and no others, of these kinds (None: anything, or missing); a bool is no int."""
    if not isinstance(document, dict):
        raise Malformed(f"{what} is not {KINDS[dict]}")
    for name in document:
        if name not in kinds:
            raise Malformed(f"{what} has the unknown member '{brief(name)}'")
    for name, kind in kinds.items():
        value = document.get(name)
        if kind is not None and (not isinstance(value, kind) or isinstance(value, bool) != (kind is bool)):
            raise Malformed(f"{name} is not {KINDS[kind]}")
    return [document.get(name) for name in kinds]


def whole(value: Any, size: int, most: int) -> bool:
    """Returns whether this is a list of ``size`` whole numbers from 0 to ``most``."""
    return isinstance(value, list) and len(value) == size and all(type(i) is int and 0 <= i <= most for i in value)


# ================================================================== laws
# The distributions, without symmetry, closed form or shortcut: counts() of data sets, ordered adjacent pairs, outputs
# (not listed), datasets(), neighbours(x), adjacent(x, y), row(x) in the order of the outputs, at(x, output), pay(rows)
# for so many rows or for single probabilities (0), place(value, name) of the JSON, check_rows(),
# says() for people.
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


class _Law:
    """What all laws share: a subclass has counts, datasets, links (the adjacent ones), make_row and the rest."""

    every_pair: bool

    def __init__(self, digits: int, work: Work) -> None:
        self.digits, self.work = digits, work
        self._rows: dict[Any, list[Number]] = {}

    def row(self: Any, x: Any) -> Any:
        if x not in self._rows:
            self._rows[x] = self.make_row(x)
        return self._rows[x]

    def neighbours(self: Any, x: Any) -> Iterable[Any]:
        return (y for y in self.datasets() if y != x) if self.every_pair else self.links(x)

    def adjacent(self: Any, x: Any, y: Any) -> bool:
        return x != y if self.every_pair else y in self.links(x)

    def check_rows(self) -> list[str]:
        return []


class _Family(_Law):
    """What the eight mechanisms share."""

    def __init__(self, subject: dict[str, Any], digits: int, work: Work) -> None:
        super().__init__(digits, work)
        names = FAMILY[subject["mechanism"]][1]
        kinds = {"mechanism": str, "n": int, "k": int, "prior": list, "parameters": dict, "nominal_epsilon": None}
        values = shape(subject, "the subject", {**kinds, "adjacency": None})
        self.mechanism, self.n, self.k, prior, given, epsilon, adjacency = values
        if adjacency not in (None, {"kind": "all"}):
            raise Malformed("the adjacency is not known")
        if not 1 <= self.n <= 10**9 or not 2 <= len(prior) <= 1000 or self.k != len(prior):
            raise Malformed("n, k and prior do not fit, or are too large")
        if set(given) != set(names):
            needed = f"the parameters of {self.mechanism} are not {', '.join(names)}"
            raise Malformed(needed if names else f"{self.mechanism} has no parameters")
        self.prior = tuple(number(alpha, "prior", 100) for alpha in prior)
        self.epsilon = number(epsilon, "nominal_epsilon", 100)
        self.parameters = {p: given[p] if p == "gs" else number(given[p], p, 100) for p in names}
        numbers = [*self.prior, self.epsilon, *(v for v in self.parameters.values() if isinstance(v, Fraction))]
        right = self.parameters.get("gs", "exact") in ("exact", "constant") and self.parameters.get("delta", 0) < 1
        if min(numbers) <= 0 or not right:
            raise Malformed("prior, epsilon or a parameter is out of range")
        self.every_pair, self.size = adjacency is not None, comb(self.n + self.k - 1, self.k - 1)

    def counts(self) -> tuple[int, int, int]:
        """By replacement: a histogram of n - 1 records, and one more in cell i or instead in cell j."""
        k, size = self.k, self.size
        pairs = size * (size - 1) if self.every_pair else k * (k - 1) * comb(self.n + k - 2, k - 1)
        return int(size), int(pairs), self.count_outputs()

    def count_outputs(self) -> int:
        return self.size

    def datasets(self) -> Iterable[Cells]:
        return histograms(self.n, self.k)

    def links(self, x: Cells) -> Iterable[Cells]:
        return replaced(x)

    def place(self, value: Any, name: str) -> Cells:
        if not whole(value, self.k, self.n) or sum(value) != self.n:
            raise Malformed(f"{name} is not a list of {self.k} counts from 0 to n, no histogram of {self.n} records")
        return tuple(value)

    def says(self) -> tuple[dict[str, Any], str, str]:
        members = {"kind": "family", "mechanism": self.mechanism, "n": self.n, "k": self.k}
        members |= {"prior": ", ".join(map(str, self.prior)), "nominal_epsilon": str(self.epsilon)}
        members |= {name: str(value) for name, value in self.parameters.items()}
        words = ", ".join(f"{name.replace('_', ' ')} = {value}" for name, value in list(members.items())[2:])
        return members, f"{self.mechanism} with {words}", "every pair" if self.every_pair else "one record replaced"


class _Laplace(_Family):
    """Cells floor(c_i + Lap(s/epsilon)) clipped into [0, n]; everything is a sum of exponentials, exactly."""

    @property
    def noised(self) -> int:
        return int(self.k - (self.mechanism != "LSZhang"))

    def count_outputs(self) -> int:
        return int((self.n + 1) ** self.noised)

    @property
    def scale(self) -> int:
        """Returns s."""
        return int({"LSZhang": 2, "LSDim": self.k, "LSHist": 1 if self.k == 2 else 2}[self.mechanism])

    def below(self, t: int, factor: int) -> list[Sum]:
        """Returns factor Pr[Lap(s/epsilon) < t], t whole: e^(-epsilon |t| / s) / 2 for t < 0, else 1 minus that."""
        tail = {-self.epsilon * abs(t) / self.scale: Fraction(factor if t < 0 else -factor, 2)}
        return [tail] if t < 0 else [{ZERO: Fraction(factor)}, tail]

    def cell(self, c: int, o: int) -> Number:
        """Returns Pr[clipped floor(c + noise) = o]: the noise lies in [o - c, o + 1 - c), the tails at the ends."""
        upper = [ONE] if o == self.n else self.below(o + 1 - c, 1)
        found = sum_of(upper + ([] if o == 0 else self.below(o - c, -1)), self.work)
        parts = (exponential(v, a, self.digits).value for a, v in found.items())
        return Number(total(parts, self.digits), (found, ONE))

    def products(self, cells: list[list[Number]]) -> list[Number]:
        """Returns all products of one probability of each cell."""
        return reduce(lambda found, cell: [a.times(b, self.work) for a in found for b in cell], cells)

    def at(self, x: Cells, output: Any) -> Number:
        if not whole(output, self.noised, self.n):
            raise Malformed(f"output is not a list of {self.noised} counts from 0 to n")
        return self.products([[self.cell(c, o)] for c, o in zip(x, output, strict=False)])[0]

    def make_row(self, x: Cells) -> list[Number]:
        return self.products([[self.cell(c, o) for o in range(self.n + 1)] for c in x[: self.noised]])

    def pay(self, rows: int) -> None:
        """A product for each probability; a handful of exponentials for each cell."""
        cells = (self.n + 1) * self.noised * rows if rows else 2 * self.noised
        self.work.spend(6 * cells * function(self.digits) + 2 * rows * self.count_outputs() * step(self.digits))


class _Exponential(_Family):
    """P_x(r) proportional to exp(-epsilon H(x,r) / divisor(x)) over the histograms r."""

    @cached_property
    def _histograms(self) -> list[Cells]:
        return list(self.datasets())

    @cached_property
    def _gammas(self) -> dict[Fraction, tuple[list[Interval], list[Interval]]]:
        """g[m] = Gamma(alpha + m/2) / Gamma(alpha), m = 0..2n, by Gamma(z + 1) = z Gamma(z); and 1 / sqrt(g[2i])."""
        tables, one, wide = {}, rational(1, self.digits), self.digits + 10
        for alpha in set(self.prior):
            ends = (rational(z, wide + alpha.numerator.bit_length()) for z in (alpha + Fraction(1, 2), alpha))
            half, full = (log_gamma(z, wide, self.work) for z in ends)
            g = [one, (half - full).exp().at(self.digits)]
            for m in range(2, 2 * self.n + 1):
                g.append(g[m - 2] * rational(alpha + Fraction(m - 2, 2), self.digits))
            tables[alpha] = g, [one / v.sqrt() for v in g[::2]]
        return tables

    def hellinger(self, c: Cells, d: Cells) -> Interval:
        """Returns H(c, d)."""
        found = one = rational(1, self.digits)
        for alpha, i, j in zip(self.prior, c, d, strict=True):
            if i != j:
                g, root = self._gammas[alpha]
                found = found * g[i + j] * root[i] * root[j]
        return (one - found).sqrt()

    def local(self, c: Cells) -> Interval:
        """Returns LS(c), the largest distance to a neighbour."""
        return reduce(larger, (self.hellinger(c, d) for d in replaced(c)))

    @cached_property
    def _locals(self) -> list[tuple[Cells, Interval]]:
        return [(c, self.local(c)) for c in self._histograms]

    @cached_property
    def _fading(self) -> list[Interval]:
        """e^(-gamma m), m = 0..n, gamma = ln(1 - epsilon / (2 ln(delta / (2(n+1))))) of MHdelta."""
        one, tail = rational(1, self.digits), rational(self.parameters["delta"] / (2 * (self.n + 1)), self.digits).log()
        factor = one / (one - rational(self.epsilon / 2, self.digits) / tail)
        return list(accumulate(range(self.n), lambda found, _: found * factor, initial=one))

    def divisor(self, c: Cells) -> Interval:
        """Returns 2 GS, 2 LS(c), 2 (1+gamma) S(c), 2 S(c) or 2 S_exp(c), by the mechanism's definition."""
        digits, one = self.digits, rational(1, self.digits)
        if self.mechanism == "EHDL":
            found = self.local(c)
        elif self.mechanism == "EHD" and self.parameters["gs"] == "constant":
            found = (one - pi(digits) / rational(4, digits)).sqrt()
        elif self.mechanism == "EHD":
            found = reduce(larger, (ls for _, ls in self._locals))
        elif self.mechanism == "MHdelta":  # S_exp(c) = max over d of LS(d) exp(-gamma |c - d|_1 / 2)
            found = reduce(larger, (ls * self._fading[distance(c, d)] for d, ls in self._locals))
        else:  # S(c) = max over d of 1 / (1/LS(d) + gamma |c - d|_1 / 2)
            gamma = self.parameters["gamma"]
            found = reduce(
                larger, (one / (one / ls + rational(gamma * distance(c, d), digits)) for d, ls in self._locals)
            )
            found = rational(1 + gamma, digits) * found if self.mechanism == "EHDS" else found
        return rational(2, digits) * found

    def make_row(self, x: Cells) -> list[Number]:
        """Returns the weights over their sum."""
        rate = rational(self.epsilon, self.digits) / self.divisor(x)
        weights = [(-(rate * self.hellinger(x, r))).exp() for r in self._histograms]
        everything = total(weights, self.digits)
        return [Number(w / everything) for w in weights]

    def at(self, x: Cells, output: Any) -> Any:
        return self.row(x)[self._histograms.index(self.place(output, "output"))]

    def pay(self, rows: int) -> None:
        """A distance and an exponential for each probability, local sensitivities, and tables of Gamma functions."""
        rows, digits = rows or 2, self.digits
        everywhere = self.mechanism in ("EHDS", "MH", "MHdelta") or self.parameters.get("gs") == "exact"
        distances = rows * self.size + (self.size if everywhere else rows) * self.k**2
        others = (rows * self.size if everywhere else 0) + len(set(self.prior)) * self.n
        price = distances * (3 * self.k + 8) * step(digits) + others * 6 * step(digits)
        self.work.spend(price + rows * self.size * function(digits))


FAMILY: dict[str, tuple[type[_Laplace | _Exponential], tuple[str, ...]]] = {
    **dict.fromkeys(("LSZhang", "LSDim", "LSHist"), (_Laplace, ())),
    **dict.fromkeys(("EHDS", "MH"), (_Exponential, ("gamma",))),
    "EHD": (_Exponential, ("gs",)),
    "EHDL": (_Exponential, ()),
    "MHdelta": (_Exponential, ("delta",)),
}
"""The class and the parameters of each mechanism."""
SUM_DIGITS = 155
"""At least with this many digits a row that algebra does not add up must sum to 1."""
SAID = ("nominal_epsilon", "parameters", "source", "source_sha256")
"""What a table says of itself: it is shown, and nothing follows from it."""


def is_family_name(name: str) -> bool:
    """Returns whether the text reads like the name of a mechanism of the family: case, width, marks do not matter."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name).casefold() if c.isalnum())
    return bare in {known.casefold() for known in FAMILY}


class _Table(_Law):
    """The rows of the certificate itself; adjacency is a list of pairs of positions, or every pair."""

    def __init__(self, subject: dict[str, Any], digits: int, work: Work) -> None:
        super().__init__(digits, work)
        kinds = {"datasets": list, "outputs": list, "rows": dict, "logarithmic": bool, "mechanism": str}
        more = dict.fromkeys(("pairs", *SAID))
        self.names, self.columns, self.entries, self.logarithmic, self.mechanism, pairs, *self.extra = shape(
            subject, "the subject", {**kinds, **more}
        )
        if is_family_name(self.mechanism):
            raise Malformed(f"a table may not be called {brief(self.mechanism)}, a mechanism of the family")
        for items in (self.names, self.columns):
            if not all(isinstance(item, str) for item in items) or len(set(items)) < len(items):
                raise Malformed("the names of data sets or outputs are not distinct texts")
        if len(self.names) < 2 or not set(self.entries) <= set(self.names):
            raise Malformed("there are too few data sets, or rows of unknown ones")
        if not all(isinstance(row, list) and len(row) == len(self.columns) > 0 for row in self.entries.values()):
            raise Malformed("a row has not one entry for each output")
        self.every_pair, self._exact = pairs is None, 0
        self._links: dict[str, dict[str, None]] = {x: {} for x in self.names}
        pairs = [] if pairs is None else pairs
        if not isinstance(pairs, list) or not all(whole(pair, 2, len(self.names) - 1) for pair in pairs):
            raise Malformed("pairs is not a list of pairs of positions of data sets")
        for x, y in ((self.names[i], self.names[j]) for i, j in pairs):
            if x == y or y in self._links[x]:
                raise Malformed("a pair occurs twice, or is none")
            self._links[x][y] = self._links[y][x] = None

    def counts(self) -> tuple[int, int, int]:
        """A pair is in both orders."""
        size, linked = len(self.names), sum(map(len, self._links.values()))
        return size, size * (size - 1) if self.every_pair else linked, len(self.columns)

    def datasets(self) -> Iterable[str]:
        return list(self.names)

    def links(self, x: str) -> Iterable[str]:
        return self._links[x]

    def at(self, x: str, output: Any) -> Any:
        if not isinstance(output, str) or output not in self.columns:
            raise Malformed("output is none of the outputs")
        return self.row(x)[self.columns.index(output)]

    def pay(self, rows: int) -> None:
        """Every entry pays for itself when it is evaluated; where all rows are needed, all are there."""
        for x in self.names if rows == len(self.names) else ():
            self._entries(x)

    def _entries(self, x: str) -> Any:
        if x not in self.entries:
            raise Malformed(f"the certificate does not hold the row of {brief(x)}")
        return self.entries[x]

    def place(self, value: Any, name: str) -> str:
        if not isinstance(value, str) or value not in self.names:
            raise Malformed(f"{name} is no data set")
        return value

    def check_rows(self) -> list[str]:
        """Every row that the certificate holds is checked, paired or not; returns what is known of them."""
        for x in self.entries:
            self.row(x)
        return [f"all {len(self.entries)} rows that it holds are distributions, {self._exact} of them by algebra"]

    def make_row(self, x: str) -> list[Number]:
        return (self._from_weights if self.logarithmic else self._from_entries)(self._entries(x), brief(x))

    def _entry(self, entry: Any, digits: int) -> Number:
        """Returns the probability: some number between two, or one whose sign is known."""
        if isinstance(entry, list) and entry[:1] == ["between"] and len(entry) == 3:
            low, high = (number(end, "an entry") for end in entry[1:])
            if not 0 <= low <= high:
                raise Malformed("between wants two numbers >= 0, the lower one first")
            return Number(hull(rational(low, digits), rational(high, digits)))
        found = evaluate(entry, digits, self.work)
        return found if sign([found], self.work) else constant(ZERO, digits)

    def _from_entries(self, entries: list[Any], x: str) -> list[Number]:
        numbers = [self._entry(entry, self.digits) for entry in entries]
        if any(n.value.hi < 0 for n in numbers):
            raise Malformed(f"the row of {x} has a negative entry")
        form = form_sum((n.form for n in numbers if n.form is not None), self.work) or ({}, ONE)
        settled = form[0] == form[1]  # those that are known exactly add up to 1, so the others are 0
        exact = settled or form[0] != {}
        if all(n.form is not None for n in numbers) and exact:
            one, self._exact = settled, self._exact + 1
        else:
            digits = max(self.digits, SUM_DIGITS)
            again = [self._entry(entry, digits).value for entry in entries]
            rest = (value for value, n in zip(again, numbers, strict=True) if n.form is None or not settled)
            one = (total(rest, digits) - rational(not settled, digits)).sign() in (None, 0)
        if not one:
            raise Malformed(f"the row of {x} does not sum to 1")
        return numbers

    def _from_weights(self, entries: list[Any], x: str) -> list[Number]:
        """Returns e^w / sum of e^w, also exactly where all w are rational."""
        given = [None if entry is None else evaluate(entry, self.digits, self.work) for entry in entries]
        weights = [_function("exp", n, self.digits, self.work) for n in given if n is not None]
        if not weights:
            raise Malformed(f"the row of {x} makes every output impossible")
        everything = Number(
            total((w.value for w in weights), self.digits), form_sum((w.form for w in weights), self.work)
        )
        rate, self._exact = everything.inverse(), self._exact + 1
        found = (w.times(rate, self.work) for w in weights)
        return [constant(ZERO, self.digits) if n is None else next(found) for n in given]

    def says(self) -> tuple[dict[str, Any], str, str]:
        given = zip(SAID, self.extra, strict=True)
        extra = {name: value for name, value in given if value not in (None, {})}
        held, apart = len(self.entries), len(self.entries) - self._exact
        members = {"kind": "table", "mechanism": self.mechanism, **extra, "rows": held, "exact": self._exact}
        words = f'the table in this certificate, which calls itself "{brief(self.mechanism)}"'
        words += "".join(f", {name.replace('_', ' ')} {brief(json.dumps(extra[name]))}" for name in extra)
        words += f"; it HOLDS ONLY {held} of {len(self.names)} rows" if held < len(self.names) else ""
        words += f"; {apart} of its {held} rows add up to 1 only AS FAR AS {SUM_DIGITS} DIGITS TELL" if apart else ""
        return members, words, "every pair" if self.every_pair else "EXPLICIT LIST"


def read_law(subject: dict[str, Any], digits: int, work: Work) -> Any:
    """Returns the mechanism that the certificate names, or holds."""
    name = subject.get("mechanism")
    if "rows" in subject:
        return _Table(subject, digits, work)
    if not isinstance(name, str) or name not in FAMILY:
        raise Malformed("the mechanism is not one of " + ", ".join(FAMILY))
    return FAMILY[name][0](subject, digits, work)


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

    def spend(self, operations: int, functions: int = 0) -> None:
        """Pays for so much at each output."""
        digits = self.law.digits
        self.law.work.spend(len(self.both) * (operations * step(digits) + functions * function(digits)))

    def signs(self, factor: Fraction, loss: Fraction) -> Iterator[tuple[Number, Number, int | None]]:
        """Yields p, -factor e^loss p' and the sign of their sum for each output; None where it is not told."""
        self.spend(5)
        work, rate = self.law.work, exponential(-factor, loss, self.law.digits)
        for p, q in self.both:
            other, found = q.times(rate, work), None
            with suppress(Undecided):
                found = sign([p, other], work)
            yield p, other, found

    def exceeds(self, loss: Fraction) -> Iterator[bool]:
        """Yields for each output whether p > e^loss p'."""
        for p, _, found in self.signs(Fraction(1), loss):
            if found is None:
                raise Undecided
            yield found > 0 and not p.is_zero

    def same(self) -> bool:
        """Returns True only if both distributions are equal, by algebra."""
        return all(found == 0 for _, _, found in self.signs(Fraction(1), ZERO))

    def excess(self, factor: Fraction, loss: Fraction, rest: Fraction) -> int:
        """Returns the sign of rest + the sum of max(0, p - factor e^loss p').

        A term whose sign is not told lies between 0 and its upper end; the sum of the others may tie exactly.
        """
        parts = [constant(rest, self.law.digits)]
        for p, other, found in self.signs(factor, loss):
            if found is None:
                parts.append(Number((p.value + other.value).positive_part()))
            elif found > 0:
                parts += [p, other]
        return sign(parts, self.law.work)


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
    ends = "lower", "upper"
    """The stated end that the witness reaches, and the one that no pair is beyond."""
    value, event, beyond, bound = "value", "output", "exceeds", "the claimed bound"
    """The words of the lines."""

    def infinite(self, pair: Pair) -> bool:
        """Returns whether the value at the witness is infinite."""
        return not self.finite and pair.is_infinite()

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of the value at the witness's place minus the bound."""
        raise NotImplementedError

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether the value of the pair, at any place, exceeds the bound."""
        return self.reached(pair, bound) > 0


OUTSIDE = {"lower": "below", "upper": "above"}
BOUNDS = dict.fromkeys(("quantity", "lower", "upper", "verdict"))


def _claim(statement: dict[str, Any], *more: str) -> tuple[Fraction | None, Fraction]:
    given = shape(statement, "the statement", {**dict.fromkeys(("claimed", "claimed_delta", *more)), **BOUNDS})[:2]
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
        (self.claimed, self.delta), self.witness = _claim(statement), witness
        self.refutes = not self.delta
        if self.claimed is not None:
            self.guarantee = f"({self.claimed}, {self.delta})-DP" if self.delta else f"{self.claimed}-DP"

    def _at(self, pair: Pair) -> tuple[Number, Number]:
        return pair.law.at(pair.x, self.witness.get("output")), pair.law.at(pair.y, self.witness.get("output"))

    def infinite(self, pair: Pair) -> bool:
        """Returns whether the output is possible for x and impossible for x', after a look at both enclosures."""
        p, q = self._at(pair)
        for name, found in (("p", p), ("p_prime", q)):
            ends = shape(self.witness.get(name), name, dict.fromkeys(("lower", "upper")))
            lower, upper = (number(end, name, DIGITS) for end in ends)
            for bound, wrong in ((lower, -1), (upper, 1)):  # every probability lies between 0 and 1
                certain = bound >= 1 if wrong > 0 else bound <= 0
                if not certain and sign([found, constant(-bound, pair.law.digits)], pair.law.work) == wrong:
                    raise Rejected(f"{name} does not lie in the stated enclosure")
        return q.is_zero and not p.is_zero

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of p - e^bound p'."""
        p, q = self._at(pair)
        rate = exponential(Fraction(-1), bound, pair.law.digits)
        return -1 if p.is_zero else sign([p, q.times(rate, pair.law.work)], pair.law.work)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether p > e^bound p' for some output."""
        return any(pair.exceeds(bound))


class Delta(Notion):
    """The sum of max(0, p - e^at p'), 1 at most."""

    finite, largest = True, Fraction(1)

    def __init__(self, statement: dict[str, Any], witness: dict[str, Any]) -> None:
        epsilon, delta = _claim(statement, "at")
        self.at = number(statement.get("at"), "at", DIGITS)
        if self.at < 0:
            raise Malformed("delta is asked for at a negative epsilon")
        self.quantity = f"delta({brief(self.at)})"
        if epsilon is not None:
            self.claimed, self.proves, self.refutes = delta, self.at <= epsilon, self.at >= epsilon
            self.guarantee = f"({epsilon}, {delta})-DP"

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of delta - bound."""
        return pair.excess(Fraction(1), self.at, -bound)


class Moments:
    """K(a) = (a - 1) D_a = ln sum p e^((a-1) L), L = ln(p/q), of one pair without infinite loss."""

    def __init__(self, pair: Pair) -> None:
        pair.spend(2, 2)
        self.digits, self.work = pair.law.digits, pair.law.work
        self.cells = [(p.value, (p.value / q.value).log()) for p, q in pair.both if not p.is_zero]
        self._found: dict[Fraction, Interval] = {}

    def cumulant(self, order: Fraction) -> Interval:
        """Returns K(order)."""
        if order not in self._found:
            self.work.spend(len(self.cells) * 2 * function(self.digits + 20 + _length(order.numerator)))
            less = rational(order - 1, self.digits)
            self._found[order] = total((p * (less * loss).exp() for p, loss in self.cells), self.digits).log()
        return self._found[order]

    def divergence(self, order: Fraction) -> Interval:
        """Returns D_order; order 1 is Kullback-Leibler."""
        if order > 1:
            return self.cumulant(order) / rational(order - 1, self.digits)
        return total((p * loss for p, loss in self.cells), self.digits)

    def below(self, a: Fraction, b: Fraction, rho: Fraction) -> bool:
        """Returns True only if K(t) <= rho t (t - 1) on [a, b]: D_t <= D_b; or K lies below its chord k + s (t - a).

        The least value of the parabola rho t (t - 1) - k - s (t - a) is s a - k - (rho + s)^2 / (4 rho).
        """
        if (self.divergence(b) - rational(rho * a, self.digits)).hi <= 0:
            return True
        if a == 1:
            return False
        left, right = self.cumulant(a), self.cumulant(b)
        slope = (right - left) / rational(b - a, self.digits)
        both = rational(rho, self.digits) + slope
        return (slope * rational(a, self.digits) - left - both * both / rational(4 * rho, self.digits)).lo >= 0

    def above(self, a: Fraction, b: Fraction, rho: Fraction, depth: int = 60) -> bool:
        """Returns whether K(t) > rho t (t - 1) for some t in [a, b], which is halved at most ``depth`` times."""
        if self.below(a, b, rho):
            return False
        middle = (a + b) / 2
        if (self.cumulant(middle) - rational(rho * middle * (middle - 1), self.digits)).lo > 0:
            return True
        if not depth:
            raise Undecided
        return self.above(a, middle, rho, depth - 1) or self.above(middle, b, rho, depth - 1)


def _bound(guarantee: dict[str, Any], kind: str, name: str, *others: str) -> Fraction:
    given = shape(guarantee, "the guarantee", dict.fromkeys((name, "kind", "text", *others)))
    value = number(given[0], name)
    if given[1] != kind or value < 0:
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
        return sign([Number(Moments(pair).divergence(self.order)), constant(-bound, pair.law.digits)], pair.law.work)

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
        if pair.is_infinite() or pair.same():
            return pair.is_infinite()
        if not bound:
            return self.reached(pair, bound) > 0
        moments, ends = Moments(pair), [Fraction(1)]
        last = max(loss.ends()[1] for _, loss in moments.cells) / bound
        while ends[-1] < last:
            ends.append(ends[-1] * 2)
        return any(moments.above(a, b, bound) for a, b in pairwise(ends))


# A test rejects for some outputs: alpha is their probability under x', beta that of the others under x.


def powerful(pair: Pair) -> list[tuple[Interval, Interval]]:
    """Returns the most powerful tests but the trivial ones, and points below the trade-off function between them.

    Every output is possible for both or for none. Those whose losses cannot be told apart are one step: from its left
    end the function falls at most as fast as the largest loss says, to its right end at least as fast as the smallest
    one says; both at the middle.
    """
    pair.spend(6, 3)
    digits, half, zero = pair.law.digits, rational(Fraction(1, 2), pair.law.digits), rational(0, pair.law.digits)
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
            steep, flat = (Interval(end, end, digits).exp() for end in (loss.hi, loss.lo))
            part = q * half
            found += [(left + part, beta - steep * part), (left + part, right + flat * part)]
    return found


def above_gaussian(alpha: Interval, beta: Interval, mu: Fraction, work: Work) -> int:
    """Returns -1 if certainly beta >= Phi(Phi^-1(1 - alpha) - mu), 1 if certainly less: the sign of mu(test) - mu.

    By a rational z on either side of -Phi^-1(alpha), found by division: Phi(-z) <= alpha and Phi(z - mu) <= beta prove
    the first. It begins at a guess that proves nothing. Phi(-z) < e^(-z^2/2) bounds |z| by sqrt(2 digits of the level).
    """
    digits, level = alpha.digits, sum(alpha.ends(), start=ZERO) / 2
    if not 0 < level < 1:
        raise Undecided
    small = min(level, 1 - level)
    high = Fraction(isqrt(2 * (small.denominator.bit_length() - small.numerator.bit_length() + 1)) + 1)
    low, tries = -high, [guess(level) + off for off in (Fraction(1, 1 << 40), -Fraction(1, 1 << 40))]
    for _ in range(6 * digits):
        z = tries.pop() if tries else (5 * low + 3 * high) / 8  # not the middle, which may be the quantile itself
        tail, miss = normal(-z, digits, work) - alpha, normal(z - mu, digits, work) - beta
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
    """Returns about the z with Phi(-z) = level."""
    return -Fraction(NormalDist().inv_cdf(min(max(float(level), 1e-300), 1 - 1e-16)))


class Gaussian(Notion):
    """beta >= Phi(Phi^-1(1 - alpha) - mu) for every test; the witness's test has a threshold, or is trivial."""

    place = ("threshold",)

    def __init__(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        self.claimed = _bound(guarantee, "gaussian", "mu")
        self.quantity, self.guarantee = "mu", f"{self.claimed}-GDP"
        self.threshold = number(witness["threshold"], "threshold") if "threshold" in witness else None

    def test(self, pair: Pair) -> tuple[list[Number], list[Number]]:
        """Returns what makes alpha and beta of the test that rejects where the loss exceeds the threshold."""
        chosen = list(zip(pair.both, pair.exceeds(self.threshold or ZERO), strict=True))
        return [q for (_, q), yes in chosen if yes], [p for (p, _), yes in chosen if not yes]

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of mu(test) - bound."""
        if self.threshold is None:
            return -1 if bound else 0
        alpha, beta = (total((n.value for n in numbers), pair.law.digits) for numbers in self.test(pair))
        return above_gaussian(alpha, beta, bound, pair.law.work)

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether some test lies below the Gaussian trade-off function."""
        if pair.is_infinite() or Pair(pair.law, pair.y, pair.x).is_infinite():
            return True
        points = [] if pair.same() else powerful(pair)
        return any(above_gaussian(alpha, beta, bound, pair.law.work) > 0 for alpha, beta in points)


class TradeOff(Gaussian):
    """beta >= f(alpha) for every test; f is the largest of its lines height - slope alpha.

    The least margin beta - f(alpha) is stated: minus the largest value, so that the witness bounds it from above.
    """

    finite = True
    ends = "upper", "lower"
    value, event, beyond, bound = "margin", "test", "is below", "0"

    def __init__(self, guarantee: dict[str, Any], witness: dict[str, Any]) -> None:
        kind, given, _ = shape(guarantee, "the guarantee", {"kind": None, "points": list, "text": None})
        if kind != "trade-off" or not all(isinstance(p, list) and len(p) == 2 for p in given):
            raise Malformed("the guarantee is not of the kind of the quantity, or points is not a list of pairs")
        points = [(number(a, "alpha"), number(b, "beta")) for a, b in given]
        if len(points) < 2 or points[0][0] != 0 or points[-1] != (Fraction(1), ZERO) or points[0][1] > 1:
            raise Malformed("f does not lead from (0, at most 1) to (1, 0)")
        if any(b[0] <= a[0] or b[1] > a[1] for a, b in pairwise(points)):
            raise Malformed("f does not fall")
        slopes = [(a[1] - b[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
        if any(right > left for left, right in pairwise(slopes)):
            raise Malformed("f is not convex")
        self.lines = [(slope, b + slope * a) for slope, (a, b) in zip(slopes, points, strict=False)]
        self.claimed, self.quantity = ZERO, "the least margin beta - f(alpha)"
        self.guarantee = "f-DP through " + ", ".join(f"({alpha}, {beta})" for alpha, beta in points)
        self.threshold = number(witness["threshold"], "threshold") if "threshold" in witness else None

    def reached(self, pair: Pair, bound: Fraction) -> int:
        """Returns the sign of f(alpha) - beta - bound at the witness's test; the value of the trivial one is 0."""
        if self.threshold is None:
            return (bound < 0) - (bound > 0)
        work, digits, (alphas, betas) = pair.law.work, pair.law.digits, self.test(pair)
        pair.spend(3 * len(self.lines))
        minus = constant(Fraction(-1), digits)
        rest = [p.times(minus, work) for p in betas]
        return max(
            sign([constant(h - bound, digits), *rest, *(q.times(constant(-s, digits), work) for q in alphas)], work)
            for s, h in self.lines
        )

    def exceeded(self, pair: Pair, bound: Fraction) -> bool:
        """Returns whether height - slope alpha - beta > bound for some test and line.

        The largest such value is height - 1 + the sum of max(0, p - slope p'), which is also height - slope + the sum
        of max(0, slope p' - p): of a line to (1, 0) the latter, which begins at 0 exactly.
        """
        for s, h in self.lines:
            if s == h == 0:
                found = -bound > 0
            elif s == h:
                found = Pair(pair.law, pair.y, pair.x).excess(1 / s, ZERO, -bound / s) > 0
            else:
                found = pair.excess(s, ZERO, h - 1 - bound) > 0
            if found:
                return True
        return False


# ================================================================== certificates

NOTIONS: dict[str, type[Any]] = {
    **{"epsilon": Loss, "delta": Delta, "renyi": Renyi},
    **{"zcdp_rho": Zcdp, "gdp_mu": Gaussian, "trade-off": TradeOff},
}
DIGITS = 2100
COUNTS = ("datasets", "pairs", "outputs")


class Bounds:
    """lower <= the largest value over all pairs <= upper, a witness, a verdict on a claimed bound."""

    def __init__(self, document: dict[str, Any], full: bool, work: Work) -> None:
        parts = dict.fromkeys(("subject", "statement", "witness", "method", "versions"), dict)
        values = shape(document, "the certificate", {**parts, "format": None, "version": None, "sha256": None})
        self.subject, self.statement, self.witness, method, versions = values[:5]
        shape(versions, "versions", dict.fromkeys(("dpaudit", "python-flint", "python")))
        self.counts = shape(method, "the method", {"counts": dict, "arithmetic": None, "precision_bits": None})[0]
        shape(self.counts, "the counts", dict.fromkeys(COUNTS))
        self.verdict, self.full, self.work = self.statement.get("verdict"), full, work
        if self.verdict not in (None, "PROVED", "REFUTED", "UNDECIDED"):
            raise Malformed("verdict is not one of PROVED, REFUTED, UNDECIDED")
        self._read_notion(self.statement)
        self.law = read_law(self.subject, self.digits, work)

    def _read_notion(self, statement: dict[str, Any]) -> None:
        """Reads the quantity, its bounds (None: infinite) and what is claimed."""
        quantity, guarantee = statement.get("quantity"), statement.get("guarantee", {})
        if not isinstance(quantity, str) or quantity not in NOTIONS:
            raise Malformed(f"quantity is none of {', '.join(NOTIONS)}")
        of_dp = quantity in ("epsilon", "delta")
        if not of_dp:
            shape(statement, "the statement", {**BOUNDS, "guarantee": dict})
        notion = self.notion = NOTIONS[quantity](statement if of_dp else guarantee, self.witness)
        shape(self.witness, "the witness", dict.fromkeys(("x", "x_prime", *notion.place)))
        if (self.verdict is not None and notion.claimed is None) or (self.verdict is None and not of_dp):
            raise Malformed("there is a verdict but nothing is claimed, or there is no verdict")
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
        self.least, self.most, prior = least, most, self.subject.get("prior")
        texts = [*statement.values(), *guarantee.values(), self.witness.get("alpha"), self.witness.get("threshold")]
        longest = (max((len(t) for t in group if isinstance(t, str)), default=0)
                   for group in (texts, prior if isinstance(prior, list) else []))  # fmt: skip
        self.digits = 40 + sum(longest)

    def refused(self) -> None:
        """Refuses what can never be accepted."""
        with suppress(Undecided):
            read_law(self.subject, 20, self.work).check_rows()

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """Returns what was established and the statement, with more digits if that is needed to decide."""
        for factor in (1, 2, 4, 8, 16):
            self.law = read_law(self.subject, factor * self.digits, self.work)
            with suppress(Undecided):
                return self._check(self.law) + self._conclude(), self._say()
        raise Rejected(f"undecided with {16 * self.digits} digits: the stated bounds are too tight to be confirmed")

    def _check(self, law: Any) -> list[str]:
        x, y = (law.place(self.witness.get(name), name) for name in ("x", "x_prime"))
        for name, found in zip(COUNTS, law.counts(), strict=True):
            if type(self.counts.get(name)) is not int or self.counts[name] != found:
                raise Rejected(f"the number of {name} is {brief(found)}, not as stated")
        if not law.adjacent(x, y):
            raise Rejected("the witness is not a pair of adjacent data sets")
        datasets, pairs, outputs = law.counts()
        if self.full:
            self.work.spend(pairs * outputs * 3 * step(law.digits), keep=True)
        law.pay(datasets if self.full else self.notion.rows)
        lines = ["the counts are right, the witness is a pair of adjacent data sets", *law.check_rows()]
        if isinstance(law, _Table):
            _ = Pair(law, x, y).both  # both rows are there, even if nothing is asked of them
        lines += self._at_witness(Pair(law, x, y))
        if not self.full:
            return [*lines, f"{self.notion.ends[1]} bound: not checked (--full does)"]
        return [*lines, f"{law.digits} digits", *self._everywhere(law)]

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
        near, far = notion.ends
        if (self.least > 0 or isinstance(notion, Loss)) and notion.reached(pair, self.least) < 0:
            raise Rejected(f"the {notion.value} at the witness is {OUTSIDE[near]} the stated {near} bound")
        if not self._trivial(self.most) and notion.reached(pair, self.most) > 0:
            raise Rejected(f"the {notion.value} at the witness is {OUTSIDE[far]} the stated {far} bound")
        lines = [f"{near} bound: the {notion.value} at the witness reaches it"]
        if verdict not in ("PROVED", "REFUTED") or notion.claimed is None or self._by_delta:
            return lines
        if not (notion.proves if verdict == "PROVED" else notion.refutes):
            raise Rejected("a verdict is stated where delta, which falls as epsilon grows, does not decide the claim")
        exceeds = not self._trivial(notion.claimed) and notion.reached(pair, notion.claimed) > 0
        if exceeds != (verdict == "REFUTED"):
            raise Rejected(f"the verdict {verdict} contradicts the {notion.value} at the witness")
        line = f"verdict REFUTED: the {notion.value} at the witness {notion.beyond} {notion.bound}"
        return [*lines, line] if exceeds else lines

    def _everywhere(self, law: Any) -> list[str]:
        notion, claimed, lines, bound = self.notion, self.notion.claimed, [], self.most
        proved, pairs = self.verdict == "PROVED" and not self._by_delta, partial(self._pairs, law)
        if bound is not None:
            bound = min(bound, claimed) if proved and claimed is not None else bound
            for pair in () if self._trivial(bound) else pairs():
                if notion.exceeded(pair, bound):
                    where = f"x = {brief(pair.x)}, x' = {brief(pair.y)}"
                    raise Rejected(f"the {notion.value} of {where} {notion.beyond} the {notion.ends[1]} bound")
            lines = [f"{notion.ends[1]} bound: no pair and {notion.event} {notion.beyond} it"]
        if proved:
            lines.append(f"verdict PROVED: no pair and {notion.event} {notion.beyond} {notion.bound}")
        if self._by_delta and self.verdict in ("PROVED", "REFUTED"):
            delta = Delta({"at": self.statement["claimed"]}, {})
            exceeds = notion.delta < 1 and any(delta.exceeded(pair, notion.delta) for pair in pairs())
            if exceeds != (self.verdict == "REFUTED"):
                raise Rejected(f"the verdict {self.verdict} contradicts delta({brief(claimed)})")
            lines.append(f"verdict {self.verdict}: by delta at the claimed epsilon, all pairs")
        return lines

    def _pairs(self, law: Any) -> Iterator[Pair]:
        return (Pair(law, x, y) for x in law.datasets() for y in law.neighbours(x))

    @property
    def _verdict_checked(self) -> bool:
        decided = self.verdict in ("PROVED", "REFUTED")
        return (self.full and decided) or (self.verdict == "REFUTED" and self.notion.refutes)

    def _conclude(self) -> list[str]:
        """The bounds are right: refuses a missing or open verdict that follows from them; says if it is not checked."""
        notion, claimed, expected = self.notion, self.notion.claimed, self.verdict
        if claimed is None:
            return []
        if self.full and notion.proves and self.most is not None and self.most <= claimed:
            expected = "PROVED"
        if notion.refutes and (self.least is None or self.least > claimed):
            expected = "REFUTED"
        if self.verdict != expected:
            raise Rejected(f"the verdict {self.verdict} contradicts the bounds, by which it is {expected}")
        return [] if self._verdict_checked else [f"verdict: not checked ({self.verdict or 'none'} is stated)"]

    def _say(self) -> dict[str, Any]:
        """Returns the full sentence and its members."""
        subject, words, relation = self.law.says()
        datasets, ordered, outputs = self.law.counts()
        pairs, possible = ordered // 2, datasets * (datasets - 1) // 2
        lower, upper = (brief(self.statement[end]) for end in ("lower", "upper"))
        one = f"at most {upper}" if isinstance(self.notion, TradeOff) else f"at least {lower}"
        open_ = f"is {one} (stated: between {lower} and {upper}, of which the other end is NOT CHECKED)"
        value = "is infinite" if lower == "inf" else f"lies between {lower} and {upper}" if self.full else open_
        sure, claim, checked = self._verdict_checked, "no claim", "full" if self.full else "witness only"
        if self.notion.guarantee:
            verdict = f"{self.verdict or 'none'}{'' if sure or self.verdict is None else ', which is NOT CHECKED'}"
            claim = f"claimed: {shortened(self.notion.guarantee)}; verdict: {verdict}"
        relations = f"{relation}, {brief(pairs)} of {brief(possible)} possible pairs"
        if pairs < possible and relation == "EXPLICIT LIST":
            relations += f"; {possible - pairs} {'pair is' if possible - pairs == 1 else 'pairs are'} LEFT OUT"
        return {
            "text": f"{words}; adjacent: {relations}; {brief(datasets)} data sets, {brief(outputs)} outputs: "
            f"{self.notion.quantity} {value}; {claim}; checked: {checked}",
            "subject": subject,
            "adjacency": {"relation": relation, "pairs": pairs, "possible": possible},
            **{"datasets": datasets, "outputs": outputs},
            **{name: self.statement.get(name) for name in ("quantity", "at", "lower", "upper")},
            **{"claim": self.notion.guarantee or None, "verdict": self.verdict, "verdict_checked": sure},
            "checked": checked,
        }


THEOREMS = ("every-epsilon", "prior-map", "every-n")
"""Kinds of certificates that the file verify_theorems.py beside this one checks."""


def kind_of(name: Any) -> Any:
    """Returns the class for a certificate of this ``kind``.

    It is made of the document, whether all is checked, and the work; it has check(), which returns lines and a
    statement with ``text``, and refused().
    """
    if name == "bounds":
        return Bounds
    if name not in THEOREMS:
        raise Malformed(f"the kind is none of {', '.join(('bounds', *THEOREMS))}")
    sys.modules.setdefault("dpaudit.evidence.verify", sys.modules[__name__])  # this file may be running alone
    beside = Path(__file__).with_name("verify_theorems.py")
    if not beside.is_file():
        raise Rejected("a certificate of a theorem is checked by verify_theorems.py, which is not beside this file")
    spec = importlib.util.spec_from_file_location("dpaudit.evidence.verify_theorems", beside)
    assert spec is not None
    module = sys.modules.get(spec.name)
    if module is None:
        module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
        assert spec.loader is not None
        spec.loader.exec_module(module)
    return module.KINDS[name]


def digest(document: dict[str, Any]) -> str:
    """Returns the SHA-256 of everything but the hash itself, in canonical JSON: sorted names, no spaces, ASCII."""
    content = {name: value for name, value in document.items() if name != "sha256"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _parts(document: Any, full: bool, work: Work, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yields the certificates of the file after their hashes are checked; what the lines of each begin with."""
    if not isinstance(document, dict) or document.get("format") != FORMAT or repr(document.get("version")) != "1":
        raise Malformed(f'{name}this is not a "{FORMAT}" of version 1')
    if document.get("sha256") != digest(document):
        raise Rejected("the hash does not fit the content: the file was changed or damaged")
    if "parts" not in document or name:
        kind = document.get("kind", "bounds")
        yield name, kind_of(kind)(document, full, work)
        return
    parts = shape(document, "the certificate", {"parts": list, "format": str, "version": int, "sha256": str})[0]
    if not 0 < len(parts) <= 1000:
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
            part.refused()
    except Malformed as problem:
        return str(problem)
    except (Rejected, RecursionError, decimal.Overflow):
        return "it is too large, or nested too deeply"
    return None


# ================================================================== limits: the file is read and checked in a child


def read(content: bytes) -> Any:
    """Returns the JSON: every number is whole and bounded, no name is there twice."""

    def text(token: str) -> str:
        if len(token) > 2200 or not token[-1].isdigit():
            raise Malformed(f"has {brief(token)}, which is no number, or one of more than 2200 characters")
        return token

    def refuse(token: str) -> None:
        raise Malformed(f"has {brief(text(token))}, which is not a whole number: others are written as text")

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise Malformed("has a name twice in one object")
        return found

    if len(content) > MAX_BYTES:
        raise Malformed(f"is larger than {MAX_BYTES >> 20} MiB")
    hooks: dict[str, Any] = {"parse_int": lambda token: int(text(token)), "parse_float": refuse, "parse_constant": text}
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=members, **hooks)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise Malformed(f"is not JSON{where}, not UTF-8 text, or nested too deeply") from None


def _content(path: str) -> bytes:
    """Returns at most MAX_BYTES + 1 bytes of a file; a pipe, a device or a folder is refused without waiting for it."""
    with os.fdopen(
        os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb"
    ) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError
        return file.read(MAX_BYTES + 1)


def _confine(seconds: int, memory: int) -> None:
    """Gives this process its limits, where the system has such: the signals end it even within one operation."""
    with suppress(ImportError):
        import resource

        signal.alarm(seconds + 1)
        for kind, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory << 20)):
            hard = resource.getrlimit(kind)[1]
            resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _result(**found: Any) -> dict[str, Any]:
    return {"established": [], "statement": None, "reason": None, "unreadable": None, **found}


def _child(options: argparse.Namespace) -> dict[str, Any]:
    """Returns the result on the file; this process has its limits."""
    try:
        _confine(options.seconds, options.memory)
        content = _content(options.certificate)
    except (OSError, ValueError) as error:
        return _result(unreadable=getattr(error, "strerror", None) or "it is no file but a folder, a pipe or a device")
    try:
        established, statement = verify(read(content), options.full, options.work)
        return _result(established=established, statement=statement)
    except Rejected as problem:
        return _result(reason=f"{'malformed: ' if isinstance(problem, Malformed) else ''}{problem}")
    except MemoryError:
        return _result(reason=f"too large to be checked: needs more than {options.memory} MiB of memory (--memory)")


def run(
    path: str, full: bool = False, work: int = WORK, seconds: int = SECONDS, memory: int = MEMORY
) -> dict[str, Any]:
    """Returns established, statement, reason (None: ACCEPTED) and unreadable (None, or why), found by a child.

    Whatever the file holds, this ends after about ``seconds``, and the child has at most ``memory`` MiB.
    """
    command = [sys.executable, "-I", str(Path(__file__).resolve()), "--child", f"--work={work}"]
    command += [f"--seconds={seconds}", f"--memory={memory}", *(["--full"] if full else []), "--", path]
    needed = {name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH")}
    nothing, large = subprocess.DEVNULL, "too large to be checked: takes"
    try:
        done = subprocess.run(command, stdin=nothing, capture_output=True, timeout=seconds + 2, check=False, env=needed)
        return dict(json.loads(done.stdout))
    except subprocess.TimeoutExpired:
        return _result(reason=f"{large} longer than {seconds} seconds (--seconds)")
    except json.JSONDecodeError:
        limits = f"more than {seconds} seconds (--seconds) or {memory} MiB of memory (--memory)"
        return _result(reason=f"{large} {limits}; the check ended with code {done.returncode}")
    except (OSError, ValueError):
        return _result(unreadable="is no file name")


def extent(statement: dict[str, Any]) -> str:
    """Returns how far the certificate, or each kind of its parts, was checked."""
    return ", ".join(dict.fromkeys(part["checked"] for part in statement.get("parts", [statement])))


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
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    found = run(options.certificate, options.full, options.work, options.seconds, options.memory)
    if found["unreadable"] is not None:
        print(f"{brief(options.certificate)}: cannot be read: {found['unreadable']}", file=sys.stderr)
        return 2
    accepted = found["reason"] is None
    if options.json:
        print(json.dumps({"result": "ACCEPTED" if accepted else "REJECTED", **found}, indent=1))
    else:
        print(*(f"  {line}\n" for line in found["established"]), sep="", end="")
        said = found["statement"]
        print(f"ACCEPTED ({extent(said)}): {said['text']}" if accepted else f"REJECTED: {found['reason']}")
    return 0 if accepted else 1


if __name__ == "__main__":
    sys.exit(main())
