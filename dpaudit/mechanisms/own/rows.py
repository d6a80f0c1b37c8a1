"""The distributions of a user's own mechanism as given: exact entries, checked, each number once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, cast

from dpaudit.mechanisms.own.entry import Between, Entries, Entry, entry_ball, entry_form, entry_json, is_plain
from dpaudit.mechanisms.own.items import short
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.digits import rough
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.exponentials import Form, add_up_to, log_of_quotient, product
from dpaudit.numbers.rationals import LONGEST_COMMON, total
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.protocols import Dataset

SUM_BITS = 512
"""A row that algebra does not add up sums to 1 as far as this precision tells; the verifier asks for the same."""

Error = Callable[[int | None, str], InputError]
Losses = dict[tuple[int, int], Fraction | None]


@dataclass(frozen=True)
class GivenRow:
    """One data set's distribution as given: probabilities, or unnormalized log-weights."""

    entries: tuple[Entry, ...]
    logarithmic: bool
    possible: tuple[Verdict, ...]
    """For every output the verdict on "its probability is > 0"."""
    known: Entries

    @staticmethod
    def read(known: Entries, values: Sequence[Any], error: Error) -> GivenRow:
        """The checked row; ``error(i, rule)`` names the place."""
        if not known.logarithmic and all(type(value) is Fraction and is_plain(value) for value in values):
            possible = tuple(Verdict.PROVED if value.numerator else Verdict.REFUTED for value in values)
            row = GivenRow(tuple(values), False, known.pattern(possible), known)
            row._check(error)
            return row
        places = known.read(values, error)
        pattern = known.pattern([known.possible[place] for place in places])
        row = GivenRow(tuple([known.entries[place] for place in places]), known.logarithmic, pattern, known)
        vars(row)["numbers"] = tuple([known.numbers[place] for place in places])
        alike = None if known.logarithmic else tuple(sorted(row.numbers))
        if alike is None or alike not in known.sums:
            row._check(error)
            known.sums.add(alike)
        return row

    def check_again(self, values: Sequence[Any], error: Error) -> None:
        """Refuses the row if these, from a second call, are not the same entries."""
        if "numbers" in vars(self):
            numbers = self.known.numbers
            same = [numbers[place] for place in self.known.read(values, error)] == list(self.numbers)
        else:
            same = values == list(self.entries)
        if same:
            return
        second = GivenRow.read(self.known, values, error)
        for i, (a, b) in enumerate(zip(self.entries, second.entries, strict=True)):  # two enclosures have two numbers
            if a != b:
                raise error(i, f"changes between two calls: {short(a)}, then {short(b)}; it must be fixed")

    @cached_property
    def numbers(self) -> tuple[int, ...]:
        """For every output the number of its entry; the same number, in any row, stands for the same value."""
        return tuple(map(self.known.number, self.entries))

    @cached_property
    def counts(self) -> Counter[int]:
        """How often every number occurs."""
        return Counter(self.numbers)

    @cached_property
    def content(self) -> frozenset[tuple[int, int]]:
        """The same as a key."""
        return frozenset(self.counts.items())

    def _check(self, error: Error) -> None:
        """Refuses a row that is no distribution: by algebra where every entry has a form, else at SUM_BITS."""
        if self.logarithmic:
            if all(possible is Verdict.REFUTED for possible in self.possible):
                raise error(None, "makes every output impossible")
            return
        if {type(entry) for entry in self.entries} <= {Fraction, Between}:
            least = total(e.lower if isinstance(e, Between) else cast(Fraction, e) for e in self.entries)
            most = total(e.upper if isinstance(e, Between) else cast(Fraction, e) for e in self.entries)
            if least is None or most is None:
                raise error(None, f"has a common denominator of more than {LONGEST_COMMON} digits")
            if not least <= 1 <= most:
                raise error(None, f"sums to {short(least if least > 1 else most)}, not to 1")
            return
        one = self._sums_to_one()
        if one:
            self.known.whole = self.content
            return
        with balls.precision(SUM_BITS):
            found = balls.total(self._balls())
            if not balls.overlap(found, ball(1)):
                below = balls.certainly_less(found, ball(1))
                cut = "; if outputs() leaves some out, let its last one stand for all of them" if below else ""
                gap = rough(abs(balls.ends(found - 1)[0]), 3)
                raise error(None, f"sums to 1 {'-' if below else '+'} {gap}, not to 1{cut}")
        if one is False:
            raise error(None, f"sums to 1 at {SUM_BITS} bits, but not to exactly 1, by algebra")

    def _sums_to_one(self) -> bool | None:
        """Whether the sum is 1, by algebra; from a row that is known to sum to 1 where the two differ in little."""
        values, whole = self.known.values, self.known.whole
        more, less = self.content - whole, whole - self.content
        if not whole or len(more) + len(less) > len(self.content):
            return add_up_to(((entry_form(values[number]), count) for number, count in self.content), 1)
        signed = [*more, *((number, -count) for number, count in less)]
        return add_up_to(((entry_form(values[number]), count) for number, count in signed), 0)

    def only(self, places: Iterable[int]) -> GivenRow:
        """The part of the row at these places; it is no distribution."""
        entries, possible = zip(*((self.entries[i], self.possible[i]) for i in places), strict=True)
        return GivenRow(entries, self.logarithmic, possible, self.known)

    @property
    def places(self) -> Sequence[int]:
        """The positions of the outputs that are not certainly impossible."""
        return [i for i, possible in enumerate(self.possible) if possible is not Verdict.REFUTED]

    @property
    def _impossible(self) -> list[bool]:
        return [possible is Verdict.REFUTED for possible in self.possible]

    @property
    def refinable(self) -> bool:
        """Whether the entries can be had to any precision."""
        return not self.known.enclosures or not any(isinstance(entry, Between) for entry in self.entries)

    @property
    def is_plain(self) -> bool:
        """Whether all are probabilities given as rational numbers, of which a ball is made at once."""
        return not self.logarithmic and all(type(entry) is Fraction for entry in self.entries)

    def _balls(self) -> list[Ball]:
        return [entry_ball(entry) for entry in self.entries]

    def log_probabilities(self) -> list[Ball]:
        """Balls that contain ln P(r), and 0 for an impossible output."""
        if not self.logarithmic:
            pairs = zip(self._balls(), self._impossible, strict=True)
            return [balls.zero() if impossible else p.log() for p, impossible in pairs]
        weights, impossible = self._balls(), self._impossible
        shift = balls.maximum([w for w, never in zip(weights, impossible, strict=True) if not never])
        parts = [(w - shift).exp() for w, never in zip(weights, impossible, strict=True) if not never]
        normalizer = balls.total(parts).log() + shift
        return [balls.zero() if never else w - normalizer for w, never in zip(weights, impossible, strict=True)]

    def probabilities(self) -> list[Ball]:
        """Balls that contain P(r), exactly 0 for an impossible output."""
        if not self.logarithmic:
            return self._balls()
        logs = zip(self.log_probabilities(), self._impossible, strict=True)
        return [balls.zero() if impossible else w.exp() for w, impossible in logs]

    def exact_loss(self, other: GivenRow, i: int) -> Fraction | None:
        """ln P(r) - ln P'(r) at output number i where algebra knows it to be rational, else None."""
        mine, theirs = self.entries[i], other.entries[i]
        if not self.logarithmic:
            return _log_ratio(mine, theirs)
        shift = self._normalizer_shift(other)
        if shift is None or not isinstance(mine, Fraction) or not isinstance(theirs, Fraction):
            return None
        return mine - theirs - shift

    def _normalizer_shift(self, other: GivenRow) -> Fraction | None:
        """ln Z - ln Z' if the rational log-weights of one row are those of the other, all shifted alike."""
        mine, theirs = self._sorted_weights, other._sorted_weights
        if mine is None or theirs is None or len(mine) != len(theirs):
            return None
        shift = mine[0] - theirs[0]
        return shift if all(a - b == shift for a, b in zip(mine, theirs, strict=True)) else None

    @cached_property
    def _sorted_weights(self) -> list[Fraction] | None:
        possible = [entry for entry in self.entries if entry is not None]
        rationals = [entry for entry in possible if isinstance(entry, Fraction)]
        return sorted(rationals) if len(rationals) == len(possible) else None

    @cached_property
    def forms(self) -> list[Form] | None:
        """The canonical forms of the probabilities; None where one of them has none."""
        if not self.logarithmic:
            found = [entry_form(entry) for entry in self.entries]
            known = [form for form in found if form is not None]
            return known if len(known) == len(found) else None
        if self._sorted_weights is None:
            return None
        whole = {weight: Fraction(count) for weight, count in Counter(self._sorted_weights).items()}
        return [({entry: Fraction(1)} if isinstance(entry, Fraction) else {}, whole) for entry in self.entries]

    def to_json(self) -> list[Any]:
        """The entries as exact text, expressions and intervals as nested lists, None for impossible."""
        return [entry_json(entry) for entry in self.entries]


class Rows:
    """The distributions as given, data set by data set, read once; equal probabilities have one number."""

    def __init__(self, read: Callable[[Dataset], GivenRow], datasets: Sequence[Dataset]) -> None:
        self._read, self._datasets = read, datasets
        self._rows: dict[Dataset, GivenRow] = {}
        self._numbers: dict[Dataset, tuple[int, ...]] = {}
        self._values: dict[Dataset, frozenset[int]] = {}
        self._names: dict[tuple[int, int], int] = {}
        self._contents: dict[frozenset[tuple[int, int]], int] = {}
        self._losses: Losses = {}

    def __getitem__(self, x: Dataset) -> GivenRow:
        if x not in self._rows:
            self._rows[x] = self._read(x)
        return self._rows[x]

    def numbers(self, x: Dataset) -> tuple[int, ...]:
        """The number of P_x(r), output by output."""
        if x not in self._numbers:
            row, names = self[x], self._names
            if row.logarithmic:  # the same log-weight is the same probability where the other weights are the same too
                content = self._contents.setdefault(row.content, len(self._contents))
                self._numbers[x] = tuple(names.setdefault((entry, content), len(names)) for entry in row.numbers)
            else:
                self._numbers[x] = row.numbers
        return self._numbers[x]

    def values(self, x: Dataset) -> frozenset[int]:
        """The numbers that occur among those of P_x(r)."""
        if x not in self._values:
            self._values[x] = frozenset(self.numbers(x))
        return self._values[x]

    def pairs(self, x: Dataset, y: Dataset) -> Iterable[tuple[int, int]]:
        """The numbers of P_x(r) and P_y(r), output by output."""
        return zip(self.numbers(x), self.numbers(y), strict=True)

    def losses(self, x: Dataset, y: Dataset, wanted: Iterable[tuple[int, int]]) -> Losses:
        """ln P_x - ln P_y by pair of numbers, where algebra knows it to be rational, else None."""
        fresh = set(wanted) - self._losses.keys()
        if fresh and self.logarithmic:  # the number of a log-weight stands for its whole row too
            for i, pair in enumerate(self.pairs(x, y)):
                if pair in fresh:
                    self._losses[pair] = self[x].exact_loss(self[y], i)
        elif fresh:
            values = self[x].known.values
            self._losses.update(((a, b), _log_ratio(values[a], values[b])) for a, b in fresh)
        return self._losses

    @property
    def logarithmic(self) -> bool:
        """Whether the distributions are given by log-weights."""
        return self[self._datasets[0]].logarithmic

    @cached_property
    def refinable(self) -> bool:
        """False if any distribution is given as fixed enclosures."""
        return all(self[x].refinable for x in self._datasets)


@lru_cache(maxsize=1 << 14)
def _coarse_log(entry: Entry) -> Ball:
    """The logarithm to 128 bits, enough to see which losses cannot be a given rational number."""
    with balls.precision(128):
        return entry_ball(entry).log()


def _log_ratio(mine: Entry, theirs: Entry) -> Fraction | None:
    """ln of the quotient of two probabilities if it is rational by their forms; both 0 counts as loss 0.

    The only candidate comes from the largest exponents; the logarithms of the two rule most of them out.
    """
    if isinstance(mine, Fraction) and isinstance(theirs, Fraction):
        return Fraction(0) if mine == theirs else None  # the logarithm of no other rational number is one
    a, b = entry_form(mine), entry_form(theirs)
    if a is None or b is None:
        return None
    if not a[0] or not b[0]:
        return Fraction(0) if a[0] == b[0] else None
    if a[1] is b[1]:
        return log_of_quotient(a[0], b[0])
    candidate = max(a[0]) - max(a[1]) - max(b[0]) + max(b[1])
    with balls.precision(128):
        if not balls.overlap(_coarse_log(mine) - _coarse_log(theirs), ball(candidate)):
            return None
    return log_of_quotient(product(a[0], b[1]), product(b[0], a[1]))
