"""δ(ε) of MHdelta with more records than can be listed, from below: outputs near one end, one ball for the rest.

The data sets are (x, n − x), x small. H(x, r) grows with r, so the n − R outputs beyond R have H(x,R+1) ≤ H ≤ 1 and the
normaliser is a ball; the terms of δ(ε) at the outputs up to R are a lower bound of it. S_exp(x) is the largest
LS(x″)·e^(−γ|x−x″|) over x″ ≤ M: beyond M it is at most e^(−γ(M−x)), as LS ≤ 1, which must be below LS(x).
"""

from __future__ import annotations

from dpaudit.forall.every_n_distances import Block, Distances
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball

REACH = 600
"""R and M: the outputs and data sets that are examined one by one."""


class Rows:
    """The rows of the mechanism near the end x = 0, at the precision in force."""

    def __init__(self, mechanism: MHdelta) -> None:
        self.n, self._gamma = mechanism.model.n, mechanism.gamma()
        self._half = ball(mechanism.epsilon / 2)
        first, second = mechanism.model.prior
        self._h = Distances(first, second, Block(self.n, self.n), REACH + 1)
        steps = self._h.steps(REACH + 1)
        self._ls = [balls.maximum(steps[max(0, x - 1) : x + 1]) for x in range(REACH + 1)]

    def smooth(self, x: int) -> Ball:
        """A ball that contains S_exp(x)."""
        fading = [value * (-self._gamma * abs(x - c)).exp() for c, value in enumerate(self._ls)]
        if not balls.certainly_less((-self._gamma * (REACH - x)).exp(), self._ls[x]):
            raise balls.PrecisionExhausted(balls.working_bits())
        return balls.maximum(fading)

    def logs(self, x: int) -> list[Ball]:
        """Balls that contain ln P_x(r), r = 0..R."""
        rate, (*near, last) = self._half / self.smooth(x), self._h.row(x)
        exponents = [rate * h for h in near]
        far = (-rate * balls.from_ends(last, ball(1))).exp() * (self.n - REACH)
        log = (balls.total([(-v).exp() for v in exponents]) + far).log()
        return [-v - log for v in exponents]


def delta_near(mechanism: MHdelta, x: int, y: int) -> Ball:
    """A ball that contains a lower bound of δ(ε): the sum of max(0, P_x − e^ε·P_y) over the outputs up to R."""
    rows = Rows(mechanism)
    p, q, factor = rows.logs(x), rows.logs(y), ball(mechanism.epsilon).exp()
    return balls.total([balls.excess(a.exp(), b.exp(), factor) for a, b in zip(p, q, strict=True)])
