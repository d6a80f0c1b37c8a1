"""dpaudit.report and dpaudit.render: a report made in one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpaudit.audit.setting import Setting, command_line
from dpaudit.mechanisms import in_family
from dpaudit.numbers.errors import InputError
from dpaudit.reports.build import build
from dpaudit.reports.document import load
from dpaudit.reports.plan import Plan, block, read_plan
from dpaudit.reports.write import prepare, share_library, write

Progress = Callable[[str], None]


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

    ``mech`` is "all", names separated by commas, or anybody's own; ``n`` a range such as "1..60".
    """
    given = {name: value for name, value in {"n": n, **setting}.items() if value is not None}
    if plan is not None:
        if mech or given or title or claims:
            raise InputError("plan", plan, "a plan says it all: leave out the other options but --out")
        return _make(read_plan(plan), out, progress)
    if mech is not None and not in_family(mech):
        own = Setting.read(mech, **given)
        wanted = Plan(title or f"Audit of {own.label}", own.command_line("report") or "", own=(own,))
        return _make(wanted, out, progress)
    blocks = (block({"mechs": mech, **given}),) if mech else ()
    name = "The documents' claims" if claims and not mech else f"Audit of {'all mechanisms' if mech == 'all' else mech}"
    command = command_line("report", mech=mech, **(given if mech else {}), claims=claims, title=title)
    return _make(Plan(title or name, command, blocks, ("*",) if claims else ()), out, progress)


def refresh(folder: str, *, progress: Progress | None = None) -> list[Path]:
    """Returns the files of every report below the folder, made anew from its plan.toml; they share a chart library."""
    found = sorted(Path(folder).glob("*/plan.toml"))
    if not found:
        raise InputError("refresh", folder, "holds no report: no plan.toml in its folders")
    share_library(folder)
    return [path for plan in found for path in _make(read_plan(str(plan)), str(plan.parent), progress, shared=True)]


def _make(wanted: Plan, out: str, progress: Progress | None, shared: bool = False) -> list[Path]:
    tell = progress or (lambda text: None)
    prepare(out)
    document = build(wanted, tell)
    tell("writing")
    return write(document, out, shared=shared)


def render(result: str, out: str = "report") -> list[Path]:
    """Returns the files of a report drawn again from its result file; nothing is computed."""
    document = load(result)
    try:
        return write(document, out)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("RESULT", result, f"is malformed: {type(error).__name__}") from None
