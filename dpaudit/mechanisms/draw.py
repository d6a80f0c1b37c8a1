"""Outputs drawn exactly: no floating point between the law that was audited and the release.

A uniform real number U in [0, 1) is drawn bit by bit, as far as needed. Output i is the one with C(i-1) <= U < C(i),
where C(i) = P_x(r_0) + ... + P_x(r_i) is enclosed as narrowly as needed. So its probability is P_x(r_i), exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Protocol

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.errors import InputError
from dpaudit.privacy.protocols import Audited, Dataset, Output

WORD = 64
"""The number of bits that are drawn at a time."""
GUARD = 64
"""The bits of the enclosures beyond those drawn, so that hardly any draw falls inside an enclosure."""


class Bits(Protocol):
    """A source of random bits: ``random.Random``, ``secrets.SystemRandom``."""

    def getrandbits(self, k: int, /) -> int:
        """k independent fair bits as a whole number."""


class ExactDraw:
    """Draws from P_x of one mechanism and data set."""

    def __init__(self, mechanism: Audited, x: Dataset, word: int = WORD) -> None:
        if not mechanism.refinable:
            rule = "its probabilities are known to a fixed width only; nothing can be drawn from them exactly"
            raise InputError("mech", mechanism.name, rule)
        self._mechanism, self._x, self._word = mechanism, x, word
        self._cuts: list[tuple[list[int], list[int]]] = []
        self.outputs: Sequence[Output] = mechanism.outputs()

    def draw(self, source: Bits) -> Output:
        """An output; the probability of each is P_x of it, if the bits are fair and independent."""
        u, words = source.getrandbits(self._word), 1
        while True:
            lower, upper = self._cut(words)
            i = _first_above(lower, u)
            if i < len(lower) and (i == 0 or u >= upper[i - 1]):
                return self.outputs[i]
            u, words = int(u) * (1 << self._word) + source.getrandbits(self._word), words + 1

    def _cut(self, words: int) -> tuple[list[int], list[int]]:
        """floor(2^b C(i)) from below and ceil(2^b C(i)) from above for every i, b = the bits of this many words.

        [u, u+1) / 2^b lies inside the share of output i if upper[i-1] <= u and u < lower[i].
        """
        while len(self._cuts) < words:
            bits = self._word * (len(self._cuts) + 1)
            with balls.precision(bits + GUARD + 2 * len(self.outputs).bit_length()):
                ends = [_scaled(c, bits) for c in accumulate(self._mechanism.law().probabilities(self._x))]
            ends[-1] = (1 << bits, 1 << bits)
            lower = list(accumulate((low for low, _ in ends), max))
            upper = list(accumulate((high for _, high in reversed(ends)), min))[::-1]
            self._cuts.append((lower, upper))
        return self._cuts[words - 1]


def _scaled(value: Ball, bits: int) -> tuple[int, int]:
    """The whole numbers around 2^bits times the ball."""
    low, high = balls.ends(value)
    return (low.numerator << bits) // low.denominator, -((-high.numerator << bits) // high.denominator)


def _first_above(cuts: Sequence[int], u: int) -> int:
    """The first place whose cut is above u; comparisons with u are all that is asked of it."""
    low, high = 0, len(cuts)
    while low < high:
        middle = (low + high) // 2
        if u < cuts[middle]:
            high = middle
        else:
            low = middle + 1
    return low
