"""The distribution of the distance of a release from the truth, beside every accuracy bound of the documents on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from dpaudit.mechanisms import PosteriorMechanism, posterior
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.verdict import Verdict
from dpaudit.posterior.model import Histogram
from dpaudit.privacy.protocols import text
from dpaudit.reports.block import Block, Case, Progress
from dpaudit.reports.document import Section
from dpaudit.utility.bounds import BOUNDS, Bound
from dpaudit.utility.checks import Checker, applicable
from dpaudit.utility.staircase import Staircase, build

DIGITS = 6
MOST_OUTPUTS = 400
"""A mechanism with more outputs is left out."""
MOST_PLACES = 30
"""Of a bound there are about so many rows."""
MOST_STEPS = 60
"""A bound that depends on kappa alone has a row at every place where these are no more."""
LARGEST = 40
"""The balanced data of an audit have at most so many records here."""
Row = dict[str, Any]


def distances(block: Block, x: Histogram, progress: Progress) -> Section:
    """Returns Pr[H < t] at every t that separates two distances, and there each bound; of a tail, what it leaves."""
    rows: list[Row] = []
    for case in block.cases:
        subject = posterior(case.setting.at(n=sum(x)).mechanism)
        if subject is not None and subject.count_outputs() <= MOST_OUTPUTS:
            progress(f"{case.label}: distances at x = {x}")
            rows += [{"mechanism": case.label, **row} for row in along(subject, x)]
    title = f"Distance of the release from the truth, x = {text(x)}, ε = {block.eps}"
    question = "How likely is a release within t of the truth, and what do the documents' bounds say?"
    drawn = {row["mechanism"] for row in rows}
    more = {"x": list(x), "steps": list(_steps(rows)), **block.smaller(sum(x))}

    def command(case: Case) -> str | None:
        return _command(case, x) if case.label in drawn else None

    return block.section("distances", title, question, command, rows, **more)


def _command(case: Case, x: Histogram) -> str | None:
    return case.setting.at(n=sum(x)).command_line("accuracy", x=x)


def along(subject: PosteriorMechanism, x: Histogram) -> list[Row]:
    """Returns rows "bound", "t", "value": the exact probability, with "" for its bound, and every bound on it."""

    def attempt() -> list[Row] | None:
        stairs = build(subject, x, "hellinger", Fraction(1, 10 ** (DIGITS + 6)))
        if stairs is None:
            return None
        found = [_row(*entry) for entry in _lines(subject, stairs)]
        known = [row for row in found if row is not None]
        return known if len(known) == len(found) else None

    first, most = balls.bits_for(DIGITS, subject.count_outputs())
    return balls.refine(attempt, first, most)[0]


def _lines(subject: PosteriorMechanism, stairs: Staircase) -> Iterator[tuple[str, str, Ball, Ball]]:
    """Yields bound, verdict, t and value."""
    steps = stairs.steps
    places = [(below, steps[below].distance) for below in range(1, len(steps))]
    yield from (("", "", t, stairs.below(below)) for below, t in places)
    if len(steps) < 2:
        return
    checker = Checker(stairs)
    for bound in applicable(subject, stairs.x):
        if bound.threshold == "< t":
            yield from _bound(checker, bound, places)


def _bound(checker: Checker, bound: Bound, places: Sequence[tuple[int, Ball]]) -> Iterator[tuple[str, str, Ball, Ball]]:
    """Yields the bound at some of the places, and where it first fails or is open; all are checked.

    Of one that depends on kappa alone these are all, or of many the last places of each kappa; of another about
    MOST_PLACES.
    """
    step, seen = max(1, len(places) // MOST_PLACES), {Verdict.PROVED}
    found = [checker.check(bound, *place) for place in places]
    for i, checked in enumerate(found):
        last = checked is found[-1]
        ends = bound.by_kappa and len(places) > MOST_STEPS
        kept = last or (checked.kappa != found[i + 1].kappa if ends else i % step == 0 or bound.by_kappa)
        if kept or checked.verdict not in seen:
            value = 1 - checked.value if bound.of_tail else checked.value
            yield named(bound), checked.verdict.value, checked.t, value
        seen.add(checked.verdict)


def named(bound: Bound) -> str:
    """Returns the bound with its relation: Pr[H < t] stands before it, the value behind."""
    return f"{bound.claim} ({bound.below})"


def _row(bound: str, verdict: str, t: Ball, value: Ball) -> Row | None:
    """Returns the row, or None where a number is not known to the digits."""
    shown = [balls.enclosure(t, DIGITS), balls.enclosure(value, DIGITS)]
    if shown[0] is None or shown[1] is None:
        return None
    return {"bound": bound, "t": shown[0].to_dict(), "value": shown[1].to_dict(), "outcome": verdict or None}


def _steps(rows: Sequence[Row]) -> Iterator[str]:
    """Yields the bounds that change only where Pr[H < t] does, and of which every step is there."""
    for bound in BOUNDS:
        whose = {row["mechanism"] for row in rows if row["bound"] == named(bound)}
        counts = Counter((row["mechanism"], row["bound"]) for row in rows)
        whole = bound.by_kappa or all(counts[name, named(bound)] >= counts[name, ""] for name in whose)
        yield from [named(bound)] if whose and bound.in_steps and whole else []


def balanced(block: Block, progress: Progress) -> Iterator[Section]:
    """Yields the distances on balanced data, of the mechanisms that release a posterior."""
    model = block.model
    if block.ns and model is not None:
        n = min(block.ns[-1], LARGEST)
        x = tuple(n // model.k + (cell < n % model.k) for cell in range(model.k))
        kept = tuple(
            setting for setting in block.settings if posterior(setting.mechanism) is not None and setting.has_n
        )
        section = distances(Block(kept, block.ns), x, progress) if kept else None
        yield from [section] if section and section["rows"] else []
