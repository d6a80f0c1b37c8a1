"""An answer as people read it, before it is drawn: names and values, tables, notes. Text and HTML come from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from dpaudit.audit.judgement import Judgement
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.protocols import text

COLOURS = {
    Verdict.PROVED: "green",
    Verdict.REFUTED: "red",
    Verdict.IMPOSSIBLE: "red",
    Verdict.UNDECIDED: "yellow",
    Verdict.UNWITNESSED: "yellow",
    Verdict.MEASURED: "cyan",
}

FEW = 6
"""Significant digits of an enclosure that people see where they do not ask for more."""

Cell = Any
"""The content of a place: text, ``Words``, or a value, of which an enclosure may be shown with fewer digits."""
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
class Against:
    """An enclosure beside the bound that it is compared with: shortened, it still shows on which side it is."""

    value: Enclosure
    bound: Fraction | None

    def shortened(self, digits: int) -> Enclosure:
        """The enclosure with so many digits, or with as many as show on which side of the bound it is."""
        short = self.value.beside(self.bound, digits)
        while self.bound is not None and short.ends_at(self.bound) and not self.value.ends_at(self.bound):
            digits += 1
            short = self.value.beside(self.bound, digits)
        return short

    def __str__(self) -> str:
        return str(self.value)


def shortened(piece: Any, digits: int | None) -> Any:
    """The piece as it is shown: an enclosure with so many significant digits, None being all; else the piece."""
    short = digits is not None and isinstance(piece, Enclosure | Against)
    return piece.shortened(digits) if short else piece


@dataclass(frozen=True)
class Command:
    """A command that may be pasted: it is folded as a shell reads it."""

    text: str

    def __str__(self) -> str:
        return self.text


def strong(*parts: Cell) -> Words:
    """The pieces in bold."""
    return Words(*parts, style="bold")


def badge(verdict: Verdict) -> Words:
    """The verdict in its colour."""
    return Words(verdict.value, style=f"bold {COLOURS[verdict]}")


@dataclass(frozen=True)
class Fields:
    """Names and values, one below the other."""

    rows: Sequence[Line]

    def html(self) -> str:
        """An HTML table; all text is escaped."""
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
        """An HTML table; all text is escaped."""
        head = "".join(f"<th>{escape(column)}</th>" for column in self.columns)
        rows = ["".join(map(_html_cell, row)) for row in self.rows]
        return _html_table(f"<caption>{escape(self.title)}</caption>" if self.title else "", [head, *rows])


@dataclass(frozen=True)
class Note:
    """A line of text."""

    line: Cell

    def html(self) -> str:
        """A paragraph; all text is escaped."""
        return f"<p>{escape(str(self.line))}</p>"


@dataclass(frozen=True)
class Headline:
    """The verdict in one line, before everything else: its mark and sentence in its colour, then the margin."""

    mark: str
    colour: str
    sentence: str
    more: str = ""

    @staticmethod
    def of(found: Judgement) -> Headline:
        """The headline of a judgement."""
        return Headline(found.mark, COLOURS[found.verdict], found.sentence(), found.margin_text())

    @staticmethod
    def neutral(sentence: str) -> Headline:
        """The headline of an answer in which no statement is judged."""
        return Headline("–", "grey", sentence)

    def words(self) -> Words:
        """The line, for a terminal."""
        style = "bold" if self.colour == "grey" else f"bold {self.colour}"
        more = [f"; {self.more}"] if self.more else []
        return Words(Words(f"{self.mark} {self.sentence}", style=style), *more)

    def html(self) -> str:
        """A paragraph; all text is escaped."""
        more = f" {escape(self.more)}" if self.more else ""
        return f'<p><span class="verdict {self.colour}">{escape(f"{self.mark} {self.sentence}")}</span>{more}</p>'


Part = Headline | Fields | Table | Note
Page = Sequence[Part]


STYLE = """<style>
.dpaudit.dpaudit.dpaudit { font: 14px/1.45 sans-serif; max-width: 60em; }
.dpaudit.dpaudit.dpaudit .verdict { display: inline-block; padding: .15em .6em; border-radius: .3em; font-weight: 700;
  color: #fff; }
.dpaudit.dpaudit.dpaudit .green { background: #1a7f37; } .dpaudit.dpaudit.dpaudit .red { background: #b42318; }
.dpaudit.dpaudit.dpaudit .yellow { background: #8a5a00; } .dpaudit.dpaudit.dpaudit .grey { background: #57606a; }
.dpaudit.dpaudit.dpaudit table { border-collapse: collapse; border: 0; margin: .5em 0; display: block; overflow-x: auto;
  font-size: inherit; table-layout: auto; }
.dpaudit.dpaudit.dpaudit tr { background: none; }
.dpaudit.dpaudit.dpaudit th, .dpaudit.dpaudit.dpaudit td { text-align: left; vertical-align: top; border: 0;
  padding: .15em .8em .15em 0; background: none; max-width: none; white-space: normal; }
.dpaudit.dpaudit.dpaudit th { white-space: nowrap; font-weight: 400; opacity: .7; }
.dpaudit.dpaudit.dpaudit caption { text-align: left; font-style: italic; }
.dpaudit.dpaudit.dpaudit svg { display: block; margin: .5em 0; }
</style>"""
"""Three classes in each rule: Jupyter's own style of tables (right-aligned, striped) has two and some elements."""


def card(picture: str, page: Page) -> str:
    """A result for a notebook: the verdict on top, a picture, then the tables."""
    first = [part for part in page if isinstance(part, Headline)]
    rest = [part for part in page if not isinstance(part, Headline)]
    parts = [*(part.html() for part in first), picture, *(part.html() for part in rest)]
    return f'{STYLE}<div class="dpaudit">{"".join(parts)}</div>'


def _html_table(before: str, rows: Sequence[str]) -> str:
    return f"<table>{before}" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"


def _html_cell(value: Cell) -> str:
    pieces = value.pieces() if isinstance(value, Words) else [(value, "")]
    shown = ((escape(text(shortened(piece, FEW))), style) for piece, style in pieces)
    return f"<td>{''.join(f'<b>{words}</b>' if style else words for words, style in shown)}</td>"
