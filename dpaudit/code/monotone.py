"""Monotone functions of draws: where a condition changes, and which values occur.

Everything here cuts draws into intervals; the cuts are located with the actual arithmetic at concrete numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from dpaudit.code.run import Draw, refuse, where

Env = dict[Draw, int]
Directions = Mapping[Draw, int]
"""+1 for a draw in which a function does not fall, -1 for one in which it does not rise."""
MAX_VALUES = 20_000
"""A number with more values than this is not listed value by value."""
NEIGHBORS = 3
"""How far around a cut a step is examined that is assumed to be monotone."""


def low(directions: Directions) -> Env:
    """The corner where a function with these directions is smallest."""
    return {d: d.lo if up > 0 else d.hi - 1 for d, up in directions.items()}


def high(directions: Directions) -> Env:
    """The corner where it is largest."""
    return {d: d.hi - 1 if up > 0 else d.lo for d, up in directions.items()}


def decide(
    condition: Callable[[Env], bool], directions: Directions, sign: Hashable, assumed: frozenset[str] = frozenset()
) -> bool:
    """Whether the condition holds, which in these directions never changes from true to false; cuts a draw."""
    if _repeated(directions, sign):
        return condition(low(directions))
    while True:
        first, last = condition(low(directions)), condition(high(directions))
        if first == last:
            return first
        if first:
            refuse(f"{_named(assumed)} is not monotone here")
        left = [d for d in directions if d.width > 1]
        if len(left) == 1:
            one = left[0]
            start = low(directions)

            def holds(a: int, one: Draw = one, start: Env = start) -> bool:
                return condition({**start, one: a})

            one.cut(sign, lambda one=one, holds=holds: _two(one, holds, assumed))  # type: ignore[misc]
        else:
            halve(left, sign)


def _repeated(directions: Directions, sign: Hashable) -> bool:
    """Whether the only draw is cut as the script says."""
    again = [draw for draw in directions if len(directions) == 1 and draw.run.repeats(sign)]
    for draw in again:
        draw.repeat(sign)
    return bool(again)


def halve(draws: Sequence[Draw], sign: Hashable) -> None:
    """Cuts the widest draw, which has at least two numbers, in the middle."""
    one = max(draws, key=lambda d: d.width)
    one.run.boxed = one.run.boxed or where() or "in the output: "
    middle = one.lo + one.width // 2
    one.cut((sign, "half"), lambda: [(one.lo, middle), (middle, one.hi)])


def _two(one: Draw, holds: Callable[[int], bool], assumed: frozenset[str]) -> list[tuple[int, int]]:
    """The two intervals of a draw on which the condition is false and true, in the order of the draw."""
    before = holds(one.lo)
    a, b = one.lo, one.hi - 1  # the condition is ``before`` at a, and not so at b
    while b - a > 1:
        middle = (a + b) // 2
        a, b = (middle, b) if holds(middle) == before else (a, middle)
    if assumed:
        for near in range(max(one.lo, b - NEIGHBORS), min(one.hi, b + NEIGHBORS)):
            if (holds(near) == before) != (near < b):
                refuse(f"{_named(assumed)} is not monotone near a point where the code branches")
    return [(one.lo, b), (b, one.hi)]


def _named(assumed: frozenset[str]) -> str:
    return ", ".join(sorted(assumed)) or "what is computed from a draw"


def same(v: Any, w: Any) -> bool:
    """Whether two results are the same: equal type and value; 0.0 and -0.0 differ."""
    return type(v) is type(w) and (v is w or repr(v) == repr(w) if isinstance(v, float) else bool(v == w))


def force(
    value: Callable[[Env], Any],
    directions: Directions,
    sign: Hashable,
    assumed: frozenset[str],
    limit: int = MAX_VALUES,
    what: str = "this",
) -> Any:
    """One value of the monotone function; cuts draws so that no other one is possible."""
    if _repeated(directions, sign):
        return value(low(directions))
    while True:
        start = low(directions)
        first, last = value(start), value(high(directions))
        if same(first, last):
            return first
        left = [d for d in directions if d.width > 1]
        if len(left) == 1:
            one = left[0]

            def at(a: int, one: Draw = one, start: Env = start) -> Any:
                return value({**start, one: a})

            one.cut(sign, lambda one=one, at=at: _stretches(one, at, assumed, limit, what))  # type: ignore[misc]
        else:
            small = min(left, key=lambda d: d.width)
            if small.width <= limit:
                ends = range(small.lo, small.hi)
                small.cut((sign, "all"), lambda ends=ends: [(a, a + 1) for a in ends])  # type: ignore[misc]
            else:
                halve(left, sign)


def count(value: Callable[[Env], Any], directions: Directions, limit: int) -> int | None:
    """The number of values of a function of one draw; None if there are more than ``limit``, or several draws."""
    left = [d for d in directions if d.width > 1]
    if len(left) != 1:
        return None if left else 1
    one, start = left[0], low(directions)
    found = stretches(one, lambda a: value({**start, one: a}), limit)
    return None if found is None else len(found)


def stretches(one: Draw, at: Callable[[int], Any], limit: int) -> list[tuple[int, int]] | None:
    """The intervals of the draw on which the function is constant, None if there are more than ``limit``."""
    found: list[tuple[int, int]] = []
    a, step = one.lo, one.width
    while a < one.hi:
        if len(found) == limit:
            return None
        here, inside, outside, step = at(a), a, one.hi, max(1, step // 2)
        while inside + step < one.hi:
            if not same(at(inside + step), here):
                outside = inside + step
                break
            inside, step = inside + step, 2 * step
        while outside - inside > 1:
            middle = (inside + outside) // 2
            inside, outside = (middle, outside) if same(at(middle), here) else (inside, middle)
        found.append((a, outside))
        a, step = outside, outside - a
    return found


def _stretches(
    one: Draw, at: Callable[[int], Any], assumed: frozenset[str], limit: int, what: str
) -> list[tuple[int, int]]:
    """The same, examining the neighbors of every end where a step is assumed to be monotone."""
    found = stretches(one, at, limit)
    if found is None:
        refuse(f"{what} takes more than {limit} values: round it, or take fewer random bits")
        raise AssertionError
    if assumed:
        rising = at(one.hi - 1) >= at(one.lo)
        for _, end in found[:-1]:
            near = [at(a) for a in range(max(one.lo, end - NEIGHBORS), min(one.hi, end + NEIGHBORS))]
            for v, w in pairwise(near):
                if (w < v) if rising else (v < w):
                    refuse(f"{_named(assumed)} is not monotone near a point where the result changes")
    return found
