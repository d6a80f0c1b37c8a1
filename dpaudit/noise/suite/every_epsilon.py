"""Whether a row is epsilon-DP for every epsilon > 0, over the suite's pairs.

All scales are multiples of 1/epsilon, so in units of the noise the data are multiples of epsilon: every probability is
a sum of c epsilon^p e^(j epsilon/d), found once with symbolic breakpoints. "P <= e^epsilon Q for every epsilon" is
then the sign of one such function on (0, infinity): proved cell by cell, at 0 by the first derivative that does not
vanish and at infinity by the leading term. Where no power p occurs it is a polynomial in e^(-epsilon/d).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from flint import fmpq

from dpaudit.noise.explore import explore
from dpaudit.noise.pieces import POWERS, Grid, Terms, plus, times
from dpaudit.noise.signs import Smooth, cells
from dpaudit.noise.suite.inputs import Program, Vector, ordered
from dpaudit.noise.suite.rows import Row
from dpaudit.noise.suite.special import svt_6_classes
from dpaudit.noise.trees import Node, best_root, density, grid_for, rooted
from dpaudit.numbers import balls
from dpaudit.numbers.digits import rough
from dpaudit.numbers.verdict import Verdict

BITS = 192
InEpsilon = tuple[int, Terms]
"""(d, {(p, j, 0): c}): the sum of c epsilon^p e^(j epsilon/d)."""


@dataclass(frozen=True)
class EveryEpsilon:
    """The verdict on "epsilon-DP for every epsilon > 0, over the suite's pairs"; ``where`` says where it fails."""

    verdict: Verdict
    powers: bool
    """Whether powers of epsilon occur beside the exponentials."""
    where: str = ""


@lru_cache(maxsize=1 << 14)
def symbolic_chance(node: Node) -> InEpsilon:
    """The chance of a closed tree whose scales are those of epsilon = 1, for every epsilon."""
    plain = grid_for([node])
    grid = Grid(plain.a, plain.b, symbolic=True)
    found: Terms = {}
    for (_, _, index), c in density(node, grid).integral().items():
        found[index % POWERS, index // POWERS, 0] = c
    return grid.a * grid.b, found


def product(a: InEpsilon, b: InEpsilon) -> InEpsilon:
    """The product of two such functions."""
    d = lcm(a[0], b[0])
    return d, times(_finer(a, d), _finer(b, d))


def _finer(f: InEpsilon, d: int) -> Terms:
    return {(p, j * (d // f[0]), 0): c for (p, j, _), c in f[1].items()}


def symbolic_law(program: Program, x: Vector) -> dict[Any, InEpsilon]:
    """The probabilities of a program with finitely many outputs, for every epsilon."""
    data = tuple(Fraction(q) for q in x)
    found: dict[Any, InEpsilon] = {}
    for path in explore(lambda noise: program(data, noise, Fraction(1)), dict).paths:
        value: InEpsilon = (1, {(0, 0, 0): fmpq(1)})
        for tree in path.system.trees():
            value = product(value, symbolic_chance(rooted(tree, best_root(tree))))
        if path.output in found:
            d = lcm(found[path.output][0], value[0])
            value = d, plus(_finer(found[path.output], d), _finer(value, d))
        found[path.output] = value
    return found


def _laws(row: Row) -> Iterator[tuple[Vector, Vector, Sequence[tuple[Any, InEpsilon, InEpsilon]]]]:
    """(x, x', (output, P, P')) for every ordered pair."""
    if row.name == "SVT6":
        for x, y in ordered(row.pairs):
            classes = svt_6_classes(x, y, Fraction(1))
            yield x, y, [(name, symbolic_chance(mine), symbolic_chance(theirs)) for name, (mine, theirs) in classes]
        return
    if row.program is None:
        raise ValueError("the row has no program")
    laws = {x: symbolic_law(row.program, x) for x in dict.fromkeys(x for pair in row.pairs for x in pair)}
    for x, y in ordered(row.pairs):
        yield x, y, [(output, p, laws[y][output]) for output, p in laws[x].items()]


@dataclass(frozen=True)
class Failure:
    """An open interval of epsilons on which P > e^epsilon Q for one output; None is infinity."""

    low: Fraction
    high: Fraction | None
    gap: Smooth
    words: str

    def meets(self, at: Fraction) -> bool:
        """Whether it fails at this epsilon, the lower end or inside."""
        return self.low < at or (self.low == at and self.gap.sign_at(at) < 0)


def decide(row: Row) -> EveryEpsilon:
    """The verdict for the row, whose outputs are finitely many and whose noise is Laplace or exponential."""
    outcome, powers, done, failures = Verdict.PROVED, False, set[Any](), list[Failure]()
    with balls.precision(BITS):
        for x, y, outputs in _laws(row):
            for output, p, q in outputs:
                key = p[0], q[0], frozenset(p[1].items()), frozenset(q[1].items())
                if key in done:
                    continue
                done.add(key)
                d = lcm(p[0], q[0])
                grown = {(m, j + d, 0): c for (m, j, _), c in _finer(q, d).items()}
                gap = Smooth(Grid(d, 1), plus(grown, _finer(p, d), -1))
                powers = powers or any(m for m, _, _ in gap.terms)
                for cell in cells(gap, Fraction(0), None) if gap.terms else ():
                    if cell.sign < 0:
                        name = output[1] if isinstance(output, tuple) and output[0] is str else output
                        words = f"x = {x}, x′ = {y}, output {name}"
                        failures.append(Failure(cell.low or Fraction(0), cell.high, gap, words))
                    elif cell.sign == 0:
                        outcome = Verdict.UNDECIDED
        if failures:
            return EveryEpsilon(Verdict.REFUTED, powers, _where(failures))
    return EveryEpsilon(outcome, powers)


def _where(failures: Sequence[Failure]) -> str:
    """Where it fails, over all outputs together, and the output that fails on the longest part."""
    merged: list[tuple[Fraction, Fraction | None]] = []
    for failure in sorted(failures, key=lambda f: f.low):
        low, high = merged[-1] if merged else (Fraction(0), Fraction(0))
        inside = high is None or failure.low < high or (failure.low == high and failure.meets(high))
        if not merged or not inside:
            merged.append((failure.low, failure.high))
        elif high is not None and (failure.high is None or failure.high > high):
            merged[-1] = low, failure.high
    words = " and ".join(map(_interval, merged))
    longest = max(failures, key=lambda f: (f.high is None, f.high or -f.low))
    return f"fails for {words}; for {_interval((longest.low, longest.high))} at {longest.words}"


def _interval(ends: tuple[Fraction, Fraction | None]) -> str:
    low, high = ends
    if high is not None:
        return f"ε in ({rough(low, 4)}, {rough(high, 4)})"
    return f"every ε > {rough(low, 4)}"


DECIDED = ("ReportNoisyMax1", "ReportNoisyMax2", "SVT1", "SVT2", "SVT4", "SVT6", "AdaptiveSVT")
"""Rows with finitely many outputs whose laws are sums of epsilon^p e^(j epsilon)."""
LOCAL = "the largest ratio of two probabilities is e^ε by definition: true ε = ε for every ε"
DENSITY = "a real output: its supremum is over densities, which are not decided for every ε"
FIXED = "its parameters are given as numbers, not by an ε"
NORMAL = "Gaussian noise: the law is an integral of erfc, no sum of exponentials"
OTHERS = {
    "Laplace": "the loss is ε |x − x′| wherever it is largest: true ε = ε for every ε",
    "TruncatedGeometric": "its k = ⌈ln(2/ε)⌉ jumps with ε: not one formula",
    "NoisyHist1": "as Laplace, in the one entry that differs",
    "NoisyHist2": "its scale is ε itself, so the loss is 1/ε: ε-DP exactly for ε ≥ 1",
    "ReportNoisyMax3": "a real output; over all inputs true ε = 5ε/2 for every ε, attained on the suite's pairs",
    "ReportNoisyMax4": "∞ for every ε: values of x are impossible for x′",
    "SVT3": "a real output; over all inputs true ε = 5ε for every ε, attained on the suite's pairs",
    "SVT5": "∞ for every ε: an output is impossible for x′",
    "Rappor": FIXED,
    "OneTimeRappor": FIXED,
    "LaplaceParallel": "20 losses of ε/20 add: true ε = ε for every ε",
    "PrefixSum": "the losses of the draws add: true ε = 10 ε for every ε",
    "NumericalSVT": DENSITY,
    "SVT34Parallel": DENSITY,
    "SmartSum": "the losses of two draws add: true ε = 2ε for every ε",
    "GapSVT": DENSITY,
    **dict.fromkeys(("GRR k=200", "SubsetSelection k=200", "SUE k=200", "OUE k=200", "BLH k=200", "OLH k=200"), LOCAL),
    **dict.fromkeys(("GaussianNoisyMax", "GaussianSVT"), NORMAL),
}
"""The reason why each other row is not decided here, or the line that settles it."""
