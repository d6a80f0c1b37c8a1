"""One record, two categories: the losses of the exponential family that are known by algebra.

There are two data sets x and x', which are also the two outputs, at distance H = H(x, x'). Both are neighbors of the
other alone, so LS(x) = LS(x') = GS = H, and any smooth sensitivity, which lies between LS and GS, is H too. With
Delta = H both rows have the weights 1 and e^(-e/2), e the numerator of the rate, and the same normalizer: the loss is
e/2 at the data set itself and -e/2 at the other output. With the constant GS_0 it is so where H = GS_0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpaudit.privacy.protocols import Algebra, Dataset, Output


@dataclass(frozen=True)
class OneRecord(Algebra):
    """The losses at n = 1, k = 2 with Delta = H: e/2 and -e/2."""

    numerator: Fraction
    exact_losses: bool = True
    narrows: bool = False

    def loss(self, x: Dataset, y: Dataset, output: Output) -> Fraction:
        """e/2 at the output x, -e/2 at the other one; 0 for x = y."""
        if x == y:
            return Fraction(0)
        return self.numerator / 2 if output == x else -self.numerator / 2
