"""Certified reals: FLINT's balls (``arb``), their ends and their comparisons; ``precision`` alone sets the precision.

A ball is a midpoint and a radius; every operation returns a ball that contains the true result. A comparison of
two balls has three outcomes, so nothing outside ``dpaudit.numbers`` writes ``<`` between balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import floor, inf, nextafter

from flint import arb, fmpq

from dpaudit.numbers.enclosure import Enclosure, exact, outward
from dpaudit.numbers.precision import (
    NeedsMoreBits,
    PrecisionExhausted,
    bits_for,
    decide,
    precision,
    refine,
    refine_all,
    working_bits,
)
from dpaudit.numbers.verdict import Verdict

__all__ = [
    "NeedsMoreBits",
    "PrecisionExhausted",
    "bits_for",
    "decide",
    "precision",
    "refine",
    "refine_all",
    "working_bits",
]
"""What ``precision`` defines and most modules take from here."""

Ball = arb


def ball(value: Fraction | int) -> Ball:
    """A ball that contains the rational exactly given."""
    return arb(fmpq(value.numerator, value.denominator))


def pi() -> Ball:
    """A ball that contains pi."""
    return arb.pi()


def zero() -> Ball:
    """Exactly 0."""
    return arb(0)


def infinity() -> Ball:
    """Exactly +infinity."""
    return arb("inf")


def is_infinity(value: Ball) -> bool:
    """Whether the ball is exactly +infinity (an unknown number is not)."""
    return bool(not value.is_finite() and value > 0)


MAX_SHIFT = 1 << 20
"""A number of size beyond 2^MAX_SHIFT is not written out; one below 2^-MAX_SHIFT is bounded by that."""


def ends(value: Ball) -> tuple[Fraction, Fraction]:
    """Rational ends: of the ball exactly, its radius is dyadic; for sizes below 2^-MAX_SHIFT outward."""
    if not value.is_finite():
        raise NeedsMoreBits(working_bits())
    (low, high), (_, radius) = _dyadic(value.mid()), _dyadic(value.rad())
    return low - radius, high + radius


def cut(low: Ball, high: Ball, least: int | None = None, most: int | None = None) -> tuple[Fraction, Fraction]:
    """The lower end of one ball and the upper end of the other, cut at bounds that are known by mathematics."""
    found = ends(low)[0], ends(high)[1]
    if least is not None:
        found = max(found[0], Fraction(least)), max(found[1], Fraction(least))
    return found if most is None else (min(found[0], Fraction(most)), min(found[1], Fraction(most)))


def whole_part(value: Ball) -> int | None:
    """The largest whole number that is at most the number in the ball; None where the ball leaves that open."""
    low, high = (floor(end) for end in ends(value))
    return low if low == high else None


def _dyadic(value: Ball) -> tuple[Fraction, Fraction]:
    """Bounds of a ball without radius: its exact value twice, unless it is as good as 0."""
    mantissa, exponent = (int(part) for part in value.man_exp())
    if mantissa and exponent + mantissa.bit_length() < -MAX_SHIFT:
        tiny = Fraction(1, 1 << MAX_SHIFT)
        return (Fraction(0), tiny) if mantissa > 0 else (-tiny, Fraction(0))
    if exponent > MAX_SHIFT:
        raise PrecisionExhausted(working_bits())
    exact = _shifted(mantissa, exponent)
    return exact, exact


def _shifted(mantissa: int, exponent: int) -> Fraction:
    return Fraction(mantissa << exponent) if exponent >= 0 else Fraction(mantissa, 1 << -exponent)


def dyadic_ends(value: Ball) -> tuple[int, int, int]:
    """Whole numbers lo, hi and e: the ball is the numbers from lo 2^e to hi 2^e, whatever their size."""
    if not value.is_finite():
        raise NeedsMoreBits(working_bits())
    (middle, e), (radius, f) = ((int(part) for part in end.man_exp()) for end in (value.mid(), value.rad()))
    if not radius or not middle:
        return middle - radius, middle + radius, e if middle else f
    low = min(e, f)
    if max(e, f) - low > MAX_SHIFT:
        raise PrecisionExhausted(working_bits())
    middle, radius = middle << (e - low), radius << (f - low)
    return middle - radius, middle + radius, low


def middle(value: Ball) -> Ball:
    """The midpoint of the ball, exactly."""
    return value.mid()


def upper(value: Ball) -> Ball:
    """An exact number that is >= every number in the ball."""
    return value.upper()


def dyadic(value: float) -> Ball:
    """Exactly the number that the binary float is."""
    return arb(value)


def float_below(value: Ball) -> float:
    """A float that is <= every number in the ball, and the lower end itself if that is a float."""
    end = ends(value)[0]
    try:
        near = float(end)
    except OverflowError:  # beyond all floats
        near = inf if end > 0 else -inf
    return near if near <= end else nextafter(near, -inf)


def float_above(value: Ball) -> float:
    """A float that is >= every number in the ball, and the upper end itself if that is a float."""
    return -float_below(-value)


def largest_error(values: Sequence[Ball], floats: Sequence[float], relative: bool = False) -> float:
    """A float that is certainly >= |v - f| for every value v with its float f; or >= |v - f| / |v|.

    It is infinite where one of these has no bound: a ball that is not finite, or, relatively, one that contains 0.
    """
    worst = arb(0)
    for v, f in zip(values, floats, strict=True):
        error = (v - f).abs_upper()
        if relative:
            error = error if error.is_zero() else (error / v).abs_upper()
        if not error.is_finite():
            return inf
        if not error <= worst:
            worst = error
    return float_above(worst)


def midpoint(value: Ball, bits: int) -> int:
    """The midpoint times 2^bits, rounded: for choosing candidates, never for deciding."""
    if not value.is_finite():
        raise NeedsMoreBits(working_bits())
    mantissa, exponent = value.mid().man_exp()
    shift = int(exponent) + bits
    return int(mantissa) << shift if shift >= 0 else int(mantissa) >> -shift


def from_ends(lower: Ball, upper: Ball) -> Ball:
    """A ball that contains both balls."""
    return lower.union(upper)


def common(a: Ball, b: Ball) -> Ball:
    """A ball that contains every number that lies in both balls; they have one in common."""
    return a.intersection(b)


def around_zero(radius: Ball) -> Ball:
    """A ball that contains [-radius, radius]."""
    return radius.union(-radius)


def narrow(value: Ball, digits: int) -> bool:
    """Whether the ball is narrow enough for an enclosure of width <= 10^-digits."""
    return bool(value.is_finite() and not value.rad() * 4 * 10**digits > 1)


def enclosure(
    value: Ball, digits: int, least: int | None = None, most: int | None = None, rounding: int | None = None
) -> Enclosure | None:
    """An outward decimal enclosure of width <= 10^-digits, or None if the ball is too wide.

    ``least`` and ``most`` are bounds known by mathematics (a probability lies in [0, 1]); the enclosure is cut there.
    To no digit, above such a bound, any finite ball will do. The ends are rounded to ``rounding`` digits where given.
    """
    bounded = digits == 0 and least is not None and value.is_finite()
    if not bounded and not narrow(value, digits):
        return None
    return outward(*cut(value, value, least, most), digits if rounding is None else rounding)


def enclosed(
    value: Ball, digits: int, least: int | None = None, most: int | None = None, rounding: int | None = None
) -> Enclosure:
    """The same enclosure; of a ball that is too wide NeedsMoreBits, so that ``refine`` goes on."""
    found = enclosure(value, digits, least, most, rounding)
    if found is None:
        raise NeedsMoreBits(working_bits())
    return found


ZERO_BITS = 2048
"""Below this precision, a number >= 0 whose ball contains 0 is worth another attempt."""


def nonnegative_enclosure(value: Ball, digits: int, most: int | None = None) -> Enclosure | None:
    """The enclosure of v >= 0; None if the ball is too wide, or contains 0 and more bits may separate it from 0.

    A small number therefore keeps its leading digits instead of becoming [0, 10^-digits].
    """
    if not decides_zero(value) and working_bits() < ZERO_BITS:
        return None
    return enclosure(value, digits, least=0, most=most)


def proportional(value: Ball, digits: int, share: Fraction) -> Enclosure | None:
    """An outward decimal enclosure to ``digits`` decimals of v >= 0, or None if the ball is too wide.

    The ball may be as wide as the ``share`` of its lower end.
    """
    if not value.is_finite() or not value.rad() * 2 <= value.lower() * ball(share):
        return None
    return outward(*ends(value), digits)


def significant(value: Ball, digits: int) -> Enclosure | None:
    """An enclosure of about ``digits`` significant digits, or None if the ball is too wide for that."""
    if not value.is_finite():
        return None
    lower, upper = ends(value)
    if lower == upper:
        return exact(lower, digits)
    size = min(abs(lower), abs(upper))
    if lower * upper <= 0 or (upper - lower) * 10 ** (digits + 1) > size:
        return None
    leading = len(str(size.numerator)) - len(str(size.denominator))
    return outward(lower, upper, max(0, digits - leading - 1))


# ------------------------------------------------------------------ comparison


def certainly_less(a: Ball, b: Ball) -> bool:
    """True only if every number in ``a`` is < every number in ``b``; False says nothing."""
    return bool(a < b)


def certainly_at_most(a: Ball, b: Ball) -> bool:
    """True only if every number in ``a`` is <= every number in ``b``; False says nothing."""
    return bool(a <= b)


def is_zero(value: Ball) -> bool:
    """True only if the ball is exactly 0: what it stands for is 0 by algebra."""
    return bool(value.is_zero())


def decides_zero(value: Ball) -> bool:
    """True only if the ball decides whether its number is 0: it is exactly 0, or does not contain 0."""
    return is_zero(value) or not value.contains(0)


def overlap(a: Ball, b: Ball) -> bool:
    """Whether the balls have a number in common; False means that they certainly differ."""
    return bool(a.overlaps(b))


def at_most(a: Ball, b: Ball) -> Verdict:
    """The verdict on a <= b."""
    if a <= b:
        return Verdict.PROVED
    return Verdict.REFUTED if b < a else Verdict.UNDECIDED


def less(a: Ball, b: Ball) -> Verdict:
    """The verdict on a < b."""
    if a < b:
        return Verdict.PROVED
    return Verdict.REFUTED if b <= a else Verdict.UNDECIDED


def maximum(values: Sequence[Ball]) -> Ball:
    """A ball that contains the maximum of the true values."""
    best = max(values)
    for value in values:
        if not value < best:
            best = best.max(value)
    return best


def minimum(values: Sequence[Ball]) -> Ball:
    """A ball that contains the minimum of the true values."""
    best = min(values)
    for value in values:
        if not value > best:
            best = best.min(value)
    return best


def columnwise(pick: Callable[[Ball, Ball], Ball], rows: Sequence[Sequence[Ball]]) -> list[Ball]:
    """For every column of a matrix a ball that contains the true maximum (``Ball.max``) or minimum (``Ball.min``)."""
    found = list(rows[0])
    for row in rows[1:]:
        found = list(map(pick, found, row))
    return found


def positive_part(value: Ball) -> Ball:
    """A ball that contains max(0, v); exactly 0 if the ball is certainly not positive."""
    if value <= 0:
        return arb(0)
    return value if value > 0 else value.max(arb(0))


def excess(p: Ball, q: Ball, factor: Ball) -> Ball:
    """A ball that contains max(0, p - factor q), for factor, q >= 0; with an open sign cut at p."""
    value = p - factor * q
    if value <= 0:
        return arb(0)
    return value if value > 0 else arb(0).union(value.upper().min(p.upper()))


def total(values: Sequence[Ball]) -> Ball:
    """A ball that contains the sum."""
    return sum(values, arb(0))


def argsort(values: Sequence[Ball]) -> list[int]:
    """The positions in ascending order of the midpoints; that orders the true values where balls are apart."""
    return sorted(range(len(values)), key=lambda i: values[i].mid())


def largest(values: Sequence[Ball]) -> int:
    """The position of the first value with the largest lower end: a witness of what the maximum is at least."""
    return max(range(len(values)), key=lambda i: ends(values[i])[0])


def exactly_equal(a: Ball, b: Ball) -> bool:
    """True only if both balls are single points and the same one."""
    return bool(a.is_exact() and b.is_exact() and a.overlaps(b))


def capped(value: Ball, bound: Ball) -> Ball:
    """A ball that contains v >= 0: [0, bound] if v is certainly below the bound, else the ball itself."""
    return arb(0).union(bound) if value < bound else value
