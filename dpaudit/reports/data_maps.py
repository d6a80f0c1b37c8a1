"""The losses of mechanisms whose data sets or outputs are no counts: data set by output, both by their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.numbers.digits import short
from dpaudit.numbers.enclosure import Enclosure, infinite, outward
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.protocols import Dataset, plain
from dpaudit.reports.block import Block, Case, Progress
from dpaudit.reports.document import Section
from dpaudit.reports.pairs import MAP_DIGITS, loss_rows

MOST_LOSSES = 20_000
"""Ordered pairs times outputs: of a mechanism with more no map is drawn."""
MOST_SHOWN = 24
"""So many data sets, and outputs, are on a map: those of largest loss."""
Row = dict[str, Any]
Cells = dict[Dataset, list[Enclosure | None]]


def drawable(case: Case) -> bool:
    """Returns whether the losses of all its data sets are few enough and none of them is open."""
    counts = case.mechanism.counts()
    return counts.pairs * counts.outputs <= MOST_LOSSES and not case.found.epsilon.is_open


def by_name(block: Block, cases: Sequence[Case], progress: Progress) -> Iterator[Section]:
    """Yields for every data set x and output r the largest ln P_x(r)/P_y(r) over the neighbours y; null if P_x(r) = 0.

    A mechanism that is known to too few digits has none; many data sets or outputs are cut to those of largest loss.
    """
    rows: list[Row] = []
    more: dict[str, dict[str, Any]] = {"outputs": {}, "worst": {}, "left": {}}
    for case in cases:
        progress(f"{case.label}: loss map")
        found = case.narrow(lambda case=case: losses(case))  # type: ignore[misc]
        if found is None:
            continue
        outputs, witness, worst = list(case.mechanism.outputs()), case.found.witness, case.found.witness.to_dict()
        at, true = outputs.index(witness.output), case.found.value()[1]
        if case.told(true) != short((found[witness.x][at] or true).to_dict()):  # this loss is the true epsilon
            found[witness.x][at], worst["shown"] = true, case.told(true)
        kept = _largest([_most(row) for row in found.values()], list(found).index(witness.x))
        columns = zip(*found.values(), strict=True)
        shown = _largest([_most(column) for column in columns], at)
        for x, row in [list(found.items())[i] for i in kept]:
            cells = [row[i] for i in shown]
            known = [None if cell is None else cell.to_dict() for cell in cells]
            rows.append({"mechanism": case.label, "x": plain(x), "losses": known})
        more["outputs"][case.label] = [plain(outputs[i]) for i in shown]
        more["worst"][case.label] = worst
        more["left"][case.label] = [len(found) - len(kept), len(outputs) - len(shown)]
    question = "Where does the loss come from? A row is a data set x, a column an output; of all neighbours the worst."
    title, n = f"Privacy loss by data set and output{block.where}", block.ns[-1] if block.ns else None
    if rows:
        drawn = more["outputs"]
        yield block.section(
            "loss-data", title, question, lambda c: c.again if c.label in drawn else None, rows, n=n, **more
        )


def losses(case: Case) -> Cells:
    """Returns by data set, output by output, an enclosure of its largest loss against a neighbour, or None."""
    mechanism = case.mechanism
    pairs = [(x, y) for x in mechanism.datasets() for y in mechanism.neighbours(x)]
    found = Effort(MAP_DIGITS).widest(mechanism, lambda e: loss_rows(mechanism, pairs, e))
    possible = {
        x: [p.upper > 0 for p in audit.pmf(mechanism, x=x, digits=MAP_DIGITS).probabilities]
        for x in mechanism.datasets()
    }
    against: dict[Dataset, list[list[Enclosure]]] = {}
    for (x, y), row in zip(pairs, found, strict=True):
        cells = [loss if here else infinite() for loss, here in zip(row, possible[y], strict=True)]
        against.setdefault(x, []).append(cells)
    return {
        x: [_hull(cells) if here else None for cells, here in zip(zip(*every, strict=True), possible[x], strict=True)]
        for x, every in against.items()
    }


def _hull(values: Sequence[Enclosure]) -> Enclosure:
    """Returns an enclosure of the largest of numbers in these enclosures."""
    if any(value.is_infinite for value in values):
        return infinite()
    return outward(max(v.lower for v in values), max(v.upper for v in values), MAP_DIGITS)


def _most(cells: Sequence[Enclosure | None]) -> float:
    """Returns about the largest of the losses, to put them in an order."""
    return max((float(cell.lower) for cell in cells if cell is not None), default=float("-inf"))


def _largest(sizes: Sequence[float], first: int) -> list[int]:
    """Returns the places of the largest, ``first`` among them, in their order."""
    order = sorted(range(len(sizes)), key=lambda i: (i != first, -sizes[i]))
    return sorted(order[:MOST_SHOWN])
