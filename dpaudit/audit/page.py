"""An answer as people read it, before it is drawn: names and values, tables, notes. Text and HTML come from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from dpaudit.numbers.digits import rough
from dpaudit.privacy.protocols import text

COLOURS = {
    "PROVED": "green",
    "REFUTED": "red",
    "IMPOSSIBLE": "red",
    "UNDECIDED": "yellow",
    "UNWITNESSED": "yellow",
    "MEASURED": "cyan",
}

Cell = Any
"""What stands in a place: text, ``Words``, or a value, of which an enclosure may be shown with fewer digits."""
Line = tuple[str, Cell]


class Words:
    """Pieces of text and values that stand together, perhaps in one style."""

    def __init__(self, *parts: Cell, style: str = "") -> None:
        self.parts, self.style = parts, style

    def pieces(self) -> Iterator[tuple[Any, str]]:
        """Yields the pieces in order, each with its style."""
        for part in self.parts:
            for piece, style in part.pieces() if isinstance(part, Words) else [(part, "")]:
                yield piece, style or self.style

    def __str__(self) -> str:
        return "".join(text(piece) for piece, _ in self.pieces())


@dataclass(frozen=True)
class Command:
    """A command that may be pasted: it is folded as a shell reads it."""

    text: str

    def __str__(self) -> str:
        return self.text


def strong(*parts: Cell) -> Words:
    """Returns the pieces in bold."""
    return Words(*parts, style="bold")


def badge(verdict: str) -> Words:
    """Returns the verdict in its colour."""
    return Words(verdict, style=f"bold {COLOURS[verdict]}")


@dataclass(frozen=True)
class Fields:
    """Names and values, one below the other."""

    rows: Sequence[Line]

    def html(self) -> str:
        """Returns an HTML table; all text is escaped."""
        return _html_table("", [f"<th>{escape(name)}</th>{_html_cell(value)}" for name, value in self.rows])


@dataclass(frozen=True)
class Table:
    """Columns; those of ``prose`` may be folded between words. Row number ``bold`` stands out."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    prose: Sequence[str] = ()
    title: str | None = None
    bold: int | None = None

    def html(self) -> str:
        """Returns an HTML table; all text is escaped."""
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        rows = ["".join(map(_html_cell, row)) for row in self.rows]
        return _html_table(f"<caption>{escape(self.title)}</caption>" if self.title else "", [head, *rows])


@dataclass(frozen=True)
class Note:
    """A line of text."""

    line: Cell

    def html(self) -> str:
        """Returns a paragraph; all text is escaped."""
        return f"<p>{escape(str(self.line))}</p>"


@dataclass(frozen=True)
class Verbatim:
    """Lines for a program: nothing is folded or marked."""

    lines: Sequence[str]

    def html(self) -> str:
        """Returns preformatted text; all of it is escaped."""
        return f"<pre>{escape(chr(10).join(self.lines))}</pre>"


Part = Fields | Table | Note | Verbatim
Page = Sequence[Part]


STYLE = """<style>
.dpaudit { font: 14px/1.45 sans-serif; max-width: 60em; }
.dpaudit .verdict { display: inline-block; padding: .15em .6em; border-radius: .3em; font-weight: 700; color: #fff; }
.dpaudit .green { background: #1a7f37; } .dpaudit .red { background: #b42318; }
.dpaudit .yellow { background: #8a5a00; } .dpaudit .grey { background: #57606a; }
.dpaudit table { border-collapse: collapse; margin: .5em 0; display: block; overflow-x: auto; }
.dpaudit th, .dpaudit td { text-align: left; vertical-align: top; padding: .15em .8em .15em 0; background: none; }
.dpaudit th { white-space: nowrap; }
.dpaudit caption { text-align: left; font-style: italic; } .dpaudit svg { display: block; margin: .5em 0; }
</style>"""


@dataclass(frozen=True)
class Headline:
    """The verdict in a word, its colour, and the finding in a line."""

    word: str
    colour: str
    finding: str

    def html(self) -> str:
        """Returns a paragraph; all text is escaped."""
        return f'<p><span class="verdict {self.colour}">{escape(self.word)}</span> {escape(self.finding)}</p>'


def card(headline: Headline | None, picture: str, page: Page) -> str:
    """Returns a result for a notebook: the verdict on top, a picture, then the tables."""
    first = "" if headline is None else headline.html()
    return f'{STYLE}<div class="dpaudit">{first}{picture}{"".join(part.html() for part in page)}</div>'


def _html_table(before: str, rows: Sequence[str]) -> str:
    return f"<table>{before}" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def _html_cell(value: Cell) -> str:
    pieces = value.pieces() if isinstance(value, Words) else [(value, "")]
    marked = (f"<b>{escape(text(piece))}</b>" if style else escape(text(piece)) for piece, style in pieces)
    return f"<td>{''.join(marked)}</td>"


def decimal(value: Fraction) -> str:
    """Returns a rational of at most 8 digits as a decimal, exactly; any other as a fraction.

    >>> decimal(Fraction(1, 8)), decimal(Fraction(1, 10**5)), decimal(Fraction(1, 3))
    ('0.125', '1e-5', '1/3')
    """
    shown = rough(value, 8)
    return shown if Fraction(shown) == value else str(value)
