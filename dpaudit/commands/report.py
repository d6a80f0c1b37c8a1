"""dpaudit report, dpaudit render."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.mechanisms import in_family
from dpaudit.numbers.errors import InputError


def report(
    mech: Annotated[
        str | None,
        typer.Option("--mech", metavar="NAMES", help="all, names separated by commas, or your own: file.py:Class."),
    ] = None,
    n: Annotated[
        str | None, typer.Option("--n", metavar="RANGE", help="Records: 1..60, 10..200..10 or 5,10,20.")
    ] = None,
    k: common.K = None,
    prior: common.Prior = None,
    eps: common.Eps = "1",
    gamma: common.Gamma = None,
    delta_param: common.DeltaParam = None,
    plan: Annotated[
        str | None, typer.Option("--plan", metavar="FILE", help="A TOML plan of several audits and studies.")
    ] = None,
    claims: Annotated[bool, typer.Option("--claims", help="The verdicts on the documents' claims.")] = False,
    refresh: Annotated[
        str | None,
        typer.Option("--refresh", metavar="FOLDER", help="Make every report below FOLDER anew from its plan.toml."),
    ] = None,
    set_: common.Set = None,
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

    options = {"n": n, "k": k, "prior": prior, "eps": eps, "gamma": gamma, "delta_param": delta_param}
    given = {key: value for key, value in options.items() if value is not None}
    others = mech or n or k or prior or gamma or delta_param or title or claims or set_ or eps != "1"
    for option, value in (("plan", plan), ("refresh", refresh)):
        if value is not None and (others or (plan and refresh)):
            raise InputError(option, value, "a plan says it all: leave out the other options but --out")
    if refresh is not None:
        _refresh(refresh)
        return
    if plan is not None:
        wanted = plans.read_plan(plan)
    elif mech and not in_family(mech):
        wanted = _own(mech, given, common.settings(set_), title)
    else:
        audits = (plans.setting({"mechs": mech, **given}),) if mech else ()
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


def _own(mech: str, given: dict[str, Any], settings: dict[str, str], title: str | None) -> Any:
    """Returns the plan for somebody's own mechanism."""
    from dpaudit.audit import questions as audit
    from dpaudit.reports.own import OwnSetting
    from dpaudit.reports.plan import Plan

    options = {key: value for key, value in given.items() if key != "eps" or value != "1"}
    shown = " ".join(
        [f"--mech {mech}"]
        + [f"--{key.replace('_', '-')} {value}" for key, value in options.items()]
        + [f"--set {name}={value}" for name, value in settings.items()]
    )
    subject = audit.mechanism(mech, **given, settings=settings)
    return Plan(title or f"Audit of {subject.name}", f"dpaudit report {shown}", own=(OwnSetting(subject, shown),))


def _make(wanted: Any, out: str, shared: bool = False) -> None:
    from dpaudit.reports.build import build
    from dpaudit.reports.write import prepare, write

    prepare(out)
    with _status() as progress:
        document = build(wanted, progress)
        progress("writing")
        written = write(document, out, shared=shared)
    _said(written)


def _said(written: list[Path]) -> None:
    """Prints what was written, and in one line if the charts are missing."""
    from dpaudit.reports.write import chart_library, no_charts

    for path in written:
        print(path)
    if chart_library() is None:
        print(f"dpaudit: {no_charts()}", file=sys.stderr)


def _refresh(folder: str) -> None:
    """Makes every report below the folder anew from its plan; they share one chart library."""
    from dpaudit.reports.plan import read_plan
    from dpaudit.reports.write import share_library

    found = sorted(Path(folder).glob("*/plan.toml"))
    if not found:
        raise InputError("refresh", folder, "holds no report: no plan.toml in its folders")
    share_library(folder)
    for path in found:
        _make(read_plan(str(path)), str(path.parent), shared=True)


def _command(mech: str | None, given: dict[str, Any], claims: bool, title: str | None) -> str:
    parts = ["dpaudit report"] + ([f"--mech {mech}"] if mech else [])
    if mech:
        parts += [f"--{key.replace('_', '-')} {value}" for key, value in given.items()]
    return " ".join(parts + (["--claims"] if claims else []) + ([f"--title {shlex.quote(title)}"] if title else []))


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
    _said(written)
