"""The best gamma at a target: each has its calibrated nominal epsilon; the mean error on one data set decides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import sqrt
from time import perf_counter
from typing import Any

from dpaudit.audit.display import as_json
from dpaudit.audit.page import Page
from dpaudit.audit.results import Answer
from dpaudit.audit.setting import Setting, settled
from dpaudit.mechanisms import REGISTRY
from dpaudit.numbers.enclosure import Enclosure, tied
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive, sequence
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.studies.accuracy.accuracy import posterior
from dpaudit.studies.accuracy.mean import mean_error
from dpaudit.studies.calibrate.nominal import CalibrateResult, calibrated
from dpaudit.studies.pages import gammas_page

GAMMAS = tuple(Fraction(2) ** j for j in range(-5, 6))
ROUNDS = 2
"""After the first grid, the neighborhood of the best gamma is halved this many times (on a logarithmic scale)."""


@dataclass(frozen=True)
class GammaRow:
    """One gamma, calibrated to the target, and its mean error."""

    gamma: Fraction
    calibrated: CalibrateResult
    mean: Enclosure

    def to_dict(self) -> dict[str, Any]:
        """The row as JSON."""
        return {
            "gamma": str(self.gamma),
            "nominal_epsilon": str(self.calibrated.nominal),
            "true_epsilon": self.calibrated.true_epsilon.to_dict(),
            "mean": self.mean.to_dict(),
        }


@dataclass(frozen=True, kw_only=True)
class GammaResult(Answer):
    """The rows by gamma; ``best`` has the least mean error on x among them, ``equal`` are as good to 6 digits."""

    target: Fraction
    x: Histogram
    tried: tuple[GammaRow, ...]

    @cached_property
    def best(self) -> GammaRow:
        """The smallest gamma whose mean error equals the least one to 6 digits."""
        return next(row for row in self.tried if row.gamma in self.equal)

    @cached_property
    def equal(self) -> tuple[Fraction, ...]:
        """The gammas whose mean error equals the least one to 6 digits."""
        return tied({row.gamma: row.mean for row in self.tried})

    @property
    def subject(self) -> Setting:
        """The setting with the best gamma."""
        return self.best.calibrated.subject

    def about(self) -> dict[str, Any]:
        """What its mechanism says of itself."""
        return self.subject.describe()

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit calibrate --over gamma --json``."""
        best = self.best
        return {
            "target": str(self.target),
            "over": "gamma",
            "x": list(self.x),
            **best.to_dict(),
            "equal": [str(gamma) for gamma in self.equal],
            "rows": as_json(self.tried),
            "assumption": f"the least mean among the {len(self.tried)} gammas listed; each nominal epsilon: "
            + best.calibrated.assumption,
        }

    def page(self) -> Page:
        """The table of gammas for people."""
        return gammas_page(self)


def balanced(n: int, k: int) -> Histogram:
    """The most balanced histogram: the first cells have one more where n is no multiple of k."""
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
    """The calibrated nominal epsilon and the mean error on x (by default balanced) for every gamma."""
    start, effort = perf_counter(), Effort.read(digits, memory, progress, least=10)
    bar, asked = positive("target", target), settled(mech, **setting)
    subject, model = asked.mechanism, asked.model
    if model is None or "gamma" not in {p.name for p in subject.parameters}:
        having = [kind.name for kind in REGISTRY.values() if "gamma" in {p.name for p in kind.parameters}]
        raise InputError("over", "gamma", f"{subject.name} has no such parameter, only {' and '.join(having)}")
    cells = balanced(model.n, model.k) if x is None else model.check("x", x)

    def row(gamma: Fraction) -> GammaRow:
        candidate = calibrated(asked.having(gamma=gamma), bar, effort)
        return GammaRow(gamma, candidate, mean_error(posterior(candidate.subject), cells, effort.digits))

    grid = GAMMAS if gammas is None else sorted({positive("gammas", g) for g in sequence("gammas", gammas)})
    rows = {gamma: row(gamma) for gamma in grid}
    for _ in range(ROUNDS if gammas is None else 0):
        for gamma in _around(rows):
            rows[gamma] = row(gamma)
    words: dict[str, Any] = {"x": cells, "gammas": None if gammas is None else grid, "digits": effort.digits}
    return GammaResult(
        target=bar,
        x=cells,
        tried=tuple(rows[gamma] for gamma in sorted(rows)),
        seconds=perf_counter() - start,
        command=asked.command_line("calibrate", target=bar, over="gamma", **words),
    )


def _around(rows: dict[Fraction, GammaRow]) -> list[Fraction]:
    """Simple rationals between the best gamma and its neighbors."""
    order = sorted(rows)
    place = min(range(len(order)), key=lambda i: rows[order[i]].mean.lower)
    gammas = []
    for i in (place - 1, place + 1):
        if 0 <= i < len(order):
            middle = Fraction(sqrt(order[i] * order[place])).limit_denominator(64)
            if middle > 0 and middle not in rows:
                gammas.append(middle)
    return gammas
