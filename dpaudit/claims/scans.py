"""The scan: decide every instance of a statement in order, exactly, and keep the instance that matters.

A statement is "left relation right". Instances come in batches that share their tables (one n, prior and epsilon).
Balls decide what they can; a tie is decided by the batch's own algebra; what stays open is done again at twice the
precision, alone. Nothing is ever decided by tolerance: floats only choose which proved instance to show as tightest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpaudit.claims.batches import Batch, Statement
from dpaudit.claims.outcome import (
    BY_COUNTEREXAMPLE,
    BY_WITNESS,
    NO_WITNESS,
    NOTHING,
    ON_GRID,
    Instance,
    Outcome,
    Quantity,
    Step,
)
from dpaudit.claims.shown import DIGITS, significant
from dpaudit.numbers import balls
from dpaudit.numbers.balls import Ball
from dpaudit.numbers.enclosure import Enclosure, exact, outward
from dpaudit.numbers.verdict import Verdict

MAX_BITS = 4096


def compare(relation: str, left: Ball, right: Ball) -> Verdict:
    """Returns the verdict of the balls alone on "left relation right"."""
    if relation in ("<=", "<"):
        return (balls.at_most if relation == "<=" else balls.less)(left, right)
    if relation in (">=", ">"):
        return (balls.at_most if relation == ">=" else balls.less)(right, left)
    if relation not in ("=", "!="):
        raise ValueError(f"unknown relation {relation!r}")
    differ = left.is_finite() and right.is_finite() and not balls.overlap(left, right)
    same = balls.certainly_at_most(left, right) and balls.certainly_at_most(right, left)
    if not differ and not same:
        return Verdict.UNDECIDED
    return Verdict.PROVED if same == (relation == "=") else Verdict.REFUTED


def compare_tie(relation: str, tie: bool | None) -> Verdict:
    """Returns the verdict on "left relation right" where algebra says whether left = right."""
    if tie is None or (not tie and relation not in ("=", "!=")):
        return Verdict.UNDECIDED
    holds = (relation in ("<=", ">=", "=")) == tie
    return Verdict.PROVED if holds else Verdict.REFUTED


@dataclass(frozen=True)
class Judged:
    """One instance with its verdict; ``slack`` is a float for screening: how far from failing."""

    batch: Batch
    tag: Any
    verdict: Verdict
    slack: float
    tied: bool = False


@dataclass
class Log:
    """What a scan has looked at so far."""

    instances: int = 0
    batches: int = 0
    bits: int = 0
    open: list[Judged] = field(default_factory=list)


def decide_batch(statement: Statement, batch: Batch, log: Log) -> list[Judged]:
    """Returns every instance of the batch, in order, decided at rising precision or by algebra."""
    decided: dict[Hashable, Judged] = {}
    bits, pending = batch.start_bits, None
    while True:
        still: set[Hashable] = set()
        with balls.precision(bits):
            for tag, left, right in batch.sides():
                if pending is not None and tag not in pending:
                    continue
                found = _decide(statement, batch, tag, left, right)
                decided[tag] = found
                if found.verdict is Verdict.UNDECIDED:
                    still.add(tag)
        log.bits = max(log.bits, bits)
        if not still or bits >= MAX_BITS:
            break
        pending, bits = still, 2 * bits
    log.batches += 1
    log.instances += len(decided)
    return list(decided.values())


def _decide(statement: Statement, batch: Batch, tag: Any, left: Ball, right: Ball) -> Judged:
    verdict, tied = compare(statement.relation, left, right), False
    if verdict is Verdict.UNDECIDED and batch.tie is not None and balls.overlap(left, right):
        known = batch.tie(tag)
        verdict, tied = compare_tie(statement.relation, known), known is True
    slack = 0.0 if tied else _slack(statement, left, right)
    return Judged(batch, tag, verdict, slack, tied)


def _slack(statement: Statement, left: Ball, right: Ball) -> float:
    """Returns a float for screening, smaller is tighter; it decides nothing."""
    gap = margin_of(statement, left, right)
    if statement.closeness == "ratio":
        gap = gap / right
    return abs(float(gap))


def margin_of(statement: Statement, left: Ball, right: Ball) -> Ball:
    """Returns right - left, or left - right for > and >=: negative where an inequality fails."""
    return left - right if statement.relation in (">=", ">") else right - left


def scan(statement: Statement, batches: Iterable[Batch], finding: str = "") -> Outcome:
    """Returns the outcome of "for all instances: left relation right", stopping at the first refuted one.

    REFUTED carries the first counterexample in the order of the batches (put the least n first), and says if an
    earlier instance stayed open; PROVED is exhaustive on the grid and carries the tightest instance; anything that
    stays open makes it UNDECIDED if there is no counterexample.
    """
    log, tightest = Log(), None
    for found in _each(statement, batches, log):
        if found.verdict is Verdict.REFUTED:
            example, words = build(statement, found), _first_words(finding, log)
            return Outcome(Verdict.REFUTED, BY_COUNTEREXAMPLE, counterexample=example, finding=words)
        if found.verdict is Verdict.UNDECIDED:
            log.open.append(found)
        tightest = _tighter(tightest, found)
    if tightest is None:
        raise ValueError("the grid is empty: nothing was checked")
    if log.open:
        return Outcome(Verdict.UNDECIDED, NOTHING, tightest=build(statement, log.open[0]), finding=_open_words(log))
    return Outcome(Verdict.PROVED, ON_GRID, tightest=build(statement, tightest), finding=finding)


def search(statement: Statement, batches: Iterable[Batch], finding: str = "") -> Outcome:
    """Returns the outcome of "there is an instance with left relation right": the first witness, or UNWITNESSED.

    UNWITNESSED carries as ``tightest`` the instance that came closest. A witness says if an earlier one stayed open.
    """
    log, tightest = Log(), None
    for found in _each(statement, batches, log):
        if found.verdict is Verdict.PROVED:
            witness, words = build(statement, found), _first_words(finding, log)
            return Outcome(Verdict.PROVED, BY_WITNESS, witness=witness, finding=words)
        if found.verdict is Verdict.UNDECIDED:
            log.open.append(found)
        tightest = _tighter(tightest, found)
    if log.open:
        return Outcome(Verdict.UNDECIDED, NOTHING, tightest=build(statement, log.open[0]), finding=_open_words(log))
    closest = None if tightest is None else build(statement, tightest)
    return Outcome(Verdict.UNWITNESSED, NO_WITNESS, tightest=closest, finding=finding)


def _each(statement: Statement, batches: Iterable[Batch], log: Log) -> Iterator[Judged]:
    for batch in batches:
        yield from decide_batch(statement, batch, log)


def _tighter(best: Judged | None, found: Judged) -> Judged:
    """Returns the tighter one; among nearly equal ones the first, so that the choice does not hang on rounding."""
    if best is None or found.slack < best.slack * (1 - 1e-9):
        return found
    return best


def _first_words(finding: str, log: Log) -> str:
    """Returns the finding; if an earlier instance stayed open, also that this may not be the first one."""
    return "; ".join(filter(None, (finding, f"perhaps not the first one: {_open_words(log)}" if log.open else "")))


def _open_words(log: Log) -> str:
    return f"{len(log.open)} of {log.instances} instances are still open at {log.bits} bits"


# ------------------------------------------------------------------ one instance, worked out


def build(statement: Statement, found: Judged) -> Instance:
    """Returns the instance with enclosures of both sides and of the margin, and its steps."""
    batch, tag = found.batch, found.tag

    def attempt() -> tuple[Enclosure, Enclosure, Enclosure, tuple[Step, ...]] | None:
        left, right = next((a, b) for t, a, b in batch.sides() if t == tag)
        margin = exact(Fraction(0), DIGITS) if found.tied else significant(margin_of(statement, left, right))
        shown = [_value(left), _value(right), margin]
        known = [value for value in shown if value is not None]
        if len(known) < len(shown):
            return None
        steps = () if batch.steps is None else tuple(batch.steps(tag))
        return known[0], known[1], known[2], steps

    most = MAX_BITS if found.verdict is not Verdict.UNDECIDED else 2 * batch.start_bits
    try:
        (left, right, margin, steps), _ = balls.refine(attempt, 2 * batch.start_bits, 2 * most)
    except balls.PrecisionExhausted:
        left, right, margin, steps = _as_wide_as_they_are(statement, batch, tag)
    return Instance(
        batch.parameters(tag),
        Quantity(statement.left, left),
        statement.relation,
        Quantity(statement.right, right),
        margin,
        steps,
        "a tie, decided by algebra" if found.tied else "",
    )


def _value(value: Ball) -> Enclosure | None:
    """Returns the enclosure; a ball that holds 0 is accepted once it is very narrow."""
    return significant(value) or balls.enclosure(value, 4 * DIGITS)


def _as_wide_as_they_are(
    statement: Statement, batch: Batch, tag: Any
) -> tuple[Enclosure, Enclosure, Enclosure, tuple[Step, ...]]:
    """Returns the enclosures at the largest precision tried, however wide: for an undecided instance."""
    with balls.precision(4 * batch.start_bits):
        left, right = next((a, b) for t, a, b in batch.sides() if t == tag)
        values = left, right, margin_of(statement, left, right)
        ends = [outward(*balls.ends(value), 2 * DIGITS) for value in values]
        steps = () if batch.steps is None else tuple(batch.steps(tag))
    return ends[0], ends[1], ends[2], steps
