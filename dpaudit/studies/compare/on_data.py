"""Which mechanism should I use? All of them on one data set, at equal nominal and at equal true epsilon."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.audit.display import as_json
from dpaudit.audit.page import Page
from dpaudit.audit.results import Answer
from dpaudit.audit.setting import Setting, command_line
from dpaudit.mechanisms import REGISTRY, PosteriorMechanism
from dpaudit.mechanisms.named import is_named
from dpaudit.numbers.enclosure import Enclosure, tied
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive, split
from dpaudit.posterior.model import Histogram, Model, make_model, parse_data
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.privacy.guarantee import Guarantee, claimed_epsilon
from dpaudit.privacy.loss import worst_loss
from dpaudit.privacy.protocols import text
from dpaudit.studies.accuracy.accuracy import accuracy, posterior
from dpaudit.studies.accuracy.mean import mean_error
from dpaudit.studies.accuracy.staircase import ALL_OUTPUTS
from dpaudit.studies.calibrate.nominal import calibrated
from dpaudit.studies.pages import SORTED, compare_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

QUANTILES = ("1/2", "9/10", "99/100")
STAIRS = 60_000
"""Quantiles are computed up to this many listed outputs; beyond, the mean alone."""
WORK = 3 * 10**9
"""The true epsilon is computed up to this many pairs times outputs, unless it is known in closed form."""
OTHERS = (
    f"releases no posterior; compare is about the mean errors of {', '.join(REGISTRY)}; for others, "
    "`dpaudit delta --mech NAME --eps 1 --at 1/2` compares them at one ε"
)
SORTS = ("calibrated", "mean", "true")


def entries(
    mechs: str | Sequence[str] | None, model: Model, eps: Fraction, parameters: Mapping[str, Any]
) -> list[Setting]:
    """The settings of the mechanisms named, by default all (EHD twice), with the parameters that they have.

    A name may carry a choice: "EHD/exact" is EHD with the exact sensitivity.
    """
    chosen = [*REGISTRY, "EHD/exact"] if mechs is None else split("mech", mechs) if isinstance(mechs, str) else mechs
    for name in filter(is_named, chosen):
        raise InputError("mech", name, OTHERS)
    return Setting.read_each(chosen, shared=parameters, n=model.n, prior=model.prior, eps=eps)


@dataclass(frozen=True)
class Performance:
    """One mechanism at one nominal epsilon: true epsilon (None if too large a job), mean, quantiles."""

    nominal: Fraction
    true: Enclosure | None
    mean: Enclosure
    quantiles: tuple[tuple[Fraction, Enclosure], ...]

    def to_dict(self) -> dict[str, Any]:
        """The members for JSON."""
        return {
            "nominal_epsilon": str(self.nominal),
            "true_epsilon": as_json(self.true),
            "mean": self.mean.to_dict(),
            "quantiles": {str(level): value.to_dict() for level, value in self.quantiles},
            "quantiles_omitted": None if self.quantiles else f"more than {STAIRS} outputs to list",
        }


@dataclass(frozen=True)
class Compared:
    """One mechanism at the nominal epsilon, and calibrated to the target (None where that was too large a job)."""

    label: str
    guarantee: Guarantee | None
    nominal: Performance
    calibrated: Performance | None

    def to_dict(self) -> dict[str, Any]:
        """The members for JSON."""
        bound, guarantee = claimed_epsilon(self.guarantee), as_json(self.guarantee)
        claimed = {"claimed": None if bound is None else str(bound), "guarantee": guarantee}
        first = {"mechanism": self.label, **claimed, **self.nominal.to_dict()}
        return {**first, "calibrated": as_json(self.calibrated)}


@dataclass(frozen=True, kw_only=True)
class CompareResult(Answer):
    """The rows in the order asked for; ``winner`` is the first, ``tied`` are as good to 6 digits."""

    model: Model
    x: Histogram
    target: Fraction
    sort: str
    entries: tuple[Compared, ...]
    metric: str

    @cached_property
    def tied(self) -> tuple[str, ...]:
        """The mechanisms whose number in the sorted column equals the least one to 6 digits."""
        values = {row.label: key(row, self.sort) for row in self.entries}
        return tied({label: value for label, value in values.items() if value is not None})

    @property
    def winner(self) -> str | None:
        """The first mechanism of the table, unless nothing could be compared."""
        return self.tied[0] if self.tied else None

    def about(self) -> dict[str, Any]:
        """The data and the model."""
        return {"x": list(self.x), **self.model.to_dict()}

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit compare --json``."""
        return {
            "target": str(self.target),
            "metric": self.metric,
            "sort": self.sort,
            "rows": as_json(self.entries),
            "winner": self.winner,
            "tied": list(self.tied),
        }

    def page(self) -> Page:
        """The comparison for people."""
        return compare_page(self, STAIRS)

    def draw(self, axes: Axes) -> None:
        """Draws the number that the mechanisms are sorted by, a bar for each."""
        from dpaudit.charts.draw import bars

        known = {row.label: value for row in self.entries if (value := key(row, self.sort)) is not None}
        if not known:
            raise InputError("plot", text(self.x), "nothing could be compared")
        bars(axes, list(known), list(known.values()), "mechanism", SORTED[self.sort])
        axes.set_title(f"{' and '.join(self.tied)}: the smallest {SORTED[self.sort]}, x = {text(self.x)}", loc="left")


def key(row: Compared, sort: str) -> Enclosure | None:
    """The number by which the row is sorted."""
    if sort == "true":
        return row.nominal.true
    if sort == "mean":
        return row.nominal.mean
    return row.calibrated.mean if row.calibrated else None


def compare(
    x: str | Sequence[int],
    target: Exact = 1,
    *,
    prior: str | Sequence[Exact] | None = None,
    mechs: str | Sequence[str] | None = None,
    sort: str = "calibrated",
    metric: str = "hellinger",
    digits: int | str = 12,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    **parameters: Any,
) -> CompareResult:
    """All mechanisms on data x, at nominal epsilon = target and calibrated to true epsilon = target.

    >>> compare("6,6", mechs="EHD,LSHist").winner
    'LSHist'
    """
    start, effort = perf_counter(), Effort.read(digits, memory, progress, least=10)
    bar = positive("target", target)
    if sort not in SORTS:
        raise InputError("sort", sort, f"must be one of {', '.join(SORTS)}")
    cells = parse_data(x)
    model = make_model(sum(cells), None if prior else len(cells), prior)
    cells = model.check("x", cells)
    chosen = entries(mechs, model, bar, parameters)
    rows = []
    for done, setting in enumerate(chosen):
        effort.tell(done, len(chosen))
        rows.append(_row(setting, cells, bar, metric, replace(effort, progress=None)))
    options = {"x": cells, "prior": model.prior, "mech": [setting.label for setting in chosen], "target": bar}
    return CompareResult(
        model=model,
        x=cells,
        target=bar,
        sort=sort,
        entries=tuple(sorted(rows, key=lambda row: _place(key(row, sort)))),
        metric=metric,
        seconds=perf_counter() - start,
        command=command_line("compare", **options, sort=sort, metric=metric, digits=effort.digits, **parameters),
    )


def _place(value: Enclosure | None) -> tuple[bool, Fraction]:
    return value is None, Fraction(0) if value is None else value.lower


def _row(setting: Setting, x: Histogram, target: Fraction, metric: str, effort: Effort) -> Compared:
    plain = posterior(setting)
    claimed = plain.claimed()
    if not auditable(plain):
        return Compared(setting.label, claimed, _performance(setting, x, None, metric, effort), None)
    true = effort.widest(plain, lambda e: worst_loss(plain, e)).value
    calibration = calibrated(setting, target, effort)
    return Compared(
        setting.label,
        claimed,
        _performance(setting, x, true, metric, effort),
        _performance(calibration.subject, x, calibration.true_epsilon, metric, effort),
    )


def auditable(mechanism: PosteriorMechanism) -> bool:
    """Whether the true epsilon is a job of minutes: a closed form, or few enough pairs and outputs."""
    counts = mechanism.counts()
    return mechanism.algebra().worst() is not None or counts.pairs * counts.outputs <= WORK


def _performance(setting: Setting, x: Histogram, true: Enclosure | None, metric: str, effort: Effort) -> Performance:
    mechanism, digits, memory = posterior(setting), effort.digits, effort.memory
    if mechanism.row_size(Fraction(1, 10 ** (digits + 6)), ALL_OUTPUTS) > STAIRS:
        return Performance(mechanism.epsilon, true, mean_error(mechanism, x, digits, metric), ())
    performance = accuracy(setting, x, metric=metric, quantiles=QUANTILES, digits=digits, memory=memory, bounds=False)
    return Performance(mechanism.epsilon, true, performance.mean, performance.quantiles)
