"""Check on A3's Figure 3: which mechanism gives the nearest candidates the largest probability.

The figure names no n; its data are 50/50 for k = 2 and 33%, 33%, 34% for k = 3, so n = 100 is taken. Candidates that
differ by a permutation of cells with equal counts and equal priors are done once, with their multiplicity.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import factorial, prod

from dpaudit.claims import Batch, Context, Grid, Outcome, Sides, Statement, Step, check, scan, step
from dpaudit.mechanisms.laplace import LaplaceLaw, LSDim, LSHist
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.model import Histogram, Model, hamming, make_model, neighbors
from dpaudit.posterior.sensitivity import local

LARGER = Statement("probability under the mechanism claimed larger", ">", "probability under the other")
EPS = Fraction(1)
PAIRS = (("LSHist", "MH"), ("MH", "LSDim"))
LEVELS = ("the exact answer", "the nearest wrong candidates")
DATA = ((50, 50), (33, 33, 34), (25, 25, 25, 25))
MORE = (*DATA, (5, 5), (20, 20), (150, 150), (500, 500), (11, 11, 11), (20, 20, 20), (60, 60, 60), (10,) * 4, (20,) * 4)


def representatives(model: Model, x: Histogram) -> Iterator[tuple[Histogram, int]]:
    """Yields one candidate of each orbit under permutations of cells equal in prior and in x, and the orbit's size."""
    groups: dict[tuple[Fraction, int], list[int]] = {}
    for cell, key in enumerate(zip(model.prior, x, strict=True)):
        groups.setdefault(key, []).append(cell)
    cells = list(groups.values())
    for c in model.histograms:
        if all(c[i] <= c[j] for group in cells for i, j in pairwise(group)):
            yield c, prod(_arrangements([c[i] for i in group]) for group in cells)


def _arrangements(counts: list[int]) -> int:
    """The number of distinct permutations."""
    return factorial(len(counts)) // prod(factorial(counts.count(value)) for value in set(counts))


@lru_cache(maxsize=16)
def orbits(x: Histogram) -> tuple[tuple[Histogram, int], ...]:
    """All representatives with prior (1,…,1); they do not depend on the precision."""
    return tuple(representatives(make_model(sum(x), len(x)), x))


class NearestLevels:
    """The two nearest levels of one data set under MH, LSDim and LSHist, at the precision in force."""

    def __init__(self, x: Histogram) -> None:
        self.model = make_model(sum(x), len(x))
        self.x, self.h = x, Hellinger(self.model)
        self.orbits = orbits(x)
        self.distances = [self.h.between(x, c) for c, _ in self.orbits]
        self.ls = local(self.h, x)
        self.smooth = self._smooth()
        self.levels = [[x], self._nearest()]
        self.probabilities = {"MH": self._exponential(), "LSDim": self._laplace(LSDim), "LSHist": self._laplace(LSHist)}

    def _smooth(self) -> Ball:
        """A ball that contains S(x), γ = 1."""
        known: dict[Histogram, Ball] = {}
        inverse = []
        for c, _ in self.orbits:
            (key,) = self.model.canonical(c)
            if key not in known:
                known[key] = 1 / local(self.h, key)
            inverse.append(known[key] + hamming(self.x, c))
        return 1 / balls.minimum(inverse)

    def _nearest(self) -> list[Histogram]:
        """The candidates at the least positive distance: proposed by floats, certified, ties by BC²."""
        wrong = [(value, c) for value, (c, _) in zip(self.distances, self.orbits, strict=True) if c != self.x]
        least, best = min(wrong, key=lambda entry: float(entry[0]))
        square = bc_squared(self.model, self.x, best)
        tied = [c for value, c in wrong if balls.overlap(value, least) and bc_squared(self.model, self.x, c) == square]
        if not all(c in tied or balls.certainly_less(least, value) for value, c in wrong):
            raise balls.PrecisionExhausted(balls.working_bits())
        return [c for c in neighbors(self.x) if bc_squared(self.model, self.x, c) == square]

    def _exponential(self) -> list[Ball]:
        rate = -ball(EPS / 2) / self.smooth
        weights = [(rate * value).exp() for value in self.distances]
        normaliser = balls.total([w * size for w, (_, size) in zip(weights, self.orbits, strict=True)])
        levels = [balls.total([(rate * self.h.between(self.x, r)).exp() for r in level]) for level in self.levels]
        return [value / normaliser for value in levels]

    def _laplace(self, kind: type[LSDim] | type[LSHist]) -> list[Ball]:
        law = LaplaceLaw(kind(self.model, EPS))
        cells = [law.cell(count) for count in self.x[:-1]]
        return [
            balls.total([prod((p[o] for p, o in zip(cells, r, strict=False)), start=ball(1)) for r in level])
            for level in self.levels
        ]


@lru_cache(maxsize=64)
def _near(x: Histogram, bits: int) -> NearestLevels:
    return NearestLevels(x)


def near(x: Histogram) -> NearestLevels:
    """The levels at the precision in force."""
    return _near(x, balls.working_bits())


def order(x: Histogram, pair: tuple[str, str]) -> Batch:
    """The statement "the first mechanism gives the level a larger probability than the second", level by level."""
    first, second = pair

    def sides() -> Sides:
        found = near(x).probabilities
        for number, level in enumerate(LEVELS):
            yield level, found[first][number], found[second][number]

    def steps(level: str) -> list[Step]:
        found, number = near(x), LEVELS.index(level)
        members = ", ".join(str(r) for r in found.levels[number])
        distance = found.h.between(x, found.levels[number][0])
        return [
            step("LS(x)", "max over adjacent x′ of H(x,x′)", found.ls),
            step("S(x)", "max of 1/(1/LS(x″) + d(x,x″))", found.smooth),
            step("candidates", f"{level}: {members}; H", distance),
            *(step(name, "Pr[output is one of them]", p[number]) for name, p in found.probabilities.items()),
        ]

    where = {"k": len(x), "n": sum(x), "x": x, "eps": EPS, "larger": first, "other": second}
    return Batch(where, sides, ("level",), steps=steps)


WORDS = "prior (1, …, 1), ε = 1, γ = 1; the exact answer and the nearest wrong candidates"


@check("fig.near-candidates", grid=Grid(WORDS, x=DATA).wider(x=MORE), weight=5)
def near_candidates(ctx: Context) -> Outcome:
    """LSHist gives the nearest candidates the largest probability, then MH, then LSDim (A3 Fig. 3)."""
    data = [point.x for point in ctx.grid]
    outcome = scan(LARGER, (order(x, pair) for x in data for pair in PAIRS))
    parts = [
        scan(LARGER, [order(x, pair)]).part(f"{pair[0]} above {pair[1]} at x = {x}") for pair in PAIRS for x in data
    ]
    held = [
        pair
        for pair in PAIRS
        if all(part.verdict is Verdict.PROVED for part in parts if part.statement.startswith(f"{pair[0]} "))
    ]
    return outcome.having("; ".join(f"{a} above {b} holds throughout" for a, b in held), parts)
