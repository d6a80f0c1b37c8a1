"""P1 Figure 4, three cells, n = 14000…20000: the mean errors of M_H^D and LSHist, bounded for a block of n at once.

For every n of a block each cell of x lies between its least and its largest count. -ln BC is a sum over the cells of
terms that fall in the count, at a fixed number of steps, and grow with the steps (LARGE_N.md section 1 in
dpaudit/privacy/fast). So H at given steps lies between its values at the largest and at the least counts.

- LSHist: the chances of the steps do not depend on n; outside a box of steps H ≤ 1. An upper bound.
- M_H^D: E[H] under weights e^(−rate·H) falls with the rate (its slope is minus a variance), and S ≥ LS, over adjacent
  data sets as over all, so the rate ε/(2·LS) gives a lower bound, with the least LS of the block. Outputs outside the
  box with H at least the mean inside only raise the mean: they are left out, after a look at the least H there.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dpaudit.claims.batches import Batch, Statement, single
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from proofs_checks.figures.window import distance, step_factor

BELOW = Statement("an upper bound of LSHist's mean error", "<", "a lower bound of M_H^D's")
EPS = Fraction(4, 5)
PRIOR = Fraction(1)
STEPS = 40
"""The box: this many steps of the first and of the second cell, either way."""
BLOCK = 500
Steps = dict[tuple[int, int], Ball]
"""H by the steps of the first two cells; the third takes the rest."""


def split(n: int) -> tuple[int, int, int]:
    """20%, 30% and the rest, rounded down."""
    return n // 5, 3 * n // 10, n - n // 5 - 3 * n // 10


def factors(count: int, reach: int) -> dict[int, Ball]:
    """Balls that contain the square of the cell's factor of BC, by the steps: from Gamma(t+1) = t Gamma(t).

    u(c, c+j)^2 = u(c, c+j-2)^2 (t+(j-2)/2)^2 / ((t+j-2)(t+j-1)), t = 1 + c; and u(c, c-j) = u(c-j, c).
    """
    t = count + int(PRIOR)
    found = {0: ball(1), 1: step_factor(PRIOR, count), -1: step_factor(PRIOR, count - 1)}
    for j in range(2, reach + 1):
        found[j] = found[j - 2] * (2 * t + j - 2) ** 2 / (4 * (t + j - 2) * (t + j - 1))
        found[-j] = found[2 - j] * 4 * (t - j) * (t - j + 1) / (2 * t - j) ** 2
    return found


def distances(counts: Sequence[int]) -> Steps:
    """Balls that contain H at all steps of the box."""
    first, second, third = (factors(c, 2 * STEPS) for c in counts)
    box = range(-STEPS, STEPS + 1)
    return {
        (i, j): distance(first[i] * second[j] * third[-i - j]) if i or j else balls.zero() for i in box for j in box
    }


def longest_step(counts: Sequence[int]) -> Ball:
    """A ball that contains LS: one record from a cell to another."""
    cells = [(step_factor(PRIOR, c - 1), step_factor(PRIOR, c)) for c in counts]
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    return balls.maximum([distance(cells[i][0] * cells[j][1]) for i, j in pairs])


def laplace_upper(near: Steps) -> Ball:
    """An upper bound of LSHist's mean error: j steps have probability q^j (1-q)/2, down q^(j-1) (1-q)/2."""
    q = (-ball(EPS / 2)).exp()
    chance = {j: q ** (j if j >= 0 else -j - 1) * (1 - q) / 2 for j in range(-STEPS, STEPS + 1)}
    inside = balls.total(list(chance.values()))
    mean = balls.total([chance[i] * chance[j] * h for (i, j), h in near.items()])
    return mean + 1 - inside * inside


def exponential_lower(near: Steps, far: Steps, most: Sequence[int]) -> Ball:
    """A lower bound of M_H^D's mean error, given H at the least and at the largest counts, and the latter."""
    rate = ball(EPS / 2) / longest_step(most)
    top = balls.total([far[step] * (-rate * h).exp() for step, h in near.items()])
    mean = top / balls.total([(-rate * h).exp() for h in far.values()])
    cells = [factors(count, STEPS) for count in most[:2]]
    outside = [distance(cell[way * STEPS]) for cell in cells for way in (-1, 1)]  # the other cells only add to it
    if not all(balls.certainly_less(mean, h) for h in outside):
        raise balls.PrecisionExhausted(balls.working_bits())
    return mean


def block(first: int, last: int) -> Batch:
    """The statement for every n from the first to the last."""
    cells = list(zip(*(split(n) for n in range(first, last + 1)), strict=True))
    least, most = [min(c) for c in cells], [max(c) for c in cells]

    def sides() -> tuple[Ball, Ball]:
        near, far = distances(least), distances(most)
        return laplace_upper(near), exponential_lower(near, far, most)

    return single({"n": f"{first}…{last}", "k": 3, "prior": (1, 1, 1), "eps": EPS}, sides)


def blocks(sizes: Sequence[int]) -> list[Batch]:
    """The statement for all of these consecutive sizes, block by block."""
    starts = range(sizes[0], sizes[-1] + 1, BLOCK)
    return [block(start, min(start + BLOCK - 1, sizes[-1])) for start in starts]
