"""dpaudit report, dpaudit render."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from dpaudit.commands.options import Given, flag, option
from dpaudit.commands.progress import counted
from dpaudit.commands.streams import stdout
from dpaudit.numbers.errors import InputError, visible


def report(
    setting: Given,
    mech: Annotated[
        str | None, option("--mech", "NAMES", "all, names separated by commas, or your own: file.py:Class.")
    ] = None,
    n: Annotated[str | None, option("--n", "RANGE", "Records: 1..60, 10..200..10 or 5,10,20.")] = None,
    plan: Annotated[str | None, option("--plan", "FILE", "A TOML plan of several audits and studies.")] = None,
    claims: Annotated[bool, flag("--claims", "The verdicts on the documents' claims.")] = False,
    refresh: Annotated[
        str | None, option("--refresh", "FOLDER", "Make every report below FOLDER anew from its plan.toml.")
    ] = None,
    title: Annotated[str | None, option("--title", "TEXT", "The title of the report.")] = None,
    out: Annotated[str, option("--out", "FOLDER", "Where the files go.")] = "report",
) -> None:
    """A report that people read: HTML, Markdown, JSON and charts, from one set of certified results.

    Examples:

    dpaudit report --mech all --n 1..60 --k 2 --eps 1 --out reports/uniform-k2

    dpaudit report --plan plan.toml --out my-report

    dpaudit report --claims --out reports/claims

    dpaudit report --mech mine.py:Mine --eps 1/2 --out mine

    dpaudit report --refresh reports
    """
    with counted("report") as tell:
        from dpaudit.reports import report as reports
        from dpaudit.reports.steps import Steps

        progress = Steps(tell)
        progress("what is asked for")
        if refresh is not None:
            if mech or n or plan or claims or title or setting:
                raise InputError("refresh", refresh, "a plan says it all: leave out the other options")
            written = reports.refresh(refresh, progress=progress)
        else:
            asked: dict[str, Any] = {"n": n, "plan": plan, "claims": claims, "title": title, "out": out}
            written = reports.report(mech, **asked, progress=progress, **setting)
    _said(written)


def _said(written: list[Path]) -> None:
    """Prints what was written, and in one line if the charts are not also there as PNG."""
    from dpaudit.reports.write import no_png

    for path in written:
        print(visible(str(path)), file=stdout())
    if find_spec("vl_convert") is None:
        print(f"dpaudit: {no_png()}", file=sys.stderr)


def render(
    result: Annotated[str, typer.Argument(metavar="RESULT.json", help="The result file of a report.")],
    out: Annotated[str, option("--out", "FOLDER", "Where the files go.")] = "report",
) -> None:
    """Render a result file again as HTML, Markdown and charts; nothing is computed.

    Example:

    dpaudit render reports/uniform-k2/result.json --out again
    """
    from dpaudit.reports.report import render as draw

    _said(draw(result, out))
