"""Finite mechanisms whose laws are written down: classes of outputs that are alike, never 2^k of them."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb

from dpaudit.noise.densities import Part
from dpaudit.noise.losses import Law
from dpaudit.noise.trees import multiply
from dpaudit.numbers.exponentials import ONE, Exponentials, Form, combine, of_rational


def truncated_geometric(count: int, most: int = 5, k: int = 3) -> Law:
    """Balcer and Vadhan, Algorithm 4.8, on counts 0..most, with its scale parameter k."""
    unit = 1 << k
    base, whole = unit + 1, (2 * unit + 1) * (unit + 1) ** (most - 1)

    def up_to(z: int) -> int:
        if z == most:
            return int(whole)
        if z < count:
            return int(unit ** (count - z) * base ** (most - (count - z)))
        return int(whole - unit ** (z - count + 1) * base ** (most - 1 - (z - count)))

    steps = [up_to(z) - (up_to(z - 1) if z else 0) for z in range(most + 1)]
    return {(int, z): Part(of_rational(Fraction(step, whole)), ()) for z, step in enumerate(steps)}


def bit_laws(p: Form, q: Form, set_here: int, set_there: int) -> tuple[Law, Law]:
    """Bits that are 1 with chance p where set, else q: ``set_here`` are set for x alone, ``set_there`` for x' alone.

    An output is (ones among the first, ones among the second); other bits tell nothing.
    """
    here, there = dict[object, Part](), dict[object, Part]()
    for a, b in product(range(set_here + 1), range(set_there + 1)):
        many = Fraction(comb(set_here, a) * comb(set_there, b))
        key = (str, f"{a} of {set_here} bits of x, {b} of {set_there} bits of x′")
        for law, (first, second) in ((here, (p, q)), (there, (q, p))):
            law[key] = Part(multiply([of_rational(many), *_bits(first, a, set_here), *_bits(second, b, set_there)]), ())
    return here, there


def _bits(p: Form, ones: int, size: int) -> list[Form]:
    other = combine([of_rational(Fraction(1)), ({e: -c for e, c in p[0].items()}, p[1])], add_up=True)
    if other is None:
        raise ArithmeticError("too many terms")
    return [p] * ones + [other] * (size - ones)


def class_laws(weights: dict[str, tuple[Form, Form, int]]) -> tuple[Law, Law]:
    """Laws from classes of outputs: chances under x and x' of one output, and how many outputs are alike."""
    laws: list[dict[object, Part]] = [{}, {}]
    for name, (p, q, many) in weights.items():
        for side, chance_ in enumerate((p, q)):
            laws[side][str, name] = Part(multiply([chance_, of_rational(Fraction(many))]), ())
    return laws[0], laws[1]


def quotient(top: Exponentials, bottom: Exponentials) -> Form:
    """The quotient, in the form that sums and products keep."""
    return multiply([(top, bottom), (ONE, ONE)])


def murmur3(text: str, seed: int) -> int:
    """MurmurHash3 (x86, 32 bits, signed) of a short text: the hash of the suite's Bloom filter."""
    data, h, mask = text.encode(), seed, 0xFFFFFFFF

    def mix(k: int) -> int:
        k = k * 0xCC9E2D51 & mask
        return ((k << 15 | k >> 17) & mask) * 0x1B873593 & mask

    blocks = len(data) // 4 * 4
    for i in range(0, blocks, 4):
        h ^= mix(int.from_bytes(data[i : i + 4], "little"))
        h = ((h << 13 | h >> 19) & mask) * 5 + 0xE6546B64 & mask
    if data[blocks:]:
        h ^= mix(int.from_bytes(data[blocks:], "little"))
    h ^= len(data)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        h = (h ^ h >> shift) * factor & mask
    h ^= h >> 16
    return h - (1 << 32) if h >> 31 else h


def bloom_bits(value: int, size: int = 20, hashes: int = 4) -> frozenset[int]:
    """The bits that the suite's Bloom filter sets for the value."""
    return frozenset(murmur3(str(value), seed) % size for seed in range(hashes))
