"""A finite mechanism as an event: the pair that dominates all its adjacent pairs, and a few pairs that attain most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpaudit.accounting.event import Event
from dpaudit.accounting.pairs import Atom, Pair
from dpaudit.accounting.product import composed, dominating_atoms, is_short, left_out, promising
from dpaudit.accounting.search import Curve
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted
from dpaudit.privacy.curve import Envelope, envelope, pair_curves
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.judge import true_epsilon

BITS, MOST_BITS = 192, 1 << 13


@dataclass(frozen=True, kw_only=True)
class Released(Event):
    """A release of a mechanism with a finite law, on neighboring datasets of its own adjacency."""

    mechanism: Any = None
    text: str = ""
    """The name and parameters as given; "" for a mechanism without a text."""
    exact = False
    ordered = True
    name = "mech"

    def __post_init__(self) -> None:
        """The mechanism is no number."""

    @property
    def pure_epsilon(self) -> Fraction | None:
        """The upper end of the mechanism's true epsilon; by it, the slack of the envelope is no infinite loss."""
        return _true_epsilon(self.mechanism)

    def is_short(self) -> bool:
        """Whether there are few combinations of losses."""
        return is_short(_curve(self.mechanism, BITS), self.times)

    def bits(self) -> int:
        """The precision for all combinations: e^loss multiplies tiny masses, and T losses add up."""
        breakpoints = _curve(self.mechanism, BITS).breakpoints
        largest = balls.float_above(breakpoints[0]) if breakpoints else 0.0
        return BITS + min(MOST_BITS, int(4 * self.times * largest))

    def curve(self) -> Curve:
        """The bounds of delta of these releases by all combinations of losses."""
        return composed(_curve(self.mechanism, self.bits()), self.times)

    def dominating(self) -> Pair:
        """The symmetric pair of the envelope; its slack counts as infinite loss."""
        curve = _curve(self.mechanism, BITS)

        def atoms() -> list[Atom]:
            return [atom for atom in dominating_atoms(curve) if balls.certainly_less(balls.zero(), atom.p)]

        def infinite() -> Ball:
            return curve.vertices[0].power

        def lost() -> Ball:
            negligible = [a.p for a in dominating_atoms(curve) if not balls.certainly_less(balls.zero(), a.p)]
            return (left_out(curve) + balls.total([balls.positive_part(p.upper()) for p in negligible])).upper()

        return Pair(atoms=atoms, p_only=infinite, q_only=infinite, left_out=lost)

    def attained(self) -> Sequence[Pair]:
        """A few ordered adjacent pairs that come close to the worst."""
        curve = _curve(self.mechanism, BITS)
        return [_one(curve, i) for i in promising(curve)]

    def __str__(self) -> str:
        return f"mech:{self.text or self.mechanism.name}" + (f" x {self.times}" if self.times != 1 else "")


def _one(curve: Envelope, number: int) -> Pair:
    pair = curve.curves[number]

    def atoms() -> list[Atom]:
        return [Atom(group.p, group.q) for group in pair.groups]

    return Pair(atoms=atoms, p_only=lambda: pair.infinite, symmetric=False)


@lru_cache(maxsize=8)
def _curve(mechanism: Any, bits: int) -> Envelope:
    effort = Effort()
    effort.check_whole(mechanism, "event")
    with balls.precision(bits):
        return envelope(pair_curves(mechanism, effort))


@lru_cache(maxsize=8)
def _true_epsilon(mechanism: Any) -> Fraction | None:
    try:
        epsilon = true_epsilon(mechanism, Effort()).value
    except PrecisionExhausted:
        return None
    return epsilon.upper if isinstance(epsilon.upper, Fraction) else None
