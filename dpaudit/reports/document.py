"""The document of a report: typed values from which HTML, Markdown and JSON are written, and read again.

The JSON has ``schema``, ``title``, ``command``, ``plan``, ``verdict`` (the answer of the whole), then ``findings``,
``bounds``, ``claims`` and ``sections``, ``versions``, ``content_hash`` over all before it, and ``run``: the only
member that differs between two runs on the same inputs.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dpaudit.audit.judgement import Extent, Judgement, Margin, Whose, worst
from dpaudit.files.strict_json import read_text
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import parse_guarantee
from dpaudit.reports.codec import decode, dumps, encode
from dpaudit.reports.table import Figure, Table
from dpaudit.version import __version__

SCHEMA = "dpaudit-report/3"
LARGEST = 64 << 20
"""A result file of more bytes is refused."""
FAILS = (Verdict.REFUTED, Verdict.IMPOSSIBLE)
"""A claim with one of these is false, or what it says to exist does not."""

ACCURACY = ("distances", "mean-error")
"""The kinds of sections on accuracy: a report that begins with one is about accuracy first."""

Value = tuple[int, ...] | str
"""A data set or an output: counts, or the text of anything else."""


@dataclass(frozen=True)
class Proof:
    """The evidence for a verdict: an adjacent pair and what it gives; of the true ε output and both probabilities."""

    x: Value
    x_prime: Value
    quantity: str
    value: Enclosure
    output: Value | None = None
    p: Enclosure | None = None
    p_prime: Enclosure | None = None
    n: int | None = None
    command: str = ""


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
    """What it means for a person, in a sentence."""
    checked: tuple[str, ...] = ()
    """Who else checked it."""
    rests_on: tuple[str, ...] = ()
    """What the answer assumes or leaves open where code was followed."""
    lost: tuple[str, ...] = ()
    """What could not be audited, and why."""
    pairs: int = 0
    outputs: int = 0
    neighbours: str = ""
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
    margin: Enclosure | None = None
    evidence: tuple[str, ...] = ()
    coq: bool = False


@dataclass(frozen=True)
class Section:
    """A part of the report: its finding, a figure, a table, and the commands that give its numbers again."""

    kind: str
    title: str
    finding: str = ""
    figure: Figure | None = None
    table: Table | None = None
    notes: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    main: bool = False
    """Whether it is the one that the page shows open, below the verdict."""


@dataclass(frozen=True)
class Document:
    """A report."""

    title: str
    command: str
    findings: tuple[Finding, ...] = ()
    bounds: tuple[Bound, ...] = ()
    claims: tuple[Paper, ...] = ()
    sections: tuple[Section, ...] = ()
    summary: str = ""
    """The answer in one sentence, where that of the worst mechanism would not do."""
    plan: str = ""
    date: str = ""
    seconds: float = 0.0
    versions: tuple[tuple[str, str], ...] = ()

    @property
    def lead(self) -> Finding | None:
        """The finding that the report opens with: the worst statement, else the first mechanism."""
        judged = {id(f.judgement): f for f in self.findings if f.judgement is not None}
        if judged:
            return judged[id(worst(f.judgement for f in judged.values() if f.judgement is not None))]
        return self.findings[0] if self.findings else None

    @property
    def verdict(self) -> Verdict | None:
        """The verdict on the mechanisms' statements, else on the claims, else on the accuracy bounds.

        One that fails decides, then one that is open.
        """
        statements = [f.judgement.verdict for f in self.findings if f.judgement is not None]
        claims = [Verdict.REFUTED if claim.verdict in FAILS else claim.verdict for claim in self.claims]
        found = statements or claims or [bound.verdict for bound in self.bounds]
        order = (Verdict.REFUTED, Verdict.UNDECIDED, Verdict.UNWITNESSED, Verdict.PROVED)
        return next((verdict for verdict in order if verdict in found), None)

    def figures(self) -> Iterable[tuple[str, Section]]:
        """Yields the sections that have a figure, each with the name of its file."""
        for number, section in enumerate(self.sections, 1):
            if section.figure is not None and section.table is not None and section.table.rows:
                yield f"{number:02d}-{section.kind}", section

    @property
    def accuracy_first(self) -> bool:
        """Whether the report is about accuracy before privacy."""
        return bool(self.bounds and self.sections and self.sections[0].kind in ACCURACY)

    def mechanisms(self) -> list[str]:
        """The names in the tables' column "mechanism", which give every mechanism one colour."""
        tables = [s.table for s in self.sections if s.table is not None and s.table.columns[0].name == "mechanism"]
        return list(dict.fromkeys(str(row[0]) for table in tables for row in table.rows))

    @cached_property
    def json(self) -> dict[str, Any]:
        """The document as JSON, made once."""
        body = {
            "schema": SCHEMA,
            "title": self.title,
            "command": self.command,
            "plan": self.plan,
            **({"summary": self.summary} if self.summary else {}),
            "verdict": self._answer(),
            "findings": [_finding(finding) for finding in self.findings],
            "bounds": encode(self.bounds),
            "claims": encode(self.claims),
            "sections": encode(self.sections),
        }
        run = {"date": self.date, "seconds": self.seconds}
        return {**body, "versions": dict(self.versions), "content_hash": content_hash(body), "run": run}

    def _answer(self) -> dict[str, Any]:
        """The verdict of the whole: that of the lead, and how many statements, bounds and claims have which."""
        lead = self.lead
        judged = [] if lead is None or lead.judgement is None else [lead.judgement]
        empty = {
            "word": None if self.verdict is None else self.verdict.value,
            "statement": None,
            "extent": None,
            "first_n": None,
        }
        found = judged[0].to_dict() if judged else {**empty, "margin": None}
        statements = [f.judgement.verdict for f in self.findings if f.judgement is not None]
        each = {"statements": statements, "bounds": [b.verdict for b in self.bounds]}
        each["claims"] = [claim.verdict for claim in self.claims]
        return found | {"counts": {name: tally(verdicts) for name, verdicts in each.items() if verdicts}}

    @property
    def hash(self) -> str:
        """SHA-256 of the content."""
        return str(self.json["content_hash"])


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
    """What computed the report."""
    import flint

    return (("dpaudit", __version__), ("python-flint", flint.__version__), ("python", platform.python_version()))


def text_of(document: Document) -> str:
    """The text of result.json."""
    return dumps(document.json)


# ------------------------------------------------------------------ findings hold a judgement, which has its own form


def _finding(finding: Finding) -> dict[str, Any]:
    found: dict[str, Any] = encode(finding)
    judgement = finding.judgement
    if judgement is not None:
        extent = judgement.extent
        found["judgement"] = judgement.to_dict() | {
            "guarantee": judgement.guarantee.option(),
            "n": None if extent is None else "all" if extent.every else list(extent.ns),
            "quantity": judgement.quantity,
            "value": encode(judgement.value),
            "bound": encode(judgement.bound),
            "of": None if judgement.margin is None else judgement.margin.of,
        }
    return found


def _read_finding(entry: dict[str, Any]) -> Finding:
    kept = {name: value for name, value in entry.items() if name != "judgement"}
    found: Finding = decode(Finding, kept)
    if "judgement" not in entry:
        return found
    return Finding(**{**vars(found), "judgement": _judgement(entry["judgement"], found.name)})


def _judgement(entry: dict[str, Any], subject: str) -> Judgement:
    n, margin = entry["n"], entry["margin"]
    extent = None if n is None else Extent(every=True) if n == "all" else Extent(decode(tuple[int, ...], n))
    parts = {
        name: decode(Enclosure | None, (margin or {}).get(name)) for name in ("excess", "share", "repairing_delta")
    }
    return Judgement(
        guarantee=parse_guarantee("guarantee", entry["guarantee"]),
        verdict=Verdict(entry["word"]),
        whose=Whose(entry["whose"]),
        subject=subject,
        extent=extent,
        first_n=entry["first_n"],
        quantity=entry["quantity"],
        value=decode(Enclosure | None, entry["value"]),
        bound=decode(Fraction | None, entry["bound"]),
        margin=None if margin is None else Margin(**parts, of=entry["of"]),
    )


def load(path: str) -> Document:
    """The document in the file; a file that is none, or was changed, is refused with one line."""
    text = read_text("result", path, LARGEST)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("result", path, "is not JSON") from None
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise InputError("result", path, f'is not a report: "schema" must be "{SCHEMA}"')
    try:
        found = Document(
            title=decode(str, data["title"]),
            command=decode(str, data["command"]),
            plan=decode(str, data["plan"]),
            summary=decode(str, data.get("summary", "")),
            findings=tuple(map(_read_finding, data["findings"])),
            bounds=decode(tuple[Bound, ...], data["bounds"]),
            claims=decode(tuple[Paper, ...], data["claims"]),
            sections=decode(tuple[Section, ...], data["sections"]),
            date=decode(str, data["run"]["date"]),
            seconds=decode(float, data["run"]["seconds"]),
            versions=tuple(decode(dict[str, str], data["versions"]).items()),
        )
    except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError, StopIteration) as error:
        raise InputError("result", path, f"is malformed: {type(error).__name__}") from None
    if found.hash != data.get("content_hash"):
        raise InputError("result", path, "the content does not match its hash: the file was changed")
    return found
