"""From a plan to the document: run what is asked for, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from time import perf_counter

from dpaudit.errors import InputError
from dpaudit.report import accuracy_study, document, studies
from dpaudit.report.collect import audit_sections
from dpaudit.report.document import Document, Section
from dpaudit.report.own import own_sections
from dpaudit.report.plan import Plan

Progress = Callable[[str], None]


def build(plan: Plan, progress: Progress) -> Document:
    """Returns the document of the plan; the same plan gives the same document, the run apart."""
    start = perf_counter()
    sections = list(_sections(plan, progress))
    if not sections:
        raise InputError("report", "(nothing)", "say what to report: --mech and --n, --plan FILE, or --claims")
    run = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(perf_counter() - start, 1),
    }
    return document.make(plan.title, plan.command, sections, run)


def _sections(plan: Plan, progress: Progress) -> Iterator[Section]:
    for study in plan.studies:
        yield from studies.run(study, progress)
    for setting in plan.audits:
        yield from audit_sections(setting, progress)
        yield accuracy_study.balanced(setting, progress)
    for own in plan.own:
        yield from own_sections(own, progress)
    if plan.claims:
        yield from studies.claims(plan.claims, progress)
