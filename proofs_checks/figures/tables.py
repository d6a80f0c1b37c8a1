"""One row of the model at a time, for large n; and P1's Tables 1 and 2 as printed, with what any recipe would print.

Everything is a ball at the precision in force; nothing here decides. A row of a table is one attained distance: the
printed probability is that of all candidates there. The printed numbers have 12 significant digits (trailing zeros
dropped), so a value agrees if it is within half a unit of the 12th digit. Which candidates share a distance is decided
exactly, by BC².
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from operator import mul

from dpaudit.mechanisms.laplace import Laplace, LaplaceLaw, LSDim
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger, bc_squared
from dpaudit.posterior.divergences import HellingerDistance
from dpaudit.posterior.model import Histogram, Model, hamming, make_model
from dpaudit.posterior.sensitivity import global_, gs_constant, local, local_all


class Row:
    """Data set x of a model: H(x, r) for every histogram r, LS everywhere, smooth sensitivities at x."""

    def __init__(self, model: Model, x: Histogram) -> None:
        self.model, self.x = model, x
        self.h = Hellinger(model)

    @cached_property
    def distances(self) -> list[Ball]:
        """Balls that contain H(x, r), in the model's order."""
        return self.h.row(self.x)

    @cached_property
    def ls(self) -> Ball:
        """A ball that contains LS(x)."""
        return local(self.h, self.x)

    @cached_property
    def _everywhere(self) -> list[tuple[int, Ball]]:
        """Returns, for every distance d, a ball that contains the largest LS at that Hamming distance from x."""
        by_distance: dict[int, list[Ball]] = {}
        for c, value in zip(self.model.histograms, local_all(self.h), strict=True):
            by_distance.setdefault(hamming(self.x, c), []).append(value)
        return [(d, balls.maximum(values)) for d, values in sorted(by_distance.items())]

    def smooth(self, gamma: Fraction) -> Ball:
        """A ball that contains S(x) = max 1/(1/LS(x″) + γ·d(x,x″))  (A3 Definition 5)."""
        return 1 / balls.minimum([1 / value + ball(gamma * d) for d, value in self._everywhere])

    def smooth_exp(self, gamma: Ball, most: int | None = None) -> Ball:
        """A ball that contains S_exp(x) = max LS(x″)·e^(−γ·d(x,x″)), over d(x,x″) ≤ ``most`` (P1 §4.2)."""
        chosen = [(d, value) for d, value in self._everywhere if most is None or d <= most]
        return balls.maximum([value * (-gamma * d).exp() for d, value in chosen])

    def sensitivity(self, name: str, eps: Fraction) -> Ball:
        """A ball that contains the sensitivity of that name at x; P1's γ is that of ε and DELTA."""
        gamma = MHdelta(self.model, eps, DELTA).gamma()
        values: dict[str, Callable[[], Ball]] = {
            S_EXP: lambda: self.smooth_exp(gamma),
            S_EXP_NEAR: lambda: self.smooth_exp(gamma, 1),
            S_GAMMA: lambda: self.smooth(Fraction(1)),
            LS: lambda: self.ls,
            GS_CONSTANT: gs_constant,
            GS_EXACT: lambda: global_(self.h),
        }
        return values[name]()

    def exponential(self, rate: Ball) -> list[Ball]:
        """Balls that contain P(r) ∝ exp(−rate·H(x,r))."""
        weights = [(-rate * h).exp() for h in self.distances]
        normaliser = 1 / balls.total(weights)
        return [w * normaliser for w in weights]

    def exponential_mean(self, rate: Ball) -> Ball:
        """A ball that contains E[H] under P(r) ∝ exp(−rate·H(x,r))."""
        return mean(self.exponential(rate), self.distances)

    def laplace_mean(self, mechanism: Laplace) -> Ball:
        """A ball that contains E[H(posterior, released)], over all outputs of the mechanism at x."""
        law = LaplaceLaw(mechanism)
        if mechanism.noised() == 1:
            return mean(law.cell(self.x[0]), self.distances)
        h = HellingerDistance(self.model)
        released = (h.between(self.x, mechanism.released(output)) for output in mechanism.outputs())
        return mean(law.probabilities(self.x), list(released))


def mean(weights: Sequence[Ball], values: Sequence[Ball]) -> Ball:
    """A ball that contains Σ wᵢ·vᵢ."""
    return balls.total(list(map(mul, weights, values)))


EPS, DELTA = Fraction(4, 5), Fraction(1, 10**8)
COLUMNS = ("H", "exponential", "Laplace")

TABLE_1 = (
    ("0.0", "0.37924298484", "0.329679953964"),
    ("0.233629480709", "0.340809715054", "0.220991081918"),
    ("0.457635865026", "0.158265808563", "0.148134752205"),
    ("0.662174391701", "0.0785621424847", "0.0992976939175"),
    ("0.83737258593", "0.0431193490585", "0.066561234758"),
)
"""P1 Table 1, nearest candidates first: distance, our exponential mechanism, Laplace mechanism."""

TABLE_2 = (
    ("0.0", "0.0713016293602", "0.108688872046"),
    ("0.110122822057", "0.192227323562", "0.170131188571"),
    ("0.187421762881", "0.0548161224677", "0.0285774941516"),
    ("0.999999984481", "0.000149705644585", "3.05988187701e-09"),
)
"""P1 Table 2, nearest candidates first."""

Printed = tuple[tuple[str, str, str], ...]


def half_unit(printed: str) -> Fraction:
    """Half a unit of the 12th significant digit of the printed number.

    >>> half_unit("0.0785621424847") == Fraction(1, 2 * 10**13), half_unit("0.83737258593") == Fraction(1, 2 * 10**12)
    (True, True)
    """
    value = Fraction(printed)
    exponent = 0
    while value and value < 1:
        value, exponent = 10 * value, exponent + 1
    return Fraction(1, 2 * 10 ** (11 + max(exponent, 1)))


@dataclass(frozen=True)
class Recipe:
    """One way in which a table may have been made: P(r) ∝ exp(−ε·H / (factor·sensitivity)), and a noise."""

    n: int
    prior: tuple[int, ...]
    x: Histogram
    sensitivity: str
    factor: int
    noise: str

    def parameters(self) -> dict[str, object]:
        """What a reader needs to make the table again."""
        own = {name: getattr(self, name) for name in ("n", "prior", "x", "sensitivity", "factor", "noise")}
        return {**own, "eps": EPS}


S_EXP, S_EXP_NEAR, S_GAMMA = "S_exp(x) with P1's γ", "S_exp(x) over adjacent data", "S(x) with γ = 1"
LS, GS_CONSTANT, GS_EXACT = "LS(x)", "GS₀", "GS(n, α)"
SENSITIVITIES = (S_EXP, LS, S_GAMMA, S_EXP_NEAR, GS_CONSTANT, GS_EXACT)
TRUNCATED = "Lap(2/ε) truncated toward 0"
FLOORED = "Lap(2/ε) floored and clipped"


def row_of(recipe: Recipe) -> Row:
    """The row of the recipe's data set at the precision in force; the settings of one search share it."""
    return _row(recipe.n, recipe.prior, recipe.x, balls.working_bits())


@lru_cache(maxsize=16)
def _row(n: int, prior: tuple[int, ...], x: Histogram, bits: int) -> Row:
    return Row(make_model(n, prior=prior), x)


def abs_law(t: int) -> Ball:
    """A ball that contains Pr[⌊|Y|⌋ = t] = e^(−tε/2) − e^(−(t+1)ε/2), Y ~ Lap(2/ε)  (P1 §5.1)."""
    return (-ball(EPS * t / 2)).exp() - (-ball(EPS * (t + 1) / 2)).exp()


def noise(recipe: Recipe, r: Histogram) -> Ball:
    """A ball that contains the probability that noise on the first k−1 cells takes x to r."""
    if recipe.noise == FLOORED:
        law = LaplaceLaw(LSDim(make_model(recipe.n), EPS))
        return law.cell(recipe.x[0])[r[0]]
    value = ball(1)
    for c, d in zip(recipe.x[:-1], r[:-1], strict=True):
        value = value * (abs_law(abs(d - c)) / (1 if c == d else 2))
    return value


@lru_cache(maxsize=256)
def level(row: Row, printed: str) -> tuple[Histogram, ...]:
    """The candidates at the attained distance that is nearest to the printed one; equal distances exactly.

    Floats only point at the nearest candidate; candidates whose balls overlap its own are compared by BC².
    """
    target, candidates = float(Fraction(printed)), row.model.histograms
    best = min(range(len(candidates)), key=lambda i: abs(float(row.distances[i]) - target))
    near = [i for i, value in enumerate(row.distances) if balls.overlap(value, row.distances[best])]
    square = bc_squared(row.model, row.x, candidates[best])
    return tuple(candidates[i] for i in near if bc_squared(row.model, row.x, candidates[i]) == square)


def computed(recipe: Recipe, printed: Printed) -> dict[tuple[str, int], tuple[Ball, tuple[Histogram, ...]]]:
    """What the recipe gives in place of every printed number, by (column, row), and the row's candidates."""
    row = row_of(recipe)
    rate = ball(EPS / recipe.factor) / row.sensitivity(recipe.sensitivity, EPS)
    law = row.exponential(rate)
    values = {}
    for number, (distance, _, _) in enumerate(printed):
        members = level(row, distance)
        index = [row.model.index[r] for r in members]
        values["H", number] = row.distances[index[0]], members
        values["exponential", number] = balls.total([law[i] for i in index]), members
        values["Laplace", number] = balls.total([noise(recipe, r) for r in members]), members
    return values


def entries(printed: Printed) -> list[tuple[str, int, str]]:
    """(column, row, printed number), nearest rows first."""
    return [(column, i, row[j]) for (i, row), (j, column) in product(enumerate(printed), enumerate(COLUMNS))]
