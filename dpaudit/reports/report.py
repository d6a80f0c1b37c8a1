"""dpaudit.report and dpaudit.render: a report made in one call."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from dpaudit.audit.setting import command_line
from dpaudit.files.writing import write_file
from dpaudit.numbers.errors import InputError
from dpaudit.reports import accuracy_study, distances, document, nominal, prior_map, studies
from dpaudit.reports.block import Block, Job
from dpaudit.reports.collect import audit_sections
from dpaudit.reports.index import index
from dpaudit.reports.plan import Plan, read_plan
from dpaudit.reports.steps import Progress, Sized, Steps
from dpaudit.reports.verdict import arranged
from dpaudit.reports.write import prepare, write

INDEX = "README.md"
USUAL = 3
"""Steps of a job that does not say how many it has."""
AFTER = 6
"""Steps of a mechanism after its true epsilon: about one for each kind of section."""


def report(
    mech: Any = None,
    *,
    n: Any = None,
    plan: str | None = None,
    claims: bool = False,
    title: str | None = None,
    out: str = "report",
    progress: Progress | Steps | None = None,
    **setting: Any,
) -> list[Path]:
    """Returns the files of the report, written into the folder ``out``: of mechanisms, of a plan, or of the claims.

    ``mech`` is "all", names and anybody's own in any mixture, separated by commas or a list; ``n`` a range such as
    "1..60". The rest of the setting goes to the mechanisms that take it. ``progress`` is told in words what is done.
    """
    if plan is not None:
        if mech or n is not None or any(value is not None for value in setting.values()) or title or claims:
            raise InputError("plan", plan, "a plan says it all: leave out the other options but --out")
        return _make(read_plan(plan), out, progress)
    blocks = () if mech is None else (Block.read(mech, n=n, **setting),)
    more = {"claims": claims, "title": title}
    command = blocks[0].command(**more) if blocks else command_line("report", **more)
    name = f"Audit of {blocks[0].title}" if blocks else "The documents' claims"
    return _make(Plan(title or name, command, blocks, ("*",) if claims else ()), out, progress)


def refresh(folder: str, *, progress: Progress | Steps | None = None) -> list[Path]:
    """Returns the files of every report below the folder, made anew from its plan.toml, and last their index."""
    found = sorted(Path(folder).glob("*/plan.toml"))
    if not found:
        raise InputError("refresh", folder, "holds no report: no plan.toml in its folders")
    written = [path for plan in found for path in _make(read_plan(str(plan)), str(plan.parent), progress)]
    write_file("refresh", Path(folder) / INDEX, index(folder))
    return [*written, Path(folder) / INDEX]


def _make(wanted: Plan, out: str, progress: Progress | Steps | None) -> list[Path]:
    steps = Steps.of(progress)
    prepare(out)
    made = build(wanted, steps)
    steps(f"writing {out}")
    return write(made, out)


def build(plan: Plan, progress: Progress | Steps) -> document.Document:
    """Returns the document of the plan; the same plan gives the same document, the run apart.

    Everything that the plan says is checked before the first audit.
    """
    start = perf_counter()
    jobs = list(_jobs(plan))
    if not jobs:
        raise InputError("report", "(nothing)", "say what to report: --mech and --n, --plan FILE, or --claims")
    steps, sizes = Steps.of(progress), [getattr(job, "steps", USUAL) for job in jobs]
    steps.begin(sum(sizes) + 1)
    sections: list[document.Section] = []
    for job, size in zip(jobs, sizes, strict=True):
        with steps.part(size) as told:
            sections += job(told)
    sections = arranged(sections)
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return document.make(
        plan.title, plan.command, sections, {"date": now, "seconds": round(perf_counter() - start, 1)}, plan.text
    )


def _jobs(plan: Plan) -> Iterator[Job]:
    yield from map(studies.prepare, plan.studies)
    for block in plan.audits:
        steps = len(block.cases) * (len(block.ns) + AFTER)
        yield Sized(partial(audit_sections, block, maps=plan.maps), steps)
        yield partial(nominal.true_nominal, block)
        yield from [partial(prior_map.prior_map, block)] if plan.maps else []
        yield partial(accuracy_study.balanced, block)
        yield partial(distances.balanced, block)
    if plan.claims:
        yield studies.prepare_claims(plan.claims)


def render(result: str, out: str = "report") -> list[Path]:
    """Returns the files of a report drawn again from its result file; nothing is computed."""
    made = document.load(result)
    try:
        return write(made, out)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("RESULT", result, f"is malformed: {type(error).__name__}") from None
