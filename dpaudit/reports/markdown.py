"""The same report as Markdown, for reading in a terminal or a repository."""

from __future__ import annotations

from collections.abc import Iterable

from dpaudit.reports.document import Document, Section
from dpaudit.reports.marks import decided
from dpaudit.reports.tables import Cell, short, table


def escape(text: str) -> str:
    """Returns the text with everything that Markdown or HTML would act on made harmless."""
    plain = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\n", " ")
    for sign in "\\`*_[]|":
        plain = plain.replace(sign, "\\" + sign)
    return plain


def render(document: Document, charts: dict[int, str]) -> str:
    """Returns the report; ``charts`` gives for a section's index the path of its picture."""
    parts = [f"# {escape(document['title'])}", "", "## Summary", "", *_summary(document)]
    for index, section in enumerate(document["sections"]):
        parts += _section(section, charts.get(index))
    parts += [
        "## How to check this report",
        "",
        f"- Made by {escape(document['command'])}",
        f"- Date: {escape(str(document['run'].get('date', '')))}",
        f"- Versions: {', '.join(f'{name} {version}' for name, version in document['versions'].items())}",
        f"- Content hash (SHA-256): `{document['content_hash']}`",
        "",
    ]
    return "\n".join(parts)


def _section(section: Section, picture: str | None) -> list[str]:
    parts = [f"## {escape(section['title'])}", "", f"*{escape(section['question'])}*", ""]
    if section.get("text"):
        parts += [escape(section["text"]), ""]
    if picture:
        parts += [f"![{escape(section['title'])}]({picture})", ""]
    if section["kind"] == "claims":
        parts += _claims(section)
    if section.get("crossovers"):
        parts += [*(f"- {escape(crossing['text'])}" for crossing in section["crossovers"]), ""]
    content = table(section)
    if content and content[1]:
        parts += _table(map(escape, content[0]), ([_cell(cell) for cell in row] for row in content[1]))
    commands = [f"    {line}" for line in section["command"].splitlines()]
    return [*parts, "Reproduce:", "", *commands, ""]


def _table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> list[str]:
    """Returns a table of cells that are escaped already."""
    head = list(columns)
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return [lines[0], "|" + "---|" * len(head), *lines[1:], ""]


def _summary(document: Document) -> list[str]:
    rows = (
        (section["title"], ", ".join(f"{count} {verdict}" for verdict, count in counts), section.get("finding") or "")
        for _, section, counts in decided(document)
    )
    return _table(("what was decided", "verdicts", "in short"), (map(escape, row) for row in rows))


def _cell(cell: Cell) -> str:
    return f"{short(cell)} ([{cell['lower']}, {cell['upper']}])" if isinstance(cell, dict) else escape(cell)


def _claims(section: Section) -> list[str]:
    rows = (
        (
            f"`{row['id']}` {escape(row['statement'])}",
            *map(escape, (row["verdict"], row["establishes"], row.get("finding", ""))),
        )
        for row in section["rows"]
    )
    return _table(("claim", "verdict", "establishes", "finding"), rows)
