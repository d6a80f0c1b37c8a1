"""The page of the audits of installed libraries, from the rows of result.json: a typed document as any report's."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpaudit.audit.judgement import Judgement, Margin, Whose
from dpaudit.numbers.digits import at_most
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.reports.codec import decode
from dpaudit.reports.document import Document, Finding, Proof, Section
from dpaudit.reports.judge import person
from dpaudit.reports.page import Page
from dpaudit.reports.table import Cell, Column, Kind, Table
from dpaudit.reports.write import html, markdown
from reports.libraries import opendp_page
from reports.libraries.words import ACCOUNTANTS, COMMANDS, HOW, MEANING, NOT_AUDITED, NOTES, OLD, TITLE, WHY

Row = dict[str, Any]
HERE = Path(__file__).parent
HARMLESS, PART = Fraction(1, 10**12), Fraction(1, 10**5)
"""A δ that exceeds the nominal one by at most this, or by this part of it, is called harmless."""
USUAL = 4
"""A nominal ε above this protects nobody on paper; its rows come last."""
FAILS, OPEN, MILD, PROVED = "not harmless", "not decided", "harmless", "nothing"
"""What goes beyond the nominal ε, the worst first."""
COLUMNS = (
    *(Column("library"), Column("class"), Column("nominal ε", Kind.EXACT), Column("nominal δ", Kind.EXACT)),
    *(Column("true ε", Kind.NUMBER), Column("δ at the nominal ε", Kind.NUMBER), Column("verdict", Kind.VERDICT)),
    *(Column("beyond the nominal"), Column("holes"), Column("crashes"), Column("not followed")),
)
FOUND = (Column("library"), Column("mechanism"), Column("how it was found"), Column("command"))


def number(value: dict[str, str]) -> Enclosure:
    """The enclosure of a row."""
    found: Enclosure = decode(Enclosure, value)
    return found


def commands(row: Row) -> tuple[str, str]:
    """What computes a row again."""
    shown = f"--mech reports/libraries/{row['file']}.py:{row['class']} --eps {row['nominal_epsilon']}"
    return f"dpaudit epsilon {shown}", f"dpaudit delta {shown} --at {row['nominal_epsilon']}"


def judged(row: Row) -> str:
    """What goes beyond the nominal guarantee, as a user sees it: that is a judgement, the numbers are not."""
    nominal, delta = Fraction(row["nominal_delta"]), number(row["delta"])
    allowed = max(HARMLESS, nominal * PART)
    if row["verdict"] == Verdict.PROVED:
        return PROVED
    if delta.upper - nominal <= allowed:
        return MILD
    return FAILS if delta.lower - nominal > allowed else OPEN


def far(row: Row) -> bool:
    """Whether the nominal ε is so large that it promises nothing."""
    return Fraction(row["nominal_epsilon"]) > USUAL


def judgement(row: Row) -> Judgement:
    """The verdict on "the class gives the ε and δ that it is asked for"."""
    epsilon, delta = Fraction(row["nominal_epsilon"]), Fraction(row["nominal_delta"])
    name, verdict = f"{row['library']} {row['class']}", Verdict(row["verdict"])
    true, left = number(row["epsilon"]), number(row["delta"])
    asked = EpsilonDelta(epsilon, delta)
    if delta:
        margin = Margin.between(left, delta, left, "the asked δ")
        return Judgement(asked, verdict, Whose.ASKED, name, None, None, f"δ({epsilon})", left, delta, margin)
    margin = Margin.between(true, epsilon, left, "what it is asked for")
    return Judgement(asked, verdict, Whose.ASKED, name, None, None, "true ε", true, epsilon, margin)


def finding(row: Row) -> Finding:
    """The finding on one class at one nominal ε."""
    found, pair = judgement(row), row["witness"]
    output = None if pair["output"] is None else str(pair["output"])
    proof = Proof(str(pair["x"]), str(pair["x_prime"]), found.quantity, found.value or number(row["epsilon"]), output)
    return Finding(
        name=f"{row['class']}, ε = {row['nominal_epsilon']} ({row['library']})",
        formula=why(row),
        setting=f"ε = {row['nominal_epsilon']}",
        judgement=found,
        epsilon=number(row["epsilon"]),
        proof=proof,
        person=person(found, number(row["epsilon"])),
        rests_on=tuple(row["assumptions"]),
        command=commands(row)[0],
    )


def found_how(row: Row) -> tuple[Cell, ...]:
    """How a failure was found, and what shows it."""
    name = f"{row['class']}, ε = {row['nominal_epsilon']}"
    return row["library"], name, "the installed code, followed", commands(row)[0]


def why(row: Row) -> str:
    """Why a class fails, in some words; "" where none was written down."""
    if far(row) and judged(row) == FAILS:
        return WHY["far"]
    return next((text for start, text in WHY.items() if f"{row['library']}, {row['class']}".startswith(start)), "")


def cells(row: Row) -> tuple[Cell, ...]:
    """The columns of a row of the long table."""
    holes = "?" if row["holes"] is None else f"{row['holes']}, {row['hole_probability']}" if row["holes"] else "none"
    crashes = ", ".join(f"{name.removeprefix('raises ')} {p}" for name, p in row["crashes"].items()) or "none"
    rest = Fraction(row["residual"])
    return (
        *(row["library"], row["class"], Fraction(row["nominal_epsilon"]), Fraction(row["nominal_delta"])),
        *(number(row["epsilon"]), number(row["delta"]), Verdict(row["verdict"])),
        *(judged(row), holes, crashes, at_most(rest, 3) if rest else "0"),
    )


def summary(rows: list[Row]) -> str:
    """The answer in one sentence: how many classes fail at a usual ε, and how far the others go beyond it."""
    usual = [row for row in rows if not far(row)]
    failing = {(row["library"], row["class"]) for row in usual if judged(row) == FAILS}
    old = sum(library in OLD for library, _ in failing)
    classes = {(row["library"], row["class"]) for row in rows}
    most = max(
        (number(r["delta"]).upper for r in usual if judged(r) == MILD and not Fraction(r["nominal_delta"])), default=0
    )
    earlier = f", nor did {old} of an old version" if old else ""
    count = f"{len(failing) - old} of {len(classes)} audited classes"
    others = f"the others exceed it by a δ of at most {at_most(Fraction(most), 2)}"
    said = opendp_page.summary(*opendp_page.load())
    return f"{count} do not give the privacy they are asked for{earlier}; {others}. {said}"


def document(rows: list[Row]) -> Document:
    """The page as a document: the failing and open classes one by one, all rows in a table, the rest in words."""
    version, constructors = opendp_page.load()
    bad = sorted((row for row in rows if judged(row) in (FAILS, OPEN)), key=lambda row: (far(row), row["library"]))
    reasons = tuple(dict.fromkeys(f"{row['library']} {row['class']}: {why(row)}." for row in bad if why(row)))
    versions = {f"{r['library']} on Python {r['versions']['python']}, numpy {r['versions']['numpy']}": 0 for r in rows}
    said = {words: [r["class"] for r in rows if words in r["assumptions"]] for r in rows for words in r["assumptions"]}
    assumed = tuple(f"{words}: {len(set(who))} classes." for words, who in said.items())
    again = [command for row in rows for command in commands(row)]
    return Document(
        title=TITLE,
        command="python -m reports.libraries",
        answer=summary(rows),
        findings=(*(finding(row) for row in bad), *opendp_page.findings(version, constructors)),
        sections=(
            Section(
                "failures",
                "What fails, why, and how it was found",
                notes=(*reasons, *HOW),
                table=Table(FOUND, (*(map(found_how, bad)), *opendp_page.found_how(version, constructors))),
                main=True,
            ),
            Section("numbers", "All numbers", notes=(MEANING,), table=Table(COLUMNS, tuple(map(cells, rows)))),
            *opendp_page.sections(version, constructors),
            Section("accountants", "Accountants", notes=(ACCOUNTANTS,)),
            Section("notes", "Notes on single classes", notes=NOTES),
            Section("assumed", "What the numbers rest on", notes=(*assumed, f"Run with {'; '.join(versions)}.")),
            Section("not-audited", "What was not audited", notes=NOT_AUDITED),
            Section(
                "commands",
                "Commands",
                notes=tuple(f"{name}: {how}" for name, how in COMMANDS.items()),
                commands=tuple(again),
            ),
        ),
    )


def texts(rows: list[Row]) -> dict[str, str]:
    """README.md and report.html; every row of the table is shown."""
    shown = Page(document(rows), {}, most=len(rows))
    return {"README.md": markdown(shown), "report.html": html(shown)}


def write_pages() -> None:
    """Writes the pages from result.json."""
    for name, text in texts(json.loads((HERE / "result.json").read_text())["rows"]).items():
        (HERE / name).write_text(text)
