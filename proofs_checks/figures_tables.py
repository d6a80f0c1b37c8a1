"""P1's Tables 1 and 2 as printed, and what any setting would print in their place.

A row of a table is one attained distance: the printed probability is that of all candidates there. The printed
numbers have 12 significant digits (trailing zeros dropped), so a value agrees if it is within half a unit of the
12th digit. Which candidates share a distance is decided exactly, by BC².
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product

from dpaudit.mechanisms.laplace import LaplaceLaw, LSDim
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import bc_squared
from dpaudit.posterior.model import Histogram, make_model
from proofs_checks.rows import Row

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
    """Returns half a unit of the 12th significant digit of the printed number.

    >>> half_unit("0.0785621424847") == Fraction(1, 2 * 10**13), half_unit("0.83737258593") == Fraction(1, 2 * 10**12)
    (True, True)
    """
    value = Fraction(printed)
    exponent = 0
    while value and value < 1:
        value, exponent = 10 * value, exponent + 1
    return Fraction(1, 2 * 10 ** (11 + max(exponent, 1)))


@dataclass(frozen=True)
class Setting:
    """One way in which a table may have been made: P(r) ∝ exp(−ε·H / (factor·sensitivity)), and a noise."""

    n: int
    prior: tuple[int, ...]
    x: Histogram
    sensitivity: str
    factor: int
    noise: str

    def parameters(self) -> dict[str, object]:
        """Returns what a reader needs to make the table again."""
        own = {name: getattr(self, name) for name in ("n", "prior", "x", "sensitivity", "factor", "noise")}
        return {**own, "eps": EPS}


S_EXP, S_EXP_NEAR, S_GAMMA = "S_exp(x) with P1's γ", "S_exp(x) over adjacent data", "S(x) with γ = 1"
LS, GS_CONSTANT, GS_EXACT = "LS(x)", "GS₀", "GS(n, α)"
SENSITIVITIES = (S_EXP, LS, S_GAMMA, S_EXP_NEAR, GS_CONSTANT, GS_EXACT)
TRUNCATED = "Lap(2/ε) truncated toward 0"
FLOORED = "Lap(2/ε) floored and clipped"


def row_of(setting: Setting) -> Row:
    """Returns the row of the setting's data set at the precision in force; the settings of one search share it."""
    return _row(setting.n, setting.prior, setting.x, balls.working_bits())


@lru_cache(maxsize=16)
def _row(n: int, prior: tuple[int, ...], x: Histogram, bits: int) -> Row:
    return Row(make_model(n, prior=prior), x)


def sensitivity(row: Row, name: str) -> Ball:
    """Returns a ball that contains the sensitivity of that name at x."""
    gamma = row.gamma_p1(EPS, DELTA)
    values = {
        S_EXP: lambda: row.smooth_exp(gamma),
        S_EXP_NEAR: lambda: row.smooth_exp(gamma, 1),
        S_GAMMA: lambda: row.smooth(Fraction(1)),
        LS: lambda: row.ls,
        GS_CONSTANT: row.gs_constant,
        GS_EXACT: row.gs_exact,
    }
    return values[name]()


def abs_law(t: int) -> Ball:
    """Returns a ball that contains Pr[⌊|Y|⌋ = t] = e^(−tε/2) − e^(−(t+1)ε/2), Y ~ Lap(2/ε)  (P1 §5.1)."""
    return (-ball(EPS * t / 2)).exp() - (-ball(EPS * (t + 1) / 2)).exp()


def noise(setting: Setting, r: Histogram) -> Ball:
    """Returns a ball that contains the probability that noise on the first k−1 cells takes x to r."""
    if setting.noise == FLOORED:
        law = LaplaceLaw(LSDim(make_model(setting.n), EPS))
        return law.cell(setting.x[0])[r[0]]
    value = ball(1)
    for c, d in zip(setting.x[:-1], r[:-1], strict=True):
        value = value * (abs_law(abs(d - c)) / (1 if c == d else 2))
    return value


@lru_cache(maxsize=256)
def level(row: Row, printed: str) -> tuple[Histogram, ...]:
    """Returns the candidates at the attained distance that is nearest to the printed one; equal distances exactly.

    Floats only point at the nearest candidate; candidates whose balls overlap its own are compared by BC².
    """
    target, candidates = float(Fraction(printed)), row.model.histograms
    best = min(range(len(candidates)), key=lambda i: abs(float(row.distances[i]) - target))
    near = [i for i, value in enumerate(row.distances) if balls.overlap(value, row.distances[best])]
    square = bc_squared(row.model, row.x, candidates[best])
    return tuple(candidates[i] for i in near if bc_squared(row.model, row.x, candidates[i]) == square)


def computed(setting: Setting, printed: Printed) -> dict[tuple[str, int], tuple[Ball, tuple[Histogram, ...]]]:
    """Returns what the setting gives in place of every printed number, by (column, row), and the row's candidates."""
    row = row_of(setting)
    rate = ball(EPS / setting.factor) / sensitivity(row, setting.sensitivity)
    law = row.exponential(rate)
    values = {}
    for number, (distance, _, _) in enumerate(printed):
        members = level(row, distance)
        index = [row.model.index[r] for r in members]
        values["H", number] = row.distances[index[0]], members
        values["exponential", number] = balls.total([law[i] for i in index]), members
        values["Laplace", number] = balls.total([noise(setting, r) for r in members]), members
    return values


def entries(printed: Printed) -> list[tuple[str, int, str]]:
    """Returns (column, row, printed number), nearest rows first."""
    return [(column, i, row[j]) for (i, row), (j, column) in product(enumerate(printed), enumerate(COLUMNS))]
