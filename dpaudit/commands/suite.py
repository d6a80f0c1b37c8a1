"""dpaudit suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpaudit.audit.page import Note, Page, Table, badge
from dpaudit.commands.options import Shown
from dpaudit.commands.reply import Reply

if TYPE_CHECKING:
    from dpaudit.studies.suite.run import Entry

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAMES", help="Rows such as SVT1 ReportNoisyMax1. Default: all.", show_default=False),
]


def suite(
    effort: Annotated[dict[str, Any], "progress"],
    names: Names = None,
) -> Shown:
    """The standard suite of mechanisms on which sampling tools are tested, with their exact ε.

    Report noisy max, the sparse vector technique, noisy histograms and others, as StatDP and DP-Sniper define them:
    the true ε over the suite's pairs, where it is attained, what an event of probability at least 1/100 can show at
    most, ε over all inputs where that is proved, and whether ε-DP holds for every ε > 0.

    Examples:

    dpaudit suite

    dpaudit suite SVT1 SVT6

    dpaudit suite --json
    """
    from dpaudit.studies.suite.run import document
    from dpaudit.studies.suite.run import suite as compute

    entries = compute(names or [], effort["progress"])
    return Reply(document(entries), lambda: _page(entries))


def _page(entries: list[Entry]) -> Page:
    columns = ["name", "true ε", "claimed", "verdict", "at c = 0.01", "all inputs", "StatDP", "DP-Sniper", "s"]
    rows = []
    for entry in entries:
        answer = entry.answer
        over = "–" if entry.over_all is None else str(entry.over_all.value)
        at_c = "–" if answer.at_c is None else answer.at_c
        place = [answer.row.name, answer.epsilon, str(answer.row.claimed), badge(answer.verdict), at_c, over]
        rows.append([*place, answer.row.statdp, answer.row.sniper, f"{answer.seconds:.1f}"])
    notes = [Note(f"{sum(entry.answer.seconds for entry in entries):.1f} s of computing")]
    for entry in entries:
        if entry.every is not None:
            words = f"{entry.answer.row.name}, ε-DP for every ε > 0: {entry.every.verdict.value}"
            notes.append(Note("; ".join(filter(None, (words, entry.every.where)))))
    return [Table(columns, rows), *notes]
