"""Adjacent pairs up to symmetry, and the worst case found among them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from dpaudit.numbers.enclosure import Enclosure
from dpaudit.privacy.effort import USUAL, Effort, Part
from dpaudit.privacy.protocols import Audited, Dataset, Output, Symmetry, plain


@dataclass(frozen=True)
class Witness:
    """An ordered adjacent pair and an output; the loss there is ln P_x(output) / P_x'(output)."""

    x: Dataset
    x_prime: Dataset
    output: Output | None

    def to_dict(self) -> dict[str, list[int] | str | None]:
        """X, x_prime and output: tuples of whole numbers as lists, anything else as text."""
        return {"x": plain(self.x), "x_prime": plain(self.x_prime), "output": plain(self.output)}


@dataclass(frozen=True)
class Worst:
    """The worst case: an enclosure of its value, where it occurs, and the precision that it took.

    ``tier`` says how it was found: "exact" (balls for everything), "fast" (floats with a proven error bound discard
    what cannot be the maximum, balls decide the rest), "ends" (the same near the ends, one bound for all pairs between)
    or "closed form". ``filter_left`` is the number of ordered pairs that the floats left to the balls. ``known`` is the
    value itself where algebra knows it.
    """

    value: Enclosure
    witness: Witness
    bits: int
    tier: str = "exact"
    filter_left: int | None = None
    known: Fraction | None = field(default=None, kw_only=True)


def cut(count: int, part: Part | None) -> tuple[int, int]:
    """The bounds [first, last) of this part of ``count`` things; all of them if there are no parts."""
    if part is None:
        return 0, count
    i, m = part
    return count * i // m, count * (i + 1) // m


def pairs(mechanism: Audited, effort: Effort = USUAL) -> Iterator[tuple[Dataset, Dataset]]:
    """Yields unordered adjacent pairs, at least one of each orbit under the mechanism's symmetries."""
    symmetry = mechanism.symmetry()
    datasets = list(mechanism.datasets() if symmetry is None else symmetry.representatives())
    is_new = _in_order(datasets) if symmetry is None else _new_orbit(symmetry)
    first, last = cut(len(datasets), effort.part)
    for done, x in enumerate(islice(datasets, first, last)):
        effort.tell(done, last - first)
        yield from ((x, y) for y in mechanism.neighbors(x) if is_new(x, y))
    effort.tell(last - first, last - first)


def _in_order(datasets: Sequence[Dataset]) -> Callable[[Dataset, Dataset], bool]:
    """Whether y comes after x: of a pair in both orders it is one, and nothing need be remembered."""
    place = {x: i for i, x in enumerate(datasets)}
    return lambda x, y: place[x] < place[y]


def _new_orbit(symmetry: Symmetry) -> Callable[[Dataset, Dataset], bool]:
    """Whether no pair of this orbit, in either order, has occurred before."""
    seen: set[Hashable] = set()

    def is_new(x: Dataset, y: Dataset) -> bool:
        key = symmetry.orbit(x, y)
        if key in seen:
            return False
        seen.update((key, symmetry.orbit(y, x)))
        return True

    return is_new
