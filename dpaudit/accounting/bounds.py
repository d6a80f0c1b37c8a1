"""From cells to measures on the lattice of losses that bound delta of every composition, from above and from below.

A measure p on the losses c + k h stands for delta(epsilon) = sum of p(k) (1 - e^(epsilon - c - kh))+, plus its mass at
infinity. That rises with every p(k), also in compositions, which are convolutions.

*Above* (connect the dots, Doroshenko and others 2022): each cell gives v / (e^h - 1) to its lower and e^h u / (e^h - 1)
to its upper end. P and Q of the cell stay what they are, and the cell is a post-processing of its two ends.

*Below*: the cells are split at random into shares that go to points of the lattice. What meets at the point k is
merged, a post-processing. If it has the loss c + kh at least, then p(k) = e^(c+kh) Q is at most P there, and lowering P
lowers delta. Any shares with that property will do; they are chosen such that next to nothing is above its point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpaudit.accounting.cells import BITS, Cells, Lattice
from dpaudit.accounting.floats import TINY, Floats, U, down, exponentials, up
from dpaudit.numbers import balls
from dpaudit.numbers.balls import ball


@dataclass(frozen=True)
class Measure:
    """Bounds of a measure on the losses number first, first + 1, ..., and of its mass at infinity."""

    lattice: Lattice
    first: int
    values: Floats
    infinite: float


def upper_measure(cells: Cells, infinite: float) -> Measure:
    """A measure that dominates the pair; ``infinite`` is at least P of the outputs that are impossible under Q."""
    with balls.precision(BITS):
        grow = ball(cells.lattice.step).exp()
        low, high = up(1 / (grow - 1)), up(grow / (grow - 1))
    values = np.zeros(len(cells) + 1)
    values[:-1] += cells.v_upper * low
    values[1:] += cells.u_upper * high
    return Measure(cells.lattice, cells.first, values * (1 + 8 * U) + TINY, (infinite + cells.p_above) * (1 + 4 * U))


def lower_measure(cells: Cells, infinite: float) -> Measure:
    """A measure below the pair; ``infinite`` is at most P of the outputs that are impossible under Q."""
    with balls.precision(BITS):
        inverse = 1 / ball(cells.lattice.step).expm1()
        low, high = down(inverse), up(inverse)
        reach = max(2, min(REACH, int(300 / cells.lattice.step)))
        grow = exponentials(ball(cells.lattice.step), 0, reach).tolist()
    data = _Shares(
        cells.u_lower.tolist(),
        cells.v_upper.tolist(),
        ((cells.u_lower + cells.v_lower) * low).tolist(),
        ((cells.u_upper + cells.v_upper) * high).tolist(),
        [factor * (1 - 8 * U) for factor in grow],
        [(1 - 8 * U) / factor for factor in grow],
    )
    side = max((np.array(data.upwards()), np.array(data.downwards())), key=lambda values: float(np.sum(values)))
    values = (side + cells.points) * (1 - 100 * U) - TINY
    return Measure(cells.lattice, cells.first, np.maximum(values, 0.0), infinite)


REACH = 64
"""A cell is merged at points at most about this many cells away; closer where e^loss would leave binary64."""
LESS, MORE = 1 - 16 * U, 1 + 16 * U


@dataclass(frozen=True)
class _Shares:
    """Cells 0, 1, ...: u from below, v from above, a = e^(c+kh) Q from both; e^(dh) and e^-(dh), from below.

    Relative to the point j, a cell k >= j has the excess u + a (1 - e^-((k-j)h)) and a cell k < j has the deficit
    v + a (e^((j-k)h) - e^h); its part of p(j) is a e^((j-k)h). A point is sound if the shares of excess that meet there
    are at least the shares of deficit.
    """

    u: list[float]
    v: list[float]
    a: list[float]
    a_upper: list[float]
    grow: list[float]
    shrink: list[float]

    def upwards(self) -> list[float]:
        """Every cell is sent up; the cells above pay its deficit, as far as they go. Waste is at the top only."""
        count, (u, v, a) = len(self.u), (self.u, self.v, self.a)
        points = [0.0] * (count + 1)
        payer, left = 0, 1.0
        for k in range(1, count + 1):
            if payer < k - 1:
                payer, left = k - 1, 1.0
            share = left if payer == k - 1 else 0.0
            if payer == k - 1:
                payer, left = k, 1.0
            debt = total = share * v[k - 1] * MORE
            while debt > 0.0 and payer < count and payer - k < len(self.grow):
                excess = (
                    (u[payer] + a[payer] * (1 - self.shrink[payer - k] * MORE * MORE)) * LESS if payer > k else u[payer]
                )
                if excess <= 0.0:
                    payer, left = payer + 1, 1.0
                    continue
                need = debt / excess * MORE
                taken = min(need, left)
                points[k] += taken * a[payer] * self.shrink[payer - k]
                if need < left:
                    debt, left = 0.0, (left - taken) * LESS
                else:
                    debt = max(0.0, debt - taken * excess * LESS) * MORE
                    payer, left = payer + 1, 1.0
            unpaid = min(1.0, debt / total * MORE) if total > 0.0 else 0.0
            points[k] += share * (1 - unpaid) * LESS * a[k - 1] * self.grow[1]
            points[k - 1] += share * unpaid * LESS * a[k - 1]
        return points

    def downwards(self) -> list[float]:
        """Every cell is sent down; its excess carries cells below up to the same point. Waste is at the bottom only."""
        count, (u, v, a) = len(self.u), (self.u, self.v, self.a)
        points = [0.0] * (count + 1)
        taker, left = count - 1, 1.0
        for k in range(count - 1, -1, -1):
            if taker > k:
                taker, left = k, 1.0
            share = left if taker == k else 0.0
            if taker == k:
                taker, left = k - 1, 1.0
            points[k] += share * a[k]
            credit = share * u[k] * LESS
            while credit > 0.0 and taker >= 0 and k - taker < len(self.grow):
                deficit = v[taker]
                if k - taker > 1:
                    deficit += self.a_upper[taker] * (self.grow[k - taker] * MORE * MORE - self.grow[1]) * MORE
                bearable = credit / deficit * LESS if deficit > 0.0 else left
                taken = min(bearable, left)
                points[k] += taken * a[taker] * self.grow[k - taker]
                if bearable < left:
                    credit, left = 0.0, (left - taken) * LESS
                else:
                    credit = (credit - taken * deficit * MORE) * LESS
                    taker, left = taker - 1, 1.0
        return points
