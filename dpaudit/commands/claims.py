"""dpaudit claims, dpaudit check."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpaudit.commands import common
from dpaudit.commands.common import badge, cells, emit, listing
from dpaudit.files.writing import write_file
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.rationals import whole
from dpaudit.numbers.verdict import Verdict

if TYPE_CHECKING:
    from dpaudit.claims.runner import Result

Ids = Annotated[
    list[str] | None,
    typer.Argument(metavar="IDS", help="Ids or patterns such as 'acc.*'. Default: all.", show_default=False),
]


def claims(ids: Ids = None, as_json: common.Json = False, out: common.Out = None) -> None:
    """The claims of the installed papers, each with its last known verdict.

    The verdicts are those of the committed expectations; `dpaudit check` computes them again.

    Examples:

    dpaudit claims

    dpaudit claims 'dilation.*' --json
    """
    from dpaudit.claims.expectations import list_claims

    rows = list_claims(ids or [])

    def render(console: Any) -> None:
        prose = ("document, item", "statement", "establishes")
        table = listing("id", "document, item", "statement", "verdict", "establishes", prose=prose)
        for row in rows:
            where = ", ".join(filter(None, (row["document"], row["item"])))
            texts = (cells(text) for text in (row["id"], where, row["statement"]))
            table.add_row(*texts, badge(row["verdict"]) if row["verdict"] else "–", cells(row["establishes"]))
        console.print(table)

    emit(rows, render, as_json, out)


def check(
    ids: Ids = None,
    wide: Annotated[bool, typer.Option("--wide", help="The wide grids: minutes.")] = False,
    explain: Annotated[bool, typer.Option("--explain", help="Work the example out, step by step in numbers.")] = False,
    expect: Annotated[
        str | None, typer.Option("--expect", metavar="FILE", help="Exit with 1 and a diff if a verdict changed.")
    ] = None,
    junit: Annotated[
        str | None,
        typer.Option("--junit", metavar="FILE", callback=common.check_junit, help="Write JUnit XML as well."),
    ] = None,
    module: Annotated[
        str | None, typer.Option("--from", metavar="FILE.py", help="Your own checks; without IDS only these run.")
    ] = None,
    jobs: Annotated[str, typer.Option("--jobs", metavar="N", help="Processes.")] = "2",
    require: Annotated[bool, typer.Option("--require", help="Exit with 0 only if every claim is proved.")] = False,
    certificate: common.Certificate = None,
    as_json: common.Json = False,
    out: common.Out = None,
) -> None:
    """Decide the claims, with certified arithmetic or algebra: PROVED, REFUTED, or as `docs/claims.md` explains.

    The other verdicts: UNWITNESSED, IMPOSSIBLE, MEASURED, UNDECIDED.

    Exit code 143: ended by SIGTERM, its processes too.

    Examples:

    dpaudit check

    dpaudit check 'sliding.*' --explain

    dpaudit check --expect proofs_checks/expected.json --junit report.xml

    dpaudit check --from mychecks.py

    dpaudit check dp.ehd.any-prior --certificate ehd.json
    """
    from dpaudit.claims import certificates, expectations
    from dpaudit.claims.runner import decide

    processes = whole("jobs", jobs, 1, 64)
    wanted = expectations.read(expect) if expect is not None else None
    with common.terminable(), _progress() as progress:
        decided = decide(
            ids or [], wide=wide, jobs=processes, file=module, certifiable=certificate is not None, progress=progress
        )
    results = decided.results
    changed = [] if wanted is None else expectations.differences(wanted, decided)
    draw = _draw_examples if explain else _draw_table
    emit([result.to_dict() for result in results], lambda console: draw(console, results), as_json, out)
    if junit is not None:
        _write_junit(junit, results, changed)
    if certificate is not None:
        common.certify(certificates.audited(results[0]), certificate)
        print(certificates.certified_words(results[0]), file=sys.stderr)
    for text in changed:
        print(f"changed: {visible(text)}", file=sys.stderr)
    for result in results:
        if result.error:
            print(f"dpaudit: {visible(f'{result.claim.id}: the check itself failed: {result.error}')}", file=sys.stderr)
    if changed or any(result.error for result in results):
        raise typer.Exit(1)
    if require:
        _require([result.outcome.verdict for result in results])


def _require(verdicts: Sequence[Verdict]) -> None:
    """Ends with 1 if a claim does not hold, with 3 if one is open, with 2 if none is of the kind that can hold."""
    if Verdict.REFUTED in verdicts or Verdict.IMPOSSIBLE in verdicts:
        raise typer.Exit(1)
    found = [verdict.value for verdict in verdicts if verdict in (Verdict.UNDECIDED, Verdict.UNWITNESSED)]
    if found:
        common.undecided(f"{len(found)} of {len(verdicts)} claims: {', '.join(sorted(set(found)))}")
    if Verdict.PROVED not in verdicts:
        raise InputError("require", "yes", "nothing is claimed: what was asked for is only measured")


@contextmanager
def _progress() -> Iterator[Callable[[Result, int, int], None] | None]:
    """Yields a callback that draws a bar on stderr if it is a terminal, else None."""
    with common.progress_bar("checks") as bar:
        yield None if bar is None else lambda _, done, total: bar(done, total)


def _draw_table(console: Any, results: Sequence[Result]) -> None:
    from dpaudit.claims.words import extent, summary

    table = listing("id", "verdict", "establishes", "example", "seconds", prose=("establishes", "example"))
    for result in results:
        verdict = badge(result.outcome.verdict.value)
        texts = cells(extent(result.outcome)), cells(summary(result.outcome))
        table.add_row(cells(result.claim.id), verdict, *texts, f"{result.seconds:.1f}")
    console.print(table)
    verdicts = [result.outcome.verdict.value for result in results]
    counts = ", ".join(f"{verdicts.count(verdict)} {badge(verdict)}" for verdict in sorted(set(verdicts)))
    noun = "claim" if len(results) == 1 else "claims"
    console.print(f"{len(results)} {noun}: {counts}; {sum(result.seconds for result in results):.1f} s of computing")


def _draw_examples(console: Any, results: Sequence[Result]) -> None:
    from dpaudit.claims.words import explain, extent

    for result in results:
        claim, outcome = result.claim, result.outcome
        console.print(f"[bold]{cells(claim.id)}[/]  ({cells(claim.where)}; {cells(claim.quantifier)})")
        console.print(cells(claim.statement))
        console.print(f"{badge(outcome.verdict.value)}  {cells(extent(outcome))}   {result.seconds:.1f} s")
        if outcome.finding:
            console.print(cells(outcome.finding))
        for text in explain(outcome):
            console.print(cells(text))
        if outcome.table is not None:
            _draw_measured(console, outcome.table)
        console.print()


def _draw_measured(console: Any, measured: Any) -> None:
    table = listing(*measured.columns)
    for row in measured.rows:
        table.add_row(*(cells(cell) for cell in row))
    console.print(table)


def _write_junit(path: str, results: Sequence[Result], changed: Sequence[str]) -> None:
    """Writes one test case a claim; a changed or undecided verdict and a failed check are failures."""
    from xml.etree import ElementTree

    from dpaudit.claims.words import summary

    reasons = {text.split(":", 1)[0]: text for text in changed}
    suite = ElementTree.Element("testsuite", name="dpaudit check")
    for result in results:
        key, verdict = result.claim.id, result.outcome.verdict.value
        place, took = visible(result.claim.section), f"{result.seconds:.3f}"
        case = ElementTree.SubElement(suite, "testcase", classname=place, name=visible(key), time=took)
        message = reasons.get(key, result.error or (verdict if verdict == "UNDECIDED" else ""))
        if message:
            ElementTree.SubElement(case, "failure", message=visible(message))
        ElementTree.SubElement(case, "system-out").text = visible(f"{verdict}: {summary(result.outcome)}")
    for key in reasons.keys() - {result.claim.id for result in results}:
        case = ElementTree.SubElement(suite, "testcase", classname="expected", name=visible(key))
        ElementTree.SubElement(case, "failure", message=visible(reasons[key]))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    write_file("junit", path, ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))
