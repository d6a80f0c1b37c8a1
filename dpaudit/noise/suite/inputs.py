"""The suite's pairs of neighboring inputs, and the laws of a program on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.noise.densities import parts
from dpaudit.noise.explore import explore
from dpaudit.noise.losses import Law
from dpaudit.noise.source import Noise

Vector = tuple[int, ...]
Program = Callable[[Sequence[Fraction], Noise, Fraction], Any]
NOMINAL = Fraction(1, 10)


def suite_pairs(d: int, every: bool) -> list[tuple[Vector, Vector]]:
    """The pairs of StatDP and DP-Sniper; with ``every`` also those that differ in more than one entry."""
    ones = (1,) * d
    found = [(ones, (0, *ones[1:])), (ones, (2, *ones[1:]))]
    if every:
        half = d // 2
        others = [(2,) + (0,) * (d - 1), (0,) + (2,) * (d - 1), (2,) * half + (0,) * (d - half), (2,) * d, (0,) * d]
        found += [(ones, other) for other in others]
        found.append(((1,) * half + (0,) * (d - half), (0,) * half + (1,) * (d - half)))
    return list(dict.fromkeys(found))


def law_of(program: Program, x: Vector, eps: Fraction) -> Law:
    """The law of the program on x; its outputs have real parts or none."""
    data = tuple(Fraction(q) for q in x)
    return parts(explore(lambda noise: program(data, noise, eps), dict).paths)


def laws_of(program: Program, pairs: Sequence[tuple[Vector, Vector]], eps: Fraction) -> dict[Vector, Law]:
    """The laws on every input of the pairs."""
    return {x: law_of(program, x, eps) for x in dict.fromkeys(x for pair in pairs for x in pair)}


def ordered(pairs: Sequence[tuple[Vector, Vector]]) -> list[tuple[Vector, Vector]]:
    """Every pair in both orders."""
    return [order for x, y in pairs for order in ((x, y), (y, x))]
