"""True epsilon against nominal epsilon: how much of what is asked for is spent, from little privacy to much."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpaudit.audit import questions as audit
from dpaudit.numbers.enclosure import outward
from dpaudit.numbers.verdict import Verdict
from dpaudit.privacy.loss import verdict
from dpaudit.reports.block import DIGITS, Block, Case, Progress
from dpaudit.reports.document import Section, named

FACTORS = tuple(Fraction(text) for text in ("1/16", "1/8", "1/4", "1/2", "1", "2", "4", "8"))
LARGEST = {2: 100, 3: 12}
"""Largest n by the number of cells; with more cells it is 5."""
Row = dict[str, Any]


def true_nominal(block: Block, progress: Progress) -> Iterator[Section]:
    """Yields true over nominal epsilon of the mechanisms that have a nominal epsilon and an n."""
    model = block.model
    cases = [case for case in block.cases if case.setting.has_n and case.mechanism.epsilon is not None]
    if model is None or not block.ns or not cases:
        return
    n, rows = min(block.ns[-1], LARGEST.get(model.k, 5)), []
    for case in cases:
        progress(f"{case.label}: true ε against nominal ε")
        rows += list(_rows(case, n))
    yield block.section(
        "true-nominal",
        f"True ε against nominal ε, n = {n}",
        "How much of the nominal ε is really spent, for little privacy and for much?",
        lambda case: case.setting.at(n=n).command_line("epsilon") if case in cases else None,
        rows,
        n=n,
        said=_said(rows, n),
        **block.smaller(n),
    )


def _rows(case: Case, n: int) -> Iterator[Row]:
    nominal = case.mechanism.epsilon or Fraction(1)
    for factor in FACTORS:
        eps = nominal * factor
        found = audit.epsilon(case.setting.at(n=n, eps=eps), digits=DIGITS).epsilon
        if not found.is_infinite and not found.is_open:
            ratio = outward(found.lower / eps, found.upper / eps, DIGITS - 2)
            outcome = verdict(found, eps).value
            yield {"mechanism": case.label, "eps": str(eps), "ratio": ratio.to_dict(), "outcome": outcome}


def _said(rows: list[Row], n: int) -> str:
    """Returns in words who spends more than the nominal epsilon, as the verdicts are."""
    over = {name: [row for row in own if row["outcome"] == Verdict.REFUTED.value] for name, own in named(rows).items()}
    open_ = sorted({row["mechanism"] for row in rows if row["outcome"] == Verdict.UNDECIDED.value})
    drawn = {name: len(own) for name, own in named(rows).items()}
    parts = [
        f"{name} spends more than the nominal ε at "
        + ("every value drawn" if len(own) == drawn[name] else f"ε = {', '.join(row['eps'] for row in own)}")
        for name, own in over.items()
        if own
    ]
    parts += [f"undecided somewhere: {', '.join(open_)}"] if open_ else []
    nobody = f"no mechanism spends more than its nominal ε at the values drawn, n = {n}"
    said = "; ".join(parts or [nobody])
    return f"{said[0].upper()}{said[1:]}."
