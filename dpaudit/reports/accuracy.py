"""Accuracy in a report: exact mean errors with certified crossovers, and the documents' bounds on one data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.numbers.digits import at_most
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import whole_numbers
from dpaudit.posterior.model import Histogram, make_model, parse_histogram
from dpaudit.privacy.protocols import text
from dpaudit.reports.block import MOST_POINTS, Block
from dpaudit.reports.document import Bound, Section
from dpaudit.reports.plan import check_keys, exact_list
from dpaudit.reports.steps import ACCURACY, COSTS, Job, Progress
from dpaudit.reports.table import Cell, Figure, Look, Table
from dpaudit.reports.words import listed
from dpaudit.studies.accuracy.accuracy import accuracy, posterior
from dpaudit.studies.accuracy.mean import mean_error
from dpaudit.studies.compare.ranges import RangePoint, crossovers, data_of

Part = Section | Bound
NAME, DIGITS = "study of accuracy", 10
MOST_DISTANCES = 400
"""The distances of a mechanism with more outputs are not drawn."""


def errors_by_n(block: Block, shares: Sequence[Fraction], progress: Progress) -> Section:
    """The exact mean error of every mechanism on data with the given shares, n by n, with the crossovers."""
    points = []
    for n in block.ns:
        progress(f"exact mean errors, n = {n}")
        points.append(_point(block, n, data_of(n, shares), n=n))
    data = "data in equal shares" if len(set(shares)) == 1 else f"data split {' : '.join(map(str, shares))}"
    return _errors(block, f"Exact mean error on {data}, ε = {block.eps}", points, "n")


def errors_by_prior(block: Block, x: Histogram, priors: Sequence[int], progress: Progress) -> Section:
    """The exact mean error on fixed data under growing balanced priors."""
    points = []
    for a in priors:
        progress(f"exact mean errors under the prior ({a}, …, {a})")
        points.append(_point(block, a, x, prior=[a] * len(x)))
    return _errors(block, f"Exact mean error on x = {text(x)} under priors (a, …, a), ε = {block.eps}", points, "a")


def _point(block: Block, at: int, x: Histogram, **place: Any) -> RangePoint:
    """The mean errors of all mechanisms at another n or prior."""
    subjects = {case.label: posterior(case.setting.at(**place)) for case in block.cases}
    model = make_model(sum(x), None, next(iter(subjects.values())).model.prior)
    return RangePoint(at, model, x, {label: mean_error(m, x, DIGITS) for label, m in subjects.items()})


def _errors(block: Block, title: str, points: Sequence[RangePoint], axis: str) -> Section:
    labels = [case.label for case in block.cases]
    rows = [(label, point.at, text(point.x), point.means[label]) for label in labels for point in points]
    table = Table.of(f"mechanism | {axis}: count | x | mean error: enclosure", rows)
    places = [point.at for point in points]
    changes: dict[tuple[int, str], list[str]] = {}
    for change in crossovers(points):
        changes.setdefault((change.at, change.better), []).append(change.worse)
    last = points[-1]
    alone = len(labels) == 1
    said = f"Mean error of {labels[0]}" if alone else f"{last.winner} has the smallest mean error at {axis} = {last.at}"
    wide = places[-1] / places[0] >= 20
    across = {"x_label": "number of records n" if axis == "n" else "prior a", "log_x": wide}
    up: dict[str, Any] = {"y_label": "mean Hellinger error", "log_y": wide and axis == "n", **across}
    figure = Figure(Look.LINES, said, axis, "mean error", by="mechanism", **up)
    commands = [case.setting.at(n=sum(last.x)).command_line("accuracy", x=last.x) or "" for case in block.cases]
    notes = [
        f"Between {axis} = {places[places.index(at) - 1]} and {at}, {better} overtakes {listed(worse)}."
        for (at, better), worse in changes.items()
    ] or ["No mechanism overtakes another one at the values that were computed."]
    notes = [] if alone else notes
    return Section("mean-error", title, figure, table, tuple(notes), tuple(filter(None, commands)))


def distances(block: Block, x: Histogram, progress: Progress, title: str = "") -> Iterator[Part]:
    """Yields the law of the distance of a release from the truth, and every accuracy bound of the documents on it."""
    rows: list[tuple[Cell, ...]] = []
    bounds: list[Bound] = []
    commands = []
    for case in block.cases:
        progress(f"{case.label}: {ACCURACY} x = {text(x)}")
        found = accuracy(case.setting.at(n=sum(x)), x, digits=DIGITS)
        commands.append(found.command or "")
        name = case.label
        if len(found.steps) <= MOST_DISTANCES:
            steps = [step for step in found.steps if not step.distance.is_infinite]
            rows += [(name, step.distance, step.cumulative) for step in steps]
        for bound in found.bounds:
            same = {field.name: getattr(bound, field.name) for field in fields(Bound) if hasattr(bound, field.name)}
            bounds.append(Bound(**same | {"mechanism": name, "x": tuple(x), "command": found.command or ""}))
    table = Table.of("mechanism | distance: enclosure | Pr[H ≤ t]: enclosure", rows)
    heading = f"Distance from the truth at x = {text(x)}, ε = {block.eps}"
    figure = Figure(
        Look.STEPS, _half_within(table, x) or heading, "distance", "Pr[H ≤ t]", by="mechanism",
        x_label="Hellinger distance t", y_label="Pr[H ≤ t]",
    )  # fmt: skip
    full = f"{title}: {heading}" if title else heading
    yield Section("distances", full, figure, table, commands=tuple(filter(None, commands)))
    yield from bounds


def _half_within(table: Table, x: Histogram) -> str:
    """Within which distance half of the releases lie, of the best and the worst mechanism; "" where none is known."""
    found: dict[str, Fraction] = {}
    for name, distance, share in table.rows:
        if isinstance(share, Enclosure) and isinstance(distance, Enclosure) and share.reaches(Fraction(1, 2)):
            found.setdefault(str(name), distance.upper)
    if not found:
        return ""
    ends = {near: listed([name for name in found if found[name] == near]) for near in found.values()}
    near, far = min(ends), max(ends)
    others = "" if far == near else f", within {at_most(far, 3)} with {ends[far]}"
    return f"At x = {text(x)} half of the releases lie within {at_most(near, 3)} of the truth with {ends[near]}{others}"


def prepare(entry: dict[str, Any]) -> Job:
    """The checked job of a [[study]] of kind "accuracy": "n" and "shares", or "x" with "priors" or the bounds."""
    check_keys("study", entry, "title", "mechs", "n", "shares", "x", "prior", "priors", "eps")
    if "x" in entry and ("n" in entry or "shares" in entry):
        raise InputError("study", "x", "goes without n and shares: x is the data itself")
    x = parse_histogram("x", entry["x"]) if "x" in entry else None
    parts = exact_list("shares", entry.get("shares", ["1", "1"]))
    place = {"n": sum(x) if x else entry.get("n", "10..100..10"), "k": len(x or parts)}
    own = ("title", "mechs", "n", "shares", "x", "priors")
    setting = {key: value for key, value in entry.items() if key not in own}
    block = Block.read(entry.get("mechs", "all"), **place, **setting)
    for case in block.cases:
        posterior(case.setting)
    title = str(entry.get("title", ""))
    if x is not None and "priors" not in entry:
        return Job(NAME, len(block.cases) * COSTS[ACCURACY], partial(distances, block, x, title=title))
    if x is not None:
        priors = whole_numbers("priors", entry["priors"], most=MOST_POINTS)
        return Job(NAME, len(priors), partial(_titled, partial(errors_by_prior, block, x, priors), title))
    make = partial(errors_by_n, block, [part / sum(parts) for part in parts])
    return Job(NAME, len(block.ns), partial(_titled, make, title))


def _titled(make: Callable[[Progress], Section], title: str, progress: Progress) -> Iterator[Part]:
    found = make(progress)
    yield replace(found, title=f"{title}: {found.title}") if title else found
