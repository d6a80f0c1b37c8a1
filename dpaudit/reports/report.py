"""dpaudit.report and dpaudit.render: a report made in one call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from dpaudit.audit.setting import command_line
from dpaudit.files.writing import write_file
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.errors import InputError, visible
from dpaudit.reports import accuracy_study, distances, document, nominal, prior_map, studies
from dpaudit.reports.block import Block, Job
from dpaudit.reports.collect import audit_sections
from dpaudit.reports.expected import expected
from dpaudit.reports.index import index
from dpaudit.reports.plan import Plan, each, read_plan
from dpaudit.reports.steps import Progress, Steps, sized
from dpaudit.reports.verdict import arranged
from dpaudit.reports.words import told_apart
from dpaudit.reports.write import prepare, write

INDEX = "README.md"
USUAL = 3
"""Steps of a job that does not say how many it has."""
WRITING = 1.0
"""About the seconds that the pictures and files take."""


@dataclass(frozen=True)
class Report:
    """A document that was made, and its files."""

    document: document.Document
    files: list[Path]


def report(
    mech: Any = None,
    *,
    n: Any = None,
    plan: str | None = None,
    claims: bool = False,
    claim: Any = None,
    title: str | None = None,
    out: str = "report",
    progress: Progress | Steps | None = None,
    **setting: Any,
) -> list[Path]:
    """Returns the files of the report, written into the folder ``out``: of mechanisms, of a plan, or of the claims.

    ``mech`` is "all", names and anybody's own in any mixture, separated by commas or a list; ``n`` a range such as
    "1..60". ``claim`` is judged instead of what the mechanisms claim. The rest of the setting goes to the mechanisms
    that take it. ``progress`` is told in words what is done.
    """
    wanted = asked(mech, n=n, plan=plan, claims=claims, claim=claim, title=title, **setting)
    return made(wanted, out, progress).files


def asked(
    mech: Any = None,
    *,
    n: Any = None,
    plan: str | None = None,
    claims: bool = False,
    claim: Any = None,
    title: str | None = None,
    **setting: Any,
) -> Plan:
    """Returns the checked plan of what is asked for."""
    if plan is not None:
        given = [mech, n, title, claim, *setting.values()]
        if claims or any(value is not None for value in given):
            raise InputError("plan", plan, "a plan says it all: leave out the other options but --out")
        return read_plan(plan)
    if claim is not None and mech is None:
        raise InputError("claim", claim, "goes with --mech: it is judged of these mechanisms")
    blocks = () if mech is None else (Block.read(mech, n=n, claim=claim, **setting),)
    more = {"claims": claims, "title": title}
    command = blocks[0].command(**more) if blocks else command_line("report", **more)
    name = f"Audit of {blocks[0].title}" if blocks else "The documents' claims"
    return Plan(title or name, command, blocks, ("*",) if claims else ())


def refresh(folder: str, *, progress: Progress | Steps | None = None) -> list[Path]:
    """Returns the files of every report below the folder, made anew from its plan.toml, and last their index."""
    return [*(path for found in remade(folder, progress) for path in found.files), Path(folder) / INDEX]


def remade(folder: str, progress: Progress | Steps | None = None) -> list[Report]:
    """Returns every report below the folder, made anew from its plan.toml; their index is written too."""
    found = sorted(Path(folder).glob("*/plan.toml"))
    if not found:
        raise InputError("refresh", folder, "holds no report: no plan.toml in its folders")
    written = [made(read_plan(str(plan)), str(plan.parent), progress) for plan in found]
    write_file("refresh", Path(folder) / INDEX, index(folder))
    return written


def made(wanted: Plan, out: str, progress: Progress | Steps | None = None) -> Report:
    """Returns the report of the plan, written into the folder."""
    steps = Steps.of(progress)
    prepare(out)
    found = build(wanted, steps)
    steps(f"writing {out}")
    return Report(found, write(found, out))


def build(plan: Plan, progress: Progress | Steps) -> document.Document:
    """Returns the document of the plan; the same plan gives the same document, the run apart.

    Everything that the plan says is checked before the first audit. What cannot be computed is said so, by name and
    with the reason, and the rest goes on; where nothing of it is possible, it is refused.
    """
    start, plan = perf_counter(), plan.told_apart()
    wanted = list(jobs(plan))
    if not wanted:
        raise InputError("report", "(nothing)", "say what to report: --mech and --n, --plan FILE, or --claims")
    steps, sizes = Steps.of(progress), [sized(job, USUAL) for _, job in wanted]
    steps.begin(sum(job.steps for job in sizes) + 1, sum(job.seconds for job in sizes) + WRITING)
    sections: list[document.Section] = []
    lost: list[tuple[str, Exception]] = []
    for (name, _), job in zip(wanted, sizes, strict=True):
        with steps.part(job) as told:
            try:
                for section in job(told):
                    sections.append(section)
            except (PrecisionExhausted, InputError) as problem:
                lost.append((name, problem))
    _refuse_empty(plan, sections, lost)
    sections = told_apart([*arranged(sections), *([left_out(plan, lost)] if lost else [])])
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return document.make(
        plan.title, plan.command, sections, {"date": now, "seconds": round(perf_counter() - start, 1)}, plan.text
    )


def _refuse_empty(plan: Plan, sections: list[document.Section], lost: list[tuple[str, Exception]]) -> None:
    """Refuses a report in which nothing could be computed, if what was given is at fault."""
    if not sections and lost:
        raise lost[0][1]
    failed = [case.failures[0] for block in plan.audits for case in block.cases if case.failures]
    others = plan.studies or plan.claims or any(block.known().cases for block in plan.audits)
    if failed and not others and all(isinstance(fault, InputError) for fault in failed):
        raise failed[0]


def left_out(plan: Plan, lost: list[tuple[str, Exception]]) -> document.Section:
    """Returns the section of what could not be computed, and why."""
    shown = {"title": "What could not be computed", "question": "What is missing here, and why?"}
    rows = [{"what": name, "reason": visible(str(problem))} for name, problem in lost]
    return {"kind": "left-out", **shown, "command": plan.command, "setting": {}, "rows": rows}


def jobs(plan: Plan) -> Iterator[tuple[str, Job]]:
    """Yields every job with its name; all that is wrong with the plan is said here."""
    yield from each("study", plan.studies, lambda study: (f"study of {study.get('kind')}", studies.prepare(study)))
    for block in plan.audits:
        yield block.title, expected(block, partial(audit_sections, block, maps=plan.maps))
        extras = {"true ε against nominal ε": nominal.true_nominal, "n and prior": prior_map.prior_map}
        extras |= {"mean errors": accuracy_study.balanced, "distances": distances.balanced}
        for name, make in extras.items():
            if plan.maps or make is not prior_map.prior_map:
                yield f"{block.title}: {name}", partial(_of_known, make, block)
    if plan.claims:
        yield "the claims", studies.prepare_claims(plan.claims)


def _of_known(make: Any, block: Block, progress: Progress) -> Iterator[document.Section]:
    """Yields the sections of the mechanisms that could be audited."""
    known = block.known()
    if known.cases:
        yield from make(known, progress)


def render(result: str, out: str = "report") -> list[Path]:
    """Returns the files of a report drawn again from its result file; nothing is computed."""
    made = document.load(result)
    try:
        return write(made, out)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("RESULT", result, f"is malformed: {type(error).__name__}") from None
