"""The middle: an upper bound of loss / e for every pair x, x+1 with M <= x <= n-1-M, every n and every epsilon.

EVERY_N.md, section 4, line by line. All quantities here fall as x grows, so that the bound at x = M serves for all.
"""

from __future__ import annotations

from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball

ZONES = 24
"""Pieces of the outputs near x; more pieces make the bound a little sharper."""


def rise(z: Fraction) -> Ball:
    """A bound of 1/c at z+1 minus 1/c at z, here and for all larger z, every n: (8z+2)^(3/2) / (16 z^2)."""
    wide = ball(8 * z + 2)
    return wide * wide.sqrt() / ball(16 * z * z)


def steep(level: Fraction) -> Ball:
    """A bound of L dH/dL over all L >= level: sqrt(L) e^(-3L/4) / 2, which falls from 2/3 on; 1/4 for all."""
    if level < 1:
        return ball(Fraction(1, 4))
    return ball(level).sqrt() * ball(-3 * level / 4).exp() / 2


def turned(z: Fraction) -> Ball:
    """theta(z) = 4(z+1) / (4z^2-1), z > 1/2: a shift by one record changes L by at most this share of it."""
    return ball(4 * (z + 1) / (4 * z * z - 1))


def widest(z: Fraction) -> Ball:
    """A bound of 1/(2c), z = prior + count, for every n: e^(1/(32z+8)) sqrt(8z+2) / 2."""
    return ball(1 / (32 * z + 8)).exp() * ball(8 * z + 2).sqrt() / 2


def distortion(alpha: Fraction, x: int) -> Ball:
    """A bound of w max over r of |H(x+1, r+1) - H(x, r)| as far as this prior's cell tells, here and beyond.

    For x >= 24 and x >= alpha: only then does every part fall as x grows.
    """
    reach, whole = Fraction(9 * x * x, 16), scale(alpha, x)
    parts = [ball(-reach / (8 * alpha + 5 * x + 8)).exp() * widest(alpha + x)]
    parts.append(turned(alpha + Fraction(x, 4)) * steep(reach / whole) * widest(alpha + max(Fraction(x), 2 * alpha)))
    for i in range(ZONES):
        low, high = Fraction(3 * i, 4 * ZONES), Fraction(3 * (i + 1), 4 * ZONES)
        parts.append(turned(alpha + x * (1 - high)) * steep(low * low * x * x / whole) * widest(alpha + x))
    return balls.maximum(parts)


def scale(alpha: Fraction, x: int) -> Fraction:
    """8 (alpha + x + 1): L(x, x-j) and L(x+1, x-j+1) are at least j^2 over this."""
    return 8 * (alpha + x + 1)


def middle_bound(prior: tuple[Fraction, Fraction], x: int, rises: Ball) -> Ball:
    """A bound of loss / e over the middle for rates e / (2 Delta), Delta >= LS; x is M.

    ``rises`` bounds |1/Delta(x+1) - 1/Delta(x)| there.
    """
    return ball(Fraction(1, 2)) + rises / 2 + balls.maximum([distortion(alpha, x) for alpha in prior])
