"""The rates e / (2 Delta(x)) of the exponential mechanisms near one end, for a block of n (EVERY_N.md, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpaudit.forall.every_n_distances import LIMIT, Block, Distances
from dpaudit.forall.every_n_middle import middle_bound, rise
from dpaudit.mechanisms.base import Exponent
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.sensitivity import gs_constant

Prior = tuple[Fraction, Fraction]
DEPTHS = (24, 28, 32, 36, 40, 48, 56, 64, 80, 96, 128, 160, 192, 256, 384, 512, 768, 1024)
"""The M to try: the pairs x, x+1 with x < M are examined one by one, from either end."""


@dataclass(frozen=True)
class Family:
    """One mechanism at every n: the prior, e of its rates, and how 1/Delta comes from 1/LS.

    ``kind`` is "constant" or "exact" (EHD), "local" (EHDL) or "smooth" (EHDS, MH, with gamma).
    """

    prior: Prior
    numerator: Fraction
    kind: str
    gamma: Fraction | None = None

    @staticmethod
    def of(form: Exponent, prior: Prior) -> Family:
        """The family of all mechanisms of this form with this prior."""
        return Family(prior, form.e, form.kind, form.gamma)

    @property
    def flat(self) -> bool:
        """Whether Delta is the same for all data sets."""
        return self.kind in ("constant", "exact")

    def sides(self) -> list[Prior]:
        """(prior near, prior far) for the ends that differ: one if the priors are equal."""
        a, b = self.prior
        return [(a, b)] if a == b else [(a, b), (b, a)]

    def _flat_inverse(self, block: Block) -> Ball:
        """A ball that contains 1/GS for every n of the block."""
        if self.kind == "constant":
            return 1 / gs_constant()
        return 1 / balls.maximum([Distances(near, far, block, 1).between(0, 1) for near, far in self.sides()])

    def rates(self, distances: Distances, count: int) -> list[Ball]:
        """Balls that contain the rates of x = 0..count-1 seen from one end, for every n of the block."""
        half = ball(self.numerator / 2)
        if self.flat:
            return [half * self._flat_inverse(distances.block)] * count
        return [half * v for v in self.inverses(distances, count)]

    def inverses(self, distances: Distances, count: int) -> list[Ball]:
        """Balls that contain 1/Delta(x) for x < count: 1/c_0, 1/c_0, 1/c_1, ...; at most gamma for each step."""
        steps = [1 / c for c in distances.steps(max(1, count - 1))]
        inverses = [steps[0]]
        for x in range(1, count):
            here = steps[x - 1]
            inverses.append(here if self.gamma is None else balls.minimum([here, inverses[-1] + ball(self.gamma)]))
        return inverses

    def touches(self, m: int) -> bool:
        """Whether S = LS at x = M and from there on in the middle, for every n, seen from both ends."""
        if self.gamma is None:
            return True
        gamma = ball(self.gamma)
        for near, far in self.sides():
            steps = [1 / c for c in Distances(near, far, LIMIT, m + 1).steps(m)]
            ls = [steps[0], *steps]
            if not all(balls.certainly_at_most(ls[m] - ls[x], gamma * (m - x)) for x in range(m)):
                return False
            if not balls.certainly_at_most(rise(near + m - 1), gamma):
                return False
        return True

    def middle(self, m: int, first: int | None) -> Ball:
        """A bound of the losses of x, x+1 with M <= x <= n-1-M, for every n >= first; None: in the limit."""
        if self.flat:
            rate = ball(self.numerator / 2) * self._flat_inverse(LIMIT)
            block = Block(first, first)
            steps = [Distances(near, far, block, m + 1).between(m, m + 1) for near, far in self.sides()]
            return 2 * rate * balls.maximum(steps)
        rises = [balls.maximum([rise(alpha + m - 1) for alpha in self.prior])] if self.touches(m) else []
        if self.gamma is not None:
            rises.append(ball(self.gamma))
        return ball(self.numerator) * middle_bound(self.prior, m, balls.minimum(rises))

    def limit_form(self) -> Fraction | None:
        """The limit over the ends where algebra knows it: e/2 with GS(n, prior) (EVERY_N.md, section 3)."""
        return self.numerator / 2 if self.kind == "exact" else None

    def depths(self) -> list[int]:
        """The M that may be tried, in ascending order: section 4 asks for M >= 24 and M >= both priors."""
        return [m for m in DEPTHS if m >= max(self.prior)]

    def least_n(self, m: int) -> int:
        """An N from which on sections 2 to 4 hold with this M."""
        a, b = self.prior
        apart = abs(a - b)
        least = 2 * m + 4 + apart
        if self.gamma is not None and not self.touches(m):
            tops = [balls.ends(1 / Distances(*side, LIMIT, m + 2).between(m, m + 1))[1] for side in self.sides()]
            least += 2 * (max(tops) / self.gamma + 2)
        return int(least) + 1
