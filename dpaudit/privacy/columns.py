"""The worst loss where every two data sets of a set are adjacent: in each output the largest over the smallest.

ln P_x(r) - ln P_y(r) over all x, y of such a set (a clique of the adjacency) and all r is the largest of
    max_x ln P_x(r) - min_y ln P_y(r)
over r: a table of m data sets is read m times, not m^2 times. An output must be possible for all of a clique or
for none, else the loss may be infinite and ``Unlike`` is raised; those possible for none are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.protocols import Audited, Dataset, Law

Place = tuple[Dataset, Dataset, int]
LARGE = 4
"""Data sets of which every two are adjacent are examined together where that saves at least this factor."""


def cliques_of(mechanism: Audited) -> Sequence[Sequence[Dataset]] | None:
    """The cliques of the adjacency where they have far fewer members than there are pairs, else None."""
    found = mechanism.cliques()
    return found if found is not None and LARGE * sum(map(len, found)) <= mechanism.counts().pairs else None


class Unlike(ValueError):
    """Two data sets of a clique differ in which outputs are possible."""


class Clique:
    """The levels of all data sets of one clique, with the largest and the smallest of every output.

    With ``screen``, floats leave out the members and outputs whose losses are certainly below the largest one, or, with
    ``bound``, certainly within that.
    """

    def __init__(
        self,
        law: Law,
        members: Sequence[Dataset],
        tell: Callable[[], None] = lambda: None,
        *,
        screen: bool = False,
        bound: Ball | None = None,
    ) -> None:
        self.law, self.members = law, members
        places = law.places(members[0])
        for x in members:
            other = law.places(x)
            if other is not places and list(other) != list(places):
                raise Unlike
        columns = self._screened(bound, tell) if screen and places else None
        self.left = None if columns is None else len(self.members) * (len(self.members) - 1)
        self.places = places if columns is None else [places[i] for i in columns]
        self.rows: list[Sequence[Ball]] = []
        for x in self.members if self.places else ():
            self.rows.append(law.levels(x, columns))
            if columns is None:
                tell()
        if not self.rows:
            self.most, self.least, self.spreads = [], [], []
            return
        self.most = balls.columnwise(Ball.max, self.rows)
        self.least = balls.columnwise(Ball.min, self.rows)
        self.spreads = [law.gap(a, b) for a, b in zip(self.most, self.least, strict=True)]

    def _screened(self, bound: Ball | None, tell: Callable[[], None]) -> Sequence[int] | None:
        """Leaves out members; returns which of the possible outputs are left, None where floats cannot tell."""
        from dpaudit.privacy.fast.brackets import part_of  # brings numpy

        brackets = self.law.brackets()
        try:
            if brackets is not None:
                self.members, columns = part_of(brackets, self.members, bound, tell)
                return columns
        except TooCoarse:
            pass
        return None

    def near(self, column: int) -> tuple[list[int], list[int]]:
        """The members that may have the largest and the smallest level of an output."""
        values = [row[column] for row in self.rows]
        tops = [i for i, value in enumerate(values) if balls.overlap(value, self.most[column])]
        return tops, [i for i, value in enumerate(values) if balls.overlap(value, self.least[column])]

    def above(self, column: int, limit: Ball) -> tuple[list[int], list[int]]:
        """The members that are not certainly within the limit above the least, and below the most."""
        values, most, least = [row[column] for row in self.rows], self.most[column], self.least[column]
        tops = [i for i, v in enumerate(values) if not balls.certainly_at_most(self.law.gap(v, least), limit)]
        return tops, [i for i, v in enumerate(values) if not balls.certainly_at_most(self.law.gap(most, v), limit)]


class Largest(NamedTuple):
    """A ball that contains the worst loss, and where it is attained: its lower end is at most the loss there.

    ``left`` is the number of ordered pairs that floats left to the balls, where there were floats.
    """

    value: Ball
    place: Place
    left: int | None = None


def largest_difference(
    law: Law,
    cliques: Iterable[Sequence[Dataset]],
    order: dict[Dataset, int],
    tell: Callable[[], None],
    *,
    screen: bool = False,
) -> Largest:
    """The worst loss; of several places the first as pairs are walked."""
    peak: Ball | None = None
    left: int | None = None
    found: list[tuple[tuple[int, int, int, int], Ball, Place]] = []
    for members in cliques:
        clique = Clique(law, members, tell, screen=screen)
        if not clique.spreads:
            continue
        left = left if clique.left is None else clique.left + (left or 0)
        top = balls.maximum(clique.spreads)
        peak = top if peak is None else balls.maximum([peak, top])
        for column, spread in enumerate(clique.spreads):
            if balls.overlap(spread, peak):
                found.append(_first(clique, column, order))
        found = [entry for entry in found if balls.overlap(entry[1], peak)]
    if peak is None:
        raise ValueError("no two data sets are adjacent")
    _, value, place = min(found, key=lambda entry: entry[0])
    return Largest(balls.from_ends(value, peak), place, left)


def _first(clique: Clique, column: int, order: dict[Dataset, int]) -> tuple[tuple[int, int, int, int], Ball, Place]:
    """The first pair that may have the spread of this column, with its rank in the walk over the pairs."""
    tops, bottoms = clique.near(column)
    top, bottom = tops[0], bottoms[0]
    if top == bottom:  # all are alike: any other one is as good
        bottom = next(i for i in (*bottoms, *range(len(clique.members))) if i != top)
    x, y = clique.members[top], clique.members[bottom]
    first, last = sorted((order[x], order[y]))
    value = clique.law.gap(clique.rows[top][column], clique.rows[bottom][column])
    place = clique.places[column]
    return (first, last, int(order[x] > order[y]), place), value, (x, y, place)


def at_most(
    mechanism: Audited, law: Law, cliques: Iterable[Sequence[Dataset]], bound: Fraction, *, screen: bool = False
) -> Verdict:
    """The verdict on "no loss exceeds the bound >= 0"; a loss that equals it by algebra is no obstacle."""
    limit, outcome = balls.ball(bound), Verdict.PROVED
    algebra, outputs = mechanism.algebra(), mechanism.outputs()
    seen: set[Hashable] = set()
    for members in cliques:
        clique = Clique(law, members, screen=screen, bound=limit)
        for column, spread in enumerate(clique.spreads):
            if balls.certainly_at_most(spread, limit):
                continue
            tops, bottoms = clique.above(column, limit)
            for i, j in _unseen(law, clique, column, (tops, bottoms), seen):
                loss = algebra.loss(clique.members[i], clique.members[j], outputs[clique.places[column]])
                if loss is None:
                    single = balls.at_most(law.gap(clique.rows[i][column], clique.rows[j][column]), limit)
                else:
                    single = Verdict.PROVED if loss <= bound else Verdict.REFUTED
                if single is Verdict.REFUTED:
                    return single
                outcome = outcome if single is Verdict.PROVED else single
    return outcome


def _unseen(
    law: Law, clique: Clique, column: int, pairs: tuple[Iterable[int], Iterable[int]], seen: set[Hashable]
) -> Iterator[tuple[int, int]]:
    """Pairs of one member of each, whose two probabilities were not seen before; two equal ones lose nothing."""
    place = clique.places[column]
    first: tuple[dict[Hashable, int], dict[Hashable, int]] = {}, {}
    for some, members in zip(first, pairs, strict=True):
        for i in members:
            some.setdefault(law.name(clique.members[i], place), i)
    for a, i in first[0].items():
        for b, j in first[1].items():
            if a != b and (a, b) not in seen:
                seen.add((a, b))
                yield i, j
