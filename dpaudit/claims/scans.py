"""The scan: decide every instance of a statement in order, exactly, and keep the instance that matters.

A statement is "left relation right". Instances come in batches that share their tables (one n, prior and epsilon).
Balls decide what they can; a tie is decided by the batch's own algebra; what stays open is done again at twice the
precision, alone. Nothing is ever decided by tolerance: floats only choose which proved instance to show as tightest.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpaudit.claims.batches import Batch, Statement, Value
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
    """The verdict of the balls alone on "left relation right"."""
    if relation in ("<=", "<"):
        return (balls.at_most if relation == "<=" else balls.less)(left, right)
    if relation in (">=", ">"):
        return (balls.at_most if relation == ">=" else balls.less)(right, left)
    if relation not in ("=", "!="):
        raise ValueError(f"unknown relation {relation!r}: one of <= < >= > = !=")
    differ = left.is_finite() and right.is_finite() and not balls.overlap(left, right)
    same = balls.certainly_at_most(left, right) and balls.certainly_at_most(right, left)
    if not differ and not same:
        return Verdict.UNDECIDED
    return Verdict.PROVED if same == (relation == "=") else Verdict.REFUTED


def compare_tie(relation: str, tie: bool | None) -> Verdict:
    """The verdict on "left relation right" where algebra says whether left = right."""
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
    """The state of a scan: the instances still open, and the tightest one."""

    instances: int = 0
    bits: int = 0
    open: list[Judged] = field(default_factory=list)
    tightest: Judged | None = None


def decide_batch(statement: Statement, batch: Batch, log: Log) -> list[Judged]:
    """Every instance of the batch, in order, decided at rising precision or by algebra."""
    decided: dict[Hashable, Judged] = {}
    bits, pending = batch.start_bits, None
    while True:
        still: set[Hashable] = set()
        with balls.precision(bits):
            for tag, left, right in batch.sides():
                if pending is not None and tag not in pending:
                    continue
                found = _decide(statement, batch, tag, side(left), side(right))
                decided[tag] = found
                if found.verdict is Verdict.UNDECIDED:
                    still.add(tag)
        log.bits = max(log.bits, bits)
        if not still or bits >= MAX_BITS:
            break
        pending, bits = still, 2 * bits
    log.instances += len(decided)
    return list(decided.values())


def _decide(statement: Statement, batch: Batch, tag: Any, first: Value, second: Value) -> Judged:
    left, right = as_ball(first), as_ball(second)
    verdict, tied = compare(statement.relation, left, right), False
    if verdict is Verdict.UNDECIDED and balls.overlap(left, right):
        rational = isinstance(first, Fraction) and isinstance(second, Fraction)
        known = first == second if rational else batch.tie(tag)
        verdict, tied = compare_tie(statement.relation, known), known is True
    slack = 0.0 if tied else _slack(statement, left, right)
    return Judged(batch, tag, verdict, slack, tied)


def _slack(statement: Statement, left: Ball, right: Ball) -> float:
    """A float for screening, smaller is tighter; it decides nothing."""
    gap = margin_of(statement, left, right)
    if statement.closeness == "ratio":
        gap = gap / right
    return abs(float(gap))


def side(value: object) -> Value:
    """The side; a float, or anything else that is no exact number, ball or enclosure, is refused."""
    if isinstance(value, Ball | Fraction):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, Enclosure) and value.is_finite:
        return value.lower if value.is_exact else balls.from_ends(balls.ball(value.lower), balls.ball(value.upper))
    kind = type(value).__name__
    raise TypeError(f"a side is a ball, a whole number, a Fraction or a finite Enclosure, not {value!r} ({kind})")


def as_ball(value: Value) -> Ball:
    """A ball that contains the side."""
    return balls.ball(value) if isinstance(value, Fraction) else value


def margin_of(statement: Statement, left: Ball, right: Ball) -> Ball:
    """right - left, or left - right for > and >=: negative where an inequality fails."""
    return left - right if statement.relation in (">=", ">") else right - left


def scan(statement: Statement, batches: Iterable[Batch], finding: str = "") -> Outcome:
    """The outcome of "for all instances: left relation right", stopping at the first refuted one.

    REFUTED carries the first counterexample in the order of the batches (put the least n first), and says if an
    earlier instance stayed open; PROVED is exhaustive on the grid and carries the tightest instance; anything that
    stays open makes it UNDECIDED if there is no counterexample.
    """
    log = Log()
    decided = _first(statement, batches, Verdict.REFUTED, log)
    if decided is not None:
        example, words = build(statement, decided), _first_words(finding, log)
        return Outcome(Verdict.REFUTED, BY_COUNTEREXAMPLE, counterexample=example, finding=words)
    if log.open:
        return _undecided(statement, log)
    if log.tightest is None:
        raise ValueError("the grid is empty: nothing was checked")
    return Outcome(Verdict.PROVED, ON_GRID, tightest=build(statement, log.tightest), finding=finding)


def search(statement: Statement, batches: Iterable[Batch], finding: str = "") -> Outcome:
    """The outcome of "there is an instance with left relation right": the first witness, or UNWITNESSED.

    UNWITNESSED carries as ``tightest`` the instance that came closest. A witness says if an earlier one stayed open.
    """
    log = Log()
    decided = _first(statement, batches, Verdict.PROVED, log)
    if decided is not None:
        witness, words = build(statement, decided), _first_words(finding, log)
        return Outcome(Verdict.PROVED, BY_WITNESS, witness=witness, finding=words)
    if log.open:
        return _undecided(statement, log)
    closest = None if log.tightest is None else build(statement, log.tightest)
    return Outcome(Verdict.UNWITNESSED, NO_WITNESS, tightest=closest, finding=finding)


def _first(statement: Statement, batches: Iterable[Batch], wanted: Verdict, log: Log) -> Judged | None:
    """The first instance with the wanted verdict; the log tells of those before it."""
    for batch in batches:
        for found in decide_batch(statement, batch, log):
            if found.verdict is wanted:
                return found
            if found.verdict is Verdict.UNDECIDED:
                log.open.append(found)
            log.tightest = _tighter(log.tightest, found)
    return None


def _undecided(statement: Statement, log: Log) -> Outcome:
    return Outcome(Verdict.UNDECIDED, NOTHING, tightest=build(statement, log.open[0]), finding=_open_words(log))


def _tighter(best: Judged | None, found: Judged) -> Judged:
    """The tighter one; among nearly equal ones the first, so that the choice does not hang on rounding."""
    if best is None or found.slack < best.slack * (1 - 1e-9):
        return found
    return best


def _first_words(finding: str, log: Log) -> str:
    """The finding; if an earlier instance stayed open, also that this may not be the first one."""
    return "; ".join(filter(None, (finding, f"perhaps not the first one: {_open_words(log)}" if log.open else "")))


def _open_words(log: Log) -> str:
    return f"{len(log.open)} of {log.instances} instances are still open at {log.bits} bits"


# ------------------------------------------------------------------ one instance, worked out


def build(statement: Statement, found: Judged) -> Instance:
    """The instance with enclosures of both sides and of the margin, and its steps."""
    batch, tag = found.batch, found.tag

    def values() -> tuple[Value, Value, Ball]:
        left, right = next((side(a), side(b)) for t, a, b in batch.sides() if t == tag)
        return left, right, margin_of(statement, as_ball(left), as_ball(right))

    def attempt() -> tuple[list[Enclosure], Sequence[Step]] | None:
        left, right, difference = values()
        margin = exact(Fraction(0), DIGITS) if found.tied else significant(difference)
        known = [value for value in (_value(left), _value(right), margin) if value is not None]
        return (known, batch.steps(tag)) if len(known) == 3 else None

    most = MAX_BITS if found.verdict is not Verdict.UNDECIDED else 2 * batch.start_bits
    try:
        shown, steps = balls.refine(attempt, 2 * batch.start_bits, 2 * most)[0]
    except balls.PrecisionExhausted:
        with balls.precision(4 * batch.start_bits):
            shown, steps = [outward(*balls.ends(as_ball(value)), 2 * DIGITS) for value in values()], batch.steps(tag)
    return Instance(
        batch.parameters(tag),
        Quantity(statement.left, shown[0]),
        statement.relation,
        Quantity(statement.right, shown[1]),
        shown[2],
        tuple(steps),
        "a tie, decided by algebra" if found.tied else "",
    )


def _value(value: Value) -> Enclosure | None:
    """The enclosure; a ball that holds 0 is accepted once it is very narrow."""
    return significant(value) or balls.enclosure(as_ball(value), 4 * DIGITS)
