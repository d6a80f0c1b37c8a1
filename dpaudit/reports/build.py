"""From a plan to the document: run what is asked for, section by section."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from time import perf_counter

from dpaudit.numbers.errors import InputError
from dpaudit.reports import accuracy_study, document, studies
from dpaudit.reports.collect import Block, audit_sections
from dpaudit.reports.document import Document, Section
from dpaudit.reports.own import own_sections
from dpaudit.reports.plan import Plan

Progress = Callable[[str], None]


def build(plan: Plan, progress: Progress) -> Document:
    """Returns the document of the plan; the same plan gives the same document, the run apart.

    Everything that the plan says is checked before the first audit.
    """
    start = perf_counter()
    jobs = list(_jobs(plan))
    if not jobs:
        raise InputError("report", "(nothing)", "say what to report: --mech and --n, --plan FILE, or --claims")
    sections = [section for job in jobs for section in job(progress)]
    run = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "seconds": round(perf_counter() - start, 1),
    }
    return document.make(plan.title, plan.command, sections, run, plan.text)


def _jobs(plan: Plan) -> Iterator[Callable[[Progress], Iterable[Section]]]:
    for study in plan.studies:
        yield studies.prepare(study)
    for block in plan.audits:
        yield partial(audit_sections, block, maps=plan.maps)
        yield partial(_balanced, block)
    for own in plan.own:
        yield partial(own_sections, own)
    if plan.claims:
        yield studies.prepare_claims(plan.claims)


def _balanced(block: Block, progress: Progress) -> Iterator[Section]:
    yield accuracy_study.balanced(block, progress)
