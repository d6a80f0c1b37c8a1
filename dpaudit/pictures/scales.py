"""Scales: from numbers to pixels, with ticks that people can read. Floats serve here for positions on paper only."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from dpaudit.pictures.svg import width_of

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
ALIKE = 1e-6
"""Values that differ by less than this share are one value on an axis."""
TINY, HUGE = 1e-3, 1e6
"""An axis whose numbers are all smaller, or that reaches so far, has them with powers of ten."""
Tick = tuple[float, str]


@dataclass(frozen=True)
class Scale:
    """From ``low`` to ``high`` along the pixels ``start`` to ``end``; what lies outside is put at the ends.

    What is infinite has a place of its own, ``beyond`` pixels after the end, where there is room for it.
    """

    low: float
    high: float
    start: float
    end: float
    log: bool = False
    whole: bool = False
    beyond: float = 0.0

    def __call__(self, value: float) -> float:
        """Returns the pixel."""
        if math.isinf(value) and value > 0:
            return self.end + math.copysign(self.beyond, self.end - self.start)
        low, high, here = (math.log(max(v, 1e-320)) if self.log else v for v in (self.low, self.high, value))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + min(1.0, max(0.0, share)) * (self.end - self.start)

    def ticks(self, most: int) -> list[Tick]:
        """Returns at most about so many round numbers, two at the least where there are two, with their texts."""
        return self._powers(most) if self.log else self._steps(most)

    def apart(self, most: int) -> list[Tick]:
        """Returns ticks whose texts, one beside the other, do not touch."""
        tried = [self.ticks(count) for count in range(most, 1, -1)]
        return next((found for found in tried if self._clear(found)), self._thinned(self.ticks(most)))

    def _thinned(self, ticks: list[Tick]) -> list[Tick]:
        """Returns the first, and every further one that has room after the one before."""
        kept = ticks[:1]
        for tick in ticks[1:]:
            kept += [tick] if self._clear([kept[-1], tick]) else []
        return kept

    def _clear(self, ticks: list[Tick]) -> bool:
        rooms = ((width_of(a[1]) + width_of(b[1])) / 2 + 6 for a, b in pairwise(ticks))
        return all(abs(self(b[0]) - self(a[0])) >= room for room, (a, b) in zip(rooms, pairwise(ticks), strict=True))

    def _steps(self, most: int) -> list[Tick]:
        step = round_step((self.high - self.low) / max(1, most), self.whole)
        found = self._multiples(step)
        while len(found) < 2 and most > 1 and self.high > self.low and not (self.whole and step <= 1):
            step = round_step(0.3 * step, self.whole)
            found = self._multiples(step)
        size = max(abs(self.low), abs(self.high))
        if size < TINY or size >= HUGE:
            return [(i * step, scientific(i * step)) for i in found]
        places = max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1 else 0
        places += abs(step * 10**places - round(step * 10**places)) > 1e-6
        return [(i * step, plain(i * step, places)) for i in found]

    def _multiples(self, step: float) -> range:
        """Returns which multiples of the step are on the scale."""
        return range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)

    def _powers(self, most: int) -> list[Tick]:
        first, last = math.ceil(math.log10(self.low) - 1e-9), math.floor(math.log10(self.high) + 1e-9)
        if last - first < 2:
            for parts in ((1, 2, 5), (1, 1.5, 2, 3, 4, 5, 7)):
                near = [m * 10.0**e for e in range(first - 1, last + 1) for m in parts]
                found = [(v, _small(v)) for v in near if self.low <= v * 1.0000001 and v <= self.high * 1.0000001]
                if len(found) >= min(3, most):
                    break
            return found if len(found) > 1 else self._steps(most)
        step = int(round_step((last - first) / most, whole=True))
        return [(10.0**e, power(e)) for e in range(first + (-first) % step, last + 1, step)]


def _small(value: float) -> str:
    """Returns a round number as it is written: 0.05, 2·10⁻⁹."""
    digits, _, exponent = f"{value:.0e}".partition("e")
    return f"{value:g}" if 1e-4 < value < 1e5 else f"{digits}·{power(int(exponent))}".removeprefix("1·")


def scientific(value: float) -> str:
    """Returns a number of few digits with a power of ten.

    >>> scientific(-1.5e-8), scientific(1e-8), scientific(0.0)
    ('−1.5·10⁻⁸', '10⁻⁸', '0')
    """
    digits, _, exponent = f"{abs(value):.3e}".partition("e")
    size = f"{float(digits):g}·{power(int(exponent))}".removeprefix("1·")
    return ("−" if value < 0 else "") + size if value else "0"


def round_step(least: float, whole: bool = False) -> float:
    """Returns the least of 1, 2, 5, 10, … times a power of ten that is no less; a whole number where that is asked."""
    if least <= 0:
        return 1.0
    size = 10.0 ** math.floor(math.log10(least))
    step = next(size * m for m in (1, 2, 5, 10) if size * m >= least * 0.999999)
    return max(1.0, step) if whole else step


def plain(value: float, places: int) -> str:
    """Returns the number with so many decimals and a true minus."""
    return f"{value + 0.0:.{places}f}".replace("-", "−")


def power(exponent: int) -> str:
    """Returns a power of ten as it is written.

    >>> power(-3), power(0), power(2)
    ('10⁻³', '1', '100')
    """
    return str(10**exponent) if 0 <= exponent <= 3 else "10" + str(exponent).translate(RAISED)


def fitted(
    values: Iterable[float],
    start: float,
    end: float,
    log: bool = False,
    zero: bool = False,
    whole: bool = False,
    beyond: float = 0.0,
) -> Scale:
    """Returns a scale that holds the values, with a little room; from 0 on where that is asked."""
    known = [value for value in values if math.isfinite(value) and (value > 0 or not log)] or [1.0]
    low, high = min(known), max(known)
    alike = high - low <= ALIKE * abs(high)
    if log:
        low, high = (low / 2, high * 2) if alike else (low, high)
        return Scale(low * (low / high) ** 0.03, high * (high / low) ** 0.04, start, end, log=True, beyond=beyond)
    low = min(low, 0.0) if zero else low
    room = abs(high) * 0.1 or 1.0 if alike and not zero else (high - low) * 0.05 or 1.0
    low, high = low if (zero and low == 0) or whole else low - room, high if whole else high + room
    return Scale(low, high, start, end, whole=whole, beyond=beyond)
