"""Clopper and Pearson's bounds for a probability, certified: c successes of N independent trials.

P(Bin(N, p) >= c) = I_p(c, N - c + 1), the regularized incomplete beta function, rises with p. If p0 has
I_p0(c, N - c + 1) <= level, then p >= p0 for every p but those under which so many successes have probability < level.
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import PrecisionExhausted, ball
from dpaudit.numbers.verdict import Verdict

BITS = 128
SHARES = (Fraction(1, 10**9), Fraction(1, 10**6), Fraction(1, 10**3), Fraction(1, 10), Fraction(1, 2))
"""How far below the proposed bound one goes until it is certified."""


def lower_bound(successes: int, trials: int, level: Fraction) -> Fraction:
    """p0 with P(Bin(trials, p0) >= successes) <= level, certified, close to the largest; 0 for no success.

    A float proposes, a ball decides; 0 is always right.
    """
    if successes == 0:
        return Fraction(0)
    proposed = Fraction(_proposal(successes, trials, level))
    for share in SHARES:
        p = proposed * (1 - share)
        if tail_at_most(p, successes, trials, level):
            return p
    return Fraction(0)


def upper_bound(successes: int, trials: int, level: Fraction) -> Fraction:
    """p0 with P(Bin(trials, p0) <= successes) <= level, certified, close to the least; 1 if all succeeded."""
    if successes == trials:
        return Fraction(1)
    from scipy.stats import beta

    proposed = Fraction(float(beta.isf(float(level), successes + 1, trials - successes)))
    for share in SHARES:
        p = min(Fraction(1), proposed + share * proposed)
        if p == 1 or tail_at_most(1 - p, trials - successes, trials, level):
            return p
    return Fraction(1)


def _proposal(successes: int, trials: int, level: Fraction) -> float:
    from scipy.stats import beta

    quantile = float(beta.ppf(float(level), successes, trials - successes + 1))
    return quantile if 0 < quantile < 1 else 0.0


def tail_at_most(p: Fraction, successes: int, trials: int, level: Fraction) -> bool:
    """Whether P(Bin(trials, p) >= successes) <= level is certain."""
    if p <= 0:
        return True

    def compare() -> Verdict:
        tail = ball(p).beta_lower(ball(successes), ball(trials - successes + 1), True)
        return balls.at_most(tail, ball(level))

    try:
        return balls.decide(compare, BITS)[0] is Verdict.PROVED
    except PrecisionExhausted:
        return False
