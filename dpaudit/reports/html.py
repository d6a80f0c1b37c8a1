"""One self-contained HTML file: opens offline, makes no request. Everything that is not ours is escaped."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from dpaudit.files.text import html as escape
from dpaudit.mechanisms import REGISTRY
from dpaudit.reports.board import board
from dpaudit.reports.charts import chart
from dpaudit.reports.document import Document, Section
from dpaudit.reports.marks import badge, number, verdicts
from dpaudit.reports.tables import Table, table
from dpaudit.reports.words import NOTES, setting_text

POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'{}; style-src 'unsafe-inline'; img-src data:"
BUNDLE_MARK = "/* chart library */"


@dataclass(frozen=True)
class Library:
    """The JavaScript of the charts, packed: for one page, or as the relative address of a file that pages share."""

    packed: str = ""
    address: str = ""

    def element(self) -> str:
        """Returns the script element."""
        if self.address:
            return f'<script src="{escape(self.address)}"></script>'
        return f"<script>{BUNDLE_MARK}{self.statement()}{BUNDLE_MARK}</script>"

    def statement(self) -> str:
        """Returns the statement that gives the library to the page."""
        return f'var chartLibrary = "{self.packed}";'

    def policy(self) -> str:
        """Returns what the page may load: nothing, or scripts from where it lies."""
        return POLICY.format(" 'self' file:" if self.address else "")


def render(document: Document, library: Library | None) -> str:
    """Returns the page; without a library it has the tables and no charts."""
    charts = library is not None
    library = library or Library()
    parts = [_section(index, section, charts) for index, section in enumerate(document["sections"])]
    assets = files("dpaudit.reports") / "assets"
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{library.policy()}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(document['title'])}</title>",
            f"<style>{(assets / 'style.css').read_text()}</style></head><body>",
            '<a class="skip" href="#main">Skip to the content</a>',
            '<header><button id="theme" type="button">Theme</button>',
            f"<h1>{escape(document['title'])}</h1>",
            _summary(document),
            _audited(document),
            _contents(document),
            '</header><main id="main">',
            *parts,
            "</main>",
            _footer(document),
            library.element(),
            f"<script>{(assets / 'page.js').read_text()}</script></body></html>",
            "",
        ]
    )


def _summary(document: Document) -> str:
    rows = []
    for index, section in enumerate(document["sections"]):
        counts = verdicts(section)
        if counts or section.get("finding"):
            shown = " ".join(f"{badge(verdict)} × {count}" for verdict, count in sorted(counts.items()))
            finding = escape(section.get("finding") or "")
            link = f'<a href="#s{index}">{escape(section["title"])}</a>'
            rows.append(f"<tr><td>{link}</td><td>{shown}</td><td>{finding}</td></tr>")
    if not rows:
        return ""
    head = "<tr><th>what was decided</th><th>verdicts</th><th>in short</th></tr>"
    return f'<h2>Summary</h2><div class="scroll"><table>{head}{"".join(rows)}</table></div>'


def _audited(document: Document) -> str:
    """Returns what was audited: the settings, the mechanisms' formulas, and how to read the report."""
    settings = dict.fromkeys(text for section in document["sections"] if (text := setting_text(section["setting"])))
    listed = "".join(f"<li>{escape(text)}</li>" for text in settings)
    named = {name for section in document["sections"] for name in section["setting"].get("mechanisms", [])}
    formulas = "".join(
        f"<li><b>{escape(name)}</b>: {escape(kind.formula)} ({escape(kind.source)})</li>"
        for name, kind in REGISTRY.items()
        if name in named
    )
    notes = "".join(f"<li>{escape(note)}</li>" for note in NOTES)
    return (
        f"<details><summary>What was audited, and how to read this</summary><ul>{listed}</ul><ul>{formulas}</ul>"
        f"<ul>{notes}</ul></details>"
    )


def _contents(document: Document) -> str:
    links = "".join(
        f'<li><a href="#s{index}">{escape(section["title"])}</a></li>'
        for index, section in enumerate(document["sections"])
    )
    return f'<nav aria-label="Contents"><details open><summary>Contents</summary><ol>{links}</ol></details></nav>'


def _section(index: int, section: Section, charts: bool = True) -> str:
    parts = [
        f'<section id="s{index}"><h2>{escape(section["title"])}</h2>',
        f'<p class="question">{escape(section["question"])}</p>',
    ]
    if section.get("text"):
        parts.append(f"<p>{escape(section['text'])}</p>")
    spec = chart(section) if charts else None
    if spec:
        figure = _figure(index, section, spec)
        parts.append(
            f"<details class=later><summary>Show the chart</summary>{figure}</details>"
            if section.get("folded")
            else figure
        )
    if section["kind"] == "claims":
        parts.append(board(section))
    if section.get("crossovers"):
        parts.append("<ul>" + "".join(f"<li>{escape(c['text'])}</li>" for c in section["crossovers"]) + "</ul>")
    content = table(section)
    if content and content[1]:
        parts.append(_table(content, folded=len(content[1]) > 40))
    parts.append(f"<details><summary>Reproduce</summary><pre>{escape(section['command'])}</pre></details></section>")
    return "\n".join(parts)


def _figure(index: int, section: Section, spec: dict[str, Any]) -> str:
    text = json.dumps(spec, ensure_ascii=False)
    label = escape(f"{section['title']}. {section['question']}", quote=True)
    pick = "; pick a name in the legend to single it out" if '"bind": "legend"' in text else ""
    return (
        f'<figure><div class="chart" role="img" aria-label="{label}" data-spec="d{index}"></div>'
        f'<script type="application/gzip" id="d{index}">{pack(text)}</script>'
        f'<figcaption class="dim">Hover for the certified enclosure{pick}.</figcaption></figure>'
    )


def pack(text: str) -> str:
    """Returns the text compressed, as letters; ``unpack`` of page.js is its inverse."""
    return b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def _table(content: Table, folded: bool) -> str:
    columns, rows = content
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in columns)
    body = "".join(
        "<tr>" + "".join(f'<td class="{_width(cell)}">{_cell(cell)}</td>' for cell in row) + "</tr>" for row in rows
    )
    shown = f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    return f"<details><summary>Table of {len(rows)} rows</summary>{shown}</details>" if folded else shown


def _width(cell: Any) -> str:
    """Returns the class of a cell: a short text is kept on one line."""
    return "n" if isinstance(cell, dict) or len(str(cell)) > 24 else "n short"


def _cell(cell: Any) -> str:
    if isinstance(cell, dict):
        return number(cell)
    return badge(cell)


def _footer(document: Document) -> str:
    versions = ", ".join(f"{name} {version}" for name, version in document["versions"].items())
    run = document["run"]
    plan = (
        f"<details><summary>The plan</summary><pre>{escape(document['plan'])}</pre></details>"
        if document.get("plan")
        else ""
    )
    bits = [
        row["precision_bits"]
        for s in document["sections"]
        for row in s["rows"]
        if isinstance(row, dict) and "precision_bits" in row
    ]
    precision = (
        f"<li>Working precision: up to {max(bits)} bits; every enclosure is rounded outward.</li>" if bits else ""
    )
    return (
        "<footer><h2>How to check this report</h2><ul>"
        f"<li>Made by <code>{escape(document['command'])}</code>{plan}</li>"
        f"<li>Versions: {escape(versions)}</li>{precision}"
        f"<li>Date: {escape(str(run.get('date', '')))}; seconds: {escape(str(run.get('seconds', '')))}</li>"
        f"<li>Content hash (SHA-256): <code>{escape(document['content_hash'])}</code></li>"
        "<li>The same inputs give the same content hash. <code>dpaudit render result.json</code> renders it again.</li>"
        "</ul></footer>"
    )
