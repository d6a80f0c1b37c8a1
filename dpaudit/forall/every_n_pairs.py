"""The losses of one pair x, x+1 near an end, for every n of a block (EVERY_N.md, section 3)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from dpaudit.forall.every_epsilon_rows import Row
from dpaudit.forall.every_n_distances import Block, Distances
from dpaudit.forall.every_n_rates import Family, Prior
from dpaudit.forall.every_n_sums import BySums, by_sums
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball


@dataclass(frozen=True)
class Peak:
    """The largest loss of an ordered pair lies in ``value``; it may be at output ``output`` (None: a far one)."""

    value: Ball
    x: int
    x_prime: int
    output: int | None


class Sums:
    """Z_x of one row, for n outputs of which those up to the reach are known: near + (n - reach) far."""

    def __init__(self, exponents: list[Ball], far: Ball) -> None:
        self.exponents, self.far = exponents, far

    @cached_property
    def near(self) -> Ball:
        """A ball that contains the sum over the outputs up to the reach."""
        return balls.total([(-v).exp() for v in self.exponents])

    def total(self, others: int) -> Ball:
        """A ball that contains Z with this number of far outputs."""
        return self.near + others * (-self.far).exp()


class Pairs:
    """The rows of one end over one block; every ball holds for every n of the block."""

    def __init__(self, family: Family, side: Prior, block: Block, reach: int, count: int) -> None:
        self.distances = Distances(*side, block, reach + 1)
        self.block, self.reach = block, reach
        self._rates = family.rates(self.distances, count)
        self._rows: dict[int, Sums] = {}

    def _row(self, x: int) -> Sums:
        if x not in self._rows:
            rate, row = self._rates[x], self.distances.row(x)
            far = balls.from_ends(row.pop(), balls.ball(1))
            self._rows[x] = Sums([rate * h for h in row], rate * far)
        return self._rows[x]

    def log_ratio(self, x: int, y: int) -> Ball:
        """A ball that contains ln Z_x - ln Z_y for every n: a Moebius function of n, so its ends bound it."""
        p, q = self._row(x), self._row(y)
        found = [
            q.far - p.far if n is None else (p.total(n - self.reach) / q.total(n - self.reach)).log()
            for n in self.block.ends
        ]
        return found[0] if len(found) == 1 else balls.from_ends(*found)

    def peaks(self, x: int) -> list[Peak]:
        """The largest losses of x against x+1, and of x+1 against x."""
        p, q, gap = self._row(x), self._row(x + 1), self.log_ratio(x + 1, x)
        differences = [b - a for a, b in zip(p.exponents, q.exponents, strict=True)]
        differences.append(q.far - p.far)
        there = [v + gap for v in differences]
        return [self._peak(there, x, x + 1), self._peak([-v for v in there], x + 1, x)]

    def upper(self, x: int) -> Fraction:
        """A bound of both losses at every output, for every n of the block."""
        return max(balls.ends(peak.value)[1] for peak in self.peaks(x))

    def upper_every_epsilon(self, x: int) -> Fraction:
        """A bound of the same losses that holds at every epsilon, in the proportion of e (section 6)."""
        p, q = self._row(x), self._row(x + 1)
        found = over_every_epsilon([*p.exponents, p.far], [*q.exponents, q.far])
        return balls.ends(found)[1]

    def by_sums(self, x: int, bar: Fraction) -> tuple[BySums, BySums]:
        """Such bounds of x against x+1 and of x+1 against x, by sums of outputs (section 6)."""
        p, q = self._row(x), self._row(x + 1)
        rows = Row(p.exponents, x), Row(q.exponents, x + 1)
        return by_sums(*rows, (p.far, q.far), bar), by_sums(*rows[::-1], (q.far, p.far), bar)

    def _peak(self, losses: list[Ball], x: int, y: int) -> Peak:
        r = balls.argsort(losses)[-1]
        return Peak(balls.maximum(losses), x, y, r if r <= self.reach else None)


def over_every_epsilon(p: list[Ball], q: list[Ball], far: bool = True) -> Ball:
    """A ball above the losses of two rows e^-p and e^-q, normalized, and of e^-tp, e^-tq over t, for all t > 0.

    ln Z_q - ln Z_p is at most the largest p_i - q_s(i) whatever the bijection s: both rows are sorted by size, except
    a last entry that represents the far outputs and is matched with itself.
    """
    near = len(p) - far
    order = zip(balls.argsort(p[:near]), balls.argsort(q[:near]), strict=True)
    matched = [q[j] - p[i] for i, j in order] + [b - a for a, b in zip(p[near:], q[near:], strict=True)]
    same = [b - a for a, b in zip(p, q, strict=True)]
    there = balls.maximum(same) - balls.minimum(matched)
    back = balls.maximum(matched) - balls.minimum(same)
    return balls.maximum([there, back])


def reach_for(side: Prior, x: int, tiny: Fraction, most: int) -> int:
    """A reach beyond which BC_infinity(x, r) is below ``tiny``; at most ``most``."""
    a = side[0]
    reach = x + 2
    target = -balls.ends(balls.ball(tiny).log())[0]
    while reach < most and (reach - x) ** 2 / (8 * a + 4 * (x + reach)) < target:
        reach += 1 + reach // 16
    return min(reach, most)
