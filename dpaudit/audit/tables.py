"""dpaudit.table: a table of probabilities audited in one call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.audit.display import Shown
from dpaudit.audit.questions import MAX_DIGITS, delta, epsilon
from dpaudit.audit.results import DeltaResult, EpsilonResult
from dpaudit.mechanisms.base import Mechanism
from dpaudit.mechanisms.table import read_table
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.rationals import Exact, nonnegative, sequence, whole
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.loss import MEMORY_BOUND, Progress

WORK = 3 * 10**7
"""Steps, of one or two microseconds each: about a minute."""
PAIR = 20
"""What a pair costs besides its outputs, in outputs."""


@dataclass(frozen=True)
class TableResult(Shown):
    """The true epsilon of the table, with the verdict on the claim, and delta at the epsilons asked for."""

    epsilon: EpsilonResult
    deltas: tuple[DeltaResult, ...]

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON of ``dpaudit table --json``."""
        rows = [{"at": str(d.at), "delta": d.delta.to_dict(), "witness": d.witness.to_dict()} for d in self.deltas]
        return {**self.epsilon.to_dict(), "deltas": rows}


def table(
    file: str,
    *,
    adjacency: str | None = None,
    claim: Exact | None = None,
    claim_delta: Exact = 0,
    at: str | Sequence[Exact] = (),
    digits: int | str = 15,
    progress: Progress | None = None,
    memory: int = MEMORY_BOUND,
    work: int | str = WORK,
) -> TableResult:
    """Returns the audit of the table in the file: one row a data set, one column an output, entries taken exactly.

    A table that needs more than ``work`` steps is refused before any is done.
    """
    with_delta = nonnegative("claim-delta", claim_delta)
    if with_delta > 1:
        raise InputError("claim-delta", claim_delta, "must be <= 1")
    bound = None if claim is None else EpsilonDelta(nonnegative("claim", claim), with_delta)
    points = [nonnegative("at", point) for point in sequence("at", at)]
    subject = read_table(file, adjacency, bound)
    check_work(subject, len(points), whole("digits", digits, 1, MAX_DIGITS), whole("work", work, 1))
    effort: dict[str, Any] = {"digits": digits, "progress": progress, "memory": memory}
    return TableResult(epsilon(subject, **effort), tuple(delta(subject, point, **effort) for point in points))


def check_work(subject: Mechanism, points: int, digits: int, most: int) -> None:
    """Refuses a table that needs more than ``most`` steps: pairs, outputs, questions and digits tell how many."""
    counts, questions = subject.counts(), 2 + points
    need = counts.pairs * (counts.outputs + PAIR) * questions * (1 + digits // 250)
    if need > most:
        what = f"{counts.pairs} ordered pairs, {counts.outputs} outputs, {questions} questions of {digits} digits"
        rule = f"{what} need about {need} steps; list fewer pairs with --adjacency, or raise the bound"
        raise InputError("work", most, rule)
