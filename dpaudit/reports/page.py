"""What a page shows, in order, as text for the templates: here alone the values of a document become text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from dpaudit.numbers.digits import beside, decimal, percent, powers, short
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.loss import verdict as compared
from dpaudit.reports import words
from dpaudit.reports.document import FAILS, WORST_FIRST, Document, Finding, Section
from dpaudit.reports.table import Cell, Column, Kind, Table

MOST_ROWS = 30
"""A table of a page has about so many rows, unless all of it is asked for; result.json has all."""
CLASSES = {
    Verdict.PROVED: "proved",
    Verdict.REFUTED: "refuted",
    Verdict.IMPOSSIBLE: "refuted",
    Verdict.UNDECIDED: "undecided",
    Verdict.UNWITNESSED: "undecided",
}
MARKS = {"proved": "✓", "refuted": "✗", "undecided": "?"}
NOTHING = "measured"
"""The class of what states nothing."""
SIGNS = {Verdict.REFUTED: ">", Verdict.PROVED: "≤", Verdict.UNDECIDED: "against"}


class Text(NamedTuple):
    """The text of a cell, and its class where it is a verdict."""

    text: str
    kind: str = ""


class Grid(NamedTuple):
    """A table as text; ``left_out`` says how many rows are in result.json only."""

    heads: Sequence[str]
    rows: Sequence[Sequence[Text]]
    numbers: Sequence[bool]
    left_out: int = 0


class Field(NamedTuple):
    """A line of the box: its label, and one text or several; ``code`` where it is a command."""

    label: str
    lines: Sequence[str]
    code: bool = False


class Answer(NamedTuple):
    """A verdict on top: its class, its word, and the sentence."""

    kind: str
    word: str
    text: str


class Part(NamedTuple):
    """A section of the page, with its picture and its table as text."""

    id: str
    title: str
    finding: str = ""
    svg: str = ""
    alt: str = ""
    grid: Grid | None = None
    notes: Sequence[str] = ()
    commands: Sequence[str] = ()


@dataclass(frozen=True)
class Page:
    """All that a page shows; ``charts`` are its figures as SVG, by the name of their file."""

    document: Document
    charts: Mapping[str, str]
    full: bool = False
    most: int = MOST_ROWS

    @property
    def answer(self) -> Answer:
        """The verdict of the box."""
        found = self.document.verdict
        word = "NOTHING STATED" if found is None else found.value
        return Answer(kind(found), word, powers(words.headline(self.document)))

    @property
    def accuracy(self) -> Answer | None:
        """The verdict on accuracy, which has a box of its own."""
        found = self.document.accuracy
        if found is None or not (self.document.findings or self.document.claims):
            return None
        return Answer(kind(found), found.value, words.bounds_sentence(self.document))

    @property
    def fields(self) -> Iterator[Field]:
        """The lines of the box."""
        for label, lines in words.box_lines(self.document):
            yield Field(label, [powers(line) for line in lines])
        lead, whole = self.document.lead, self.document.command
        again = "" if lead is None else lead.command
        yield from [Field("reproduce", [again], code=True)] if again else []
        yield from [Field("whole report", [whole], code=True)] if whole and whole != again else []
        yield Field("made", [words.made_line(self.document)])

    @property
    def mechanisms(self) -> Grid | None:
        """A row for each mechanism, failures first."""
        findings = self.document.findings
        return _grid("mechanism, statement, verdict, margin, true ε", map(_row, findings)) if findings[1:] else None

    @property
    def evidence(self) -> tuple[str, list[str]]:
        """The title and the lines of the evidence for the verdict."""
        lead = self.document.lead
        return ("", []) if lead is None else (f"The evidence: {lead.name}", list(_evidence(lead)))

    @property
    def false_claims(self) -> Grid | None:
        """The claims that do not hold, each with where it is and what is stated."""
        bad = [claim for claim in self.document.claims if claim.verdict in FAILS]
        rows = ([Text(claim.where), Text(_cut(claim.statement)), _verdict(claim.verdict)] for claim in bad)
        return _grid("where, what is stated, verdict", rows) if bad else None

    @property
    def bounds(self) -> Grid | None:
        """The accuracy bounds of the documents, failures first."""
        heads, rows = "mechanism, data x, bound, verdict, at t, exact probability, bound's value", []
        for bound in sorted(self.document.bounds, key=lambda one: WORST_FIRST.index(one.verdict)):
            fails = f", at {bound.failing} of {bound.thresholds} t" if bound.failing else ""
            named = (bound.mechanism, words.value_text(bound.x), f"{bound.statement} ({bound.source})")
            numbers = [Text(words.number(value)) for value in (bound.t, bound.probability, bound.value)]
            rows.append([*map(Text, named), _verdict(bound.verdict, fails), *numbers])
        return _grid(heads, rows, numbers=3) if rows else None

    @cached_property
    def parts(self) -> list[Part]:
        """Every section as text."""
        most = 10**9 if self.full else self.most
        return [_part(i, section, self.charts, most) for i, section in enumerate(self.document.sections, 1)]

    @property
    def main(self) -> Part | None:
        """The section that is open: its picture, or its table of a few rows."""
        shown = zip(self.parts, self.document.sections, strict=True)
        found = next((part for part, section in shown if section.main), None)
        return found and (found._replace(finding="", grid=None, commands=()) if found.svg else found)

    @property
    def folded(self) -> Iterator[Part]:
        """The other sections, and the numbers of the main picture."""
        for part, section in zip(self.parts, self.document.sections, strict=True):
            if not section.main:
                yield part
            elif part.svg:
                yield part._replace(id=f"{part.id}-table", title=f"{part.title}: the numbers", svg="", notes=())


def page(document: Document, charts: Mapping[str, str], full: bool = False, rows_shown: int = MOST_ROWS) -> Page:
    """The page of a document."""
    return Page(document, charts, full, rows_shown)


def kind(verdict: Verdict | None) -> str:
    """The class of a verdict, which gives it its colour."""
    return NOTHING if verdict is None else CLASSES.get(verdict, NOTHING)


def mark(kind: str) -> str:
    """The sign before a verdict."""
    return MARKS.get(kind, "")


def _verdict(verdict: Verdict, more: str = "") -> Text:
    return Text(f"{verdict.value}{more}", kind(verdict))


def _grid(heads: str, rows: Iterable[Sequence[Text]], numbers: int = 0) -> Grid:
    """A table of text, whose last columns are numbers."""
    names = heads.split(", ")
    return Grid(names, list(rows), [i >= len(names) - numbers for i in range(len(names))])


def _row(finding: Finding) -> list[Text]:
    """The row of one mechanism."""
    found, true = finding.judgement, words.true_epsilon(finding)
    at = f" at n = {finding.epsilon_n}" if finding.epsilon is not None and finding.epsilon_n is not None else ""
    end = Text(f"{true}{at}")
    if found is None:
        return [Text(finding.name), Text(""), Text("nothing stated", NOTHING), Text(""), end]
    statement = Text(powers(found.statement) + words.WHOSE[found.whose].mark)
    return [Text(finding.name), statement, Text(found.finding(), kind(found.verdict)), Text(found.margin_text()), end]


def _evidence(finding: Finding) -> Iterator[str]:
    """Yields pair, output, both probabilities and what they give."""
    proof, found = finding.proof, finding.judgement
    if proof is None:
        yield from finding.lost
        return
    at = "" if proof.n is None else f" (n = {proof.n})"
    yield f"Neighboring data sets{at}: x = {words.value_text(proof.x)} and x′ = {words.value_text(proof.x_prime)}"
    bound = found.bound if found is not None and proof.quantity == found.quantity else None
    outcome = None if bound is None else compared(proof.value, bound)
    shown = beside(proof.value.to_dict(), bound, None if outcome is None else outcome.value)
    against = "" if outcome is None else f" {SIGNS[outcome]} {powers(str(bound))}"
    name = proof.quantity
    if proof.output is not None and proof.p is not None and proof.p_prime is not None:
        yield f"Output: r = {words.value_text(proof.output)}"
        yield f"P(r | x) = {words.number(proof.p)} and P(r | x′) = {words.number(proof.p_prime)}"
        name = "ln of their ratio"
    yield f"{name} = {shown}{against}"


def _cut(text: str, most: int = 170) -> str:
    return text if len(text) <= most else f"{text[: text.rindex(' ', 0, most)]} …"


# ------------------------------------------------------------------ sections


def _part(number: int, section: Section, charts: Mapping[str, str], most: int) -> Part:
    name = f"{number:02d}-{section.kind}"
    alt = "" if section.figure is None else powers(section.figure.title)
    table = None if section.table is None else grid(section.table, most)
    texts = powers(section.title), powers(section.finding), charts.get(name, ""), alt
    return Part(name, *texts, table, section.notes, section.commands)


def grid(table: Table, most: int = MOST_ROWS) -> Grid:
    """A table as text: about so many rows, evenly, with the first that fails of every group."""
    used = [i for i, c in enumerate(table.columns) if any(row[i] not in (None, "") for row in table.rows)]
    columns = [table.columns[i] for i in used]
    rows = [[cell(table.columns[i], table.rows[place][i]) for i in used] for place in _some(table, most)]
    numbers = [column.kind not in (Kind.TEXT, Kind.VERDICT) for column in columns]
    return Grid([column.name for column in columns], rows, numbers, len(table.rows) - len(rows))


def _some(table: Table, most: int) -> list[int]:
    """The rows that are shown: all of a few, else evenly many with both ends and the first failures."""
    count = len(table.rows)
    if count <= most:
        return list(range(count))
    failing = {row[0]: i for i, row in reversed(list(enumerate(table.rows))) if Verdict.REFUTED in row}
    return sorted({round(i * (count - 1) / (most - 1)) for i in range(most)} | set(failing.values()))


def cell(column: Column, value: Cell) -> Text:
    """A value as text, by the kind of its column."""
    if value is None:
        return Text("")
    if isinstance(value, Verdict):
        return _verdict(value)
    if isinstance(value, Enclosure):
        return Text(percent(value.to_dict()) if column.kind is Kind.SHARE else short(value.to_dict()))
    return Text(decimal(str(value)) if isinstance(value, Fraction) else powers(str(value)))
