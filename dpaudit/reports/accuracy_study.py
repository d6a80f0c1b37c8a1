"""Sections on accuracy: exact mean error against n or against the prior, crossovers, and the documents' bounds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from dpaudit.comparison.ranges import RangePoint, crossovers, data_of
from dpaudit.mechanisms import posterior as released
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.ranges import whole_numbers
from dpaudit.posterior.model import Histogram, make_model, parse_histogram
from dpaudit.privacy.protocols import text
from dpaudit.reports import distances
from dpaudit.reports.block import MOST_POINTS, Block, Job, Progress, check_keys, exact_list
from dpaudit.reports.document import Section
from dpaudit.utility.accuracy import accuracy, posterior
from dpaudit.utility.mean import mean_error

DIGITS = 10
MOST_OUTPUTS = 100_000
"""A mechanism with more outputs is left out of the mean errors of an audit."""


def errors_by_n(block: Block, shares: Sequence[Fraction], progress: Progress) -> Section:
    """Returns the exact mean error of every mechanism on data with the given shares, n by n, with the crossovers."""
    progress(f"exact mean errors for n = {block.ns[0]}…{block.ns[-1]}")
    data = "data in equal shares" if len(set(shares)) == 1 else f"data split {' : '.join(map(str, shares))}"
    title = f"Exact mean error, {data}, ε = {block.eps}"
    question = "Which mechanism is the most accurate, and from which n on? Dashed lines mark crossovers."
    points = [_point(block, n, data_of(n, shares), n=n) for n in block.ns]
    return _section(block, "error-by-n", title, question, points, "n", shares=[str(share) for share in shares])


def errors_by_prior(block: Block, x: Histogram, priors: Sequence[int], progress: Progress) -> Section:
    """Returns the exact mean error on fixed data under growing balanced priors (P1 and A3, Figure 5)."""
    progress(f"exact mean errors under {len(priors)} priors")
    title = f"Exact mean error on x = {text(x)} under priors (a, …, a), ε = {block.eps}"
    points = [_point(block, a, x, prior=[a] * len(x)) for a in priors]
    return _section(block, "error-by-prior", title, "Who wins as the prior grows?", points, "a", priors=list(priors))


def _point(block: Block, at: int, x: Histogram, **place: Any) -> RangePoint:
    """Returns the mean errors of all mechanisms at another n or prior."""
    subjects = {case.label: posterior(case.setting.at(**place)) for case in block.cases}
    model = make_model(sum(x), None, next(iter(subjects.values())).model.prior)
    return RangePoint(at, model, x, {label: mean_error(m, x, DIGITS) for label, m in subjects.items()})


def _section(
    block: Block, kind: str, title: str, question: str, points: list[RangePoint], axis: str, **asked: Any
) -> Section:
    """Returns the means point by point, and the certified changes of order in words, with the last point before."""
    places = [point.at for point in points]
    rows = [
        {"mechanism": label, axis: point.at, "x": list(point.x), "mean": point.means[label].to_dict()}
        for label in block.labels
        for point in points
    ]
    words = "{} overtakes {} after {axis} = {} and by {axis} = {} (of the values looked at)"
    changes = [
        {"n": c.at, "text": words.format(c.better, c.worse, places[places.index(c.at) - 1], c.at, axis=axis)}
        for c in crossovers(points)
    ]
    made = block.section(kind, title, question, _commands(block, points[-1].x), rows, crossovers=changes)
    return {**made, "setting": {**made["setting"], **asked}}


def _commands(block: Block, x: Histogram) -> str:
    """Returns the commands that give the accuracy of every mechanism on x."""
    return "\n".join(case.setting.at(n=sum(x)).command_line("accuracy", x=x) or "" for case in block.cases)


def bounds(block: Block, x: Histogram, progress: Progress) -> Section:
    """Returns every accuracy bound of the documents for this data set, each with its worst threshold."""
    rows = []
    for case in block.cases:
        progress(f"{case.label}: bounds at x = {x}")
        for bound in accuracy(case.setting, x, digits=DIGITS).to_dict()["bounds"]:
            fails = f"fails at {bound['failing']} of {bound['thresholds']} thresholds"
            rows.append(
                {
                    "mechanism": case.label,
                    "x": list(x),
                    "claim": f"{bound['claim']}: {bound['statement']}",
                    "t": bound["t"],
                    "exact": bound["probability"],
                    "value": bound["value"],
                    "outcome": {"UNDECIDED": "UNDECIDED", "PROVED": "holds", "REFUTED": fails}[bound["verdict"]],
                }
            )
    bad = [row for row in rows if row["outcome"] != "holds"]
    failing = [f"{str(row['claim']).split(':')[0]} of {row['mechanism']}" for row in bad]
    words = f"; failing or undecided: {', '.join(failing)}" if bad else ""
    return block.section(
        "bounds",
        f"The documents' accuracy bounds at x = {text(x)}, ε = {block.eps}",
        "Which bounds hold here? A row shows the t at which the bound comes closest or fails most.",
        _commands(block, x),
        rows,
        finding=f"{len(rows) - len(bad)} of {len(rows)} bounds hold here{words}",
    )


def prepare(entry: dict[str, Any]) -> Job:
    """Returns the checked job of a [[study]] of kind "accuracy": "n" and "shares", or "x" with "priors" or bounds."""
    check_keys("study", entry, "title", "mechs", "n", "shares", "x", "prior", "priors", "eps")
    if "x" in entry and ("n" in entry or "shares" in entry):
        raise InputError("study", "x", "goes without n and shares: x is the data itself")
    x = parse_histogram("x", entry["x"]) if "x" in entry else None
    parts = exact_list("shares", entry.get("shares", ["1", "1"]))
    place = {"n": sum(x) if x else entry.get("n", "10..100..10"), "k": len(x or parts)}
    setting = {
        key: value for key, value in entry.items() if key not in ("title", "mechs", "n", "shares", "x", "priors")
    }
    block = Block.read(entry.get("mechs", "all"), **place, **setting)
    for case in block.cases:
        posterior(case.setting)
    if x is None:
        make = partial(errors_by_n, block, [part / sum(parts) for part in parts])
    elif "priors" in entry:
        make = partial(errors_by_prior, block, x, whole_numbers("priors", entry["priors"], most=MOST_POINTS))
    else:
        make = partial(bounds, block, x)
    more = [partial(distances.distances, block, x)] if x is not None and "priors" not in entry else []
    return partial(_titled, [make, *more], str(entry.get("title", "")))


def _titled(makes: Sequence[Callable[[Progress], Section]], title: str, progress: Progress) -> Iterator[Section]:
    for make in makes:
        section = make(progress)
        yield {**section, "title": f"{title}: {section['title']}"} if title else section


def balanced(block: Block, progress: Progress) -> Iterator[Section]:
    """Yields the mean errors on balanced data for at most twenty values of n, of the mechanisms that have errors."""
    subjects = [(setting, released(setting.mechanism)) for setting in block.settings if setting.has_n]
    kept = tuple(setting for setting, m in subjects if m is not None and m.count_outputs() <= MOST_OUTPUTS)
    if kept and block.ns and block.model is not None:
        k = block.model.k
        ns = [n for n in block.ns if n % k == 0] or list(block.ns)
        yield errors_by_n(Block(kept, tuple(ns[:: max(1, -(-len(ns) // 20))])), [Fraction(1, k)] * k, progress)
