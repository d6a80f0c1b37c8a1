"""Total variation of two Beta distributions: where their densities cross, and the certified incomplete beta there.

With p = a1 - b1, q = a2 - b2 and u = 1/(1 + e^-z), the log-ratio of the densities of Beta(a) and Beta(b) at u is
    g(z) = ln B(b)/B(a) - p ln(1 + e^-z) - q ln(1 + e^z).
If p q <= 0, g is monotone and vanishes once; else it has one extremum, at z = ln(p/q), and one zero on either side.
TV is the difference of the two distributions' probabilities of the set {g > 0}.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, log, log1p

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, PrecisionExhausted, ball

Pair = tuple[Fraction, Fraction]


def total_variation(a: Pair, b: Pair) -> Ball:
    """Returns a ball that contains TV(Beta(a), Beta(b)); exactly 0 if a = b."""
    p, q = a[0] - b[0], a[1] - b[1]
    if p == q == 0:
        return balls.zero()
    constant = _log_beta(b) - _log_beta(a)
    if p + q == 0:
        points = [-constant / ball(p)]
    elif p * q <= 0:
        points = [_root(constant, p, q, 0.0, _starting_side(constant, p, q))]
    else:
        points = [_root(constant, p, q, log(p / q), side) for side in (-1, 1)]
    masses = [_below(z, a) - _below(z, b) for z in points]
    return abs(masses[0] if len(masses) == 1 else masses[1] - masses[0])


def _log_beta(a: Pair) -> Ball:
    return ball(a[0]).lgamma() + ball(a[1]).lgamma() - ball(a[0] + a[1]).lgamma()


def _below(z: Ball, a: Pair) -> Ball:
    """Returns a ball that contains Beta(a)'s probability of [0, 1/(1 + e^-z)]."""
    return (1 / (1 + (-z).exp())).beta_lower(ball(a[0]), ball(a[1]), True)


def _softplus(z: float) -> float:
    return max(z, 0.0) + log1p(exp(-abs(z)))


def _rough(constant: Ball, p: Fraction, q: Fraction) -> Callable[[float], float]:
    """Returns g in floating point, to find a starting point only."""
    c, m, j = float(constant), float(p), float(q)
    return lambda z: c - m * _softplus(-z) - j * _softplus(z)


def _starting_side(constant: Ball, p: Fraction, q: Fraction) -> int:
    """Returns on which side of z = 0 the zero of a monotone g lies (a guess: the root is certified later)."""
    rising = p > 0 or q < 0
    return 1 if (_rough(constant, p, q)(0.0) < 0) == rising else -1


def _root(constant: Ball, p: Fraction, q: Fraction, start: float, side: int) -> Ball:
    """Returns a ball that contains the one zero of g on that side of ``start``, where g is monotone.

    Bisection and Newton propose it; g has certified opposite signs at the two ends of the ball, so it is there.
    """
    rough = _rough(constant, p, q)
    near, far = start, start + side
    while (rough(near) < 0) == (rough(far) < 0):
        near, far = far, start + 2 * (far - start)
        if abs(far) > 1e6:
            raise PrecisionExhausted(balls.working_bits())
    for _ in range(60):
        middle = (near + far) / 2
        near, far = (middle, far) if (rough(middle) < 0) == (rough(near) < 0) else (near, middle)
    m, j = ball(p), ball(q)

    def g(z: Ball) -> Ball:
        return constant - m * (1 + (-z).exp()).log() - j * (1 + z.exp()).log()

    def slope(z: Ball) -> Ball:
        u = 1 / (1 + (-z).exp())
        return m * (1 - u) - j * u

    z = Ball(near)
    for _ in range(balls.working_bits().bit_length()):
        z = balls.middle(z - g(z) / slope(z))
    reach = balls.upper(abs(g(z) / slope(z))) * 2 + ball(Fraction(1, 2 ** balls.working_bits()))
    for _ in range(60):
        ends = g(z - reach), g(z + reach)
        if balls.certainly_less(ends[0] * ends[1], balls.zero()):
            return balls.from_ends(z - reach, z + reach)
        reach = reach * 4
    raise PrecisionExhausted(balls.working_bits())
