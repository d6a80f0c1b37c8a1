"""N0's last table: what the mechanisms do with probability 1 - delta, against the printed O(.) rows with constant 1.

Balanced data, uniform prior. h is the least attained distance d with Pr[H <= d] >= 1 - delta, and likewise for the
Kullback-Leibler divergence KL(posterior || output). As printed the base (n+L)/(n-L) exceeds 1, so that 1 - base^(...)
is negative and its root is no real number; measured is the row with the reciprocal base.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

from dpaudit.mechanisms.exponential import EHD
from dpaudit.mechanisms.laplace import LSHist, LSZhang
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import Histogram, Model
from proofs_checks import Context, Grid, Outcome, Table, check, measured
from proofs_checks.accuracy_lszhang import Distances
from proofs_checks.accuracy_proofs import Proof, annotate
from proofs_checks.accuracy_rows import power
from proofs_checks.accuracy_sides import Prior, priors, rationals
from proofs_checks.algebra import variables
from proofs_checks.numbers import show

UNIFORM: Prior = priors("1 1")[0]
BITS = 256
DEFAULT = Grid("x = (n/2, n/2), uniform prior", n=[100], eps=rationals("1/2 1 2"), delta=rationals("1/10 1/100"))
WIDE = Grid("x = (n/2, n/2), uniform prior", n=[100, 200], eps=rationals("1/2 1 2"), delta=rationals("1/10 1/100"))


def quantile(values: Sequence[Ball], probabilities: Sequence[Ball], level: Fraction) -> Ball | None:
    """Returns a ball that contains the least value v with Pr[<= v] >= level, or None if the balls do not tell.

    A candidate is proposed by floats; certified are Pr[certainly below it] < level <= 1 - Pr[certainly above it], so
    the quantile is one of the values that cannot be told apart from the candidate.
    """
    order = sorted(range(len(values)), key=lambda i: (float(values[i]), -float(1 - values[i])))
    mass, candidate = 0.0, values[order[-1]]
    for i in order:
        mass += float(probabilities[i])
        if mass >= level:
            candidate = values[i]
            break
    pairs = list(zip(values, probabilities, strict=True))
    below = balls.total([p for v, p in pairs if balls.certainly_less(v, candidate)])
    above = balls.total([p for v, p in pairs if balls.certainly_less(candidate, v)])
    if not (balls.certainly_less(below, ball(level)) and balls.certainly_at_most(above, ball(1 - level))):
        return None
    result = candidate
    for v in values:
        if balls.overlap(v, candidate):
            result = balls.from_ends(result, v)
    return result


class Divergence:
    """KL(Beta(a, a) || Beta(c, d)) for a = n/2 + 1 and outputs (c-1, d-1), uniform prior."""

    def __init__(self, n: int) -> None:
        self._a = n // 2 + 1
        self._logs = [balls.zero(), *(ball(m).lgamma() for m in range(1, 2 * n + 3))]
        self._psi, self._psi_total = ball(self._a).digamma(), ball(2 * self._a).digamma()

    def _log_beta(self, c: int, d: int) -> Ball:
        return self._logs[c] + self._logs[d] - self._logs[c + d]

    def of(self, output: Histogram) -> Ball:
        """Returns ln B(c,d) - ln B(a,a) + (2a - c - d)(psi(a) - psi(2a)); exactly 0 at the posterior itself."""
        a, (c, d) = self._a, (output[0] + 1, output[1] + 1)
        if c == d == a:
            return balls.zero()
        return self._log_beta(c, d) - self._log_beta(a, a) + (2 * a - c - d) * (self._psi - self._psi_total)


@dataclass(frozen=True)
class Law:
    """Outputs of one mechanism with their distances, divergences and probabilities."""

    distance: Sequence[Ball]
    divergence: Sequence[Ball]
    probability: Sequence[Ball]


def laplace_one_cell(n: int, eps: Fraction) -> Law:
    """Returns LSHist's law for balanced data."""
    model, x = Model(n, UNIFORM), (n // 2, n // 2)
    h, kl, outputs = Hellinger(model), Divergence(n), [(r, n - r) for r in range(n + 1)]
    law = LSHist(model, eps).law().probabilities(x)
    return Law([h.between(x, o) for o in outputs], [kl.of(o) for o in outputs], law)


def laplace_two_cells(n: int, eps: Fraction) -> Law:
    """Returns LSZhang's law for balanced data."""
    model, x = Model(n, UNIFORM), (n // 2, n // 2)
    h, kl, outputs = Distances(model), Divergence(n), list(product(range(n + 1), repeat=2))
    law = LSZhang(model, eps).law().probabilities(x)
    return Law([h.between(x, o) for o in outputs], [kl.of(o) for o in outputs], law)


def exponential(n: int, eps: Fraction) -> Law:
    """Returns EHD's law for balanced data."""
    model, x = Model(n, UNIFORM), (n // 2, n // 2)
    h, kl = Hellinger(model), Divergence(n)
    law = EHD(model, eps).law().probabilities(x)
    return Law([h.between(x, o) for o in model.histograms], [kl.of(o) for o in model.histograms], law)


def one_cell_steps(n: int, eps: Fraction, delta: Fraction) -> tuple[Ball, Ball]:
    """Returns L = ln(1/delta)/eps and the exponent L/2."""
    steps = -ball(delta).log() / ball(eps)
    return steps, steps / 2


def two_cell_steps(n: int, eps: Fraction, delta: Fraction) -> tuple[Ball, Ball]:
    """Returns L = ln(1/(2 - delta - 2 sqrt(1-delta)))/eps and the exponent L/2."""
    steps = -(ball(2 - delta) - 2 * ball(1 - delta).sqrt()).log() / ball(eps)
    return steps, steps / 2


def exponential_steps(n: int, eps: Fraction, delta: Fraction) -> tuple[Ball, Ball]:
    """Returns L = (n - delta n - 1)/2 e^(-eps), and L again as the exponent."""
    steps = ball((n - delta * n - 1) / 2) * power(eps)
    return steps, steps


def printed_distance(n: int, steps: Ball, exponent: Ball) -> Ball:
    """Returns sqrt(1 - ((n-L)/(n+L))^exponent), the printed row with the reciprocal base."""
    return (1 - ((n - steps) / (n + steps)) ** exponent).sqrt()


def printed_divergence(n: int, eps: Fraction, delta: Fraction, cells: int) -> Ball:
    """Returns m (1 - e^(-n eps/cells)) + sqrt(-m ln delta), m = 4 cells n ln n: the printed row with O(.) = 1."""
    m = 4 * cells * n * ball(n).log()
    return m * (1 - power(eps, Fraction(n, cells))) + (-m * ball(delta).log()).sqrt()


Steps = Callable[[int, Fraction, Fraction], tuple[Ball, Ball]]
ROWS: tuple[tuple[str, Callable[[int, Fraction], Law], Steps, int], ...] = (
    ("LSHist", laplace_one_cell, one_cell_steps, 1),
    ("LSZhang", laplace_two_cells, two_cell_steps, 2),
    ("EHD", exponential, exponential_steps, 0),
)


def row(
    name: str, law: Law, steps: Steps, cells: int, point: tuple[int, Fraction, Fraction]
) -> tuple[tuple[str, ...], bool]:
    """Returns one line of the table, and whether the printed distance is certainly at least the true one."""
    n, eps, delta = point
    h = quantile(law.distance, law.probability, 1 - delta)
    kl = quantile(law.divergence, law.probability, 1 - delta)
    if h is None or kl is None:
        raise balls.PrecisionExhausted(balls.working_bits())
    bound = printed_distance(n, *steps(n, eps, delta))
    rest = show(printed_divergence(n, eps, delta, cells), 6) if cells else "(empty)"
    texts = [show(value, 6) for value in (h, bound, h / bound, kl)]
    return (name, str(n), str(eps), str(delta), *texts, rest), balls.certainly_at_most(h, bound)


def no_real_value() -> Proof:
    """Proves that the printed rows have no real value: their base exceeds 1."""
    n, steps = variables("n", "L")
    proof = Proof().equal("0 < L < n: (n+L)/(n−L) > 1", "(n+L) − (n−L) = 2L", (n + steps) - (n - steps), 2 * steps)
    return proof.says("so 1 − base^exponent < 0 for an exponent > 0", "its square root is not a real number")


@check("acc.table-utility", grid=DEFAULT, wide=WIDE, weight=3)
def utility(context: Context) -> Outcome:
    """Measures the utility table."""
    lines, bounded = [], {name: True for name, *_ in ROWS}
    with balls.precision(BITS):
        for name, make, steps, cells in ROWS:
            laws: dict[tuple[int, Fraction], Law] = {}
            for point in context.grid:
                key = point.n, point.eps
                laws.setdefault(key, make(*key))
                line, holds = row(name, laws[key], steps, cells, (point.n, point.eps, point.delta))
                lines.append(line)
                bounded[name] = bounded[name] and holds
    columns = (
        "mechanism",
        "n",
        "ε",
        "δ",
        "h exact",
        "U printed, base inverted",
        "h/U",
        "KL exact",
        "KL printed, O(.) = 1",
    )
    words = {True: "h ≤ U in every row", False: "some h > U"}
    finding = "; ".join(f"{name}: {words[holds]}" for name, holds in bounded.items())
    return annotate(
        measured(Table(columns, tuple(lines)), f"with the base inverted, {finding}"),
        ("as printed, the H rows have no real value (base > 1)", no_real_value()),
    )
