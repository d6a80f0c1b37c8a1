"""Blocks of n for the theorem on every n: rows of one end of the data sets, for all n from a first to a last one.

When a method here returns, its interval contains the value for every n of the block. k = 2, prior (a, b); seen from an
end a data set is the count x of the cell with prior a, the other cell holds n - x. BC = u_a(x,r) u_b(n-x,n-r), u_c(s,t)
= Gamma(c+(s+t)/2) / sqrt(Gamma(c+s) Gamma(c+t)); the second factor rises to 1 with n, as psi is concave: H falls with
n, and its values at both ends of a block of n bound it there. H grows with |x - r|. c_i = H(i,i+1) falls while 2i <=
n+b-a-2, then rises: LS(0) = c_0, LS(x) = c_(x-1) for 2x <= n+b-a. Beyond the reach R the n - R outputs have H(x,R+1) <=
H <= 1, and Z_x / Z_y is a Moebius function of n: its values at both ends of the block bound it.

A block that is ``sloped`` has two ends, and is bounded by its centre and a slope: second order in its length. Let the
far outputs of an n keep their place h, and n be real: the loss is then a Lipschitz function whose value at that n is
the true one. d ln BC / dn = g = psi(b+n-(x+r)/2) - psi(b+n-x)/2 - psi(b+n-r)/2 >= 0 falls with n, as psi' is convex:
both ends bound it; dH/dn = -BC g / (2H).
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

from ..arithmetic import Interval, hull, rational, total
from ..special import digammas, largest, log_gamma, pi
from .every_epsilon import End, Exponents, matched, on_intervals
from .spread import Row, Spread, least


class Block:
    """The rows of one end for every n from the first to the last of ``ends``, where None is infinity."""

    def __init__(
        self, law: Any, side: int, ends: list[int | None], top: int, reach: int | None = None, sloped: bool = False
    ) -> None:
        self.law, self.side, self.ends, self.top = law, side, list(dict.fromkeys(ends)), top
        self.bits, self.one, self.sloped = law.bits, rational(1, law.bits), sloped
        a, b = self.prior = law.prior[:: -1 if side else 1]
        most = top + 10**5 if ends[0] is None else ends[0] - 2
        enough = (r for r in range(top + 2, most) if (r - top) ** 2 >= (self.bits - 92) * (8 * a + 4 * (top + r)))
        self.reach = next(enough, most) if reach is None else reach
        self.known = [n for n in self.ends if n is not None]
        self.tables = [self._table(a, 1), *(self._table(b + n, -1) for n in self.known)]
        self._rows: dict[int, Any] = {}

    def _table(self, z: Fraction, way: int) -> tuple[list[Interval], list[Interval]]:
        """g[m] = Gamma(z +- m/2) / Gamma(z), m = 0..2R+2, by Gamma(z + 1) = z Gamma(z); and 1 / sqrt(g[2i])."""
        wide = self.bits + 32 + z.numerator.bit_length()
        half, full = (log_gamma(rational(v, wide), wide) for v in (z + Fraction(way, 2), z))
        g = [self.one, (half - full).exp().at(self.bits)]
        for m in range(2, 2 * self.reach + 3):
            g.append(g[-2] * (z + Fraction(m, 2) - 1) if way > 0 else g[-2] / (z - Fraction(m, 2)))
        return g, [1 / v.sqrt() for v in g[::2]]

    @cached_property
    def _psi(self) -> list[Any]:
        return [digammas(self.prior[1] + n - self.reach - 1, self.reach + 2, self.bits) for n in self.known]

    def _digamma(self, end: int, m: int) -> Interval:
        """psi(b + n - m/2) less a constant: m/2 below the reach's R + 1 steps up."""
        even, odd = self._psi[end]
        found: Interval = (odd if m % 2 else even)[self.reach + 1 - (m + 1) // 2]
        return found

    def constant(self, value: Interval) -> Spread:
        """A number that does not depend on n."""
        return Spread(value, [self.one - self.one] * self.sloped)

    def distance(self, x: int, r: int) -> Spread:
        """H(x, r)."""
        if x == r:
            return self.constant(self.one - self.one)
        near, *far = (g[x + r] * root[x] * root[r] for g, root in self.tables)
        limit = [near] if None in self.ends else []
        h = reduce(hull, ((1 - bc).sqrt() for bc in [*limit, *(near * u for u in far)]))
        if not self.sloped:
            return Spread(h, [])
        psi = self._digamma
        grows = [psi(i, x + r) - (psi(i, 2 * x) + psi(i, 2 * r)) / 2 for i in range(len(self.known))]
        return Spread(h, [-((1 - h * h) * reduce(hull, grows) / (2 * h))])

    def step(self, i: int) -> Spread:
        """1 / c_i."""
        return self.distance(i, i + 1).inverse()

    @cached_property
    def longest(self) -> Spread:
        """1 / GS, where the mechanism has one rate: the longest step is the first one from either end."""
        if self.law.parameters["gs"] == "constant":
            return self.constant(1 / (1 - pi(self.bits) / 4).sqrt())
        sides = (Block(self.law, side, self.ends, 0, 1, self.sloped) for side in (0, 1))
        return least(block.step(0) for block in sides)

    @cached_property
    def rates(self) -> list[Spread]:
        """e / (2 Delta) of the rows up to top + 1; 1/S(x) = min(1/LS(x), 1/S(x-1) + gamma)."""
        law, gamma = self.law, self.law.parameters.get("gamma")
        if law.name == "EHD":
            found = [self.longest] * (self.top + 2)
        else:
            found = [self.step(max(x - 1, 0)) for x in range(self.top + 2)]
        for x in range(1, len(found) if gamma is not None else 0):
            found[x] = least([found[x], found[x - 1].plus(gamma)])
        half = law.epsilon / 2 / (1 + gamma if law.name == "EHDS" else 1)
        return [inverse.times(half) for inverse in found]

    def row(self, x: int) -> list[Interval]:
        """The exponents of the outputs up to the reach, and what those beyond have."""
        if x not in self._rows:
            *near, last = (self.distance(x, r).value for r in range(self.reach + 2))
            self._rows[x] = [self.rates[x].value * h for h in (*near, hull(last, self.one))]
        found: list[Interval] = self._rows[x]
        return found

    def log_ratio(self, x: int, y: int) -> Interval:
        """ln Z_x - ln Z_y."""
        rows, found = (self.row(x), self.row(y)), []
        sums = [total(((-a).exp() for a in row[:-1]), self.bits) for row in rows]
        for n in self.ends:
            if n is None:
                found.append(rows[1][-1] - rows[0][-1])
            else:
                z = [near + (-row[-1]).exp() * (n - self.reach) for near, row in zip(sums, rows, strict=True)]
                found.append((z[0] / z[1]).log())
        return reduce(hull, found)

    def losses(self, x: int, y: int) -> list[Interval]:
        """The losses of x against y at every output."""
        if self.sloped:
            return self._centred(x).losses(self._centred(y), self._halves)
        gap = self.log_ratio(y, x)
        return [b - a + gap for a, b in zip(self.row(x), self.row(y), strict=True)]

    @cached_property
    def centre(self) -> Block:
        """The n in the middle, with the same reach."""
        return Block(self.law, self.side, [sum(self.known) // 2], self.top, self.reach)

    @property
    def _halves(self) -> list[Fraction]:
        (one, last), (middle,) = self.known, self.centre.known
        return [Fraction(max(last - middle, middle - one))]

    def _centred(self, x: int) -> Row:
        """The row by its centre: the far outputs, n - R of them, are at a place h of the whole block."""
        if x not in self._rows:
            rate, own, outputs = self.rates[x], self.centre.rates[x].value, range(self.reach + 1)
            near = [(own * self.centre.distance(x, r).value, rate * self.distance(x, r)) for r in outputs]
            h = hull(self.distance(x, self.reach + 1).value, self.one)
            first, last, middle = (rational(n - self.reach, self.bits) for n in (*self.known, *self.centre.known))
            many = middle, Spread(hull(first, last), [self.one])
            self._rows[x] = Row([*near, (own * h, rate * self.constant(h))], self._halves, many)
        found: Row = self._rows[x]
        return found

    def uppers(self, x: int, every_epsilon: bool, cuts: list[list[End]] | None = None) -> list[Interval]:
        """Numbers of which the largest bounds the losses of x and x+1, or these at every epsilon, over it.

        With cuts: Z_y / Z_x is at most the larger of its quotients over the outputs up to the reach and beyond it.
        """
        if not every_epsilon:
            return [v for loss in self.losses(x, x + 1) for v in (loss, -loss)]
        p, q = self.row(x), self.row(x + 1)
        if cuts is None:
            return [matched(p, q, far=1), matched(q, p, far=1)]
        near, found = [Exponents(row[:-1], self.bits) for row in (p, q)], []
        for (one, other), (a, b), part in zip(((p, q), (q, p)), (near, near[::-1]), cuts, strict=True):
            top = largest(v - u for u, v in zip(one, other, strict=True))
            found += [top + one[-1] - other[-1], *(top + g for g in on_intervals(a, b, part))]
        return found
