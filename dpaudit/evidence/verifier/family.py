"""The mechanisms of the documents by their definitions, without symmetry, closed form or shortcut.

n records, k categories, prior alpha; data sets are histograms; adjacent: one record replaced, or every pair.
H(c,d) = sqrt(1 - BC), BC = prod_i Gamma(alpha_i + (c_i+d_i)/2) / sqrt(Gamma(alpha_i + c_i) Gamma(alpha_i + d_i)).
When ``row`` returns, its numbers contain the probabilities P_x(r), in the order of the outputs; those of the Laplace
family, and of two data sets whose distance is the sensitivity, are known exactly as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property, reduce
from itertools import accumulate, product
from math import comb
from typing import Any

from .arithmetic import Interval, Malformed, rational, total
from .exact import ONE, ZERO, Number, Sum, exponential, sum_of
from .reading import are_counts, number, shape
from .special import largest, log_gamma, pi
from .subject import FAMILY, Subject

Cells = tuple[int, ...]


def histograms(n: int, k: int) -> Iterator[Cells]:
    """All histograms of n records in k cells, in lexicographic order."""
    if k == 1:
        yield (n,)
        return
    for first in range(n + 1):
        yield from ((first, *rest) for rest in histograms(n - first, k - 1))


def replaced(c: Cells) -> Iterator[Cells]:
    """The histograms in which one record is replaced."""
    for i, j in product(range(len(c)), repeat=2):
        if i != j and c[i]:
            yield tuple(v - (m == i) + (m == j) for m, v in enumerate(c))


Ratios = tuple[list[Interval], list[Interval]]
"""g[m], m = 0, 1, ..., and 1 / sqrt(g[2i])."""


def ratios(z: Fraction, way: int, most: int, bits: int) -> Ratios:
    """g[m] = Gamma(z + m/2) / Gamma(z), or with ``way`` -1 Gamma(z - m/2) / Gamma(z): Gamma(z + 1) = z Gamma(z)."""
    wide = bits + 32 + 2 * z.numerator.bit_length()
    half, full = (log_gamma(rational(v, wide), wide) for v in (z + Fraction(way, 2), z))
    g = [rational(1, bits), (half - full).exp().at(bits)]
    for m in range(2, most + 1):
        g.append(g[-2] * (z + Fraction(m, 2) - 1) if way > 0 else g[-2] / (z - Fraction(m, 2)))
    return g, [1 / v.sqrt() for v in g[::2]]


def affinity(table: Ratios, i: int, j: int) -> Interval:
    """The factor of one cell in BC, from counts i and j."""
    g, root = table
    return g[i + j] * root[i] * root[j]


class Family(Subject):
    """The part that the eight mechanisms share; ``bits`` is the precision of everything computed."""

    def __init__(self, subject: dict[str, Any], bits: int) -> None:
        kinds = {"mechanism": str, "n": int, "k": int, "prior": list, "parameters": dict, "nominal_epsilon": None}
        values = shape(subject, "the subject", {**kinds, "adjacency": None})
        self.name, self.n, self.k, prior, given, epsilon, adjacency = values
        self.subject, self.bits, names = subject, bits, FAMILY[self.name]
        if adjacency not in (None, {"kind": "all"}):
            raise Malformed("the adjacency is not known")
        if not 1 <= self.n <= 10**9 or not 2 <= len(prior) <= 1000 or self.k != len(prior):
            raise Malformed("n, k and prior do not fit, or are too large")
        if set(given) != set(names):
            needed = f"the parameters of {self.name} are not {', '.join(names)}"
            raise Malformed(needed if names else f"{self.name} has no parameters")
        self.prior = tuple(number(alpha, "prior", 100) for alpha in prior)
        self.epsilon = number(epsilon, "nominal_epsilon", 100)
        self.parameters = {p: given[p] if p == "gs" else number(given[p], p, 100) for p in names}
        numbers = [*self.prior, self.epsilon, *(v for v in self.parameters.values() if isinstance(v, Fraction))]
        right = self.parameters.get("gs", "exact") in ("exact", "constant") and self.parameters.get("delta", 0) < 1
        if min(numbers) <= 0 or not right:
            raise Malformed("prior, epsilon or a parameter is out of range")
        self.every_pair, self.size = adjacency is not None, comb(self.n + self.k - 1, self.k - 1)
        self._finer: dict[int, Family] = {}

    def counts(self) -> tuple[int, int, int]:
        """Pairs by replacement: a histogram of n - 1 records, with one more in cell i or in cell j."""
        k, size = self.k, self.size
        pairs = size * (size - 1) if self.every_pair else k * (k - 1) * comb(self.n + k - 2, k - 1)
        return size, int(pairs), self.count_outputs()

    def count_outputs(self) -> int:
        """The number of outputs."""
        return self.size

    def datasets(self) -> Iterable[Any]:
        """The histograms."""
        return histograms(self.n, self.k)

    def links(self, x: Any) -> Iterable[Any]:
        """One record replaced."""
        return replaced(x)

    def place(self, value: Any, name: str) -> Cells:
        """A histogram."""
        if not are_counts(value, self.k, self.n) or sum(value) != self.n:
            raise Malformed(f"{name} is not a list of {self.k} counts from 0 to n, no histogram of {self.n} records")
        return tuple(value)

    def row(self, x: Cells, bits: int) -> list[Number]:
        """The distribution of x, at this precision."""
        if bits not in self._finer:
            self._finer[bits] = type(self)(self.subject, bits)
        return self._finer[bits].make_row(x)

    def make_row(self, x: Cells) -> list[Number]:
        """The distribution of x."""
        raise NotImplementedError

    def says(self) -> tuple[dict[str, Any], str, str]:
        """Everything that the mechanism depends on."""
        members = {"kind": "family", "mechanism": self.name, "n": self.n, "k": self.k}
        members |= {"prior": ", ".join(map(str, self.prior)), "nominal_epsilon": str(self.epsilon)}
        members |= {name: str(value) for name, value in self.parameters.items()}
        words = ", ".join(f"{name.replace('_', ' ')} = {value}" for name, value in list(members.items())[2:])
        return members, f"{self.name} with {words}", "every pair" if self.every_pair else "one record replaced"


class Laplace(Family):
    """Cells floor(c_i + Lap(s/epsilon)) clipped into [0, n]; everything is a sum of exponentials, exactly."""

    @property
    def noised(self) -> int:
        """The number of cells with noise; the last one of LSDim and LSHist is the remainder."""
        return int(self.k if self.name == "LSZhang" else self.k - 1)

    def count_outputs(self) -> int:
        """Every noised cell takes n + 1 values."""
        return int((self.n + 1) ** self.noised)

    @property
    def scale(self) -> int:
        """s."""
        return int({"LSZhang": 2, "LSDim": self.k, "LSHist": 1 if self.k == 2 else 2}[self.name])

    def below(self, t: int, factor: int) -> list[Sum]:
        """factor Pr[Lap(s/epsilon) < t], t whole: e^(-epsilon |t| / s) / 2 for t < 0, else 1 minus that."""
        tail = {-self.epsilon * abs(t) / self.scale: Fraction(factor if t < 0 else -factor, 2)}
        return [tail] if t < 0 else [{ZERO: Fraction(factor)}, tail]

    def cell(self, c: int, o: int) -> Number:
        """Pr[clipped floor(c + noise) = o]: the noise lies in [o - c, o + 1 - c), the tails at the ends."""
        upper = [ONE] if o == self.n else self.below(o + 1 - c, 1)
        found = sum_of(upper + ([] if o == 0 else self.below(o - c, -1)))
        return Number(total((exponential(v, a, self.bits).value for a, v in found.items()), self.bits), (found, ONE))

    def make_row(self, x: Cells) -> list[Number]:
        """All products of one probability from each cell."""
        cells = [[self.cell(c, o) for o in range(self.n + 1)] for c in x[: self.noised]]
        return reduce(lambda found, cell: [a * b for a in found for b in cell], cells)

    def output(self, value: Any) -> int:
        """The position of the output; the last cell varies fastest."""
        if not are_counts(value, self.noised, self.n):
            raise Malformed(f"output is not a list of {self.noised} counts from 0 to n")
        return int(reduce(lambda found, o: found * (self.n + 1) + o, value, 0))


class Exponential(Family):
    """P_x(r) proportional to exp(-epsilon H(x,r) / divisor(x)) over the histograms r."""

    def output(self, value: Any) -> int:
        """An output is a histogram."""
        return list(self.datasets()).index(self.place(value, "output"))

    @cached_property
    def _gammas(self) -> dict[Fraction, Ratios]:
        return {alpha: ratios(alpha, 1, 2 * self.n, self.bits) for alpha in set(self.prior)}

    def hellinger(self, c: Any, d: Any) -> Interval:
        """H(c, d)."""
        found = rational(1, self.bits)
        for alpha, i, j in zip(self.prior, c, d, strict=True):
            if i != j:
                found = found * affinity(self._gammas[alpha], i, j)
        return (1 - found).sqrt()

    def steps(self, c: Any, d: Any) -> int:
        """The number of records to replace."""
        return int(sum(abs(i - j) for i, j in zip(c, d, strict=True)) // 2)

    def local(self, c: Any) -> Interval:
        """LS(c), the largest distance to a neighbor."""
        return largest(self.hellinger(c, d) for d in self.links(c))

    @cached_property
    def _locals(self) -> list[tuple[Any, Interval]]:
        return [(c, self.local(c)) for c in self.datasets()]

    @cached_property
    def widest(self) -> Interval:
        """GS, the largest LS."""
        return largest(ls for _, ls in self._locals)

    @cached_property
    def _fading(self) -> list[Interval]:
        """e^(-gamma m), m = 0..n, gamma = ln(1 - epsilon / (2 ln(delta / (2(n+1))))) of MHdelta."""
        tail = rational(self.parameters["delta"] / (2 * (self.n + 1)), self.bits).log()
        factor = 1 / (1 - self.epsilon / 2 / tail)
        return list(accumulate(range(self.n), lambda found, _: found * factor, initial=rational(1, self.bits)))

    def divisor(self, c: Any) -> Interval:
        """2 GS, 2 LS(c), 2 (1+gamma) S(c), 2 S(c) or 2 S_exp(c), by the mechanism's definition."""
        if self.name == "EHDL":
            found = self.local(c)
        elif self.name == "EHD" and self.parameters["gs"] == "constant":
            found = (1 - pi(self.bits) / 4).sqrt()
        elif self.name == "EHD":
            found = self.widest
        elif self.name == "MHdelta":  # S_exp(c) = max over d of LS(d) exp(-gamma |c - d|_1 / 2)
            found = largest(ls * self._fading[self.steps(c, d)] for d, ls in self._locals)
        else:  # S(c) = max over d of 1 / (1/LS(d) + gamma |c - d|_1 / 2)
            gamma = self.parameters["gamma"]
            found = largest(1 / (1 / ls + gamma * self.steps(c, d)) for d, ls in self._locals)
            found = found * (1 + gamma) if self.name == "EHDS" else found
        return 2 * found

    def half(self) -> Fraction | None:
        """The rate times H, where algebra knows it.

        With one record in two cells there is one distance H, so LS = GS = H, and S lies between them; and GS_0 is H for
        the prior (1, 1), as BC = Gamma(3/2)^2 = pi/4.
        """
        if self.size != 2 or (self.parameters.get("gs") == "constant" and set(self.prior) != {Fraction(1)}):
            return None
        return self.epsilon / 2 / (1 + self.parameters["gamma"] if self.name == "EHDS" else 1)

    def make_row(self, x: Cells) -> list[Number]:
        """The weights divided by their sum."""
        rate, half = self.epsilon / self.divisor(x), self.half()
        weights = [(-(rate * self.hellinger(x, r))).exp() for r in self.datasets()]
        everything = total(weights, self.bits)
        if half is None:
            return [Number(w / everything) for w in weights]
        forms: list[Sum] = [ONE if r == x else {-half: Fraction(1)} for r in self.datasets()]
        return [Number(w / everything, (f, sum_of(forms))) for w, f in zip(weights, forms, strict=True)]


def read_family(subject: Any, bits: int) -> Any:
    """The mechanism that the certificate names."""
    name = subject.get("mechanism") if isinstance(subject, dict) else None
    if not isinstance(name, str) or name not in FAMILY:
        raise Malformed("the mechanism is not one of " + ", ".join(FAMILY))
    return (Laplace if name.startswith("LS") else Exponential)(subject, bits)
