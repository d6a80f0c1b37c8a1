"""A composition of releases whose losses lie on a lattice: delta at an epsilon, or epsilon at a delta.

Every release has a pair of distributions (P, Q) that dominates it and that some neighboring data sets attain; the pairs
compose (Zhu, Dong, Wang 2022, Theorem 10), and Q follows from P and the losses. When ``Composition.check`` returns, the
stated numbers hold for the product of these pairs:

    delta(epsilon) = P(infinite loss) + sum of p(l) (1 - e^(epsilon - l)) over the losses l > epsilon

Masses are whole numbers of 2^-w, rounded down. The missing mass (outputs that are left out, and all roundings) may
have any loss: it adds between 0 and itself to delta.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

from .arithmetic import Interval, Malformed, Undecided, rational, total
from .core import Rejected
from .exact import ZERO, exp_of
from .reading import DIGITS, MADE, brief, number, number_or_inf, shape

WORD = 256
"""w is a multiple of this."""
LONGEST, MOST = 20_000, 10_000
"""The most losses of the composition, and the most releases."""
Atoms = list[tuple[Fraction, Interval]]
"""Finite losses with their masses P."""


def randomized_response(given: dict[str, Any], bits: int) -> Atoms:
    """The true answer with probability e^eps / (e^eps + k - 1), each of the k - 1 others with 1 / (e^eps + k - 1)."""
    eps, k = given["eps"], _whole(given["k"], 2, 10**9)
    grown = exp_of(eps, bits)
    found = [(eps, grown / (grown + k - 1)), (-eps, 1 / (grown + k - 1)), (ZERO, (k - 2) / (grown + k - 1))]
    return found if k > 2 else found[:2]


def pure(given: dict[str, Any], bits: int) -> Atoms:
    """With probability delta everything is revealed, else randomized response with k = 2."""
    if not given["delta"] < 1:
        raise Malformed("delta is not below 1")
    return [(loss, p * (1 - given["delta"])) for loss, p in randomized_response({**given, "k": 2}, bits)]


def discrete_laplace(given: dict[str, Any], bits: int) -> Atoms:
    """Pr[z] = (1 - t) / (1 + t) t^|z|, t = e^(-eps/s), at s against at 0: z <= 0, z = 1 .. s - 1, and z >= s."""
    eps, s = given["eps"], _whole(given["sensitivity"], 1, LONGEST)
    t = exp_of(-eps / s, bits)
    far, unit = 1 / (1 + t), (1 - t) / (1 + t)
    between = [(eps * (2 * z - s) / s, unit * exp_of(-eps * (s - z) / s, bits)) for z in range(1, s)]
    return [(eps, far), (-eps, far * exp_of(-eps, bits)), *between]


def discrete_gaussian(given: dict[str, Any], bits: int) -> Atoms:
    """Pr[z] ~ e^(-z^2 / (2 sigma^2)) at s against at 0: the loss of z is s (2z - s) / (2 sigma^2).

    Of |z| > R the weights are at most e^(-(R+1)^2 / (2 sigma^2)), each following one at most e^(-(2R+3) / (2 sigma^2))
    times the one before. Outputs beyond s - R .. R are left out.
    """
    s, square = _whole(given["sensitivity"], 1, LONGEST), 2 * given["sigma"] ** 2
    reach = isqrt(int(square * bits)) + 2 + s
    if 2 * reach > LONGEST:
        raise Malformed(f"a discrete Gaussian has more than {LONGEST} outputs")
    weights = [exp_of(-z * z / square, bits) for z in range(reach + 2)]
    tail = weights.pop() / (1 - exp_of(-(2 * reach + 3) / square, bits))
    whole = weights[0] + 2 * total([*weights[1:], Interval(0, tail.hi, tail.e, bits)], bits)
    return [(s * (2 * z - s) / square, weights[abs(z - s)] / whole) for z in range(s - reach, reach + 1)]


KINDS: dict[str, tuple[Callable[[dict[str, Any], int], Atoms], tuple[str, ...], tuple[str, ...]]] = {
    "randomized-response": (randomized_response, ("eps",), ("k",)),
    "pure": (pure, ("eps", "delta"), ()),
    "discrete-laplace": (discrete_laplace, ("eps",), ("sensitivity",)),
    "discrete-gaussian": (discrete_gaussian, ("sigma",), ("sensitivity",)),
}
"""Every release: its pair, its exact numbers, its whole numbers."""


def _whole(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise Malformed(f"{brief(value)} is not a whole number from {least} to {most}")
    return value


class Release:
    """One release, and how often it is made."""

    def __init__(self, given: Any) -> None:
        kind = given.get("release") if isinstance(given, dict) else None
        if kind not in KINDS:
            raise Malformed(f"a release is none of {', '.join(KINDS)}")
        self.pair, exact, counts = KINDS[kind]
        shape(given, "the release", {"release": str, "times": int, **dict.fromkeys((*exact, *counts))})
        self.times = _whole(given["times"], 1, MOST)
        self.given = {name: number(given[name], name, 100) for name in exact} | {name: given[name] for name in counts}
        if any(self.given[name] < 0 or (not self.given[name] and kind != "pure") for name in exact):
            raise Malformed("eps or sigma is not above 0, or a parameter is negative")
        words = ", ".join(f"{name} = {value}" for name, value in self.given.items())
        self.words = f"{kind} ({words})" + (f" x {self.times}" if self.times > 1 else "")


Masses = list[int]


def product(a: Masses, b: Masses, w: int) -> Masses:
    """The convolution, in units of 2^-w: one product of two whole numbers, whose fields do not overflow."""
    size = (2 * (w + 2) + min(len(a), len(b)).bit_length()) // 8 + 1
    x, y = (int.from_bytes(b"".join(m.to_bytes(size, "little") for m in masses), "little") for masses in (a, b))
    count = len(a) + len(b) - 1
    found = (x * y).to_bytes(size * (count + 1), "little")
    return [int.from_bytes(found[i * size : (i + 1) * size], "little") >> w for i in range(count)]


def power(masses: Masses, times: int, w: int) -> Masses:
    """The convolution of the masses with themselves."""
    if not times:
        return [1 << w]
    half = power(masses, times // 2, w)
    found = product(half, half, w)
    return product(found, masses, w) if times % 2 else found


class Whole:
    """The masses of the whole composition on ``least`` + k ``step`` from below, in units of 2^-w."""

    def __init__(self, releases: Sequence[Release], step: Fraction, w: int) -> None:
        self.w, self.step, self.least, self.masses = w, step, ZERO, [1 << w]
        atoms = [release.pair(release.given, w + 16) for release in releases]
        spans = [(min(loss for loss, _ in found), max(loss for loss, _ in found)) for found in atoms]
        length = sum((high - low) / step * r.times for (low, high), r in zip(spans, releases, strict=True))
        if length >= LONGEST or sum(release.times for release in releases) > MOST:
            raise Malformed(f"the composition has more than {LONGEST} losses or {MOST} releases")
        for found, (low, high), release in zip(atoms, spans, releases, strict=True):
            own = [0] * (int((high - low) / step) + 1)
            for loss, mass in found:
                place = (loss - low) / step
                if place.denominator > 1:
                    raise Malformed("the losses of a release do not lie on a lattice of this step")
                own[int(place)] += max(0, mass.units(-w)[0])
            self.masses = product(self.masses, power(own, release.times, w), w)
            self.least += low * release.times
        finite = (rational(1 - r.given.get("delta", ZERO), w + 16).log() * r.times for r in releases)
        self.infinite = max(0, (1 - total(finite, w + 16).exp()).units(-w)[0])

    def delta(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Bounds of delta(epsilon): 1 - e^(epsilon - l) rises with l, so its factor e^-step is multiplied on."""
        w, first = self.w, max(0, int((epsilon - self.least) // self.step) + 1)
        shrink = exp_of(-self.step, w + 16).units(-w)
        below, above = exp_of(epsilon - self.least - first * self.step, w + 16).units(-w)
        low = high = 0
        for mass in self.masses[first:]:
            low, high = low + mass * max(0, (1 << w) - above), high + mass * ((1 << w) - below)
            below, above = below * shrink[0] >> w, -(-above * shrink[1] >> w)
        missing = (1 << w) - sum(self.masses)
        return Fraction(low + (self.infinite << w), 1 << 2 * w), Fraction(high + (missing << w), 1 << 2 * w)


@lru_cache(maxsize=2)
def composed(listed: str, step: Fraction, w: int) -> Whole:
    """The whole composition of these releases; parts of one certificate share it."""
    return Whole([Release(given) for given in json.loads(listed)], step, w)


class Composition:
    """lower <= delta(at) <= upper, or so for the least epsilon with delta(epsilon) <= at; the verdict on a claim."""

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        shape(document, "the certificate", {"subject": dict, "statement": dict, **MADE})
        self.listed, step = shape(document["subject"], "the subject", {"releases": list, "step": str})
        if not 0 < len(self.listed) <= 100:
            raise Malformed("releases is not a list of 1 to 100 releases")
        self.releases, self.step = [Release(given) for given in self.listed], number(step, "step")
        names: dict[str, type | None] = {**dict.fromkeys(("quantity", "at", "lower", "upper"), str), "claimed": None}
        self.statement = document["statement"]
        self.quantity, at, lower, upper, claim = shape(self.statement, "the statement", names)
        self.at, self.lower = number(at, "at", DIGITS), number(lower, "lower", DIGITS)
        self.upper = number_or_inf(upper, "upper")
        self.claimed = None if claim is None else number(claim, "claimed", DIGITS)
        if self.quantity not in ("delta", "epsilon") or min(self.at, self.lower) < 0 or self.step <= 0:
            raise Malformed("quantity is neither delta nor epsilon, or a number is negative")
        infinite = self.quantity == "delta" and self.upper is None
        if infinite or (self.quantity == "epsilon" and claim is not None):
            raise Malformed("delta is infinite, or a claim is about something else")

    def bits(self) -> int:
        """Enough bits for the digits of the smallest stated number, after all roundings."""
        texts = [value for value in self.statement.values() if isinstance(value, str)]
        small = [abs(v) for v in (self.at, self.lower, self.upper, self.claimed) if v]
        size = max((v.denominator.bit_length() - v.numerator.bit_length() for v in small), default=0)
        return -(-(96 + max(size, 0) + 4 * min(60, max(map(len, texts)))) // WORD) * WORD

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """What was established, and the statement."""
        whole = composed(json.dumps(self.listed), self.step, self.bits())
        lines = [f"{len(whole.masses)} losses, step {self.step} ({whole.w} bits)"]
        lines[0] += "; the missing mass counts in full"
        low, high = whole.delta(self.at if self.quantity == "delta" else self.lower)
        if self.quantity == "delta":
            upper = self.upper or ZERO  # it is no None
            _require(low >= self.lower, high >= self.lower, "the lower bound is above delta")
            _require(high <= upper, low <= upper, "the upper bound is below delta")
            lines.append("delta lies between the stated bounds")
        else:
            if self.lower:
                _require(low > self.at, high > self.at, "delta at the lower bound is not above the stated one")
            if self.upper is not None:
                low, high = whole.delta(self.upper)
                _require(high <= self.at, low <= self.at, "delta at the upper bound is above the stated one")
            lines.append("delta is above the stated one at the lower, and at most at the upper bound")
        return lines, self._say(low, high)

    def _say(self, low: Fraction, high: Fraction) -> dict[str, Any]:
        at, lower, upper = (brief(self.statement[name]) for name in ("at", "lower", "upper"))
        words = " and ".join(release.words for release in self.releases)
        value = f"{self.quantity} at {'epsilon' if self.quantity == 'delta' else 'delta'} = {at} lies between"
        said, verdict = "no claim", None
        if self.claimed is not None:
            verdict = "PROVED" if high <= self.claimed else "REFUTED" if low > self.claimed else "UNDECIDED"
            said = f"claimed: ({at}, {brief(self.statement['claimed'])})-DP; verdict: {verdict}"
        return {
            "text": f"composition of {words}; neighboring data sets as in every release: "
            f"{value} {lower} and {upper}; {said}; checked: full",
            **{"quantity": self.quantity, "at": at, "lower": lower, "upper": upper},
            **{"verdict": verdict, "checked": "full"},
        }


def _require(surely: bool, possibly: bool, words: str) -> None:
    """Only if it is surely so."""
    if not possibly:
        raise Rejected(words)
    if not surely:
        raise Undecided
