"""A certified enclosure as it is printed: two decimals, rounded outward."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar, cast

from dpaudit.numbers.digits import written
from dpaudit.numbers.verdict import Verdict

K = TypeVar("K")
INFINITY = "inf"
"""Infinity in JSON."""


def or_infinity(value: Fraction | int | None) -> str:
    """The number as JSON has it; None is infinity."""
    return INFINITY if value is None else str(value)


@dataclass(frozen=True, slots=True)
class Enclosure:
    """The true value lies in [lower, upper]; both ends are exact decimals m / 10^places, or infinity."""

    lower: Fraction
    upper: Fraction
    places: int

    @property
    def width(self) -> Fraction:
        """Upper - lower, exactly."""
        return Fraction(0) if self.is_infinite else self.upper - self.lower

    @property
    def is_open(self) -> bool:
        """Whether only a lower bound is known: the upper end is infinite, the lower end is not."""
        return self.upper == math.inf and not self.is_infinite

    @property
    def is_finite(self) -> bool:
        """Whether both ends are finite."""
        return self.upper != math.inf

    @property
    def is_infinite(self) -> bool:
        """Whether the value is infinity (both ends are)."""
        return self.lower == math.inf

    def at_most(self, bound: Fraction | int) -> Verdict:
        """The verdict on "the value is at most the bound": UNDECIDED if the bound lies inside."""
        if self.upper <= bound:
            return Verdict.PROVED
        return Verdict.REFUTED if self.lower > bound else Verdict.UNDECIDED

    def above(self, bound: Fraction | int) -> bool:
        """Whether the value is certainly greater than the bound."""
        return self.lower > bound

    def reaches(self, bound: Fraction | int) -> bool:
        """Whether the value is certainly at least the bound."""
        return self.lower >= bound

    def below(self, other: Enclosure) -> bool:
        """Whether the value is certainly less than the other one."""
        return self.upper < other.lower

    def within(self, low: Fraction | int, high: Fraction | int) -> bool:
        """Whether the value certainly lies in the open interval."""
        return low < self.lower and self.upper < high

    def up_to(self, bound: Fraction) -> Enclosure:
        """The part up to the bound, with more digits: for a value that algebra proves to be at most the bound."""
        return self if self.upper <= bound else outward(self.lower, bound, 2 * self.places)

    def ends_at(self, bound: Fraction) -> bool:
        """Whether the upper end is the bound."""
        return self.upper == bound

    def widened(self, room: Fraction) -> Enclosure:
        """The enclosure, larger by this much at both ends; it is not printed."""
        return Enclosure(self.lower - room, self.upper if self.is_open else self.upper + room, self.places)

    @property
    def is_exact(self) -> bool:
        """Whether both ends are the same."""
        return self.lower == self.upper

    def contains(self, value: Fraction | int) -> bool:
        """Whether the exact value lies in the closed interval."""
        return self.lower <= value <= self.upper

    def shortened(self, digits: int) -> Enclosure:
        """An enclosure that contains this one, with ends of about ``digits`` >= 1 significant digits.

        >>> str(outward(Fraction(2, 3), Fraction(2, 3), 15).shortened(4))
        '0.6666[6, 7]'
        """
        size = max((abs(end) for end in (self.lower, self.upper) if not math.isinf(end)), default=0)
        if not size:
            return self
        exponent = _length(size.numerator) - _length(size.denominator)
        places = max(1, digits - exponent)
        if places >= self.places:
            return self
        scale = 10**places
        lower = self.lower if math.isinf(self.lower) else Fraction(math.floor(self.lower * scale), scale)
        upper = self.upper if math.isinf(self.upper) else Fraction(math.ceil(self.upper * scale), scale)
        return Enclosure(lower, upper, places)

    def beside(self, bound: Fraction | None, digits: int = 6) -> Enclosure:
        """The enclosure shortened to this many digits, or to as many as show on which side of the bound it lies.

        >>> wide = outward(Fraction("0.8472979"), Fraction("1.0986123"), 10)
        >>> str(wide.beside(None, 2)), str(wide.beside(Fraction("1.0987"), 2))
        ('[0.84, 1.10]', '[0.8472, 1.0987]')
        """
        short = self.shortened(digits)
        while bound is not None and short is not self and short._side(bound) != self._side(bound):
            digits += 1
            short = self.shortened(digits)
        return short

    def _side(self, bound: Fraction) -> tuple[bool, bool]:
        return self.lower > bound, self.upper <= bound

    def times(self, count: int) -> Enclosure:
        """The enclosure of a multiple of the value."""
        return Enclosure(self.lower * count, self.upper * count, self.places)

    def to_dict(self) -> dict[str, str]:
        """{"lower", "upper"} as decimal strings that denote the ends exactly; infinity is "inf"."""
        return {"lower": self._decimal(self.lower), "upper": self._decimal(self.upper)}

    def _decimal(self, end: Fraction) -> str:
        if end == math.inf:
            return INFINITY
        scaled = end * 10**self.places
        if scaled.denominator != 1:
            raise ValueError("an end of an enclosure is not a decimal of the stated places")
        digits = tuple(int(digit) for digit in str(abs(scaled.numerator)))
        return written(Decimal((int(scaled < 0), digits, -self.places)))

    def __str__(self) -> str:
        """The common digits, then the two tails: 0.4165[31, 48]; an exact value as such.

        Of negative numbers both ends, the lower one first: its tail is the larger one, which would read the wrong way.
        """
        if self.is_infinite:
            return "∞"
        if self.is_open:
            return f"≥ {self._decimal(self.lower)}"
        if self.lower == self.upper:
            return self._decimal(self.lower)
        size = min(abs(self.lower), abs(self.upper))
        if self.lower * self.upper <= 0 or size < Fraction(1, 10**4):
            return self._scientific()
        low, high = (self._fixed(end, self.places) for end in (self.lower, self.upper))
        return (self.lower > 0 and _brackets(low, high)) or f"[{low}, {high}]"

    def _fixed(self, end: Fraction, places: int) -> str:
        digits = str(abs(int(end * 10**places))).rjust(places + 1, "0")
        return "-" * (end < 0) + f"{digits[:-places]}.{digits[-places:]}"

    def _scientific(self) -> str:
        low, high = self._decimal(self.lower), self._decimal(self.upper)
        if self.lower > 0:
            exponent = Decimal(low).adjusted()
            scale = Fraction(10) ** -exponent
            ends = [self._fixed(end * scale, self.places + exponent) for end in (self.lower, self.upper)]
            shown = _brackets(*ends)
            if shown:
                return f"{shown}e{exponent}"
        return f"[{low}, {high}]"

    def __float__(self) -> float:
        """No float: rounding would hide which end it is."""
        raise TypeError("an enclosure has two ends: take float(e.upper) or float(e.lower); str(e) shows both")

    def __repr__(self) -> str:
        return f"Enclosure({self._decimal(self.lower)}, {self._decimal(self.upper)})"


def _brackets(low: str, high: str) -> str | None:
    """The form "0.4165[31, 48]", or None if the two texts have no three leading digits in common."""
    same = next((i for i, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), 0)
    if len(low) != len(high) or same < 4:
        return None
    return f"{low[:same]}[{low[same:]}, {high[same:]}]"


def infinite() -> Enclosure:
    """The enclosure of infinity: both ends are the float infinity, which compares rightly with every Fraction.

    >>> str(infinite()), infinite().to_dict(), infinite().upper > Fraction(10**9)
    ('∞', {'lower': 'inf', 'upper': 'inf'}, True)
    """
    end = cast(Fraction, math.inf)
    return Enclosure(end, end, 0)


def at_least(lower: Fraction, digits: int) -> Enclosure:
    """The enclosure of a number of which only a lower bound is known.

    >>> str(at_least(Fraction(1, 3), 3)), at_least(Fraction(1, 3), 3).to_dict()
    ('≥ 0.33333', {'lower': '0.33333', 'upper': 'inf'})
    """
    found = outward(lower, lower, digits)
    return Enclosure(found.lower, cast(Fraction, math.inf), found.places)


def decimals(lower: str, upper: str) -> Enclosure:
    """The enclosure that ``to_dict`` has written: its ends are decimals, or "inf".

    >>> decimals("0.25", "inf"), decimals("1e-8", "0.5").to_dict()
    (Enclosure(0.25, inf), {'lower': '1e-8', 'upper': '0.5'})
    """
    ends = [math.inf if text == INFINITY else Decimal(text) for text in (lower, upper)]
    places = [max(0, -int(end.as_tuple().exponent)) for end in ends if isinstance(end, Decimal)]
    low, high = (Fraction(end) if isinstance(end, Decimal) else cast(Fraction, end) for end in ends)
    if low > high:
        raise ValueError("lower is above upper")
    return Enclosure(low, high, max(places, default=0))


def largest(values: Sequence[Enclosure]) -> int:
    """The position of the first value with the largest lower end: a witness of what the maximum is at least."""
    return max(range(len(values)), key=lambda i: values[i].lower)


def maximum(values: Sequence[Enclosure]) -> Enclosure:
    """The enclosure of the maximum: one of them, unless another one may be larger."""
    best, upper = values[largest(values)], max(value.upper for value in values)
    return best if best.upper == upper else Enclosure(best.lower, upper, max(value.places for value in values))


EQUAL = Fraction(1, 10**6)
"""Means closer than this, relatively, count as equal: a calibration has about 8 digits."""


def tied(values: Mapping[K, Enclosure]) -> tuple[K, ...]:
    """The keys whose value equals the least one to 6 digits."""
    least = min((value.upper for value in values.values()), default=Fraction(0))
    return tuple(key for key, value in values.items() if value.lower <= least * (1 + EQUAL))


def exact(value: Fraction, digits: int) -> Enclosure:
    """An enclosure of the rational ``value`` of width at most 10^-digits (0 if it is a decimal)."""
    return outward(value, value, digits)


def _length(number: int) -> int:
    """The number of decimal digits; for very long numbers (no text of them is made) up to one less."""
    bits = number.bit_length()
    return len(str(number)) if bits < 10**4 else bits * 30102 // 10**5


def outward(lower: Fraction, upper: Fraction, digits: int, small: bool = True) -> Enclosure:
    """A decimal enclosure that contains [lower, upper], widened by at most 2 * 10^-places.

    places = digits + 2; if ``small``, small numbers get more places, so that they keep about ``digits`` significant
    digits as far as the given interval has them.
    """
    places = digits + 2
    size = min(abs(lower), abs(upper))
    if small and size and lower * upper > 0:
        zeros = max(0, _length(size.denominator) - _length(size.numerator) - 1)
        width = upper - lower
        known = _length(width.denominator) - _length(width.numerator) if width else zeros + places
        places += max(0, min(zeros, known - digits))
    scale = 10**places
    down = lower.numerator * scale // lower.denominator
    up = -(-upper.numerator * scale // upper.denominator)
    return Enclosure(Fraction(down, scale), Fraction(up, scale), places)
