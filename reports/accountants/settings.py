"""The compositions that the accountants are asked about."""

from __future__ import annotations

import itertools
from fractions import Fraction

SIGMAS = ("1/2", "4/5", "1", "2", "5", "20")
RATES = ("1/10000", "1/1000", "1/100", "1/10", "1")
STEPS = (1, 10, 100, 1000, 10_000, 100_000)
DELTAS = ("1e-5", "1e-8", "1e-10", "1e-13", "1e-15")
MIXED = (
    ["gaussian:sigma=4 x 10", "laplace:eps=1/10 x 10"],
    ["gaussian:sigma=4/5,rate=1/100 x 1000", "laplace:eps=1/10"],
    ["gaussian:sigma=1,rate=1/10 x 20", "gaussian:sigma=2 x 5"],
    ["gaussian:sigma=2,rate=1/50 x 500", "gaussian:sigma=1,rate=1/100 x 500"],
    ["laplace:eps=1/10 x 100"],
    ["laplace:eps=1/100 x 1000"],
    ["laplace:eps=1,rate=1/10 x 100"],
    ["discrete-laplace:eps=1/10 x 100"],
    ["discrete-laplace:eps=1/2 x 20", "gaussian:sigma=3,rate=1/10 x 50"],
    ["laplace:eps=1/2 x 10", "discrete-laplace:eps=1/4 x 10"],
)
LONG = tuple(
    [f"gaussian:sigma={sigma},rate={rate} x {steps}"]
    for sigma, rate, steps in (
        ("4/5", "1/1000", 10_000),
        ("4/5", "1/1000", 100_000),
        ("2", "1/100", 10_000),
        ("4/5", "1/10000", 100_000),
        ("2", "1/1000", 100_000),
        ("5", "1/100", 10_000),
        ("20", "1/10", 10_000),
    )
)
MEANT = 100
"""Steps times (rate / sigma)^2 beyond this mean an epsilon of many tens, and some accountants never end there."""
KEPT = 10**4
"""Steps beyond this are asked about at two noise levels only."""


def compositions() -> list[list[str]]:
    """All of them, the cheap and the telling ones first."""
    found = [
        [f"gaussian:sigma={sigma},rate={rate} x {steps}"]
        for steps, rate, sigma in itertools.product(STEPS, RATES, SIGMAS)
        if (steps <= KEPT or sigma in ("4/5", "2")) and steps * (Fraction(rate) / Fraction(sigma)) ** 2 <= MEANT
    ]
    first = [*map(list, MIXED), *map(list, LONG)]
    rest = [entry for entry in found if entry not in first]
    return [*first, *rest[::3], *rest[1::3], *rest[2::3]]
