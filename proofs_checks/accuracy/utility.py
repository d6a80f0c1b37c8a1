"""N0's last table: what the mechanisms do with probability 1 - delta, against the printed O(.) rows with constant 1.

Balanced data, uniform prior. h is the least attained distance d with Pr[H <= d] >= 1 - delta, and likewise for the
Kullback-Leibler divergence KL(posterior || output). As printed the base (n+L)/(n-L) exceeds 1, so that 1 - base^(...)
is negative and its root is no real number; measured is the row with the reciprocal base.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpaudit.claims import Context, Grid, Outcome, Point, Proof, Table, annotate, check, measured, show, variables
from dpaudit.mechanisms import PosteriorMechanism
from dpaudit.mechanisms.exponential import EHD
from dpaudit.mechanisms.laplace import LSHist, LSZhang
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Model
from dpaudit.studies.accuracy.staircase import build
from proofs_checks.accuracy.rows import power
from proofs_checks.points import Prior, priors, rationals

UNIFORM: Prior = priors("1 1")[0]
BITS = 256
DEFAULT = Grid("x = (n/2, n/2), uniform prior", n=[100], eps=rationals("1/2 1 2"), delta=rationals("1/10 1/100"))


def quantile(mechanism: PosteriorMechanism, metric: str, level: Fraction) -> Ball:
    """A ball that contains the least distance d with Pr[distance <= d] >= level, balanced data."""
    half = mechanism.model.n // 2
    return balls.refine(lambda: build(mechanism, (half, half), metric, Fraction(0)).quantile(level), BITS)[0]


def one_cell_steps(n: int, eps: Fraction, delta: Fraction) -> tuple[Ball, Ball]:
    """L = ln(1/delta)/eps and the exponent L/2."""
    steps = -ball(delta).log() / ball(eps)
    return steps, steps / 2


def two_cell_steps(n: int, eps: Fraction, delta: Fraction) -> tuple[Ball, Ball]:
    """L = ln(1/(2 - delta - 2 sqrt(1-delta)))/eps and the exponent L/2."""
    steps = -(ball(2 - delta) - 2 * ball(1 - delta).sqrt()).log() / ball(eps)
    return steps, steps / 2


def exponential_steps(n: int, eps: Fraction, delta: Fraction) -> tuple[Ball, Ball]:
    """L = (n - delta n - 1)/2 e^(-eps), and L again as the exponent."""
    steps = ball((n - delta * n - 1) / 2) * power(eps)
    return steps, steps


def printed_distance(n: int, steps: Ball, exponent: Ball) -> Ball:
    """sqrt(1 - ((n-L)/(n+L))^exponent), the printed row with the reciprocal base."""
    return (1 - ((n - steps) / (n + steps)) ** exponent).sqrt()


def printed_divergence(n: int, eps: Fraction, delta: Fraction, cells: int) -> Ball:
    """m (1 - e^(-n eps/cells)) + sqrt(-m ln delta), m = 4 cells n ln n: the printed row with O(.) = 1."""
    m = 4 * cells * n * ball(n).log()
    return m * (1 - power(eps, Fraction(n, cells))) + (-m * ball(delta).log()).sqrt()


Steps = Callable[[int, Fraction, Fraction], tuple[Ball, Ball]]
ROWS: tuple[tuple[type[PosteriorMechanism], Steps, int], ...] = (
    (LSHist, one_cell_steps, 1),
    (LSZhang, two_cell_steps, 2),
    (EHD, exponential_steps, 0),
)


WORDS = {
    Verdict.REFUTED: "some h > U",
    Verdict.UNDECIDED: "h ≤ U is undecided in some row",
    Verdict.PROVED: "h ≤ U in every row",
}
"""The finding on a mechanism, by the first of these verdicts that a row of it has."""


def row(kind: type[PosteriorMechanism], steps: Steps, cells: int, at: Point) -> tuple[tuple[str, ...], Verdict]:
    """One line of the table, and the verdict on h <= U, the printed distance."""
    n, eps, delta = at.n, at.eps, at.delta
    mechanism = kind(Model(n, UNIFORM), eps)
    h, kl = (quantile(mechanism, metric, 1 - delta) for metric in ("hellinger", "kl"))
    bound = printed_distance(n, *steps(n, eps, delta))
    rest = show(printed_divergence(n, eps, delta, cells), 6) if cells else "(empty)"
    texts = [show(value, 6) for value in (h, bound, h / bound, kl)]
    return (kind.name, str(n), str(eps), str(delta), *texts, rest), balls.at_most(h, bound)


def no_real_value() -> Proof:
    """Proves that the printed rows have no real value: their base exceeds 1."""
    n, steps = variables("n", "L")
    proof = Proof().equal("0 < L < n: (n+L)/(n−L) > 1", "(n+L) − (n−L) = 2L", (n + steps) - (n - steps), 2 * steps)
    return proof.says("so 1 − base^exponent < 0 for an exponent > 0", "its square root is not a real number")


@check("acc.table-utility", grid=DEFAULT.wider(n=[100, 200]), weight=3)
def utility(context: Context) -> Outcome:
    """Measures the utility table."""
    lines, verdicts = [], {kind.name: set[Verdict]() for kind, *_ in ROWS}
    with balls.precision(BITS):
        for kind, steps, cells in ROWS:
            for point in context.grid:
                line, verdict = row(kind, steps, cells, point)
                lines.append(line)
                verdicts[kind.name].add(verdict)
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
    worst = {name: next(verdict for verdict in WORDS if verdict in found) for name, found in verdicts.items()}
    finding = "; ".join(f"{name}: {WORDS[verdict]}" for name, verdict in worst.items())
    return annotate(
        measured(Table(columns, tuple(lines)), f"with the base inverted, {finding}"),
        ("as printed, the H rows have no real value (base > 1)", no_real_value()),
    )
