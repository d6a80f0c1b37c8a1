"""The documents' accuracy bounds held against the exact probabilities of one data set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from dpaudit.mechanisms.base import PosteriorMechanism
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Histogram, neighbors
from dpaudit.studies.accuracy.bounds import BOUNDS, Bound, InPowers, Threshold, evaluate, leading
from dpaudit.studies.accuracy.staircase import Staircase, add


@dataclass(frozen=True)
class BoundAt:
    """One bound at one threshold; ``margin`` > 0 where it holds with room, for an equality it is the difference."""

    bound: Bound
    t: Ball
    kappa: int
    probability: Ball
    value: Ball
    margin: Ball
    verdict: Verdict


def applicable(mechanism: PosteriorMechanism, x: Histogram) -> list[Bound]:
    """The bounds that the documents state for this mechanism, k and data.

    Balanced data have a balanced posterior only where the prior is equal: with another one they are as any data.
    """
    model, settings = mechanism.model, mechanism.settings()
    if "score" in settings:
        return []
    data = "balanced" if model.k == 2 and x[0] == x[1] and model.prior[0] == model.prior[1] else "all"
    return [
        bound
        for bound in BOUNDS
        if mechanism.name in bound.mechanisms
        and bound.data in ("any", data)
        and bound.gs == settings.get("gs", "constant")
        and (model.k == 2 or not bound.claim.startswith("acc.4."))
    ]


class Checker:
    """Checks bounds on one staircase, at the precision in force."""

    def __init__(self, stairs: Staircase) -> None:
        self.stairs = stairs
        self.where = {stairs.released[i]: s for s, step in enumerate(stairs.steps) for i in step.outputs}
        squares = [step.mass * step.mass / len(step.outputs) for step in reversed(stairs.steps)]
        self._squares = list(accumulate(squares, initial=balls.zero()))[::-1]
        self._local = max((self.where[d] for d in neighbors(stairs.x) if d in self.where), default=0)

    @cached_property
    def _kappas(self) -> list[int]:
        """kappa for 0, 1, … first distances: the most steps to the right of x among them (k = 2)."""
        most = [0] * (len(self.stairs.steps) + 1)
        a, b = self.stairs.x
        for j in range(b + 1):
            step = self.where.get((a + j, b - j))
            if step is not None:
                most[step + 1] = j
        return list(accumulate(most, max))

    @cached_property
    def _sensitivity(self) -> Ball:
        """S(x), read off the row: P(r) / P(x) = exp(-epsilon H(x,r) / (2 S(x)))."""
        first, second = self.stairs.steps[:2]
        weight = (first.mass * len(second.outputs) / second.mass).log()
        return ball(self.stairs.mechanism.epsilon) * second.distance / (2 * weight)

    def threshold(self, below: int, t: Ball) -> Threshold:
        """What the bounds depend on at this threshold."""
        stairs, model = self.stairs, self.stairs.mechanism.model
        return Threshold(
            n=model.n,
            size=model.size,
            epsilon=ball(stairs.mechanism.epsilon),
            t=t,
            kappa=self._kappas[below] if model.k == 2 else 0,
            local=stairs.steps[self._local].distance,
            sensitivity=self._sensitivity,
            at_truth=stairs.steps[0].mass,
            squares=self._squares[below],
            tail=stairs.at_least(below),
        )

    def check(self, bound: Bound, below: int, t: Ball) -> BoundAt:
        """The bound's value, the exact probability and the verdict at this threshold."""
        at, equal = self.threshold(below, t), bound.identity
        probability = at.tail if bound.of_tail else self.stairs.below(below)
        sign = None
        if isinstance(bound.form, InPowers):
            poly, step = bound.form.polynomial(at.kappa), self.stairs.mechanism.epsilon / bound.form.scale
            value = evaluate(poly, step)
            exact = self.stairs.exact_below(below)
            if exact is not None:
                rest = add(exact, {exponent: -c for exponent, c in poly.items()})
                equal, sign = not rest, leading(rest, step)
        else:
            value = bound.form.value(at)
            equal = equal or balls.exactly_equal(probability, value)
        margin = probability - value if bound.relation in "≥>=" else value - probability
        verdict = _judge(bound.relation, margin if sign is None else sign, equal)
        if equal:
            margin = balls.zero()
        return BoundAt(bound, t, at.kappa, probability, value, margin, verdict)

    def everywhere(self, bound: Bound, at: tuple[int, Ball] | None) -> tuple[BoundAt, int, int] | None:
        """The bound at the threshold ``at``, or at all that separate two attained distances, or at LS(x).

        Returns the worst check, how many thresholds there are, and how many of them fail; None if there is none.
        """
        steps = self.stairs.steps
        if bound.threshold != "< t":
            below = self._local + (bound.threshold == "≤ LS(x)")
            places = [(below, steps[self._local].distance)]
        elif at is not None:
            places = [at]
        else:
            places = [(below, steps[below].distance) for below in range(1, len(steps))]
        checks = [self.check(bound, *place) for place in places]
        if not checks:
            return None
        failing = [c for c in checks if c.verdict is Verdict.REFUTED]
        open_ = [c for c in checks if c.verdict is Verdict.UNDECIDED]
        pool = failing or open_ or checks
        order = balls.argsort([-abs(c.margin) if bound.relation == "=" else c.margin for c in pool])
        return pool[order[0]], len(checks), len(failing)


def _judge(relation: str, margin: Ball, equal: bool) -> Verdict:
    if equal:
        return Verdict.PROVED if relation in "≥≤=" else Verdict.REFUTED
    if relation == "=":
        return Verdict.UNDECIDED if balls.overlap(margin, balls.zero()) else Verdict.REFUTED
    return balls.at_most(balls.zero(), margin) if relation in "≥≤" else balls.less(balls.zero(), margin)
