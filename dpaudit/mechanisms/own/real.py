"""A user's own mechanism whose code with ideal noise returns real numbers.

Such outputs have densities: epsilon is their largest ratio, in closed form where algebra has it, and delta an integral.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from math import isqrt
from typing import Any, cast

from dpaudit.mechanisms.own.mechanism import OwnMechanism
from dpaudit.mechanisms.own.noise import NoiseLaws
from dpaudit.noise import losses
from dpaudit.noise.densities import Part
from dpaudit.noise.law import IDEAL, expression
from dpaudit.noise.losses import Peak, shape_text
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.champion import Champion
from dpaudit.numbers.digits import equated, short
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.numbers.expressions import log
from dpaudit.numbers.symbolic import as_sympy
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.pairs import Witness, Worst, pairs
from dpaudit.privacy.protocols import Algebra, ClosedLoss, Dataset, Law, Output


class RealMechanism(OwnMechanism):
    """A mechanism whose outputs have real parts; its "outputs" are their shapes, a dot for every real part."""

    tabular = False

    @cached_property
    def _laws(self) -> dict[Dataset, dict[Any, Part]]:
        laws = cast(NoiseLaws, self._sampled)
        return {x: laws.real_law(x) for x in self._datasets}

    @cached_property
    def _outputs(self) -> tuple[Output, ...]:
        return tuple(sorted({shape_text(key) for law in self._laws.values() for key in law}))

    def peaks(self, x: Dataset, y: Dataset) -> list[Peak]:
        """The suprema of the losses of (x, y), shape by shape, at the precision in force."""
        laws, key = cast(NoiseLaws, self._sampled), (x, y, balls.working_bits())
        if key not in self._peaks:
            self._peaks[key] = laws.careful(x, partial(losses.peaks, self._laws[x], self._laws[y]))
        return self._peaks[key]

    @cached_property
    def _peaks(self) -> dict[tuple[Dataset, Dataset, int], list[Peak]]:
        return {}

    def algebra(self) -> RealAlgebra:  # type: ignore[override]
        """The suprema."""
        return RealAlgebra(self)

    def law(self) -> Law:
        """Refuses: there is no table of probabilities."""
        raise self._error("releases real numbers, so it has no table; ask for epsilon, delta, profile or judge")

    @property
    def refinable(self) -> bool:  # type: ignore[override]
        """Densities are known to every precision."""
        return True

    def memory(self) -> int:
        """The memory for the densities, roughly, in bytes."""
        return len(self._datasets) * len(self._outputs) * 10_000

    def direct_deltas(self, points: Sequence[Fraction], effort: Effort) -> list[Worst]:
        """delta at every point, by integrals of the densities."""
        return [self._delta(at, effort) for at in points]

    def _delta(self, at: Fraction, effort: Effort) -> Worst:
        laws = cast(NoiseLaws, self._sampled)

        def attempt() -> tuple[Enclosure, Witness] | None:
            champion: Champion[Witness] = Champion()
            for x, y in pairs(self, effort):
                for a, b in ((x, y), (y, x)):
                    value = laws.careful(a, partial(losses.delta, self._laws[a], self._laws[b], at))
                    champion.offer([value], lambda _, a=a, b=b: Witness(a, b, None))  # type: ignore[misc]
            value, witness = champion.result()
            found = balls.nonnegative_enclosure(value, effort.digits, 1)
            return None if found is None else (found, witness)

        first, cap = balls.bits_for(effort.digits)
        (value, witness), bits = balls.refine(attempt, 2 * first, 8 * cap)
        return Worst(value, witness, bits)

    def direct_test(self, x: Dataset, y: Dataset, at: Fraction) -> tuple[Ball, Ball]:
        """(level, power) of the test that rejects where the loss exceeds ``at``."""
        laws = cast(NoiseLaws, self._sampled)
        found = laws.careful(x, partial(losses.tests(self._laws[x], self._laws[y]), at))
        return found.q, found.p

    def divergence(self, quantity: str, order: Fraction) -> tuple[Fraction | Ball, Dataset, Dataset] | None:
        """The divergence for Gaussian noise alone: D_a = a mu^2/2, rho = mu^2/2, or mu, the largest distance."""
        found = [(losses.normal_distance(self._laws[x], self._laws[y]), x, y) for x, y in pairs(self)]
        known = [(square, x, y) for square, x, y in found if square is not None]
        if len(known) < len(found):
            return None
        square, x, y = max(known, key=lambda entry: entry[0])
        if quantity == "gdp_mu":
            root = Fraction(isqrt(square.numerator), isqrt(square.denominator))
            return (root if root * root == square else ball(square).sqrt()), x, y
        return square / 2 * (order if quantity == "renyi" else 1), x, y

    def caveats(self) -> dict[str, Any]:
        """The assumptions of the answer; and delta(infinity) where it is not 0."""
        found: dict[str, Any] = {"assumptions": [IDEAL], **({"notes": self.notes()} if self.notes() else {})}
        witness = self.algebra().infinite()
        if witness is None:
            return found
        x, y, _ = witness
        with balls.precision(128):
            mass = losses.infinite_mass(self._laws[x], self._laws[y])
            negligible = balls.certainly_at_most(mass, ball(Fraction(1, 1 << 60)))
            known = equated("δ(∞)", short(outward(*balls.cut(mass, mass, 0, 1), 12)))
        note = f"{known} for this pair: the probability of outputs that are impossible for x′"
        return found if negligible else {**found, "notes": [*self.notes(), note]}


@dataclass(frozen=True)
class RealAlgebra(Algebra):
    """The suprema of the losses of a mechanism with real outputs."""

    mechanism: RealMechanism

    def infinite(self) -> tuple[Dataset, Dataset, Output] | None:
        """A pair with an unbounded loss, and where, if there is one."""
        with balls.precision(128):
            for x, y in pairs(self.mechanism):
                for a, b in ((x, y), (y, x)):
                    for peak in self.mechanism.peaks(a, b):
                        if peak.infinite:
                            return a, b, peak.where
        return None

    def impossible(self) -> tuple[Dataset, Dataset, Output] | None:
        """A pair whose outputs are impossible under the other law with a chance above 0, if there is one."""
        laws = self.mechanism._laws
        with balls.precision(128):
            for x, y in pairs(self.mechanism):
                for a, b in ((x, y), (y, x)):
                    if balls.certainly_less(balls.zero(), losses.infinite_mass(laws[a], laws[b])):
                        return a, b, next(peak.where for peak in self.mechanism.peaks(a, b) if peak.infinite)
        return None

    def worst(self) -> ClosedLoss | None:
        """The largest supremum; None where it is infinite."""
        if self.infinite() is not None:
            return None
        with balls.precision(128):
            x, y, peak = self._largest()
        return Supremum(x, y, peak.where, self, peak)

    def _largest(self) -> tuple[Dataset, Dataset, Peak]:
        ways = [way for x, y in pairs(self.mechanism) for way in ((x, y), (y, x))]
        (x, y), peak = losses.largest([(way, peak) for way in ways for peak in self.mechanism.peaks(*way)])
        return x, y, peak


@dataclass(frozen=True)
class Supremum(ClosedLoss):
    """The worst-case loss of densities: sup of ln h(v)/h'(v)."""

    algebra: RealAlgebra
    peak: Peak

    def ball(self) -> Ball:
        """A ball around the supremum, at the precision in force."""
        return self.algebra._largest()[2].loss

    def rational(self) -> Fraction | None:
        """The supremum where algebra knows it to be rational."""
        return self.peak.known

    def text(self) -> str:
        """The value in closed form; where there is none, what it is the supremum of."""
        if self.peak.known is not None:
            return str(self.peak.known)
        if self.peak.ratio is None or max(len(side) for side in self.peak.ratio) > 8:
            return f"sup of ln h(v)/h′(v) at {self.peak.where}"
        return f"ln({expression(self.peak.ratio)})"

    def symbolic(self) -> str:
        """Nothing: there is no form for every epsilon."""
        return ""

    def sympy(self) -> Any:
        """The value; None where it is only known as a supremum."""
        if self.peak.known is not None:
            return as_sympy(self.peak.known)
        return None if self.peak.ratio is None else as_sympy(log(expression(self.peak.ratio)))


def with_densities(mechanism: OwnMechanism) -> OwnMechanism:
    """The mechanism as it is, unless its code draws ideal noise and returns real numbers: then one with densities."""
    laws = mechanism._sampled
    if not isinstance(laws, NoiseLaws) or not laws.has_reals(mechanism.datasets()):
        return mechanism
    real = RealMechanism(
        mechanism._target,
        mechanism.reference,
        mechanism.epsilon,
        mechanism._settings,
        mechanism._other_adjacency,
        sha256=mechanism.sha256,
    )
    vars(real)["_sampled"] = laws
    return real
