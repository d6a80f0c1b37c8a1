"""Ranges as they are written everywhere: 1/100..16, 10..2000, with a step 10..2000..10, or one number alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpaudit.numbers.errors import InputError, approximately
from dpaudit.numbers.rationals import Exact, rational, whole

MOST_POINTS = 10**5
"""The most points of a range."""


@dataclass(frozen=True)
class Range:
    """All numbers from ``low`` to ``high``, or with a step: low, low + step, ... up to ``high``."""

    low: Fraction
    high: Fraction
    step: Fraction | None = None

    def __str__(self) -> str:
        """The text from which ``parse_range`` makes it again."""
        if self.low == self.high:
            return str(self.low)
        return f"{self.low}..{self.high}" + ("" if self.step is None else f"..{self.step}")

    def count(self, option: str, most: int = MOST_POINTS, text: Exact | None = None) -> int:
        """The number of points, at most ``most``; the default step is 1. An error shows ``text``."""
        found = int((self.high - self.low) // (self.step or 1)) + 1
        if found > most:
            rule = f"has {approximately(found)} points, at most {most} are allowed; take a larger step: a..b..step"
            raise InputError(option, str(self) if text is None else text, rule)
        return found

    def points(self, option: str, most: int = MOST_POINTS) -> list[Fraction]:
        """low, low + step, ... up to high."""
        return [self.low + i * (self.step or 1) for i in range(self.count(option, most))]


def parse_range(
    option: str, text: Exact, read: Callable[[str, Any], Fraction | int] = rational, example: str = "1/10..2"
) -> Range:
    """The nondecreasing range a..b or a..b..step of exact numbers; a single number is both its ends.

    >>> parse_range("eps", "1/100..16")
    Range(low=Fraction(1, 100), high=Fraction(16, 1), step=None)
    """
    parts = text.split("..") if isinstance(text, str) else [text]
    if len(parts) > 3:
        raise InputError(option, text, f"must be a number or a range such as {example}; with a step: a..b..step")
    try:
        low, high, *step = (Fraction(read(option, part)) for part in (parts if len(parts) > 1 else parts * 2))
    except InputError as error:
        joined = ", at both ends of a range such as" if len(parts) > 1 else ", or a range such as"
        more = f"{joined} {example}" if isinstance(text, str) else ""
        raise InputError(option, text, error.rule + more) from None
    if high < low:
        raise InputError(option, text, "the range must not decrease")
    if step and step[0] <= 0:
        raise InputError(option, text, "the step must be > 0")
    return Range(low, high, step[0] if step else None)


def whole_range(option: str, text: int | str, least: int = 1, step: int = 1, most: int = MOST_POINTS) -> range:
    """The whole numbers of "10..2000", every ``step``-th, of "10..2000..10", or of "50", just it."""
    found = parse_range(option, text, lambda name, part: whole(name, part, least), "10..200")
    if found.step is not None and step not in (1, found.step):
        raise InputError(option, text, f"contradicts the step {step}")
    found = Range(found.low, found.high, found.step or Fraction(step))
    found.count(option, most, text)
    return range(int(found.low), int(found.high) + 1, int(found.step or 1))


def whole_numbers(option: str, text: int | str, least: int = 1, most: int = MOST_POINTS) -> tuple[int, ...]:
    """The whole numbers of "1..60", "10..2000..10", "5,10,20" or "1..9,20", in order, each once.

    >>> whole_numbers("n", "5,1..3")
    (1, 2, 3, 5)
    """
    parts = text.split(",") if isinstance(text, str) else [text]
    found = {number for part in parts for number in whole_range(option, part, least, most=most)}
    if len(found) > most:
        raise InputError(option, text, f"has {len(found)} points, at most {most} are allowed")
    return tuple(sorted(found))


def range_text(numbers: Sequence[int]) -> str:
    """A text such as "1..60", "10..200..10", "12,20" or "1..5,20" that ``whole_numbers`` reads as these rising numbers.

    >>> range_text((1, 2, 3)), range_text((10, 20, 30)), range_text((12, 20)), range_text((1, 2, 3, 7, 20))
    ('1..3', '10..30..10', '12,20', '1..3,7,20')
    """
    steps = {b - a for a, b in pairwise(numbers)}
    if len(steps) == 1 and len(numbers) > 2 and steps != {1}:
        return f"{numbers[0]}..{numbers[-1]}..{steps.pop()}"
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(f"{run[0]}..{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
