"""Statements and their instances: batches that share their tables (one n, prior and epsilon), made from grids."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar

from dpaudit.claims.grid import Point
from dpaudit.claims.outcome import Step
from dpaudit.claims.shown import parameters
from dpaudit.numbers.balls import Ball

Value = Ball | Fraction
"""A side of a statement; an exactly known one is a Fraction, and is shown as such."""
Sides = Iterable[tuple[Any, Value, Value]]
START_BITS = 128


@dataclass(frozen=True)
class Statement:
    """left relation right, in words; ``relation`` is one of <=, <, >=, >, =, !=.

    ``closeness`` is the measure of "tightest": by right - left, or by the ratio (for values of many sizes).
    """

    left: str
    relation: str
    right: str
    closeness: str = "difference"


@dataclass(frozen=True)
class Batch:
    """Instances with common parameters ``where``. ``names`` name the entries of a tag: ("x", "a", "b").

    ``sides()`` yields (tag, left, right) in the order of search, at the precision in force; it may be run again at
    a higher one and must yield the same tags. ``tie(tag)`` decides left = right exactly: True, False, or None if
    algebra cannot tell; it is needed only where the balls overlap. ``steps(tag)`` are the steps of the instance.
    """

    where: Mapping[str, object]
    sides: Callable[[], Sides]
    names: Sequence[str] = ()
    tie: Callable[[Any], bool | None] = lambda tag: None
    steps: Callable[[Any], Sequence[Step]] = lambda tag: ()
    start_bits: int = START_BITS

    def parameters(self, tag: Any) -> dict[str, str]:
        """All parameters of one instance as exact text."""
        entries = tag if isinstance(tag, tuple) and len(self.names) != 1 else (tag,)
        own = dict(zip(self.names, entries, strict=True)) if self.names else {}
        return parameters({**self.where, **own})


Batches = Iterator[Batch]


def single(
    where: Mapping[str, object],
    sides: Callable[[], tuple[Value, Value]],
    tie: Callable[[], bool | None] = lambda: None,
    steps: Callable[[], Sequence[Step]] = lambda: (),
) -> Batch:
    """A batch of one instance."""
    return Batch(where, lambda: [((), *sides())], (), lambda _: tie(), lambda _: steps())


S = TypeVar("S")


def over(
    grid: Iterable[Point],
    subject: Callable[[Point], S],
    sides: Callable[[S], Sides],
    names: Sequence[str] = (),
    tie: Callable[[S, Any], bool | None] = lambda at, tag: None,
    steps: Callable[[S, Any], Sequence[Step]] = lambda at, tag: (),
) -> Batches:
    """Yields a batch for each point of the grid; ``subject`` makes the argument of the other functions from it."""
    for point in grid:
        at = subject(point)
        yield Batch(vars(point), partial(sides, at), names, partial(tie, at), partial(steps, at))


def each(
    grid: Iterable[Point],
    subject: Callable[[Point], S],
    sides: Callable[[S], tuple[Value, Value]],
    tie: Callable[[S], bool | None] = lambda at: None,
    steps: Callable[[S], Sequence[Step]] = lambda at: (),
) -> Batches:
    """Yields one instance for each point of the grid."""
    for point in grid:
        at = subject(point)
        yield single(vars(point), partial(sides, at), partial(tie, at), partial(steps, at))
