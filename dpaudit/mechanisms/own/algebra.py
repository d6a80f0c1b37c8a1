"""The algebra of the losses of a user's own mechanism, from its exact entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import TYPE_CHECKING

from dpaudit.mechanisms.own.entry import Between, Entry, PossibleUndecided
from dpaudit.numbers.exponentials import excess_at_most
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.protocols import Algebra, Dataset, Output, text

if TYPE_CHECKING:
    from dpaudit.mechanisms.own.mechanism import OwnMechanism


MOST_RATIOS = 10**5
"""The most ratios of probabilities that are compared as fractions."""


@dataclass(frozen=True)
class OwnAlgebra(Algebra):
    """The losses of a user's own mechanism, from its exact entries."""

    mechanism: OwnMechanism
    exact_losses: bool = True

    def open_above(self) -> tuple[Fraction, Dataset, Dataset, Output] | None:
        """The largest certain ratio of two probabilities, where paths of the mechanism's code are unexplored.

        An output that may be impossible for a neighbor gives no upper bound; this is the largest of the lower bounds.
        """
        m = self.mechanism
        if m.method != "sample" or m.refinable:
            return None
        try:
            self.infinite()
        except PossibleUndecided:
            return max(self._ratios(), key=lambda found: found[0], default=None)
        return None

    def _ratios(self) -> Iterator[tuple[Fraction, Dataset, Dataset, Output]]:
        m = self.mechanism
        for x in m.datasets():
            lowers = [_ends(entry)[0] for entry in m.row(x).entries]
            for y in m.neighbors(x):
                uppers = [_ends(entry)[1] for entry in m.row(y).entries]
                ratios = [a / b if b else Fraction(0) for a, b in zip(lowers, uppers, strict=True)]
                best = max(range(len(ratios)), key=ratios.__getitem__)
                yield ratios[best], x, y, m.outputs()[best]

    def infinite(self) -> tuple[Dataset, Dataset, Output] | None:
        """x, x' and an output that is certainly possible for x alone, if there are any.

        Raises PossibleUndecided where there are none for certain, but may be some.
        """
        m = self.mechanism
        for x, y in self._unlike():
            for i, (a, b) in enumerate(zip(m.row(x).possible, m.row(y).possible, strict=True)):
                if a is Verdict.PROVED and b is Verdict.REFUTED:
                    return x, y, m.outputs()[i]
        for x in m.datasets():
            row = m.row(x)
            if Verdict.UNDECIDED in row.possible and m.neighbors(x):
                i = row.possible.index(Verdict.UNDECIDED)
                raise PossibleUndecided(text(x), text(m.outputs()[i]), row.entries[i], row.logarithmic)
        return None

    def _unlike(self) -> Iterator[tuple[Dataset, Dataset]]:
        """Yields neighbors that differ in which outputs are possible; rows that are alike in this share one tuple.

        Where every two of a set are neighbors, the first of those that are alike are enough.
        """
        m = self.mechanism
        kinds = {x: id(m.row(x).possible) for x in m.datasets()}
        if len(set(kinds.values())) == 1:
            return
        cliques = m.cliques()
        if cliques is not None and len(cliques) == 1:
            first: dict[int, Dataset] = {}
            for x in cliques[0]:
                first.setdefault(kinds[x], x)
            yield from permutations(first.values(), 2)
        else:
            yield from ((x, y) for x in m.datasets() for y in m.neighbors(x) if kinds[x] != kinds[y])

    def loss(self, x: Dataset, y: Dataset, output: Output) -> Fraction | None:
        """The loss where it is a rational number by algebra."""
        m = self.mechanism
        return m.row(x).exact_loss(m.row(y), m.output_index[output])

    def delta_at_most(self, x: Dataset, y: Dataset, at: Fraction, bound: Fraction) -> Verdict:
        """The verdict where every probability of both rows has a canonical form."""
        mine, theirs = self.mechanism.row(x), self.mechanism.row(y)
        if mine.forms is None or theirs.forms is None:
            return Verdict.UNDECIDED
        pairs = list(zip(mine.numbers, theirs.numbers, strict=True))
        counts, forms = Counter(pairs), dict(zip(pairs, zip(mine.forms, theirs.forms, strict=True), strict=True))
        return excess_at_most(((*forms[pair], count) for pair, count in counts.items()), at, bound)

    def rational_row(self, x: Dataset) -> list[Fraction] | None:
        """The probabilities where they were given as rational numbers."""
        row = self.mechanism.row(x)
        entries = [entry for entry in row.entries if isinstance(entry, Fraction)]
        return entries if len(entries) == len(row.entries) and not row.logarithmic else None

    def odds(self, x: Dataset, y: Dataset, output: Output) -> Fraction | None:
        """The ratio where all probabilities are rational numbers, few enough to compare with all others."""
        m = self.mechanism
        counts, cliques = m.counts(), m.cliques()
        size = counts.pairs if cliques is None else sum(map(len, cliques))
        if max(counts.datasets, size) * counts.outputs > MOST_RATIOS:
            return None
        rows, place = {a: self.rational_row(a) for a in m.datasets()}, m.output_index[output]
        mine, theirs = rows[x], rows[y]
        if mine is None or theirs is None or not theirs[place] or None in rows.values():
            return None
        ratio = mine[place] / theirs[place]
        alike = ((a, b) for a in m.datasets() for b in m.neighbors(a)) if cliques is None else cliques
        for members in alike:
            for column in zip(*(rows[a] for a in members), strict=True):
                if max(column) > ratio * min(column):
                    return None
        return ratio


def _ends(entry: Entry) -> tuple[Fraction, Fraction]:
    """A lower and an upper bound of a probability that was computed from code."""
    if isinstance(entry, Between):
        return entry.lower, entry.upper
    return (entry, entry) if isinstance(entry, Fraction) else (Fraction(0), Fraction(1))
