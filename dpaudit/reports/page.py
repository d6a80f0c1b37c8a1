"""What a page shows, in order, as text for a template: the only place where the values of a document become text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpaudit.numbers.digits import beside, decimal, percent, powers, short
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports import words
from dpaudit.reports.document import FAILS, Bound, Document, Finding, Paper, Section
from dpaudit.reports.table import Cell, Column, Kind, Table

MOST_ROWS = 30
"""A table of a page has about so many rows, unless all of it is asked for; result.json has all."""
CLASS = {
    Verdict.PROVED: "proved",
    Verdict.REFUTED: "refuted",
    Verdict.IMPOSSIBLE: "refuted",
    Verdict.UNDECIDED: "undecided",
    Verdict.UNWITNESSED: "undecided",
    Verdict.MEASURED: "measured",
}
BY_CHECKS = "decided by algebra, on stated grids in certified arithmetic, or by counterexamples; nothing was sampled"
MARK = {"proved": "✓", "refuted": "✗", "undecided": "?", "measured": "·"}


@dataclass(frozen=True)
class Text:
    """The text of a cell, and a class where it is a verdict."""

    text: str
    kind: str = ""


@dataclass(frozen=True)
class Grid:
    """A table as text; ``left_out`` says how many rows are in result.json only."""

    heads: tuple[str, ...]
    rows: tuple[tuple[Text, ...], ...]
    numbers: tuple[bool, ...] = ()
    left_out: int = 0


@dataclass(frozen=True)
class Field:
    """A line of the box: its label, and one text or several; ``code`` where it is a command."""

    label: str
    lines: tuple[str, ...]
    code: bool = False


@dataclass(frozen=True)
class Verdicted:
    """A verdict on the page: its class, its word, and the sentence."""

    kind: str
    word: str
    text: str

    @property
    def mark(self) -> str:
        """The sign before the word."""
        return MARK.get(self.kind, "")


@dataclass(frozen=True)
class Part:
    """A section of the page."""

    id: str
    title: str
    finding: str
    svg: str
    chart: str
    alt: str
    grid: Grid | None
    notes: tuple[str, ...]
    commands: tuple[str, ...]


@dataclass(frozen=True)
class PaperPart:
    """A claim with its evidence."""

    id: str
    where: str
    statement: str
    verdict: Verdicted
    establishes: str
    finding: str
    evidence: tuple[str, ...]


@dataclass(frozen=True)
class Page:
    """All that a page shows."""

    title: str
    verdict: Verdicted
    counts: str
    fields: tuple[Field, ...]
    mechanisms: Grid | None
    evidence: tuple[str, ...]
    evidence_title: str
    accuracy: Verdicted | None
    accuracy_first: bool
    bounds: Grid | None
    false_claims: Grid | None
    claims: tuple[PaperPart, ...]
    main: Part | None
    parts: tuple[Part, ...]
    full: bool
    plan: str


def page(document: Document, charts: dict[str, str], full: bool = False, rows_shown: int = MOST_ROWS) -> Page:
    """The page of a document; ``charts`` are its figures as SVG, by the name of their file."""
    most = 10**9 if full else rows_shown
    parts = [_part(i, section, charts, most) for i, section in enumerate(document.sections, 1)]
    main = next((part for part, s in zip(parts, document.sections, strict=True) if s.main), None)
    folded = [part for part in parts if part is not main]
    folded += [] if main is None or main.grid is None else [_table_of(main)]
    lead = document.lead
    return Page(
        title=document.title,
        verdict=_answer(document),
        counts=words.counts_line(document),
        fields=tuple(_fields(document)),
        mechanisms=_mechanisms(document.findings) if len(document.findings) > 1 else None,
        evidence=tuple(_evidence(lead)) if lead is not None else (),
        evidence_title="" if lead is None else f"The evidence: {lead.name}",
        accuracy=_accuracy(document) if document.lead is not None or document.claims else None,
        accuracy_first=document.accuracy_first,
        bounds=_bounds(document.bounds) if document.bounds else None,
        false_claims=_false(document.claims) if document.claims else None,
        claims=tuple(map(_paper, document.claims)),
        main=None if main is None else _without_table(main),
        parts=tuple(folded),
        full=full,
        plan=document.plan,
    )


def _answer(document: Document) -> Verdicted:
    found = document.verdict
    kind = "measured" if found is None else CLASS[found]
    return Verdicted(kind, "NOTHING STATED" if found is None else found.value, powers(words.headline(document)))


def _fields(document: Document) -> Iterator[Field]:
    lead = document.lead
    if lead is not None:
        yield Field("true ε", (words.epsilon_line(lead),))
        yield Field("stated", (powers(words.statement_line(lead)),))
        margin = "" if lead.judgement is None else lead.judgement.margin_text()
        if margin:
            yield Field("margin", (margin,))
        if lead.person:
            yield Field("for a person", (lead.person,))
        yield Field("how it is known", (words.known_line(lead),))
    elif document.claims:
        yield Field("how it is known", (BY_CHECKS,))
    else:
        yield Field("how it is known", ("computed exactly; nothing was sampled",))
    yield Field("checked by", tuple(words.checked_lines(document)))
    yield Field("covers", tuple(map(powers, words.covered_lines(document))))
    missing = words.not_covered_lines(document)
    if missing:
        yield Field("does not cover", tuple(map(powers, missing)))
    if lead is not None and lead.command:
        yield Field("reproduce", (lead.command,), code=True)
    if document.command and (lead is None or document.command != lead.command):
        yield Field("whole report", (document.command,), code=True)
    version = dict(document.versions).get("dpaudit")
    made = [document.date, f"dpaudit {version}" if version else "", f"content hash {document.hash[:16]}…"]
    yield Field("made", (", ".join(filter(None, made)),))


def _mechanisms(findings: Sequence[Finding]) -> Grid:
    heads = ("mechanism", "statement", "verdict", "margin", "true ε")
    rows = []
    for finding in findings:
        found = finding.judgement
        if found is None:
            verdict, statement, margin = Text("nothing stated", "measured"), "", ""
        else:
            verdict = Text(found.finding(), CLASS[found.verdict])
            statement = powers(found.statement) + (" (nominal)" if found.whose.value == "nominal" else "")
            margin = found.margin_text()
        true = "not known" if finding.epsilon is None else short(finding.epsilon.to_dict())
        at = "" if finding.epsilon_n is None or finding.epsilon is None else f" at n = {finding.epsilon_n}"
        bound = None if found is None else found.bound
        if finding.epsilon is not None and found is not None and found.quantity == "true ε":
            true = beside(finding.epsilon.to_dict(), bound, found.verdict.value)
        rows.append((Text(finding.name), Text(statement), verdict, Text(margin), Text(f"{true}{at}")))
    return Grid(heads, tuple(rows), (False,) * 5)


def _evidence(finding: Finding) -> Iterator[str]:
    """Yields pair, output, both probabilities and what they give."""
    proof, found = finding.proof, finding.judgement
    if proof is None:
        yield from finding.lost
        return
    at = "" if proof.n is None else f" (n = {proof.n})"
    yield f"Neighboring data sets{at}: x = {words.value_text(proof.x)} and x′ = {words.value_text(proof.x_prime)}"
    bound = None if found is None else found.bound
    verdict = None
    if found is not None and bound is not None:
        verdict = (
            Verdict.REFUTED
            if proof.value.lower > bound
            else Verdict.PROVED
            if proof.value.upper <= bound
            else Verdict.UNDECIDED
        )
    shown = beside(proof.value.to_dict(), bound, verdict.value if verdict is not None else None)
    sign = (
        {Verdict.REFUTED: ">", Verdict.PROVED: "≤", Verdict.UNDECIDED: "against"}.get(verdict)
        if verdict is not None
        else ""
    )
    against = (
        f" {sign} {powers(str(bound))}"
        if bound is not None and found is not None and proof.quantity == found.quantity
        else ""
    )
    if proof.output is not None and proof.p is not None and proof.p_prime is not None:
        yield f"Output: r = {words.value_text(proof.output)}"
        yield f"P(r | x) = {short(proof.p.to_dict())} and P(r | x′) = {short(proof.p_prime.to_dict())}"
        yield f"ln of their ratio = {shown}{against}"
    else:
        yield f"{proof.quantity} = {shown}{against}"


def _accuracy(document: Document) -> Verdicted | None:
    if not document.bounds:
        return None
    verdicts = [bound.verdict for bound in document.bounds]
    worst = next(v for v in (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.PROVED) if v in verdicts)
    return Verdicted(CLASS[worst], worst.value, words.bounds_sentence(document))


def _bounds(bounds: Sequence[Bound]) -> Grid:
    order = (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.PROVED)
    heads = ("mechanism", "data x", "bound", "verdict", "at t", "exact probability", "bound's value")
    rows = []
    for bound in sorted(bounds, key=lambda one: order.index(one.verdict)):
        fails = f", at {bound.failing} of {bound.thresholds} t" if bound.failing else ""
        named = (bound.mechanism, words.value_text(bound.x), f"{bound.statement} ({bound.source})")
        numbers = (short(value.to_dict()) for value in (bound.t, bound.probability, bound.value))
        verdict = Text(f"{bound.verdict.value}{fails}", CLASS[bound.verdict])
        rows.append((*map(Text, named), verdict, *map(Text, numbers)))
    return Grid(heads, tuple(rows), (False,) * 4 + (True,) * 3)


def _false(claims: Sequence[Paper]) -> Grid:
    """The claims that do not hold, each with where it stands and what is stated."""
    bad = [claim for claim in claims if claim.verdict in FAILS]
    rows = tuple(
        (Text(_where(claim)), Text(_cut(claim.statement)), Text(claim.verdict.value, CLASS[claim.verdict]))
        for claim in bad
    )
    return Grid(("where", "what is stated", "verdict"), rows, (False,) * 3)


def _cut(text: str, most: int = 170) -> str:
    return text if len(text) <= most else f"{text[: text.rindex(' ', 0, most)]} …"


def _where(claim: Paper) -> str:
    return f"{claim.document}, {claim.item}" if claim.item else claim.document


def _paper(claim: Paper) -> PaperPart:
    verdict = Verdicted(CLASS[claim.verdict], claim.verdict.value, "")
    return PaperPart(
        claim.id, _where(claim), claim.statement, verdict, claim.establishes, claim.finding, claim.evidence
    )


# ------------------------------------------------------------------ sections


def _part(number: int, section: Section, charts: dict[str, str], most: int) -> Part:
    name = f"{number:02d}-{section.kind}"
    drawn = charts.get(name, "")
    return Part(
        id=name,
        title=powers(section.title),
        finding=powers(section.finding),
        svg=drawn,
        chart=f"charts/{name}.svg" if drawn else "",
        alt="" if section.figure is None else powers(section.figure.title),
        grid=None if section.table is None else grid(section.table, most),
        notes=section.notes,
        commands=section.commands,
    )


def _without_table(part: Part) -> Part:
    """The main part: a figure, or the table of a few rows."""
    if not part.svg:
        return part
    return Part(part.id, part.title, "", part.svg, part.chart, part.alt, None, part.notes, ())


def _table_of(part: Part) -> Part:
    """The numbers of the main picture."""
    if not part.svg:
        return Part(f"{part.id}-commands", f"{part.title}: commands", "", "", "", "", None, (), part.commands)
    return Part(
        f"{part.id}-table", f"{part.title}: the numbers", part.finding, "", "", "", part.grid, (), part.commands
    )


def grid(table: Table, most: int = MOST_ROWS) -> Grid:
    """A table as text: about so many rows, evenly, with the first that fails of every group."""
    used = [i for i, c in enumerate(table.columns) if any(row[i] not in (None, "") for row in table.rows)]
    columns = [table.columns[i] for i in used]
    kept = _some(table, most)
    rows = tuple(tuple(cell(columns[j], table.rows[i][place]) for j, place in enumerate(used)) for i in kept)
    numbers = tuple(column.kind in (Kind.COUNT, Kind.EXACT, Kind.NUMBER, Kind.SHARE) for column in columns)
    return Grid(tuple(column.name for column in columns), rows, numbers, len(table.rows) - len(rows))


def _some(table: Table, most: int) -> list[int]:
    """The rows that are shown: all of a few, else evenly many with both ends and the first failures."""
    count = len(table.rows)
    if count <= most:
        return list(range(count))
    chosen = {round(i * (count - 1) / (most - 1)) for i in range(most)}
    seen = set()
    for i, row in enumerate(table.rows):
        if Verdict.REFUTED in row and row[0] not in seen:
            seen.add(row[0])
            chosen.add(i)
    return sorted(chosen)


def cell(column: Column, value: Cell) -> Text:
    """A value as text, by the kind of its column."""
    if value is None:
        return Text("")
    if isinstance(value, Verdict):
        return Text(value.value, CLASS[value])
    if isinstance(value, Enclosure):
        return Text(percent(value.to_dict()) if column.kind is Kind.SHARE else short(value.to_dict()))
    return Text(decimal(str(value)) if isinstance(value, Fraction) else powers(str(value)))
