"""The same report as Markdown, for reading in a terminal or a repository."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dpaudit.files.text import markdown as escape
from dpaudit.files.text import visible
from dpaudit.numbers.digits import powers, shown
from dpaudit.reports.document import Document, Section
from dpaudit.reports.marks import decided, tails
from dpaudit.reports.tables import Cell, caption, table
from dpaudit.reports.verdict import facts, headline
from dpaudit.reports.words import same_hash

LONG = 120
"""A longer enclosure stands in the result file alone."""


def render(document: Document, charts: dict[int, list[tuple[str, str]]]) -> str:
    """Returns the report; ``charts`` gives for a section's index the paths of its pictures, each with its caption."""
    answer = _verdict(document["verdict"])
    parts = [f"# {escape(document['title'])}", "", *answer, *_summary(document)]
    for index, section in enumerate(document["sections"]):
        parts += _section(section, charts.get(index, []))
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    parts += [
        "## How to check this report",
        "",
        f"- Made by {escape(document['command'])}{', the plan below' if document['plan'] else ''}",
        f"- Date: {escape(str(document['run'].get('date', '')))}",
        f"- Versions: {escape(versions)}",
        f"- Content hash (SHA-256): `{document['content_hash']}`",
        f"- {escape(same_hash(document))}",
        "",
    ]
    parts += ["The plan:", "", *(f"    {visible(line)}" for line in document["plan"].splitlines()), ""] * bool(
        document["plan"]
    )
    return "\n".join(parts)


def _verdict(verdict: dict[str, Any]) -> list[str]:
    """Returns the answer: the word, the sentence, the numbers, the command that checks it again, and the scope."""
    if verdict["word"] is None:
        head = [f"## {escape(headline(verdict))}", ""] if headline(verdict) else []
        return [*head, escape(verdict["text"]), ""] if verdict["text"] else head
    lines = [f"## {escape(headline(verdict))}", "", escape(verdict["text"]), ""]
    lines += [f"- {escape(name)}: {escape(text)}" for name, text in facts(verdict)]
    command = ["", "Check it again:", "", f"    {visible(verdict['command'])}"] if verdict["command"] else []
    for title, key in (("Covered", "covered"), ("Not covered", "not_covered")):
        command += ["", f"{title}:", "", *(f"- {escape(line)}" for line in verdict[key])]
    return [*lines, *command, ""]


def _section(section: Section, pictures: list[tuple[str, str]]) -> list[str]:
    parts = [f"## {escape(section['title'])}", "", f"*{escape(section['question'])}*", ""]
    if section.get("text"):
        parts += [escape(section["text"]), ""]
    for path, found in pictures:
        parts += [f"![{escape(section['title'])}]({path})", "", escape(found), ""]
    if section["kind"] == "claims":
        parts += _claims(section)
    if section.get("crossovers"):
        parts += [*(f"- {escape(crossing['text'])}" for crossing in section["crossovers"]), ""]
    content = table(section)
    if content and content[1]:
        parts += [f"*{escape(said)}:*", ""] if (said := caption(section)) else []
        parts += _table(map(escape, content[0]), ([_cell(cell) for cell in row] for row in content[1]))
    commands = [f"    {visible(line)}" for line in section["command"].split("\n")]
    return [*parts, "Reproduce:", "", *commands, ""]


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Returns a table of cells that are escaped already."""
    head = list(columns)
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]


def _summary(document: Document) -> list[str]:
    rows = [
        (section["title"], ", ".join(f"{count} {verdict}" for verdict, count in counts), section.get("finding") or "")
        for _, section, counts in decided(document)
    ]
    shown = _table(("what was decided", "verdicts", "in short"), (map(escape, row) for row in rows))
    return ["## Summary", "", *shown] if rows else []


def _cell(cell: Cell) -> str:
    if not isinstance(cell, dict):
        return escape(cell)
    text, whole = shown(cell), tails(cell["lower"], cell["upper"])
    if text.startswith("[") or not (whole.startswith("[") or "shown" in cell):
        return escape(whole)
    if len(whole) > LONG:
        return escape(text)
    known = cell["lower"] == cell["upper"] and text in (cell["lower"], "∞", "−∞")
    return escape(text) if known else f"{escape(text)} ({escape(whole)})"


def _claims(section: Section) -> list[str]:
    rows = []
    for row in section["rows"]:
        name = f"`{visible(row['id']).replace('`', '')}` {escape(row['statement'])}"
        rows.append([name, *map(escape, (row["verdict"], row["establishes"], powers(row.get("finding", ""))))])
    return _table(("claim", "verdict", "establishes", "finding"), rows)
