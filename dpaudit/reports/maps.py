"""The losses of all pairs: for two cells pair by output, for three cells the largest loss of every data set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpaudit.mechanisms import PosteriorMechanism, posterior
from dpaudit.numbers.enclosure import Enclosure, outward
from dpaudit.posterior.model import Histogram, neighbours
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.privacy.protocols import plain
from dpaudit.reports.block import Block, Case, Progress
from dpaudit.reports.document import Section
from dpaudit.reports.pairs import MAP_DIGITS, loss_rows

LARGEST = {2: 40, 3: 8}
"""The maps are drawn for n up to this, by the number of cells."""
MOST_OUTPUTS = 100
Row = dict[str, Any]
Mapped = tuple[Case, PosteriorMechanism]


def loss_maps(block: Block, progress: Progress, maps: bool) -> Iterator[Section]:
    """Yields the maps of those mechanisms that have them; without ``maps`` the command that draws them."""
    cells = 0 if block.model is None else block.model.k
    drawn = [(case, subject) for case in block.cases if (subject := mapped(case)) is not None]
    if drawn:
        make = by_output if cells == 2 else by_data
        yield make(block, drawn, progress) if maps else left_out(block)


def mapped(case: Case) -> PosteriorMechanism | None:
    """Returns the mechanism whose map is drawn, at an n that is not too large."""
    model = case.model
    if model is None or model.k not in LARGEST:
        return None
    n = min(model.n, LARGEST[model.k])
    subject = posterior((case.setting if n == model.n else case.setting.at(n=n)).mechanism)
    if subject is None or subject.adjacency != REPLACE_ONE:
        return None
    few = subject.count_outputs() == n + 1 if model.k == 2 else subject.count_outputs() <= MOST_OUTPUTS
    return subject if few else None


def _section(block: Block, kind: str, drawn: list[Mapped], question: str, rows: list[Row]) -> Section:
    n = drawn[0][1].model.n
    asked = {case.label for case, _ in drawn if case.setting.has_n}

    def command(case: Case) -> str | None:
        return case.setting.at(n=n).command_line("epsilon") if case.label in asked else None

    return block.section(kind, f"Privacy loss of every pair, n = {n}", question, command, rows, n=n)


def by_output(block: Block, drawn: list[Mapped], progress: Progress) -> Section:
    """Returns for k = 2 the loss of every adjacent pair (x, x+1) at every output, output 0 first."""
    rows = []
    for case, subject in drawn:
        progress(f"{case.label}: loss map")
        pairs = list(pairwise(subject.model.histograms))
        for (x, _), losses in zip(pairs, loss_rows(subject, pairs), strict=True):
            rows.append({"mechanism": case.label, "x": x[0], "losses": [loss.to_dict() for loss in losses]})
    question = f"Where does the loss come from? A row is a pair (x, x+1), a column an output. For n up to {LARGEST[2]}."
    return _section(block, "loss-map", drawn, question, rows)


def by_data(block: Block, drawn: list[Mapped], progress: Progress) -> Section:
    """Returns for k = 3 the largest loss of every data set against any neighbour, at any output."""
    rows = []
    for case, subject in drawn:
        progress(f"{case.label}: losses of every data set")
        rows += [{"mechanism": case.label, **row} for row in _worst(subject)]
    question = f"Which data sets are told apart best from a neighbour? For n up to {LARGEST[3]}."
    return _section(block, "loss-ternary", drawn, question, rows)


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
    n = min(block.ns[-1], LARGEST[block.model.k] if block.model else block.ns[-1])
    note = "The maps of all pairs and outputs are left out here for their size; this command draws them."
    title, command = f"Privacy loss of every pair, n = {n}", replace(block, ns=(n,)).command()
    return block.section("loss-map", title, "Where does the loss come from?", command, [], n=n, text=note)
