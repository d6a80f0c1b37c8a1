"""What sampling can show at best: the largest loss that events of at least a given probability have."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.privacy.curve import PairCurve, pair_curves
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.protocols import Audited


def exact_at(mechanism: Audited, c: Fraction, effort: Effort) -> Enclosure:
    """An enclosure of max over pairs of ln(T(c) / c), T(c) the largest power of a test with P_x'(E) = c.

    It is the best that any test restricted to events of probability at least c can show: T is concave, so T(p) / p
    falls.
    """
    effort.check_whole(mechanism, "at")

    def attempt() -> Enclosure | None:
        powers = [_power(curve, ball(c)) for curve in pair_curves(mechanism, effort)]
        return balls.enclosure((balls.maximum(powers) / ball(c)).log(), effort.digits, least=0)

    return balls.refine(attempt, *balls.bits_for(effort.digits, mechanism.counts().outputs))[0]


def _power(curve: PairCurve, c: Ball) -> Ball:
    """A ball that contains T(c): the least of the lines p_k + (c - q_k) e^loss_k, and 1.

    T is concave and its slope from q_k on is at most e^(largest loss of group k): every such line lies above T, and the
    one whose group holds c contains T(c).
    """
    lines = [p + (c - q) * g.loss.exp() for p, q, g in zip(curve.p, curve.q, curve.groups, strict=False)]
    return balls.minimum([*lines, ball(1)])
