"""The common part of all events: exact parameters, a number of releases, and dominating pairs of distributions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import ClassVar

from dpaudit.accounting.pairs import Pair
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import positive, whole

MOST_TIMES = 10**9


@dataclass(frozen=True, kw_only=True)
class Event:
    """A release, made ``times`` times; ``event * 10`` is ten times as many.

    Its parameters are exact numbers; ``reading`` reads them from text.
    """

    times: int = 1
    name: ClassVar[str]

    def __post_init__(self) -> None:
        for parameter in fields(self):
            value = getattr(self, parameter.name)
            if value is not None and type(value) is not (int if parameter.type == "int" else Fraction):
                raise TypeError(f"{parameter.name} = {value!r} is not a {parameter.type}")
        whole("times", self.times, 1, MOST_TIMES)
        self.check()

    def check(self) -> None:
        """Refuses parameters out of range."""

    def __mul__(self, times: int) -> Event:
        count = self.times * whole("times", times, 1, MOST_TIMES)
        return type(self)(**{**{f.name: getattr(self, f.name) for f in fields(self)}, "times": count})

    __rmul__ = __mul__

    @property
    def sampled(self) -> bool:
        """Whether the event works on a Poisson sample of the records."""
        return getattr(self, "rate", 1) != 1

    def dominating(self) -> Pair:
        """A pair (P, Q) whose compositions are at least as bad as those of the event, P with the extra record."""
        raise NotImplementedError

    def attained(self) -> Sequence[Pair]:
        """Pairs that neighboring datasets attain; each gives lower bounds."""
        return [self.dominating()]

    @property
    def ordered(self) -> bool:
        """Whether the direction of an attained pair is unknown: then only one such event is bounded from below."""
        return False

    @property
    def exact(self) -> bool:
        """Whether the event is one pair of atoms with rational losses, the same in both directions."""
        return not self.sampled

    @property
    def largest_loss(self) -> Fraction | None:
        """A number that no finite loss exceeds, where there is one."""
        return None

    @property
    def pure_epsilon(self) -> Fraction | None:
        """A bound on every loss, where there is one: the epsilon of the event with delta = 0."""
        most = self.largest_loss
        if most is None:
            return None
        pair = self.dominating()
        return most if balls.is_zero(pair.infinite()) and balls.is_zero(pair.left_out()) else None

    def __str__(self) -> str:
        given = [(f.name, getattr(self, f.name), f.default) for f in fields(self) if f.name != "times"]
        words = ",".join(f"{name}={value}" for name, value, default in given if value is not None and value != default)
        return f"{self.name}:{words}" + (f" x {self.times}" if self.times != 1 else "")


def check_rate(rate: Fraction) -> None:
    """Refuses anything but the rate of a Poisson sample, 0 < rate <= 1."""
    if not 0 < rate <= 1:
        raise InputError("rate", rate, "must be > 0 and <= 1")


def check_scale(scale: Fraction | None, eps: Fraction | None, sensitivity: Fraction | int) -> None:
    """Refuses anything but one of scale and eps, > 0, and a sensitivity > 0."""
    one_of("scale", scale, "eps", eps)
    positive("sensitivity", sensitivity)


def loss_of(scale: Fraction | None, eps: Fraction | None, sensitivity: Fraction | int) -> Fraction:
    """eps, or else sensitivity / scale."""
    if eps is not None:
        return eps
    assert scale is not None
    return sensitivity / scale


def one_of(name: str, value: Fraction | None, other: str, alternative: Fraction | None) -> None:
    """Refuses anything but one of the two, > 0."""
    if value is None and alternative is not None:
        positive(other, alternative)
    elif value is not None and alternative is None:
        positive(name, value)
    else:
        raise InputError(name, "(missing)" if value is None else value, f"give either {name} or {other}")
