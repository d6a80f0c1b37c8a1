"""One mechanism at one n, judged: the row of its true epsilon; and the smallest n at which it fails."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from dpaudit.audit.results import EpsilonResult
from dpaudit.mechanisms import Mechanism
from dpaudit.numbers.balls import PrecisionExhausted
from dpaudit.numbers.enclosure import outward
from dpaudit.numbers.errors import InputError, visible
from dpaudit.numbers.ranges import range_text
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.claim import Claim
from dpaudit.privacy.effort import Effort
from dpaudit.privacy.guarantee import EpsilonDelta
from dpaudit.privacy.judge import true_epsilon
from dpaudit.privacy.pairs import Worst
from dpaudit.reports.block import DIGITS, Case, Progress
from dpaudit.reports.shares import Row, compared, outcome_of

MOST_LOOKED = 500
"""So many n below one that fails are looked at, to find the smallest."""
MOST_MASSES = 2_000_000
"""Pairs times outputs at the n that fails: with more, the smaller n are not looked at."""
DOUBLINGS, FARTHEST = 20, 10**6
"""How far beyond the largest n one that fails is sought, where a theorem says that there is one."""
MORE_DIGITS = (24, 48, 96, 192)
"""So many digits of the true epsilon are tried to show on which side of the claim it is."""
CLAIM = ("claimed", "claimed_delta", "verdict", "guarantee", "evidence")
KEPT = ("epsilon", "closed_form", *CLAIM, "witness", "precision_bits")
"""What a row of the true epsilon has of the result of ``dpaudit epsilon``."""


def rows_of(case: Case, ns: Sequence[int], progress: Progress) -> list[Row]:
    """Returns the row of every n; where it cannot be computed, one that says why, and the case notes it.

    An n at which there is no such mechanism has no row; the case notes that too.
    """
    rows = []
    for n, compute in case.over(ns, progress):
        try:
            rows.append(epsilon_row(case, n, compute()))
        except (PrecisionExhausted, InputError) as problem:
            if n is not None and case.setting.has_n and case.refuses(n):
                case.absent[n] = visible(str(problem))
                continue
            if not ns or n in (None, ns[-1]) or not case.setting.has_n:
                case.failures.append(problem)
            rows.append(open_row(case, n, problem))
    return rows


def epsilon_row(case: Case, n: int | None, found: EpsilonResult) -> Row:
    """Returns the row; of a mechanism without a claim with the verdict on "true epsilon <= nominal epsilon".

    Where the verdict took more digits of the true epsilon than were asked for, the row has them.
    """
    kept = {key: value for key, value in {**found.to_dict(), **found.claim.to_dict()}.items() if key in KEPT}
    if kept["evidence"] and kept["evidence"]["quantity"] == "epsilon":
        kept |= {"epsilon": kept["evidence"]["enclosure"], "evidence": None}
    nominal, outcome = found.subject.mechanism.epsilon, None
    if nominal is not None and found.claim.guarantee is None:
        judged = EpsilonDelta(nominal).judge(found.subject.mechanism, Effort(DIGITS), _worst(found))
        outcome, evidence = judged.verdict, judged.evidence
        kept["epsilon"] = kept["epsilon"] if evidence is None else evidence.value.to_dict()
    row = _row(case, n, kept, nominal, None if outcome is None else outcome.value)
    return {**row, "epsilon": _telling(row, found.subject.mechanism)}


def _telling(row: Row, mechanism: Mechanism) -> dict[str, str]:
    """Returns the true epsilon of a row so that it does not contradict the verdict, which algebra may have given.

    It is cut at the bound that it was proved to be at most, and has the digits that show that it exceeds the bound.
    """
    found: dict[str, str] = row["epsilon"]
    known = compared(row)
    if known is None or known["outcome"] == Verdict.UNDECIDED or "inf" in found["lower"]:
        return found
    bound = Fraction(known["bound"])
    if known["outcome"] == Verdict.PROVED:
        cut = Decimal(found["upper"]) > bound
        return outward(Fraction(found["lower"]), bound, 2 * DIGITS).to_dict() if cut else found
    for digits in MORE_DIGITS:
        if Fraction(found["lower"]) > bound or not mechanism.refinable:
            break
        found = true_epsilon(mechanism, Effort(digits)).value.to_dict()
    return found


def _worst(found: EpsilonResult) -> Worst:
    """Returns the true epsilon as it was found."""
    known = None
    with suppress(ValueError):  # a closed form need not be a rational number
        known = None if found.closed_form is None else Fraction(found.closed_form)
    return Worst(found.epsilon, found.witness, found.precision_bits, known=known)


def _row(case: Case, n: int | None, kept: Row, nominal: Fraction | None, outcome: str | None) -> Row:
    against = {"nominal": None if nominal is None else str(nominal), "nominal_verdict": outcome}
    return {"mechanism": case.label, "n": n, **kept, **against, "command": case.judging(_place(case, n))}


def _place(case: Case, n: int | None) -> int | None:
    """Returns the n that the setting takes, None where it has none of its own."""
    return n if case.setting.has_n else None


def open_row(case: Case, n: int | None, problem: Exception) -> Row:
    """Returns the row of what could not be computed: nothing is known of the true epsilon, for this reason.

    A claim may be decided all the same, by delta say.
    """
    claimed, nominal = case.claimed, case.mechanism.epsilon
    open_ = Verdict.UNDECIDED
    judged = Claim(claimed, None if claimed is None else open_)
    if claimed is not None and isinstance(problem, PrecisionExhausted):
        with suppress(PrecisionExhausted, InputError):
            judged = claimed.judge(case.at(_place(case, n)).mechanism, Effort(DIGITS))
    kept = {
        "epsilon": {"lower": "0", "upper": "inf"},
        "closed_form": None,
        **judged.to_dict(),
        "witness": {"x": None, "x_prime": None, "output": None},
        "precision_bits": 0,
    }
    against = open_.value if claimed is None and nominal is not None else None
    row = {**_row(case, n, kept, nominal, against), "reason": visible(str(problem)).removeprefix("undecided: ")}
    if judged.evidence is not None and claimed is not None:
        row["command"] = case.at(_place(case, n)).command_line("judge", claim=claimed.option(), digits=DIGITS)
    return row


@dataclass(frozen=True)
class First:
    """The row of the smallest n at which it fails, and in words which n were looked at."""

    row: Row
    looked_at: str | None
    seen: tuple[int, ...] = ()
    """The n up to it at which something was found."""
    rows: tuple[Row, ...] = ()
    """What was found at those of them that were not asked for."""


def first_failing(case: Case, rows: Sequence[Row], progress: Progress) -> First | None:
    """Returns the smallest n at which the claim, or the nominal epsilon, is exceeded; None where no row is REFUTED.

    Below an n that fails every other n is looked at, from 1 on, and the words say at which of them there is no such
    mechanism; not where there are too many, which the words say too.
    """
    failing = [row for row in rows if outcome_of(row) is Verdict.REFUTED]
    if not failing:
        return None
    least: Row = min(failing, key=lambda row: row["n"] or 0)
    known = {row["n"]: row for row in rows}
    if least["n"] is None or not case.setting.has_n:
        return First(least, None)
    if least["n"] > MOST_LOOKED or case.setting.at(n=least["n"]).mechanism.count_masses() > MOST_MASSES:
        return First(least, "of those audited; smaller ones were not all looked at")
    opened: list[int] = []
    absent: list[int] = []
    found: list[Row] = []
    for n in range(1, least["n"] + 1):
        row = known.get(n) or _row_at(case, n, progress)
        outcome = None if row is None else outcome_of(row)
        found += [row] if row is not None and not row.get("reason") else []
        if row is not None and outcome is Verdict.REFUTED:
            more = tuple(row for row in found if row["n"] not in known)
            return First(row, _looked(n, opened, absent), tuple(row["n"] for row in found), more)
        (absent if row is None else opened).extend([n] * (row is None or outcome is Verdict.UNDECIDED))
    raise AssertionError("the last one fails")


def beyond(case: Case, rows: Sequence[Row], theorem: dict[str, Any] | None, progress: Progress) -> First | None:
    """Returns what fails first, at an n not asked for, where a theorem says that there is one and none was seen.

    One that fails is that of the theorem, or the first of twice, four times, ... the largest n; then the n between it
    and the largest that was asked for are halved, and below the last all others are looked at, as ``first_failing``
    does. None where none was found.
    """
    if (
        theorem is None
        or theorem["verdict"] != Verdict.REFUTED
        or any(outcome_of(row) is Verdict.REFUTED for row in rows)
    ):
        return None
    low = top = max(row["n"] for row in rows)
    known = theorem["attained"]
    for n in [int(known)] if known != "inf" else [top << i for i in range(1, DOUBLINGS) if top << i <= FARTHEST]:
        row = _row_at(case, n, progress)
        if row is not None and outcome_of(row) is Verdict.REFUTED:
            break
        low = n
    else:
        return None
    while row["n"] - low > 1:
        between = _row_at(case, (low + row["n"]) // 2, progress)
        if between is not None and outcome_of(between) is Verdict.REFUTED:
            row = between
        else:
            low = (low + row["n"]) // 2
    return first_failing(case, [*rows, row], progress)


def _row_at(case: Case, n: int, progress: Progress) -> Row | None:
    """Returns the row at another n, open where it cannot be decided; None where there is no such mechanism."""
    progress(f"{case.label}: the smallest n that fails, n = {n}")
    try:
        return epsilon_row(case, n, case.result(n))
    except PrecisionExhausted as problem:
        return open_row(case, n, problem)
    except InputError as problem:
        if case.model is not None:
            raise
        return None if case.refuses(n) else open_row(case, n, problem)


def _looked(n: int, opened: list[int], absent: list[int]) -> str:
    """Returns in words what was looked at below the smallest n that fails."""
    if absent == list(range(1, n)):
        return "there is no smaller one"
    what = f"every n from 1 to {n} was looked at"
    what += f"; undecided: n = {range_text(opened)}" if opened else ""
    return what + (f"; there is no mechanism at n = {range_text(absent)}" if absent else "")


def strongest(rows: Sequence[dict[str, Any]]) -> Row:
    """Returns the row whose true epsilon may be the largest, the smallest n of those."""
    return max(rows, key=lambda row: (*map(Decimal, reversed(row["epsilon"].values())), -(row["n"] or 0)))
