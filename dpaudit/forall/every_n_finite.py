"""The n below N, one by one: the auditor itself, or a bound that holds at every epsilon (EVERY_N.md, section 6)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from dpaudit.forall.every_epsilon_cover import Search
from dpaudit.forall.every_n_pairs import over_every_epsilon
from dpaudit.forall.ranged import Ranged, Span
from dpaudit.mechanisms.exponential import Exponential, with_exponent
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.loss import worst_loss
from dpaudit.privacy.pairs import Witness, pairs

FLOATS_FROM = 24
"""From this n on the fast tier does the audits."""
SCREEN_BITS = 64


@dataclass(frozen=True)
class Below:
    """At this n the true epsilon, or the supremum over epsilon of its ratio, lies in ``value``."""

    n: int
    value: Enclosure
    witness: Witness | None


@dataclass
class Audits:
    """The audits below N, and what they attain."""

    ranged: Ranged
    effort: Effort
    every_epsilon: bool
    found: dict[int, Below] = field(default_factory=dict)
    attained: Fraction = Fraction(0)

    @property
    def best(self) -> Below:
        """Returns the audit with the largest lower end, the first of them."""
        return max(self.found.values(), key=lambda below: (below.value.lower, -below.n))

    def look(self, n: int) -> None:
        """Audits one n; at every epsilon by the bound alone."""
        mechanism = self._at(n)
        self._keep(screened(mechanism, n) if self.every_epsilon else audited(mechanism, n, self.effort))

    def _at(self, n: int) -> Exponential:
        """Returns the mechanism at this n; for every epsilon, that of epsilon = 1."""
        offered = with_exponent(self.ranged.moved(n=n, eps=1 if self.every_epsilon else None))
        assert offered is not None
        return offered[0]

    def _keep(self, below: Below) -> None:
        self.found[below.n] = below
        self.attained = max(self.attained, below.value.lower)

    def sharpen(self, bar: Fraction) -> None:
        """Decides the n whose bound over every epsilon exceeds the bar and what is attained, the largest first."""
        order = sorted(self.found, key=lambda n: -self.found[n].value.upper)
        for done, n in enumerate(order):
            self.effort.tell(done, len(order))
            below = self.found[n]
            if below.witness is None and below.value.upper > max(bar, self.attained):
                self._keep(decided(self._at(n), n, self.effort))


def audited(mechanism: Exponential, n: int, effort: Effort) -> Below:
    """Returns the true epsilon at this n."""
    effort = replace(effort, progress=None, tier="auto")
    screen = mechanism.screen() if n >= FLOATS_FROM and effort.tier != "exact" else None
    try:
        worst = worst_loss(mechanism, effort) if screen is None else screen.worst_loss(effort)
    except TooCoarse:
        worst = worst_loss(mechanism, replace(effort, tier="exact"))
    return Below(n, worst.value, worst.witness)


def screened(mechanism: Exponential, n: int) -> Below:
    """Returns a bound of true epsilon / epsilon over every epsilon at this n; the mechanism is that of epsilon = 1."""
    with balls.precision(SCREEN_BITS):
        law = mechanism.law()
        rows: dict[Histogram, list[Ball]] = {}

        def row(x: Histogram) -> list[Ball]:
            if x not in rows:
                rate = law.rate(x)
                rows[x] = [rate * h for h in law.h.row(x)]
            return rows[x]

        bounds = [over_every_epsilon(row(x), row(y), far=False) for x, y in pairs(mechanism)]
        upper = balls.ends(balls.maximum(bounds))[1]
    return Below(n, outward(Fraction(0), upper, 15), None)


def decided(mechanism: Exponential, n: int, effort: Effort) -> Below:
    """Returns the supremum over every epsilon of the ratio at this n."""
    cover = Search(mechanism, Span(), replace(effort, progress=None)).run()
    lower, upper = balls.ends(cover.value)
    pair = cover.pair
    return Below(n, outward(lower, upper, effort.digits), Witness(pair.x, pair.y, mechanism.outputs()[pair.output]))
