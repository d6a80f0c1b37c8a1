"""A finite mechanism as an event: the pair that dominates all its adjacent pairs, and a few pairs that attain most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpaudit.accounting.event import Event
from dpaudit.accounting.grid import Grid, Question
from dpaudit.accounting.pairs import Atom, Pair
from dpaudit.accounting.product import dominating_atoms, pair_atoms, promising
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.privacy.curve import Envelope, envelope, pair_curves
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.judge import true_epsilon

BITS = 192


@dataclass(frozen=True, kw_only=True)
class Released(Event):
    """A release of a mechanism with a finite law, on neighboring datasets of its own adjacency."""

    mechanism: Any = None
    text: str = ""
    """Name and parameters as they were given; "" of a mechanism that only Python has."""
    exact = False
    ordered = True
    name = "mech"

    def __post_init__(self) -> None:
        """The mechanism is no number."""

    @property
    def pure_epsilon(self) -> Fraction | None:
        """The upper end of the mechanism's true epsilon; by it, the slack of the envelope is no infinite loss."""
        return _true_epsilon(self.mechanism)

    def _envelope(self) -> Envelope:
        return _curve(self.mechanism)

    def dominating(self) -> Pair:
        """The symmetric pair of the envelope; its slack counts as infinite loss."""
        curve = self._envelope()

        def atoms() -> list[Atom]:
            found, _ = dominating_atoms(curve)
            return [Atom(p, q) for p, q, *_ in found if balls.certainly_less(balls.zero(), p)]

        def infinite() -> Ball:
            return curve.vertices[0].power

        def left_out() -> Ball:
            room = 1 - curve.vertices[-1].advantage - curve.slack
            lost = [p for p, *_ in dominating_atoms(curve)[0] if not balls.certainly_less(balls.zero(), p)]
            slack = curve.slack / room if balls.certainly_less(balls.zero(), room) else balls.ball(1)
            return (slack + balls.total([balls.positive_part(p.upper()) for p in lost])).upper()

        return Pair(atoms=atoms, p_only=infinite, q_only=infinite, left_out=left_out)

    def attained(self) -> Sequence[Pair]:
        """A few ordered adjacent pairs, each in the order in which it is worst."""
        curve = self._envelope()
        return [_one(curve, i) for i in promising(curve)]

    def __str__(self) -> str:
        return f"mech:{self.text or self.mechanism.name}" + (f" x {self.times}" if self.times != 1 else "")


def _one(curve: Envelope, number: int) -> Pair:
    pair = curve.curves[number]

    def atoms() -> list[Atom]:
        return [Atom(p, q) for p, q, *_ in pair_atoms(pair)[0]]

    return Pair(atoms=atoms, p_only=lambda: pair.infinite, symmetric=False)


@lru_cache(maxsize=8)
def _curve(mechanism: Any) -> Envelope:
    effort = Effort.read(15, 2 << 30, None)
    with balls.precision(BITS):
        return envelope(pair_curves(mechanism, effort))


@lru_cache(maxsize=8)
def _true_epsilon(mechanism: Any) -> Fraction | None:
    try:
        epsilon = true_epsilon(mechanism, Effort.read(15, 2 << 30, None)).value
    except PrecisionExhausted:
        return None
    return epsilon.upper if isinstance(epsilon.upper, Fraction) else None


def released_deltas(mechanism: Any, times: int, points: Sequence[Fraction]) -> list[Enclosure]:
    """delta of ``times`` releases at every epsilon, on a grid: certified, as wide as a moderate effort leaves it."""
    questions = [Question(epsilon=point) for point in points]
    known = Grid([Released(mechanism=mechanism, times=times)], GAP, CELLS).answer(questions).known
    return [outward(known[question].lower, known[question].upper, 15) for question in questions]


GAP, CELLS = 1e-2, 1 << 14
