"""What the command line says of reports: the verdicts, where the files are, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dpaudit.audit.conclusion import Word, fails
from dpaudit.audit.page import Command, Fields, Line, Note, Page, Part, Words, strong
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.document import Document
from dpaudit.reports.plan import Plan
from dpaudit.reports.sentences import unknown
from dpaudit.reports.verdict import facts, fails_beyond, headlines, severity

COLOURS = ("red", "yellow", "red", "yellow", "green", "green", "cyan")
"""By how bad it is (``severity``)."""
OPEN = (Verdict.UNDECIDED, Verdict.UNWITNESSED)


def page(documents: Sequence[Document], files: Sequence[Path]) -> Page:
    """Returns for every report its verdict with the worst mechanism, of several the verdict alone; then the files."""
    parts: list[Part] = []
    for document in documents:
        verdict = document["verdict"]
        first, others = headlines(verdict)
        words = first or others or verdict["text"] or "nothing was decided"
        head = Words(words, style=f"bold {COLOURS[severity(verdict)]}")
        if first and others:
            head = Words(head, "; ", Words(others, style=f"bold {COLOURS[0]}"))
        parts.append(Note(head if len(documents) == 1 else Words(strong(document["title"]), ": ", head)))
        if len(documents) == 1:
            parts += _lead(verdict)
    return [*parts, *(Note(str(path)) for path in files)]


def _lead(verdict: dict[str, Any]) -> list[Part]:
    """Returns the sentence, and the numbers of the worst mechanism."""
    text: list[Part] = [Note(verdict["text"])] if verdict["text"] else []
    if verdict["word"] is None:
        return text
    lines: list[Line] = [("mechanism", verdict["mechanism"]), *facts(verdict)]
    lines += [("again", Command(verdict["command"]))] if verdict["command"] else []
    return [*text, Fields(lines)]


def claiming(plan: Plan) -> None:
    """Refuses --require where nothing is claimed, before any work is done."""
    if plan.claims or plan.studies or any(case.claimed is not None for block in plan.audits for case in block.cases):
        return
    raise InputError("require", "yes", "nothing is claimed: say what with --claim")


def exit_code(documents: Sequence[Document], require: bool) -> tuple[int, str]:
    """Returns the exit code, and why in a line where the reports do not say it themselves.

    3: something could not be audited. With ``require`` 0 only if all that is claimed is proved; 1: something is
    refuted; 3: something is open; 2: nothing is claimed. Accuracy bounds count where a study of them was asked for.
    """
    rows = [row for document in documents for s in document["sections"] if s["kind"] == "matrix" for row in s["rows"]]
    claims = [document["verdict"].get("claims") or {} for document in documents]
    lost = [row["mechanism"] for row in rows if row["reason"] and (row["ns"] is not None or unknown(row))]
    bounds = [
        document["verdict"].get("bounds") or {}
        for document in documents
        if any(section["kind"] == "bounds" for section in document["sections"])
    ]
    refuted = any(row["word"] == Word.NOT_PRIVATE or (row["claim"] and fails_beyond(row)) for row in rows)
    refuted = refuted or any(map(fails, claims))
    if require and (refuted or any(count.get("fails") for count in bounds)):
        return 1, ""
    if lost:
        return 3, f"could not be audited: {', '.join(dict.fromkeys(lost))}; the report says why"
    if not require:
        return 0, ""
    open_ = [row["mechanism"] for row in rows if row["word"] == Word.UNDECIDED]
    open_ += [f"{count[verdict]} claims" for count in claims for verdict in OPEN if count.get(verdict)]
    open_ += [f"{count['UNDECIDED']} accuracy bounds" for count in bounds if count.get("UNDECIDED")]
    if open_:
        return 3, f"--require: undecided: {', '.join(open_)}"
    if not any(row["claim"] for row in rows) and not any(count.get(Verdict.PROVED) for count in claims):
        raise InputError("require", "yes", "nothing is claimed: say what with --claim")
    return 0, ""
