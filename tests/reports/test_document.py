"""The typed document: JSON and back, the schema, what is refused, and what the verdict of the whole is."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from dpaudit.audit.judgement import Extent, Judgement, Margin, Whose
from dpaudit.charts.draw import Level
from dpaudit.numbers.enclosure import Enclosure, at_least, exact, infinite
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta, parse_guarantee
from dpaudit.reports.codec import decode, encode
from dpaudit.reports.document import Bound, Document, EveryN, Finding, Paper, Proof, Section, load, text_of
from dpaudit.reports.table import Column, Figure, Kind, Look, Table

HALF, ONE = exact(Fraction(1, 2), 6), exact(Fraction(1), 6)
P, R, U = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED


def judgement(verdict=P, value=HALF, name="A", **more):
    margin = Margin.between(value, Fraction(1))
    found = Judgement(
        EpsilonDelta(Fraction(1)),
        verdict,
        Whose.CLAIMED,
        name,
        Extent((1, 2, 3)),
        value=value,
        bound=Fraction(1),
        margin=margin,
    )
    return replace(found, **more)


def finding(name="A", verdict=P, value=HALF, **more):
    proof = Proof((1, 2), (2, 1), "true ε", value, (1, 2), HALF, ONE, 3)
    given = {
        "judgement": judgement(verdict, value, name),
        "epsilon": value,
        "epsilon_n": 3,
        "ns": (1, 2, 3),
        "proof": proof,
    }
    return Finding(name, "P(r)", "n = 1…3", **{**given, "pairs": 2, "outputs": 3, **more})


TABLE = Table(
    (
        Column("mechanism"),
        Column("n", Kind.COUNT),
        Column("ε", Kind.EXACT),
        Column("true ε", Kind.NUMBER),
        Column("v", Kind.VERDICT),
    ),
    (
        ("A", 1, Fraction(1, 3), HALF, P),
        ("A", 2, None, infinite(), R),
        ("A", 3, Fraction(2), at_least(Fraction(1, 3), 4), None),
    ),
)
FIGURE = Figure(
    Look.LINES, "found", "n", "true ε", by="mechanism", marks=(Level(Fraction(1), "claimed"),), ends=(("A", "→ 1"),)
)
FULL = Document(
    title="A report",
    command="dpaudit report",
    findings=(
        finding("A", R, exact(Fraction(2), 6)),
        finding("B", every_n=EveryN(P, "dpaudit epsilon --n all", HALF, HALF, None, "A3, Theorem 1")),
        Finding("C", "f", ""),
        finding(
            "D",
            judgement=judgement(
                name="D", guarantee=parse_guarantee("claim", "f=0:1;1/4:1/2;1:0"), bound=None, margin=None
            ),
        ),
    ),
    bounds=(Bound("acc.1", "Pr < t", "A3", "A", (2, 2), HALF, HALF, ONE, R, 4, 2),),
    claims=(Paper("a.b", "A3", "Lemma 1", "x < y", P, "for all n, by algebra", evidence=("one",), coq=True),),
    sections=(Section("epsilon-by-n", "True ε", FIGURE, TABLE, ("note",), ("dpaudit epsilon",), True),),
    plan="title = 'x'\n",
    date="2026-01-01 00:00 UTC",
    seconds=1.5,
    versions=(("dpaudit", "0"),),
)


def test_a_document_survives_its_file(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(text_of(FULL))
    again = load(str(path))
    assert text_of(again) == text_of(FULL)
    assert again.findings[0].judgement.text() == FULL.findings[0].judgement.text()
    assert again.findings[0].judgement.margin.text(R) == "exceeds by 100 %"
    assert again.sections[0].table.rows[1][3].is_infinite
    assert isinstance(again.sections[0].table.rows[0][2], Fraction)


def changed(**members):
    return json.dumps({**FULL.json, **members})


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a report"),
        (changed(schema="dpaudit-report/2"), '"schema" must be "dpaudit-report/3"'),
        (changed(title="Another"), "does not match its hash"),
        (changed(title=1), "is malformed"),
        (changed(more=1), "is malformed"),
        (changed(run={"date": "", "seconds": 1.5, "more": 1}), "is malformed"),
        (changed(findings=[{"name": "A"}]), "is malformed"),
        (changed(sections=[{"kind": "x"}]), "is malformed"),
        (changed(sections=[{"kind": "x", "title": "y", "extra": 1}]), "is malformed"),
        (changed(findings=[{**FULL.json["findings"][0], "epsilon": {"lower": "2", "upper": "1"}}]), "is malformed"),
        (changed(findings=[{**FULL.json["findings"][0], "epsilon": {"lower": "x", "upper": "1"}}]), "is malformed"),
    ],
)
def test_a_file_that_is_no_report_is_refused(text, said, tmp_path):
    path = tmp_path / "result.json"
    path.write_text(text)
    with pytest.raises(InputError, match=said):
        load(str(path))


def test_one_row_a_line():
    rows = [line for line in text_of(FULL).split("\n") if line.startswith('["A",') and "→" not in line]
    assert len(rows) == 3


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (Enclosure, HALF),
        (Fraction, Fraction(1, 3)),
        (tuple[int, ...], (1, 2)),
        (Verdict, P),
        (int | None, None),
        (tuple[int, ...] | str, "text"),
        (Table, TABLE),
        (Figure, FIGURE),
    ],
)
def test_values_survive(kind, value):
    shown = json.loads(json.dumps(encode(value)))
    assert encode(decode(kind, shown)) == encode(value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [(int, True), (int, "1"), (str, 1), (Fraction, 1), (Fraction, "x"), (Verdict, "TRUE"), (Enclosure, "1")],
)
def test_another_type_is_refused(kind, value):
    with pytest.raises((TypeError, ValueError)):
        decode(kind, value)


@pytest.mark.parametrize(
    ("verdicts", "claims", "bounds", "whole"),
    [
        ([P, P], [], [], P),
        ([P, R], [], [], R),
        ([P, U], [], [], U),
        ([P], [Verdict.IMPOSSIBLE], [], P),
        ([], [Verdict.IMPOSSIBLE, P], [R], R),
        ([], [P, U], [], U),
        ([], [], [P, R], R),
        ([P], [], [R], P),
        ([], [], [], None),
    ],
)
def test_the_verdict_of_the_whole(verdicts, claims, bounds, whole):
    document = Document(
        "t",
        "c",
        findings=tuple(finding(f"M{i}", verdict) for i, verdict in enumerate(verdicts)),
        claims=tuple(replace(FULL.claims[0], verdict=verdict) for verdict in claims),
        bounds=tuple(replace(FULL.bounds[0], verdict=verdict) for verdict in bounds),
    )
    assert document.verdict is whole
    assert document.json["verdict"]["word"] == (None if whole is None else whole.value)


def test_the_lead_is_the_largest_share_of_its_claim():
    """Not the weakest evidence: one that is PROVED at three n with 90 % comes before one for every n with 50 %."""
    most = finding("most", value=exact(Fraction(9, 10), 6))
    assert Document("t", "c", findings=(finding("A"), most)).lead is most
    broken = finding("broken", R, exact(Fraction(11, 10), 6))
    assert Document("t", "c", findings=(finding("A"), most, broken)).lead is broken
    assert Document("t", "c", findings=(Finding("C", "f", ""),)).lead.name == "C"
    assert FULL.json["verdict"] | {"counts": 0} == FULL.findings[0].judgement.to_dict() | {"counts": 0}
    assert FULL.json["verdict"]["counts"]["statements"] == {"PROVED": 2, "REFUTED": 1}
