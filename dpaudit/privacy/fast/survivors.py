"""The pairs that the floats left, in balls: at k = 2 the far outputs are one ball, counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.fast.law import EndLaw, HellingerLaw
from dpaudit.privacy.fast.refusal import TooCoarse
from dpaudit.privacy.protocols import Dataset, Output


class Cell(NamedTuple):
    """``number`` outputs, ``output`` among them: balls that contain ln P_x and ln P_y at each of them."""

    log_p: Ball
    log_q: Ball
    output: Output
    number: int


def full_cells(law: HellingerLaw, x: Dataset, y: Dataset) -> list[Cell]:
    """Every output by itself."""
    rows = zip(law.law.log_probabilities(x), law.law.log_probabilities(y), law.model.histograms, strict=True)
    return [Cell(p, q, r, 1) for p, q, r in rows]


def band_cells(law: HellingerLaw | EndLaw, x: Histogram, y: Histogram) -> list[Cell]:
    """The outputs near x and y one by one, the others as one cell.

    Beyond the window BC(x, r) is at most its value at the nearest output outside (L grows away from x), so
    sqrt(1 - that) <= H(x, r) <= 1 there. How wide the window is changes the radius and never the truth.
    """
    n = law.model.n
    start, stop = _window(law, x, y)
    window = [(c, n - c) for c in range(start, stop)]
    edges = [(c, n - c) for c in (start - 1, stop) if 0 <= c <= n]
    far = n + 1 - len(window)
    log_p, log_q = (_logs(law, z, window, edges, far) for z in (x, y))
    cells = [Cell(p, q, r, 1) for p, q, r in zip(log_p, log_q, window, strict=False)]
    if far:
        cells.append(Cell(log_p[-1], log_q[-1], (0, n) if start else (n, 0), far))
    return cells


def _logs(
    law: HellingerLaw | EndLaw, x: Histogram, window: Sequence[Histogram], edges: Sequence[Histogram], far: int
) -> list[Ball]:
    """Balls that contain ln P_x on the window, and last, if there are far outputs, one for all of those."""
    rate = -law.rate(x)
    logs = [rate * law.h.between(x, r) for r in window]
    weights = [w.exp() for w in logs]
    if far:
        bound = balls.maximum([law.h.bc(x, r) for r in edges])
        one = balls.ball(1)
        logs.append(rate * balls.from_ends((1 - bound).sqrt(), one))
        weights.append(far * logs[-1].exp())
    log_z = balls.total(weights).log()
    return [w - log_z for w in logs]


def negligible() -> Ball:
    """A BC that is nothing beside 1 at the precision in force: 2^-100, 2^-200, ..."""
    return balls.dyadic(2.0**-100) ** (balls.working_bits() // 100 + 1)


def _window(law: HellingerLaw | EndLaw, x: Histogram, y: Histogram) -> tuple[int, int]:
    """Start and stop such that BC is about 2^-bits or less outside, for both x and y."""
    n, small = law.model.n, negligible()

    def near(z: Histogram, c: int) -> bool:
        return not balls.certainly_less(law.h.bc(z, (c, n - c)), small)

    low, high = sorted((x, y))
    last = _edge(high[0], law.reach + 1, lambda c: near(high, c))
    if last == law.reach < n:
        raise TooCoarse("the tables of the end are too short")
    return _edge(low[0], -1, lambda c: near(low, c)), last + 1


def _edge(inside: int, outside: int, near: Callable[[int], bool]) -> int:
    """The last place that is near, on the way from ``inside`` to ``outside`` (excluded)."""
    while abs(outside - inside) > 1:
        middle = (inside + outside) // 2
        if near(middle):
            inside = middle
        else:
            outside = middle
    return inside
