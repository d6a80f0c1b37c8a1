"""Published closed-form bounds of the epsilon of n shuffled reports at a delta; each is valid under its condition."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball


@dataclass(frozen=True)
class Published:
    """A bound: its name, its condition in words, and for (eps0, n, k, delta) a ball, None where it does not apply."""

    name: str
    condition: str
    bound: Callable[[Fraction, int, int, Fraction], Ball | None]


def clones(eps: Fraction, n: int, k: int, delta: Fraction) -> Ball | None:
    """Feldman, McMillan, Talwar 2021, Theorem 3.1."""
    del k
    grown = ball(eps).exp()
    if not balls.certainly_at_most(ball(eps), (n / (16 * (2 / ball(delta)).log())).log()):
        return None
    inner = 8 * (grown * (4 / ball(delta)).log()).sqrt() / ball(n).sqrt() + 8 * grown / n
    return (1 + (grown - 1) / (grown + 1) * inner).log()


def stronger(eps: Fraction, n: int, k: int, delta: Fraction) -> Ball | None:
    """Feldman, McMillan, Talwar 2023, the closed form."""
    del k
    grown, room = ball(eps).exp(), n / (8 * (2 / ball(delta)).log()) - 1
    if not balls.certainly_less(balls.zero(), room) or not balls.certainly_at_most(ball(eps), room.log()):
        return None
    inner = 4 * (2 * (4 / ball(delta)).log()).sqrt() / ((grown + 1) * n).sqrt() + ball(Fraction(4, n))
    return (1 + (grown - 1) * inner).log()


def blanket(eps: Fraction, n: int, k: int, delta: Fraction) -> Ball | None:
    """Balle, Bell, Gascon, Nissim 2019, Theorem 3.1, solved for epsilon."""
    random = k / (ball(eps).exp() + k - 1)
    epsilon_bound = balls.maximum(
        [(14 * k * (2 / ball(delta)).log() / ((n - 1) * random)).sqrt(), 27 * k / ((n - 1) * random)]
    )
    return epsilon_bound if balls.certainly_at_most(epsilon_bound, ball(1)) else None


PUBLISHED = (
    Published("clones (Feldman, McMillan, Talwar 2021, Theorem 3.1)", "ε₀ ≤ ln(n/(16 ln(2/δ)))", clones),
    Published("stronger clones (Feldman, McMillan, Talwar 2023)", "ε₀ ≤ ln(n/(8 ln(2/δ)) − 1)", stronger),
    Published("privacy blanket (Balle, Bell, Gascón, Nissim 2019, Theorem 3.1)", "its ε ≤ 1", blanket),
)
