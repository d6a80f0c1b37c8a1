"""P1's mechanism with the exponential smooth sensitivity, of the Beta and of the Dirichlet system.

For two categories P1 takes S_exp over all data sets (Definition 4.1). For the Dirichlet system it lets x'' range over
the data sets adjacent to x (section 4.2.1): that is ``over`` = adjacent, a different mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dpaudit.mechanisms.base import Parameter
from dpaudit.mechanisms.exponential import SCORE, Array, ClosureOf, Exponential, Rates, one_of
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.rationals import probability
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.ends import EndHellinger, Fixed, Following
from dpaudit.posterior.scores import Score
from dpaudit.posterior.sensitivity import exp_smooth_adjacent, exp_smooth_all, local_all
from dpaudit.privacy.guarantee import EpsilonDelta, Guarantee
from dpaudit.privacy.protocols import Screen

ALL, ADJACENT = "all", "adjacent"
DELTA = Parameter(
    "delta",
    None,
    "the δ that is claimed, a rational > 0 and < 1, such as 1e-8",
    probability,
    ("1e-8", "1/20", "1/2000"),
)
OVER = Parameter(
    "over",
    ALL,
    "the data sets that S_exp ranges over: all, or adjacent to x (P1 §4.2.1, the Dirichlet system)",
    one_of(ALL, ADJACENT),
    (ALL, ALL),
    (ALL, ADJACENT),
)
"""Random examples take the default: nothing outside this package knows the other sensitivity."""


@dataclass(frozen=True)
class MHdelta(Exponential):
    """P1's mechanism with the exponential smooth sensitivity (P1 section 4.2)."""

    delta: Fraction = Fraction(1, 10**8)
    over: str = ALL
    name: ClassVar[str] = "MHdelta"
    summary: ClassVar[str] = "as MH, with a δ"
    formula: ClassVar[str] = "P(r) ∝ exp(−ε·H(x,r) / (2·S_exp(x))), γ = ln(1 − ε/(2 ln(δ/(2(n+1)))))"
    source: ClassVar[str] = "P1 §4.2"
    parameters: ClassVar[tuple[Parameter, ...]] = (DELTA, OVER, SCORE)

    def settings(self) -> dict[str, str]:
        """The parameters as exact text; ``over`` only where it is not the Beta system's."""
        values = super().settings()
        if self.over == ALL:
            values.pop("over")
        return values

    def formula_here(self) -> str:
        """The formula, with the data sets that S_exp ranges over where these are not all."""
        words = super().formula_here()
        return words if self.over == ALL else f"{words}, S_exp over the data sets adjacent to x"

    def claimed(self) -> Guarantee | None:
        """(epsilon, delta) (P1 Lemma 4.3), for the documents' own score only."""
        return EpsilonDelta(self.epsilon, self.delta) if self.score == Hellinger.name else None

    def gamma(self) -> Ball:
        """A ball that contains gamma = ln(1 - epsilon / (2 ln(delta / (2(n+1)))))."""
        tail = ball(self.delta / (2 * (self.model.n + 1))).log()
        return (1 - ball(self.epsilon) / (2 * tail)).log()

    def rates(self, h: Score) -> Rates:
        """epsilon / (2 S_exp(x))."""
        smooth = exp_smooth_all if self.over == ALL else exp_smooth_adjacent
        return Rates(h, self.numerator(), smooth(self.model, local_all(h), self.gamma()))

    def smoothing(self) -> tuple[Callable[[Ball], Ball], Ball] | None:
        """-ln LS and gamma; None over adjacent data sets, where S_exp is not a closure."""
        return ((lambda v: -v.log()), self.gamma()) if self.over == ALL else None

    def screen(self) -> Screen | None:
        """The fast tier; for very large n only with the closure over all data sets."""
        found = super().screen()
        if found is None or self.over == ALL:
            return found
        from dpaudit.privacy.fast.certify import FastTier  # brings numpy

        return FastTier(self, self.hellinger_law, self.numerator())

    def end_sensitivity(self, near: EndHellinger, other: EndHellinger) -> Fixed | Following:
        """The closure of -ln LS."""
        return Following(self.gamma(), logarithmic=True)

    def can_screen_priors(self) -> bool:
        """Whether a search may screen priors: the float twin is that of all data sets."""
        return self.over == ALL and super().can_screen_priors()

    def float_sensitivity(self, ls: Array, closure: ClosureOf) -> Array:
        """S_exp over all data sets."""
        from numpy import exp, log

        return exp(-closure(-log(ls), float(self.gamma())))
