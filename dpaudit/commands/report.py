"""dpaudit report, dpaudit render."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from dpaudit.commands.options import Given
from dpaudit.mechanisms import in_family
from dpaudit.numbers.errors import InputError


def report(
    setting: Given,
    mech: Annotated[
        str | None,
        typer.Option("--mech", metavar="NAMES", help="all, names separated by commas, or your own: file.py:Class."),
    ] = None,
    n: Annotated[
        str | None, typer.Option("--n", metavar="RANGE", help="Records: 1..60, 10..200..10 or 5,10,20.")
    ] = None,
    plan: Annotated[
        str | None, typer.Option("--plan", metavar="FILE", help="A TOML plan of several audits and studies.")
    ] = None,
    claims: Annotated[bool, typer.Option("--claims", help="The verdicts on the documents' claims.")] = False,
    refresh: Annotated[
        str | None,
        typer.Option("--refresh", metavar="FOLDER", help="Make every report below FOLDER anew from its plan.toml."),
    ] = None,
    title: Annotated[str | None, typer.Option("--title", metavar="TEXT", help="The title of the report.")] = None,
    out: Annotated[str, typer.Option("--out", metavar="FOLDER", help="Where the files go.")] = "report",
) -> None:
    """A report that people read: HTML, Markdown, JSON and charts, from one set of certified results.

    Examples:

    dpaudit report --mech all --n 1..60 --k 2 --eps 1 --out reports/uniform-k2

    dpaudit report --plan plan.toml --out my-report

    dpaudit report --claims --out reports/claims

    dpaudit report --mech mine.py:Mine --eps 1/2 --out mine

    dpaudit report --refresh reports
    """
    from dpaudit.reports import plan as plans
    from dpaudit.reports.write import chart_library

    chart_library()
    given = {"n": n, **setting} if n is not None else dict(setting)
    others = mech or given or title or claims
    for option, value in (("plan", plan), ("refresh", refresh)):
        if value is not None and (others or (plan and refresh)):
            raise InputError(option, value, "a plan says it all: leave out the other options but --out")
    if refresh is not None:
        _refresh(refresh)
        return
    if plan is not None:
        wanted = plans.read_plan(plan)
    elif mech and not in_family(mech):
        wanted = _own(mech, given, title)
    else:
        audits = (plans.block({"mechs": mech, **given}),) if mech else ()
        wanted = plans.Plan(
            title
            or (
                "The documents' claims"
                if claims and not mech
                else f"Audit of {'all mechanisms' if mech == 'all' else mech}"
            ),
            _command(mech, given, claims, title),
            audits,
            ("*",) if claims else (),
        )
    _make(wanted, out)


def _own(mech: str, given: dict[str, Any], title: str | None) -> Any:
    """Returns the plan for somebody's own mechanism."""
    from dpaudit.audit.setting import Setting
    from dpaudit.reports.plan import Plan

    setting = Setting.read(mech, **given)
    return Plan(title or f"Audit of {setting.label}", setting.command_line("report") or "", own=(setting,))


def _make(wanted: Any, out: str) -> None:
    from dpaudit.reports.build import build
    from dpaudit.reports.write import prepare, write

    prepare(out)
    with _status() as progress:
        document = build(wanted, progress)
        progress("writing")
        written = write(document, out)
    for path in written:
        print(path)


def _refresh(folder: str) -> None:
    """Makes every report below the folder anew from its plan."""
    from dpaudit.reports.plan import read_plan

    found = sorted(Path(folder).glob("*/plan.toml"))
    if not found:
        raise InputError("refresh", folder, "holds no report: no plan.toml in its folders")
    for path in found:
        _make(read_plan(str(path)), str(path.parent))


def _command(mech: str | None, given: dict[str, Any], claims: bool, title: str | None) -> str:
    from dpaudit.audit.setting import command_line

    return command_line("report", mech=mech, **(given if mech else {}), claims=claims, title=title)


@contextmanager
def _status() -> Iterator[Any]:
    """Yields a function that shows what is being done, on a terminal only."""
    if not sys.stderr.isatty():
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("report") as status:
        yield status.update


def render(
    result: Annotated[str, typer.Argument(metavar="RESULT.json", help="The result file of a report.")],
    out: Annotated[str, typer.Option("--out", metavar="FOLDER", help="Where the files go.")] = "report",
) -> None:
    """Render a result file again as HTML, Markdown and charts; nothing is computed.

    Example:

    dpaudit render reports/uniform-k2/result.json --out again
    """
    from dpaudit.reports.document import load
    from dpaudit.reports.write import write

    document = load(result)
    try:
        written = write(document, out)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("RESULT", result, f"is malformed: {type(error).__name__}") from None
    for path in written:
        print(path)
