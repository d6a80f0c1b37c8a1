"""Total variation of two Beta distributions with parameters a whole number apart: where their densities cross.

With p = a1 - b1, q = a2 - b2 and u = 1/(1 + e^-z), the log-ratio of the densities of Beta(a) and Beta(b) at u is
    g(z) = ln B(b)/B(a) - p ln(1 + e^-z) - q ln(1 + e^z),
its slope p (1 - u) - q u is monotone in z. If p q <= 0, g is monotone and vanishes once; else it has one extremum,
where p (1 - u) = q u, and one zero on either side. TV is the difference of the two distributions' probabilities of
the set {g > 0}; those of [0, u] differ by a finite sum, since p and q are whole.
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, NeedsMoreBits, ball

Pair = tuple[Fraction, Fraction]


def total_variation(a: Pair, b: Pair) -> Ball:
    """A ball that contains TV(Beta(a), Beta(b)) for whole a - b; exactly 0 if a = b."""
    p, q = a[0] - b[0], a[1] - b[1]
    if p == q == 0:
        return balls.zero()
    constant = _log_beta(b) - _log_beta(a)
    if p + q == 0:
        points = [-constant / ball(p)]
    elif p * q > 0:
        points = [_zero(constant, p, q), -_zero(constant, q, p)]
    else:
        points = [_zero(constant, p, q) if abs(p) > abs(q) else -_zero(constant, q, p)]
    masses = [_below(z, a, b) for z in points]
    return abs(masses[0] if len(masses) == 1 else masses[1] - masses[0])


def _log_beta(a: Pair) -> Ball:
    return ball(a[0]).lgamma() + ball(a[1]).lgamma() - ball(a[0] + a[1]).lgamma()


def _below(z: Ball, a: Pair, b: Pair) -> Ball:
    """A ball that contains Beta(a)'s probability of [0, u] less Beta(b)'s, u = 1/(1 + e^-z)."""
    down, up = (-z).exp(), z.exp()
    first = _fall(1 / (1 + down), 1 / (1 + up), b[0], a[0], b[1])
    second = _fall(1 / (1 + up), 1 / (1 + down), b[1], a[1], a[0])
    return second - first


def _fall(u: Ball, v: Ball, start: Fraction, stop: Fraction, other: Fraction) -> Ball:
    """A ball that contains I_u(start, other) - I_u(stop, other), I the incomplete beta function, v = 1 - u.

    For stop > start it is the sum over s = start, start + 1, ... < stop of u^s v^other / (s B(s, other)), and the term
    for s + 1 is u (s + other) / (s + 1) times the term for s.
    """
    if stop <= start:
        return balls.zero() if stop == start else -_fall(u, v, stop, start, other)
    series = ball(1)
    for i in range(int(stop - start) - 1, 0, -1):
        series = 1 + series * u * ball((start + other + i - 1) / (start + i))
    return (ball(start) * u.log() + ball(other) * v.log() - _log_beta((start, other))).exp() / ball(start) * series


def _zero(constant: Ball, p: Fraction, q: Fraction) -> Ball:
    """A ball that contains the one zero of g where its slope has the sign of p (|p| > |q| or p q > 0).

    Newton proposes it, from the zero of the asymptote at z = -infinity: g is convex or concave, no tangent crosses
    it, so the steps stay on that side. Certified: the slope has that sign all over the ball, and g opposite signs at
    its ends.
    """
    m, j = ball(p), ball(q)

    def g(z: Ball) -> Ball:
        return constant - m * (1 + (-z).exp()).log() - j * (1 + z.exp()).log()

    def slope(z: Ball) -> Ball:
        return m / (1 + z.exp()) - j / (1 + (-z).exp())

    z = balls.middle(-constant / m)
    for _ in range(balls.working_bits()):
        value = g(z)
        if balls.overlap(value, balls.zero()):
            break
        z = balls.middle(z - value / slope(z))
    reach = balls.upper(abs(g(z) / slope(z))) * 2 + ball(Fraction(1, 2 ** balls.working_bits()))
    for _ in range(60):
        found = balls.from_ends(z - reach, z + reach)
        same_side = balls.certainly_less(balls.zero(), slope(found) * m)
        if same_side and balls.certainly_less(g(z - reach) * g(z + reach), balls.zero()):
            return found
        reach = reach * 4
    raise NeedsMoreBits(balls.working_bits())
