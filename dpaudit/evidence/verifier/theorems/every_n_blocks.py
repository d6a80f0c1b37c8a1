"""Blocks of n for the theorem on every n: rows of one end of the data sets, for all n from a first to a last one.

When a method here returns, its interval contains the value for every n of the block. k = 2, prior (a, b); seen from an
end a data set is the count x of the cell with prior a, the other cell holds n - x. BC = u_a(x,r) u_b(n-x,n-r), u_c(s,t)
= Gamma(c+(s+t)/2) / sqrt(Gamma(c+s) Gamma(c+t)); the second factor rises to 1 with n, as psi is concave: H falls with
n, and its values at both ends of a block of n bound it there. H grows with |x - r|. c_i = H(i,i+1) falls while 2i <=
n+b-a-2, then rises: LS(0) = c_0, LS(x) = c_(x-1) for 2x <= n+b-a. Beyond the reach R the n - R outputs have H(x,R+1) <=
H <= 1, and Z_x / Z_y is a Moebius function of n: its values at both ends of the block bound it.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from typing import Any

from ..arithmetic import Interval, hull, larger, rational, total
from ..special import digammas, largest, log_gamma


class Block:
    """The rows of one end for every n from the first to the last of ``ends``, where None is infinity."""

    def __init__(
        self, law: Any, side: tuple[Fraction, Fraction], ends: list[int | None], top: int, reach: int | None = None
    ) -> None:
        self.law, self.side, self.ends, self.bits = law, side, list(dict.fromkeys(ends)), law.bits
        first, a = ends[0], side[0]
        most = top + 10**5 if first is None else first - 2
        goal = law.bits - 92
        enough = (r for r in range(top + 2, most) if (r - top) ** 2 >= goal * (8 * a + 4 * (top + r)))
        self.reach, self.one = next(enough, most) if reach is None else reach, rational(1, law.bits)
        self.tables = [self._table(a, 1), *(self._table(side[1] + n, -1) for n in self.ends if n is not None)]
        self.rates: list[Interval] = []
        self._rows: dict[int, tuple[list[Interval], Interval]] = {}

    def _table(self, z: Fraction, way: int) -> tuple[list[Interval], list[Interval]]:
        """g[m] = Gamma(z +- m/2) / Gamma(z), m = 0..2R+2, by Gamma(z + 1) = z Gamma(z); and 1 / sqrt(g[2i])."""
        wide = self.bits + 32 + z.numerator.bit_length()
        half, full = (log_gamma(rational(v, wide), wide) for v in (z + Fraction(way, 2), z))
        g = [self.one, (half - full).exp().at(self.bits)]
        for m in range(2, 2 * self.reach + 3):
            g.append(g[-2] * (z + Fraction(m, 2) - 1) if way > 0 else g[-2] / (z - Fraction(m, 2)))
        return g, [1 / v.sqrt() for v in g[::2]]

    def distance(self, x: int, r: int) -> Interval:
        """H(x, r)."""
        if x == r:
            return self.one - self.one
        near, *far = (g[x + r] * root[x] * root[r] for g, root in self.tables)
        limit = [near] if None in self.ends else []
        return reduce(hull, ((1 - bc).sqrt() for bc in [*limit, *(near * u for u in far)]))

    def row(self, x: int) -> tuple[list[Interval], Interval]:
        """The exponents of the outputs up to the reach, and what those beyond have."""
        if x not in self._rows:
            *near, last = (self.distance(x, r) for r in range(self.reach + 2))
            self._rows[x] = [self.rates[x] * h for h in near], self.rates[x] * hull(last, self.one)
        return self._rows[x]

    def log_ratio(self, x: int, y: int) -> Interval:
        """ln Z_x - ln Z_y."""
        (p, far_p), (q, far_q) = self.row(x), self.row(y)
        sums = [total(((-a).exp() for a in row), self.bits) for row in (p, q)]
        fars, found = [(-far).exp() for far in (far_p, far_q)], []
        for n in self.ends:
            if n is None:
                found.append(far_q - far_p)
            else:
                z = [near + far * (n - self.reach) for near, far in zip(sums, fars, strict=True)]
                found.append((z[0] / z[1]).log())
        return reduce(hull, found)

    def losses(self, x: int, y: int) -> list[Interval]:
        """The losses of x against y at every output."""
        (p, far_p), (q, far_q), gap = self.row(x), self.row(y), self.log_ratio(y, x)
        return [b - a + gap for a, b in zip([*p, far_p], [*q, far_q], strict=True)]

    def uppers(self, x: int, every_epsilon: bool) -> list[Interval]:
        """Numbers of which the largest bounds the losses of x and x+1, or these at every epsilon, over it."""
        if not every_epsilon:
            return [v for loss in self.losses(x, x + 1) for v in (loss, -loss)]
        (p, far_p), (q, far_q) = self.row(x), self.row(x + 1)
        rows = [*p, far_p], [*q, far_q]
        return matched(*rows, 1) + matched(*rows[::-1], 1)


class Sloped:
    """A block of n with two ends, by its centre and a slope: second order in its length.

    Let the far outputs of an n keep their place h, and n be real: the loss is then a Lipschitz function whose value at
    that n is the true one. It differs from the one at the centre by at most the largest slope times the distance.
    d ln BC / dn = g = psi(b+n-(x+r)/2) - psi(b+n-x)/2 - psi(b+n-r)/2 >= 0 falls with n, as psi' is convex: both ends
    bound it; dH/dn = -BC g / (2H). The rate is a minimum of smooth functions: its slope is one of theirs. Z is the
    near part plus (n - R) e^(-rate h), so dZ/dn = -sum A' e^(-A) - (n - R) rate' h e^(-rate h) + e^(-rate h).
    """

    def __init__(self, block: Block, centre: Block | None = None, half: int = 0) -> None:
        self.block, self.bits, self.reach = block, block.bits, block.reach
        self.centre, self.half = centre or block, half
        bottoms = [block.side[1] + n - self.reach - 1 for n in block.ends if n is not None]
        self._psi = [digammas(z, self.reach + 2, self.bits) for z in bottoms]
        self.slopes: list[Interval] = []
        self._rows: dict[int, Any] = {}

    def _digamma(self, end: int, m: int) -> Interval:
        """psi(b + n - m/2) less a constant: m/2 below the reach's R + 1 steps up."""
        even, odd = self._psi[end]
        return odd[self.reach + 1 - (m + 1) // 2] if m % 2 else even[self.reach + 1 - m // 2]

    def distance(self, x: int, r: int) -> Interval:
        """dH(x, r)/dn."""
        h = self.block.distance(x, r)
        if x == r:
            return h
        grows = [
            self._digamma(i, x + r) - (self._digamma(i, 2 * x) + self._digamma(i, 2 * r)) / 2
            for i in range(len(self._psi))
        ]
        return -((1 - h * h) * reduce(hull, grows) / (2 * h))

    def inverse(self, i: int) -> Interval:
        """d(1/c_i)/dn."""
        c = self.block.distance(i, i + 1)
        return -(self.distance(i, i + 1) / (c * c))

    def _row(self, x: int) -> Any:
        """At the centre the exponents and ln Z, and the slopes of both over the block."""
        if x not in self._rows:
            block, slope, rate = self.block, self.slopes[x], self.block.rates[x]
            near = [block.distance(x, r) for r in range(self.reach + 1)]
            h = hull(block.distance(x, self.reach + 1), block.one)
            turns = [slope * v + rate * self.distance(x, r) for r, v in enumerate(near)]
            many = reduce(hull, (rational(n - self.reach, self.bits) for n in block.ends if n is not None))
            weights, far = [(-(rate * v)).exp() for v in near], (-(rate * h)).exp()
            moved = total((t * w for t, w in zip(turns, weights, strict=True)), self.bits)
            down, mass = moved + many * slope * h * far - far, total(weights, self.bits) + many * far
            (here, _), own, (middle,) = self.centre.row(x), self.centre.rates[x] * h, self.centre.ends
            log = total(((-v).exp() for v in here), self.bits) + (-own).exp() * ((middle or 0) - self.reach)
            self._rows[x] = [*here, own], log.log(), [*turns, slope * h], -(down / mass)
        return self._rows[x]

    def uppers(self, x: int) -> list[Interval]:
        """Numbers of which the largest bounds the losses of x and x+1."""
        (p, z, dp, dz), (q, y, dq, dy) = self._row(x), self._row(x + 1)
        found = []
        for a, b, da, db in zip(p, q, dp, dq, strict=True):
            loss, slope = b - a + y - z, db - da + dy - dz
            reach = larger(slope, -slope) * self.half
            found += [loss + reach, reach - loss]
        return found


def matched(p: list[Interval], q: list[Interval], far: int) -> list[Interval]:
    """q - p plus the largest p_i - q_s(i), s the order of size but for the last ``far`` entries.

    At every epsilon ln Z_y - ln Z_x is at most e times the largest A(x,i) - A(y,s(i)) for any bijection s: the order of
    size is a good one, and need not be right.
    """
    near = len(p) - far
    orders = [sorted(range(near), key=lambda i, row=row: row[i].ends()[0]) for row in (p, q)]  # type: ignore[misc]
    pairs = [*zip(*orders, strict=True), *((i, i) for i in range(near, len(p)))]
    fall = largest(p[i] - q[j] for i, j in pairs)
    return [b - a + fall for a, b in zip(p, q, strict=True)]
