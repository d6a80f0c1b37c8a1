"""How accurate is a mechanism on one data set? The exact distribution of the distance between posterior and release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.audit.display import Members, as_json
from dpaudit.audit.page import Page
from dpaudit.audit.questions import on_data
from dpaudit.audit.results import SettingAnswer
from dpaudit.audit.setting import Setting, settled
from dpaudit.mechanisms import REGISTRY, PosteriorMechanism, in_family
from dpaudit.mechanisms import posterior as released
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball, NeedsMoreBits, ball
from dpaudit.numbers.enclosure import Enclosure, exact, infinite
from dpaudit.numbers.errors import InputError, TooLargeError, approximately
from dpaudit.numbers.rationals import Exact, positive, probability, sequence, whole
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.divergences import check_offered, choice
from dpaudit.posterior.model import Histogram, parse_data
from dpaudit.privacy.effort import MAX_DIGITS, MEMORY_BOUND
from dpaudit.studies.accuracy.checks import BoundAt, Checker, applicable
from dpaudit.studies.accuracy.staircase import ALL_OUTPUTS, TIE_BITS, Staircase, build
from dpaudit.studies.accuracy.threshold import count_below
from dpaudit.studies.pages import accuracy_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEVELS = ("1/4", "3/4", "9/10", "99/100")


@dataclass(frozen=True)
class DistanceStep(Members):
    """``probability`` contains Pr[distance = this], ``cumulative`` Pr[distance <= this]."""

    distance: Enclosure
    probability: Enclosure
    cumulative: Enclosure
    outputs: int


@dataclass(frozen=True)
class BoundResult(Members):
    """A bound of the documents on this data set, at the threshold where it comes closest to failing or fails most."""

    claim: str
    statement: str
    source: str
    t: Enclosure
    kappa: int
    value: Enclosure
    probability: Enclosure
    margin: Enclosure
    verdict: Verdict
    thresholds: int
    failing: int


@dataclass(frozen=True, kw_only=True)
class AccuracyResult(SettingAnswer):
    """Enclosures of the mean, the quantiles and the whole staircase; a distance may be infinite."""

    x: Histogram
    metric: str
    mean: Enclosure
    median: Enclosure
    quantiles: tuple[tuple[Fraction, Enclosure], ...]
    t: Fraction | None
    probability: Enclosure | None
    law: tuple[tuple[Ball, Ball, Ball, int], ...]
    omitted: Enclosure
    bounds: tuple[BoundResult, ...]
    digits: int
    precision_bits: int

    @cached_property
    def steps(self) -> tuple[DistanceStep, ...]:
        """The staircase as enclosures, nearest first; an infinite distance is last."""
        return tuple(self.step(i) for i in range(len(self.law)))

    def step(self, i: int) -> DistanceStep:
        """One step of the staircase as enclosures."""
        distance, mass, cumulative, outputs = self.law[i]
        tiny = ball(Fraction(1, 10 ** (self.digits + 20)))
        return DistanceStep(
            narrow(distance, self.digits),
            narrow(balls.capped(mass, tiny), self.digits, 1),
            narrow(cumulative, self.digits, 1),
            outputs,
        )

    def page(self) -> Page:
        """The result for people."""
        return accuracy_page(self)

    def draw(self, axes: Axes) -> None:
        """Draws the distribution function of the distance."""
        from dpaudit.charts.draw import Line, lines

        known = [step for step in self.steps if not step.distance.is_infinite]
        xs = tuple((step.distance.lower + step.distance.upper) / 2 for step in known)
        name = self.subject.label
        one = [Line(name, xs, tuple(step.cumulative for step in known))]
        x_label = f"{self.metric.replace('hellinger', 'Hellinger')} distance t"
        lines(axes, one, x_label=x_label, y_label="Pr[distance ≤ t]", steps=True)
        axes.set_title(f"{name}: distance of the release from the truth, x = {self.x}", loc="left")

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit accuracy --json``."""
        tail = {"t": str(self.t), "probability": self.probability.to_dict()} if self.probability else {}
        return {
            "x": list(self.x),
            "metric": self.metric,
            "mean": self.mean.to_dict(),
            "median": self.median.to_dict(),
            "quantiles": {str(level): value.to_dict() for level, value in self.quantiles},
            **tail,
            "steps": as_json(self.steps),
            "omitted": self.omitted.to_dict(),
            "bounds": as_json(self.bounds),
            "precision_bits": self.precision_bits,
        }


def accuracy(
    mech: Any,
    x: str | Sequence[int],
    *,
    t: Exact | None = None,
    metric: str = "hellinger",
    quantiles: str | Sequence[Exact] = LEVELS,
    digits: int | str = 15,
    memory: int = MEMORY_BOUND,
    bounds: bool = True,
    **setting: Any,
) -> AccuracyResult:
    """The exact distribution of the distance for data x, Pr[distance < t], and verdicts on the papers' bounds.

    >>> result = accuracy("LSHist", "20,20", t="0.2")
    >>> str(result.mean)[:8], str(result.probability)[:8]
    ('0.117440', '0.748392')
    """
    start, digits = perf_counter(), whole("digits", digits, 1, MAX_DIGITS)
    metric = choice("metric", metric)
    threshold = None if t is None else positive("t", t)
    levels = [probability("quantiles", level) for level in sequence("quantiles", quantiles)]
    asked, subject, cells = subject_of(mech, x, setting)
    check_offered("metric", metric, subject.model)
    tail = Fraction(1, 10 ** (digits + 6))
    need = subject.row_memory(tail, ALL_OUTPUTS)
    if need > memory:
        size = approximately(subject.row_size(tail, ALL_OUTPUTS))
        raise TooLargeError(need, memory, f"{subject.name} with about {size} outputs to list")
    question = Question(subject, cells, metric, threshold, levels, digits, bounds)
    first, most = balls.bits_for(digits, subject.count_outputs())
    found, bits = balls.refine(question.attempt, first, max(most, 2 * TIE_BITS))
    words: dict[str, Any] = {"x": cells, "t": threshold, "metric": metric, "quantiles": levels, "digits": digits}
    return AccuracyResult(
        subject=asked,
        x=cells,
        metric=metric,
        t=threshold,
        **found,
        digits=digits,
        precision_bits=bits,
        seconds=perf_counter() - start,
        command=asked.command_line("accuracy", **words),
    )


def subject_of(
    mech: Any, x: str | Sequence[int], setting: Mapping[str, Any]
) -> tuple[Setting, PosteriorMechanism, Histogram]:
    """The setting on n = the sum of x, its mechanism, which must release a posterior, and x."""
    if isinstance(mech, str) and in_family(mech):
        mech = settled(mech, **on_data(parse_data(x), setting))
        setting = {}
    asked = settled(mech, **setting)
    subject = posterior(asked)
    return asked, subject, subject.model.check("x", parse_data(x))


def posterior(setting: Setting) -> PosteriorMechanism:
    """The mechanism of the setting, which must release a posterior."""
    subject = released(setting.mechanism)
    if subject is None:
        rule = f"releases no posterior; accuracy is for the posterior family: {', '.join(REGISTRY)}"
        raise InputError("mech", setting.mechanism.name, rule)
    return subject


def narrow(value: Ball, digits: int, most: int | None = None, least: int | None = 0) -> Enclosure:
    """The enclosure of width at most 10^-digits; it may be infinite."""
    return infinite() if balls.is_infinity(value) else balls.enclosed(value, digits, least, most)


@dataclass(frozen=True)
class Question:
    """What was asked; ``attempt`` computes all of it at the precision in force."""

    subject: PosteriorMechanism
    x: Histogram
    metric: str
    t: Fraction | None
    levels: Sequence[Fraction]
    digits: int
    bounds: bool

    def attempt(self) -> dict[str, Any]:
        """The fields of AccuracyResult from ``mean`` to ``bounds``, or NeedsMoreBits."""
        stairs = build(self.subject, self.x, self.metric, Fraction(1, 10 ** (self.digits + 6)))
        below = None if self.t is None else count_below(stairs, self.t)
        return {
            "mean": self._show(stairs.mean()),
            "median": self._show(stairs.quantile(Fraction(1, 2))),
            "quantiles": tuple((level, self._show(stairs.quantile(level))) for level in self.levels),
            "probability": None if below is None else self._show(stairs.below(below), 1),
            "law": self._law(stairs),
            "omitted": self._show(stairs.omitted, 1),
            "bounds": tuple(self._bounds(stairs, below)),
        }

    def _show(self, value: Ball, most: int | None = None, least: int | None = 0) -> Enclosure:
        return narrow(value, self.digits, most, least)

    def _law(self, stairs: Staircase) -> tuple[tuple[Ball, Ball, Ball, int], ...]:
        """Distance, mass, cumulative mass and number of outputs, step by step, all narrow enough."""
        rows: list[tuple[Ball, Ball, Ball, int]] = [
            (step.distance, step.mass, stairs.below(i + 1), len(step.outputs)) for i, step in enumerate(stairs.steps)
        ]
        if not stairs.infinite.is_zero():
            count = len(stairs.outputs) - sum(row[3] for row in rows)
            rows.append((balls.infinity(), stairs.infinite, stairs.below(len(rows)) + stairs.infinite, count))
        known = (b for row in rows for b in row[:3] if not balls.is_infinity(b))
        if not all(balls.narrow(b, self.digits) for b in known):
            raise NeedsMoreBits(balls.working_bits())
        return tuple(rows)

    def _bounds(self, stairs: Staircase, below: int | None) -> list[BoundResult]:
        if not self.bounds or self.metric != "hellinger" or len(stairs.steps) < 2:
            return []
        checker = Checker(stairs)
        at = None if below is None or self.t is None else (below, ball(self.t))
        results = (checker.everywhere(bound, at) for bound in applicable(self.subject, self.x))
        return [self._bound(*result) for result in results if result is not None]

    def _bound(self, worst: BoundAt, thresholds: int, failing: int) -> BoundResult:
        if worst.verdict is Verdict.UNDECIDED and balls.working_bits() < TIE_BITS:
            raise NeedsMoreBits(balls.working_bits())
        return BoundResult(
            claim=worst.bound.claim,
            statement=worst.bound.statement,
            source=worst.bound.source,
            t=self._show(worst.t) if self.t is None or worst.bound.threshold != "t" else exact(self.t, self.digits),
            kappa=worst.kappa,
            value=self._show(worst.value, least=None),
            probability=self._show(worst.probability, 1),
            margin=self._show(worst.margin, least=None),
            verdict=worst.verdict,
            thresholds=thresholds,
            failing=failing,
        )
