"""The map of the losses of a mechanism: data sets by outputs, the largest loss against any neighbor."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpaudit.audit.results import EpsilonResult
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, infinite, outward
from dpaudit.privacy.protocols import text
from dpaudit.reports.block import Case
from dpaudit.reports.document import Section
from dpaudit.reports.steps import Progress
from dpaudit.reports.table import Figure, Look, Table

Row = list[Enclosure | None]
MOST_LOSSES = 20_000
"""Pairs times outputs up to which the losses are mapped."""
MAPPED = 24
"""So many data sets and outputs of largest loss are in a map."""
SHORT, BITS = 6, 96


def loss_map(case: Case, progress: Progress) -> Iterator[Section]:
    """Yields the largest loss of every data set against any neighbor, output by output: the largest of them."""
    mechanism, counts = case.mechanism, case.mechanism.counts()
    open_ = isinstance(case.last, EpsilonResult) and case.last.epsilon.is_open
    if counts.pairs * counts.outputs > MOST_LOSSES or open_ or not mechanism.tabular:
        return
    progress(f"{case.label}: map of losses")
    found = case.narrow(lambda: losses(mechanism))
    if not found:
        return
    outputs = [text(output) for output in mechanism.outputs()]
    most = sorted(found, key=lambda x: -max(map(_size, found[x])))[:MAPPED]
    kept = [x for x in found if x in most]
    places = sorted(range(len(outputs)), key=lambda i: -max(_size(found[x][i]) for x in kept))[:MAPPED]
    rows = tuple((x, outputs[i], found[x][i]) for x in kept for i in sorted(places))
    whole = len(rows) == len(found) * len(outputs)
    title = f"{case.label}: largest loss against a neighbor, by data set and output"
    figure = Figure(Look.MAP, title, "output", "loss", by="x", x_label="output", y_label="data set x")
    table = Table.of("x | output | loss: enclosure", rows)
    left = "" if whole else f" The {MAPPED} data sets and outputs of largest loss are shown."
    notes = (f"Empty cells are outputs that never happen.{left}",)
    yield Section("loss-map", f"Losses of {case.label}", "", figure, table, notes)


def _size(value: Enclosure | None) -> float:
    return 0.0 if value is None else float(value.upper)


def losses(mechanism: Mechanism) -> dict[str, Row]:
    """For every data set the largest loss at each output; None where the output never happens."""
    found: dict[str, Row] = {}
    with balls.precision(BITS):
        law = mechanism.law()
        masses = {x: law.probabilities(x) for x in mechanism.datasets()}
        logs = {x: [None if balls.is_zero(p) else balls.ends(p.log()) for p in row] for x, row in masses.items()}
        for x, row in logs.items():
            near = [logs[y] for y in mechanism.neighbors(x)]
            found[text(x)] = [_largest(own, [other[i] for other in near]) for i, own in enumerate(row)]
    return found


Ends = tuple[Fraction, Fraction] | None


def _largest(own: Ends, others: list[Ends]) -> Enclosure | None:
    """The largest loss at one output; infinite where a neighbor never gives it."""
    if own is None:
        return None
    known = [other for other in others if other is not None]
    if len(known) < len(others):
        return infinite()
    low = max((own[0] - other[1] for other in known), default=Fraction(0))
    high = max((own[1] - other[0] for other in known), default=Fraction(0))
    return outward(max(low, Fraction(0)), max(high, Fraction(0)), SHORT)
