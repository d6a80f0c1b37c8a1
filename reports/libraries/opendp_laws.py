"""OpenDP 0.16: constructors beside the law that their documentation states; compiled code is called, not followed.

Each class names a constructor and builds it (``opendp_constructor.py``); ``probability`` is the documented law,
``claimed`` what ``map`` reports for neighbors at distance ``d_in`` (the float, exactly), ``draw`` one real output of
the compiled code. The constructors that select are in ``opendp_selection.py``. So

    dpaudit judge --mech reports/libraries/opendp_laws.py:LaplaceThreshold --claim …

is about the documented law, and ``dpaudit samples --draw 20000 --mech …`` about real outputs. A noise without bounds is
cut at both ends: everything beyond is one output, which is a post-processing.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb, exp, floor
from typing import Any

from opendp_constructor import Constructor

import dpaudit

ENDS = 24
"""Noise beyond this on either side is one output."""


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
