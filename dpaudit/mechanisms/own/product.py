"""A mechanism that releases independent coordinates: its laws by classes of loss, never by listing all outputs.

    def coordinates(self, x): return [p if j == x else q for j in range(1000)]

is a thousand independent bits, each given by its probability of being 1; a coordinate with more values is given by the
list of their probabilities. Neighbors x and x' mostly agree in distribution on most coordinates.

*Sufficiency.* The loss ln P_x(r)/P_x'(r) of an output r is the sum of the losses of its coordinates. Coordinates with
the same distribution under x and x' add 0. Coordinates with the same pair of distributions are exchangeable: their
loss depends on how often each value occurs alone. So the counts of the values, for every kind of coordinate in which x
and x' differ, determine the loss, and the pair (P_x, P_x') and the pair of their distributions of these counts have
the same losses with the same probabilities: the same epsilon, delta, divergences, trade-off function and compositions.

*Blocks.* Pairs of neighbors that differ in the same kinds of coordinates, equally often, have the same losses, so one
of them is kept. The table that represents the mechanism has one block for each: two data sets, adjacent only to each
other, whose outputs are the counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb, prod
from typing import Any

from dpaudit.mechanisms.own.entry import Between, Entries, Entry
from dpaudit.mechanisms.own.items import short
from dpaudit.mechanisms.own.mechanism import OwnMechanism
from dpaudit.mechanisms.own.rows import GivenRow
from dpaudit.mechanisms.own.user_code import guarded
from dpaudit.numbers.errors import InputError, approximately
from dpaudit.numbers.expressions import Expression
from dpaudit.numbers.rationals import rational
from dpaudit.privacy.adjacency import Adjacency
from dpaudit.privacy.guarantee import Guarantee
from dpaudit.privacy.protocols import Dataset, text

MOST_CLASSES = 20_000
MOST_COORDINATES = 10**6

Kind = tuple[int, int]
"""The numbers of the distributions of a coordinate under x and under x'."""
Counts = tuple[int, ...]
"""How often every value occurs."""


class Coordinates:
    """The distributions of all coordinates, by number: equal distributions have one number."""

    def __init__(self, target: Any, reference: str, name: str) -> None:
        self.target, self.reference, self.name = target, reference, name
        self.entries = Entries(False)
        self.rows: list[tuple[Entry, ...]] = []
        self._numbers: dict[tuple[int, ...], int] = {}
        self._given: dict[Any, int] = {}

    def _error(self, x: Dataset, i: int | None, rule: str) -> InputError:
        place = "" if i is None else f" at coordinate {i + 1}"
        return InputError("mech", self.reference, f"{self.name} coordinates({text(x)}){place} {rule}")

    def of(self, x: Dataset) -> tuple[int, ...]:
        """The numbers of the distributions of the coordinates for x."""
        found = guarded(self.reference, lambda: self.target.coordinates(x))
        if isinstance(found, str | dict) or not isinstance(found, Iterable):
            raise self._error(x, None, f"must be a list, not {type(found).__name__}")
        listed = guarded(self.reference, lambda: list(found))
        if not 1 <= len(listed) <= MOST_COORDINATES:
            raise self._error(x, None, f"has {len(listed)} entries; must have 1 to {MOST_COORDINATES}")
        return tuple(self._number(x, i, value) for i, value in enumerate(listed))

    def _number(self, x: Dataset, i: int, value: Any) -> int:
        """The number of the distribution that this is: a list of probabilities, or the probability of a 1."""
        key = tuple(value) if isinstance(value, list | tuple) else value
        try:
            known = self._given.get((type(value), key))
        except TypeError:
            raise self._error(x, i, f"is {short(value)}: it must be a probability or a list of them") from None
        if known is None:
            known = self._given[type(value), key] = self._read(x, i, value)
        return known

    def _read(self, x: Dataset, i: int, value: Any) -> int:
        def error(_: int | None, rule: str) -> InputError:
            return self._error(x, i, rule)

        if not isinstance(value, list | tuple):
            self.entries.read([value], error)
            value = [guarded(self.reference, lambda: 1 - _exact(value)), value]
        row = GivenRow.read(self.entries, list(value), error)
        if any(isinstance(entry, Between) for entry in row.entries):  # two equal ones may hold different numbers
            raise error(None, "is an enclosure: the distribution of a coordinate must be exact")
        number = self._numbers.setdefault(row.numbers, len(self.rows))
        if number == len(self.rows):
            self.rows.append(row.entries)
        return number


def _exact(value: Any) -> Any:
    return value if isinstance(value, Expression) else rational("probability", value)


@dataclass(frozen=True)
class Block:
    """A pair of neighbors, and how often each kind of coordinate in which they differ occurs."""

    x: Dataset
    x_prime: Dataset
    kinds: tuple[tuple[Kind, int], ...]
    places: tuple[tuple[int, ...], ...]
    """The coordinates of every kind."""


class Product:
    """The table that represents a mechanism with independent coordinates, in the protocol of a user's own."""

    def __init__(self, target: Any, reference: str, name: str, blocks: Sequence[Block], rows: Coordinates) -> None:
        self.target, self.name, self.blocks, self.rows = target, name, blocks, rows
        self.reference = reference

    @cached_property
    def _places(self) -> dict[Any, tuple[int, int]]:
        """Data set -> block and side; one that is in several blocks is named with its neighbor."""
        often = Counter(x for block in self.blocks for x in (block.x, block.x_prime))
        found: dict[Any, tuple[int, int]] = {}
        for number, block in enumerate(self.blocks):
            for side, (x, y) in enumerate(((block.x, block.x_prime), (block.x_prime, block.x))):
                found[x if often[x] == 1 else f"{text(x)} beside {text(y)}"] = number, side
        return found

    def datasets(self) -> list[Any]:
        """Two for every block."""
        return list(self._places)

    def neighbors(self, x: Any) -> list[Any]:
        """The other data set of the block."""
        number, side = self._places[x]
        return [y for y, place in self._places.items() if place == (number, 1 - side)]

    @cached_property
    def _classes(self) -> list[tuple[int, tuple[Counts, ...]]]:
        found: list[tuple[int, tuple[Counts, ...]]] = []
        for number, block in enumerate(self.blocks):
            sizes = [(len(self.rows.rows[kind[0]]), many) for kind, many in block.kinds]
            total = prod(comb(many + size - 1, size - 1) for size, many in sizes)
            if len(found) + total > MOST_CLASSES:
                rule = f"has about {approximately(total)} classes of loss, at most {MOST_CLASSES} can be listed"
                raise InputError("mech", self.reference, f"{self.name} {rule}: take fewer coordinates or values")
            found += [(number, counts) for counts in product(*(_counts(size, many) for size, many in sizes))]
        return found

    def outputs(self) -> list[str]:
        """The counts of every block, for people."""
        return [self._label(number, counts) for number, counts in self._classes]

    def _label(self, number: int, counts: tuple[Counts, ...]) -> str:
        block = self.blocks[number]
        words = []
        for (kind, many), places, seen in zip(block.kinds, block.places, counts, strict=True):
            shown = ", ".join(str(place + 1) for place in places[:4]) + (", …" if many > 4 else "")
            if many == 1:
                words.append(f"coordinate {shown} = {seen.index(1)}")
            elif len(self.rows.rows[kind[0]]) == 2:
                words.append(f"{seen[1]} of the {many} bits {shown} set")
            else:
                words.append(f"values {'/'.join(map(str, seen))} times in coordinates {shown}")
        label = ", ".join(words) or "any"
        return label if len(self.blocks) == 1 else f"{text(block.x)} against {text(block.x_prime)}: {label}"

    def probabilities(self, x: Any) -> list[Any]:
        """The multinomial probabilities of the counts; 0 for the other blocks."""
        number, side = self._places[x]
        kinds = self.blocks[number].kinds
        powers: dict[tuple[int, Counts], Any] = {}
        found: list[Any] = []
        for owner, counts in self._classes:
            if owner != number:
                found.append(0)
                continue
            chance: Any = 1
            for i, ((kind, _), seen) in enumerate(zip(kinds, counts, strict=True)):
                if (i, seen) not in powers:
                    powers[i, seen] = _multinomial(self.rows.rows[kind[side]], seen)
                chance = chance * powers[i, seen]
            found.append(chance)
        return found


def _counts(size: int, many: int) -> list[Counts]:
    """All ways in which ``many`` coordinates take ``size`` values."""
    if size == 1:
        return [(many,)]
    return [(first, *rest) for first in range(many + 1) for rest in _counts(size - 1, many - first)]


def _multinomial(row: Sequence[Any], counts: Counts) -> Any:
    left, ways, chance = sum(counts), 1, 1
    for p, often in zip(row, counts, strict=True):
        ways *= comb(left, often)
        left -= often
        if often:
            chance = chance * p**often
    return ways * chance


class ProductMechanism(OwnMechanism):
    """A mechanism with independent coordinates, by the table that represents it."""

    def __init__(self, original: OwnMechanism) -> None:
        found = original
        table = _product(found._target, found.reference, found.name, found.datasets(), found.neighbors)
        super().__init__(table, found.reference, found.epsilon, found._settings, sha256=found.sha256)
        self.original, self.formula = original, original.formula  # type: ignore[misc]

    def with_adjacency(self, adjacency: str | Adjacency) -> ProductMechanism:
        """The same mechanism under another adjacency."""
        return ProductMechanism(self.original.with_adjacency(adjacency))

    def claimed(self) -> Guarantee | None:
        """The guarantee that its author claims."""
        return self.original.claimed()

    def claimed_here(self) -> Guarantee | None:
        """The same, under the author's adjacency only."""
        return self.original.claimed_here()

    def covered(self) -> str:
        """The same."""
        return self.original.covered()

    def notes(self) -> list[str]:
        """Its author's line, and the meaning of the table's outputs."""
        size = len(self.original._target.coordinates(self.original.datasets()[0]))
        return [
            *self.original.notes(),
            f"{size} independent coordinates; an output consists of those in which x and x′ differ",
        ]


def _product(
    target: Any, reference: str, name: str, datasets: Sequence[Dataset], neighbors: Callable[[Dataset], Iterable[Any]]
) -> Product:
    """The table for the neighboring pairs among the data sets."""
    rows = Coordinates(target, reference, name)
    numbers = {x: rows.of(x) for x in datasets}
    lengths = {len(found) for found in numbers.values()}
    if len(lengths) > 1:
        raise InputError("mech", reference, f"{name} coordinates(x) must have one length, has {sorted(lengths)}")
    blocks: dict[Any, Block] = {}
    for x in datasets:
        for y in neighbors(x):
            block = _block(rows, x, y, numbers[x], numbers[y])
            key = frozenset(block.kinds)
            mirrored = frozenset(((b, a), many) for (a, b), many in block.kinds)
            if key not in blocks and mirrored not in blocks:
                blocks[key] = block
    return Product(target, reference, name, list(blocks.values()), rows)


def _block(rows: Coordinates, x: Dataset, y: Dataset, mine: Sequence[int], theirs: Sequence[int]) -> Block:
    kinds: dict[Kind, int] = {}
    places: dict[Kind, list[int]] = {}
    for i, kind in enumerate(zip(mine, theirs, strict=True)):
        if kind[0] != kind[1]:
            kinds[kind] = kinds.get(kind, 0) + 1
            places.setdefault(kind, []).append(i)
            if len(rows.rows[kind[0]]) != len(rows.rows[kind[1]]):
                raise rows._error(x, i, f"has {len(rows.rows[kind[0]])} values, for {text(y)} it has another number")
    return Block(x, y, tuple(kinds.items()), tuple(map(tuple, places.values())))
