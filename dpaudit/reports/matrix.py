"""The matrix: one row for every mechanism, which is the verdict on it, failures first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpaudit.audit.conclusion import Conclusion, conclude
from dpaudit.mechanisms import posterior
from dpaudit.numbers.errors import approximately
from dpaudit.numbers.ranges import range_text
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.adjacency import REPLACE_ONE
from dpaudit.reports.block import Block, Case, Progress
from dpaudit.reports.document import Section, named
from dpaudit.reports.judged import First, beyond, first_failing, strongest
from dpaudit.reports.theorems import for_every_n
from dpaudit.reports.verdict import Row, badness, largest_share, outcome_of, sentence

TITLE = "What is claimed, and what holds"
QUESTION = "Does every mechanism keep what it claims, how much of the claim is used, and how is that known?"


def matrix(block: Block, rows: list[Row], progress: Progress) -> Section:
    """Returns the verdict on every mechanism of the block from the rows of its true epsilon, failures first."""
    own = named(rows)
    found = [verdict_row(case, own[case.label], progress) for case in block.cases]
    return block.section("matrix", TITLE, QUESTION, lambda c: c.found.command, sorted(found, key=badness))


def verdict_row(case: Case, rows: Sequence[Row], progress: Progress) -> Row:
    """Returns the verdict on one mechanism, from its rows, the smallest n that fails, and what is known for every n."""
    progress(f"{case.label}: what is known for every n")
    theorem = for_every_n(case.setting) if case.setting.has_n else None
    concluded = conclude(
        [_verdict(row["verdict"]) for row in rows],
        [_verdict(row["nominal_verdict"]) for row in rows],
        _verdict(theorem["verdict"]) if theorem else None,
    )
    first = first_failing(case, rows, progress)
    far = beyond(case, rows, theorem, progress)
    if far is not None and theorem is not None:
        theorem |= {"fails_at": {key: far[key] for key in ("n", "epsilon", "witness", "command")}}
    return _row(case, rows, concluded, first, theorem)


def _verdict(value: str | None) -> Verdict | None:
    return None if value is None else Verdict(value)


def _row(case: Case, rows: Sequence[Row], concluded: Conclusion, first: First | None, theorem: Any) -> Row:
    worst = strongest(rows)
    shown, share = first.row if first else worst, largest_share(rows)
    ns = [row["n"] for row in rows if row["n"] is not None]
    row: Row = {
        "mechanism": case.label,
        "where": _where(case, ns),
        "word": concluded.word.value,
        "outcome": None if concluded.outcome is None else concluded.outcome.value,
        "strength": concluded.strength.value,
        "claim": None if worst["guarantee"] is None else worst["guarantee"]["text"],
        "guarantee": worst["guarantee"],
        "nominal": worst["nominal"],
        "epsilon": worst["epsilon"],
        "n": worst["n"],
        "ns": range_text(ns) if ns else None,
        "several_n": len(ns) > 1,
        "share": share[1] if share else None,
        "share_of": share[0] if share else None,
        "smallest_failing_n": first.row["n"] if first else None,
        "looked_at": first.looked_at if first else None,
        "undecided_n": [row["n"] for row in rows if outcome_of(row) is Verdict.UNDECIDED and row["n"] is not None],
        "witness": witness(shown),
        "theorem": theorem,
        "command": shown["command"] or "",
        "covered": list(_covered(case, ns, first, theorem)),
        "not_covered": list(_not_covered(case, ns, theorem)),
    }
    return {**row, "text": sentence(row)}


def witness(row: Row) -> Row:
    """Returns the pair and output of a row of true epsilon, with its n, its true epsilon, and what decided there."""
    outcome = outcome_of(row)
    found = {"n": row["n"], "epsilon": row["epsilon"], "outcome": None if outcome is None else outcome.value}
    return {**found, "evidence": row["evidence"], **row["witness"]}


def _where(case: Case, ns: Sequence[int]) -> str:
    """Returns the setting in words, with all n."""
    text = case.mechanism.setting_text()
    return text.replace(f"n = {ns[-1]}", f"n = {range_text(ns)}", 1) if ns else text


def _covered(case: Case, ns: Sequence[int], first: First | None, theorem: dict[str, Any] | None) -> Iterator[str]:
    counts = case.found.counts
    shown = map(approximately, (counts.datasets, counts.pairs, counts.outputs))
    each = "{} data sets, {} ordered adjacent pairs and {} outputs".format(*shown)
    where = f"at n = {range_text(ns)}, up to" if len(ns) > 1 else f"at n = {ns[0]}," if ns else "of the mechanism,"
    yield f"every adjacent pair and output {where} {each}"
    if first and first.looked_at and first.looked_at.startswith("every n"):
        yield f"{case.label}: {first.looked_at}, for the smallest that fails"
    if theorem and theorem["verdict"] == Verdict.PROVED:
        yield f"{case.label}, every n ≥ 1: {theorem['words']}"


def _not_covered(case: Case, ns: Sequence[int], theorem: dict[str, Any] | None) -> Iterator[str]:
    """Yields what the verdict does not speak of."""
    mechanism = case.mechanism
    if ns and case.setting.has_n and not (theorem and theorem["verdict"] == Verdict.PROVED):
        fails = theorem is not None and theorem["verdict"] == Verdict.REFUTED
        yield f"{case.label} at other n than {range_text(ns)}" + (": there are some where it fails" if fails else "")
    family = posterior(mechanism)
    yield "other priors, ε and parameters" if family else "other parameters"
    relation = mechanism.adjacency
    whose = relation.text() if family or case.setting.adjacency is not None else "the mechanism's own"
    yield f"other neighbours than {'one record replaced' if relation == REPLACE_ONE else whose}"
    yield "several releases from the same data"
    yield from (f"{case.label} rests on: {said}" for said in mechanism.caveats().get("assumptions", ()))
    if not mechanism.caveats():
        yield "code that samples: the distributions were audited, not a program that draws from them"
