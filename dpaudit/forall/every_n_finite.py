"""The n below N, one by one: the auditor itself, or a bound that holds at every epsilon (EVERY_N.md, section 6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import permutations

from dpaudit.forall.every_epsilon_bounds import at
from dpaudit.forall.every_epsilon_cover import Search
from dpaudit.forall.every_epsilon_rows import Row, Rows
from dpaudit.forall.every_n_pairs import over_every_epsilon
from dpaudit.forall.every_n_sums import by_sums
from dpaudit.forall.ranged import Ranged, Span
from dpaudit.mechanisms.exponential import Exponential, with_exponent
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, exact, largest, outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.judge import exact_epsilon
from dpaudit.privacy.loss import worst_loss
from dpaudit.privacy.pairs import Witness, pairs

FLOATS_FROM = 24
"""From this n on the fast tier does the audits."""
SCREEN_BITS = 64


Cuts = dict[tuple[Histogram, Histogram], tuple[Fraction, ...]]
"""The ends of the intervals of epsilon by ordered pair, one of each orbit, where matched rows do not suffice."""


@dataclass(frozen=True)
class Below:
    """At this n the true epsilon, or the supremum over epsilon of its ratio, lies in ``value``.

    ``epsilon`` is where the witness reaches the lower end if every epsilon is covered; 0 and None are limits.
    """

    n: int
    value: Enclosure
    witness: Witness
    known: Fraction | None = None
    """The value itself, where algebra knows it."""
    epsilon: Fraction | None = None
    cuts: Cuts = field(default_factory=dict)


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
        """The audit with the largest lower end, the first of them."""
        found = [self.found[n] for n in sorted(self.found)]
        return found[largest([below.value for below in found])]

    def look(self, n: int) -> None:
        """Audits one n; at every epsilon by the bound alone."""
        mechanism = self._at(n)
        self._keep(screened(mechanism, n) if self.every_epsilon else audited(mechanism, n, self.effort))

    def _at(self, n: int) -> Exponential:
        """The mechanism at this n; for every epsilon, that of epsilon = 1."""
        offered = with_exponent(self.ranged.moved(n=n, eps=1 if self.every_epsilon else None))
        assert offered is not None
        return offered[0]

    def _keep(self, below: Below) -> None:
        self.found[below.n] = below
        self.attained = max(self.attained, below.value.lower)

    def sharpen(self, bar: Fraction) -> None:
        """Bounds the n that may exceed the attained value by sums of outputs, or else decides them."""
        order = sorted(self.found, key=lambda n: -self.found[n].value.lower)
        for done, n in enumerate(order):
            self.effort.tell(done, len(order))
            if self.found[n].value.at_most(max(bar, self.attained)) is not Verdict.PROVED:
                summed = by_sums_below(self._at(n), self.found[n], max(bar, self.attained))
                self._keep(summed or decided(self._at(n), n, self.effort))


def audited(mechanism: Exponential, n: int, effort: Effort) -> Below:
    """The true epsilon at this n."""
    effort = replace(effort, progress=None, tier="auto")
    screen = mechanism.screen() if n >= FLOATS_FROM and effort.tier != "exact" else None
    try:
        worst = worst_loss(mechanism, effort) if screen is None else screen.worst_loss(effort)
    except TooCoarse:
        worst = worst_loss(mechanism, replace(effort, tier="exact"))
    known = exact_epsilon(mechanism, worst, effort) if n == 1 else None
    return Below(n, worst.value if known is None else exact(known, effort.digits), worst.witness, known)


def screened(mechanism: Exponential, n: int) -> Below:
    """Bounds of true epsilon / epsilon over every epsilon at this n; the mechanism is that of epsilon = 1.

    The lower one is the limit epsilon -> 0, the upper one that of matched rows.
    """
    uppers, best = [], (Fraction(-1), Witness(None, None, None))
    with balls.precision(SCREEN_BITS):
        for x, y, p, q in _rows(mechanism):
            uppers.append(over_every_epsilon(p.exponents, q.exponents, far=False))
            for (one, a), (other, b) in permutations(((x, p), (y, q))):
                differences = [v - u for u, v in zip(a.exponents, b.exponents, strict=True)]
                limit = balls.ends(balls.maximum(differences) + at(a, b, Fraction(0)))[0]
                if limit > best[0]:
                    best = limit, Witness(one, other, mechanism.outputs()[balls.argsort(differences)[-1]])
        upper = balls.ends(balls.maximum(uppers))[1]
    return Below(n, outward(best[0], upper, 15), best[1], epsilon=Fraction(0))


def _rows(mechanism: Exponential) -> Iterator[tuple[Histogram, Histogram, Row, Row]]:
    """Yields the adjacent pairs, one of each orbit, with their rows; one of each two is one of the last pair."""
    rows, kept = Rows(mechanism), dict[Histogram, Row]()
    for x, y in pairs(mechanism):
        kept = {z: kept.get(z) or Row(rows.exponents(z), mechanism.model.index[z]) for z in (x, y)}
        yield x, y, kept[x], kept[y]


def by_sums_below(mechanism: Exponential, below: Below, bar: Fraction) -> Below | None:
    """This n with a bound below the bar by intervals of epsilon, with a little room; None if they do not suffice."""
    cuts: Cuts = {}
    with balls.precision(SCREEN_BITS):
        for x, y, p, q in _rows(mechanism):
            if balls.certainly_at_most(over_every_epsilon(p.exponents, q.exponents, far=False), balls.ball(bar)):
                continue
            for (one, a), (other, b) in permutations(((x, p), (y, q))):
                found = by_sums(a, b, None, bar - bar / 1000)
                if found.most > bar:
                    return None
                cuts[one, other] = found.cuts
    return replace(below, value=outward(below.value.lower, bar, 15), cuts=cuts)


def decided(mechanism: Exponential, n: int, effort: Effort) -> Below:
    """The supremum over every epsilon of the ratio at this n."""
    cover = Search(mechanism, Span(), replace(effort, progress=None)).run()
    lower, upper = balls.ends(cover.value)
    witness = Witness(cover.pair.x, cover.pair.y, mechanism.outputs()[cover.pair.output])
    cuts = {
        (pair.x, pair.y): tuple(high for _, high in cover.closed[i][:-1] if high is not None)
        for i, pair in enumerate(cover.pairs)
        if not pair.alike
    }
    return Below(n, outward(lower, upper, effort.digits), witness, None, cover.epsilon, cuts)
