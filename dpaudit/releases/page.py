"""A release as people read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dpaudit.audit.page import Against, Fields, Line, Note, Page, Part, Table, Words, strong
from dpaudit.audit.words import again, caveat_rows, evidence_rows, subject_rows
from dpaudit.privacy.protocols import text

if TYPE_CHECKING:
    from dpaudit.releases.release import Released, ReleaseResult

MOST_SHOWN = 40
"""More releases than this are listed in the JSON only."""


def page(result: ReleaseResult) -> Page:
    """Returns what was released, what the audit says, what it cost."""
    many = len(result.released)
    value = Against(result.epsilon, result.audited.bound())
    rows: list[Line] = [*subject_rows(result.subject), ("true ε", Words(strong(value), " of one release"))]
    rows += evidence_rows(result.claim, "epsilon")
    if not many:
        nothing = Words("nothing", style="bold red")
        rows = [("released", Words(nothing, ": the claim is not proved")), *rows]
    elif many == 1:
        rows = [*_one(result.released[0]), *rows]
    rows += _cost(result, many) if many else []
    rows += [*([("audit", result.audit)] if result.audit else []), *caveat_rows(result.subject)]
    parts: list[Part] = [result.audited.headline(), Fields(again(rows, result.command))]
    if many > 1:
        shown = result.released[:MOST_SHOWN]
        if shown[0].parameters is None:
            parts.append(Table(["output"], [(found.output,) for found in shown]))
        else:
            listed = [(found.output, ", ".join(found.parameters or ())) for found in shown]
            parts.append(Table(["output", "released Dir(…)"], listed))
    if many > MOST_SHOWN:
        parts.append(Note(f"{many - MOST_SHOWN} more: --json"))
    return parts


def _one(found: Released) -> list[Line]:
    """Returns the output; for a posterior its parameters too."""
    if found.parameters is None:
        return [("released", strong(found.output))]
    posterior = Words(strong(f"Dir({', '.join(found.parameters)})"), f": prior + counts {text(found.counts)}")
    return [("released", posterior), ("output", found.output)]


def _cost(result: ReleaseResult, many: int) -> list[Line]:
    """Returns where the bits came from, what was spent and what one more release would make of it."""
    kind = "release" if many == 1 else "releases"
    return [
        ("randomness", result.randomness),
        ("spent", Words(result.spent, f" by {many} {kind} of these data")),
        ("one more", Words(result.after_one_more, " in all")),
    ]
