"""The rows of the suite that are local protocols: uses of the mechanisms by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.load import load_mechanism
from dpaudit.noise.densities import Part
from dpaudit.noise.losses import Law
from dpaudit.noise.suite.closed import bloom_bits
from dpaudit.noise.suite.inputs import suite_pairs
from dpaudit.noise.suite.rows import Labeled, Row
from dpaudit.numbers.expressions import Value, exponential_form
from dpaudit.privacy.protocols import Dataset

BLOOM = "MurmurHash3 with seeds 0..3 of the decimal text, modulo 20: 6 bits differ between 1 and 0, 5 between 1 and 2."
BITS = 20


@dataclass(frozen=True)
class Bloom:
    """A Bloom filter of the suite; a bit is reported as 1 with ``one`` where it is set, else with 1 - ``one``."""

    one: Fraction
    values: tuple[int, int]

    def datasets(self) -> Sequence[int]:
        """Two counts."""
        return self.values

    def coordinates(self, x: int) -> list[Fraction]:
        """The probability of a 1, bit by bit."""
        known = bloom_bits(x)
        return [self.one if bit in known else 1 - self.one for bit in range(BITS)]


def _law(mechanism: Any, x: Dataset) -> Law:
    """The law of a table in the form of the suite."""
    row = mechanism.row(x)
    found: dict[object, Part] = {}
    for output, entry in zip(mechanism.outputs(), row.entries, strict=True):
        form = exponential_form(entry)
        if form is None:
            raise ArithmeticError("an entry without a canonical form")
        found[str, str(output)] = Part(form, ())
    return found


def _case(mechanism: Mechanism) -> Labeled:
    x, y = tuple(mechanism.datasets())[:2]
    return x, y, _law(mechanism, x), _law(mechanism, y)


def _named(name: str, **given: Value | int | str) -> Callable[[], list[Labeled]]:
    return lambda: [_case(load_mechanism(name, 1, given))]


def _rappor(one: Fraction) -> Callable[[], list[Labeled]]:
    def cases() -> list[Labeled]:
        return [_case(load_mechanism(Bloom(one, (x, y)), 1, {})) for (x,), (y,) in suite_pairs(1, False)]

    return cases


RAPPOR_ROWS: tuple[Row, ...] = (
    Row(
        "Rappor",
        "Bloom filter of 20 bits, 4 hashes; f = 3/4, then p = 0.45, q = 0.55. d = 1, pairs differ in one entry.",
        Fraction(2, 5),
        _rappor(Fraction(9, 20) + Fraction(1, 10) * (1 - Fraction(3, 8))),
        "0.2495",
        "0.3030",
        note=f"{BLOOM} Claimed is about the 8 ln(…) of the paper.",
    ),
    Row(
        "OneTimeRappor",
        "Bloom filter of 20 bits, 4 hashes; f = 0.95. d = 1, pairs differ in one entry.",
        Fraction(4, 5),
        _rappor(1 - Fraction(95, 200)),
        "0.4763",
        "0.6019",
        note=BLOOM,
    ),
)
K = 200
IN_TWO_BITS = "unary encoding, ε = 1: two inputs differ in two bits."
LOCAL_ROWS: tuple[Row, ...] = (
    Row("GRR k=200", "k-ary randomized response, ε = 1, k = 200.", Fraction(1), _named("randomized-response", k=K)),
    Row("SubsetSelection k=200", "Subsets of 54 of 200 values, ε = 1.", Fraction(1), _named("subset-selection", k=K)),
    Row("SUE k=200", f"Symmetric {IN_TWO_BITS}", Fraction(1), _named("sue", k=K)),
    Row("OUE k=200", f"Optimized {IN_TWO_BITS}", Fraction(1), _named("oue", k=K)),
    Row(
        "BLH k=200",
        "Binary local hashing, ε = 1, the hash separates the pair.",
        Fraction(1),
        _named("blh", k=K, collision=0),
    ),
    Row(
        "OLH k=200",
        "Local hashing to g = 4 values, ε = 1, the hash separates the pair.",
        Fraction(1),
        _named("olh", k=K, collision=0),
    ),
)
"""In the order of LDP-Audit."""
