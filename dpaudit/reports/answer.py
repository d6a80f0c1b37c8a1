"""The command line's answer for reports: the verdicts, the files, and the exit code."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dpaudit.audit.page import Command, Fields, Headline, Line, Note, Page, Part, Words, strong
from dpaudit.numbers.digits import powers
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports import words
from dpaudit.reports.document import FAILS, Document
from dpaudit.reports.plan import Plan

SHOWN = ("true ε", "stated", "for a person", "checked by")
"""The lines of the box that a terminal shows."""
OPEN = (Verdict.UNDECIDED, Verdict.UNWITNESSED)


def page(documents: Sequence[Document], files: Sequence[Path]) -> Page:
    """The verdict of every report, for a single one also the lines of its box, then the files."""
    parts: list[Part] = []
    for document in documents:
        lead = document.lead
        text = powers(words.headline(document))
        if len(documents) > 1:
            parts.append(Note(Words(strong(document.title), ": ", text)))
            continue
        if lead is not None and lead.judgement is not None:
            parts.append(Headline.of(lead.judgement))
        parts.append(Note(text))
        parts += [Note(words.bounds_sentence(document))] if document.bounds and lead is not None else []
        lines: list[Line] = [(field.label, field.lines[0]) for field in words.fields(document) if field.label in SHOWN]
        lines += [("again", Command(lead.command))] if lead is not None and lead.command else []
        parts += [Fields(lines)] if lines else []
    return [*parts, *(Note(str(path)) for path in files)]


def claiming(plan: Plan) -> None:
    """Refuses --require where nothing is claimed, before any work is done."""
    if plan.claims or plan.studies or any(case.claimed is not None for block in plan.audits for case in block.cases):
        return
    raise InputError("require", "yes", "nothing is claimed: state a guarantee with --claim")


def exit_code(documents: Sequence[Document], require: bool, every_n: bool = False) -> tuple[int, str]:
    """The exit code, and the reason in a line where the reports do not give it.

    3: something could not be audited. With ``require`` 0 only if all claims are proved, with ``every_n`` for
    every n; 1: something is refuted; 3: something is open. Accuracy bounds count where a study of them was requested.
    """
    findings = [finding for document in documents for finding in document.findings]
    judged = [f.judgement for f in findings if f.judgement is not None and f.judgement.whose.value != "nominal"]
    claims = [claim.verdict for document in documents for claim in document.claims]
    bounds = [bound.verdict for document in documents for bound in document.bounds]
    unknown = [finding for finding in findings if finding.epsilon is None and finding.proof is None]
    lost = [f"{finding.name} ({'; '.join(finding.lost)})" for finding in unknown]
    refuted = any(found.verdict is Verdict.REFUTED for found in judged) or Verdict.REFUTED in bounds
    if require and (refuted or any(verdict in FAILS for verdict in claims)):
        return 1, ""
    if lost:
        return 3, f"could not be audited: {', '.join(dict.fromkeys(lost))}"
    if not require:
        return 0, ""
    open_ = [found.subject for found in judged if found.verdict is Verdict.UNDECIDED]
    limited = [found.subject for found in judged if found.extent is not None and not found.extent.every]
    open_ += limited if every_n else []
    open_ += [f"{sum(verdict in OPEN for verdict in claims)} claims"] if any(v in OPEN for v in claims) else []
    open_ += ["accuracy bounds"] if Verdict.UNDECIDED in bounds else []
    if open_:
        return 3, f"--require: undecided: {', '.join(open_)}"
    if not judged and Verdict.PROVED not in claims and not bounds:
        raise InputError("require", "yes", "nothing is claimed: state a guarantee with --claim")
    return 0, ""
