"""P1 §5.4.2 and §5.4.3: does the mean error fall as the prior grows, and as the data become more uniform?

The paper argues from LS, which falls; here the mean error E[H(BI(x), output)] itself is computed, k = 2.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

from dpaudit.claims import Context, Grid, Outcome, Statement, Step, annotate, check, scan, step
from dpaudit.claims.batches import Batch, single
from dpaudit.mechanisms.exponential import EHD, Exponential
from dpaudit.mechanisms.mhdelta import MHdelta
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.posterior.distances import Hellinger
from dpaudit.posterior.model import make_model
from proofs_checks.points import rationals
from proofs_checks.privacy.tools import row_steps

FALLS = Statement("mean error of the later", "<", "mean error of the former")
TINY = Fraction(1, 10**8)
Kind = Callable[..., Exponential]
Place = tuple[int, tuple[Fraction, Fraction]]
"""The first cell of x, and the prior."""


def mean_error(kind: Kind, n: int, eps: Fraction, place: Place) -> Ball:
    """A ball that contains E[H(BI(x), output)]."""
    a, prior = place
    mechanism, x = kind(make_model(n, prior=prior), eps), (a, n - a)
    row = Hellinger(mechanism.model).row(x)
    return balls.total([p * h for p, h in zip(mechanism.law().probabilities(x), row, strict=True)])


def pair(kind: Kind, n: int, eps: Fraction, former: Place, later: Place) -> Batch:
    """The statement that the mean error falls from the former data and prior to the later ones."""
    where: dict[str, object] = {"mechanism": kind.__name__, "n": n, "eps": eps}
    shown: dict[str, list[tuple[object, ...]]] = {
        "x": [(a, n - a) for a, _ in (former, later)],
        "prior": [prior for _, prior in (former, later)],
    }
    for name, values in shown.items():
        where |= (
            {name: values[0]} if values[0] == values[1] else {f"{name}, former": values[0], f"{name}, later": values[1]}
        )

    def sides() -> tuple[Ball, Ball]:
        return mean_error(kind, n, eps, later), mean_error(kind, n, eps, former)

    def steps() -> list[Step]:
        lines = []
        for words, name, (a, prior) in (("former", "x", former), ("later", "x′", later)):
            mechanism, x = kind(make_model(n, prior=prior), eps), (a, n - a)
            lines.append(step(f"the {words}", f"{name} with prior ({prior[0]}, {prior[1]}): {name}", str(x)))
            lines += row_steps(mechanism, x, x, name)[1:]
            error = mean_error(kind, n, eps, (a, prior))
            lines.append(step(f"mean error of the {words}", f"Σ e^(−w·H({name},r))·H({name},r)/NL({name})", error))
        return lines

    return single(where, sides, steps=steps)


def growing(kind: Kind, grid: Grid, ratio: tuple[int, int] = (1, 1)) -> Iterator[Batch]:
    """Yields the step from each prior t·ratio to the next, t the values of the grid's last axis, at every data set."""
    for point in grid:
        for a in range(point.n + 1):
            for low, high in pairwise(point.t):
                former, later = (tuple(Fraction(t) * r for r in ratio) for t in (low, high))
                yield pair(kind, point.n, Fraction(point.eps), (a, former), (a, later))  # type: ignore[arg-type]


def evening(kind: Kind, grid: Grid) -> Iterator[Batch]:
    """Yields the step from each data set to the next more uniform one, prior (a, a)."""
    for point in grid:
        prior = (Fraction(point.a), Fraction(point.a))
        for first in range(point.n // 2):
            yield pair(kind, point.n, Fraction(point.eps), (first, prior), (first + 1, prior))


EPS = rationals("4/5 1/10 4 16")
VARIANCE = Grid("δ = 1e-8; every x and the next more uniform one", n=range(2, 11), a=rationals("1 1/10 5"), eps=EPS)
OWN = Grid(n=(*range(2, 11), 40), a=rationals("1 1/10 5"), eps=rationals("4/5 1/10"))
EQUAL = Grid("every x", n=range(1, 9), t=[rationals("1/10 1/2 1 2 3 5 10 100")], eps=EPS)
RATIO = Grid("every x", n=range(1, 4), t=[rationals("1/100 1/50 1/25")], eps=rationals("4/5 8 27"))


@check("err.priors", grid=VARIANCE, weight=3)
def error_priors(ctx: Context) -> Outcome:
    """The mean error falls with smaller variance of the data, and with larger priors (P1 §5.4.2, §5.4.3)."""
    return annotate(
        scan(FALLS, evening(MHdelta, ctx.grid)),
        ("smaller variance at P1's ε = 4/5 and at 1/10", scan(FALLS, evening(MHdelta, OWN))),
        ("larger equal priors (t, t), t = 1/10…100", scan(FALLS, growing(MHdelta, EQUAL))),
        ("larger priors at a fixed ratio, (2t, 5t)", scan(FALLS, growing(MHdelta, RATIO, (2, 5)))),
        ("larger equal priors with a fixed sensitivity: EHD", scan(FALLS, growing(EHD, EQUAL))),
    )
