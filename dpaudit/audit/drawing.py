"""How a page looks on a console: no number, no name and no command is ever broken in two.

Enclosures have six digits unless all are asked for. Where a table is too wide, they lose digits (rounded outward: they
stay enclosures), then its columns are split into several tables, then its rows become blocks. A file or a pipe is as
wide as it need be; for words alone that is 80 columns.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dpaudit.audit.page import FEW, Against, Command, Fields, Headline, Note, Page, Table, Words, shortened
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import visible
from dpaudit.privacy.protocols import text

if TYPE_CHECKING:
    from rich.text import Text

WIDE = 10_000
"""Columns where the output is no terminal: nothing is folded there, so that numbers can be copied."""
PAGE = 80
"""Columns of a table of words alone where the output is no terminal: it has no number to be kept whole."""
Digits = tuple[int | None, ...]
DIGITS: Digits = (None, 12, 9, 6)
"""Significant digits of an enclosure where all are asked for, tried in this order until all fits; None: all."""
PROSE = 56
"""A column of prose is not wider than this, so that it can be read."""
LEAST_PROSE = 18
"""A table whose prose would be narrower than this is drawn as blocks."""
STEP = 2
"""The indent of a value that is written below its name."""
SEAM = 3
"""What a column takes besides its text: a blank on both sides and a line; the table one more."""
GROUP = re.compile(r"[^\s\[(]*[\[(](?:[^\s\[\]()]+, )+[^\s\[\]()]+[\])]\S*|\S+")
"""A word; "0.41[65, 67]" and "(4, 4)" are one."""
PIECE = r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+"
ARGUMENT = re.compile(rf"(?:--\S+ (?!--))?{PIECE}")
"""A word of a command, with the option that it belongs to."""


def draw(console: Any, page: Page, digits: int | None = FEW) -> None:
    """Draws the parts with so many digits; where all are asked for, says at the end if some were left out."""
    tried, cut = DIGITS if digits is None else (digits,), False
    for part in page:
        cut |= bool(DRAWN[type(part)](console, part, tried))
    if cut and digits is None:
        note = f"Rounded outward to fit {console.width} columns; all digits: --json, to_dict(), or a wider terminal."
        _fields(console, Fields([("", note)]), tried)


def as_text(page: Page, width: int = WIDE, digits: int | None = FEW) -> str:
    """What is drawn, without colour: nothing but the line ends acts."""
    paper = Paper(width)
    draw(paper, page, digits)
    return "".join(f"{visible(line.rstrip())}\n" for line in paper.lines)


class Paper:
    """A console without colour, which imports rich for tables alone."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[str] = []

    def print(self, what: Any = "", **how: Any) -> None:
        """Adds the lines of a text, or of what rich draws."""
        if isinstance(what, str | Line):
            self.lines += (what if isinstance(what, str) else what.plain).expandtabs().split("\n")
            return
        from io import StringIO

        from rich.console import Console

        drawn = StringIO()
        Console(file=drawn, highlight=False, emoji=False, width=self.width, color_system=None).print(what, **how)
        self.lines += drawn.getvalue().split("\n")[:-1]


@dataclass(frozen=True)
class Line:
    """Text in its styles, which rich need not be imported for: a style applies from one place to the next."""

    plain: str = ""
    styles: tuple[tuple[int, int, str], ...] = ()

    def append(self, piece: str, style: str = "") -> Line:
        """The line with this piece at its end."""
        here = len(self.plain)
        more = ((here, here + len(piece), style),) if style and piece else ()
        return Line(self.plain + piece, self.styles + more)

    def __add__(self, other: Line | str) -> Line:
        if isinstance(other, str):
            return self.append(other)
        here = len(self.plain)
        return Line(self.plain + other.plain, self.styles + tuple((a + here, b + here, s) for a, b, s in other.styles))

    def __len__(self) -> int:
        return len(self.plain)

    def __getitem__(self, part: slice) -> Line:
        first, last, _ = part.indices(len(self.plain))
        cut = ((max(a, first) - first, min(b, last) - first, style) for a, b, style in self.styles)
        return Line(self.plain[first:last], tuple((a, b, style) for a, b, style in cut if a < b))

    def __rich__(self) -> Text:
        from rich.text import Text

        styled = Text(self.plain)
        for first, last, style in self.styles:
            styled.stylize(style, first, last)
        return styled


def joined(lines: Sequence[Line]) -> Line:
    """The lines, one below the other, as one text."""
    text = lines[0]
    for line in lines[1:]:
        text = text + "\n" + line
    return text


def here() -> int:
    """The width of the terminal, or WIDE where the output is none."""
    from shutil import get_terminal_size

    return get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else WIDE


# ------------------------------------------------------------------ cells


def cell_text(cell: Any, digits: int | None = None) -> Line:
    """The cell as text in its styles, its enclosures with at most so many significant digits."""
    line = Line()
    for piece, style in cell.pieces() if isinstance(cell, Words) else [(cell, "")]:
        line = line.append(text(shortened(piece, digits)), style)
    return line


def words(line: Line, width: int, pattern: re.Pattern[str] = GROUP) -> Iterator[tuple[int, int]]:
    """Yields where the words of a line begin and end; a list or an argument wider than ``width`` is several."""
    for match in pattern.finditer(line.plain):
        first, last = match.span()
        if last - first > width and "]" not in match[0]:
            smaller = re.finditer(PIECE if pattern is ARGUMENT else r"\S+", match[0])
            yield from ((first + part.start(), first + part.end()) for part in smaller)
        else:
            yield first, last


def widest(found: Line, width: int) -> int:
    """The columns of the longest word."""
    return max((end - start for start, end in words(found, width)), default=0)


def folded(found: Line, width: int, pattern: re.Pattern[str] = GROUP) -> list[Line]:
    """Lines of at most ``width`` columns, but for single words that are longer; no word is broken."""
    lines, first, last = [], 0, 0
    for start, end in words(found, width, pattern):
        if end - first > width and last > first:
            lines.append(found[first:last])
            first = start
        last = end
    return [*lines, found[first:last]]


def _value_lines(value: Any, digits: int | None, width: int) -> list[Line]:
    """The lines of a value; a command goes on with a backslash, as the shell takes it."""
    if not isinstance(value, Command):
        return folded(cell_text(value, digits), width)
    lines = folded(cell_text(value.text), width - 2, ARGUMENT)
    return [line + " \\" for line in lines[:-1]] + lines[-1:]


def _fitting(value: Any, room: int, tried: Digits) -> int | None:
    """The most digits with which every word of the value fits into the room, else the fewest."""
    fits = (digits for digits in tried if widest(cell_text(value, digits), room) <= room)
    return next(fits, tried[-1])


# ------------------------------------------------------------------ parts


def _headline(console: Any, part: Headline, tried: Digits) -> bool:
    return _note(console, Note(part.words()), tried)


def _fields(console: Any, part: Fields, tried: Digits) -> bool:
    """Draws names, dim, and values, a value below its name where it does not fit beside.

    Returns whether digits were cut.
    """
    names = [len(name) for name, _ in part.rows]
    margin = max((size for size in names if size <= max(20, console.width // 3)), default=0) + 2
    cut = False
    for name, value in part.rows:
        digits = _fitting(value, console.width - margin, tried)
        cut |= cell_text(value, digits).plain != cell_text(value).plain
        lines = _value_lines(value, digits, console.width - margin)
        label, indent = Line().append(visible(name).ljust(margin), "dim"), margin
        if len(label) > margin or max(map(len, lines)) > console.width - margin:
            console.print(label, soft_wrap=True)
            label, indent = Line(" " * STEP), STEP
            lines = _value_lines(value, digits, console.width - STEP)
        for line in lines:
            console.print(label + line, soft_wrap=True)
            label = Line(" " * indent)
    return cut


def _note(console: Any, part: Note, tried: Digits) -> bool:
    for line in folded(cell_text(part.line, tried[0]), console.width):
        console.print(line, soft_wrap=True)
    return False


def _table(console: Any, part: Table, tried: Digits) -> bool:
    """Draws a table as it fits; returns whether digits were left out."""
    width = console.width
    if width == WIDE and set(part.columns[1:]) <= set(part.prose):
        console.width = PAGE
    groups, digits = _arranged(part, console.width, tried)
    cut = digits is not None if groups else _blocks(console, part, tried)
    for group in groups:
        _grid(console, part, group, digits)
    console.width = width
    return cut


def _arranged(part: Table, width: int, tried: Digits) -> tuple[list[list[int]], int | None]:
    """The columns of each table to be drawn, and the digits; no tables where the rows must be blocks.

    The first column is in every table.
    """
    everything = list(range(len(part.columns)))
    several: list[tuple[list[list[int]], int | None]] = []
    for digits in tried if _has_enclosures(part) else tried[:1]:
        least = [_least(part, i, digits, width) for i in everything]
        if _total(least) <= width:
            return [everything], digits
        if not part.prose and all(_total([least[0], other]) <= width for other in least[1:]):
            several.append((_packed(least, width), digits))
    return min(several, key=lambda found: len(found[0]), default=([], None))


def _has_enclosures(part: Table) -> bool:
    return any(isinstance(cell, Enclosure | Against | Words) for row in part.rows for cell in row)


def _total(widths: Sequence[int]) -> int:
    return sum(widths) + SEAM * len(widths) + 1


def _packed(least: Sequence[int], width: int) -> list[list[int]]:
    """Groups of columns, the first column in each, as many in a group as fit."""
    groups: list[list[int]] = []
    for i in range(1, len(least)):
        if groups and _total([least[j] for j in (*groups[-1], i)]) <= width:
            groups[-1].append(i)
        else:
            groups.append([0, i])
    return groups


def _least(part: Table, i: int, digits: int | None, width: int) -> int:
    """The columns that column i needs: its cells whole; of prose, and of its title, the longest word."""
    cells = [cell_text(row[i], digits) for row in part.rows]
    title = widest(cell_text(part.columns[i]), width)
    if part.columns[i] not in part.prose:
        return max([title, *map(len, cells)])
    natural = max((len(cell) for cell in cells), default=0)
    return max([title, min(natural, LEAST_PROSE), *(widest(cell, width) for cell in cells)])


def _widths(part: Table, group: Sequence[int], digits: int | None, width: int) -> list[int]:
    """The widths of these columns; what is left of the width goes to titles, then to prose."""
    least = [_least(part, i, digits, width) for i in group]
    prose = [j for j, i in enumerate(group) if part.columns[i] in part.prose]
    spare = width - _total(least)
    for j in (*(j for j in range(len(group)) if j not in prose), *prose):
        title, cells = len(part.columns[group[j]]), [len(cell_text(row[group[j]], digits)) for row in part.rows]
        wanted = min(max([title, *cells]), PROSE) if j in prose else title
        share = spare // (len(prose) - prose.index(j)) if j in prose else spare
        more = max(0, min(share, wanted - least[j]))
        least[j], spare = least[j] + more, spare - more
    return least


def _grid(console: Any, part: Table, group: Sequence[int], digits: int | None) -> None:
    """Draws these columns."""
    from rich.table import Table as Grid
    from rich.text import Text

    least = _widths(part, group, digits, console.width)
    title = None if part.title is None else Text(part.title, "italic")
    grid = Grid(title=title, title_justify="left", width=_total(least))
    for j, i in enumerate(group):
        grid.add_column(joined(folded(cell_text(part.columns[i]), least[j])), width=least[j], no_wrap=True)
    for number, row in enumerate(part.rows):
        cells = [joined(folded(cell_text(row[i], digits), least[j])) for j, i in enumerate(group)]
        grid.add_row(*cells, style="bold" if number == part.bold else None)
    console.print(grid, crop=False)


def _blocks(console: Any, part: Table, tried: Digits) -> bool:
    """Draws every row as names and values; returns whether digits were left out."""
    if part.title is not None:
        _note(console, Note(Words(part.title, style="italic")), tried)
    cut = False
    for number, row in enumerate(part.rows):
        values = [Words(*cell.parts, style="bold") if number == part.bold else cell for cell in map(_as_words, row)]
        filled = [(name, value) for name, value in zip(part.columns, values, strict=True) if str(value)]
        cut |= _fields(console, Fields(filled), tried)
        console.print()
    return cut


def _as_words(cell: Any) -> Words:
    return cell if isinstance(cell, Words) else Words(cell)


DRAWN: dict[type, Callable[[Any, Any, Digits], bool]]
DRAWN = {Headline: _headline, Fields: _fields, Table: _table, Note: _note}
