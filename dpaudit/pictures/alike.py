"""Curves that are one in a picture, which a caption has to say: equal ones in words, near ones by a wider line."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

Ends = tuple[float, float]
"""Where a value begins and ends."""
Same = Callable[[Ends, Ends], bool]
RUNS = 4
"""More stretches than this are counted, not listed."""


@dataclass(frozen=True)
class Alike:
    """Curves that are the same on the ``runs``, each from its first to its last place; ``whole``: everywhere."""

    names: tuple[str, ...]
    runs: tuple[tuple[float, ...], ...]
    whole: bool

    def text(self, axis: str) -> str:
        """Returns it in words."""
        names = f"{', '.join(self.names[:-1])} and {self.names[-1]}"
        if self.whole:
            return f"{names} coincide here."
        if len(self.runs) > RUNS:
            places = sum(map(len, self.runs))
            return f"{names} coincide at {places} of the values of {axis} drawn."
        parts = [f"from {run[0]:g} to {run[-1]:g}" if len(run) > 1 else f"at {run[0]:g}" for run in self.runs]
        first, number = parts[0].split(" ", 1)
        return f"{names} coincide {' and '.join([f'{first} {axis} = {number}', *parts[1:]])}."


def equal(one: Ends, other: Ends) -> bool:
    """Returns whether two enclosures meet, and are alike to ten digits: the same number as far as is known.

    Both of their ends are: what reaches infinity is alike to nothing that does not, nor to what is infinite.

    >>> equal((0.999, math.inf), (math.inf, math.inf)), equal((0.5, 0.5), (0.5, math.inf)), equal((1, 1), (1, 1))
    (False, False, True)
    """
    return all(map(_same, one, other)) and one[0] <= other[1] and other[0] <= one[1]


def _same(a: float, b: float) -> bool:
    """Returns whether two ends are one to ten digits; an infinite one is only itself."""
    return a == b or (math.isfinite(a - b) and abs(a - b) <= 1e-10 * max(abs(a), abs(b)))


def near(one: Ends, other: Ends) -> bool:
    """Returns whether there is less than a pixel between two values on paper."""
    return all(a == b or abs(a - b) < 1 for a, b in zip(one, other, strict=True))


def coincident(curves: Mapping[str, Mapping[float, Ends]], same: Same) -> list[Alike]:
    """Returns which curves are the same at three places in a row, or wherever both are, and where they all are."""
    found: list[tuple[tuple[tuple[tuple[float, ...], ...], bool], list[str]]] = []
    for one, other in combinations(curves, 2):
        mine, theirs = curves[one], curves[other]
        shared = sorted(mine.keys() & theirs.keys())
        runs = _runs([same(mine[x], theirs[x]) for x in shared], shared)
        if runs and (max(map(len, runs)) >= 3 or runs == (tuple(shared),)):
            where = runs, runs == (tuple(shared),) and len(mine) == len(theirs) == len(shared)
            names = next((group for at, group in found if at == where and {one, other} & {*group}), None)
            if names is None:
                names = []
                found.append((where, names))
            names += [name for name in (one, other) if name not in names]
    return [Alike(tuple(names), *where) for where, names in found]


def _runs(kept: Sequence[bool], every: Sequence[float]) -> tuple[tuple[float, ...], ...]:
    """Returns the stretches of kept places without one between them that is not."""
    runs: list[list[float]] = [[]]
    for x, inside in zip(every, kept, strict=True):
        if inside:
            runs[-1].append(x)
        elif runs[-1]:
            runs.append([])
    return tuple(tuple(run) for run in runs if run)
