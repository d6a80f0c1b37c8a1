"""The same report as Markdown, for reading in a terminal or a repository."""

from __future__ import annotations

from typing import Any

from dpaudit.files.text import markdown as escape
from dpaudit.files.text import visible
from dpaudit.reports.document import Document, Section
from dpaudit.reports.marks import verdicts
from dpaudit.reports.tables import short, table


def render(document: Document, charts: dict[int, str]) -> str:
    """Returns the report; ``charts`` gives for a section's index the path of its picture."""
    parts = [f"# {escape(document['title'])}", "", *_summary(document)]
    for index, section in enumerate(document["sections"]):
        parts += _section(section, charts.get(index))
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    parts += [
        "## How to check this report",
        "",
        f"- Made by {escape(document['command'])}",
        f"- Date: {escape(str(document['run'].get('date', '')))}",
        f"- Versions: {escape(versions)}",
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
        columns, rows = content
        parts.append("| " + " | ".join(map(escape, columns)) + " |")
        parts.append("|" + "---|" * len(columns))
        parts += ["| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows]
        parts.append("")
    commands = [f"    {visible(line)}" for line in section["command"].split("\n")]
    return [*parts, "Reproduce:", "", *commands, ""]


def _summary(document: Document) -> list[str]:
    lines = ["## Summary", "", "| what was decided | verdicts | in short |", "|---|---|---|"]
    for section in document["sections"]:
        counts = verdicts(section)
        if counts or section.get("finding"):
            shown = ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items()))
            lines.append(f"| {escape(section['title'])} | {escape(shown)} | {escape(section.get('finding') or '')} |")
    return [*lines, ""]


def _cell(cell: Any) -> str:
    if isinstance(cell, dict):
        return f"{escape(short(cell))} ([{escape(cell['lower'])}, {escape(cell['upper'])}])"
    return escape(cell)


def _claims(section: Section) -> list[str]:
    lines = ["| claim | verdict | establishes | finding |", "|---|---|---|---|"]
    for row in section["rows"]:
        cells = (
            f"`{visible(row['id']).replace('`', '')}` {escape(row['statement'])}",
            row["verdict"],
            row["establishes"],
            row.get("finding", ""),
        )
        lines.append(f"| {cells[0]} | " + " | ".join(escape(str(cell)) for cell in cells[1:]) + " |")
    return [*lines, ""]
