"""Finite mechanisms with explicit laws: classes of equivalent outputs, never all 2^k of them."""

from __future__ import annotations

from fractions import Fraction

from dpaudit.noise.densities import Part
from dpaudit.noise.losses import Law
from dpaudit.numbers.exponentials import of_rational


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
