"""What every event of a pipeline has: exact parameters, a number of times, pairs of distributions that stand for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar

from dpaudit.accounting.pairs import Pair
from dpaudit.numbers import balls
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive, rational, whole

MOST_TIMES = 10**9


@dataclass(frozen=True)
class Event:
    """A release. ``times`` is how often it is made; ``event * 10`` makes it ten times as often."""

    times: int = field(default=1, kw_only=True)
    name: ClassVar[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", whole("times", self.times, 1, MOST_TIMES))
        for parameter in fields(self):
            given = getattr(self, parameter.name)
            if parameter.name != "times" and given is not None and not isinstance(given, int):
                object.__setattr__(self, parameter.name, rational(parameter.name, given))
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
        """Whether an attained pair belongs to one direction, not known which: only one such event is bounded below."""
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
        """A number that no loss at all exceeds, where there is one: the event is private at it, with delta = 0."""
        most = self.largest_loss
        if most is None:
            return None
        pair = self.dominating()
        return most if balls.is_zero(pair.infinite()) and balls.is_zero(pair.left_out()) else None

    def __str__(self) -> str:
        given = [(f.name, getattr(self, f.name), f.default) for f in fields(self) if f.name != "times"]
        words = ",".join(f"{name}={value}" for name, value, default in given if value is not None and value != default)
        return f"{self.name}:{words}" + (f" x {self.times}" if self.times != 1 else "")


def check_rate(value: Exact) -> Fraction:
    """The rate of a Poisson sample, 0 < rate <= 1."""
    rate = rational("rate", value)
    if not 0 < rate <= 1:
        raise InputError("rate", value, "must be > 0 and <= 1")
    return rate


def required(name: str, value: Any) -> Any:
    """The value, which must be there."""
    if value is None:
        raise InputError(name, "(missing)", "must be given")
    return value


def check_scale(scale: Any, eps: Any, sensitivity: Any) -> None:
    """Refuses anything but one of scale and eps, > 0, and a sensitivity > 0."""
    if (scale is None) == (eps is None):
        raise InputError("scale", "(missing)" if scale is None else scale, "give either scale or eps")
    positive("scale" if eps is None else "eps", scale if eps is None else eps)
    positive("sensitivity", sensitivity)
