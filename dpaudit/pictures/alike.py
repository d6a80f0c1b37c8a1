"""Curves that cannot be told apart in a picture, which a caption has to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

Ends = tuple[float, float]
"""Where a value begins and ends on paper, in pixels."""


@dataclass(frozen=True)
class Alike:
    """Curves that cannot be told apart from ``first`` to ``last``, ``whole`` where that is wherever both are."""

    names: tuple[str, ...]
    first: float
    last: float
    whole: bool

    def text(self, axis: str) -> str:
        """Returns it in words."""
        names = f"{', '.join(self.names[:-1])} and {self.names[-1]}"
        return (
            f"{names} coincide here."
            if self.whole
            else f"{names} coincide from {axis} = {self.first:g} to {self.last:g}."
        )


def coincident(curves: Mapping[str, Mapping[float, Ends]]) -> list[Alike]:
    """Returns which curves have less than a pixel between them, where for at least a quarter of their points."""
    found: list[tuple[tuple[float, float, bool], list[str]]] = []
    for one, other in combinations(curves, 2):
        mine, theirs = curves[one], curves[other]
        shared = sorted(mine.keys() & theirs.keys())
        run = _longest([x for x in shared if _same(mine[x], theirs[x])], shared)
        if len(run) >= max(3, len(shared) / 4) or run == shared != []:
            where = run[0], run[-1], run == shared
            names = next((group for at, group in found if at == where and {one, other} & {*group}), None)
            if names is None:
                names = []
                found.append((where, names))
            names += [name for name in (one, other) if name not in names]
    return [Alike(tuple(names), *where) for where, names in found]


def _same(one: Ends, other: Ends) -> bool:
    return all(abs(a - b) < 1 for a, b in zip(one, other, strict=True))


def _longest(kept: Sequence[float], every: Sequence[float]) -> list[float]:
    """Returns the longest run of kept places without one between them that is not."""
    best: list[float] = []
    run: list[float] = []
    inside = set(kept)
    for x in every:
        run = [*run, x] if x in inside else []
        best = run if len(run) > len(best) else best
    return best
