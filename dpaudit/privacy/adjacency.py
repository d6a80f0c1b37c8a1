"""Adjacency: which data sets must not be told apart. A value; a mechanism can be asked under another one.

Replace one record and add or remove one record are about data sets that are tuples of counts (histograms).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from dpaudit.numbers.errors import InputError
from dpaudit.posterior.model import count_histograms, count_pairs, neighbours
from dpaudit.privacy.protocols import Dataset, plain, text


class Adjacency(ABC):
    """A symmetric relation between data sets."""

    name: ClassVar[str]
    """What --adjacency takes."""
    words: ClassVar[str]
    keeps_under_permutation: ClassVar[bool] = False
    """Whether permuting the cells of all histograms alike carries neighbours to neighbours."""

    @abstractmethod
    def neighbours(self, x: Dataset, among: Collection[Dataset]) -> Iterable[Dataset]:
        """Returns the data sets adjacent to x, those ``among`` the given ones; x is none of them."""

    @abstractmethod
    def count(self, n: int, k: int) -> int:
        """Returns the number of ordered adjacent pairs among the histograms of n records in k cells."""

    def option(self) -> str | None:
        """Returns what --adjacency takes to give this relation; None where there is no such text."""
        return self.name

    def text(self) -> str:
        """Returns the relation in words."""
        return self.words

    def to_dict(self) -> dict[str, Any]:
        """Returns the relation for JSON."""
        return {"kind": self.name}


def _counts(relation: Adjacency, x: Dataset) -> tuple[int, ...]:
    if isinstance(x, tuple) and all(type(entry) is int and entry >= 0 for entry in x):
        return x
    raise InputError("adjacency", relation.name, f"the data sets must be tuples of counts; {text(x)} is none")


@dataclass(frozen=True)
class ReplaceOne(Adjacency):
    """One record is replaced by another: a unit moves from one count to another."""

    name: ClassVar[str] = "replace-one"
    words: ClassVar[str] = "one record replaced"
    keeps_under_permutation: ClassVar[bool] = True

    def neighbours(self, x: Dataset, among: Collection[Dataset]) -> Iterator[Dataset]:
        """Returns the tuples with one unit moved."""
        return (y for y in neighbours(_counts(self, x)) if y in among)

    def count(self, n: int, k: int) -> int:
        """Returns k(k-1) C(n+k-2, k-1)."""
        return count_pairs(n, k)


@dataclass(frozen=True)
class AddOrRemoveOne(Adjacency):
    """One record is added or removed: one count is larger or smaller by one."""

    name: ClassVar[str] = "add-remove-one"
    words: ClassVar[str] = "one record added or removed"
    keeps_under_permutation: ClassVar[bool] = True

    def neighbours(self, x: Dataset, among: Collection[Dataset]) -> Iterator[Dataset]:
        """Returns the tuples with one unit more or less."""
        cells = _counts(self, x)
        steps = [(i, step) for i in range(len(cells)) for step in (-1, 1)]
        found = (tuple(c + step * (j == i) for j, c in enumerate(cells)) for i, step in steps)
        return (y for y in found if y in among)

    def count(self, n: int, k: int) -> int:
        """Returns 0: all histograms have n records."""
        return 0


@dataclass(frozen=True)
class AllPairs(Adjacency):
    """Every two data sets are adjacent."""

    name: ClassVar[str] = "all"
    words: ClassVar[str] = "every two data sets"
    keeps_under_permutation: ClassVar[bool] = True

    def neighbours(self, x: Dataset, among: Collection[Dataset]) -> Iterator[Dataset]:
        """Returns all the others."""
        return (y for y in among if y != x)

    def count(self, n: int, k: int) -> int:
        """Returns |R| (|R| - 1)."""
        size = count_histograms(n, k)
        return size * (size - 1)


@dataclass(frozen=True)
class ExplicitPairs(Adjacency):
    """The pairs that are listed, in either order; a data set listed with itself is left out."""

    pairs: tuple[tuple[Dataset, Dataset], ...]
    source: str | None = field(default=None, compare=False)
    """The file that lists them."""

    name: ClassVar[str] = "pairs"
    words: ClassVar[str] = "the pairs listed"

    @cached_property
    def links(self) -> dict[Dataset, dict[Dataset, None]]:
        """Returns the neighbours of every data set that has any."""
        found: dict[Dataset, dict[Dataset, None]] = {}
        for x, y in self.pairs:
            if x != y:
                found.setdefault(x, {})[y] = None
                found.setdefault(y, {})[x] = None
        return found

    def neighbours(self, x: Dataset, among: Collection[Dataset]) -> list[Dataset]:
        """Returns the data sets listed with x."""
        return [y for y in self.links.get(x, ()) if y in among]

    def count(self, n: int, k: int) -> int:
        """Returns the number of pairs listed, in both orders."""
        return sum(len(others) for others in self.links.values())

    def option(self) -> str | None:
        """Returns the file that lists the pairs, if there is one."""
        return self.source

    def text(self) -> str:
        """Returns how many pairs are listed, and where."""
        return f"{self.count(0, 0) // 2} pairs listed" + (f" in {self.source}" if self.source else "")

    def to_dict(self) -> dict[str, Any]:
        """Returns the pairs, each once."""
        once = {frozenset(pair): pair for pair in self.pairs if pair[0] != pair[1]}
        return {"kind": self.name, "pairs": [[plain(x), plain(y)] for x, y in once.values()]}


REPLACE_ONE, ADD_OR_REMOVE_ONE, ALL_PAIRS = ReplaceOne(), AddOrRemoveOne(), AllPairs()
NAMED: dict[str, Adjacency] = {a.name: a for a in (REPLACE_ONE, ADD_OR_REMOVE_ONE, ALL_PAIRS)}


def parse_adjacency(value: str | Adjacency, read: Callable[[str, str], Dataset]) -> Adjacency:
    """Returns the relation that the text denotes: a name, or a file of pairs of data sets.

    ``read(option, text)`` returns the data set that a text denotes, or raises InputError.
    """
    if isinstance(value, Adjacency):
        return value
    name = str(value).strip()
    if name.lower() in NAMED:
        return NAMED[name.lower()]
    if not name.lower().endswith((".csv", ".json", ".parquet")):
        raise InputError("adjacency", value, f"must be {', '.join(NAMED)}, or a file of pairs (csv, json, parquet)")
    from dpaudit.files.sheets import read_pairs

    return ExplicitPairs(tuple(read_pairs(name, lambda entry: read("adjacency", entry))), name)
