"""Numbers for people: as many digits as are known, and enough to show on which side of a bound they are.

``short`` is a number alone, ``beside`` one that is compared with a bound, ``percent`` a share, ``powers`` exact numbers
within words. A bound is printed by ``at_most`` or ``at_least``, rounded outward; ``rough``, an estimate, rounds to
nearest and never appears beside "at most", "at least", ≤, ≥ or "confidence" (tests/numbers/test_digits.py reads the
source for that). Terminal, texts, tables and JSON spell a number in one way, as ``written`` does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact
from fractions import Fraction
from typing import Protocol

from dpaudit.numbers.verdict import Verdict

MOST, LEAST = 6, 4
"""Significant digits that are shown where they are known, and below which both ends are shown instead."""
FEW, EXACT = 6, 40
"""A fraction of more digits than FEW is written as a decimal, where that is shorter and has at most EXACT digits."""
TENTHS = 10
"""A fraction above 1 with this denominator or a larger one is written as a decimal, if it is one: 21/10 as 2.1."""
HUGE = 10**5
"""From this percentage on no digit matters."""
MANY = 60
"""Digits, and decimal places of a percentage, where as many are needed to see on which side of a bound a number is."""


class Ends(Protocol):
    """An enclosure: its ends are decimals, or infinite."""

    @property
    def lower(self) -> Fraction:
        """The lower end."""

    @property
    def upper(self) -> Fraction:
        """The upper end."""


def short(enclosure: Ends) -> str:
    """The digits that both ends round to, at most six; where they share none, both ends.

    >>> from dpaudit.numbers.enclosure import decimals
    >>> short(decimals("0.1", "0.9")), short(decimals("0.41653125", "0.41653148"))
    ('[0.1, 0.9]', '0.416531')
    >>> short(decimals("inf", "inf")), short(decimals("1e-8", "1e-8")), short(decimals("0.099849", "0.09986"))
    ('∞', '1e-8', '[0.0998, 0.0999]')
    """
    lower, upper = enclosure.lower, enclosure.upper
    if math.isinf(lower):
        return "∞"
    if math.isinf(upper):
        return f"≥ {at_least(lower)}"
    if lower == upper and len(exact := decimal(str(lower), 9)) <= 9 and "/" not in exact:
        return written(Decimal(exact))
    if lower <= 0 < upper:
        size = at_most(max(-lower, upper), 3)
        return f"≤ {size}" if lower == 0 else f"|…| ≤ {size}"
    for digits in range(MOST, LEAST - 1, -1):
        if (near := _rounded(lower, digits)) == _rounded(upper, digits):
            return written(near)
    return f"[{at_least(lower, 3)}, {at_most(upper, 3)}]"


def beside(enclosure: Ends, bound: Fraction | None, outcome: Verdict | None) -> str:
    """The number as printed beside the bound of "number <= bound": with digits that show the verdict.

    >>> from dpaudit.numbers.enclosure import decimals
    >>> beside(decimals("1.0000000001", "1.0000000001"), Fraction(1), Verdict.REFUTED)
    '1.0000000001'
    >>> beside(decimals("0.84", "1.0994"), Fraction("1.0995"), Verdict.PROVED)
    '[0.84, 1.0994]'
    >>> beside(decimals("0.3333", "0.3334"), Fraction(1, 3), Verdict.PROVED)
    '0.3333'
    >>> beside(decimals("0.4" + 200 * "9", "0.5" + 200 * "0" + "1"), Fraction(1, 2), Verdict.UNDECIDED)
    '0.5 to 60 digits'
    """
    low, high = enclosure.lower, enclosure.upper
    if bound is None or outcome is None or math.isinf(low) or math.isinf(high) or low < 0:
        return short(enclosure)
    if outcome is Verdict.UNDECIDED:
        near = _rounded(low, MANY)
        if low < high and near == _rounded(high, MANY):
            return f"{written(near)} to {MANY} digits"
        return _between(low, high, lambda a, b: b - a <= 2 * (high - low))
    if not low:
        return short(enclosure)
    if outcome is Verdict.REFUTED:
        if low <= bound:  # known by algebra, to no digit
            return f"({bound}, {at_most(high, MANY)}]"
        return _one(low, high, lambda shown: shown > bound) or _between(low, high, lambda a, b: a > bound)
    high = min(high, bound)

    def right(shown: Fraction) -> bool:
        return shown < bound or shown == high == bound

    found = _one(low, high, right) or _one(low, high, right, ROUND_FLOOR, MOST)
    return found or _between(low, high, lambda a, b: b <= bound, str(bound))


def _one(
    low: Fraction, high: Fraction, right: Callable[[Fraction], bool], how: str | None = None, least: int = LEAST
) -> str | None:
    """The digits that both ends round to: six at most, more where only these are ``right``; None of none."""

    def common(digits: int) -> Decimal | None:
        ends = [_rounded(end, digits, how) for end in (low, high)]
        return ends[0] if ends[0] == ends[1] else None

    few = next((found for digits in range(MOST, least - 1, -1) if (found := common(digits)) is not None), None)
    more = (found for digits in range(MOST + 1, MANY) if (found := common(digits)) is not None)
    tried = [] if few is None else [few, *more]
    return next((written(found) for found in tried if right(Fraction(found))), None)


def _between(low: Fraction, high: Fraction, right: Callable[[Fraction, Fraction], bool], last: str = "") -> str:
    """Both ends, rounded outward to three digits, or to as many as are ``right``; else it ends in ``last``."""
    near = _rounded(low, MANY)
    if near == _rounded(high, MANY) and right(Fraction(near), Fraction(near)):
        return written(near)
    for digits in range(3, MANY):
        a, b = at_least(low, digits), at_most(high, digits)
        if right(Fraction(a), Fraction(b)):
            return f"[{a}, {b}]"
    return f"[{at_least(low, 3)}, {last or b}]"


def equated(name: str, value: str) -> str:
    """The equation "δ(1) = 0.5" from a name and a number as ``short`` or ``beside`` write it.

    >>> equated("δ(1)", "0.5"), equated("δ(1)", "≤ 0.5"), equated("true ε", "[0.1, 0.9]")
    ('δ(1) = 0.5', 'δ(1) ≤ 0.5', 'true ε in [0.1, 0.9]')
    """
    if value[0] in "≤≥":
        return f"{name} {value}"
    return f"{name} in {value}" if value[0] in "[(" else f"{name} = {value}"


def _rounded(value: Fraction | int, digits: int, how: str | None = None) -> Decimal:
    """The number rounded to this many digits, by default to nearest, by one division."""
    return Context(prec=digits, rounding=how).divide(Decimal(value.numerator), Decimal(value.denominator))


def written(value: Decimal) -> str:
    """The number exactly, without trailing zeros: from 1e-4 on as 0.0001, below as 1e-5; 1200, but 2.5e9.

    >>> [written(Decimal(text)) for text in ("0.00010", "0.000010", "1200", "2500000000", "12345678.9", "-1E-7")]
    ['0.0001', '1e-5', '1200', '2.5e9', '12345678.9', '-1e-7']
    """
    sign, digits, exponent = value.as_tuple()
    kept = "".join(map(str, digits)).lstrip("0")
    power, kept = int(exponent) + len(kept), kept.rstrip("0")
    if not kept:
        return "0"
    first = power - 1
    if first < -4 or (first > 6 and power > len(kept)):
        return f"{'-' * sign}{kept[0]}{'.' * (len(kept) > 1)}{kept[1:]}e{first}"
    whole, rest = (kept[:power].ljust(power, "0"), kept[power:]) if power > 0 else ("0", "0" * -power + kept)
    return f"{'-' * sign}{whole}{'.' * bool(rest)}{rest}"


def powers(words: str) -> str:
    """The words with long fractions, and those above 1 from tenths on, as decimals where these are short.

    >>> powers("(4/5, 1/100000000)-DP"), powers("1/10000-DP"), powers("2199/2000-DP, ε = 1000/2001")
    ('(4/5, 1e-8)-DP', '1/10000-DP', '1.0995-DP, ε = 1000/2001')
    >>> powers("sigma = 373/100"), powers("ε = 11/10"), powers("ε = 3/2, prior (1/100, 21/11)")
    ('sigma = 3.73', 'ε = 1.1', 'ε = 3/2, prior (1/100, 21/11)')
    """
    return re.sub(r"(?<![\w./])\d+/\d+(?![\w./])", lambda match: _fraction(match[0]), words)


def _fraction(text: str) -> str:
    """A fraction of more than FEW digits, or above 1 from tenths on, as a decimal that is not longer; else the text."""
    over, under = map(int, text.split("/"))
    if not under or (len(text) <= FEW + 1 and not over > under >= TENTHS):
        return text
    found = decimal(text)
    return found if len(found) <= len(text) else text


def decimal(text: str, most: int = EXACT) -> str:
    """The fraction as a decimal where that has at most this many digits, else the text.

    >>> decimal("1/4"), decimal("183/500"), decimal("1/3"), decimal("5493061443340549/5000000000000000")
    ('0.25', '0.366', '1/3', '1.0986122886681098')
    """
    exact = Context(prec=most, traps=[Inexact])
    try:
        return written(exact.divide(*map(Decimal, text.split("/")))) if "/" in text else text
    except Inexact:
        return text


def at_most(value: Fraction | int, digits: int = MOST) -> str:
    """The least decimal with this many significant digits that is not below the number.

    >>> at_most(Fraction("0.100004"), 3), at_most(Fraction(1, 2)), at_most(Fraction(1, 3), 2), at_most(math.inf)
    ('0.101', '0.5', '0.34', '∞')
    """
    return _outward(value, digits, ROUND_CEILING)


def at_least(value: Fraction | int, digits: int = MOST) -> str:
    """The largest decimal with this many significant digits that is not above the number.

    >>> at_least(1 - Fraction(1, 10**11), 3), at_least(Fraction(2, 3), 2), at_least(Fraction(-1, 3), 2)
    ('0.999', '0.66', '-0.34')
    """
    return _outward(value, digits, ROUND_FLOOR)


def _outward(value: Fraction | int, digits: int, how: str) -> str:
    """The number rounded in one direction."""
    if value in (math.inf, -math.inf):
        return "∞" if value > 0 else "−∞"
    return written(_rounded(value, digits, how))


def rough(value: float | Fraction, digits: int) -> str:
    """The number roughly, where no digit matters to a claim: an estimate, or the scale of something.

    >>> rough(1.5e-8, 3), rough(Fraction(1, 3), 3), rough(0.00012345, 2), rough(float("inf"), 2)
    ('1.5e-8', '0.333', '0.00012', '∞')
    """
    if value in (math.inf, -math.inf):
        return "∞" if value > 0 else "−∞"
    return written(_rounded(Fraction(value), digits))


def percent(share: Ends) -> str:
    """A share in per cent, about three digits, more where it would otherwise be rounded to 100 %.

    >>> from dpaudit.numbers.enclosure import decimals
    >>> percent(decimals("1.004", "1.004")), percent(decimals("0.99999", "0.99999"))
    ('100.4 %', '99.999 %')
    >>> percent(decimals("1", "1")), percent(decimals("0.9", "1.1"))
    ('100 %', 'between 90 % and 110 %')
    >>> percent(decimals("1.00001", "1.3")), percent(decimals("248278991.1", "248278991.2"))
    ('between 100.001 % and 130 %', 'at least 24000000000 %')
    """
    if math.isinf(share.lower):
        return "∞"
    low = share.lower * 100
    if low >= HUGE:
        return f"at least {_digits(Decimal(at_least(low, 2)))} %"
    if math.isinf(share.upper):
        return f"at least {_outer(low, low > 100)} %"
    high, best = share.upper * 100, ""
    if not low and high:
        return f"at most {_outer(high, high < 100, up=True)} %"
    for places in range(MANY):
        scale = 10**places
        ends = round(low * scale), round(high * scale)
        right_side = (ends[0] > 100 * scale) == (low > 100) and (ends[1] < 100 * scale) == (high < 100)
        if ends[0] == ends[1] and right_side:
            best = f"{_digits(shifted(ends[0], places))} %"
            if ends[0] >= 100 or ends[0] == low * scale == high * scale:
                return best
    return best or f"between {_outer(low, low > 100)} % and {_outer(high, high < 100, up=True)} %"


def _outer(value: Fraction, strict: bool, up: bool = False) -> str:
    """An end of a percentage rounded outward to two places, or to as many as keep it off 100 if ``strict``."""
    for places in range(2, MANY):
        scaled = value * 10**places
        shown = shifted(math.ceil(scaled) if up else math.floor(scaled), places)
        if not strict or shown != 100:
            break
    return _digits(shown)


def _digits(value: Decimal) -> str:
    """A percentage without a power of ten."""
    return format(value.normalize(Context(prec=max(1, len(value.as_tuple().digits)))), "f")


def shifted(value: int, places: int) -> Decimal:
    """The value times 10^-places, exactly, whatever decimal context a user's code left behind."""
    return Decimal(value).scaleb(-places, Context(prec=len(str(value)) + 1))


def duration(seconds: float) -> str:
    """A duration as "12 s", "3 min 5 s" or "2 h 10 min".

    >>> duration(12), duration(185), duration(7800)
    ('12 s', '3 min 5 s', '2 h 10 min')
    """
    whole_seconds = int(seconds)
    minutes, rest = divmod(whole_seconds, 60)
    if not minutes:
        return f"{rest} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
