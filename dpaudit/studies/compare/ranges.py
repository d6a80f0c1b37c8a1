"""Mean errors over a range of n or of priors, and exactly where the order of two mechanisms changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from time import perf_counter
from typing import TYPE_CHECKING, Any

from dpaudit.audit.display import Members, as_json
from dpaudit.audit.page import Page
from dpaudit.audit.results import Answer
from dpaudit.audit.setting import Setting, command_line
from dpaudit.numbers.enclosure import Enclosure, tied
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, positive, sequence
from dpaudit.posterior.model import Histogram, Model, make_model, parse_data, show
from dpaudit.privacy.effort import MEMORY_BOUND, Effort, Progress
from dpaudit.studies.accuracy.accuracy import posterior
from dpaudit.studies.accuracy.mean import mean_error
from dpaudit.studies.calibrate.nominal import calibrated
from dpaudit.studies.compare.on_data import auditable, entries
from dpaudit.studies.pages import range_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class RangePoint:
    """One n (or prior), its data, and an enclosure of the mean error of every mechanism."""

    at: int
    model: Model
    x: Histogram
    means: dict[str, Enclosure]

    @property
    def winner(self) -> str:
        """The first mechanism whose mean error is the least, to 6 digits."""
        return tied(self.means)[0]

    def to_dict(self) -> dict[str, Any]:
        """The members for JSON."""
        return {
            "n": self.model.n,
            "prior": [str(alpha) for alpha in self.model.prior],
            "x": list(self.x),
            "means": {label: value.to_dict() for label, value in self.means.items()},
            "winner": self.winner,
        }


@dataclass(frozen=True)
class Crossover(Members):
    """``better`` had the larger mean error at the last point before ``at`` where they differed; certified."""

    at: int
    better: str
    worse: str


@dataclass(frozen=True, kw_only=True)
class RangeResult(Answer):
    """The points in order, and every change of order of two mechanisms between neighboring points."""

    over: str
    epsilon: Fraction
    calibrated: bool
    points: tuple[RangePoint, ...]
    crossovers: tuple[Crossover, ...]

    def members(self) -> dict[str, Any]:
        """The members of ``dpaudit compare --n A..B --json``."""
        return {
            "over": self.over,
            "at_equal": "true epsilon" if self.calibrated else "nominal epsilon",
            "epsilon": str(self.epsilon),
            "rows": as_json(self.points),
            "crossovers": as_json(self.crossovers),
            "winner": self.points[-1].winner,
        }

    def page(self) -> Page:
        """The crossovers and a few points for people."""
        return range_page(self)

    def draw(self, axes: Axes) -> None:
        """Draws the mean error of every mechanism over the range."""
        from dpaudit.charts.draw import Line, lines

        places = tuple(point.at for point in self.points)
        series = [Line(name, places, tuple(p.means[name] for p in self.points)) for name in self.points[0].means]
        wide = places[-1] / places[0] >= 20
        lines(axes, series, x_label=self.over, y_label="mean error", log_x=wide, log_y=wide)
        axes.set_title(
            f"{self.points[-1].winner} has the smallest mean error at {self.over} = {places[-1]}", loc="left"
        )

    def csv(self) -> str:
        """A CSV file with one line for every point and mechanism."""
        lines = [f"{self.over},x,mechanism,mean_lower,mean_upper"]
        for point in self.points:
            for label, mean in point.means.items():
                ends = mean.to_dict()
                lines.append(f"{point.at},{show(point.x).replace(',', ' ')},{label},{ends['lower']},{ends['upper']}")
        return "".join(f"{line}\n" for line in lines)


def shares(option: str, text: str | Sequence[Exact] | None, k: int) -> tuple[Fraction, ...]:
    """The proportions of the cells, positive rationals that sum to 1; all equal by default."""
    if text is None:
        return (Fraction(1, k),) * k
    parts = tuple(positive(option, part) for part in sequence(option, text))
    if sum(parts) != 1 or len(parts) < 2:
        raise InputError(option, show(parts), "must be at least 2 proportions that sum to 1, such as 1/10,9/10")
    return parts


def data_of(n: int, parts: Sequence[Fraction]) -> Histogram:
    """floor(n share) for every cell but the last, which gets the rest."""
    cells = [int(n * part) for part in parts[:-1]]
    return (*cells, n - sum(cells))


def compare_over_n(
    ns: Sequence[int],
    eps: Exact = 1,
    *,
    share: str | Sequence[Exact] | None = None,
    prior: str | Sequence[Exact] | None = None,
    mechs: str | Sequence[str] | None = None,
    calibrate: bool = False,
    digits: int = 12,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    **parameters: Any,
) -> RangeResult:
    """The mean errors for data in fixed proportions at every n, and the crossovers."""
    parts = shares("share", share, make_model(1, None, prior).k)
    places = [(n, make_model(n, None if prior else len(parts), prior), data_of(n, parts)) for n in ns]
    if places and len(parts) != places[0][1].k:
        raise InputError("share", show(parts), f"must have k = {places[0][1].k} parts")
    options = {"n": f"{ns[0]}..{ns[-1]}", "share": parts, "prior": prior}
    effort = Effort(digits, memory, progress=progress)
    return _over("n", places, mechs, positive("eps", eps), calibrate, effort, options, parameters)


def compare_over_priors(
    priors: Sequence[int],
    x: str | Sequence[int],
    eps: Exact = 1,
    *,
    mechs: str | Sequence[str] | None = None,
    calibrate: bool = False,
    digits: int = 12,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    **parameters: Any,
) -> RangeResult:
    """The mean errors on fixed data for every prior (a, …, a), and the crossovers."""
    cells = parse_data(x)
    places = [(a, make_model(sum(cells), None, (a,) * len(cells)), cells) for a in priors]
    options = {"x": cells, "priors": f"{priors[0]}..{priors[-1]}"}
    effort = Effort(digits, memory, progress=progress)
    return _over("prior", places, mechs, positive("eps", eps), calibrate, effort, options, parameters)


def _over(
    name: str,
    places: Sequence[tuple[int, Model, Histogram]],
    mechs: str | Sequence[str] | None,
    eps: Fraction,
    calibrate: bool,
    effort: Effort,
    asked: dict[str, Any],
    parameters: dict[str, Any],
) -> RangeResult:
    start, points = perf_counter(), []
    for done, (at, model, x) in enumerate(places):
        effort.tell(done, len(places))
        chosen = entries(mechs, model, eps, parameters)
        points.append(RangePoint(at, model, x, {s.label: _mean(s, x, calibrate, effort) for s in chosen}))
    asked |= {"step": places[1][0] - places[0][0] if len(places) > 1 else None, "target": eps}
    asked |= {"mech": list(points[0].means) if points else None, "digits": effort.digits}
    return RangeResult(
        over=name,
        epsilon=eps,
        calibrated=calibrate,
        points=tuple(points),
        crossovers=tuple(crossovers(points)),
        seconds=perf_counter() - start,
        command=command_line("compare", **asked, calibrated=calibrate, **parameters),
    )


def _mean(setting: Setting, x: Histogram, calibrate: bool, effort: Effort) -> Enclosure:
    if calibrate:
        if not auditable(posterior(setting)):
            rule = f"the true epsilon of {setting.label} is too large a job here"
            raise InputError("n", setting.mechanism.describe()["n"], rule)
        setting = calibrated(setting, setting.epsilon).subject
    return mean_error(posterior(setting), x, effort.digits, memory=effort.memory)


def crossovers(points: Sequence[RangePoint]) -> list[Crossover]:
    """Every change of order between points, each side certified by disjoint enclosures."""
    crossings = []
    labels = list(points[0].means) if points else []
    for a, b in combinations(labels, 2):
        last = None
        for point in points:
            order = _order(point.means[a], point.means[b])
            if order and last and order != last:
                better, worse = (a, b) if order < 0 else (b, a)
                crossings.append(Crossover(point.at, better, worse))
            last = order or last
    return sorted(crossings, key=lambda crossover: crossover.at)


def _order(a: Enclosure, b: Enclosure) -> int:
    """-1 if a is certainly less, 1 if it is certainly more, 0 if the enclosures meet."""
    return -1 if a.below(b) else int(b.below(a))
