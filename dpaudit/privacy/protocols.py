"""What privacy asks of a mechanism. Mechanisms implement it; nothing in this room knows any of them.

Every mechanism gives data sets, their adjacency, outputs and a law. Three things it may offer on top, and the auditor
takes what is there: a *symmetry* (pairs that lose alike), an *algebra* (exact losses), a *screen* (a fast tier).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import sub
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from dpaudit.numbers.balls import Ball
from dpaudit.numbers.errors import visible
from dpaudit.numbers.verdict import Verdict

if TYPE_CHECKING:
    from dpaudit.privacy.effort import Effort
    from dpaudit.privacy.fast.brackets import Brackets
    from dpaudit.privacy.fast.ways import FloatPairs
    from dpaudit.privacy.pairs import Worst

Dataset = Any
"""Any hashable value: a histogram, a name, a tuple of records."""
Output = Any
"""Any hashable value."""


def plain(value: Any) -> Any:
    """A data set or output for JSON: a tuple of whole numbers as a list, anything else as its ``text``."""
    if isinstance(value, tuple) and all(type(entry) is int for entry in value):
        return list(value)
    return None if value is None else text(value)


def text(value: Any) -> str:
    """A data set or output for people: "(4, 4)", or its own text."""
    return "(" + ", ".join(text(entry) for entry in value) + ")" if isinstance(value, tuple) else visible(str(value))


@dataclass(frozen=True)
class Counts:
    """What a full audit looks at: data sets, ordered adjacent pairs, outputs."""

    datasets: int
    pairs: int
    outputs: int
    rest: int = 0
    """How many outputs, at most one, represent the unexplored paths of a user's code."""

    def to_dict(self) -> dict[str, int]:
        """The three counts by name."""
        return {"datasets": self.datasets, "pairs": self.pairs, "outputs": self.outputs}

    def followed(self) -> dict[str, int]:
        """The counts with the outputs that were followed as "outputs" and the residual as "rest"."""
        return {**self.to_dict(), "outputs": self.outputs - self.rest, "rest": self.rest}


class Mass(NamedTuple):
    """P_x and P_y of a part of the outputs on which P_x/P_y is constant; ``loss`` is ln P_x/P_y if known exactly."""

    p: Ball
    p_prime: Ball
    loss: Fraction | None = None

    def swapped(self) -> Mass:
        """The same for the pair in the other order."""
        return Mass(self.p_prime, self.p, None if self.loss is None else -self.loss)


class Law(ABC):
    """The output distributions of one mechanism as balls, at the precision in force when it was made."""

    @abstractmethod
    def probabilities(self, x: Dataset) -> Sequence[Ball]:
        """Balls that contain P_x(r), output by output in the mechanism's order."""

    def keep(self, most: int) -> None:
        """Says how many bytes it may keep for reuse, beyond what the mechanism's ``memory`` counts."""
        del most  # a law that keeps nothing has nothing to do

    def log_probabilities(self, x: Dataset) -> Sequence[Ball]:
        """Balls that contain ln P_x(r), output by output."""
        return [p.log() for p in self.probabilities(x)]

    def levels(self, x: Dataset, only: Sequence[int] | None = None) -> Sequence[Ball]:
        """Balls that grow with P_x(r) for the outputs that are possible, or for ``only`` some of these."""
        found = self.log_probabilities(x)
        return found if only is None else [found[i] for i in only]

    def places(self, x: Dataset) -> Sequence[int]:
        """The positions of the outputs that are possible."""
        return range(len(self.probabilities(x)))

    def brackets(self) -> Brackets | None:
        """Floats that bracket the levels, where the law has them."""
        return None

    def gap(self, a: Ball, b: Ball) -> Ball:
        """A ball that contains the loss between two levels of one output."""
        return a - b

    def name(self, x: Dataset, place: int) -> Hashable:
        """A key; the same one stands for the same probability of the output at that place."""
        return x, place

    def losses(self, x: Dataset, y: Dataset, seen: set[Hashable]) -> tuple[Sequence[Ball], Sequence[int]]:
        """Balls that contain ln P_x(r) - ln P_y(r), and the positions of these outputs.

        Impossible outputs are left out, and so may be those whose loss, or its negative, was given before: a law that
        knows which losses are the same notes them in ``seen``.
        """
        found = list(map(sub, self.log_probabilities(x), self.log_probabilities(y)))
        return found, range(len(found))

    def masses(self, x: Dataset, y: Dataset) -> Sequence[Mass]:
        """P_x and P_y on a partition of the outputs; outputs with the same ratio may be merged."""
        return list(map(Mass, self.probabilities(x), self.probabilities(y)))

    def ratios(self, x: Dataset, y: Dataset, seen: set[Hashable]) -> Sequence[Mass]:
        """The masses; those whose ratio, or its inverse, was given before may be left out, see ``losses``."""
        return self.masses(x, y)


@dataclass(frozen=True)
class Symmetry:
    """Data sets and pairs of which one of each orbit is enough: the others differ by a renaming of the outputs."""

    representatives: Callable[[], Iterable[Dataset]]
    """One data set of each orbit, or more."""
    orbit: Callable[[Dataset, Dataset], Hashable]
    """The same key for ordered pairs whose distributions differ by a renaming of the outputs only."""


@dataclass(frozen=True)
class ClosedLoss(ABC):
    """The worst-case loss in closed form, attained at ``output`` for the pair (x, x_prime)."""

    x: Dataset
    x_prime: Dataset
    output: Output

    @abstractmethod
    def ball(self) -> Ball:
        """A ball that contains the worst-case loss, at the precision in force."""

    @abstractmethod
    def rational(self) -> Fraction | None:
        """The loss exactly where it is a rational number, else None."""

    @abstractmethod
    def text(self) -> str:
        """The value: "2/3", or "1/2 + ln(2 - e^(-1/2))"."""

    @abstractmethod
    def symbolic(self) -> str:
        """The same for every epsilon: "2/3 eps"."""

    @abstractmethod
    def sympy(self) -> Any:
        """The value as a sympy expression, in the positive symbol epsilon where it is known for every one."""


class Algebra:
    """What is known of the losses by algebra. This one knows nothing; a mechanism that knows more offers another."""

    exact_losses: bool = False
    """Whether the law's masses carry exact losses that decide ties with a bound."""
    narrows: bool = True
    """Whether a known true epsilon takes the place of its enclosure: not where the export to Coq, which has intervals
    alone, could not confirm it."""

    def worst(self) -> ClosedLoss | None:
        """The worst-case loss over all adjacent pairs and outputs in closed form, else None."""
        return None

    def odds(self, x: Dataset, y: Dataset, output: Output) -> Fraction | None:
        """P_x(output) / P_y(output) where it is a rational number and certainly the largest of all, else None."""
        return None

    def impossible(self) -> tuple[Dataset, Dataset, Output] | None:
        """The same as ``infinite``; where outputs are real numbers an unbounded loss alone is not enough."""
        return self.infinite()

    def infinite(self) -> tuple[Dataset, Dataset, Output] | None:
        """Adjacent (x, x') and an output r with P_x(r) > 0 = P_x'(r) if there are any, else None.

        Where there are none, an output impossible for x is impossible for its neighbors too, and the law gives it
        ``losses`` leaves it out: it plays no part.
        """
        return None

    def open_above(self) -> tuple[Fraction, Dataset, Dataset, Output] | None:
        """Where the losses have no known upper bound, nor are infinite for certain, how far they reach:
        a number that P_x(r)/P_x'(r) is certainly not below, with x, x', r; else None.
        """
        return None

    def loss(self, x: Dataset, y: Dataset, output: Output) -> Fraction | None:
        """ln P_x(output) - ln P_y(output) where it is a rational number known by algebra, else None."""
        return None

    def delta_at_most(self, x: Dataset, y: Dataset, at: Fraction, bound: Fraction) -> Verdict:
        """The verdict, by algebra, on sum_r max(0, P_x(r) - e^at P_y(r)) <= bound; here nothing is known."""
        return Verdict.UNDECIDED

    def rational_row(self, x: Dataset) -> Sequence[Fraction] | None:
        """P_x, output by output, where all of it is rational and known exactly, else None."""
        return None


class Screen(Protocol):
    """A fast tier: floats with a proven error bound discard, balls decide; the answer is that of the exact tier."""

    def worst_loss(self, effort: Effort) -> Worst:
        """The true epsilon."""

    def worst_deltas(self, points: Sequence[Fraction], effort: Effort) -> list[Worst]:
        """delta at each point."""

    def float_pairs(self, effort: Effort) -> FloatPairs:
        """All pairs in floats, with bounds of their errors."""

    def masses(self, x: Dataset, y: Dataset) -> Sequence[Mass]:
        """P_x and P_y on a partition of the outputs, at the precision in force."""


class Audited(ABC):
    """A finite mechanism, as the auditor sees it."""

    name: ClassVar[str]
    refinable: bool = True
    """Whether more precision makes the law's balls as narrow as requested."""
    tabular: bool = True
    """Whether the outputs are finitely many, so that the law is a table of probabilities."""
    most_steps: int | None = None
    """What an audit of all pairs may cost if the mechanism is a table from a file; see Effort.check_work."""

    @abstractmethod
    def counts(self) -> Counts:
        """The size of a full audit, without listing anything."""

    def count_masses(self) -> int:
        """About how many masses the law gives for all ordered adjacent pairs together."""
        return self.counts().pairs * self.counts().outputs

    @abstractmethod
    def memory(self) -> int:
        """The bytes that a full audit needs at the least."""

    @abstractmethod
    def datasets(self) -> Iterable[Dataset]:
        """The data sets."""

    @abstractmethod
    def neighbors(self, x: Dataset) -> Iterable[Dataset]:
        """The data sets adjacent to x."""

    def cliques(self) -> Sequence[Sequence[Dataset]] | None:
        """Sets of data sets, every two of a set adjacent, and every two neighbors in a set; None where not known."""
        return None

    @abstractmethod
    def outputs(self) -> Sequence[Output]:
        """The outputs, in the order of the law's rows."""

    @abstractmethod
    def law(self) -> Law:
        """The law at the precision in force."""

    def direct_deltas(self, points: Sequence[Fraction], effort: Effort) -> list[Worst] | None:
        """delta at the points where the mechanism has no table but densities, else None."""
        return None

    def direct_test(self, x: Dataset, y: Dataset, at: Fraction) -> tuple[Ball, Ball] | None:
        """(level, power) of the test that rejects where the loss exceeds ``at``, where there is no table; else None."""
        return None

    def divergence(self, quantity: str, order: Fraction) -> tuple[Fraction | Ball, Dataset, Dataset] | None:
        """Of a mechanism without a table, where it is known: the largest "renyi" divergence of this order, the
        "zcdp_rho" or the "gdp_mu", with the pair that attains it.
        """
        return None

    def symmetry(self) -> Symmetry | None:
        """The symmetry of the law and the adjacency together, or None."""
        return None

    def algebra(self) -> Algebra:
        """What is known of the losses by algebra, for the adjacency in force."""
        return Algebra()

    def screen(self) -> Screen | None:
        """The fast tier for this law and adjacency, or None."""
        return None
