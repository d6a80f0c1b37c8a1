"""What the exact entries of somebody's own mechanism say of its losses."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from dpaudit.mechanisms.own_entry import PossibleUndecided
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.protocols import Algebra, Dataset, Output, text

if TYPE_CHECKING:
    from dpaudit.mechanisms.own import OwnMechanism


@dataclass(frozen=True)
class OwnAlgebra(Algebra):
    """The losses of somebody's own mechanism, from its exact entries."""

    mechanism: OwnMechanism
    exact_losses: bool = True

    def infinite(self) -> tuple[Dataset, Dataset, Output] | None:
        """Returns x, x' and an output that is certainly possible for x alone, if there are any.

        Where there are none but some may be, PossibleUndecided is raised.
        """
        m = self.mechanism
        open_place: tuple[Dataset, int] | None = None
        for x in m.datasets():
            possible = m.row(x).possible
            if open_place is None and Verdict.UNDECIDED in possible and m.neighbours(x):
                open_place = x, possible.index(Verdict.UNDECIDED)
            for y in m.neighbours(x):
                other = m.row(y).possible
                if possible is not other and possible != other:
                    for i, (a, b) in enumerate(zip(possible, other, strict=True)):
                        if a is Verdict.PROVED and b is Verdict.REFUTED:
                            return x, y, m.outputs()[i]
        if open_place is not None:
            x, i = open_place
            row = m.row(x)
            raise PossibleUndecided(text(x), text(m.outputs()[i]), row.entries[i], row.logarithmic)
        return None

    def loss(self, x: Dataset, y: Dataset, output: Output) -> Fraction | None:
        """Returns the loss where it is a rational number by algebra."""
        m = self.mechanism
        return m.row(x).exact_loss(m.row(y), m.output_index[output])

    def rational_row(self, x: Dataset) -> list[Fraction] | None:
        """Returns the probabilities where they were given as rational numbers."""
        row = self.mechanism.row(x)
        entries = [entry for entry in row.entries if isinstance(entry, Fraction)]
        return entries if len(entries) == len(row.entries) and not row.logarithmic else None
