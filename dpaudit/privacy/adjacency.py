"""Adjacency: which data sets are neighbors. It is a value; a mechanism can be audited under another one.

A tuple of whole numbers may be counts (a histogram) or records (one entry for each person); replacing one record is
then a different relation. ``replace-one`` and ``add-remove-one`` read counts, and are refused where records could be
meant: ``replace-one:counts`` and ``replace-one:records`` say which.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar

from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import count_histograms, count_pairs, neighbors
from dpaudit.privacy.protocols import Dataset, plain, text


class Adjacency(ABC):
    """A symmetric relation between data sets."""

    name: ClassVar[str]
    """The value of --adjacency."""
    words: ClassVar[str]
    keeps_under_permutation: ClassVar[bool] = False
    """Whether permuting the cells of all histograms maps neighbors to neighbors."""

    @abstractmethod
    def neighbors(self, x: Dataset, among: Collection[Dataset]) -> Iterable[Dataset]:
        """The data sets adjacent to x that are ``among`` the given ones; x is not one of them."""

    def links(self, datasets: Collection[Dataset]) -> dict[Dataset, tuple[Dataset, ...]]:
        """The neighbors of every one of the data sets.

        InputError where the relation does not apply to such data sets, or is ambiguous.
        """
        return {x: tuple(self.neighbors(x, datasets)) for x in datasets}

    def cliques(self, datasets: Collection[Dataset]) -> list[Sequence[Dataset]] | None:
        """Cliques: every two data sets in one are adjacent, and every two neighbors are in one; None where unknown."""
        del datasets
        return None

    @abstractmethod
    def count(self, n: int, k: int) -> int:
        """The number of ordered adjacent pairs among the histograms of n records in k cells."""

    def option(self) -> str | None:
        """The value of --adjacency for this relation; None where there is none."""
        return self.name

    def text(self) -> str:
        """The relation in words."""
        return self.words

    def to_dict(self) -> dict[str, Any]:
        """The relation for JSON."""
        return {"kind": self.name}


@dataclass(frozen=True)
class OfCounts(Adjacency):
    """A relation between tuples of counts, all of one length."""

    stated: bool = field(default=False, compare=False)
    """Whether the entries were declared to be counts."""

    def option(self) -> str:
        """The value of --adjacency."""
        return f"{self.name}:counts" if self.stated else self.name

    def text(self) -> str:
        """The relation in words."""
        return f"{self.words} (entries are counts)" if self.stated else self.words

    def to_dict(self) -> dict[str, Any]:
        """The relation for JSON."""
        return {"kind": self.option()}

    def links(self, datasets: Collection[Dataset]) -> dict[Dataset, tuple[Dataset, ...]]:
        """The neighbors; entries that are not counts, mixed lengths, and possible records are refused."""
        for x in datasets:
            if not isinstance(x, tuple) or not all(type(entry) is int and entry >= 0 for entry in x):
                raise self._refused(f"the data sets must be tuples of counts; {text(x)} is not")
        lengths = sorted({len(x) for x in datasets})
        if len(lengths) > 1:
            rule = f"tuples of counts have one length; there are data sets of {lengths[0]} and of {lengths[-1]} entries"
            raise self._refused(rule)
        if not self.stated and (pair := self._as_records(datasets)) is not None:
            x, y = map(text, pair)
            rule = f"the entries may be counts or records: is {y} one record replaced in {x}?"
            raise InputError("adjacency", self.name, f"{rule} Write {self.name}:counts or {self.name}:records")
        return super().links(datasets)

    def _as_records(self, datasets: Collection[Dataset]) -> tuple[Dataset, Dataset] | None:
        """Two data sets that this relation would join if their entries were records; None if there are none."""
        return None

    def _refused(self, rule: str) -> InputError:
        return InputError("adjacency", self.option(), f"{rule} (if the entries are records: {self.name}:records)")


@dataclass(frozen=True)
class ReplaceOne(OfCounts):
    """One record is replaced by another: a unit moves from one count to another."""

    name: ClassVar[str] = "replace-one"
    words: ClassVar[str] = "one record replaced"
    keeps_under_permutation: ClassVar[bool] = True

    def neighbors(self, x: Dataset, among: Collection[Dataset]) -> Iterator[Dataset]:
        """The tuples with one unit moved."""
        return (y for y in neighbors(x) if y in among)

    def count(self, n: int, k: int) -> int:
        """k(k-1) C(n+k-2, k-1)."""
        return count_pairs(n, k)

    def _as_records(self, datasets: Collection[Dataset]) -> tuple[Dataset, Dataset] | None:
        if len({sum(x) for x in datasets}) == 1:
            return None  # one entry changed would change the sum
        alike = (together for together in _but_for_one(datasets) if len(together) > 1)
        return next(((a, b) for a, b, *_ in alike), None)


@dataclass(frozen=True)
class AddOrRemoveOne(OfCounts):
    """One record is added or removed: one count is larger or smaller by one."""

    name: ClassVar[str] = "add-remove-one"
    words: ClassVar[str] = "one record added or removed"
    keeps_under_permutation: ClassVar[bool] = True

    def neighbors(self, x: Dataset, among: Collection[Dataset]) -> Iterator[Dataset]:
        """The tuples with one unit more or less."""
        steps = [(i, step) for i in range(len(x)) for step in (-1, 1)]
        found = (tuple(c + step * (j == i) for j, c in enumerate(x)) for i, step in steps)
        return (y for y in found if y in among)

    def count(self, n: int, k: int) -> int:
        """0: all histograms have n records."""
        return 0


class OfRecords(Adjacency):
    """A relation between tuples of records with any entries; a histogram is not one."""

    def count(self, n: int, k: int) -> int:
        """0: a histogram has counts."""
        return 0

    def neighbors(self, x: Dataset, among: Collection[Dataset]) -> tuple[Dataset, ...]:
        """The tuples with one record changed in this way."""
        return self.links(among)[x]

    def links(self, datasets: Collection[Dataset]) -> dict[Dataset, tuple[Dataset, ...]]:
        """The neighbors; data sets that are not tuples are refused."""
        odd = next((x for x in datasets if not isinstance(x, tuple)), None)
        if odd is not None:
            raise InputError("adjacency", self.name, f"the data sets must be tuples of records; {text(odd)} is not")
        found: dict[Dataset, dict[Dataset, None]] = {x: {} for x in datasets}
        for x, y in self._pairs(datasets):
            found[x][y] = found[y][x] = None
        return {x: tuple(others) for x, others in found.items()}

    @abstractmethod
    def _pairs(self, datasets: Collection[Dataset]) -> Iterator[tuple[Dataset, Dataset]]:
        """Yields every two neighbors, in one order at the least."""


@dataclass(frozen=True)
class ReplaceRecord(OfRecords):
    """One record is replaced by another: one entry of the tuple differs."""

    name: ClassVar[str] = "replace-one:records"
    words: ClassVar[str] = "one record replaced (entries are records)"

    def cliques(self, datasets: Collection[Dataset]) -> list[Sequence[Dataset]]:
        """The tuples that agree in all entries but one."""
        return [alike for alike in _but_for_one(datasets) if len(alike) > 1]

    def _pairs(self, datasets: Collection[Dataset]) -> Iterator[tuple[Dataset, Dataset]]:
        return (pair for alike in _but_for_one(datasets) for pair in combinations(alike, 2))


@dataclass(frozen=True)
class AddOrRemoveRecord(OfRecords):
    """One record is added or removed: the tuple has one entry more or less, anywhere."""

    name: ClassVar[str] = "add-remove-one:records"
    words: ClassVar[str] = "one record added or removed (entries are records)"

    def _pairs(self, datasets: Collection[Dataset]) -> Iterator[tuple[Dataset, Dataset]]:
        return ((x, less) for x in datasets for i in range(len(x)) if (less := x[:i] + x[i + 1 :]) in datasets)


def _but_for_one(datasets: Collection[Dataset]) -> Iterable[list[Dataset]]:
    """The tuples that agree in all entries but one, for every place of that one, together."""
    alike: dict[tuple[int, Dataset, Dataset], list[Dataset]] = {}
    for x in datasets:
        for i in range(len(x)):
            alike.setdefault((i, x[:i], x[i + 1 :]), []).append(x)
    return alike.values()


@dataclass(frozen=True)
class AllPairs(Adjacency):
    """Every two data sets are adjacent."""

    name: ClassVar[str] = "all"
    words: ClassVar[str] = "every two data sets"
    keeps_under_permutation: ClassVar[bool] = True

    def neighbors(self, x: Dataset, among: Collection[Dataset]) -> Iterator[Dataset]:
        """All the others."""
        return (y for y in among if y != x)

    def cliques(self, datasets: Collection[Dataset]) -> list[Sequence[Dataset]]:
        """All of them."""
        return [tuple(datasets)]

    def count(self, n: int, k: int) -> int:
        """|R| (|R| - 1)."""
        size = count_histograms(n, k)
        return size * (size - 1)


@dataclass(frozen=True)
class ExplicitPairs(Adjacency):
    """The listed pairs, in either order; a data set listed with itself is ignored."""

    pairs: tuple[tuple[Dataset, Dataset], ...]
    source: str | None = field(default=None, compare=False)
    """The file that lists them."""

    name: ClassVar[str] = "pairs"
    words: ClassVar[str] = "the pairs listed"

    @cached_property
    def _partners(self) -> dict[Dataset, dict[Dataset, None]]:
        """The neighbors of every data set that has any."""
        found: dict[Dataset, dict[Dataset, None]] = {}
        for x, y in self.pairs:
            if x != y:
                found.setdefault(x, {})[y] = None
                found.setdefault(y, {})[x] = None
        return found

    def neighbors(self, x: Dataset, among: Collection[Dataset]) -> list[Dataset]:
        """The data sets listed with x."""
        return [y for y in self._partners.get(x, ()) if y in among]

    def count(self, n: int, k: int) -> int:
        """The number of pairs listed, in both orders."""
        return sum(len(others) for others in self._partners.values())

    def option(self) -> str | None:
        """The file that lists the pairs, if there is one."""
        return self.source

    def text(self) -> str:
        """How many pairs are listed, and where."""
        return f"{self.count(0, 0) // 2} pairs listed" + (f" in {self.source}" if self.source else "")

    def to_dict(self) -> dict[str, Any]:
        """The pairs, each once."""
        once = {frozenset(pair): pair for pair in self.pairs if pair[0] != pair[1]}
        return {"kind": self.name, "pairs": [[plain(x), plain(y)] for x, y in once.values()]}


REPLACE_ONE, ADD_OR_REMOVE_ONE, ALL_PAIRS = ReplaceOne(), AddOrRemoveOne(), AllPairs()
NAMED: dict[str, Adjacency] = {a.name: a for a in (REPLACE_ONE, ADD_OR_REMOVE_ONE, ALL_PAIRS)}
STATED: dict[str, Adjacency] = {
    str(a.option()): a for a in (ReplaceOne(True), ReplaceRecord(), AddOrRemoveOne(True), AddOrRemoveRecord())
}
"""Relations that say whether the entries of a data set are counts or records."""


def parse_adjacency(value: str | Adjacency, read: Callable[[str, str], Dataset]) -> Adjacency:
    """The relation that the text denotes: a name, or a file of pairs of data sets.

    ``read(option, text)`` returns the data set that a text denotes, or raises InputError.
    """
    if isinstance(value, Adjacency):
        return value
    name = str(value).strip()
    known = NAMED | STATED
    if name.lower() in known:
        return known[name.lower()]
    if not name.lower().endswith((".csv", ".json", ".parquet")):
        raise InputError("adjacency", value, f"must be {', '.join(NAMED)}, or a file of pairs (csv, json, parquet)")
    from dpaudit.files.sheets import read_pairs

    return ExplicitPairs(tuple(read_pairs(name, lambda entry: read("adjacency", entry))), name)
