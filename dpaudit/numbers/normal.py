"""The normal distribution function and its inverse, in balls."""

from __future__ import annotations

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball


def normal(z: Ball) -> Ball:
    """A ball that contains Phi(z), the probability that a standard normal is at most z."""
    return (-z / ball(2).sqrt()).erfc() / 2


def quantile(lower: Ball, upper: Ball) -> Ball:
    """A ball that contains the z with Phi(z) = ``lower`` = 1 - ``upper``; no number if neither is > 0.

    Both tails are given, so that the smaller one keeps its digits.
    """
    if balls.certainly_less(upper, lower):
        return ball(2).sqrt() * (2 * upper).erfcinv()
    return -ball(2).sqrt() * (2 * lower).erfcinv()
