"""The document of a report: typed values from which HTML, Markdown and JSON are written, and read again.

The JSON has ``schema``, ``title``, ``command``, ``plan``, ``verdict`` (the answer of the whole), then ``findings``,
``bounds``, ``claims`` and ``sections``, ``versions``, ``content_hash`` over all before it, and ``run``: the only
member that differs between two runs on the same inputs.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from dpaudit.audit.judgement import Judgement, badness
from dpaudit.files.strict_json import read_text
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.codec import MALFORMED, decode, dumps, encode
from dpaudit.reports.table import Figure, Table
from dpaudit.version import __version__

SCHEMA = "dpaudit-report/3"
LARGEST = 64 << 20
"""The most bytes of a result file."""
FAILS = (Verdict.REFUTED, Verdict.IMPOSSIBLE)
"""The verdicts of false claims, also of those whose asserted object does not exist."""

DERIVED = ("schema", "verdict", "versions", "content_hash", "run")
"""Members of the JSON that are not fields of a document."""

WORST_FIRST = (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.UNWITNESSED, Verdict.PROVED)

Value = tuple[int, ...] | str
"""A data set or an output: counts, or the text of anything else."""


@dataclass(frozen=True)
class Proof:
    """The evidence for a verdict: an adjacent pair and its value; for the true ε also output and probabilities."""

    x: Value
    x_prime: Value
    quantity: str
    value: Enclosure
    output: Value | None = None
    p: Enclosure | None = None
    p_prime: Enclosure | None = None
    n: int | None = None


@dataclass(frozen=True)
class EveryN:
    """What is known for every n: the supremum of the true ε with its limit and the n where it is attained (None: the
    limit), or the claim of a document that is proved for all n; the command decides it again.
    """

    verdict: Verdict | None
    command: str
    supremum: Enclosure | None = None
    limit: Enclosure | None = None
    attained: int | None = None
    claim: str = ""


@dataclass(frozen=True)
class Finding:
    """One mechanism in one setting: the statement about it that was judged, and the evidence."""

    name: str
    formula: str
    setting: str
    judgement: Judgement | None = None
    """None where nothing is stated: no claim, and no nominal ε."""
    epsilon: Enclosure | None = None
    """The largest true ε that was seen; None where none could be computed."""
    epsilon_n: int | None = None
    ns: tuple[int, ...] = ()
    """The n that were audited."""
    proof: Proof | None = None
    every_n: EveryN | None = None
    person: str = ""
    """The meaning for a person, in a sentence."""
    checked: tuple[str, ...] = ()
    """Independent checks of it."""
    rests_on: tuple[str, ...] = ()
    """The assumptions and open parts of the answer where code was followed."""
    stands_for: tuple[str, ...] = ()
    """The pairs of neighbors that its data sets represent, if it says so."""
    lost: tuple[str, ...] = ()
    """The parts that could not be audited, and why."""
    pairs: int = 0
    outputs: int = 0
    """None of real numbers."""
    neighbors: str = ""
    source: str = ""
    sha256: str = ""
    command: str = ""


@dataclass(frozen=True)
class Bound:
    """An accuracy bound of the documents on one data set, at the threshold where it comes closest or fails most."""

    claim: str
    statement: str
    source: str
    mechanism: str
    x: tuple[int, ...]
    t: Enclosure
    probability: Enclosure
    value: Enclosure
    verdict: Verdict
    thresholds: int
    failing: int
    command: str = ""


@dataclass(frozen=True)
class Paper:
    """A claim of a document with its verdict; ``evidence`` is what decides it, in lines."""

    id: str
    document: str
    item: str
    statement: str
    verdict: Verdict
    establishes: str
    finding: str = ""
    evidence: tuple[str, ...] = ()
    coq: bool = False

    @property
    def where(self) -> str:
        """Where the claim is made."""
        return place(self.document, self.item)


@dataclass(frozen=True)
class Section:
    """A part of the report: a figure, whose title is its finding, a table, and the commands that give its numbers."""

    kind: str
    title: str
    figure: Figure | None = None
    table: Table | None = None
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    main: bool = False
    """Whether the page shows it open, below the verdict."""


@dataclass(frozen=True)
class Document:
    """A report."""

    title: str
    command: str
    findings: tuple[Finding, ...] = ()
    bounds: tuple[Bound, ...] = ()
    claims: tuple[Paper, ...] = ()
    sections: tuple[Section, ...] = ()
    answer: str = ""
    """The answer in one sentence, for a document on too many mechanisms to begin with one of them."""
    plan: str = ""
    date: str = ""
    seconds: float = 0.0
    versions: tuple[tuple[str, str], ...] = ()

    def judgements(self) -> list[Judgement]:
        """The statements that were judged."""
        return [finding.judgement for finding in self.findings if finding.judgement is not None]

    @property
    def lead(self) -> Finding | None:
        """The finding that the report opens with: the worst statement, else the first; none with an answer."""
        if self.answer:
            return None
        most = min(self.judgements(), key=badness, default=None)
        return next((finding for finding in self.findings if finding.judgement is most), None)

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the mechanisms' statements, else on the claims, else on the accuracy bounds.

        One that fails decides, then one that is open.
        """
        claims = [Verdict.REFUTED if claim.verdict in FAILS else claim.verdict for claim in self.claims]
        found = [judgement.verdict for judgement in self.judgements()] or claims
        return _worst(found) if found else self.accuracy

    @property
    def accuracy(self) -> Verdict | None:
        """The verdict on the accuracy bounds together."""
        return _worst([bound.verdict for bound in self.bounds])

    def figures(self) -> Iterable[tuple[str, Section]]:
        """Yields the sections that have a figure, each with the name of its file."""
        for number, section in enumerate(self.sections, 1):
            if section.figure is not None and section.table is not None and section.table.rows:
                yield f"{number:02d}-{section.kind}", section

    def mechanisms(self) -> list[str]:
        """The names in the tables' column "mechanism", which give every mechanism one colour."""
        tables = [s.table for s in self.sections if s.table is not None and s.table.columns[0].name == "mechanism"]
        return list(dict.fromkeys(str(row[0]) for table in tables for row in table.rows))

    @cached_property
    def json(self) -> dict[str, Any]:
        """The document as JSON, computed once."""
        members = {name: [] for name in ("findings", "bounds", "claims", "sections")} | encode(self)
        after = {name: members.pop(name, "") for name in ("date", "seconds", "versions")}
        for entry, finding in zip(members["findings"], self.findings, strict=True):
            entry |= {} if finding.judgement is None else {"verdict": finding.judgement.to_dict()}
        body = {"schema": SCHEMA, "title": self.title, "verdict": self._answer(), **members}
        hashed = {"versions": dict(self.versions), "content_hash": content_hash(body)}
        return {**body, **hashed, "run": {"date": after["date"], "seconds": self.seconds}}

    def _answer(self) -> dict[str, Any]:
        """The verdict of the whole: that of the lead, and how many statements, bounds and claims have which."""
        own = None if self.lead is None else self.lead.judgement
        word = None if self.verdict is None else self.verdict.value
        found = {"word": word, **dict.fromkeys(("statement", "extent", "first_n", "margin"))}
        each = {
            "statements": [judgement.verdict for judgement in self.judgements()],
            "bounds": [bound.verdict for bound in self.bounds],
            "claims": [claim.verdict for claim in self.claims],
        }
        counts = {name: tally(verdicts) for name, verdicts in each.items() if verdicts}
        return (found if own is None else own.to_dict()) | {"counts": counts}

    @property
    def hash(self) -> str:
        """SHA-256 of the content."""
        return str(self.json["content_hash"])


def _worst(found: Sequence[Verdict]) -> Verdict | None:
    return next((verdict for verdict in WORST_FIRST if verdict in found), None)


def place(documents: str, item: str) -> str:
    """The place of a claim; the item alone if it names all its documents.

    >>> place("A3", "Lemma 1"), place("P1, A3", "P1 §4.2.1, A3 §4.2"), place("A3", "")
    ('A3, Lemma 1', 'P1 §4.2.1, A3 §4.2', 'A3')
    """
    named = item and all(name.strip() in item for name in documents.split(","))
    return item if named else ", ".join(filter(None, (documents, item)))


def tally(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """How often each verdict occurs, in their order."""
    found = list(verdicts)
    return {verdict.value: found.count(verdict) for verdict in Verdict if verdict in found}


def content_hash(body: dict[str, Any]) -> str:
    """SHA-256 of the canonical JSON of all members but versions, hash and run."""
    kept = {name: value for name, value in body.items() if name not in ("versions", "content_hash", "run")}
    text = json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode(errors="backslashreplace")).hexdigest()


def versions() -> tuple[tuple[str, str], ...]:
    """The versions of the programs that computed the report."""
    import flint

    return (("dpaudit", __version__), ("python-flint", flint.__version__), ("python", platform.python_version()))


def text_of(document: Document) -> str:
    """The text of result.json."""
    return dumps(document.json) + "\n"


def load(path: str) -> Document:
    """The document in the file; a file that is not one, or was changed, is refused in one line."""
    text = read_text("result", path, LARGEST)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("result", path, "is not JSON") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError("result", path, f'is not a report: "schema" must be "{SCHEMA}"')
    try:
        body = {name: value for name, value in data.items() if name not in DERIVED}
        body["findings"] = [{name: value for name, value in f.items() if name != "verdict"} for f in data["findings"]]
        found: Document = decode(Document, body | data["run"] | {"versions": [*map(list, data["versions"].items())]})
    except (*MALFORMED, InputError) as error:
        rule = f"is malformed: it was changed, or is no report ({type(error).__name__})"
        raise InputError("result", path, rule) from None
    if found.hash != data.get("content_hash"):
        raise InputError("result", path, "the content does not match its hash: the file was changed")
    return found
