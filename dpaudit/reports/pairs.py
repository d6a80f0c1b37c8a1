"""The worst pairs, output by output: what tells two data sets apart, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import sub
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers import balls
from dpaudit.numbers.digits import short
from dpaudit.numbers.enclosure import Enclosure, infinite
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.protocols import Dataset, plain
from dpaudit.reports.block import Block, Case, Progress
from dpaudit.reports.document import Section

MAP_DIGITS = 6
MAP_EFFORT = Effort(MAP_DIGITS)
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
        lambda c: _distributions(c) if c in chosen else None,
        rows,
        n=block.ns[-1] if block.ns else None,
        pairs={case.label: case.found.witness.to_dict() for case in chosen},
        flat=bool(chosen) and all(map(_flat, chosen)),
        text=f"Left out, with more than {MOST_OUTPUTS} outputs or a part not known: {left_out}." if left_out else "",
    )


def _distributions(case: Case) -> str | None:
    """Returns the commands that give both distributions of the worst pair."""
    pair = case.found.witness.x, case.found.witness.x_prime
    return "\n".join(filter(None, (case.setting.command_line("pmf", x=plain(x)) for x in pair))) or None


def _flat(case: Case) -> bool:
    """Returns whether the outputs lie on a line: two cells, of which the first one determines the output."""
    if case.model is None or case.model.k != 2:
        return False
    firsts = [output[0] for output in case.mechanism.outputs()]
    return len(set(firsts)) == len(firsts)


def _pair_rows(case: Case) -> Iterator[dict[str, Any]]:
    """Yields the outputs that are possible for one data set of the worst pair at the least."""
    mechanism, witness = case.mechanism, case.found.witness
    pair, true = (witness.x, witness.x_prime), case.found.value()[1]
    words = case.told(true)
    (losses,) = MAP_EFFORT.widest(mechanism, lambda e: loss_rows(mechanism, [pair], e))
    here, there = (audit.pmf(mechanism, x=x, digits=MAP_DIGITS) for x in pair)
    for output, p, q, loss in zip(here.outputs, here.probabilities, there.probabilities, losses, strict=True):
        if p.upper or q.upper:
            shown = loss.to_dict() if p.upper and q.upper else infinite().to_dict()
            shown = shown if p.upper else dict.fromkeys(shown, "-inf")
            row = {"output": plain(output), "p": p.to_dict(), "p_prime": q.to_dict(), "loss": shown}
            telling = output == witness.output and words != short(shown)  # this loss is the true epsilon
            yield {**row, "loss": true.to_dict(), "shown": words} if telling else row


def loss_rows(
    mechanism: Mechanism, pairs: Sequence[tuple[Dataset, Dataset]], effort: Effort = MAP_EFFORT
) -> list[list[Enclosure]]:
    """Returns for every pair (x, y) enclosures of ln P_x(r) - ln P_y(r), for the outputs possible for both."""

    def attempt(left: list[tuple[Dataset, Dataset]]) -> dict[tuple[Dataset, Dataset], list[Enclosure]]:
        law, found = mechanism.law(), {}
        for x, y in left:
            losses = map(sub, law.log_probabilities(x), law.log_probabilities(y))
            shown = [effort.enclosure(loss) for loss in losses]
            known = [loss for loss in shown if loss is not None]
            if len(known) == len(shown):
                found[x, y] = known
        return found

    found = balls.refine_all(pairs, attempt, *balls.bits_for(effort.digits, mechanism.counts().outputs))
    return [found[pair][0] for pair in pairs]
