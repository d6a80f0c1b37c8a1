"""The best gamma at a target: each has its calibrated nominal epsilon; the mean error on one data set decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from time import perf_counter
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.display import Shown
from dpaudit.audit.setting import Setting
from dpaudit.calibration.nominal import CalibrateResult, calibrated
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive, sequence, whole
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.loss import MEMORY_BOUND, Progress
from dpaudit.utility import posterior
from dpaudit.utility.mean import mean_error

GAMMAS = tuple(Fraction(2) ** j for j in range(-5, 6))
ROUNDS = 2
"""After the first grid, the neighbourhood of the best gamma is halved this many times (on a logarithmic scale)."""
EQUAL = Fraction(1, 10**6)
"""Means closer than this, relatively, count as equal: the calibration itself has about 8 digits."""


@dataclass(frozen=True)
class GammaRow:
    """One gamma, calibrated to the target, and its mean error."""

    gamma: Fraction
    calibrated: CalibrateResult
    mean: Enclosure

    def to_dict(self) -> dict[str, Any]:
        """Returns the row as JSON."""
        return {
            "gamma": str(self.gamma),
            "nominal_epsilon": str(self.calibrated.nominal),
            "true_epsilon": self.calibrated.true_epsilon.to_dict(),
            "mean": self.mean.to_dict(),
        }


@dataclass(frozen=True)
class GammaResult(Shown):
    """The rows by gamma; ``best`` has the least mean error on x among them, ``equal`` are as good to 6 digits."""

    mechanism: str
    target: Fraction
    x: Histogram
    tried: tuple[GammaRow, ...]
    command: str | None
    seconds: float

    @cached_property
    def best(self) -> GammaRow:
        """Returns the smallest gamma whose mean error equals the least one to 6 digits."""
        return next(row for row in self.tried if row.gamma in self.equal)

    @cached_property
    def equal(self) -> tuple[Fraction, ...]:
        """Returns the gammas whose mean error equals the least one to 6 digits."""
        least = min(row.mean.upper for row in self.tried)
        return tuple(row.gamma for row in self.tried if row.mean.lower <= least * (1 + EQUAL))

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit calibrate --over gamma --json``."""
        best = self.best
        return {
            **best.calibrated.subject.describe(),
            "target": str(self.target),
            "over": "gamma",
            "x": list(self.x),
            **best.to_dict(),
            "equal": [str(gamma) for gamma in self.equal],
            "rows": [row.to_dict() for row in self.tried],
            "assumption": f"the least mean among the {len(self.tried)} gammas listed; each nominal epsilon: "
            + best.calibrated.assumption,
            "seconds": round(self.seconds, 6),
            "command": self.command,
        }


def balanced(n: int, k: int) -> Histogram:
    """Returns the most balanced histogram: the first cells have one more where n is no multiple of k."""
    return tuple(n // k + (i < n % k) for i in range(k))


def calibrate_gamma(
    mech: str,
    target: Exact = 1,
    *,
    x: str | Sequence[int] | None = None,
    gammas: str | Sequence[Exact] | None = None,
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    **setting: Any,
) -> GammaResult:
    """Returns for every gamma the calibrated nominal epsilon and the mean error on x (balanced data by default)."""
    start = perf_counter()
    digits = whole("digits", digits, 10, audit.MAX_DIGITS)
    bar, asked = positive("target", target), Setting.read(mech, **setting)
    subject, model = asked.mechanism, asked.model
    if model is None or "gamma" not in {p.name for p in subject.parameters}:
        having = [kind.name for kind in REGISTRY.values() if "gamma" in {p.name for p in kind.parameters}]
        raise InputError("over", "gamma", f"{subject.name} has no such parameter; {' and '.join(having)} have")
    cells = balanced(model.n, model.k) if x is None else model.check("x", x)

    def row(gamma: Fraction) -> GammaRow:
        found = calibrated(asked.having(gamma=gamma), bar, digits, progress, memory)
        return GammaRow(gamma, found, mean_error(posterior(found.subject), cells, digits))

    grid = GAMMAS if gammas is None else sorted({positive("gammas", g) for g in sequence("gammas", gammas)})
    rows = {gamma: row(gamma) for gamma in grid}
    for _ in range(ROUNDS if gammas is None else 0):
        for gamma in _around(rows):
            rows[gamma] = row(gamma)
    ordered = tuple(rows[gamma] for gamma in sorted(rows))
    listed = None if gammas is None else ",".join(map(str, grid))
    command = asked.command_line("calibrate", target=bar, over="gamma", x=cells, gammas=listed, digits=digits)
    return GammaResult(subject.name, bar, cells, ordered, command, perf_counter() - start)


def _around(rows: dict[Fraction, GammaRow]) -> list[Fraction]:
    """Returns simple rationals between the best gamma and its neighbours."""
    order = sorted(rows)
    place = min(range(len(order)), key=lambda i: rows[order[i]].mean.lower)
    found = []
    for i in (place - 1, place + 1):
        if 0 <= i < len(order):
            middle = Fraction(sqrt(order[i] * order[place])).limit_denominator(64)
            if middle > 0 and middle not in rows:
                found.append(middle)
    return found
