"""One mechanism at one n, judged: the row of its true epsilon; and the smallest n at which it fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.audit.results import EpsilonResult
from dpaudit.numbers.errors import InputError
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.loss import verdict
from dpaudit.reports.block import DIGITS, Case, Progress
from dpaudit.reports.verdict import Row, outcome_of

MOST_LOOKED = 500
"""So many n below one that fails are looked at, to find the smallest."""
MOST_MASSES = 2_000_000
"""Pairs times outputs at the n that fails: with more, the smaller n are not looked at."""
DOUBLINGS, FARTHEST = 20, 10**6
"""How far beyond the largest n one that fails is sought, where a theorem says that there is one."""
CLAIM = ("claimed", "claimed_delta", "verdict", "guarantee", "evidence")
KEPT = ("epsilon", "closed_form", *CLAIM, "witness", "precision_bits")
"""What a row of the true epsilon has of the result of ``dpaudit epsilon``."""


def epsilon_row(label: str, n: int | None, found: EpsilonResult) -> Row:
    """Returns the row; of a mechanism without a claim with the verdict on "true epsilon <= nominal epsilon"."""
    kept = {key: value for key, value in found.to_dict().items() if key in KEPT}
    if kept["evidence"] and kept["evidence"]["quantity"] == "epsilon":
        kept["evidence"] = None  # it is the true epsilon of this row
    nominal = found.subject.mechanism.epsilon
    compared = {"nominal": None if nominal is None else str(nominal), "nominal_verdict": _nominal(found)}
    return {"mechanism": label, "n": n, **kept, **compared, "command": found.command}


def _nominal(found: EpsilonResult) -> str | None:
    """Returns the verdict against the nominal epsilon, where there is one and nothing is claimed."""
    nominal = found.subject.mechanism.epsilon
    if nominal is None or found.claim.guarantee is not None:
        return None
    outcome = verdict(found.epsilon, nominal)
    if outcome is Verdict.UNDECIDED:
        again = audit.epsilon(found.subject, digits=DIGITS, guarantee=EpsilonDelta(nominal)).claim.verdict
        outcome = Verdict.UNDECIDED if again is None else again
    return outcome.value


@dataclass(frozen=True)
class First:
    """The row of the smallest n at which it fails, and in words which n were looked at."""

    row: Row
    looked_at: str | None


def first_failing(case: Case, rows: Sequence[Row], progress: Progress) -> First | None:
    """Returns the smallest n at which the claim, or the nominal epsilon, is exceeded; None where no row is REFUTED.

    Below an n that fails every other n is looked at, from 1 on, and of anybody's own mechanism from the first one
    asked for; not where there are too many, which the words say.
    """
    failing = [row for row in rows if outcome_of(row) is Verdict.REFUTED]
    if not failing:
        return None
    least: Row = min(failing, key=lambda row: row["n"] or 0)
    known = {row["n"]: row for row in rows}
    if least["n"] is None or not case.setting.has_n:
        return First(least, None)
    start = 1 if case.model is not None else min(known)
    if least["n"] - start > MOST_LOOKED or case.setting.at(n=least["n"]).mechanism.count_masses() > MOST_MASSES:
        return First(least, "of those audited; smaller ones were not all looked at")
    opened: list[int] = []
    for n in range(start, least["n"] + 1):
        row = known.get(n) or _row_at(case, n, progress)
        outcome = None if row is None else outcome_of(row)
        if row is not None and outcome is Verdict.REFUTED:
            return First(row, _looked(start, n, opened))
        opened += [n] * (outcome is Verdict.UNDECIDED)
    raise AssertionError("the last one fails")


def beyond(case: Case, rows: Sequence[Row], theorem: dict[str, Any] | None, progress: Progress) -> Row | None:
    """Returns a row that fails at an n not asked for, where a theorem says that there is one and none was seen.

    It is the n of the theorem, or the first of twice, four times, ... the largest n; None where none of them fails.
    """
    if (
        theorem is None
        or theorem["verdict"] != Verdict.REFUTED
        or any(outcome_of(row) is Verdict.REFUTED for row in rows)
    ):
        return None
    top = max(row["n"] for row in rows)
    known = theorem["attained"]
    for n in [int(known)] if known != "inf" else [top << i for i in range(1, DOUBLINGS) if top << i <= FARTHEST]:
        row = _row_at(case, n, progress)
        if row is not None and outcome_of(row) is Verdict.REFUTED:
            return row
    return None


def _row_at(case: Case, n: int, progress: Progress) -> Row | None:
    """Returns the row at another n; None where the mechanism has no such n."""
    progress(f"{case.label}: the smallest n that fails, n = {n}")
    try:
        return epsilon_row(case.label, n, audit.epsilon(case.setting.at(n=n), digits=DIGITS))
    except InputError:
        if case.model is not None:
            raise
        return None


def _looked(start: int, n: int, opened: list[int]) -> str:
    what = f"every n from {start} to {n} was looked at" if n > start else "smaller ones were not asked for"
    what = "there is no smaller one" if n == start == 1 else what
    return what + (f"; undecided: n = {', '.join(map(str, opened))}" if opened else "")


def strongest(rows: Sequence[dict[str, Any]]) -> Row:
    """Returns the row of the largest true epsilon, the smallest n of those."""
    return max(rows, key=lambda row: (float(row["epsilon"]["lower"]), -(row["n"] or 0)))
