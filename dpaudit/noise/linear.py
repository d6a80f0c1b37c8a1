"""Linear forms in the draws, with FLINT's rationals, and the refusal of anything that is not linear."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import NoReturn

from flint import fmpq

_HERE = tuple(str(Path(__file__).resolve().parents[1] / room) for room in ("noise", "code"))
RUNNER = "_once"
"""The function of this room that runs the code (explore.py)."""


class Refused(BaseException):
    """The code leaves the closed list of operations; no ``except Exception`` in that code catches this."""


def place() -> str:
    """The file and line of the code that called into this room: "svt.py line 7: "; nothing after it has returned."""
    frame = sys._getframe(1)
    while frame is not None and (frame.f_code.co_filename.startswith(_HERE) or _of_numpy(frame)):
        if frame.f_code.co_name == RUNNER:
            return ""
        frame = frame.f_back  # type: ignore[assignment]
    return "" if frame is None else f"{Path(frame.f_code.co_filename).name} line {frame.f_lineno}: "


def _of_numpy(frame: FrameType) -> bool:
    """Whether the frame is numpy's own, as it is in np.clip(v, 0, 1): the line that called it is the one to mend."""
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] == "numpy"


def refuse(rule: str) -> NoReturn:
    """Ends the run with the rule, its file and line."""
    raise Refused(place() + rule)


ONE, MINUS, NOTHING = fmpq(1), fmpq(-1), fmpq(0)


def fast(value: Fraction | int) -> fmpq:
    """The same number, as FLINT's rationals: they are many times faster than Fraction."""
    return fmpq(value.numerator, value.denominator)


def fraction(value: fmpq) -> Fraction:
    """The same number as a Fraction."""
    return Fraction(int(value.p), int(value.q))


@dataclass(frozen=True, slots=True)
class Linear:
    """sum of c s over symbols s (by number), plus ``shift``; sorted by symbol, no c is 0."""

    terms: tuple[tuple[int, fmpq], ...]
    shift: fmpq

    def plus(self, other: Linear, factor: fmpq) -> Linear:
        """self + factor other."""
        shift = self.shift + factor * other.shift
        if not other.terms:
            return Linear(self.terms, shift)
        found = dict(self.terms)
        for s, c in other.terms:
            found[s] = found.get(s, NOTHING) + factor * c
        return Linear(tuple(sorted((s, c) for s, c in found.items() if c)), shift)

    def times(self, factor: fmpq) -> Linear:
        """factor self, for a factor that is not 0."""
        return Linear(tuple((s, c * factor) for s, c in self.terms), self.shift * factor)


def number(value: Fraction | int) -> Linear:
    """The form that is this number."""
    return Linear((), fast(value))
