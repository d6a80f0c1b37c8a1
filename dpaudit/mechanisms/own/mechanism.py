"""A user's own mechanism: a small class, or an object of one, made into a Mechanism.

docs/own-mechanism.md has the protocol. One of five methods gives the distributions: ``probability(x, r)``,
``probabilities(x)``, ``log_weight(x, r)``, ``sample(x, rng)``, whose code is followed (own/sample.py), or
``coordinates(x)``, the distributions of independent parts of the output (own/product.py). A binary float is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from fractions import Fraction
from functools import cached_property
from itertools import islice
from operator import is_
from typing import TYPE_CHECKING, Any, Self

from dpaudit.mechanisms.base import ExactRows, Mechanism
from dpaudit.mechanisms.own import runs
from dpaudit.mechanisms.own.algebra import OwnAlgebra
from dpaudit.mechanisms.own.entry import Entries
from dpaudit.mechanisms.own.items import alike, hashable, short, twins_among
from dpaudit.mechanisms.own.law import OwnLaw
from dpaudit.mechanisms.own.rows import GivenRow, Rows
from dpaudit.mechanisms.own.user_code import guarded
from dpaudit.numbers.errors import InputError, visible
from dpaudit.privacy.adjacency import ALL_PAIRS, Adjacency, ExplicitPairs, parse_adjacency
from dpaudit.privacy.guarantee import Guarantee, parse_guarantee
from dpaudit.privacy.names import Names
from dpaudit.privacy.protocols import Counts, Dataset, Law, Output, text

if TYPE_CHECKING:
    from dpaudit.mechanisms.own.noise import NoiseLaws
    from dpaudit.mechanisms.own.sample import SampledLaws

MAX_ITEMS = 10**6
MAX_PAIRS = 10**7
ENTRY_BYTES = 1000
"""An entry of the table of distributions: its exact value, its ball and its logarithm; rounded up."""
EXAMPLE = "one that works: dpaudit epsilon --mech dpaudit.examples.randomized_response:RandomizedResponse"
LIBRARY = "a library's class is made and called in sample(x, rng) of a class of yours"
METHODS = ("probability", "probabilities", "log_weight", "sample", "coordinates")


class OwnMechanism(Mechanism):
    """A mechanism of this protocol; everything that its methods return is checked."""

    event: str | None = None
    """The event of ``dpaudit account`` with the same losses, for a mechanism by name."""

    def __init__(
        self,
        target: Any,
        reference: str,
        epsilon: Fraction | None,
        settings: dict[str, str],
        adjacency: Adjacency | None = None,
        *,
        sha256: str | None = None,
    ) -> None:
        self._target = target
        self.reference = reference
        self.epsilon = epsilon
        self._settings = settings
        self.sha256 = sha256
        lines = (type(target).__doc__ or "").strip().splitlines() or ["(no description)"]
        self.name = self._word("name", type(target).__name__)  # type: ignore[misc]
        self.formula = self._word("formula", lines[0])  # type: ignore[misc]
        self._other_adjacency = adjacency
        self.source = visible(reference)  # type: ignore[misc]
        self._check_methods()

    def _word(self, name: str, default: str) -> str:
        return visible(guarded(self.reference, lambda: str(getattr(self._target, name, default))))

    def _check_methods(self) -> None:
        target = self._target
        given = [method for method in METHODS if callable(getattr(target, method, None))]
        for method in ("datasets", "outputs"):
            needs_none = method == "outputs" and not {"sample", "coordinates"}.isdisjoint(given)
            if not callable(getattr(target, method, None)) and not needs_none:
                unless = " (or sample(x, rng) or coordinates(x), which need none)" if method == "outputs" else ""
                more = EXAMPLE if ".py:" in self.reference or given else f"{LIBRARY}; {EXAMPLE}"
                raise self._error(f"needs a method {method}(){unless}; {more}")
        if len(given) != 1:
            which = " and ".join(given) or "none"
            wanted = "probability(x, r), probabilities(x), log_weight(x, r), sample(x, rng), coordinates(x)"
            raise self._error(f"needs exactly one of {wanted}; has {which}")
        self.method = given[0]

    @cached_property
    def _sampled(self) -> SampledLaws | NoiseLaws:
        """The laws of the code, where the mechanism is given by its code."""
        from dpaudit.mechanisms.own.noise import laws_of  # brings numpy

        return laws_of(self._target, self.reference, self.name)

    @property
    def _lists_outputs(self) -> bool:
        return callable(getattr(self._target, "outputs", None))

    def _error(self, rule: str) -> InputError:
        return InputError("mech", self.reference, f"{self.name} {rule}")

    def _call(self, method: str, *arguments: Any) -> Any:
        return guarded(self.reference, getattr(self._target, method), *arguments)

    # -------------------------------------------------------------- data sets and outputs

    def _items(self, method: str, *arguments: Any) -> tuple[Any, ...]:
        """What datasets(), outputs() or neighbors(x) yields, twice the same: at most MAX_ITEMS values."""
        first, second = self._listed(method, *arguments), self._listed(method, *arguments)
        if len(first) != len(second):
            raise self._changed(f"{method}()", f"{len(first)} items", f"{len(second)} items")
        for a, b in zip(first, second, strict=True):
            if not (a is b or guarded(self.reference, lambda a=a, b=b: a == b and alike(a, b))):
                raise self._changed(f"{method}()", short(a), short(b))
        return first

    def _changed(self, place: str, first: str, second: str) -> InputError:
        return self._error(f"{place} changes between two calls: {first}, then {second}; it must be the same every time")

    def _listed(self, method: str, *arguments: Any) -> tuple[Any, ...]:
        """At most MAX_ITEMS hashable values."""
        found = self._call(method, *arguments)
        if isinstance(found, str) or not isinstance(found, Iterable):
            raise self._error(f"{method}() must return a list, not {type(found).__name__}")
        items: tuple[Any, ...] = guarded(self.reference, lambda: tuple(islice(found, MAX_ITEMS + 1)))
        if len(items) > MAX_ITEMS:
            raise self._error(f"{method}() returns more than {MAX_ITEMS} items")
        for item in items:
            if not hashable(item):
                raise self._error(f"{method}() returns {item!r}, which is not hashable; use tuples instead of lists")
        return items

    def _distinct(self, method: str, what: str, least: int) -> tuple[Any, ...]:
        items = self._items(method)
        if len(items) < least:
            raise self._error(f"{method}() must return at least {least} {what}, returns {len(items)}")
        self._refuse_twins(method, items)
        return items

    def _refuse_twins(self, method: str, items: Sequence[Any]) -> None:
        twins = guarded(self.reference, twins_among, items)
        if twins:
            raise self._error(f"{method}() returns {twins}")

    @cached_property
    def _datasets(self) -> tuple[Dataset, ...]:
        return self._distinct("datasets", "data sets", 2)

    @cached_property
    def _outputs(self) -> tuple[Output, ...]:
        listed = self._distinct("outputs", "output", 1) if self._lists_outputs else None
        if self.method != "sample":
            return listed or ()
        found = self._sampled.outputs(self._datasets, listed)
        self._refuse_twins("sample", found)
        return found

    @cached_property
    def output_index(self) -> dict[Output, int]:
        """The position of every output."""
        return {output: i for i, output in enumerate(self._outputs)}

    @cached_property
    def _listed_outputs(self) -> dict[Output, Output]:
        return {output: output for output in self._outputs}

    @cached_property
    def _listed_datasets(self) -> dict[Dataset, Dataset]:
        return {x: x for x in self._datasets}

    _names = cached_property[Names](lambda self: Names(self._datasets))

    @cached_property
    def adjacency(self) -> Adjacency:  # type: ignore[override]
        """The requested adjacency, else the author's: the method neighbors, the word adjacency, or every pair."""
        return self._own_adjacency if self._other_adjacency is None else self._other_adjacency

    @cached_property
    def _own_adjacency(self) -> Adjacency:
        word = getattr(self._target, "adjacency", None)
        if callable(getattr(self._target, "neighbors", None)):
            if word is not None:
                raise self._error("has both a method neighbors(x) and an adjacency; leave one out")
            return ExplicitPairs(tuple(self._listed_pairs()))
        return ALL_PAIRS if word is None else parse_adjacency(word, self.read_dataset)

    def _listed_pairs(self) -> Iterator[tuple[Dataset, Dataset]]:
        count = 0
        for x in self._datasets:
            for found in self._items("neighbors", x):
                count += 1
                if count > MAX_PAIRS:
                    raise self._error(
                        f'neighbors(x) lists more than {MAX_PAIRS} pairs; adjacency = "all" needs no list'
                    )
                yield x, self._as_listed(self._listed_datasets, found, f"neighbors({text(x)}) returns", "data set")

    @cached_property
    def _links(self) -> dict[Dataset, tuple[Dataset, ...]]:
        """The neighbors of every data set; itself left out. Where all are adjacent, there is no such list."""
        links = self.adjacency.links(self._listed_datasets)
        if not any(links.values()):
            raise self._error("has no neighboring data sets")
        return links

    def with_adjacency(self, adjacency: str | Adjacency) -> Self:
        """The same mechanism under another adjacency."""
        relation = parse_adjacency(adjacency, self.read_dataset)
        found = type(self)(self._target, self.reference, self.epsilon, self._settings, relation, sha256=self.sha256)
        found.most_steps = self.most_steps
        if self.method == "sample":
            found._sampled = self._sampled  # the laws are the same
        return found

    def alone(self, x: Dataset) -> Self:
        """The mechanism with this data set only, if its code would have to be followed for every other one."""
        if self.method != "sample" or "_outputs" in vars(self):
            return self
        found = copy(self)
        found.adjacency, found._own_adjacency, found._sampled = self.adjacency, self._own_adjacency, self._sampled
        found._datasets, found._links = (x,), {x: ()}
        return found

    def _as_listed(self, known: dict[Any, Any], found: Any, place: str, what: str) -> Any:
        """The data set or output that was found, as it was listed; one that only compares equal is refused."""
        if found not in known:
            raise self._error(f"{place} {text(found)}, which is not one of the {what}s")
        if not alike(known[found], found):
            twins = f"{short(found)}, which compares equal to the {what} {short(known[found])} but is another value"
            raise self._error(f"{place} {twins}")
        return known[found]

    def datasets(self) -> Sequence[Dataset]:
        """The data sets."""
        return self._datasets

    def outputs(self) -> Sequence[Output]:
        """The outputs."""
        return self._outputs

    def neighbors(self, x: Dataset) -> Sequence[Dataset]:
        """The neighbors of x, made symmetric."""
        return [y for y in self._datasets if y != x] if self.adjacency == ALL_PAIRS else self._links[x]

    def cliques(self) -> Sequence[Sequence[Dataset]] | None:
        """The cliques of the adjacency, if the distributions are known to any precision."""
        return self.adjacency.cliques(self._datasets) if self.refinable else None

    def counts(self) -> Counts:
        """The numbers of data sets, ordered adjacent pairs and outputs."""
        size = len(self._datasets)
        everybody = self.adjacency == ALL_PAIRS
        pairs = size * (size - 1) if everybody else sum(map(len, self._links.values()))
        rest = self._sampled.has_rest(self._outputs) if self.method == "sample" else False
        return Counts(size, pairs, len(self._outputs), int(rest))

    def memory(self) -> int:
        """The bytes for the whole table of distributions."""
        return len(self._datasets) * len(self._outputs) * ENTRY_BYTES

    def read_dataset(self, option: str, value: Any) -> Dataset:
        """The data set with this value or name; a name of two data sets is refused."""
        if hashable(value) and value in self._listed_datasets:
            return self._listed_datasets[value]
        found = self._names.find(option, text(value))
        if found:
            return found[0]
        some = "; ".join(text(x) for x in self._datasets[:4]) + ("; …" if len(self._datasets) > 4 else "")
        raise InputError(option, text(value), f"is not a data set of {self.name}; it has {some}")

    # -------------------------------------------------------------- distributions

    def row(self, x: Dataset) -> GivenRow:
        """The distribution of x as its author gave it, checked: right length, nothing negative, sum 1."""
        return self._rows[x]

    @cached_property
    def _known_entries(self) -> Entries:
        return Entries(self.method == "log_weight")

    @cached_property
    def _rows(self) -> Rows:
        return Rows(self._read_twice, self._datasets)

    def _read_twice(self, x: Dataset) -> GivenRow:
        """The row, refused if its author's code gives another one when it is asked again."""
        given, error = self._entries(x), self._place(x)
        row, again = GivenRow.read(self._known_entries, given, error), self._entries(x)
        if not all(map(is_, given, again)):
            guarded(self.reference, row.check_again, again, error)
        return row

    def _place(self, x: Dataset) -> Any:
        """A function that makes the error for output number i of x, or for the row if i is None."""

        def error(i: int | None, rule: str) -> InputError:
            where = text(x) if i is None or self.method == "probabilities" else f"{text(x)}, {text(self._outputs[i])}"
            spot = f" at {text(self._outputs[i])}" if i is not None and self.method == "probabilities" else ""
            return self._error(f"{self.method}({where}){spot} {rule}")

        return error

    def _entries(self, x: Dataset) -> list[Any]:
        if self.method == "sample":
            return self._sampled.entries(x, self._outputs)
        if self.method != "probabilities":
            method = getattr(self._target, self.method)
            return list(guarded(self.reference, lambda: [method(x, output) for output in self._outputs]))
        found = self._call("probabilities", x)
        if isinstance(found, dict):
            for output in found:
                self._as_listed(self._listed_outputs, output, f"probabilities({text(x)}) names", "output")
            return [found.get(output, 0) for output in self._outputs]
        if isinstance(found, str) or not isinstance(found, Iterable):
            raise self._error(f"probabilities({text(x)}) must be a list or a dict, not {type(found).__name__}")
        entries: list[Any] = guarded(self.reference, lambda: list(islice(found, len(self._outputs) + 1)))
        if len(entries) != len(self._outputs):
            more = "more" if len(entries) > len(self._outputs) else f"only {len(entries)}"
            raise self._error(f"probabilities({text(x)}) has {more} entries, there are {len(self._outputs)} outputs")
        return entries

    @property
    def refinable(self) -> bool:  # type: ignore[override]
        """False if any distribution is given as fixed enclosures."""
        return self._rows.refinable

    def law(self) -> Law:
        """The law at the precision in force."""
        return OwnLaw(self._rows)

    def algebra(self) -> OwnAlgebra:
        """The algebra of the losses, from the exact entries."""
        return OwnAlgebra(self)

    def exact_rows(self, datasets: Sequence[Dataset]) -> ExactRows:
        """These distributions as their author gave them."""
        return ExactRows(self.method == "log_weight", [self.row(x).to_json() for x in datasets])

    @property
    def only_code(self) -> bool:  # type: ignore[override]
        """Whether its author gave ``sample(x, rng)`` but no law."""
        return self.method == "sample" and runs.is_plain(self._target)

    def runs(self, x: Dataset) -> Callable[[], Output]:
        """Its author's draw(x), or sample(x, rng) with a real generator, or the exact law."""
        return runs.of(self._target, self.reference, x, self.only_code) or super().runs(x)

    # -------------------------------------------------------------- what is claimed

    def claimed(self) -> Guarantee | None:
        """The guarantee of the optional method claimed(): epsilon, (epsilon, delta), a guarantee or its text."""
        if not callable(getattr(self._target, "claimed", None)):
            return None
        found = []
        for given in (self._call("claimed"), self._call("claimed")):
            try:
                found.append(None if given is None else parse_guarantee("claimed", given))
            except InputError as error:
                raise self._error(f"claimed() is wrong: {error}") from None
        if found[0] != found[1]:
            raise self._changed("claimed()", *(g.text() if g else "nothing" for g in found))
        return found[0]

    def claimed_here(self) -> Guarantee | None:
        """The claimed guarantee, under the author's adjacency only."""
        return self.claimed() if self.adjacency == self._own_adjacency else None

    def settings(self) -> dict[str, str]:
        """The constructor's other parameters as text, including those at their defaults."""
        return self._settings

    def describe(self) -> dict[str, Any]:
        """name, nominal epsilon, parameters, source file and its SHA-256."""
        other = self._other_adjacency
        relation = {} if other is None else {"adjacency": other.to_dict()}
        origin = {"source": self.reference, "source_sha256": self.sha256}
        return {**super().describe(), **origin, **relation, **self.caveats()}

    def caveats(self) -> dict[str, Any]:
        """The assumptions of an answer on the mechanism's code; and the neighbors that its data sets represent."""
        found = self._sampled.caveats(self._datasets, self._lists_outputs) if self.method == "sample" else {}
        return {**found, "notes": [*found.get("notes", ()), *self.notes()]} if self.notes() else found

    def notes(self) -> list[str]:
        """The notes for every answer: which pairs of neighbors the data sets represent."""
        return [self.covered()] if self.covered() else []

    def covered(self) -> str:
        """Its author's line ``covers``: which pairs of neighbors the data sets represent."""
        said = getattr(self._target, "covers", None)
        return visible(said) if isinstance(said, str) else ""
