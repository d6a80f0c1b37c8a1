"""dpaudit report, dpaudit render."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from dpaudit.audit.setting import is_all
from dpaudit.commands.options import Claimed, Given, flag, option
from dpaudit.commands.progress import shown
from dpaudit.commands.reply import Reply
from dpaudit.commands.streams import stdout
from dpaudit.numbers.errors import InputError, visible


def report(
    setting: Given,
    wanted: Annotated[dict[str, Any], "require"],
    mech: Annotated[
        str | None, option("--mech", "NAMES", "all, names separated by commas, or your own: file.py:Class.")
    ] = None,
    n: Annotated[
        str | None, option("--n", "RANGE", "Records: 1..60, 10..200..10 or 5,10,20; all: the theorem on every n.")
    ] = None,
    claim: Claimed = None,
    plan: Annotated[str | None, option("--plan", "FILE", "A TOML plan of several audits and studies.")] = None,
    claims: Annotated[bool, flag("--claims", "The verdicts on the documents' claims.")] = False,
    refresh: Annotated[
        str | None, option("--refresh", "FOLDER", "Rewrite every report below FOLDER from its plan.toml.")
    ] = None,
    title: Annotated[str | None, option("--title", "TEXT", "The title of the report.")] = None,
    certify: Annotated[
        bool, flag("--certificate", "Write certificates into the report and run the independent verifier on them.")
    ] = False,
    full: Annotated[bool, flag("--full", "Open every part of the page, with all rows: for printing.")] = False,
    out: Annotated[str, option("--out", "FOLDER", "The folder for the files.")] = "report",
) -> Reply:
    """A report for people to read: HTML, Markdown, JSON and charts, from one set of certified results.

    Prints the verdict and where the files are. Exit code 3: something could not be audited; the report says what.

    Examples:

    dpaudit report --mech all --n 1..60 --k 2 --eps 1 --out reports/uniform-k2

    dpaudit report --mech EHDS --n all --certificate --out ehds

    dpaudit report --plan plan.toml --out my-report

    dpaudit report --claims --out reports/claims

    dpaudit report --mech mine.py:Mine --eps 1/2 --require --out mine

    dpaudit report --mech pmf.csv --claim eps=1,delta=1e-5 --out table

    dpaudit report --refresh reports
    """
    with shown("report", soon=True) as meter:
        from dpaudit.reports import report as reports
        from dpaudit.reports.answer import claiming, exit_code, page
        from dpaudit.reports.plan import from_options
        from dpaudit.reports.steps import Steps

        progress = Steps(meter.say)
        progress("reading the options")
        if refresh is not None:
            if mech or n or plan or claims or title or claim or setting or certify or full:
                raise InputError("refresh", refresh, "the plans have all options: leave the others out")
            found = reports.refresh(refresh, progress)
        else:
            asked: dict[str, Any] = {"n": n, "plan": plan, "claims": claims, "claim": claim, "title": title}
            chosen = from_options(mech, **asked, **setting)
            if wanted["require"]:
                claiming(chosen)
            found = [reports.make(chosen, out, progress, certify, full)]
    made = [entry.document for entry in found]
    files = [path for entry in found for path in entry.files]

    def after() -> None:
        code, why = exit_code(made, wanted["require"], is_all(n))
        if why:
            print(f"dpaudit: {visible(why)}", file=sys.stderr)
        if code:
            raise typer.Exit(code)

    return Reply([document.json["verdict"] for document in made], lambda: page(made, files), after=after)


def render(
    result: Annotated[str, typer.Argument(metavar="RESULT.json", help="The result file of a report.")],
    full: Annotated[bool, flag("--full", "Open every part of the page, with all rows: for printing.")] = False,
    out: Annotated[str, option("--out", "FOLDER", "The folder for the files.")] = "report",
) -> None:
    """Write the pages of a result file again as HTML, Markdown and charts; nothing is computed.

    Example:

    dpaudit render reports/uniform-k2/result.json --out again
    """
    from dpaudit.reports.report import render as draw

    for path in draw(result, out, full):
        print(visible(str(path)), file=stdout())
