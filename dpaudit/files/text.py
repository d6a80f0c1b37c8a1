"""Untrusted text for people: nothing in it acts, wherever it is shown. ``visible`` is for one line of plain text.

A cell of a CSV file that a spreadsheet would run gets a quote in front; ``csv_text`` takes it away again.
"""

from __future__ import annotations

import html as standard
import inspect
import re

from dpaudit.numbers.errors import visible

__all__ = ["csv_cell", "csv_text", "html", "markdown", "visible"]


def html(text: str, quote: bool = True) -> str:
    """The text for HTML, with its lines."""
    return standard.escape(visible(text, keep="\n\t"), quote)


def markdown(text: str) -> str:
    r"""The text, on one line, for Markdown: no link, table, code, formula, emphasis, emoji, HTML or heading.

    >>> markdown("# :a: <b>|*x*")
    '\\# &#58;a: &lt;b&gt;\\|\\*x\\*'
    """
    shown = visible(text.replace("\n", " "))
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        shown = shown.replace(sign, written)
    shown = re.sub(r"([\\`*_\[\]|$]|~(?=~))", r"\\\1", shown)
    shown = re.sub(r":(?=[\w+-]+:)", "&#58;", shown)
    return re.sub(r"^(\s*)([#+-](?!\d)|\d+(?=[.)] ))", r"\1\\\2", shown)


NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?(/\d+)?")
RUN = re.compile(r"'*[=+\-@＝＋－＠]")
"""The beginnings of text that a spreadsheet would run, or that looks as if it had been quoted for that reason."""


def csv_cell(value: object) -> object:
    """The value for a cell of a CSV file; text that a spreadsheet would run gets a quote in front.

    >>> csv_cell("=1+1"), csv_cell("-3/4"), csv_cell("-2+3"), csv_cell("'@x"), csv_cell(None)
    ("'=1+1", '-3/4', "'-2+3", "''@x", None)
    """
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if RUN.match(shown) and not NUMBER.fullmatch(shown) else shown


def csv_text(cell: str) -> str:
    """The text from which ``csv_cell`` made the cell: one of the quotes before a formula is removed.

    >>> csv_text("'=1+1"), csv_text("''@x"), csv_text("=1+1"), csv_text("'quoted'")
    ('=1+1', "'@x", '=1+1', "'quoted'")
    """
    return cell[1:] if cell[:1] == "'" and RUN.match(cell) else cell


def paragraphs(words: str | None) -> str:
    """The text with one line for each paragraph, so that it is folded at the terminal's width and nowhere else."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(words or ""))
