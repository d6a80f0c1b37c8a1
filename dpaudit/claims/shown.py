"""Numbers for reading: balls as certified enclosures of relative width, exact things as exact text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from dpaudit.claims.outcome import Step
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.digits import at_least, at_most, rough
from dpaudit.numbers.enclosure import Enclosure, exact, outward

DIGITS = 15
"""Significant digits of every enclosure in a worked example."""

SHORT = 12
"""A power of ten with more zeros is written short."""

SYMBOLS = {"eps": "ε", "gamma": "γ", "delta": "δ", "lam": "λ", "kappa": "κ"}


def symbol(name: str) -> str:
    """The letter of a parameter as the documents write it."""
    return SYMBOLS.get(name, name)


def text(value: object) -> str:
    """A parameter as exact text: 4/5, (1, 1/2), true words as they are; long powers of ten short.

    >>> text((Fraction(4, 5), Fraction(1, 10**8))), text(Fraction(1, 10**40)), text(10**40)
    ('(4/5, 1/100000000)', '1e-40', '1e40')
    """
    if isinstance(value, tuple | list):
        return "(" + ", ".join(text(entry) for entry in value) + ")"
    if isinstance(value, int | Fraction) and (zeros := _zeros(max(value.numerator, value.denominator))) > SHORT:
        if value.numerator == 1:
            return f"1e-{zeros}"
        if value.denominator == 1:
            return f"1e{zeros}"
    return str(value)


def _zeros(number: int) -> int:
    """How many zeros a power of ten has; 0 for other numbers."""
    digits = str(number) if number > 10**SHORT else ""
    return len(digits) - 1 if digits.rstrip("0") == "1" else 0


def parameters(values: Mapping[str, object]) -> dict[str, str]:
    """All parameters as exact text."""
    return {name: text(value) for name, value in values.items()}


def significant(value: Ball | Fraction | int, digits: int = DIGITS) -> Enclosure | None:
    """An enclosure of about ``digits`` significant digits, or None if the ball is too wide for that."""
    return balls.significant(value, digits) if isinstance(value, Ball) else exact(Fraction(value), digits)


def show(value: Ball | Fraction | int | str, digits: int = DIGITS) -> str:
    """The value for a step: an enclosure, exact text, or the ball as wide as it is."""
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, Fraction):
        return str(value) if value.denominator < 10**6 else str(exact(value, digits))
    digits_shown = significant(value, digits)
    if digits_shown is None and value.is_finite():
        digits_shown = outward(*balls.ends(value), 2 * digits)
    return str(digits_shown)


def step(label: str, formula: str, value: Ball | Fraction | int | str) -> Step:
    """One line of a worked example."""
    return Step(label, formula, show(value))


def brief(value: Enclosure, digits: int = 6) -> str:
    """The leading ``digits`` that both ends share, then "…"; else the number that both round to, ± the rest; else both.

    >>> brief(outward(Fraction(1, 3), Fraction(1, 3), 20))
    '0.333333…'
    >>> brief(outward(Fraction(-2, 3) / 10**9, Fraction(-2, 3) / 10**9, 20))
    '-6.66666…e-10'
    >>> brief(outward(1 - Fraction(1, 10**20), 1 + Fraction(1, 10**20), 20))
    '1 ± 1e-20'
    """
    if value.is_exact and len(value.to_dict()["lower"]) <= digits + 2:
        return value.to_dict()["lower"]
    if value.contains(0):
        return "0" if value.is_exact else f"[{at_least(value.lower, 2)}, {at_most(value.upper, 2)}]"
    low, high = sorted((abs(value.lower), abs(value.upper)))
    exponent = _exponent(low)
    heads = [int(end / Fraction(10) ** (exponent - digits + 1)) for end in (low, high)]
    shared = _prefix(str(heads[0]), str(heads[1]))
    sign = "" if value.above(0) else "-"
    if len(shared) < digits and (near := rough(low, digits)) == rough(high, digits):
        off = max(abs(Fraction(near) - low), abs(high - Fraction(near)))
        return f"{sign}{near} ± {at_most(off, 1)}"  # 0.99999999 and 1.00000001 share no digit
    if not shared:
        return f"[{at_least(value.lower, 3)}, {at_most(value.upper, 3)}]"
    if -5 < exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{shared}…"
    if 0 <= exponent < len(shared) - 1:
        return f"{sign}{shared[: exponent + 1]}.{shared[exponent + 1 :]}…"
    return f"{sign}{shared[0]}.{shared[1:]}…e{exponent}"


def listed(values: Iterable[tuple[object, Ball]], digits: int = 7) -> str:
    """Every number behind what it belongs to, in its leading digits: "(0, 2): 0.6432101…, (1, 1): 0"."""

    def text_of(value: Ball) -> str:
        known = significant(value, digits + 2)
        return show(value) if known is None else brief(known, digits)

    return ", ".join(f"{name}: {text_of(value)}" for name, value in values)


def _exponent(value: Fraction) -> int:
    """e with 10^e <= value < 10^(e+1)."""
    e = len(str(value.numerator)) - len(str(value.denominator))
    return e if value >= Fraction(10) ** e else e - 1


def _prefix(a: str, b: str) -> str:
    if len(a) != len(b):
        return ""
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y), len(a))
    return a[:same]


def refined(compute: Callable[[], Ball], digits: int = DIGITS, bits: int = 192) -> Enclosure:
    """An enclosure of ``digits`` significant digits of what ``compute`` computes at rising precision."""
    return balls.refine(lambda: significant(compute(), digits), bits)[0]
