"""dpaudit.report and dpaudit.render: a report made in one call."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from dpaudit.audit.judgement import badness
from dpaudit.files.writing import write_file
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError, visible
from dpaudit.reports import accuracy, claims, priors, sections
from dpaudit.reports.block import Block, Unknown
from dpaudit.reports.certificates import certified
from dpaudit.reports.document import ACCURACY, Bound, Document, Finding, Paper, Section, load, versions
from dpaudit.reports.index import NAME, index
from dpaudit.reports.judge import finding
from dpaudit.reports.plan import Plan, each, from_options, read_plan
from dpaudit.reports.steps import COSTS, Job, Progress, Steps
from dpaudit.reports.write import prepare, write

Part = Finding | Bound | Paper | Section
STUDIES: dict[str, Callable[[dict[str, Any]], Job]] = {"priors": priors.prepare, "accuracy": accuracy.prepare}
AFTER = 5
"""Steps of a mechanism after its true ε: about one for each kind of section."""


@dataclass(frozen=True)
class Report:
    """A document that was made, and its files."""

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
    """Every report below the folder, made again from its plan.toml; their index is written too."""
    found = sorted(Path(folder).glob("*/plan.toml"))
    if not found:
        raise InputError("refresh", folder, "holds no report: no plan.toml in its folders")
    written = [make(read_plan(str(plan)), str(plan.parent), progress) for plan in found]
    write_file("refresh", Path(folder) / NAME, index(folder))
    return written


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
    """The files of a report written again from its result file; nothing is computed."""
    return write(load(result), out, {}, full)


def build(plan: Plan, progress: Progress | Steps, certificate: bool = False) -> tuple[Document, dict[str, bytes]]:
    """The document of the plan, and the files of its certificates; the same plan gives the same content.

    Everything that the plan says is checked before the first audit. What cannot be computed is said so, by name and
    with the reason, and the rest goes on; where nothing of it is possible, it is refused.
    """
    start, files = perf_counter(), dict[str, bytes]()
    jobs = list(wanted_jobs(plan, certificate, files))
    steps = Steps.of(progress)
    steps.begin(sum(job.steps for job in jobs) + 1, sum(job.weight for job in jobs) + 1)
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
    _refuse_empty(plan, parts)
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
    wanted = [i for i, part in enumerate(shown) if part.main or (i == 0 and part.kind in ACCURACY)]
    first = min(wanted, default=None)
    if first is None:
        first = next((i for i, part in enumerate(shown) if part.figure is not None), None)
    for i, part in enumerate(shown):
        yield replace(part, main=i == first)


def _refuse_empty(plan: Plan, parts: Sequence[Part]) -> None:
    """Refuses a report in which no mechanism could be audited, if what was given is at fault."""
    found = [part for part in parts if isinstance(part, Finding)]
    cases = [case for block in plan.audits for case in block.cases]
    faults = [case.last.fault for case in cases if isinstance(case.last, Unknown) and case.last.fault is not None]
    others = plan.studies or plan.claims or any(one.epsilon is not None or one.proof is not None for one in found)
    if faults and not others and all(isinstance(fault, InputError) for fault in faults):
        raise faults[0]


def wanted_jobs(plan: Plan, certificate: bool = False, files: dict[str, bytes] | None = None) -> Iterator[Job]:
    """Yields every job; all that is wrong with the plan is said here."""
    yield from each("study", plan.studies, _study)
    kept = {} if files is None else files
    for block in plan.audits:
        count, places = len(block.cases), len(block.ns or (0,))
        run = partial(_audit, block, certificate, kept)
        yield Job(block.title, count * (places + AFTER), count * (places + sum(COSTS.values())), run)
        yield Job(f"{block.title}: accuracy", count + 20, 30.0, partial(_accuracy, block))
    if plan.claims:
        yield claims.prepare(plan.claims)


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


def _accuracy(block: Block, progress: Progress) -> Iterator[Part]:
    """Yields what is known of the accuracy of the mechanisms that could be audited."""
    known = [case for case in block.cases if not isinstance(case.last, Unknown)]
    if known:
        yield from accuracy.balanced(Block.of(known, block.ns), progress)
