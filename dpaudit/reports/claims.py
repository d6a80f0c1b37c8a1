"""The papers' claims in a report: the verdict on each, and its evidence in a few lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dpaudit.claims.outcome import Instance, Outcome
from dpaudit.numbers.digits import powers, short
from dpaudit.numbers.enclosure import Enclosure
from dpaudit.numbers.verdict import Verdict
from dpaudit.reports.document import Paper, Section
from dpaudit.reports.steps import CLAIM, COSTS, Job, Progress
from dpaudit.reports.table import Cell, Table

if TYPE_CHECKING:
    from dpaudit.claims.runner import Result

MOST_STEPS = 4
"""The number of lines of a proof that are shown; ``dpaudit check ID --explain`` has all of them."""


def prepare(patterns: tuple[str, ...]) -> Job:
    """The checked job of the claims with these ids; unknown ones are refused here."""
    from dpaudit.claims.catalogue import load

    library = load()
    chosen = library.choose(() if patterns == ("*",) else patterns)
    count = sum(map(len, library.rounds(chosen)))
    return Job("the claims", count * COSTS[CLAIM], partial(_run, chosen))


def _run(chosen: Sequence[str], progress: Progress) -> Iterator[Paper | Section]:
    from dpaudit.claims.runner import check

    progress(f"checking {len(chosen)} claims")
    results = list(check(chosen, progress=lambda result, done, total: progress(f"{CLAIM}: {result.claim.id}")))
    papers = [paper(result) for result in results]
    yield _by_document(papers)
    yield from papers


def _by_document(papers: Sequence[Paper]) -> Section:
    """How many claims of each document have which verdict."""
    verdicts = [verdict for verdict in Verdict if any(one.verdict is verdict for one in papers)]
    documents = dict.fromkeys(name for one in papers for name in _documents(one))
    rows: list[tuple[Cell, ...]] = []
    for name in documents:
        own = [one.verdict for one in papers if name in _documents(one)]
        rows.append((name, len(own), *(own.count(verdict) for verdict in verdicts)))
    table = Table.of(" | ".join(["document", "claims: count", *(f"{v.value}: count" for v in verdicts)]), rows)
    notes = ("A claim that several documents make counts in each of them.",)
    return Section("documents", "Claims by document", table=table, notes=notes, main=True)


def _documents(one: Paper) -> list[str]:
    return [name.strip() for name in one.document.split(",")]


def paper(result: Result) -> Paper:
    """A claim with its verdict and its evidence."""
    outcome, claim = result.outcome, result.claim
    coq = any("Coq" in step.formula or "Coq" in step.value or "Coq" in step.label for step in outcome.steps)
    return Paper(
        id=claim.id,
        document=claim.document,
        item=claim.item,
        statement=claim.statement,
        verdict=outcome.verdict,
        establishes=outcome.establishes,
        finding=outcome.finding,
        evidence=tuple(_evidence(outcome)),
        coq=coq and not any("not run" in step.value for step in outcome.steps),
    )


def _evidence(outcome: Outcome) -> Iterator[str]:
    """Yields what decides a claim: the instance with its numbers, the grid, the first lines of a proof, its parts."""
    found = outcome.instance
    if found is not None:
        yield f"{found[0]}: {_instance(found[1])}"
    if outcome.grid:
        yield f"checked for: {outcome.grid}"
    for step in outcome.steps[:MOST_STEPS]:
        yield f"{step.label}: {step.formula}" + (f" → {step.value}" if step.value else "")
    if len(outcome.steps) > MOST_STEPS:
        yield f"… and {len(outcome.steps) - MOST_STEPS} more steps"
    for part in outcome.parts:
        yield f"{part.statement}: {part.verdict.value}, {part.establishes}"


def _instance(found: Instance) -> str:
    where = ", ".join(f"{name} = {value}" for name, value in found.parameters.items())
    sides = f"{found.left.meaning} = {_number(found.left.value)}, {found.right.meaning} = {_number(found.right.value)}"
    return powers(f"{where}: {sides}; asked: left {found.relation} right")


def _number(value: Enclosure) -> str:
    return short(value)
