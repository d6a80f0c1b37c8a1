"""dpaudit claims, dpaudit check."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dpaudit.audit.page import Cell, Note, Page, Part, Table, Words, badge, strong
from dpaudit.audit.setting import command_line
from dpaudit.commands import completion
from dpaudit.commands.options import Certified, Shown, Wanted, flag, option
from dpaudit.commands.reply import Reply, undecided, writable
from dpaudit.files.writing import write_file
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.rationals import whole
from dpaudit.numbers.verdict import Verdict

if TYPE_CHECKING:
    from dpaudit.claims.outcome import Outcome
    from dpaudit.claims.runner import Result

BY_HAND = (
    '"for all n" is as good as the lines of its proof that are by hand: no machine checks those. --explain shows them; '
    "a false one is noticed only if the grid reaches a counterexample."
)
"""The note below a table with a theorem."""

Ids = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="IDS",
        help="Ids or patterns such as 'acc.*'. Default: all.",
        show_default=False,
        autocompletion=completion.claims,
    ),
]


def claims(ids: Ids = None) -> Shown:
    """The claims of the installed papers, each with its last known verdict.

    The verdicts are those of the committed expectations; `dpaudit check` computes them again.

    Examples:

    dpaudit claims

    dpaudit claims 'dilation.*' --json
    """
    from dpaudit.claims.expectations import list_claims

    found = list_claims(ids or [])
    prose = ("document, item", "statement", "establishes")
    columns = ["id", prose[0], prose[1], "verdict", prose[2]]
    rows = [(row["id"], _place(row), row["statement"], _listed(row), row["establishes"]) for row in found]
    return Reply(found, lambda: [Table(columns, rows, prose)])


def _place(row: dict[str, Any]) -> str:
    return ", ".join(filter(None, (row["document"], row["item"])))


def _badge(verdict: Verdict, establishes: str) -> Words:
    """The verdict as people read it first: of a "for all" decided on a grid it says so at once."""
    from dpaudit.claims.words import on_its_grid

    return Words(badge(verdict), on_its_grid(verdict, establishes))


def _listed(row: dict[str, Any]) -> Cell:
    return _badge(Verdict(row["verdict"]), row["establishes"]) if row["verdict"] else "–"


def _verdict(outcome: Outcome) -> Words:
    return _badge(outcome.verdict, outcome.establishes)


def check(
    effort: Annotated[dict[str, Any], "progress"],
    wanted: Wanted,
    ids: Ids = None,
    wide: Annotated[bool, flag("--wide", "Use the wide grids; takes minutes.")] = False,
    explain: Annotated[bool, flag("--explain", "Work out the example step by step.")] = False,
    expect: Annotated[str | None, option("--expect", "FILE", "Exit with 1 and a diff if a verdict changed.")] = None,
    junit: Annotated[
        str | None,
        typer.Option("--junit", metavar="FILE", callback=writable, help="Write JUnit XML as well."),
    ] = None,
    module: Annotated[str | None, option("--from", "FILE.py", "Your own checks; without IDS, only these run.")] = None,
    jobs: Annotated[str, option("--jobs", "N", "Number of processes.")] = "2",
    require: Annotated[bool, flag("--require", "Exit with 0 only if every claim is proved.")] = False,
) -> Certified:
    """Decide the claims, with certified arithmetic or algebra: PROVED, REFUTED, or one of four others.

    UNWITNESSED: a "there is …" without a witness on the grid; IMPOSSIBLE: one that is proved to be false; MEASURED:
    an O(·) statement; UNDECIDED. See "Claims" in the documentation.

    Exit code 143: ended by SIGTERM, with all its processes.

    Examples:

    dpaudit check

    dpaudit check 'sliding.*' --explain

    dpaudit check --expect proofs_checks/expected.json --junit report.xml

    dpaudit check --from mychecks.py

    dpaudit check dp.ehd.any-prior --certificate ehd.json
    """
    from dpaudit.claims import certificates, expectations
    from dpaudit.claims.runner import check as compute

    processes, tell = whole("jobs", jobs, 1, 64), effort["progress"]
    expected = expectations.read(expect) if expect is not None else None
    certified = wanted["certificate"] is not None
    asked: dict[str, Any] = {"wide": wide, "jobs": processes, "file": module, "certifiable": certified}
    decided = compute(ids or [], **asked, progress=lambda _, done, total: tell(done, total))
    results = decided.results
    changed = [] if expected is None else expectations.differences(expected, decided)
    errors = [f"dpaudit: {r.claim.id}: the check itself failed: {r.error}" for r in results if r.error]

    def after() -> None:
        if junit is not None:
            _write_junit(junit, results, changed)
        words = [certificates.certified_words(results[0])] if certified else []
        for text in (*words, *(f"changed: {text}" for text in changed), *errors):
            print(visible(text), file=sys.stderr)
        if require and not changed and not errors:
            _require([result.outcome.verdict for result in results])

    page, options = _examples if explain else _table, {"wide": wide, "from": module}
    payload = [{**r.to_dict(), "command": command_line("check", r.claim.id, **options)} for r in results]
    return Reply(
        payload,
        lambda: page(results),
        certified=lambda: certificates.audited(results[0]),
        after=after,
        code=int(bool(changed or errors)),
    )


def _require(verdicts: Sequence[Verdict]) -> None:
    """Ends with 1 if a claim does not hold, with 3 if one is open, with 2 if none is of the kind that can hold."""
    if Verdict.REFUTED in verdicts or Verdict.IMPOSSIBLE in verdicts:
        raise typer.Exit(1)
    found = [verdict.value for verdict in verdicts if verdict in (Verdict.UNDECIDED, Verdict.UNWITNESSED)]
    if found:
        undecided(f"{len(found)} of {len(verdicts)} claims: {', '.join(sorted(set(found)))}")
    if Verdict.PROVED not in verdicts:
        raise InputError("require", "yes", "nothing is claimed: these statements are only measured")


def _table(results: Sequence[Result]) -> Page:
    from dpaudit.claims.outcome import EVERYWHERE
    from dpaudit.claims.words import extent, summary

    rows = []
    for result in results:
        verdict, texts = _verdict(result.outcome), (extent(result.outcome), summary(result.outcome))
        rows.append([result.claim.id, verdict, *texts, f"{result.seconds:.1f}"])
    prose = ("establishes", "example")
    verdicts = [result.outcome.verdict for result in results]
    counts = [part for name in sorted(set(verdicts)) for part in (f", {verdicts.count(name)} ", badge(name))]
    noun = "claim" if len(results) == 1 else "claims"
    took = f"; {sum(result.seconds for result in results):.1f} s of computing"
    count = Words(f"{len(results)} {noun}: {str(counts[0]).lstrip(', ')}", *counts[1:], took) if counts else "0 claims"
    proved = any(result.outcome.establishes in EVERYWHERE for result in results)
    return [Table(["id", "verdict", *prose, "seconds"], rows, prose), Note(count), *([Note(BY_HAND)] if proved else [])]


def _examples(results: Sequence[Result]) -> Page:
    from dpaudit.claims.words import explain, extent

    parts: list[Part] = []
    for result in results:
        claim, outcome = result.claim, result.outcome
        verdict = Words(_verdict(outcome), f"  {extent(outcome)}   {result.seconds:.1f} s")
        head = Words(strong(claim.id), f"  ({claim.where}; {claim.quantifier})")
        lines = [head, claim.statement, verdict, *filter(None, [outcome.finding]), *explain(outcome)]
        parts += map(Note, lines)
        if outcome.table is not None:
            parts.append(Table(outcome.table.columns, outcome.table.rows))
        parts.append(Note(""))
    return parts


def _write_junit(path: str, results: Sequence[Result], changed: Sequence[str]) -> None:
    """Writes one test case a claim; a changed or undecided verdict and a failed check are failures."""
    from xml.etree import ElementTree

    from dpaudit.claims.words import summary

    reasons = {text.split(":", 1)[0]: text for text in changed}
    suite = ElementTree.Element("testsuite", name="dpaudit check")
    for result in results:
        key, verdict = result.claim.id, result.outcome.verdict
        place, took = visible(result.claim.section), f"{result.seconds:.3f}"
        case = ElementTree.SubElement(suite, "testcase", classname=place, name=visible(key), time=took)
        message = reasons.get(key, result.error or (verdict.value if verdict is Verdict.UNDECIDED else ""))
        if message:
            ElementTree.SubElement(case, "failure", message=visible(message))
        ElementTree.SubElement(case, "system-out").text = visible(f"{verdict}: {summary(result.outcome)}")
    for key in reasons.keys() - {result.claim.id for result in results}:
        case = ElementTree.SubElement(suite, "testcase", classname="expected", name=visible(key))
        ElementTree.SubElement(case, "failure", message=visible(reasons[key]))
    suite.set("tests", str(len(suite.findall("testcase"))))
    suite.set("failures", str(len(suite.findall("testcase/failure"))))
    write_file("junit", path, ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True))
