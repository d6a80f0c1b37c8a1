"""The door: every number enters as an exact rational; a binary float is refused with advice."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import isfinite, lcm
from operator import index
from typing import SupportsIndex

from dpaudit.numbers.errors import InputError

Exact = int | str | Fraction
"""What the door takes: 1, "4/5", "0.8", "1e-8", Fraction(4, 5)."""

MAX_DIGITS = 100
"""Numerator and denominator of an input have at most this many decimal digits."""

TYPED = 8
"""A float whose shortest text has more significant digits than this was computed, not typed."""

_NUMBER = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?)", re.ASCII)


def rational(option: str, value: Exact, digits: int = MAX_DIGITS) -> Fraction:
    """Exactly the rational number that ``value`` denotes ("0.8" is 4/5).

    A float is refused, because the binary float 0.1 is not 1/10. Numerator and denominator have at most ``digits``
    decimal digits.
    """
    if isinstance(value, bool) or not isinstance(value, int | str | Fraction):
        kind = type(value).__name__
        plain = value is None or isinstance(value, float | bool)
        wrong = f"a {kind} is not exact" if plain else f"must be a rational number, and is of type {kind}"
        raise InputError(option, value, f"{wrong}; {_advice(value)}")
    if isinstance(value, str):
        value = _parse(option, value.strip(), digits)
    limit = 10**digits
    if abs(value.numerator) >= limit or value.denominator >= limit:
        raise InputError(option, value, f"numerator and denominator may have at most {digits} digits")
    return Fraction(value)


def _advice(value: object) -> str:
    """How to write it: a float of few digits as its shortest text, which is the number that was meant.

    A float of many was computed; its digits are not those of the formula, and a mechanism with them is another one.
    """
    if isinstance(value, SupportsIndex) and not isinstance(value, bool):
        return f"take int(…) of it: {index(value)}"
    shown = repr(float(value)) if isinstance(value, float) else "0.1"  # a float64 of NumPy has another text
    if isinstance(value, float) and isfinite(value) and _significant(shown) > TYPED:
        return "a computed float keeps its rounding error: write the formula with dpaudit.exp, log, sqrt, or Fraction"
    shown = shown if isinstance(value, float) and value == value and abs(value) < 10**15 else "0.1"
    quotient = Fraction(shown)
    short = f'"{quotient}" or ' if 1 < quotient.denominator < 10**4 else ""
    return f'write it exactly, as text or Fraction: {short}"{shown}"'


def _significant(text: str) -> int:
    """How many digits the number has without zeros at its ends, whatever the decimal context is."""
    return len("".join(map(str, Decimal(text).as_tuple().digits)).rstrip("0"))


@lru_cache(maxsize=1 << 12)
def _parse(option: str, text: str, digits: int) -> Fraction:
    match = _NUMBER.fullmatch(text)
    if match is None:
        rule = "must be an exact number such as 2, 4/5, 0.8 or 1e-8"
        if text[:3] in ("ln ", "ln(", "log"):
            rule += "; a logarithm is not rational: take a number just above it, such as 1.0987 for ln 3"
        raise InputError(option, text, rule)
    if len(text) > 2 * digits + 2 or abs(int(match["exponent"] or 0)) > digits:
        raise InputError(option, text, f"numerator and denominator may have at most {digits} digits")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise InputError(option, text, "the denominator must not be zero") from None


LONGEST_COMMON = 20_000
"""Numbers whose common denominator has many more decimal digits than this are not added up."""


def total(values: Iterable[Fraction]) -> Fraction | None:
    """The sum, or None where the common denominator has more than about LONGEST_COMMON digits.

    >>> total([Fraction(1, 3), Fraction(1, 6), Fraction(1, 3)])
    Fraction(5, 6)
    """
    parts: dict[int, int] = {}
    for value in values:
        parts[value.denominator] = parts.get(value.denominator, 0) + value.numerator
    common = 1
    for denominator in parts:
        common = lcm(common, denominator)
        if common.bit_length() > LONGEST_COMMON * 4:  # more than 3.4 bits a digit
            return None
    return Fraction(sum(part * (common // denominator) for denominator, part in parts.items()), common)


def positive(option: str, value: Exact) -> Fraction:
    """The rational, which is > 0."""
    number = rational(option, value)
    if number <= 0:
        raise InputError(option, value, "must be > 0")
    return number


def probability(option: str, value: Exact) -> Fraction:
    """The rational, which lies strictly between 0 and 1."""
    number = rational(option, value)
    if not 0 < number < 1:
        raise InputError(option, value, "must be > 0 and < 1")
    return number


def nonnegative(option: str, value: Exact) -> Fraction:
    """The rational, which is >= 0."""
    number = rational(option, value)
    if number < 0:
        raise InputError(option, value, "must be >= 0")
    return number


def whole(option: str, value: int | str, least: int, most: int | None = None) -> int:
    """The whole number, which is at least ``least`` and at most ``most``."""
    rule = f"must be a whole number >= {least}" + (f" and <= {most}" if most else "")
    if isinstance(value, str) and len(value.strip()) > 18:
        rule += ", of at most 18 digits"
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d{1,18}", value.strip(), re.ASCII):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        whole_number = isinstance(value, SupportsIndex) and not isinstance(value, bool)  # as those of NumPy
        raise InputError(option, value, f"{rule}; {_advice(value)}" if whole_number else rule)
    if value < least or (most is not None and value > most):
        raise InputError(option, value, rule)
    return value


def split(option: str, text: str) -> list[str]:
    """The parts of a comma-separated list, none of them empty."""
    parts = [part.strip() for part in text.split(",")]
    if "" in parts:
        raise InputError(option, text, "must be a list separated by single commas, without empty entries")
    return parts


def bare(text: str) -> str:
    """The text without the parentheses in which answers print a prior or a data set: "3,7" of "(3, 7)"."""
    text = text.strip()
    return text[1:-1] if text[:1] + text[-1:] in ("()", "[]") else text


def sequence(option: str, value: str | Iterable[Exact]) -> list[Exact]:
    """The entries of "1,1/2", or "(1, 1/2)", or of any sequence of exact numbers."""
    if isinstance(value, str):
        return list(split(option, bare(value)))
    try:
        return list(value)
    except TypeError:
        raise InputError(option, value, 'must be a list such as "1,1" or [1, 1]') from None
