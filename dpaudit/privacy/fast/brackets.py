"""Floats below and above every probability of a table pick out the data sets and outputs that may lose most.

All others are certainly below the worst loss, or below the bound in question, and no ball is computed for them.
The error bounds are derived in ERROR_BOUND.md, section 8.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from dpaudit.numbers.balls import Ball
from dpaudit.privacy.fast.exponential_table import Floats
from dpaudit.privacy.protocols import Dataset

Part = tuple[list[Dataset], list[int]]
"""Members of a clique, and positions among the outputs that are possible for it."""


class Brackets(ABC):
    """Floats that bracket the levels of a law (see Law.levels), and the losses between them on a scale of its own."""

    @abstractmethod
    def row(self, x: Dataset) -> tuple[Floats, Floats]:
        """Floats that are certainly not above, and not below, the levels of x, in their order."""

    @abstractmethod
    def at_most(self, above: Floats, below: Floats) -> Floats:
        """Floats >= every loss from a level <= ``above`` to a level >= ``below``."""

    @abstractmethod
    def at_least(self, below: Floats, above: Floats) -> Floats:
        """Floats <= every loss from a level >= ``below`` to a level <= ``above``."""

    @abstractmethod
    def scaled(self, loss: Ball) -> float:
        """A float <= the loss."""


def part_of(
    brackets: Brackets, members: Sequence[Dataset], bound: Ball | None, tell: Callable[[], None] = lambda: None
) -> Part:
    """The members and outputs with a loss that may be the largest of this clique, or may reach the bound if given.

    An output with such a loss is in the part, and so are the members with its largest and its smallest level.
    """
    lows, highs = [], []
    for x in members:
        low, high = brackets.row(x)
        lows.append(low)
        highs.append(high)
        tell()
    most_low, most_high = np.maximum.reduce(lows), np.maximum.reduce(highs)
    least_low, least_high = np.minimum.reduce(lows), np.minimum.reduce(highs)
    floor = float(np.max(brackets.at_least(most_low, least_high))) if bound is None else brackets.scaled(bound)
    columns = np.flatnonzero(~(brackets.at_most(most_high, least_low) < floor))
    least, most = least_low[columns], most_high[columns]
    kept = [
        x
        for x, low, high in zip(members, lows, highs, strict=True)
        if np.any(~(brackets.at_most(high[columns], least) < floor))
        or np.any(~(brackets.at_most(most, low[columns]) < floor))
    ]
    return kept, columns.tolist()
