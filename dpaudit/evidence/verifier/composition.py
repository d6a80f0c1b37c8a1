"""A composition of releases whose losses lie on a lattice: delta at an epsilon, or epsilon at a delta.

Every release has a pair of distributions (P, Q) that dominates it and that some neighboring data sets attain; the pairs
compose (Zhu, Dong, Wang 2022, Theorem 10), and Q follows from P and the losses. When ``Composition.check`` returns, the
stated numbers hold for the product of these pairs:

    delta(epsilon) = P(infinite loss) + sum of p(l) (1 - e^(epsilon - l)) over the losses l > epsilon

Masses are whole numbers of 2^-w, rounded down in one list and up in another. Sums and products of numbers >= 0 keep
their side, so delta lies between the two results.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt
from typing import Any

from .arithmetic import Interval, Malformed, Undecided, rational
from .core import Rejected
from .reading import DIGITS, MADE, brief, number, shape

WORD = 256
"""w is a multiple of it."""
LONGEST, MOST = 20_000, 10_000
"""Losses of the whole, and releases, at most."""
Atoms = tuple[list[tuple[Fraction, Interval]], Interval, Interval]
"""The losses with their masses P; P of the infinite loss; a bound of P of the outputs that are left out."""


def randomized_response(given: dict[str, Any], bits: int) -> Atoms:
    """The true answer with probability e^eps / (e^eps + k - 1), each of the k - 1 others with 1 / (e^eps + k - 1)."""
    eps, k = given["eps"], _whole(given["k"], 2, 10**9)
    grown = rational(eps, bits).exp()
    whole, zero = grown + (k - 1), rational(0, bits)
    found = [(eps, grown / whole), (-eps, 1 / whole), (Fraction(0), (k - 2) / whole)]
    return found, zero, zero


def pure(given: dict[str, Any], bits: int) -> Atoms:
    """With probability delta everything is revealed, else randomized response with k = 2."""
    eps, delta, zero = given["eps"], given["delta"], rational(0, bits)
    if not 0 <= delta < 1:
        raise Malformed("delta is not between 0 and 1")
    grown = rational(eps, bits).exp()
    rest = rational(1 - delta, bits) / (grown + 1)
    return [(eps, rest * grown), (-eps, rest)], rational(delta, bits), zero


def discrete_laplace(given: dict[str, Any], bits: int) -> Atoms:
    """Pr[z] = (1 - t) / (1 + t) t^|z|, t = e^(-eps/s), at s against at 0: z <= 0, z = 1 .. s - 1, and z >= s."""
    eps, s, zero = given["eps"], _whole(given["sensitivity"], 1, LONGEST), rational(0, bits)
    t = rational(-eps / s, bits).exp()
    far, unit = 1 / (1 + t), (1 - t) / (1 + t)
    between = [(eps * (2 * z - s) / s, unit * rational(-eps * (s - z) / s, bits).exp()) for z in range(1, s)]
    return [(eps, far), (-eps, far * rational(-eps, bits).exp()), *between], zero, zero


def discrete_gaussian(given: dict[str, Any], bits: int) -> Atoms:
    """Pr[z] ~ e^(-z^2 / (2 sigma^2)) at s against at 0: the loss of z is s (2z - s) / (2 sigma^2).

    Of |z| > R the weights are at most e^(-(R+1)^2 / (2 sigma^2)), each following one at most e^(-(2R+3) / (2 sigma^2))
    times the one before. Outputs beyond s - R .. R are left out; both P and Q have at most twice the weights of z > R
    and of R - s < z <= R there.
    """
    s, square = _whole(given["sensitivity"], 1, LONGEST), 2 * given["sigma"] ** 2
    reach = isqrt(int(square * bits)) + 2 + s
    if 2 * reach > LONGEST:
        raise Malformed(f"a discrete Gaussian has more than {LONGEST} outputs")
    weights = [rational(-Fraction(z * z) / square, bits).exp() for z in range(reach + 1)]
    ratio = rational(-Fraction(2 * reach + 3) / square, bits).exp()
    tail = rational(-Fraction((reach + 1) ** 2) / square, bits).exp() / (1 - ratio)
    tail = Interval(0, tail.hi, tail.e, bits)
    whole = weights[0] + 2 * (sum(weights[1:], start=tail))
    found = [(Fraction(s * (2 * z - s)) / square, weights[abs(z - s)] / whole) for z in range(s - reach, reach + 1)]
    missing = sum(weights[reach - s + 1 :], start=tail)
    return found, rational(0, bits), 2 * missing / whole


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
    """One release, and how many times it is made."""

    def __init__(self, given: Any) -> None:
        kind = given.get("release") if isinstance(given, dict) else None
        if kind not in KINDS:
            raise Malformed(f"a release is none of {', '.join(KINDS)}")
        self.pair, exact, counts = KINDS[kind]
        shape(given, "the release", {"release": str, "times": int, **dict.fromkeys((*exact, *counts))})
        self.times = _whole(given["times"], 1, MOST)
        self.given = {name: number(given[name], name, 100) for name in exact} | {name: given[name] for name in counts}
        if any(self.given[name] <= 0 for name in ("eps", "sigma") if name in self.given and kind != "pure"):
            raise Malformed("eps or sigma is not above 0")
        if any(self.given[name] < 0 for name in exact):
            raise Malformed("a parameter is negative")
        words = ", ".join(f"{name} = {value}" for name, value in self.given.items())
        self.words = f"{kind} ({words})" + (f" x {self.times}" if self.times > 1 else "")


def common(losses: Sequence[Fraction]) -> Fraction:
    """The largest number of which all differences of these losses are multiples; 1 if they are all the same."""
    found = Fraction(0)
    for loss in losses:
        d = abs(loss - losses[0])
        found = Fraction(gcd(found.numerator * d.denominator, d.numerator * found.denominator),
                         found.denominator * d.denominator)  # fmt: skip
    return found or Fraction(1)


Masses = list[int]


def product(a: Masses, b: Masses, w: int, up: bool) -> Masses:
    """The convolution, in units of 2^-w: one product of two whole numbers, whose places do not overflow."""
    width = 2 * (w + 2) + min(len(a), len(b)).bit_length()
    size = width // 8 + 1
    x, y = (int.from_bytes(b"".join(m.to_bytes(size, "little") for m in masses), "little") for masses in (a, b))
    count = len(a) + len(b) - 1
    found = (x * y).to_bytes(size * (count + 1), "little")
    values = (int.from_bytes(found[i * size : (i + 1) * size], "little") for i in range(count))
    return [-(-value >> w) if up else value >> w for value in values]


def power(masses: Masses, times: int, w: int, up: bool) -> Masses:
    """The convolution of the masses with themselves."""
    found, square = [1 << w], masses
    while times:
        if times & 1:
            found = product(found, square, w, up)
        times >>= 1
        if times:
            square = product(square, square, w, up)
    return found


class Whole:
    """The masses of the whole composition from below and from above, in units of 2^-w, on ``least`` + k ``step``."""

    def __init__(self, releases: Sequence[Release], w: int) -> None:
        self.w, atoms = w, [release.pair(release.given, w + 16) for release in releases]
        self.step = gathered_step([[loss for loss, _ in found] for found, _, _ in atoms])
        spans = [(min(loss for loss, _ in found), max(loss for loss, _ in found)) for found, _, _ in atoms]
        length = sum((high - low) / self.step * r.times for (low, high), r in zip(spans, releases, strict=True))
        if length >= LONGEST or sum(release.times for release in releases) > MOST:
            raise Malformed(f"the composition has more than {LONGEST} losses or {MOST} releases")
        self.least = sum((low * r.times for (low, _), r in zip(spans, releases, strict=True)), Fraction(0))
        self.masses: list[Masses] = [[1 << w], [1 << w]]
        finite, left_out = [1 << w, 1 << w], 0
        for (found, infinite, missing), (low, high), release in zip(atoms, spans, releases, strict=True):
            for up in (False, True):
                own = [0] * (int((high - low) / self.step) + 1)
                for loss, mass in found:
                    own[int((loss - low) / self.step)] += self.units(mass)[up]
                self.masses[up] = product(self.masses[up], power(own, release.times, w, up), w, up)
                none = (1 << w) - self.units(infinite)[not up]
                finite[up] = product([finite[up]], power([none], release.times, w, up), w, up)[0]
            left_out += release.times * self.units(missing)[True]
        self.infinite = (1 << w) - finite[True], (1 << w) - finite[False]
        self.left_out = left_out

    def units(self, value: Interval) -> tuple[int, int]:
        """The ends in units of 2^-w, outward; a probability is never below 0."""
        low, high = value.units(-self.w)
        return max(low, 0), max(high, 0)

    def delta(self, epsilon: Fraction) -> tuple[Fraction, Fraction]:
        """Bounds of delta(epsilon): 1 - e^(epsilon - l) rises with l, so its factor e^-step is multiplied on."""
        w, first = self.w, max(0, int((epsilon - self.least) // self.step) + 1)
        shrink = self.units(rational(-self.step, w + 16).exp())
        start = rational(epsilon - self.least - first * self.step, w + 16).exp()
        factors, ends = list(self.units(start)), [self.infinite[0], self.infinite[1] + self.left_out]
        totals = [0, 0]
        for below, above in zip(self.masses[0][first:], self.masses[1][first:], strict=True):
            totals[0] += below * max(0, (1 << w) - factors[1])
            totals[1] += above * ((1 << w) - factors[0])
            factors = [factors[0] * shrink[0] >> w, -(-factors[1] * shrink[1] >> w)]
        low, high = ends[0] + (totals[0] >> w), ends[1] - (-totals[1] >> w)
        return Fraction(low, 1 << w), min(Fraction(1), Fraction(high, 1 << w))


@lru_cache(maxsize=2)
def composed(listed: str, w: int) -> Whole:
    """The whole composition of these releases; parts of one certificate share it."""
    return Whole([Release(given) for given in json.loads(listed)], w)


def gathered_step(losses: Sequence[Sequence[Fraction]]) -> Fraction:
    """The step of the lattice on which the losses of every release lie, up to a shift of its own."""
    return common([Fraction(0), *(loss - found[0] for found in losses for loss in found)])


class Composition:
    """lower <= delta(at), or the least epsilon with delta(epsilon) <= at, <= upper; a verdict on a claim."""

    def __init__(self, document: dict[str, Any], full: bool) -> None:
        shape(document, "the certificate", {"subject": dict, "statement": dict, **MADE})
        listed = shape(document["subject"], "the subject", {"releases": list})[0]
        if not 0 < len(listed) <= 100:
            raise Malformed("releases is not a list of 1 to 100 releases")
        self.listed, self.releases = listed, [Release(given) for given in listed]
        names = dict.fromkeys(("quantity", "at", "lower", "upper"), str)
        self.statement = document["statement"]
        shape(self.statement, "the statement", {**names, **dict.fromkeys(("claimed", "claimed_delta", "verdict"))})
        self.quantity = self.statement["quantity"]
        self.at, self.lower = (number(self.statement[name], name, DIGITS) for name in ("at", "lower"))
        self.upper = None if self.statement["upper"] == "inf" else number(self.statement["upper"], "upper", DIGITS)
        if self.quantity not in ("delta", "epsilon") or min(self.at, self.lower) < 0:
            raise Malformed("quantity is neither delta nor epsilon, or a number is negative")
        if self.upper is None and self.quantity == "delta":
            raise Malformed("delta is infinite")
        claim = [self.statement[name] for name in ("claimed", "claimed_delta", "verdict")]
        if (None in claim) != (claim == [None] * 3) or (claim[0] is not None and self.quantity == "epsilon"):
            raise Malformed("a claim needs an epsilon, a delta and a verdict, and is about delta")
        self.claimed = None if claim[1] is None else number(claim[1], "claimed_delta", DIGITS)
        if claim[0] is not None and number(claim[0], "claimed", DIGITS) != self.at:
            raise Malformed("the claim is not about the delta that is stated")

    def bits(self) -> int:
        """Enough for the digits of the smallest number that is stated, after all roundings."""
        texts = [value for value in self.statement.values() if isinstance(value, str)]
        small = [abs(v) for v in (self.at, self.lower, self.upper, self.claimed) if v]
        size = max((v.denominator.bit_length() - v.numerator.bit_length() for v in small), default=0)
        return -(-(96 + max(size, 0) + 4 * min(60, max(map(len, texts)))) // WORD) * WORD

    def check(self) -> tuple[list[str], dict[str, Any]]:
        """What was established, and the statement."""
        whole = composed(json.dumps(self.listed), self.bits())
        low, high = whole.delta(self.at if self.quantity == "delta" else self.lower)
        lines = [f"{len(whole.masses[0])} losses, step {whole.step} ({whole.w} bits): the masses lie between two lists"]
        if self.quantity == "delta":
            _require(self.lower, low, high, "the lower bound is above delta")
            _require(-(self.upper or Fraction(0)), -high, -low, "the upper bound is below delta")
            lines.append("delta lies between the stated bounds")
        else:
            if self.lower:
                _require(self.at, low, high, "delta at the lower bound is not above the stated one")
            if self.upper is not None:
                low, high = whole.delta(self.upper)
                _require(-self.at, -high, -low, "delta at the upper bound is above the stated one")
            lines.append("delta is at least the stated one at the lower, and at most at the upper bound")
        return [*lines, *self._verdict(low, high)], self._say()

    def _verdict(self, low: Fraction, high: Fraction) -> list[str]:
        if self.claimed is None:
            return []
        expected = "PROVED" if high <= self.claimed else "REFUTED" if low > self.claimed else "UNDECIDED"
        if self.statement["verdict"] != expected:
            raise Rejected(f"the verdict contradicts delta, by which it is {expected}")
        return [f"verdict {expected}: delta was compared with the claimed one"]

    def _say(self) -> dict[str, Any]:
        at, lower, upper = (brief(self.statement[name]) for name in ("at", "lower", "upper"))
        words = " and ".join(release.words for release in self.releases)
        value = f"{self.quantity} at {'epsilon' if self.quantity == 'delta' else 'delta'} = {at} lies between"
        said, verdict = "no claim", self.statement["verdict"]
        if self.claimed is not None:
            said = f"claimed: ({at}, {brief(self.statement['claimed_delta'])})-DP; verdict: {verdict}"
        return {
            "text": f"composition of {words}; neighboring data sets as in every release: "
            f"{value} {lower} and {upper}; {said}; checked: full",
            **{"quantity": self.quantity, "at": at, "lower": lower, "upper": upper},
            **{"verdict": verdict, "verdict_checked": self.claimed is not None, "checked": "full"},
        }


def _require(stated: Fraction, low: Fraction, high: Fraction, words: str) -> None:
    """That the stated number is at most every one between the two."""
    if stated > high:
        raise Rejected(words)
    if stated > low:
        raise Undecided
