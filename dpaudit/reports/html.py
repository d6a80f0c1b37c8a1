"""One self-contained HTML file: opens offline, makes no request. Everything that is not ours is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from importlib.resources import files
from typing import Any

from dpaudit.audit.words import precision_words
from dpaudit.files.text import html as escape
from dpaudit.mechanisms import REGISTRY
from dpaudit.pictures.colours import style, themes
from dpaudit.reports.board import board
from dpaudit.reports.charts import figures
from dpaudit.reports.document import Document, Section
from dpaudit.reports.marks import badge, decided, number
from dpaudit.reports.tables import Cell, Table, caption, table
from dpaudit.reports.typed import LONG_WORD, typed
from dpaudit.reports.verdict import facts, headline, headlines, severity
from dpaudit.reports.words import NOTES, same_hash, setting_text

POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
BLOCKS = re.compile(r" [█ ]*▏█*")
MOST_ROWS = 40
"""A longer table is folded."""
TAGS = re.compile(r"<i>.*?</i>|<[^>]*>")
LONG_CELL, CROWDED_CELL = 24, 12
"""A cell with a longer text may be broken, and in a table of many columns one that is not so long."""
CROWDED = 8
"""So many columns are many."""
LONG_HEAD = 16
"""A longer word at the head of a column may be broken."""
MOST_COLUMNS = 40
"""Columns that have their names before their cells on a phone."""
FEW_ROWS = 6
"""A longer table is folded on a phone."""


def render(document: Document) -> str:
    """Returns the page: whole without its script, which adds what pointing, picking, sorting and folding give."""
    sections = document["sections"]
    assets = files("dpaudit.reports") / "assets"
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(document['title'])}</title>",
            f"<style>{themes()}{style()}{(assets / 'style.css').read_text()}</style>",
            f"<style>@media screen and (max-width: 34rem){{{labels()}}}</style></head><body>",
            '<a class="skip" href="#main">Skip to the content</a>',
            '<header><div class="tools"><button id="theme" type="button" hidden>Theme</button>',
            '<label><input type="checkbox" id="full"> enclosures in full</label></div>',
            f"<h1>{escape(document['title'])}</h1>",
            _verdict(document["verdict"]),
            _summary(document),
            _audited(document),
            _contents(document),
            '</header><main id="main">',
            *(_section(index, section, sections) for index, section in enumerate(sections)),
            "</main>",
            _footer(document),
            f"<script>{(assets / 'page.js').read_text()}</script></body></html>",
            "",
        ]
    )


def _verdict(verdict: dict[str, Any]) -> str:
    """Returns the answer: the word, the sentence, the numbers, the command that checks it again, and the scope."""
    if verdict["word"] is None:
        text = f"<p>{escape(verdict['text'])}</p>" if verdict["text"] else ""
        head = f'<section class="verdict rank{severity(verdict)}"><h2>{escape(headline(verdict))}</h2>{text}</section>'
        return head if headline(verdict) else text
    rows = [(escape(name), escape(text)) for name, text in facts(verdict)]
    rows += [("check it again", f"<code>{typed(verdict['command'])}</code>")] if verdict["command"] else []
    for title, key in (("covered", "covered"), ("not covered", "not_covered")):
        entries = f"<ul>{_items(map(escape, verdict[key]))}</ul>"
        many = key == "covered" and len(verdict[key]) > FEW_ROWS
        rows.append((title, _folded(f"{len(verdict[key])} statements", entries) if many else entries))
    listed = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows)
    first, others = map(escape, headlines(verdict))
    also = f'; <span class="also">{others}</span>' if others else ""
    return (
        f'<section class="verdict rank{severity(verdict)}"><h2>{first}{also}</h2>'
        f"<p>{escape(verdict['text'])}</p><dl>{listed}</dl></section>"
    )


def _summary(document: Document) -> str:
    rows = []
    for index, section, counts in decided(document):
        shown = ", ".join(f"{badge(verdict)} × {count}" for verdict, count in counts)
        link = f'<a href="#s{index}">{escape(section["title"])}</a>'
        rows.append([link, shown, escape(section.get("finding") or "")])
    columns = ["what was decided", "verdicts", "in short"]
    return f"<h2>Summary</h2>{_grid('What was decided', columns, rows)}" if rows else ""


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
    return _folded("What was audited, and how to read this", lists)


def _contents(document: Document) -> str:
    titles = enumerate(section["title"] for section in document["sections"])
    links = _items(f'<a href="#s{index}">{escape(title)}</a>' for index, title in titles)
    shown = f'<details open class="small named"><summary>Contents</summary><ol>{links}</ol></details>'
    return f'<nav aria-label="Contents">{shown}</nav>'


def _section(index: int, section: Section, sections: Sequence[Section]) -> str:
    title, question = escape(section["title"]), escape(section["question"])
    parts = [f'<section id="s{index}"><h2>{title}</h2>', f'<p class="question">{question}</p>']
    if section.get("text"):
        parts.append(f"<p>{escape(section['text'])}</p>")
    parts += [figure.html() for figure in figures(section, sections)]
    if section["kind"] == "claims":
        parts.append(board(section))
    if section.get("crossovers"):
        parts.append(f"<ul>{_items(escape(crossing['text']) for crossing in section['crossovers'])}</ul>")
    content = table(section)
    if content and content[1]:
        shown = _table(content, caption(section) or section["title"])
        parts.append(f'<div class="findable">{shown}</div>' if section["kind"] == "matrix" else shown)
    parts.append(_folded("Reproduce", f"<pre>{typed(section['command'])}</pre>") + "</section>")
    return "\n".join(parts)


def _folded(summary: str, inside: str, small: bool = False) -> str:
    """Returns what the script folds, or folds on a ``small`` screen; without it, and on paper, it is open."""
    name = "small" if small else "fold"
    return f'<details open class="{name}"><summary>{escape(summary)}</summary>{inside}</details>'


def _table(content: Table, title: str) -> str:
    columns, rows = content
    shown = _grid(title, columns, [[_cell(cell) for cell in row] for row in rows])
    return _folded(f"Table of {len(rows)} rows", shown, len(rows) <= MOST_ROWS) if len(rows) > FEW_ROWS else shown


def _grid(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Returns a table of cells that are HTML: one stop for the keyboard, where it also scrolls; cards on a phone."""
    head = "".join(map(_th, columns))
    most = CROWDED_CELL if len(columns) >= CROWDED else LONG_CELL
    body = "".join(f"<tr>{''.join(_td(cell, most) for cell in row)}" for row in rows)
    name = escape(title)
    names = "".join(f"--l{i}:{_quoted(column)};" for i, column in enumerate(columns, 1))
    return (
        f'<div class="scroll" role="region" aria-label="{name}" tabindex="0"><table style=\'{names}\'>'
        f"<caption>{name}</caption><thead><tr>{head}<tbody>{body}</table></div>"
    )


def _th(name: str) -> str:
    """Returns the head of a column; a long word in it may be broken."""
    word = ' class="word"' * any(len(word) > LONG_HEAD for word in name.split())
    return f'<th scope="col"{word}>{escape(name)}'


def _td(cell: str, most: int) -> str:
    """Returns a cell of a table; one with a text of more than so many letters may be broken, a long word in it too.

    HTML lets its end be left out, as that of a row: a tenth of the bytes of a table.
    """
    text = TAGS.sub("", cell)
    if len(text) <= most:
        return f"<td>{cell}"
    word = " word" * any(len(word) > LONG_WORD for word in text.split())
    return f'<td class="long{word}">{cell}'


def _quoted(words: str) -> str:
    """Returns the words as a string of a style sheet: nothing in it ends it."""
    return '"' + "".join(c if c.isalnum() or c == " " else f"\\{ord(c):x} " for c in words) + '"'


def labels(most: int = MOST_COLUMNS) -> str:
    """Returns the rules that write the name of its column before a cell of a card."""
    return "".join(f".scroll td:nth-child({i})::before{{content:var(--l{i})}}" for i in range(1, most + 1))


def _cell(cell: Cell) -> str:
    """Returns a cell as HTML."""
    return number(cell) if isinstance(cell, dict) else badge(BLOCKS.sub("", cell))  # the picture above has them as bars


def _footer(document: Document) -> str:
    rows = [row for section in document["sections"] for row in section["rows"]]
    bits = [row["precision_bits"] for row in rows if isinstance(row, dict) and "precision_bits" in row]
    plan, run = escape(document["plan"]), document["run"]
    shown = _folded("The plan", f"<pre>{plan}</pre>") if plan else ""
    facts = [
        f"Made by <code>{typed(document['command'])}</code>{shown}",
        "Versions: " + escape(", ".join(f"{name} {version}" for name, version in document["versions"].items())),
        *([f"Working precision: {precision_words(max(bits))}; every enclosure is rounded outward."] if bits else []),
        escape(f"Date: {run.get('date', '')}; seconds: {run.get('seconds', '')}"),
        f"Content hash (SHA-256): <code>{escape(document['content_hash'])}</code>",
        f"{escape(same_hash(document))} <code>dpaudit render result.json</code> renders it again.",
    ]
    return f"<footer><h2>How to check this report</h2><ul>{_items(facts)}</ul></footer>"
