"""The mechanisms by their definitions, in the plainest way: no symmetry, no closed form, no shortcut.

n records, k categories, prior alpha; data sets are histograms; adjacent: one unit moved from one cell to another.
H(c,d) = sqrt(1 - BC), BC = prod_i Gamma(alpha_i + (c_i+d_i)/2) / sqrt(Gamma(alpha_i + c_i) Gamma(alpha_i + d_i)).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import comb

from dpaudit.evidence.verifier.interval import (
    Interval,
    Undecided,
    largest,
    log_gamma,
    log_rational,
    pi,
    rational,
    total,
)

Sum = dict[Fraction, Fraction]
"""{a: c} is the exact number sum of c e^a. It is 0 only if all c are (Lindemann-Weierstrass)."""
ONE: Sum = {Fraction(0): Fraction(1)}


def times(a: Sum, b: Sum, factor: int = 1) -> Sum:
    """Returns factor a b, exactly."""
    found: Sum = {}
    for s, c in a.items():
        for t, d in b.items():
            found[s + t] = found.get(s + t, Fraction(0)) + factor * c * d
    return {exponent: c for exponent, c in found.items() if c}


def plus(a: Sum, b: Sum) -> Sum:
    """Returns a + b, exactly."""
    found = {exponent: a.get(exponent, Fraction(0)) + b.get(exponent, Fraction(0)) for exponent in a | b}
    return {exponent: c for exponent, c in found.items() if c}


def log_sum(terms: Sum, bits: int) -> Interval:
    """Returns ln of a positive sum of exponentials; the largest is taken out, so that tiny sums stay accurate."""
    top = max(terms)
    if len(terms) == 1:
        return log_rational(terms[top], bits) + rational(top, bits)
    parts = [rational(c, bits) * rational(a - top, bits).exp() for a, c in terms.items()]
    return total(parts, bits).log() + rational(top, bits)


@dataclass(frozen=True)
class Probability:
    """ln p, None if p = 0; and p exactly, as a quotient of sums of exponentials, where that is possible."""

    log: Interval | None
    exact: tuple[Sum, Sum] | None = None

    def value(self, bits: int) -> Interval:
        """Returns p."""
        return Interval(0, 0, bits) if self.log is None else self.log.exp()


def of_exact(top: Sum, bottom: Sum, bits: int) -> Probability:
    """Returns the probability top / bottom."""
    return Probability(log_sum(top, bits) - log_sum(bottom, bits) if top else None, (top, bottom))


def compare(p: Probability, q: Probability, loss: Fraction, bits: int) -> int:
    """Returns the sign of ln p - ln q - loss, p and q > 0; equality is recognised where both are known exactly."""
    if p.log is None or q.log is None:
        raise Undecided
    sign = (p.log - q.log - rational(loss, bits)).sign()
    if sign is None and p.exact and q.exact:
        left = times(p.exact[0], q.exact[1])
        if not plus(left, times(times(q.exact[0], p.exact[1], -1), {loss: Fraction(1)})):
            return 0
    if sign is None:
        raise Undecided
    return sign


Cells = tuple[int, ...]


def histograms(n: int, k: int) -> Iterator[Cells]:
    """Yields all histograms of n records in k cells."""
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        for rest in histograms(n - first, k - 1):
            yield (first, *rest)


def adjacent(c: Cells) -> Iterator[Cells]:
    """Yields the histograms in which one record is replaced."""
    for i, j in product(range(len(c)), repeat=2):
        if i != j and c[i]:
            yield tuple(v - (m == i) + (m == j) for m, v in enumerate(c))


class Law(ABC):
    """The distributions of one mechanism in intervals of so many bits."""

    bits: int

    @abstractmethod
    def datasets(self) -> list[object]:
        """Returns all data sets."""

    @abstractmethod
    def neighbours(self, x: object) -> list[object]:
        """Returns all data sets adjacent to x."""

    @abstractmethod
    def outputs(self) -> list[object]:
        """Returns all outputs."""

    @abstractmethod
    def row(self, x: object) -> list[Probability]:
        """Returns the distribution of x in the order of the outputs."""

    def at(self, x: object, output: object) -> Probability:
        """Returns P_x(output)."""
        return self.row(x)[self.outputs().index(output)]

    @abstractmethod
    def work(self, full: bool) -> int:
        """Returns about how many functions have to be evaluated for the witness, or for everything."""


@dataclass
class FamilyLaw(Law):
    """What the eight mechanisms share."""

    mechanism: str
    n: int
    prior: tuple[Fraction, ...]
    epsilon: Fraction
    parameters: dict[str, Fraction | str]
    bits: int
    every_pair: bool = False

    def __post_init__(self) -> None:
        self.k = len(self.prior)
        self.size = comb(self.n + self.k - 1, self.k - 1)
        self._rows: dict[Cells, list[Probability]] = {}

    def datasets(self) -> list[object]:
        """Returns the histograms."""
        return list(histograms(self.n, self.k))

    def neighbours(self, x: Cells) -> list[object]:  # type: ignore[override]
        """Returns the histograms at Hamming distance 1, or all others where every pair is adjacent."""
        return [y for y in self.datasets() if y != x] if self.every_pair else list(adjacent(x))

    def number(self, name: str) -> Fraction:
        """Returns a parameter that is a number."""
        return Fraction(self.parameters[name])


class LaplaceLaw(FamilyLaw):
    """Cells floor(c_i + Lap(s/epsilon)) clipped into [0, n]; everything is a sum of exponentials, exactly."""

    @property
    def noised(self) -> int:
        """Returns how many cells are noised: all for LSZhang, all but the last for the others."""
        return self.k if self.mechanism == "LSZhang" else self.k - 1

    @property
    def scale(self) -> int:
        """Returns s."""
        return {"LSZhang": 2, "LSDim": self.k, "LSHist": 1 if self.k == 2 else 2}[self.mechanism]

    def outputs(self) -> list[object]:
        """Returns all vectors of noised cells."""
        return list(product(range(self.n + 1), repeat=self.noised))

    def below(self, t: int) -> Sum:
        """Returns Pr[Lap(s/epsilon) < t] for a whole t: e^(-epsilon |t| / s) / 2 for t < 0, else 1 minus that."""
        tail = {-self.epsilon * abs(t) / self.scale: Fraction(1, 2)}
        return tail if t < 0 else plus(ONE, times(tail, ONE, -1))

    def cell(self, c: int, o: int) -> Sum:
        """Returns Pr[clipped floor(c + noise) = o]: the noise lies in [o - c, o + 1 - c), the tails at the ends."""
        upper = ONE if o == self.n else self.below(o + 1 - c)
        return upper if o == 0 else plus(upper, times(self.below(o - c), ONE, -1))

    def at(self, x: Cells, output: Cells) -> Probability:  # type: ignore[override]
        """Returns the product over the noised cells."""
        found = ONE
        for c, o in zip(x, output, strict=False):
            found = times(found, self.cell(c, o))
        return of_exact(found, ONE, self.bits)

    def row(self, x: Cells) -> list[Probability]:  # type: ignore[override]
        """Returns the distribution of x."""
        if x not in self._rows:
            self._rows[x] = [self.at(x, output) for output in self.outputs()]  # type: ignore[arg-type]
        return self._rows[x]

    def work(self, full: bool) -> int:
        """Returns a handful of exponentials for each probability; for the witness two probabilities."""
        rows = self.size if full else 0
        return 4 * self.noised * (rows * int((self.n + 1) ** self.noised) + 2)


class ExponentialLaw(FamilyLaw):
    """P_x(r) proportional to exp(-epsilon H(x,r) / divisor(x)) over the histograms r."""

    def outputs(self) -> list[object]:
        """Returns the histograms."""
        return self._histograms

    @cached_property
    def _histograms(self) -> list[object]:
        return self.datasets()

    @cached_property
    def _log_gammas(self) -> dict[Fraction, list[Interval]]:
        """ln Gamma(alpha + m/2), m = 0..2n, by Gamma(z + 1) = z Gamma(z)."""
        tables = {}
        for alpha in set(self.prior):
            table = [log_gamma(alpha, self.bits), log_gamma(alpha + Fraction(1, 2), self.bits)]
            for m in range(2, 2 * self.n + 1):
                table.append(table[m - 2] + rational(alpha + Fraction(m - 2, 2), self.bits).log())
            tables[alpha] = table
        return tables

    def distance(self, c: Cells, d: Cells) -> Interval:
        """Returns H(c, d)."""
        if c == d:
            return Interval(0, 0, self.bits)
        half = rational(Fraction(1, 2), self.bits)
        log_bc = Interval(0, 0, self.bits)
        for alpha, i, j in zip(self.prior, c, d, strict=True):
            table = self._log_gammas[alpha]
            log_bc = log_bc + table[i + j] - half * (table[2 * i] + table[2 * j])
        return (rational(1, self.bits) - log_bc.exp()).sqrt()

    def local(self, c: Cells) -> Interval:
        """Returns LS(c), the largest distance to a neighbour."""
        return largest([self.distance(c, d) for d in adjacent(c)])

    @cached_property
    def _locals(self) -> list[tuple[Cells, Interval]]:
        return [(c, self.local(c)) for c in histograms(self.n, self.k)]

    def smooth(self, c: Cells, gamma: Fraction) -> Interval:
        """Returns S(c) = max over d of 1 / (1/LS(d) + gamma |c - d|_1 / 2)."""
        one, found = rational(1, self.bits), []
        for d, ls in self._locals:
            steps = Fraction(sum(abs(i - j) for i, j in zip(c, d, strict=True)), 2)
            found.append(one / (one / ls + rational(gamma * steps, self.bits)))
        return largest(found)

    def exp_smooth(self, c: Cells) -> Interval:
        """Returns S_exp(c) = max over d of LS(d) exp(-gamma |c - d|_1 / 2).

        gamma = ln(1 - epsilon / (2 ln(delta / (2(n+1))))).
        """
        tail = rational(self.number("delta") / (2 * (self.n + 1)), self.bits).log()
        gamma = (rational(1, self.bits) - rational(self.epsilon / 2, self.bits) / tail).log()
        found = []
        for d, ls in self._locals:
            steps = sum(abs(i - j) for i, j in zip(c, d, strict=True)) // 2
            found.append(ls * (-gamma * rational(steps, self.bits)).exp())
        return largest(found)

    def divisor(self, c: Cells) -> Interval:
        """Returns 2 GS, 2 LS(c), 2 (1+gamma) S(c), 2 S(c) or 2 S_exp(c), by the mechanism's definition."""
        if self.mechanism == "EHD" and self.parameters["gs"] == "constant":
            found = (rational(1, self.bits) - pi(self.bits) / rational(4, self.bits)).sqrt()
        elif self.mechanism == "EHD":
            found = largest([ls for _, ls in self._locals])
        elif self.mechanism == "EHDL":
            found = self.local(c)
        elif self.mechanism == "MHdelta":
            found = self.exp_smooth(c)
        else:
            gamma = self.number("gamma")
            factor = 1 + gamma if self.mechanism == "EHDS" else Fraction(1)
            found = rational(factor, self.bits) * self.smooth(c, gamma)
        return rational(2, self.bits) * found

    def row(self, x: Cells) -> list[Probability]:  # type: ignore[override]
        """Returns the distribution of x, normalised."""
        if x not in self._rows:
            rate = rational(self.epsilon, self.bits) / self.divisor(x)
            logs = [-(rate * self.distance(x, r)) for r in self._histograms]  # type: ignore[arg-type]
            normaliser = total([w.exp() for w in logs], self.bits).log()
            self._rows[x] = [Probability(w - normaliser) for w in logs]
        return self._rows[x]

    def work(self, full: bool) -> int:
        """Returns two exponentials for each probability, and the local sensitivities where they are needed."""
        rows = self.size if full else 2
        everywhere = self.mechanism in ("EHDS", "MH", "MHdelta") or self.parameters.get("gs") == "exact"
        sensitivities = (self.size if everywhere else rows) * self.k**2 + rows * self.size
        return 2 * rows * self.size + sensitivities + 4 * self.n * self.k


FAMILY: dict[str, tuple[type[FamilyLaw], tuple[str, ...]]] = {
    "LSZhang": (LaplaceLaw, ()),
    "LSDim": (LaplaceLaw, ()),
    "LSHist": (LaplaceLaw, ()),
    "EHDS": (ExponentialLaw, ("gamma",)),
    "MH": (ExponentialLaw, ("gamma",)),
    "EHD": (ExponentialLaw, ("gs",)),
    "EHDL": (ExponentialLaw, ()),
    "MHdelta": (ExponentialLaw, ("delta",)),
}
"""The class and the parameters of each mechanism."""
