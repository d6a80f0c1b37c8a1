"""A mechanism whose delta(epsilon) is known by a formula: no table, no densities. Only mechanisms by name use it.

Its class has ``curve(at)``, two balls between whose lower and upper end delta(at) of the worst pair lies, its true
epsilon in closed form, and where it is known a divergence. The class proves them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.mechanisms.own.mechanism import OwnMechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.numbers.expressions import Value, as_ball
from dpaudit.numbers.symbolic import as_sympy
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import Witness, Worst
from dpaudit.privacy.protocols import Algebra, ClosedLoss, Dataset, Law, Output


class CurveMechanism(OwnMechanism):
    """A mechanism by its curve; the first two of its data sets are the worst pair."""

    tabular = False

    def _check_methods(self) -> None:
        self.method = "curve"

    @property
    def refinable(self) -> bool:  # type: ignore[override]
        """Whether both bounds of the curve meet."""
        return bool(self._target.tight)

    def memory(self) -> int:
        """Hardly any memory."""
        return 10_000

    def law(self) -> Law:
        """Refuses: there is no table of probabilities."""
        raise self._error("is known by its curve δ(ε), not by a table; ask for epsilon, delta, profile or judge")

    def algebra(self) -> CurveAlgebra:  # type: ignore[override]
        """The true epsilon."""
        return CurveAlgebra(self)

    def pair(self) -> tuple[Dataset, Dataset, Output]:
        """The worst pair, and where its loss is largest."""
        x, y = self.datasets()[:2]
        return x, y, self._target.where()

    def divergence(self, quantity: str, order: Fraction) -> tuple[Fraction | Ball, Dataset, Dataset] | None:
        """The divergence of the class, if it has one."""
        found = self._target.divergence(quantity, order)
        return None if found is None else (found, *self.pair()[:2])

    def direct_deltas(self, points: Sequence[Fraction], effort: Effort) -> list[Worst]:
        """delta at every point."""
        return [self._delta(at, effort) for at in points]

    def _delta(self, at: Fraction, effort: Effort) -> Worst:
        def attempt() -> Enclosure | None:
            low, high = self._target.curve(at)
            low, high = balls.positive_part(low), high.min(balls.ball(1))
            if self.refinable:
                return balls.nonnegative_enclosure(balls.from_ends(low, high), effort.digits, 1)
            return outward(*balls.cut(low, high, 0, 1), effort.digits)

        first, cap = balls.bits_for(effort.digits)
        value, bits = balls.refine(attempt, 2 * first, 8 * cap)
        return Worst(value, Witness(*self.pair()[:2], None), bits)


@dataclass(frozen=True)
class CurveAlgebra(Algebra):
    """The true epsilon of a mechanism by its curve."""

    mechanism: CurveMechanism

    def infinite(self) -> tuple[Dataset, Dataset, Output] | None:
        """The worst pair where the loss is unbounded."""
        return None if isinstance(self._value, Fraction) or hasattr(self._value, "ball") else self.mechanism.pair()

    @property
    def _value(self) -> Any:
        return self.mechanism._target.closed_epsilon()

    def worst(self) -> ClosedLoss | None:
        """The true epsilon, unless it is infinite."""
        return None if self.infinite() is not None else Known(*self.mechanism.pair(), self._value)


@dataclass(frozen=True)
class Known(ClosedLoss):
    """A true epsilon in closed form."""

    value: Value

    def ball(self) -> Ball:
        """A ball around the true epsilon."""
        return as_ball(self.value)

    def rational(self) -> Fraction | None:
        """The value, if it is rational."""
        return self.value if isinstance(self.value, Fraction) else None

    def text(self) -> str:
        """The value."""
        return str(self.value)

    def symbolic(self) -> str:
        """Nothing."""
        return ""

    def sympy(self) -> Any:
        """The value."""
        return as_sympy(self.value)
