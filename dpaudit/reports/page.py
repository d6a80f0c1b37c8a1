"""The content of a page, in order, as text for the templates: only here do the values of a document become text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from dpaudit.numbers.digits import beside, decimal, equated, powers, short
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.loss import verdict as compared
from dpaudit.reports import words
from dpaudit.reports.document import FAILS, WORST_FIRST, Document, Finding, Paper, Section
from dpaudit.reports.table import Cell, Column, Figure, Kind, Look, Table, apart

MOST_ROWS = 30
"""About the most rows of a table on a page, unless all are requested; result.json has all."""
MOST_COLUMNS, MOST_CARDS = 3, 30
"""On a phone the rows of a table of more columns become cards, if they have names and are not too many."""
CLASSES = {
    Verdict.PROVED: "proved",
    Verdict.REFUTED: "refuted",
    Verdict.IMPOSSIBLE: "refuted",
    Verdict.UNDECIDED: "undecided",
    Verdict.UNWITNESSED: "undecided",
}
MARKS = {"proved": "✓", "refuted": "✗", "undecided": "?"}
NOTHING = "measured"
"""The class of a cell without a statement."""
SIGNS = {Verdict.REFUTED: " >", Verdict.PROVED: " ≤", Verdict.UNDECIDED: "; stated is at most"}


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
    cards: bool = False
    """Whether its rows become cards on a phone."""


class Box(NamedTuple):
    """A verdict at the top: its class, its word, the sentence, and the facts about it."""

    label: str
    kind: str
    word: str
    text: str
    counts: str = ""
    fields: Sequence[words.Field] = ()


class Part(NamedTuple):
    """A part of the page below the boxes; a ``folded`` one opens on request."""

    title: str
    id: str = ""
    folded: bool = True
    svg: str = ""
    caption: str = ""
    """The title of the picture: its finding."""
    lines: Sequence[str] = ()
    notes: Sequence[str] = ()
    grid: Grid | None = None
    commands: Sequence[str] = ()
    claims: Sequence[Paper] = ()
    code: str = ""


@dataclass(frozen=True)
class Page:
    """All that a page shows; ``charts`` are its figures as SVG, by the name of their file."""

    document: Document
    charts: Mapping[str, str]
    full: bool = False
    most: int = MOST_ROWS

    @property
    def boxes(self) -> list[Box]:
        """The verdict, and below one on privacy or claims that on accuracy in a box of its own."""
        document, found = self.document, self.document.accuracy
        both = found is not None and bool(document.findings or document.claims)
        word = "NOTHING STATED" if document.verdict is None else document.verdict.value
        said, counts = powers(words.headline(document)), words.counts_line(document)
        own = f"{word} (privacy)" if both else word
        boxes = [Box("Verdict", kind(document.verdict), own, said, counts, list(words.fields(document)))]
        if both and found is not None:
            boxes.append(Box("Accuracy", kind(found), f"{found.value} (accuracy)", words.bounds_sentence(document)))
        return boxes

    @property
    def parts(self) -> Iterator[Part]:
        """Yields the parts in order: those that are open, then the folded ones."""
        document, sections = self.document, list(self._sections())
        if document.findings[1:]:
            heads = "mechanism, statement, verdict, margin, true ε"
            yield Part("Each mechanism", folded=False, grid=_grid(heads, map(_row, document.findings)))
        yield from (part for part in sections if not part.folded)
        if (lead := document.lead) is not None and (lines := list(_evidence(lead))):
            yield Part(f"The evidence: {lead.name}", folded=False, lines=lines)
        if bad := [claim for claim in document.claims if claim.verdict in FAILS]:
            rows = ([Text(one.where), Text(_cut(one.statement)), _verdict(one.verdict)] for one in bad)
            yield Part("What is false as stated", folded=False, grid=_grid("where, what is stated, verdict", rows))
        if document.bounds:
            folded = bool(document.findings or document.claims)
            title = "Accuracy bounds, as the documents state them and corrected"
            yield Part(title, folded=folded, grid=_bounds(document))
        yield from (part for part in sections if part.folded)
        if document.claims:
            title = f"All {len(document.claims)} claims with their evidence"
            yield Part(title, claims=document.claims)
        if document.plan:
            yield Part("The plan of this report", code=document.plan)

    def _sections(self) -> Iterator[Part]:
        """Yields every section; of the main one first its picture, or its table of a few rows, which is open."""
        most = 10**9 if self.full else self.most
        for number, section in enumerate(self.document.sections, 1):
            part = _part(number, section, self.charts, most)
            if section.main and part.svg:
                yield part._replace(folded=False, grid=None, commands=())
                numbers = part._replace(id=f"{part.id}-table", title=f"{part.title}: the numbers", svg="", caption="")
                yield numbers._replace(notes=())
            else:
                yield part._replace(folded=not section.main)


def kind(verdict: Verdict | None) -> str:
    """The class of a verdict, which gives it its color."""
    return NOTHING if verdict is None else CLASSES.get(verdict, NOTHING)


def mark(kind: str) -> str:
    """The sign before a verdict."""
    return MARKS.get(kind, "")


def _verdict(verdict: Verdict, more: str = "") -> Text:
    return Text(f"{verdict.value}{more}", kind(verdict))


def _grid(heads: str, rows: Iterable[Sequence[Text]], numbers: Sequence[str] = ()) -> Grid:
    """A table of text, some of whose columns are numbers, and whose rows become cards on a phone."""
    names = heads.split(", ")
    return Grid(names, list(rows), [name in numbers for name in names], cards=True)


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
    shown = beside(proof.value, bound, outcome)
    against = "" if outcome is None or bound is None else f"{SIGNS[outcome]} {powers(str(bound))}"
    name = proof.quantity
    if proof.output is not None:
        yield f"Output: r = {words.value_text(proof.output)}"
    if proof.p is not None and proof.p_prime is not None:
        yield f"P(r | x) = {words.number(proof.p)} and P(r | x′) = {words.number(proof.p_prime)}"
        name = "ln of their ratio"
    yield f"{equated(name, shown)}{against}"


def _cut(text: str, most: int = 170) -> str:
    return text if len(text) <= most else f"{text[: text.rindex(' ', 0, most)]} …"


def _bounds(document: Document) -> Grid:
    """The accuracy bounds of the documents, failures first."""
    numbers, rows = ("data x", "at t", "exact probability", "bound's value"), []
    for bound in sorted(document.bounds, key=lambda one: WORST_FIRST.index(one.verdict)):
        fails = f", at {bound.failing} of {bound.thresholds} t" if bound.failing else ""
        named = (bound.mechanism, words.value_text(bound.x), f"{bound.statement} ({bound.source})")
        values = [Text(words.number(value)) for value in (bound.t, bound.probability, bound.value)]
        rows.append([*map(Text, named), _verdict(bound.verdict, fails), *values])
    return _grid(f"mechanism, data x, bound, verdict, {', '.join(numbers[1:])}", rows, numbers)


# ------------------------------------------------------------------ sections


def _part(number: int, section: Section, charts: Mapping[str, str], most: int) -> Part:
    """A section as text."""
    name = f"{number:02d}-{section.kind}"
    svg = charts.get(name, "")
    return Part(
        title=powers(section.title),
        id=name,
        svg=svg,
        caption=powers(section.figure.title) if section.figure is not None and svg else "",
        notes=section.notes,
        grid=None if section.table is None else grid(section.table, section.figure, most),
        commands=section.commands,
    )


def grid(table: Table, figure: Figure | None = None, most: int = MOST_ROWS) -> Grid:
    """A table as text: about this many rows, evenly chosen, with the first that fails; one column for each line."""
    if figure is not None and figure.look is Look.LINES and figure.by:
        heads, rows, numbers = _side_by_side(table, figure)
    else:
        used = [i for i in range(len(table.columns)) if any(row[i] not in (None, "") for row in table.rows)]
        heads = [table.columns[i].name for i in used]
        rows = [[cell(table.columns[i], row[i]) for i in used] for row in table.rows]
        numbers = [table.columns[i].kind not in (Kind.TEXT, Kind.VERDICT) for i in used]
    kept = _some(rows, most)
    cards = len(heads) > MOST_COLUMNS and len(rows) <= MOST_CARDS and not numbers[0]
    return Grid(heads, [rows[i] for i in kept], numbers, len(rows) - len(kept), cards)


def _side_by_side(table: Table, figure: Figure) -> tuple[list[str], list[list[Text]], list[bool]]:
    """The values of all lines by their x, a row each; where the statement fails or is open, a mark says so."""
    lines = table.groups(figure.by)
    x, y = table.index(figure.x), table.index(figure.y)
    judged = next((i for i, column in enumerate(table.columns) if column.kind is Kind.VERDICT), None)
    found: dict[Cell, dict[str, Text]] = {}
    for name, rows in lines.items():
        for row in rows:
            said, verdict = cell(table.columns[y], row[y]).text, None if judged is None else row[judged]
            own = kind(verdict) if isinstance(verdict, Verdict) and verdict is not Verdict.PROVED else ""
            found.setdefault(row[x], {})[name] = Text(f"{mark(own)} {said}" if own else said, own)
    places = sorted(found, key=lambda at: (at is None, at))
    shown = [[cell(table.columns[x], at), *(found[at].get(name, Text("")) for name in lines)] for at in places]
    return [figure.x, *apart(list(lines)).values()], shown, [True] * (len(lines) + 1)


def _some(rows: Sequence[Sequence[Text]], most: int) -> list[int]:
    """The rows that are shown: all of a few, else evenly many, the full ones, and the first failure of each column."""
    count = len(rows)
    if count <= most:
        return list(range(count))
    failing = {place: i for i in reversed(range(count)) for place, one in enumerate(rows[i]) if one.kind == "refuted"}
    full = [i for i, row in enumerate(rows) if all(cell.text for cell in row)]
    evenly = {round(i * (count - 1) / (most - 1)) for i in range(most)}
    return sorted(evenly | set(failing.values()) | set(full if len(full) <= most else []))


def cell(column: Column, value: Cell) -> Text:
    """A value as text, by the kind of its column."""
    if value is None:
        return Text("")
    if isinstance(value, Verdict):
        return _verdict(value)
    if isinstance(value, Enclosure):
        return Text(short(value))
    return Text(decimal(str(value)) if isinstance(value, Fraction) else powers(str(value)))
