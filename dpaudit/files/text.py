"""Text from others, for people: nothing in it acts, whatever shows it. ``visible`` is for one line of plain text."""

from __future__ import annotations

import html as standard
import re

from dpaudit.numbers.errors import visible

__all__ = ["csv_cell", "html", "markdown", "visible"]


def html(text: str, quote: bool = True) -> str:
    """Returns the text for HTML; lines stay lines."""
    return standard.escape(visible(text, keep="\n\t"), quote)


def markdown(text: str) -> str:
    r"""Returns the text, on one line, for Markdown: no link, table, code, formula, emphasis, emoji, HTML or heading.

    >>> markdown("# :a: <b>|*x*")
    '\\# &#58;a: &lt;b&gt;\\|\\*x\\*'
    """
    shown = visible(text.replace("\n", " "))
    for sign, written in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")):
        shown = shown.replace(sign, written)
    shown = re.sub(r"([\\`*_\[\]|$]|~(?=~))", r"\\\1", shown)
    shown = re.sub(r":(?=[\w+-]+:)", "&#58;", shown)
    return re.sub(r"^(\s*)([#+-](?!\d)|\d+(?=[.)] ))", r"\1\\\2", shown)


NUMBER = re.compile(r"[-+]?[\d.,/eE+-]*")


def csv_cell(value: object) -> object:
    """Returns the value for a cell of a CSV file; text that a spreadsheet would take for a formula gets a quote.

    >>> csv_cell("=1+1"), csv_cell("-3/4"), csv_cell(None)
    ("'=1+1", '-3/4', None)
    """
    if not isinstance(value, str):
        return value
    shown = visible(value)
    return f"'{shown}" if shown[:1] in "=+-@" and shown and not NUMBER.fullmatch(shown) else shown
