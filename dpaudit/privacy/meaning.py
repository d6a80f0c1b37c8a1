"""What (epsilon, delta)-privacy means for a person: the most that anyone can learn from a release, in probabilities.

The attacker knows everything but one record and tells x from x', the two data sets that are left. All bounds follow
from P(S) <= e^eps Q(S) + delta in both directions. Those on guesses and tests, after one release or many, are attained
by the pair that shows the data set with probability delta and else gives randomized response with odds e^eps : 1
(Kairouz, Oh and Viswanath 2015), so none can be smaller. The same is so of beliefs, and without delta of groups.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.numbers import balls

ONE = Fraction(1)
Number = Any
"""A ball, or a rational where all is rational."""


@dataclass(frozen=True)
class Promise:
    """(epsilon, delta)-privacy at the working precision: e^-epsilon, exactly 0 for an infinite epsilon, and delta."""

    shrink: Number
    delta: Number

    @staticmethod
    def of(epsilon: Fraction | None, delta: Fraction = Fraction(0)) -> Promise:
        """The promise; without an epsilon, or with a delta of 1, nothing is promised.

        Then, and with an epsilon of 0, all that follows is rational, and known exactly.
        """
        if epsilon is None or delta == 1:
            return Promise(Fraction(0), delta)
        return Promise(ONE, delta) if not epsilon else Promise((-balls.ball(epsilon)).exp(), balls.ball(delta))

    def advantage(self) -> Number:
        """The largest total variation; the best guess between two equally likely data sets gains half of it."""
        return (1 - self.shrink + 2 * self.delta * self.shrink) / (1 + self.shrink)

    def accuracy(self) -> Number:
        """The largest probability of guessing right which of two equally likely data sets it was."""
        return (1 + self.advantage()) / 2

    def power(self, rate: Fraction) -> Number:
        """The largest true positive rate of a test whose false positive rate is ``rate``."""
        alpha = self._like(rate)
        if _is_zero(self.shrink):
            return self._like(ONE)
        few, many = self.delta + alpha / self.shrink, 1 - self.shrink * (1 - self.delta - alpha)
        return _least(_at_most_one(few), _at_most_one(many))

    def _like(self, value: Fraction) -> Number:
        """A rational as the others are: itself, or in a ball."""
        return value if isinstance(self.shrink, Fraction) else balls.ball(value)

    def rises_to(self, belief: Fraction) -> Number:
        """The largest belief after the release, of one who believed it was x with probability ``belief``."""
        return belief_after(belief, self.odds())

    def falls_to(self, belief: Fraction) -> Number:
        """The smallest such belief."""
        return 1 - belief_after(1 - belief, self.odds())

    def odds_between(self, before: Fraction) -> tuple[Number, Number]:
        """What odds fall to and rise to, of a finite epsilon; each leaves outputs out as ``odds`` does."""
        start, factor = self._like(before), self.odds()
        return start * factor, start / factor

    def odds(self) -> Number:
        """1 / f, f the least factor by which odds grow at most, but for outputs of probability 2 delta.

        By f they fall at most too, but for other outputs of probability 2 delta: both together may have more.
        It is e^-eps without delta: no output is left out. Else let S be the outputs beyond f, P(S) = p > 2 delta under
        x; their odds are at most p / q, q = Q(S), and P(S) <= e^eps Q(S) + delta, Q(S') <= e^eps P(S') + delta of the
        others give q >= least(p). As p / least(p) falls with p, f = 2 delta / least(2 delta) will do, and the test of
        the worst pair that has P(S) = p and Q(S) = least(p), p just above 2 delta, shows that no smaller one does.
        It is 2 e^eps, or less if delta is above 1/3.
        """
        if _is_zero(self.delta) or _is_zero(self.shrink):
            return self.shrink
        few = self.shrink / 2
        many = (1 - self.delta - (1 - 2 * self.delta) / self.shrink) / (2 * self.delta)
        return max(few, many) if isinstance(few, Fraction) else balls.maximum([few, many])

    def group(self, people: int) -> Promise:
        """The guarantee for a group of this many people: epsilon and delta along a path of as many steps.

        Where that delta is 1 or more nothing is promised, and what follows is exact.
        """
        if _is_zero(self.delta) or _is_zero(self.shrink):
            return Promise(self.shrink**people, self.delta)
        powers = [self.shrink**-step for step in range(people)]
        steps = sum(powers) if isinstance(self.shrink, Fraction) else balls.total(powers)
        together = _at_most_one(self.delta * steps)
        return Promise.of(None, ONE) if _is_one(together) else Promise(self.shrink**people, together)

    def accuracy_after(self, releases: int) -> Number:
        """The accuracy of the best guess from this many releases, each so private; no smaller bound holds for all.

        A release that shows the data set ends it; else the majority of the randomized responses is the best guess.
        """
        gained, choices = self._like(Fraction(0)), 1
        for wrong in range((releases + 1) // 2):
            gained += choices * (self.shrink**wrong - self.shrink ** (releases - wrong))
            choices = choices * (releases - wrong) // (wrong + 1)
        hidden = (1 - self.delta) ** releases
        return 1 - hidden * (1 - gained / (1 + self.shrink) ** releases) / 2


def belief_after(belief: Fraction, shrink: Number) -> Number:
    """The belief whose odds are those of ``belief`` divided by ``shrink``."""
    exact = isinstance(shrink, Fraction)
    prior: Number = belief if exact else balls.ball(belief)
    if _is_zero(shrink):
        return ONE if exact else balls.ball(ONE)
    return prior / (prior + (1 - prior) * shrink)


def _is_zero(value: Number) -> bool:
    return not value if isinstance(value, Fraction) else balls.is_zero(value)


def _is_one(value: Number) -> bool:
    return _is_zero(1 - value)


def _least(one: Number, other: Number) -> Number:
    return min(one, other) if isinstance(one, Fraction) else balls.minimum([one, other])


def _at_most_one(value: Number) -> Number:
    if isinstance(value, Fraction):
        return min(ONE, value)
    one = balls.ball(ONE)
    return one if balls.certainly_at_most(one, value) else balls.minimum([one, value])
