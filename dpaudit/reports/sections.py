"""The sections on the mechanisms of a block: typed tables, each with a figure that names its columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpaudit.audit.judgement import badness
from dpaudit.audit.picture import two
from dpaudit.audit.results import EpsilonResult
from dpaudit.charts.draw import Level
from dpaudit.numbers.digits import rough
from dpaudit.privacy.protocols import plain, text
from dpaudit.reports.block import Block, Case, Unknown
from dpaudit.reports.document import Finding, Section
from dpaudit.reports.judge import judged_at
from dpaudit.reports.steps import Progress
from dpaudit.reports.table import Cell, Column, Figure, Kind, Look, Table
from dpaudit.reports.words import share_sentence

STEPS = 20
FAR = 1.5
"""A stated ε more than this many times the largest true one is left out of the picture."""

BY_N = (
    "mechanism | n: count | true ε: enclosure | statement | verdict: verdict | x | x′ | output | decided by"
    " | its value: enclosure"
)
P, Q = "P(output | x)", "P(output | x′)"


def sections(block: Block, findings: Sequence[Finding], progress: Progress) -> Iterator[Section]:
    """Yields the sections on the mechanisms of a block; the pair belongs to the one with the worst statement."""
    known = [case for case in block.cases if isinstance(case.last, EpsilonResult)]
    yield from by_n(block, findings)
    order = {found.name: badness(found.judgement) for found in findings if found.judgement is not None}
    for case in sorted(known, key=lambda case: order.get(case.label, (4, Fraction(0))))[:1]:
        yield from distributions(case, progress)


def _commands(found: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(command for command in found if command))


# ------------------------------------------------------------------ the true ε by n, or the shares


def by_n(block: Block, findings: Sequence[Finding]) -> Iterator[Section]:
    """Yields the true ε at every computed n; for one n, or none, the share of its statement that each uses."""
    rows: list[tuple[Cell, ...]] = []
    for case in block.cases:
        rows += [row for n in sorted(case.answers, key=lambda n: n or 0) if (row := _row(case, n))]
    if not rows:
        return
    table = Table.of(BY_N, rows)
    several = len({row[1] for row in rows}) > 2
    figure = _lines_by_n(findings, _ordered(block.cases)) if several else None
    title = "True ε at every n" if several else "True ε"
    commands = _commands([case.command(case.places()[-1]) for case in block.cases])
    yield Section("epsilon-by-n", title, figure, table, commands=commands, main=several)


def _row(case: Case, n: int | None) -> tuple[Cell, ...] | None:
    """The row of one n; None where nothing is known there."""
    answer = case.answers[n]
    if isinstance(answer, Unknown):
        return None
    found, evidence, witness = judged_at(case, n), answer.claim.evidence, answer.witness
    statement, verdict = ("", None) if found is None else (found.statement, found.verdict)
    other = found is not None and evidence is not None and evidence.quantity != "epsilon"
    return (
        case.label, n, answer.value()[1], statement, verdict,
        text(witness.x), text(witness.x_prime), text(witness.output),
        found.quantity if other and found else "", evidence.value if other and evidence else None,
    )  # fmt: skip


def _lines_by_n(findings: Sequence[Finding], ordered: bool) -> Figure:
    """The figure of the true ε by n, with what is stated and the limits that are proved."""
    bounds: dict[Fraction, list[str]] = {}
    for finding in findings:
        both = None if finding.judgement is None else finding.judgement.guarantee.epsilon_delta()
        if both is not None and finding.judgement is not None:
            bounds.setdefault(both[0], []).append(finding.judgement.whose.value)
    largest = max((float(f.epsilon.upper) for f in findings if f.epsilon is not None), default=1.0)
    near = [value for value in bounds if float(value) <= FAR * largest] or [min(bounds)] if bounds else []
    marks = [Level(value, _bound_name(value, set(bounds[value]))) for value in sorted(near)]
    ends = [(f.name, f"→ {rough(f.every_n.limit.lower, 3)}") for f in findings if f.every_n and f.every_n.limit]
    title = share_sentence(findings)
    return Figure(
        Look.LINES, title, "n", "true ε", by="mechanism", x_label="number of records n", y_label="true ε",
        marks=tuple(marks[:3]), ends=tuple(ends), ordered=ordered,
    )  # fmt: skip


def _bound_name(value: Fraction, whose: set[str]) -> str:
    return f"{whose.pop() if len(whose) == 1 else 'stated'} ε = {value}"


def _ordered(cases: Sequence[Case]) -> bool:
    """Whether they are one mechanism under several priors, which have an order."""
    return len(cases) > 1 and len({case.setting.label for case in cases}) == 1


def distributions(case: Case, progress: Progress) -> Iterator[Section]:
    """Yields both output distributions of the worst pair at the largest n."""
    found = case.last
    if not isinstance(found, EpsilonResult) or found.epsilon.is_open or not case.mechanism.tabular:
        return
    progress(f"{case.label}: worst pair")
    both = case.narrow(lambda: two(case.mechanism, found.witness))
    if both is None:
        return
    columns = (Column("output"), Column(P, Kind.NUMBER), Column(Q, Kind.NUMBER))
    table = Table(columns, tuple(zip(both.outputs, both.p, both.q, strict=True)))
    at = "" if both.worst is None else both.outputs[both.worst]
    place = f", n = {case.ns[-1]}" if case.ns else ""
    title = f"{case.label}{place}: {both.names[0]} and {both.names[1]} are easiest to tell apart"
    ends = ((P, both.names[0]), (Q, both.names[1]))
    figure = Figure(Look.PAIR, title, "output", P, second=Q, at=at, ends=ends)
    pair = (found.witness.x, found.witness.x_prime)
    commands = _commands([case.setting.command_line("pmf", x=plain(x)) for x in pair])
    yield Section("worst-pair", f"Worst pair of {case.label}{place}", figure, table, commands=commands)
