"""Grids that describe themselves: the words are generated from the values that are searched."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise, product
from math import prod
from types import SimpleNamespace

from dpaudit.claims.shown import symbol, text

Point = SimpleNamespace
"""One point of a grid: its values by name."""
LISTED = 12
"""Longer lists of values are abbreviated, with their length."""


def spelled(values: Sequence[object]) -> str:
    """As "1…12" for consecutive numbers, "2, 4, …, 20" for equal steps, else the list.

    >>> spelled(range(1, 13)), spelled(range(2, 21, 2)), spelled(["1/2", 3])
    ('1…12', '2, 4, …, 20', '1/2, 3')
    >>> spelled((*range(1, 30), *range(100, 200))), spelled((*range(1, 30), 400))
    ('1…29, 100…199', '1…29, 400')
    """
    shown = [text(value) for value in values]
    steps = {b - a for a, b in pairwise(values) if isinstance(a, int) and isinstance(b, int)}
    numbers = all(isinstance(value, int) for value in values)
    if numbers and len(values) > 2 and len(steps) == 1:
        return f"{shown[0]}…{shown[-1]}" if steps == {1} else f"{shown[0]}, {shown[1]}, …, {shown[-1]}"
    stretches = _stretches([value for value in values if isinstance(value, int)]) if numbers else []
    if len(shown) > LISTED and 0 < len(stretches) <= 3:
        return ", ".join(f"{low}…{high}" if low < high else f"{low}" for low, high in stretches)
    if len(shown) > LISTED:
        return f"{', '.join(shown[:4])}, …, {', '.join(shown[-2:])} ({len(shown)} values)"
    return ", ".join(shown)


def _stretches(values: Sequence[int]) -> list[tuple[int, int]]:
    """The first and the last of every stretch of consecutive numbers."""
    starts = [i for i, value in enumerate(values) if not i or value != values[i - 1] + 1]
    return [(values[i], values[j - 1]) for i, j in pairwise([*starts, len(values)])]


class Grid:
    """A product of value lists in the order of search (put n first), with words for what each point exhausts.

    >>> grid = Grid("every data set x", n=range(1, 4), eps=[1, "1/2"])
    >>> str(grid)
    'n = 1…3; ε = 1, 1/2; every data set x'
    >>> [(point.n, point.eps) for point in grid][:3]
    [(1, 1), (1, '1/2'), (2, 1)]
    >>> str(grid.wider(n=range(1, 9)).wide)
    'n = 1…8; ε = 1, 1/2; every data set x'
    """

    def __init__(self, inside: str = "", /, **axes: Sequence[object]) -> None:
        self.inside = inside
        self.axes = {name: tuple(values) for name, values in axes.items()}
        self.wide: Grid = self

    def wider(self, **axes: Sequence[object]) -> Grid:
        """The same grid with a wide twin, ``wide``, that has these axes instead."""
        grid = Grid(self.inside, **self.axes)
        grid.wide = Grid(self.inside, **{**self.axes, **axes})
        return grid

    def __iter__(self) -> Iterator[Point]:
        for values in product(*self.axes.values()):
            yield Point(**dict(zip(self.axes, values, strict=True)))

    def __len__(self) -> int:
        return prod(map(len, self.axes.values()))

    def __add__(self, other: Grid) -> Grids:
        return Grids((self, other))

    def __str__(self) -> str:
        parts = [f"{symbol(name)} = {spelled(values)}" for name, values in self.axes.items()]
        return "; ".join([*parts, self.inside] if self.inside else parts)


class Grids(Grid):
    """Several grids, searched one after the other; ``grid + grid`` makes one."""

    def __init__(self, parts: tuple[Grid, ...]) -> None:
        super().__init__()
        self.parts = parts

    def __iter__(self) -> Iterator[Point]:
        for part in self.parts:
            yield from part

    def __len__(self) -> int:
        return sum(len(part) for part in self.parts)

    def __add__(self, other: Grid) -> Grids:
        return Grids((*self.parts, other))

    def __str__(self) -> str:
        return "; and ".join(str(part) for part in self.parts)
