"""OpenDP 0.16: constructors beside the law that their documentation states; compiled code is called, not followed.

Each class names a constructor and builds it; ``probability`` is the documented law, ``claimed`` what ``map`` reports
for neighbors at distance ``d_in`` (the float, exactly), ``draw`` one real output of the compiled code. So

    dpaudit judge --mech reports/libraries/opendp_laws.py:LaplaceThreshold --claim …

is about the documented law, and ``dpaudit samples --draw 20000 --mech …`` about real outputs. A noise without bounds is
cut at both ends: everything beyond is one output, which is a post-processing.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from math import comb, exp, floor
from typing import Any

import dpaudit

ENDS = 24
"""Noise beyond this on either side is one output."""


@cache
def library() -> Any:
    """OpenDP, with the features that the constructors ask for."""
    import opendp.prelude as dp

    for feature in ("contrib", "honest-but-curious", "idealized-numerics", "private-selection-v2"):
        dp.enable_features(feature)
    return dp


class Constructor:
    """A constructor of OpenDP: its code, its documented law and what its map reports."""

    code = ""
    """How it is called, as Python."""
    d_in: Any = 1
    law = ""
    """The documented law, in words."""
    pair: tuple[str, str] | None = None
    """The two data sets whose counts show most, named before anything is drawn: there every output but "nothing"."""

    @cached_property
    def made(self) -> Any:
        """The measurement."""
        dp = library()
        return eval(self.code, {"dp": dp, "INT": (dp.atom_domain(T=int), dp.absolute_distance(T=int))})

    def claimed(self) -> Any:
        """What the map reports, exactly the float that it returns."""
        return Fraction(self.made.map(self.d_in))

    def draw(self, x: Any) -> Any:
        """One output of the compiled code."""
        return self.made(x)


# ------------------------------------------------------------------ randomized response


class RandomizedResponseBool(Constructor):
    """The true bit with probability 3/4."""

    code = "dp.m.make_randomized_response_bool(prob=0.75)"
    law = "the truth with probability prob, else the other value"

    def datasets(self) -> list[bool]:
        return [False, True]

    outputs = datasets

    def probability(self, x: bool, r: bool) -> Fraction:
        return Fraction(3, 4) if x == r else Fraction(1, 4)


class RandomizedResponse(Constructor):
    """The true category with probability 1/2, each of the others with 1/4."""

    code = "dp.m.make_randomized_response(categories=['a', 'b', 'c'], prob=0.5)"
    law = "the truth with probability prob, else a uniform other category"

    def datasets(self) -> list[str]:
        return ["a", "b", "c"]

    outputs = datasets

    def probability(self, x: str, r: str) -> Fraction:
        return Fraction(1, 2) if x == r else Fraction(1, 4)


class RandomizedResponseBitvec(Constructor):
    """Each of eight bits is flipped with probability f/2 = 1/4; inputs have at most one 1 among the first four."""

    code = "dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f=0.5)"
    law = "every bit is flipped with probability f/2"

    def datasets(self) -> list[str]:
        return ["0000", "1000", "0100", "0010", "0001"]

    def outputs(self) -> list[str]:
        return ["".join(bits) for bits in product("01", repeat=4)]

    def probability(self, x: str, r: str) -> Fraction:
        flips = sum(a != b for a, b in zip(x, r, strict=True))
        return Fraction(1, 4) ** flips * Fraction(3, 4) ** (4 - flips)

    def draw(self, x: str) -> str:
        return f"{self.made(bytes([int(x + '0000', 2)]))[0] >> 4:04b}"


# ------------------------------------------------------------------ noise on whole numbers


def geometric(scale: Fraction, v: int) -> Any:
    """The probability of v under the discrete Laplace distribution: (1 − q)/(1 + q)·q^|v| with q = e^(−1/scale)."""
    q = dpaudit.exp(-1 / scale)
    return (1 - q) / (1 + q) * dpaudit.exp(-abs(v) / scale)


def at_least(scale: Fraction, v: int) -> Any:
    """The probability of v and everything above, for v >= 0."""
    return dpaudit.exp(-v / scale) / (1 + dpaudit.exp(-1 / scale))


class Laplace(Constructor):
    """Discrete Laplace noise of scale 1 on a count; neighbors differ by at most ``d_in``."""

    code = "dp.m.make_laplace(*INT, scale=1.0)"
    law = "x + discrete Laplace noise, P(v) ∝ e^(−|v|/scale)"
    scale = Fraction(1)
    top = 1

    def datasets(self) -> list[int]:
        return list(range(self.top + 1))

    def neighbors(self, x: int) -> list[int]:
        return [y for y in self.datasets() if 0 < abs(x - y) <= self.d_in]

    def outputs(self) -> list[Any]:
        return ["less", *range(-ENDS, ENDS + 1), "more"]

    def probability(self, x: int, r: Any) -> Any:
        if r == "less":
            return at_least(self.scale, x + ENDS + 1)
        return at_least(self.scale, ENDS + 1 - x) if r == "more" else geometric(self.scale, r - x)

    def draw(self, x: int) -> Any:
        return cut(self.made(x))


def cut(v: int) -> Any:
    """A whole number, or on which side of the listed outputs it lies."""
    return "less" if v < -ENDS else "more" if v > ENDS else v


class LaplaceTwoSteps(Laplace):
    """The same where a neighbor may move the count by 2."""

    d_in, top = 2, 2


class LaplaceTenth(Laplace):
    """A scale that is no binary fraction: the float 0.1 is a little more than 1/10."""

    code = "dp.m.make_laplace(*INT, scale=0.1)"
    scale = Fraction(0.1)


class Geometric(Laplace):
    """make_geometric without bounds: the same noise."""

    code = "dp.m.make_geometric(*INT, scale=1.0)"


class GeometricBounded(Laplace):
    """make_geometric with bounds: the noisy count is clamped into [0, 5]."""

    code = "dp.m.make_geometric(*INT, scale=1.0, bounds=(0, 5))"
    law = "x + discrete Laplace noise, clamped into the bounds"
    top = 5

    def outputs(self) -> list[int]:
        return list(range(6))

    def probability(self, x: int, r: int) -> Any:
        if 0 < r < 5:
            return geometric(self.scale, r - x)
        return at_least(self.scale, x if r == 0 else 5 - x)

    def draw(self, x: int) -> int:
        return int(self.made(x))


class LaplaceGrid(Laplace):
    """Laplace noise on a float with k = −3: rounded to eighths, then noise on the grid of eighths."""

    code = "dp.m.make_laplace(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0, k=-3)"
    law = "x rounded to a multiple of 2^k, plus 2^k times discrete Laplace noise of scale/2^k"
    d_in: Any = 1.0
    scale = Fraction(8)

    def datasets(self) -> list[float]:
        return [-0.0625, 0.0, 0.0625, 0.9375, 1.0, 1.0625]

    def neighbors(self, x: float) -> list[float]:
        return [y for y in self.datasets() if x != y and abs(Fraction(x) - Fraction(y)) <= 1]

    def outputs(self) -> list[Any]:
        return ["less", *range(-ENDS, ENDS + 1), "more"]

    def probability(self, x: float, r: Any) -> Any:
        return super().probability(floor(Fraction(x) * 8 + Fraction(1, 2)), r)

    def draw(self, x: float) -> Any:
        return cut(int(self.made(x) * 8))


class LaplaceVector(Constructor):
    """Discrete Laplace noise on each of two counts; neighbors at L1 distance 1."""

    code = "dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=1.0)"
    law = "independent discrete Laplace noise on every coordinate"
    ends = 4

    def datasets(self) -> list[tuple[int, int]]:
        return list(product((0, 1), repeat=2))

    def neighbors(self, x: tuple[int, int]) -> list[tuple[int, int]]:
        return [y for y in self.datasets() if abs(x[0] - y[0]) + abs(x[1] - y[1]) == 1]

    def outputs(self) -> list[tuple[int, int]]:
        return list(product(range(-self.ends, self.ends + 1), repeat=2))

    def probability(self, x: tuple[int, int], r: tuple[int, int]) -> Any:
        first, second = (self._clamped(a, b) for a, b in zip(x, r, strict=True))
        return first * second

    def _clamped(self, x: int, r: int) -> Any:
        if abs(r) < self.ends:
            return geometric(Fraction(1), r - x)
        return at_least(Fraction(1), self.ends - x if r > 0 else self.ends + x)

    def draw(self, x: tuple[int, int]) -> tuple[int, ...]:
        return tuple(max(-self.ends, min(self.ends, v)) for v in self.made(list(x)))


# ------------------------------------------------------------------ thresholds


class LaplaceThreshold(Constructor):
    """A key's noisy count, released if it is at least the threshold; a neighbor has the key once less, or not."""

    code = (
        "dp.m.make_laplace_threshold(dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), "
        "dp.l01inf_distance(dp.absolute_distance(T=int)), scale=1.0, threshold=5)"
    )
    law = 'the noisy count of each key, left out if it is "less than" the threshold'
    pair = ("1", "0")
    d_in: Any = (1, 1, 1)
    scale, threshold, step = Fraction(1), 5, Fraction(1)

    def claimed(self) -> tuple[Fraction, Fraction]:
        epsilon, delta = self.made.map(self.d_in)
        return Fraction(epsilon), Fraction(delta)

    def datasets(self) -> list[int]:
        return [0, 1, 2]  # how often the key occurs

    def neighbors(self, x: int) -> list[int]:
        return [y for y in (x - 1, x + 1) if 0 <= y <= 2]

    def outputs(self) -> list[Any]:
        return ["nothing", *range(self._first(), self._first() + ENDS), "more"]

    def _first(self) -> int:
        return int(self.threshold / self.step)

    def probability(self, x: int, r: Any) -> Any:
        if x == 0:
            return int(r == "nothing")
        scale, at = self.scale / self.step, int(x / self.step)
        if r == "nothing":
            return 1 - at_least(scale, self._first() - at)
        return at_least(scale, self._first() + ENDS - at) if r == "more" else geometric(scale, r - at)

    def draw(self, x: int) -> Any:
        kind = type(self.d_in[1])
        found = self.made({"a": kind(x)} if x else {})
        if not found:
            return "nothing"
        v = int(Fraction(found["a"]) / self.step)
        return "more" if v >= self._first() + ENDS else v


class LaplaceThresholdGrid(LaplaceThreshold):
    """The same for floats on the grid of eighths, k = −3."""

    code = (
        "dp.m.make_laplace_threshold(dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=float, nan=False)), "
        "dp.l01inf_distance(dp.absolute_distance(T=float)), scale=1.0, threshold=5.0, k=-3)"
    )
    d_in: Any = (1, 1.0, 1.0)
    step = Fraction(1, 8)


class LaplaceThresholdCoarse(LaplaceThreshold):
    """The same for floats on the grid of whole numbers, k = 0."""

    code = LaplaceThresholdGrid.code.replace("k=-3", "k=0")
    d_in: Any = (1, 1.0, 1.0)


# ------------------------------------------------------------------ selection

SCORES = list(product((0, 1, 2), repeat=3))


class NoisyMax(Constructor):
    """The index of the largest of three scores after exponential noise; each score may move by 1."""

    code = (
        "dp.m.make_noisy_max(dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int), "
        "dp.max_divergence(), scale=1.0)"
    )
    law = "the index of the largest score after exponential noise (permute-and-flip)"

    def datasets(self) -> list[tuple[int, ...]]:
        return SCORES

    def neighbors(self, x: tuple[int, ...]) -> list[tuple[int, ...]]:
        return [y for y in SCORES if y != x and max(abs(a - b) for a, b in zip(x, y, strict=True)) <= 1]

    def outputs(self) -> list[int]:
        return [0, 1, 2]

    def sample(self, x: tuple[int, ...], noise: dpaudit.Noise) -> int:
        return noise.argmax([q + noise.exponential(1) for q in x])

    def draw(self, x: tuple[int, ...]) -> int:
        return int(self.made(list(x)))


def up(x: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Scores that all move up by at most 1, or all down."""
    moved = [[b - a for a, b in zip(x, y, strict=True)] for y in SCORES]
    return [y for y, d in zip(SCORES, moved, strict=True) if y != x and (set(d) <= {0, 1} or set(d) <= {0, -1})]


class NoisyMaxMonotonic(NoisyMax):
    """The same where all scores move in one direction."""

    code = NoisyMax.code.replace("linf_distance(T=int)", "linf_distance(T=int, monotonic=True)")

    def neighbors(self, x: tuple[int, ...]) -> list[tuple[int, ...]]:
        return up(x)


class NoisyMaxGumbel(Constructor):
    """The index of the largest of three scores after Gumbel noise: the exponential mechanism."""

    code = (
        "dp.m.make_report_noisy_max_gumbel(dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int), scale=1.0)"
    )
    law = "index i with P(i) ∝ e^(score/scale)"
    neighbors, datasets, outputs, draw = NoisyMax.neighbors, NoisyMax.datasets, NoisyMax.outputs, NoisyMax.draw

    def log_weight(self, x: tuple[int, ...], r: int) -> int:
        return x[r]


class NoisyMaxGumbelAsRun(NoisyMax):
    """The same constructor beside the law that its outputs have: exponential noise."""

    code = NoisyMaxGumbel.code


class NoisyMaxZcdp(NoisyMaxGumbel):
    """make_noisy_max for zCDP: Gumbel noise."""

    code = NoisyMax.code.replace("max_divergence", "zero_concentrated_divergence")

    def claimed(self) -> str:
        return f"rho={Fraction(self.made.map(self.d_in))}"


class NoisyMaxZcdpMonotonic(NoisyMaxZcdp):
    """The same where all scores move in one direction."""

    code = NoisyMaxZcdp.code.replace("linf_distance(T=int)", "linf_distance(T=int, monotonic=True)")

    def neighbors(self, x: tuple[int, ...]) -> list[tuple[int, ...]]:
        return up(x)


class NoisyTopTwo(NoisyMaxGumbel):
    """The two largest of three scores after Gumbel noise, in order: the exponential mechanism twice."""

    code = NoisyMaxZcdp.code.replace("make_noisy_max", "make_noisy_top_k").replace("scale", "k=2, scale")
    law = "the exponential mechanism k times, without the indices released before"

    def claimed(self) -> str:
        return f"rho={Fraction(self.made.map(self.d_in))}"

    def outputs(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(3) for j in range(3) if i != j]

    log_weight = None

    def probability(self, x: tuple[int, ...], r: tuple[int, int]) -> Any:
        weights = [dpaudit.exp(q) for q in x]
        whole = sum(weights, Fraction(0))
        return weights[r[0]] / whole * weights[r[1]] / (whole - weights[r[0]])

    def draw(self, x: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.made(list(x)))


class NoisyTopTwoPure(NoisyMax):
    """make_noisy_top_k for pure DP: permute-and-flip twice, each time with fresh noise."""

    code = NoisyMax.code.replace("make_noisy_max", "make_noisy_top_k").replace("scale", "k=2, scale")
    law = "permute-and-flip k times, without the indices released before"

    def outputs(self) -> list[tuple[int, int]]:
        return [(i, j) for i in range(3) for j in range(3) if i != j]

    def sample(self, x: tuple[int, ...], noise: dpaudit.Noise) -> tuple[int, int]:
        first = noise.argmax([q + noise.exponential(1) for q in x])
        rest = [i for i in range(3) if i != first]
        return first, rest[noise.argmax([x[i] + noise.exponential(1) for i in rest])]

    def draw(self, x: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.made(list(x)))


class PrivateQuantile(Constructor):
    """The median of at most three numbers in {0, 1, 2}; a neighbor has one number more or less."""

    code = (
        "dp.m.make_private_quantile(dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance(), "
        "dp.max_divergence(), candidates=[0, 1, 2], alpha=0.5, scale=1.0)"
    )
    law = "the candidate whose |(1 − α)·#below − α·#above| is smallest after exponential noise"

    def datasets(self) -> list[tuple[int, ...]]:
        return [x for size in range(4) for x in combinations_with_replacement((0, 1, 2), size)]

    adjacency = "add-remove-one:records"

    def outputs(self) -> list[int]:
        return [0, 1, 2]

    def sample(self, x: tuple[int, ...], noise: dpaudit.Noise) -> int:
        scores = [-Fraction(abs(sum(v < c for v in x) - sum(v > c for v in x)), 2) for c in range(3)]
        return noise.argmax([score + noise.exponential(1) for score in scores])

    def draw(self, x: tuple[int, ...]) -> int:
        return int(self.made(list(x)))


# ------------------------------------------------------------------ canonical noise


class CanonicalNoise(Constructor):
    """Tulap noise for ε = 1 and δ = 1/1000: a discrete Laplace plus a uniform number, cut at both ends."""

    code = (
        "dp.m.make_canonical_noise(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), "
        "d_in=1.0, d_out=(1.0, 1e-3))"
    )
    law = "x + Tulap(0, b = e^(−ε), q = 2δb/(1 − b + 2δb)), the noise of Awan and Vadhan"
    d_in: Any = 1.0
    last = 7
    """The cell of unit width, around −7 and around 7, in which the noise is cut."""

    def claimed(self) -> tuple[Fraction, Fraction]:
        epsilon, delta = self.made.map(self.d_in)
        return Fraction(epsilon), Fraction(delta)

    def datasets(self) -> list[int]:
        return [0, 1]

    def outputs(self) -> list[tuple[str, int]]:
        return [(side, k) for k in range(-self.last, self.last + 2) for side in ("left", "right")]

    def probability(self, x: int, r: tuple[str, int]) -> Any:
        side, k = r
        width = self._width()
        # the noise of x = 0 ends at ±(last − 1/2 + width): in every cell this cuts off a left or a right part
        left = 1 - width if k <= 0 else width
        part = left if side == "left" else 1 - left
        cell = k - x
        if abs(cell) > self.last:
            return 0
        if abs(cell) == self.last and (side == "left") == (cell < 0):
            return 0
        return (1 - self._b()) / (1 + self._b()) * self._b() ** abs(cell) * part / (1 - self._q())

    def _b(self) -> Any:
        return dpaudit.exp(-1)

    def _q(self) -> Any:
        delta = Fraction(1e-3)
        return 2 * delta * self._b() / (1 - self._b() + 2 * delta * self._b())

    def _width(self) -> Any:
        """How much of the last cell is left: where the distribution function reaches q/2."""
        b = self._b()
        tail = b**self.last / (1 + b)
        return (tail - self._q() / 2) / ((1 - b) / (1 + b) * b**self.last)

    def draw(self, x: int) -> tuple[str, int]:
        v = self.made(float(x))
        k, b = floor(v + 0.5), exp(-1)
        q = 2e-3 * b / (1 - b + 2e-3 * b)
        width = (b**7 / (1 + b) - q / 2) / ((1 - b) / (1 + b) * b**7)
        left = 1 - width if k <= 0 else width
        return ("left" if v - (k - 0.5) < left else "right", k)


class FixedProfile(CanonicalNoise):
    """The same noise, whose (ε, δ) was made into a profile, asked for its δ at ε = 1."""

    code = f"dp.c.make_fixed_approxDP_to_approxDP({CanonicalNoise.code})"

    def claimed(self) -> tuple[Fraction, Fraction]:
        return Fraction(1), Fraction(self.made.map(self.d_in).delta(1.0))


# ------------------------------------------------------------------ amplification by sampling


class Amplified(Constructor):
    """The noisy sum of 10 of 100 records, drawn at random without replacement; a neighbor changes one record."""

    code = (
        "dp.c.make_population_amplification(dp.c.make_chain_mt(dp.m.make_laplace(*INT, scale=1.0), dp.t.make_sum("
        "dp.vector_domain(dp.atom_domain(bounds=(0, 1)), size=10), dp.symmetric_distance())), population_size=100)"
    )
    law = "the measurement on a sample of 10 of 100 records, without replacement"
    d_in: Any = 2
    draw: Any = None

    def datasets(self) -> list[int]:
        return list(range(101))  # how many of the 100 records are 1

    def neighbors(self, x: int) -> list[int]:
        return [y for y in (x - 1, x + 1) if 0 <= y <= 100]

    def outputs(self) -> list[Any]:
        return ["less", *range(11), "more"]

    def probability(self, x: int, r: Any) -> Any:
        def noisy(s: int) -> Any:
            if r == "less":
                return at_least(Fraction(1), s + 1)
            return at_least(Fraction(1), 11 - s) if r == "more" else geometric(Fraction(1), r - s)

        return sum(
            (Fraction(comb(x, s) * comb(100 - x, 10 - s), comb(100, 10)) * noisy(s) for s in range(11)), Fraction(0)
        )
