"""The losses of all pairs: for two cells pair by output, for three the largest of every data set, else by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpaudit.mechanisms import Mechanism, PosteriorMechanism, posterior
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.posterior.model import Histogram, neighbours
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.privacy.protocols import Dataset, plain
from dpaudit.reports import data_maps
from dpaudit.reports.block import Block, Case, Progress
from dpaudit.reports.document import Section
from dpaudit.reports.pairs import MAP_DIGITS, loss_rows

LARGEST = 40
"""The maps of two cells are drawn for n up to this."""
LARGEST_TERNARY, MOST_OUTPUTS = 8, 100
"""The maps of three cells are drawn for n up to this, and for so many outputs."""
Row = dict[str, Any]
QUESTION = "Where does the loss come from?"


def loss_maps(block: Block, progress: Progress, maps: bool) -> Iterator[Section]:
    """Yields the maps of those mechanisms that have them; without ``maps`` the command that draws them."""
    flat = [(case, cells) for case in block.cases if (cells := mapped(case)) is not None]
    three = [(case, subject) for case in block.cases if (subject := _ternary(case)) is not None]
    drawn = [case for case, _ in [*flat, *three]]
    rest = [case for case in block.cases if case not in drawn and data_maps.drawable(case)]
    if not maps and (drawn or rest):
        yield left_out(block)
        return
    yield from [by_output(block, flat, progress)] if flat else []
    yield from [by_data(block, three, progress)] if three else []
    yield from data_maps.by_name(block, rest, progress)


# ------------------------------------------------------------------ two cells, or a count


@dataclass(frozen=True)
class Cells:
    """A mechanism on two cells, or on a count in 0..n: its data sets and outputs by their first cell, in order."""

    mechanism: Mechanism
    datasets: tuple[Dataset, ...]
    outputs: tuple[int, ...]

    @property
    def n(self) -> int:
        """Returns the number of records."""
        return len(self.datasets) - 1


def _cell(value: Any) -> int | None:
    """Returns the first of two cells, or the count itself; None of anything else."""
    if isinstance(value, tuple) and len(value) in (1, 2) and all(type(entry) is int for entry in value):
        return int(value[0])
    return value if type(value) is int else None


def mapped(case: Case) -> Cells | None:
    """Returns the mechanism whose map of losses is drawn, n being at most LARGEST: pairs (x, x+1) by outputs.

    There are no other pairs: else the largest loss might be missing from the map.
    """
    setting, model = case.setting, case.model
    if model is not None:
        setting = setting if model.n <= LARGEST else setting.at(n=LARGEST)
    mechanism = setting.mechanism
    counts = mechanism.counts()
    known = mechanism.refinable and not (case.found.epsilon.is_infinite or case.found.epsilon.is_open)
    if not known or max(counts.datasets, counts.outputs) > LARGEST + 1:
        return None
    places = {_cell(x): x for x in mechanism.datasets()}
    cells = list(map(_cell, mechanism.outputs()))
    outputs = [cell for cell in cells if cell is not None]
    whole = list(range(counts.datasets))
    if sorted(outputs) != whole or len(outputs) < len(cells) or set(places) != set(whole):
        return None
    datasets = tuple(places[cell] for cell in whole)
    line = [{*datasets[max(0, i - 1) : i], *datasets[i + 1 : i + 2]} for i in whole]
    near = all(set(mechanism.neighbours(x)) == around for x, around in zip(datasets, line, strict=True))
    return Cells(mechanism, datasets, tuple(outputs)) if near and len(datasets) > 1 else None


def by_output(block: Block, drawn: list[tuple[Case, Cells]], progress: Progress) -> Section:
    """Returns the loss of every adjacent pair (x, x+1) of first cells at every output; null where it never happens."""
    rows = []
    for case, cells in drawn:
        progress(f"{case.label}: loss map")
        pairs, law = list(pairwise(cells.datasets)), cells.mechanism.law()
        for x, losses in enumerate(loss_rows(cells.mechanism, pairs)):
            possible = [not balls.is_zero(p) for p in law.probabilities(cells.datasets[x])]
            known = {r: v.to_dict() for r, v, p in zip(cells.outputs, losses, possible, strict=True) if p}
            rows.append({"mechanism": case.label, "x": x, "losses": [known.get(r) for r in range(cells.n + 1)]})
    question = f"{QUESTION} A row is a pair (x, x+1), a column an output."
    at = {case.label: cells.n if case.model is not None else _records(block, case) for case, cells in drawn}
    return _section(block, "loss-map", at, question, rows)


def _records(block: Block, case: Case) -> int | None:
    """Returns the n of a mechanism that has one, however many data sets there are."""
    return block.ns[-1] if block.ns and case.setting.has_n else None


def _section(block: Block, kind: str, at: Mapping[str, int | None], question: str, rows: list[Row]) -> Section:
    """Returns the section of the mechanisms by name, each at its n."""

    def command(case: Case) -> str | None:
        if case.label not in at:
            return None
        return case.setting.at(n=at[case.label]).command_line("epsilon") if case.model is not None else case.again

    ns = {n for n in at.values() if n is not None}
    where = f", n = {max(ns)}" if len(set(at.values())) == len(ns) == 1 else ""
    more: dict[str, Any] = {"n": max(ns, default=None), **block.smaller(max(ns, default=None))}
    return block.section(kind, f"Privacy loss of every pair{where}", question, command, rows, **more)


# ------------------------------------------------------------------ three cells


def _ternary(case: Case) -> PosteriorMechanism | None:
    """Returns the mechanism on three cells whose map is drawn, at an n that is not too large."""
    model = case.model
    if model is None or model.k != 3:
        return None
    n = min(model.n, LARGEST_TERNARY)
    subject = posterior((case.setting if n == model.n else case.setting.at(n=n)).mechanism)
    fits = subject is not None and subject.adjacency == REPLACE_ONE and subject.count_outputs() <= MOST_OUTPUTS
    return subject if fits else None


def by_data(block: Block, drawn: list[tuple[Case, PosteriorMechanism]], progress: Progress) -> Section:
    """Returns for k = 3 the largest loss of every data set against any neighbour, at any output."""
    rows = []
    for case, subject in drawn:
        progress(f"{case.label}: losses of every data set")
        rows += [{"mechanism": case.label, **row} for row in _worst(subject)]
    question = "Which data sets are told apart best from a neighbour?"
    return _section(block, "loss-ternary", {case.label: subject.model.n for case, subject in drawn}, question, rows)


def _worst(subject: PosteriorMechanism) -> Iterator[Row]:
    """Yields for every data set an enclosure of its largest loss, with a neighbour and an output where it may be."""
    pairs = [(x, y) for x in subject.model.histograms for y in neighbours(x)]
    found: dict[Histogram, list[tuple[Enclosure, Histogram, Any]]] = {}
    outputs = list(subject.outputs())
    for (x, y), losses in zip(pairs, loss_rows(subject, pairs), strict=True):
        found.setdefault(x, []).extend((loss, y, r) for loss, r in zip(losses, outputs, strict=True))
    for x, every in found.items():
        most = max(every, key=lambda entry: entry[0].lower)
        top: Fraction = max(entry[0].upper for entry in every)
        loss = outward(most[0].lower, top, MAP_DIGITS).to_dict()
        yield {"x": plain(x), "x_prime": plain(most[1]), "output": plain(most[2]), "loss": loss}


def left_out(block: Block) -> Section:
    """Returns the section that stands for the maps where the plan leaves them out."""
    most = LARGEST_TERNARY if block.model is not None and block.model.k == 3 else LARGEST
    n = min(block.ns[-1], most) if block.ns else None
    note = "The maps of all pairs and outputs are left out here for their size; this command draws them."
    title = "Privacy loss of every pair" + ("" if n is None else f", n = {n}")
    command = (block if n is None else replace(block, ns=(n,))).command()
    return block.section("loss-map", title, QUESTION, command, [], n=n, text=note)
