"""The distributions of a user's own mechanism: balls of the exact entries, at any precision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING

from dpaudit.mechanisms.own.entry import Entry, entry_ball
from dpaudit.mechanisms.own.rows import GivenRow, Rows
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.protocols import Dataset, Law, Mass

MAX_FIXED_BITS = 1024
"""The precision beyond which a law with fixed enclosures, which never become narrower, is refused."""

if TYPE_CHECKING:
    from dpaudit.privacy.fast.brackets import Brackets


class OwnLaw(Law):
    """The distributions of a user's own mechanism at one precision; equal entries are evaluated once."""

    def __init__(self, rows: Rows) -> None:
        if balls.working_bits() > MAX_FIXED_BITS and not rows.refinable:
            raise PrecisionExhausted(balls.working_bits())
        self._rows = rows
        self._logs: dict[int, Ball] = {}
        self._values: dict[int, Ball] = {}
        self._entries: dict[int, Ball] = {}
        self._parts: dict[tuple[int, int], Ball] = {}
        self._places: dict[int, Sequence[int]] = {}

    def log_probabilities(self, x: Dataset) -> list[Ball]:
        """Balls that contain ln P_x(r); 0 for an impossible output (see Algebra.infinite)."""
        return self._balls(x, self._logs, GivenRow.log_probabilities)

    def probabilities(self, x: Dataset) -> list[Ball]:
        """Balls that contain P_x(r)."""
        return self._balls(x, self._values, GivenRow.probabilities)

    def levels(self, x: Dataset, only: Sequence[int] | None = None) -> list[Ball]:
        """The probabilities, or the logarithms of those that are given by log-weights."""
        row, places = self._rows[x], self.places(x)
        wanted = places if only is None else [places[i] for i in only]
        if row.logarithmic:
            return self._normalized(row, wanted)
        if row.is_plain:
            return [self._entry(None, row.entries[i]) for i in wanted]
        return [self._entry(row.numbers[i], row.entries[i]) for i in wanted]

    def places(self, x: Dataset) -> Sequence[int]:
        """The positions of the possible outputs; rows with the same pattern share one list."""
        row = self._rows[x]
        if id(row.possible) not in self._places:  # the rows hold these tuples
            self._places[id(row.possible)] = row.places
        return self._places[id(row.possible)]

    def brackets(self) -> Brackets:
        """The entries as floats."""
        from dpaudit.mechanisms.own.brackets import LogWeights, Probabilities  # brings numpy

        return (LogWeights if self._rows.logarithmic else Probabilities)(self._rows, self._entry)

    def name(self, x: Dataset, place: int) -> Hashable:
        """The number of the probability."""
        row = self._rows[x]
        return (row.numbers[place], row.content) if row.logarithmic else row.numbers[place]

    def gap(self, a: Ball, b: Ball) -> Ball:
        """The loss between two levels."""
        return a - b if self._rows.logarithmic else (a / b).log()

    def _entry(self, number: int | None, entry: Entry) -> Ball:
        """A ball that contains the entry; that of one number is evaluated once."""
        if number is None:
            return entry_ball(entry)
        if number not in self._entries:
            self._entries[number] = entry_ball(entry)
        return self._entries[number]

    def _normalized(self, row: GivenRow, wanted: Sequence[int]) -> list[Ball]:
        """Balls that contain ln P(r) of a row of log-weights; e^weight is evaluated once for each distance."""
        some = dict(zip(row.numbers, row.entries, strict=True))
        weights = {number: self._entry(number, entry) for number, entry in some.items() if entry is not None}
        shift = max(weights, key=lambda number: balls.midpoint(weights[number], 64))
        parts = []
        for number, weight in weights.items():
            if (number, shift) not in self._parts:
                self._parts[number, shift] = (weight - weights[shift]).exp()
            parts.append(self._parts[number, shift] * row.counts[number])
        normalizer = balls.total(parts).log() + weights[shift]
        return [weights[row.numbers[i]] - normalizer for i in wanted]

    def _balls(self, x: Dataset, known: dict[int, Ball], evaluate: Callable[[GivenRow], list[Ball]]) -> list[Ball]:
        self._evaluate(x, known, evaluate)
        return [known[number] for number in self._rows.numbers(x)]

    def _evaluate(self, x: Dataset, known: dict[int, Ball], evaluate: Callable[[GivenRow], list[Ball]]) -> None:
        """Makes the balls of all numbers of the row known."""
        numbers, row = self._rows.numbers(x), self._rows[x]
        if not self._rows.values(x) <= known.keys():
            if row.logarithmic:  # a normalizer needs the whole row
                known.update(zip(numbers, evaluate(row), strict=True))
            else:
                fresh = {number: i for i, number in enumerate(numbers) if number not in known}
                known.update(zip(fresh, evaluate(row.only(fresh.values())), strict=True))

    def losses(self, x: Dataset, y: Dataset, seen: set[Hashable]) -> tuple[list[Ball], list[int]]:
        """The losses of pairs of probabilities that were not seen before, in either order."""
        possible = self._rows[x].possible
        fresh = {pair: i for pair, i in self._fresh(x, y, seen).items() if possible[i] is not Verdict.REFUTED}
        for z in (x, y) if fresh else ():
            self._evaluate(z, self._logs, GivenRow.log_probabilities)
        return [self._logs[a] - self._logs[b] for a, b in fresh], list(fresh.values())

    def ratios(self, x: Dataset, y: Dataset, seen: set[Hashable]) -> list[Mass]:
        """The masses of pairs of probabilities that were not seen before, in either order; each pair once."""
        return self._masses(x, y, dict.fromkeys(self._fresh(x, y, seen), 1))

    def _fresh(self, x: Dataset, y: Dataset, seen: set[Hashable]) -> dict[tuple[int, int], int]:
        """The pairs of probabilities that were not seen before, each with its first output, and notes them.

        Equal ones lose nothing: once anything was seen, a row that could only add such pairs is skipped.
        """
        mine, theirs = self._rows.values(x), self._rows.values(y)
        few = seen and len(mine) * len(theirs) <= len(self._rows.numbers(x))
        if few and all((a, b) in seen for a in mine for b in theirs if a != b):
            return {}
        pairs = list(self._rows.pairs(x, y))
        first = dict(zip(reversed(pairs), reversed(range(len(pairs))), strict=True))
        fresh = sorted(first.keys() - seen, key=first.__getitem__)
        seen.update(fresh)
        seen |= {(b, a) for a, b in fresh}
        return {pair: first[pair] for pair in fresh}

    def masses(self, x: Dataset, y: Dataset) -> list[Mass]:
        """P_x and P_y, with the loss where algebra knows it; outputs where both are the same are merged."""
        return self._masses(x, y, Counter(self._rows.pairs(x, y)))

    def _masses(self, x: Dataset, y: Dataset, counts: dict[tuple[int, int], int]) -> list[Mass]:
        """The masses of these pairs of probabilities, each with its multiplicity."""
        if not counts:
            return []
        for z in (x, y):
            self._evaluate(z, self._values, GivenRow.probabilities)
        values, losses = self._values, self._rows.losses(x, y, counts)
        return [Mass(values[a] * count, values[b] * count, losses[a, b]) for (a, b), count in counts.items()]
