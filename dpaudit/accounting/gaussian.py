"""Gaussian mechanisms alone: their composition is one Gaussian mechanism, with a closed form."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.normal import normal


def gaussian_delta(mu_squared: Fraction, epsilon: Fraction) -> Ball:
    """A ball that contains Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu) (Balle, Wang 2018, Theorem 8)."""
    mu, e = ball(mu_squared).sqrt(), ball(epsilon)
    return balls.positive_part(normal(mu / 2 - e / mu) - e.exp() * normal(-mu / 2 - e / mu))
