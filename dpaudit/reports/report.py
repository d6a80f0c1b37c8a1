"""dpaudit.report and dpaudit.render: a report in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from dpaudit.audit.judgement import badness
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError, visible
from dpaudit.reports import accuracy, claims, sections
from dpaudit.reports.block import Block
from dpaudit.reports.certificates import certified
from dpaudit.reports.document import Bound, Document, Finding, Paper, Section, load, versions
from dpaudit.reports.judge import finding
from dpaudit.reports.plan import Plan, each, from_options, read_plan
from dpaudit.reports.steps import COSTS, EVERY_N, Job, Progress, Steps
from dpaudit.reports.write import prepare, write

Part = Finding | Bound | Paper | Section
STUDIES: dict[str, Callable[[dict[str, Any]], Job]] = {"accuracy": accuracy.prepare}


@dataclass(frozen=True)
class Report:
    """A finished document, and its files."""

    document: Document
    files: list[Path]


def report(
    mech: Any = None,
    *,
    n: Any = None,
    plan: str | None = None,
    claims: bool = False,
    claim: Any = None,
    title: str | None = None,
    certificate: bool = False,
    full: bool = False,
    out: str = "report",
    progress: Progress | Steps | None = None,
    **setting: Any,
) -> list[Path]:
    """The files of the report, written into the folder ``out``: of mechanisms, of a plan, or of the claims.

    ``mech`` is "all", or names and mechanisms of your own in any mixture, as a list or separated by commas; ``n`` is a
    range such as "1..60", or "all". ``claim`` is judged instead of the mechanisms' own claims. ``certificate`` writes
    certificates and has them verified, ``full`` opens every part of the page. The other parameters go to the
    mechanisms that have them.
    """
    wanted = from_options(mech, n=n, plan=plan, claims=claims, claim=claim, title=title, **setting)
    return make(wanted, out, progress, certificate, full).files


def refresh(folder: str, progress: Progress | Steps | None = None) -> list[Report]:
    """Every report below the folder, recomputed from its plan.toml."""
    found = sorted(Path(folder).glob("*/plan.toml"))
    if not found:
        raise InputError("refresh", folder, "holds no report: no plan.toml in its folders")
    return [make(read_plan(str(plan)), str(plan.parent), progress) for plan in found]


def make(
    wanted: Plan, out: str, progress: Progress | Steps | None = None, certificate: bool = False, full: bool = False
) -> Report:
    """The report of the plan, written into the folder."""
    steps = Steps.of(progress)
    prepare(out)
    if certificate:
        wanted = replace(wanted, command=f"{wanted.command} --certificate")
    found, files = build(wanted, steps, certificate)
    steps(f"writing {out}")
    return Report(found, write(found, out, files, full))


def render(result: str, out: str = "report", full: bool = False) -> list[Path]:
    """The files of a report, rewritten from its result file; nothing is computed."""
    return write(load(result), out, {}, full)


def build(plan: Plan, progress: Progress | Steps, certificate: bool = False) -> tuple[Document, dict[str, bytes]]:
    """The document of the plan, and the files of its certificates; the same plan gives the same content.

    The whole plan is checked before the first audit. Parts that cannot be computed are listed with the reason, and the
    rest continues; a plan of which nothing can be computed is refused.
    """
    start, files = perf_counter(), dict[str, bytes]()
    jobs = wanted_jobs(plan, certificate, files)
    steps = Steps.of(progress)
    steps.expect(sum(job.cost for job in jobs))
    parts: list[Part] = []
    lost: list[tuple[str, Exception]] = []
    for job in jobs:
        try:
            for part in job.run(steps):
                parts.append(part)
        except (PrecisionExhausted, InputError) as problem:
            lost.append((job.name, problem))
    if not parts and lost:
        raise lost[0][1]
    return _document(plan, parts, lost, perf_counter() - start), files


def _document(plan: Plan, parts: Sequence[Part], lost: Sequence[tuple[str, Exception]], seconds: float) -> Document:
    findings = [part for part in parts if isinstance(part, Finding)]
    shown = [part for part in parts if isinstance(part, Section)]
    if lost:
        notes = tuple(f"{name}: {visible(str(problem))}" for name, problem in lost)
        shown.append(Section("left-out", "What could not be computed", notes=notes))
    return Document(
        title=visible(plan.title),
        command=visible(plan.command, keep="\n"),
        findings=tuple(sorted(findings, key=_order)),
        bounds=tuple(part for part in parts if isinstance(part, Bound)),
        claims=tuple(part for part in parts if isinstance(part, Paper)),
        sections=tuple(_one_main(shown)),
        plan=plan.text,
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        seconds=round(seconds, 1),
        versions=versions(),
    )


def _order(found: Finding) -> tuple[int, Any]:
    """Failures first, then by the share of what is stated; what states nothing last."""
    return (4, 0) if found.judgement is None else badness(found.judgement)


def _one_main(shown: Sequence[Section]) -> Iterator[Section]:
    """Yields the sections, of which the first that may is the main one; a figure alone serves where none says so."""
    first = next((part for part in shown if part.main), next((part for part in shown if part.figure), None))
    for part in shown:
        yield replace(part, main=part is first)


def wanted_jobs(plan: Plan, certificate: bool = False, files: dict[str, bytes] | None = None) -> list[Job]:
    """Every job in order; all errors in the plan are raised here."""
    studies = list(each("study", plan.studies, _study))
    kept, audits = {} if files is None else files, []
    for block in plan.audits:
        cost = len(block.cases) * (len(block.ns) + COSTS[EVERY_N])
        audits.append(Job(block.title, cost, partial(_audit, block, certificate, kept)))
    return [*audits, *studies, *([claims.prepare(plan.claims)] if plan.claims else [])]


def _study(entry: dict[str, Any]) -> Job:
    kind = entry.get("kind")
    if kind not in STUDIES:
        raise InputError("kind", str(kind), f"must be one of {', '.join(STUDIES)}")
    return STUDIES[kind]({name: value for name, value in entry.items() if name != "kind"})


def _audit(block: Block, certificate: bool, files: dict[str, bytes], progress: Progress) -> Iterator[Part]:
    """Yields the findings on the mechanisms of a block, then its sections."""
    found = []
    for case in block.cases:
        one = finding(case, progress, block.every_n)
        if certificate:
            progress(f"{case.label}: certificate")
            one, written = certified(case, one)
            files.update(written)
        found.append(one)
    yield from found
    yield from sections.sections(block, found, progress)
