"""The worst pairs, output by output, and the maps of all pairs: what tells two data sets apart, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import sub
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.enclosure import Enclosure, infinite
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.protocols import Dataset, plain
from dpaudit.reports.block import DIGITS, Block, Case, Progress
from dpaudit.reports.document import Section

MAP_DIGITS = 6
MAP_LARGEST = 40
"""The map of all pairs is drawn for n up to this."""
MOST_OUTPUTS = 400
"""A mechanism with more outputs is left out of the charts that show every output."""


def worst_pairs(block: Block, progress: Progress) -> Section:
    """Returns both output distributions of the worst pair and the loss at every output, at the largest n."""
    known = [case for case in block.cases if not case.found.epsilon.is_open]
    chosen = [case for case in known if case.mechanism.counts().outputs <= MOST_OUTPUTS]
    rows = []
    for case in list(chosen):
        progress(f"{case.label}: worst pair")
        found = case.narrow(lambda case=case: list(_pair_rows(case)))  # type: ignore[misc]
        rows += [{"mechanism": case.label, **row} for row in found or ()]
        chosen = chosen if found is not None else [other for other in chosen if other is not case]
    left_out = ", ".join(case.label for case in block.cases if case not in chosen)
    return block.section(
        "worst-pairs",
        f"Output distributions of the worst pair{block.where}",
        "Which two data sets are told apart best, and by which outputs?",
        lambda c: c.setting.command_line("pmf", x=plain(c.found.witness.x)) if c in chosen else None,
        rows,
        n=block.ns[-1] if block.ns else None,
        pairs={case.label: case.found.witness.to_dict() for case in chosen},
        flat=bool(chosen) and all(c.model is not None and c.model.k == 2 for c in chosen),
        text=f"Left out, with more than {MOST_OUTPUTS} outputs or a part not known: {left_out}." if left_out else "",
    )


def _pair_rows(case: Case) -> Iterator[dict[str, Any]]:
    """Yields the outputs that are possible for one data set of the worst pair at the least."""
    mechanism, witness = case.mechanism, case.found.witness
    pair = (witness.x, witness.x_prime)
    (losses,) = Effort(MAP_DIGITS).widest(mechanism, lambda e: loss_rows(mechanism, [pair], e.digits))
    here, there = (audit.pmf(mechanism, x=x, digits=DIGITS) for x in pair)
    for output, p, q, loss in zip(here.outputs, here.probabilities, there.probabilities, losses, strict=True):
        if p.upper or q.upper:
            shown = loss.to_dict() if p.upper and q.upper else infinite().to_dict()
            shown = shown if p.upper else dict.fromkeys(shown, "-inf")
            yield {"output": plain(output), "p": p.to_dict(), "p_prime": q.to_dict(), "loss": shown}


def worst_loss(pairs: Section) -> Section:
    """Returns the loss of the worst pairs at every output, from the section of the pairs."""
    rows = [{key: row[key] for key in ("mechanism", "output", "loss")} for row in pairs["rows"]]
    title = pairs["title"].replace("Output distributions", "Privacy loss")
    question = "At which outputs is the loss ln P_x/P_x′ large?"
    return {**pairs, "kind": "worst-loss", "title": title, "question": question, "rows": rows, "text": ""}


def loss_rows(
    mechanism: Mechanism, pairs: Sequence[tuple[Dataset, Dataset]], digits: int = MAP_DIGITS
) -> list[list[Enclosure]]:
    """Returns for every pair (x, y) enclosures of ln P_x(r) - ln P_y(r), for the outputs possible for both."""

    def attempt(left: list[tuple[Dataset, Dataset]]) -> dict[tuple[Dataset, Dataset], list[Enclosure]]:
        law, found = mechanism.law(), {}
        for x, y in left:
            losses = map(sub, law.log_probabilities(x), law.log_probabilities(y))
            shown = [balls.enclosure(loss, digits) for loss in losses]
            known = [loss for loss in shown if loss is not None]
            if len(known) == len(shown):
                found[x, y] = known
        return found

    found = balls.refine_all(pairs, attempt, *balls.bits_for(digits, mechanism.counts().outputs))
    return [found[pair][0] for pair in pairs]


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
    """Returns the mechanism whose map of losses is drawn, n being at most MAP_LARGEST: pairs (x, x+1) by outputs."""
    setting, model = case.setting, case.model
    if model is not None:
        setting = setting if model.n <= MAP_LARGEST else setting.at(n=MAP_LARGEST)
    mechanism = setting.mechanism
    counts = mechanism.counts()
    known = mechanism.refinable and not (case.found.epsilon.is_infinite or case.found.epsilon.is_open)
    if not known or max(counts.datasets, counts.outputs) > MAP_LARGEST + 1:
        return None
    places = {_cell(x): x for x in mechanism.datasets()}
    outputs = [cell for cell in map(_cell, mechanism.outputs()) if cell is not None]
    whole = list(range(counts.datasets))
    if sorted(outputs) != whole or set(places) != set(whole):
        return None
    datasets = tuple(places[cell] for cell in whole)
    near = all(y in mechanism.neighbours(x) for x, y in pairwise(datasets))
    return Cells(mechanism, datasets, tuple(outputs)) if near and len(datasets) > 1 else None


def loss_map(block: Block, case: Case, cells: Cells, progress: Progress) -> Section:
    """Returns the loss of every adjacent pair (x, x+1) of first cells at every output that is possible."""
    progress(f"{case.label}: loss map")
    n, pairs, law = cells.n, list(pairwise(cells.datasets)), cells.mechanism.law()
    rows = [
        {"x": x, "output": output, "loss": loss.to_dict()}
        for x, losses in enumerate(loss_rows(cells.mechanism, pairs))
        for output, loss, p in zip(cells.outputs, losses, law.probabilities(cells.datasets[x]), strict=True)
        if not balls.is_zero(p)
    ]
    title = f"Privacy loss of every pair: {case.label}, n = {n}"
    question = "Where does the loss come from? A row is a pair (x, x+1), a column an output. Drawn for n up to 40."
    command = case.setting.at(n=n).command_line("epsilon") if case.model is not None else case.found.command
    return block.section("loss-map", title, question, command or "", rows, n=n, mechanism=case.label, folded=True)


def maps_left_out(block: Block) -> Section:
    """Returns the section that stands for the loss maps where the plan leaves them out."""
    n = min(block.ns[-1], MAP_LARGEST) if block.ns else None
    note = "The maps of all pairs and outputs are left out here for their size; this command draws them."
    title = "Privacy loss of every pair" + ("" if n is None else f", n = {n}")
    command = (block if n is None else replace(block, ns=(n,))).command()
    return block.section("loss-map", title, "Where does the loss come from?", command, [], n=n, text=note)
