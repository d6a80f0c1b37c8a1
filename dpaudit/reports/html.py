"""One self-contained HTML file: opens offline, makes no request. Everything that is not ours is escaped."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from dpaudit.audit.conclusion import rank
from dpaudit.files.text import html as escape
from dpaudit.mechanisms import REGISTRY
from dpaudit.reports.board import board
from dpaudit.reports.charts import chart
from dpaudit.reports.document import Document, Section
from dpaudit.reports.marks import badge, decided, number
from dpaudit.reports.tables import Cell, Table, table
from dpaudit.reports.verdict import facts
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
            _verdict(document["verdict"]),
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


def _verdict(verdict: dict[str, Any]) -> str:
    """Returns the answer: the word, the sentence, the numbers, the command that checks it again, and the scope."""
    if verdict["word"] is None:
        return f"<p>{escape(verdict['text'])}</p>" if verdict["text"] else ""
    rows = [(escape(name), escape(text)) for name, text in facts(verdict)]
    rows += [("check it again", f"<code>{escape(verdict['command'])}</code>")] if verdict["command"] else []
    for title, key in (("covered", "covered"), ("not covered", "not_covered")):
        rows.append((title, f"<ul>{_items(map(escape, verdict[key]))}</ul>"))
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows)
    rank_ = rank(verdict["word"], verdict["outcome"])
    return (
        f'<section class="verdict rank{rank_}"><h2>{escape(verdict["word"])}</h2>'
        f"<p>{escape(verdict['text'])}</p><dl>{listed}</dl></section>"
    )


def _summary(document: Document) -> str:
    rows = ""
    for index, section, counts in decided(document):
        shown = " ".join(f"{badge(verdict)} × {count}" for verdict, count in counts)
        link = f'<a href="#s{index}">{escape(section["title"])}</a>'
        rows += f"<tr><td>{link}</td><td>{shown}</td><td>{escape(section.get('finding') or '')}</td></tr>"
    head = "<tr><th>what was decided</th><th>verdicts</th><th>in short</th></tr>"
    return f'<h2>Summary</h2><div class="scroll"><table>{head}{rows}</table></div>' if rows else ""


def _items(texts: Iterable[str]) -> str:
    return "".join(f"<li>{text}</li>" for text in texts)


def _audited(document: Document) -> str:
    """Returns what was audited: the settings, the mechanisms' formulas, and how to read the report."""
    settings = [section["setting"] for section in document["sections"]]
    texts = filter(None, dict.fromkeys(map(setting_text, settings)))
    named = {label.split("/")[0] for setting in settings for label in setting.get("mechanisms", [])}
    formulas = (
        f"<b>{escape(name)}</b>: {escape(kind.formula)} ({escape(kind.source)})"
        for name, kind in REGISTRY.items()
        if name in named
    )
    lists = "".join(f"<ul>{_items(entries)}</ul>" for entries in (map(escape, texts), formulas, map(escape, NOTES)))
    return f"<details><summary>What was audited, and how to read this</summary>{lists}</details>"


def _contents(document: Document) -> str:
    titles = enumerate(section["title"] for section in document["sections"])
    links = _items(f'<a href="#s{index}">{escape(title)}</a>' for index, title in titles)
    return f'<nav aria-label="Contents"><details open><summary>Contents</summary><ol>{links}</ol></details></nav>'


def _section(index: int, section: Section, charts: bool = True) -> str:
    title, question = escape(section["title"]), escape(section["question"])
    parts = [f'<section id="s{index}"><h2>{title}</h2>', f'<p class="question">{question}</p>']
    if section.get("text"):
        parts.append(f"<p>{escape(section['text'])}</p>")
    spec, content = chart(section) if charts else None, table(section)
    if spec:
        figure, later = _figure(index, section, spec), "<details class=later><summary>Show the chart</summary>"
        parts.append(f"{later}{figure}</details>" if section.get("folded") else figure)
    if section["kind"] == "claims":
        parts.append(board(section))
    if section.get("crossovers"):
        parts.append(f"<ul>{_items(escape(crossing['text']) for crossing in section['crossovers'])}</ul>")
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
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    shown = f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'
    return f"<details><summary>Table of {len(rows)} rows</summary>{shown}</details>" if folded else shown


def _cell(cell: Cell) -> str:
    """Returns a cell; a short text is kept on one line."""
    width = "n" if isinstance(cell, dict) or len(cell) > 24 else "n short"
    return f'<td class="{width}">{number(cell) if isinstance(cell, dict) else badge(cell)}</td>'


def _footer(document: Document) -> str:
    rows = [row for section in document["sections"] for row in section["rows"]]
    bits = [row["precision_bits"] for row in rows if isinstance(row, dict) and "precision_bits" in row]
    plan, run = escape(document["plan"]), document["run"]
    shown = f"<details><summary>The plan</summary><pre>{plan}</pre></details>" if plan else ""
    facts = [
        f"Made by <code>{escape(document['command'])}</code>{shown}",
        "Versions: " + escape(", ".join(f"{name} {version}" for name, version in document["versions"].items())),
        *([f"Working precision: up to {max(bits)} bits; every enclosure is rounded outward."] if bits else []),
        escape(f"Date: {run.get('date', '')}; seconds: {run.get('seconds', '')}"),
        f"Content hash (SHA-256): <code>{escape(document['content_hash'])}</code>",
        "The same inputs give the same content hash. <code>dpaudit render result.json</code> renders it again.",
    ]
    return f"<footer><h2>How to check this report</h2><ul>{_items(facts)}</ul></footer>"
