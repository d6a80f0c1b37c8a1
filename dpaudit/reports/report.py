"""dpaudit.report and dpaudit.render: a report made in one call."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from dpaudit.audit.setting import command_line
from dpaudit.numbers.errors import InputError
from dpaudit.reports import accuracy_study, document, studies
from dpaudit.reports.block import Block, Job, Progress
from dpaudit.reports.collect import audit_sections
from dpaudit.reports.plan import Plan, read_plan
from dpaudit.reports.verdict import arranged
from dpaudit.reports.write import prepare, write


def report(
    mech: Any = None,
    *,
    n: Any = None,
    plan: str | None = None,
    claims: bool = False,
    title: str | None = None,
    out: str = "report",
    progress: Progress | None = None,
    **setting: Any,
) -> list[Path]:
    """Returns the files of the report, written into the folder ``out``: of mechanisms, of a plan, or of the claims.

    ``mech`` is "all", names and anybody's own in any mixture, separated by commas or a list; ``n`` a range such as
    "1..60". The rest of the setting goes to the mechanisms that take it.
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


def refresh(folder: str, *, progress: Progress | None = None) -> list[Path]:
    """Returns the files of every report below the folder, made anew from its plan.toml."""
    found = sorted(Path(folder).glob("*/plan.toml"))
    if not found:
        raise InputError("refresh", folder, "holds no report: no plan.toml in its folders")
    return [path for plan in found for path in _make(read_plan(str(plan)), str(plan.parent), progress)]


def _make(wanted: Plan, out: str, progress: Progress | None) -> list[Path]:
    tell = progress or (lambda text: None)
    prepare(out)
    made = build(wanted, tell)
    tell("writing")
    return write(made, out)


def build(plan: Plan, progress: Progress) -> document.Document:
    """Returns the document of the plan; the same plan gives the same document, the run apart.

    Everything that the plan says is checked before the first audit.
    """
    start = perf_counter()
    jobs = list(_jobs(plan))
    if not jobs:
        raise InputError("report", "(nothing)", "say what to report: --mech and --n, --plan FILE, or --claims")
    sections = arranged([section for job in jobs for section in job(progress)])
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return document.make(
        plan.title, plan.command, sections, {"date": now, "seconds": round(perf_counter() - start, 1)}, plan.text
    )


def _jobs(plan: Plan) -> Iterator[Job]:
    yield from map(studies.prepare, plan.studies)
    for block in plan.audits:
        yield partial(audit_sections, block, maps=plan.maps)
        yield partial(accuracy_study.balanced, block)
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
